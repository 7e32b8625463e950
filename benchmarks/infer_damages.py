"""How many damaged copies does a proposed schema refuse?

In: the labelled tables of `lines/`. Out: the share of copies that are refused, for each damage and
for the two groups that have a bar: values (a cell holds what its column does not), and all others.
Where the damage goes is said by the labels of the file and by a seeded generator, not by what was
proposed; a file without a place for a damage has no such copy. Copies are made by Python's `csv`.
Invariant: each copy differs from its file.
"""

from __future__ import annotations

import csv
import io
import json
import random
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from sculpt.api import validate
from sculpt.errors import SculptError
from sculpt.inference.propose import propose
from sculpt.schema import Schema
from sculpt.values import frozen

Rows = list[list[str]]
_NUMBER = re.compile(r"[-+]?[0-9][0-9.,]*")
_WORD = re.compile(r"[^0-9]*[A-Za-z]{3}[^0-9]*")


@frozen
class Table:
    """A file with its labels, and what chooses places in it."""

    rows: Rows
    labels: list[str]
    random: random.Random

    def lines(self, *labels: str) -> list[int]:
        """The indices of the lines with some labels."""
        return [ix for ix, label in enumerate(self.labels) if label in labels]

    def cell(self, fits: Callable[[str], object]) -> tuple[int, int] | None:
        """A cell of the data whose text fits."""
        places = [
            (ix, jx)
            for ix in self.lines("data")
            for jx, text in enumerate(self.rows[ix])
            if fits(text.strip())
        ]
        return self.random.choice(places) if places else None

    def copy(self) -> Rows:
        """Rows to change."""
        return [[*row] for row in self.rows]


Damage = Callable[[Table], Rows | None]


def _word(table: Table) -> Rows | None:
    return _replaced(table, _NUMBER.fullmatch, lambda _: "damaged")


def _letter(table: Table) -> Rows | None:
    """A letter O for a digit."""
    return _replaced(table, _NUMBER.fullmatch, lambda text: re.sub("[0-9]$", "O", text))


def _number(table: Table) -> Rows | None:
    """A number where words are."""
    return _replaced(table, _WORD.fullmatch, lambda _: str(table.random.randint(10, 9999)))


def _neighbour(table: Table) -> Rows | None:
    """A label where a number was: two cells of a row change places."""
    place = table.cell(_NUMBER.fullmatch)
    if place is None:
        return None
    row, column = place
    words = [jx for jx, text in enumerate(table.rows[row]) if _WORD.fullmatch(text.strip())]
    if not words:
        return None
    rows, other = table.copy(), table.random.choice(words)
    rows[row][column], rows[row][other] = rows[row][other], rows[row][column]
    return rows


def _replaced(
    table: Table, fits: Callable[[str], object], made: Callable[[str], str]
) -> Rows | None:
    place = table.cell(fits)
    if place is None:
        return None
    rows, (row, column) = table.copy(), place
    rows[row][column] = made(rows[row][column].strip())
    return rows


def _lost(table: Table) -> Rows | None:
    lines = [ix for ix in table.lines("data") if len(table.rows[ix]) > 1]
    if not lines:
        return None
    rows, row = table.copy(), table.random.choice(lines)
    del rows[row][table.random.randrange(len(rows[row]))]
    return rows


def _added(table: Table) -> Rows | None:
    lines = table.lines("data")
    if not lines:
        return None
    rows, row = table.copy(), table.random.choice(lines)
    rows[row].insert(table.random.randrange(len(rows[row]) + 1), "added")
    return rows


def _swapped(table: Table) -> Rows | None:
    """Two columns change places, with their headings."""
    lines = table.lines("header", "group", "data", "derived")
    width = max((len(table.rows[ix]) for ix in lines), default=0)
    if width < 2:
        return None
    one, other = table.random.sample(range(width), 2)
    rows = table.copy()
    for ix in lines:
        if max(one, other) < len(rows[ix]):
            rows[ix][one], rows[ix][other] = rows[ix][other], rows[ix][one]
    return rows


def _without(*labels: str) -> Damage:
    def damage(table: Table) -> Rows | None:
        dropped = set(table.lines(*labels))
        return [[*row] for ix, row in enumerate(table.rows) if ix not in dropped]

    return damage


def _cut(table: Table) -> Rows | None:
    """The file ends within a row in the middle of the data."""
    lines = [ix for ix in table.lines("data") if len(table.rows[ix]) > 1]
    if not lines:
        return None
    row = lines[len(lines) // 2]
    return [*table.copy()[:row], table.rows[row][: len(table.rows[row]) // 2]]


VALUES: dict[str, Damage] = {
    "a word for a number": _word,
    "a letter for a digit": _letter,
    "a number for words": _number,
    "two cells swapped": _neighbour,
}
OTHERS: dict[str, Damage] = {
    "a cell lost": _lost,
    "a cell added": _added,
    "two columns swapped": _swapped,
    "headings lost": _without("header"),
    "notes lost": _without("notes"),
    "title lost": _without("metadata"),
    "cut in the middle": _cut,
}
DELIMITER = "another delimiter"


def damages(folder: Path, sample: int | None = None) -> Iterator[tuple[str, str, str]]:
    """Shares of refused copies."""
    copies, refused = Counter[str](), Counter[str]()
    listed = [json.loads(line) for line in (folder / "lines" / "labels.jsonl").open()]
    chosen = random.Random(1).sample(listed, min(sample or len(listed), len(listed)))
    with tempfile.TemporaryDirectory() as scratch:
        for each in chosen:
            for name, is_refused in _tried(
                folder / "lines" / each["file"], each["labels"], scratch
            ):
                copies[name] += 1
                refused[name] += is_refused
    groups = (("kinds of values", "≥ 0.85", [*VALUES]), ("others", "≥ 0.95", [*OTHERS, DELIMITER]))
    for group, bar, names in groups:
        share = sum(refused[name] for name in names) / sum(copies[name] for name in names)
        count = sum(copies[name] for name in names)
        yield f"damages, {group}: refused", bar, f"{share:.3f} of {count}"
        for name in names:
            yield f"damages, {name}: refused", "", f"{refused[name] / max(1, copies[name]):.3f}"


def _tried(path: Path, labels: list[str], scratch: str) -> Iterator[tuple[str, bool]]:
    """The damages of a file whose undamaged copy is accepted, and whether each is refused."""
    proposal = propose(path)
    if not proposal.found:
        return
    schema = Schema.parse(proposal.schema)
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        rows = [*csv.reader(file)]
    copy = Path(scratch) / "copy.csv"

    def is_accepted(damaged: Rows, delimiter: str = ",") -> bool:
        buffer = io.StringIO()
        csv.writer(buffer, delimiter=delimiter, lineterminator="\n").writerows(damaged)
        copy.write_text(buffer.getvalue(), encoding="utf-8")
        try:
            return validate(schema, copy, engine="local").valid
        except SculptError:
            return False

    if len(rows) != len(labels) or not is_accepted(rows):
        return
    table = Table(rows, labels, random.Random(path.name))
    for name, damage in {**VALUES, **OTHERS}.items():
        damaged = damage(table)
        if damaged is not None and damaged != rows:
            yield name, not is_accepted(damaged)
    yield DELIMITER, not is_accepted(rows, ";")
