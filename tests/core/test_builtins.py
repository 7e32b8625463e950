"""The predefined tokens against `xmlschema`, an XSD 1.1 processor, and the calendar of Python.

In: `XSD` and `FRIENDLY`. Every value, hand-picked or generated, is judged for every type by the
processor, never by a list of expected outcomes. `DEVIATIONS` lists where the processor is known
to be wrong: each row names the clause of the recommendation (XSD 1.1 Part 2,
https://www.w3.org/TR/xmlschema11-2/), the characters that mislead the processor, and what to
replace them with so that its verdict is the one the clause requires; a test fails when a row is
no longer needed. Cost: about 15 s, half of it inside Hypothesis.
"""

import calendar
import datetime
import itertools
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xmlschema import XMLSchema11
from xmlschema.validators import XsdSimpleType
from xmlschema.validators.builtins import XSD_11_BUILTIN_TYPES

from sculpt.core.acceptor import TextMatcher
from sculpt.core.builtins import ASKED, FRIENDLY, XSD
from sculpt.core.desugar import predefined_token

EXPRESSIONS = {**XSD, **FRIENDLY}
NAMESPACE = "{http://www.w3.org/2001/XMLSchema}"
RESERVED = {"xml": "http://www.w3.org/XML/1998/namespace"}
SCHEMA = XMLSchema11('<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"/>')


def _words(text: str) -> list[str]:
    return text.split()


INTEGERS = _words(
    "integer nonPositiveInteger negativeInteger long int short byte nonNegativeInteger "
    "unsignedLong unsignedInt unsignedShort unsignedByte positiveInteger"
)
NAMES = _words("Name NCName NMTOKEN NMTOKENS ID IDREF IDREFS ENTITY ENTITIES")
DATES = ["date", "dateTime", "dateTimeStamp"]
TIMES = ["time", "dateTime", "dateTimeStamp"]


@cache
def _matcher(type_name: str) -> TextMatcher:
    token = predefined_token(type_name if type_name in FRIENDLY else f"xs:{type_name}")
    assert token is not None
    return TextMatcher(token.pattern)


def accepts(type_name: str, text: str) -> bool:
    """Our verdict, by the matcher of the reference engine."""
    return _matcher(type_name).matches(text)


@cache
def processor_type(type_name: str) -> XsdSimpleType:
    found = SCHEMA.maps.types[NAMESPACE + type_name]
    assert isinstance(found, XsdSimpleType)
    return found


def processor_accepts(type_name: str, text: str) -> bool:
    """The processor's verdict on lexical form alone, as it is.

    ID, IDREF and ENTITY are checked against a document only inside one, so here they are not.
    A prefix must be bound: bind the one in the text, whatever it is.
    """
    found = processor_type(type_name)
    try:
        if type_name == "QName":
            prefix = text.partition(":")[0]
            return found.is_valid(text, namespaces={prefix: RESERVED.get(prefix, "urn:any")})
        return found.text_is_valid(text)
    except OverflowError:
        return False


# --- Where the processor deviates from the recommendation ----------------------------------------


@dataclass(frozen=True, slots=True)
class Deviation:
    types: list[str]
    clause: str
    finding: str
    where: str
    instead: str | Callable[[re.Match[str]], str]
    examples: list[str]
    judge: str | None = None  # ask about this type instead


def _same_leap_cycle(start: int) -> Callable[[re.Match[str]], str]:
    """The year as many years after `start` as it is after a multiple of 400."""
    return lambda match: f"{match[1]}{start + int(match[2]) % 400}"


def _ascii_of_same_name_class(match: re.Match[str]) -> str:
    if recommended("NCName", match[0]):
        return "a"
    return "-" if recommended("NMTOKEN", match[0]) else "§"


