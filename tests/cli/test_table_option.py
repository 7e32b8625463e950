"""Tables, keys, references and conditions from the command line: calls, reports, lists, runs."""

from __future__ import annotations

import csv
import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from executed_docs import Outcome, run_command

import sculpt

SCHEMA = """\
include "depts.sculpt" as Depts for "depts.csv"
row(1) -> Id, Dept, From, To
% No two employees share a number.
key(col(Id))
col(Dept) ~> Depts(col(Code))
For each row r in col(Id) {
  require(r[col(From)] as Integer <= r[col(To)] as Integer)
  print r[col(Id)]
}
"""
GOOD = "Id,Dept,From,To\n1,A,1,2\n2,B,1,1\n"
BAD = "Id,Dept,From,To\n1,A,1,2\n2,C,1,1\n1,B,1,1\n3,B,4,1\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("GITHUB_STEP_SUMMARY", "GITHUB_WORKSPACE"):
        monkeypatch.delenv(name, raising=False)
    Path("emp.sculpt").write_text(SCHEMA)
    Path("depts.sculpt").write_text("row(1) -> Code, Name\nkey(col(Code))\n")
    Path("good.csv").write_text(GOOD)
    Path("bad.csv").write_text(BAD)
    Path("depts.csv").write_text("Code,Name\nA,x\nB,y\n")


def run(*arguments: str, stdin: bytes = b"") -> Outcome:
    outcome = run_command(list(arguments), stdin)
    assert "Traceback" not in outcome.output
    return outcome


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_text(engine: str) -> None:
    assert run("validate", "emp.sculpt", "good.csv", "--engine", engine).status == 0
    found = run("validate", "emp.sculpt", "bad.csv", "--engine", engine)
    assert found.status == 1
    assert found.output.startswith(
        """\
bad.csv: not valid (5 rows × 4 columns, 3 violations)

violation [key]: 1 of 4 entries fails
 --> line 4: key(col(Id))
     No two employees share a number
row 4, column 1: `1` is in the key already: it is first at (2,1)
 4 | 1,B,1,1
   | ^

violation [reference-none]: 1 of 4 entries fails
 --> line 5: col(Dept) ~> Depts(col(Code))
row 3, column 2: `C` is not in `Depts(col(Code))`
 3 | 2,C,1,1
   |   ^

violation [require]: 1 of 4 cases fails
 --> line 7: require(r[col(From)] as Integer <= r[col(To)] as Integer)
"""
    )
    assert "depts.csv [Depts]: valid (3 rows × 2 columns)" in found.output


def test_json() -> None:
    found = json.loads(run("validate", "emp.sculpt", "bad.csv", "-f", "json").output)
    own, table = found["files"]
    assert "table" not in own
    assert table["table"] == "Depts"
    assert [each["code"] for each in own["violations"]] == ["reference-none", "key", "require"]
    assert own["violations"][1]["first"] == {"file": "bad.csv", "row": 2, "column": 1}
    assert own["violations"][0]["target"] is None
    assert [(t["code"], t["line"], t["failed"]) for t in own["structure"]] == [
        ("key", 4, 1),
        ("reference", 5, 1),
        ("require", 7, 1),
    ]


@pytest.mark.parametrize("given", ["other", "other/*.csv", "other/d.csv"])
def test_the_data_of_a_table(given: str) -> None:
    Path("other").mkdir()
    Path("other/d.csv").write_text("Code,Name\nA,x\nB,y\nB,z\n")
    found = run("validate", "emp.sculpt", "good.csv", "--table", f"Depts={given}")
    assert found.status == 1
    assert "`B` is in `Depts(col(Code))` more than once: it is first at (3,1)" in found.output


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--table", "Depts"], "`--table Depts`: write it as `--table NAME=PATH`"),
        (["--table", "D=x"], "there is no table `D`; the tables are `Depts`"),
        (["--table", "Depts=a", "--table", "Depts=b"], "the table `Depts` is named twice"),
        (["--memory", "lots"], "`lots` is not a size; write it as `64MB` or `1GB`"),
        (["--files", "good.csv"], "good.csv: is not a directory"),
        (["--table", "Depts=-", "-"], "standard input can be read only once"),
    ],
)
def test_wrong_calls(words: list[str], told: str) -> None:
    found = run("validate", "emp.sculpt", "good.csv", *words)
    assert found.status == 2
    assert told in found.errors


def test_a_table_that_is_missing() -> None:
    Path("depts.csv").unlink()
    found = run("validate", "emp.sculpt", "good.csv")
    assert found.status == 3
    assert "the table `Depts` needs it: line 1" in found.output
    assert "good.csv: valid" in found.output
    for call in (["run"], ["show"]):
        refused = run(*call, "emp.sculpt", "good.csv")
        assert refused.status == 3
        assert "the table `Depts` needs it: line 1" in refused.errors


