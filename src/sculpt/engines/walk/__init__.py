"""Letters to hits: the walk through the rows of a table, and what must be decided before it."""
