"""CSVW's conversions on Spark: the rows of one machine, with the same numbers, whatever the cut."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import sculpt.spark
from sculpt.csvw import to_json, to_rdf
from sculpt.errors import SchemaError, UsageError

pytestmark = pytest.mark.xdist_group("spark")

UNIT = 4_000
METADATA: dict[str, Any] = {
    "@context": "http://www.w3.org/ns/csvw",
    "dc:title": "Stations",
    "tables": [
        {
            "url": "stations.csv",
            "tableSchema": {
                "aboutUrl": "#{_row}-{_sourceRow}",
                "columns": [
                    {"name": "id", "titles": "id", "datatype": "integer"},
                    {"name": "name", "titles": "name", "lang": "en"},
                    {"name": "tags", "titles": "tags", "separator": ";", "ordered": True},
                ],
            },
        },
        {"url": "few.csv"},
    ],
}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two tables, one of which is cut; comments, line ends in quotes and bad cells are in it."""
    folder = tmp_path_factory.mktemp("stations")
    lines = ["id,name,tags"]
    for number in range(1, 2_001):
        if number % 97 == 0:
            lines.append(f"# remark {number}, with, many, commas")
        name = f'"two\nlines, {number}"' if number % 50 == 0 else f"station {number}"
        value = "x" if number == 1_500 else str(number)
        lines.append(f"{value},{name},{'a;b' if number % 3 else ''}")
    (folder / "stations.csv").write_text("\n".join(lines) + "\n", "utf-8")
    (folder / "few.csv").write_text("a,b\n1,2\n", "utf-8")
    path = folder / "stations.json"
    path.write_text(json.dumps(METADATA), "utf-8")
    return path


def parts(directory: Path) -> list[Path]:
    """The part files, in order."""
    assert {each.name for each in directory.iterdir() if each.name[0] in "._"} == {"_SUCCESS"}
    return sorted(each for each in directory.iterdir() if each.name.startswith("part-"))


def text_of(directory: Path) -> str:
    """All part files, one after the other."""
    return "".join(each.read_bytes().decode() for each in parts(directory))


@pytest.mark.parametrize("minimal", [False, True])
def test_json_lines(spark: SparkSession, source: Path, tmp_path: Path, minimal: bool) -> None:
    out = tmp_path / "out"
    result = sculpt.spark.convert(spark, source, out, "jsonl", minimal=minimal, unit=UNIT)
    local = json.loads("".join(to_json(source, minimal=minimal)))
    rows = local if minimal else [row for table in local["tables"] for row in table["row"]]
    assert [json.loads(line) for line in text_of(out).splitlines()] == rows
    assert len(parts(out)) > 8
    assert result.rows == 2_001
    assert result.problem_count == 1
    assert 'column "id": `x` is not a value' in result.problems[0].message


def test_ntriples(spark: SparkSession, source: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    sculpt.spark.convert(spark, source, out, "ntriples", unit=UNIT)
    local = "".join(to_rdf(source))
    assert sorted(text_of(out).splitlines()) == sorted(local.splitlines())


def test_blank_rows_that_are_skipped_are_counted(spark: SparkSession, tmp_path: Path) -> None:
    lines = ["a,b", *(f"{n},{'x' * (n % 9)}" if n % 7 else "," for n in range(1, 1_001))]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n", "utf-8")
    metadata = {
        "@context": "http://www.w3.org/ns/csvw",
        "url": "t.csv",
        "dialect": {"skipBlankRows": True, "commentPrefix": None},
    }
    (tmp_path / "t.json").write_text(json.dumps(metadata), "utf-8")
    sculpt.spark.convert(spark, tmp_path / "t.json", tmp_path / "out", "jsonl", unit=1_500)
    local = json.loads("".join(to_json(tmp_path / "t.json")))["tables"][0]["row"]
    assert [json.loads(line) for line in text_of(tmp_path / "out").splitlines()] == local
    assert local[-1]["rownum"] == len(local) < 1_000


def test_errors(spark: SparkSession, source: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="jsonl, ntriples"):
        sculpt.spark.convert(spark, source, tmp_path / "out", "turtle")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="directory that all machines share"):
        sculpt.spark.convert(spark, source, "s3://bucket/out")
    (tmp_path / "bad.json").write_text('{"@context": "http://www.w3.org/ns/csvw"}', "utf-8")
    with pytest.raises(SchemaError, match="tables"):
        sculpt.spark.convert(spark, tmp_path / "bad.json", tmp_path / "out")
    assert not (tmp_path / "out").exists()
