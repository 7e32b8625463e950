"""Bytes to letters: one letter for each cell."""
