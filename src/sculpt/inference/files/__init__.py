"""Files as rows of texts: whole, or cut down if they are large.

In: paths. Out: a `Sheet` for each, with its dialect and its frame. What is learnt is learnt of
sheets, so its cost does not grow with the files.
"""
