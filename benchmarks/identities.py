"""What keys and references cost, beside DuckDB and Polars.

    .venv/bin/python benchmarks/identities.py               1 GB a file, writes the record
    .venv/bin/python benchmarks/identities.py --rows 2      2 million rows a file, writes nothing

Warm, two threads, the contestants in turns, the best of some rounds. Every answer is asserted: the
number of entries that violate the statement, which the generator knows. A peer that is not
installed is left out, and so are its targets.

    key          one column without duplicates; also without the key, and with 64 MB of memory
    tenth        the same with a tenth of the rows
    duplicates   every entry is there twice
    three        a key of three columns
    reference    every row refers to one of a million keys; some to none
    many         the same, to as many keys as there are rows
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from data import SEED, Written
from measure import Entry, commit, machine, race
from peers import DUCKDB, OURS, POLARS, THREADS, Contestant, PeerMissingError, load

import sculpt

RECORD = Path(__file__).parent / "record" / "identities.json"
ROUNDS = 3
ROWS = 15
"""Millions of rows of a full run."""
MILLION = 1_000_000
BLOCK = 100_000
BARE, SMALL = "sculpt without the key", "sculpt, 64 MB of memory"
FIRST = 10_000_000
"""The smallest key."""
HEAD = "Id,Name,Region,Amount,Note"
RULES = f"row(1) -> {HEAD}\ncol(Id) -> xs:integer\ncol(Amount) -> Number\n"
KEY = "key(col(Id) and not row(1))\n"
THREE = "key(col(Region), col(Amount), col(Id))\n"
BARS = (
    ("key", "our time over that without the key", ("key", OURS), ("key", BARE), "<=", 2.5),
    ("key", "DuckDB over ours", ("key", DUCKDB), ("key", OURS), ">=", 3.0),
    ("key", "Polars over ours", ("key", POLARS), ("key", OURS), ">=", 2.0),
    ("key", "64 MB over memory as it is", ("key", SMALL), ("key", OURS), "<=", 2.0),
    ("key", "ten times the keys", ("key", OURS), ("tenth", OURS), "<=", 12.0),
    ("duplicates", "over no duplicates", ("duplicates", OURS), ("key", OURS), "<=", 4.0),
    ("three", "DuckDB over ours", ("three", DUCKDB), ("three", OURS), ">=", 2.5),
    ("reference", "DuckDB over ours", ("reference", DUCKDB), ("reference", OURS), ">=", 3.0),
    ("many", "DuckDB over ours", ("many", DUCKDB), ("many", OURS), ">=", 2.0),
)


def write(path: Path, ids: Any) -> Written:
    """Write a row for each key; the other columns are drawn."""
    random = np.random.default_rng(SEED)
    size = 0
    with path.open("wb") as file:
        size += file.write(f"{HEAD}\n".encode())
        for at in range(0, len(ids), BLOCK):
            some = ids[at : at + BLOCK].tolist()
            drawn = random.integers(0, 100_000, (len(some), 2)).tolist()
            lines = [
                b"%d,customer name %d,region-%d,%d.%02d,some note text here %d"
                % (each, one, two % 50, one, two % 100, two % 50)
                for each, (one, two) in zip(some, drawn, strict=True)
            ]
            size += file.write(b"\n".join(lines) + b"\n")
    return Written(path, size, len(ids) + 1, 5, 0)


def ours(
    name: str, text: str, expected: int, memory: str = "1GB", tables: dict[str, str] | None = None
) -> Contestant:
    """Our check of a schema."""
    schema = sculpt.Schema.parse(text)

    def run(path: Path) -> int:
        verdict = sculpt.validate(
            schema, path, "local", max_violations=10, threads=THREADS, tables=tables, memory=memory
        )
        return verdict.violation_count

    return Contestant(name, run, lambda _: expected)


def duckdb(query: str, expected: int) -> Contestant:
    """The same check in SQL; `FILE` is the reader of the file."""
    connection = load("duckdb").connect(config={"threads": THREADS})

    def run(path: Path) -> int:
        return int(connection.execute(query.replace("FILE", _reader(path))).fetchone()[0])

    return Contestant(DUCKDB, run, lambda _: expected)


def _reader(path: Path) -> str:
    names = ", ".join(f"'{name}': 'VARCHAR'" for name in HEAD.split(","))
    options = "header=true, delim=',', auto_detect=false"
    return f"read_csv('{path}', {options}, columns={{{names}}})"


def grouped(columns: str) -> str:
    """How many entries of a key are there before."""
    return (
        f"SELECT coalesce(sum(n - 1), 0) FROM (SELECT count(*) AS n FROM FILE GROUP BY {columns}"
        " HAVING count(*) > 1)"
    )


def polars(columns: list[str], expected: int) -> Contestant:
    """The same check by Polars."""
    library = load("polars")

    def run(path: Path) -> int:
        table = library.scan_csv(path, infer_schema=False)
        found = table.group_by(columns).len().filter(library.col("len") > 1)
        return int(found.select((library.col("len") - 1).sum()).collect().item())

    return Contestant(POLARS, run, lambda _: expected)


def present(makers: list[Callable[[], Contestant]]) -> Iterator[Contestant]:
    """The contestants whose libraries are installed."""
    for make in makers:
        try:
            yield make()
        except PeerMissingError as error:
            print(str(error).partition("\n")[0])


def keys(name: str, rows: int, folder: Path) -> tuple[Written, list[Callable[[], Contestant]]]:
    """The file of a key, and who checks it."""
    random = np.random.default_rng(SEED)
    if name == "duplicates":
        ids, again = np.concatenate([random.permutation(rows // 2)] * 2), rows // 2
    else:
        ids, again = random.permutation(rows // 10 if name == "tenth" else rows), 0
    file = write(folder / f"{name}.csv", ids + FIRST)
    columns, text = ("Region, Amount, Id", THREE) if name == "three" else ("Id", KEY)
    makers: list[Callable[[], Contestant]] = [lambda: ours(OURS, RULES + text, again)]
    if name in ("key", "three"):
        makers += [
            lambda: duckdb(grouped(columns), again),
            lambda: polars(columns.split(", "), again),
        ]
    if name == "key":
        makers += [
            lambda: ours(BARE, RULES, 0),
            lambda: ours(SMALL, RULES + text, again, "64MB"),
        ]
    return file, makers


def references(
    name: str, rows: int, folder: Path
) -> tuple[Written, list[Callable[[], Contestant]]]:
    """The file of a reference, and who checks it."""
    random = np.random.default_rng(SEED)
    count = min(MILLION, rows) if name == "reference" else rows
    targets = write(folder / "targets.csv", random.permutation(count) + FIRST).path
    ids = random.integers(0, count + count // 1000, rows)
    file = write(folder / f"{name}.csv", ids + FIRST)
    lost = int((ids >= count).sum())
    schema = folder / "targets.sculpt"
    schema.write_text(f"row(1) -> {HEAD}\n", encoding="utf-8")
    text = (
        f'include "{schema}" as Targets for "{targets}"\n'
        f"row(1) -> {HEAD}\ncol(Id) and not row(1) ~>+ Targets(col(Id) and not row(1))\n"
    )
    query = f"SELECT count(*) FROM FILE a ANTI JOIN {_reader(targets)} b ON a.Id = b.Id"
    return file, [lambda: ours(OURS, text, lost), lambda: duckdb(query, lost)]


def measured(name: str, rows: int, folder: Path) -> dict[str, float]:
    """The best seconds of each contestant."""
    make = references if name in ("reference", "many") else keys
    file, makers = make(name, rows, folder)
    entries = [Entry(each.name, each, file) for each in present(makers)]
    timings = race(entries, ROUNDS)
    file.path.unlink()
    return {label: round(timing.seconds, 3) for label, timing in timings.items()}


def main() -> None:
    """Measure, print, record."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rows", type=float, help=f"millions of rows of each file ({ROWS})")
    parser.add_argument("--only", nargs="*", help="the files to measure; writes nothing")
    chosen = parser.parse_args()
    rows = int((chosen.rows or ROWS) * MILLION)
    names = dict.fromkeys(each[0] for each in BARS)
    wanted = chosen.only or [*names, "tenth"]
    seconds: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory(prefix="sculpt-identities-") as folder:
        for name in wanted:
            seconds[name] = measured(name, rows, Path(folder))
            print(name, seconds[name], flush=True)
    targets = []
    for name, what, upper, lower, sign, bound in BARS:
        times = [seconds.get(file, {}).get(who) for file, who in (upper, lower)]
        if times[0] is None or times[1] is None:
            continue
        ratio = round(times[0] / times[1], 2)
        is_met = ratio <= bound if sign == "<=" else ratio >= bound
        targets.append(
            {"what": f"{name}: {what}", "target": f"{sign} {bound:g}", "measured": ratio,
             "met": is_met}
        )  # fmt: skip
        print(targets[-1])
    if chosen.rows is not None or chosen.only:
        print("no record: this was not a full run")
        return
    record = {
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "commit": commit(),
        "command": "python benchmarks/identities.py",
        "machine": machine(),
        "targets": targets,
        "seconds": seconds,
    }
    RECORD.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
