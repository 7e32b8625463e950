"""What a text means in a type, for hand-picked texts, one by one and many at once."""

from __future__ import annotations

import datetime as dt
import math
import re
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from agreement import BACKENDS
from sculpt.core.builtins import FRIENDLY, XSD
from sculpt.core.programs.typed_values import (
    DECIMAL,
    INTEGER,
    TEXT,
    ValueType,
    parse_value,
    type_names,
    value_type,
)
from sculpt.transform.evaluation.casts import cast_texts


def typed(written: str) -> ValueType:
    """The type that `xs:decimal(12,2)` stands for."""
    match = re.fullmatch(r"([\w:]+)(?:\((.*)\))?", written)
    assert match is not None
    digits = tuple(map(int, match[2].split(","))) if match[2] else ()
    return value_type(match[1], digits)


ACCEPTED: list[tuple[str, str, object]] = [
    # texts
    ("xs:string", " a\n b ", " a\n b "),
    ("String", "  ", "  "),
    ("Text", " a ", " a "),
    ("xs:normalizedString", "a b", "a b"),
    ("xs:token", " a \n\t b ", "a b"),
    ("xs:NCName", "a-b", "a-b"),
    ("xs:language", "en-GB", "en-GB"),
    ("xs:NMTOKENS", " a  b ", "a b"),
    ("xs:anyURI", " http://a.org/b ", "http://a.org/b"),
    ("xs:duration", "P1Y2M3DT4H", "P1Y2M3DT4H"),
    ("xs:gYear", "2011", "2011"),
    ("xs:gYearMonth", "2011-03", "2011-03"),
    # decimals: 38 digits, 18 of them after the point
    ("xs:decimal", "0", Decimal(0)),
    ("xs:decimal", "-0.0", Decimal(0)),
    ("xs:decimal", "0." + "0" * 40, Decimal(0)),
    ("xs:decimal(2,2)", "-000.000", Decimal(0)),
    ("xs:decimal", " +01.50\n", Decimal("1.5")),
    ("xs:decimal", ".5", Decimal("0.5")),
    ("xs:decimal", "5.", Decimal(5)),
    ("xs:decimal", "0." + "0" * 17 + "1", Decimal("1e-18")),
    ("xs:decimal", "0.1" + "0" * 40, Decimal("0.1")),
    ("xs:decimal", "9" * 20 + "." + "9" * 18, Decimal("9" * 20 + "." + "9" * 18)),
    ("xs:decimal", "-" + "9" * 20 + "." + "9" * 18, Decimal("-" + "9" * 20 + "." + "9" * 18)),
    ("xs:decimal", "0" * 60 + "7", Decimal(7)),
    ("xs:decimal(38,0)", "9" * 38, Decimal("9" * 38)),
    ("xs:decimal(38,38)", "0." + "9" * 38, Decimal("0." + "9" * 38)),
    ("xs:decimal(38,19)", "1", Decimal(1)),
    ("xs:decimal(38)", "12", Decimal(12)),
    ("xs:decimal(5,2)", "-123.450", Decimal("-123.45")),
    ("xs:decimal(1,1)", "0.9", Decimal("0.9")),
    # whole numbers: 64 bits
    ("xs:integer", "9223372036854775807", 2**63 - 1),
    ("xs:integer", "-9223372036854775808", -(2**63)),
    ("xs:integer", "+007", 7),
    ("xs:integer", "-" + "0" * 90, 0),
    ("xs:integer", "0" * 90 + "12", 12),
    ("Integer", "-12", -12),
    ("xs:long", "-9223372036854775808", -(2**63)),
    ("xs:int", "2147483647", 2**31 - 1),
    ("xs:short", "-32768", -(2**15)),
    ("xs:byte", "-128", -128),
    ("xs:byte", "127", 127),
    ("xs:unsignedByte", "255", 255),
    ("xs:unsignedShort", "65535", 2**16 - 1),
    ("xs:unsignedInt", "4294967295", 2**32 - 1),
    ("xs:unsignedLong", "9223372036854775807", 2**63 - 1),
    ("xs:nonNegativeInteger", "-0", 0),
    ("xs:nonPositiveInteger", "-3", -3),
    ("xs:positiveInteger", "+3", 3),
    ("xs:negativeInteger", "-1", -1),
    # doubles
    ("xs:double", "1e3", 1000.0),
    ("xs:double", "INF", math.inf),
    ("xs:double", "-INF", -math.inf),
    ("xs:double", "1.7976931348623157e308", 1.7976931348623157e308),
    ("xs:double", "1e-400", 0.0),
    ("xs:double", "0.1", 0.1),
    ("xs:float", "0.1", 0.10000000149011612),
    ("xs:float", "3.4028235e38", 3.4028234663852886e38),
    ("Number", "1.5", 1.5),
    ("Number", "-.5E+2", -50.0),
    # truth
    ("xs:boolean", "1", True),
    ("xs:boolean", " false ", False),
    ("Boolean", "true", True),
    ("Boolean", "0", False),
    # days and times
    ("xs:date", "2011-03-27", dt.date(2011, 3, 27)),
    ("xs:date", "0001-01-01", dt.date(1, 1, 1)),
    ("xs:date", "9999-12-31", dt.date(9999, 12, 31)),
    ("xs:date", "2012-02-29", dt.date(2012, 2, 29)),
    ("Date", "2011-03-27", dt.date(2011, 3, 27)),
    ("Date", "27/03/2011", dt.date(2011, 3, 27)),
    ("Date", "3/7/2011", dt.date(2011, 7, 3)),
    ("Date", "19/10/13", dt.date(2013, 10, 19)),
    ("Date", "22-JAN-98", dt.date(1998, 1, 22)),
    ("Date", "22-Jan-1998", dt.date(1998, 1, 22)),
    ("Date", "01/01/68", dt.date(2068, 1, 1)),
    ("Date", "01/01/69", dt.date(1969, 1, 1)),
    ("Date", "01/01/00", dt.date(2000, 1, 1)),
    ("xs:dateTime", "2011-03-27T10:20:30", dt.datetime(2011, 3, 27, 10, 20, 30)),
    ("xs:dateTime", "2011-03-27T10:20:30.1234560", dt.datetime(2011, 3, 27, 10, 20, 30, 123456)),
    ("xs:dateTime", "2011-12-31T24:00:00", dt.datetime(2012, 1, 1)),
    ("xs:dateTimeStamp", "2011-03-27T10:00:00Z", dt.datetime(2011, 3, 27, 10, tzinfo=dt.UTC)),
    (
        "xs:dateTimeStamp",
        "2011-03-27T00:30:00+05:30",
        dt.datetime(2011, 3, 26, 19, tzinfo=dt.UTC),
    ),
    (
        "xs:dateTimeStamp",
        "2011-12-31T24:00:00-01:00",
        dt.datetime(2012, 1, 1, 1, tzinfo=dt.UTC),
    ),
    ("xs:time", "10:20:30.5", dt.time(10, 20, 30, 500000)),
    ("xs:time", "24:00:00", dt.time(0)),
    # bytes
    ("xs:hexBinary", "00fF", b"\x00\xff"),
    ("xs:hexBinary", "", b""),
    ("xs:base64Binary", "AP 8=", b"\x00\xff"),
]


