"""What validating by an imported schema costs, beside the packages that the schema is made for.

    .venv/bin/python benchmarks/interchange.py                 100 MB, writes the record
    .venv/bin/python benchmarks/interchange.py --megabytes 2   a small file, writes nothing

One table, 10 typed columns, a primary key and bounds; once as a Data Package beside `frictionless`,
once as CSVW metadata beside `csvw`. Every answer is asserted: the number of errors, which the
generator knows, so all find the same. A peer checks a tenth of the file (`--share`), as it would
take an hour for all of it; what is compared is megabytes a second, of the same run.

Two figures of ours: the file alone, with the schema imported before the clock starts, as the peers
have theirs; and the whole of it, import included.

And the cold command `sculpt import` for the largest schema of the public suites, where they are.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from data import SEED, Written
from measure import Entry, Timing, commit, machine, race
from peers import OURS, THREADS, Contestant, PeerMissingError, load

import sculpt

RECORD = Path(__file__).parent / "record" / "interchange.json"
ROUNDS = 3
MEGABYTES = 100
SHARE = 0.1
BLOCK = 50_000
BAD_EVERY = 10_000
"""One row in this many has an age out of bounds."""
WHOLE = f"{OURS}, import included"
COLUMNS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("id", "integer", {"required": True}),
    ("name", "string", {"minLength": 3}),
    ("age", "integer", {"minimum": 0, "maximum": 130}),
    ("height", "number", {"minimum": 0}),
    ("born", "date", {}),
    ("seen", "datetime", {}),
    ("member", "boolean", {}),
    ("code", "string", {"pattern": "[A-Z]{2}[0-9]{4}"}),
    ("country", "string", {"enum": ["DE", "FR", "IT", "NL", "PL"]}),
    ("note", "string", {}),
)
SUITES = Path(__file__).parents[2] / "shared" / "suites"
LARGEST = "csvschema/resources/integrityCheck/WO_95/tech_acq_metadata_v1_WO95Y14B000_v1.2.csvs"
"""The largest schema of the suites that is not an error."""
IMPORT_BAR = 0.7
BARS = (
    ("frictionless", "the package frictionless over ours", 100.0),
    ("csvw", "the package csvw over ours", 100.0),
)


def write(path: Path, megabytes: float) -> Written:
    """A file of about this size; the errors are known: one age in `BAD_EVERY` is out of bounds."""
    random = np.random.default_rng(SEED)
    countries = COLUMNS[8][2]["enum"]
    size = rows = bad = 0
    with path.open("wb") as file:
        size += file.write((",".join(name for name, _, _ in COLUMNS) + "\n").encode())
        while size < megabytes * 1e6:
            drawn = random.integers(0, 100_000, (BLOCK, 4)).tolist()
            lines = []
            for one, two, three, four in drawn:
                is_bad = rows % BAD_EVERY == BAD_EVERY - 1
                bad += is_bad
                lines.append(
                    f"{rows + 1},person number {one},{999 if is_bad else two % 120},"
                    f"{three % 250}.{four % 100:02},"
                    f"{1920 + two % 100}-{1 + one % 12:02}-{1 + three % 28:02},"
                    f"20{four % 25:02}-06-{1 + two % 28:02}T{one % 24:02}:30:00Z,"
                    f"{'true' if four % 2 else 'false'},"
                    f"{chr(65 + one % 26)}{chr(65 + two % 26)}{three % 10000:04},"
                    f"{countries[four % 5]},some words about row {two}"
                )
                rows += 1
                size += len(lines[-1]) + 1
                if size >= megabytes * 1e6:
                    break
            file.write(("\n".join(lines) + "\n").encode())
    return Written(path, size, rows + 1, len(COLUMNS), bad)


# ------------------------------------------------------------- the schemas


def data_package(data: Path, folder: Path) -> Path:
    """A Data Package for a file."""
    fields = [
        {"name": name, "type": kind} | ({"constraints": limits} if limits else {})
        for name, kind, limits in COLUMNS
    ]
    resource = {
        "name": "people",
        "type": "table",
        "path": data.name,
        "format": "csv",
        "encoding": "utf-8",
        "dialect": {"csv": {"delimiter": ",", "quoteChar": '"'}},
        "schema": {"fields": fields, "primaryKey": "id"},
    }
    return _written(folder / f"{data.stem}-package.json", {"resources": [resource]})


def csvw_metadata(data: Path, folder: Path) -> Path:
    """CSVW metadata for a file, with the same meaning."""
    bases = {"datetime": "dateTime"}
    facets = {"minimum": "minimum", "maximum": "maximum", "minLength": "minLength"}
    columns = []
    for name, kind, limits in COLUMNS:
        datatype: dict[str, Any] = {"base": bases.get(kind, kind)}
        datatype |= {facets[key]: value for key, value in limits.items() if key in facets}
        if "pattern" in limits:
            datatype["format"] = limits["pattern"]
        if "enum" in limits:
            datatype["format"] = "|".join(limits["enum"])
        column = {"name": name, "titles": name, "datatype": datatype}
        columns.append(column | ({"required": True} if "required" in limits else {}))
    metadata = {
        "@context": "http://www.w3.org/ns/csvw",
        "url": data.name,
        "tableSchema": {"columns": columns, "primaryKey": "id"},
    }
    return _written(folder / f"{data.name}-metadata.json", metadata)


def _written(path: Path, value: object) -> Path:
    path.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")
    return path


# ------------------------------------------------------------- the contestants


def errors_of(schema: sculpt.Schema) -> int:
    """How many errors the tables of a schema have."""
    found = sculpt.validate_all(schema, engine="local", threads=THREADS, max_violations=10)
    verdicts = [each for each in found.outcomes if isinstance(each, sculpt.Verdict)]
    assert len(verdicts) == 1, found.outcomes
    return verdicts[0].violation_count


def ours(describe: Callable[[Path, Path], Path], file: Written) -> list[Contestant]:
    """Our check by an imported schema, without and with the import."""
    path = describe(file.path, file.path.parent)
    schema = sculpt.load(path)
    return [
        Contestant(OURS, lambda _: errors_of(schema), _bad),
        Contestant(WHOLE, lambda _: errors_of(sculpt.load(path)), _bad),
    ]


def frictionless_peer(file: Written) -> Contestant:
    """The package `frictionless`, without a limit on the errors that it finds."""
    library = load("frictionless")
    path = data_package(file.path, file.path.parent)

    def run(_: Path) -> int:
        package = library.Package(str(path))
        report = package.validate(library.Checklist(), limit_errors=1_000_000)
        assert not report.errors, report.errors
        return int(report.stats["errors"])

    return Contestant("frictionless", run, _bad)


def csvw_peer(file: Written) -> Contestant:
    """The package `csvw`: one reading, whose errors go to a log, and its key."""
    library = load("csvw")
    path = csvw_metadata(file.path, file.path.parent)

    def run(_: Path) -> int:
        found = _Count()
        (table,) = library.CSVW(str(path)).tables
        seen: set[Any] = set()
        for row in table.iterdicts(log=found, strict=True):
            found.count += row["id"] in seen
            seen.add(row["id"])
        return found.count

    return Contestant("csvw", run, _bad)


class _Count:
    """A log that counts what is said to it."""

    def __init__(self) -> None:
        self.count = 0

    def warning(self, *_: object, **__: object) -> None:
        self.count += 1

    error = warn = warning

    def debug(self, *_: object, **__: object) -> None:
        """Say nothing."""

    info = debug


def _bad(file: Written) -> int:
    return file.violating


# ------------------------------------------------------------- the race

_SYSTEMS: dict[str, tuple[Callable[[Path, Path], Path], Callable[[Written], Contestant]]] = {
    "frictionless": (data_package, frictionless_peer),
    "csvw": (csvw_metadata, csvw_peer),
}


def measured(system: str, whole: Written, part: Written) -> dict[str, Timing]:
    """The best of each contestant: ours on the whole file, the peer on its part."""
    describe, peer = _SYSTEMS[system]
    entries = [Entry(each.name, each, whole) for each in ours(describe, whole)]
    try:
        entries.append(Entry(system, peer(part), part))
    except PeerMissingError as error:
        print(str(error).partition("\n")[0])
    return race(entries, ROUNDS)


def import_seconds() -> float | None:
    """How long the cold command takes for the largest schema, at best; `None` without suites."""
    path = SUITES / LARGEST
    if not path.exists():
        return None
    command = [sys.executable, "-m", "sculpt", "import", str(path)]
    found = []
    for _ in range(2 * ROUNDS):
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        found.append(time.perf_counter() - start)
    return min(found)


def main() -> None:
    """Measure, print, record."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--megabytes", type=float, help=f"size of the file ({MEGABYTES})")
    parser.add_argument("--share", type=float, help=f"the part of it for peers ({SHARE})")
    parser.add_argument("--only", nargs="*", choices=[*_SYSTEMS], help="writes nothing")
    chosen = parser.parse_args()
    size, share = chosen.megabytes or MEGABYTES, chosen.share or SHARE
    results: dict[str, dict[str, dict[str, float]]] = {}
    targets = []
    with tempfile.TemporaryDirectory(prefix="sculpt-interchange-") as folder:
        whole = write(Path(folder, "people.csv"), size)
        part = write(Path(folder, "part.csv"), size * share)
        for system, what, bound in BARS:
            if chosen.only and system not in chosen.only:
                continue
            timings = measured(system, whole, part)
            results[system] = {
                name: {
                    "seconds": round(timing.seconds, 3),
                    "megabytes": round(timing.megabytes, 2),
                    "megabytes a second": round(timing.rate, 3),
                }
                for name, timing in timings.items()
            }
            print(system, json.dumps(results[system], indent=2), flush=True)
            if system in timings:
                ratio = round(timings[OURS].rate / timings[system].rate, 1)
                targets.append(
                    {"what": what, "target": f">= {bound:g}", "measured": ratio,
                     "met": ratio >= bound}
                )  # fmt: skip
                print(targets[-1])
    seconds = import_seconds()
    if seconds is not None:
        targets.append(
            {"what": f"seconds to import {Path(LARGEST).name}", "target": f"< {IMPORT_BAR:g}",
             "measured": round(seconds, 2), "met": seconds < IMPORT_BAR}
        )  # fmt: skip
        print(targets[-1])
    if chosen.megabytes is not None or chosen.share is not None or chosen.only:
        print("no record: this was not a full run")
        return
    record = {
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "commit": commit(),
        "command": "python benchmarks/interchange.py",
        "machine": machine(),
        "what": f"{size:g} MB for ours, {size * share:g} MB for the peers",
        "targets": targets,
        "results": results,
    }
    RECORD.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
