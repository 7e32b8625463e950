"""How often what is inferred about files is right: dialects, encodings, frames, schemas.

    .venv/bin/python benchmarks/infer.py                         all parts, writes the record
    .venv/bin/python benchmarks/infer.py --only dialects -v      a part, shows what is wrong

The files are those of `../shared/inference`, whose truths come with them. `dialects`: each file of
a collection of tricky ones; right means the delimiter and the quote. The truth is sometimes
arbitrary: a file without quotes has `"`, one without delimiters a comma. Of the answers that are
given with a confidence of 0.9 or more, the part that is right says whether confidences can be
trusted. `encodings`: each file of another collection is written in several encodings; right means
that the text, decoded as sniffed, is the same. The other parts are those of `infer_frames.py`,
whose labels the weights were fitted to, of `infer_schemas.py`, of `infer_damages.py`, and of
`infer_times.py`, which needs no shared files.

A part is a function from the folder to figures, and a line in `PARTS`.
"""

from __future__ import annotations

import argparse
import csv
import json
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

import infer_damages
import infer_frames
import infer_schemas
import infer_times
from measure import WrongAnswerError, commit, machine

import sculpt
from sculpt.tabular.document import decode

ROOT = Path(__file__).parent.parent
SHARED = ROOT.parent / "shared" / "inference"
RECORD = Path(__file__).parent / "record" / "infer.json"
SURE = 0.9

Figures = dict[str, Any]
Tell = Callable[[str], None]
"""Called with a line about each wrong answer."""

_DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\\t", "vslash": "|", "": ","}
_QUOTES = {"doublequote": '"', "singlequote": "'", "": '"'}


def dialects(folder: Path, tell: Tell) -> Figures:
    """Delimiter and quote of tricky files."""
    right, sure, sure_right, seconds = 0, 0, 0, []
    truths = list(_dialect_truths(folder / "dialects"))
    for path, expected in truths:
        start = time.perf_counter()
        found = sculpt.sniff(path)
        seconds.append(time.perf_counter() - start)
        best = dict(found.candidates[0].values)
        answer = (_delimiter(best), best["Quote"] if "Col Delim" in best else '"')
        confidence = min(
            found.confidences.get("Col Delim", found.confidence), found.confidences["Quote"]
        )
        is_right = answer == expected
        right += is_right
        sure += confidence >= SURE
        sure_right += is_right and confidence >= SURE
        if not is_right:
            tell(f"{path.name}: {answer} ({confidence:.2f}), expected {expected}")
    return {
        "files": len(truths),
        "right": right,
        "share right": round(right / len(truths), 4),
        f"answers with {SURE} or more": sure,
        "share right of these": round(sure_right / max(1, sure), 4),
        "median seconds": round(median(seconds), 3),
        "most seconds": round(max(seconds), 3),
    }


def _delimiter(values: dict[str, str]) -> str:
    """The delimiter; one column counts as a comma, as in the truths."""
    if values.get("Col Widths") == "*":
        return ","
    return values.get("Col Delim", values.get("Col Widths", ""))


def _dialect_truths(folder: Path) -> Iterator[tuple[Path, tuple[str, str]]]:
    with (folder / "truth.txt").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="|"):
            delimiter, quote = row["fields_delimiter"], row["quotechar"]
            yield folder / "files" / row["file_name"], (_DELIMITERS[delimiter], _QUOTES[quote])


ENCODINGS = ("utf-8", "utf-8-sig", "cp1252", "latin-1", "utf-16", "utf-16-le", "utf-16-be")


