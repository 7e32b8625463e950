"""Short names: a letter for each region, a number and spreadsheet letters for each column.

Invariant: a region has the same letter in every picture of a schema: it depends only on its number
in the view.
"""

from __future__ import annotations

import re

from sculpt.core.spreadsheet import column_letters, column_number

_REGIONS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_COLUMN = re.compile(r"[A-Za-z]{1,6}")


def region_letter(number: int) -> str:
    """The letter of a region, by its number in the view from 0; a number if letters run out."""
    return _REGIONS[number] if number < len(_REGIONS) else str(number + 1)


def joined_letters(letters: list[str], failing: set[str], most: int) -> list[tuple[str, bool]]:
    """The letters of a cell, each with whether its rule fails there.

    If not all fit into `most` columns, those that fail come first, and the last entry says how many
    are left out. A number has a comma between it and its neighbours.
    """
    whole = _with_commas([(letter, letter in failing) for letter in letters])
    if _size(whole) <= most:
        return whole
    ordered = sorted(letters, key=lambda letter: letter not in failing)
    for count in range(min(len(letters), most), 0, -1):
        some = _with_commas([(letter, letter in failing) for letter in ordered[:count]])
        some.append((f"+{len(letters) - count}", False))
        if _size(some) <= most:
            return some
    return [(f"+{len(letters)}", bool(failing & {*letters}))]


def _with_commas(letters: list[tuple[str, bool]]) -> list[tuple[str, bool]]:
    pairs = zip([("", False), *letters], letters, strict=False)
    return [
        ("," + letter if before and max(len(before), len(letter)) > 1 else letter, fails)
        for (before, _), (letter, fails) in pairs
    ]


def _size(letters: list[tuple[str, bool]]) -> int:
    return sum(len(letter) + fails for letter, fails in letters)


def written_column(text: str) -> int | None:
    """The number of a column, written as one or in the letters of a spreadsheet."""
    if text.isascii() and text.isdecimal():
        return int(text) if len(text) < 16 else None
    if not _COLUMN.fullmatch(text):
        return None
    return column_number(text.upper())


def column_title(column: int) -> str:
    """The head of a column: its number and its letters."""
    return f"{column} {column_letters(column)}"