def test_without_data() -> None:
    Path("all.sculpt").write_text(
        'include "depts.sculpt" as A for "depts.csv"\n'
        'include "depts.sculpt" as B for "depts.csv"\n'
        "A(col(Code)) ~> B(col(Code))\n"
    )
    found = run("validate", "all.sculpt")
    assert found.status == 0
    assert "2 inputs: 2 valid" in found.output
    assert run("validate", "emp.sculpt").status == 2
    missing = run("validate", "depts.sculpt")
    assert missing.status == 2
    assert "error: the argument DATA is missing" in missing.errors


def test_standard_input_as_data_and_as_a_table() -> None:
    assert run("validate", "emp.sculpt", "-", stdin=GOOD.encode()).status == 0
    assert run("validate", "emp.sculpt", "-", stdin=BAD.encode()).status == 1
    table = Path("depts.csv").read_bytes()
    assert run("validate", "emp.sculpt", "good.csv", "--table", "Depts=-", stdin=table).status == 0
    assert run("run", "emp.sculpt", "-", stdin=GOOD.encode()).output == "1\n2\n"
    assert run("show", "emp.sculpt", "-", stdin=BAD.encode()).status == 0


def test_warnings_under_strict() -> None:
    Path("w.sculpt").write_text("key(col(1)) ! warning\n")
    Path("w.csv").write_text("a\na\n")
    assert run("validate", "w.sculpt", "w.csv").status == 0
    assert run("validate", "w.sculpt", "w.csv", "--strict").status == 1


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_runs(engine: str) -> None:
    assert run("run", "emp.sculpt", "good.csv", "--engine", engine).output == "1\n2\n"
    refused = run("run", "emp.sculpt", "bad.csv", "--engine", engine)
    assert refused.status == 1
    assert "violates the schema" in refused.errors
    kept = run("run", "emp.sculpt", "bad.csv", "--only-good-rows", "--engine", engine)
    assert kept.output.startswith("1\nnote")
    assert "3 of 5 rows are left out" in kept.errors
    forced = run("run", "emp.sculpt", "bad.csv", "--force", "--engine", engine)
    assert forced.output.startswith("1\n2\n1\n3\nnote")


