"""Wide tables: one rule about whole rows, which is as tight as a rule for each column."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

import sculpt
from sculpt.inference.emit.wide import folded
from sculpt.inference.emit.words import Words

A: Words = ("A",)
B: Words = ("B",)
C: Words = ("C",)


@pytest.mark.parametrize(
    ("items", "text"),
    [
        ([A, A, B], "A{2}, B"),
        ([A, B, B] * 5, "(A, B{2}){5}"),
        ([C, *[A, B] * 3, C], "C, (A, B){3}, C"),
        ([A, ("A", " | ", "B")], "A, (A | B)"),
        ([A], "A"),
        ([A, B] * 2000, "(A, B)*"),
        ([A, *[B] * 2000], "A, B*"),
    ],
)
def test_series_are_folded(items: list[Words], text: str) -> None:
    found = folded(items, True)
    assert found is not None
    assert "".join(map(str, found)) == text


def test_what_nobody_reads_is_not_written_out() -> None:
    chance = random.Random(1)
    assert folded([chance.choice((A, B, C)) for _ in range(300)], False) is None
    assert folded([A] * 2000, False) == ("A", "{2000}")


def saved(folder: Path, rows: list[list[str]]) -> Path:
    path = folder / "data.csv"
    path.write_text("\n".join(map(",".join, rows)) + "\n")
    return path


def rows_of(cell: Callable[[int, int], str], rows: int, columns: int) -> list[list[str]]:
    return [[cell(row, column) for column in range(columns)] for row in range(1, rows + 1)]


def code(row: int, column: int) -> str:
    """A text of letters."""
    return "".join("abcdefghij"[int(digit)] for digit in str(row * 7919 + column * 104729))


def test_columns_in_turn_are_one_rule(tmp_path: Path) -> None:
    def cell(row: int, column: int) -> str:
        return code(row, column) if column % 3 else str(row * column)

    rows = rows_of(cell, 40, 300)
    path = saved(tmp_path, [[f"h{n}" for n in range(300)], *rows])
    proposal = sculpt.propose(path)
    assert "-> (Integer, " in proposal.schema
    assert proposal.schema.rstrip().endswith("{2})*")
    assert proposal.schema.count("\n") < 20
    assert proposal.stress.missed == ()
    assert proposal.stress.weak == ()
    schema = sculpt.Schema.parse(proposal.schema)
    assert sculpt.validate(schema, path).valid
    rows[20][299] = "7"
    path = saved(tmp_path, [[f"h{n}" for n in range(300)], *rows])
    found = sculpt.validate(schema, path).violations
    assert [(each.row, each.column) for each in found] == [(22, 300)]


def test_numbers_without_headings(tmp_path: Path) -> None:
    """The rule about all cells says how many there are, and that they are numbers."""
    path = saved(tmp_path, rows_of(lambda row, column: f"{row * column / 8}", 30, 60))
    proposal = sculpt.propose(path)
    assert "true -> Number{60}" in proposal.schema
    assert "Any" not in proposal.schema
    assert proposal.stress.missed in ((), ("two columns swapped",))


def test_labels_before_numbers_without_headings(tmp_path: Path) -> None:
    def cell(row: int, column: int) -> str:
        return f"{row * column / 8}" if column else code(row, 3)

    path = saved(tmp_path, rows_of(cell, 30, 60))
    schema = sculpt.propose(path).schema
    assert "right{1,59}(col(1)) -> Number{59}" in schema


def test_very_many_columns_are_no_more_than_numbers(tmp_path: Path) -> None:
    rows = rows_of(lambda row, column: str(row * column), 5, 3000)
    path = saved(tmp_path, [[f"c{n}" for n in range(3000)], *rows])
    proposal = sculpt.propose(path)
    assert "down+(right*(c0)) -> Integer*" in proposal.schema
    assert "true -> Any{3000}" in proposal.schema
