"""Records to files: one writer a format."""
