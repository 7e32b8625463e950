"""Commands about files that have no schema yet."""
