"""What `require` costs: two columns of dates compared row by row, beside DuckDB.

    .venv/bin/python benchmarks/conditions.py             500 MB, writes the record
    .venv/bin/python benchmarks/conditions.py --size 20   20 MB, writes nothing

Warm, two threads, the contestants in turns, the best of some rounds; every answer is the number of
rows that fail, which the generator knows.

    dates      six columns; `Start` must not be after `End`, both as ISO dates
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from datetime import date, timedelta
from pathlib import Path

import numpy as np
from data import MEGABYTE, SEED, Written
from measure import Entry, commit, machine, race
from peers import DUCKDB, OURS, THREADS, Contestant, load

import sculpt

RECORD = Path(__file__).parent / "record" / "conditions.json"
ROUNDS = 5
BLOCK = 20_000
DAYS = 14_600
WRONG = 1 / 100_000
"""The share of rows whose end is before their start."""
NAMES = ("Id", "Name", "Start", "End", "Amount", "Note")
SCHEMA = f"""\
row(1) -> {", ".join(NAMES)}
For each row r in down+(row(1)) {{
  require(r[col(Start)] as Date <= r[col(End)] as Date)
}}
"""
BARS = (("dates", "DuckDB over ours", ">=", 1.5),)


def write(path: Path, megabytes: float) -> Written:
    """Write rows up to a size; rows that fail are counted."""
    random = np.random.default_rng(SEED)
    days = np.array(
        [(date(1985, 1, 1) + timedelta(days=each)).isoformat() for each in range(DAYS + 400)],
        dtype=object,
    )
    notes = np.array([f"note {each} of some length" for each in range(1_000)], dtype=object)
    size = rows = failing = 0
    with path.open("wb") as file:
        size += file.write((",".join(NAMES) + "\n").encode())
        while size < megabytes * MEGABYTE:
            start = random.integers(200, DAYS, BLOCK)
            length = random.integers(0, 200, BLOCK)
            is_wrong = random.random(BLOCK) < WRONG
            end = start + np.where(is_wrong, -1 - length, length)
            failing += int(is_wrong.sum())
            ids = [f"{number:09}" for number in range(rows, rows + BLOCK)]
            cells = (
                ids,
                [f"person-{each[3:]}" for each in ids],
                days[start].tolist(),
                days[end].tolist(),
                [f"{each / 100:.2f}" for each in random.integers(0, 10**7, BLOCK).tolist()],
                notes[random.integers(0, len(notes), BLOCK)].tolist(),
            )
            lines = "\n".join(map(",".join, zip(*cells, strict=True)))
            size += file.write((lines + "\n").encode())
            rows += BLOCK
    return Written(path, size, rows + 1, len(NAMES), failing)


def ours() -> Contestant:
    """Our check."""
    schema = sculpt.Schema.parse(SCHEMA)

    def run(path: Path) -> int:
        verdict = sculpt.validate(schema, path, "local", max_violations=10, threads=THREADS)
        return verdict.violation_count

    return Contestant(OURS, run, lambda written: written.violating)


def duckdb() -> Contestant:
    """The same condition in SQL; a text that is no date fails."""
    connection = load("duckdb").connect(config={"threads": THREADS})
    names = ", ".join(f"'{name}': 'VARCHAR'" for name in NAMES)
    holds = 'try_cast("Start" AS DATE) <= try_cast("End" AS DATE)'
    query = (
        f"SELECT count(*) FILTER (WHERE NOT coalesce({holds}, false)) FROM read_csv($path,"
        f" auto_detect=false, header=true, delim=',', columns={{{names}}})"
    )

    def run(path: Path) -> int:
        return int(connection.execute(query, {"path": str(path)}).fetchone()[0])

    return Contestant(DUCKDB, run, lambda written: written.violating)


def measured(size: float, folder: Path) -> dict[str, float]:
    """The best seconds of each contestant."""
    file = write(folder / "dates.csv", size)
    entries = [Entry(each.name, each, file) for each in (ours(), duckdb())]
    timings = race(entries, ROUNDS)
    file.path.unlink()
    return {label: round(timing.seconds, 3) for label, timing in timings.items()}


def main() -> None:
    """Measure, print, record."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--size", type=float, help="MB of the file (500)")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sculpt-conditions-") as folder:
        seconds = {"dates": measured(chosen.size or 500.0, Path(folder))}
    print(seconds, flush=True)
    targets = []
    for name, what, sign, bound in BARS:
        ratio = round(seconds[name][DUCKDB] / seconds[name][OURS], 2)
        targets.append(
            {"what": f"{name}: {what}", "target": f"{sign} {bound:g}", "measured": ratio,
             "met": ratio >= bound}
        )  # fmt: skip
        print(targets[-1])
    if chosen.size is not None:
        print("no record: this was not a full run")
        return
    record = {
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "commit": commit(),
        "command": "python benchmarks/conditions.py",
        "machine": machine(),
        "targets": targets,
        "seconds": seconds,
    }
    RECORD.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