@pytest.mark.parametrize(("name", "text", "expected"), ACCEPTED)
def test_accepted(name: str, text: str, expected: object) -> None:
    found = parse_value(text, typed(name))
    assert found == expected
    assert type(found) is type(expected)
    if isinstance(expected, Decimal):
        assert str(found) == str(expected)  # no sign for zero, no trailing zeros


def test_special_floats() -> None:
    assert math.isnan(float(parse_value("NaN", value_type("xs:double"))))  # type: ignore[arg-type]
    zero = parse_value("-0", value_type("xs:double"))
    assert isinstance(zero, float)
    assert math.copysign(1, zero) == -1


ZONED = "has a time zone, which a {} of a record or a condition cannot have"
REJECTED: list[tuple[str, str, str]] = [
    ("xs:decimal", "", "is not a valid `xs:decimal`"),
    ("xs:decimal", ".", "is not a valid `xs:decimal`"),
    ("xs:decimal", "1e3", "is not a valid `xs:decimal`"),
    ("xs:decimal", "1,5", "is not a valid `xs:decimal`"),
    ("xs:decimal", "1 5", "is not a valid `xs:decimal`"),
    ("xs:decimal", "٣", "is not a valid `xs:decimal`"),
    ("xs:decimal", "0." + "0" * 18 + "1", "has more than 18 decimals"),
    ("xs:decimal", "1" + "0" * 20, "has more than 20 digits before the point"),
    ("xs:decimal(38,0)", "9" * 39, "has more than 38 digits before the point"),
    ("xs:decimal(38,0)", "0.5", "has more than 0 decimals"),
    ("xs:decimal(38,38)", "1", "has more than 0 digits before the point"),
    ("xs:decimal(5,2)", "1234", "has more than 3 digits before the point"),
    ("xs:decimal(5,2)", "1.234", "has more than 2 decimals"),
    ("xs:integer", "1.0", "is not a valid `xs:integer`"),
    ("xs:integer", "1.", "is not a valid `xs:integer`"),
    ("xs:integer", "9223372036854775808", "does not fit into 64 bits"),
    ("xs:integer", "-9223372036854775809", "does not fit into 64 bits"),
    ("xs:integer", "9" * 5000, "does not fit into 64 bits"),
    ("xs:long", "9223372036854775808", "is not a valid `xs:long`"),
    ("xs:int", "2147483648", "is not a valid `xs:int`"),
    ("xs:byte", "128", "is not a valid `xs:byte`"),
    ("xs:unsignedByte", "-1", "is not a valid `xs:unsignedByte`"),
    ("xs:unsignedLong", "18446744073709551615", "does not fit into 64 bits"),
    ("xs:positiveInteger", "0", "is not a valid `xs:positiveInteger`"),
    ("xs:double", "1e400", "is too large for `xs:double`"),
    ("xs:double", "inf", "is not a valid `xs:double`"),
    ("xs:double", "0x1p3", "is not a valid `xs:double`"),
    ("xs:float", "3.5e38", "is too large for `xs:float`"),
    ("Number", "NaN", "is not a valid `Number`"),
    ("xs:boolean", "TRUE", "is not a valid `xs:boolean`"),
    ("Boolean", "yes", "is not a valid `Boolean`"),
    ("xs:date", "2011-02-29", "is not a valid `xs:date`"),
    ("xs:date", "27/03/2011", "is not a valid `xs:date`"),
    ("xs:date", "2011-03-27Z", ZONED.format("date")),
    ("xs:date", "2011-03-27+01:00", ZONED.format("date")),
    ("xs:date", "0000-01-01", "is outside the years 1 to 9999"),
    ("xs:date", "-0044-03-15", "is outside the years 1 to 9999"),
    ("xs:date", "10000-01-01", "is outside the years 1 to 9999"),
    ("xs:date", "9" * 5000 + "-01-01", "is outside the years 1 to 9999"),
    ("Date", "29/02/2011", "is not a valid `Date`"),
    ("Date", "29/02/11", "is not a valid `Date`"),
    ("Date", "22-JUX-98", "is not a valid `Date`"),
    ("xs:dateTime", "2011-03-27T10:00:00Z", "has a time zone: cast it to `xs:dateTimeStamp`"),
    ("xs:dateTime", "2011-03-27T24:00:01", "is not a valid `xs:dateTime`"),
    ("xs:dateTime", "9999-12-31T24:00:00", "is outside the years 1 to 9999"),
    ("xs:dateTime", "2011-03-27T10:00:00.1234567", "has more than 6 decimals in its seconds"),
    ("xs:dateTimeStamp", "2011-03-27T10:00:00", "is not a valid `xs:dateTimeStamp`"),
    ("xs:dateTimeStamp", "0001-01-01T00:00:00+01:00", "is outside the years 1 to 9999"),
    ("xs:time", "25:00:00", "is not a valid `xs:time`"),
    ("xs:time", "10:00:00Z", ZONED.format("time")),
    ("xs:hexBinary", "0", "is not a valid `xs:hexBinary`"),
    ("xs:base64Binary", "AP8", "is not a valid `xs:base64Binary`"),
    ("xs:NCName", "a:b", "is not a valid `xs:NCName`"),
    ("Text", "", "is not a valid `Text`"),
]


