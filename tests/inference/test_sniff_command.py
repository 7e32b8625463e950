"""The command `sniff`, and the note of `validate`."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest
from executed_docs import Outcome, run_command

from sculpt.cli.inference import sniffing

SEMICOLONS = "Site;Depth\nNorth;12\nSouth;14\nEast;3\n"
COMMAS = "Site,Depth\nNorth,12\nSouth,14\nEast,3\n"
SCHEMA = "row(1) -> Site, Depth\ncol(Depth) -> Integer\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text(SEMICOLONS)
    Path("b.csv").write_text(SEMICOLONS.replace("North", "West"))
    Path("c.csv").write_text(COMMAS)
    Path("empty.csv").write_text("")
    Path("s.sculpt").write_text(SCHEMA)


def run(*arguments: str, status: int = 0, stdin: bytes = b"") -> Outcome:
    done = run_command(list(arguments), stdin)
    assert done.status == status, done.output
    return done


def test_one_file_gives_the_beginning_of_a_schema() -> None:
    output = run("sniff", "a.csv").output
    assert "\nCol Delim = ;\n" in output
    assert output.startswith('% a.csv: 2 columns\n% encoding utf-8 (1.00), quote " (1.00), line')
    Path("made.sculpt").write_text(output)
    assert "no errors, no warnings" in run("check", "made.sculpt").output
    assert run("sniff", "-", stdin=SEMICOLONS.encode()).output == output.replace("a.csv", "-")
    Path("a.csv.gz").write_bytes(gzip.compress(SEMICOLONS.encode()))
    assert run("sniff", "a.csv.gz").output == output.replace("a.csv", "a.csv.gz")


def test_every_directive_says_how_sure_it_is() -> None:
    rows = "".join(f"'a; {ix}';{ix}.5;Zürich\n" for ix in range(9))
    Path("d.csv").write_bytes(f"# remark\n{rows}".encode("cp1252"))
    lines = run("sniff", "d.csv").output.splitlines()
    for name, value in ("Col Delim", ";"), ("Quote", "'"), ("Comment", "#"), ("Encoding", "cp1252"):
        at = lines.index(f"{name} = {value}")
        assert lines[at - 1].startswith("% confidence ")
    Path("d.csv").write_text("a;b\r\n1;2\n3;4\n5;6\n", newline="")
    assert "% line ends are mixed: 3 LF, 1 CRLF" in run("sniff", "d.csv").output


def test_several_files_have_a_line_each_and_groups() -> None:
    lines = run("sniff", "a.csv", "b.csv", "c.csv", "empty.csv").output.splitlines()
    assert lines[0].startswith("a.csv: Col Delim = ; (")
    assert lines[3] == "empty.csv: there is no text in this file"
    assert lines[4:] == [
        "",
        "2 dialects in 4 files",
        "Col Delim = ;: 2 files: a.csv, b.csv",
        "Col Delim = ,: 1 file: c.csv",
    ]
    assert "a.csv" in run("sniff", ".").output


def test_json_has_the_candidates() -> None:
    done = run("sniff", "a.csv", "c.csv", "none.csv", "-f", "json", status=3)
    found = json.loads(done.output.removesuffix(done.errors))
    assert [each["path"] for each in found["files"]] == ["a.csv", "c.csv", "none.csv"]
    first = found["files"][0]
    assert first["directives"][0]["value"] == ";"
    assert first["candidates"][0]["score"] > first["candidates"][1]["score"]
    assert first["candidates"][0]["features"]["faults"] == 0
    assert found["groups"][0] == {"directives": ["Col Delim = ;"], "files": ["a.csv"]}
    assert "no such file" in found["files"][2]["error"]


def test_strict_fails_on_doubt(monkeypatch: pytest.MonkeyPatch) -> None:
    run("sniff", "a.csv", "--strict")
    run("sniff", "a.csv", "empty.csv", "--strict", status=1)
    run("sniff", "empty.csv")
    monkeypatch.setattr(sniffing, "DOUBTFUL", 1.1)
    run("sniff", "a.csv", "--strict", status=1)


def test_what_cannot_be_read() -> None:
    done = run("sniff", "none.csv", status=3)
    assert done.output == "error: none.csv: cannot be read: no such file or directory\n"
    assert "a.csv: Col Delim" in run("sniff", "none.csv", "a.csv", status=3).output
    Path("folder").mkdir()
    assert "no file in this directory" in run("sniff", "folder", status=3).errors
    if os.getuid():
        Path("a.csv").chmod(0)
        assert "permission denied" in run("sniff", "a.csv", status=3).errors
    assert "only once" in run_command(["sniff", "-", "-"]).errors


# ----------------------------------------------------------------- the note of `validate`


def test_validate_says_what_sniff_finds() -> None:
    output = run("validate", "s.sculpt", "a.csv", status=1).output
    assert "note: `sculpt sniff a.csv` finds `Col Delim = ;` (1.00)\n" in output
    assert "sniff" not in run("validate", "s.sculpt", "c.csv").output
    assert "sniff" not in run("validate", "s.sculpt", "a.csv", "-f", "json", status=1).output
    assert "sniff" not in run("validate", "s.sculpt", "a.csv", "--set", "Col Delim=;").output


def test_validate_says_nothing_about_data_that_is_only_wrong() -> None:
    Path("c.csv").write_text(COMMAS.replace("12", "deep"))
    assert "sniff" not in run("validate", "s.sculpt", "c.csv", status=1).output
    Path("one.sculpt").write_text("col(1) -> Integer\n")
    Path("one.csv").write_text("1;2\n3;4\n5;6\n")
    assert "sniff" not in run("validate", "one.sculpt", "one.csv", status=1).output


def test_validate_says_what_encoding_it_could_be() -> None:
    text = COMMAS.replace("North", "Zürich").replace("South", "Genève")
    Path("c.csv").write_bytes(text.encode("cp1252"))
    output = run("validate", "s.sculpt", "c.csv", status=1).output
    assert "note: `sculpt sniff c.csv` finds `Encoding = cp1252`" in output
