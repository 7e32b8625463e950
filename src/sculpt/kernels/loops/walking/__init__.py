"""The walk through the letters of a block, row by row, and what it counts."""
