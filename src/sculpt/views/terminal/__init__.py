"""A view as lines for a terminal: the table with its regions in colour, and a legend."""
