"""Look-ups of programs: from each cell to the cells that belong to it."""
