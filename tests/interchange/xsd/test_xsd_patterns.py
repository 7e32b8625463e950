"""Patterns of XML Schema: what they become, and the same answers as another implementation."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

import pytest
from elementpath.regex import translate_pattern, unicode_subset
from hypothesis import given
from hypothesis import strategies as st

from sculpt.core.acceptor import TextMatcher
from sculpt.core.datatypes.families import parsed
from sculpt.interchange.xsd.blocks import blocks
from sculpt.interchange.xsd.pattern import PatternError, translated
from sculpt.schema import Schema
from sculpt.values import frozen


@pytest.mark.parametrize(
    ("pattern", "expression"),
    [
        ("[A-Z]{2}", "[A-Z]{2}"),
        ("a.c", r"a[^\n\r]c"),
        ("^a$", r"\^a\$"),
        (r"\d+", r"\p{Nd}+"),
        (r"\w", r"[\p{L}\p{M}\p{N}\p{S}]"),
        (r"\W", r"[\p{P}\p{Z}\p{C}]"),
        (r"\s", r"[\t\n\r\x20]"),
        (r"[\D]", r"[\P{Nd}]"),
        ("[a-z-[aeiou]]", "[b-df-hj-np-tv-z]"),
        ("[^a-z-[^0-9]]", "[0-9]"),
        ("[a-c-[b-[b]]]", "[a-c]"),
        ("[a-[a]]", r"[^\s\S]"),
        (r"\p{IsBasicLatin}*", r"[\x00-\x7F]*"),
        (r"[\p{Lu}-]", r"[\p{Lu}\-]"),
        ("[+-]", r"[\+\-]"),
        ("[-a]", r"[\-a]"),
        ("a| b |", r"a|\x20b\x20|"),
        ("(a|b)?c{2,}d{3,4}e{0}", "(a|b)?c{2,}d{3,4}e{0}"),
        ('say "x" 50% a/b', r"say \"x\" 50\% a\/b"),
        ("", ""),
        ("é\t", r"é\t"),
    ],
)
def test_what_patterns_become(pattern: str, expression: str) -> None:
    assert translated(pattern) == expression
    lints = Schema.parse(f"a = {expression}\nb := xs:string and /{expression}/").lint
    assert {lint.code for lint in lints} <= {"matches-nothing", "matches-everything"}


def test_digits_of_types_with_ascii_texts() -> None:
    ours = translated(r"\d\D[\d-[5]]", ascii_digits=True)
    assert ours == r"\d[\x00-\/:-\U0010FFFF][0-46-9]"


@pytest.mark.parametrize(
    ("pattern", "at", "message"),
    [
        ("a)", 1, "this `)` has no matching `(`"),
        ("(a", 0, "this group never closes"),
        ("a**", 2, "there is nothing before `*` to repeat"),
        ("*", 0, "there is nothing before `*` to repeat"),
        ("a{2,1}", 1, "the bounds of `{2,1}` are in the wrong order"),
        ("a{,2}", 1, "a `{` begins a count such as `{2}`, `{2,}` or `{2,4}`"),
        ("a{99999}", 1, "a count is above 10,000"),
        ("[b", 0, "this character class never closes"),
        ("[]", 0, "this character class is empty"),
        ("[z-a]", 1, "the range `z-a` runs backwards"),
        ("[a[b]]", 2, "a `[` in a class needs a backslash"),
        ("[a-[b]c]", 6, "a subtracted class is the last part of its class"),
        ("]", 0, "a `]` needs a backslash"),
        (r"\q", 0, r"`\q` is not an escape of XML Schema"),
        ("a\\", 1, "`\\` is not an escape of XML Schema"),
        (r"\p{Xx}", 0, "`Xx` is neither a category nor a block of Unicode"),
        (r"\p{IsKlingon}", 0, "`IsKlingon` is neither a category nor a block of Unicode"),
        (r"\pL", 0, r"`\p` needs a category such as `{Lu}`"),
        ("(" * 61 + ")" * 61, 61, "groups are nested more than 60 levels deep"),
        ("(?:a)", 1, "there is nothing before `?` to repeat"),
    ],
)
def test_what_is_no_pattern(pattern: str, at: int, message: str) -> None:
    with pytest.raises(PatternError) as caught:
        translated(pattern)
    assert (caught.value.at, caught.value.message) == (at, message)


def test_depth_is_bounded() -> None:
    for pattern in ("(" * 100_000, "[a-" * 100_000):
        with pytest.raises(PatternError, match="levels deep"):
            translated(pattern)


def test_blocks_are_those_of_another_table() -> None:
    for name in ("BasicLatin", "Latin-1Supplement", "Cyrillic", "Hangul Syllables", "Emoticons"):
        theirs = unicode_subset(f"Is{name.replace(' ', '')}")
        first, last = blocks()[name.replace(" ", "")]
        codes = sorted(map(ord, theirs.iter_characters()))
        assert (codes[0], codes[-1]) == (first, last)
        assert len(codes) == last - first + 1


# ------------------------------------------------------------- generated

CHARS = 'ab0-_.:é٣ \t/^$"'
ESCAPES = (
    r"\d", r"\D", r"\w", r"\W", r"\s", r"\S", r"\i", r"\I", r"\c", r"\C", r"\p{L}", r"\P{Lu}",
    r"\p{Nd}", r"\p{IsBasicLatin}", r"\P{IsCyrillic}", r"\.", r"\-", r"\^", r"\n",
)  # fmt: skip
plain = st.sampled_from([char for char in CHARS if char not in "-^."])
member = st.one_of(plain, st.sampled_from(ESCAPES), st.just("a-c"), st.just("0-5"))


@frozen
class Class:
    """A class of characters, as the test understands it."""

    members: list[str]
    negated: bool
    without: Class | None

    def __str__(self) -> str:
        text = "[" + "^" * self.negated + "".join(self.members)
        return text + ("]" if self.without is None else f"-{self.without}]")

    def has(self, char: str) -> bool:
        own = any(_is(each, char) for each in self.members) != self.negated
        return own and not (self.without is not None and self.without.has(char))


def _is(each: str, char: str) -> bool:
    """Is a character that of a member of a class? The plain way."""
    if not each.startswith("\\"):
        return each[0] <= char <= each[-1]
    kind, name = each[1], each[3:-1]
    if kind in "DWSICP":
        return not _is(f"\\{kind.lower()}{each[2:]}", char)
    category = unicodedata.category(char)
    match kind:
        case "d":
            return category == "Nd"
        case "w":
            return category[0] not in "PZC"
        case "s":
            return char in " \t\n\r"
        case "i":
            return char in "ab_:éБz٣"
        case "c":
            return char in "ab_:éБz٣0123-.·"
        case "p" if name.startswith("Is"):
            return (ord(char) < 0x80) if name == "IsBasicLatin" else 0x400 <= ord(char) <= 0x4FF
        case "p":
            return category.startswith(name)
        case "n":
            return char == "\n"
    return char == kind


lists = st.lists(member, min_size=1, max_size=4)
classes = st.recursive(
    st.builds(Class, lists, st.booleans(), st.none()),
    lambda inner: st.builds(Class, lists, st.booleans(), inner),
    max_leaves=3,
)


@given(classes)
def test_generated_classes_have_the_same_characters(found: Class) -> None:
    ours = TextMatcher(parsed(translated(str(found))))
    for char in CHARS + "\nБ·123z":
        assert ours.matches(char) == found.has(char), (str(found), char)


# `elementpath` has the `\w` of Python; that of XML Schema includes symbols, such as `^`.
_ALIKE = [each for each in ESCAPES if each not in (r"\w", r"\W")]
single = st.one_of(
    plain, st.sampled_from(_ALIKE), st.just("."), st.sampled_from(["[ab0]", "[^a-c]", "[a-c-[b]]"])
)
counts = st.sampled_from(["", "", "*", "+", "?", "{2}", "{1,2}", "{0,}"])
patterns = st.recursive(
    st.lists(st.tuples(single, counts).map("".join), max_size=4).map("".join),
    lambda inner: st.lists(inner, min_size=1, max_size=3).map(lambda them: f"({'|'.join(them)})"),
    max_leaves=4,
)
texts = st.text(st.sampled_from(CHARS + "\nБ·1z"), max_size=5)


@cache
def theirs(pattern: str) -> re.Pattern[str]:
    translated_by_them = translate_pattern(
        pattern, xsd_version="1.1", back_references=False, lazy_quantifiers=False, anchors=False
    )
    return re.compile(translated_by_them)


@given(patterns, st.lists(texts, min_size=1, max_size=8))
def test_generated_patterns_match_the_same_texts(pattern: str, given_texts: list[str]) -> None:
    ours = TextMatcher(parsed(translated(pattern)))
    other = theirs(pattern)
    for text in given_texts:
        assert ours.matches(text) == (other.fullmatch(text) is not None), (pattern, text)
