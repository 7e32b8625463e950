"""Short names: a letter for each region, a number and spreadsheet letters for each column.

Invariant: `column_number` is the inverse of `column_letters`. A region has the same letter in every
picture of a schema: it depends only on its number in the view.
"""

from __future__ import annotations

import re

_REGIONS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_COLUMNS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_COLUMN = re.compile(r"[A-Za-z]{1,6}")


def region_letter(number: int) -> str:
    """The letter of a region, by its number in the view from 0; a number if letters run out."""
    return _REGIONS[number] if number < len(_REGIONS) else str(number + 1)


def joined_letters(letters: list[str], most: int) -> str:
    """The letters of a cell, as many of them as fit, and how many more there are."""
    joined = letters[0] if letters else ""
    for shown, letter in enumerate(letters[1:], 1):
        # A number needs something between it and its neighbours.
        comma = "," if len(letter) > 1 or len(letters[shown - 1]) > 1 else ""
        rest = f"+{len(letters) - shown}"
        is_last = shown == len(letters) - 1
        if len(joined + comma + letter) + (0 if is_last else len(rest)) > most:
            return joined + rest
        joined += comma + letter
    return joined


def column_letters(column: int) -> str:
    """The name of a column in a spreadsheet: A for 1, Z for 26, AA for 27."""
    letters = ""
    while column > 0:
        column, digit = divmod(column - 1, len(_COLUMNS))
        letters = _COLUMNS[digit] + letters
    return letters


def column_number(text: str) -> int | None:
    """The number of a column, written as one or in the letters of a spreadsheet."""
    if text.isascii() and text.isdecimal():
        return int(text) if len(text) < 16 else None
    if not _COLUMN.fullmatch(text):
        return None
    number = 0
    for letter in text.upper():
        number = number * len(_COLUMNS) + _COLUMNS.index(letter) + 1
    return number


def column_title(column: int) -> str:
    """The head of a column: its number and its letters."""
    return f"{column} {column_letters(column)}"
