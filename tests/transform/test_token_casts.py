"""Casts to derived tokens, and the text functions: by hand, against Babel, on both engines."""

from __future__ import annotations

import csv
import datetime as dt
import io
import pickle
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyarrow as pa
import pytest
from babel.dates import parse_pattern as date_pattern
from babel.numbers import parse_pattern as number_pattern
from hypothesis import given, settings
from hypothesis import strategies as st

import sculpt
from programs import Facts, results
from sculpt.core.builtins import FRIENDLY, XSD
from sculpt.core.programs.expressions import Cast
from sculpt.core.programs.statements import Emit, Loop
from sculpt.engines.options import Options
from sculpt.policy import Policy
from sculpt.transform.arrow_types import arrow_type
from sculpt.transform.conditions.text_functions import percent_decoded, stem_of
from sculpt.transform.local import TableRun


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("casts") / "table.csv"


def both(file: Path, text: str, cells: list[str]) -> Facts:
    """What a program makes of a column of cells; the engines agree, however it is cut."""
    table = io.StringIO()
    csv.writer(table, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows([c] for c in cells)
    file.write_text(table.getvalue(), encoding="utf-8")
    schema = sculpt.Schema.parse(text)
    expected = results(TableRun(schema, str(file), Policy.FORCE, "reference"))
    for size in (1, 1000):
        options = Options(threads=1)
        found = results(TableRun(schema, str(file), Policy.FORCE, "local", options, strip=size))
        assert found == expected
    return expected


def cast(file: Path, definition: str, cells: list[str]) -> tuple[list[Any], list[str]]:
    """The values of cells in the last token that is defined, and the messages."""
    name = definition.splitlines()[-1].partition(" :=")[0]
    text = f"{definition}\nFor each cell v in true {{ emit R(x: v as {name}) }}\n"
    (records,), findings, _ = both(file, text, cells)
    return [each["x"] for each in records], [message for *_, message in findings]


def cast_type(definition: str) -> str:
    """The Arrow type of the values of a token."""
    name = definition.splitlines()[-1].partition(" :=")[0]
    schema = sculpt.Schema.parse(
        f"{definition}\nFor each cell v in true {{ emit R(x: v as {name}) }}\n"
    )
    assert schema.program is not None
    return str(arrow_type(schema.program.streams[0].fields[0][1]))


# ----------------------------------------------------------------- types and values


@pytest.mark.parametrize(
    ("definition", "expected"),
    [
        ('x := Number("£#,##0.00") >= 500', "decimal128(38, 2)"),
        ('x := Number("0.0#%")', "decimal128(38, 4)"),
        ('x := xs:decimal("0")', "decimal128(38, 0)"),
        ('x := Number("0.0E0")', "decimal128(38, 18)"),
        ('x := Number("0.0") or Number("0.000 kg")', "decimal128(38, 3)"),
        ('x := Number("0.0") or Integer', "decimal128(38, 1)"),
        ('x := Number("0.0") or xs:decimal', "decimal128(38, 18)"),
        ('x := Number("0.0") or Number', "double"),
        ("x := Number >= 5", "double"),
        ("x := Integer >= 5", "int64"),
        ('x := Integer("#,##0")', "int64"),
        ("x := xs:short or Integer", "int64"),
        ("x := xs:short < 7", "int16"),
        ("x := xs:float", "float"),
        ('x := xs:float or xs:float("0.0")', "float"),
        ("x := xs:float or xs:decimal", "double"),
        ('x := xs:double("0.0")', "double"),
        ("x := Date >= 2010-01-01", "date32[day]"),
        ('x := Date or Date("d MMM yyyy")', "date32[day]"),
        ('x := xs:dateTime("d.M.yyyy H:mm")', "timestamp[us]"),
        ('x := xs:dateTimeStamp("yyyy-MM-dd HH:mm XXX")', "timestamp[us, tz=UTC]"),
        ('x := xs:time("h:mm a")', "time64[us]"),
        ('x := Boolean("yes|no") or xs:boolean', "bool"),
        ("x := xs:hexBinary", "binary"),
        ('x := xs:gYear("yy")', "string"),
        ("x := Uuid or Email", "string"),
        ('x := "a" or "b"', "string"),
        ("x := Text and /[a-z]+/", "string"),
        ('x := Number or "a" or Text or Missing', "double"),
        ('x := list(Integer, ";") or "none"', "list<item: string>"),
        ("w = [a-z]\nx := not w", "string"),
    ],
)
def test_the_type_of_a_field(definition: str, expected: str) -> None:
    assert cast_type(definition) == expected


def test_every_predefined_type_can_be_derived_from() -> None:
    names = [*(f"xs:{name}" for name in XSD), *FRIENDLY, "Missing"]
    for name in names:
        assert cast_type(f"x := {name}")


@pytest.mark.parametrize(
    ("definition", "cells", "values"),
    [
        ('x := Number("£#,##0.00")', ["£1,234.50"], [Decimal("1234.5")]),
        ('x := Number("0.0#%")', ["12.5%"], [Decimal("0.125")]),
        ('x := Number("#,##0.00", group ".", decimal ",")', ["1.234,50"], [Decimal("1234.5")]),
        ('x := Number("0;(0)")', ["(7)", "7"], [Decimal(-7), Decimal(7)]),
        ('x := Number("0.0") or Number', ["1e3", "2.5"], [1000.0, 2.5]),
        ('gap := "n/a" or Empty\nx := Integer or gap', ["5", "n/a", ""], [5, None, None]),
        ('x := "1" or Integer', ["1"], [1]),
        ('x := Date("d MMM yyyy") or Date', ["3 Mar 2014", "3/4/15"],
         [dt.date(2014, 3, 3), dt.date(2015, 4, 3)]),
        ('x := xs:dateTime("d.M.yyyy H:mm")', ["3.12.2014 7:05"], [dt.datetime(2014, 12, 3, 7, 5)]),
        ('x := xs:dateTimeStamp("yyyy-MM-dd HH:mm XXX")', ["2014-12-03 07:05 +02:00"],
         [dt.datetime(2014, 12, 3, 5, 5, tzinfo=dt.UTC)]),
        ('x := xs:time("h:mm a")', ["7:05 PM", "12:00 AM"], [dt.time(19, 5), dt.time()]),
        ('x := Boolean("yes|no") or xs:boolean', ["yes", "no", "1"], [True, False, True]),
        ('x := xs:gYearMonth("MMM yyyy")', ["Mar 2014"], ["2014-03"]),
        ('x := xs:gYear("yyyy")', ["2014"], ["2014"]),
        ('x := xs:gMonthDay("d MMM")', ["3 Mar"], ["--03-03"]),
        ('x := xs:gDay("d")', ["3"], ["---03"]),
        ('x := xs:gMonth("MMMM")', ["March"], ["--03"]),
        ('x := "a" or /b+/', ["a", "bb"], ["a", "bb"]),
        ('x := list(Integer, ";")', ["1;22", "", "3"], [["1", "22"], [], ["3"]]),
        ('x := list(Integer) or list(/[a-z]/, "+")', ["1 2", "a+b"], [["1", "2"], ["a", "b"]]),
        ("x := xs:hexBinary", ["00ff"], [b"\x00\xff"]),
    ],
)  # fmt: skip
def test_values(file: Path, definition: str, cells: list[str], values: list[Any]) -> None:
    assert cast(file, definition, cells) == (values, [])


def test_texts_that_do_not_match_say_so_and_why(file: Path) -> None:
    text = (
        'pay := Number("£0.00") >= 500\nFor each row r in true { emit R(a: r.cells[1] as pay) }\n'
    )
    file.write_text("£400.00\n£500\n\n£" + "9" * 40 + ".00\n", encoding="utf-8")
    schema = sculpt.Schema.parse(text)
    for engine in ("local", "reference"):
        ran = sculpt.run(schema, file, engine=engine, force=True)
        ran.table()
        found = ran.findings
        assert [(each.code, each.message, each.hint) for each in found] == [
            (
                "bad-cast",
                "`£400.00` does not match `pay`",
                '`£400.00` is a value of `Number("£0.00")`, but not >= 500',
            ),
            ("bad-cast", "`£500` does not match `pay`", None),
            ("bad-cast", "an empty text does not match `pay`", None),
            ("bad-cast", f"`£{'9' * 40}.00` has more than 36 digits before the point", None),
        ]


def test_the_first_character_that_does_not_match(file: Path) -> None:
    file.write_text("3.x5\n", encoding="utf-8")
    schema = sculpt.Schema.parse(
        'pay := Number("0.00")\nFor each cell v in true { print v as pay }\n'
    )
    ran = sculpt.run(schema, file, force=True)
    assert ran.text == "\n"
    (found,) = ran.findings
    assert found.hint == "pay does not allow `x` at character 3"


def test_limits_are_those_of_other_casts(file: Path) -> None:
    assert cast(file, 'x := Integer("#,##0")', ["9,223,372,036,854,775,808"]) == (
        [None],
        ["`9,223,372,036,854,775,808` does not fit into 64 bits; `xs:decimal(38,0)` is wider"],
    )
    assert cast(file, 'x := xs:dateTime("d/M/yyyy H XXX")', ["1/2/2014 7 Z"]) == (
        [None],
        ["`1/2/2014 7 Z` has a time zone: cast it to `xs:dateTimeStamp`"],
    )
    _, messages = cast(file, 'x := xs:double("0")', ["9" * 400])
    assert messages == [f"`{'9' * 400}` is too large for `xs:double`"]


def test_padded_cells_are_null(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("1,2\n3\n")
    for token in ("Integer >= 0", "Integer or Missing", "not Date"):
        text = f"x := {token}\nFor each cell v in col(2) {{ emit R(a: v as x, r: v.row) }}\n"
        schema = sculpt.Schema.parse(text)
        expected = results(TableRun(schema, str(path), Policy.FORCE, "reference"))
        assert results(TableRun(schema, str(path), Policy.FORCE, "local")) == expected
        (records,), findings, _ = expected
        assert records[-1]["a"] is None
        assert not findings


def test_comparisons_and_defaults(file: Path) -> None:
    text = (
        'pay := Number("£#,##0.00")\nday := Date("d MMM yyyy")\n'
        "For each cell v in true {\n"
        "  print if v as pay optional >= 1000 then 1 else 0\n"
        '  print if v as day optional > "2014-03-03" then 1 else 0\n'
        "  print if v as pay optional < v as pay optional(5) then 1 else 0\n"
        "  print v as pay optional(0.5)\n"
        '  print v as day optional("2001-01-01")\n'
        "}\n"
    )
    (lines,), findings, _ = both(file, text, ["£1,000.00", "4 Mar 2014", "£7.00"])
    assert not findings
    assert [each["text"] for each in lines] == [
        *["1", "0", "0", "1000", "2001-01-01"],
        *["0", "1", "0", "0.5", "2014-03-04"],
        *["0", "0", "0", "7", "2001-01-01"],
    ]


def test_programs_with_such_casts_are_values() -> None:
    """They go to the workers of a cluster, and can be remembered."""
    text = 'x := Number("0.0") or "a"\nFor each cell v in true { emit R(a: v as x) }\n'
    program = sculpt.Schema.parse(text).program
    assert program is not None
    copy = pickle.loads(pickle.dumps(program))
    casts: list[Cast] = []
    for each in (program, copy):
        (loop,) = each.statements
        assert isinstance(loop, Loop)
        (emit,) = loop.actions
        assert isinstance(emit, Emit)
        (value,) = emit.values
        assert isinstance(value, Cast)
        casts.append(value)
    assert casts[0] == casts[1]
    assert hash(casts[0]) == hash(casts[1])


def test_a_token_that_is_cast_to_is_used() -> None:
    text = 'x := Number("0.0")\nw := Integer\nFor each cell v in true { print v as x }\n'
    unused = [each.message for each in sculpt.Schema.parse(text).lint if "nothing" in each.message]
    assert unused == ["nothing uses the token `w`"]


# ----------------------------------------------------------------- against Babel

NUMBERS = ("0.00", "#,##0.00", "£#,##0.0#", "0.0#%", "#,##,##0.###", "0 kg;(0 kg)", "0.0##E0")
DATES = ("d MMM yyyy", "dd/MM/yyyy", "EEEE, d MMMM yyyy", "yyyyMMdd", "M-d-yyyy")
TIMES = ("yyyy-MM-dd HH:mm:ss", "d/M/yyyy h:mm:ss a", "EEE d MMM yyyy, HH.mm.ss.SSS")


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(NUMBERS), st.lists(st.integers(-(10**12), 10**12), min_size=1, max_size=5))
def test_numbers_that_babel_formats(file: Path, picture: str, numbers: list[int]) -> None:
    shown = number_pattern(picture)
    places = 0 if "kg" in picture else 2 + 2 * ("%" in picture) - ("%" in picture)
    values = [Decimal(number).scaleb(-places) for number in numbers]
    if "E" in picture:
        values = [Decimal(number % 1000).scaleb(-2) for number in numbers]
    cells = [shown.apply(value, "en") for value in values]
    assert cast(file, f'x := Number("{picture}")', cells) == (values, [])


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(DATES), st.lists(st.dates(), min_size=1, max_size=5))
def test_dates_that_babel_formats(file: Path, picture: str, values: list[dt.date]) -> None:
    cells = [date_pattern(picture).apply(value, "en") for value in values]
    assert cast(file, f'x := Date("{picture}")', cells) == (values, [])


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(TIMES), st.lists(st.datetimes(), min_size=1, max_size=5))
def test_times_that_babel_formats(file: Path, picture: str, values: list[dt.datetime]) -> None:
    values = [value.replace(microsecond=0) for value in values]
    cells = [date_pattern(picture).apply(value, "en") for value in values]
    assert cast(file, f'x := xs:dateTime("{picture}")', cells) == (values, [])


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from([
        'x := Number("#,##0.##") >= 5 or "-"', "x := Number or Empty", "x := xs:duration",
        'x := Date("d/M/yy") or "."', 'x := list(/[a-c]+/, ",")', "x := not Integer",
        'x := Boolean("Y|N") or Text',
    ]),
    st.lists(st.text("0123456789.,-/YNabc P1DT£é", max_size=8), max_size=8),
)  # fmt: skip
def test_random_texts(file: Path, definition: str, cells: list[str]) -> None:
    cast(file, definition, [*cells, "5", "1,234.5", "3/4/15", "a,b", "Y"])


