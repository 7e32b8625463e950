"""Pictures of numbers: against Babel, and languages against values.

In: patterns and values that Hypothesis makes, and seeded random texts. A text that Babel formats by
a pattern must be read back to the same value. A text is judged twice: by the language of a
condition, and by reading and comparing it. The two never differ. Cost: about 6 s.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from decimal import Decimal
from random import Random
from typing import Any

import pytest
from babel.numbers import parse_pattern
from hypothesis import given, settings
from hypothesis import strategies as st

from sculpt.core.acceptor import TextMatcher
from sculpt.core.datatypes.floats import Width, nearest, rounding_ends
from sculpt.core.datatypes.model import Base, Relation
from sculpt.core.datatypes.pictures.picture import picture_of, writable
from written import RELATIONS, Judge, damaged, picture, size

COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "!=": operator.ne,
}

# ------------------------------------------------------------- against Babel

WHOLES = ("0", "#", "00", "#0", "#,##0", "#,###", "#,##,##0", "00,000", "#,#000", "0000,0", "##00")
AROUND = (
    ("", ""), ("£", ""), ("EUR ", ""), ("", " kg"), ("", "%"), ("", " ‰"), ("'#'", ""),
    ("o''clock ", " 'at'"), ("+", ""), ("%", "x"),
)  # fmt: skip
NEGATIVE = (None, ("-", ""), ("(", ")"), ("", "-"), ("minus ", " ''"))


@st.composite
def patterns(draw: st.DrawFn) -> tuple[str, int, int]:
    """A pattern, the decimals that it can write, and the places by which it scales."""
    least, more = draw(st.integers(0, 3)), draw(st.integers(0, 3))
    fraction = "." + "0" * least + "#" * more if least + more else ""
    prefix, suffix = draw(st.sampled_from(AROUND))
    number = draw(st.sampled_from(WHOLES)) + fraction
    written = prefix + number + suffix
    around = draw(st.sampled_from(NEGATIVE))
    if around is not None:
        scaled = "%" if "%" in written else "‰" if "‰" in written else ""
        written += f";{around[0]}{number}{scaled}{around[1]}"
    scale = 2 if "%" in written else 3 if "‰" in written else 0
    return written, least + more, scale


@settings(max_examples=400, deadline=None)
@given(patterns(), st.integers(-(10**9), 10**9))
def test_what_babel_formats_reads_back(made: tuple[str, int, int], number: int) -> None:
    pattern, decimals, scale = made
    value = Decimal(number).scaleb(-decimals - scale)
    text = parse_pattern(pattern).apply(value, "en")
    found = picture("Number", pattern)
    assert found.read(text) == value
    assert TextMatcher(found.pattern).matches(text)


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(("0.###E0", "0.00#E0", "0.###E+0", "00.##E00", "0.0##E+000", "#0.###E0")),
    st.integers(-9999, 9999),
    st.integers(-30, 30),
)
def test_exponents_read_back(pattern: str, number: int, power: int) -> None:
    value = Decimal(number).scaleb(power)
    text = parse_pattern(pattern).apply(value, "en")
    found = picture("Number", pattern)
    assert found.read(text) == value
    assert TextMatcher(found.pattern).matches(text)


def test_own_characters_read_back() -> None:
    found = picture("Number", "#,##0.00", ".", ",")
    for number in (0, 5, -123456, 98765432):
        value = Decimal(number).scaleb(-2)
        text = parse_pattern("#,##0.00").apply(value, "de")
        assert found.read(text) == value
        assert TextMatcher(found.pattern).matches(text)
    assert found.read("1,234.50") is None


# ------------------------------------------------------------- near misses and values


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("#,##0.00", "1234.50"),
        ("#,##0.00", "12,34.50"),
        ("#,##0.00", "1,23.50"),
        ("#,##0.00", ",123.50"),
        ("#,##0.00", "1,234,.50"),
        ("#,##0.00", "1,234.5"),
        ("#,##0.00", "1,234.500"),
        ("#,##0.00", "1,234."),
        ("#,##0.00", ".50"),
        ("#,##0.00", "--1.50"),
        ("#,##0.00", "+1.50"),
        ("#,##0.00", " 1.50"),
        ("#,##,##0", "123,456"),
        ("0", ""),
        ("0", "-"),
        ("0", "١"),
        ("0", "1e5"),
        ("000", "12"),
        ("#.#", "."),
        ("0.000,000", "1.234567"),
        ("0.000,000", "1.2345,67"),
        ("0.000,###", "1.234,"),
        ("0%", "5"),
        ("0%", "5‰"),
        ("0;(0)", "-5"),
        ("0;(0)", "(5"),
        ("0.0E0", "1.0"),
        ("0.0E0", "10.0E0"),
        ("0.0E0", "1.0E+5"),
        ("0.0E+0", "1.0E5"),
        ("0.0E0", "1.0E"),
        ("0.0E0", "1.0E12345"),
        ("0.0E00", "1.0E5"),
    ],
)
def test_near_misses(pattern: str, text: str) -> None:
    found = picture("Number", pattern)
    assert found.read(text) is None
    assert not TextMatcher(found.pattern).matches(text)


@pytest.mark.parametrize(
    ("pattern", "text", "value"),
    [
        ("#,##0.00", "-1,234.50", "-1234.5"),
        ("#,##0", "0,007", "7"),
        ("#.#", ".5", "0.5"),
        ("#.#", "0.5", "0.5"),
        (".00", "12.25", "12.25"),
        ("0.000,00#", "1.234,56", "1.23456"),
        ("0.0,00,000", "1.2,34,567", "1.234567"),
        ("0.#%", "12.5%", "0.125"),
        ("0‰", "-5‰", "-0.005"),
        ("0'%'", "5%", "5"),
        ("0;(0)", "(5)", "-5"),
        ("0;(0)", "(0)", "0"),
        ("+0;-0", "+5", "5"),
        ("0.0E0", "1.5E-3", "0.0015"),
        ("0%", "1" * 50 + "%", "1" * 48 + ".11"),
    ],
)
def test_values(pattern: str, text: str, value: str) -> None:
    found = picture("Number", pattern)
    assert found.read(text) == Decimal(value)
    assert TextMatcher(found.pattern).matches(text)


@pytest.mark.parametrize(
    ("type_name", "inside", "outside"),
    [
        ("xs:byte", ("127", "-128", "0127", "-0"), ("128", "-129", "1000")),
        ("xs:unsignedByte", ("255", "-0"), ("256", "-1")),
        ("xs:positiveInteger", ("1", "1" * 60), ("0", "-1", "-0")),
        ("xs:nonPositiveInteger", ("-5", "0"), ("1",)),
        ("xs:long", (str(2**63 - 1), str(-(2**63))), (str(2**63), str(-(2**63) - 1))),
    ],
)
def test_limits_of_types(type_name: str, inside: tuple[str, ...], outside: tuple[str, ...]) -> None:
    found = picture(type_name, "0")
    matcher = TextMatcher(found.pattern)
    for text in inside:
        assert found.read(text) == int(text)
        assert matcher.matches(text)
    for text in outside:
        assert found.read(text) is None
        assert not matcher.matches(text)


# ------------------------------------------------------------- ranges

RANGES = [
    (Base("Number", "0"), "130"),
    (Base("Number", "000"), "7"),
    (Base("Number", "#,##0.00"), "1234.56"),
    (Base("Number", "£#,##0.00"), "500"),
    (Base("Number", "#,##0.##;(0)"), "-99.995"),
    (Base("Number", "#,##,##0.0#"), "1234567.8"),
    (Base("Number", "#,###,#0"), "-100000"),
    (Base("Number", "#,##,#"), "1000"),
    (Base("Number", "#.###"), "0.05"),
    (Base("Number", ".0,0#,#"), "12.034"),
    (Base("Number", "00.0%"), "0.125"),
    (Base("Number", "0.0;0.0-", None, ","), "-0"),
    (Base("Number", "#,##0.0", ".", ","), "999.95"),
    (Base("Number", "#,##0.0", " ", ","), "9999.9"),
    (Base("Integer", "0,0000"), "99999999"),
    (Base("xs:byte", "0"), "-100"),
    (Base("xs:unsignedShort", "#,##0"), "65000"),
    (Base("xs:positiveInteger", "0"), "0"),
    (Base("xs:decimal", "0.##"), "1E-9"),
]
TEXTS = 100_000 // len(RANGES)


def random_text(random: Random, base: Base, bound: Decimal) -> str:
    """A number, often with the first digits of the bound, written more or less as the picture."""
    assert base.picture is not None
    half = random.choice(base.picture.split(";"))
    number = half.strip("£%()-")
    before, _, after = number.partition(".")
    digits, _, decimals = f"{abs(bound * (100 if '%' in half else 1)):f}".partition(".")
    if random.random() < 0.6:
        kept = random.randrange(len(digits) + 1)
        digits = digits[:kept]
        decimals = decimals if random.random() < 0.5 else ""
    else:
        digits = decimals = ""
    digits = "0" * random.choice((0, 0, 0, 1, 2, 5)) + digits
    digits += "".join(random.choices("0123456789", k=random.randrange(max(1, 8 - len(digits)))))
    decimals += "".join(random.choices("0059", k=random.randrange(3)))
    sizes = [len(size) for size in before.split(",")[1:]]
    groups = []
    while sizes and len(digits) > sizes[-1]:
        groups.append(digits[-sizes[-1] :])
        digits = digits[: -sizes[-1]]
        sizes = sizes[-2:-1] or sizes
    text = (base.group or ",").join([digits, *reversed(groups)])
    places = [len(after[:ix].replace(",", "")) for ix, char in enumerate(after) if char == ","]
    decimals = decimals[: len(after.replace(",", ""))]
    if decimals:
        text += base.decimal or "."
        for ix, char in enumerate(decimals):
            text += (base.group or ",") * (ix in places) + char
    text = half.replace(number, text)
    if ";" not in base.picture and random.random() < 0.4:
        text = f"-{text}"
    return text if random.random() < 0.8 else damaged(random, text, "0159,.-+(%£ ")


@pytest.mark.parametrize(
    ("base", "written"), RANGES, ids=lambda each: str(getattr(each, "picture", ""))
)
def test_languages_and_values_agree(base: Base, written: str) -> None:
    random = Random(f"{base} {written}")
    bound = Decimal(written)
    found = picture_of(base)
    matcher = TextMatcher(found.pattern)
    judges = {relation: Judge(found, relation, bound) for relation in RELATIONS}
    met = 0
    for ix in range(TEXTS):
        text = random_text(random, base, bound)
        value = found.read(text)
        assert matcher.matches(text) == (value is not None), text
        relation = RELATIONS[ix % len(RELATIONS)]
        holds = value is not None and COMPARE[relation](value, bound)
        assert judges[relation](text) == ("yes" if holds else "no"), (text, relation)
        met += holds
    assert TEXTS // 20 < met < TEXTS


@settings(max_examples=150, deadline=None)
@given(
    patterns(),
    st.integers(-20_000, 20_000),
    st.integers(0, 6),
    st.lists(st.integers(-20_000, 20_000), min_size=1, max_size=10),
    st.sampled_from(RELATIONS),
)
def test_bounds_by_any_picture(
    made: tuple[str, int, int], bound: int, places: int, numbers: list[int], relation: Relation
) -> None:
    pattern, decimals, scale = made
    found = picture("Number", pattern)
    exact = Decimal(bound).scaleb(-places)
    judge = Judge(found, relation, exact)
    for number in (*numbers, bound):
        value = Decimal(number).scaleb(-decimals - scale)
        text = parse_pattern(pattern).apply(value, "en")
        assert judge(text) == ("yes" if COMPARE[relation](value, exact) else "no"), text


# ------------------------------------------------------------- the edges of conditions


def test_exponents_and_very_long_bounds_ask() -> None:
    assert Judge(picture("Number", "0.0E0"), ">=", Decimal(5))("1.0E9") == "ask"
    assert Judge(picture("Number", "0"), ">=", Decimal("1E300"))("5") == "ask"
    assert Judge(picture("Number", "0"), ">", Decimal("0E300"))("5") == "yes"
    assert Judge(picture("Number", "0"), ">", Decimal("1E-300"))("0") == "no"


@pytest.mark.parametrize("relation", RELATIONS)
def test_bounds_that_are_no_number(relation: Relation) -> None:
    judge = Judge(picture("xs:double", "0.0"), relation, math.nan)
    assert judge("5.0") == ("yes" if relation == "!=" else "no")
    assert Judge(picture("xs:double", "0.0"), relation, math.inf)("5.0") == "ask"


@pytest.mark.parametrize(("type_name", "width"), [("xs:double", "double"), ("xs:float", "float")])
@pytest.mark.parametrize("relation", RELATIONS)
def test_rounded_values(type_name: str, width: Width, relation: Relation) -> None:
    """Numbers that are rounded to the bound, that lie in the middle, and the next ones."""
    random = Random(relation)
    found = picture(type_name, "#,##0")
    least = 2**25 if width == "float" else 2**54  # so that the middle is a whole number
    for _ in range(8):
        bound = nearest(str(random.choice((-1, 1)) * random.randint(least, 8 * least)), width)
        judge = Judge(found, relation, bound)
        for end in rounding_ends(bound, width):
            assert end is not None
            for number in (int(end.at) - 1, int(end.at), int(end.at) + 1):
                value = found.read(f"{number:,}")
                assert value == nearest(str(number), width)
                holds = COMPARE[relation](value, bound)
                assert judge(f"{number:,}") == ("yes" if holds else "no"), number


@pytest.mark.parametrize(
    ("base", "bound", "can"),
    [
        (Base("Number", "0.0"), "0.5", True),
        (Base("Number", "0.0"), "0.55", False),
        (Base("Number", "0%"), "0.25", True),
        (Base("Number", "0%"), "0.255", False),
        (Base("Number", "0.0E0"), "1E9", True),
        (Base("xs:byte", "0"), "127", True),
        (Base("xs:byte", "0"), "128", False),
    ],
)
def test_which_bounds_can_be_written(base: Base, bound: str, can: bool) -> None:
    assert writable(base, Decimal(bound)) == can


@pytest.mark.parametrize(
    ("base", "bound", "most"),
    [
        (Base("Number", "£#,##0.00"), "1234567.89", 150),
        (Base("Number", "#,##,##0.###;(0)"), "-1234567.89", 150),
        (Base("Integer", "0"), "130", 15),
        (Base("xs:long", "0"), "0", 120),
    ],
)
def test_languages_are_small(base: Base, bound: str, most: int) -> None:
    found = picture_of(base)
    for relation in RELATIONS:
        assert size(found.condition(relation, Decimal(bound)).yes) <= most
