"""How fast messy tables become tidy records, beside tidychef, DuckDB and our own engines.

    .venv/bin/python benchmarks/transform.py                 all parts, writes the record
    .venv/bin/python benchmarks/transform.py --only duckdb   renews a part of the record
    .venv/bin/python benchmarks/transform.py --size 50       smaller files, writes nothing

`tidychef`: a crosstab of a few MB (a title, two header rows of which one has merged cells, two row
headers) is turned into CSV by tidychef and by us; the records must be the same. `duckdb`: 500 MB of
the same kind become Parquet; DuckDB gets a clean table (one header row, known types) and does an
`UNPIVOT` on it; we get the same numbers under a title and two header rows, validate them first, and
make the same records; our peak memory is measured in a separate process. `spark`: 1 GB to Parquet
in a session with `local[2]`, as `sculpt run --engine spark` does it and through a data frame,
beside Spark's own reader, `unpivot` and writer on the clean table.
Contestants take turns; each keeps its best round.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from measure import WrongAnswerError, commit, machine
from peers import THREADS, load

import sculpt

RECORD = Path(__file__).parent / "record" / "transform.json"
PARTS = ("tidychef", "duckdb", "spark")
COLUMNS = 40
BLOCK = 100_000
"""The number of different rows; large files repeat them."""

SCHEMA = """\
Code = E[0-9]{8}
Value = [0-9]+"."[0-9]{2}
Period = [0-9]{4}[MF]
Area <= right(Code)
Values <= Value and row(Area)
row(Code) -> Any, Value{40}
col(1) -> Code | Text | Empty
For each cell v in Values {
  emit Obs(
    code: directly(left, Code, v),
    area: directly(left, Area, v),
    period: directly(up, Period, v),
    value: v.content as xs:decimal(12,2))
}
"""

CROSSTAB = """\
Code = E[0-9]{8}
Value = [0-9]+"."[0-9]{2}
Sex = Male|Female
Year = [0-9]{4}
Area <= right(Code)
Years <= row(2) and Year
Values <= Value and row(Area)
row(Code) -> Any, Value{40}
For each cell v in Values {
  emit Obs(
    code: directly(left, Code, v),
    area: directly(left, Area, v),
    year: closest(left, Years, v),
    sex: directly(up, Sex, v),
    value: v)
}
"""


def periods() -> list[str]:
    return [f"{2000 + ix // 2}{'MF'[ix % 2]}" for ix in range(COLUMNS)]


def rows(count: int, seed: int = 1) -> Iterator[str]:
    chance = random.Random(seed)
    for row in range(count):
        values = (f"{chance.randrange(10**6) / 100:.2f}" for _ in range(COLUMNS))
        yield f"E{row:08},Area {row % 5000}," + ",".join(values) + "\n"


def write_messy(path: Path, megabytes: float) -> int:
    """Write a title, a header, an empty row, then the numbers; return how many rows of them."""
    head = f"Population by area{',' * (COLUMNS + 1)}\n,,{','.join(periods())}\n\n"
    return _written(path, head, megabytes)


def write_clean(path: Path, megabytes: float) -> int:
    return _written(path, f"code,area,{','.join(periods())}\n", megabytes)


def write_crosstab(path: Path, megabytes: float) -> int:
    years = ",".join(str(2000 + ix // 2) if ix % 2 == 0 else "" for ix in range(COLUMNS))
    sexes = ",".join(("Male", "Female")[ix % 2] for ix in range(COLUMNS))
    head = f"Population by area,,{',' * (COLUMNS - 1)}\ncode,area,{years}\n,,{sexes}\n"
    return _written(path, head, megabytes)


def _written(path: Path, head: str, megabytes: float) -> int:
    size = 19 + 8 * COLUMNS
    count = max(10, int(megabytes * 1e6 / size))
    block = list(rows(min(count, BLOCK)))
    with path.open("w", encoding="utf-8") as file:
        file.write(head)
        for begin in range(0, count, BLOCK):
            file.writelines(block[: count - begin])
    return count


def best(contestants: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """The best time of each contestant; they take turns."""
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, run in contestants.items():
            begin = time.perf_counter()
            run()
            seconds[name].append(time.perf_counter() - begin)
    return {name: round(min(each), 3) for name, each in seconds.items()}


# ----------------------------------------------------------------- tidychef


def with_tidychef(path: Path, out: Path) -> None:
    from tidychef import acquire
    from tidychef.column import Column
    from tidychef.direction import down, right
    from tidychef.output import TidyData

    table = acquire.csv.local(str(path))
    values = table.excel_ref("C4").expand(right).expand(down).is_not_blank().label_as("value")
    code = table.excel_ref("A4").expand(down).is_not_blank().label_as("code")
    area = table.excel_ref("B4").expand(down).is_not_blank().label_as("area")
    year = table.excel_ref("C2").expand(right).is_not_blank().label_as("year")
    sex = table.excel_ref("C3").expand(right).is_not_blank().label_as("sex")
    TidyData(
        values,
        Column(code.attach_directly(right)),
        Column(area.attach_directly(right)),
        Column(year.attach_closest(right)),
        Column(sex.attach_directly(down)),
    ).to_csv(str(out))


def records_of(path: Path) -> list[tuple[str, ...]]:
    names = ("code", "area", "year", "sex", "value")
    with path.open(encoding="utf-8", newline="") as file:
        return sorted(tuple(row[name] for name in names) for row in csv.DictReader(file))


def beside_tidychef(folder: Path, megabytes: float) -> dict[str, Any]:
    path = folder / "crosstab.csv"
    count = write_crosstab(path, megabytes)
    schema = sculpt.Schema.parse(CROSSTAB)
    theirs, ours = folder / "theirs.csv", folder / "ours.csv"

    def run() -> None:
        sculpt.run(schema, path, engine="local").write(ours)

    run()  # kernels are compiled once per installation
    seconds = best({"tidychef": lambda: with_tidychef(path, theirs)}, 1)
    seconds |= best({"sculpt": run}, 5)
    if records_of(theirs) != records_of(ours):
        raise WrongAnswerError("tidychef and sculpt do not make the same records")
    return {
        "megabytes": round(path.stat().st_size / 1e6, 1),
        "records": count * COLUMNS,
        "seconds": seconds,
        "ratio": round(seconds["tidychef"] / seconds["sculpt"], 1),
    }


# ----------------------------------------------------------------- DuckDB


def with_duckdb(path: Path, out: Path) -> None:
    types = {"code": "VARCHAR", "area": "VARCHAR"} | dict.fromkeys(periods(), "DECIMAL(12,2)")
    spelt = ", ".join(f"'{name}': '{kind}'" for name, kind in types.items())
    named = ", ".join(f'"{name}"' for name in periods())
    with load("duckdb").connect() as connection:
        connection.execute(f"SET threads = {THREADS}")
        connection.execute(
            f"COPY (UNPIVOT (SELECT * FROM read_csv('{path}', header = true,"
            f" columns = {{{spelt}}})) ON {named} INTO NAME period VALUE value)"
            f" TO '{out}' (FORMAT parquet)"
        )


def sums_of(path: Path) -> tuple[int, Decimal, tuple[int, int, int]]:
    """The number of records, the sum of their values, the number of distinct values of each key."""
    found: Any = (
        load("duckdb")
        .sql(
            "SELECT count(*), sum(value), count(DISTINCT code), count(DISTINCT area),"
            f" count(DISTINCT period) FROM read_parquet('{path}')"
        )
        .fetchall()[0]
    )
    return found[0], found[1], found[2:]


def beside_duckdb(folder: Path, megabytes: float) -> dict[str, Any]:
    messy, clean = folder / "messy.csv", folder / "clean.csv"
    count = write_messy(messy, megabytes)
    write_clean(clean, megabytes)
    schema = sculpt.Schema.parse(SCHEMA)
    ours, theirs = folder / "ours.parquet", folder / "theirs.parquet"
    run_ours = {
        "sculpt": lambda: sculpt.run(schema, messy, engine="local", threads=THREADS).write(ours),
        "duckdb": lambda: with_duckdb(clean, theirs),
    }
    seconds = best(run_ours, 4)
    if sums_of(ours) != sums_of(theirs):
        raise WrongAnswerError("DuckDB and sculpt do not make the same records")
    size = messy.stat().st_size / 1e6
    return {
        "megabytes": round(size, 1),
        "records": count * COLUMNS,
        "seconds": seconds,
        "megabytes_a_second": {name: round(size / each, 1) for name, each in seconds.items()},
        "ratio": round(seconds["duckdb"] / seconds["sculpt"], 2),
        "peak_memory_megabytes": peak_memory(messy, ours),
        "peak_memory_of_a_tenth": peak_memory(_tenth(messy, folder), ours),
    }


def _tenth(path: Path, folder: Path) -> Path:
    small = folder / "tenth.csv"
    write_messy(small, path.stat().st_size / 1e7)
    return small


def peak_memory(path: Path, out: Path) -> int:
    """The peak memory of one of our runs, in a separate process."""
    code = (
        "import re, sys, sculpt;"
        "sculpt.run(sculpt.Schema.parse(sys.stdin.read()), sys.argv[1], engine='local')"
        ".write(sys.argv[2]);"
        "print(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1])"
    )
    call = [sys.executable, "-c", code, str(path), str(out)]
    done = subprocess.run(call, input=SCHEMA, capture_output=True, text=True, check=True)
    return int(done.stdout) // 1000


# ----------------------------------------------------------------- Spark


def beside_spark(folder: Path, megabytes: float) -> dict[str, Any]:
    import shutil

    import sculpt.spark
    from sculpt.spark.cluster.session import open_session

    messy, clean = folder / "messy.csv", folder / "clean.csv"
    count = write_messy(messy, megabytes)
    write_clean(clean, megabytes)
    schema = sculpt.Schema.parse(SCHEMA)
    types = "code string, area string, " + ", ".join(f"`{p}` decimal(12,2)" for p in periods())
    conf = {"spark.driver.extraJavaOptions": "-XX:+UseG1GC"}
    with open_session(f"local[{THREADS}]", conf, verbose=False) as spark:

        def ours() -> None:
            shutil.rmtree(folder / "ours", ignore_errors=True)
            sculpt.spark.write_records(spark, schema, messy, folder / "ours", "Obs")

        def framed() -> None:
            shutil.rmtree(folder / "framed", ignore_errors=True)
            frame = sculpt.spark.records(spark, schema, str(messy), "Obs")
            frame.write.parquet(str(folder / "framed"))

        def theirs() -> None:
            shutil.rmtree(folder / "theirs", ignore_errors=True)
            table = spark.read.schema(types).csv(str(clean), header=True)
            tidy = table.unpivot(("code", "area"), tuple(periods()), "period", "value")
            tidy.write.parquet(str(folder / "theirs"))

        def local() -> None:
            sculpt.run(schema, messy, engine="local", threads=THREADS).write(
                folder / "local.parquet"
            )

        contestants = {
            "sculpt": ours,
            "sculpt data frame": framed,
            "spark unpivot": theirs,
            "sculpt local": local,
        }
        seconds = best(contestants, 2)
    written = ("ours/*.parquet", "framed/*.parquet", "theirs/*.parquet", "local.parquet")
    if len({sums_of(folder / name) for name in written}) > 1:
        raise WrongAnswerError("Spark and sculpt do not make the same records")
    size = messy.stat().st_size / 1e6
    return {
        "megabytes": round(size, 1),
        "records": count * COLUMNS,
        "seconds": seconds,
        "megabytes_a_second": {name: round(size / each, 1) for name, each in seconds.items()},
        "ratio": round(seconds["spark unpivot"] / seconds["sculpt"], 2),
        "ratio_of_data_frame": round(seconds["spark unpivot"] / seconds["sculpt data frame"], 2),
    }


RUNS: dict[str, tuple[Callable[[Path, float], dict[str, Any]], float]] = {
    "tidychef": (beside_tidychef, 2.0),
    "duckdb": (beside_duckdb, 500.0),
    "spark": (beside_spark, 1_000.0),
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--only", choices=PARTS, action="append")
    parser.add_argument("--size", type=float, help="megabytes, instead of the sizes of the record")
    options = parser.parse_args()
    known: dict[str, Any] = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    for part in options.only or PARTS:
        run, size = RUNS[part]
        with tempfile.TemporaryDirectory(dir=os.environ.get("SCULPT_SCRATCH")) as folder:
            figures = run(Path(folder), options.size or size)
        print(part, json.dumps(figures, indent=2), flush=True)
        stamp = {"date": datetime.now(UTC).date().isoformat(), "commit": commit()}
        known[part] = stamp | {"command": f"benchmarks/transform.py --only {part}"} | figures
        if options.size is None:
            kept = {"machine": machine(), **{each: known[each] for each in PARTS if each in known}}
            RECORD.write_text(json.dumps(kept, indent=2) + "\n")


if __name__ == "__main__":
    main()
