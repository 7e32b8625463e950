"""The public suites of other systems, and what judges each of their cases."""
