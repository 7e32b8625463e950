"""The commands `run` and `extract`: outputs, status, messages."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from executed_docs import Outcome, run_command
from rdflib import Graph

RULES = """\
age = [0-9]+
row(1) -> name, years
col(years) -> age
"""
EMITS = """\
For each cell v in col(years) {
  emit Person(name: directly(left, Text, v), years: v as xs:integer)
}
"""
GOOD = "name,years\nAda,36\nAlan,41\n"
BAD = "name,years\nAda,36\nAlan,forty\nKurt,71\n"
CSV = "name,years\nAda,36\nAlan,41\n"
PEOPLE = [{"name": "Ada", "years": 36}, {"name": "Alan", "years": 41}]
ENGINES = ["local", "reference"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    save("people.sculpt", RULES + EMITS)
    save("good.csv", GOOD)
    save("bad.csv", BAD)
    return tmp_path


def save(name: str, text: str | bytes) -> str:
    Path(name).write_bytes(text.encode() if isinstance(text, str) else text)
    return name


def run(*arguments: str, stdin: bytes = b"") -> Outcome:
    outcome = run_command(list(arguments), stdin)
    assert "Traceback" not in outcome.output
    assert "bug in sculpt" not in outcome.output
    return outcome


def ran(*arguments: str, stdin: bytes = b"") -> str:
    """What a successful run writes to standard output."""
    outcome = run("run", *arguments, stdin=stdin)
    assert outcome.status == 0, outcome.output
    return outcome.output.removesuffix(outcome.errors)


def names() -> set[str]:
    """Everything in the folder, hidden files too."""
    return {str(path.relative_to(Path.cwd())) for path in Path.cwd().rglob("*")}


@pytest.fixture
def untouched(folder: Path) -> Path:
    """An output that was there before, for calls that must not change anything."""
    path = folder / "out.csv"
    path.write_text("before\n", encoding="utf-8")
    return path


# ----------------------------------------------------------------- outputs

TEXTS = {
    "csv": CSV,
    "tsv": CSV.replace(",", "\t"),
    "json": '[\n{"name":"Ada","years":36},\n{"name":"Alan","years":41}\n]\n',
    "jsonl": '{"name":"Ada","years":36}\n{"name":"Alan","years":41}\n',
    "xml": (
        '<?xml version="1.0" encoding="UTF-8"?>\n<records>\n'
        "<Person><name>Ada</name><years>36</years></Person>\n"
        "<Person><name>Alan</name><years>41</years></Person>\n</records>\n"
    ),
    "ntriples": "".join(
        f"<urn:sculpt:Person:{number}>"
        " <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <urn:sculpt:Person> .\n"
        f'<urn:sculpt:Person:{number}> <urn:sculpt:name> "{name}" .\n'
        f'<urn:sculpt:Person:{number}> <urn:sculpt:years> "{years}"'
        "^^<http://www.w3.org/2001/XMLSchema#integer> .\n"
        for number, name, years in [(1, "Ada", 36), (2, "Alan", 41)]
    ),
    "turtle": (
        "@prefix : <urn:sculpt:> .\n@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n"
        '<urn:sculpt:Person:1> a :Person ;\n    :name "Ada" ;\n    :years 36 .\n'
        '<urn:sculpt:Person:2> a :Person ;\n    :name "Alan" ;\n    :years 41 .\n'
    ),
}
ENDINGS = {
    "csv": "csv",
    "tsv": "tsv",
    "json": "json",
    "jsonl": "jsonl",
    "ndjson": "jsonl",
    "nt": "ntriples",
    "ttl": "turtle",
    "xml": "xml",
    "CSV": "csv",
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_end_of_the_name_tells_the_format(ending: str) -> None:
    outcome = run("run", "people.sculpt", "good.csv", "-o", f"out.{ending}")
    assert (outcome.status, outcome.output) == (0, f"Person: 2 records → out.{ending}\n")
    assert Path(f"out.{ending}").read_bytes().decode() == TEXTS[ENDINGS[ending]]
    assert names() == {"people.sculpt", "good.csv", "bad.csv", f"out.{ending}"}


@pytest.mark.parametrize("name", ["out.parquet", "out.csv"])
def test_parquet(name: str) -> None:
    ran("people.sculpt", "good.csv", "-o", name, "--format", "parquet")
    assert pq.read_table(name).to_pylist() == PEOPLE


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("file_format", TEXTS)
def test_formats_on_standard_output_and_against_the_name(file_format: str, engine: str) -> None:
    call = ["people.sculpt", "good.csv", "--format", file_format, "--engine", engine]
    assert ran(*call) == TEXTS[file_format]
    assert ran(*call, "-o", "out.parquet") == ""
    assert Path("out.parquet").read_text(encoding="utf-8") == TEXTS[file_format]


def test_csv_is_what_standard_output_gets() -> None:
    assert ran("people.sculpt", "good.csv") == CSV
    assert ran("people.sculpt", "good.csv", "--threads", "1") == CSV


def test_parquet_on_standard_output() -> None:
    done = process("run", "people.sculpt", "good.csv", "--format", "parquet")
    assert (done.returncode, done.stderr) == (0, b"")
    Path("caught").write_bytes(done.stdout)
    assert pq.read_table("caught").to_pylist() == PEOPLE


def test_an_output_is_replaced_and_keeps_its_mode(untouched: Path) -> None:
    untouched.chmod(0o640)
    ran("people.sculpt", "good.csv", "-o", "out.csv")
    assert untouched.read_text(encoding="utf-8") == CSV
    assert untouched.stat().st_mode & 0o777 == 0o640


ALL_KINDS = """\
namespace default = http://example.org/
print "people:"
For each cell v in col(years) {
  print v
  annotate v with "an age"
  emit Age(years: v)
}
For each row r in col(name) { emit Name(name: r.cells[1]) }
"""


@pytest.mark.parametrize("out", ["outs", "outs/", "there"])
def test_several_outputs_go_to_a_directory(out: str) -> None:
    save("all.sculpt", RULES + ALL_KINDS)
    Path("there").mkdir()
    outcome = run("run", "all.sculpt", "good.csv", "-o", out)
    place = out.rstrip("/")
    assert (outcome.status, outcome.output) == (
        0,
        f"3 lines → {place}/text.txt\n"
        f"2 annotations → {place}/annotations.json\n"
        f"Age: 2 records → {place}/Age.csv\n"
        f"Name: 2 records → {place}/Name.csv\n",
    )
    found = {path.name: path.read_text(encoding="utf-8") for path in Path(out).iterdir()}
    assert json.loads(found.pop("annotations.json")) == {
        "files": [
            {
                "path": "good.csv",
                "cells": {
                    "#cell=2,2": {"annotations": ["an age"]},
                    "#cell=3,2": {"annotations": ["an age"]},
                },
            }
        ]
    }
    assert found == {
        "text.txt": "people:\n36\n41\n",
        "Age.csv": "years\n36\n41\n",
        "Name.csv": "name\nAda\nAlan\n",
    }
    assert not [name for name in names() if name.startswith(".")]


def test_a_format_for_a_directory() -> None:
    save("all.sculpt", RULES + ALL_KINDS)
    ran("all.sculpt", "good.csv", "-o", "outs", "--format", "jsonl")
    assert {path.name for path in Path("outs").iterdir()} == {
        "text.txt",
        "annotations.json",
        "Age.jsonl",
        "Name.jsonl",
    }
    ran("all.sculpt", "good.csv", "-o", "rdf", "--format", "turtle")
    assert {path.name for path in Path("rdf").iterdir()} == {
        "text.txt",
        "annotations.ttl",
        "Age.ttl",
        "Name.ttl",
    }
    assert len(Graph().parse("rdf/annotations.ttl")) == 2
    assert len(Graph().parse("rdf/Name.ttl")) == 4


def test_one_of_several_outputs() -> None:
    save("all.sculpt", RULES + ALL_KINDS)
    assert ran("all.sculpt", "good.csv", "--only", "text") == "people:\n36\n41\n"
    assert ran("all.sculpt", "good.csv", "--only", "Age") == "years\n36\n41\n"
    ran("all.sculpt", "good.csv", "--only", "Name", "-o", "n.tsv")
    assert Path("n.tsv").read_text(encoding="utf-8") == "name\nAda\nAlan\n"
    ran("all.sculpt", "good.csv", "--only", "text", "-o", "lines")
    assert Path("lines").read_text(encoding="utf-8") == "people:\n36\n41\n"
    ran("all.sculpt", "good.csv", "--only", "Age", "-o", "one/")
    assert {path.name for path in Path("one").iterdir()} == {"Age.csv"}
    table = ran("all.sculpt", "good.csv", "--only", "annotations", "--format", "csv")
    assert table == (
        "file,row,column,content,namespace,text\ngood.csv,2,2,36,,an age\ngood.csv,3,2,41,,an age\n"
    )


def test_lines_beside_a_file_of_records() -> None:
    save("two.sculpt", "For each cell v in true { print v; emit Cell(v: v) }\n")
    assert ran("two.sculpt", "good.csv", "-o", "cells.csv") == "name\nyears\nAda\n36\nAlan\n41\n"
    assert Path("cells.csv").read_text(encoding="utf-8") == "v\nname\nyears\nAda\n36\nAlan\n41\n"


# ----------------------------------------------------------------- wrong calls

CALLS: dict[str, tuple[list[str], int, str]] = {
    "no schema": (
        ["run", "absent.sculpt", "good.csv"],
        2,
        "error: absent.sculpt: cannot be read: no such file or directory\n",
    ),
    "no data": (
        ["run", "people.sculpt", "absent.csv"],
        3,
        "error: absent.csv: cannot be read: no such file or directory\n",
    ),
    "no data among others": (
        ["run", "people.sculpt", "good.csv", "absent.csv"],
        3,
        "error: absent.csv: cannot be read: no such file or directory\n",
    ),
    "an empty directory": (
        ["run", "people.sculpt", "empty", "--engine", "local"],
        3,
        "error: empty: there is no file in this directory\n",
    ),
    "no match": (
        ["run", "people.sculpt", "*.tsv"],
        3,
        "error: *.tsv: no file matches this pattern\n",
    ),
    "no directory": (
        ["run", "people.sculpt", "good.csv", "-o", "nowhere/out.csv"],
        2,
        "error: nowhere/out.csv: cannot be written: no such directory\n",
    ),
    "a file as a directory": (
        ["run", "people.sculpt", "good.csv", "-o", "bad.csv/out.csv"],
        2,
        "error: bad.csv/out.csv: cannot be written: no such directory\n",
    ),
    "a directory that is not empty": (
        ["run", "people.sculpt", "good.csv", "-o", "full"],
        2,
        "error: full: cannot be written: the directory is not empty\n",
    ),
    "a file with a slash": (
        ["run", "people.sculpt", "good.csv", "-o", "bad.csv/"],
        2,
        "error: bad.csv/: cannot be written: no such directory\n",
    ),
    "no format": (
        ["run", "people.sculpt", "good.csv", "-o", "out.xls"],
        2,
        "error: out.xls: cannot infer the format from the name; set `--format` to one of `csv`,"
        " `tsv`, `json`, `jsonl`, `parquet`, `ntriples`, `nquads`, `turtle`, `xml`\n",
    ),
    "several outputs and no place": (
        ["run", "all.sculpt", "good.csv"],
        2,
        "error: the program has several outputs: `text`, `annotations`, `Age`, `Name`; name a"
        " directory with `-o DIR`, or choose one of them with `--only`\n",
    ),
    "several outputs and one file": (
        ["run", "all.sculpt", "good.csv", "-o", "out.csv"],
        2,
        "error: the program has several outputs: `text`, `annotations`, `Age`, `Name`; name a"
        " directory with `-o DIR`, or choose one of them with `--only`\n",
    ),
    "no such output": (
        ["run", "people.sculpt", "good.csv", "--only", "People"],
        2,
        "error: the program has no output `People`; it has `Person`\n",
    ),
    "no program": (
        ["run", "rules.sculpt", "good.csv"],
        2,
        "error: rules.sculpt: has no program to run:"
        " no `print`, and no loop that emits, prints or annotates\n",
    ),
    "declarations only": (
        ["run", "declared.sculpt", "good.csv"],
        2,
        "error: declared.sculpt: has no program to run:"
        " no `print`, and no loop that emits, prints or annotates\n",
    ),
    "force and good rows": (
        ["run", "people.sculpt", "good.csv", "--force", "--only-good-rows"],
        2,
        "error: `--force` keeps all rows and `--only-good-rows` does not: choose one\n",
    ),
    "standard input twice": (
        ["run", "-", "-"],
        2,
        "error: standard input can be read only once\n",
    ),
    "a master without Spark": (
        ["run", "people.sculpt", "good.csv", "--engine", "local", "--master", "local"],
        2,
        "error: `--master` and `--conf` are for Spark; this runs on local\n",
    ),
    "extract without data": (
        ["extract", "people.sculpt", "absent.csv", "col(1)", "-o", "x.csv"],
        3,
        "error: absent.csv: cannot be read: no such file or directory\n",
    ),
    "extract without a format": (
        ["extract", "people.sculpt", "good.csv", "col(1)", "-o", "x.xls"],
        2,
        "error: x.xls: cannot infer the format from the name; set `--format` to one of `csv`,"
        " `tsv`, `json`, `jsonl`, `parquet`, `ntriples`, `nquads`, `turtle`, `xml`\n",
    ),
    "extract to nowhere": (
        ["extract", "people.sculpt", "good.csv", "col(1)", "-o", "nowhere/x.csv"],
        2,
        "error: nowhere/x.csv: cannot be written: no such directory\n",
    ),
    "extract standard input twice": (
        ["extract", "-", "-", "col(1)"],
        2,
        "error: standard input can be read only once\n",
    ),
}


@pytest.mark.parametrize("call", CALLS)
def test_wrong_calls_write_nothing(call: str) -> None:
    save("all.sculpt", RULES + ALL_KINDS)
    save("rules.sculpt", RULES)
    save("declared.sculpt", 'namespace x = http://a.org/\nmapping M = { "a": "b" }\n')
    Path("empty").mkdir()
    Path("full").mkdir()
    save("full/kept", "")
    before = names()
    arguments, status, message = CALLS[call]
    outcome = run(*arguments)
    assert (outcome.status, outcome.output) == (status, message)
    assert names() == before


def test_a_program_that_is_wrong_shows_where(untouched: Path) -> None:
    save("wrong.sculpt", "For each cell v in true {\n  emit R(a: w)\n}\n")
    outcome = run("run", "wrong.sculpt", "good.csv", "-o", "out.csv")
    assert outcome.status == 2
    assert outcome.output == (
        "wrong.sculpt:2:13: error [unknown-variable]: there is no variable `w`\n"
        " 2 |   emit R(a: w)\n"
        "   |             ^\n"
        "   = hint: the loop's variable is `v`\n"
        "\n"
        "error: wrong.sculpt: 1 error\n"
    )
    assert untouched.read_text(encoding="utf-8") == "before\n"


@pytest.mark.skipif(os.geteuid() == 0, reason="everything is permitted to root")
def test_an_output_that_may_not_be_written(untouched: Path) -> None:
    untouched.chmod(0o444)
    outcome = run("run", "people.sculpt", "good.csv", "-o", "out.csv")
    assert outcome.status == 3
    assert outcome.output == "error: out.csv: cannot be written: permission denied\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
@pytest.mark.parametrize("file_format", ["csv", "json", "parquet", "ttl", "xml"])
def test_a_full_disk_is_a_failed_run(folder: Path, file_format: str) -> None:
    (folder / f"out.{file_format}").symlink_to("/dev/full")
    for call in (["run", "people.sculpt", "good.csv"], ["extract", "people.sculpt", "good.csv",
                                                        "true"]):  # fmt: skip
        outcome = run(*call, "-o", f"out.{file_format}")
        assert outcome.status == 3
        reason = f"out.{file_format}: cannot be written: no space left on device"
        assert outcome.output == f"error: {reason}\n"


# ----------------------------------------------------------------- data that violates the schema


@pytest.mark.parametrize("engine", ENGINES)
def test_data_that_violates_the_schema_is_refused(untouched: Path, engine: str) -> None:
    before = names()
    outcome = run("run", "people.sculpt", "bad.csv", "-o", "out.csv", "--engine", engine)
    assert outcome.status == 1
    head, _, rest = outcome.output.partition(" fails\n")
    assert head.startswith("bad.csv: not valid (4 rows × 2 columns, 1 violation)\n\nviolation")
    assert rest == (
        " --> rule 2, line 3: col(years) -> age\n"
        "     age = [0-9]+ (line 1)\n"
        "row 3, column 2: found `forty`, expected age\n"
        " 3 | Alan,forty\n"
        "   |      ^^^^^\n"
        "   = hint: age does not allow `f` at character 1\n"
        "error: the data violates the schema, so the program was not run; nothing was written;"
        " use `--force` to run it anyway, or `--only-good-rows` to leave out the bad rows\n"
    )
    assert untouched.read_text(encoding="utf-8") == "before\n"
    assert names() == before


@pytest.mark.parametrize("out", ["out.csv", "outs/"])
def test_one_bad_file_refuses_all(out: str) -> None:
    before = names()
    outcome = run("run", "people.sculpt", "good.csv", "bad.csv", "-o", out)
    assert outcome.status == 1
    assert outcome.output.startswith("bad.csv: not valid (4 rows × 2 columns, 1 violation)")
    assert names() == before


def test_nothing_is_on_standard_output_when_a_run_is_refused() -> None:
    outcome = run("run", "people.sculpt", "good.csv", "bad.csv")
    assert (outcome.status, outcome.output) == (1, outcome.errors)
    assert "the program was not run; use `--force`" in outcome.errors


@pytest.mark.parametrize("engine", ENGINES)
def test_force_uses_all_rows(untouched: Path, engine: str) -> None:
    save("plain.sculpt", RULES + "For each cell v in col(years) { emit Person(years: v) }\n")
    call = ["run", "plain.sculpt", "bad.csv", "--force", "--engine", engine]
    outcome = run(*call, "-o", "out.csv")
    assert (outcome.status, outcome.output) == (
        1,
        "note: bad.csv: 1 violation; all rows are used\nPerson: 3 records → out.csv\n",
    )
    assert untouched.read_text(encoding="utf-8") == "years\n36\nforty\n71\n"
    assert run(*call).output.startswith("years\n36\nforty\n71\n")


@pytest.mark.parametrize("engine", ENGINES)
def test_force_writes_null_for_what_cannot_be_had(untouched: Path, engine: str) -> None:
    outcome = run("run", "people.sculpt", "bad.csv", "-o", "out.csv", "--force", "--engine", engine)
    assert outcome.status == 1
    assert "[bad-cast]: `forty` is not a valid `xs:integer`\n" in outcome.errors
    assert outcome.errors.endswith("note: 1 value could not be computed and is null\n")
    assert untouched.read_text(encoding="utf-8") == "name,years\nAda,36\nAlan,\nKurt,71\n"


@pytest.mark.parametrize("engine", ENGINES)
def test_only_good_rows_leaves_bad_rows_out(untouched: Path, engine: str) -> None:
    call = ["run", "people.sculpt", "good.csv", "bad.csv", "--only-good-rows", "--engine", engine]
    outcome = run(*call, "-o", "out.csv")
    assert (outcome.status, outcome.output) == (
        1,
        "note: bad.csv: 1 of 4 rows is left out\n"
        "violation [row-content]: 1 of 3 rows fails: rule 2, line 3: col(years) -> age\n"
        "Person: 4 records → out.csv\n",
    )
    assert untouched.read_text(encoding="utf-8") == CSV + "Ada,36\nKurt,71\n"


def test_more_bad_rows_than_are_shown_are_left_out() -> None:
    rows = "".join(f"n{n},{n if n % 3 else 'x'}\n" for n in range(1, 91))
    save("many.csv", "name,years\n" + rows)
    outcome = run("run", "people.sculpt", "many.csv", "--only-good-rows")
    assert outcome.status == 1
    good = "".join(f"n{n},{n}\n" for n in range(1, 91) if n % 3)
    assert outcome.output.removesuffix(outcome.errors) == "name,years\n" + good


@pytest.mark.parametrize("engine", ENGINES)
def test_a_violation_that_names_no_row_leaves_no_good_rows(untouched: Path, engine: str) -> None:
    save("whole.sculpt", "age = [0-9]+\ncol(years) => age, age, age\n" + EMITS)
    before = names()
    call = ["run", "whole.sculpt", "good.csv", "--only-good-rows", "--engine", engine]
    outcome = run(*call, "-o", "out.csv")
    assert outcome.status == 2
    assert outcome.errors.splitlines() == [
        "error: good.csv: a violation is about a whole region or column,"
        " so no row is known to be good"
    ]
    assert untouched.read_text(encoding="utf-8") == "before\n"
    assert names() == before


# ----------------------------------------------------------------- look-ups

LOOK_UP = """\
n = [0-9]+
w = [a-z]+
For each cell v in n {{ emit R(v: v, w: directly({direction}, w, v){policy}, all: v.row) }}
"""


@pytest.mark.parametrize("engine", ENGINES)
def test_optional_inside_of_find_is_not_about_what_it_finds(engine: str) -> None:
    """The message says where `optional` belongs, and it is right."""
    save("other.sculpt", 'No <= down+(row(1) and "no")\nTown <= down+(row(1) and "town")\n')
    save("other.csv", "no,town\n1,Oslo\n2,Ystad\n2,Moss\n")
    save("data.csv", "1\n2\n3\n")
    text = (
        'include "other.sculpt" as P for "other.csv"\n'
        "For each row r in row(1) or row(2) or row(3) {{"
        " emit R(t: find(P(No), r[col(1)] optional)[Town]{policy}) }}\n"
    )
    save("find.sculpt", text.format(policy=""))
    call = ["run", "find.sculpt", "data.csv", "--engine", engine]
    outcome = run(*call)
    assert outcome.status == 1
    assert outcome.errors.splitlines()[-1] == (
        "error: 2 values could not be computed; write `optional` after the whole value,"
        " not inside it, to allow this, or use `--force` to write null"
    )
    save("find.sculpt", text.format(policy=" optional"))
    assert run(*call).status == 0


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("policy", ["", " one"])
@pytest.mark.parametrize("out", ["out.csv", "outs/"])
def test_a_look_up_that_finds_nothing(untouched: Path, out: str, policy: str, engine: str) -> None:
    save("find.sculpt", LOOK_UP.format(direction="left", policy=policy))
    save("find.csv", "a,1\n,2\nb,3\n")
    before = names()
    outcome = run("run", "find.sculpt", "find.csv", "-o", out, "--engine", engine)
    assert outcome.status == 1
    assert outcome.output == (
        "find.csv: row 2, column 2: violation [lookup-none]:"
        " `directly(left, w, v)` finds no cell from (2,2)\n"
        " 2 | ,2\n"
        "   |  ^\n"
        "   = find.sculpt, line 3\n"
        "error: 1 value could not be computed; nothing was written;"
        " write `optional` after the value to allow this, or use `--force` to write null\n"
    )
    assert outcome.output == outcome.errors
    assert untouched.read_text(encoding="utf-8") == "before\n"
    assert names() == before


@pytest.mark.parametrize("engine", ENGINES)
def test_a_look_up_that_finds_several_names_all_coordinates(untouched: Path, engine: str) -> None:
    program = "n = [0-9]+\nw = [a-z]+\nFor each cell v in n { emit R(w: closest(up, w, v)) }\n"
    save("find.sculpt", program)
    save("find.csv", "x,a,b\n,,1\n")
    before = names()
    outcome = run("run", "find.sculpt", "find.csv", "-o", "out.csv", "--engine", engine)
    assert outcome.status == 1
    assert (
        "find.csv: row 2, column 3: violation [lookup-several]:"
        " `closest(up, w, v)` finds several cells from (2,3): (1,1) and (1,2)\n"
        " 2 | ,,1\n"
        "   |   ^\n"
        "   = find.sculpt, line 3\n"
        "   = hint: `within(up, 2, 0, w, v)` finds only (1,1)\n"
    ) in outcome.errors
    assert untouched.read_text(encoding="utf-8") == "before\n"
    assert names() == before


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("policy", "texts"),
    [
        (" optional", ["a", "", "b"]),
        (' optional("none")', ["a", "none", "b"]),
        (' all("+")', ["a", '""', "b"]),
        (" all", ["a", '""', "b"]),
    ],
)
def test_look_ups_that_allow_for_nothing(policy: str, texts: list[str], engine: str) -> None:
    save("find.sculpt", LOOK_UP.format(direction="left", policy=policy))
    save("find.csv", "a,1\n,2\nb,3\n")
    rows = "".join(f"{n},{text},{n}\n" for n, text in enumerate(texts, 1))
    assert ran("find.sculpt", "find.csv", "--engine", engine) == "v,w,all\n" + rows


@pytest.mark.parametrize("engine", ENGINES)
def test_all_takes_all(engine: str) -> None:
    save("all.sculpt", 'For each cell v in "1" { emit R(t: up+(v) all("+"), l: up+(v) all) }\n')
    save("find.csv", "a\nb\n1\n")
    call = ["all.sculpt", "find.csv", "--engine", engine]
    assert ran(*call, "--format", "jsonl") == '{"t":"a+b","l":["a","b"]}\n'
    assert ran(*call) == "t,l\na+b,a;b\n"


@pytest.mark.parametrize("engine", ENGINES)
def test_findings_name_their_files(engine: str) -> None:
    save("find.sculpt", LOOK_UP.format(direction="left", policy=""))
    save("a.csv", "1,a\n")
    save("b.csv", "a,1\n")
    save("c.csv", "a,a\na,2\n,3\n")
    call = ["run", "find.sculpt", "a.csv", "b.csv", "c.csv", "--force", "--engine", engine]
    outcome = run(*call)
    assert outcome.status == 1
    found = [line for line in outcome.errors.splitlines() if ": violation" in line]
    places = [line.partition(": violation")[0] for line in found]
    assert places == ["a.csv: row 1, column 1", "c.csv: row 3, column 2"]
    assert outcome.output.startswith("v,w,all\n1,,1\n1,a,1\n2,a,2\n3,,3\n")


def test_findings_name_the_schema_that_the_program_is_in() -> None:
    save("find.sculpt", "\n" * 5 + LOOK_UP.format(direction="left", policy=""))
    save("main.sculpt", 'include "find.sculpt"\nprint "x" as xs:date optional\n')
    save("a.csv", "1,a\n")
    outcome = run("run", "main.sculpt", "a.csv", "--only", "R")
    assert outcome.status == 1
    assert "\n   = find.sculpt, line 8\n" in outcome.errors


def test_the_data_is_not_replaced() -> None:
    before = Path("good.csv").read_bytes()
    for out in ("good.csv", "./good.csv", str(Path("good.csv").resolve())):
        outcome = run("run", "people.sculpt", "good.csv", "-o", out)
        assert outcome.status == 2
        expected = f"error: {out}: is a data file; name another output\n"
        assert outcome.errors == expected
        assert Path("good.csv").read_bytes() == before


def test_lines_have_no_format() -> None:
    save("lines.sculpt", 'print "hello"\n')
    outcome = run("run", "lines.sculpt", "good.csv", "-o", "lines.parquet", "--format", "parquet")
    assert outcome.status == 2
    assert "printed lines have no format" in outcome.errors
    assert not Path("lines.parquet").exists()
    assert ran("lines.sculpt", "good.csv") == "hello\n"


@pytest.mark.parametrize("out", ["-", "/dev/stdout"])
def test_standard_output_by_name(out: str) -> None:
    assert ran("people.sculpt", "good.csv", "-o", out) == CSV


@pytest.mark.parametrize("name", ["text", "annotations"])
def test_names_of_other_outputs_are_reserved(name: str) -> None:
    save("named.sculpt", f"For each cell v in true {{ emit {name}(v: v) }}\n")
    outcome = run("run", "named.sculpt", "good.csv")
    assert outcome.status == 2
    assert f"error [reserved-name]: `{name}` is the name of another output" in outcome.errors


def test_an_output_that_gets_nothing_says_why() -> None:
    save("none.sculpt", "n = [0-9]+\nFor each cell v in nn { emit R(v: v) }\n")
    outcome = run("run", "none.sculpt", "good.csv")
    assert outcome.status == 0
    assert outcome.output.startswith("v\n")
    assert outcome.errors.startswith("note: no `R` was emitted: no loop selected a cell;")


def test_findings_are_counted_beyond_those_shown() -> None:
    save("find.sculpt", LOOK_UP.format(direction="left", policy=""))
    save("find.csv", "1\n" * 50)
    outcome = run("run", "find.sculpt", "find.csv")
    assert outcome.status == 1
    assert outcome.errors.count("[lookup-none]") == 20
    assert "… and 30 more\nerror: 50 values could not be computed;" in outcome.errors


@pytest.mark.parametrize("engine", ENGINES)
def test_only_good_rows_says_what_it_leaves_out_and_why(engine: str) -> None:
    rules = "row(1) -> name, years\nunique(Ada)\ndown+(years) -> Number\n"
    save("why.sculpt", rules + EMITS)
    save("why.csv", 'name,years\nAda,36\nAda,x\nAlan,41\nKurt,y\nLee,"7\nMia,8\nNia,9\n')
    outcome = run("run", "why.sculpt", "why.csv", "--only-good-rows", "--engine", engine)
    assert outcome.output.split("note: ")[1:] == [
        "why.csv: 3 of 6 rows are left out\n"
        "violation [unclosed-quote]: 1 of 12 cells fails\n"
        "violation [row-content]: 3 of 5 rows fail: rule 2, line 3: down+(years) -> Number\n"
        "violation [unique]: 1 of 2 cells fails: line 2: unique(Ada)\n",
        "why.csv: the quote opened in row 6 never closes: its cell swallows the 2 rows after it;"
        " none of it is in the output\n",
    ]


# ----------------------------------------------------------------- loops that select nothing


@pytest.mark.parametrize("engine", ENGINES)
def test_strict_fails_where_a_loop_selects_nothing(untouched: Path, engine: str) -> None:
    save(
        "idle.sculpt",
        'For each cell v in col(years) { emit P(a: v) }\nFor each row r in nmae { print "" }\n',
    )
    call = ["idle.sculpt", "good.csv", "--engine", engine]
    warning = (
        "warning [vacuous-loop]: a loop selects nothing: For each row r in nmae\n"
        "  = hint: `nmae` matches no cell; `name` at (1,1) is similar\n"
    )
    outcome = run("run", *call, "--only", "P", "-o", "out.csv", "--strict")
    assert outcome.status == 1
    assert warning in outcome.output
    assert outcome.output.endswith(
        "error: there are warnings, and `--strict` was given; nothing was written\n"
    )
    assert untouched.read_text(encoding="utf-8") == "before\n"
    assert run("run", *call, "--only", "P").status == 0
    checked = run("validate", *call, "--strict")
    assert checked.status == 1
    assert warning in checked.output
    assert "vacuous-loop" not in run("validate", *call).output
    listed = run("validate", *call, "--strict", "--violations-to", "all.csv")
    assert (listed.status, warning in listed.output) == (1, True)
    page = run("validate", *call, "--strict", "-f", "html")
    assert page.status == 1
    assert "a loop selects nothing: For each row r in nmae" in page.output
    assert "a loop selects nothing" not in run("validate", *call, "-f", "html").output


@pytest.mark.parametrize("engine", ENGINES)
def test_strict_allows_a_schema_without_rules(engine: str) -> None:
    save("bare.sculpt", "For each cell v in years { print v.row }\n")
    call = ["run", "bare.sculpt", "good.csv", "--strict", "--engine", engine]
    assert (run(*call).status, run(*call).output) == (0, "1\n")
    call = [*call, "--set", "Col Delim=;"]
    assert run(*call).status == 1  # a wrong delimiter


# ----------------------------------------------------------------- inputs


@pytest.mark.parametrize("engine", ENGINES)
def test_standard_input(engine: str) -> None:
    call = ["people.sculpt", "-", "--engine", engine]
    assert ran(*call, stdin=GOOD.encode()) == CSV
    assert ran(*call, stdin=gzip.compress(GOOD.encode())) == CSV
    assert ran("-", "good.csv", "--engine", engine, stdin=(RULES + EMITS).encode()) == CSV
    outcome = run("run", *call, "--only-good-rows", stdin=BAD.encode())
    assert outcome.output == (
        "name,years\nAda,36\nKurt,71\nnote: -: 1 of 4 rows is left out\n"
        "violation [row-content]: 1 of 3 rows fails: rule 2, line 3: col(years) -> age\n"
    )


def test_standard_input_between_files() -> None:
    save("all.sculpt", RULES + "For each cell v in col(years) { emit P(at: v.file, years: v) }\n")
    found = ran("all.sculpt", "good.csv", "-", "good.csv", stdin=b"name,years\nKurt,71\n")
    assert found == "at,years\ngood.csv,36\ngood.csv,41\n-,71\ngood.csv,36\ngood.csv,41\n"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_named_pipe_is_read_once(folder: Path) -> None:
    os.mkfifo("pipe.csv")
    writer = subprocess.Popen(["cp", "/dev/stdin", "pipe.csv"], stdin=subprocess.PIPE)
    with writer:
        assert writer.stdin is not None
        writer.stdin.write(GOOD.encode())
        writer.stdin.close()
        assert ran("people.sculpt", "pipe.csv") == CSV
    assert writer.returncode == 0


@pytest.mark.parametrize("engine", ENGINES)
def test_several_files_and_where_a_record_is_from(engine: str) -> None:
    save("where.sculpt", RULES + 'print "--"\n'
         "For each row r in age { emit Age(file: r.file, row: r.row, age: r.cells[1]) }\n"
         'For each column c in age { print c.file + " " + Sum(c) }\n')  # fmt: skip
    Path("more").mkdir()
    save("more/b.csv", "name,years\nKurt,71\n")
    save("more/a.csv", "name,years\nEmmy,53\n")
    call = ["where.sculpt", "good.csv", "more", "--engine", engine]
    assert ran(*call, "--only", "Age") == (
        "file,row,age\ngood.csv,2,36\ngood.csv,3,41\nmore/a.csv,2,53\nmore/b.csv,2,71\n"
    )
    assert ran(*call, "--only", "text") == (
        "--\ngood.csv 77\n--\nmore/a.csv 53\n--\nmore/b.csv 71\n"
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_packed_and_encoded_inputs(engine: str) -> None:
    save("cells.sculpt", "For each cell v in true { emit C(v: v, raw: v.raw) }\n")
    text = " né ,日本\n"
    save("a.csv.gz", gzip.compress(text.encode()))
    call = ["run", "cells.sculpt", "--engine", engine, "--format", "jsonl"]
    expected = '{"v":"né","raw":" né "}\n{"v":"日本","raw":"日本"}\n'
    assert run(*call, "a.csv.gz").output == expected
    save("utf16.csv", text.encode("utf-16"))
    assert run(*call, "utf16.csv", "--set", "Encoding=utf-16").output == expected
    save("utf16be.csv.gz", gzip.compress(text.encode("utf-16-be")))
    assert run(*call, "utf16be.csv.gz", "--set", "Encoding=utf-16-be").output == expected
    save("latin.csv", "é,ÿ\n".encode("latin-1"))
    latin = run(*call, "latin.csv", "--set", "Encoding=latin-1").output
    assert latin == '{"v":"é","raw":"é"}\n{"v":"ÿ","raw":"ÿ"}\n'
    refused = run(*call, "latin.csv")
    assert refused.status == 1
    assert "latin.csv: not valid (1 row × 2 columns, 2 violations" in refused.errors
    assert "`Encoding = cp1252` would decode all of them, for example as `é`" in refused.errors
    forced = run(*call, "latin.csv", "--force")
    assert forced.output.startswith('{"v":"\ufffd","raw":"\ufffd"}\n' * 2)


def test_an_empty_file() -> None:
    save("nothing.csv", "")
    save(
        "count.sculpt", 'print "cells: " + Count(true)\nFor each cell v in true { emit C(v: v) }\n'
    )
    assert ran("count.sculpt", "nothing.csv", "--only", "text") == "cells: 0\n"
    assert ran("count.sculpt", "nothing.csv", "--only", "C") == "v\n"
    assert ran("count.sculpt", "nothing.csv", "--only", "C", "--format", "json") == "[\n]\n"


# ----------------------------------------------------------------- extract

REGION_TEXTS = {
    "csv": " Ada,36\nAlan ,\n",
    "tsv": " Ada\t36\nAlan \t\n",
    "json": '[\n{"c1":" Ada","c2":"36"},\n{"c1":"Alan ","c2":null}\n]\n',
    "jsonl": '{"c1":" Ada","c2":"36"}\n{"c1":"Alan ","c2":null}\n',
    "xml": (
        '<?xml version="1.0" encoding="UTF-8"?>\n<records>\n'
        "<region><c1> Ada</c1><c2>36</c2></region>\n"
        "<region><c1>Alan </c1></region>\n</records>\n"
    ),
    "ntriples": "".join(
        f"<urn:sculpt:region:{number}> {said} .\n"
        for number, said in [
            (1, "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <urn:sculpt:region>"),
            (1, '<urn:sculpt:c1> " Ada"'),
            (1, '<urn:sculpt:c2> "36"'),
            (2, "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <urn:sculpt:region>"),
            (2, '<urn:sculpt:c1> "Alan "'),
        ]
    ),
    "turtle": (
        "@prefix : <urn:sculpt:> .\n"
        '<urn:sculpt:region:1> a :region ;\n    :c1 " Ada" ;\n    :c2 "36" .\n'
        '<urn:sculpt:region:2> a :region ;\n    :c1 "Alan " .\n'
    ),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("file_format", REGION_TEXTS)
def test_extract(file_format: str, engine: str) -> None:
    save("raw.csv", "name,years\n Ada,36\nAlan ,41\n")
    call = ["extract", "people.sculpt", "raw.csv", "row(2) or Alan", "--engine", engine]
    outcome = run(*call, "--format", file_format)
    assert (outcome.status, outcome.output) == (0, REGION_TEXTS[file_format])
    outcome = run(*call, "--format", file_format, "-o", "region")
    assert (outcome.status, outcome.output) == (0, "2 rows → region\n")
    assert Path("region").read_bytes().decode() == REGION_TEXTS[file_format]


@pytest.mark.parametrize("engine", ENGINES)
def test_extract_parquet(engine: str) -> None:
    call = ["extract", "people.sculpt", "good.csv", "(3,1) or (2,2)", "--engine", engine]
    assert run(*call, "-o", "region.parquet").status == 0
    assert pq.read_table("region.parquet").to_pylist() == [
        {"c1": None, "c2": "36"},
        {"c1": "Alan", "c2": None},
    ]


def test_extract_does_not_ask_for_valid_data() -> None:
    outcome = run("extract", "people.sculpt", "bad.csv", "col(years) and not age")
    assert (outcome.status, outcome.output) == (0, "forty\n")
    outcome = run("extract", "people.sculpt", "-", "col(1)", stdin=BAD.encode())
    assert (outcome.status, outcome.output) == (0, "name\nAda\nAlan\nKurt\n")


@pytest.mark.parametrize("engine", ENGINES)
def test_a_region_without_cells_says_why(engine: str) -> None:
    outcome = run("extract", "people.sculpt", "good.csv", "col(yeers)", "--engine", engine)
    assert (outcome.status, outcome.output) == (
        0,
        "note: `yeers` is not declared, so it stands for its own text\n",
    )


def test_a_region_that_cannot_be_read_shows_where() -> None:
    outcome = run("extract", "people.sculpt", "good.csv", "col(")
    assert outcome.status == 2
    assert outcome.output.startswith("<selector>:1:5: error [syntax]")


# ----------------------------------------------------------------- the real process


def process(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "sculpt", *arguments]
    return subprocess.run(command, capture_output=True, timeout=120, check=False)


def test_an_interrupted_run_leaves_nothing(untouched: Path) -> None:
    before = names()
    command = [sys.executable, "-u", "-m", "sculpt", "run", "people.sculpt", "-", "-o", "out.csv"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        assert running.stdin is not None
        # More than a pipe holds: once all of it is taken, the run has started reading.
        running.stdin.write(b"name,years\n" * 20_000)
        running.stdin.flush()
        running.send_signal(signal.SIGINT)
        out, errors = running.communicate(timeout=120)
    assert (running.returncode, out) == (3, b"")
    assert errors.splitlines()[-1] == b"error: interrupted; nothing was written"
    assert untouched.read_text(encoding="utf-8") == "before\n"
    assert names() == before


def test_a_reader_that_has_gone_does_not_undo_the_files(folder: Path) -> None:
    save("two.sculpt", "For each cell v in true { print v; emit Cell(v: v) }\n")
    save("many.csv", "some text\n" * 50_000)
    command = [sys.executable, "-m", "sculpt", "run", "two.sculpt", "many.csv", "-o", "cells.csv"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        assert running.stdout.readline() == b"some text\n"
        running.stdout.close()
        errors = running.stderr.read().decode()
        assert running.wait(timeout=120) == 0
    assert errors.splitlines()[-1] == "Cell: 50,000 records → cells.csv"
    assert Path("cells.csv").read_text(encoding="utf-8") == "v\n" + "some text\n" * 50_000


def test_a_closed_output_is_no_mistake() -> None:
    command = f"{sys.executable} -m sculpt run people.sculpt good.csv -o out.csv >&-"
    done = subprocess.run(command, shell=True, capture_output=True, timeout=120, check=False)
    assert (done.returncode, done.stderr.decode()) == (0, "Person: 2 records → out.csv\n")
    assert Path("out.csv").read_text(encoding="utf-8") == CSV


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
def test_a_full_standard_output_is_a_failed_run(untouched: Path) -> None:
    save("two.sculpt", "For each cell v in true { print v; emit Cell(v: v) }\n")
    before = names()
    with Path("/dev/full").open("wb") as full:
        command = [sys.executable, "-m", "sculpt", "run", "two.sculpt", "good.csv", "-o", "out.csv"]
        done = subprocess.run(
            command, stdout=full, stderr=subprocess.PIPE, timeout=120, check=False
        )
    assert done.returncode == 3
    assert done.stderr == b"error: the output cannot be written: no space left on device\n"
    assert untouched.read_text(encoding="utf-8") == "before\n"
    assert names() == before
