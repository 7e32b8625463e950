"""The cold command as a user experiences it: a whole process, imports included, beside the peers.

    .venv/bin/python benchmarks/cold.py                         writes the record
    .venv/bin/python benchmarks/cold.py --quick                 small files, writes nothing
    .venv/bin/python benchmarks/cold.py --only sizes --renew    renews a part of the record

    start        `sculpt --help`, `sculpt --version`, the census example: seconds of CPU time
    sizes        1 MB to 1 GB, numeric and quoted, by us, DuckDB and Polars in turns, best of 5
    kernels      from which size compiled kernels pay off: plain, ahead of time, just in time
    processor    what newer instructions would gain: the library built for another processor

`install.py` measures what an installation takes.

DuckDB and Polars run a script of a few lines that does the same checks: every cell of every column
matches its expression. All answers are compared. This process imports nothing large, and child
processes write the files: on Linux the peak memory of a child is never below that of its parent.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from measure import commit, machine

ROOT = Path(__file__).parent.parent
RECORD = Path(__file__).parent / "record" / "cold.json"
SCULPT = str(Path(sys.executable).with_name("sculpt"))
PEERS = ("duckdb", "polars")
TABLES = ("numeric", "quoted")
LIMIT = 600.0
EXAMPLES = ROOT / "examples" / "census"

Figures = dict[str, Any]

WRITE = """
import json, sys
from pathlib import Path
import data
folder, sizes = Path(sys.argv[1]), json.loads(sys.argv[2])
for name in sys.argv[3:]:
    table = getattr(data, name)()
    (folder / f"{name}.sculpt").write_text(table.schema)
    columns = [[column.name, column.pattern] for column in table.columns]
    (folder / f"{name}.json").write_text(json.dumps(columns))
    for size in sizes:
        data.write(table, folder / f"{name}-{size:g}.csv", size)
"""

DUCKDB = """
import json, sys
import duckdb
columns = json.load(open(sys.argv[1]))
types = ", ".join(f"'{name}': 'VARCHAR'" for name, _ in columns)
good = " AND ".join(f"regexp_full_match({name}, '{pattern}')" for name, pattern in columns)
connection = duckdb.connect(config={"threads": 2})
connection.execute("SET enable_progress_bar = false")
# A cell that is NULL makes the condition NULL, so good rows are counted, not bad ones.
print(connection.execute(
    f"SELECT count(*) - count(*) FILTER (WHERE {good}) FROM read_csv($path, auto_detect=false, "
    f"header=true, delim=',', quote='\\"', escape='\\"', columns={{{types}}})",
    {"path": sys.argv[2]},
).fetchone()[0])
"""

POLARS = """
import json, os, sys
os.environ["POLARS_MAX_THREADS"] = "2"
import polars as pl
columns = json.load(open(sys.argv[1]))
good = pl.all_horizontal([pl.col(n).str.contains(f"^(?:{p})$") for n, p in columns])
frame = pl.scan_csv(sys.argv[2], schema={name: pl.String for name, _ in columns})
print(frame.select(good.fill_null(False).not_().sum()).collect(engine="streaming").item())
"""

KERNELS = """
import sys, time
from sculpt.engines.options import Options
import sculpt
from sculpt.engines import local
from sculpt.kernels import choice
schema = sculpt.Schema.load(sys.argv[2])
start = time.perf_counter()
options = Options(threads=2, backend=getattr(choice, sys.argv[1])())
assert local.validate(schema.core, sys.argv[3], options).valid
print(time.perf_counter() - start)
"""

PROCESSOR = """
import sys, time
import sculpt
from sculpt.engines import local
from sculpt.kernels.backend import Ahead
schema = sculpt.Schema.load(sys.argv[1])
rivals = [Ahead(folder) for folder in sys.argv[3:]]
best = [float("inf")] * len(rivals)
for turn in range(31):
    for ix, backend in list(enumerate(rivals))[:: 1 if turn % 2 else -1]:
        start = time.perf_counter()
        assert local.validate(schema.core, sys.argv[2], Options(backend=backend)).valid
        best[ix] = min(best[ix], time.perf_counter() - start)
print(*best)
"""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a process took."""

    wall: float
    cpu: float
    megabytes: float
    """Its peak memory."""
    output: str

    def best(self, other: Cost) -> Cost:
        """The better of two runs, for each figure separately."""
        return Cost(
            min(self.wall, other.wall),
            min(self.cpu, other.cpu),
            min(self.megabytes, other.megabytes),
            other.output,
        )


ENVIRONMENT = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
"""As for users: a module is compiled once. The first round does that, and is not the best."""


def run(command: Sequence[str]) -> Cost:
    """Run a process to its end; anything but success ends the benchmark."""
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=output, stderr=errors, env=ENVIRONMENT)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        errors.seek(0)
        if process.returncode != 0:
            sys.exit(f"error: {' '.join(command)[:200]}\n{errors.read()[-2000:]}")
        unit = 1 if sys.platform == "darwin" else 1024
        cpu = usage.ru_utime + usage.ru_stime
        return Cost(wall, cpu, usage.ru_maxrss * unit / 1e6, output.read())