def encodings(folder: Path, tell: Tell) -> Figures:
    """The text of files that are written in several encodings."""
    counts: dict[str, list[int]] = {name: [0, 0] for name in ENCODINGS}
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch) / "copy.csv"
        for path in sorted((folder / "lines").rglob("*.csv")):
            original = path.read_bytes()
            try:
                text = original.decode("utf-8").removeprefix("\ufeff")
            except UnicodeDecodeError:
                text = original.decode("cp1252", "replace")
            for name in ENCODINGS:
                try:
                    copy.write_bytes(text.encode(name))
                except UnicodeEncodeError:
                    continue
                found = sculpt.sniff(copy).encoding
                is_same = decode(copy.read_bytes(), found.directive).text == text
                counts[name][0] += is_same
                counts[name][1] += 1
                if not is_same:
                    tell(f"{path.name} in {name}: {found.name} ({found.confidence:.2f})")
    same, files = (sum(each[ix] for each in counts.values()) for ix in (0, 1))
    by_name = {name: f"{good} of {count}" for name, (good, count) in counts.items()}
    return {"files": files, "same text": same, "share": round(same / files, 4), **by_name}


def frames(folder: Path, tell: Tell) -> Figures:
    """Classes of lines: F1 of each, and their mean without empty lines, for each set."""
    figures: Figures = {}
    files = infer_frames.read_files(folder / "lines")
    for name in infer_frames.SETS:
        found = infer_frames.score(file for file in files if file.name.startswith(name))
        figures[f"{name}, macro-F1"] = found["macro"]
        for label, own in found["labels"].items():
            figures[f"{name}, {label}"] = own["f1"]
            tell(f"{name}, {label}: {own}")
    return figures


def columns(folder: Path, tell: Tell) -> Figures:
    """Columns learnt on a part: false alarms, and what of other columns is refused."""
    return _told(infer_schemas.columns(folder), tell)


def sisters(folder: Path, tell: Tell) -> Figures:
    """Schemas from a few files of a kind, on the others."""
    return _told(infer_schemas.sisters(folder), tell)


def schemas(folder: Path, tell: Tell) -> Figures:
    """Schemas on the files that they are made from; how long they are to read."""
    figures: Figures = {}
    for name in ("sisters", "dialects", "lines"):
        figures |= _told(infer_schemas.own_shares(folder, name, None), tell)
    return figures


def damages(folder: Path, tell: Tell) -> Figures:
    """Damaged copies that schemas refuse."""
    return _told(infer_damages.damages(folder), tell)


def times(folder: Path, tell: Tell) -> Figures:
    """Seconds of whole commands."""
    del folder
    return _told(infer_times.times(), tell)


def _told(rows: Iterable[tuple[str, str, str]], tell: Tell) -> Figures:
    """Figures by name; those that have a bar are told with it."""
    figures: Figures = {}
    for name, bar, value in rows:
        figures[name] = value
        if bar:
            tell(f"{name}: {value}, the bar is {bar}")
    return figures


PARTS: dict[str, Callable[[Path, Tell], Figures]] = {
    "dialects": dialects,
    "encodings": encodings,
    "frames": frames,
    "columns": columns,
    "sisters": sisters,
    "schemas": schemas,
    "damages": damages,
    "times": times,
}


def main() -> None:
    """Measure the parts that are asked for; renew their part of the record."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", choices=PARTS, action="append")
    parser.add_argument("--verbose", "-v", action="store_true")
    parser.add_argument("--shared", type=Path, default=SHARED)
    parser.add_argument("--write", action="store_true", help="renew the record of a part")
    arguments = parser.parse_args()
    if not arguments.shared.is_dir():
        raise WrongAnswerError(f"{arguments.shared}: is not there")
    chosen = arguments.only or list(PARTS)
    record = json.loads(RECORD.read_text("utf-8")) if RECORD.exists() else {}
    for name in chosen:
        lines: list[str] = []
        figures = PARTS[name](arguments.shared, lines.append)
        print(name)
        for key, value in figures.items():
            print(f"  {key:28} {value}")
        if arguments.verbose:
            print("\n".join(f"    {line}" for line in lines))
        call = f"benchmarks/infer.py --only {name} --write"
        facts = {"date": f"{datetime.now(UTC):%Y-%m-%d}", "commit": commit(), "command": call}
        record[name] = {**facts, "machine": machine(), "figures": figures}
    if arguments.write or not arguments.only:
        RECORD.write_text(json.dumps(record, indent=2, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
