"""Syntax tree to core: the schema as the paper's section 3 has it, and facts about it."""
