"""Rows of other tables: gathered, indexed by their texts, and found again."""
