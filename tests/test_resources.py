"""After a thousand runs of every kind in one process, nothing has piled up.

Promised: threads, open files, temporary files and memory are what they were, whether a run ends
well, finds violations, fails in the middle or is abandoned by whoever asked for it.

The runs are made in a process of their own (this module is its program), where nothing else opens
files or starts threads. The first rounds fill what is kept on purpose: imports, compiled kernels,
the pools of Arrow. Threads and files are compared after every run, so a failure names the kind.
"""

from __future__ import annotations

import bz2
import contextlib
import ctypes
import gc
import gzip
import json
import lzma
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow
import pytest

import sculpt
from sculpt.cli import application
from sculpt.engines import local
from sculpt.engines.options import Options
from sculpt.engines.walk import sweeps
from sculpt.kernels import choice as backends
from sculpt.tabular import inputs as source
from sculpt.transform import local as programs
from sculpt.transform import outputs

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

RUNS = 1000
WARMING = 4
"""So many rounds, of some 18, fill what is kept on purpose."""
HELD = 500
"""So few bytes of a spool are kept in memory that each of them becomes a temporary file."""
SMALL = 15_000
"""Larger inputs take the compiled kernels; `GOOD` and `BAD` are larger."""
STRIP = 500
"""Programs look at so few cells at a time that threads have several strips to share."""

MAX_GROWTH = 20 << 20
"""Of resident memory over the last 800 runs. It is never quite still: allocators keep pages in an
order that differs from run to run. This is 25 KB a run, less than the file that each run reads;
`MAX_BLOCKS` sees what is smaller."""
MAX_BLOCKS = 800
"""Of objects that Python has allocated: less than one for a run, so no kind may keep any."""

