"""The command `init`."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest

from sculpt.cli.main import run_call as main
from terminals import Terminal

TABLE = "Id,Depth\n" + "".join(f"A{n:02d},{n / 4}\n" for n in range(12))


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "table.csv"
    path.write_text(TABLE)
    return path


def test_the_schema_goes_to_standard_output(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init", "table.csv"]) == 0
    text = capsys.readouterr().out
    assert "col(Depth) -> Number" in text
    Path("table.sculpt").write_text(text)
    assert main(["check", "--strict", "table.sculpt"]) == 0
    assert main(["fmt", "--check", "table.sculpt"]) == 0
    assert main(["validate", "table.sculpt", "table.csv"]) == 0


def test_a_file_is_not_replaced(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", "table.csv", "-o", "new.sculpt"]) == 0
    first = Path("new.sculpt").read_text()
    Path("new.sculpt").write_text("% mine\n")
    assert main(["init", "table.csv", "-o", "new.sculpt"]) == 2
    assert Path("new.sculpt").read_text() == "% mine\n"
    assert main(["init", "table.csv", "-o", "new.sculpt", "--force"]) == 0
    assert Path("new.sculpt").read_text() == first
    assert main(["init", "table.csv", "-o", "table.csv", "--force"]) == 2
    assert table.read_text() == TABLE
    assert "--force" in capsys.readouterr().err


def test_without_a_table(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("empty.csv").write_text("")
    assert main(["init", "empty.csv"]) == 1
    assert "no table found" in capsys.readouterr().err
    assert main(["init", "absent.csv"]) == 3
    assert main(["init"]) == 2


def test_json_has_the_frame(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", "table.csv", "-f", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["frame"]["tables"][0]["headers"] == [1]
    assert found["frame"]["lines"][0]["label"] == "header"
    lines = found["schema"].splitlines()
    for each in found["statements"]:
        assert lines[each["line"] - 1].startswith(each["selector"])


def test_explain_lists_cells(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", "table.csv", "--explain"]) == 0
    text = capsys.readouterr().out
    assert "%   (2,2) 0.0" in text
    Path("explained.sculpt").write_text(text)
    assert main(["check", "--strict", "explained.sculpt"]) == 0


def test_strangers_are_named(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("other.csv").write_text("Ship,Flag,Port\n" + "Kestrel,NL,Cobh\nLindgren,SE,Sligo\n" * 4)
    assert main(["init", "table.csv", "--sister", "other.csv"]) == 0
    printed = capsys.readouterr()
    assert "of another kind, left out: other.csv" in printed.err
    assert "Depth" in printed.out


def test_strictness(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for how in ("loose", "normal", "tight"):
        assert main(["init", "table.csv", "--strictness", how]) == 0
    assert main(["init", "table.csv", "--strictness", "hard"]) == 2


def test_tidy_adds_a_program(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", "table.csv", "--tidy", "-o", "tidy.sculpt"]) == 0
    assert main(["check", "--strict", "tidy.sculpt"]) == 0
    assert main(["run", "tidy.sculpt", "table.csv", "-o", "out.csv"]) == 0
    assert Path("out.csv").read_text().splitlines()[:3] == ["id,depth", "A00,0", "A01,0.25"]
    assert len(Path("out.csv").read_text().splitlines()) == 13
    capsys.readouterr()
    assert main(["init", "table.csv", "--tidy", "-f", "json"]) == 0
    assert "emit Record(" in json.loads(capsys.readouterr().out)["schema"]


def test_from_a_pipe_and_packed(table: Path) -> None:
    """A process of its own reads standard input; packed files are read as they are."""
    call = [sys.executable, "-m", "sculpt", "init", "-"]
    piped = subprocess.run(call, input=TABLE.encode(), capture_output=True, timeout=120)
    assert piped.returncode == 0, piped.stderr
    Path("table.csv.gz").write_bytes(gzip.compress(TABLE.encode()))
    packed = subprocess.run([*call[:-1], "table.csv.gz"], capture_output=True, timeout=120)
    plain = subprocess.run([*call[:-1], "table.csv"], capture_output=True, timeout=120)
    schema = plain.stdout.decode()
    assert "col(Depth) -> Number" in schema
    assert packed.stdout.decode() == schema.replace("table.csv", "table.csv.gz")
    assert piped.stdout.decode() == schema.replace("table.csv", "standard input")
    assert piped.stderr == packed.stderr == plain.stderr == b""


def test_mistakes_of_a_call(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, part in (
        (["table.csv", "--check"], "--update"),
        (["table.csv", "--sister", "absent.csv"], "absent.csv"),
        (["table.csv", "--engine", "reference"], "engine"),
        (["--tidy", "--update", "table.csv", "table.csv"], "tidy"),
        (["*.tsv"], "*.tsv"),
    ):
        assert main(["init", *arguments]) in (2, 3), arguments
        printed = capsys.readouterr()
        assert printed.out == ""
        assert part in printed.err, (arguments, printed.err)
        assert printed.err.count("\n") < 12


def test_at_a_terminal(table: Path) -> None:
    """What a person sees is what a file gets, and nothing is left of the progress."""
    shell = Terminal(["bash", "--norc", "--noprofile", "-i"], table.parent)
    try:
        shell.type("PS1=; stty -echo; echo rea''dy\n", "ready\r\n")
        call = f"{sys.executable} -m sculpt init"
        shown = shell.type(f"{call} table.csv; echo en''d\n", "end\r\n")
        shell.type(f"{call} table.csv -o new.sculpt; echo en''d\n", "end\r\n")
        told = shell.type(f"{call} new.csv; echo status $?\n", "status 3\r\n")
    finally:
        shell.close()
    assert shown.replace("\r\n", "\n").removesuffix("end\n") == Path("new.sculpt").read_text()
    assert "new.csv: cannot be read: no such file" in told