DEVIATIONS = [  # applied in this order
    Deviation(
        [name for name in XSD if name != "string"],
        "4.3.6 whiteSpace: only #x9, #xA, #xD and #x20 are white space",
        "replaces and strips every character that Python's \\s matches",
        where=r"[^\S\t\n\r ]",
        # A character of the same kind: U+1680 alone of these is in NameStartChar.
        instead=lambda match: "\u1681" if match[0] == "\u1680" else "§",
        examples=["1\xa0", "\u3000a", "true\x1f", "\u1680"],
    ),
    Deviation(
        ["NOTATION"],
        "3.3.19 NOTATION: the lexical space is that of QName",
        "accepts every text",
        where="",
        instead="",
        examples=["1", "", "a b"],
        judge="QName",
    ),
    Deviation(
        ["QName", "NOTATION"],
        "3.3.18 QName: the QName production, whose letters are NameStartChar and NameChar",
        "takes Python's \\w for the letters",
        where=r"[^\x00-\x7F]",
        instead=_ascii_of_same_name_class,
        examples=["\u0591", "\xaa"],
    ),
    Deviation(
        NAMES,
        "3.4.6 Name: NameStartChar goes up to #xEFFFF",
        "knows NameStartChar and NameChar up to #xFFFD only",
        where="[\U00010000-\U000effff]",
        instead="a",
        examples=["\U00010000", "a\U000effff"],
    ),
    Deviation(
        ["decimal"],
        "3.3.3.1 decimal: no blanks between digits",
        "drops blanks before it looks",
        where=" ",
        instead="x",
        examples=["1 2", "- 1"],
    ),
    Deviation(
        ["decimal"],
        "5.4 lets a processor limit the digits; the type does not",
        "raises OverflowError beyond the largest double",
        where=r"(?<![0-9.])[0-9]{300,}",
        instead="1",
        examples=["9" * 400, "-" + "9" * 400 + ".5"],
    ),
    Deviation(
        INTEGERS,
        "3.4.13 integer: the digits are 0 to 9, without separators",
        "leaves the check to Python's int()",
        where=r"_|[^\x00-\x7F]",
        instead="x",
        examples=["1_0", "-1_0", "\u0661"],
    ),
    Deviation(
        [*DATES, "gYear", "gYearMonth"],
        "5.4 lets a processor limit the year; the type does not",
        "raises OverflowError beyond 2**31",
        where=r"\A(-?)([1-9][0-9]{9,})",
        instead=_same_leap_cycle(10000),
        examples=["12345678901-12-31", "-12345678901", "12345678901-12-31T00:00:00Z"],
    ),
    Deviation(
        DATES,
        "3.3.7.2 dateTime, Day-of-month Representations: 29 February in leap years only",
        "after the year 9999, looks at the year that follows",
        where=r"\A()([1-9][0-9]{4,})",
        instead=_same_leap_cycle(2000),
        examples=["10000-02-29", "10003-02-29T00:00:00Z"],
    ),
    Deviation(
        TIMES,
        "3.3.7.2 dateTime, endOfDayFrag: '24:00:00' ('.' '0'+)?",
        "cuts the fraction of 24:00:00 after six digits",
        where=r"(?<=24:00:00\.000000)0*[1-9][0-9]*",
        instead="x",
        examples=["24:00:00.0000001", "2000-01-01T24:00:00.0000001Z"],
    ),
    Deviation(
        ["yearMonthDuration", "dayTimeDuration"],
        "3.4.26 yearMonthDuration, 3.4.27 dayTimeDuration: the other fields are not written",
        "accepts the other fields when they are zero",
        where=r"(?<![0-9.])0+(?=(?:\.0+)?[YMDHS])",
        instead="1",
        examples=["P0D", "P0Y", "P0M", "PT0.0S"],
    ),
    Deviation(
        ["duration", "yearMonthDuration", "dayTimeDuration"],
        "5.4 lets a processor limit durations; the type does not",
        "raises OverflowError beyond 2**31 months or 2**63 seconds",
        where=r"(?<![0-9.])[0-9]{9,}",
        instead="1",
        examples=["P9999999999Y", "P99999999999999999999D"],
    ),
]


@cache
def _deviations_of(type_name: str) -> list[Deviation]:
    return [deviation for deviation in DEVIATIONS if type_name in deviation.types]


