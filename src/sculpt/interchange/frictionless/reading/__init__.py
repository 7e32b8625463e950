"""Descriptors in JSON to values: packages, resources, dialects, schemas."""