def race(commands: dict[str, Sequence[str]], rounds: int) -> dict[str, Cost]:
    """The best of some rounds for each command; they take turns."""
    best: dict[str, Cost] = {}
    for _ in range(rounds):
        for name, command in commands.items():
            cost = run(command)
            best[name] = best[name].best(cost) if name in best else cost
    return best


@dataclass(frozen=True, slots=True)
class Bench:
    """Where, how often, and which sizes."""

    folder: Path
    rounds: int
    sizes: tuple[float, ...]

    def write(self, sizes: Sequence[float], *tables: str) -> None:
        """Write the files, in other processes."""
        subprocess.run(
            [sys.executable, "-c", WRITE, str(self.folder), json.dumps(sizes), *tables],
            cwd=Path(__file__).parent,
            check=True,
            timeout=LIMIT,
        )

    def schema(self, table: str) -> str:
        return str(self.folder / f"{table}.sculpt")

    def data(self, table: str, size: float) -> str:
        return str(self.folder / f"{table}-{size:g}.csv")


def start(bench: Bench) -> Figures:
    """Seconds of CPU time with hardly any data."""
    census = [str(EXAMPLES / name) for name in ("corrected.sculpt", "census.csv")]
    commands: dict[str, Sequence[str]] = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "sculpt --version": [SCULPT, "--version"],
        "sculpt --help": [SCULPT, "--help"],
        "the census example": [SCULPT, "validate", *census],
    }
    print("\nstart")
    _row("", "CPU s", "wall s", "MB")
    figures: Figures = {}
    for name, cost in race(commands, 2 * bench.rounds).items():
        _row(name, f"{cost.cpu:.3f}", f"{cost.wall:.3f}", f"{cost.megabytes:.0f}")
        figures[name] = _figures(cost)
    return figures


def sizes(bench: Bench) -> Figures:
    """Files of growing size, beside the peers."""
    figures: Figures = {}
    for table in TABLES:
        for size in bench.sizes:
            bench.write([size], table)
            path = bench.data(table, size)
            columns = str(bench.folder / f"{table}.json")
            commands: dict[str, Sequence[str]] = {
                "sculpt": [SCULPT, "validate", bench.schema(table), path],
                "duckdb": [sys.executable, "-c", DUCKDB, columns, path],
                "polars": [sys.executable, "-c", POLARS, columns, path],
            }
            found = race(commands, bench.rounds)
            assert re.search(r": valid \([\d,]+ rows", found["sculpt"].output)
            assert found["duckdb"].output == found["polars"].output == "0\n"
            print(f"\n{table}, {size:g} MB")
            _row("", "wall s", "CPU s", "MB", "peer/ours")
            ours = found["sculpt"]
            for name, cost in found.items():
                ratio = cost.wall / ours.wall
                _row(
                    name,
                    f"{cost.wall:.3f}",
                    f"{cost.cpu:.3f}",
                    f"{cost.megabytes:.0f}",
                    f"{ratio:.2f}",
                )
            figures[f"{table}, {size:g} MB"] = {
                name: _figures(cost) | {"peer_over_ours": round(cost.wall / ours.wall, 2)}
                for name, cost in found.items()
            }
            Path(path).unlink()
    return figures


def kernels(bench: Bench) -> Figures:
    """The first validation in a process, loading its kernels included, by file size."""
    forms = ("plain", "ahead", "jit")
    small = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
    bench.write([1.0], "numeric")
    whole = Path(bench.data("numeric", 1.0)).read_bytes()
    print("\nkernels: seconds of the first validation of a process")
    _row("KB", *forms)
    figures: Figures = {}
    for size in small:
        path = bench.folder / "small.csv"
        path.write_bytes(whole[: whole.index(b"\n", int(size * 1e6)) + 1])
        seconds = {
            form: min(
                float(run([sys.executable, "-c", KERNELS, form, *arguments]).output)
                for _ in range(bench.rounds)
            )
            for form in forms
            for arguments in [[bench.schema("numeric"), str(path)]]
        }
        _row(f"{size * 1000:g}", *(f"{seconds[form]:.4f}" for form in forms))
        figures[f"{size * 1000:g} KB"] = {form: round(seconds[form], 4) for form in forms}
    return figures


