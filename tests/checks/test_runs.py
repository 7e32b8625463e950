"""Keys in runs: equal entries must be in rows that follow each other."""

from __future__ import annotations

import tempfile
from itertools import groupby
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sculpt
from sculpt.checks.model import Request

LONG = "a text that is too long to be kept as a number"


def violated(statement: str, lines: list[str], engine: str) -> list[tuple[int | None, str]]:
    """Rows and messages of what is violated."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "data.csv")
        path.write_text("".join(f"{line}\n" for line in lines))
        verdict = sculpt.validate(sculpt.Schema.parse(statement), path, engine=engine)
    return [(each.row, each.message) for each in verdict.violations]


@pytest.mark.parametrize("engine", ["reference", "local"])
def test_the_first_row_of_a_later_run_is_a_violation(engine: str) -> None:
    lines = ["x,1", "x,2", "y,1", "x,3", "x,4", "y,2", "z,1"]
    assert violated("key(col(1)) in runs", lines, engine) == [
        (4, "`x` comes again after other rows: it is first at (1,1)"),
        (6, "`y` comes again after other rows: it is first at (3,1)"),
    ]


@pytest.mark.parametrize("engine", ["reference", "local"])
def test_a_row_that_is_no_entry_ends_a_run(engine: str) -> None:
    found = violated("key(col(1) and Text) in runs", ["x,1", ",2", "x,3"], engine)
    assert [row for row, _ in found] == [3]


@given(st.lists(st.tuples(st.sampled_from(["a", "b", LONG]), st.sampled_from("xy")), max_size=12))
def test_runs_are_those_of_a_plain_loop(rows: list[tuple[str, str]]) -> None:
    lines = [",".join(row) for row in rows]
    for statement, width in (("key(col(1)) in runs", 1), ("key(col(1), col(2)) in runs", 2)):
        expected: list[int] = []
        seen: set[tuple[str, ...]] = set()
        at = 1
        for value, run in groupby([row[:width] for row in rows]):
            if value in seen:
                expected.append(at)
            seen.add(value)
            at += len(list(run))
        for engine in ("reference", "local"):
            assert [row for row, _ in violated(statement, lines, engine)] == expected


def test_it_is_no_key_that_a_reference_needs() -> None:
    schema = sculpt.Schema.parse("key(col(1)) in runs\ncol(2) ~> col(1)\n")
    assert [lint.code for lint in schema.lint] == ["target-without-key"]
    assert schema.format() == "key(col(1)) in runs\ncol(2) ~> col(1)\n"


def test_spark_refuses_it() -> None:
    from sculpt.spark.tables import Tables

    schema = sculpt.Schema.parse("row(1) -> Any\nkey(col(1)) in runs\n")
    with pytest.raises(sculpt.UnsupportedByEngine, match=r"line 2: `key\(col\(1\)\) in runs`"):
        Tables(None, schema, None, {}, Request())  # type: ignore[arg-type]
