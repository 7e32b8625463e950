"""A Python with nothing but the language: no threads, no libraries, no way to read at a place.

Browsers are like that, and Windows lacks some of it. A process from which these things were removed
must print what an ordinary one prints. Pyodide itself is tried where `web/node_modules` has it.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import ROOT
from wheels import EXAMPLES, Installed

BARE = """
import os, sys, threading

def start(thread):
    raise RuntimeError("can't start new thread")

threading.Thread.start = start
for name in ("preadv", "pread", "fork", "uname", "sched_getaffinity"):
    if hasattr(os, name):
        delattr(os, name)
absent = "ctypes mmap fcntl resource termios multiprocessing concurrent.futures numpy numba pyarrow"
for name in absent.split():
    sys.modules[name] = None
"""
CALL = "import sys\nfrom sculpt.cli import main\nmain()\n"
SCHEMAS = {
    "forward": "row(1) -> id, n\ncol(id) -> Integer\ncol(n) -> Integer\n",
    "strips": "left(x) -> n\n",
    "sweeps": "up*(x) -> x\n",
    "unique": "bad = x\nunique(bad)\n",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Schemas that are read in each way, and files that are read in each way, with violations."""
    folder = tmp_path_factory.mktemp("bare")
    for name, text in SCHEMAS.items():
        (folder / f"{name}.sculpt").write_text(text, encoding="utf-8")
    rows = [f"{number},{'x' if number % 9_000 == 77 else number}\n" for number in range(40_000)]
    text = "id,n\n" + "".join(rows)
    assert len(text) > 1 << 18  # or threads are not even tried
    (folder / "plain.csv").write_text(text, encoding="utf-8")
    (folder / "packed.csv.gz").write_bytes(gzip.compress(text.encode(), 1))
    (folder / "wide.csv").write_text(text[: len(text) // 4], encoding="utf-16")
    return folder


def output(folder: Path, prelude: str, call: list[str], given: bytes = b"") -> tuple[int, str, str]:
    nowhere = str(folder / "no" / "such")
    done = subprocess.run(
        [sys.executable, "-c", prelude + CALL, *call],
        cwd=folder,
        env={**os.environ, "HOME": nowhere, "XDG_CACHE_HOME": nowhere, "PYTHONUTF8": "1"},
        input=given,
        capture_output=True,
        timeout=300,
        check=False,
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def agree(folder: Path, call: list[str], given: bytes = b"") -> None:
    """Compare a bare Python with an ordinary one; only the former remarks that it is slow."""
    status, printed, told = output(folder, "", call, given)
    assert (status, told) == (1 if call[0] == "validate" else 0, "")
    bare = output(folder, BARE, call, given)
    assert bare[:2] == (status, printed)
    lines = bare[2].splitlines()
    assert len(lines) == 1, bare[2]
    assert lines[0].startswith("note: the compiled kernels cannot be used: ")


@pytest.mark.parametrize("schema", SCHEMAS)
def test_a_file_that_threads_would_share(folder: Path, schema: str) -> None:
    agree(folder, ["validate", f"{schema}.sculpt", "plain.csv"])


@pytest.mark.parametrize("data", ["packed.csv.gz", "wide.csv"])
def test_a_file_that_a_thread_would_read_ahead(folder: Path, data: str) -> None:
    settings = ["--set", "Encoding=utf-16"] if data == "wide.csv" else []
    agree(folder, ["validate", "forward.sculpt", data, *settings])


def test_standard_input(folder: Path) -> None:
    given = (folder / "plain.csv").read_bytes()
    agree(folder, ["validate", "forward.sculpt", "-"], given)


def test_the_cells_of_a_region(folder: Path) -> None:
    agree(folder, ["select", "forward.sculpt", "plain.csv", "left(x)"])


def test_small_files_need_no_remark(folder: Path) -> None:
    for call in (["validate", "census/printed.sculpt", "census/census.csv"],):
        ordinary = output(EXAMPLES, "", call)
        assert output(EXAMPLES, BARE, call) == ordinary
        assert ordinary[::2] == (1, "")


@pytest.mark.parametrize(
    ("name", "module", "told"),
    [
        ("a.bz2", "bz2", "this Python was built without bz2"),
        ("a.xz", "lzma", "this Python was built without xz"),
        (
            "a.zst",
            "backports.zstd" if sys.version_info < (3, 14) else "compression.zstd",
            'unpacking zstd needs backports.zstd: run `pip install "backports.zstd"`'
            if sys.version_info < (3, 14)
            else "this Python was built without zstd",
        ),
    ],
)
def test_a_packer_that_is_missing(folder: Path, name: str, module: str, told: str) -> None:
    magic = {"a.bz2": b"BZh91AY&SY", "a.xz": b"\xfd7zXZ\0", "a.zst": b"\x28\xb5\x2f\xfd"}
    (folder / name).write_bytes(magic[name] + b"rest")
    prelude = f"import sys\nsys.modules[{module!r}] = None\n"
    status, printed, _ = output(folder, prelude, ["validate", "forward.sculpt", name])
    assert status == 3
    assert f"{name}: cannot be read: {told}\n" in printed


# ------------------------------------------------------------- a real browser's Python

PYODIDE = ROOT / "web" / "node_modules" / "pyodide"
BROWSER = """
const { loadPyodide } = await import(process.argv[2]);
const python = await loadPyodide();
python.mountNodeFS("/site", process.argv[3]);
python.mountNodeFS("/data", process.argv[4]);
python.runPython("import sys, os; sys.path.insert(0, '/site'); os.chdir('/data')");
python.globals.set("call", process.argv.slice(5).join("\\n"));
python.setStdout({ batched: (line) => console.log(line) });
python.setStderr({ batched: (line) => console.error(line) });
process.exit(python.runPython(
    "from sculpt.cli.main import run_call; run_call(call.splitlines())"
));
"""


@pytest.mark.xdist_group("wheels")
@pytest.mark.skipif(
    not PYODIDE.is_dir() or shutil.which("node") is None, reason="Pyodide is not installed"
)
def test_the_pure_wheel_in_pyodide(pure: Installed, folder: Path, tmp_path: Path) -> None:
    script = tmp_path / "run.mjs"
    script.write_text(BROWSER, encoding="utf-8")
    (site,) = pure.folder.glob("lib/python*/site-packages")

    def in_browser(data: Path, *call: str) -> tuple[int, str, str]:
        module = json.dumps(str(PYODIDE / "pyodide.mjs")).strip('"')
        done = subprocess.run(
            ["node", str(script), module, str(site), str(data), *call],
            capture_output=True,
            timeout=300,
            check=False,
        )
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    call = ["validate", "census/printed.sculpt", "census/census.csv"]
    assert in_browser(EXAMPLES, *call) == output(EXAMPLES, "", call)
    for data in ("plain.csv", "packed.csv.gz"):
        call = ["validate", "forward.sculpt", data]
        assert in_browser(folder, *call) == output(folder, "", call)
    run = ["run", "census/tidy.sculpt", "census/census.csv"]
    told = 'run `await micropip.install("sculpt-schema[arrow]")`'
    assert in_browser(EXAMPLES, *run) == (
        2,
        "",
        f"error: `sculpt run` needs pyarrow and numpy: {told}\n",
    )


HIDDEN = """
import sys
from importlib.machinery import PathFinder

class Without:
    @staticmethod
    def find_spec(name, path=None, target=None):
        hidden = name.partition(".")[0] == "pyarrow"
        return None if hidden else PathFinder.find_spec(name, path, target)

sys.meta_path[sys.meta_path.index(PathFinder)] = Without
from sculpt.cli.main import run_call
sys.exit(run_call(["validate", "s.sculpt", "d.csv"]))
"""


def test_checks_with_numpy_but_without_pyarrow(tmp_path: Path) -> None:
    """The extra that compiles kernels brings only numpy."""
    checks = "key(col(a))\ncol(b) ~> col(a)\nFor each row r in not row(1) {\n"
    (tmp_path / "s.sculpt").write_text(checks + "  require(r.cells[1] = r.cells[2])\n}\n")
    (tmp_path / "d.csv").write_text("a,b\n1,1\n1,2\n")
    call = [sys.executable, "-c", HIDDEN]
    done = subprocess.run(call, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (1, "")
    assert "4 violations" in done.stdout
