"""Rows, columns and places as they are written in a call: `1-40`, `5-`, `B-E`, `12,3`.

In: the value of an option. Out: numbers, 1-based; a `UsageError` with one sentence if it is wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from sculpt.errors import UsageError
from sculpt.views.model import Place
from sculpt.views.terminal.names import written_column

Range: TypeAlias = tuple[int, int | None]
"""The first and the last; `None` for the last of the table."""


def read_rows(text: str) -> Range:
    """Some rows."""
    return _range("--rows", text, _row, "`1-40`, `7` or `100-`")


def read_columns(text: str) -> Range:
    """Some columns, by number or by the letters of a spreadsheet."""
    return _range("--columns", text, written_column, "`2-5`, `B-E`, `7` or `30-`")


def read_place(text: str, name: str = "--around") -> Place:
    """The place of a cell; `name` is the option or argument that has it."""
    row, comma, column = text.strip().removeprefix("(").removesuffix(")").partition(",")
    numbers = _row(row.strip()), written_column(column.strip())
    if not comma or not numbers[0] or not numbers[1]:
        raise _wrong(name, "a row and a column such as `12,3`, from 1", text)
    return numbers[0], numbers[1]


def _row(text: str) -> int | None:
    is_number = text.isascii() and text.isdecimal() and len(text) < 16
    return int(text) if is_number else None


def _range(option: str, text: str, read: Callable[[str], int | None], example: str) -> Range:
    before, dash, after = text.strip().partition("-")
    first = read(before.strip())
    is_open = bool(dash) and not after.strip()
    last = None if is_open else read(after.strip()) if dash else first
    if not first or not (is_open or last):
        raise _wrong(option, f"a range such as {example}, from 1", text)
    if last is not None and last < first:
        raise UsageError(f"`{option} {text}`: the first comes after the last")
    return first, last


def _wrong(option: str, expected: str, found: str) -> UsageError:
    return UsageError(f"`{option}` must be {expected}, not `{found}`")
