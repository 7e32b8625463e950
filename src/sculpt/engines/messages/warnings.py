"""Warnings about schema and data together: rules that select nothing, texts that match no cell.

In: the rules that have selected nothing, whether a constraint has selected a cell, and the tokens
that cells carry. Out: `Warning`s, with the cell that is most similar. Cost: the first rows of the
table are read, if there is a warning.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator

from sculpt.core import ir
from sculpt.core.spreadsheet import place_meant
from sculpt.core.traversal import tokens_of
from sculpt.diagnostics import Suggestions
from sculpt.tabular.grid import Row
from sculpt.verdict import Warning

MAX_NEAR = 500
"""The most rows, cells per row, and texts that are searched for a similar one."""


def warnings_of(
    schema: ir.CoreSchema,
    empty_rules: Container[int],
    constrained: bool,
    carried: Container[str],
    first_rows: Callable[[], Iterable[Row]],
    idle_loops: Iterable[ir.CoreLoop] = (),
) -> Iterator[Warning]:
    """Rules and loops that select nothing, and texts in selectors that match no cell."""
    if not constrained and all(rule.number in empty_rules for rule in schema.rules):
        yield Warning("nothing-checked", None, None, _nothing_checked(schema))
    words = _Words(schema, carried, first_rows)
    for rule in schema.rules:
        if rule.ending.origin is not None:
            continue  # it was written for all tables that it may ever be about
        if rule.number in empty_rules:
            message = f"rule {rule.number} selects nothing: {rule.text}"
            hint = words.hint(rule.selector, rule.text)
            yield Warning("vacuous-rule", rule.number, rule.line, message, hint)
        elif missing := words.missing(rule.selector):
            message = f"{words.said(missing)}: {rule.text}"
            yield Warning("unmatched-literal", rule.number, rule.line, message)
    for loop in idle_loops:
        message = f"a loop selects nothing: {loop.text}"
        yield Warning(
            "vacuous-loop", None, loop.line, message, words.hint(loop.selector, loop.text)
        )


class _Words:
    """What is said of selectors that select nothing; the first rows are read at most once."""

    def __init__(
        self,
        schema: ir.CoreSchema,
        carried: Container[str],
        first_rows: Callable[[], Iterable[Row]],
    ) -> None:
        self._tokens = schema.tokens
        self._carried = carried
        self._first_rows = first_rows
        self._texts: dict[str, tuple[int, int]] | None = None

    def missing(self, selector: ir.Selector) -> list[str]:
        """The texts of a selector that match no cell."""
        literals = [n for n in tokens_of(selector) if self._tokens[n].literal is not None]
        return [name for name in literals if name not in self._carried]

    def said(self, missing: list[str]) -> str:
        """That some texts match no cell."""
        verb = "matches" if len(missing) == 1 else "match"
        return f"{' and '.join(f'`{name}`' for name in missing)} {verb} no cell"

    def hint(self, selector: ir.Selector, text: str) -> str | None:
        """What to do about a selector that selects nothing."""
        if self._texts is None:
            self._texts = _first_texts(self._first_rows())
        missing = self.missing(selector)
        if not missing:
            return None
        meant = (place_meant(name, text) for name in missing if self._tokens[name].is_bare)
        near = next(
            (f"did you mean `{place}`?" for place in meant if place is not None), None
        ) or _near_cell([self._tokens[name].literal or "" for name in missing], self._texts)
        return f"{self.said(missing)}; {near}"


def _nothing_checked(schema: ir.CoreSchema) -> str:
    """Why nothing was checked. A `=>` rule is checked even if it selects no cell."""
    constraints = (*schema.uniques, *schema.keys, *schema.references)
    if not schema.rules and not constraints:
        return "no cell was checked: the schema has no rules"
    kinds = (("rule", schema.rules), ("constraint", constraints))
    nouns = " and no ".join(noun for noun, statements in kinds if statements)
    return f"no cell was checked: no {nouns} selects any"


def _first_texts(rows: Iterable[Row]) -> dict[str, tuple[int, int]]:
    """The first distinct texts of the table, and their places."""
    texts: dict[str, tuple[int, int]] = {}
    for row_ix, row in zip(range(MAX_NEAR), rows, strict=False):
        for col_ix, cell in enumerate(row.cells[:MAX_NEAR]):
            texts.setdefault(cell.text, (row_ix + 1, col_ix + 1))
        if len(texts) > MAX_NEAR:
            break
    return texts


def _near_cell(literals: list[str], texts: dict[str, tuple[int, int]]) -> str:
    """The place of a cell that is similar to one of the texts; if there is none, advice."""
    if not texts:
        return "the table is empty"
    suggestions = Suggestions(texts)
    for literal in literals:
        near = suggestions.closest(literal)
        if near is not None:
            row, column = texts[near]
            return f"`{near}` at ({row},{column}) is similar"
    return "are the delimiter and the encoding right?"
