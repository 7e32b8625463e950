"""`--violations-to`, `--good-to`, `--bad-to`: complete, byte for byte, on every engine here."""

from __future__ import annotations

import bz2
import csv
import gzip
import json
import lzma
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from executed_docs import Outcome, run_command
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sculpt
from agreement import ALL, schema_texts
from sculpt.report.lists.violations import COLUMNS
from sculpt.spark.listers import VIOLATIONS
from strategies import as_csv, tables

SCHEMA = "row(1) -> name, age\ncol(age) -> Integer\n"
ENGINES = ("local", "reference")
LISTS = ("--violations-to", "v.jsonl", "--good-to", "good.csv", "--bad-to", "bad.csv")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("s.sculpt").write_text(SCHEMA, encoding="utf-8")
    Path("a.csv").write_bytes(b"name,age\nAda,36\nBob,x\r\nEve\nJoe,4")
    return tmp_path


def run(*arguments: str, stdin: bytes = b"") -> Outcome:
    outcome = run_command(["validate", *arguments], stdin)
    assert "Traceback" not in outcome.output
    return outcome


def read(path: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]


# ------------------------------------------------------------- violations


@pytest.mark.parametrize("engine", ENGINES)
def test_all_violations_are_listed_in_every_format(engine: str) -> None:
    data = b"name,age\n" + b"".join(b"A%d,x%d\n" % (n, n) for n in range(5_000)) + b"name,1\n"
    Path("a.csv").write_bytes(data)
    Path("s.sculpt").write_text(SCHEMA + "unique(name)\n", encoding="utf-8")
    schema = sculpt.Schema.load("s.sculpt")
    verdict = sculpt.validate(schema, "a.csv", "reference", max_violations=10_000)
    assert verdict.violation_count == len(verdict.violations) == 5_001
    for name in ("v.jsonl", "v.ndjson", "v.csv", "v.parquet"):
        call = ("s.sculpt", "a.csv", "--engine", engine, "--max-violations", "3", "-f", "json")
        outcome = run(*call, "--violations-to", name, "-o", "report.json")
        assert outcome.status == 1
        assert f"5,001 violations → {name}" in outcome.errors
        (file,) = json.loads(Path("report.json").read_text(encoding="utf-8"))["files"]
        assert (file["violation_count"], len(file["violations"])) == (5_001, 3)
    places = [name for name in COLUMNS if name.startswith(("first_", "target_"))]
    own = [name for name in COLUMNS if name not in ("file", *places)]
    expected: list[dict[str, Any]] = [
        {**{name: getattr(each, name) for name in own}, "file": "a.csv"}
        for each in verdict.violations
    ]
    for each in expected:
        each["tokens"], each["expected"] = list(each["tokens"]), list(each["expected"])
    lines = [{**each, "first": None, "target": None} for each in expected]
    assert read("v.jsonl") == read("v.ndjson") == lines
    rows = [{**each, **dict.fromkeys(places)} for each in expected]
    assert pq.read_table("v.parquet").to_pylist() == rows
    with open("v.csv", encoding="utf-8", newline="") as file:
        read_back = list(csv.DictReader(file))
    assert [int(row["offset"]) for row in read_back] == [each["offset"] for each in expected]
    assert [row["found"] for row in read_back] == [each["found"] for each in expected]


def test_the_table_has_the_columns_of_spark() -> None:
    kinds = {"string": "string", "int": "int32", "long": "int64", "array<string>": "strings"}
    theirs = dict(each.strip().split(" ") for each in VIOLATIONS.split(","))
    assert {name: kinds[kind] for name, kind in theirs.items()} == dict(COLUMNS)
    run("s.sculpt", "a.csv", "--violations-to", "v.parquet")
    schema = pq.read_schema("v.parquet")
    found = {field.name: str(field.type) for field in schema}
    assert found == {
        name: "list<element: string>" if kind == "strings" else kind
        for name, kind in COLUMNS.items()
    }


