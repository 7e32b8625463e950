"""Reports for machines: one module per format, and the table of formats."""
