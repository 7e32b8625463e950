"""Places as spreadsheets name them, in the words of Sculpt: for hints.

In: an undeclared name, such as `B2:B10`, and the statement that it is in. Out: the selector that
was probably meant. Here such a name is only a text: columns have numbers, and the last row is the
one without a row below.
"""

from __future__ import annotations

import re

_CELLS = re.compile(r"([A-Z]{1,3})([1-9][0-9]{0,6})(?::([A-Z]{1,3})([1-9][0-9]{0,6}))?")
_COLUMN = re.compile("[A-Z]{1,2}")
_LAST = {"row": "not exists(down)", "col": "not exists(right)"}
_ENDS = ("last", "end")


def column_number(letters: str) -> int:
    """The number of a column: 1 for A, 27 for AA."""
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number


def column_letters(number: int) -> str:
    """The letters of a column: A for 1, AA for 27."""
    letters = ""
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def place_meant(name: str, statement: str) -> str | None:
    """The selector for a name that is a place in a spreadsheet; `None` if it is not one."""
    if cells := _CELLS.fullmatch(name):
        return _block_of(cells)
    for axis in ("row", "col"):
        if f"{axis}({name})" in statement:
            if name in _ENDS:
                return _LAST[axis]
            if axis == "col" and _COLUMN.fullmatch(name):
                return f"col({column_number(name)})"
    return None


def _block_of(cells: re.Match[str]) -> str:
    """`B2` or `B2:D10` as a selector."""
    column, row = column_number(cells[1]), int(cells[2])
    if cells[3] is None:
        return f"({row},{column})"
    other_column, other_row = column_number(cells[3]), int(cells[4])
    left, right = sorted((column, other_column))
    top, bottom = sorted((row, other_row))
    is_cell = (top, left) == (bottom, right)
    return f"({top},{left})" if is_cell else f"({top},{left})..({bottom},{right})"