def test_violations_of_several_files() -> None:
    Path("b.csv").write_bytes(b"x\n")
    Path("ok.csv").write_bytes(b"name,age\n")
    outcome = run("s.sculpt", "b.csv", "no.csv", "a.csv", "ok.csv", "--violations-to", "v.jsonl")
    assert outcome.status == 3
    assert [each["file"] for each in read("v.jsonl")] == ["b.csv", "a.csv", "a.csv"]


def test_no_violations_are_an_empty_table() -> None:
    Path("a.csv").write_bytes(b"name,age\n")
    for name in ("v.jsonl", "v.csv", "v.parquet"):
        assert run("s.sculpt", "a.csv", "--violations-to", name).status == 0
    assert Path("v.jsonl").read_bytes() == b""
    assert Path("v.csv").read_text(encoding="utf-8").count("\n") == 1
    assert pq.read_table("v.parquet").num_rows == 0


# ------------------------------------------------------------- rows


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("limit", ["0", "1000"])
def test_rows_keep_their_bytes(engine: str, limit: str) -> None:
    call = ("s.sculpt", "a.csv", "--engine", engine, "--max-violations", limit)
    assert run(*call, *LISTS).status == 1
    assert Path("good.csv").read_bytes() == b"name,age\nAda,36\nJoe,4"
    assert Path("bad.csv").read_bytes() == b"Bob,x\r\nEve\n"
    assert [each["row"] for each in read("v.jsonl")] == [3, 4]


@pytest.mark.parametrize("engine", ENGINES)
def test_all_rows_are_bad_if_a_violation_names_none(engine: str) -> None:
    Path("s.sculpt").write_text(f"{SCHEMA}col(name) => Text, Text\n", encoding="utf-8")
    Path("a.csv").write_bytes(b"name,age\nAda,36\n")
    assert run("s.sculpt", "a.csv", "--engine", engine, *LISTS).status == 1
    assert Path("good.csv").read_bytes() == b""
    assert Path("bad.csv").read_bytes() == b"name,age\nAda,36\n"


UTF16 = "name,age\nÄda,x\n日,4\n".encode("utf-16")
FORMS: dict[str, tuple[bytes, bytes, bytes]] = {
    "mark": (
        b"\xef\xbb\xbfname,age\nAda,x\nBob,1\n",
        b"\xef\xbb\xbfname,age\nBob,1\n",
        b"\xef\xbb\xbfAda,x\n",
    ),
    "utf-16": (
        UTF16,
        b"\xff\xfe" + "name,age\n日,4\n".encode("utf-16-le"),
        b"\xff\xfe" + "Äda,x\n".encode("utf-16-le"),
    ),
    "no line end": (b"name,age\nAda,x", b"name,age\n", b"Ada,x"),
    "returns": (b"name,age\rAda,x\rBob,1\r\n", b"name,age\rBob,1\r\n", b"Ada,x\r"),
    "in quotes": (
        b'name,age\n"A\nda","x\n"\n"B\n",1\n',
        b'name,age\n"B\n",1\n',
        b'"A\nda","x\n"\n',
    ),
    "comments": (b"#0\nname,age\n#1\nAda,x\n#2\nBob,1\n#3", b"name,age\nBob,1\n", b"Ada,x\n"),
    "skipped": (b"\nname,age\n\n\nAda,x\n\nBob,1\n\n", b"name,age\nBob,1\n", b"Ada,x\n"),
    "trailing": (b"name,age\nAda,x\n\n \n\n", b"name,age\n", b"Ada,x\n"),
    "undecodable": (b"name,age\n\xff,1\nBob,2\n", b"name,age\nBob,2\n", b"\xff,1\n"),
    "unclosed": (b'name,age\nAda,1\n"Bob,2\nEve,3\n', b"name,age\nAda,1\n", b'"Bob,2\nEve,3\n'),
    "empty": (b"", b"", b""),
    "only a mark": (b"\xef\xbb\xbf", b"", b""),
}
DIRECTIVES = {"comments": "Comment = #\n", "skipped": "Blank Rows = skip\n"}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_file(form: str, engine: str) -> None:
    data, good, bad = FORMS[form]
    Path("s.sculpt").write_text(DIRECTIVES.get(form, "") + SCHEMA, encoding="utf-8")
    Path("a.csv").write_bytes(data)
    run("s.sculpt", "a.csv", "--engine", engine, *LISTS)
    assert Path("good.csv").read_bytes() == good
    assert Path("bad.csv").read_bytes() == bad
    assert run("s.sculpt", "bad.csv", "--engine", engine).status == (1 if bad else 0)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_packed_files_are_written_unpacked(pack: Any, engine: str) -> None:
    data = b"name,age\n" + b"".join(b"A,%s\n" % (b"x" if n % 3 else b"1") for n in range(3_000))
    Path("a.csv.gz").write_bytes(pack(data))
    assert run("s.sculpt", "a.csv.gz", "--engine", engine, *LISTS).status == 1
    assert Path("good.csv").read_bytes() == b"name,age\n" + b"A,1\n" * 1_000
    assert Path("bad.csv").read_bytes() == b"A,x\n" * 2_000
    assert len(read("v.jsonl")) == 2_000


