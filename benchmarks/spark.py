"""How fast the Spark engine validates, beside Spark's own reader and our own local engine.

    .venv/bin/python benchmarks/spark.py             files of 1 GB, writes the record
    .venv/bin/python benchmarks/spark.py --size 50   smaller files, writes nothing
    .venv/bin/python benchmarks/spark.py --only small-files     renews a part of the record

On `local[2]`, in one warm session, the contestants take turns: ours on Spark, ours on two threads
without Spark, and `spark.read.csv` with an `rlike` for every column. Each must first find all
violations of a spoilt file. Then: one against two executors; many small files; a file whose chunks
cannot be guessed; a key and a reference, beside `groupBy` and `left_anti` after Spark's own reader;
and for each of our runs the number of jobs, and of bytes that the workers read. Starting a session
is timed separately.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import data
import peers
from data import Table, Written, write
from measure import Entry, Timing, commit, machine, race, timed
from peers import OURS, THREADS, Contestant
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 (as everywhere in Spark)

import sculpt
import sculpt.spark
from sculpt.spark.cluster.session import open_session

RECORD = Path(__file__).parent / "record" / "spark.json"
SIZE = 1_000.0
ON_SPARK = f"sculpt on local[{THREADS}]"
READER = "spark.read.csv + rlike"
FILES = 10_000
PARTS = ("numeric", "quoted", "small-files", "sections", "keys", "executors")

Figures = dict[str, Any]


@contextmanager
def session(master: str) -> Iterator[tuple[SparkSession, float]]:
    """A session, and how long it took to start."""
    # Our own sessions tune Java to start quickly; the reader gets one that is tuned to run quickly.
    conf = {"spark.driver.extraJavaOptions": "-XX:+UseG1GC"}
    begin = time.perf_counter()
    with open_session(master, conf, verbose=False) as spark:
        yield spark, time.perf_counter() - begin


def ours(spark: SparkSession, schema_text: str, name: str = ON_SPARK) -> Contestant:
    schema = sculpt.Schema.parse(schema_text)

    def run(path: Path) -> int:
        outcomes = sculpt.spark.validate(spark, schema, path).verdict.outcomes
        return sum(each.violation_count for each in outcomes if isinstance(each, sculpt.Verdict))

    return Contestant(name, run, lambda written: written.violating)


def reader(spark: SparkSession, table: Table, multi_line: bool) -> Contestant:
    """Spark's own reader, every column a text, and the same checks.

    With `multiLine` it sees line ends in quotes, and reads a file in one task.
    """
    columns = ", ".join(f"`{column.name}` string" for column in table.columns)
    fits = [F.coalesce(F.col(c.name), F.lit("")).rlike(f"^(?:{c.pattern})$") for c in table.columns]
    all_fit = fits[0]
    for each in fits[1:]:
        all_fit = all_fit & each

    def run(path: Path) -> int:
        frame = spark.read.schema(columns).csv(
            str(path), header=True, quote='"', escape='"', multiLine=multi_line
        )
        return frame.where(~all_fit).count()

    name = f"{READER}, multiLine" if multi_line else READER
    return Contestant(name, run, lambda written: written.violating)


def side_by_side(
    spark: SparkSession, table: Table, size: float, rounds: int, folder: Path
) -> Figures:
    """Ours, ours without Spark, and Spark's own reader on one file."""
    spoilt = write(table, folder / "spoilt.csv", 150, 0.03)
    clean = write(table, folder / "clean.csv", size)
    has_line_ends = table.name == "quoted"
    contestants = [
        ours(spark, table.schema),
        peers.sculpt_on(table.schema, THREADS),
        reader(spark, table, multi_line=False),
        *([reader(spark, table, multi_line=True)] if has_line_ends else []),
    ]
    for contestant in contestants:
        # Some spoilt cells have line ends in quotes, which the plain reader reads as two rows.
        if not (has_line_ends and contestant.name == READER):
            timed(Entry(f"{table.name}, spoilt: {contestant.name}", contestant, spoilt))
    timings = race([Entry(each.name, each, clean) for each in contestants], rounds)
    for name, timing in timings.items():
        _show(f"{table.name}: {name}", timing)
    spoilt.path.unlink()
    mine = timings[ON_SPARK].seconds
    return {
        "megabytes": round(clean.megabytes),
        "contestants": {name: _figures(timing) for name, timing in timings.items()},
        "reader_over_ours": round(timings[READER].seconds / mine, 2),
        "share_of_local_throughput": round(timings[OURS].seconds / mine, 2),
        **_reads(spark, table.schema, clean.path),
    }


