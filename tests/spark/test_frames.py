"""Data frames as tables, and directories in which new files keep arriving."""

from __future__ import annotations

import datetime
import os
import pickle
import shutil
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 (as everywhere in Spark)

import sculpt
import sculpt.spark
from sculpt.automata import navigator
from sculpt.core.task import Task
from sculpt.engines.chunks.compose import FirstWork, Overflow
from sculpt.spark import partitions
from sculpt.spark.stream import as_input
from sculpt.spark.tasks import Job
from sessions import NUMBERS, as_row, listed, numbers_file

pytestmark = pytest.mark.xdist_group("spark")


def as_file(rows: Sequence[Sequence[Any]], path: Path) -> Path:
    """The same table as a file that quotes everything."""

    def cell(value: Any) -> str:
        text = "" if value is None else str(value)
        return '"' + text.replace('"', '""') + '"' if text else ""

    path.write_text("".join(",".join(map(cell, row)) + "\n" for row in rows), encoding="utf-8")
    return path


def people(spark: SparkSession, rows: int) -> DataFrame:
    """Rows in several partitions, in no order."""
    frame = spark.range(rows, numPartitions=5)
    return frame.select(
        F.col("id"),
        F.when(F.col("id") % 7 == 3, F.lit('Ann, "B"'))
        .when(F.col("id") % 11 == 5, F.lit(None))
        .otherwise(F.concat(F.lit("name "), F.col("id")))
        .alias("name"),
        (F.col("id") * 1.5).alias("size"),
    ).orderBy(F.hash("id"))


SCHEMAS = [
    "row(1) -> id, name, size\ncol(id) -> Integer\ncol(name) -> Text\ncol(size) -> Number",
    'col(name) => (Text | Empty)*\ncol(id) |> Integer{3}, Integer*\nunique("name 4")',
    "col(id) |> Integer{500}",
    'not up -> id, name, size\nup+("7") -> Any*\nrow(40) -> Integer, Empty, Any',
    "left+(Empty) -> Integer, Text",
    "not row(1) and col(name) -> name 4\nnot row(1) and col(size) -> huge",
]


@pytest.mark.parametrize("text", SCHEMAS)
def test_a_data_frame_is_a_table(spark: SparkSession, tmp_path: Path, text: str) -> None:
    schema = sculpt.Schema.parse(text)
    frame = people(spark, 200)
    rows = [tuple(row) for row in frame.orderBy("id").collect()]
    path = as_file([("id", "name", "size"), *rows], tmp_path / "table.csv")
    theirs = sculpt.validate(schema, path, engine="reference", max_violations=10**6)
    with sculpt.spark.validate_dataframe(frame, schema, order_by="id") as result:
        verdict = result.verdict
        assert (verdict.rows, verdict.columns) == (theirs.rows, theirs.columns)
        assert verdict.violation_count == theirs.violation_count
        assert verdict.warnings == theirs.warnings
        if "{500}" not in text:  # too many states: done again in one piece
            assert result.jobs <= schema.explanation.strata + 3
        found = [{**row, "file": ""} for row in _in_order(result.violations)]
        expected = [as_row("", each) | {"offset": None} for each in theirs.violations]
        assert found == expected
        named = {violation.row for violation in theirs.violations}
        bad = {n for n in range(2, 202) if n in named or None in named}
        assert {row.row for row in result.bad_rows().collect()} == bad
        good = result.good_rows().orderBy("row").collect()
        assert [tuple(row)[1:] for row in good] == [
            each for number, each in enumerate(rows, 2) if number not in bad
        ]


def _in_order(frame: DataFrame) -> list[dict[str, Any]]:
    return listed(frame.withColumn("file", F.lit("")))


def test_types_names_and_odd_frames(spark: SparkSession) -> None:
    day = datetime.date(2024, 2, 29)
    frame = spark.createDataFrame(
        [(day, True, [1, 2], " x ")], "`a.b` date, `c``d` boolean, e array<int>, f string"
    )
    schema = sculpt.Schema.parse(
        'col("a.b") -> Date\ncol("c`d") -> Boolean\ncol(e) -> "[1, 2]"\ncol(f) -> " x "'
    )
    with sculpt.spark.validate_dataframe(frame, schema) as result:
        assert result.valid
        assert not result.verdict.warnings
    with sculpt.spark.validate_dataframe(frame, schema, header=False) as result:
        codes = [warning.code for warning in result.verdict.warnings]
        assert codes == ["nothing-checked", *["vacuous-rule"] * 4]
    empty = frame.where("false")
    with sculpt.spark.validate_dataframe(empty, sculpt.Schema.parse("true -> Any{4}")) as result:
        assert result.valid
        assert (result.verdict.rows, result.verdict.columns) == (1, 4)
    with pytest.raises(sculpt.UsageError, match="streaming"):
        sculpt.spark.validate_dataframe(spark.readStream.format("rate").load(), schema)


