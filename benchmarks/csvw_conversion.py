"""How fast CSVW tables become JSON and RDF, beside `csvw2json`, morph-kgc and our own engines.

    .venv/bin/python benchmarks/csvw_conversion.py               all parts, writes the record
    .venv/bin/python benchmarks/csvw_conversion.py --only json   renews a part of the record
    .venv/bin/python benchmarks/csvw_conversion.py --size 2      smaller files, writes nothing

`json`: a table of 20 MB with ten typed columns, lists, dates in a format of their own and empty
cells is converted by the command `csvw2json` of the package `csvw` and by us, each in a process of
its own; the objects must be equal. `ntriples`: 200 MB become N-Triples in minimal mode; morph-kgc
gets the same statements as an RML mapping, if `SCULPT_MORPH_KGC` names a Python with it (it pins
older releases, so it needs an environment of its own); the statements must be the same, whatever
their order. Our peak memory is measured on the whole file and on a tenth of it. `spark`: 1 GB to
N-Triples by tasks of a session with `local[2]`, beside the same conversion on this machine.

This file is not called `csvw.py`, since Python would take that for the package.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from measure import WrongAnswerError, commit, machine

RECORD = Path(__file__).parent / "record" / "csvw_conversion.json"
PARTS = ("json", "ntriples", "spark")
BLOCK = 50_000
"""The number of different rows; large files repeat them, with numbers of their own."""
WORDS = ("Oak", "Lime tree", "Birch, silver", "Élm", 'Ash "old"', "Plane", "Yew")
EXAMPLE = "http://example.org/"

COLUMNS: list[dict[str, Any]] = [
    {"name": "id", "titles": "id", "datatype": "integer"},
    {"name": "label", "titles": "label"},
    {"name": "species", "titles": "species", "lang": "en"},
    {"name": "height", "titles": "height", "datatype": "decimal"},
    {"name": "count", "titles": "count", "datatype": "integer"},
    {"name": "planted", "titles": "planted", "datatype": {"base": "date", "format": "dd/MM/yyyy"}},
    {"name": "checked", "titles": "checked", "datatype": "date"},
    {"name": "healthy", "titles": "healthy", "datatype": {"base": "boolean", "format": "Y|N"}},
    {"name": "tags", "titles": "tags", "separator": ";"},
    {"name": "note", "titles": "note"},
]
FLAT = [each for each in COLUMNS if each["name"] not in ("planted", "healthy", "tags")]
"""The columns that a mapping of RML can say in the same words."""


def _cells(chance: random.Random) -> dict[str, str]:
    day = f"{chance.randrange(1, 29):02}", f"{chance.randrange(1, 13):02}"
    year = chance.randrange(1950, 2024)
    return {
        "label": f"tree {chance.randrange(10**6)}",
        "species": '"' + chance.choice(WORDS).replace('"', '""') + '"',
        "height": f"{chance.randrange(100, 4_000) / 100:.2f}",
        "count": str(chance.randrange(100_000)),
        "planted": f"{day[0]}/{day[1]}/{year}",
        "checked": f"{year}-{day[1]}-{day[0]}",
        "healthy": chance.choice("YN"),
        "tags": ";".join(chance.sample(("tall", "wide", "old", "sick"), chance.randrange(3))),
        "note": f"seen {chance.randrange(1_000)} times" if chance.random() < 0.7 else "",
    }


def write_table(folder: Path, megabytes: float, columns: list[dict[str, Any]]) -> Path:
    """Write a table and its metadata; return the path of the metadata."""
    chance = random.Random(7)
    names = [each["name"] for each in columns]
    block = []
    for _ in range(BLOCK):
        cells = _cells(chance)
        block.append(",".join(cells[name] for name in names[1:]))
    written = number = 0
    with (folder / "trees.csv").open("w", encoding="utf-8", newline="") as file:
        written += file.write(",".join(names) + "\n")
        while written < megabytes * 1e6:
            written += file.write(f"{number},{block[number % BLOCK]}\n")
            number += 1
    metadata = {
        "@context": "http://www.w3.org/ns/csvw",
        "url": "trees.csv",
        "dialect": {"commentPrefix": None},
        "tableSchema": {
            "aboutUrl": f"{EXAMPLE}tree/{{id}}",
            "columns": [{**each, "propertyUrl": f"{EXAMPLE}{each['name']}"} for each in columns],
        },
    }
    path = folder / "trees.csv-metadata.json"
    path.write_text(json.dumps(metadata), "utf-8")
    return path


OURS = """\
import re, sys
from sculpt.csvw import to_json, to_rdf
source, out, form = sys.argv[1:]
made = to_json(source) if form == "json" else to_rdf(source, minimal=True)
with open(out, "w", encoding="utf-8", newline="") as file:
    file.writelines(made)
