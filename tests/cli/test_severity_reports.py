"""Errors and warnings in every report of the command line, and what they do to a call."""

from __future__ import annotations

import csv
import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from executed_docs import Outcome, run_command

import sculpt
from reported import reported
from sculpt.report.formats import sarif
from sculpt.report.formats.github import summary_lines

SCHEMA = """\
row(1) -> name, age
col(age) -> Integer ! "ages are numbers"
col(age) and Integer -> young ! warning "is this age right?"
young = [0-9]{1,2}
unique(x) ! warning
print "ran"
"""
WARNED = b"name,age\nx,120\nx,3\n"
"""Two warnings: an age, and a second `x`."""
WRONG = b"name,age\nx,120\nx,qqq\n"
"""The same, and an error in the last row."""
END = SCHEMA + 'col(name) => x, x, x ! warning "too few"\n'
"""With WARNED, one more warning, which names no row."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("GITHUB_STEP_SUMMARY", "GITHUB_WORKSPACE"):
        monkeypatch.delenv(name, raising=False)
    Path("s.sculpt").write_text(SCHEMA)
    Path("end.sculpt").write_text(END)
    Path("warned.csv").write_bytes(WARNED)
    Path("wrong.csv").write_bytes(WRONG)
    return tmp_path


def run(*arguments: str) -> Outcome:
    outcome = run_command(list(arguments))
    assert "Traceback" not in outcome.output
    return outcome


def validate(data: str, *more: str, schema: str = "s.sculpt") -> Outcome:
    return run("validate", schema, data, *more)


ENGINES = ("local", "reference")


# ------------------------------------------------------------- verdicts


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("output", ["text", "json", "jsonl", "csv", "sarif", "junit", "github"])
def test_warnings_fail_a_run_only_if_it_is_strict(engine: str, output: str) -> None:
    call = ("-f", output, "--engine", engine)
    assert validate("warned.csv", *call).status == 0
    assert validate("warned.csv", *call, schema="end.sculpt").status == 0
    assert validate("warned.csv", *call, "--strict").status == 1
    assert validate("wrong.csv", *call).status == 1


def test_a_page_has_the_same_status() -> None:
    assert validate("warned.csv", "-f", "html", "-o", "r.html").status == 0
    page = Path("r.html").read_text(encoding="utf-8")
    assert "Valid, with warnings" in page
    assert validate("warned.csv", "-f", "html", "-o", "r.html", "--strict").status == 1
    assert "Not valid, because of warnings" in Path("r.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("engine", ENGINES)
def test_text(engine: str) -> None:
    outcome = validate("wrong.csv", "--engine", engine)
    assert (
        outcome.output
        == """\
wrong.csv: not valid (3 rows × 2 columns, 1 violation and 2 warnings)

violation [row-content]: 1 of 2 rows fails
 --> rule 2, line 2: col(age) -> Integer ! "ages are numbers"
row 3, column 2: ages are numbers (found `qqq`, expected Integer)
 3 | x,qqq
   |   ^^^
   = hint: Integer does not allow `q` at character 1

warning [unique]: 1 of 2 cells fails
 --> line 5: unique(x) ! warning
row 3, column 1: `x` is another x; only one is allowed in the table, and the first is at (2,1)
 3 | x,qqq
   | ^

warning [row-content]: 1 of 1 row fails
 --> rule 3, line 3: col(age) and Integer -> young ! warning "is this age right?"
     young = [0-9]{1,2} (line 4)
row 2, column 2: is this age right? (found `120`, expected young)
 2 | x,120
   |   ^^^
   = hint: young does not allow `0` at character 3

