"""How fast the local engine validates, beside others that do the same checks.

    .venv/bin/python benchmarks/validate.py              files of 500 MB, writes the record
    .venv/bin/python benchmarks/validate.py --quick      small files, writes nothing
    .venv/bin/python benchmarks/validate.py --quick --only quoted --only rows
    .venv/bin/python benchmarks/validate.py --only rows --renew    renews a part of the record

Needs DuckDB, Polars, pandera and frictionless, which are not dependencies of the project. Every
contestant must first find all violations of a small spoilt file, and in the timed runs none in a
clean one. A peer that would take minutes on the whole file runs on a smaller one; its rate counts.
A ratio is the peer's time per megabyte over ours with two threads.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import data
import peers
from data import Sections, Table, Written, write
from measure import (
    Entry,
    Timing,
    WrongAnswerError,
    child,
    commit,
    machine,
    race,
    timed,
)
from peers import OURS, THREADS, Contestant, spelt
from targets import targets

RECORD = Path(__file__).parent / "record" / "validate.json"
SPOILT = 0.03
SPOILT_SIZE = 20.0
PROJECTED = 120.0
"""A contestant that would need more seconds than this runs on a smaller file."""

Figures = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Bench:
    """Where, how large, how often."""

    folder: Path
    size: float
    sample: float
    rounds: int
    cells: int

    def write(self, table: Table | Sections, name: str, size: float, spoilt: float = 0) -> Written:
        return write(table, self.folder / f"{name}.csv", size, spoilt)

    def schema(self, text: str) -> Path:
        path = self.folder / "schema.sculpt"
        path.write_text(text, encoding="utf-8")
        return path


# --- Side by side ------------------------------------------------------------------------------


def side_by_side(bench: Bench, table: Table | Sections) -> Figures:
    """All contestants on one file."""
    # The larger one has several chunks.
    spoilt = bench.write(table, "spoilt", SPOILT_SIZE, SPOILT)
    spoilt_sample = bench.write(table, "spoilt-sample", bench.sample, SPOILT)
    sample = bench.write(table, "sample", bench.sample)
    larger = bench.write(table, "larger", bench.sample * 4)
    clean = bench.write(table, "clean", bench.size)
    assert spoilt_sample.violating > 0
    entries = []
    for contestant in peers.contestants(table):
        if not contestant.limit:
            label = f"{table.name}, spoilt: {contestant.name}"
            timed(Entry(label, contestant, spoilt_sample if contestant.slow else spoilt))
        file = sample if contestant.slow else _file_for(contestant, sample, larger, clean)
        entries.append(Entry(contestant.name, contestant, file))
    timings = race(entries, bench.rounds)
    ours = timings[OURS]
    print(f"\n{table.name}: {table.title}")
    print(f"  {clean.megabytes:.0f} MB, {clean.rows:,} rows, {clean.columns:,} columns")
    _row("", "seconds", "MB/s", "peer/ours")
    figures: Figures = {}
    for entry in entries:
        timing = timings[entry.label]
        ratio = ours.rate / timing.rate
        where = "" if entry.file is clean else f"  (on {entry.file.megabytes:.0f} MB)"
        _row(entry.label, f"{timing.seconds:.3f}", f"{timing.rate:.1f}", f"{ratio:.2f}", where)
        figures[entry.label] = {
            **_timing(timing),
            "peer_over_ours": round(ratio, 2),
            **({"note": entry.contestant.note} if entry.contestant.note else {}),
        }
    return {
        "what": table.title,
        "megabytes": round(clean.megabytes),
        "rows": clean.rows,
        "columns": clean.columns,
        "contestants": figures,
    }


def _file_for(contestant: Contestant, sample: Written, larger: Written, clean: Written) -> Written:
    """The whole file, unless two smaller ones show that it would take too long.

    Two, because some have a high cost per column and hardly any per row.
    """

    def seconds(file: Written) -> float:
        return timed(Entry(f"{contestant.name}, {file.megabytes:.0f} MB", contestant, file))

    seconds(sample)  # imports and compiles
    few, many = seconds(sample), seconds(larger)
    slope = max(0.0, many - few) / (larger.megabytes - sample.megabytes)
    projected = many + slope * (clean.megabytes - larger.megabytes)
    return larger if projected > PROJECTED else clean


# --- One engine, growing -----------------------------------------------------------------------


def against_rows(bench: Bench) -> Figures:
    """Ten times the rows."""
    table = data.numeric()
    files = {
        "1x": bench.write(table, "rows1", bench.size / 10),
        "10x": bench.write(table, "rows10", bench.size),
    }
    entries = [
        Entry(f"{name}, {spelt(threads)}", peers.sculpt_on(table.schema, threads), file)
        for threads in (1, THREADS)
        for name, file in files.items()
    ]
    timings = race(entries, bench.rounds)
    print("\nrows: the numeric file, and one ten times as long")
    figures: Figures = {}
    for threads in (1, THREADS):
        one, ten = (timings[f"{name}, {spelt(threads)}"] for name in files)
        grown = ten.megabytes / one.megabytes
        growth = ten.seconds / one.seconds / grown * 10
        _row(f"{spelt(threads)}, 1x", f"{one.seconds:.3f}", f"{one.rate:.1f}", "")
        _row(f"{spelt(threads)}, 10x", f"{ten.seconds:.3f}", f"{ten.rate:.1f}", f"{growth:.2f}x")
        figures[spelt(threads)] = {
            "1x": _timing(one),
            "10x": _timing(ten),
            "time_for_10x": round(growth, 2),
        }
    return figures


def against_rules(bench: Bench) -> Figures:
    """Rules on 10, 100 and 1,000 of the same 1,000 columns."""
    width = 1_000
    tables = {rules: data.ruled(width, rules) for rules in (10, 100, width)}
    file = bench.write(tables[10], "ruled", bench.size)
    sample = bench.write(tables[10], "sample", bench.sample)
    larger = bench.write(tables[10], "larger", bench.sample * 4)
    for rules, table in tables.items():
        spoilt = bench.write(table, "spoilt", bench.sample, SPOILT)
        for contestant in _ruled(table):
            timed(Entry(f"rules, spoilt: {rules}: {contestant.name}", contestant, spoilt))
    entries = [
        Entry(
            f"{contestant.name}, {rules} rules",
            contestant,
            _file_for(contestant, sample, larger, file),
        )
        for rules, table in tables.items()
        for contestant in _ruled(table)
    ]
    timings = race(entries, bench.rounds)
    print(f"\nrules: {width:,} columns, some with a rule each ({file.megabytes:.0f} MB)")
    for entry in entries:
        timing = timings[entry.label]
        _row(entry.label, f"{timing.seconds:.3f}", f"{timing.rate:.1f}", "")
    return {label: _timing(timing) for label, timing in timings.items()}


def _ruled(table: Table) -> list[Contestant]:
    return [
        peers.sculpt_on(table.schema, THREADS),
        peers.duckdb_table(table.columns),
        peers.polars_table(table.columns),
    ]


def against_violations(bench: Bench) -> Figures:
    """No bad rows, one in a hundred, all."""
    table = data.numeric()
    contestant = peers.sculpt_on(table.schema, THREADS)
    shares = {"0 %": 0.0, "1 %": 0.01, "100 %": 1.0}
    entries = [
        Entry(name, contestant, bench.write(table, f"share{ix}", bench.size, share))
        for ix, (name, share) in enumerate(shares.items())
    ]
    timings = race(entries, bench.rounds)
    clean = timings["0 %"]
    print("\nviolations: by share of bad rows in the numeric file")
    figures: Figures = {}
    for entry in entries:
        timing = timings[entry.label]
        times = clean.rate / timing.rate
        _row(entry.label, f"{timing.seconds:.3f}", f"{timing.rate:.1f}", f"{times:.2f}x")
        figures[entry.label] = {
            **_timing(timing),
            "violations": entry.file.violating,
            "times_clean": round(times, 2),
        }
    return figures


# --- Memory ------------------------------------------------------------------------------------


def memory(bench: Bench) -> Figures:
    """Peak memory, less that of an interpreter with everything imported."""
    print("\nmemory: peak in MB, less that of an interpreter with everything imported")
    figures: Figures = {}

    def measure(name: str, schema: str, file: Written) -> None:
        for threads in (1, THREADS):
            found = child("memory", str(bench.schema(schema)), str(file.path), str(threads))
            label = f"{name}, {spelt(threads)}"
            for fact in ("violating", "rows", "columns"):
                if found[fact] != getattr(file, fact):
                    raise WrongAnswerError(f"{label}: found {found[fact]:,} as {fact}")
            over = found["over_baseline_mb"]
            _row(label, f"{over:.0f}", "", f"({file.megabytes:.0f} MB)")
            figures[label] = {
                "over_baseline_mb": round(over, 1),
                "baseline_mb": round(found["baseline_mb"], 1),
                "file_mb": round(file.megabytes, 1),
            }
        file.path.unlink()

    numeric = data.numeric()
    measure("rows 1x", numeric.schema, bench.write(numeric, "memory", bench.size / 10))
    measure("rows 10x", numeric.schema, bench.write(numeric, "memory", bench.size))
    for width in (20, 2_000, 200_000):
        table = data.wide(width)
        headed = "heading = C[0-9]+\ndown+(heading) -> Number*"
        for kind, schema in (("guarded", table.schema), ("unguarded", headed)):
            file = bench.write(table, "memory", bench.size / 5)
            measure(f"{width} columns, {kind}", schema, file)
    for cells in (bench.cells // 10, bench.cells):
        file = data.write_one_row(bench.folder / "memory.csv", cells)
        measure(f"one row of {cells} cells", "row(1) -> Number*", file)
    return figures


# --- The run -----------------------------------------------------------------------------------


def _timing(timing: Timing) -> Figures:
    return {
        "seconds": round(timing.seconds, 4),
        "mb_per_s": round(timing.rate, 1),
        "on_mb": round(timing.megabytes, 1),
        "rounds": timing.rounds,
    }


def _row(label: str, first: str, second: str, third: str, rest: str = "") -> None:
    print(f"  {label:<42} {first:>9} {second:>12} {third:>10}{rest}", flush=True)


PARTS: dict[str, Callable[[Bench], Figures]] = {
    "numeric": lambda bench: side_by_side(bench, data.numeric()),
    "quoted": lambda bench: side_by_side(bench, data.quoted()),
    "wide": lambda bench: side_by_side(bench, data.wide()),
    "sections": lambda bench: side_by_side(bench, data.sections()),
    "rows": against_rows,
    "rules": against_rules,
    "violations": against_violations,
    "memory": memory,
}


def _print_targets(found: list[Figures]) -> None:
    print("\ntargets")
    for target in found:
        mark = "met" if target["met"] else "NOT met"
        _row(target["what"], f"{target['measured']:.2f}", target["target"], mark)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="small files, no record")
    parser.add_argument("--size", type=float, help="MB of each file (500; quick: 10)")
    parser.add_argument("--sample", type=float, help="MB for slow peers (5; quick: 1)")
    parser.add_argument("--rounds", type=int, help="rounds; the best counts (5; quick: 2)")
    parser.add_argument("--cells", type=int, help="cells of the one row (50 million; quick: 2)")
    parser.add_argument("--only", action="append", choices=PARTS, help="this part; no record")
    parser.add_argument("--renew", action="store_true", help="with --only: renew it in the record")
    parser.add_argument(
        "--folder", type=Path, help="where files are written, and deleted afterwards"
    )
    return parser.parse_args()


def main() -> None:
    """Measure, print, record."""
    chosen = _arguments()
    quick = chosen.quick
    for peer in peers.PEERS:
        peers.load(peer)
    results: Figures = {}
    if chosen.folder is not None:
        chosen.folder.mkdir(parents=True, exist_ok=True)
    for part in chosen.only or PARTS:
        with tempfile.TemporaryDirectory(prefix="sculpt-bench-", dir=chosen.folder) as folder:
            bench = Bench(
                Path(folder),
                size=chosen.size or (10 if quick else 500),
                sample=chosen.sample or (1 if quick else 5),
                rounds=chosen.rounds or (2 if quick else 5),
                cells=chosen.cells or (2_000_000 if quick else 50_000_000),
            )
            results[part] = PARTS[part](bench)
    met = targets(results)
    _print_targets(met)
    if quick or (chosen.only and not chosen.renew):
        print("\nno record: this was not a full run")
        return
    flags = {name: getattr(chosen, name) for name in ("size", "sample", "rounds", "cells")}
    given = "".join(f" --{name} {value:g}" for name, value in flags.items() if value)
    record = {
        "date": datetime.now(UTC).date().isoformat(),
        "commit": commit(),
        "command": f"python benchmarks/validate.py{given}",
        "machine": machine(),
        "targets": met,
        **results,
    }
    if chosen.only:
        old = json.loads(RECORD.read_text(encoding="utf-8"))
        for part in chosen.only:
            old[part] = results[part] | {"renewed": {"date": record["date"], "commit": commit()}}
        record = old | {"targets": targets(old)}
    RECORD.parent.mkdir(exist_ok=True)
    RECORD.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    try:
        main()
    except (peers.PeerMissingError, WrongAnswerError) as error:
        sys.exit(f"error: {error}")
