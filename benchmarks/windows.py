"""Windows into large files: what the pass of a view costs, and then a window anywhere.

    .venv/bin/python benchmarks/windows.py             1 GB, writes the record
    .venv/bin/python benchmarks/windows.py --size 20   20 MB, writes nothing

Each file is viewed in a fresh process: the seconds of the pass beside those of `validate` in
another one, the milliseconds of 100 windows of 50 × 30 cells at random rows, half of them with a
violation, and the peak memory of the whole. The two take turns: of the seconds the best of three
rounds count, of windows and memory the worst. The rows that windows show are compared with those
that were written. Files are in a temporary folder, and deleted.

    clean       20 columns, a rule for each, no violation: the pass counts lines, which only a file
                with violations needs; the file is cut, and threads share it
    numeric     the same with violations: `validate` reads the rows before them again to count lines
    quoted      a ledger with quotes
    packed      the numeric table, in gzip: read in order, kept in a temporary file; a fifth
    climbing    a rule that walks up without bound: swept from below first; a fifth
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from measure import commit, machine

RECORD = Path(__file__).parent / "record" / "windows.json"
SOURCE = Path(__file__).parent.parent / "src"
LIMIT = 1800.0
ROUNDS = 3
MAX_MS, MAX_MB = 100.0, 300.0

WRITE = """
import gzip, shutil, sys
from pathlib import Path
import data
folder, name, size = Path(sys.argv[1]), sys.argv[2], float(sys.argv[3])
table = data.quoted() if name == "quoted" else data.numeric()
climbing = "up+(S07) or up*(row(3)) -> Any*\\n" if name == "climbing" else ""
(folder / "schema").write_text(table.schema + "\\n" + climbing)
data.write(table, folder / "data", size, 0.0 if name == "clean" else 0.0002)
if name == "packed":
    with open(folder / "data", "rb") as plain, gzip.open(folder / "packed", "wb", 1) as packed:
        shutil.copyfileobj(plain, packed, 1 << 20)
"""

VALIDATE = """
import json, os, sys, time
import sculpt
import sculpt.engines.local
assert sculpt.__file__.startswith(os.environ["PYTHONPATH"]), sculpt.__file__
schema = sculpt.Schema.load(sys.argv[1])
start = time.perf_counter()
verdict = sculpt.validate(schema, sys.argv[2], engine="local")
print(json.dumps({"seconds": time.perf_counter() - start, "count": verdict.violation_count}))
"""

VIEW = """
import json, os, random, statistics, sys, time
import sculpt
import sculpt.views.local
from measure import peak_memory
assert sculpt.__file__.startswith(os.environ["PYTHONPATH"]), sculpt.__file__
schema = sculpt.Schema.load(sys.argv[1])
start = time.perf_counter()
view = sculpt.view(schema, sys.argv[2], "S02 or row(7)", engine="local")
seconds = time.perf_counter() - start
rng = random.Random(5)
times, shown = [], {}
for number in range(100):
    row = rng.randrange(1, view.rows)
    if number % 2:
        row = (view.find("violation", (row, 0)) or view.find("violation") or (row, 1))[0]
    begin = time.perf_counter()
    window = view.window(row=row)
    times.append(1000 * (time.perf_counter() - begin))
    assert number % 2 == 0 or window.violations or view.verdict.valid, row
    shown[row] = window.texts[0][0]
begin = time.perf_counter()
view.find("selector:1", (8, 1))
found = time.perf_counter() - begin
print(json.dumps({
    "seconds": seconds, "count": view.verdict.violation_count, "rows": view.rows,
    "median_ms": statistics.median(times), "worst_ms": max(times), "find_s": found,
    "peak_mb": peak_memory() / 1e6, "shown": shown,
}))
"""


def run(code: str, *arguments: object) -> dict[str, Any]:
    """What a script prints, as JSON."""
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=LIMIT,
        cwd=Path(__file__).parent,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},  # the code beside this file, no other
    )
    if done.returncode:
        sys.exit(f"error: {done.stderr[-2000:]}")
    found: dict[str, Any] = json.loads(done.stdout) if done.stdout else {}
    return found


def check(path: Path, shown: dict[str, str]) -> None:
    """The first cells of these rows are what the file has there."""
    wanted = {int(row): text for row, text in shown.items()}
    with path.open("rb") as file:
        for row, line in enumerate(file, 1):
            if row in wanted:
                first = line.split(b",")[0].decode()
                assert first == wanted[row], (row, first, wanted[row])


def measured(name: str, size: float) -> dict[str, float]:
    """The figures of one file."""
    with tempfile.TemporaryDirectory(prefix="sculpt-windows-") as folder:
        place = Path(folder)
        run(WRITE, place, name, size)
        path = place / ("packed" if name == "packed" else "data")
        rounds = []
        for _ in range(ROUNDS):  # in turns: the first to read a new file would pay for it alone
            pair = run(VALIDATE, place / "schema", path), run(VIEW, place / "schema", path)
            assert pair[0]["count"] == pair[1]["count"], (pair[0]["count"], pair[1]["count"])
            rounds.append(pair)
        validate_s = min(validated["seconds"] for validated, _ in rounds)
        pass_s = min(each["seconds"] for _, each in rounds)
        viewed = max((each for _, each in rounds), key=lambda each: each["median_ms"])
        peak = max(each["peak_mb"] for _, each in rounds)
        if name != "quoted":  # there, a line is not always a row
            check(place / "data", viewed["shown"])
    return {
        "megabytes": size,
        "rows": viewed["rows"],
        "validate_s": round(validate_s, 2),
        "pass_s": round(pass_s, 2),
        "pass_over_validate": round(pass_s / validate_s, 2),
        "window_median_ms": round(viewed["median_ms"], 1),
        "window_worst_ms": round(viewed["worst_ms"], 1),
        "find_s": round(viewed["find_s"], 3),
        "peak_mb": round(peak),
    }


def main() -> None:
    """Measure, print, record."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--size", type=float, help="MB of the larger files (1000)")
    chosen = parser.parse_args()
    size = chosen.size or 1000.0
    shares = {"clean": 1.0, "numeric": 1.0, "quoted": 1.0, "packed": 0.2, "climbing": 0.2}
    results: dict[str, dict[str, float]] = {}
    for name, share in shares.items():
        results[name] = measured(name, size * share)
        print(name, results[name], flush=True)
    targets = [
        {
            "what": f"{name}: {what}",
            "target": f"<= {bound:g}",
            "measured": figures[key],
            "met": figures[key] <= bound,
        }
        for name, figures in results.items()
        for what, key, bound in (
            ("median of a window, ms", "window_median_ms", MAX_MS),
            ("peak memory, MB", "peak_mb", MAX_MB),
        )
    ]
    for target in targets:
        print(target["what"], target["measured"], target["target"], target["met"])
    if chosen.size is not None:
        print("no record: this was not a full run")
        return
    record = {
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "commit": commit(),
        "command": "python benchmarks/windows.py",
        "machine": machine(),
        "targets": targets,
        **results,
    }
    RECORD.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
