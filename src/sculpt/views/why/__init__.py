"""Why a cell is in a region or not, and what the content of a rule expected there."""
