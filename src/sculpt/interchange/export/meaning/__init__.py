"""What the rules of a schema say about the columns of a rectangle."""
