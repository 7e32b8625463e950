"""Schema text to syntax tree, and back."""
