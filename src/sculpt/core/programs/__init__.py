"""Programs in core form, and how they get there."""
