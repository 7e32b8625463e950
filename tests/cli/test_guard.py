"""No output of a command is ever one of its inputs, however they are named."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import sculpt
from sculpt.cli.main import run_call

SCHEMA = """\
include "tokens.inc"
mapping M = "map.csv"
For each cell v in n { emit Obs(value: v as xs:integer, name: map(v, M) optional("?")) }
For each cell v in n { emit Other(value: v as xs:integer) }
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "data").mkdir()
    (tmp_path / "data/a.csv").write_text("1,2\n")
    (tmp_path / "data/b.csv").write_text("3,4\n")
    (tmp_path / "s.sculpt").write_text(SCHEMA)
    (tmp_path / "tokens.inc").write_text("n = [0-9]+\n")
    (tmp_path / "map.csv").write_text("1,one\n")
    (tmp_path / "link.csv").symlink_to("data/a.csv")
    (tmp_path / "hard.csv").hardlink_to(tmp_path / "data/a.csv")
    (tmp_path / "linked").symlink_to("data")
    monkeypatch.chdir(tmp_path)
    return tmp_path


Call = Callable[..., tuple[int, str]]


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    def run(*arguments: str) -> tuple[int, str]:
        return run_call(arguments), capsys.readouterr().err

    return run


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


DATA = {
    "plain": "data/a.csv",
    "roundabout": "data/../data/./a.csv",
    "absolute": "{folder}/data/a.csv",
    "link": "link.csv",
    "hard link": "hard.csv",
    "linked folder": "linked/a.csv",
    "uri": "file://{folder}/data/a.csv",
    "escaped uri": "file://{folder}/d%61ta/a%2Ecsv",
    "uri of a link": "file://{folder}/link.csv",
}


@pytest.mark.parametrize("output", [name for name in DATA if "uri" not in name])
@pytest.mark.parametrize("data", DATA)
def test_data_is_not_written_to(folder: Path, call: Call, data: str, output: str) -> None:
    named, out = (DATA[each].format(folder=folder) for each in (data, output))
    before = contents(folder)
    for arguments in (
        ["run", "s.sculpt", named, "-o", out, "--only", "Obs"],
        ["extract", "s.sculpt", named, "n", "-o", out],
    ):
        status, said = call(*arguments)
        assert (status, said.count("\n")) == (2, 1), said
        assert "is a data file; name another output" in said
    assert contents(folder) == before


@pytest.mark.parametrize(
    "data", ["data/*.csv", "data", "./data/", "linked", "file://{folder}/data"]
)
@pytest.mark.parametrize("output", ["data/b.csv", "{folder}/linked/b.csv"])
def test_what_a_glob_or_a_directory_names(folder: Path, call: Call, data: str, output: str) -> None:
    before = contents(folder)
    named, out = (each.format(folder=folder) for each in (data, output))
    status, said = call("run", "s.sculpt", named, "-o", out, "--only", "Obs", "--engine", "local")
    assert (status, said.count("\n")) == (2, 1), said
    assert contents(folder) == before


@pytest.mark.parametrize("output", ["data/new.csv", "linked/new.csv", "data/sub/../new.csv"])
def test_a_directory_of_data_gets_no_output(folder: Path, call: Call, output: str) -> None:
    before = contents(folder)
    call_of = ("run", "s.sculpt", "data", "--engine", "local", "-o")
    status, said = call(*call_of, output, "--only", "Obs")
    assert (status, "is in data, where the data is" in said) == (2, True), said
    status, said = call(*call_of, "data/")
    assert status == 2
    assert contents(folder) == before


@pytest.mark.parametrize("output", ["s.sculpt", "tokens.inc", "map.csv", "./data/../map.csv"])
def test_the_schema_is_not_written_to(folder: Path, call: Call, output: str) -> None:
    before = contents(folder)
    arguments = ["-o", output, "--format", "csv"]
    for command in (["run", "s.sculpt", "data/a.csv", "--only", "Obs"],
                    ["extract", "s.sculpt", "data/a.csv", "n"]):  # fmt: skip
        status, said = call(*command, *arguments)
        assert (status, "is a schema file" in said) == (2, True), said
    assert contents(folder) == before


def test_other_files_are_replaced(folder: Path, call: Call) -> None:
    (folder / "out.csv").write_text("old")
    os.link(folder / "out.csv", folder / "same.csv")
    assert call("run", "s.sculpt", "data/*.csv", "-o", "out.csv", "--only", "Obs",
                "--engine", "local")[0] == 0  # fmt: skip
    assert (folder / "out.csv").read_text().count("\n") == 5
    assert call("extract", "s.sculpt", "data/a.csv", "n", "-o", "data/new.csv")[0] == 0


def test_violations_do_not_go_to_the_data(folder: Path, call: Call) -> None:
    before = contents(folder)
    status, said = call("validate", "s.sculpt", "data", "--violations-to", "data/violations")
    assert (status, "where the data is" in said) == (2, True), said
    assert contents(folder) == before


def redirected(folder: Path, command: list[str], stdin: str, stdout: str | None = None) -> int:
    """The status of a command in a separate process, with its streams redirected."""
    with contextlib.ExitStack() as stack:
        source = stack.enter_context((folder / stdin).open("rb"))
        to = stack.enter_context((folder / stdout).open("ab")) if stdout else subprocess.DEVNULL
        program = [sys.executable, "-m", "sculpt", *command]
        return subprocess.run(
            program, stdin=source, stdout=to, cwd=folder, timeout=120, check=False
        ).returncode


@pytest.mark.parametrize(
    ("command", "stdin", "stdout"),
    [
        (["run", "s.sculpt", "-", "-o", "data/a.csv", "--only", "Obs"], "data/a.csv", None),
        (["run", "s.sculpt", "-", "-o", "/dev/stdin", "-f", "csv", "--only", "Obs"],
         "data/a.csv", None),
        (["extract", "s.sculpt", "-", "n", "-o", "link.csv"], "data/a.csv", None),
        (["run", "-", "data/a.csv", "-o", "s.sculpt", "-f", "csv", "--only", "Obs"],
         "s.sculpt", None),
        (["run", "s.sculpt", "data/a.csv", "--only", "Obs"], "map.csv", "data/a.csv"),
        (["extract", "s.sculpt", "data/a.csv", "n"], "map.csv", "link.csv"),
    ],
)  # fmt: skip
def test_redirections_are_seen(
    folder: Path, command: list[str], stdin: str, stdout: str | None
) -> None:
    before = contents(folder)
    assert redirected(folder, command, stdin, stdout) == 2
    assert contents(folder) == before


def test_the_function_has_the_guard_too(folder: Path) -> None:
    schema = sculpt.Schema.load("s.sculpt")
    results = sculpt.run(schema, "data/a.csv")
    before = contents(folder)
    for name in ("data/a.csv", "link.csv", "map.csv", "a\0b.csv", "file:///tmp/x.csv"):
        with pytest.raises(sculpt.UsageError):
            results.write(name, "Obs", "csv")
    assert contents(folder) == before
    results.write("new.csv", "Obs")
    assert Path("new.csv").read_text().startswith("value,name\n")
