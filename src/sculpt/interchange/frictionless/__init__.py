"""Data Packages, Data Resources, Table Schemas and Table Dialects (https://datapackage.org)."""

from sculpt.interchange.frictionless.importer import read, recognises

__all__ = ["read", "recognises"]
