"""Hits to violations, cells and rows: what the compiled engines say about a file."""
