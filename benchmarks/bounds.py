"""What typed values cost: bounds on numbers, dates by a picture, beside DuckDB.

    .venv/bin/python benchmarks/bounds.py             500 MB a file, writes the record
    .venv/bin/python benchmarks/bounds.py --size 20   20 MB, writes nothing

Warm, two threads, the contestants in turns, the best of some rounds; every answer is the number of
cells out of bounds, which the generator knows.

    numbers    20 columns of numbers, each with its own two-sided bound; also with plain `Number`
    dates      4 columns of dates as `dd/MM/yyyy`, each with its own two-sided bound
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
from data import MEGABYTE, SEED, Written
from measure import Entry, commit, machine, race
from peers import DUCKDB, OURS, THREADS, Contestant, load, spelt

import sculpt

RECORD = Path(__file__).parent / "record" / "bounds.json"
ROUNDS = 5
BLOCK = 20_000
POOL = 20_000
"""Texts to draw from for each column; two of them are out of bounds."""
PLAIN = f"sculpt with plain `Number`, {spelt(THREADS)}"
BARS = (
    ("numbers", "our time over that with plain `Number`", OURS, PLAIN, "<=", 1.3),
    ("numbers", "DuckDB over ours", DUCKDB, OURS, ">=", 6.0),
    ("dates", "DuckDB over ours", DUCKDB, OURS, ">=", 5.0),
)


@dataclass(frozen=True, slots=True)
class Bounded:
    """A column: the texts to draw from, which of them are out of bounds, and its two checks."""

    name: str
    texts: Any
    is_outside: Any
    token: str
    condition: str
    """The same bound in SQL."""


def numbers() -> list[Bounded]:
    """Temperatures, two of them beyond the bounds of their column."""
    random = np.random.default_rng(SEED)
    columns = []
    for number in range(1, 21):
        name = f"S{number:02}"
        low, high = -449 + number, 449 - 2 * number
        tenths = random.integers(low, high + 1, POOL)
        tenths[:2] = low - 1, high + 1
        columns.append(
            Bounded(
                name,
                np.array([f"{each / 10:.1f}" for each in tenths.tolist()], dtype=object),
                (tenths < low) | (tenths > high),
                f"{low / 10} <= Number <= {high / 10}",
                f"try_cast({name} AS DOUBLE) BETWEEN {low / 10} AND {high / 10}",
            )
        )
    return columns


def dates() -> list[Bounded]:
    """Days of forty years, two of them out of bounds."""
    random = np.random.default_rng(SEED)
    columns = []
    for number in range(1, 5):
        name = f"D{number}"
        low, high = 40 * number, 14_600 - 30 * number
        days = random.integers(low, high + 1, POOL)
        days[:2] = low - 1, high + 1
        texts = [date(1985, 1, 1) + timedelta(days=each) for each in days.tolist()]
        first, last = (date(1985, 1, 1) + timedelta(days=each) for each in (low, high))
        columns.append(
            Bounded(
                name,
                np.array([f"{each:%d/%m/%Y}" for each in texts], dtype=object),
                (days < low) | (days > high),
                f'{first} <= Date("dd/MM/yyyy") <= {last}',
                f"try_strptime({name}, '%d/%m/%Y') BETWEEN DATE '{first}' AND DATE '{last}'",
            )
        )
    return columns


def write(columns: Sequence[Bounded], path: Path, megabytes: float) -> Written:
    """Write rows up to a size; cells out of bounds are counted."""
    random = np.random.default_rng(SEED)
    size = rows = outside = 0
    with path.open("wb") as file:
        size += file.write((",".join(each.name for each in columns) + "\n").encode())
        while size < megabytes * MEGABYTE:
            drawn = [random.integers(0, len(each.texts), BLOCK) for each in columns]
            cells = [each.texts[ix].tolist() for each, ix in zip(columns, drawn, strict=True)]
            outside += sum(
                int(each.is_outside[ix].sum()) for each, ix in zip(columns, drawn, strict=True)
            )
            lines = "\n".join(map(",".join, zip(*cells, strict=True)))
            size += file.write((lines + "\n").encode())
            rows += BLOCK
    return Written(path, size, rows + 1, len(columns), outside)


def ours(columns: Sequence[Bounded], label: str, token: Callable[[Bounded], str]) -> Contestant:
    """Our check; `token` gives the definition of each column's token."""
    lines = [
        *(f"b{each.name} := {token(each)}" for each in columns),
        f"row(1) -> {', '.join(each.name for each in columns)}",
        *(f"col({each.name}) -> b{each.name}" for each in columns),
    ]
    schema = sculpt.Schema.parse("\n".join(lines))

    def run(path: Path) -> int:
        verdict = sculpt.validate(schema, path, engine="local", threads=THREADS, max_violations=10)
        return verdict.violation_count

    is_bounded = label != PLAIN
    return Contestant(label, run, lambda written: written.violating if is_bounded else 0)


def duckdb(columns: Sequence[Bounded]) -> Contestant:
    """The same checks in SQL."""
    connection = load("duckdb").connect(config={"threads": THREADS})
    names = ", ".join(f"'{each.name}': 'VARCHAR'" for each in columns)
    outside = " + ".join(
        f"count(*) FILTER (WHERE NOT coalesce({each.condition}, false))" for each in columns
    )
    query = (
        f"SELECT {outside} FROM read_csv($path, auto_detect=false, header=true, delim=',',"
        f" columns={{{names}}})"
    )

    def run(path: Path) -> int:
        return int(connection.execute(query, {"path": str(path)}).fetchone()[0])

    return Contestant(DUCKDB, run, lambda written: written.violating)


def measured(name: str, size: float, folder: Path) -> dict[str, float]:
    """The best seconds of each contestant on a file."""
    columns = numbers() if name == "numbers" else dates()
    file = write(columns, folder / f"{name}.csv", size)
    contestants = [ours(columns, OURS, lambda each: each.token), duckdb(columns)]
    if name == "numbers":
        contestants.append(ours(columns, PLAIN, lambda each: "Number"))
    timings = race([Entry(each.name, each, file) for each in contestants], ROUNDS)
    file.path.unlink()
    return {label: round(timing.seconds, 3) for label, timing in timings.items()}


def main() -> None:
    """Measure, print, record."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--size", type=float, help="MB of each file (500)")
    chosen = parser.parse_args()
    seconds: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory(prefix="sculpt-bounds-") as folder:
        for name in ("numbers", "dates"):
            seconds[name] = measured(name, chosen.size or 500.0, Path(folder))
            print(name, seconds[name], flush=True)
    targets = []
    for name, what, upper, lower, sign, bound in BARS:
        ratio = round(seconds[name][upper] / seconds[name][lower], 2)
        is_met = ratio <= bound if sign == "<=" else ratio >= bound
        targets.append(
            {"what": f"{name}: {what}", "target": f"{sign} {bound:g}", "measured": ratio,
             "met": is_met}
        )  # fmt: skip
        print(targets[-1])
    if chosen.size is not None:
        print("no record: this was not a full run")
        return
    record = {
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "commit": commit(),
        "command": "python benchmarks/bounds.py",
        "machine": machine(),
        "targets": targets,
        "seconds": seconds,
    }
    RECORD.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