@pytest.mark.parametrize("engine", ENGINES)
def test_standard_input_is_read_once(engine: str) -> None:
    data = b"name,age\n" + b"A,x\nB,1\n" * 2_000
    assert run("s.sculpt", "-", "--engine", engine, *LISTS, stdin=data).status == 1
    assert Path("good.csv").read_bytes() == b"name,age\n" + b"B,1\n" * 2_000
    assert [each["file"] for each in read("v.jsonl")] == ["-"] * 2_000


@given(schema_texts(ALL), tables, st.sampled_from([0, 1, 1000]))
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_engines_list_the_same(folder: Path, text: str, table: list[list[str]], limit: int) -> None:
    Path("s.sculpt").write_text(text, encoding="utf-8")
    data = as_csv(table)
    Path("a.csv").write_bytes(data)
    found = []
    for engine in ENGINES:
        for name in (name for name in LISTS if "." in name):
            Path(name).unlink(missing_ok=True)
        call = ("s.sculpt", "a.csv", "--engine", engine, "--max-violations", str(limit))
        if run(*call, *LISTS).status == 2:
            return  # a content that no word can match
        found.append([Path(name).read_bytes() for name in ("v.jsonl", "good.csv", "bad.csv")])
    assert found[0] == found[1]
    violations, good, bad = found[0]
    listed = [json.loads(line) for line in violations.splitlines()]
    rows = [each["row"] for each in listed if each["severity"] == "error"]
    if None in rows:
        assert good == b""
    elif not rows:
        assert bad == b""
    left_out = Counter(data.splitlines())
    left_out.subtract((good + bad).splitlines())
    assert min(left_out.values(), default=0) >= 0
    assert not [line for line, count in left_out.items() if count and line.strip(b' "')]


# ------------------------------------------------------------- places


