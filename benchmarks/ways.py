"""How fast the local engine is in other dialects, and for schemas that need more than one pass.

    .venv/bin/python benchmarks/ways.py            files of 200 MB, writes the record
    .venv/bin/python benchmarks/ways.py --size 5   small files, writes nothing

The same numbers each time: plain, with other line ends, delimiters, quotes and encodings, packed;
then with one more rule that walks left or up. A ratio is the time per row over the time per row of
the plain file, because dialects have more or fewer bytes per row.
"""

from __future__ import annotations

import argparse
import bz2
import gzip
import json
import lzma
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import data
import peers
from data import Written, write
from measure import Entry, child, commit, machine, race
from peers import THREADS

RECORD = Path(__file__).parent / "record" / "ways.json"
SIZE = 200.0
PACKED_SIZE = 50.0
WIDTH = 10

Change = Callable[[bytes], bytes]


def _quoted(text: bytes) -> bytes:
    return b'"' + text.replace(b",", b'","').replace(b"\n", b'"\n"')[:-1]


def _fixed(text: bytes) -> bytes:
    rows = (line.split(b",") for line in text.splitlines())
    return b"".join(b"".join(cell.ljust(WIDTH) for cell in row) + b"\n" for row in rows)


DIALECTS: dict[str, tuple[str, Change]] = {
    "plain": ("", lambda text: text),
    "CR LF": ("", lambda text: text.replace(b"\n", b"\r\n")),
    "CR": ("", lambda text: text.replace(b"\n", b"\r")),
    "tabs, latin-1": (
        "Col Delim = \\t\nEncoding = latin-1\n",
        lambda text: text.replace(b",", b"\t"),
    ),
    "delimiter ||": ("Col Delim = ||\n", lambda text: text.replace(b",", b"||")),
    "blanks, /\\s+/": ("Col Delim = /\\s+/\n", lambda text: text.replace(b",", b"  ")),
    "pattern /\\s*[,;]\\s*/": (
        "Col Delim = /\\s*[,;]\\s*/\n",
        lambda text: text.replace(b",", b" , "),
    ),
    "all cells quoted": ("", _quoted),
    "blanks to trim": ("", lambda text: text.replace(b",", b" , ")),
    "a comment after each row": ("Comment = #\n", lambda text: text.replace(b"\n", b"\n# x\n")),
    "fixed widths": (f"Col Widths = {', '.join([str(WIDTH)] * 20)}\n", _fixed),
    "utf-16": ("Encoding = utf-16\n", lambda text: text.decode().encode("utf-16")),
}
PACKED: dict[str, Change] = {
    "gzip": lambda text: gzip.compress(text, 1),
    "bz2": lambda text: bz2.compress(text, 1),
    "xz": lambda text: lzma.compress(text, preset=0),
}
RULES = {
    "left": "left[temperature](temperature) -> Any*\n",
    "look-ahead: the last row": "not <down> -> Any*\n",
    "sweeps: up*": "up*(timestamp) -> Any*\n",
    "sweeps both ways": "(up.up | down)*(time) -> Any*\n",
}


def _entries(folder: Path, size: float) -> Iterator[tuple[str, Entry]]:
    table = data.numeric()
    plain = write(table, folder / "plain.csv", size)
    text = plain.path.read_bytes()

    def entry(label: str, schema: str, name: str, changed: bytes, file: Written) -> Entry:
        path = folder / name
        path.write_bytes(changed)
        contestant = peers.sculpt_on(schema, THREADS)
        return Entry(label, contestant, replace(file, path=path, bytes=len(changed)))

    for number, (label, (directives, change)) in enumerate(DIALECTS.items()):
        schema = directives + table.schema
        yield "dialects", entry(label, schema, f"dialect{number}", change(text), plain)
    small = write(table, folder / "small.csv", min(size, PACKED_SIZE))
    for label, change in PACKED.items():
        packed = change(small.path.read_bytes())
        yield "packed", entry(label, table.schema, f"packed.{label}", packed, small)
    for label, rule in RULES.items():
        contestant = peers.sculpt_on(f"{table.schema}\n{rule}", THREADS)
        yield "walks", Entry(label, contestant, plain)


def main() -> None:
    """Measure, print, record."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--size", type=float, help=f"MB of the plain file ({SIZE:g})")
    parser.add_argument("--rounds", type=int, default=3, help="rounds; the best counts (3)")
    chosen = parser.parse_args()
    results: dict[str, dict[str, dict[str, float]]] = {}
    with tempfile.TemporaryDirectory(prefix="sculpt-bench-") as folder:
        groups = list(_entries(Path(folder), chosen.size or SIZE))
        timings = race([entry for _, entry in groups], chosen.rounds)
        plain_entry = groups[0][1]
        plain = timings[plain_entry.label].seconds / plain_entry.file.rows
        for group, entry in groups:
            seconds = timings[entry.label].seconds
            ratio = seconds / entry.file.rows / plain
            rate = timings[entry.label].rate
            print(f"{group:10} {entry.label:28} {seconds:8.3f} s {rate:8.1f} MB/s {ratio:6.2f}x")
            results.setdefault(group, {})[entry.label] = {
                "seconds": round(seconds, 3),
                "mb_per_s": round(rate, 1),
                "time_of_a_row_over_plain": round(ratio, 2),
            }
        schema = Path(folder) / "walks.sculpt"
        for label, rule in RULES.items():
            schema.write_text(f"{data.numeric().schema}\n{rule}", encoding="utf-8")
            used = child("memory", str(schema), str(plain_entry.file.path), str(THREADS))
            print(f"memory     {label:28} {used}")
            results["walks"][label] |= used
    if chosen.size is None:
        record = {
            "date": datetime.now(UTC).date().isoformat(),
            "commit": commit(),
            "command": f"python benchmarks/ways.py --rounds {chosen.rounds}",
            "machine": machine(),
            **results,
        }
        RECORD.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