def _reads(spark: SparkSession, schema_text: str, path: Path) -> Figures:
    """The jobs, and the bytes that the workers read relative to the size of the input."""
    schema = sculpt.Schema.parse(schema_text)
    size = sum(f.stat().st_size for f in (path.iterdir() if path.is_dir() else [path]))
    sculpt.spark.validate(spark, schema, path)  # workers that were idle for long are restarted
    before = _read_by_workers()
    result = sculpt.spark.validate(spark, schema, path)
    share = (_read_by_workers() - before) / size
    print(f"    {result.run.jobs} job(s), {share:.3f} of the bytes read")
    return {"jobs": result.run.jobs, "bytes_read_over_input": round(share, 3)}


def _read_by_workers() -> int:
    """The bytes that all Python workers have read so far: they live on between jobs."""
    total = 0
    for folder in Path("/proc").iterdir():
        try:
            if b"pyspark.daemon" in (folder / "cmdline").read_bytes():
                line = (folder / "io").read_text().splitlines()[0]
                total += int(line.removeprefix("rchar: "))
        except (OSError, NotADirectoryError):
            continue
    return total


def small_files(spark: SparkSession, rounds: int, count: int, folder: Path) -> Figures:
    """Many small files, on Spark, and one after another without it."""
    table = data.numeric()
    text = b"".join(write(table, folder / "one.csv", 1).path.read_bytes().splitlines(True)[:100])
    target = folder / "many"
    target.mkdir()
    for number in range(count):
        (target / f"{number:05}.csv").write_bytes(text)
    written = Written(target, count * len(text), 0, 0, 0)
    schema = sculpt.Schema.parse(table.schema)

    def one_by_one(path: Path) -> int:
        return sum(
            sculpt.validate(schema, each, engine="local").violation_count
            for each in sorted(path.iterdir())
        )

    local = Contestant("sculpt, one file after the other", one_by_one, lambda w: w.violating)
    sample = folder / "some"
    sample.mkdir()
    for number in range(count // 20):
        (sample / f"{number:05}.csv").write_bytes(text)
    few = Written(sample, count // 20 * len(text), 0, 0, 0)
    entry = Entry(ON_SPARK, ours(spark, table.schema), written)
    timed(entry)
    timings = race([entry, Entry(local.name, local, few)], rounds)
    for name, timing in timings.items():
        _show(f"small files: {name}", timing)
    rate = count / timings[ON_SPARK].seconds
    others = count // 20 / timings[local.name].seconds
    return {
        "files": count,
        "bytes_each": len(text),
        "files_per_s": round(rate),
        "files_per_s_one_by_one": round(others),
        **_reads(spark, table.schema, target),
    }


ADVERSARIAL = """
down+(Size) and not down+(Name) -> Integer*
col(Name) -> Text
"""


def adversarial(spark: SparkSession, size: float, rounds: int, folder: Path) -> Figures:
    """A file whose header is repeated: exact summaries instead of guesses."""
    path = folder / "sections.csv"
    block = "".join(
        "Name,Size\n" * (n % 2) + f"x{n},{n}\n" * 30 + "Size,Name\n" * ((n + 1) % 3 == 0)
        for n in range(2_000)
    ).encode()
    with path.open("wb") as file:
        for _ in range(max(1, round(size * 1e6 / len(block)))):
            file.write(block)
    schema = sculpt.Schema.parse(ADVERSARIAL)
    expected = sculpt.validate(schema, path, engine="local", max_violations=0).violation_count
    written = Written(path, path.stat().st_size, 0, 0, expected)
    contestants = [ours(spark, ADVERSARIAL), peers.sculpt_on(ADVERSARIAL, THREADS)]
    entries = [Entry(each.name, each, written) for each in contestants]
    timed(entries[0])
    timings = race(entries, rounds)
    for name, timing in timings.items():
        _show(f"sections: {name}", timing)
    return {
        "megabytes": round(written.megabytes),
        "contestants": {name: _figures(timing) for name, timing in timings.items()},
        "most_jobs": schema.explanation.strata + 2,
        **_reads(spark, ADVERSARIAL, path),
    }


KEY = "row(1) -> id, dept, name, note\nkey(col(id))\n"
REFERENCE = """
include "{folder}/depts.sculpt" as Depts for "{folder}/depts.csv"
row(1) -> id, dept, name, note
col(dept) ~> Depts(col(code))
"""
DEPTS = 1_000


def keys(spark: SparkSession, size: float, rounds: int, folder: Path) -> Figures:
    """A key of distinct numbers, and a reference to a small table, each with some violations."""
    written = _employees(folder, size)
    (folder / "depts.sculpt").write_text("row(1) -> code, title\n", encoding="utf-8")
    lines = [f"D{number},title {number}" for number in range(DEPTS)]
    (folder / "depts.csv").write_text("\n".join(["code,title", *lines, ""]), encoding="utf-8")
    found: Figures = {}
    reference = REFERENCE.format(folder=folder)
    for name, text, peer in (
        ("key", KEY, _grouped(spark)),
        ("reference", reference, _joined(spark, folder / "depts.csv")),
    ):
        contestants = [ours(spark, text), peers.sculpt_on(text, THREADS), peer]
        entries = [Entry(each.name, each, written) for each in contestants]
        for entry in entries:
            timed(entry)
        timings = race(entries, rounds)
        for label, timing in timings.items():
            _show(f"{name}: {label}", timing)
        mine = timings[ON_SPARK].seconds
        found[name] = {
            "megabytes": round(written.megabytes),
            "contestants": {label: _figures(timing) for label, timing in timings.items()},
            "reader_over_ours": round(timings[peer.name].seconds / mine, 2),
            "share_of_local_throughput": round(timings[OURS].seconds / mine, 2),
            **_reads(spark, text, written.path),
        }
    return found


MISTAKES = 10


def _employees(folder: Path, size: float) -> Written:
    """Rows whose ids are distinct but for some at the end, which have no department either."""
    path = folder / "employees.csv"
    rows = round(size * 1e6 / 56)
    with path.open("w", encoding="utf-8") as file:
        file.write("id,dept,name,note\n")
        for row in range(rows):
            number = row * 7_919 % rows
            file.write(
                f"{number + 10**8},D{row % DEPTS},name of {row % 5_000},a note of some kind\n"
            )
        for row in range(MISTAKES):
            file.write(f"{row + 10**8},E{row},name of {row},a note of some kind\n")
    return Written(path, path.stat().st_size, rows, 0, MISTAKES)


def _frame_of(spark: SparkSession, path: Path) -> DataFrame:
    columns = "id string, dept string, name string, note string"
    return spark.read.schema(columns).csv(str(path), header=True)


def _grouped(spark: SparkSession) -> Contestant:
    def run(path: Path) -> int:
        counts = _frame_of(spark, path).groupBy("id").count().where("count > 1")
        return int(counts.agg(F.sum(F.col("count") - 1)).collect()[0][0])

    return Contestant("spark.read.csv + groupBy", run, lambda written: written.violating)


def _joined(spark: SparkSession, depts: Path) -> Contestant:
    def run(path: Path) -> int:
        known = spark.read.schema("code string, title string").csv(str(depts), header=True)
        rows = _frame_of(spark, path)
        return rows.join(known, rows["dept"] == known["code"], "left_anti").count()

    return Contestant("spark.read.csv + left_anti", run, lambda written: written.violating)


def executors(size: float, rounds: int, folder: Path) -> Figures:
    """The same file on one executor and on two, each with one core."""
    table = data.numeric()
    clean = write(table, folder / "clean.csv", size)
    figures: Figures = {}
    for count in (1, 2):
        with session(f"local-cluster[{count},1,1024]") as (spark, started):
            entry = Entry(f"{count} executor(s)", ours(spark, table.schema), clean)
            timed(entry)
            timing = race([entry], rounds)[entry.label]
            _show(f"executors: {entry.label}", timing)
            figures[entry.label] = {**_figures(timing), "start_s": round(started, 1)}
    one, two = (each["seconds"] for each in figures.values())
    return figures | {"speed_up": round(one / two, 2)}


def _figures(timing: Timing) -> Figures:
    return {
        "seconds": round(timing.seconds, 3),
        "mb_per_s": round(timing.rate, 1),
        "rounds": timing.rounds,
    }


def _show(label: str, timing: Timing) -> None:
    print(f"{label:<48} {timing.seconds:9.3f} s {timing.rate:9.1f} MB/s", flush=True)


def main() -> None:
    """Measure, print, record."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--size", type=float, help=f"MB of the large files ({SIZE:g}); no record")
    parser.add_argument("--rounds", type=int, default=3, help="rounds; the best counts (3)")
    parser.add_argument("--only", action="append", choices=PARTS, help="renew this part")
    chosen = parser.parse_args()
    size, rounds = chosen.size or SIZE, chosen.rounds
    count = FILES if chosen.size is None else 500
    parts = chosen.only or PARTS
    results: Figures = {}
    if chosen.only and chosen.size is None:
        results = json.loads(RECORD.read_text(encoding="utf-8"))

    def part(name: str, measure: Callable[[Path], Figures]) -> None:
        if name in parts:
            with tempfile.TemporaryDirectory(prefix="sculpt-bench-") as folder:
                results[name] = {**measure(Path(folder)), "commit": commit(), "rounds": rounds}

    with session(f"local[{THREADS}]") as (spark, started):
        results["start_s"] = round(started, 1)
        for table in (data.numeric(), data.quoted()):
            part(table.name, partial(side_by_side, spark, table, size, rounds))
        part("small-files", partial(small_files, spark, rounds, count))
        part("sections", partial(adversarial, spark, size / 4, rounds))
        part("keys", partial(keys, spark, size, rounds))
    part("executors", partial(executors, size, rounds))
    results["targets"] = _targets(results)
    print(json.dumps(results["targets"], indent=2))
    if chosen.size is None:
        record = {
            **results,
            "date": datetime.now(UTC).date().isoformat(),
            "command": "python benchmarks/spark.py",
            "machine": machine(),
        }
        RECORD.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


def _targets(results: Figures) -> list[Figures]:
    found = []
    for file in ("numeric", "quoted"):
        if file not in results:
            continue
        figures = results[file]
        for what, target, value, met in (
            ("reader over ours", ">= 8", figures["reader_over_ours"], 8.0),
            (
                "share of the local engine's throughput",
                ">= 0.5",
                figures["share_of_local_throughput"],
                0.5,
            ),
        ):
            fits = value >= met
            found.append(
                {"what": f"{file}: {what}", "target": target, "measured": value, "met": fits}
            )
        read = figures["bytes_read_over_input"]
        found.append(
            {
                "what": f"{file}: bytes read over input",
                "target": "<= 1.1",
                "measured": read,
                "met": read <= 1.1,
            }
        )
    for kind in ("key", "reference"):
        if kind not in results.get("keys", {}):
            continue
        figures = results["keys"][kind]
        for what, target, value, met in (
            ("reader over ours", ">= 3", figures["reader_over_ours"], 3.0),
            (
                "share of the local engine's throughput",
                ">= 0.4",
                figures["share_of_local_throughput"],
                0.4,
            ),
        ):
            found.append(
                {
                    "what": f"{kind}: {what}",
                    "target": target,
                    "measured": value,
                    "met": value >= met,
                }
            )
    return found


if __name__ == "__main__":
    main()
