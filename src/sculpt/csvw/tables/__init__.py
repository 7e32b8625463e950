"""Tables of CSVW as rows: dialects, headers, templates, the plan of a conversion."""
