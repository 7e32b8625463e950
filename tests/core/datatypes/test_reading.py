"""What texts are worth, and what is wrong with conditions."""

from __future__ import annotations

import json
import math
import pickle
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sculpt.core.builtins import FRIENDLY, XSD
from sculpt.core.datatypes.durations import Duration
from sculpt.core.datatypes.families import family_of
from sculpt.core.datatypes.floats import Width, nearest, rounding_ends
from sculpt.core.datatypes.json_texts import json_kind
from sculpt.core.datatypes.languages import language
from sculpt.core.datatypes.model import Base, ConditionError, Measured, Relation
from sculpt.core.datatypes.moments import EXACT, Moment
from sculpt.core.datatypes.reading import check, digits_of, exact_number, holds, value
from sculpt.syntax.regex import fold
from sculpt.syntax.regular import CharSet
from typed_texts import Judge, condition

VALUES: list[tuple[str, str, object]] = [
    ("Number", "18.0", Decimal(18)),
    ("Number", "-.5e2", Decimal(-50)),
    ("Number", "INF", None),
    ("Integer", "007", Decimal(7)),
    ("Integer", "1.0", None),
    ("xs:decimal", "5.", Decimal(5)),
    ("xs:decimal", "1e5", None),
    ("xs:double", "1e400", math.inf),
    ("xs:float", "16777217", 16777216.0),
    ("xs:boolean", "1", True),
    ("Boolean", "false", False),
    ("xs:hexBinary", "0fB7", b"\x0f\xb7"),
    ("xs:base64Binary", "Zm 9v", b"foo"),
    ("xs:NMTOKENS", "a b", ("a", "b")),
    ("xs:duration", "-P1Y2M3DT4H5M6.7S", Duration(-14, Decimal("-273906.7"))),
    ("xs:date", "2000-02-29-05:30", Moment(2000, 2, 29, zone=-330)),
    ("xs:date", "2001-02-29", None),
    ("xs:time", "24:00:00", Moment()),
    ("xs:dateTime", "1999-12-31T24:00:00Z", Moment(1999, 12, 31, Decimal(86400), 0)),
    ("xs:gMonth", "--02", Moment(1972, 2, 29)),
    ("xs:gYear", "-0044", Moment(-44)),
    ("Date", "3-mar-20", Moment(2020, 3, 3)),
    ("Date", "27/03/69", Moment(1969, 3, 27)),
    ("Uuid", "0A0B0C0D-0000-4000-8000-00000000000F", "0a0b0c0d-0000-4000-8000-00000000000f"),
    ("AnyCase", "", ""),
    ("AnyCase", "Straße É", "straße é"),
    ("AnyCase", "STRAẞE É", "straße é"),
    ("AnyCase", "STRASSE É", "strasse é"),
    ("Text", "", None),
    ("Empty", "", ""),
    ("xs:string", " a ", " a "),
]


@pytest.mark.parametrize(("name", "text", "expected"), VALUES)
def test_values(name: str, text: str, expected: object) -> None:
    assert value(Base(name), text) == expected


@given(st.text(st.sampled_from("aAsSſßẞkK\u212aéÉσςΣΐ\u1fd3ﬆﬅıİiIǅǆᾳᾼ\0"), max_size=3), st.data())
def test_any_case_takes_for_equal_what_expressions_do(text: str, data: st.DataObject) -> None:
    variants = [list(map(chr, _same_case(char))) for char in text]
    other = "".join(data.draw(st.sampled_from(each)) for each in variants)
    assert value(Base("AnyCase"), text) == value(Base("AnyCase"), other)


@given(*(st.text(st.sampled_from("aAsSſßẞéÉσςΣﬆﬅtıİiI"), max_size=3),) * 2)
def test_any_case_tells_apart_what_expressions_do(text: str, other: str) -> None:
    is_same = [ord(char) in _same_case(each) for char, each in zip(text, other, strict=False)]
    expected = len(text) == len(other) and all(is_same)
    assert (value(Base("AnyCase"), text) == value(Base("AnyCase"), other)) == expected


