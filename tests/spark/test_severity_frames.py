"""Errors and warnings on Spark: counts, the column `severity`, good and bad rows, programs."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import sculpt
import sculpt.spark
from sculpt.spark import stream
from sculpt.verdict import Verdict
from sessions import as_row, assert_same, in_chunks, listed

pytestmark = pytest.mark.xdist_group("spark")

RULES = """\
n = [0-9]+
col(id) -> n
col(size) -> small ! warning "is that right?"
small = [0-9]{1,2}
unique("7") ! warning
"""
ENDS = RULES + "col(id) |> n{500} ! warning\ncol(size) => Any{500} ! warning\n"
"""Two warnings that name no row."""
DATA = "id,size\n" + "".join(
    f"{'x' if row % 40 == 3 else row},{row * 3 % 140}\n" for row in range(2, 202)
)
"""Five errors, and many warnings in other rows."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "data.csv"
    path.write_text(DATA)
    return path


@pytest.mark.parametrize("text", [RULES, ENDS])
@pytest.mark.parametrize("chunks", [1, 4])
def test_files(spark: SparkSession, path: Path, text: str, chunks: int) -> None:
    schema = sculpt.Schema.parse(text)
    theirs = sculpt.validate(schema, path, engine="reference")
    assert theirs.violation_count == 5
    assert theirs.warning_violation_count > 50
    ours, result = in_chunks(spark, schema, path, chunks)
    assert repr(result) == "<Result: 0 of 1 valid, engine spark>"
    assert_same(ours, theirs)
    few = sculpt.spark.validate(spark, schema, path, 2, unit=path.stat().st_size // chunks + 1)
    (least,) = few.verdict.outcomes
    assert isinstance(least, Verdict)
    assert_same(least, sculpt.validate(schema, path, engine="reference", max_violations=2))
    table = result.violations
    assert "severity" in table.columns
    assert listed(table) == [as_row(str(path), each) for each in theirs.violations]
    bad = {each.row for each in theirs.violations if each.severity == "error"}
    assert {row.row for row in result.bad_rows().collect()} == bad
    assert result.good_rows().count() == theirs.rows - len(bad)
    row = stream._rows(result.verdict)[0]
    assert (row[1], row[4], row[-1]) == (False, 5, theirs.warning_violation_count)


def test_data_frames_and_the_data_source(spark: SparkSession, path: Path) -> None:
    lines = [line.split(",") for line in DATA.splitlines()[1:]]
    rows = [(number, *line) for number, line in enumerate(lines)]
    frame = spark.createDataFrame(rows, "at int, id string, size string").repartition(3)
    schema = sculpt.Schema.parse(ENDS)
    with sculpt.spark.validate_dataframe(frame, schema, order_by="at") as result:
        counts = {
            row.severity: row["count"]
            for row in result.violations.groupBy("severity").count().collect()
        }
        verdict = result.verdict
        assert counts == {"error": 5, "warning": verdict.warning_violation_count}
        assert verdict.violation_count == 5
        assert [row.id for row in result.bad_rows().collect()] == ["x"] * 5
        assert result.good_rows().count() == 195
    sculpt.spark.register(spark)
    only = sculpt.Schema.parse(ENDS.replace("col(id) -> n", "col(id) -> n ! warning"))
    assert sculpt.validate(only, path).valid
    text = ENDS.replace("col(id) -> n", "col(id) -> n ! warning")
    read = spark.read.format("sculpt").option("schemaText", text)
    found = {row.severity for row in read.load(str(path)).collect()}
    assert found == {"warning"}
    assert read.option("what", "rows").load(str(path)).where("not good").count() == 0


def test_programs(spark: SparkSession, path: Path) -> None:
    program = "For each row r in row(here) { emit R(size: r.cells[1]) }\nhere <= col(id) and Text\n"
    schema = sculpt.Schema.parse(ENDS + program)
    with pytest.raises(sculpt.RefusedError, match="found `x`, expected n"):
        sculpt.spark.records(spark, schema, path)
    frame = sculpt.spark.records(spark, schema, path, only_good_rows=True, unit=400)
    assert frame.count() == 195
    warned = sculpt.Schema.parse(ENDS.replace("-> n\n", "-> n ! warning\n") + program)
    assert sculpt.spark.records(spark, warned, path).count() == 200
