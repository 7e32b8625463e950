"""The verdicts of Sculpt are those of the package `csvw`, on generated metadata and tables.

A pair is a metadata document and a table. Columns and cells are judged row by row: a table of many
rows is one run of ours and as many of the package's, each with one row. Keys, references and
dialects are judged table by table. Our two engines must agree on every row, too.

Where the package does not do what the standard says, the difference is in `STRICTER` or `LAXER`, as
narrow as it can be, with the section of "Model for Tabular Data" (M) or "Metadata Vocabulary" (V).

`SCULPT_PAIRS` sets the number of pairs: 2,000 unless it says otherwise.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
import tempfile
import warnings
from collections.abc import Callable
from decimal import InvalidOperation
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sculpt.csvw import Validation, validate

oracle = pytest.importorskip("csvw")

PAIRS = int(os.environ.get("SCULPT_PAIRS", "2000"))
ROWS = 10
"""Cells for each column that is generated."""

CONTEXT = "http://www.w3.org/ns/csvw"

# ------------------------------------------------------------- columns

TEXTS = ("", "x", "abc", "Ab c", "a;b", "NA", "-", "é", "abcdefgh", " x", "0")
INTEGERS = ("0", "1", "-1", "+7", "12", "007", "127", "128", "-129", "300", "65536", "1.0", "1e3")
DECIMALS = (*INTEGERS, "0.5", "-2.25", ".5", "5.", "12.345", "1,234", "1,234.5", "1234.5", "5%")
DOUBLES = (*DECIMALS, "1.5E3", "1e-2", "INF", "NaN", "-INF", "1.5e")
DATES = (
    "2020-02-29", "2021-02-29", "2010-10-18", "18/10/2010", "10/18/2010", "1/2/2010", "01.02.2010",
    "20101018", "2010-1-1", "2010-13-01", "2010-10-18Z", "2010-10-18T12:30:00",
)  # fmt: skip
TIMES = ("12:30:00", "12:30", "1230", "24:30:00", "12:60:00", "12:30:15.5", "12:30:15.25", "1:2:3")
DATETIMES = (
    "2010-10-18T12:30:00", "2010-10-18T12:30", "2010-10-18 12:30", "10/18/2010 12:30",
    "2010-02-30T12:30:00", "2010-10-18",
)  # fmt: skip
BOOLEANS = ("true", "false", "1", "0", "True", "yes", "Y", "N", "TRUE")
DURATIONS = ("P1D", "PT1H", "P1Y2M", "PT1.5S", "P", "1D", "P1H", "-P1D", "P1DT2H")

NUMBER_PATTERNS = ("0", "#,##0", "#,##0.00", "0.0#", "000", "#0.#", "#,##,##0")
DATE_PATTERNS = ("yyyy-MM-dd", "dd/MM/yyyy", "M/d/yyyy", "dd.MM.yyyy", "yyyyMMdd")
EXPRESSIONS = ("[a-z]+", "^[A-Za-z ]{2,4}$", "abc", "a|b", "[^;]*")

POOLS: dict[str, tuple[str, ...]] = {
    "string": TEXTS,
    "integer": INTEGERS,
    "byte": INTEGERS,
    "unsignedShort": INTEGERS,
    "decimal": DECIMALS,
    "double": DOUBLES,
    "number": DOUBLES,
    "date": DATES,
    "time": TIMES,
    "datetime": DATETIMES,
    "boolean": BOOLEANS,
    "duration": DURATIONS,
}


def _bounds(base: str) -> st.SearchStrategy[dict[str, Any]]:
    values: dict[str, tuple[Any, ...]] = {
        "integer": (0, 5, 100), "byte": (0, 100), "unsignedShort": (1, 300),
        "decimal": (0, "1.5", 12), "double": (0, 10.5), "number": (-1, 100),
        "date": ("2010-01-01", "2015-06-30"),
        "datetime": ("2010-10-18T12:00:00", "2015-01-01T00:00:00"),
    }  # fmt: skip
    low, high = (
        ("minimum", "minInclusive", "minExclusive"),
        ("maximum", "maxInclusive", "maxExclusive"),
    )
    one = st.sampled_from((*low, *high))
    return st.dictionaries(one, st.sampled_from(values[base]), max_size=2)


@st.composite
def datatypes(draw: st.DrawFn) -> Any:
    base = draw(st.sampled_from(tuple(POOLS)))
    described: dict[str, Any] = {"base": base}
    if base == "string":
        if draw(st.booleans()):
            described["format"] = draw(st.sampled_from(EXPRESSIONS))
        for name in draw(
            st.sets(st.sampled_from(("length", "minLength", "maxLength")), max_size=2)
        ):
            described[name] = draw(st.integers(0, 5))
    elif base in ("decimal", "integer") and draw(st.booleans()):
        described["format"] = draw(st.sampled_from(NUMBER_PATTERNS))
    elif base == "date" and draw(st.booleans()):
        described["format"] = draw(st.sampled_from(DATE_PATTERNS))
    elif base == "boolean" and draw(st.booleans()):
        described["format"] = draw(st.sampled_from(("Y|N", "yes|no", "1|0")))
    if base in (
        "integer",
        "byte",
        "unsignedShort",
        "decimal",
        "double",
        "number",
        "date",
        "datetime",
    ):
        described |= draw(_bounds(base))
    return base if len(described) == 1 and draw(st.booleans()) else described


@st.composite
def columns(draw: st.DrawFn) -> dict[str, Any]:
    column: dict[str, Any] = {"name": "value", "titles": "Value", "datatype": draw(datatypes())}
    if draw(st.booleans()):
        column["required"] = draw(st.booleans())
    if draw(st.integers(0, 2)) == 0:
        column["null"] = draw(st.sampled_from(("NA", ["NA", ""], ["-", "0"], "")))
    if draw(st.integers(0, 4)) == 0:
        column["default"] = draw(st.sampled_from(("x", "12", "NA", "2010-10-18", "true")))
    if draw(st.integers(0, 3)) == 0:
        column["separator"] = draw(st.sampled_from((";", "|", " / ")))
    return column


@st.composite
def described_cells(draw: st.DrawFn) -> tuple[dict[str, Any], list[str]]:
    column = draw(columns())
    base = base_of(column)
    text = st.sampled_from((*POOLS[base], *POOLS[base], *TEXTS))
    cells = draw(st.lists(text, min_size=ROWS, max_size=ROWS))
    if "separator" in column:
        joined = st.lists(text, max_size=3).map(column["separator"].join)
        cells = draw(st.lists(joined, min_size=ROWS, max_size=ROWS))
    return column, cells


def base_of(column: dict[str, Any]) -> str:
    datatype = column["datatype"]
    return str(datatype if isinstance(datatype, str) else datatype["base"])


# ------------------------------------------------------------- both verdicts


def document(column: dict[str, Any]) -> dict[str, Any]:
    # A second column keeps a row with an empty cell from being a blank line.
    other = {"name": "row", "titles": "Row"}
    schema = {"columns": [column, other]}
    dialect = {"trim": False}
    return {"@context": CONTEXT, "url": "t.csv", "dialect": dialect, "tableSchema": schema}


def table(rows: list[list[str]], delimiter: str = ",") -> str:
    text = io.StringIO()
    options: Any = {"lineterminator": "\n", "quoting": csv.QUOTE_ALL, "delimiter": delimiter}
    csv.writer(text, **options).writerows(rows)
    return text.getvalue()


def written(folder: Path, metadata: dict[str, Any], files: dict[str, str]) -> Path:
    path = folder / "m.json"
    path.write_text(json.dumps(metadata), "utf-8")
    for name, text in files.items():
        (folder / name).write_text(text, "utf-8", newline="")
    return path


def theirs(path: Path) -> bool:
    """Has the package neither errors nor warnings?"""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = oracle.CSVW(str(path), validate=True)
            warnings.simplefilter("always")
            return bool(found.is_valid)
        except (ValueError, AssertionError, TypeError, AttributeError, KeyError, InvalidOperation):
            return False
        except ArithmeticError:
            return False


def ours(path: Path) -> Validation:
    """The verdict, which is the same on both engines."""
    found = validate(path, max_violations=1_000)
    again = validate(path, engine="reference", max_violations=1_000)
    assert {str(each) for each in found.errors} == {str(each) for each in again.errors}
    assert found.warnings == again.warnings
    return found


# ------------------------------------------------------------- explained differences

Explains = Callable[[dict[str, Any], str], bool]


def _items(column: dict[str, Any], text: str) -> list[str]:
    separator = column.get("separator")
    found = [text or column.get("default", "")]
    return found if separator is None else [part.strip() for part in found[0].split(separator)]


def _some(pattern: str, *bases: str) -> Explains:
    """Has a cell of one of these types an item like this?"""

    def explains(column: dict[str, Any], text: str) -> bool:
        return (not bases or base_of(column) in bases) and any(
            re.fullmatch(pattern, item) for item in _items(column, text)
        )

    return explains


def _bound(column: dict[str, Any], *names: str) -> list[Any]:
    datatype = column["datatype"]
    known = {} if isinstance(datatype, str) else datatype
    return [known[name] for name in names or BOUNDS if name in known]


BOUNDS = ("minimum", "maximum", "minInclusive", "maxInclusive", "minExclusive", "maxExclusive")


def _format_of(column: dict[str, Any]) -> str | None:
    datatype = column["datatype"]
    return None if isinstance(datatype, str) else datatype.get("format")


STRICTER: dict[str, Explains] = {
    "M 6.4, step 4: a list without items breaks `required`, whatever `null` says": (
        lambda column, text: not text and "separator" in column and column.get("required", False)
    ),
    "M 6.4.2: a number has a `%` only if its pattern has": (
        _some(r".*%", "decimal", "double", "number")
    ),
    "M 6.4.2: integers have no decimal character, so `1.0` is none": (
        _some(r"[+-]?[0-9]+\.0*", "integer", "byte", "unsignedShort")
    ),
    "M 6.4.2: a number must be in the pattern, which has no point at its end": (
        lambda column, text: bool(_format_of(column)) and _some(r".*\.", "decimal")(column, text)
    ),
    "M 6.4.4: without a format, a dateTime has seconds": (
        _some(r"[0-9-]+(?:[T ][0-9]+:[0-9]+)?", "datetime")
    ),
    "M 6.4.4: a date has no time of day": _some(r"[0-9-]+T.*", "date"),
    "M 6.4.4: a format without a time zone allows none": (
        lambda column, text: bool(_format_of(column)) and _some(r".*Z", "date")(column, text)
    ),
    "V 5.11.2: NaN is not within any bounds": (
        lambda column, text: bool(_bound(column)) and _some("NaN", "double", "number")(column, text)
    ),
    "V 5.11.2: an inclusive and an exclusive bound exclude each other, also if one is 0": (
        lambda column, text: any(
            bool(
                _bound(column, f"{end}imum", f"{end}Inclusive")
                and _bound(column, f"{end}Exclusive")
            )
            for end in ("min", "max")
        )
    ),
    "V 5.11.2: the two ends are compared, also if one of them is 0, or is `minimum`": (
        lambda column, text: (
            len(_bound(column)) > 1
            and (0 in _bound(column) or bool(_bound(column, "minimum", "maximum")))
        )
    ),
}
"""Not valid by the standard, but valid for the package."""

LAXER: dict[str, Explains] = {
    "M 6.4, steps 5 and 7: a list that is null does not break `required`": (
        lambda column, text: (
            "separator" in column
            and column.get("required", False)
            and (text or column.get("default", "")) in column.get("null", ("",))
        )
    ),
    "M 6.4.2: `000` is for numbers of at least three digits, so `007` is one": (
        lambda column, text: (
            _format_of(column) == "000"
            and _some(r"[+-]?0[0-9]{2}", "integer", "decimal")(column, text)
        )
    ),
    "V 5.11.2: `maxExclusive` may equal `minExclusive`": (
        lambda column, text: (
            len(set(_bound(column, "minExclusive", "maxExclusive"))) == 1
            and len(_bound(column)) == 2
        )
    ),
    "V 5.11.2: dates with and without a time zone are compared": (
        lambda column, text: bool(_bound(column)) and _some(r".*Z", "date")(column, text)
    ),
    "V 5.11.2: bounds are not written in the format": (
        lambda column, text: bool(_bound(column)) and bool(_format_of(column))
    ),
}
"""Valid by the standard, but not for the package."""


def is_explained(column: dict[str, Any], text: str, mine: bool) -> bool:
    reasons = LAXER if mine else STRICTER
    return any(explains(column, text) for explains in reasons.values())


# ------------------------------------------------------------- the tests


@settings(max_examples=max(1, PAIRS * 9 // 10 // ROWS))
@example(
    (
        {
            "name": "value",
            "titles": "Value",
            "datatype": {"base": "string", "length": 0},
            "null": "NA",
            "default": "x",
            "separator": ";",
        },
        ["", ";", "NA;", "NA;NA"],
    )
)
@given(described_cells())
def test_cells_are_valid_for_both(drawn: tuple[dict[str, Any], list[str]]) -> None:
    column, cells = drawn
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        head = ["Value", "Row"]
        rows = [[text, str(number)] for number, text in enumerate(cells, 2)]
        path = written(folder, document(column), {"t.csv": table([head, *rows])})
        found = ours(path)
        about_metadata = [each for each in (*found.errors, *found.warnings) if not each.violation]
        is_inexact = any("blanks around the items" in each.message for each in about_metadata)
        about_metadata = [] if is_inexact else about_metadata
        bad = {each.violation.row for each in found.errors if each.violation}
        for number, text in enumerate(cells, 2):
            written(folder, document(column), {"t.csv": table([head, rows[number - 2]])})
            if is_inexact and " " in text.replace(column["separator"], ""):
                continue  # a note says so
            mine = not about_metadata and number not in bad
            if mine != theirs(path) and not is_explained(column, text, mine):
                mistakes = [str(each) for each in found.errors]
                pytest.fail(f"{column} {text!r}: valid for us: {mine}; {mistakes}")


# ------------------------------------------------------------- keys, references, headers, dialects

KEYS = ("", "1", "01", "2", "3", "a", "A")


@st.composite
def groups(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, str]]:
    """Two tables: one with a key, and one that refers to it, in some dialect."""
    base = draw(st.sampled_from(("string", "integer")))
    pool = st.sampled_from(KEYS if base == "string" else tuple(x for x in KEYS if x.isdigit()))
    title = draw(st.sampled_from(("Note", "note", "")))
    dialect: dict[str, Any] = {"trim": False, "commentPrefix": None}
    delimiter = draw(st.sampled_from((",", ";", "\t")))
    if delimiter != ",":
        dialect["delimiter"] = delimiter
    key = [{"name": "code", "titles": "Code", "datatype": base}, {"titles": "Note"}]
    referring = [{"name": "id", "titles": "Id"}, {"name": "ref", "titles": "Ref", "datatype": base}]
    target: dict[str, Any] = {"columns": key}
    if draw(st.booleans()):
        target["primaryKey"] = "code"
    reference = {"resource": "b.csv", "columnReference": "code"}
    source: dict[str, Any] = {
        "columns": referring,
        "primaryKey": draw(st.sampled_from(("id", ["id", "ref"]))),
        "foreignKeys": [{"columnReference": ["ref"], "reference": reference}],
    }
    far = [[draw(pool), draw(st.sampled_from(TEXTS))] for _ in range(draw(st.integers(1, 4)))]
    near = [
        [draw(st.sampled_from(("1", "2", "x"))), draw(pool)] for _ in range(draw(st.integers(0, 3)))
    ]
    metadata = {
        "@context": CONTEXT,
        "dialect": dialect,
        "tables": [
            {"url": "a.csv", "tableSchema": source},
            {"url": "b.csv", "tableSchema": target},
        ],
    }
    files = {
        "a.csv": table([["Id", "Ref"], *near], delimiter),
        "b.csv": table([["Code", title], *far], delimiter),
    }
    return metadata, files


def _table_difference(metadata: dict[str, Any], files: dict[str, str], mine: bool) -> str | None:
    """Why the package may judge tables otherwise."""
    delimiter = metadata["dialect"].get("delimiter", ",")
    near, far = (
        list(csv.reader(io.StringIO(files[name]), delimiter=delimiter))[1:]
        for name in ("a.csv", "b.csv")
    )
    codes = [row[0] for row in far]
    if mine and len(set(codes)) < len(codes):
        return "M 6.6: only a row that is referred to must be unique; the package asks it of all"
    if len({code.lstrip("0") for code in codes}) < len(codes):
        return "M 6.6: values are compared, so `1` is `01` for integers"
    if not near and "" in codes:
        return "M 6.6: without referring rows nothing is referred to"
    if any(not row[1] for row in near):
        return "M 6.6: a null value refers to a null value; the package refuses it"
    if files["b.csv"].splitlines()[0].endswith('""'):
        return "V 5.5.1: a header cell without text fits every column; the package asks for a title"
    return None


@settings(max_examples=max(1, PAIRS // 10))
@given(groups())
def test_tables_are_valid_for_both(drawn: tuple[dict[str, Any], dict[str, str]]) -> None:
    metadata, files = drawn
    with tempfile.TemporaryDirectory() as name:
        path = written(Path(name), metadata, files)
        found = ours(path)
        mine = not (found.errors or found.warnings)
        if mine != theirs(path) and _table_difference(metadata, files, mine) is None:
            mistakes = [str(each) for each in (*found.errors, *found.warnings)]
            pytest.fail(f"{metadata} {files}: valid for us: {mine}; {mistakes}")
