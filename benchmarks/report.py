"""The report on a million violations: its size, and its time beside that of `validate`.

    .venv/bin/python benchmarks/report.py                10^6 rows, writes the record
    .venv/bin/python benchmarks/report.py --rows 2000    fewer, writes nothing

Promised: at most 5 MB, in at most twice the time of `validate` plus 2 s. Each run is a process of
its own, so imports count; the best of three.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from measure import commit, machine

RECORD = Path(__file__).parent / "record" / "report.json"
ROWS = 1_000_000
SCHEMA = """\
% The columns have these names.
row(1) -> "id", "item", "price", "day"
% Every item has a number.
col("id") -> Integer
% Prices are numbers.
col("price") -> Number
% A day is a date.
col("day") -> Date
"""
VALIDATE = """
import sys
import sculpt
print(sculpt.validate(sculpt.Schema.load(sys.argv[1]), sys.argv[2]).violation_count)
"""
REPORT = """
import sys
import sculpt
with sculpt.view(sculpt.Schema.load(sys.argv[1]), sys.argv[2]) as view:
    page = view.html()
    open(sys.argv[3], "w", encoding="utf-8").write(page)
    print(view.verdict.violation_count)
"""


def write_data(path: Path, rows: int) -> None:
    """Rows that each violate one rule: the price has a letter in it."""
    with path.open("w", encoding="utf-8") as file:
        file.write("id,item,price,day\n")
        for row in range(rows):
            file.write(f"{row},item {row},{row % 997}.5x,2024-01-{row % 28 + 1:02}\n")


def timed(program: str, arguments: list[str], expected: int, times: int = 3) -> float:
    """The seconds of the fastest of some runs; each must find what is expected."""
    best = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True
        )
        best = min(best, time.perf_counter() - start)
        assert int(done.stdout) == expected, done.stdout
    return best


def main() -> None:
    """Measure, print, record."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rows", type=int, help=f"rows of the file ({ROWS:,})")
    chosen = parser.parse_args()
    rows = chosen.rows or ROWS
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        schema, data, page = (folder / each for each in ("s.sculpt", "data.csv", "report.html"))
        schema.write_text(SCHEMA, encoding="utf-8")
        write_data(data, rows)
        validate = timed(VALIDATE, [str(schema), str(data)], rows)
        report = timed(REPORT, [str(schema), str(data), str(page)], rows)
        size = page.stat().st_size
    results = {
        "violations": rows,
        "validate, seconds": round(validate, 2),
        "report, seconds": round(report, 2),
        "allowed, seconds": round(2 * validate + 2, 2),
        "report, bytes": size,
    }
    for label, value in results.items():
        print(f"{label:20} {value:>12,}")
    assert size <= 5_000_000
    if chosen.rows is None:
        about = {"date": f"{datetime.now(UTC):%Y-%m-%d}", "commit": commit(), "machine": machine()}
        RECORD.write_text(json.dumps({**about, "results": results}, indent=2) + "\n")


if __name__ == "__main__":
    main()
