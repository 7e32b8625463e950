"""The content of a column: the tightest form that its other cells can be expected to have too."""
