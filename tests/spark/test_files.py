"""Files on Spark: the verdicts, violations, rows and regions of the other engines."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from executed_docs import run_command
from pyspark.sql import SparkSession

import sculpt
import sculpt.spark
from conftest import Case, corpus
from sculpt.verdict import Unread, Verdict
from sessions import NUMBERS, as_row, assert_same, in_chunks, listed, numbers_file
from test_shared import FIGURES, STATIONS_THAT_FAIL

pytestmark = pytest.mark.xdist_group("spark")

JUDGED = [case for case in corpus() if "valid" in case.facts]
SAMPLE = [case for ix, case in enumerate(JUDGED) if ix % 20 == 0 or case.file == "hostile"]
SELECTIONS = [case for case in corpus() if "select" in case.facts][::30]


@pytest.mark.parametrize("case", SAMPLE, ids=str)
def test_corpus(spark: SparkSession, tmp_path: Path, case: Case) -> None:
    path = tmp_path / "data"
    path.write_bytes(case.data)
    schema = sculpt.Schema.parse(case.schema, case.settings)
    theirs = sculpt.validate(schema, path, engine="reference")
    ours, result = in_chunks(spark, schema, path, 3)
    assert_same(ours, theirs)
    assert result.run.jobs <= schema.explanation.strata + 2


@pytest.mark.parametrize("case", SELECTIONS, ids=str)
def test_regions_of_the_corpus(spark: SparkSession, tmp_path: Path, case: Case) -> None:
    path = tmp_path / "data"
    path.write_bytes(case.data)
    schema = sculpt.Schema.parse(case.schema, case.settings)
    unit = max(1, len(case.data) // 3)
    for selector in list(case.facts["select"])[:2]:
        theirs = sculpt.api.select_cells(schema, path, selector, "reference", with_texts=True)
        found = listed(sculpt.spark.select(spark, schema, path, selector, unit=unit))
        assert [(each["row"], each["column"]) for each in found] == theirs.cells
        assert [each["content"] for each in found] == theirs.texts
        assert sculpt.select(schema, path, selector, "spark", spark) == theirs.cells


@pytest.mark.parametrize(("schema", "data"), FIGURES)
def test_figures(spark: SparkSession, shared: Path, schema: str, data: str) -> None:
    loaded = sculpt.Schema.load(shared / "figures" / f"{schema}.sculpt")
    path = shared / "figures" / data
    ours, _ = in_chunks(spark, loaded, path, 3)
    assert_same(ours, sculpt.validate(loaded, path, engine="reference"))


def test_the_stations_of_use_case_3(spark: SparkSession, shared: Path) -> None:
    schema = sculpt.Schema.load(shared / "usecases" / "UC03-raw.sculpt")
    folder = shared / "corpus/UC03/stage1/uganda-raw"
    outcomes = sculpt.spark.validate(spark, schema, folder).verdict.outcomes
    failed = [
        Path(each.path).name for each in outcomes if isinstance(each, Unread) or not each.valid
    ]
    assert len(outcomes) == 96
    assert failed == STATIONS_THAT_FAIL


def test_a_large_file(spark: SparkSession, tmp_path: Path) -> None:
    path = numbers_file(tmp_path / "numbers.csv", 200_000, (77, 100_000, 180_001))
    theirs = sculpt.validate(NUMBERS, path, engine="local")
    ours, result = in_chunks(spark, NUMBERS, path, 12)
    assert_same(ours, theirs)
    assert result.run.jobs == 1
    assert len(result.run.files[0].chunks) == 12
    assert listed(result.violations) == [as_row(str(path), each) for each in theirs.violations]
    bad = listed(result.bad_rows())
    assert [row["row"] for row in bad] == [77, 100_000, 180_001]
    lines = path.read_bytes().splitlines()
    assert [bytes(row["raw"]) for row in bad] == [lines[row["row"] - 1] for row in bad]
    good = result.good_rows()
    assert good.count() == 200_001 - 3
    sample = good.where("row % 40000 = 1").orderBy("row").collect()
    assert [row.text for row in sample] == [lines[row.row - 1].decode() for row in sample]
    data = path.read_bytes()
    assert all(data[row.offset :].startswith(bytes(row.raw)) for row in sample)


SECTIONS = """
row(1) -> title
Head <= Name or Size
col(Name) -> Text, (Text | Empty | Name | Size)*
down+(Name) and not down+(End) -> Text*
down+(Size) and not down+(End) |> (Integer | Empty | Size | Text)*
col(1) => title, (Name, Text*, End)*
not up -> Text, Any*
"""


def sections(rows: int) -> str:
    """Sections with repeated headers: what stands above a row keeps changing."""
    lines = ["title"]
    for number in range(rows):
        lines += [
            "Name,Size" if number % 2 else "Name,,Size",
            f"x{number},{number}",
            f"y,{number},3",
        ]
        lines += ["End,,,"] * (number % 3 != 0)
    return "\n".join(lines) + "\n"


ADVERSARIAL = {
    "a header that comes again in every chunk": (
        "col(Name) -> Text\ndown+(Size) and not down+(Name) -> Integer*",
        "Name,Size\n" + "Name,Size\na,1\nb,x\n" * 400,
    ),
    "a header deep in the file": (
        "down+(Size) -> Integer\ncol(1) |> a*, Name, b*",
        "a,z\n" * 500 + "Name,Size\n" + "b,1\n" * 500 + "b,x\n" + "b,2\n" * 100,
    ),
    "sections that change the vector all the time": (SECTIONS, sections(300)),
    "a quoted field larger than a chunk": (
        "col(Name) -> Text\ncol(Size) -> Integer",
        "Name,Size\na,1\n" * 40 + '"' + "one,2\nline\n" * 300 + '",3\n' + "b,x\nc,4\n" * 40,
    ),
    "words that begin in one chunk and fail in another": (
        "col(1) => (a, b)*\ncol(2) |> x*, y*\nunique(b)",
        "a,x\nb,x\n" * 300 + "b,y\na,x\n" + "b,y\na,y\n" * 100,
    ),
    "a text that one cell deep in the file has, and one that none has": (
        "col(1) -> EUR\ncol(2) -> iban",
        "USD,1\n" * 300 + "EUR,2\n" + "CHF,3\n" * 300,
    ),
    "the widest row last": ("true -> Any{2}\nrow(700) -> z, z", "a,b\n" * 900 + "a,b,c\n"),
}


@pytest.mark.parametrize("name", ADVERSARIAL)
def test_adversarial_files(spark: SparkSession, tmp_path: Path, name: str) -> None:
    text, data = ADVERSARIAL[name]
    schema = sculpt.Schema.parse(text)
    path = tmp_path / "data.csv"
    path.write_text(data, encoding="utf-8")
    theirs = sculpt.validate(schema, path, engine="reference", max_violations=10**6)
    ours, result = in_chunks(spark, schema, path, 7)
    assert_same(replace(ours, violations=()), replace(theirs, violations=()))
    assert ours.violations == theirs.violations[:1000]
    assert result.run.jobs <= schema.explanation.strata + 2
    assert listed(result.violations) == [as_row(str(path), each) for each in theirs.violations]


def test_a_file_that_must_be_read_in_order(spark: SparkSession, tmp_path: Path) -> None:
    schema = sculpt.Schema.parse("(right.down)*(a) -> Any*\nrow(2) -> b*")
    path = tmp_path / "wide.csv"
    rows = [["b"] * 70 for _ in range(300)]
    rows[100][5] = rows[200][60] = "a"
    path.write_text("".join(",".join(row) + "\n" for row in rows), encoding="utf-8")
    ours, result = in_chunks(spark, schema, path, 5)
    assert_same(ours, sculpt.validate(schema, path, engine="reference"))
    assert result.run.jobs == 2
    assert result.notes == [
        f"{path} was read from start to end by one task:"
        " its rules alternate between going down and sideways"
    ]
    assert listed(result.violations) == [as_row(str(path), each) for each in ours.violations]


def test_many_kinds_of_files_at_once(spark: SparkSession, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    for number in range(40):
        numbers_file(data / f"small-{number:02}.csv", 20, (7,) if number % 10 == 3 else ())
    numbers_file(data / "large.csv", 30_000, (29_000,))
    whole = numbers_file(tmp_path / "whole.csv", 10_000, (5_000,)).read_bytes()
    (data / "packed.csv.gz").write_bytes(gzip.compress(whole))
    (data / "wide.csv").write_bytes(whole.decode().encode("utf-16"))
    (data / "empty.csv").write_bytes(b"")
    (data / "broken.csv.gz").write_bytes(gzip.compress(whole)[:-100])
    (data / "gone.csv").symlink_to(tmp_path / "nowhere")
    result = sculpt.spark.validate(
        spark, NUMBERS, [data, tmp_path / "absent*.csv"], 5, unit=100_000
    )
    outcomes = result.verdict.outcomes
    assert not result.valid
    assert result.verdict.exit_status == 3
    assert len(outcomes) == 47
    by_name = {Path(each.path).name: each for each in outcomes}
    for name, each in by_name.items():
        if isinstance(each, Unread):
            assert name in ("broken.csv.gz", "gone.csv", "absent*.csv"), each
            assert name in each.message
        else:
            theirs = sculpt.validate(NUMBERS, each.path, engine="local", max_violations=5)
            assert_same(each, theirs)
    assert sum(isinstance(each, Unread) for each in outcomes) == 3
    cut = [Path(each.file.name).name for each in result.run.files if each.chunks]
    assert cut == ["large.csv"]
    violations = listed(result.violations)
    counts = sum(each.violation_count for each in outcomes if isinstance(each, Verdict))
    assert len(violations) == counts
    assert {Path(each["file"]).name for each in violations} >= {"packed.csv.gz", "wide.csv"}


def report(*arguments: str) -> tuple[int, str]:
    outcome = run_command(list(arguments))
    return outcome.status, outcome.output


def test_the_reports_are_those_of_the_local_engine(spark: SparkSession, tmp_path: Path) -> None:
    schema = tmp_path / "numbers.sculpt"
    schema.write_text(NUMBERS.source.text, encoding="utf-8")
    data = tmp_path / "data"
    data.mkdir()
    numbers_file(data / "a.csv", 50, (7, 9))
    numbers_file(data / "b.csv", 20)
    call = ["validate", str(schema), str(data), "--max-violations", "1"]
    status, text = report(*call, "--engine", "spark")
    assert status == 1
    assert (status, text) == report(*call, "--engine", "local")
    assert report(*call) == (status, text)  # auto: a session runs
    status, text = report(*call, "--engine", "spark", "--format", "json")
    ours, theirs = json.loads(text), json.loads(report(*call, "--engine", "local", "-f", "json")[1])
    assert ours.pop("engine") == "spark"
    assert theirs.pop("engine") == "local"
    assert ours == theirs


def test_the_python_contract(spark: SparkSession, tmp_path: Path) -> None:
    path = numbers_file(tmp_path / "a.csv", 50, (7, 9))
    theirs = sculpt.validate(NUMBERS, path, engine="reference")
    assert_same(sculpt.validate(NUMBERS, path, engine="spark", spark=spark), theirs)
    assert_same(sculpt.validate(NUMBERS, path, spark=spark), theirs)
    with pytest.raises(sculpt.UsageError):
        sculpt.validate(NUMBERS, path, engine="local", spark=spark)
    with pytest.raises(sculpt.DataError, match="absent"):
        sculpt.validate(NUMBERS, tmp_path / "absent.csv", spark=spark)
    with pytest.raises(sculpt.DataError, match="absent"):
        sculpt.spark.select(spark, NUMBERS, tmp_path / "absent.csv", "col(1)")


def test_uris(spark: SparkSession, tmp_path: Path) -> None:
    numbers_file(tmp_path / "a b.csv", 3_000, (7,))
    uri = tmp_path.as_uri()
    result = sculpt.spark.validate(spark, NUMBERS, uri, 10, unit=9_000)
    (verdict,) = result.verdict.outcomes
    assert isinstance(verdict, Verdict)
    assert verdict.violation_count == 1
    assert len(result.run.files[0].chunks) > 3
    assert [row["row"] for row in listed(result.bad_rows())] == [7]


def source(spark: SparkSession, **options: Any) -> Any:
    reader = spark.read.format("sculpt")
    for name, value in options.items():
        reader = reader.option(name, value)
    return reader


def test_the_data_source(spark: SparkSession, tmp_path: Path) -> None:
    sculpt.spark.register(spark)
    schema = tmp_path / "numbers.sculpt"
    schema.write_text(NUMBERS.source.text, encoding="utf-8")
    data = tmp_path / "data"
    data.mkdir()
    for number in range(5):
        numbers_file(data / f"{number}.csv", 40, (7, 9) if number == 3 else ())
    result = sculpt.spark.validate(spark, NUMBERS, data)
    violations = source(spark, schema=str(schema), what="violations").load(str(data))
    assert listed(violations) == listed(result.violations)
    region = source(spark, schemaText=schema.read_text(), what="region", selector="col(price)")
    expected = listed(sculpt.spark.select(spark, NUMBERS, data, "col(price)"))
    assert listed(region.load(str(data))) == expected
    spark.sql(
        "CREATE OR REPLACE TEMPORARY VIEW numbers USING sculpt"
        f" OPTIONS (schema '{schema}', what 'rows', path '{data}/*.csv')"
    )
    counts = spark.sql("SELECT good, count(*) FROM numbers GROUP BY good ORDER BY good").collect()
    assert [tuple(row) for row in counts] == [(False, 2), (True, 5 * 41 - 2)]
    in_order = spark.sql("SELECT file, row, text FROM numbers").collect()
    assert [row.row for row in in_order] == list(range(1, 42)) * 5
    assert in_order[0].text == "id,price,count"
    for wrong, words in [
        ({"what": "cells", "schema": str(schema)}, "unknown value `cells` of the option `what`"),
        ({"schema": str(tmp_path / "absent.sculpt")}, "absent.sculpt: cannot be read"),
        ({"what": "region", "schema": str(schema)}, "needs the option `selector`"),
        ({}, "needs the option `schema`"),
        ({"schema": str(schema), "colour": "red"}, "no option `colour`"),
    ]:
        with pytest.raises(Exception, match=words):
            source(spark, **wrong).load(str(data)).count()
    with pytest.raises(Exception, match=r"absent\.csv: cannot be read"):
        source(spark, schema=str(schema)).load(str(tmp_path / "absent.csv")).count()


def test_the_table_of_violations_is_written_once(spark: SparkSession, tmp_path: Path) -> None:
    schema = tmp_path / "numbers.sculpt"
    schema.write_text(NUMBERS.source.text, encoding="utf-8")
    path = numbers_file(tmp_path / "a.csv", 50, (7, 9))
    table = tmp_path / "violations"
    call = ["validate", str(schema), str(path), "--engine", "spark", "--violations-to", str(table)]
    assert report(*call)[0] == 1
    assert spark.read.parquet(str(table)).count() == 2
    status, told = report(*call)
    assert (status, "already exists" in told) == (2, True)
    blocked = tmp_path / "file"
    blocked.write_text("")
    status, told = report(*call[:-1], str(blocked / "inside"))
    assert (status, "cannot be written" in told) == (3, True)
    assert blocked.read_text() == ""


def test_the_command_writes_lists_as_files(spark: SparkSession, tmp_path: Path) -> None:
    schema, folder = tmp_path / "s.sculpt", tmp_path / "data"
    schema.write_text("row(1) -> name, age\ncol(age) -> Integer\n")
    folder.mkdir()
    (folder / "a.csv").write_bytes(b"name,age\r\n" + b"Ada,x\r\nBob,1\r\n" * 3_000)
    (folder / "b.csv").write_bytes("name,age\nÄda,x".encode("utf-16"))
    (folder / "good.csv").write_bytes(b"name,age\n")
    found = []
    for engine in ("spark", "local"):
        out = tmp_path / engine
        out.mkdir()
        lists = [f"--violations-to={out}/v.jsonl", f"--good-to={out}/good", f"--bad-to={out}/bad"]
        call = ["validate", str(schema), str(folder), "--engine", engine, *lists]
        outcome = run_command([*call, "--max-violations", "2", "-f", "jsonl"])
        assert outcome.status == 1, outcome.output
        files = {path.relative_to(out): path.read_bytes() for path in out.rglob("*.*")}
        rows = [json.loads(line) for line in files.pop(Path("v.jsonl")).splitlines()]
        found.append((files, sorted(rows, key=lambda row: (row["file"], row["row"]))))
    assert found[0] == found[1]
    assert len(found[0][1]) == 3_001
    assert found[0][0][Path("bad/a.csv")] == b"Ada,x\r\n" * 3_000