# ----------------------------------------------------------------- text functions


@pytest.mark.parametrize(
    ("path", "stem"),
    [
        ("a/b/c.tar.gz", "c.tar"), ("c.csv", "c"), ("c", "c"), (".profile", ".profile"),
        ("a.b/c", "c"), (r"C:\data\x.y.csv", "x.y"), ("a/b/", ""), ("", ""), ("x.", "x"),
        ("..", "."), ("a\n/b.c", "b"),
    ],
)  # fmt: skip
def test_stem(path: str, stem: str) -> None:
    assert stem_of(path) == stem


@pytest.mark.parametrize("text", ["%", "5%", "%G0", "%C3", "%C3é%A9", "%ED%A0%80", "%FF", "%1"])
def test_percent_signs_that_are_not_characters(text: str) -> None:
    assert percent_decoded(text) is None


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_percent_decoding(text: str) -> None:
    assert percent_decoded(quote(text)) == text
    assert percent_decoded(quote(text, safe="é€")) == text


def test_functions_of_texts(file: Path) -> None:
    text = (
        'tags := list(/[a-z]+/, ";")\n'
        "For each cell v in true {\n"
        "  emit R(n: length(v), s: stem(v), p: percent-decode(v),\n"
        "    t: length(v as tags optional), d: length(v.row) as xs:int)\n"
        "}\n"
    )
    cells = ["é😀", "a/b.c", "%C3%A9", "100%", "a;b;c", ""]
    (records,), findings, _ = both(file, text, cells)
    assert [tuple(each.values()) for each in records] == [
        (2, "é😀", "é😀", None, 1),
        (5, "b", "a/b.c", None, 1),
        (6, "%C3%A9", "é", None, 1),
        (4, "100%", None, None, 1),
        (5, "a;b;c", "a;b;c", 3, 1),
        (0, "", "", 0, 1),
    ]
    assert [(each[0], each[2], each[5]) for each in findings] == [
        ("bad-percent", 4, "`100%` has a `%` that is not part of a character in UTF-8")
    ]
    assert pa.types.is_int64(arrow_type(sculpt.Schema.parse(text).program.streams[0].fields[0][1]))  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ('contains(v, "b")', "yynn"),
        ('contains(v, "")', "yyyy"),
        ('starts(v, "a")', "ynyn"),
        ('ends(v, "é")', "nnyy"),
        ("starts(v, v)", "yyyy"),
        ('contains("abé", v)', "ynny"),
        ('not contains(v, "b") and starts(v, "a")', "nnyn"),
        ('(contains(v, "b"))', "yynn"),
        ('if starts(v, "a") then ends(v, "é")', "nyyy"),
        ("contains(v, up(v) optional)", "nynn"),
        ("not contains(v, up(v) optional)", "nnyy"),
        ('length(v) = 2 and (contains(v, "a") or contains(v, "b"))', "ynyn"),
        ('contains(if v = "é" then "xyz" else v, "y")', "nnny"),
        ("contains(v.file, stem(v.file))", "yyyy"),
    ],
)
def test_tests_of_texts(file: Path, condition: str, expected: str) -> None:
    text = f'For each cell v in true {{ print if {condition} then "y" else "n" }}\n'
    (lines,), findings, _ = both(file, text, ["ab", "bab", "aé", "é"])
    assert not findings
    assert "".join(each["text"] for each in lines) == expected


def test_names_of_new_functions_may_name_values(file: Path) -> None:
    text = (
        "For each cell stem in true { let length = stem; print length + length(length) + ends }\n"
    )
    with pytest.raises(sculpt.SchemaError):
        sculpt.Schema.parse(text)
    (lines,), _, _ = both(file, text.replace(" + ends", ""), ["ab"])
    assert [each["text"] for each in lines] == ["ab2"]
