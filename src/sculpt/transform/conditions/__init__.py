"""What conditions and functions of texts mean at one place of a table: for all engines."""
