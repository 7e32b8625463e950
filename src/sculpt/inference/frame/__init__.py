"""How a verbose table is built: which of its lines are headers, data, totals, notes."""
