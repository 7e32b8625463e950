"""Frames of real files: how many lines get the right label, by the F1 of each label.

    .venv/bin/python benchmarks/infer_frames.py            figures of the two sets of files
    .venv/bin/python benchmarks/infer_frames.py --cross    and of weights fitted to one set alone

`macro` is the mean of the F1 of the six labels other than `empty`, over all lines of a set;
`macro_with_empty` counts `empty` too. The files are shared material, absent in most checkouts.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sculpt.inference.frame import find_frame
from sculpt.inference.frame.model import LABELS

ROOT = Path(__file__).resolve().parent.parent
FILES = ROOT.parent / "shared" / "inference" / "lines"
SETS = ("saus", "govuk")


class LabelledFile(NamedTuple):
    """The rows of a file, their cells trimmed, and the true label of each."""

    name: str
    rows: list[list[str]]
    labels: list[str]


def read_files(folder: Path = FILES) -> list[LabelledFile]:
    """The labelled files of a folder."""
    csv.field_size_limit(1 << 30)
    files = []
    for text in (folder / "labels.jsonl").read_text(encoding="utf-8").splitlines():
        entry = json.loads(text)
        with (folder / entry["file"]).open(encoding="utf-8", newline="") as file:
            rows = [[cell.strip() for cell in row] for row in csv.reader(file)]
        files.append(LabelledFile(entry["file"], rows, entry["labels"]))
    return files


def found_labels(rows: Sequence[Sequence[str]]) -> list[str]:
    """The labels that the product finds."""
    return [line.label for line in find_frame(rows).lines]


def score(
    files: Iterable[LabelledFile],
    labels_of: Callable[[Sequence[Sequence[str]]], list[str]] = found_labels,
) -> dict[str, Any]:
    """Precision, recall and F1 of each label over all lines, and their means."""
    pairs: Counter[tuple[str, str]] = Counter()
    for file in files:
        pairs.update(zip(file.labels, labels_of(file.rows), strict=True))
    labels = {}
    for label in LABELS:
        right = pairs[label, label]
        true = sum(count for (one, _), count in pairs.items() if one == label)
        found = sum(count for (_, one), count in pairs.items() if one == label)
        if true:
            labels[label] = {
                "f1": round(2 * right / (true + found), 4),
                "precision": round(right / found, 4) if found else 0.0,
                "recall": round(right / true, 4),
                "lines": true,
            }
    f1 = {label: figures["f1"] for label, figures in labels.items()}
    rest = [value for label, value in f1.items() if label != "empty"]
    return {
        "macro": round(sum(rest) / len(rest), 4),
        "macro_with_empty": round(sum(f1.values()) / len(f1), 4),
        "labels": labels,
    }


def lines() -> dict[str, Any]:
    """The figures of each set; nothing if the files are not here."""
    if not (FILES / "labels.jsonl").exists():
        return {}
    files = read_files()
    figures = {}
    for name in SETS:
        start = time.perf_counter()
        figures[name] = score(file for file in files if file.name.startswith(name))
        figures[name]["seconds"] = round(time.perf_counter() - start, 2)
    return figures


def show(title: str, figures: dict[str, Any]) -> None:
    """Print the figures of a set."""
    print(f"{title}: macro-F1 {figures['macro']:.3f}, with empty {figures['macro_with_empty']:.3f}")
    for label, own in figures["labels"].items():
        print(
            f"  {label:9} F1 {own['f1']:.3f}  precision {own['precision']:.3f}"
            f"  recall {own['recall']:.3f}  {own['lines']:6} lines"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cross", action="store_true", help="fit to one set, test on the other")
    options = parser.parse_args()
    for name, figures in lines().items():
        show(name, figures)
    if options.cross:
        sys.path.insert(0, str(ROOT / "tools"))
        from fit_frame import cross

        files = read_files()
        sets = {name: [file for file in files if file.name.startswith(name)] for name in SETS}
        for one, other in (SETS, SETS[::-1]):
            show(f"{one} → {other}", score(sets[other], cross(sets[one])))


if __name__ == "__main__":
    main()
