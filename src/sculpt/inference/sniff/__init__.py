"""How a file is written: its encoding, delimiter, quotes, line ends, comments.

In: a file. Out: a `Sniffed`: the dialect, how sure each part of it is, and what else it could be.
A sample of the file is decoded, the plain reader reads it in the dialect of each candidate, and
the tables that this gives are scored. Nothing is learned: all weights are in `weights`.
"""