@pytest.mark.parametrize(("name", "text", "reason"), REJECTED)
def test_rejected(name: str, text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=re.escape(reason)) as caught:
        parse_value(text, typed(name))
    assert str(caught.value).startswith(reason)


def test_every_type_is_there() -> None:
    names = type_names()
    assert {f"xs:{name}" for name in XSD} < set(names)
    tried = {name.partition("(")[0] for name, _, _ in ACCEPTED}
    assert {"Number", "Integer", "Boolean", "Date", "String", "Text"} <= tried & set(FRIENDLY)
    for name in names:
        assert value_type(name).name == name
    assert value_type("xs:string") == TEXT
    assert value_type("xs:decimal") == DECIMAL
    assert value_type("xs:integer") == INTEGER


@pytest.mark.parametrize("name", ["decimal", "xs:Number", "Empty", "xs:nope", "", "xs:"])
def test_names_that_are_no_types(name: str) -> None:
    with pytest.raises(ValueError, match=r"^$"):
        value_type(name)


@pytest.mark.parametrize("digits", [(0,), (39,), (4, 5), (4, -1), (5, 2, 1)])
def test_digits_that_no_decimal_has(digits: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="1 to 38"):
        value_type("xs:decimal", digits)


# ----------------------------------------------------------------- many at once

