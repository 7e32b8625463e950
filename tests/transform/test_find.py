"""Rows of other tables: engines agree, whatever the cut; the index is exact, whatever its hash."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sculpt
from sculpt.checks.model import Request
from sculpt.checks.programs import ProgramValidator
from sculpt.engines.options import Options
from sculpt.policy import Policy
from sculpt.transform.evaluation.findings import Findings
from sculpt.transform.evaluation.row_index import RowIndex, hashes_of
from sculpt.transform.local import LocalProducer

OTHER = """\
Code <= down+(row(1) and "code") and not Empty
Year <= down+(row(1) and "year") and not Empty
Name <= down+(row(1) and "name") and not Empty
"""
MAIN = """\
include "other.sculpt" as Depts for "other.csv"
A <= col(1) and not row(1)
B <= col(2) and not row(1)
print find(Depts(Code), "a")[Name] optional("none")
For each row r in not row(1) {
  let d = find(Depts(Code), r[A] optional)
  emit One(
    name: d[Name], raw: d[Name].raw, code: d, row: d.row,
    both: find(Depts(Code, Year), r[A] optional, r[B] optional)[Name],
    given: (find(Depts(Code), r[B] optional)[Year] as xs:int) optional(0)
  )
  let said = concat(d[Name], "/", r[B])
  emit All(
    names: d[Name] all,
    said: said all("+"),
    iris: iri(concat("http://x.org/", percent-encode(d[Name]))) all,
    numbers: (d[Year] as xs:int) all,
    chosen: (if d[Year] = r[B] then "same" else concat(d.row)) all
  )
}
For each cell v in col(2) { emit Cell(name: find(Depts(Code), upper(v))[Name] optional) }
"""
KEYS = st.sampled_from(["a", "b", "A", "é", "", "1", "a b"])
ROWS = st.lists(st.tuples(KEYS, KEYS, KEYS), max_size=5)


def folder_with(
    folder: Path, main: Sequence[tuple[str, ...]], other: Sequence[tuple[str, ...]]
) -> Path:
    (folder / "other.sculpt").write_text(OTHER, encoding="utf-8")
    (folder / "main.sculpt").write_text(MAIN, encoding="utf-8")
    for name, head, rows in (("main", "a,b", main), ("other", "code,year,name", other)):
        lines = [head, *(",".join(row) for row in rows)]
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def produced(folder: Path, engine: str, strip: int | None = None) -> tuple[Any, ...]:
    schema = sculpt.Schema.load(folder / "main.sculpt")
    options = Options(threads=2)
    validator = ProgramValidator(schema, engine, Request(), options)
    paths = [str(folder / "main.csv")]
    producer = LocalProducer(schema, paths, Policy.FORCE, engine, options, validator)
    for run in producer._runs:
        run.strip = strip
    producer.validate()
    findings = Findings()
    rows: dict[int, list[Any]] = {}
    streams = frozenset(range(len(producer.program.streams)))
    for table in producer.tables(streams, findings):
        for stream, batch in table:
            rows.setdefault(stream, []).extend(tuple(each.values()) for each in batch.to_pylist())
    found = [(v.code, v.row, v.column, v.found, v.message, v.line) for v in findings.violations]
    return rows, sorted(found, key=repr), findings.count


@given(ROWS, ROWS, st.integers(1, 12))
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
def test_engines_agree(
    tmp_path_factory: pytest.TempPathFactory, main: Any, other: Any, strip: int
) -> None:
    folder = folder_with(tmp_path_factory.mktemp("find"), main, other)
    assert produced(folder, "local", strip) == produced(folder, "reference")


def test_policies(tmp_path: Path) -> None:
    other = [("a", "1", "Ada"), ("b", "2", "Bo"), ("a", "3", "Al"), ("c", "4", "")]
    main = [("b", "2"), ("a", "3"), ("x", ""), ("", ""), ("c", "4")]
    rows, findings, _ = produced(folder_with(tmp_path, main, other), "local")
    one, both, lists = rows[1], [row[4] for row in rows[1]], rows[2]
    assert [row[0] for row in one] == ["Bo", None, None, None, None]
    assert [row[3] for row in one] == [3, None, None, None, 5]
    assert both == ["Bo", "Al", None, None, None]
    assert lists[1] == (["Ada", "Al"], "Ada/3+Al/3", ["http://x.org/Ada", "http://x.org/Al"],
                        ["1", "3"], ["2", "same"])  # fmt: skip
    assert lists[2] == ([], "", [], [], [])
    said = {(code, row): message for code, row, _, _, message, _ in findings}
    assert said["lookup-several", 3].endswith("finds several rows: 2 and 4")
    assert "finds no row" in said["lookup-none", 4]
    assert "finds no cell in its row, or several" in said["lookup-none", 6]
    assert rows[0] == [("none",)]


TEXTS = st.lists(st.one_of(st.none(), st.text(max_size=3), KEYS), min_size=1, max_size=40)


@given(TEXTS, TEXTS, st.integers(1, 2), st.sampled_from([64, 3, 1]), st.sampled_from([0, 1 << 30]))
@settings(max_examples=150, deadline=None)
def test_the_index_finds_all_rows_and_no_others(
    table: list[str | None], asked: list[str | None], keys: int, bits: int, memory: int
) -> None:
    """Even if hashes collide, and if all records are in a temporary file."""
    columns = [pa.array(table, pa.string()) for _ in range(keys)]
    batch = pa.RecordBatch.from_arrays(
        [*columns, pa.array(range(len(table)))], [f"f{n}" for n in range(keys + 1)]
    )
    half = len(table) // 2
    index = RowIndex([batch.slice(0, half), batch.slice(half)], keys, memory, bits)
    probes = [pa.array(asked, pa.string()) for _ in range(keys)]
    starts, counts = index.located(probes)
    rows = index.rows(starts, counts)
    assert index.texts(keys, rows).to_pylist() == [
        at for text in asked if text is not None for at, own in enumerate(table) if own == text
    ]
    assert index.texts(0, np.array([-1])).to_pylist() == [None]


def test_an_index_without_rows() -> None:
    index = RowIndex([], 1)
    starts, counts = index.located([pa.array(["a", None])])
    assert counts.tolist() == [0, 0]
    assert len(index.rows(starts, counts)) == 0


def test_hashes_do_not_depend_on_the_slice() -> None:
    whole = pa.array(["", "ab", None, "abc", "é"])
    assert hashes_of(whole)[2:].tolist() == hashes_of(whole[2:]).tolist()
    assert len({*hashes_of(pa.array(["", "a", "aa", "b", "ab", "ba"])).tolist()}) == 6


WRONG = {
    "find(Dept(Code), r[A])": ("unknown-table", "did you mean `Depts`?"),
    "find(Depts(Code, Year), r[A])": ("wrong-type", "each region is compared"),
    "(d[Name] + find(Depts(Year), r[B])) all": ("wrong-type", None),
    "directly(left, A, d)": ("wrong-type", "it is a value"),
    "(d[Name] all) all": ("wrong-type", None),
}


@pytest.mark.parametrize("value", WRONG)
def test_errors(value: str, tmp_path: Path) -> None:
    folder_with(tmp_path, [], [])
    text = (
        MAIN.partition("print")[0] + "For each row r in true {\n  let d = find(Depts(Code), r[A])\n"
    )
    (tmp_path / "wrong.sculpt").write_text(f"{text}  emit X(x: {value})\n}}\n", encoding="utf-8")
    with pytest.raises(sculpt.SchemaError) as caught:
        sculpt.Schema.load(tmp_path / "wrong.sculpt")
    code, hint = WRONG[value]
    first = caught.value.diagnostics[0]
    assert (first.code, first.span.line) == (code, 6)
    assert hint is None or hint in (first.hint or "")


def test_a_condition_cannot_look_into_another_table(tmp_path: Path) -> None:
    folder_with(tmp_path, [], [])
    text = (
        'include "other.sculpt" as D\nFor each cell v in true { require(find(D(Code), v) = "a") }\n'
    )
    (tmp_path / "wrong.sculpt").write_text(text, encoding="utf-8")
    with pytest.raises(sculpt.SchemaError, match="cannot look into another table"):
        sculpt.Schema.load(tmp_path / "wrong.sculpt")


def test_explain_names_the_table(tmp_path: Path) -> None:
    schema = sculpt.Schema.load(folder_with(tmp_path, [], []) / "main.sculpt")
    assert schema.explanation.program is not None
    assert {table for _, _, table in schema.explanation.program.finds} == {"Depts"}
    assert len(schema.explanation.program.finds) == 2
