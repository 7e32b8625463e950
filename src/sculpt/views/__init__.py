"""What a schema selects, misses and rejects in a table, and how that is shown."""
