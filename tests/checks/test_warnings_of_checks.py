"""Checks that check nothing, or are not judged: all engines and reports say so."""

from __future__ import annotations

from pathlib import Path

import pytest
from executed_docs import Outcome, run_command

import sculpt
from sculpt.verdict import Unread, Verdict

ENGINES = ["local", "reference"]
IDLE = """row(1) -> Id, B
key(col(Idd))
col(Idx) ~> col(Id)
key(col(B), col(Zz))
For each row r in Nix { require(r[col(Id)] = "1") }
require(Count(col(Qq)) = 0)
key(col(B))
"""
UNREAD = 'include "t.sculpt" as T for "nope.csv"\nrow(1) -> Id, B\ncol(B) ~> T(col(Code))\n'
NOT_JUDGED = "line 3 is not judged, because the table `T` could not be read: col(B) ~> T(col(Code))"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "idle.sculpt").write_text(IDLE)
    (tmp_path / "unread.sculpt").write_text(UNREAD)
    (tmp_path / "t.sculpt").write_text("row(1) -> Code\n")
    (tmp_path / "d.csv").write_text("Id,B\n1,1\n1,2\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str) -> Outcome:
    return run_command([*arguments], b"")


def warned(outcome: Verdict | Unread) -> list[tuple[str, int | None, str]]:
    assert isinstance(outcome, Verdict)
    return [(each.code, each.line, each.message) for each in outcome.warnings]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_check_that_selects_nothing_is_a_warning(engine: str) -> None:
    verdict = sculpt.validate("idle.sculpt", "d.csv", engine)
    assert verdict.valid
    code = "vacuous-check"
    assert warned(verdict) == [
        (code, 2, "a key selects nothing: key(col(Idd))"),
        (code, 3, "the left side of a reference selects nothing: col(Idx) ~> col(Id)"),
        (code, 4, "a key has no row with all its parts: key(col(B), col(Zz))"),
        (code, 5, 'the loop of a condition selects nothing: require(r[col(Id)] = "1")'),
    ]


def test_it_fails_a_strict_call_and_is_skipped_in_junit() -> None:
    assert run("validate", "idle.sculpt", "d.csv").status == 0
    assert run("validate", "idle.sculpt", "d.csv", "--strict").status == 1
    report = run("validate", "idle.sculpt", "d.csv", "-f", "junit").output
    assert 'failures="0" errors="0" skipped="4"' in report
    assert (
        '<skipped message="a key selects nothing: key(col(Idd))" type="vacuous-check"/>' in report
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_a_reference_to_a_table_that_cannot_be_read_is_a_warning(engine: str) -> None:
    verdicts = sculpt.validate_all("unread.sculpt", "d.csv", engine=engine)
    assert verdicts.exit_status == 3
    assert warned(verdicts.outcomes[0]) == [("not-judged", 3, NOT_JUDGED)]


@pytest.mark.parametrize("form", ["text", "json", "github", "junit"])
def test_every_report_says_that_it_was_not_judged(form: str) -> None:
    report = run("validate", "unread.sculpt", "d.csv", "-f", form)
    assert report.status == 3
    assert "line 3 is not judged, because the table `T` could not be read" in report.output
    if form == "junit":
        assert report.output.count("<skipped ") == 1


@pytest.mark.parametrize("engine", ENGINES)
def test_conditions_that_were_skipped_are_named(folder: Path, engine: str) -> None:
    (folder / "files.sculpt").write_text("For each cell v in col(Id) { require(is-file(v)) }\n")
    call = ["files.sculpt", "d.csv", "--skip-files", "--engine", engine]
    report = run("validate", *call).output
    assert "the schema has no rules; conditions about files were skipped" in report
    assert "vacuous-check" not in report


@pytest.mark.parametrize("engine", ENGINES)
def test_a_strict_run_fails_at_violations_that_warn(folder: Path, engine: str) -> None:
    (folder / "w.sculpt").write_text(
        'row(1) -> Id, C ! warning "headings"\nFor each cell v in col(Id) { print v }\n'
    )
    call = ["run", "w.sculpt", "d.csv", "--engine", engine]
    assert run(*call).status == 0
    strict = run(*call, "--strict")
    assert strict.status == 1
    assert "headings" in strict.output
    assert strict.output.endswith("error: there are warnings, and `--strict` was given\n")


def test_a_loop_that_only_requires_is_no_program() -> None:
    refused = run("run", "idle.sculpt", "d.csv")
    assert refused.status == 2
    assert "no `print`, and no loop that emits, prints or annotates" in refused.output
