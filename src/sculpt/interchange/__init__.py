"""Schemas of other systems: read into Sculpt, and written from it."""
