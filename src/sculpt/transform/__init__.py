"""Records out of tables, and their files."""
