"""Places of a table from which a walk can start again: how any rows are seen without the others."""
