"""The values of CSVW cells: from the text of a cell to what it is worth."""
