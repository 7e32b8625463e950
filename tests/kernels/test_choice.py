"""Which kernels a run uses, and why; a broken installation never fails a run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import sculpt.kernels
from sculpt.kernels import choice, library, signatures
from sculpt.kernels.backend import Ahead, Jit, Plain

LARGE = choice.SMALL_FOR_NUMBA + 1
MIDDLE = choice.SMALL_FOR_LIBRARY + 1


def chosen_for(size: int) -> choice.Choice:
    return choice.for_input(lambda limit: min(size, limit))


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Start and end with nothing chosen."""
    monkeypatch.delenv(choice.VARIABLE, raising=False)
    cached = (choice.ahead, choice.jit, choice.fastest, choice._library)
    for each in cached:
        each.cache_clear()
    yield
    monkeypatch.undo()
    for each in cached:
        each.cache_clear()


def without_library(patch: pytest.MonkeyPatch, reason: str = "") -> None:
    def load(folder: str) -> None:
        raise signatures.UnfitError(reason)

    patch.setattr(library, "load", load)


def without_numba(patch: pytest.MonkeyPatch) -> None:
    patch.delitem(sys.modules, "sculpt.kernels.jit", raising=False)
    patch.delattr(sculpt.kernels, "jit", raising=False)
    patch.setitem(sys.modules, "numba", None)


def test_small_inputs_take_what_need_not_be_loaded() -> None:
    for size in (0, 1, choice.SMALL_FOR_LIBRARY):
        assert chosen_for(size).reason == f"the input is small: {size:,} bytes"
        assert isinstance(chosen_for(size).backend, Plain)


def test_larger_inputs_take_the_library() -> None:
    for size in (MIDDLE, LARGE):
        chosen = chosen_for(size)
        assert isinstance(chosen.backend, Ahead)
        assert chosen.reason == "they were compiled for this platform"
        assert list(chosen.remarks()) == []


def test_without_a_library_numba_compiles_what_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    without_library(monkeypatch)
    middle, large = chosen_for(MIDDLE), chosen_for(LARGE)
    assert isinstance(middle.backend, Plain)
    assert isinstance(large.backend, Jit)
    assert (middle.problem, large.problem) == ("", "")
    assert large.reason == "this installation has no compiled kernels"


def test_a_library_that_is_no_good_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    without_library(monkeypatch, "it is no good")
    assert chosen_for(1).problem == ""
    middle, large = chosen_for(MIDDLE), chosen_for(LARGE)
    assert isinstance(middle.backend, Plain)
    assert middle.problem == "it is no good; using plain Python"
    assert isinstance(large.backend, Jit)
    assert large.problem == "it is no good; Numba compiles them instead"
    with pytest.warns(RuntimeWarning, match="it is no good; Numba compiles them instead"):
        large.warn()


def test_a_python_without_ctypes_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "sculpt.kernels.library")
    monkeypatch.delattr(sculpt.kernels, "library")
    monkeypatch.setitem(sys.modules, "ctypes", None)
    chosen = chosen_for(MIDDLE)
    assert isinstance(chosen.backend, Plain)
    assert chosen.problem.startswith("the compiled kernels cannot be used: import of ctypes")


def test_without_either_plain_kernels_do_it(monkeypatch: pytest.MonkeyPatch) -> None:
    without_library(monkeypatch)
    without_numba(monkeypatch)
    chosen = chosen_for(LARGE)
    assert isinstance(chosen.backend, Plain)
    assert chosen.problem == (
        "this installation has no compiled kernels; using plain Python, which is slow:"
        ' run `pip install "sculpt-schema[jit]"` to have Numba compile them'
    )
    assert list(chosen.remarks()) == [chosen.problem]


def test_in_a_browser_there_is_no_numba_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    without_library(monkeypatch)
    without_numba(monkeypatch)
    monkeypatch.setattr(sys, "platform", "emscripten")
    told = "this installation has no compiled kernels; using plain Python, which is slow"
    assert chosen_for(LARGE).problem == told


@pytest.mark.parametrize(("name", "kind"), [("plain", Plain), ("ahead", Ahead), ("jit", Jit)])
def test_the_environment_chooses(monkeypatch: pytest.MonkeyPatch, name: str, kind: type) -> None:
    monkeypatch.setenv(choice.VARIABLE, name)
    for size in (1, LARGE):
        assert isinstance(chosen_for(size).backend, kind)
        assert chosen_for(size).reason == "SCULPT_KERNELS is set"


