"""Outputs appear only when they are complete, and what was there stays until then."""

from __future__ import annotations

import errno
import os
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from sculpt.errors import RunError, SculptError, UsageError
from sculpt.transform.atomic import placed, placed_directory


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    assert [name for name in os.listdir() if name.startswith(".")] == []


def fail_in(path: str, error: type[BaseException]) -> None:
    Path(path).write_text("half")
    raise error


# ------------------------------------------------------------- files


def test_a_file_appears_at_the_end() -> None:
    with placed("out.csv") as name:
        assert os.path.basename(name).startswith(".out.csv.")
        assert os.path.dirname(name) == os.getcwd()
        Path(name).write_text("new")
        assert not Path("out.csv").exists()
    assert Path("out.csv").read_text() == "new"


def test_a_file_is_replaced_at_the_end_and_keeps_its_mode() -> None:
    target = Path("out.csv")
    target.write_text("old")
    target.chmod(0o640)
    with placed("out.csv") as name:
        Path(name).write_text("new")
        assert target.read_text() == "old"
    assert target.read_text() == "new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit, GeneratorExit])
def test_an_interrupted_file_leaves_what_was_there(error: type[BaseException]) -> None:
    Path("out.csv").write_text("old")
    for path in ("out.csv", "none.csv"):
        with pytest.raises(error), placed(path) as name:
            fail_in(name, error)
    assert Path("out.csv").read_text() == "old"
    assert os.listdir() == ["out.csv"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    os.symlink("real/out.csv", "link.csv")
    with placed("link.csv") as name:
        Path(name).write_text("new")
    assert os.path.islink("link.csv")
    assert Path("real/out.csv").read_text() == "new"


def test_a_pipe_is_written_directly() -> None:
    os.mkfifo("pipe")
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(Path("pipe").read_bytes()))
    reader.start()
    with placed("pipe") as name:
        Path(name).write_bytes(b"new")
    reader.join()
    assert read == [b"new"]
    assert stat.S_ISFIFO(os.stat("pipe").st_mode)


@pytest.mark.parametrize(
    ("path", "kind", "reason"),
    [
        ("none/out.csv", UsageError, "no such directory"),
        ("file/out.csv", UsageError, "no such directory"),
        ("dir", UsageError, "it is a directory"),
        ("dir/", UsageError, "it is a directory"),
        ("new/", UsageError, "it is a directory"),
        ("", UsageError, "it is a directory"),
        ("x" * 300, RunError, "file name too long"),
    ],
)
def test_a_wrong_path_is_told_at_once(path: str, kind: type[SculptError], reason: str) -> None:
    Path("dir").mkdir()
    Path("file").write_text("")
    with pytest.raises(kind) as caught, placed(path):
        pytest.fail("the body ran")
    assert str(caught.value) == f"{path}: cannot be written: {reason}"


def test_a_file_that_may_not_be_written_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("out.csv").write_text("old")
    Path("out.csv").chmod(0o444)
    if os.access("out.csv", os.W_OK):  # the superuser may write anything
        monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(RunError) as caught, placed("out.csv"):
        pytest.fail("the body ran")
    assert str(caught.value) == "out.csv: cannot be written: permission denied"


def test_a_full_disk_is_told_of_the_output() -> None:
    with pytest.raises(RunError) as caught, placed("out.csv"):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert str(caught.value) == "out.csv: cannot be written: no space left on device"
    assert os.listdir() == []


def test_errors_of_other_files_and_of_readers_are_not_ours() -> None:
    with pytest.raises(FileNotFoundError), placed("out.csv"):
        Path("input.csv").read_bytes()
    with pytest.raises(BrokenPipeError), placed("out.csv"):
        raise BrokenPipeError(errno.EPIPE, "Broken pipe")
    os.mkfifo("pipe")
    with pytest.raises(FileNotFoundError), placed("pipe"):
        Path("input.csv").read_bytes()


def test_a_directory_that_comes_meanwhile_is_told() -> None:
    with pytest.raises(UsageError) as caught, placed("out.csv"):
        Path("out.csv").mkdir()
    assert str(caught.value) == "out.csv: cannot be written: it is a directory"
    assert os.listdir() == ["out.csv"]


# ------------------------------------------------------------- directories


@pytest.mark.parametrize("path", ["out", "out/"])
@pytest.mark.parametrize("is_there", [False, True])
def test_a_directory_appears_at_the_end(path: str, *, is_there: bool) -> None:
    if is_there:
        Path("out").mkdir(mode=0o750)
    with placed_directory(path) as name:
        Path(name, "a.csv").write_text("a")
        Path(name, "b.csv").write_text("b")
        assert not Path("out/a.csv").exists()
    assert sorted(os.listdir("out")) == ["a.csv", "b.csv"]
    assert os.listdir() == ["out"]
    if is_there:
        assert stat.S_IMODE(os.stat("out").st_mode) == 0o750


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_interrupted_directory_leaves_what_was_there(error: type[BaseException]) -> None:
    Path("empty").mkdir()
    for path in ("empty", "none"):
        with pytest.raises(error), placed_directory(path) as name:
            fail_in(os.path.join(name, "a.csv"), error)
    assert os.listdir() == ["empty"]
    assert os.listdir("empty") == []


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("full", "full: cannot be written: the directory is not empty"),
        ("file", "file: cannot be written: it is not a directory"),
        ("none/out", "none/out: cannot be written: no such directory"),
        ("empty", "empty: cannot be replaced: name a directory inside it"),
    ],
)
def test_a_wrong_directory_is_told_at_once(path: str, message: str, tmp_path: Path) -> None:
    Path("full").mkdir()
    Path("full/a.csv").write_text("old")
    Path("file").write_text("old")
    if path == "empty":
        Path("empty").mkdir()
        os.chdir("empty")
        path, message = ".", message.replace("empty", ".")
    with pytest.raises(UsageError) as caught, placed_directory(path):
        pytest.fail("the body ran")
    os.chdir(tmp_path)
    assert str(caught.value) == message
    assert Path("full/a.csv").read_text() == Path("file").read_text() == "old"


def test_a_directory_that_is_filled_meanwhile_is_kept() -> None:
    Path("out").mkdir()
    with pytest.raises(RunError) as caught, placed_directory("out"):
        Path("out/theirs.csv").write_text("theirs")
    assert str(caught.value) == "out: cannot be written: directory not empty"
    assert os.listdir("out") == ["theirs.csv"]


def test_a_full_disk_is_told_of_the_directory() -> None:
    with pytest.raises(RunError) as caught, placed_directory("out") as name:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), os.path.join(name, "a.csv"))
    assert str(caught.value) == "out: cannot be written: no space left on device"
    assert os.listdir() == []
