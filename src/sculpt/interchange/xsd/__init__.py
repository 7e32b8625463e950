"""XML Schema: its simple types become tokens."""

from sculpt.interchange.xsd.importer import read, recognises

__all__ = ["read", "recognises"]
