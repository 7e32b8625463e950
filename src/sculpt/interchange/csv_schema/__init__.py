"""CSV Schema of The National Archives, versions 1.0, 1.1 and 1.2, as Sculpt schemas."""

from __future__ import annotations

from sculpt.interchange.csv_schema.importer import read, recognises

__all__ = ["read", "recognises"]