def recommended(type_name: str, text: str) -> bool:
    """The recommendation's verdict: the processor's, once its deviations are worked round."""
    judge = type_name
    for deviation in _deviations_of(type_name):
        judge = deviation.judge or judge
        text = re.sub(deviation.where, deviation.instead, text)
    # Our expressions are about collapsed values; the processor collapses by itself.
    return processor_type(judge).normalize(text) == text and processor_accepts(judge, text)


@pytest.mark.parametrize("deviation", DEVIATIONS, ids=lambda deviation: deviation.clause)
def test_a_deviation_is_still_one(deviation: Deviation) -> None:
    for example in deviation.examples:
        astray = [
            name
            for name in deviation.types
            if processor_accepts(name, example) != recommended(name, example)
        ]
        assert astray, f"{example!r}: the processor is right by now; drop the row or the example"
        for name in astray:
            assert accepts(name, example) == recommended(name, example), name


# --- Values --------------------------------------------------------------------------------------

YEARS = _words(
    "0000 -0000 0001 -0001 -0004 -0005 0004 0100 0400 1900 1996 2000 2001 2023 2024 2100 2400 "
    "9999 10000 10003 10004 10100 -10000 -10004 12000 012345 00000 2147483649 "
    "123456789012345678904 -123456789012345678904 999 24 +2000 --2000 -"
)
ZONES = _words(
    "Z +00:00 -00:00 +14:00 -14:00 +14:01 -14:01 -13:59 +13:59 +13:60 +15:00 +1:00 +01:0 +0100 z ZZ"
)
CLOCKS = _words(
    "00:00:00 12:34:56 23:59:59 23:59:60 23:60:00 24:00:00 24:00:01 24:01:00 24:00:00.000 "
    "24:00:00.001 24:00:00.0000001 24:00:00. 25:00:00 12:34:56.7 12:34:56. 12:34:56.123456789 "
    "12:34 1:02:03 12:34:5 12:34:.5"
)
MONTH_ENDS = [f"{month:02}-{day:02}" for month in range(14) for day in (0, 1, 28, 29, 30, 31, 32)]
POWERS = [sign * 2**bits for bits in (7, 8, 15, 16, 31, 32, 63, 64) for sign in (1, -1)]
BOUNDS = [0, *POWERS]


def _dates_and_times() -> Iterator[str]:
    for year in YEARS:
        yield from (year, f"{year}Z", f"{year}-02", f"{year}-13", f"{year}-00", f"{year}-12-14:00")
        for day in ("02-28", "02-29", "02-30", "12-31", "2-28"):
            yield from (f"{year}-{day}", f"{year}-{day}T24:00:00", f"{year}-{day}T00:00:00Z")
    for day in MONTH_ENDS:
        yield from (f"2023-{day}", f"2024-{day}Z", f"--{day}", f"--{day}Z", f"--{day[:2]}")
        yield from (f"---{day[3:]}", f"2023-{day}T12:00:00", f"2024-{day}T12:00:00Z")
    for zone in ZONES:
        yield from (zone, f"2000{zone}", f"2000-01{zone}", f"2000-01-01{zone}", f"--01-01{zone}")
        yield from (f"---01{zone}", f"--01{zone}", f"12:00:00{zone}", f"2000-01-01T12:00:00{zone}")
        yield f"2000-12-31T24:00:00{zone}"
    for clock in CLOCKS:
        yield from (clock, f"{clock}Z", f"2000-02-29T{clock}", f"2000-02-29T{clock}Z")
    yield from ("9999-12-31T24:00:00", "2000-01-01T", "--1", "---1", "--02--")


def _durations() -> Iterator[str]:
    digits = "0123456789"
    fields = ["1Y", "20M", "3D", "4H", "05M", f"{digits}.{digits}S"]
    for present in itertools.product((True, False), repeat=len(fields)):
        date_part = "".join(itertools.compress(fields[:3], present[:3]))
        time_part = "".join(itertools.compress(fields[3:], present[3:]))
        yield from (f"P{date_part}T{time_part}", f"P{date_part}{time_part}", f"-P{date_part}")
        yield f"P{time_part}T{date_part}"
    yield from (f"P{digits}{unit}" for unit in "YMDHS")
    yield from (f"PT{digits}{unit}" for unit in "YMDHS")


