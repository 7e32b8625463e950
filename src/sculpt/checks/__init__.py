"""What is checked beyond rules: keys, references, conditions, several tables at once."""