digits = st.text("0123456789", max_size=25)
number_texts = st.builds(
    "{}{}{}{}{}".format,
    st.sampled_from(["", "", "-", "+", " "]),
    st.one_of(digits, st.integers(-(2**64), 2**64).map(str)),
    st.sampled_from(["", ".", "."]),
    digits,
    st.sampled_from(["", "", "", "e5", "E-12", "e400", " ", "\n", "x"]),
)
edges = st.sampled_from(
    [
        *(str(sign * (2**bits + off)) for bits in (7, 15, 31, 63) for off in (-1, 0, 1)
          for sign in (1, -1)),
        "9" * 18, "9" * 19, "9" * 20, "-" + "9" * 20 + "." + "9" * 18, "0." + "9" * 18,
        "0." + "0" * 18 + "1", "0." + "0" * 30, "1" + "0" * 18, "0.1" + "0" * 30,
        "", "-", ".", "NaN", "INF", "-0",
    ]
)  # fmt: skip
date_texts = st.one_of(
    st.dates().map(str),
    st.builds("{:04}-{:02}-{:02}".format, st.integers(0, 10001), st.integers(0, 13),
              st.integers(0, 32)),
    st.builds("{}-02-29{}".format, st.sampled_from(["1900", "2000", "2012"]),
              st.sampled_from(["", "Z", " ", "+01:00", "T00:00:00"])),
    st.builds("{}/{}/{}".format, st.integers(0, 32), st.integers(0, 13), st.integers(0, 2030)),
)  # fmt: skip
other_texts = st.one_of(
    st.text(max_size=8), st.sampled_from(["true", "false", "1", "0", "TRUE", "y", "22-JAN-98"])
)
texts = st.one_of(number_texts, edges, date_texts, other_texts)
TYPES = [
    "xs:decimal", "xs:decimal(38,0)", "xs:decimal(38,18)", "xs:decimal(38,19)", "xs:decimal(38,38)",
    "xs:decimal(6,2)", "xs:decimal(1,1)", "xs:decimal(20,20)", "xs:integer", "xs:byte", "xs:int",
    "xs:unsignedShort", "xs:positiveInteger", "Integer", "xs:double", "Number", "xs:float",
    "xs:date", "Date", "xs:boolean", "Boolean", "xs:token", "xs:string", "xs:dateTimeStamp",
]  # fmt: skip


def one_by_one(listed: list[str | None], to: ValueType) -> tuple[list[Any], list[int]]:
    values: list[Any] = []
    bad: list[int] = []
    for place, text in enumerate(listed):
        try:
            values.append(None if text is None else parse_value(text, to))
        except ValueError:
            values.append(None)
            bad.append(place)
    return values, bad


def same(found: object, expected: object) -> bool:
    if isinstance(expected, float) and isinstance(found, float):
        return repr(found) == repr(expected)  # NaN, and the sign of zero
    return found == expected


def check(listed: list[str | None], to: ValueType, array: pa.Array, backend: str) -> None:
    values, bad = cast_texts(array, to, BACKENDS[backend]())
    expected, expected_bad = one_by_one(listed, to)
    found = values.to_pylist()
    assert sorted(bad.tolist()) == expected_bad
    assert len(found) == len(expected)
    assert all(map(same, found, expected)), list(zip(found, expected, strict=True))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", TYPES)
@given(st.lists(st.one_of(texts, texts, texts, st.none()), max_size=10), st.integers(0, 3))
@settings(max_examples=30)
@example(["0.5", "1", None, "0000-01-01", "2011-02-30", "2011-02-28"], 1)
@example(["+1", "1e400", "1e5", ".5", "5.", "-0"], 0)
def test_many_at_once(name: str, backend: str, listed: list[str | None], skipped: int) -> None:
    to = typed(name)
    whole = pa.array(listed, pa.string())
    check(listed[skipped:], to, whole.slice(skipped), backend)
    check(listed, to, whole.dictionary_encode(), backend)


@pytest.mark.parametrize("backend", sorted(BACKENDS))
@pytest.mark.parametrize("name", ["xs:date", "Date"])
def test_dates_are_those_of_parse_value(backend: str, name: str) -> None:
    days = [dt.date.fromordinal(1 + 7919 * each) for each in range(400)]
    texts = [day.isoformat() for day in days]
    texts += ["2000-02-29", "1900-02-29", "1900-02-28", "2001-02-29", "2001-04-31", "2001-12-31"]
    texts += ["0000-01-01", "0001-01-01", "9999-12-31", "2001-13-01", "2001-00-10", "2001-01-00"]
    texts += [
        "2001-1-01",
        "20010-01-01",
        "2001-01-0a",
        "2001/01/01",
        "",
        "2001-01-01Z",
        " 2001-01-01",
    ]
    to = value_type(name)
    array = pa.array([*texts, None], pa.string()).slice(1)
    values, bad = cast_texts(array, to, BACKENDS[backend]())
    expected: list[Any] = []
    for text in array.to_pylist():
        try:
            expected.append(None if text is None else parse_value(text, to))
        except ValueError:
            expected.append(ValueError)
    assert values.to_pylist() == [None if each is ValueError else each for each in expected]
    assert bad.tolist() == [ix for ix, each in enumerate(expected) if each is ValueError]