def _integers() -> Iterator[str]:
    for number in (bound + step for bound in BOUNDS for step in (-2, -1, 0, 1, 2)):
        sign, digits = ("-" if number < 0 else ""), str(abs(number))
        yield from (sign + digits, f"{sign}00{digits}", f"+{digits}", f"+0{digits}", f"-{digits}")
        yield from (f"{sign}{digits}0", f"{sign}{digits[:-1]}", f"{sign}{digits}.0")
    yield from ("9" * 400, "-" + "9" * 400, "+" + "0" * 400, "0" * 400 + "127", "1" + "0" * 400)
    yield from ("+-1", "--1", "1-", "1+", "1_0", "0x1F", "\u0661\u0662", "1,000", "½", "\u22121")


WORDS = _words(
    # boolean, decimal, double
    "true false TRUE True 1 0 yes -0 +0 00 -00 INF +INF -INF NaN +NaN inf nan Infinity 1e5 1E-5 "
    "1E+5 1e e5 1e5.0 1e999 .5 5. . -. +.5 -5. 1.5 1..5 1.5.5 0.0 1e- .e5 1_0.5 3.4028235E39 "
    "0123456789.0123456789 .0123456789 0.5e0123456789 1.e1 1e+-1 1ee1 1e1e1 +-1.5 INFINF ++INF "
    # duration and its two restrictions
    "P PT -P P1Y P1M P1D P1YT -P1D +P1D P-1D P1.5S PT1.5S PT1H PT1M PT1S P1Y2M3DT4H5M6.7S P1M1Y "
    "P1D1M PT1S1M P1S PT1D P0Y P0M P0D PT0S P0Y0D P1Y0D P0M1D P1YT0S PT0.000S P0.0Y PT1.S PT.5S "
    "PT1,5S P1.5Y P1 PT1 1Y P1W p1y P1Y1M P1YT1M P1DT1H P00001Y P99999999999Y "
    "PT99999999999999999999999S -P1Y2M -PT1M "
    # hexBinary, base64Binary
    "0f 0F 0f0 0g FFFF deadBEEF AAAA AAA= AA== A=== AAE= AAB= AQ== AB== AA= = ==== AA=A AAAAA "
    "AAAAAAA= A+/9 A-_9 AAAA= AAAAAA== "
    # language
    "en en-GB EN x-klingon abcdefgh abcdefghi en- -en en--GB e1 en-abcdefghi en-12345678-a1 de_CH "
    "fr-é i-a-b-c-d "
    # names
    "a A é a:b a:b:c :a a: : :: a.b .a -a a- _a _ 9a a9 a· ·a ª 日本語 ñandú a:9 9:a a:é é:a "
    "xml:lang xmlns:a a&b a/b a,b "
    # anyURI, and what our own syntax might trip over
    "http://a.b/c?d#e % #a#b http://[ ../a urn:x:y <a/> a'b a\"b \\ [ a|b"
)
WITH_BLANKS = [
    *("1 2", "0 f", "0f 0f", "P 1Y", "2000-01-01 00:00:00", "http://a b"),
    *("A A A A", "AA AA", "A A = =", "AQ = =", "AAA =", "AAAA AAAA", "AAAA AA==", "A A=="),
    *("a b", "a b c", "a:b c", "a 9", "9 a", "é 日", "a -", "a b:c"),
    # Not collapsed: only the types that keep blanks take these.
    *(" ", "  ", "\t", "\n", "\r", " a", "a ", "a  b", "a\tb", "a\nb", "a\r\nb", "a\n", " 1"),
    *("1\n", "1\t", " true", "P1Y\n", "12:00:00 ", "2000-01-01\n", "AAAA ", " AAAA", "AA  AA"),
    *("0f\n", "en\n", "1.5\n", "NaN ", "2000\n", "--01\n", "---01 "),
]
UNUSUAL_CHARACTERS = [
    *("\x00", "\x1f", "\x7f", "\x85", "\xa0", "\xd7", "\xf7", "\u0301", "\u037e", "\u037f"),
    *("\u0591", "\u1680", "\u2003", "\u200c", "\u2028", "\u203f", "\u206f", "\u2070", "\u218f"),
    *("\u2190", "\u2bff", "\u2c00", "\u2fef", "\u2ff0", "\u3000", "\u3001", "\ud7ff", "\ue000"),
    *("\uf8ff", "\uf900", "\ufdd0", "\ufdf0", "\ufffd", "\ufffe", "\uffff"),
    *("\U00010000", "\U0001f600", "\U000effff", "\U000f0000", "\U0010ffff"),
]
AROUND = ["{}", "a{}", "{}a", "a{}b", "a:{}", "1{}", "{}1"]
VALUES = sorted(
    {
        *("", *WORDS, *WITH_BLANKS, *_dates_and_times(), *_durations(), *_integers()),
        *(frame.format(unusual) for frame in AROUND for unusual in UNUSUAL_CHARACTERS),
    }
)


