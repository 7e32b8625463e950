"""Sets of texts with a property of their value, as regular expressions."""
