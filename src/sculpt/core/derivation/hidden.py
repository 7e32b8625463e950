"""Hidden tokens: the parts of derived tokens, each added to the table when a formula needs it.

In: expressions, conditions, lists, formulas. Out: formulas that mention hidden tokens, and the
table of tokens with those that are needed.

Invariant: a token comes after those that it is made of. The names of hidden tokens begin with a
character that no name begins with: `/` for expressions, `(` for conditions, `[` for lists, `{` for
formulas; equal parts have equal names, so they are one token. Cost: a language for each distinct
condition that is needed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from sculpt.core import ir
from sculpt.core.datatypes.model import Condition
from sculpt.core.derivation.branches import Counted
from sculpt.core.derivation.conditions import condition_name, condition_token
from sculpt.core.dialect import Delimiter
from sculpt.syntax.names import quote
from sculpt.syntax.regular import CharSet, Letter, Nothing, Regular, Repeat, letters

WHITE_SPACE = Delimiter(r"\s+", Repeat(Letter(CharSet.chars(" \t\n\r")), 1, None))

UNDIVIDED = Delimiter("")
"""What is between the items of a text that is one item as a whole: nothing ever is."""


class HiddenTokens:
    """Names the parts of derived tokens, and makes tokens of them."""

    def __init__(self, table: dict[str, ir.CoreToken]) -> None:
        self._table = table
        self._makers: dict[str, Callable[[], ir.CoreToken]] = {}

    def pattern(self, text: str, pattern: Regular[CharSet]) -> ir.Formula:
        """The texts of an expression."""
        name = f"/{text}/"
        self._makers.setdefault(name, lambda: ir.CoreToken(name, pattern, hidden=True))
        return ir.Has(name)

    def part(self, name: str, formula: ir.Formula) -> ir.Has:
        """A formula as a token of its own; a token stands for itself."""
        if isinstance(formula, ir.Has):
            return formula
        name = f"{{{name}}}"
        self._makers.setdefault(
            name, lambda: ir.CoreToken(name, Nothing(), formula=formula, hidden=True)
        )
        return ir.Has(name)

    def condition(self, condition: Condition) -> ir.Formula:
        """The texts for which a condition holds."""
        name = condition_name(condition)
        self._makers.setdefault(name, lambda: condition_token(name, condition))
        return ir.Has(name)

    def list_of(self, known: Counted) -> ir.Formula:
        """The texts that are lists."""
        count = f"{known.low},{'' if known.high is None else known.high}"
        separator = "" if known.delimiter is WHITE_SPACE else f", {quote(known.delimiter.text)}"
        name = f"[{known.item}{separator}]{{{count}}}"
        content = Repeat(Letter(ir.Symbol(known.item)), known.low, known.high)
        items = ir.CoreList(content, known.delimiter)
        self._makers.setdefault(
            name, lambda: ir.CoreToken(name, Nothing(), hidden=True, items=items)
        )
        return ir.Has(name)

    def add(self, formula: ir.Formula) -> None:
        """Add the tokens that a formula needs; raises `ConditionError`."""
        made: dict[str, ir.CoreToken] = {}
        todo = mentioned(formula)[::-1]
        while todo:
            name = todo[-1]
            if name in self._table:
                todo.pop()
                continue
            if name not in made:
                made[name] = self._makers[name]()
            needed = [each for each in needed_by(made[name]) if each not in self._table]
            todo += needed
            if not needed:
                self._table[todo.pop()] = made[name]


def mentioned(formula: ir.Formula) -> list[str]:
    """The tokens that a formula mentions, each once, in order."""
    match formula:
        case ir.Has(name):
            return [name]
        case ir.Lacks(part):
            return mentioned(part)
        case ir.Both(parts) | ir.Either(parts):
            return list(dict.fromkeys(name for part in parts for name in mentioned(part)))
        case _:
            assert_never(formula)


def needed_by(token: ir.CoreToken) -> list[str]:
    """The tokens that a token is made of."""
    if token.formula is not None:
        return mentioned(token.formula)
    if token.items is not None:
        return list(dict.fromkeys(each.symbol.name for each in letters(token.items.content)))
    return []
