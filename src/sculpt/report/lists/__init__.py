"""Everything that a run found, in files of its own: all violations, all good rows, all bad rows."""
