"""How a verbose table is built: which of its lines are headers, data, totals, notes."""

from sculpt.inference.frame.search import find_frame as find_frame