def _same_case(char: str) -> list[int]:
    """The characters that `(?i)` takes for the same."""
    ranges = fold(CharSet.of([(ord(char), ord(char))])).ranges
    return [code for low, high in ranges for code in range(low, high + 1)]


@pytest.mark.parametrize("name", [*(f"xs:{each}" for each in XSD), *FRIENDLY])
def test_every_predefined_token_is_a_type(name: str) -> None:
    family_of(name)
    check(condition(name))
    language(condition(name))


HOLDS: list[tuple[str, Measured, Relation, str, str, bool]] = [
    ("Number", "value", "=", "18", "18.0", True),
    ("Number", "value", "=", "0.1", "1e-1", True),
    ("Number", "value", "<", "1", "1e-99999999999999999999", True),
    ("Number", "value", ">", "1", "1e99999999999999999999", True),
    ("Number", "value", ">", "1", "-1e99999999999999999999", False),
    ("Number", "value", "=", "0", "0e99999999999999999999", True),
    ("xs:double", "value", "=", "0.1", "0.1000000000000000055", True),
    ("xs:double", "value", "=", "NaN", "NaN", True),
    ("xs:double", "value", "<=", "NaN", "NaN", True),
    ("xs:double", "value", "<", "NaN", "NaN", False),
    ("xs:double", "value", "!=", "1", "NaN", True),
    ("xs:double", "value", ">=", "1", "NaN", False),
    ("xs:double", "value", "=", "0", "-0", True),
    ("xs:double", "value", "<", "INF", "1.7976931348623159e308", False),
    ("xs:duration", "value", "<", "P1M", "P27D", True),
    ("xs:duration", "value", "<", "P1M", "P30D", False),
    ("xs:duration", "value", ">", "P1M", "P30D", False),
    ("xs:duration", "value", "!=", "P1M", "P30D", True),
    ("xs:duration", "value", "=", "P1D", "PT24H", True),
    ("xs:duration", "value", "=", "P12M", "P1Y", True),
    ("xs:duration", "value", ">", "P1Y", f"P{'9' * 5_000}Y", True),
    ("xs:date", "value", "<", "2000-01-01", "1999-12-31-11:00", False),
    ("xs:date", "value", "<", "2000-01-01", "1999-12-30Z", True),
    ("xs:date", "value", "!=", "2000-01-01", "2000-01-01Z", True),
    ("xs:date", "value", ">", "2000-01-01", f"{'9' * 5_000}-01-01", True),
    ("xs:hexBinary", "value", "=", "0FB7", "0fb7", True),
    ("xs:hexBinary", "length", "=", "2", "0fb7", True),
    ("xs:base64Binary", "length", "=", "3", "Zm9v", True),
    ("xs:NMTOKENS", "length", "=", "2", "ab cd", True),
    ("xs:QName", "length", "=", "99", "a:b", True),
    ("Text", "length", "=", "1", "\U0001f600", True),
    ("xs:decimal", "digits", "=", "3", "-012.30", True),
    ("xs:decimal", "digits", "=", "3", "0.001", True),
    ("xs:decimal", "decimals", "=", "1", "12.300", True),
    ("Number", "digits", "=", "6", "1e5", True),
    ("Integer", "decimals", "<=", "0", "12", True),
]


@pytest.mark.parametrize(("name", "measured", "relation", "bound", "text", "expected"), HOLDS)
def test_conditions(
    name: str, measured: Measured, relation: Relation, bound: str, text: str, expected: bool
) -> None:
    test = condition(name, relation, bound, measured)
    assert holds(test, text) is expected
    assert Judge(test)(text) in ("ask", "yes" if expected else "no")


