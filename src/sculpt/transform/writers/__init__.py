"""Records to files: one writer per format."""
