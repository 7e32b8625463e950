"""Content expressions, cell by cell: what a rule says of each cell of a row.

In: the content of a rule in core form. Out: a formula for a single cell, or one for each cell of a
word of fixed length. Invariant: a word of that length matches the content exactly if each of its
cells satisfies its formula. Cost: linear in the content, counts unrolled.
"""

from __future__ import annotations

from functools import partial
from typing import Protocol, assert_never

from sculpt.core import ir
from sculpt.core.acceptor import Acceptor
from sculpt.interchange.export.meaning.formulas import FALSE, disjunction
from sculpt.syntax.regular import (
    Choice,
    Epsilon,
    Letter,
    Nothing,
    Regular,
    Repeat,
    Sequence,
    letters,
    size,
)

MAX_CELLS = 20_000


class Reader(Protocol):
    """Says which texts a token reads."""

    def reads(self, name: str, text: str | None) -> bool:
        """Does a token read a text; or, for `None`, every text that the schema does not name?"""


def has_types(content: Regular[ir.Symbol]) -> bool:
    """Does it read cells as token types, which are about places?"""
    return any(letter.symbol.is_type for letter in letters(content))


def is_nullable(content: Regular[ir.Symbol]) -> bool:
    """Does it match the empty word?"""
    match content:
        case Nothing() | Letter():
            return False
        case Epsilon():
            return True
        case Sequence(parts):
            return all(is_nullable(part) for part in parts)
        case Choice(parts):
            return any(is_nullable(part) for part in parts)
        case Repeat(part, low, _):
            return low == 0 or is_nullable(part)
        case _:
            assert_never(content)


def single_cell(content: Regular[ir.Symbol]) -> ir.Formula:
    """What a word of one cell must satisfy."""
    match content:
        case Nothing() | Epsilon():
            return FALSE
        case Letter(symbol):
            return ir.Has(symbol.name)
        case Choice(parts):
            return disjunction(single_cell(part) for part in parts)
        case Sequence(parts):
            rest = [part for part in parts if not is_nullable(part)]
            if len(rest) > 1:
                return FALSE
            return disjunction(single_cell(part) for part in rest or parts)
        case Repeat(part, low, high):
            fits = (low <= 1 or is_nullable(part)) and high != 0
            return single_cell(part) if fits else FALSE
        case _:
            assert_never(content)


def each_cell(content: Regular[ir.Symbol], length: int) -> list[ir.Formula] | None:
    """What each cell of a word of a length must satisfy; `None` if cells depend on each other."""
    if size(content) > MAX_CELLS:
        return None
    if length == 1:
        return [single_cell(content)]
    spread = repeated(content)
    if spread is not None:
        part, low, high = spread
        if low <= length and (high is None or length <= high):
            return [part] * length
    fixed = fixed_cells(content)
    return fixed if fixed is not None and len(fixed) == length else None


def repeated(content: Regular[ir.Symbol]) -> tuple[ir.Formula, int, int | None] | None:
    """What each cell satisfies, and how many there may be, if all are alike."""
    match content:
        case Repeat(part, low, high) if _is_single(part):
            return single_cell(part), low, high
        case Letter():
            return single_cell(content), 1, 1
        case Choice() if _is_single(content):
            return single_cell(content), 1, 1
        case Epsilon():
            return FALSE, 0, 0
    return None


def fixed_cells(content: Regular[ir.Symbol]) -> list[ir.Formula] | None:
    """A formula for each cell, if all words have one length and cells are independent."""
    match content:
        case Epsilon():
            return []
        case Letter() | Choice() if _is_single(content):
            return [single_cell(content)]
        case Sequence(parts):
            found: list[ir.Formula] = []
            for part in parts:
                cells = fixed_cells(part)
                if cells is None:
                    return None
                found += cells
            return found
        case Repeat(part, low, high) if low == high:
            cells = fixed_cells(part)
            return None if cells is None else cells * low
    return None


def _is_single(content: Regular[ir.Symbol]) -> bool:
    """Do all words have one cell?"""
    match content:
        case Letter():
            return True
        case Choice(parts):
            return all(_is_single(part) for part in parts)
        case Sequence(parts):
            return len(parts) == 1 and _is_single(parts[0])
        case Repeat(part, 1, 1):
            return _is_single(part)
    return False


def refused_marks(
    content: Regular[ir.Symbol], width: int, words: frozenset[str], vocabulary: Reader
) -> tuple[str, ...] | None:
    """The marks of a content that refuses at most rows of nothing but marks; `None` for others.

    A row is a word of cells. Each of them has one of some texts that the schema names, the marks,
    or any other text, of which nothing is known. All rows of a width are accepted, apart from some
    that have only marks; the marks of the result are those that fill a refused row, and there are
    none if no row is refused. A content that reads cells by their place is another one.
    """
    if has_types(content) or width == 0 or size(content) > MAX_CELLS:
        return None
    acceptor = Acceptor(content)
    read: dict[str | None, frozenset[str]] = {}
    names = {letter.symbol.name for letter in letters(content)}
    for word in (*sorted(words), None):
        read[word] = frozenset(name for name in names if vocabulary.reads(name, word))
    current = {(acceptor.initial, False)}
    for _ in range(width):
        current = {
            (acceptor.step(states, partial(_is_among, known)), told or word is None)
            for states, told in current
            for word, known in read.items()
        }
    refused = [told for states, told in current if not acceptor.accepts(states)]
    if any(refused):
        return None
    if not refused:
        return ()
    fills = tuple(word for word in sorted(words) if not _fills(acceptor, read[word], width))
    return fills or None


def _fills(acceptor: Acceptor[ir.Symbol], known: frozenset[str], width: int) -> bool:
    """Is a row accepted that has the same text in all cells?"""
    states = acceptor.initial
    for _ in range(width):
        states = acceptor.step(states, partial(_is_among, known))
    return bool(acceptor.accepts(states))


def _is_among(names: frozenset[str], symbol: ir.Symbol) -> bool:
    return symbol.name in names
