"""Imported schemas against the packages that they come from: many generated pairs, no difference.

    .venv/bin/python benchmarks/equivalence.py                   50,000 pairs each: the record
    .venv/bin/python benchmarks/equivalence.py --pairs 4000        fewer, writes nothing
    .venv/bin/python benchmarks/equivalence.py --only frictionless

A pair is a schema and a table. The tests that CI runs with 2,000 pairs make them, with new seeds
each time; a difference that no test explains, with the section of the standard, fails the run. The
record has the number of pairs and the seconds of each.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from measure import WrongAnswerError, commit, machine

ROOT = Path(__file__).parent.parent
RECORD = Path(__file__).parent / "record" / "equivalence.json"
PAIRS = 50_000
LIMIT = 4 * 3600.0
SYSTEMS = {
    "csvw": "csvw/test_against_oracle.py",
    "frictionless": "frictionless/test_frictionless_equivalence.py",
    "csv-schema": "csv_schema/test_csv_schema_equivalence.py",
}


def compared(system: str, pairs: int) -> dict[str, Any]:
    """Run the tests of a system; a difference ends the run."""
    tests = str(ROOT / "tests" / "interchange" / SYSTEMS[system])
    call = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", tests]
    start = time.perf_counter()
    done = subprocess.run(
        call,
        cwd=ROOT,
        env={**os.environ, "SCULPT_PAIRS": str(pairs), "SCULPT_EXAMPLES": "sculpt"},
        capture_output=True,
        text=True,
        timeout=LIMIT,
    )
    if done.returncode != 0:
        raise WrongAnswerError(f"{system}: {done.stdout[-5000:]}{done.stderr[-2000:]}")
    seconds = round(time.perf_counter() - start)
    return {"pairs": pairs, "unexplained differences": 0, "seconds": seconds}


def main() -> None:
    """Compare the systems that are asked for; renew the record of a whole run."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", choices=SYSTEMS, action="append")
    parser.add_argument("--pairs", type=int, default=PAIRS)
    parser.add_argument("--record", type=Path, default=RECORD)
    arguments = parser.parse_args()
    path: Path = arguments.record
    record = json.loads(path.read_text("utf-8")) if path.exists() else {}
    for system in arguments.only or SYSTEMS:
        found = compared(system, arguments.pairs)
        print(f"{system}: {found}", flush=True)
        call = f"benchmarks/equivalence.py --only {system}"
        facts = {"date": f"{datetime.now(UTC):%Y-%m-%d}", "commit": commit(), "command": call}
        record[system] = {**facts, "machine": machine(), "figures": found}
        if arguments.pairs >= PAIRS:
            path.write_text(json.dumps(record, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
