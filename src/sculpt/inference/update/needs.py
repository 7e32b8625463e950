"""What the content of a rule lacks for some files.

In: a schema, a rule that refuses a file, the files. Out: `Needs`: the cells that letters should
read, be left out for, or have before them. Invariant: the order of the files decides only which
cell is named first. Cost: a comparison (`align`) for each distinct word that is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sculpt.core import ir
from sculpt.inference.columns.learn import is_mark
from sculpt.inference.kinds import kind_of
from sculpt.inference.update.align import (
    Absent,
    Element,
    Extra,
    Op,
    Other,
    Places,
    changes,
    elements,
)
from sculpt.inference.update.model import Cell
from sculpt.inference.update.places import Spot, spots
from sculpt.inference.update.uses import Definition
from sculpt.inference.update.widen import texts_of, with_other_numbers
from sculpt.inference.update.words import Reader
from sculpt.syntax import ast
from sculpt.values import frozen

_MOST_WORDS = 400
_MOST_TEXTS = 1_000
_NOTHING = frozenset(("Empty", "Null", "Missing"))
_BROAD = frozenset(("Any", "Text", "String", "xs:string"))
"""Tokens that read nearly every cell: it says nothing about a cell that they do."""


@frozen
class Needs:
    """Cells by what has to become of a letter; the letter `None` is the end of the content."""

    rule: ast.Rule
    letters: tuple[Spot, ...]
    others: Mapping[int, tuple[tuple[Cell, frozenset[int]], ...]]
    """Cells that a letter has to read, each with the letters that read it elsewhere."""
    absent: Mapping[int, Cell]
    extra: Mapping[int | None, tuple[tuple[Cell, frozenset[int]], ...]]
    several: frozenset[int | None]
    """Where several further cells follow each other."""

    @property
    def is_empty(self) -> bool:
        """Was nothing found that would help?"""
        return not (self.others or self.absent or self.extra)


def needs_of(
    readers: Iterable[Reader],
    rule: ast.Rule,
    core: ir.CoreRule,
    free: Mapping[str, Definition],
) -> Needs:
    """What a rule needs to accept the files."""
    letters = spots(rule.content)
    places = Places(rule.content)
    others: dict[int, list[tuple[Cell, frozenset[int]]]] = {}
    absent: dict[int, Cell] = {}
    extra: dict[int | None, list[tuple[Cell, frozenset[int]]]] = {}
    several: set[int | None] = set()
    count = 0
    for reader in readers:
        fine: set[tuple[object, ...]] = set()
        for word in reader.words(rule, core, letters):
            signature = tuple((each.reads, each.is_optional) for each in word)
            if signature in fine or count >= _MOST_WORDS:
                continue
            pricer = _Pricer(letters, free, word)
            ops = changes(places, elements(word), pricer.price)
            if not ops:
                fine.add(signature)
                continue
            count += 1
            for op in ops:
                _note(op, reader.path, word, others, absent, extra, several)
    broad = frozenset(each.number for each in letters if _is_broad(each))
    return Needs(
        rule,
        letters,
        {letter: _precise(cells, broad) for letter, cells in others.items()},
        absent,
        {letter: _precise(cells, broad) for letter, cells in extra.items()},
        frozenset(several),
    )


def _is_broad(spot: Spot) -> bool:
    return isinstance(spot.symbol, ast.Name) and spot.symbol.name in _BROAD


def _precise(
    cells: Iterable[tuple[Cell, frozenset[int]]], broad: frozenset[int]
) -> tuple[tuple[Cell, frozenset[int]], ...]:
    """The first cell of each text, without the letters that read everything."""
    found: dict[str | None, tuple[Cell, frozenset[int]]] = {}
    for cell, reads in cells:
        if cell.text not in found:
            found[cell.text] = (cell, reads - broad)
            if len(found) >= _MOST_TEXTS:
                break
    return tuple(found.values())


def _note(
    op: Op,
    path: str,
    word: Sequence[Element],
    others: dict[int, list[tuple[Cell, frozenset[int]]]],
    absent: dict[int, Cell],
    extra: dict[int | None, list[tuple[Cell, frozenset[int]]]],
    several: set[int | None],
) -> None:
    match op:
        case Other(letter, element):
            others.setdefault(letter, []).extend(_cells(path, element))
        case Absent(letter, before):
            cell = Cell(path, None, None, None)
            if before is not None:
                cell = _cells(path, before)[0][0]
            elif word:
                row = word[-1].cells[-1][0]
                cell = Cell(path, row, word[-1].cells[-1][1], None)
            absent.setdefault(letter, cell)
        case Extra(letter_or_end, found):
            for element in found:
                extra.setdefault(letter_or_end, []).extend(_cells(path, element))
            if sum(len(each.cells) for each in found) > 1:
                several.add(letter_or_end)


def _cells(path: str, element: Element) -> list[tuple[Cell, frozenset[int]]]:
    return [(Cell(path, row, col, text), element.reads) for row, col, text in element.cells]


class _Pricer:
    """How much it costs that a letter reads a cell that it refuses."""

    def __init__(
        self, letters: Sequence[Spot], free: Mapping[str, Definition], word: Sequence[Element]
    ) -> None:
        self.letters, self.free = letters, free
        self.kinds: dict[int, set[str]] = {}
        for each in word:
            for letter in each.reads:
                self.kinds.setdefault(letter, set()).update(kind_of(c[2] or "") for c in each.cells)
        self._broad = frozenset(each.number for each in letters if _is_broad(each))
        self._lists = {name: texts_of(each) for name, each in free.items()}

    def price(self, letter: int, element: Element) -> int:
        """Less for what is alike; more for a cell that another letter reads."""
        text = element.cells[0][2]
        elsewhere = 10 if element.reads - self._broad else 0
        symbol = self.letters[letter].symbol
        if not text:
            return 15 + elsewhere
        if isinstance(symbol, ast.Literal):
            return self._literal(symbol.text, text) + elsewhere
        name = symbol.name
        if name in _NOTHING:
            return 28 + elsewhere
        if name not in self.free:
            return (self._literal(name, text) if name.islower() else 22) + elsewhere
        found = self._lists[name]
        is_marks = bool(found) and all(map(is_mark, found or ()))
        if is_mark(text) or is_marks:
            return (12 if is_marks and is_mark(text) else 30) + elsewhere
        known = self.kinds.get(letter)
        unlike = 8 if known and kind_of(text) not in known else 0
        return 18 + unlike + elsewhere

    def _literal(self, old: str, text: str) -> int:
        if with_other_numbers(old, [text]) or old.casefold() == text.casefold():
            return 16
        return 20