assert not made.problems, made.problems[0]
print(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1])
"""


def run_ours(source: Path, out: Path, form: str) -> tuple[float, int]:
    """Seconds and peak memory, in megabytes, of a process of ours."""
    begin = time.perf_counter()
    call = [sys.executable, "-c", OURS, str(source), str(out), form]
    done = subprocess.run(call, capture_output=True, text=True, check=True)
    return time.perf_counter() - begin, int(done.stdout) // 1000


def best(run: Callable[[], tuple[float, int]], rounds: int) -> tuple[float, int]:
    """The best time and the largest memory of some rounds."""
    found = [run() for _ in range(rounds)]
    return round(min(seconds for seconds, _ in found), 2), max(memory for _, memory in found)


# ----------------------------------------------------------------- JSON


def beside_csvw2json(folder: Path, megabytes: float) -> dict[str, Any]:
    source = write_table(folder, megabytes, COLUMNS)
    ours, theirs = folder / "ours.json", folder / "theirs.json"
    run_ours(source, ours, "json")  # kernels are compiled once per installation
    seconds, memory = best(lambda: run_ours(source, ours, "json"), 3)
    begin = time.perf_counter()
    command = Path(sys.executable).with_name("csvw2json")
    with theirs.open("wb") as file:
        subprocess.run([command, str(source)], stdout=file, check=True)
    peer = round(time.perf_counter() - begin, 2)
    if not same_json(ours, theirs):
        raise WrongAnswerError("csvw2json and sculpt do not give equal objects")
    small = folder / "tenth"
    small.mkdir()
    _, tenth = run_ours(write_table(small, megabytes / 10, COLUMNS), ours, "json")
    size = (folder / "trees.csv").stat().st_size / 1e6
    return {
        "megabytes": round(size, 1),
        "seconds": {"sculpt": seconds, "csvw2json": peer},
        "megabytes_a_second": round(size / seconds, 1),
        "ratio": round(peer / seconds, 1),
        "peak_memory_megabytes": memory,
        "peak_memory_of_a_tenth": tenth,
    }


def same_json(ours: Path, theirs: Path) -> bool:
    """Are two documents equal, but for the names of files in front of fragments?"""
    ours_value, theirs_value = (json.loads(path.read_text("utf-8")) for path in (ours, theirs))
    ours_rows, theirs_rows = (each["tables"][0]["row"] for each in (ours_value, theirs_value))
    if len(ours_rows) != len(theirs_rows):
        return False
    return all(
        left["describes"] == right["describes"] and left["rownum"] == right["rownum"]
        for left, right in zip(ours_rows, theirs_rows, strict=True)
    )


# ----------------------------------------------------------------- N-Triples


def mapping() -> str:
    """The statements of the flat table, as an RML mapping."""
    xsd = "http://www.w3.org/2001/XMLSchema#"
    parts = []
    for each in FLAT:
        kind = each.get("datatype")
        ends = f" ; rr:datatype <{xsd}{kind}>" if kind else ""
        ends += ' ; rr:language "en"' if "lang" in each else ""
        parts.append(
            f"  rr:predicateObjectMap [ rr:predicate <{EXAMPLE}{each['name']}> ;"
            f' rr:objectMap [ rml:reference "{each["name"]}"{ends} ] ]'
        )
    return (
        "@prefix rr: <http://www.w3.org/ns/r2rml#> .\n"
        "@prefix rml: <http://semweb.mmlab.be/ns/rml#> .\n"
        "@prefix ql: <http://semweb.mmlab.be/ns/ql#> .\n"
        "<#trees> a rr:TriplesMap ;\n"
        '  rml:logicalSource [ rml:source "trees.csv" ; rml:referenceFormulation ql:CSV ] ;\n'
        f'  rr:subjectMap [ rr:template "{EXAMPLE}tree/{{id}}" ] ;\n' + " ;\n".join(parts) + " .\n"
    )


def summed(lines: Iterable[bytes]) -> tuple[int, int]:
    """The number of statements and a sum over them that does not depend on their order."""
    count = total = 0
    for line in lines:
        text = line.strip()
        if text:
            count += 1
            total += zlib.crc32(text.removesuffix(b".").rstrip())
    return count, total


def beside_morph(folder: Path, megabytes: float) -> dict[str, Any]:
    source = write_table(folder, megabytes, FLAT)
    ours = folder / "ours.nt"
    run_ours(source, ours, "ntriples")
    seconds, memory = best(lambda: run_ours(source, ours, "ntriples"), 3)
    small = folder / "tenth"
    small.mkdir()
    tenth_out = folder / "tenth.nt"
    _, tenth = run_ours(write_table(small, megabytes / 10, FLAT), tenth_out, "ntriples")
    size = (folder / "trees.csv").stat().st_size / 1e6
    found: dict[str, Any] = {
        "megabytes": round(size, 1),
        "megabytes_written": round(ours.stat().st_size / 1e6, 1),
        "seconds": {"sculpt": seconds},
        "megabytes_a_second": round(size / seconds, 1),
        "peak_memory_megabytes": memory,
        "peak_memory_of_a_tenth": tenth,
    }
    peer = os.environ.get("SCULPT_MORPH_KGC")
    if peer is None:
        return found | {"morph-kgc": "SCULPT_MORPH_KGC names no Python that has it"}
    return found | _with_morph(folder, peer, ours, seconds)


def _with_morph(folder: Path, python: str, ours: Path, seconds: float) -> dict[str, Any]:
    theirs = folder / "theirs.nt"
    (folder / "mapping.ttl").write_text(mapping(), "utf-8")
    (folder / "morph.ini").write_text(
        f"[CONFIGURATION]\noutput_file={theirs}\noutput_format=N-TRIPLES\nna_values=\n"
        "[trees]\nmappings=mapping.ttl\n"
    )
    begin = time.perf_counter()
    subprocess.run([python, "-m", "morph_kgc", "morph.ini"], cwd=folder, check=True)
    peer = round(time.perf_counter() - begin, 2)
    with ours.open("rb") as left, theirs.open("rb") as right:
        if summed(left) != summed(right):
            raise WrongAnswerError("morph-kgc and sculpt do not give the same statements")
    return {
        "seconds": {"sculpt": seconds, "morph-kgc": peer},
        "ratio": round(peer / seconds, 1),
    }


# ----------------------------------------------------------------- Spark


def on_spark(folder: Path, megabytes: float) -> dict[str, Any]:
    import sculpt.spark
    from sculpt.spark.cluster.session import open_session

    source = write_table(folder, megabytes, FLAT)
    ours, out = folder / "ours.nt", folder / "out"
    local, _ = best(lambda: run_ours(source, ours, "ntriples"), 2)
    seconds: list[float] = []
    with open_session("local[2]", {}, verbose=False) as spark:
        for _ in range(2):
            shutil.rmtree(out, ignore_errors=True)
            begin = time.perf_counter()
            sculpt.spark.convert(spark, source, out, "ntriples", minimal=True)
            seconds.append(time.perf_counter() - begin)
    parts = sorted(out.glob("part-*"))
    with ours.open("rb") as left:
        expected = summed(left)
    found = [summed(path.open("rb")) for path in parts]
    if (sum(count for count, _ in found), sum(total for _, total in found)) != expected:
        raise WrongAnswerError("Spark's tasks do not give the statements of one machine")
    size = (folder / "trees.csv").stat().st_size / 1e6
    return {
        "megabytes": round(size, 1),
        "files": len(parts),
        "seconds": {"spark": round(min(seconds), 2), "local": local},
        "megabytes_a_second": {
            "spark": round(size / min(seconds), 1), "local": round(size / local, 1),
        },
        "ratio": round(local / min(seconds), 2),
    }  # fmt: skip


RUNS: dict[str, tuple[Callable[[Path, float], dict[str, Any]], float]] = {
    "json": (beside_csvw2json, 20.0),
    "ntriples": (beside_morph, 200.0),
    "spark": (on_spark, 1_000.0),
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
        command = f"benchmarks/csvw_conversion.py --only {part}"
        known[part] = stamp | {"command": command} | figures
        if options.size is None:
            kept = {"machine": machine(), **{each: known[each] for each in PARTS if each in known}}
            RECORD.write_text(json.dumps(kept, indent=2) + "\n")


if __name__ == "__main__":
    main()