PEOPLE = "row(1) -> name, age\ncol(name) -> Text\ncol(age) -> Integer\n"
EMIT = (
    PEOPLE
    + """For each cell v in col(age) and Integer {
  emit Person(name: directly(left, col(name), v), before: closest(up, Integer, v) optional)
  print v
  annotate v with "rdf:type x"
}
For each cell v in col(age) and Integer { emit Age(v: v as xs:long) }
"""
)
WRONG = PEOPLE + "For each cell v in col(name) { emit Age(v: v as xs:long); print v }\n"
"""Its values cannot be computed, which is found while outputs are written."""
GOOD = b"name,age\n" + b"ann,1\nbob,22\n" * 1600
BAD = GOOD + b"eve,x\n"
SHORT = b"name,age\n" + b"ann,1\n" * 40
WIDE = b"name,age\n" + b"ann,1\n" * 60 + b"ann,1,2,3\n" + b"ann,1\n" * 60


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="needs /proc")
def test_a_thousand_runs_leave_nothing(tmp_path: Path) -> None:
    for name in ("data", "temporary"):
        (tmp_path / name).mkdir()
    done = subprocess.run(
        [sys.executable, __file__, str(tmp_path)],
        cwd=tmp_path / "data",
        env={**os.environ, "TMPDIR": str(tmp_path / "temporary")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()[-3000:]
    found: dict[str, Any] = json.loads((tmp_path / "found.json").read_text())
    assert found["runs"] >= RUNS
    assert found["spools"] > RUNS // 10  # there were temporary files to remove
    assert found["left"] == []
    before, after = found["before"], found["after"]
    for kind in ("threads", "tasks", "files", "temporary", "data"):
        assert after[kind] == before[kind], kind
    assert after["temporary"] == []
    assert after["blocks"] - before["blocks"] < MAX_BLOCKS
    assert after["memory"] - before["memory"] < MAX_GROWTH


# ---------------------------------------------------------------- the program of the process

Kinds = dict[str, Callable[[], object]]
PLAIN = partial(Options, backend=backends.plain(), chunk=2000, strip=500)
COMPILED = partial(Options, backend=backends.ahead(), chunk=5000, strip=2000, threads=2)


def write_files() -> None:
    """The data of the runs, in the current directory."""
    files = {
        "good": GOOD,
        "bad": BAD,
        "short": SHORT,
        "wide": WIDE,
        "good.gz": gzip.compress(GOOD, 1),
        "bad.bz2": bz2.compress(BAD, 1),
        "good.xz": lzma.compress(GOOD, preset=0),
        "bad.zst": zstd.compress(BAD),
        "cut.gz": gzip.compress(os.urandom(50_000), 1)[:30_000],
        "cut.zst": zstd.compress(os.urandom(50_000))[:30_000],
        "utf16": GOOD.decode().encode("utf-16"),
        "iso2022": ("name,age\n" + "\u6771\u4eac,1\n" * 500).encode("iso2022_jp"),
    }
    for name, data in files.items():
        Path(name).write_bytes(data)


def validating_kinds() -> Kinds:
    """Verdicts: every way to read, every way to walk, good and bad endings."""
    people = sculpt.Schema.parse(PEOPLE)
    walks = {
        "stream": people,
        "left": sculpt.Schema.parse("left(true) -> Any*\n"),
        "up": sculpt.Schema.parse("up*(Integer) -> Any*\n"),
        "far": sculpt.Schema.parse("up*(down*(right(left(true)))) -> Any*\n"),
    }
    kinds: Kinds = {}
    for name, schema in walks.items():
        kinds[f"{name}, plain"] = partial(local.validate, schema.core, "short", PLAIN())
        for file in ("bad", "good.gz"):
            kinds[f"{name}, compiled, {file}"] = partial(
                local.validate, schema.core, file, COMPILED()
            )
        kinds[f"{name}, late wide row"] = partial(local.validate, schema.core, "wide", PLAIN())
        kinds[f"{name}, cut"] = failing(local.validate, schema.core, "cut.gz", COMPILED())
    for file in ("bad.bz2", "good.xz", "bad.zst"):
        kinds[file] = partial(local.validate, people.core, file, COMPILED())
    for encoding, file in (("utf-16", "utf16"), ("iso2022_jp", "iso2022")):
        coded = sculpt.Schema.parse(f"Encoding = {encoding}\n{PEOPLE}")
        kinds[encoding] = partial(local.validate, coded.core, file, COMPILED())
    kinds |= {
        "reference": partial(sculpt.validate, people, "short", engine="reference"),
        "reference, missing": failing(sculpt.validate, people, "none", engine="reference"),
        "missing": failing(sculpt.validate, people, "none"),
        "broken zstd": failing(sculpt.validate, people, "cut.zst"),
        "changed": partial(validate_while_it_changes, people),
        "pipe": partial(through_pipe, lambda path: sculpt.validate(people, path)),
        "pipe, sweeps": partial(through_pipe, lambda path: sculpt.validate(walks["up"], path)),
        "named pipe": partial(validate_named_pipe, people),
        "schema error": failing(sculpt.Schema.parse, "col( -> x\n"),
        "new schema": lambda: sculpt.validate(sculpt.Schema.parse(PEOPLE), "short"),
    }
    return kinds


def running_kinds() -> Kinds:
    """Cells, records and exports: to files, to memory, refused, failed and abandoned."""
    emit = sculpt.Schema.parse(EMIT)
    wrong = sculpt.Schema.parse(WRONG)
    Path("emit.sculpt").write_text(EMIT)
    Path("wrong.sculpt").write_text(WRONG)
    made = Path("../made")
    made.mkdir()
    kinds: Kinds = {
        "cells with texts": partial(
            sculpt.api.select_cells, emit, "good.gz", "col(age)", with_texts=True
        ),
        "table": lambda: sculpt.run(emit, "good", threads=2).table("Person"),
        "table by reference": lambda: sculpt.run(emit, "short", "reference").table("Age"),
        "lines": lambda: sculpt.run(emit, "good").text,
        "annotations": lambda: sculpt.run(emit, "good.gz").annotations,
        "refused": failing(sculpt.run, emit, "bad"),
        "only good rows": lambda: sculpt.run(emit, "bad", only_good_rows=True).table("Age"),
        "broken": failing(sculpt.run, emit, ["good", "cut.gz"]),
        "pipe of records": partial(
            through_pipe, lambda path: sculpt.run(emit, path).table("Person")
        ),
        "abandoned batches": lambda: next(sculpt.run(emit, "good", threads=2).batches("Age")),
        "abandoned records": lambda: next(sculpt.run(emit, "good.gz").records("Person")),
        "abandoned export": lambda: next(sculpt.api.extracted(emit, "good.gz", "col(age)")),
        "extract": partial(sculpt.extract, emit, "bad.zst", "col(age)"),
        "output that cannot be written": failing(
            lambda: sculpt.run(emit, "good").write(made / "none" / "x.csv", "Age")
        ),
        "value that cannot be computed": failing(
            lambda: sculpt.run(wrong, "good").write(made / "wrong.csv", "Age")
        ),
        "command: directory": partial(command, "emit", "good", made / "all", 0),
        "command: refused": partial(command, "emit", "bad", made / "none", 1),
        "command: value": partial(command, "wrong", "good", made / "wrong", 1),
        "command: broken": failing(command, "emit", "cut.gz", made / "none", 3),
        "command: lines": partial(command, "emit", "good.gz", "-", 0, "--only", "text"),
    }
    for ending in ("parquet", "csv", "json"):
        path = made / f"age.{ending}"
        kinds[ending] = lambda path=path: sculpt.run(emit, "good.gz").write(path, "Age")  # type: ignore[misc]
    return kinds


def failing(run: Callable[..., object], *given: Any, **named: Any) -> Callable[[], None]:
    """A run that must fail."""

    def fails() -> None:
        with pytest.raises(sculpt.SculptError):
            run(*given, **named)

    return fails


def validate_while_it_changes(schema: sculpt.Schema) -> None:
    path = Path("changing")
    path.write_bytes(GOOD)

    def change(_: object) -> None:
        path.write_bytes(BAD)

    options = Options(backend=backends.plain(), chunk=3000, on_progress=change)
    with pytest.raises(sculpt.DataError):
        local.validate(schema.core, str(path), options)


def through_pipe(run: Callable[[str], object]) -> None:
    begin, end = os.pipe()
    try:
        with fed(end):
            run(f"/dev/fd/{begin}")
    finally:
        os.close(begin)


def validate_named_pipe(schema: sculpt.Schema) -> None:
    os.mkfifo("pipe")
    try:
        with fed("pipe"):
            sculpt.validate(schema, "pipe")
    finally:
        os.remove("pipe")


@contextlib.contextmanager
def fed(pipe: int | str) -> Iterator[None]:
    """A pipe into which a thread writes."""

    def feed() -> None:
        with open(pipe, "wb") as stream:
            stream.write(GOOD)

    feeder = threading.Thread(target=feed)
    feeder.start()
    yield
    feeder.join()


def command(schema: str, data: str, out: Path | str, status: int, *more: str) -> None:
    """One call of the command line, in this process."""
    call = ["run", f"{schema}.sculpt", data, "-o", str(out), *more]
    assert application.run(call) == status
    if isinstance(out, Path) and out.exists():
        for path in out.iterdir():
            path.unlink()
        out.rmdir()


def held() -> dict[str, int]:
    """What is cheap to count after each run."""
    return {
        "threads": threading.active_count(),
        "files": len(os.listdir("/proc/self/fd")),
    }


def measured() -> dict[str, Any]:
    """All that must be what it was."""
    gc.collect()
    pyarrow.default_memory_pool().release_unused()
    with contextlib.suppress(OSError, AttributeError):  # only the C library of GNU has it
        ctypes.CDLL(None).malloc_trim(0)
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return {
        **held(),
        "tasks": len(os.listdir("/proc/self/task")),  # the threads of Arrow and Numba too
        "temporary": sorted(os.listdir(tempfile.gettempdir())),
        "data": sorted(os.listdir(".")) + sorted(os.listdir("../made")),
        "blocks": sys.getallocatedblocks(),
        "memory": pages * os.sysconf("SC_PAGE_SIZE"),
    }


def main(folder: Path) -> None:
    """Make the runs; what was measured goes to a file."""
    source.MAX_HELD = sweeps.MAX_HELD = outputs.MAX_HELD = HELD
    backends.SMALL_FOR_LIBRARY, programs.MIN_STRIP = SMALL, STRIP
    spools = 0
    roll_over = tempfile.SpooledTemporaryFile.rollover

    def count(spool: Any) -> None:
        nonlocal spools
        spools += 1
        roll_over(spool)

    tempfile.SpooledTemporaryFile.rollover = count  # type: ignore[assignment, method-assign]
    write_files()
    kinds = validating_kinds() | running_kinds()
    left: list[str] = []
    before: dict[str, Any] = {}
    rounds = -(-RUNS // len(kinds))
    for number in range(rounds):
        if number == WARMING:
            before = measured()
        for name, run in kinds.items():
            start = held()
            run()
            if held() != start:
                gc.collect()
            if held() != start and number >= WARMING:
                left.append(f"{name}: {start} -> {held()}")
    found = {"runs": rounds * len(kinds), "spools": spools, "left": left}
    found |= {"before": before, "after": measured()}
    (folder / "found.json").write_text(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
