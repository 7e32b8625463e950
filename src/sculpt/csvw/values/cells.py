"""Cells of CSVW: the text of a cell, normalised, split and read.

In: a column. Out: a `CellReader`, from the text of a cell to a `Cell`: the values, or none if the
cell is null, and what is wrong ("Model for Tabular Data and Metadata on the Web", 6.4). The steps:
white space by datatype, the default for an empty text, the separator, nulls, the datatype.

Invariant: a cell depends on nothing but its text, so equal texts of a column are read once. Cost:
linear in the text.
"""

from __future__ import annotations

import re

from sculpt.csvw.values.datatypes import FREE, Lexicon, Value, lexicon_of
from sculpt.interchange.csvw.model import Column
from sculpt.values import frozen

_BREAKS = re.compile(r"[\t\r\n]")
_BLANKS = re.compile(r" +")


@frozen
class Cell:
    """What a cell is worth."""

    values: tuple[Value, ...] | None
    """`None`: null. The values of a list, or one."""
    is_list: bool = False
    errors: tuple[str, ...] = ()

    @property
    def is_null(self) -> bool:
        """Has it no value? An empty list has none, either."""
        return not self.values


@frozen
class CellReader:
    """Reads the cells of a column."""

    column: Column
    lexicon: Lexicon

    @classmethod
    def of(cls, column: Column) -> CellReader:
        """The reader of a column."""
        return cls(column, lexicon_of(column.datatype))

    def read(self, text: str) -> Cell:
        """The values of a text."""
        column = self.column
        text = self._normalised(text)
        if not text:
            text = self._normalised(column.default)
        if column.separator is None:
            return self._single(text)
        if not text:
            return Cell((), True, self._missing())
        if text in column.null:
            return Cell(None, True, self._missing())
        parts = text.split(column.separator) if column.separator else [text]
        if column.datatype.base not in ("string", "anyAtomicType"):
            parts = [part.strip(" \t\r\n") for part in parts]
        return self._list(parts)

    def _single(self, text: str) -> Cell:
        if text in self.column.null:
            return Cell(None, False, self._missing())
        value = self.lexicon.read(text)
        return Cell((value,), False, () if value.error is None else (value.error,))

    def _list(self, parts: list[str]) -> Cell:
        column = self.column
        values: list[Value] = []
        for part in parts:
            part = part or column.default
            if part not in column.null:
                values.append(self.lexicon.read(part))
        errors = tuple(value.error for value in values if value.error is not None)
        return Cell(tuple(values), True, errors)

    def _missing(self) -> tuple[str, ...]:
        if not self.column.required or self.column.virtual:
            return ()
        return ("the cell is empty, and the column requires a value",)

    def _normalised(self, text: str) -> str:
        base = self.column.datatype.base
        if base in FREE:
            return text
        text = _BREAKS.sub(" ", text)
        return text if base == "normalizedString" else _BLANKS.sub(" ", text).strip(" ")

    @property
    def kept(self) -> str | None:
        """An RE2 expression: these texts need not be read; see `Lexicon.kept`."""
        return None if self.column.separator is not None else self.lexicon.kept
