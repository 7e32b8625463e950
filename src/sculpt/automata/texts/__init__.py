"""The texts of cells: which tokens match them."""
