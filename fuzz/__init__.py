"""Fuzz targets: programs that search for bugs in Sculpt; see README.md here."""
