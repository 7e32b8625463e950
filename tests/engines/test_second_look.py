"""A second look finds the cells of a region in the rows that are shown, or nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sculpt
from agreement import ALL, parse, schema_texts
from sculpt.engines import reference
from sculpt.engines.results import second_look
from sculpt.engines.results.second_look import excerpts, region_columns
from strategies import as_csv, tables


@settings(max_examples=150)
@given(schema_texts(ALL), tables)
def test_the_columns_are_those_of_the_region(
    tmp_path_factory: pytest.TempPathFactory, text: str, rows: list[list[str]]
) -> None:
    schema = parse(text)
    if schema is None:
        return
    path = tmp_path_factory.getbasetemp() / "look.csv"
    path.write_bytes(as_csv(rows))
    verdict = sculpt.validate(schema, path, engine="reference")
    table = reference.Table(sculpt.read_table(schema, path), dict(schema.core.tokens))
    regions = {rule.number: table.region(rule.selector) for rule in schema.core.rules}
    wanted = {
        (each.rule, each.row): tuple(sorted(c for r, c in regions[each.rule] if r == each.row))
        for each in verdict.violations
        if each.rule is not None and each.row is not None
    }
    found = region_columns(schema.core, str(path), verdict.violations, verdict.columns)
    assert found == wanted


def schema_and_file(tmp_path: Path, rows: int) -> tuple[sculpt.Schema, Path]:
    path = tmp_path / "d.csv"
    path.write_text("1,x,y\n" * rows + "z,x,y\n", encoding="utf-8")
    return sculpt.Schema.parse("col(1) or col(3) -> Integer, Text\n"), path


def test_a_row_far_down_is_left_out(tmp_path: Path) -> None:
    schema, path = schema_and_file(tmp_path, 20_000)
    verdict = sculpt.validate(schema, path)
    near = region_columns(schema.core, str(path), verdict.violations, verdict.columns)
    assert near == {(1, 20_001): (1, 3)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(second_look, "MAX_BYTES", 100_000)
        patch.setattr(second_look, "MAX_BYTES_PLAIN", 100_000)
        assert not region_columns(schema.core, str(path), verdict.violations, verdict.columns)


def test_a_row_that_has_changed_is_left_out(tmp_path: Path) -> None:
    schema, path = schema_and_file(tmp_path, 1)
    verdict = sculpt.validate(schema, path)
    path.write_text("1,x,y\nother,x,y\n", encoding="utf-8")
    assert not region_columns(schema.core, str(path), verdict.violations, verdict.columns)
    path.unlink()
    assert not region_columns(schema.core, str(path), verdict.violations, verdict.columns)


def test_a_pipe_is_not_read_again(tmp_path: Path) -> None:
    schema, path = schema_and_file(tmp_path, 1)
    verdict = sculpt.validate(schema, path)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert not region_columns(schema.core, str(pipe), verdict.violations, verdict.columns)
    assert not region_columns(schema.core, "-", verdict.violations, verdict.columns)


@given(st.lists(st.tuples(st.integers(1, 30), st.integers(1, 4)), max_size=5))
def test_excerpts_are_the_rows_of_their_places(
    tmp_path_factory: pytest.TempPathFactory, places: list[tuple[int, int]]
) -> None:
    path = tmp_path_factory.getbasetemp() / "excerpts.csv"
    path.write_text("".join(f'r{n},"a\nb", c{n}\n' for n in range(1, 21)), encoding="utf-8")
    schema = sculpt.Schema.parse("")
    found = excerpts(schema.core, str(path), places)
    assert set(found) == {place for place in places if place[0] <= 20}
    for (row, column), excerpt in found.items():
        assert excerpt.text == f'r{row},"a\nb", c{row}'
        assert excerpt.line == 2 * row - 1
        shown = excerpt.text[excerpt.start : excerpt.end]
        assert shown == [f"r{row}", '"a\nb"', f"c{row}", ""][column - 1]
