"""What columns are in other systems: Data Packages, CSVW, CSV Schema."""
