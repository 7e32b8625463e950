"""Hints about the text of a cell: the same on every engine, and for tokens made of others."""

from __future__ import annotations

from pathlib import Path

import pytest

import sculpt
from agreement import HERE
from sculpt.engines.messages.hints import mismatch_hint
from sculpt.engines.messages.text_tokens import TextTokens


@pytest.fixture(params=HERE)
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def hint_for(directory: Path, engine: str, definition: str, text: str) -> str | None:
    """The hint for a cell that should match a token, which is predefined or defined here."""
    name, mark, _ = definition.partition(" := ")
    declared = f"{definition}\n" if mark else ""
    schema = sculpt.Schema.parse(f"{declared}col(1) -> {name}\n")
    path = directory / "data.csv"
    path.write_text(f"{text}\n", encoding="utf-8")
    (violation,) = sculpt.validate(schema, path, engine=engine).violations
    return violation.hint


@pytest.mark.parametrize(
    ("expression", "text", "hint"),
    [
        ("xs:integer >= 2", "1", "`1` is a value of `xs:integer`, but not >= 2"),
        ("xs:integer >= 2", '" 1 "', "`1` is a value of `xs:integer`, but not >= 2"),
        (
            "xs:integer >= 2 and xs:integer < 9",
            "12",
            "`12` is a value of `xs:integer`, but not < 9",
        ),
        ("length(xs:string) <= 2", "abc", "the length of `abc` is not <= 2"),
        ("xs:integer >= 2", "1x", "t does not allow `x` at character 2"),
        ("/[a-z]{3}/", "ab1", "t does not allow `1` at character 3"),
        ("/[a-z]{3}/ or xs:integer", '" ab1"', "t does not allow `1` at character 3"),
        ("/[a-z]{3}/", "ab", None),
        ("xs:integer and not /5/", "5", None),
    ],
)
def test_trimmed(tmp_path: Path, engine: str, expression: str, text: str, hint: str | None) -> None:
    assert hint_for(tmp_path, engine, f"t := {expression}", text.strip('" ')) == hint
    assert hint_for(tmp_path, engine, f"t := trimmed({expression})", text) == hint


def test_trimmed_texts_with_blanks() -> None:
    schema = sculpt.Schema.parse("t := trimmed(xs:integer >= 2)\ncol(1) -> t\n")
    texts = TextTokens({**schema.core.tokens})
    assert mismatch_hint(texts, "t", " 1 ") == "`1` is a value of `xs:integer`, but not >= 2"
    assert mismatch_hint(texts, "t", "  1x") == "t does not allow `x` at character 4"
    assert mismatch_hint(texts, "t", " 2 ") is None


NO_31_APRIL = "there is no 31 April"
NO_LEAP_YEAR = "2011 is no leap year: there is no 29 February"


