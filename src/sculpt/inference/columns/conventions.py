"""How a file writes numbers: is `1.000` one, or one thousand?

In: the texts of columns. Out: the decimal mark, if columns show it and none shows another one.
`1.234,50` shows it, and so do `0,75` and `1.234.567`; `1.000` does not. Invariant: the order of the
columns does not matter. Cost: a match or two for each text.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

_MARKS = ".,"
_AFFIX = re.compile(r"[-+()$£€¥%\s]+")
_OPEN = re.compile(r"[1-9][0-9]{0,2}[.,][0-9]{3}")
_NUMERIC = re.compile(r"[0-9][0-9.,' \u00a0\u202f]*|[.,][0-9]+")
_LEAST = 0.9
"""The least share of numbers in a column that shows how they are written."""


def is_open(text: str) -> bool:
    """Can a number be read in two ways?"""
    return _OPEN.fullmatch(_bare(text)) is not None


def decimal_mark(columns: Iterable[Collection[str]]) -> str:
    """The decimal mark that all columns of numbers share, as far as they show one."""
    shown: set[str] = set()
    for texts in columns:
        numbers = [bare for text in texts if _NUMERIC.fullmatch(bare := _bare(text))]
        if numbers and len(numbers) >= _LEAST * len(texts):
            shown.update(filter(None, map(_mark_in, numbers)))
            shown.update("." if _has_groups(numbers) else ())
    return shown.pop() if len(shown) == 1 else ""


def _has_groups(numbers: Collection[str]) -> bool:
    """Can the commas in a column not be decimal marks?

    Where decimals are filled up with zeros, no number is without them; and where zeros are left
    out, none ends in one.
    """
    grouped = [each for each in numbers if "," in each and _OPEN.fullmatch(each)]
    return any(map(str.isdigit, numbers)) and any(each.endswith("0") for each in grouped)


def _bare(text: str) -> str:
    """A number without its sign, its currency, its unit."""
    return _AFFIX.sub("", text)


def _mark_in(number: str) -> str:
    """The decimal mark that a number shows; empty if it shows none."""
    if _OPEN.fullmatch(number):
        return ""
    found = [char for char in number if char in _MARKS]
    if not found:
        return ""
    last, other = found[-1], _MARKS.replace(found[-1], "")
    if found.count(last) == 1:
        return last
    return other if len(set(found)) == 1 and re.fullmatch(_GROUPED[last], number) else ""


_GROUPED = {mark: rf"[0-9]{{1,3}}(?:{re.escape(mark)}[0-9]{{3}})+" for mark in _MARKS}
