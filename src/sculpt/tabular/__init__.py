"""Bytes to cells."""
