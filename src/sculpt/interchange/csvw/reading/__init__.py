"""Metadata read by the letter of the standard: errors, warnings, defaults."""
