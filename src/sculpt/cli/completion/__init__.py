"""Shell completion: scripts made from the table of commands."""
