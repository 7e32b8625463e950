"""Which derived tokens match padded cells, the cells that a short row lacks.

In: derived tokens, each after those that it uses. Out: the same tokens with what they do with
padding. A padded cell has no text. It matches a derived token only where `Missing` or `Null` is
named in it, itself or through other derived tokens, and the formula is then true of it. So
`not Date` does not match padding, nor does `Empty or Date`; `not Date or Missing` does.

With strict padding a rule reads padded cells as `Missing` only, so there only `Missing` counts.
Cost: linear in the formula.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import assert_never

from sculpt.core import ir
from sculpt.values import replace


class Padding:
    """Remembers in which tokens a padded cell is named."""

    def __init__(self, tokens: Mapping[str, ir.CoreToken]) -> None:
        self._tokens = tokens
        self._naming: set[str] = set()
        self._naming_missing: set[str] = set()

    def with_padding(self, token: ir.CoreToken, used: Iterable[str]) -> ir.CoreToken:
        """The token with its answers about padding; `used` are the tokens that it names."""
        assert token.formula is not None
        names = [name for name in used if name in self._tokens]
        plain = [self._tokens[name] for name in names if self._tokens[name].formula is None]
        if any(each.matches_padding for each in plain) or not self._naming.isdisjoint(names):
            self._naming.add(token.name)
        if any(each.is_missing for each in plain) or not self._naming_missing.isdisjoint(names):
            self._naming_missing.add(token.name)
        matches = token.name in self._naming and self._holds(
            token.formula, lambda each: each.matches_padding
        )
        is_missing = token.name in self._naming_missing and self._holds(
            token.formula, lambda each: each.is_missing
        )
        return replace(token, matches_padding=matches, reads_padding=matches, is_missing=is_missing)

    def _holds(self, formula: ir.Formula, matches: Callable[[ir.CoreToken], bool]) -> bool:
        """Is the formula true of a padded cell?"""
        match formula:
            case ir.Has(name):
                token = self._tokens[name]
                if token.hidden and token.formula is not None:
                    return self._holds(token.formula, matches)
                return matches(token)
            case ir.Lacks(part):
                return not self._holds(part, matches)
            case ir.Both(parts):
                return all(self._holds(part, matches) for part in parts)
            case ir.Either(parts):
                return any(self._holds(part, matches) for part in parts)
            case _:
                assert_never(formula)
