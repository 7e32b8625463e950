"""Whatever is wrong with the cache of compiled code, a run gives the right verdict.

One good cache is made, and copies of it are damaged in different ways. The processes are real.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from sculpt.kernels import cache
from sculpt.kernels.cache import SUFFIX

REPORT = "d.csv: not valid (20,001 rows × 2 columns, 1 violation)\n"
COMPILING = "note: compiling the kernels"

# Two small kernels, one of which calls the other: the code of the second includes the first.
SOURCE = """
def one_more(number):
    return number + 1

def total(numbers):
    found = 0
    for number in numbers:
        found += one_more(number)
    return found
"""
SMALL = """
import sys
import numpy as np, numba
from sculpt.kernels.cache import cache_of, keep_code
import small

small.one_more = keep_code(numba.njit(nogil=True)(small.one_more))
small.total = keep_code(numba.njit(nogil=True)(small.total))
assert small.total(np.arange(4)) == 10
kept = cache_of(small.total)
print(sum(small.total.stats.cache_hits.values()), kept is not None and kept.has_code())
"""


@dataclass(frozen=True)
class Small:
    """A module of small kernels, and a good cache of it."""

    folder: Path

    def run(self, settings: dict[str, str], **options: object) -> str:
        done = subprocess.run(
            [sys.executable, "-c", SMALL],
            cwd=self.folder,
            env={**os.environ, **settings},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            **options,  # type: ignore[call-overload]
        )
        assert (done.returncode, done.stderr) == (0, "")
        return str(done.stdout)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Small:
    folder = tmp_path_factory.mktemp("small")
    (folder / "small.py").write_text(SOURCE)
    made = Small(folder)
    assert made.run({"NUMBA_CACHE_DIR": str(folder / "good")}) == "0 True\n"
    assert made.run({"NUMBA_CACHE_DIR": str(folder / "good")}) == "1 True\n"
    return made


@pytest.fixture
def damaged(small: Small, tmp_path: Path) -> Path:
    """A copy of the good cache."""
    return Path(shutil.copytree(small.folder / "good", tmp_path / "cache"))


def files(folder: Path) -> list[Path]:
    return sorted(folder.rglob(f"*{SUFFIX}"))


def empty(path: Path) -> None:
    path.write_bytes(b"")


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def cut_a_little(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 1)


def flip(path: Path) -> None:
    """Flip one bit in the middle of the machine code: only a digest detects it."""
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def garble(path: Path) -> None:
    path.write_bytes(np.random.default_rng(1).bytes(5000))


def pickle_other(path: Path) -> None:
    path.write_bytes(b"\x80\x04N.")


def swap(path: Path) -> None:
    """Use the complete code of another function."""
    other = next(each for each in files(path.parent) if each.name[:9] != path.name[:9])
    path.write_bytes(other.read_bytes())


DAMAGE = [empty, cut, cut_a_little, flip, garble, pickle_other, swap]


@pytest.mark.parametrize("damage", DAMAGE, ids=lambda damage: damage.__name__)
def test_a_damaged_file_is_compiled_anew_and_renewed(
    small: Small, damaged: Path, damage: Callable[[Path], None]
) -> None:
    (path,) = damaged.rglob(f"small.total*{SUFFIX}")
    before = path.read_bytes()
    damage(path)
    assert path.read_bytes() != before
    settings = {"NUMBA_CACHE_DIR": str(damaged)}
    assert small.run(settings) == "0 True\n"
    assert small.run(settings) == "1 True\n"


@pytest.mark.skipif(sys.platform == "win32", reason="no such permissions")
def test_what_others_can_write_to_is_not_loaded(small: Small, damaged: Path) -> None:
    settings = {"NUMBA_CACHE_DIR": str(damaged)}
    assert small.run(settings) == "1 True\n"
    for path in files(damaged):
        path.chmod(0o666)
    assert small.run(settings) == "0 True\n"  # it is compiled and written again
    assert small.run(settings) == "1 True\n"
    (folder,) = {path.parent for path in files(damaged)}
    folder.chmod(0o777)
    assert small.run(settings) == "0 False\n"
    assert small.run(settings) == "0 False\n"
    folder.chmod(0o755)
    if os.geteuid() == 0:  # what somebody else has put there
        for path in files(damaged):
            os.chown(path, 12345, 12345)
        assert small.run(settings) == "0 True\n"


def test_a_directory_in_the_place_of_a_file(small: Small, damaged: Path) -> None:
    for path in files(damaged):
        path.unlink()
        path.mkdir()
    assert small.run({"NUMBA_CACHE_DIR": str(damaged)}) == "0 False\n"
    assert [path.name for path in damaged.rglob("*.tmp")] == []


def test_another_version_is_not_loaded(small: Small, damaged: Path) -> None:
    told = small.run({"NUMBA_CACHE_DIR": str(damaged), "PYTHONPATH": _other_numba(damaged)})
    assert told == "0 True\n"


def _other_numba(folder: Path) -> str:
    """A path whose start-up code sets another version of Numba."""
    site = folder / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text("import numba\nnumba.__version__ = '0.0.1'\n")
    return os.pathsep.join(filter(None, (str(site), os.environ.get("PYTHONPATH"))))


def test_a_changed_source_is_not_run_from_the_cache(small: Small, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(small.folder, tmp_path / "other"))
    settings = {"NUMBA_CACHE_DIR": str(folder / "cache")}
    again = Small(folder)
    assert again.run(settings) == "0 True\n"
    (folder / "small.py").write_text(SOURCE.replace("+ 1", "+ 2 - 1"))
    assert again.run(settings) == "0 True\n"
    assert len(files(folder / "cache")) == 2  # what is outdated is replaced, not added to


def test_no_directory_for_a_cache(small: Small) -> None:
    """As in a container: neither the package nor the home directory is writable."""
    settings = {"NUMBA_CACHE_LOCATOR_CLASSES": "UserProvidedCacheLocator"}
    assert small.run(settings) == "0 False\n"
    under_a_file = str(small.folder / "small.py" / "cache")
    assert small.run({**settings, "NUMBA_CACHE_DIR": under_a_file}) == "0 False\n"
    assert small.run({"NUMBA_CACHE_LOCATOR_CLASSES": "no.such.Locator"}) == "0 False\n"


@pytest.mark.skipif(sys.platform == "win32", reason="no limit on the size of files")
def test_a_full_disk(small: Small, tmp_path: Path) -> None:
    def limit() -> None:
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    told = small.run({"NUMBA_CACHE_DIR": str(tmp_path / "cache")}, preexec_fn=limit)
    assert told == "0 False\n"
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_an_interrupt_while_code_is_saved_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    kept = cache.KernelCache(cache.keep_code)
    monkeypatch.setattr(kept, "_base", str(tmp_path / "base"))
    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        kept._write(str(tmp_path / f"base.1{SUFFIX}"), b"code")
    assert list(tmp_path.iterdir()) == []


# ------------------------------------------------------------- the whole command


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with data for compiled kernels, and the cache that a run has filled."""
    folder = tmp_path_factory.mktemp("whole")
    (folder / "s.sculpt").write_text(
        "row(1) -> id, price\ncol(id) -> Integer\ncol(price) -> Number\n"
    )
    rows = (f"{number},{'x' if number == 777 else number}\n" for number in range(20_000))
    (folder / "d.csv").write_text("id,price\n" + "".join(rows))
    done = validate(folder, NUMBA_CACHE_DIR=str(folder / "cache"))
    assert done.stderr.startswith(COMPILING)
    return folder


def validate(folder: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "sculpt", "validate", "s.sculpt", "d.csv"],
        cwd=folder,
        env={**os.environ, "SCULPT_KERNELS": "jit", **settings},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 1
    assert done.stdout.startswith(REPORT)
    assert done.stderr.count("\n") <= 1
    return done


def test_a_cache_of_which_every_file_is_damaged(whole: Path, tmp_path: Path) -> None:
    damaged = Path(shutil.copytree(whole / "cache", tmp_path / "cache"))
    for number, path in enumerate(files(damaged)):
        DAMAGE[number % len(DAMAGE)](path)
    settings = {"NUMBA_CACHE_DIR": str(damaged)}
    assert validate(whole, **settings).stderr.endswith("once per installation\n")
    assert validate(whole, **settings).stderr == ""


def test_a_run_without_any_cache(whole: Path) -> None:
    settings = {"NUMBA_CACHE_LOCATOR_CLASSES": "UserProvidedCacheLocator", "NUMBA_CACHE_DIR": ""}
    told = validate(whole, **settings).stderr
    assert told.startswith(f"{COMPILING}: this takes a few seconds, in every run: there is no")