@pytest.mark.parametrize(
    ("relation", "bound", "text", "answer"),
    [
        (">=", "0", "1e-5", "yes"),
        (">=", "0", "-1e-5", "ask"),
        (">", "0", "1e-5", "ask"),
        (">=", "1", "-1e5", "no"),
        ("<", "1", "-1e5", "yes"),
        ("<", "1", "1e-5", "ask"),
        ("<=", "-1", "+1e5", "no"),
        ("=", "5", "-1e5", "no"),
        ("!=", "5", "-1e5", "yes"),
        ("!=", "5", "1e5", "ask"),
    ],
)
def test_the_sign_decides_where_it_can(
    relation: Relation, bound: str, text: str, answer: str
) -> None:
    assert Judge(condition("Number", relation, bound))(text) == answer
    assert Judge(condition("xs:float", relation, bound))(text) in ("ask", answer)


WRONG: list[tuple[str, Measured, Relation, str, str, str]] = [
    ("Text", "value", ">=", "3", "bad-facet", "`Text` has no order, so `>=` cannot be used"),
    ("xs:date", "length", "<", "3", "bad-facet", "`xs:date` has no length"),
    ("xs:double", "digits", "<", "3", "bad-facet", "`xs:double` has no digits"),
    ("Json", "value", "=", "1", "bad-facet", "`Json` has no values to compare"),
    ("Integer", "value", "<", "1.5", "bad-bound", "`1.5` is not a value of `Integer`"),
    ("xs:byte", "value", "<", "128", "bad-bound", "`128` is not a value of `xs:byte`"),
    ("Date", "value", "<", "1/1/2000", "bad-bound", "`1/1/2000` is not a value of `Date`"),
    (
        "xs:date",
        "value",
        "<",
        "2001-02-29",
        "bad-bound",
        "`2001-02-29` is not a value of `xs:date`",
    ),
    ("Text", "length", "<", "-1", "bad-bound", "`-1` is not a whole number of at most 12 digits"),
    ("Number", "value", "<", "1e5000", "bad-bound", "`1e5000` has too many digits"),
    ("xs:nope", "value", "<", "1", "unknown-type", "there is no type `xs:nope`"),
    ("nope", "value", "<", "1", "unknown-type", "there is no type `nope`"),
]


@pytest.mark.parametrize(("name", "measured", "relation", "bound", "code", "message"), WRONG)
def test_what_is_wrong(
    name: str, measured: Measured, relation: Relation, bound: str, code: str, message: str
) -> None:
    with pytest.raises(ConditionError) as caught:
        check(condition(name, relation, bound, measured))
    assert caught.value.code == code
    assert caught.value.message.startswith(message)


def test_white_space_in_a_bound() -> None:
    assert holds(condition("Integer", "=", " 5\n"), "5")
    assert not holds(condition("xs:string", "=", " 5"), "5")


@given(st.decimals(allow_nan=False, allow_infinity=False, places=6))
def test_digits_are_those_of_the_recommendation(number: Decimal) -> None:
    """`number` is i / 10^n with |i| < 10^total and n <= total, and no smaller total will do."""
    total, after = digits_of(exact_number(f"{number:f}"))
    scaled = Fraction(number) * 10**after
    assert scaled.denominator == 1
    assert abs(scaled) < 10**total
    assert after <= total
    assert after == 0 or (scaled / 10).denominator != 1
    assert total == max(1, after) or abs(scaled) >= 10 ** (total - 1)


# ------------------------------------------------------------- floats


@given(st.floats(allow_nan=False), st.sampled_from(["double", "float"]))
@example(2.0**-149, "float")
@example(0.0, "float")
@example(3.4028234663852886e38, "float")
@example(1.7976931348623157e308, "double")
def test_the_ends_of_rounding(number: float, width: Width) -> None:
    number = nearest(repr(number), width)
    low, high = rounding_ends(number, width)
    for end, away in ((low, Decimal("-1e-1200")), (high, Decimal("1e-1200"))):
        if end is None:
            assert math.isinf(number)
            continue
        assert (nearest(str(end.at), width) == number) is end.included
        assert nearest(str(EXACT.add(end.at, away)), width) != number
        assert nearest(str(EXACT.subtract(end.at, away)), width) == number


