"""Pictures that are none, pictures of booleans, and pictures made of anything.

In: pictures. A bad one is a `ConditionError` that says which character and why; the table has the
exact places. Whatever a picture is made of, nothing else is raised, and the texts of those that are
pictures are those that have a value. Cost: about 5 s.
"""

from __future__ import annotations

import pickle
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sculpt.core.acceptor import TextMatcher
from sculpt.core.datatypes.model import Base, ConditionError, Relation
from sculpt.core.datatypes.moments import Moment
from sculpt.core.datatypes.pictures.picture import TYPES, picture_of, writable
from sculpt.core.datatypes.pictures.relations import holds, order_of
from written import RELATIONS, Judge, picture


def error_of(base: Base) -> ConditionError:
    with pytest.raises(ConditionError) as caught:
        picture_of(base)
    assert caught.value.code == "bad-picture"
    return caught.value


@pytest.mark.parametrize(
    ("type_name", "written", "at", "message"),
    [
        ("Number", "", "", "this picture is empty"),
        ("Number", "#,##0.00[.]0", ".", "a second decimal character"),
        ("Number", "0[#]", "#", "`#` cannot follow `0` before the decimal character"),
        ("Number", "0.#[0]", "0", "`0` cannot follow `#` after the decimal character"),
        ("Number", "['abc 0]", "'abc 0", "this quote is not closed"),
        ("Number", "0E0[E]0", "E", "a second exponent"),
        ("Number", "0[E]", "E", "an exponent needs a `0`: `E0`, `E+00`"),
        ("Number", "0E0000[0]", "0", "an exponent has at most 4 digits"),
        ("Number", "#,##0[E]0", "E", "a number with an exponent has no groups"),
        ("Number", "[yyyy-MM-dd]", "", "a picture of a number needs a digit: `0` or `#`"),
        ("Number", "0;[abc]", "abc", "a picture of a number needs a digit: `0` or `#`"),
        ("Number", "0;[]", "", "a picture of a number needs a digit: `0` or `#`"),
        ("Number", "[-]0", "-", "this `-` would belong to positive numbers"),
        ("Number", "[0;0]", "", "a positive and a negative number can have the same text"),
        ("Number", "[0'5';'5'0]", "", "a positive and a negative number can have the same text"),
        ("Number", "0;-0[;]0", ";", "a second `;`: a picture has one half"),
        ("Number", "[,]0", ",", "a group without digits"),
        ("Number", "0,[,]0", ",", "a group without digits"),
        ("Number", "#[,].0", ",", "a group without digits"),
        ("Number", "0.[,]0", ",", "a group without digits"),
        ("Number", "Fr[.] 0", ".", "no digit follows the decimal character"),
        ("Number", "#[5]", "5", "`5` has no meaning here: rounding is not supported"),
        ("Number", "[@]@0", "@", "`@` has no meaning here: significant digits are not supported"),
        ("Number", "0%[%]", "%", "a second `%` or `‰`"),
        ("Number", "0%;[(0)]", "(0)", "only one half has `%` or `‰`"),
        ("Number", "0 [0]", "0", "`0` cannot follow the end of the number"),
        ("Number", "0" * 40 + "[0]", "0", "a picture has at most 40 digits"),
        ("Integer", "[0.0]", "", "a picture of `Integer` cannot have decimals"),
        ("xs:int", "[0E0]", "", "a picture of `xs:int` cannot have an exponent"),
        ("xs:byte", "[0%]", "", "a picture of `xs:byte` cannot have `%` or `‰`"),
        ("Date", "[yyyyy]-QQ", "yyyyy", "`y` is repeated 5 times, which is no way to write a year"),
        ("Date", "yyyy-[QQ]", "QQ", "`Q` is no symbol of a date or a time"),
        ("Date", "[#,##0.00]", "", "a picture of `Date` needs a year: `y`"),
        ("Date", "[MM/yyyy]", "", "a picture of `Date` needs a day: `d`"),
        ("Date", "dd/MM/yyyy [HH]:mm", "HH", "`Date` has no hour, so its picture cannot have `HH`"),
        ("Date", "dd/[dd]/yyyy", "dd", "a second field for a day"),
        ("Date", "[d]Myyyy", "d", "`d` has no fixed number of digits, and a digit can follow it"),
        ("Date", "dd.MM.[y]'1'", "y", "`y` has no fixed number of digits"),
        ("xs:time", "HH:mm[X]S s", "X", "`X` has no fixed number of digits"),
        ("xs:time", "[mm:ss]", "", "a picture of `xs:time` needs an hour: `H`"),
        ("xs:time", "[hh]:mm", "hh", "`hh` needs AM or PM: `a`"),
        ("xs:time", "HH:mm [a]", "a", "`a` needs an hour from 1 to 12: `h`"),
        ("xs:time", "HH.[SSS]", "SSS", "`SSS` needs a second: `s`"),
        ("xs:time", "HH [h] a", "h", "a second field for an hour"),
        ("xs:dateTimeStamp", "[yyyy-MM-dd HH]", "", "needs a time zone: `X`"),
        ("xs:gYear", "[E] yyyy", "E", "`xs:gYear` has no weekday"),
        ("Boolean", "[Y]", "Y", "a picture of `Boolean` has two texts"),
        ("Boolean", "Y|N[|]", "|", "a second `|`: a boolean has two texts only"),
        ("Boolean", "[|]N", "|", "the text for true is missing"),
        ("Boolean", "Y[|]", "|", "the text for false is missing"),
        ("Boolean", "[Y|Y]", "Y|Y", "true and false have the same text"),
        ("xs:string", "[abc]", "", "`xs:string` has no pictures"),
        ("Number", "0[\udc80]", "", "this byte is not a character"),
    ],
)
def test_the_character_and_why(type_name: str, written: str, at: str, message: str) -> None:
    """Brackets are around what the error is about."""
    text = written.replace("[", "").replace("]", "")
    error = error_of(Base(type_name, text))
    assert message in error.message
    start = max(0, written.find("["))
    assert error.at == (start, written.index("]") - 1 if "]" in written else start)
    assert not at or text[slice(*error.at)] == at