def processor(bench: Bench) -> Figures:
    """The library for the oldest processor beside one for a newer one, warm, in one process."""
    if platform.machine() != "x86_64":
        return {}
    size = min(100.0, bench.sizes[-1])
    folders = {}
    for name in ("x86-64", "x86-64-v3"):
        folder = bench.folder / name
        folder.mkdir()
        run([sys.executable, "-m", "sculpt.kernels.build", str(folder), name])
        folders[name] = str(folder)
    bench.write([size], *TABLES)
    print(f"\nprocessor: seconds, warm, {size:g} MB")
    _row("", *folders, "newer/oldest")
    figures: Figures = {}
    for table in TABLES:
        arguments = [bench.schema(table), bench.data(table, size), *folders.values()]
        output = run([sys.executable, "-c", PROCESSOR, *arguments]).output
        oldest, newer = map(float, output.split())
        _row(table, f"{oldest:.3f}", f"{newer:.3f}", f"{newer / oldest:.2f}")
        figures[table] = dict(zip(folders, (round(oldest, 4), round(newer, 4)), strict=True))
    return figures


# --- The run -----------------------------------------------------------------------------------


def targets(results: Figures) -> list[Figures]:
    """The targets, and what was measured."""
    found: list[Figures] = []

    def add(what: str, target: str, value: float, met: bool) -> None:
        found.append({"what": what, "target": target, "measured": round(value, 3), "met": met})

    def at_most(what: str, value: float, bound: float) -> None:
        add(what, f"<= {bound:g}", value, value <= bound)

    def at_least(what: str, value: float, bound: float) -> None:
        add(what, f">= {bound:g}", value, value >= bound)

    if "start" in results:
        at_most("sculpt --help, CPU s", results["start"]["sculpt --help"]["cpu_s"], 0.20)
        at_most("the census example, CPU s", results["start"]["the census example"]["cpu_s"], 0.30)
    for size, table, wanted in (
        (1, "numeric", {"duckdb": 1 / 1.5}),
        (1, "quoted", {"duckdb": 1 / 1.5}),
        (10, "numeric", {"duckdb": 1, "polars": 1}),
        (10, "quoted", {"duckdb": 1, "polars": 1}),
        (100, "numeric", {"duckdb": 3, "polars": 2}),
        (100, "quoted", {"duckdb": 3, "polars": 2}),
        (1000, "numeric", {"duckdb": 7, "polars": 6}),
        (1000, "quoted", {"duckdb": 5, "polars": 3}),
    ):
        costs = results.get("sizes", {}).get(f"{table}, {size} MB")
        if costs is None:
            continue
        for peer, bound in wanted.items():
            ratio = costs[peer]["peer_over_ours"]
            at_least(f"{table}, {size} MB: {peer} over ours", ratio, round(bound, 2))
        if size == 1:
            ours, theirs = costs["sculpt"]["megabytes"], costs["duckdb"]["megabytes"]
            at_most(f"{table}, {size} MB: memory over DuckDB's", ours / theirs, 1)
    return found


def _figures(cost: Cost) -> Figures:
    return {
        "wall_s": round(cost.wall, 4),
        "cpu_s": round(cost.cpu, 4),
        "megabytes": round(cost.megabytes, 1),
    }


def _row(label: str, *figures: str) -> None:
    print(f"  {label:<44}" + "".join(f" {figure:>12}" for figure in figures), flush=True)


PARTS: dict[str, Callable[[Bench], Figures]] = {
    "start": start,
    "sizes": sizes,
    "kernels": kernels,
    "processor": processor,
}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="small files, no record")
    parser.add_argument("--rounds", type=int, default=5, help="rounds; the best counts")
    parser.add_argument("--only", action="append", choices=PARTS, help="this part; no record")
    parser.add_argument("--renew", action="store_true", help="with --only: renew it in the record")
    parser.add_argument(
        "--folder", type=Path, help="where files are written, and deleted afterwards"
    )
    return parser.parse_args()


def main() -> None:
    """Measure, print, record."""
    chosen = _arguments()
    for peer in PEERS:
        try:
            version(peer)
        except PackageNotFoundError:
            sys.exit(f"error: {peer} is not installed: .venv/bin/pip install {' '.join(PEERS)}")
    results: Figures = {}
    for part in chosen.only or PARTS:
        with tempfile.TemporaryDirectory(prefix="sculpt-cold-", dir=chosen.folder) as folder:
            sizes_of = (1.0, 10.0) if chosen.quick else (1.0, 10.0, 100.0, 1000.0)
            results[part] = PARTS[part](Bench(Path(folder), chosen.rounds, sizes_of))
    met = targets(results)
    print("\ntargets")
    for target in met:
        mark = "met" if target["met"] else "NOT met"
        _row(target["what"], f"{target['measured']:.3f}", target["target"], mark)
    if chosen.quick or (chosen.only and not chosen.renew):
        print("\nno record: this was not a full run")
        return
    stamp = {"date": time.strftime("%Y-%m-%d", time.gmtime()), "commit": commit()}
    if chosen.only:
        record = json.loads(RECORD.read_text(encoding="utf-8"))
        for part in chosen.only:
            record[part] = results[part] | {"renewed": stamp}
        record["targets"] = targets(record)
    else:
        command = f"python benchmarks/cold.py --rounds {chosen.rounds}"
        record = {**stamp, "command": command, "machine": machine(), "targets": met, **results}
    RECORD.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
