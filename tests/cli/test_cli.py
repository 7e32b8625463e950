"""The contract of the command line: JSON, exit status, inputs, messages."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from executed_docs import Outcome, run_command

import sculpt

SCHEMA = """\
% people and their ages
age = [0-9]+
row(1) -> name, years
col(years) -> age
"""
GOOD = "name,years\nAda,36\nAlan,41\n"
BAD = "name,years\nAda,36\nAlan,forty\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("people.sculpt").write_text(SCHEMA, encoding="utf-8")
    Path("good.csv").write_text(GOOD, encoding="utf-8")
    Path("bad.csv").write_text(BAD, encoding="utf-8")
    return tmp_path


def run(*arguments: str, stdin: bytes = b"") -> Outcome:
    outcome = run_command(list(arguments), stdin)
    assert "Traceback" not in outcome.output
    return outcome


def run_json(*arguments: str, stdin: bytes = b"") -> dict[str, Any]:
    result = json.loads(run(*arguments, "--format", "json", stdin=stdin).output)
    assert isinstance(result, dict)
    return result


# ------------------------------------------------------------- validate


def test_json_of_validate_is_the_contract() -> None:
    document = run_json("validate", "people.sculpt", "bad.csv")
    for name in ("rules", "structure", "coverage"):
        assert name in document["files"][0]
        del document["files"][0][name]
    assert document == {
        "version": 1,
        "valid": False,
        "engine": "local",
        "files": [
            {
                "path": "bad.csv",
                "valid": False,
                "rows": 3,
                "columns": 2,
                "violation_count": 1,
                "warning_violation_count": 0,
                "violations": [
                    {
                        "code": "row-content",
                        "rule": 2,
                        "line": 4,
                        "row": 3,
                        "column": 2,
                        "offset": 23,
                        "found": "forty",
                        "tokens": [],
                        "expected": ["age"],
                        "message": "found `forty`, expected age",
                        "hint": "age does not allow `f` at character 1",
                        "severity": "error",
                        "first": None,
                        "target": None,
                    }
                ],
                "warnings": [],
            }
        ],
    }


def test_json_of_validate_has_tallies_and_coverage() -> None:
    (file,) = run_json("validate", "people.sculpt", "bad.csv", "--engine", "reference")["files"]
    names = ("rule", "line", "text", "selected", "checked", "failed", "severity")
    rules = [
        (1, 3, "row(1) -> name, years", 2, 1, 0, "error"),
        (2, 4, "col(years) -> age", 2, 2, 1, "error"),
    ]
    assert file["rules"] == [dict(zip(names, rule, strict=True)) for rule in rules]
    assert file["structure"] == []
    unchecked = [{"row": 2, "column": 1, "text": "Ada"}, {"row": 3, "column": 1, "text": "Alan"}]
    assert file["coverage"] == {"cells": 6, "checked": 4, "unchecked": unchecked}


def test_text_shows_the_row_with_a_caret_under_the_cell() -> None:
    assert run("validate", "people.sculpt", "bad.csv", "--engine", "reference").output == (
        "bad.csv: not valid (3 rows × 2 columns, 1 violation)\n"
        "\n"
        "violation [row-content]: 1 of 2 rows fails\n"
        " --> rule 2, line 4: col(years) -> age\n"
        "     age = [0-9]+ (line 2: people and their ages)\n"
        "row 3, column 2: found `forty`, expected age\n"
        " 3 | Alan,forty\n"
        "   |      ^^^^^\n"
        "   = hint: age does not allow `f` at character 1\n"
        "\n"
        "2 of 6 cells with text are checked by no rule, first `Ada` at (2,1):"
        " `sculpt show people.sculpt bad.csv --unchecked`\n"
    )


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["validate", "people.sculpt", "good.csv"], 0),
        (["validate", "people.sculpt", "bad.csv"], 1),
        (["validate", "people.sculpt", "good.csv", "bad.csv"], 1),
        (["validate", "people.sculpt", "absent.csv"], 3),
        (["validate", "people.sculpt", "bad.csv", "absent.csv"], 3),
        (["validate", "people.sculpt", "*.tsv"], 3),
        (["validate", "absent.sculpt", "good.csv"], 2),
        (["validate", "good.csv", "good.csv"], 2),
        (["validate", "people.sculpt"], 2),
        (["validate", "people.sculpt", "good.csv", "--engine", "warp"], 2),
        (["validate", "people.sculpt", "good.csv", "--max-violations", "-1"], 2),
        (["validate", "people.sculpt", "good.csv", "--set", "Col Delimiter=;"], 2),
        (["validate", "people.sculpt", "good.csv", "--set", "nonsense"], 2),
        (["frobnicate"], 2),
        (["check", "people.sculpt"], 0),
        (["check", "absent.sculpt"], 2),
        (["explain", "people.sculpt"], 0),
        (["select", "people.sculpt", "good.csv", "col(1)"], 0),
        (["select", "people.sculpt", "good.csv", "col("], 2),
        (["select", "people.sculpt", "absent.csv", "col(1)"], 3),
        (["fmt", "people.sculpt"], 0),
        (["fmt", "absent.sculpt"], 2),
        (["--version"], 0),
        (["--help"], 0),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else str(value),
)
def test_exit_status(arguments: list[str], status: int) -> None:
    outcome = run(*arguments)
    assert outcome.status == status, outcome.output
    assert outcome.output.strip()


def test_inputs_are_files_directories_globs_and_standard_input(folder: Path) -> None:
    data = folder / "data"
    (data / "deep").mkdir(parents=True)
    for name in ("b.csv", "a.csv", "deep/c.csv", ".hidden.csv"):
        (data / name).write_text(GOOD, encoding="utf-8")
    result = run_json(
        "validate", "people.sculpt", "data", "g*.csv", "data/**/c*", "-", stdin=GOOD.encode()
    )
    assert [file["path"] for file in result["files"]] == [
        "data/a.csv",
        "data/b.csv",
        "data/deep/c.csv",
        "good.csv",
        "data/deep/c.csv",
        "-",
    ]
    assert result["valid"]


def test_a_file_that_cannot_be_read_does_not_hide_the_others() -> None:
    result = run_json("validate", "people.sculpt", "absent.csv", "bad.csv")
    absent, bad = result["files"]
    assert not absent["valid"]
    assert "no such file" in absent["error"]
    assert bad["violation_count"] == 1
    text = run("validate", "people.sculpt", "absent.csv", "good.csv").output
    assert "absent.csv: cannot be read: no such file or directory" in text
    assert "\n2 inputs: 1 valid, 1 could not be read\n" in text


def test_an_empty_directory_is_an_error(folder: Path) -> None:
    (folder / "empty").mkdir()
    outcome = run("validate", "people.sculpt", "empty")
    assert outcome.status == 3
    assert "there is no file in this directory" in outcome.output


def test_a_link_to_nothing_in_a_directory_is_not_passed_over(folder: Path) -> None:
    (folder / "data").mkdir()
    (folder / "data" / "good.csv").write_text(GOOD, encoding="utf-8")
    (folder / "data" / "gone.csv").symlink_to(folder / "nowhere")
    for argument in ("data", "data/*.csv"):
        outcome = run("validate", "people.sculpt", argument, "--engine", "local")
        assert outcome.status == 3
        assert "gone.csv: cannot be read" in outcome.output


def test_standard_input_is_read_once_only() -> None:
    for arguments in (["validate", "people.sculpt", "-", "-"], ["validate", "-", "-"]):
        outcome = run(*arguments)
        assert outcome.status == 2
        assert "only once" in outcome.errors
    assert run("validate", "-", "good.csv", stdin=SCHEMA.encode()).status == 0
    assert run("check", "-", stdin=SCHEMA.encode()).status == 0


def test_json_for_a_wrong_schema(folder: Path) -> None:
    (folder / "wrong.sculpt").write_text("row(0) -> a\n", encoding="utf-8")
    for arguments in (["validate", "wrong.sculpt", "good.csv"], ["explain", "wrong.sculpt"]):
        result = run_json(*arguments)
        assert not result["valid"]
        assert [each["code"] for each in result["diagnostics"]] == ["bad-coordinate"]
        assert run(*arguments).status == 2


def test_a_report_on_bad_data_points_to_lints_of_the_schema(folder: Path) -> None:
    (folder / "lint.sculpt").write_text("size = S | M\ncol(1) -> size\n", encoding="utf-8")
    outcome = run("validate", "lint.sculpt", "bad.csv")
    note = "\n\nnote: `sculpt check lint.sculpt` has 1 warning about the schema\n3 of 6 cells"
    assert note in outcome.output


def test_a_selection_of_nothing_says_why() -> None:
    outcome = run("select", "people.sculpt", "good.csv", "col(yeers) and aage")
    assert outcome.output == (
        "0 cells\n"
        "note: the table has 3 rows × 2 columns\n"
        "note: `yeers` is not declared, so it stands for its own text\n"
        "note: `aage` is not declared, so it stands for its own text: did you mean `age`?\n"
    )


def test_violations_are_counted_beyond_those_shown(folder: Path) -> None:
    rows = "".join(f"x{n},y\n" for n in range(30))
    (folder / "many.csv").write_text("name,years\n" + rows, encoding="utf-8")
    result = run_json("validate", "people.sculpt", "many.csv", "--max-violations", "4")
    (file,) = result["files"]
    assert file["violation_count"] == 30
    assert [violation["row"] for violation in file["violations"]] == [2, 3, 4, 5]
    text = run("validate", "people.sculpt", "many.csv", "--max-violations", "0").output
    assert text.startswith("many.csv: not valid (31 rows × 2 columns, 30 violations)\n\n")
    assert "see --max-violations\n" in text


def test_strict_makes_warnings_fail(folder: Path) -> None:
    (folder / "one.csv").write_text("name;years\nAda;36\n", encoding="utf-8")
    (folder / "col.sculpt").write_text("col(years) -> Integer\n", encoding="utf-8")
    relaxed = run("validate", "col.sculpt", "one.csv")
    assert relaxed.status == 0
    assert "warning [vacuous-rule]: rule 1 selects nothing" in relaxed.output
    assert "`years` matches no cell; are the delimiter and the encoding right?" in relaxed.output
    strict = run_json("validate", "col.sculpt", "one.csv", "--strict")
    assert not strict["valid"]
    assert run("validate", "col.sculpt", "one.csv", "--strict").status == 1
    fixed = run_json("validate", "col.sculpt", "one.csv", "--strict", "--set", "Col Delim=;")
    assert fixed["valid"]


def test_a_wrong_schema_shows_all_its_errors_with_carets(folder: Path) -> None:
    (folder / "wrong.sculpt").write_text(
        "Col Delimiter = ,\nrow(0) -> a\nx = a(?=b)\ncol(1) -> a,,b\n", encoding="utf-8"
    )
    outcome = run("validate", "wrong.sculpt", "good.csv")
    assert outcome.status == 2
    assert outcome.errors == (
        "wrong.sculpt:1:1: error [unknown-directive]: unknown directive `Col Delimiter`: did you"
        " mean `Col Delim`?\n"
        " 1 | Col Delimiter = ,\n"
        "   | ^^^^^^^^^^^^^\n"
        "   = hint: write `Col Delim = …`; if you meant a token, give it another name\n"
        "\n"
        "wrong.sculpt:2:5: error [bad-coordinate]: rows and columns are counted from 1\n"
        " 2 | row(0) -> a\n"
        "   |     ^\n"
        "   = hint: the first row is `row(1)`, the first column `col(1)`\n"
        "\n"
        "wrong.sculpt:3:6: error [not-regular]: look-around (`(?=`) is not regular\n"
        " 3 | x = a(?=b)\n"
        "   |      ^^^\n"
        "   = hint: describe the whole cell instead\n"
        "\n"
        "wrong.sculpt:4:13: error [syntax]: found `,`, expected a token\n"
        " 4 | col(1) -> a,,b\n"
        "   |             ^\n"
        "   = hint: a rule is `selector -> content`; the language reference has the grammar\n"
        "\n"
        "error: wrong.sculpt: 4 errors\n"
    )


# ------------------------------------------------------------- the other commands


def test_check_lists_lints(folder: Path) -> None:
    (folder / "lint.sculpt").write_text("age = [0-9]+\ncol(1) -> agee\n", encoding="utf-8")
    outcome = run("check", "lint.sculpt")
    assert outcome.status == 0
    assert "warning [likely-typo]" in outcome.output
    assert outcome.output.endswith("lint.sculpt: 2 warnings\n")
    assert run("check", "lint.sculpt", "--strict").status == 1
    result = run_json("check", "lint.sculpt")
    assert [each["code"] for each in result["diagnostics"]] == ["unused-token", "likely-typo"]
    assert result["diagnostics"][1] == {
        "code": "likely-typo",
        "severity": "warning",
        "file": "lint.sculpt",
        "line": 2,
        "column": 11,
        "message": "`agee` is not declared, so it stands for its own text: did you mean `age`?",
        "hint": 'write `"agee"` if you mean the text',
    }


def test_check_reports_errors_as_json_too(folder: Path) -> None:
    (folder / "wrong.sculpt").write_text("row(0) -> a\n", encoding="utf-8")
    result = run_json("check", "wrong.sculpt")
    assert not result["valid"]
    assert [each["code"] for each in result["diagnostics"]] == ["bad-coordinate"]
    assert run("check", "wrong.sculpt").status == 2


def test_explain_text_and_json() -> None:
    text = run("explain", "people.sculpt").output
    assert text == (
        "rule 1, line 3: row(1) -> name, years\n"
        "  core:     row(1)\n"
        "  strata:   V = 0\n"
        "  forward:  yes\n"
        "  guarded:  yes\n"
        "  class:    strong stream\n"
        "  passes:   1\n"
        "  memory:   constant\n"
        "\n"
        "rule 2, line 4: col(years) -> age\n"
        "  core:     down+(years)\n"
        "  strata:   V = 1\n"
        "  forward:  yes\n"
        "  guarded:  no: `down+` may start in any number of columns\n"
        "  advice:   add unique(years)\n"
        "  class:    weak stream\n"
        "  passes:   1\n"
        "  memory:   a state per column\n"
        "  because:  a `down` step may start in any number of columns\n"
        "\n"
        "people.sculpt: weak stream (2 rules, V = 1, 1 pass over the data)\n"
        "local engine: reads once and holds a few chunks;"
        " reads again if the widest row comes late and earlier rows depend on it\n"
        "spark engine: one job if the rows of a file are alike,"
        " otherwise at most 3 jobs (V + 2)\n"
    )
    result = run_json("explain", "people.sculpt")
    assert result["engine"] is None
    assert result["class"] == "weak stream"
    assert result["passes"] == {
        "count": 1,
        "more": False,
        "rows_ahead": 0,
        "held": "a few chunks",
    }
    assert [entry["stream_class"] for entry in result["entries"]] == [
        "strong stream",
        "weak stream",
    ]


def test_select() -> None:
    assert run_json("select", "people.sculpt", "bad.csv", "col(years) and not age") == {
        "count": 1,
        "cells": [[3, 2]],
    }
    text = run("select", "people.sculpt", "bad.csv", "row(3)").output
    assert text == "(3,1) Alan\n(3,2) forty\n2 cells\n"


def test_fmt_prints_checks_and_writes(folder: Path) -> None:
    ragged = folder / "ragged.sculpt"
    ragged.write_text("%c\nrow( 1 )->a ,b\n\n\n\nx=  y\n", encoding="utf-8")
    canonical = "%c\nrow(1) -> a, b\n\nx = y\n"
    assert run("fmt", "ragged.sculpt").output == canonical
    assert run("fmt", "-", stdin=ragged.read_bytes()).output == canonical
    assert run("fmt", "--check", "ragged.sculpt").status == 1
    assert run("fmt", "--write", "ragged.sculpt").status == 0
    assert ragged.read_text(encoding="utf-8") == canonical
    assert run("fmt", "--check", "ragged.sculpt").status == 0
    assert [path.name for path in folder.iterdir() if path.name.endswith(".tmp")] == []


def test_fmt_follows_links_keeps_modes_and_goes_on_after_an_error(folder: Path) -> None:
    target = folder / "target.sculpt"
    target.write_text("a->b\n", encoding="utf-8")
    target.chmod(0o640)
    (folder / "link.sculpt").symlink_to(target)
    (folder / "broken.sculpt").write_text("row(1) -> \n", encoding="utf-8")
    (folder / "last.sculpt").write_text("c->d\n", encoding="utf-8")
    outcome = run("fmt", "--write", "link.sculpt", "broken.sculpt", "last.sculpt")
    assert outcome.status == 2
    assert target.read_text(encoding="utf-8") == "a -> b\n"
    assert target.stat().st_mode & 0o777 == 0o640
    assert (folder / "link.sculpt").is_symlink()
    assert (folder / "last.sculpt").read_text(encoding="utf-8") == "c -> d\n"


def test_fmt_refuses_check_and_write_together(folder: Path) -> None:
    (folder / "x.sculpt").write_text("a->b\n", encoding="utf-8")
    assert run("fmt", "--check", "--write", "x.sculpt").status == 2
    assert (folder / "x.sculpt").read_text(encoding="utf-8") == "a->b\n"
    assert run("fmt", "--write", "-", stdin=b"a->b\n").output == "a -> b\n"


def test_fmt_does_not_touch_what_it_cannot_read(folder: Path) -> None:
    broken = folder / "broken.sculpt"
    broken.write_text("row(1) -> \n", encoding="utf-8")
    assert run("fmt", "--write", "broken.sculpt").status == 2
    assert broken.read_text(encoding="utf-8") == "row(1) -> \n"


def test_include_is_relative_to_the_file_that_names_it(folder: Path) -> None:
    (folder / "parts").mkdir()
    (folder / "parts" / "tokens.sculpt").write_text('include "more.sculpt"\n', encoding="utf-8")
    (folder / "parts" / "more.sculpt").write_text("age = [0-9]+\n", encoding="utf-8")
    (folder / "main.sculpt").write_text(
        'include "parts/tokens.sculpt"\ncol(years) -> age\n', encoding="utf-8"
    )
    assert run("validate", "main.sculpt", "bad.csv").status == 1
    (folder / "parts" / "more.sculpt").write_text('include "../main.sculpt"\n', encoding="utf-8")
    outcome = run("validate", "main.sculpt", "bad.csv")
    assert outcome.status == 2
    assert "parts/more.sculpt:1:1: error [include-cycle]" in outcome.errors


def test_a_schema_that_is_not_utf8_says_where(folder: Path) -> None:
    (folder / "latin.sculpt").write_bytes(b"a = b\nc = caf\xe9\n")
    outcome = run("check", "latin.sculpt")
    assert outcome.status == 2
    assert "latin.sculpt:2:8: error [not-utf8]" in outcome.output


def test_json_shows_undecodable_bytes_as_replacement_characters(folder: Path) -> None:
    (folder / "latin.csv").write_bytes(b"name,years\ncaf\xe9,1\n")
    (file,) = run_json("validate", "people.sculpt", "latin.csv")["files"]
    assert [violation["code"] for violation in file["violations"]] == ["undecodable"]
    assert file["violations"][0]["found"] == "caf\ufffd"
    assert file["violations"][0]["offset"] == 14


def test_an_engine_that_does_not_exist_is_refused_clearly() -> None:
    schema = sculpt.Schema.load("people.sculpt")
    with pytest.raises(sculpt.UsageError, match="unknown engine `warp`"):
        sculpt.validate(schema, "good.csv", engine="warp")


@pytest.mark.parametrize(
    ("inputs", "engine", "reason"),
    [
        (["good.csv"], "local", "a few local files"),
        (["-"], "local", "a few local files"),
        (["-", "."], "local", "a few local files"),
        (["absent.csv"], "local", "a few local files"),
        (["."], "spark", ". is a directory"),
        (["*.csv"], "spark", "*.csv can match many files"),
        (["good.csv"] * 36, "local", "a few local files"),
        (["good.csv"] * 37, "spark", "there are 37 files"),
        (["s3://bucket/a.csv"], "spark", "s3://bucket/a.csv is in a remote store"),
        (["file:///a.csv"], "local", "a few local files"),
    ],
)
def test_what_auto_takes(inputs: list[str], engine: str, reason: str) -> None:
    text = run("explain", "people.sculpt", *inputs).output
    assert text.splitlines()[-1].startswith(f"auto chooses {engine}: {reason}")
    assert run_json("explain", "people.sculpt", *inputs)["engine"]["name"] == engine


def test_auto_takes_spark_where_a_master_is_configured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MASTER", "local[1]")
    text = run("explain", "people.sculpt", "good.csv").output
    assert text.splitlines()[-1] == "auto chooses spark: MASTER is set"


def test_auto_goes_on_without_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", os.devnull)
    outcome = run("validate", "people.sculpt", ".", "--max-violations", "0")
    assert outcome.status == 1
    assert ". is a directory, but Java was not found; using the engine `local`" in outcome.output


def test_options_of_spark_are_refused_elsewhere() -> None:
    call = ["validate", "people.sculpt", "good.csv", "--engine", "local"]
    for more in (["--master", "local"], ["--conf", "spark.x=1"]):
        outcome = run(*call, *more)
        assert outcome.status == 2
        assert "are for Spark" in outcome.output


# ------------------------------------------------------------- the real process


def process(*arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "sculpt", *arguments]
    env = {**os.environ, **environment}
    return subprocess.run(command, capture_output=True, env=env, timeout=120, check=False)


def test_the_process_returns_the_status_and_plain_text() -> None:
    done = process("validate", "people.sculpt", "bad.csv", FORCE_COLOR="")
    assert done.returncode == 1
    assert b"\x1b" not in done.stdout
    assert "caret" not in done.stdout.decode()
    assert "   |      ^^^^^" in done.stdout.decode().splitlines()


def test_output_is_utf8_even_where_the_locale_is_not() -> None:
    done = process(
        "validate", "people.sculpt", "bad.csv", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0"
    )
    assert done.returncode == 1
    assert "3 rows × 2 columns" in done.stdout.decode("utf-8")


@pytest.mark.parametrize("output", ["text", "json"])
def test_a_reader_that_has_gone_changes_nothing_about_the_status(folder: Path, output: str) -> None:
    (folder / "many.csv").write_text("name,years\n" + "x,y\n" * 20_000, encoding="utf-8")
    command = [sys.executable, "-m", "sculpt", "validate", "people.sculpt", "many.csv"]
    options = ["--max-violations", "20000", "--format", output]
    with subprocess.Popen(
        [*command, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.readline()
        running.stdout.close()
        errors = running.stderr.read()
        assert running.wait(timeout=120) == 1
    assert errors == b""


def test_spark_without_java_is_a_wrong_call() -> None:
    done = process("validate", "people.sculpt", "good.csv", "--engine", "spark", JAVA_HOME="/dev")
    assert done.returncode == 2
    assert done.stderr.decode().startswith("error: Spark needs Java, but JAVA_HOME is /dev")


def test_an_interrupted_run_says_so() -> None:
    command = [sys.executable, "-u", "-m", "sculpt", "validate", "people.sculpt", "-"]
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
    # In a fresh installation, the note that kernels are compiled comes first.
    assert errors.splitlines()[-1].startswith(b"error: interrupted")


def test_a_closed_output_is_no_traceback() -> None:
    command = f"{sys.executable} -m sculpt validate people.sculpt bad.csv --format json >&-"
    done = subprocess.run(command, shell=True, capture_output=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (1, b"")


def test_a_mistake_of_ours_is_a_failed_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("the facts")

    monkeypatch.setattr("sculpt.engines.local.validate", broken)
    outcome = run("validate", "people.sculpt", "good.csv")
    assert outcome.status == 3
    assert outcome.errors == (
        "error: this is a bug in sculpt, please report it: RuntimeError: the facts\n"
    )


def test_the_path_of_an_input_is_told_whole() -> None:
    (file,) = run_json("validate", "people.sculpt", "q: *.csv")["files"]
    assert file["path"] == "q: *.csv"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
def test_an_output_that_cannot_be_written_is_a_failed_run() -> None:
    for arguments in (["validate", "people.sculpt", "bad.csv"], ["fmt", "people.sculpt"]):
        with Path("/dev/full").open("wb") as full:
            command = [sys.executable, "-m", "sculpt", *arguments]
            done = subprocess.run(
                command, stdout=full, stderr=subprocess.PIPE, timeout=120, check=False
            )
        assert done.returncode == 3
        assert done.stderr.startswith(b"error: the output cannot be written: no space left")
        assert done.stderr.count(b"\n") == 1
