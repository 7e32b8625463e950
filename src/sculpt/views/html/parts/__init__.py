"""The parts of a page: the head, the rules, the table, the map, the schema."""
