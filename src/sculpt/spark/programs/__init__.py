"""Programs on Spark: records made where the bytes are read."""
