"""DSPL, the Dataset Publishing Language: an XML file about tables of concepts and slices."""

from sculpt.interchange.dspl.importer import read, recognises

__all__ = ["read", "recognises"]