@pytest.mark.parametrize("type_name", XSD)
def test_hand_picked_values(type_name: str) -> None:
    verdicts = {text: recommended(type_name, text) for text in VALUES}
    assert {text: accepts(type_name, text) for text in VALUES} == verdicts
    assert set(verdicts.values()) == ({True} if type_name == "string" else {True, False})


# What shares a part of its expression with many others is tried out once, exhaustively.


def _assert_verdicts(type_name: str, texts: Iterable[str]) -> None:
    for text in texts:
        assert accepts(type_name, text) == recommended(type_name, text), ascii(text)


@pytest.mark.parametrize("type_name", ["NMTOKEN", "NCName"])
def test_every_character_of_names(type_name: str) -> None:
    # The planes beyond the first differ only at their ends, which `VALUES` has.
    _assert_verdicts(type_name, map(chr, range(0x10000)))


@pytest.mark.parametrize("type_name", ["base64Binary", "hexBinary", "language"])
@pytest.mark.parametrize(
    "frame", ["{}AAA", "A{}AA", "AA{}=", "A{}==", "0{}", "{}0", "a{}", "a-a{}"]
)
def test_every_ascii_character_of_encodings(type_name: str, frame: str) -> None:
    _assert_verdicts(type_name, (frame.format(chr(code)) for code in range(0x80)))


@pytest.mark.parametrize("type_name", ["time", "gDay", "gMonth", "gMonthDay", "gYearMonth", *DATES])
@pytest.mark.parametrize(
    "frame",
    [
        *("{}:00:00", "01:{}:00Z", "01:00:{}", "--{}", "---{}", "2000-{}", "2023-12-{}"),
        *("--02-{}", "--04-{}", "--12-{}", "2000-01-01T{}:00:00Z", "2000-01-01T01:00:{}Z"),
        *("---01+{}:00", "---01-00:{}", "---01+13:{}", "01:00:00-{}:59"),
    ],
)
def test_every_pair_of_digits_in_dates_and_times(type_name: str, frame: str) -> None:
    _assert_verdicts(type_name, (frame.format(f"{number:02}") for number in range(100)))


@pytest.mark.parametrize("type_name", DATES)
def test_every_leap_day(type_name: str) -> None:
    rest = {"date": "", "dateTime": "T24:00:00", "dateTimeStamp": "T00:00:00Z"}[type_name]
    years = (f"{'-' if year < 0 else ''}{abs(year):04}" for year in range(-801, 10_801))
    _assert_verdicts(type_name, (f"{year}-02-29{rest}" for year in years))


@pytest.mark.parametrize("type_name", INTEGERS)
def test_integers_one_digit_away_from_a_bound(type_name: str) -> None:
    near = (
        bound + step * 10**place
        for bound in BOUNDS
        for place in range(len(str(abs(bound))))
        for step in range(-10, 11)
    )
    _assert_verdicts(type_name, map(str, (*range(-300, 301), *near)))


# --- Generated values ----------------------------------------------------------------------------