def test_a_data_frame_that_is_not_the_same_twice(spark: SparkSession) -> None:
    chance = F.udf(lambda: os.urandom(4).hex()).asNondeterministic()
    frame = spark.range(1000, numPartitions=4).select(chance().alias("x"))
    schema = sculpt.Schema.parse("col(x) -> Number{2}")
    with sculpt.spark.validate_dataframe(frame, schema) as result:
        assert result.violations.count() == 1000
        result._frame.unpersist(blocking=True)  # as if the executors that kept it were lost
        with pytest.raises(Exception, match="changed between two reads"):
            result.violations.collect()


def verdicts(spark: SparkSession, output: Path) -> list[tuple[Any, ...]]:
    frame = spark.read.parquet(str(output / "verdicts"))
    columns = ("file", "valid", "rows", "violations", "error")
    return sorted(
        (Path(row.file).name, *tuple(row)[1:]) for row in frame.select(*columns).collect()
    )


def test_files_that_keep_coming(spark: SparkSession, tmp_path: Path) -> None:
    inbox, output = tmp_path / "inbox", tmp_path / "output"
    inbox.mkdir()

    def arrive(name: str, *mistakes: int) -> None:
        numbers_file(tmp_path / name, 30, mistakes).replace(inbox / name)

    def check() -> None:
        query = sculpt.spark.validate_stream(spark, NUMBERS, inbox, output, until_done=True)
        assert query.awaitTermination(120)

    arrive("a.csv", 7)
    arrive("b c.csv")
    check()
    first = verdicts(spark, output)
    assert first == [("a.csv", False, 31, 1, None), ("b c.csv", True, 31, 0, None)]
    check()  # nothing new
    assert verdicts(spark, output) == first
    arrive("d.csv", 8, 9)
    check()  # a restart goes on behind what was done
    assert verdicts(spark, output) == [*first, ("d.csv", False, 31, 2, None)]
    table = spark.read.parquet(str(output / "violations"))
    assert sorted(row.row for row in table.collect()) == [7, 8, 9]
    # A batch whose output was written but whose end was not recorded is run again in its place.
    commits = sorted((output / "checkpoint" / "commits").glob("[0-9]*"), key=lambda p: int(p.name))
    commits[-1].unlink()
    (commits[-1].parent / f".{commits[-1].name}.crc").unlink(missing_ok=True)
    shutil.rmtree(output / "verdicts" / f"batch={commits[-1].name}")
    check()
    assert verdicts(spark, output) == [*first, ("d.csv", False, 31, 2, None)]
    assert spark.read.parquet(str(output / "violations")).count() == 3


@pytest.mark.parametrize(
    ("address", "path"),
    [
        ("file:/data/b%20c.csv", "/data/b c.csv"),
        ("file:///data/a.csv", "/data/a.csv"),
        ("s3a://bucket/a.csv", "s3://bucket/a.csv"),
        ("hdfs://host/a.csv", "hdfs://host/a.csv"),
    ],
)
def test_addresses_of_a_stream(address: str, path: str) -> None:
    assert as_input(address) == path


def test_a_running_stream(spark: SparkSession, tmp_path: Path) -> None:
    inbox, output = tmp_path / "inbox", tmp_path / "output"
    inbox.mkdir()
    numbers_file(tmp_path / "x", 30).replace(inbox / "a.csv")
    query = sculpt.spark.validate_stream(
        spark, NUMBERS, inbox, output, glob="*.csv", interval="0 seconds"
    )
    try:
        query.processAllAvailable()
        numbers_file(tmp_path / "x", 30, (5,)).replace(inbox / "b.csv")
        numbers_file(tmp_path / "x", 30, (5,)).replace(inbox / "c.txt")
        query.processAllAvailable()
    finally:
        query.stop()
    assert [row[:2] for row in verdicts(spark, output)] == [("a.csv", True), ("b.csv", False)]


def test_a_partition_whose_steps_multiply_is_told_to_the_driver(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Then the data frame is read in order, as a file is; the task does not fail."""
    monkeypatch.setattr(navigator, "MAX_ENTRIES", 2)
    schema = sculpt.Schema.parse("n = [0-9]+\ncol(a) -> n*\n")
    rows = [pa.RecordBatch.from_pydict({"text 0": ["1", "x", "2"], "text 1": ["y", "3", ""]})]
    data, names = partitions.spelt(rows), b'"a","b"\n'
    job = Job.make(Task.of_rules(schema.core), 0, size=len(names + data))
    layout = partitions.Layout(
        (0,), (0,), (zlib.crc32(data),), len(names + data), names + data, names
    )
    (reply,) = partitions._Round(job, layout, [FirstWork(0)]).answer(0, rows)
    found = pickle.loads(reply.column("reply")[0].as_py())
    assert found == Overflow("its rules need too many steps on this data")
