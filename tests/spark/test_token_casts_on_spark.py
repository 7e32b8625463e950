"""Casts to derived tokens and functions of texts on Spark: the same values, the same findings."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import sculpt
import sculpt.spark
from sculpt.policy import Policy
from sculpt.spark.programs.producer import SparkProducer
from sculpt.transform.results import Results

pytestmark = pytest.mark.xdist_group("spark")

SCHEMA = """\
gap := "n/a" or Empty
paid := Number("£#,##0.00") >= 5 or gap
day := Date("d MMM yyyy")
tags := list(/[a-z]+/, ";")
For each row r in true {
  emit R(
    paid: r.cells[1] as paid,
    day: r.cells[2] as day,
    tags: r.cells[3] as tags,
    late: if r.cells[2] as day optional >= "2014-03-15" and contains(r.cells[3], "b") then "yes",
    size: length(r.cells[3]),
    name: percent-decode(stem(r.cells[4]))
  )
}
"""


def test_the_same_in_chunks(spark: SparkSession, tmp_path: Path) -> None:
    file = tmp_path / "table.csv"
    rows = [f'"£1,{ix:03}.50",{1 + ix % 28} Mar 2014,a;b,x/caf%C3%A9.csv\n' for ix in range(300)]
    rows[7], rows[150] = "n/a,1 May 2015,a,p\n", "£4.99,30 Feb 2014,B,50%\n"
    file.write_text("".join(rows), encoding="utf-8")
    schema = sculpt.Schema.parse(SCHEMA)
    theirs = sculpt.run(schema, file, engine="reference", force=True)
    expected = theirs.table()
    assert len(theirs.findings) == 4
    for unit in (2_000, 1 << 20):
        producer = SparkProducer(spark, schema, str(file), Policy.FORCE, unit)
        producer.validate()
        ours = Results(producer, lambda names: None)
        assert ours.table().to_pylist() == expected.to_pylist()
        assert ours.findings == theirs.findings


def test_types_of_the_frame(spark: SparkSession, tmp_path: Path) -> None:
    file = tmp_path / "table.csv"
    file.write_text("£7.00,3 Mar 2014,a;b,x\n", encoding="utf-8")
    frame = sculpt.spark.records(spark, sculpt.Schema.parse(SCHEMA), str(file))
    assert dict(frame.dtypes) == {
        "paid": "decimal(38,2)", "day": "date", "tags": "array<string>", "late": "string",
        "size": "bigint", "name": "string",
    }  # fmt: skip