def test_what_the_environment_may_choose(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(choice.VARIABLE, "fast")
    with pytest.raises(
        sculpt.UsageError, match="is `fast`; it must be one of `plain`, `ahead`, `jit`"
    ):
        chosen_for(1)
    without_library(monkeypatch, "it is no good")
    monkeypatch.setenv(choice.VARIABLE, "ahead")
    with pytest.raises(sculpt.UsageError, match="these kernels cannot be used: it is no good"):
        chosen_for(1)
    without_numba(monkeypatch)
    monkeypatch.setenv(choice.VARIABLE, "jit")
    with pytest.raises(sculpt.UsageError, match=r"cannot be used: .*numba") as raised:
        chosen_for(1)
    assert str(raised.value).endswith('; run `pip install "sculpt-schema[jit]"`')


# ------------------------------------------------------------- the whole command

REPORT = "d.csv: not valid (10,001 rows × 2 columns, 1 violation)\n"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package, with data for compiled kernels beside it."""
    folder = tmp_path_factory.mktemp("installed")
    package = Path(sculpt.__file__).parent
    shutil.copytree(package, folder / "sculpt", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "s.sculpt").write_text(
        "row(1) -> id, price\ncol(id) -> Integer\ncol(price) -> Number\n"
    )
    rows = (f"{number},{'x' if number == 777 else number}\n" for number in range(10_000))
    (folder / "d.csv").write_text("id,price\n" + "".join(rows))
    return folder


def validate(folder: Path, *, size: int = 0, **settings: str) -> str:
    """What is reported besides the verdict, which must be right."""
    code = (
        "import sys\nfrom sculpt.kernels import choice\n"
        f"choice.SMALL_FOR_NUMBA = {size} or choice.SMALL_FOR_NUMBA\n"
        "sys.modules['numba'] = None\n"
        "from sculpt.cli import main\nmain()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "validate", "s.sculpt", "d.csv"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), **settings},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith(REPORT)
    return done.stderr


def the_library(folder: Path) -> Path:
    (found,) = (folder / "sculpt" / "kernels").glob("compiled.*.so")
    return found


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1000])


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _changed(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def _renamed(part: int, to: str) -> Callable[[Path], None]:
    def rename(path: Path) -> None:
        parts = path.name.split(".")
        parts[part] = to
        path.rename(path.with_name(".".join(parts)))

    return rename


def _no_library_at_all(path: Path) -> None:
    content = b"not a library"
    path.unlink()
    path.with_name(library.file_name(content)).write_bytes(content)


def _of_other_kernels(path: Path) -> None:
    source = path.with_name("loops") / "rows.py"
    source.write_text(source.read_text() + "\n# changed\n")


def _a_directory(path: Path) -> None:
    path.unlink()
    path.mkdir()


PROBLEMS: dict[str, tuple[Callable[[Path], None], str]] = {
    "cut": (_cut, "the compiled kernels are damaged"),
    "empty": (_empty, "the compiled kernels are damaged"),
    "changed": (_changed, "the compiled kernels are damaged"),
    "foreign": (
        _renamed(1, "linux-sparc64-64"),
        f"the compiled kernels were built for linux-sparc64-64, but this is {library.platform()}",
    ),
    "older": (_renamed(2, "0" * 16), "the compiled kernels were built from another version"),
    "other kernels": (_of_other_kernels, "the compiled kernels were built from another version"),
    "not a library": (_no_library_at_all, "the compiled kernels cannot be loaded"),
    "a directory": (_a_directory, "the compiled kernels cannot be read: is a directory"),
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_library_that_does_not_fit_is_one_line(
    installed: Path, tmp_path: Path, name: str
) -> None:
    damage, told = PROBLEMS[name]
    folder = Path(shutil.copytree(installed, tmp_path / "copy"))
    damage(the_library(folder))
    said = validate(folder)
    assert said.startswith(f"note: {told}")
    assert said.count("\n") == 1
    assert said.endswith("; using plain Python\n")
    said = validate(folder, size=MIDDLE)
    assert said.startswith(f"note: {told}")
    assert said.endswith(
        "; using plain Python, which is slow: reinstall sculpt-schema,"
        ' or run `pip install "sculpt-schema[jit]"` to have Numba compile them\n'
    )


def test_a_good_library_says_nothing(installed: Path) -> None:
    assert validate(installed) == ""


def test_an_installation_without_a_home_that_cannot_be_written(
    installed: Path, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(installed, tmp_path / "copy"))
    for path in (folder / "sculpt", *(folder / "sculpt").rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    nowhere = str(tmp_path / "no" / "such")
    assert validate(folder, HOME=nowhere, XDG_CACHE_HOME=nowhere, TMPDIR=nowhere) == ""
    for path in ((folder / "sculpt"), *(folder / "sculpt").rglob("*")):
        path.chmod(0o755)


def test_the_module_is_a_program(installed: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "sculpt.kernels"], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0
    assert done.stdout.startswith("ahead: they were compiled for this platform\n")
