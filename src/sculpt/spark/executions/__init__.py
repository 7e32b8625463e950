"""Programs in tasks: files prepared for them, and what the workers do with each item."""
