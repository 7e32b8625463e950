"""Verdicts to text and JSON."""