ALPHABETS = ["0123456789-+.:TZPYMDHSeE", "01-+", "PTYMDHS012.", "AQ9+/= ", "aé9:.-_ ·", "02-9T:4"]
REPLACEMENTS = st.sampled_from(f"{ALPHABETS[0]} _/=aAgzé·\u0301\u0591\u0661\xa0\U00010000\n")
LONGEST_SEED = 60
Edit = tuple[int, int, str]


@cache
def _valid_values(type_name: str) -> list[str]:
    return [text for text in VALUES if len(text) <= LONGEST_SEED and accepts(type_name, text)]


def _edited(text: str, edits: list[Edit]) -> str:
    """Each edit changes, drops or inserts: removes 0 or 1 characters and puts 0 or 1 there."""
    for place, removed, put in edits:
        at = place % (len(text) + 1)
        text = text[:at] + put + text[at + removed :]
    return text


EDITS = st.lists(
    st.tuples(st.integers(0, LONGEST_SEED), st.integers(0, 1), REPLACEMENTS | st.just("")),
    max_size=3,
)


def _assert_agreement(text: str) -> None:
    ours = {type_name: accepts(type_name, text) for type_name in XSD}
    assert ours == {type_name: recommended(type_name, text) for type_name in XSD}


@pytest.mark.parametrize("type_name", XSD)
@settings(max_examples=30, deadline=None, database=None)
@given(pick=st.integers(0, 10_000), edits=EDITS)
def test_mutations_of_valid_values(type_name: str, pick: int, edits: list[Edit]) -> None:
    valid = _valid_values(type_name)
    _assert_agreement(_edited(valid[pick % len(valid)], edits))


@pytest.mark.parametrize("alphabet", ALPHABETS)
@settings(max_examples=120, deadline=None, database=None)
@given(data=st.data())
def test_text_over_small_alphabets(alphabet: str, data: st.DataObject) -> None:
    _assert_agreement(data.draw(st.text(alphabet, max_size=12)))


@settings(max_examples=120, deadline=None, database=None)
@given(
    number=st.integers(-(2**66), 2**66) | st.integers(-(2**17), 2**17),
    zeros=st.integers(0, 3),
    plus=st.booleans(),
)
def test_integers(number: int, zeros: int, plus: bool) -> None:
    sign = "-" if number < 0 else "+" if plus else ""
    _assert_agreement(f"{sign}{'0' * zeros}{abs(number)}")


# --- The friendly names --------------------------------------------------------------------------

FRIENDLY_OF_XSD = {"String": "string", "Integer": "integer", "Boolean": "boolean"}
MONTHS = _words("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec")


def _exists(year: int, month: int, day: int) -> bool:
    try:
        datetime.date(year, month, day)
    except ValueError:
        return False
    return True


def _day_first_spellings(year: str, month: int, day: int) -> Iterator[str]:
    for d in {f"{day}", f"{day:02}"}:
        for m in {f"{month}", f"{month:02}"}:
            yield f"{d}/{m}/{year}"
        for name in MONTHS[month - 1 : month]:  # no name for months 0 and 13
            yield from (f"{d}-{spelt}-{year}" for spelt in (name, name.upper(), name.lower()))


@pytest.mark.parametrize("year", [4, 1900, 1998, 2000, 2011, 2012, 2100, 9996, 9999])
def test_dates_of_four_digit_years_follow_the_calendar(year: int) -> None:
    for month in range(14):
        for day in range(33):
            exists = _exists(year, month, day)
            assert accepts("Date", f"{year:04}-{month:02}-{day:02}") == exists
            for text in _day_first_spellings(f"{year:04}", month, day):
                assert accepts("Date", text) == exists, text


@pytest.mark.parametrize("two_digits", range(100))
def test_dates_of_two_digit_years_follow_the_calendar(two_digits: int) -> None:
    # 2000 to 2099 has each pair of digits once, and 2000 is a leap year as 00 is to count.
    assert calendar.isleap(2000)
    for month in range(14):
        for day in (0, 1, 9, 10, 28, 29, 30, 31, 32):
            for text in _day_first_spellings(f"{two_digits:02}", month, day):
                assert accepts("Date", text) == _exists(2000 + two_digits, month, day), text


