"""Tables to records, and records to files."""
