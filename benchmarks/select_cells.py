"""`sculpt select` as text and as JSON: the whole command, what it costs and how soon it stops.

    .venv/bin/python benchmarks/select_cells.py                writes the record
    .venv/bin/python benchmarks/select_cells.py --quick        small files, writes nothing

    tables    CPU seconds of both formats, in turns, best of some rounds, and text over JSON;
              `plain` has one cell a row, `quoted` three of four, every other one in quotes
    head      CPU seconds if the reader wants one line, and if it wants all
    memory    peak megabytes of text for a table, and for one that is four times as long

The number of lines, and the last cell, are asserted. (The module is not called `select`: that is a
module of Python which the others here need.)
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

RECORD = Path(__file__).parent / "record" / "select_cells.json"
SELECTORS = {"plain": "col(2)", "quoted": "down+(name or amount or note)"}
MOST, MOST_HEAD = 3.0, 0.5

Figures = dict[str, Any]


def write(name: str, rows: int, folder: Path) -> tuple[Path, int]:
    """A table, and how many cells its selector selects."""
    path = folder / f"{name}-{rows}.csv"
    with path.open("w", encoding="utf-8") as file:
        file.write("id,name,amount,note\n")
        for row in range(1, rows):
            note = f'"said ""{row}"", left"' if name == "quoted" and row % 2 else "nothing to say"
            file.write(f"{row},name {row % 97},{row * 7919 % 100_000 / 100:.2f},{note}\n")
    return path, rows if name == "plain" else 3 * (rows - 1)


def run(schema: Path, data: Path, selector: str, more: str) -> tuple[float, float, str]:
    """CPU seconds and peak megabytes of a command, and the end of what it prints."""
    call = f'"$0" -m sculpt select "$1" "$2" "$3" {more}'
    arguments = ["bash", "-c", call, sys.executable, str(schema), str(data), selector]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        text = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{call} failed")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, text


def tables(schema: Path, folder: Path, rows: int, rounds: int) -> Figures:
    """Text and JSON of each table, in turns."""
    figures: Figures = {}
    for name, selector in SELECTORS.items():
        path, cells = write(name, rows, folder)
        best = {"text": 1e9, "json": 1e9}
        for _ in range(rounds):
            for output in best:
                seconds, _, text = run(schema, path, selector, f"-f {output}")
                if output == "text":
                    assert text.endswith(f"\n{cells:,} cells\n"), text[-200:]
                    assert text.count("\n") == cells + 1
                else:
                    assert json.loads(text)["count"] == cells
                best[output] = min(best[output], seconds)
        ratio = best["text"] / best["json"]
        figures[name] = {
            "cells": cells,
            "text_cpu_s": round(best["text"], 3),
            "json_cpu_s": round(best["json"], 3),
            "text_over_json": round(ratio, 2),
        }
        print(f"{name}: {figures[name]}")
    return figures


def head(schema: Path, folder: Path, rows: int, rounds: int) -> Figures:
    """A reader that takes one line, against one that takes all."""
    path, cells = write("plain", rows, folder)
    taken = {"| head -n 1": "(1,2) name\n", "": f"{cells:,} cells\n"}
    best = dict.fromkeys(taken, 1e9)
    for _ in range(rounds):
        for more, end in taken.items():
            seconds, _, text = run(schema, path, SELECTORS["plain"], more)
            assert text.endswith(end)
            best[more] = min(best[more], seconds)
    one, whole = best.values()
    figures = {"one_line_cpu_s": round(one, 3), "all_cpu_s": round(whole, 3)}
    print(f"head: {figures}")
    return figures


def memory(schema: Path, folder: Path, rows: int) -> Figures:
    """Peak memory for two lengths."""
    peaks = {}
    for factor in (1, 4):
        path, _ = write("plain", factor * rows, folder)
        # To a file: this process would otherwise hold all lines.
        _, peak, _ = run(schema, path, SELECTORS["plain"], "> /dev/null")
        peaks[f"{factor * rows:,} rows, MB"] = round(peak, 1)
    print(f"memory: {peaks}")
    return peaks


def main() -> None:
    """Measure, and write the record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--rounds", type=int, default=5)
    asked = parser.parse_args()
    rows, rounds = (20_000, 1) if asked.quick else (300_000, asked.rounds)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        schema = folder / "any.sculpt"
        schema.write_text("")
        peaks = memory(schema, folder, rows)  # first: a child's peak is never below its parent's
        measured = tables(schema, folder, rows, rounds)
        stopped = head(schema, folder, 4 * rows, rounds)
    small, large = peaks.values()
    targets = [
        {
            "what": f"{name}: text over JSON",
            "target": f"<= {MOST:g}",
            "measured": figures["text_over_json"],
            "met": figures["text_over_json"] <= MOST,
        }
        for name, figures in measured.items()
    ]
    share = round(stopped["one_line_cpu_s"] / stopped["all_cpu_s"], 2)
    targets += [
        {
            "what": "one line over all lines, CPU",
            "target": f"<= {MOST_HEAD:g}",
            "measured": share,
            "met": share <= MOST_HEAD,
        },
        {
            "what": "memory, four times the rows over once",
            "target": "<= 1.2",
            "measured": round(large / small, 2),
            "met": large <= 1.2 * small,
        },
    ]
    record = {
        "date": time.strftime("%Y-%m-%d"),
        "commit": commit(),
        "command": f"python benchmarks/select_cells.py --rounds {rounds}",
        "machine": machine(),
        "targets": targets,
        "tables": measured,
        "head": stopped,
        "memory": peaks,
    }
    if not asked.quick:
        RECORD.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    for target in targets:
        print(f"{target['what']}: {target['measured']} ({target['target']})")


if __name__ == "__main__":
    main()
