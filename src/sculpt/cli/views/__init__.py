"""The commands that show a table: what they ask for, and where the picture goes."""
