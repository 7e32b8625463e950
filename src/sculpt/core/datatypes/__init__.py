"""Values of texts: types, pictures, and comparisons as languages."""
