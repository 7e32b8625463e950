"""Rows of other tables that a program looks for: what is gathered of them, and how it is said."""
