"""The candidates for a text, scored and put in order.

In: the decoded pieces of a sample. Out: `Candidate`s with shares, the best first. First every
delimiter is scored with the likely quotes, then the best few with all quotes, escapes and row
delimiters; comment lines are looked for in the best one.

Invariant: shares add up to 1; there is at least one candidate. Cost: about `_BUDGET` characters are
read in all, so the more candidates there are, the less each reads.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from sculpt.core.dialect import Dialect
from sculpt.inference.sniff import weights
from sculpt.inference.sniff.candidates import by_delimiter, variants
from sculpt.inference.sniff.model import Candidate
from sculpt.inference.sniff.scoring import REMARK_MARKS, Score, score_of
from sculpt.tabular.document import Document
from sculpt.tabular.grid import Grid
from sculpt.values import replace

_BUDGET = 200_000
_MOST_READ = 40_000
_MOST_CELLS = 6_000
_LEAST_READ = 4_000
_VARIED = 2
"""How many delimiters are tried with all quotes: those that would be best without faults."""
_PLAIN_MARKS = ("#", "//")
"""Marks of which one line in the middle is enough."""
_CLOSE = 8.0
"""A candidate whose score is this much lower is not tried any further."""


def rank(documents: Sequence[Document]) -> tuple[list[Candidate], tuple[Grid, ...]]:
    """The candidates, the best first, and the tables that the best one gives."""
    head = documents[0].text
    first = list(by_delimiter(head[:_MOST_READ]))
    size = min(_MOST_READ, _BUDGET // max(1, len(first)))
    scored = [(dialect, score_of(_cut(documents, size, dialect), dialect)) for dialect in first]
    scored.sort(key=lambda each: -_total(*each))
    best = _total(*scored[0])
    tried = {dialect for dialect, _ in scored}
    split = [each for each in scored if not each[0].layouts and each[1].columns > 1]
    split.sort(key=lambda each: -_hope(*each))
    for dialect, score in split[:_VARIED]:
        if _hope(dialect, score) < best - _CLOSE:
            continue
        read = _cut(documents, size, dialect)
        for variant in variants(dialect, read[0].text):
            if variant not in tried:
                tried.add(variant)
                scored.append((variant, score_of(read, variant)))
    scored.sort(key=lambda each: -_total(*each))
    top = _total(*scored[0])
    shares = [math.exp(max(-60.0, _total(*each) - top)) for each in scored]
    whole = sum(shares)
    candidates = [
        Candidate(dialect, score.columns, _total(dialect, score), share / whole, score.features)
        for (dialect, score), share in zip(scored, shares, strict=True)
    ]
    return candidates, scored[0][1].grids


def _cut(documents: Sequence[Document], size: int, dialect: Dialect) -> list[Document]:
    """Whole lines of the documents: at most `size` characters and about `_MOST_CELLS` cells."""
    found = []
    delim = dialect.col_delim
    cells = documents[0].text.count(delim.text, 0, size) if delim.pattern is None else 0
    room = max(_LEAST_READ, size * _MOST_CELLS // cells) if cells > _MOST_CELLS else size
    for ix, document in enumerate(documents):
        text = document.text
        most = room if ix == 0 else room // 8
        if len(text) > most:
            end = max(text.rfind("\n", 0, most), text.rfind("\r", 0, most)) + 1
            text = text[: end or most]
        found.append(Document(text, b"", "utf-8"))
    return found


def _total(dialect: Dialect, score: Score) -> float:
    return score.total + _prior(dialect, score.columns)


def _hope(dialect: Dialect, score: Score) -> float:
    """The total without what other quotes may cure."""
    return _total(dialect, score) - sum(
        weights.FEATURES[name] * value for name, value in score.features if name in weights.CURABLE
    )


def _prior(dialect: Dialect, columns: int) -> float:
    """How likely a dialect is before the text is looked at."""
    is_bare = dialect.quote is None and dialect.escape is not None
    extra = weights.BARE_ESCAPE if is_bare else weights.QUOTES[dialect.quote]
    extra += weights.ESCAPE if dialect.escape and not is_bare else 0.0
    extra += weights.STRAY_QUOTES if dialect.stray_quotes == "text" else 0.0
    extra += weights.ESCAPES if dialect.escapes == "quotes" else 0.0
    if dialect.row_delim is not None:
        extra += weights.ROW_DELIM
    delim = dialect.col_delim
    if dialect.layouts:
        alone = len(dialect.layouts[0].widths) == 1
        return weights.ONE_COLUMN if alone else weights.WIDTHS
    if columns <= 1:
        mark = _of_mark(delim.text) if delim.pattern is None else weights.BLANKS
        return weights.ONE_COLUMN + extra + mark
    if delim.pattern is not None:
        return extra + (weights.BLANKS if delim.text == r"\s+" else weights.WIDE_BLANKS)
    return extra + _of_mark(delim.text)


def _of_mark(mark: str) -> float:
    return weights.DELIMITERS.get(mark, weights.OTHER_MARK)


def comment_of(grid: Grid, columns: int) -> tuple[str, float] | None:
    """The mark that comment lines begin with, and how sure that is."""
    text = grid.document.text
    rows = [row for row in grid.rows if not row.is_blank]
    for mark in REMARK_MARKS:
        marked = [row for row in rows if text.startswith(mark, row.start)]
        odd = sum(len(row.cells) != columns for row in marked)
        is_top = bool(marked) and marked[0] is rows[0]
        if not marked or len(marked) * 2 > len(rows) or odd < 0.8 * len(marked):
            continue
        if columns <= 1 or (len(marked) < 2 and not (is_top or mark in _PLAIN_MARKS)):
            continue
        return mark, 1 - 0.4 * 0.5 ** (len(marked) - 1 + is_top)
    return None


def with_comment(dialect: Dialect, mark: str) -> Dialect:
    """The dialect that skips comment lines."""
    return replace(dialect, comment=mark)
