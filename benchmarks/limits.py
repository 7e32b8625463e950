"""The worst cases that are promised: showing a cell of a gigabyte, and a rule that never repeats.

    .venv/bin/python benchmarks/limits.py             1 GB and 500,000 cells, writes the record
    .venv/bin/python benchmarks/limits.py --size 5    5 MB and 2,500 cells, writes nothing

Each is one cold command, with its time and its peak memory (`docs/reliability.md`).
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from measure import commit, machine

RECORD = Path(__file__).parent / "record" / "limits.json"
LINE = b"some text, and lines\n"


def open_quote(folder: Path, size: float) -> tuple[Path, Path, int]:
    """A quote that never closes: the rest of the file is one cell, and a violation shows it."""
    schema, data = folder / "quote.sculpt", folder / "quote.csv"
    schema.write_text("n = [0-9]+\ncol(2) -> n\n", encoding="utf-8")
    with data.open("wb") as file:
        file.write(b'a,1\nb,"')
        block = LINE * (1_000_000 // len(LINE))
        for _ in range(int(size)):
            file.write(block)
    return schema, data, 4


def new_steps(folder: Path, size: float) -> tuple[Path, Path, int]:
    """A rule whose states multiply: nearly every cell needs a new step."""
    schema, data = folder / "steps.sculpt", folder / "steps.csv"
    schema.write_text("a = a\nb = b\ncol(1) |> (a|b)*, a, (a|b){40}\n", encoding="utf-8")
    rng = random.Random(1)
    rows = int(500 * size)
    data.write_bytes(b"".join(rng.choice((b"a\n", b"b\n")) for _ in range(rows)))
    return schema, data, rows


CASES = {"a gigabyte in one cell": open_quote, "steps that never repeat": new_steps}


def main() -> None:
    """Measure, print, record."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--size", type=float, help="MB of the cell (1000)")
    chosen = parser.parse_args()
    size = chosen.size or 1000.0
    results = {}
    for label, case in CASES.items():
        with tempfile.TemporaryDirectory(prefix="sculpt-bench-") as folder:
            schema, data, cells = case(Path(folder), size)
            program = str(Path(sys.executable).with_name("sculpt"))
            command = [program, "validate", str(schema), str(data)]
            begin = time.perf_counter()
            started = subprocess.Popen(command, stdout=subprocess.DEVNULL)
            _, status, used = os.wait4(started.pid, 0)
            seconds = time.perf_counter() - begin
            results[label] = {
                "seconds": round(seconds, 1),
                "peak_mb": round(used.ru_maxrss / 1000),
                "mb_per_s": round(data.stat().st_size / seconds / 1e6, 1),
                "cells_per_s": round(cells / seconds),
            }
        if os.waitstatus_to_exitcode(status) not in (0, 1):
            raise RuntimeError(f"{label}: the command failed")
        print(f"{label}: {results[label]}")
    if chosen.size is None:
        record = {
            "date": datetime.now(UTC).date().isoformat(),
            "commit": commit(),
            "command": "python benchmarks/limits.py",
            "machine": machine(),
            **results,
        }
        RECORD.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
