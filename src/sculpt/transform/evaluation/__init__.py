"""Programs on tables: strips in, batches of records out."""
