"""The public suites of other systems, and a judge for each."""
