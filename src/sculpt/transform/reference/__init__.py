"""Programs and conditions as they are defined, on a table in memory: what others must equal."""
