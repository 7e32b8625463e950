"""Documents that conversions write: what is around the rows."""
