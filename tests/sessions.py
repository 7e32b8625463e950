"""What the tests on Spark share: files in chunks, frames as values, processes to be killed."""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sculpt
import sculpt.spark
from sculpt.verdict import Verdict, Violation

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

NUMBERS = sculpt.Schema.parse(
    "row(1) -> id, price, count\ncol(id) -> Integer\ncol(price) -> Number\ncol(count) -> Integer\n"
)


def numbers_file(path: Path, rows: int, mistakes: tuple[int, ...] = ()) -> Path:
    """A header and rows of numbers; in some rows one of them is none."""
    chance = random.Random(1)
    with path.open("w", encoding="utf-8") as file:
        file.write("id,price,count\n")
        for row in range(2, rows + 2):
            price = "n/a" if row in mistakes else f"{chance.uniform(0, 100):.2f}"
            file.write(f"{row},{price},{chance.randrange(1000)}\n")
    return path


def in_chunks(
    session: SparkSession, schema: sculpt.Schema, path: Path, chunks: int
) -> tuple[Verdict, sculpt.spark.Result]:
    """The verdict on a file that is cut into so many chunks."""
    unit = max(1, -(-path.stat().st_size // chunks))
    result = sculpt.spark.validate(session, schema, path, 1000, unit=unit)
    (verdict,) = result.verdict.outcomes
    assert isinstance(verdict, Verdict), verdict
    return verdict, result


def assert_same(ours: Verdict, theirs: Verdict) -> None:
    """Equal to the last word, whichever engine."""
    assert ours.engine == "spark"
    assert replace(ours, engine=theirs.engine) == theirs
    assert [v.excerpt for v in ours.violations] == [v.excerpt for v in theirs.violations]


def listed(frame: DataFrame) -> list[dict[str, Any]]:
    """The rows of a data frame in the order of the table; places that are null come last."""
    far = 1 << 60
    rows = [row.asDict() for row in frame.collect()]
    return sorted(
        rows,
        key=lambda r: (r["file"], r["row"] or far, r.get("column") or far, r.get("rule") or 0),
    )


def as_row(file: str, violation: Violation) -> dict[str, Any]:
    """A violation as the table of violations has it."""
    names = (
        "code",
        "rule",
        "line",
        "row",
        "column",
        "offset",
        "found",
        "message",
        "hint",
        "severity",
    )
    return {
        "file": file,
        **{name: getattr(violation, name) for name in names},
        "tokens": list(violation.tokens),
        "expected": list(violation.expected),
        **{
            f"{which}_{name}": None if place is None else getattr(place, name)
            for which, place in (("first", violation.first), ("target", violation.target))
            for name in ("file", "row", "column")
        },
    }


def descendants(wanted: str) -> list[int]:
    """The processes that this one has started, directly or not, whose command has a text in it."""
    known: dict[int, tuple[int, str]] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            try:
                status = (folder / "stat").read_text()
                command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue  # it has ended
            known[int(folder.name)] = (int(status.rpartition(")")[2].split()[1]), command)

    def is_ours(number: int) -> bool:
        while number in known and number != os.getpid():
            number = known[number][0]
        return number == os.getpid()

    return sorted(n for n, (_, command) in known.items() if wanted in command and is_ours(n))


class Killer:
    """Kills a process of ours, once, when some tasks of a run are done and others are not."""

    def __init__(self, choose: Callable[[], list[int]], after: int) -> None:
        self.choose = choose
        self.after = after
        self.killed: list[int] = []

    def __call__(self, done: int, tasks: int) -> None:
        if self.after <= done < tasks and not self.killed:
            for number in self.choose()[-1:]:
                os.kill(number, signal.SIGKILL)
                self.killed.append(number)
