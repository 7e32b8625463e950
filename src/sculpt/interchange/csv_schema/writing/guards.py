"""Conditions about a row as selectors: which cells of a column a key is about.

In: an expression that must hold in a row, or must not. Out: a selector that keeps the cells of a
column in such rows: `right+(Kind and "book")` is what is right of a cell `book` in the column.

Invariant: the selector looks at no other row, so keys stream. Cost: linear in the expression.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from sculpt.interchange.csv_schema.model import (
    Both,
    Choice,
    Either,
    Expression,
    Group,
    Single,
)
from sculpt.interchange.csv_schema.writing.texts import Untranslatable
from sculpt.interchange.csv_schema.writing.tokens import TokenWriter, is_regular, is_regular_check
from sculpt.values import frozen


@frozen
class Guard:
    """A condition that must hold, or must not."""

    condition: Expression
    holds: bool


class GuardWriter:
    """Writes guards of one column's cells; `home` is the column that the conditions are about."""

    def __init__(
        self, tokens: TokenWriter, regions: Mapping[str, str], own: str, home: str
    ) -> None:
        self.tokens = tokens
        self.regions = regions
        self.places = {name: number for number, name in enumerate(regions)}
        self.own = own
        self.home = home

    def selector(self, guard: Guard) -> str:
        """A guard as a part of a conjunction."""
        inner = self._inner(guard.condition)
        return inner if guard.holds else f"not {inner}"

    def _inner(self, expression: Expression) -> str:
        if is_regular(expression):
            token = self.tokens.name(self.tokens.token(expression))
            return self._in_row(self.home, token)
        match expression:
            case Single(check, context):
                if not is_regular_check(check):
                    message = "`unique` under a condition about several cells or files"
                    raise Untranslatable(message, "write `unique` as an expression of its own")
                column = self.home if context is None else context.name
                return self._in_row(column, self.tokens.name(self.tokens.check(check)))
            case Both(parts) | Group(parts):
                return f"({' and '.join(self._inner(part) for part in parts)})"
            case Either(parts):
                return f"({' or '.join(self._inner(part) for part in parts)})"
            case Choice():
                raise Untranslatable("`unique` under a condition with an `if`")
        assert_never(expression)

    def _in_row(self, column: str, token: str) -> str:
        """The cells of the key's column in whose row another cell matches a token."""
        if column == self.own:
            return token
        step = "right" if self.places[column] < self.places[self.own] else "left"
        return f"{step}+({self.regions[column]} and {token})"
