"""The syntax of programs."""