def test_a_run_is_refused_if_another_table_is_not_valid() -> None:
    Path("depts.csv").write_text("Code,Name\nA,x\nB,y\nD,\nD,\n")
    refused = run("run", "emp.sculpt", "good.csv")
    assert refused.status == 1
    assert "depts.csv [Depts]: not valid" in refused.errors
    with pytest.raises(sculpt.RefusedError, match=r"depts\.csv"):
        sculpt.run("emp.sculpt", "good.csv")
    other = {"Depts": "other.csv"}
    Path("other.csv").write_text("Code,Name\nA,x\nB,y\n")
    assert sculpt.run("emp.sculpt", "good.csv", tables=other).text == "1\n2\n"


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_lists(engine: str) -> None:
    call = ["validate", "emp.sculpt", "bad.csv", "--engine", engine, "--max-violations", "1"]
    for name in ("v.csv", "v.jsonl", "v.parquet"):
        run(*call, "--violations-to", name)
    with open("v.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [each["code"] for each in rows] == ["reference-none", "key", "require"]
    assert [rows[1][f"first_{each}"] for each in ("file", "row", "column")] == ["bad.csv", "2", "1"]
    lines = [json.loads(line) for line in Path("v.jsonl").read_text().splitlines()]
    assert lines[1]["first"] == {"file": "bad.csv", "row": 2, "column": 1}
    table = pq.read_table("v.parquet").to_pylist()
    assert [each["code"] for each in table] == ["reference-none", "key", "require"]
    assert table[1]["first_row"] == 2
    assert table[1]["target_row"] is None


@pytest.mark.parametrize("more", [[], ["--violations-to", "v.jsonl"]])
@pytest.mark.parametrize("engine", ["local", "reference"])
def test_good_and_bad_rows_are_those_of_the_data(engine: str, more: list[str]) -> None:
    Path("depts.csv").write_text("Code,Name\nA,x\nB,y\nD,z\nD,z\n")
    call = ["validate", "emp.sculpt", "bad.csv", "--engine", engine, *more]
    told = run(*call, "--good-to", "good.csv", "--bad-to", "worse/").errors
    assert "2 good rows → good.csv\n3 bad rows → worse/" in told
    assert Path("good.csv").read_text() == "Id,Dept,From,To\n1,A,1,2\n"
    assert Path("worse/bad.csv").read_text() == "2,C,1,1\n1,B,1,1\n3,B,4,1\n"
    assert [path.name for path in Path("worse").iterdir()] == ["bad.csv"]
    if more:
        assert len(Path("v.jsonl").read_text().splitlines()) == 4


def test_rows_of_data_that_is_a_table_too() -> None:
    Path("self.sculpt").write_text(
        'include "depts.sculpt" as Depts for "depts.csv"\ncol(Code) ~> Depts(col(Code))\n'
    )
    found = run("validate", "self.sculpt", "depts.csv", "--good-to", "good/", "--bad-to", "x.csv")
    assert found.status == 0
    assert Path("good/depts.csv").read_bytes() == Path("depts.csv").read_bytes()
    assert Path("x.csv").read_bytes() == b""
    refused = run("validate", "self.sculpt", "depts.csv", "--good-to", "depts.csv")
    assert (refused.status, "depts.csv: is a data file" in refused.errors) == (2, True)


def test_rows_without_data() -> None:
    Path("all.sculpt").write_text(
        'include "depts.sculpt" as A for "depts.csv"\nA(col(Code)) ~> A(col(Code))\n'
    )
    refused = run("validate", "all.sculpt", "--good-to", "fine.csv")
    assert refused.status == 2
    assert "good and bad rows are those of DATA, which is missing" in refused.errors
    assert not Path("fine.csv").exists()


def test_reports_for_github_name_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    Path("depts.csv").write_text("Code,Name\nA,x\nB,y\nD,z\nD,z\n")
    told = run("validate", "emp.sculpt", "good.csv", "-f", "github").output
    assert "title=sculpt key [Depts]%3A key(col(Code))::depts.csv, row 5" in told
    summary = Path("summary.md").read_text()
    name = "<code>depts&#46;csv</code> &#91;Depts&#93;"
    assert f"\n| {name} | ❌ not valid |" in summary
    assert f"\n#### {name}\n" in summary
    assert "\n| <code>good&#46;csv</code> | ✅ valid |" in summary


def test_reports_for_machines() -> None:
    document = ET.fromstring(run("validate", "emp.sculpt", "bad.csv", "-f", "junit").output)
    assert [suite.get("failures") for suite in document] == ["3", "0"]
    log = json.loads(run("validate", "emp.sculpt", "bad.csv", "-f", "sarif").output)["runs"][0]
    ids = [rule["id"] for rule in log["tool"]["driver"]["rules"]]
    assert len(set(ids)) == len(ids)
    assert [each["ruleId"].partition("/")[0] for each in log["results"]] == [
        "reference",
        "key",
        "require",
    ]
    github = run("validate", "emp.sculpt", "bad.csv", "-f", "github").output
    assert "title=sculpt key%3A No two employees share a number::bad.csv, row 4" in github
    assert "sculpt: depts.csv [Depts]: valid (3 rows × 2 columns)" in github
    page = run("validate", "emp.sculpt", "bad.csv", "-f", "html").output
    assert "is in the key already" in page
    assert "3 violations of keys, references and conditions" in page
    assert "depts.csv" in page


JUNIT = """\
<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="sculpt" tests="13" failures="1" errors="0" skipped="0">
  <testsuite name="d.csv" tests="6" failures="0" errors="0" skipped="0">
    <testcase classname="d.csv" name="row(1) -&gt; Dept"/>
    <testcase classname="d.csv" name="col(Dept) ~&gt;+ Depts(col(Code))"/>
    <testcase classname="d.csv" name="undecodable"/>
    <testcase classname="d.csv" name="unclosed-quote"/>
    <testcase classname="d.csv" name="text-after-quote"/>
    <testcase classname="d.csv" name="nul-byte"/>
  </testsuite>
  <testsuite name="depts.csv [Depts]" tests="7" failures="1" errors="0" skipped="0">
    <testcase classname="depts.csv [Depts]" name="row(1) -&gt; Code, Name"/>
    <testcase classname="depts.csv [Depts]" name="key(col(Code))">
      <failure message="1 violation of 3 checked: key(col(Code))" type="key">line 2: key(col(Code))
row 4, column 1: `A` is in the key already: it is first at (2,1)</failure>
    </testcase>
    <testcase classname="depts.csv [Depts]" name="col(Dept) ~&gt;+ Depts(col(Code))"/>
    <testcase classname="depts.csv [Depts]" name="undecodable"/>
    <testcase classname="depts.csv [Depts]" name="unclosed-quote"/>
    <testcase classname="depts.csv [Depts]" name="text-after-quote"/>
    <testcase classname="depts.csv [Depts]" name="nul-byte"/>
  </testsuite>
</testsuites>
"""


@pytest.fixture
def twice() -> None:
    """A table in which a key fails, and data that refers to it."""
    Path("d.sculpt").write_text(
        'include "depts.sculpt" as Depts for "depts.csv"\n'
        "row(1) -> Dept\ncol(Dept) ~>+ Depts(col(Code))\n"
    )
    Path("d.csv").write_text("Dept\nA\n")
    Path("depts.csv").write_text("Code,Name\nA,x\nB,y\nA,z\n")


@pytest.mark.usefixtures("twice")
def test_suites_name_the_table() -> None:
    assert run("validate", "d.sculpt", "d.csv", "-f", "junit").output == JUNIT
    Path("depts.csv").unlink()
    document = ET.fromstring(run("validate", "d.sculpt", "d.csv", "-f", "junit").output)
    assert [(suite.get("name"), suite.get("errors")) for suite in document] == [
        ("d.csv", "0"),
        ("depts.csv [Depts]", "1"),
    ]


@pytest.mark.usefixtures("twice")
def test_results_of_sarif_name_the_table() -> None:
    Path("d.csv").write_text("Dept\nC\n")
    log = json.loads(run("validate", "d.sculpt", "d.csv", "-f", "sarif").output)["runs"][0]
    found = {each["ruleId"].partition("/")[0]: each["properties"] for each in log["results"]}
    assert "table" not in found["reference"]
    assert found["key"]["table"] == "Depts"


@pytest.mark.usefixtures("twice")
def test_pages_name_the_table() -> None:
    page = run("validate", "d.sculpt", "d.csv", "-f", "html").output
    name = "<bdi>depts.csv</bdi><bdi> [Depts]</bdi>"
    assert f'<th scope="row"><a href="#f1">{name}</a></th>' in page
    assert f'<span class="name">{name}</span></h2>' in page
    assert f"<dt>File</dt><dd>{name}</dd>" in page
    assert '<th scope="row"><a href="#f2"><bdi>d.csv</bdi></a></th>' in page
    Path("depts.csv").unlink()
    page = run("validate", "d.sculpt", "d.csv", "-f", "html").output
    assert f'<th scope="row">{name}</th>' in page
    assert f'<span class="name">{name}</span></h2>' in page


@pytest.mark.usefixtures("twice")
def test_pages_have_the_schema_of_each_table() -> None:
    Path("d.csv").write_text("Dept,\nC,\nE,\n")  # more violations than in the table
    page = run("validate", "d.sculpt", "d.csv", "-f", "html").output
    _, main, other = page.split('<section class="schema-part" ')
    assert main.startswith('id="schema"><h2>The schema</h2>')
    assert other.startswith('id="schema-2"><h2>The schema of Depts</h2>')
    fails = '<a class="remark bad" href="#f1-rule-1">1 of 1 row fails</a>'
    holds = '<a class="remark" href="#f2-rule-1">1 row holds</a>'
    assert (main.count(fails), other.count(fails)) == (1, 0)
    assert (main.count(holds), other.count(holds)) == (0, 1)
    # A click on a region of the first schema shows it in the first table.
    assert (main.count("data-focus"), other.partition("</section>")[0].count("data-focus")) == (
        1,
        0,
    )


@pytest.mark.usefixtures("twice")
def test_warnings_name_the_table() -> None:
    Path("depts.sculpt").write_text("col(99) -> x\n")
    text = run("validate", "d.sculpt", "d.csv").output
    assert "(in 1 file: depts.csv [Depts])" in text
    github = run("validate", "d.sculpt", "d.csv", "-f", "github").output
    assert "title=sculpt vacuous-rule::depts.csv [Depts]: " in github
    log = json.loads(run("validate", "d.sculpt", "d.csv", "-f", "sarif").output)["runs"][0]
    messages = [each["message"]["text"] for each in log["results"]]
    assert any(each.startswith("depts.csv [Depts]: ") for each in messages)


def test_show_agrees_with_validate() -> None:
    shown = run("show", "emp.sculpt", "bad.csv")
    assert shown.output.startswith("bad.csv: not valid (5 rows × 4 columns, 3 violations)")
    assert "`1` is in the key already" in shown.output.replace("\n" + " " * 30, " ")
    picture = json.loads(run("show", "emp.sculpt", "bad.csv", "-f", "json").output)
    assert {each["code"] for each in picture["windows"][0]["violations"]} == {
        "key",
        "reference-none",
        "require",
    }
    assert run("why", "emp.sculpt", "bad.csv", "4,1").status == 0


def test_conditions_about_files_can_be_skipped() -> None:
    Path("f.sculpt").write_text("For each cell v in col(1) { require(is-file(v)) }\n")
    Path("f.csv").write_text("good.csv\nnone.csv\n")
    assert run("validate", "f.sculpt", "f.csv").status == 2
    assert run("validate", "f.sculpt", "f.csv", "--files", ".").status == 1
    skipped = run("validate", "f.sculpt", "f.csv", "--skip-files")
    assert skipped.status == 0
    assert "1 condition about files is taken as met" in skipped.errors


def test_an_output_is_never_the_data_of_a_table() -> None:
    found = run("validate", "emp.sculpt", "good.csv", "-f", "json", "-o", "depts.csv")
    assert found.status == 2
    assert "is a data file" in found.errors
