"""Findings to words: what every engine says about a table."""