def test_dates_include_those_of_xsd_and_no_other_value_here() -> None:
    for text in VALUES:
        assert accepts("Date", text) == recommended("date", text), text


def test_leap_days_of_every_four_digit_year_follow_the_calendar() -> None:
    for year in range(10_000):
        for text in (f"29/2/{year:04}", f"29-Feb-{year:04}"):
            assert accepts("Date", text) == calendar.isleap(year), text


NOT_DATES = [
    *_words("03/27/2011 27/13/2011 27.03.2011 27-03-2011 2011/03/27 27/03/011 27/03/12011 27/3"),
    *_words("27/03-2011 27-Mar/2011 27/Mar/2011 27-MAR-1 003/7/11 3/007/11 27-March-2011 //"),
    *_words("27-mAR-11 27-MÄR-11 -3/7/11 3/7/-11 27/03/2011Z 27-MAR-2011T00:00:00 2011-3-27"),
    *(" 3/7/11", "3/7/11 ", "3 /7/11", "3/7/11\n", "27 Mar 2011"),
]


@pytest.mark.parametrize("text", NOT_DATES)
def test_the_list_of_dates_is_closed(text: str) -> None:
    assert not accepts("Date", text)


@settings(max_examples=500, deadline=None, database=None)
@given(st.sampled_from(VALUES) | st.text("0123456789+-.eEINFa ", max_size=10))
def test_numbers_are_the_finite_decimals_integers_and_doubles(text: str) -> None:
    numeric = any(recommended(type_name, text) for type_name in ("decimal", "integer", "double"))
    assert accepts("Number", text) == (numeric and "N" not in text)


def test_numbers_among_the_hand_picked_values() -> None:
    doubles = {text for text in VALUES if recommended("double", text)}
    numbers = {text for text in VALUES if accepts("Number", text)}
    assert doubles - numbers == {"INF", "+INF", "-INF", "NaN"}
    assert numbers < doubles


def test_the_other_friendly_names() -> None:
    for text in VALUES:
        assert accepts("Empty", text) == accepts("Null", text) == (text == "")
        assert accepts("Text", text) == (text != "")
        assert accepts("Any", text)
        for friendly, type_name in FRIENDLY_OF_XSD.items():
            assert accepts(friendly, text) == recommended(type_name, text), (friendly, text)


# --- The tables themselves -----------------------------------------------------------------------


def test_all_built_in_types_are_there() -> None:
    atomic = {definition["name"].removeprefix(NAMESPACE) for definition in XSD_11_BUILTIN_TYPES}
    assert set(XSD) == atomic - {"error"} | {"NMTOKENS", "IDREFS", "ENTITIES"}
    assert set(FRIENDLY) == set(
        _words(
            "Empty Text Any String Number Integer Boolean Date Null"
            " Uuid Email Uri Json JsonObject JsonArray"
        )
    )
    assert set(ASKED) == {"Json", "JsonObject", "JsonArray"}


ESCAPE = r"\\(?:[tnr]|x[0-9A-F]{2}|u[0-9A-F]{4}|[!-/:-@\[-`{-~])"
ONE_CHARACTER = rf"(?:{ESCAPE}|[^\\\[\]\"])"
ATOM = rf"(?:{ESCAPE}|\[\^?{ONE_CHARACTER}+\]|\.|[^\\\[\](){{}}|*+?.^$\"])"
REPEAT = r"(?:[*+?]|\{[0-9]+(?:,[0-9]*)?\})?"
SUBSET = re.compile(rf"(?:(?:\((?:\?:)?|\||{ATOM}{REPEAT}|\){REPEAT})(?![*+?]))*")


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_the_syntax_is_the_regular_subset(name: str) -> None:
    assert SUBSET.fullmatch(EXPRESSIONS[name])


@pytest.mark.parametrize(
    "foreign", [r"\d", "a*?", "a++", "(?=a)", r"(a)\1", "^a", "a$", r"\b", '"']
)
def test_the_syntax_check_can_fail(foreign: str) -> None:
    assert not SUBSET.fullmatch(foreign)
