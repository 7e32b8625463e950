"""Keys, references and the tables that a schema brings in."""
