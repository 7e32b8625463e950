"""Measuring time and memory, and the facts about the machine.

`race` times several contestants in turns, round after round, so that a slow minute of the machine
affects all of them; each keeps its best round. Answers are checked on every run. Memory is
measured in separate processes, for which this file is also a script; `cold.py` measures whole
commands.

    python benchmarks/measure.py memory SCHEMA DATA THREADS
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # a child process loads nothing that it does not measure
    from data import Written
    from peers import Contestant

PATIENCE = 30.0
"""Seconds after which a contestant is not run again."""
CHILD_LIMIT = 900.0
VERSIONS = ("duckdb", "polars", "pandera", "frictionless", "numba", "numpy")


class WrongAnswerError(Exception):
    """A contestant did not find what the generator put there."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A contestant and the file it runs on."""

    label: str
    contestant: Contestant
    file: Written


@dataclass(frozen=True, slots=True)
class Timing:
    """The best of some rounds."""

    seconds: float
    megabytes: float
    rounds: int

    @property
    def rate(self) -> float:
        """Megabytes a second."""
        return self.megabytes / self.seconds


def timed(entry: Entry) -> float:
    """The seconds of one run, whose answer must be right."""
    gc.collect()
    start = time.perf_counter()
    found = entry.contestant.run(entry.file.path)
    seconds = time.perf_counter() - start
    expected = entry.contestant.expected(entry.file)
    if found != expected:
        raise WrongAnswerError(f"{entry.label}: found {found:,}, expected {expected:,}")
    return seconds


def race(entries: Sequence[Entry], rounds: int) -> dict[str, Timing]:
    """Each entry's best time; the entries take turns."""
    seconds: dict[str, list[float]] = {entry.label: [] for entry in entries}
    for _ in range(rounds):
        for entry in entries:
            taken = seconds[entry.label]
            if not taken or taken[0] < PATIENCE:
                taken.append(timed(entry))
    return {
        entry.label: Timing(
            min(seconds[entry.label]), entry.file.megabytes, len(seconds[entry.label])
        )
        for entry in entries
    }


# --- Processes ---------------------------------------------------------------------------------


def child(*arguments: str, **environment: str) -> dict[str, float]:
    """What this file prints when run as a script."""
    done = subprocess.run(
        [sys.executable, __file__, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=CHILD_LIMIT,
        env={**os.environ, **environment},
    )
    if done.returncode != 0:
        raise RuntimeError(f"the child `{arguments[0]}` failed:\n{done.stderr[-2000:]}")
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


def peak_memory() -> int:
    """The peak memory of this process, in bytes.

    Not `ru_maxrss`: on Linux a child starts with the peak of its parent (a child of a parent of
    800 MB showed 792 MB, of which 9 MB were its own).
    """
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
        line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    except (OSError, StopIteration):
        import resource

        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _child_memory(schema_path: str, data_path: str, threads: str) -> dict[str, float]:
    import sculpt.api
    import sculpt.engines.local

    baseline = peak_memory()
    schema = sculpt.Schema.load(schema_path)
    verdict = sculpt.validate(schema, data_path, engine="local", threads=int(threads))
    return {
        "baseline_mb": baseline / 1e6,
        "over_baseline_mb": (peak_memory() - baseline) / 1e6,
        "violating": verdict.violation_count,
        "rows": verdict.rows,
        "columns": verdict.columns,
    }


# --- The machine -------------------------------------------------------------------------------


def machine() -> dict[str, Any]:
    """What the figures depend on; nothing that names the machine."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return {
        "cores": os.cpu_count(),
        "memory_gb": round(memory / 1e9, 1),
        "system": f"{platform.machine()}, {platform.system()}",
        "python": platform.python_version(),
        "versions": dict(_installed()),
    }


def _installed() -> Iterator[tuple[str, str]]:
    """Not every benchmark needs every peer."""
    for name in VERSIONS:
        with contextlib.suppress(PackageNotFoundError):
            yield name, version(name)


def commit() -> str:
    """The commit that is checked out."""
    done = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parent,
    )
    return done.stdout.strip()


if __name__ == "__main__":
    tasks: dict[str, Callable[..., dict[str, float]]] = {
        "memory": _child_memory,
    }
    print(json.dumps(tasks[sys.argv[1]](*sys.argv[2:])))
