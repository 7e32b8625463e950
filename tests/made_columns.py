"""Schemas about columns, made by chance, each with texts that its columns may hold.

A column has a definition, written in several ways that mean the same, and texts near its bounds.
The texts are those on which the systems agree: no blanks around numbers, no zones.
"""

from __future__ import annotations

import csv
import io
import logging
import warnings
from importlib import import_module
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from sculpt.values import frozen


@frozen
class Kind:
    """What a column may hold."""

    tokens: str
    """The right side of a derived token."""
    texts: tuple[str, ...]


TEXTS = ("", "a", "ab", "AB12", "n/a", "x y", "Zürich", "-", "1", "0")
NUMBERS = ("0", "1", "5", "6", "-1", "10", "99", "100", "1.5", "007", "x", "")
DATES = ("2010-01-01", "2009-12-31", "2024-02-29", "2023-02-29", "01/02/2010", "", "x")
KINDS = (
    Kind("String", TEXTS),
    Kind("Text", TEXTS),
    Kind("Integer", NUMBERS),
    Kind("xs:integer", NUMBERS),
    Kind("xs:byte", (*NUMBERS, "127", "128", "-128", "-129")),
    Kind("1 <= Integer <= 99", NUMBERS),
    Kind("Integer > 5", NUMBERS),
    Kind("xs:decimal <= 1.5", NUMBERS),
    Kind("xs:decimal < 1.5", NUMBERS),
    Kind("Integer = 5 or Integer = 10", NUMBERS),
    Kind('xs:date("yyyy-MM-dd")', DATES),
    Kind('xs:date("yyyy-MM-dd") >= 2010-01-01', DATES),
    Kind('Date("dd/MM/yyyy")', DATES),
    Kind('"a" or "ab" or "x y"', TEXTS),
    Kind("/[A-Z]{2}[0-9]+/", TEXTS),
    Kind("/[a-z]+|[A-Z]+[0-9]*/ and length(Text) <= 4", TEXTS),
    Kind("2 <= length(Text) <= 3", TEXTS),
    Kind("Boolean", ("true", "false", "1", "0", "yes", "")),
    Kind('Boolean("Y|N")', ("Y", "N", "y", "true", "")),
    Kind("xs:gYear", ("2010", "1999", "x", "")),
)
MARKS = (None, "Empty", '"n/a"', '"n/a" or Empty')
REGIONS = (
    "col({n}) and not row(1)",
    "down+((1,{n}))",
    "col({heading})",
    "down+(row(1)) and col({n})",
    "right{{{before}}}(col(1)) and down+(row(1))",
    "not row(1) and not (not col({n}))",
)
"""Ways to write the cells of a column below the header."""


@frozen
class Made:
    """A schema, and tables for it."""

    text: str
    tables: tuple[str, ...]


@st.composite
def schemas(draw: st.DrawFn, keys: bool = True, tables: int = 4) -> Made:
    """A schema and the tables that it is tried on."""
    width = draw(st.integers(1, 4))
    headings = [f"c{number}" for number in range(1, width + 1)]
    lines = [f"row(1) -> {', '.join(headings)}"]
    cells: list[list[str]] = []
    for number, heading in enumerate(headings, 1):
        kind, mark = draw(st.sampled_from(KINDS)), draw(st.sampled_from(MARKS))
        form = draw(st.sampled_from(REGIONS))
        region = form.format(n=number, heading=heading, before=number - 1)
        lines.append(f"t{number} := {kind.tokens}")
        lines.append(f"R{number} <= {region}")
        lines += _rules(draw, number, mark)
        cells.append([*kind.texts, "n/a", ""])
    if keys and draw(st.booleans()):
        columns = draw(st.lists(st.integers(1, width), min_size=1, max_size=2, unique=True))
        lines.append(f"key({', '.join(f'R{each} and Text' for each in columns)})")
    made = tuple(_table(draw, headings, cells) for _ in range(tables))
    return Made("\n".join(lines) + "\n", made)


def _rules(draw: st.DrawFn, number: int, mark: str | None) -> list[str]:
    """The rules of a column: one, or one for the type and one for the rest."""
    if mark is None:
        return [f"R{number} -> t{number}"]
    if draw(st.booleans()):
        return [f"R{number} -> t{number} | {mark.replace(' or ', ' | ')}"]
    return [
        f"m{number} := {mark}",
        f"R{number} -> t{number} | m{number}",
        f"R{number} and not m{number} -> t{number}",
    ]


def _table(draw: st.DrawFn, headings: list[str], cells: list[list[str]]) -> str:
    row = st.tuples(*(st.sampled_from(texts) for texts in cells))
    # A row in which no cell has a value is an error to some systems, and nothing to others.
    filled = row.filter(lambda cells: any(cell not in ("", "n/a") for cell in cells))
    rows = draw(st.lists(filled, max_size=3))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerows([headings, *rows])
    return out.getvalue()


def by_csvw(path: Path) -> bool:
    """The verdict of the package `csvw`."""
    package: Any = import_module("csvw")

    logging.getLogger("csvw").setLevel(logging.CRITICAL)
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always")  # its verdict is made of warnings
        try:
            return bool(package.CSVW(str(path), validate=True).is_valid)
        except ValueError:
            return False
