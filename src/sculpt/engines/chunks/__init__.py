"""A file in chunks: where it is cut, what crosses its cuts, one exact answer from all chunks."""