@given(st.floats(2.0**-100, 2.0**100, width=32), st.sampled_from(["", "0" * 30 + "1"]))
def test_a_float_is_rounded_once(number: float, more: str) -> None:
    """In the middle between two floats, the digits that a double does not see decide."""
    _, high = rounding_ends(number, "float")
    assert high is not None
    text = f"{high.at:f}"
    found = nearest(text + more if "." in text else f"{text}.{more}", "float")
    assert (found == number) is (high.included and not more)


# ------------------------------------------------------------- JSON

PLAIN = st.one_of(st.none(), st.booleans(), st.integers(), st.text(), st.floats(allow_nan=False))
VALUES_OF_JSON = st.recursive(
    PLAIN, lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(), inner)), max_leaves=8
)


def kind_by_python(text: str) -> str | None:
    def refuse(name: str) -> Any:
        raise ValueError(name)

    try:
        found = json.loads(text, parse_constant=refuse)
    except ValueError:
        return None
    return "object" if isinstance(found, dict) else "array" if isinstance(found, list) else "plain"


@given(VALUES_OF_JSON, st.sampled_from([None, 0, 2]), st.data())
def test_json_against_python(given_value: object, indent: int | None, data: st.DataObject) -> None:
    text = json.dumps(given_value, indent=indent, ensure_ascii=data.draw(st.booleans()))
    at = data.draw(st.integers(0, len(text)))
    changed = text[:at] + data.draw(st.sampled_from(list('"[]{},:0 \\'))) + text[at:]
    for each in (text, changed, text[:at], text[:at] + text[at + 1 :]):
        kind = kind_by_python(each)
        assert json_kind(each) == kind
        for name, expected in (
            ("Json", kind is not None),
            ("JsonObject", kind == "object"),
            ("JsonArray", kind == "array"),
        ):
            test = condition(name)
            assert holds(test, each) is expected
            assert Judge(test)(each) in ("ask", "yes" if expected else "no")


@pytest.mark.parametrize("text", ["[" * 200_000, "[" * 200_000 + "]" * 200_000, '{"a":' * 100_000])
def test_deep_json(text: str) -> None:
    assert holds(condition("Json"), text) is text.endswith("]")


# ------------------------------------------------------------- addresses


@pytest.mark.parametrize(
    ("name", "texts", "others"),
    [
        (
            "Uuid",
            ["123e4567-e89b-12d3-a456-426614174000", "123E4567-E89B-12D3-A456-426614174000"],
            ["123e4567e89b12d3a456426614174000", "{123e4567-e89b-12d3-a456-426614174000}", ""],
        ),
        (
            "Email",
            ["a@b", "first.last+tag@example.co.uk", "x'y@host-1.example", "..@x"],
            ["a", "@b", "a@", "a@-b", "a@b-", "a@b..c", "a b@c", '"a b"@c', f"a@{'x' * 64}", "é@x"],
        ),
        (
            "Uri",
            [
                "https://example.org/a?b#c", "urn:isbn:0451450523", "mailto:a@b", "a:", "file:///x",
                "http://[::1]:80/", "http://[2001:db8::7]/c=GB?one", "http://[v1.fe80::a+en1]",
                "x://u:p@h:/%41", "tel:+1-816-555-1212", "http://[::ffff:1.2.3.4]/", "a:/",
            ],
            [
                "/a/b", "example.org", "1a:b", "http://[::1", "http://a b", "a:%4", "a://b:c",
                "http://[1::2::3]", "http://é", "a:b#c#d", ":a", "http://[:::]",
            ],
        ),
    ],
)  # fmt: skip
def test_addresses(name: str, texts: list[str], others: list[str]) -> None:
    judge = Judge(condition(name))
    assert [text for text in texts if judge(text) != "yes"] == []
    assert [text for text in others if judge(text) != "no"] == []


def test_errors_survive_pickling() -> None:
    with pytest.raises(ConditionError) as caught:
        check(condition("Integer", "<", "x"))
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.code, again.message, again.at) == ("bad-bound", caught.value.message, (0, 1))
