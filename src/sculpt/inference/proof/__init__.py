"""What the engine says of drafts: counted, widened, verified, tried on damaged copies.

In: drafts, files, and who judges them (`judges`). Out: a schema that accepts the files. The cost is
that of a few validations.
"""
