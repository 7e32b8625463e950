"""Programs that make records of a proposed schema's table."""
