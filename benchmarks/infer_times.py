"""What `sniff` and `init` cost as a user feels it: whole processes, imports included.

    .venv/bin/python benchmarks/infer_times.py            prints the table
    .venv/bin/python benchmarks/infer_times.py --quick    without the largest files

Files of ten lines, 1 MB, 100 MB, 1 GB, 10 GB: numbers and dates, or quoted texts. `init` is set
beside `validate` with the schema that it proposed, in turns; the schema must accept the file. Best
of some rounds.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from cold import SCULPT, TABLES, Bench, race, run

ROUNDS = 5
FEW_ROUNDS = 3
SIZES = (1, 100, 1_000)
COPIES = 10
"""Of the largest file, one after the other: what `sniff` sees a sample of."""


def times(quick: bool = False) -> Iterator[tuple[str, str, str]]:
    """Figures by name, with their bars."""
    sizes = SIZES[:2] if quick else SIZES
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for table in TABLES:
            bench = Bench(folder, ROUNDS, sizes)
            bench.write(sizes, table)
            yield from _small(bench, table)
            for size in sizes:
                yield from _proposed(bench, table, size)
        if not quick:
            yield from _huge(bench)


def _small(bench: Bench, table: str) -> Iterator[tuple[str, str, str]]:
    path = bench.folder / "ten.csv"
    with open(bench.data(table, SIZES[0])) as file:
        path.write_text("".join(islice(file, 10)))
    cost = race({"sniff": [SCULPT, "sniff", str(path)]}, ROUNDS)["sniff"]
    yield f"{table}, 10 lines: sniff, s", "≤ 0.35", f"{cost.wall:.3f}"


def _proposed(bench: Bench, table: str, size: int) -> Iterator[tuple[str, str, str]]:
    path, schema = bench.data(table, size), str(bench.folder / "proposed.sculpt")
    run([SCULPT, "init", path, "-o", schema, "--force"])
    calls: dict[str, Sequence[str]] = {
        "init": [SCULPT, "init", path],
        "validate": [SCULPT, "validate", schema, path],
        "sniff": [SCULPT, "sniff", path],
    }
    found = race(calls, ROUNDS if size < SIZES[-1] else FEW_ROUNDS)
    init, validate = found["init"].wall, found["validate"].wall
    bound = 1.0 if size == 1 else 1.5 * validate + 1
    what = f"{table}, {size:,} MB"
    yield f"{what}: init, s", f"≤ {bound:.2f}", f"{init:.3f}"
    yield f"{what}: validate, s", "", f"{validate:.3f}"
    yield f"{what}: init over validate", "", f"{init / validate:.2f}"
    yield f"{what}: sniff, s", "", f"{found['sniff'].wall:.3f}"
    yield f"{what}: init, MB of memory", "", f"{found['init'].megabytes:.0f}"


def _huge(bench: Bench) -> Iterator[tuple[str, str, str]]:
    path, largest = bench.folder / "huge.csv", Path(bench.data(TABLES[0], SIZES[-1]))
    with path.open("wb") as whole:
        for _ in range(COPIES):
            with largest.open("rb") as part:
                shutil.copyfileobj(part, whole, 1 << 22)
    cost = race({"sniff": [SCULPT, "sniff", str(path)]}, ROUNDS)["sniff"]
    yield "10 GB: sniff, s", "≤ 0.60", f"{cost.wall:.3f}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    for name, bar, value in times(parser.parse_args().quick):
        print(f"{name:34} {bar:>8} {value}", flush=True)


if __name__ == "__main__":
    main()