def test_several_inputs_go_to_a_directory() -> None:
    for name in ("in/x/a.csv", "in/y/a.csv", "in/b.csv.gz"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        data = b"name,age\nAda,x\n" + name.encode() + b",1\n"
        Path(name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    call = ("s.sculpt", "in/x/a.csv", "in/b.csv.gz", "no.csv", "in/y/a.csv", "--engine", "local")
    outcome = run(*call, "--good-to", "good", "--bad-to", "bad/")
    assert outcome.status == 3
    files = {str(path) for name in ("good", "bad") for path in Path(name).rglob("*.csv")}
    ends = ("in/b.csv", "in/x/a.csv", "in/y/a.csv")
    assert files == {f"{name}/{end}" for name in ("good", "bad") for end in ends}
    assert Path("good/in/x/a.csv").read_bytes() == b"name,age\nin/x/a.csv,1\n"


def test_a_single_input_may_go_to_a_directory() -> None:
    Path("there").mkdir()
    run("s.sculpt", "a.csv", "--good-to", "there", "--bad-to", "new/")
    assert Path("there/a.csv").exists()
    assert Path("new/a.csv").exists()


WRONG = {
    "--good-to a.csv": "a.csv: is a data file; name another output",
    "--bad-to s.sculpt": "s.sculpt: is a schema file; name another output",
    "--violations-to a.csv": "a.csv: is a data file; name another output",
    "--good-to x.csv --bad-to ./x.csv": "./x.csv: is named twice; each output needs its own place",
    "--good-to x.csv -o x.csv -f csv": "x.csv: is named twice; each output needs its own place",
    "--good-to no/x.csv": "no/x.csv: cannot be written: no such directory",
    "--violations-to no/x.csv": "no/x.csv: cannot be written: no such directory",
    "--bad-to x.csv.gz": "x.csv.gz: rows are written unpacked; leave out the last extension",
    "--good-to -": "rows cannot be written to standard output; name a file",
    "--good-to full": "full: cannot be written: the directory is not empty",
    "--violations-to v --engine local": "v: cannot infer the format from the name; it must end in"
    " one of `.parquet`, `.csv`, `.jsonl`, `.ndjson` (only Spark writes a directory)",
    "./a.csv --good-to x": "x: the rows of a.csv and ./a.csv would go to the same file, a.csv",
    "b.csv --good-to old.csv": "old.csv: cannot be written: it is not a directory",
    "-f html -o x.html --good-to x.csv": "HTML is made on this machine, and without lists of"
    " violations and rows",
}


@pytest.mark.parametrize("call", WRONG)
def test_what_cannot_be_written_is_told_before_the_work(
    call: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("b.csv").write_bytes(b"name,age\n")
    Path("old.csv").write_bytes(b"before\n")
    Path("full").mkdir()
    Path("full/x").write_bytes(b"")
    before = {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}
    monkeypatch.setattr("sculpt.engines.local.validate_input", None)
    outcome = run("s.sculpt", "a.csv", *call.split())
    assert outcome.status == 2
    assert outcome.output == f"error: {WRONG[call]}\n"
    assert {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()} == before


def test_parquet_needs_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    outcome = run("s.sculpt", "a.csv", "--violations-to", "v.parquet")
    assert outcome.status == 2
    assert outcome.output.startswith("error: Parquet needs pyarrow")
    assert "sculpt-schema[arrow]" in outcome.output
    assert outcome.output.count("\n") == 1


def test_nothing_is_written_if_nothing_can_be_read() -> None:
    outcome = run("s.sculpt", "no.csv", *LISTS)
    assert outcome.status == 3
    assert "note: no input could be read, so no list was written" in outcome.errors
    assert sorted(map(str, Path().iterdir())) == ["a.csv", "s.sculpt"]


def test_a_file_that_changes_leaves_no_list(monkeypatch: pytest.MonkeyPatch) -> None:
    from sculpt.engines import local

    validate = local.validate_input

    def change(*arguments: Any) -> Any:
        verdict = validate(*arguments)
        Path("a.csv").write_bytes(b"name,age\n")
        return verdict

    monkeypatch.setattr(local, "validate_input", change)
    outcome = run("s.sculpt", "a.csv", "--engine", "local", *LISTS)
    assert outcome.status == 3
    assert "a.csv: changed while it was read" in outcome.output
    assert sorted(map(str, Path().iterdir())) == ["a.csv", "s.sculpt"]


def test_a_name_with_an_unknown_ending(folder: Path) -> None:
    outcome = run("s.sculpt", "a.csv", "--violations-to", "v.json")
    assert outcome.status == 2
    assert "v.json: cannot infer the format from the name" in outcome.output
    assert not (folder / "v.json").exists()