2 of 6 cells with text are checked by no rule, first `x` at (2,1): \
`sculpt show s.sculpt wrong.csv --unchecked`
"""
    )
    assert validate("warned.csv", "--engine", engine).output.startswith(
        "warned.csv: valid (3 rows × 2 columns, 2 warnings)\n\nwarning ["
    )


def test_text_of_many_files_is_short() -> None:
    for number in range(8):
        Path(f"d{number}.csv").write_bytes(WARNED)
    lines = run("validate", "s.sculpt", *(f"d{n}.csv" for n in range(8))).output.splitlines()
    assert sum(line.startswith(" --> ") for line in lines) == 5 * 2
    assert "warning [unique]: 8 warnings in 8 files: line 5: unique(x) ! warning" in lines
    assert lines[-1].startswith("16 of 48 cells") or "8 inputs: 8 valid" in lines


# ------------------------------------------------------------- formats


def test_json() -> None:
    (file,) = json.loads(validate("wrong.csv", "-f", "json").output)["files"]
    assert (file["violation_count"], file["warning_violation_count"]) == (1, 2)
    assert file["warnings"] == []
    assert [(each["row"], each["severity"]) for each in file["violations"]] == [
        (2, "warning"),
        (3, "warning"),
        (3, "error"),
    ]
    assert [each["severity"] for each in file["rules"]] == ["error", "error", "warning"]
    assert [each["severity"] for each in file["structure"]] == ["warning"]
    lines = validate("wrong.csv", "-f", "jsonl").output.splitlines()
    assert [json.loads(line)["severity"] for line in lines[:-1]] == ["warning", "warning", "error"]
    assert json.loads(lines[-1])["warning_violation_count"] == 2


def test_csv() -> None:
    rows = list(csv.DictReader(validate("wrong.csv", "-f", "csv").output.splitlines()))
    assert [row["severity"] for row in rows] == ["warning", "warning", "error"]
    assert rows[0]["message"] == "is this age right? (found `120`, expected young)"


def test_sarif() -> None:
    def levels(*more: str) -> list[str]:
        (made,) = json.loads(validate("wrong.csv", "-f", "sarif", *more).output)["runs"]
        rules = made["tool"]["driver"]["rules"]
        own = [rules[each["ruleIndex"]]["defaultConfiguration"] for each in made["results"]]
        assert [each["level"] for each in own] == ["warning", "warning", "error"]
        return [each["level"] for each in made["results"]]

    assert levels() == ["warning", "warning", "error"]
    assert levels("--strict") == ["error"] * 3


def test_sarif_drops_warnings_before_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sarif, "MAX_RESULTS", 2)
    made = json.loads("\n".join(sarif.sarif_lines(reported({"wrong.csv": WRONG}, SCHEMA))))
    results = made["runs"][0]["results"]
    assert [each["level"] for each in results] == ["warning", "error"]
    (notice,) = made["runs"][0]["invocations"][0]["toolExecutionNotifications"]
    assert notice["message"]["text"].startswith("3 results were counted and 2 are listed")


def test_junit() -> None:
    def suite(*more: str) -> ET.Element:
        made = ET.fromstring(validate("wrong.csv", "-f", "junit", *more).output.encode())
        (found,) = made
        return found

    plain = suite()
    assert plain.get("failures") == "1"
    said = [each.text or "" for each in plain.iter("system-out")]
    assert len(said) == 2
    assert said[0].startswith("1 warning of 1 checked: col(age) and Integer -> young")
    assert "row 2, column 2: is this age right? (found `120`, expected young)" in said[0]
    strict = suite("--strict")
    assert strict.get("failures") == "3"
    assert not list(strict.iter("system-out"))


def test_github() -> None:
    lines = validate("wrong.csv", "-f", "github").output.splitlines()
    assert [line.split(" ")[0] for line in lines] == [
        "::error",
        "::warning",
        "::warning",
        "sculpt:",
    ]
    assert lines[-1] == "sculpt: wrong.csv: not valid (3 rows × 2 columns, 1 violation, 2 warnings)"
    summary = list(summary_lines(reported({"wrong.csv": WRONG}, SCHEMA)))
    assert any(line.endswith("| ❌ not valid | 3 | 2 | 1 | 2 |") for line in summary)
    assert [line.startswith("| warning: ") for line in summary[-4:-1]] == [False, True, True]


def test_a_page_tells_warnings_by_word_and_sign() -> None:
    schema = sculpt.Schema.load("s.sculpt")
    with sculpt.view(schema, "wrong.csv") as view:
        page, bare = view.html(), view.html(no_data=True)
    for made in (page, bare):
        assert 'class="rule warns"' in made
        assert "warning: 1 of 1 row fails" in made
        assert 'aria-label="warning: rule 3"' in made
        assert 'aria-label="warning: unique"' in made
        assert 'aria-label="violation: rule 2"' in made
        assert "1, and 2 warnings" in made
    assert "is this age right? (found" in page
    assert "qqq" in page
    assert "qqq" not in bare
    verdict = sculpt.validate(schema, "wrong.csv")
    shown = verdict._repr_html_()
    assert shown.index("ages are numbers (") < shown.index("<b>Warning: </b>")
    assert repr(verdict) == (
        "<Verdict wrong.csv: 1 violation, 2 only warnings, 3 × 2, engine local>"
    )


def test_a_picture_tells_warnings_by_sign() -> None:
    lines = run("show", "s.sculpt", "wrong.csv").output.splitlines()
    assert lines[0] == "wrong.csv: not valid (3 rows × 2 columns, 1 violation, 2 warnings)"
    assert [line.split() for line in lines[2:5]] == [
        ["1", "name", "a", "age", "a"],
        ["2", "x", "?", "120", "bc~"],
        ["3", "x", "~", "qqq", "b!"],
    ]
    assert lines[-1] == " ! violation   ~ warning   ? no rule checks it"
    ended = run("show", "end.sculpt", "warned.csv").output.splitlines()
    assert ended[0] == "warned.csv: valid (3 rows × 2 columns, 3 warnings)"


def test_why_names_the_clause() -> None:
    said = run("why", "s.sculpt", "wrong.csv", "2,2", "rule:3").output
    assert '! warning "is this age right?"' in said


# ------------------------------------------------------------- lists and programs


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("limit", ["0", "1", "1000"])
def test_a_row_with_warnings_only_is_good(engine: str, limit: str) -> None:
    lists = ("--violations-to", "v.jsonl", "--good-to", "good.csv", "--bad-to", "bad.csv")
    call = ("--engine", engine, "--max-violations", limit)
    assert validate("wrong.csv", *call, *lists).status == 1
    found = [json.loads(line) for line in Path("v.jsonl").read_text().splitlines()]
    assert [each["severity"] for each in found] == ["warning", "warning", "error"]
    assert Path("good.csv").read_bytes() == b"name,age\nx,120\n"
    assert Path("bad.csv").read_bytes() == b"x,qqq\n"
    for name in ("v.jsonl", "good.csv", "bad.csv"):
        Path(name).unlink()
    for wanted in (lists, lists[2:]):
        assert validate("warned.csv", *call, *wanted, schema="end.sculpt").status == 0
        assert Path("good.csv").read_bytes() == WARNED
        assert Path("bad.csv").read_bytes() == b""
        for name in ("v.jsonl", "good.csv", "bad.csv"):
            Path(name).unlink(missing_ok=True)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_run_accepts_warnings(engine: str) -> None:
    outcome = run("run", "end.sculpt", "warned.csv", "--engine", engine)
    assert outcome.status == 0
    assert "ran" in outcome.output
    assert "note: warned.csv: 3 warnings; `sculpt validate` shows them" in outcome.output
    refused = run("run", "s.sculpt", "wrong.csv", "--engine", engine)
    assert refused.status == 1
    schema = sculpt.Schema.load("s.sculpt")
    with pytest.raises(sculpt.RefusedError, match="violates the schema: ages are numbers"):
        sculpt.run(schema, "wrong.csv", engine=engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_only_good_rows_keeps_rows_with_warnings(engine: str) -> None:
    program = "For each row r in row(x) { emit R(age: r.cells[1]) }\n"
    Path("p.sculpt").write_text(END.replace('print "ran"\n', program))
    call = ("run", "p.sculpt", "wrong.csv", "--engine", engine, "--only-good-rows", "-f", "csv")
    outcome = run(*call)
    assert outcome.status == 1  # as for all data that is not valid
    assert outcome.output.startswith("age\n120\n")
    assert "qqq" not in outcome.output
