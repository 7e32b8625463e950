"""The cells of regions, strip by strip, and their texts: what programs and exports read."""
