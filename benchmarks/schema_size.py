"""How long a large schema takes: parse, desugar, lint, explain; 100 to 10,000 rules.

    .venv/bin/python benchmarks/schema_size.py

Prints the figures and writes them, with date, commit and command, to `benchmarks/record/`. The
facts that `explain` reports are asserted before the clock starts.
"""

from __future__ import annotations

import json
import platform
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import sculpt
from sculpt.core.facts.explain import StreamClass

SIZES = (100, 1_000, 10_000)
RECORD = Path(__file__).parent / "record" / "schema_size.json"
ROUNDS = 3


def schema_text(rules: int) -> str:
    """A schema of this many rules, each with its own token and heading."""
    lines = ["Col Delim = ;"]
    for n in range(rules):
        lines.append(f'token{n} = [0-9]{{1,{n % 9 + 1}}}("."[0-9]{{2}})?|n/a')
        lines.append(f"down+(right*(Heading {n})) -> (token{n} | Empty), (Text, token{n}?)*")
    return "\n".join(lines) + "\n"


def timed(text: str) -> dict[str, float]:
    """Seconds for each stage, the best of some rounds."""
    best: dict[str, float] = {}
    for _ in range(ROUNDS):
        start = time.perf_counter()
        schema = sculpt.Schema.parse(text)
        parsed = time.perf_counter()
        explanation = schema.explanation
        explained = time.perf_counter()
        lint = schema.lint
        linted = time.perf_counter()
        assert explanation.stream_class is StreamClass.STRONG
        assert not lint
        stages = {
            "parse": parsed - start,
            "explain": explained - parsed,
            "lint": linted - explained,
            "parse and explain": explained - start,
        }
        for stage, seconds in stages.items():
            best[stage] = min(seconds, best.get(stage, seconds))
    return best


def main() -> None:
    """Measure, print, record."""
    results = {}
    for rules in SIZES:
        results[str(rules)] = timed(schema_text(rules))
        row = "  ".join(
            f"{stage} {seconds:.3f} s" for stage, seconds in results[str(rules)].items()
        )
        print(f"{rules:>6} rules: {row}")
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
    ).stdout.strip()
    record = {
        "date": datetime.now(UTC).date().isoformat(),
        "commit": commit,
        "command": "make bench",
        "python": sys.version.split()[0],
        "machine": f"{platform.machine()}, {platform.system()}",
        "seconds": {
            rules: {stage: round(value, 4) for stage, value in stages.items()}
            for rules, stages in results.items()
        },
    }
    RECORD.parent.mkdir(exist_ok=True)
    RECORD.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
