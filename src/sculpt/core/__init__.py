"""Syntax tree to core: the schema in the form of the paper's section 3, and facts about it."""
