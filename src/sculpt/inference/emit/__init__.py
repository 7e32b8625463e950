"""The text of a proposed schema: anchors, statements, comments."""
