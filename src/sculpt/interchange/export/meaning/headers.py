"""The heading of a table: how many rows it has, and the texts of its cells.

In: the rules of a schema about rows at the top. Out: a `Header`. What all rules together say of a
cell decides: `row(1) -> Id, Name` says it, and so do `(1,1) and Text -> Id` and `row(1) -> Text*`.

Invariant: a heading is known if its cell can only have one of a few texts. A rule that is not about
single cells is part of the header if the known headings keep it. Cost: one pass over the rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial

from sculpt.core import ir
from sculpt.core.acceptor import Acceptor
from sculpt.interchange.export.meaning.alternatives import ANYTHING, Vocabulary, has_text
from sculpt.interchange.export.meaning.atoms import Shape, Word
from sculpt.interchange.export.meaning.contents import each_cell, fixed_cells, has_types, repeated
from sculpt.interchange.export.meaning.expressions import caseless
from sculpt.interchange.export.meaning.formulas import TRUE, conjunction, disjunction, negation
from sculpt.interchange.export.meaning.grid import Cell, Places, Region, extent, texts_below
from sculpt.syntax.regular import Regular, letters
from sculpt.values import field, frozen, replace

_TYPES_READ = "it reads headings as token types; quote a heading that is also a name"
_NOT_ONE_ROW = "it is about single rows, and not about one row of headings"


@frozen
class Header:
    """What is known about the rows before the data."""

    heading_row: int | None
    headings: Mapping[int, tuple[str, ...]]
    """By column: the texts that the heading may have."""
    width: int
    rules: Mapping[int, str] = field(default_factory=dict)
    """The numbers of the rules about it, and why one is not expressed, if so."""
    ignores_case: bool = False
    """Does the case of some heading not matter?"""
    match: str = "exact"
    """Which headings there may be, in the words of Table Schema: `exact`, if places matter; if
    headings are looked for, `equal`, `subset`, `superset` or `partial`."""
    rows_of: Mapping[int, int] = field(default_factory=dict)
    """The last row that each of these rules is about."""

    @property
    def places(self) -> dict[str, list[Cell]]:
        """Where each text of a heading is."""
        found: dict[str, list[Cell]] = {}
        for column, texts in self.headings.items():
            for text in texts:
                found.setdefault(text, []).append((self.heading_row or 1, column))
        return found

    @property
    def is_known(self) -> bool:
        """Has every column one heading, and no two columns the same?"""
        texts = [self.headings.get(column, ()) for column in range(1, self.width + 1)]
        return len(set(texts)) == len(texts) > 0 and all(len(each) == 1 for each in texts)


def size_of(selectors: Iterable[ir.Selector]) -> Cell:
    """The last row and column that some selectors mention."""
    found = [extent(selector) for selector in selectors]
    return max((r for r, _ in found), default=0), max((c for _, c in found), default=0)


def counts_cells(content: Regular[ir.Symbol], vocabulary: Vocabulary) -> bool:
    """Does a content say how many cells there are, and nothing of their texts?"""
    return not has_types(content) and all(
        vocabulary.alternatives(ir.Has(letter.symbol.name)) in (ANYTHING, ())
        for letter in letters(content)
    )


def header_of(rules: tuple[ir.CoreRule, ...], vocabulary: Vocabulary) -> Header:
    """The header that some rules describe."""
    rows, width = size_of(rule.selector for rule in rules)
    places = Places(width, rows, {})
    found: list[tuple[ir.CoreRule, Region]] = []
    for rule in rules:
        region = places.region(rule.selector)
        if region is not None and not region.tail and not region.beyond and region.above:
            found.append((rule, region))
            cells = fixed_cells(rule.content) if region.whole else None
            width = max(width, len(cells or ()))
    said: dict[Cell, list[ir.Formula]] = {}
    reasons: dict[int, str] = {}
    open_rules: list[ir.CoreRule] = []
    of_cells: dict[int, list[Cell]] = {}
    for rule, region in found:
        told = _cells(rule, region, width)
        if told is None:
            open_rules.append(rule)
            continue
        of_cells[rule.number] = list(told)
        for cell, formula in told.items():
            said.setdefault(cell, []).append(formula)
    texts = {cell: _texts(conjunction(parts), vocabulary) for cell, parts in said.items()}
    heading_row = _heading_row(texts)
    headings = {
        column: words for (row, column), words in texts.items() if row == heading_row and words
    }
    for number, listed in of_cells.items():
        reasons[number] = _reason(listed, heading_row, texts, said, vocabulary)
    folded = any(
        _is_folded(conjunction(said[cell]), vocabulary) for cell in said if cell[0] == heading_row
    )
    known = Header(heading_row, headings, width, ignores_case=folded)
    for rule in open_rules:
        reason = _TYPES_READ if has_types(rule.content) else _NOT_ONE_ROW
        reasons[rule.number] = "" if _is_kept(rule, known, vocabulary) else reason
    rows_of = {rule.number: max(region.above) for rule, region in found}
    known = replace(known, rules=reasons, rows_of=rows_of)
    return (
        known if headings or width else _by_label(known, rules, [r for r, _ in found], vocabulary)
    )


def _by_label(
    header: Header,
    rules: tuple[ir.CoreRule, ...],
    about: list[ir.CoreRule],
    vocabulary: Vocabulary,
) -> Header:
    """The header of a table whose columns are found by their headings, wherever these are."""
    tokens = vocabulary.tokens
    names = dict.fromkeys(name for rule in rules for name in texts_below(rule.selector))
    texts = [text for name in names if (text := tokens[name].literal)]
    if not texts:
        return header
    headings = {column: (text,) for column, text in enumerate(texts, 1)}
    words: list[list[str | None]] = [[*texts], [*texts, None]]
    words += [[*texts[:ix], *texts[ix + 1 :]] for ix in range(len(texts))]
    accepted = [all(_accepts(rule, word, vocabulary) for rule in about) for word in words]
    has_all = not any(accepted[2:])
    match = {
        (False, True): "equal",
        (True, True): "subset",
        (False, False): "superset",
        (True, False): "partial",
    }[accepted[1], has_all]
    row = max(header.rows_of.values(), default=1)
    reasons = (
        {**header.rules, **{rule.number: "" for rule in about}} if accepted[0] else header.rules
    )
    return replace(
        header, heading_row=row, headings=headings, width=len(texts), match=match, rules=reasons
    )


def _accepts(rule: ir.CoreRule, word: list[str | None], vocabulary: Vocabulary) -> bool:
    """Does the content of a rule accept a row of headings? `None` is one that no rule names."""
    if has_types(rule.content):
        return False
    acceptor = Acceptor(rule.content)
    states = acceptor.initial
    for text in word:
        states = acceptor.step(states, partial(_reads, vocabulary, text))
    return acceptor.accepts(states)


def _cells(rule: ir.CoreRule, region: Region, width: int) -> dict[Cell, ir.Formula] | None:
    """What a rule says of each cell of the header; `None` if it is not about single cells."""
    if has_types(rule.content) or rule.arrow == ".>" or len(region.above) != 1:
        return None
    ((row, chosen),) = region.above.items()
    selected = dict.fromkeys(range(1, width + 1), TRUE) if row in region.whole else dict(chosen)
    is_free = all(formula == TRUE for formula in selected.values())
    spread = repeated(rule.content)
    if is_free or len(selected) == 1:
        formulas = each_cell(rule.content, len(selected)) if selected else None
    elif spread is not None and spread[1] <= 1 and spread[2] is None:
        formulas = [spread[0]] * len(selected)
    else:
        formulas = None
    if formulas is None:
        return None
    return {
        (row, column): disjunction([negation(filtered), formula])
        for (column, filtered), formula in zip(selected.items(), formulas, strict=True)
    }


def _texts(formula: ir.Formula, vocabulary: Vocabulary) -> tuple[str, ...]:
    """The texts of a heading, if they are few, whatever their case; an empty cell is none."""
    alternatives = vocabulary.alternatives(formula) or ()
    words = [
        sign.atom.text if isinstance(sign.atom, Word) else caseless(sign.atom.pattern)
        for each in alternatives
        for sign in each
        if isinstance(sign.atom, Word | Shape) and sign.holds
    ]
    is_known = len(words) == len(alternatives) and None not in words
    return tuple(word for word in words if word) if is_known else ()


def _is_folded(formula: ir.Formula, vocabulary: Vocabulary) -> bool:
    """Does a formula allow a text in any case?"""
    signs = [sign for each in vocabulary.alternatives(formula) or () for sign in each]
    return any(isinstance(s.atom, Shape) and caseless(s.atom.pattern) for s in signs)


def _heading_row(texts: Mapping[Cell, tuple[str, ...]]) -> int | None:
    """The row with the most headings, the first one of several."""
    counts: dict[int, int] = {}
    for (row, _), words in texts.items():
        counts[row] = counts.get(row, 0) + bool(words)
    best = max(counts, key=lambda row: (counts[row], -row), default=None)
    return best if best is not None and counts[best] else None


def _reason(
    cells: list[Cell],
    heading_row: int | None,
    texts: Mapping[Cell, tuple[str, ...]],
    said: Mapping[Cell, list[ir.Formula]],
    vocabulary: Vocabulary,
) -> str:
    """Why a rule about some cells is not expressed; empty if it is."""
    for cell in cells:
        if cell[0] == heading_row and texts[cell]:
            continue
        if _says_something(conjunction(said[cell]), vocabulary):
            if cell[0] != heading_row:
                return "only one row of headings has a counterpart"
            return f"the heading of column {cell[1]} is not one of a few texts"
    return ""


def _says_something(formula: ir.Formula, vocabulary: Vocabulary) -> bool:
    """Does it say more than that a cell has a text?"""
    alternatives = vocabulary.alternatives(formula)
    return alternatives is None or not any(has_text(each, "\ufffc") for each in alternatives)


def _is_kept(rule: ir.CoreRule, header: Header, vocabulary: Vocabulary) -> bool:
    """Do the known headings, as a row, match the content of a rule?"""
    if not header.is_known or has_types(rule.content) or rule.arrow not in ("->", "=>"):
        return False
    texts = [header.headings[column][0] for column in range(1, header.width + 1)]
    return _accepts(rule, list(texts), vocabulary)


def _reads(vocabulary: Vocabulary, text: str | None, symbol: ir.Symbol) -> bool:
    return vocabulary.reads(symbol.name, text)
