"""Core schema and cells to verdict."""
