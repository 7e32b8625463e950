"""Judges of public suites."""
