"""Commands about schemas and data of other systems: import, export, convert."""
