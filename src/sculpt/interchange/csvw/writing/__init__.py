"""Normalised metadata written as Sculpt: columns, formats, dialects."""
