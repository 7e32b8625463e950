"""XML Schema: its simple types become tokens."""
