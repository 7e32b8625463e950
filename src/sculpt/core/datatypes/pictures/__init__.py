"""Pictures: how the texts of numbers, dates, times and booleans are written (UAX 35)."""
