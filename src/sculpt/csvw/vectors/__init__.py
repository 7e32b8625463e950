"""Many rows at once: the conversions as operations on Arrow arrays."""
