"""What counting costs: `validate` without tallies, with tallies, and with coverage too.

    .venv/bin/python benchmarks/tallies.py                100 MB for each shape, writes the record
    .venv/bin/python benchmarks/tallies.py --megabytes 5  smaller files, writes nothing

Warm, one thread, the three kinds in turns; CPU seconds, the best of some rounds, and as shares of
the speed without tallies. Promised: at least 95 % with tallies, at least 75 % with coverage.

    numeric    20 columns of numbers, a rule for each
    quoted     five columns, most of them in quotes
    violated   numbers again, one row in ten spoilt
    unchecked  numbers again, only every other column has a rule
    ragged     records of several kinds, rows of several widths
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import data
from measure import commit, machine

import sculpt
from sculpt.engines import local
from sculpt.engines.machines import MachineStore
from sculpt.engines.options import Options

RECORD = Path(__file__).parent / "record" / "tallies.json"
ROUNDS = 9
KINDS = {"plain": (False, False), "tallies": (True, False), "coverage": (True, True)}
"""Count what rules check? Find out what none does?"""
BARS = {"tallies": 0.95, "coverage": 0.75}


def half_ruled() -> data.Table:
    """The numeric table with a rule for every other column."""
    table = data.numeric()
    lines = table.schema.splitlines()
    rules = [line for line in lines if line.startswith("col(S")]
    kept = [line for line in lines if line not in rules[::2]]
    return replace(table, name="unchecked", schema="\n".join(kept))


def shapes() -> list[tuple[str, data.Table | data.Sections, float]]:
    """Each shape, and the share of its rows that is spoilt."""
    return [
        ("numeric", data.numeric(), 0.0),
        ("quoted", data.quoted(), 0.0),
        ("violated", data.numeric(), 0.1),
        ("unchecked", half_ruled(), 0.0),
        ("ragged", data.sections(), 0.0),
    ]


def measured(table: data.Table | data.Sections, file: data.Written) -> dict[str, Any]:
    """The best CPU seconds of each kind, and their shares of the plain speed."""
    schema = sculpt.Schema.parse(table.schema)
    stores = {kind: MachineStore() for kind in KINDS}
    best = dict.fromkeys(KINDS, float("inf"))
    for _ in range(ROUNDS):
        for kind, (tallies, coverage) in KINDS.items():
            options = Options(threads=1, build=stores[kind], tallies=tallies, coverage=coverage)
            start = time.process_time()
            verdict = local.validate(schema.core, str(file.path), options)
            best[kind] = min(best[kind], time.process_time() - start)
            assert (verdict.rows, verdict.valid) == (file.rows, file.violating == 0)
    shares = {kind: round(best["plain"] / best[kind], 3) for kind in BARS}
    return {"cpu_s": {kind: round(seconds, 4) for kind, seconds in best.items()}, "speed": shares}


def main() -> None:
    """Measure, print, record."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--megabytes", type=float, help="the size of each file (100)")
    chosen = parser.parse_args()
    results: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as name:
        for label, table, spoilt in shapes():
            path = Path(name) / f"{label}.csv"
            file = data.write(table, path, chosen.megabytes or 100, spoilt)
            results[label] = measured(table, file)
            path.unlink()
            print(f"{label:10} {results[label]}")
    targets = [
        {"what": f"{label}: speed with {kind}", "target": f">= {bar}", "measured": share,
         "met": share >= bar}
        for label, result in results.items()
        for kind, bar in BARS.items()
        for share in [result["speed"][kind]]
    ]  # fmt: skip
    if chosen.megabytes is None:
        about = {
            "date": f"{datetime.now(UTC):%Y-%m-%d}",
            "commit": commit(),
            "command": "python benchmarks/tallies.py",
            "machine": machine(),
        }
        record = {**about, "targets": targets, "results": results}
        RECORD.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
