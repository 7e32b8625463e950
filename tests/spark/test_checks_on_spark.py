"""Keys, references, tables and conditions on Spark: the verdicts of the reference, for any cut."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import sculpt
import sculpt.spark
from sculpt.checks.conditions import required_by_reference
from sculpt.checks.joined import joined
from sculpt.checks.model import Request
from sculpt.checks.validation import checked_files
from sculpt.diagnostics import Source
from sculpt.engines import reference
from sculpt.engines.options import Options
from sculpt.origins import Origin, Spot
from sculpt.report.lists.violations import violation_row
from sculpt.spark.listers import VIOLATIONS
from sculpt.tabular.document import decode
from sculpt.tabular.grid import read_grid
from sculpt.verdict import Unread, Verdict, Violation

pytestmark = pytest.mark.xdist_group("spark")

LIMIT = 40
DEPTS = "row(1) -> Code, Name\nkey(col(Code))\n"
EMPLOYEES = """
include "depts.sculpt" as Depts for "depts.csv"
codes := list(Text, ";")
row(1) -> Id, Dept, Boss, Others
col(Dept) -> Text
"""
STATEMENTS = {
    "key": "key(col(Id))",
    "several parts": "key(col(Dept), col(Boss) as Number)",
    "several cells": "key(col(Dept), col(Boss) or col(Others)) ! warning",
    "across files": 'key(col(Id) as Number) across files ! warning "twice"',
    "in runs": "key(col(Dept)) in runs",
    "within a table": "col(Boss) and Text ~> col(Id)",
    "in any case": "key(col(Dept) as AnyCase, col(Boss) as AnyCase) across files",
    "refers in any case": "col(Others) and codes as AnyCase ~>+ Depts(col(Code) as AnyCase)",
    "several allowed": "col(Boss) as Number ~>+ col(Id) as Number",
    "to a table": "col(Dept) ~> Depts(col(Code))",
    "a list": "col(Others) and codes ~>+ Depts(col(Code))",
    "from a table": "Depts(col(Name)), Depts(col(Code))".replace("), Depts(", ", ")
    + " ~>+ col(Dept), col(Others)",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Employees in two files, and departments; some texts are quoted, or cannot be decoded."""
    chance = random.Random(7)
    for name, rows in (("a.csv", 260), ("b.csv", 90)):
        lines = [b"Id,Dept,Boss,Others"]
        for _ in range(rows):
            number, boss = chance.randrange(400), chance.choice(["", "7", "7.0", "x", "12"])
            dept = f"{chance.choice('Dd')}{chance.randrange(14)}"
            dept = f'" {dept}"' if chance.random() < 0.2 else dept
            others = ";".join(f"D{chance.randrange(16)}" for _ in range(chance.randrange(4)))
            line = f"{number},{dept},{boss},{others}".encode()
            lines.append(line + b"\xff" if chance.random() < 0.05 else line)
        (tmp_path / name).write_bytes(b"\n".join(lines) + b"\n")
    depts = [f"D{number},Name {number % 5}" for number in (*range(12), 3)]
    (tmp_path / "depts.csv").write_text("\n".join(["Code,Name", *depts, ""]))
    (tmp_path / "depts.sculpt").write_text(DEPTS)
    return tmp_path


def schema_in(folder: Path, *statements: str) -> sculpt.Schema:
    path = folder / "employees.sculpt"
    path.write_text(EMPLOYEES + "\n".join(statements) + "\n")
    return sculpt.Schema.load(path)


def by_reference(
    schema: sculpt.Schema, paths: list[str]
) -> tuple[list[Verdict | Unread], list[tuple[str, Violation]]]:
    """The outcomes, and all violations of keys and references with their files."""
    options = Options(max_violations=LIMIT)
    with checked_files(schema, paths, "reference", Request(), options) as files:
        listed = [
            (each.path, violation)
            for each in files
            for found in each.founds
            for violation in found.listed()
        ]
        return [each.outcome for each in files], listed


def by_reference_engine(outcomes: Sequence[Verdict | Unread]) -> list[Verdict | Unread]:
    return [
        replace(each, engine="reference") if isinstance(each, Verdict) else each
        for each in outcomes
    ]


def as_rows(listed: list[tuple[str, Violation]]) -> list[dict[str, Any]]:
    names = [column.split()[0] for column in VIOLATIONS.split(",")]
    return [dict(zip(names, violation_row(*each), strict=True)) for each in listed]


