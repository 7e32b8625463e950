"""The words of a rule in a file, and which letters of its content read their cells.

In: a schema, a rule, a file. Out: words of elements (`align`). Invariant: the region is that of the
engine, and texts are matched as its messages do. Cost: a pass over the file for the
region, and one for each letter; items of lists are matched one by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from sculpt.api import select_cells
from sculpt.core import ir
from sculpt.diagnostics import Source, Span
from sculpt.engines.messages.text_tokens import TextTokens
from sculpt.inference.update.align import Element
from sculpt.inference.update.places import Spot
from sculpt.schema import Schema
from sculpt.syntax import ast
from sculpt.syntax.printer import print_selector
from sculpt.tabular.grid import list_splitter

Place = tuple[int, int]


class Reader:
    """Reads the cells of one file with the tokens of one schema."""

    def __init__(self, schema: Schema, path: str) -> None:
        self.schema, self.path = schema, path
        self.tokens = dict(schema.core.tokens)
        self._texts = TextTokens(self.tokens)
        self._regions: dict[str, frozenset[Place]] = {}

    def cells(self, selector: ast.Selector) -> list[tuple[Place, str | None]]:
        """The cells of a selector with their texts, in table order."""
        text = print_selector(selector)
        found = select_cells(self.schema, self.path, text, "local", with_texts=True)
        return list(zip(found.cells, found.texts or (), strict=True))

    def words(
        self, rule: ast.Rule, core: ir.CoreRule, letters: Sequence[Spot]
    ) -> list[list[Element]]:
        """The words of a rule."""
        cells = self.cells(rule.selector)
        is_item = rule.arrow == ".>"
        match rule.arrow:
            case "->":
                groups = [list(group) for _, group in groupby(cells, key=lambda each: each[0][0])]
            case "|>":
                cells.sort(key=lambda each: (each[0][1], each[0][0]))
                groups = [list(group) for _, group in groupby(cells, key=lambda each: each[0][1])]
            case "=>":
                groups = [cells]
            case ".>":
                split = list_splitter(core.list_delim)
                groups = [
                    [(place, item) for item in split(text)] if text else [] for place, text in cells
                ]
        return [
            [self.element(place, text, letters, is_item) for place, text in each] for each in groups
        ]

    def element(
        self, place: Place, text: str | None, letters: Sequence[Spot], is_item: bool
    ) -> Element:
        """A cell, and the letters that read it."""
        reads = frozenset(
            each.number for each in letters if self.reads(each.symbol, place, text, is_item)
        )
        optional = text is None and not self.schema.core.dialect.strict_padding
        return Element(reads, ((*place, text),), optional)

    def reads(
        self, symbol: ast.Name | ast.Literal, place: Place, text: str | None, is_item: bool
    ) -> bool:
        """Can a cell be read as a symbol?"""
        if isinstance(symbol, ast.Literal):
            return text == symbol.text
        name = symbol.name
        token = self.tokens.get(name)
        if token is not None and text is None:
            strict = self.schema.core.dialect.strict_padding
            return token.is_missing if strict else token.reads_padding
        if token is not None and token.literal is not None:
            return text == token.literal
        if token is not None and is_item:
            return text is not None and name in self._texts.matching(text)
        if name not in self._regions:
            self._regions[name] = frozenset(each for each, _ in self.cells(symbol))
        return place in self._regions[name]

    def known(self, name: str) -> Iterator[str]:
        """The distinct texts of the file that a token matches."""
        found = (text for _, text in self.cells(_name(name)) if text)
        yield from dict.fromkeys(found)


def _name(name: str) -> ast.Name:
    return ast.Name(name, span=Span(Source("", name), 0, len(name)))
