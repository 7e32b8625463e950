"""How well a dialect explains a text: features of the table that it gives.

In: the pieces of a sample as documents, and a dialect. Out: a `Score`. The plain reader
(`tabular.grid`) reads the rows, so what is scored is what a schema with this dialect would see.

Invariant: rows at the top and bottom that are narrower than the table are titles and notes, and
cost nothing but coverage. Cost: linear in the text; kinds are looked up for a bounded number of
cells.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from sculpt.core.dialect import Dialect
from sculpt.inference.kinds import EMPTY, MISSING, MOMENTS, NUMERIC, WORDED, kind_of
from sculpt.inference.sniff import weights
from sculpt.tabular.document import Document
from sculpt.tabular.grid import Grid, Row, read_grid
from sculpt.values import frozen

REMARK_MARKS = ("#", "//", "%", "--", "!")
LIST = "list"
_QUOTES = ('"', "'")
_LEFT_OVER = re.compile(r"[\t;|]|,(?=\S)")
_GROUPED = re.compile(r"\d,\d")


@frozen
class Score:
    """The features of a table, and what they add up to."""

    features: tuple[tuple[str, float], ...]
    columns: int
    grids: tuple[Grid, ...]

    @property
    def total(self) -> float:
        """The features, weighted."""
        return sum(weights.FEATURES[name] * value for name, value in self.features)


@frozen
class _Body:
    """The rows of a piece from the first wide one to the last."""

    rows: tuple[Row, ...]
    all_rows: int
    text_size: int


def score_of(documents: Sequence[Document], dialect: Dialect) -> Score:
    """The score of a dialect for some pieces of a file."""
    grids = tuple(read_grid(document, dialect) for document in documents)
    row_lists = [_told_rows(grid) for grid in grids]
    width = _usual_width(row_lists)
    bodies = [_body(rows, width) for rows in row_lists]
    rows = [row for body in bodies for row in body.rows]
    chosen = _spread([row for row in rows if len(row.cells) == width] or rows)
    plausible, leftovers, quoted = _cells(chosen, dialect)
    faults = sum(len(grid.defects) for grid in grids)
    needed, split = _quote_evidence(row_lists, dialect, faults)
    features = {
        "shape": _shape(bodies) if width > 1 else weights.ONE_COLUMN_SHAPE,
        "columns": 1 - 1 / max(1, width),
        "coverage": _coverage(bodies, width),
        "plausible": plausible,
        "coherent": _coherence(chosen, width),
        "faults": _fault_rate(grids),
        "leftovers": leftovers,
        "quoted": quoted,
        "needed": needed,
        "split": split,
        "sentences": _sentences(rows),
    }
    return Score(tuple(features.items()), width, grids)


def _told_rows(grid: Grid) -> list[Row]:
    """The rows with text, without remarks (unless most rows look like remarks)."""
    text = grid.document.text
    rows = [row for row in grid.rows if any(cell.text for cell in row.cells)]
    told = [row for row in rows if not text.startswith(REMARK_MARKS, row.start)]
    return told if len(told) * 3 >= len(rows) else rows


def _usual_width(row_lists: Sequence[Sequence[Row]]) -> int:
    counts = Counter(len(row.cells) for rows in row_lists for row in rows)
    return max(counts, key=lambda width: (counts[width] * (1.01 - 1 / width), width), default=0)


def _body(rows: Sequence[Row], width: int) -> _Body:
    size = sum(row.end - row.start for row in rows)
    wide = [ix for ix, row in enumerate(rows) if len(row.cells) >= width]
    if not wide:
        return _Body((), len(rows), size)
    return _Body(tuple(rows[wide[0] : wide[-1] + 1]), len(rows), size)


def _shape(bodies: Sequence[_Body]) -> float:
    """How many neighbouring rows are equally wide; few rows, and rows of one cell, say little."""
    equal = pairs = 0
    if sum(len(body.rows) for body in bodies) == 1 < sum(body.all_rows for body in bodies):
        return weights.ONE_ROW_SHAPE
    for body in bodies:
        for one, two in pairwise(body.rows):
            widths = len(one.cells), len(two.cells)
            if widths != (1, 1):
                pairs += 1
                equal += widths[0] == widths[1]
    return (equal + 0.6) / (pairs + 1)


def _coverage(bodies: Sequence[_Body], width: int) -> float:
    """How much of the text is in rows of the table, by rows and by characters."""
    split = [row for body in bodies for row in body.rows if len(row.cells) > 1 or width <= 1]
    rows = sum(body.all_rows for body in bodies)
    size = sum(body.text_size for body in bodies)
    if not rows or not size:
        return 0.0
    return (len(split) / rows + sum(row.end - row.start for row in split) / size) / 2


def _spread(rows: list[Row]) -> list[Row]:
    """Some rows from all over the table."""
    step = max(1, len(rows) // weights.SAMPLE_ROWS)
    chosen = rows[::step]
    width = max((len(row.cells) for row in chosen), default=1)
    return chosen[: max(3, weights.SAMPLE_CELLS // width)]


def _quote_evidence(
    row_lists: Sequence[Sequence[Row]], dialect: Dialect, faults: int
) -> tuple[float, float]:
    """How sure it is that some quotes are needed, and that some are torn apart."""
    delim = dialect.col_delim.text if dialect.col_delim.pattern is None else " "
    needed = torn = 0
    for rows in row_lists:
        for row in rows:
            for cell in row.cells:
                text = cell.text
                if cell.quoted:
                    needed += delim in text or "\n" in text or (dialect.quote or "") in text
                elif text[:1] in _QUOTES:
                    torn += text.count(text[0]) % 2
    return 1 - 0.5 ** max(0, needed - 2 * faults), 1 - 0.5**torn


def _sentences(rows: Sequence[Row]) -> float:
    """How many cells go on like a sentence: a blank, then small letters."""
    after = [cell.raw for row in rows for cell in row.cells[1:] if not cell.quoted]
    return sum(map(_goes_on, after)) / max(1, len(after))


def _goes_on(raw: str) -> bool:
    return raw[:1] == " " and raw[1:2].islower()


def _cells(rows: Sequence[Row], dialect: Dialect) -> tuple[float, float, float]:
    """How plausible cells are, how many keep marks that should have gone, how many are quoted."""
    quotes = {'"', dialect.quote or '"'}
    is_bare = dialect.escape is not None and dialect.quote is None
    escaped = dialect.col_delim.text if is_bare else ""
    count, plausible, leftovers, quoted = 0, 0.0, 0.0, 0
    for row in rows:
        for cell in row.cells[: weights.SAMPLE_CELLS]:
            count += 1
            text = cell.text
            if cell.quoted:
                quoted += 1
                plausible += weights.PLAUSIBLE[kind_of(text.strip())] if len(text) < 200 else 0.7
                continue
            kind = kind_of(text)
            if kind in WORDED and len(row.cells) > 1 and _is_list(text):
                kind, left = LIST, weights.LIST_LEFTOVER
            else:
                left = _left_over(text.replace(escaped, "") if escaped else text, kind, quotes)
            plausible += weights.PLAUSIBLE[kind]
            leftovers += left
    total = max(1, count)
    return plausible / total, leftovers / total, quoted / total


def _is_list(text: str) -> bool:
    """Is a cell a list whose items are of one kind?"""
    found = _LEFT_OVER.search(text)
    if found is None:
        return False
    items = [item.strip() for item in text.split(found[0])]
    return len(items) > 2 and len({_group(item) for item in items if item}) == 1


def _left_over(text: str, kind: str, quotes: set[str]) -> float:
    """How much a bare cell looks as if it should have been split or unquoted, from 0 to 1."""
    if not text or kind in NUMERIC or kind in MOMENTS:
        return 0.0
    first, last = text[0], text[-1]
    if last == "\\":
        return 1.0  # it escapes the delimiter
    if len(text) > 1 and first == last and first in "\"'":
        return 0.6
    if first in quotes or (last in quotes and text.count(last) % 2):
        return 1.0
    found = _LEFT_OVER.search(text)
    return 0.0 if found is None else 0.15 if found[0] == "," and _GROUPED.search(text) else 0.5


def _coherence(rows: Sequence[Row], width: int) -> float:
    """How alike the kinds in a column are; a column of words says less than one of numbers."""
    total, columns = 0.0, 0
    for ix in range(min(width, weights.SAMPLE_CELLS)):
        kinds = Counter(_group(row.cells[ix].text) for row in rows if ix < len(row.cells))
        blank = kinds.pop(EMPTY, 0) + kinds.pop(MISSING, 0)
        columns += 1
        if not kinds:
            total += 0.5
            continue
        group, most = kinds.most_common(1)[0]
        worth = 0.6 if group == "worded" else 0.8 if group == "code" else 1.0
        total += worth * (most + 0.5 * blank) / (kinds.total() + blank)
    return total / max(1, columns)


def _group(text: str) -> str:
    kind = kind_of(text.strip()) if len(text) < 200 else "long"
    if kind in NUMERIC:
        return "number"
    return "moment" if kind in MOMENTS else "worded" if kind in WORDED else kind


def _fault_rate(grids: Sequence[Grid]) -> float:
    """Broken quotes for each row; one that never closes swallows the rest."""
    faults = rows = 0
    for ix, grid in enumerate(grids):
        rows += grid.height
        found = Counter(defect.code for defect in grid.defects)
        faults += found["text-after-quote"] + (3 * found["unclosed-quote"] if ix == 0 else 0)
    return min(1.0, faults / max(1, rows))
