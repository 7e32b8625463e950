"""The names of the functions of programs.

A function of `FUNCTIONS` gives a value, one of `TESTS` is a condition. Only the names of
`RESERVED` cannot be those of variables and values: the others came later, and a call of them has a
parenthesis after it, which a variable never has.
"""

from __future__ import annotations

from typing import Literal as OneOf
from typing import TypeAlias

TestName: TypeAlias = OneOf["contains", "starts", "ends"]

AGGREGATES = ("Average", "Sum", "Count", "Min", "Max", "Median")
_FIRST = ("trim", "replace", "upper", "lower", "split", "capture", "map", "iri")
_TERMS = ("concat", "percent-encode", "blank", "lang", "literal")
ABOUT_FILES = ("checksum", "count-files", "file-size")
"""The functions that look at files."""
FUNCTIONS = (*_FIRST, "length", "stem", "percent-decode", *_TERMS, *ABOUT_FILES)
ONLY = "Only"
FIND = "find"
TESTS: tuple[TestName, ...] = ("contains", "starts", "ends")
RESERVED = (*AGGREGATES, *_FIRST)
