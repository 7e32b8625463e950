"""Fields to tokens, rules and keys: types, formats, missing values, constraints."""
