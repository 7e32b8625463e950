"""Programs on Spark: the records, lines and exports of the other engines, whatever the cut."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from executed_docs import run_command
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

import sculpt
import sculpt.spark
from sculpt.policy import Policy
from sculpt.spark.programs.parquet import PartFiles, begin, finish
from sculpt.spark.programs.producer import SparkProducer
from sculpt.transform.atomic import Place
from sculpt.transform.evaluation.findings import Findings
from sculpt.transform.local import TableRun
from sculpt.transform.results import Results
from sculpt.transform.writers.parquet import plain_batch

pytestmark = pytest.mark.xdist_group("spark")

SCHEMA = """\
Code = [A-Z][0-9]+
Value = -?[0-9]+(?:"."[0-9]+)?
Sex = male|female
Year = [0-9]{4}
Years <= row(1) and Year
Values <= Value and row(Code)
Note <= row(Source) or Source
col(1) -> Code | Source | Empty
namespace default = http://example.org/
For each cell v in Values {
  emit Obs(
    code: directly(left, Code, v),
    year: closest(left, Years, v) as xs:integer,
    sex: directly(up, Sex, v),
    source: closest(down, Source, v).row,
    near: within(up, 1, 0, Sex, v),
    top: up+.[Sex](v),
    base: left*.[col(1)].down+.[Source](v),
    value: v.content as xs:decimal(9,2),
    place: v.row)
  annotate v with "value " + v.content
}
For each column c in Values {
  print c.cells[1] + " " + Sum(c) + " " + Average(c)
  emit Totals(column: c.column, total: Sum(c), median: Median(c))
}
print "all: " + Sum(Values) + " in " + Count(Values)
For each row r in Values {
  print r.cells[1] + ".." + r.cells[2]
}
"""


def table(rows: int) -> str:
    head = ",2010,,2011,\n,male,female,male,female\n"
    lines = [
        f"A{row},{row}.{row % 100:02},{row * 7 % 91},-{row}.5,{row % 13}\n" for row in range(rows)
    ]
    return head + "".join(lines) + "Source,a register\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "table.csv"
    path.write_text(table(300), encoding="utf-8")
    return path


def everything(results: Results) -> Any:
    return (
        results.table("Obs").to_pylist(),
        results.table("Totals").to_pylist(),
        results.text,
        results.annotations.to_pylist(),
    )


def on_spark(
    spark: SparkSession, schema: sculpt.Schema, path: Path, unit: int, policy: Policy
) -> Results:
    producer = SparkProducer(spark, schema, str(path), policy, unit)
    producer.validate()
    return Results(producer, lambda names: None)


@pytest.mark.parametrize("chunks", [1, 2, 7])
def test_the_same_in_chunks(spark: SparkSession, file: Path, chunks: int) -> None:
    schema = sculpt.Schema.parse(SCHEMA)
    expected = everything(sculpt.run(schema, file, engine="reference"))
    unit = -(-file.stat().st_size // chunks)
    assert everything(on_spark(spark, schema, file, unit, Policy.REFUSE)) == expected
    assert expected[0][0] == {
        "code": "A0", "year": 2010, "sex": "male", "source": 303, "near": "male",
        "top": "male", "base": "Source", "value": 0, "place": 3,
    }  # fmt: skip


def test_records_are_a_typed_frame(spark: SparkSession, file: Path) -> None:
    schema = sculpt.Schema.parse(SCHEMA)
    frame = sculpt.spark.records(spark, schema, str(file), "Obs", unit=2000)
    assert dict(frame.dtypes) == {
        "code": "string", "year": "bigint", "sex": "string", "source": "bigint",
        "near": "string", "top": "string", "base": "string", "value": "decimal(9,2)",
        "place": "bigint",
    }  # fmt: skip
    expected = sculpt.run(schema, file, engine="local").table("Obs")
    assert frame.toArrow().to_pylist() == expected.to_pylist()
    totals = sculpt.spark.records(spark, schema, str(file), "Totals", unit=2000)
    assert totals.toArrow().to_pylist() == sculpt.run(schema, file).table("Totals").to_pylist()


def test_every_type_travels(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "types.csv"
    path.write_text("1,2.5,true,2011-03-27,2011-03-27T10:00:00.25,10:20:30,ff,x\n")
    casts = ["byte", "double", "boolean", "date", "dateTime", "time", "hexBinary", "anyURI"]
    named = ", ".join(
        f"f{ix}: r.cells[{ix}].content as xs:{kind}" for ix, kind in enumerate(casts, 1)
    )
    lists = "l: left*.[Any](r.cells[3]) all, s: r.cells[1] as xs:decimal"
    text = f"For each row r in true {{ emit T({named}, {lists}) }}\n"
    schema = sculpt.Schema.parse(text)
    frame = sculpt.spark.records(spark, schema, str(path))
    expected = sculpt.run(schema, path).table().to_pylist()
    assert frame.toArrow().to_pylist() == expected
    out = tmp_path / "out"
    assert sculpt.spark.write_records(spark, schema, path, out) == 1
    spark.conf.set("spark.sql.timeType.enabled", "true")  # or Spark reads no `time` from files
    try:
        read = spark.read.parquet(str(out))
        assert read.dtypes == frame.dtypes
        assert read.toArrow().to_pylist() == expected
    finally:
        spark.conf.unset("spark.sql.timeType.enabled")


@pytest.mark.parametrize("chunks", [1, 5])
def test_tasks_write_the_records(
    spark: SparkSession, file: Path, tmp_path: Path, chunks: int
) -> None:
    schema = sculpt.Schema.parse(SCHEMA)
    unit = -(-file.stat().st_size // chunks)
    for target, parts in (("Obs", chunks), ("Totals", 1)):
        out = tmp_path / target
        expected = sculpt.run(schema, file).table(target)
        count = sculpt.spark.write_records(spark, schema, file, out, target, unit=unit)
        assert count == expected.num_rows
        assert pq.read_table(out).to_pylist() == expected.to_pylist()  # parts are in table order
        names = sorted(path.name for path in out.iterdir())
        assert names[0] == "_SUCCESS"
        assert [name[:11] for name in names[1:]] == [
            f"part-{number:05}-" for number in ([chunks] if target == "Totals" else range(parts))
        ]


def test_a_table_without_records_has_fields(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "none.csv").write_text("Source,nothing\n", encoding="utf-8")
    schema = sculpt.Schema.parse(SCHEMA)
    out = tmp_path / "out"
    out.mkdir()  # an empty directory may be there
    count = sculpt.spark.write_records(spark, schema, tmp_path / "none.csv", out, "Obs")
    assert count == 0
    frame = spark.read.parquet(str(out))
    assert frame.count() == 0
    assert frame.columns == [
        "code", "year", "sex", "source", "near", "top", "base", "value", "place",
    ]  # fmt: skip


def test_what_fails_leaves_no_table(spark: SparkSession, file: Path, tmp_path: Path) -> None:
    schema = sculpt.Schema.parse(SCHEMA)
    out = tmp_path / "out"
    without = file.read_text(encoding="utf-8").replace("Source,a register\n", "")
    file.write_text(without, encoding="utf-8")
    with pytest.raises(sculpt.RefusedError, match=r"finds no cell from \(3,2\)"):
        sculpt.spark.write_records(spark, schema, file, out, "Obs", unit=2000)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["table.csv"]
    count = sculpt.spark.write_records(spark, schema, file, out, "Obs", force=True, unit=2000)
    assert count == 1200
    assert set(pq.read_table(out).column("source").to_pylist()) == {None}
    with pytest.raises(sculpt.UsageError, match="the directory is not empty"):
        sculpt.spark.write_records(spark, schema, file, out, "Obs", force=True)
    with pytest.raises(sculpt.UsageError, match="no such directory"):
        sculpt.spark.write_records(spark, schema, file, tmp_path / "no" / "out", "Obs")


def test_only_the_files_of_finished_tasks_are_kept(tmp_path: Path) -> None:
    schema = pa.schema([("a", pa.int64())])
    place = Place(str(tmp_path / "out"), "out")
    begin({0: place})
    batch = pa.record_batch([pa.array([1, 2])], schema=schema)
    kept: list[tuple[int, str, int]] = []
    for attempt in ("lost", "kept", "a second too late"):
        with PartFiles({0: place}, {0: schema}, 4) as parts:
            parts.put(0, batch)
            if attempt != "lost":
                files = parts.ended()
                kept += files if attempt == "kept" else ()
    assert len(list((tmp_path / "out" / ".parts").iterdir())) == 3
    finish({0: place}, kept)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["_SUCCESS", kept[0][1]]
    assert pq.read_table(tmp_path / "out").to_pylist() == batch.to_pylist()
    with (
        PartFiles({0: place}, {0: schema}, 5) as late,
        pytest.raises(sculpt.SculptError, match="out: cannot be written: a worker cannot access"),
    ):
        late.put(0, batch)
    begin({0: Place(str(tmp_path / "other"), "other")})
    with pytest.raises(sculpt.SculptError, match="that this machine cannot access"):
        finish({0: Place(str(tmp_path / "other"), "other")}, [(0, "part-00000-x", 2)])


def test_what_goes_to_a_store_is_written_by_spark(
    spark: SparkSession, file: Path, tmp_path: Path
) -> None:
    schema = sculpt.Schema.parse(SCHEMA)
    uri = (tmp_path / "out").as_uri()
    assert sculpt.spark.write_records(spark, schema, file, uri, "Totals") is None
    expected = sculpt.run(schema, file).table("Totals").to_pylist()
    assert spark.read.parquet(uri).toArrow().to_pylist() == expected
    with pytest.raises(sculpt.UsageError, match="already exists"):
        sculpt.spark.write_records(spark, schema, file, uri, "Totals")


def test_the_data_source(spark: SparkSession, file: Path) -> None:
    sculpt.spark.register(spark)
    reader = spark.read.format("sculpt").option("schemaText", SCHEMA)
    frame = reader.option("records", "Obs").load(str(file))
    expected = sculpt.run(sculpt.Schema.parse(SCHEMA), file).table("Obs").to_pylist()
    assert frame.toArrow().to_pylist() == expected
    bad = file.with_name("bad.csv")
    bad.write_text(file.read_text(encoding="utf-8") + "oops,1\n", encoding="utf-8")
    with pytest.raises(PySparkException, match="violates the schema"):
        reader.option("records", "Obs").load(str(bad)).count()
    named = "For each cell v in (1,1) { emit R(f: v.file) }"
    source = spark.read.format("sculpt").option("schemaText", named).option("records", "R")
    assert [row.f for row in source.load(str(file)).collect()] == [str(file)]
    good = reader.option("records", "Obs").option("onInvalid", "good rows").load(str(bad))
    assert good.count() == len(expected)


def test_bad_rows_are_left_out(spark: SparkSession, file: Path) -> None:
    text = file.read_text(encoding="utf-8").replace("A7,", "a7,").replace("A200,", "a200,")
    file.write_text(text, encoding="utf-8")
    schema = sculpt.Schema.parse(SCHEMA + "row(Code) -> Value{4}\nrow(1) -> Any*\n")
    with pytest.raises(sculpt.RefusedError, match="violates the schema"):
        sculpt.spark.records(spark, schema, str(file), "Obs")
    expected = sculpt.run(schema, file, engine="reference", only_good_rows=True)
    found = on_spark(spark, schema, file, 1500, Policy.GOOD_ROWS)
    assert everything(found) == everything(expected)
    places = {record["place"] for record in found.records("Obs")}
    assert len(places) == 298


def test_bad_rows_of_a_file_that_is_named_twice(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "twice.csv"
    path.write_text("a,b\n1,2\nx,3\n5,6\n", encoding="utf-8")
    text = "row(1) -> a, b\nnot row(1) -> Integer*\n"
    text += "For each cell v in col(1) and not row(1) { emit R(v: v, f: v.file) }\n"
    schema = sculpt.Schema.parse(text)
    paths = [str(path), str(path)]
    frame = sculpt.spark.records(spark, schema, paths, only_good_rows=True)
    assert [row.v for row in frame.collect()] == ["1", "5", "1", "5"]
    with pytest.raises(sculpt.UsageError, match="no data given"):
        sculpt.spark.records(spark, schema, [])


def test_messages_name_file_cell_and_line(spark: SparkSession, tmp_path: Path) -> None:
    for name, last in (("good", "2"), ("bad", "oops")):
        (tmp_path / f"{name}.csv").write_text(f"a,b\n1,{last}\n", encoding="utf-8")
    paths = [str(tmp_path / "good.csv"), str(tmp_path / "bad.csv")]
    cells = sculpt.Schema.parse("For each cell v in not row(1) { emit R(v: v as xs:int) }\n")
    said = r"bad.csv: row 2, column 2: `oops` is not a valid `xs:int` \(line 1 of the schema\)"
    with pytest.raises(sculpt.RefusedError, match=said) as caught:
        sculpt.run(cells, paths).table()
    assert caught.value.paths == (paths[1],)
    with pytest.raises(sculpt.RefusedError, match=said):
        sculpt.spark.write_records(spark, cells, paths, tmp_path / "out")
    with pytest.raises(PySparkException, match=said):
        sculpt.spark.records(spark, cells, paths).count()
    columns = sculpt.Schema.parse("For each column c in not row(1) { emit R(v: Sum(c)) }\n")
    said = r"bad.csv: row 2, column 2: `oops` is not a number \(line 1 of the schema\)"
    with pytest.raises(sculpt.SculptError, match=said):
        sculpt.spark.records(spark, columns, paths)


def test_a_look_up_that_fails(spark: SparkSession, file: Path) -> None:
    text = file.read_text(encoding="utf-8").replace("Source,a register\n", "")
    file.write_text(text, encoding="utf-8")
    schema = sculpt.Schema.parse(SCHEMA)
    frame = sculpt.spark.records(spark, schema, str(file), "Obs", unit=2000)
    with pytest.raises(PySparkException, match=r"finds no cell from \(\d+,\d\) \(line 15"):
        frame.count()
    results = on_spark(spark, schema, file, 2000, Policy.REFUSE)
    with pytest.raises(sculpt.RefusedError, match=r"finds no cell from \(3,2\)"):
        results.table("Obs")
    findings = Findings()
    run = TableRun(schema, str(file), Policy.FORCE, "reference", findings=findings)
    targets = schema.program.targets if schema.program else {}
    list(run.batches(run.validate(), frozenset([targets["Obs"]])))
    forced = on_spark(spark, schema, file, 2000, Policy.FORCE)
    assert {record["source"] for record in forced.records("Obs")} == {None}
    assert [(v.row, v.column, v.message) for v in forced.findings] == [
        (v.row, v.column, v.message) for v in findings.violations
    ]


def test_the_whole_table_in_one_task(spark: SparkSession, file: Path) -> None:
    text = SCHEMA + (
        "For each cell v in Values { emit All(s: closest(up, Sex, v) all, p: up+.[Sex](v),"
        " q: (down|left)*.[Source](v)) }\n"
    )
    schema = sculpt.Schema.parse(text)
    producer = SparkProducer(spark, schema, str(file), Policy.REFUSE, 2000)
    producer.validate()
    expected = sculpt.run(schema, file, engine="local").table("All").to_pylist()
    assert Results(producer, lambda names: None).table("All").to_pylist() == expected
    assert expected[0] == {"s": ["male", "female", "male", "female"], "p": "male", "q": "Source"}


def test_many_files_and_an_export(spark: SparkSession, tmp_path: Path) -> None:
    for number in range(5):
        (tmp_path / f"{number}.csv").write_text(table(number), encoding="utf-8")
    schema = sculpt.Schema.parse(SCHEMA)
    paths = [str(tmp_path / f"{number}.csv") for number in range(5)]
    results = sculpt.run(schema, paths, engine="spark", spark=spark)
    assert everything(results) == everything(sculpt.run(schema, paths, engine="reference"))
    for region in ("Values", "Note"):
        found = sculpt.extract(schema, paths[4], region, engine="spark", spark=spark)
        assert found == sculpt.extract(schema, paths[4], region, engine="reference")
        assert found == sculpt.extract(schema, paths[4], region, engine="local")


def test_the_command(spark: SparkSession, file: Path, tmp_path: Path) -> None:
    schema = tmp_path / "s.sculpt"
    schema.write_text(SCHEMA, encoding="utf-8")
    out = tmp_path / "out"
    call = ["run", str(schema), str(file), "--engine", "spark", "--only", "Obs"]
    result = run_command([*call, "-o", str(out), "--format", "parquet"])
    assert result.status == 0, result.output
    assert "Obs: 1,200 records → " in result.output
    expected = sculpt.run(sculpt.Schema.parse(SCHEMA), file).table("Obs")
    assert pq.read_table(out).to_pylist() == expected.to_pylist()
    assert [path.name for path in tmp_path.glob(".*")] == []
    again = run_command([*call, "-o", str(out), "--format", "parquet"])
    assert (again.status, "cannot be written" in again.errors) == (2, True), again.output
    assert run_command([*call, "-o", str(tmp_path / "obs.csv")]).status == 0
    here = run_command(["run", str(schema), str(file), "--only", "Obs"])
    printed = here.output.removesuffix(here.errors)
    assert (tmp_path / "obs.csv").read_text(encoding="utf-8") == printed


def test_batches_keep_their_types(spark: SparkSession, file: Path) -> None:
    schema = sculpt.Schema.parse(SCHEMA)
    results = on_spark(spark, schema, file, 3000, Policy.REFUSE)
    for batch in results.batches("Obs"):
        assert plain_batch(batch, batch.schema) == batch
        assert str(batch.schema.field("value").type) == "decimal128(9, 2)"


# ------------------------------------------------------------- other tables

FOUND = """\
include "ports.sculpt" as Ports for "ports"
Port <= col(2) and not row(1) and not Empty
For each row r in not row(1) {
  let p = find(Ports(No), r[Port] optional)
  emit Ship(id: r.cells[1], town: p[Town] optional, towns: concat(p[Town], "/", r.cells[1]) all)
}
"""
PORTS = """\
No <= down+(row(1) and "no") and not Empty
Town <= down+(row(1) and "town") and not Empty
"""


@pytest.fixture
def ships(tmp_path: Path) -> Path:
    """Ships, and the ports that they are in, in two files."""
    (tmp_path / "ports").mkdir()
    (tmp_path / "ports" / "a.csv").write_text("no,town\n10,Malmö\n20,Oslo\n", encoding="utf-8")
    (tmp_path / "ports" / "b.csv").write_text("town,no\nOld Oslo,20\n,30\n", encoding="utf-8")
    rows = "".join(f"{n},{(n % 5) * 10 or ''}\n" for n in range(200))
    (tmp_path / "ships.csv").write_text("id,port\n" + rows, encoding="utf-8")
    (tmp_path / "ships.sculpt").write_text(FOUND, encoding="utf-8")
    (tmp_path / "ports.sculpt").write_text(PORTS, encoding="utf-8")
    both = 'include "ships.sculpt" as Ships for "ships.csv"\n'
    (tmp_path / "both.sculpt").write_text(both, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("unit", [300, None])
def test_rows_of_other_tables(spark: SparkSession, ships: Path, unit: int | None) -> None:
    schema = sculpt.Schema.load(ships / "ships.sculpt")
    path = str(ships / "ships.csv")
    expected = sculpt.run(schema, path, engine="local").table("Ship").to_pylist()
    assert [row["town"] for row in expected[:4]] == [None, "Malmö", None, None]
    assert expected[2]["towns"] == ["Oslo/2", "Old Oslo/2"]
    assert sculpt.run(schema, path, engine="reference").table("Ship").to_pylist() == expected
    frame = sculpt.spark.records(spark, schema, path, "Ship", unit=unit)
    found = sorted((row.asDict() for row in frame.collect()), key=lambda row: int(row["id"]))
    assert found == expected


def test_programs_of_tables(spark: SparkSession, ships: Path) -> None:
    schema = sculpt.Schema.load(ships / "both.sculpt")
    expected = sculpt.run(schema, engine="local").table("Ship")
    assert expected.num_rows == 200
    assert sculpt.run(schema, engine="reference").table("Ship") == expected
    assert sculpt.run(schema, spark=spark).table("Ship") == expected
