"""The heading of a table: how many rows it has, and the texts of its cells.

In: the rules of a schema about single rows at the top. Out: a `Header`. Invariant: a heading is
what the content of such a rule reads in that column, if it can only be one of a few texts. Cost: one
pass over the rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sculpt.core import ir
from sculpt.interchange.export.alternatives import Vocabulary
from sculpt.interchange.export.atoms import Word
from sculpt.interchange.export.contents import each_cell, fixed_cells, has_types
from sculpt.interchange.export.formulas import FALSE, TRUE, conjunction
from sculpt.interchange.export.grid import Cell, Places, Region, extent
from sculpt.values import frozen


@frozen
class HeaderRule:
    """A rule about one row at the top: what it says of each cell."""

    rule: ir.CoreRule
    row: int
    cells: Mapping[int, ir.Formula]
    """By column."""
    width: int | None
    """How many cells the row has, if the rule is about all of them."""


@frozen
class Header:
    """What is known about the rows before the data."""

    rows: int
    heading_row: int | None
    headings: Mapping[int, tuple[str, ...]]
    """By column: the texts that the heading may have."""
    width: int
    rules: Mapping[int, str]
    """The numbers of the rules that it is made of, and why one is not expressed, if so."""

    @property
    def places(self) -> dict[str, list[Cell]]:
        """Where each text of a heading is."""
        found: dict[str, list[Cell]] = {}
        for column, texts in self.headings.items():
            for text in texts:
                found.setdefault(text, []).append((self.heading_row or 1, column))
        return found


def size_of(selectors: Iterable[ir.Selector]) -> Cell:
    """The last row and column that some selectors mention."""
    found = [extent(selector) for selector in selectors]
    return max((r for r, _ in found), default=0), max((c for _, c in found), default=0)


def header_of(rules: tuple[ir.CoreRule, ...], vocabulary: Vocabulary) -> Header:
    """The header that some rules describe."""
    rows, columns = size_of(rule.selector for rule in rules)
    places = Places(columns, rows, {})
    found: list[HeaderRule] = []
    reasons: dict[int, str] = {}
    for rule in rules:
        region = places.region(rule.selector)
        if region is None or region.tail or region.beyond or not region.above:
            continue
        known = _header_rule(rule, region)
        if isinstance(known, str):
            reasons[rule.number] = known
        else:
            found.append(known)
    texts = {id(each): _texts(each, vocabulary) for each in found}
    best = max(found, key=lambda each: len(texts[id(each)]), default=None)
    heading_row = best.row if best is not None and texts[id(best)] else None
    headings: dict[int, tuple[str, ...]] = {}
    for each in found:
        if each.row != heading_row:
            reasons[each.rule.number] = "only one row of headings has a counterpart"
            if not any(_says_something(formula, vocabulary) for formula in each.cells.values()):
                reasons[each.rule.number] = ""
            continue
        own = texts[id(each)]
        open_cells = [
            column
            for column, formula in each.cells.items()
            if column not in own and _says_something(formula, vocabulary)
        ]
        reasons[each.rule.number] = (
            f"the heading of column {open_cells[0]} is not one of a few texts" if open_cells else ""
        )
        headings |= {column: own[column] for column in own if column not in headings}
    last = max((each.row for each in found), default=0)
    width = max((each.width or 0 for each in found), default=0)
    width = max(width, max(headings, default=0))
    return Header(last, heading_row, headings, width, reasons)


def _header_rule(rule: ir.CoreRule, region: Region) -> HeaderRule | str:
    if len(region.above) != 1 or rule.arrow not in ("->", "=>"):
        return "it is about single rows, and not about one row of headings"
    if has_types(rule.content):
        return "headings that are read as token types have no counterpart"
    ((row, selected),) = region.above.items()
    if any(formula != TRUE for formula in selected.values()):
        return "it is about some of the headings only, which depends on their texts"
    cells = fixed_cells(rule.content)
    is_whole = region.start > row and _is_row(region, row)
    if cells is None or (not is_whole and len(cells) != len(selected)):
        spread = each_cell(rule.content, max(len(selected), 1))
        if spread is None:
            return "the number of headings is not fixed"
        return HeaderRule(rule, row, dict(zip(selected, spread, strict=False)), None)
    columns = range(1, len(cells) + 1) if is_whole else list(selected)
    return HeaderRule(
        rule, row, dict(zip(columns, cells, strict=True)), len(cells) if is_whole else None
    )


def _is_row(region: Region, row: int) -> bool:
    """Is the whole row selected?"""
    return row in region.whole


def _texts(known: HeaderRule, vocabulary: Vocabulary) -> dict[int, tuple[str, ...]]:
    """The texts of the headings, by column."""
    found: dict[int, tuple[str, ...]] = {}
    for column, formula in known.cells.items():
        alternatives = vocabulary.alternatives(formula) or ()
        words = [
            sign.atom.text
            for each in alternatives
            for sign in each
            if isinstance(sign.atom, Word) and sign.holds
        ]
        if words and len(words) == len(alternatives) and all(words):
            found[column] = tuple(words)
    return found


def _says_something(formula: ir.Formula, vocabulary: Vocabulary) -> bool:
    """Is there a text that it does not allow?"""
    if conjunction([formula]) == FALSE:
        return True
    return vocabulary.alternatives(formula) != (frozenset(),)
