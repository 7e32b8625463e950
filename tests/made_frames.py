"""Generated verbose tables, of which every line's label is known."""

from __future__ import annotations

import random
from dataclasses import dataclass

NAMES = [
    "Adams", "Bath", "Cork", "Dover", "Essex", "Fife", "Gwent", "Hull", "Iona", "Jura", "Kent",
    "Leeds", "Moray", "Neath", "Oban", "Perth", "Rugby", "Skye", "Truro", "Unst", "Wells", "York",
]  # fmt: skip
MEASURES = ["Count", "Area", "Cost", "Births", "Sales", "Length", "Weight", "Visits", "Share"]


@dataclass(frozen=True)
class Made:
    """A file, and what is in it."""

    rows: list[list[str]]
    labels: list[str]
    tables: int
    headers: list[tuple[int, ...]]


class Maker:
    """Writes a file line by line."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.rows: list[list[str]] = []
        self.labels: list[str] = []
        self.width = self.random.randint(3, 7)

    def add(self, label: str, *cells: str) -> None:
        self.rows.append([*cells, *[""] * (self.width - len(cells))])
        self.labels.append(label)

    def blank(self, chance: float) -> None:
        if self.random.random() < chance:
            self.add("empty")

    def numbers(self) -> list[int]:
        return [self.random.randint(100, 9000) for _ in range(self.width - 1)]

    def header(self, depth: int) -> tuple[int, ...]:
        first = len(self.rows) + 1
        if depth == 1:
            self.add("header", "Town", *self.random.sample(MEASURES, self.width - 1))
        else:
            tops = [
                f"{2001 + at // 2} survey" if at % 2 == 0 else "" for at in range(self.width - 1)
            ]
            self.add("header", "Town", *tops)
            if depth == 3:
                self.add("header", "", *["Men" if text else "Women" for text in tops])
            self.add("header", "", *["number" if text else "percent" for text in tops])
        return tuple(range(first, len(self.rows) + 1))

    def body(self, groups: int, totals: bool) -> None:
        for group in range(max(1, groups)):
            if groups:
                self.blank(0.3)
                self.add("group", f"{['Northern', 'Southern', 'Eastern'][group]} towns")
            lines = [self.numbers() for _ in range(self.random.randint(4, 9))]
            for name, line in zip(self.random.sample(NAMES, len(lines)), lines, strict=True):
                self.add("data", name, *[f"{number:,}" for number in line])
            if totals:
                sums = [sum(column) for column in zip(*lines, strict=True)]
                self.add("derived", "Total", *[f"{number:,}" for number in sums])


def make(seed: int) -> Made:
    """A file with titles, one to three tables and notes."""
    maker = Maker(seed)
    choose = maker.random
    tables = choose.choice([1, 1, 1, 2, 3])
    headers = []
    gaps = choose.random()
    if titled := choose.random() < 0.7:
        maker.add("metadata", "Table 7. Towns by what was counted in them, all regions")
        if choose.random() < 0.5:
            maker.add("metadata", "Figures as of March, revised")
    for at in range(tables):
        if at:
            maker.add("empty")
        elif titled:
            maker.blank(gaps)
        headers.append(maker.header(choose.choice([1, 1, 2, 3])))
        maker.blank(gaps * 0.5)
        maker.body(choose.choice([0, 0, 2, 3]), choose.random() < 0.5)
    if choose.random() < 0.7:
        maker.blank(gaps)
        maker.add("notes", "Source: Office of Towns, the yearly survey of all towns.")
        if choose.random() < 0.5:
            maker.add("notes", "(1) Towns with fewer than 100 people are not included.")
    return Made(maker.rows, maker.labels, tables, headers)