def test_pictures_have_a_length() -> None:
    for type_name in ("Number", "Date", "Boolean"):
        assert error_of(Base(type_name, "x" * 1001)).at == (1000, 1001)


@pytest.mark.parametrize(
    ("type_name", "written", "hint"),
    [
        ("Number", "yyyy-MM-dd", 'for dates, write `Date("yyyy-MM-dd")`'),
        ("Date", "#,##0.00", 'for numbers, write `Number("#,##0.00")`'),
        ("Date", "MM/yyyy", "the type with these fields is `xs:gYearMonth`"),
        ("Date", "dd/MM/yyyy HH:mm", "the type with these fields is `xs:dateTime`"),
        ("xs:time", "kk:mm", "use `H`; as text it stands in quotes: `'k'`"),
        ("xs:dateTime", "yyyy-MM-ddTHH", "as text it stands in quotes: `'T'`"),
        ("Integer", "0.0", "use `Number`"),
    ],
)
def test_hints(type_name: str, written: str, hint: str) -> None:
    assert error_of(Base(type_name, written)).hint == hint


@pytest.mark.parametrize(
    ("base", "message"),
    [
        (Base("Number", "#,##0", None, ","), "`,` is both the group and the decimal character"),
        (Base("Number", "0", ""), "the group character is one character, not ``"),
        (Base("Number", "0", "ab"), "the group character is one character, not `ab`"),
        (Base("Number", "0", None, "1"), "'1' cannot be the decimal character"),
        (Base("Number", "0", None, "-"), "'-' cannot be the decimal character"),
        (Base("Number", "0", "\udc80"), "'\\udc80' cannot be the group character"),
        (Base("Date", "dd/MM/yyyy", ","), "`Date` has no group and no decimal character"),
    ],
)
def test_group_and_decimal_characters(base: Base, message: str) -> None:
    assert error_of(base).message == message


def test_a_picture_without_groups_needs_no_group_character() -> None:
    assert picture("Number", "0.0", None, ",").read("1,5") == Decimal("1.5")


# ------------------------------------------------------------- booleans


def test_booleans() -> None:
    found = picture("Boolean", "Y|N")
    assert [found.read(text) for text in ("Y", "N", "y", "", "Y|N")] == [
        True,
        False,
        None,
        None,
        None,
    ]
    assert [text for text in ("Y", "N", "y", "") if TextMatcher(found.pattern).matches(text)] == [
        "Y",
        "N",
    ]
    verdicts = {
        (relation, bound): [Judge(found, relation, bound)(text) == "yes" for text in "YN"]
        for relation in RELATIONS
        for bound in (True, False)
    }
    assert verdicts["=", True] == verdicts["!=", False] == verdicts[">", False] == [True, False]
    assert verdicts["=", False] == verdicts["!=", True] == verdicts["<", True] == [False, True]
    assert verdicts["<=", True] == verdicts[">=", False] == [True, True]
    assert writable(Base("Boolean", "Y|N"), True)


# ------------------------------------------------------------- anything

SYMBOLS = st.text("0#.,%‰E+-;'yMdEHhmsSaXx:/ T|£1\udc80")
ANYTHING = st.text() | SYMBOLS


@settings(max_examples=600, deadline=None)
@given(
    st.sampled_from(sorted(TYPES)),
    ANYTHING,
    st.none() | st.text(max_size=2),
    st.none() | st.text(max_size=2),
    ANYTHING,
)
def test_nothing_but_errors_of_pictures(
    type_name: str, written: str, group: str | None, decimal: str | None, text: str
) -> None:
    base = Base(type_name, written, group, decimal)
    try:
        found = picture_of(base)
    except ConditionError as error:
        assert error.code == "bad-picture"
        assert error.at is None or 0 <= error.at[0] <= error.at[1] <= len(written)
        return
    assert TextMatcher(found.pattern).matches(text) == (found.read(text) is not None)


@settings(max_examples=300, deadline=None)
@given(
    st.from_regex(r"[£(]?(#{0,3},)?[#]{0,2}0{1,3}(\.0{0,2}#{1,2})?%?(;\(0%?\))?", fullmatch=True),
    st.lists(st.text("0129,.-()%£", max_size=10), min_size=1, max_size=20),
    st.decimals(-2000, 2000, places=2),
    st.sampled_from(RELATIONS),
)
def test_texts_of_any_picture(
    written: str, texts: list[str], bound: Decimal, relation: Relation
) -> None:
    try:
        found = picture("Number", written)
    except ConditionError:
        return
    matcher = TextMatcher(found.pattern)
    judge = Judge(found, relation, bound)
    for text in texts:
        value = found.read(text)
        assert matcher.matches(text) == (value is not None), text
        said = value is not None and holds(relation, order_of(value, bound))
        assert judge(text) == ("yes" if said else "no"), text


def test_pictures_survive_pickle() -> None:
    for base in (Base("Date", "dd/MM/yyyy"), Base("Number", "#,##0.00"), Base("Boolean", "Y|N")):
        assert pickle.loads(pickle.dumps(picture_of(base))) == picture_of(base)
    assert picture("Date", "dd/MM/yyyy").read("01/02/2010") == Moment(2010, 2, 1)
