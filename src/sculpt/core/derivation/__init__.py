"""Derived tokens: from their definitions to formulas over hidden tokens."""