def places(rows: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    names = ("file", "row", "column", "line", "code", "message", "offset", "found", "severity")
    return sorted(tuple(str(row[name]) for name in names) for row in rows)


@pytest.mark.parametrize("unit", [None, 2500, 700])
def test_all_statements_at_once(spark: SparkSession, folder: Path, unit: int | None) -> None:
    schema = schema_in(folder, *STATEMENTS.values())
    paths = [str(folder / name) for name in ("a.csv", "b.csv")]
    theirs, listed = by_reference(schema, paths)
    result = sculpt.spark.validate(spark, schema, paths, LIMIT, unit=unit)
    for ours, other in zip(result.verdict.outcomes, theirs, strict=True):
        assert isinstance(ours, Verdict)
        assert isinstance(other, Verdict)
        assert replace(ours, engine=other.engine) == other
        assert [v.excerpt for v in ours.violations] == [v.excerpt for v in other.violations]
    codes = {violation.code for _, violation in listed}
    assert codes == {"key", "key-several", "reference-none", "reference-several"}
    rows = [row.asDict() for row in result.violations.where("rule is null").collect()]
    found = [row for row in rows if row["line"] is not None]
    assert places(found) == places(as_rows(listed))
    bad = {(file, each.row) for file, each in listed if each.severity == "error"}
    rules = result.violations.where("severity = 'error' and row is not null").collect()
    bad |= {(row.file, row.row) for row in rules}
    assert {(row.file, row.row) for row in result.bad_rows().collect()} == bad
    good = {(row.file, row.row) for row in result.good_rows().collect()}
    assert not good & bad
    assert len(good | bad) == sum(each.rows for each in theirs if isinstance(each, Verdict))


@pytest.mark.parametrize("unit", [None, 700])
def test_undecodable_cells_of_another_encoding(
    spark: SparkSession, tmp_path: Path, unit: int | None
) -> None:
    bad = (b"\xff", b"\x80", b"\x81\x01", b"\x82\x01")
    rows = [b"\x83\x41%d%s\n" % (number // 4, bad[number % 4]) for number in range(400)]
    blank = b"\n\n\n"
    path = tmp_path / "data.csv"
    path.write_bytes(b"A\n" + b"".join(rows) + rows[6] + blank + rows[9])
    schema = sculpt.Schema.parse("Encoding = shift_jis\nkey(col(A))\n")
    theirs, listed = by_reference(schema, [str(path)])
    result = sculpt.spark.validate(spark, schema, [str(path)], LIMIT, unit=unit)
    assert by_reference_engine(result.verdict.outcomes) == theirs
    assert [violation.row for _, violation in listed] == [402, 404, 405, 406]
    rows_found = [row.asDict() for row in result.violations.where("code = 'key'").collect()]
    assert places(rows_found) == places(as_rows(listed))
    result.close()


def in_runs(chance: random.Random, rows: int) -> Iterator[str]:
    """Lines of ports: each stays for some lines, and comes again; the next may be the same."""
    ports = ["Sligo", "Cobh", "Kilrush Creek Marina", ""]
    while rows > 0:
        port, count = chance.choice(ports), chance.choice([1, 1, 2, 40])
        yield from (f"{port},{chance.randrange(20)},{chance.choice(ports)}" for _ in range(count))
        rows -= count


@pytest.mark.parametrize("unit", [None, 900, 250])
def test_keys_in_runs(spark: SparkSession, tmp_path: Path, unit: int | None) -> None:
    chance = random.Random(11)
    paths = [str(tmp_path / name) for name in ("a.csv", "b.csv")]
    for path, count in zip(paths, (300, 120), strict=True):
        lines = ["Port,Height,To", *in_runs(chance, count), ""]
        Path(path).write_text("\n".join(lines))
    schema = sculpt.Schema.parse(
        """row(1) -> Port, Height, To
key(col(Port)) in runs
key(col(Port) and Text, col(Height) as Number) in runs ! warning
key((col(Port) or col(To)) and Text) in runs
"""
    )
    theirs, listed = by_reference(schema, paths)
    result = sculpt.spark.validate(spark, schema, paths, LIMIT, unit=unit)
    assert by_reference_engine(result.verdict.outcomes) == theirs
    for each in theirs:
        assert isinstance(each, Verdict)
        tallies = [tally for tally in each.structure if tally.code == "key"]
        assert all(0 < tally.failed < tally.checked for tally in tallies)
        assert tallies[0].failed < tallies[0].checked // 4
    rows = [row.asDict() for row in result.violations.collect()]
    assert places(rows) == places(as_rows(listed))
    bad = {(file, each.row) for file, each in listed if each.severity == "error"}
    assert {(row.file, row.row) for row in result.bad_rows().collect()} == bad


def test_a_file_given_twice(spark: SparkSession, folder: Path) -> None:
    schema = schema_in(folder, STATEMENTS["across files"].replace("! warning", "!"))
    paths = [str(folder / "b.csv")] * 2
    theirs, _ = by_reference(schema, paths)
    result = sculpt.spark.validate(spark, schema, paths, LIMIT)
    ours = result.verdict.outcomes
    assert by_reference_engine(ours) == theirs
    first, second, _ = ours
    assert isinstance(first, Verdict)
    assert isinstance(second, Verdict)
    assert second.violation_count > first.violation_count
    assert result.bad_rows().count() < 2 * second.rows


def test_data_frames_as_tables(spark: SparkSession, folder: Path) -> None:
    named = ("key", "in runs", "to a table", "a list")
    schema = schema_in(folder, *(STATEMENTS[name] for name in named))
    text = (folder / "b.csv").read_bytes().replace(b"\xff", b"").replace(b'" ', b'"')
    (folder / "b.csv").write_bytes(text)
    path = str(folder / "b.csv")
    (theirs, depts), listed = by_reference(schema, [path])
    assert isinstance(theirs, Verdict)
    assert isinstance(depts, Verdict)
    given = spark.read.csv(path, header=True, emptyValue="", nullValue="\0")
    other = spark.read.csv(str(folder / "depts.csv"), header=True).repartitionByRange(3, "Name")
    name = "<data frame Depts>"
    with sculpt.spark.validate_dataframe(given, schema, tables={"Depts": other}) as result:
        assert not result.valid
        verdict = result.verdict
        assert verdict.structure == theirs.structure
        assert verdict.heat == theirs.heat
        assert [each.table for each in result.others.outcomes] == ["Depts"]
        assert not result.others.valid
        rows = [row.asDict() for row in result.violations.where("file is null").collect()]
        own = [
            (v.row, v.column, v.code, v.found) for file, v in listed if file == path
        ]  # the departments are in another order, so messages name other places
        assert sorted((r["row"], r["column"], r["code"], r["found"]) for r in rows) == sorted(own)
        bad = {v.row for file, v in listed if file == path}
        assert {row.row for row in result.bad_rows().collect()} == bad
        assert result.good_rows().count() == theirs.rows - 1 - len(bad)
    both = sculpt.spark.validate(spark, schema, path, tables={"Depts": other})
    assert [each.path for each in both.verdict.outcomes] == [path, name]
    assert both.violations.where(f"file = '{name}'").count() == depts.violation_count
    assert both.violations.where(f"file = '{path}'").count() == theirs.violation_count
    both.close()


def test_a_table_without_rows(spark: SparkSession, folder: Path) -> None:
    schema = schema_in(folder, STATEMENTS["to a table"])
    empty = spark.createDataFrame([], "Code string, Name string")
    path = folder / "b.csv"
    result = sculpt.spark.validate(spark, schema, path, tables={"Depts": empty})
    ours, depts = result.verdict.outcomes
    assert isinstance(ours, Verdict)
    assert depts.valid
    (tally,) = (each for each in ours.structure if each.code == "reference")
    assert tally.failed == tally.checked > 0
    result.close()


def test_a_table_that_cannot_be_read(spark: SparkSession, folder: Path) -> None:
    schema = schema_in(folder, STATEMENTS["key"], STATEMENTS["to a table"])
    paths = [str(folder / "a.csv")]
    (folder / "depts.csv").unlink()
    theirs, _ = by_reference(schema, paths)
    result = sculpt.spark.validate(spark, schema, paths, LIMIT)
    assert by_reference_engine(result.verdict.outcomes) == theirs
    assert isinstance(theirs[1], Unread)
    assert result.verdict.exit_status == 3


CONDITIONS = """
row(1) -> Start, End, Amount
For each row r in col(Start) {
  require(r[col(Start)] as Number <= r[col(End)] as Number)
  require(r[col(Amount)] is Number) ! warning
}
For each cell v in col(Start) { require(up[Number](v) optional <= v) }
require(Sum(col(Amount)) = Only((2,1)))
"""


@pytest.mark.parametrize(("unit", "column"), [(None, None), (700, None), (700, 3)])
def test_conditions(
    spark: SparkSession, tmp_path: Path, unit: int | None, column: int | None
) -> None:
    chance = random.Random(1)
    path = tmp_path / "data.csv"
    lines = (
        f"{row + chance.randrange(3)},{row + chance.randrange(40)},{chance.randrange(1, 5)}"
        for row in range(200)
    )
    path.write_text("\n".join(["Start,End,Amount", *lines, ""]))
    origin = Origin("a rule", Spot("t.json", "/x"), column=column)
    origins = {"require:1": origin} if column else None
    schema = sculpt.Schema.imported(Source("t.json", CONDITIONS, origins=origins))
    core, name = schema.core, str(path)
    grid = read_grid(decode(path.read_bytes(), core.dialect.encoding), core.dialect)
    found = required_by_reference(schema, Request(), grid, name, LIMIT)
    theirs = joined(reference.validate(core, grid, name, LIMIT), [found], LIMIT)
    assert not theirs.valid
    result = sculpt.spark.validate(spark, schema, path, LIMIT, unit=unit)
    (ours,) = result.verdict.outcomes
    assert isinstance(ours, Verdict)
    assert replace(ours, engine=theirs.engine) == theirs
    assert [v.excerpt for v in ours.violations] == [v.excerpt for v in theirs.violations]
    rows = [row.asDict() for row in result.violations.collect()]
    assert places(rows) == places(as_rows([(name, each) for each in found.listed()]))
    bad = {each.row for each in found.listed() if each.severity == "error"}
    expected = theirs.rows if None in bad else len(bad)
    assert result.bad_rows().count() == expected
    assert result.good_rows().count() == theirs.rows - expected


def _stream(spark: SparkSession, schema: sculpt.Schema, folder: Path) -> None:
    sculpt.spark.validate_stream(spark, schema, folder, folder / "out")


def _source(spark: SparkSession, schema: sculpt.Schema, folder: Path) -> None:
    sculpt.spark.register(spark)
    source = spark.read.format("sculpt").option("schema", schema.source.name)
    source.load(str(folder / "b.csv")).collect()


def _frame(spark: SparkSession, schema: sculpt.Schema, folder: Path) -> None:
    sculpt.spark.validate_dataframe(spark.range(3).toDF("Start"), schema)


@pytest.mark.parametrize(
    ("text", "call", "words"),
    [
        ("key(col(Id)) across files", _stream, "files of a stream arrive one after the other"),
        ("key(col(Id)) across files", _source, "reads each file by itself"),
        ('include "depts.sculpt" as D for "depts.csv"', _source, "reads each file by itself"),
        ("For each cell c in col(Start) { require(c as Number > 1) }", _frame, "cannot be checked"),
    ],
)
def test_what_cannot_be_judged_is_said(
    spark: SparkSession,
    folder: Path,
    text: str,
    call: Callable[[SparkSession, sculpt.Schema, Path], None],
    words: str,
) -> None:
    path = folder / "some.sculpt"
    path.write_text(f"{text}\n")
    with pytest.raises(Exception, match=words):
        call(spark, sculpt.Schema.load(path), folder)


@pytest.mark.parametrize("what", ["violations", "rows"])
def test_the_data_source_judges_each_file(spark: SparkSession, folder: Path, what: str) -> None:
    path = folder / "some.sculpt"
    path.write_text("key(col(Id))\nkey(col(Dept)) in runs\ncol(Boss) and Text ~> col(Id)\n")
    schema = sculpt.Schema.load(path)
    result = sculpt.spark.validate(spark, schema, folder / "*.csv", 0)
    sculpt.spark.register(spark)
    source = spark.read.format("sculpt").option("schema", str(path)).option("what", what)
    frame = source.load(str(folder / "*.csv"))
    if what == "violations":
        rows = [row.asDict() for row in frame.collect()]
        assert places(rows) == places([row.asDict() for row in result.violations.collect()])
    else:
        bad = {(row.file, row.row) for row in result.bad_rows().collect()}
        assert {(row.file, row.row) for row in frame.where("not good").collect()} == bad
        assert bad


def test_warnings_about_checks(spark: SparkSession, folder: Path) -> None:
    """Checks that select nothing, and references to a table that cannot be read."""
    schema = schema_in(
        folder,
        "key(col(Nix))",
        "key(col(Id), col(Nix))",
        STATEMENTS["to a table"],
        'For each row r in Nix { require(r[col(Id)] = "1") }',
    )
    (folder / "depts.csv").unlink()
    paths = [str(folder / name) for name in ("a.csv", "b.csv")]
    theirs, _ = by_reference(schema, paths)
    ours = sculpt.spark.validate(spark, schema, paths, LIMIT, unit=700).verdict.outcomes
    assert by_reference_engine(ours) == theirs
    for each in ours[:2]:
        assert isinstance(each, Verdict)
        codes = [warning.code for warning in each.warnings]
        assert codes == ["vacuous-check"] * 3 + ["not-judged"]
