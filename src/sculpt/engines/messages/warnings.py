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
) -> Iterator[Warning]:
    """Rules that select nothing, and texts in selectors that match no cell."""
    if not constrained and all(rule.number in empty_rules for rule in schema.rules):
        yield Warning("nothing-checked", None, None, _nothing_checked(schema))
    texts: dict[str, tuple[int, int]] | None = None
    for rule in schema.rules:
        literals = [n for n in tokens_of(rule.selector) if schema.tokens[n].literal is not None]
        empty = [name for name in literals if name not in carried]
        missing = " and ".join(f"`{name}`" for name in empty)
        verb = "matches" if len(empty) == 1 else "match"
        if rule.number in empty_rules:
            if texts is None:
                texts = _first_texts(first_rows())
            bare = [name for name in empty if schema.tokens[name].is_bare]
            meant = (place_meant(name, rule.text) for name in bare)
            near = next(
                (f"did you mean `{place}`?" for place in meant if place is not None), None
            ) or _near_cell([schema.tokens[name].literal or "" for name in empty], texts)
            hint = f"{missing} {verb} no cell; {near}" if empty else None
            message = f"rule {rule.number} selects nothing: {rule.text}"
            yield Warning("vacuous-rule", rule.number, rule.line, message, hint)
        elif empty:
            message = f"{missing} {verb} no cell: {rule.text}"
            yield Warning("unmatched-literal", rule.number, rule.line, message)


def _nothing_checked(schema: ir.CoreSchema) -> str:
    """Why nothing was checked. A `=>` rule is checked even if it selects no cell."""
    if not schema.rules and not schema.uniques:
        return "no cell was checked: the schema has no rules"
    kinds = (("rule", schema.rules), ("constraint", schema.uniques))
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