@pytest.mark.parametrize(
    ("token", "text", "hint"),
    [
        ("xs:date", "2012-04-31", NO_31_APRIL),
        ("xs:date", "2012-04-31Z", NO_31_APRIL),
        ("xs:date", "2011-02-29", NO_LEAP_YEAR),
        ("xs:date", "2012-13-01", "there is no month 13"),
        ("xs:date", "2012-00-40", "there is no month 0"),
        ("xs:date", "2012-04-40", "there is no day 40"),
        ("xs:date", "2012-04-00", "there is no day 0"),
        ("xs:date", "1234567890-04-31", "xs:date does not allow `1` at character 16"),
        ("xs:date", "02012-04-31", "xs:date does not allow `2` at character 5"),
        ("xs:date", "2012-4-31", "xs:date does not allow `4` at character 6"),
        ("xs:dateTime", "2012-04-31T10:00:00", NO_31_APRIL),
        ("xs:dateTime", "2012-04-31T25:00:00", "xs:dateTime does not allow `1` at character 10"),
        ("xs:gYearMonth", "2012-13", "there is no month 13"),
        ("xs:gMonthDay", "--02-30", "there is no 30 February"),
        ("xs:gDay", "---32", "there is no day 32"),
        ("Date", "2012-04-31", NO_31_APRIL),
        ("Date", "31/4/2012", NO_31_APRIL),
        ("Date", "31-APR-12", NO_31_APRIL),
        ("Date", "29/02/11", NO_LEAP_YEAR),
        ("Date", "1/13/2012", "there is no month 13"),
        ("Date", "31-Foo-12", "Date does not allow `F` at character 4"),
        ("Date", "31-04-2012", "Date does not allow `0` at character 4"),
        ('t := xs:date("d/M/yyyy")', "31/04/2012", NO_31_APRIL),
        ('t := trimmed(xs:date("d/M/yyyy"))', '" 31/04/2012"', NO_31_APRIL),
        ('t := xs:date("d/M/yyyy") >= 2020-01-01', "31/04/2012", NO_31_APRIL),
        ('t := xs:date("d MMM yy")', "29 FEB 11", NO_LEAP_YEAR),
        ('t := xs:date("yyyyMMdd")', "20121301", "there is no month 13"),
        ('t := xs:date("d/M/yyyy")', "31/04/0", "t does not allow `4` at character 5"),
        ('t := xs:dateTime("d/M/yyyy H:mm")', "31/4/2012 9:05", NO_31_APRIL),
        (
            't := xs:dateTime("d/M/yyyy H:mm")',
            "31/4/2012 9:65",
            "t does not allow `4` at character 4",
        ),
        ('t := xs:time("H:mm")', "9:65", "t does not allow `6` at character 3"),
        ("t := Date or xs:integer", "2011-02-29", NO_LEAP_YEAR),
        ('t := Date("d/M/yyyy") or Date("M/d/yyyy")', "13/13/2012", "there is no month 13"),
        (
            't := Date("d/M/yyyy") or Date("M/d/yyyy")',
            "31/4/2012",
            "t does not allow `4` at character 4",
        ),
        ("t := Date and not xs:date", "2012-04-31", None),
    ],
)
def test_days_that_do_not_exist(
    tmp_path: Path, engine: str, token: str, text: str, hint: str | None
) -> None:
    assert hint_for(tmp_path, engine, token, text) == hint


def test_a_token_of_the_schema_is_no_date(tmp_path: Path, engine: str) -> None:
    path = tmp_path / "data.csv"
    path.write_text("2012-04-31\n")
    schema = sculpt.Schema.parse("Dates = [a-z]+\ncol(1) -> Dates\n")
    (violation,) = sculpt.validate(schema, path, engine=engine).violations
    assert violation.hint == "Dates does not allow `2` at character 1"


@pytest.mark.parametrize(
    ("selector", "subject"),
    [
        ("row(1)", "row 1"),
        ("row(2)", "row 2"),
        ("row(1) and Text", "the region in row 1"),
        ('row(1) and "c"', "the region in row 1"),
        ("right(row(2))", "the region in row 2"),
        ("down(row(1))", "the region in row 2"),
        ("row(1) or row(2)", "the region"),
        ("a", "the region"),
        ("col(1)", "the region"),
    ],
)
def test_the_row_of_a_region_that_ends_too_early(
    tmp_path: Path, engine: str, selector: str, subject: str
) -> None:
    path = tmp_path / "data.csv"
    path.write_text("a,b\n1,2\n")
    schema = sculpt.Schema.parse(f"{selector} => Any{{5}}, Any*\n")
    (violation,) = sculpt.validate(schema, path, engine=engine).violations
    assert violation.message == f"{subject} ends too early: expected Any"
    assert (violation.row, violation.column) == (None, None)


@pytest.mark.parametrize(
    ("content", "cell"), [('"b"', " b"), ('"b"', "b "), ("Integer", " 5"), ('"b"', '" b"')]
)
def test_blanks_that_are_data(tmp_path: Path, engine: str, content: str, cell: str) -> None:
    """With `Trim = none`, blanks outside quotes are part of a cell, too."""
    schema = sculpt.Schema.parse(f"Trim = none\ncol(1) -> {content}\n")
    (tmp_path / "data.csv").write_text(f"{cell}\n")
    (violation,) = sculpt.validate(schema, tmp_path / "data.csv", engine=engine).violations
    assert violation.hint == "it would match without the blanks around it"
