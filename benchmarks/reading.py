"""The text of `validate` on a file with 200,261 violations of one rule: lines, and what it costs.

    .venv/bin/python benchmarks/reading.py             two million rows, writes the record
    .venv/bin/python benchmarks/reading.py --quick     twenty thousand rows, writes nothing

    lines      of the text; at most `MOST`
    text       CPU seconds of the whole command, cold, best of some rounds
    json       the same with `--format json`, which groups nothing and takes no second look

The number of violations that the first line tells is asserted.
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

RECORD = Path(__file__).parent / "record" / "reading.json"
MOST = 30
"""Lines that the text may have."""
SCHEMA = """\
% What was paid.
amount = [0-9]+[.][0-9]{2}

row(1) -> Day, Kind, "Amount"
% Every line has an amount.
right+(col(Day)) -> Text, amount
"""


def write(folder: Path, rows: int, wrong: int) -> None:
    """A table in which `wrong` of the rows have no amount, spread evenly."""
    (folder / "paid.sculpt").write_text(SCHEMA, encoding="utf-8")
    with (folder / "paid.csv").open("w", encoding="utf-8") as file:
        file.write("Day,Kind,Amount\n")
        for row in range(rows):
            is_wrong = (row + 1) * wrong // rows > row * wrong // rows
            file.write(f"{row},k{row % 7},{'n/a' if is_wrong else f'{row % 900}.25'}\n")


def run(folder: Path, *options: str) -> tuple[str, float]:
    """The output of the command, and the seconds that a processor was busy."""
    before = os.times()
    call = [sys.executable, "-m", "sculpt", "validate", "paid.sculpt", "paid.csv", *options]
    done = subprocess.run(call, cwd=folder, capture_output=True, text=True, check=False)
    after = os.times()
    assert done.returncode == 1, done.stderr
    spent = after.children_user + after.children_system
    return done.stdout, spent - before.children_user - before.children_system


def measured(folder: Path, rows: int, wrong: int, rounds: int) -> dict[str, Any]:
    """The figures for one table."""
    write(folder, rows, wrong)
    texts = [run(folder) for _ in range(rounds)]
    jsons = [run(folder, "--format", "json") for _ in range(rounds)]
    text = texts[0][0]
    assert f"{wrong:,} violations" in text.splitlines()[0], text
    assert json.loads(jsons[0][0])["files"][0]["violation_count"] == wrong
    return {
        "rows": rows,
        "violations": wrong,
        "lines": len(text.splitlines()),
        "text": round(min(seconds for _, seconds in texts), 3),
        "json": round(min(seconds for _, seconds in jsons), 3),
    }


def main() -> None:
    """Measure, and write the record."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    rows, wrong, rounds = (20_000, 2_003, 1) if quick else (2_000_000, 200_261, 5)
    with tempfile.TemporaryDirectory() as name:
        found = measured(Path(name), rows, wrong, rounds)
    print(json.dumps(found, indent=2))
    assert found["lines"] <= MOST, found
    if not quick:
        target = {
            "what": "lines of the text",
            "target": f"<= {MOST}",
            "measured": found["lines"],
            "met": found["lines"] <= MOST,
        }
        facts = {
            "date": time.strftime("%Y-%m-%d"),
            "commit": commit(),
            "command": "python benchmarks/reading.py",
            "machine": machine(),
            "targets": [target],
            **found,
        }
        RECORD.write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
