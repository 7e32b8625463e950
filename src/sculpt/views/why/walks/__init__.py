"""Walks of paths: how one leads to a cell, and where the others stop."""
