r"""Token expressions: text to a regular expression over characters.

In: the text right of a token's `=`. Out: `Regular[CharSet]`, or diagnostics. LANGUAGE 2 says what
is read: Perl-like syntax, regular part only, `\d \w \s` ASCII, `.` any character, a
double-quoted single character is that character, lazy equals greedy, `(?i)` at the start.

Invariant: the result describes whole cells; nothing in it depends on a position, so every engine
may compile it as it likes. Cost: linear in the text.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Callable
from functools import cache
from pathlib import Path

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from sculpt.diagnostics import Diagnostic
from sculpt.syntax.lines import Fragment
from sculpt.syntax.regular import (
    ALL_CHARS,
    MAX_CODE_POINT,
    CharSet,
    Choice,
    Epsilon,
    Letter,
    Nothing,
    Regular,
    Repeat,
    Sequence,
    size,
)

MAX_COUNT = 10_000
MAX_SIZE = 100_000
MAX_DEPTH = 100

_DIGIT = CharSet.of([(0x30, 0x39)])
_WORD = CharSet.of([(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)])
_SPACE = CharSet.chars(" \t\n\r\f\v")
_CLASSES = {"d": _DIGIT, "w": _WORD, "s": _SPACE}
_CONTROLS = {
    "t": "\t",
    "n": "\n",
    "r": "\r",
    "f": "\f",
    "v": "\v",
    "a": "\a",
    "e": "\x1b",
    "0": "\0",
}

_WHY_NOT_REGULAR = {
    "LOOKAROUND": ("look-around", "say what the whole cell looks like instead"),
    "ATOMIC": ("an atomic group", "write a plain group `(…)`: it means the same for whole cells"),
    "BACKREFERENCE": ("a back-reference", "no regular expression can compare two parts of a cell"),
    "BOUNDARY": ("a position such as `\\b`", "leave it out: a token matches the whole cell"),
    "POSSESSIVE": ("a possessive repetition", "drop the `+` behind it"),
    "ANCHOR": ("`^` or `$` inside", "leave it out, or write `\\^` or `\\$` for the character"),
}


class _RejectError(Exception):
    def __init__(self, code: str, message: str, start: int, end: int, hint: str | None) -> None:
        super().__init__(message)
        self.code, self.message, self.start, self.end, self.hint = code, message, start, end, hint


@cache
def _lark() -> Lark:
    grammar = (Path(__file__).parent / "regex.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", lexer="basic", propagate_positions=True)


def parse_regex(fragment: Fragment, problems: list[Diagnostic]) -> Regular[CharSet] | None:
    """The expression of a fragment, or `None` with the reasons added to `problems`."""
    try:
        return _Reader(fragment.text).read()
    except _RejectError as error:
        span = fragment.span(error.start, error.end)
        problems.append(Diagnostic(error.code, error.message, span, error.hint))
        return None


class _Reader:
    def __init__(self, text: str) -> None:
        self.start = 0
        self.ignore_case = text.startswith("(?i)")
        if self.ignore_case:
            self.start = 4
        # Whole cells match anyway, so anchors at the very ends say nothing new.
        if text.startswith("^", self.start):
            self.start += 1
        end = len(text)
        if (
            text.endswith("$")
            and (len(text) - len(text[:-1].rstrip("\\"))) % 2
            and end > self.start
        ):
            end -= 1
        self.text = text[self.start : end]

    def read(self) -> Regular[CharSet]:
        try:
            tree = _lark().parse(self.text)
        except UnexpectedInput as error:
            raise self.explain(error) from None
        if depth_of(tree) > 4 * MAX_DEPTH:
            raise _RejectError("too-deep", "the expression is nested too deeply", 0, 1, None)
        expression = self.convert(tree.children[0])
        if size(expression) > MAX_SIZE:
            raise _RejectError(
                "count-too-large",
                f"the repetitions multiply to {size(expression):,} characters;"
                f" the limit is {MAX_SIZE:,}",
                0,
                self.start + len(self.text),
                "use `*` or `+` for one of them",
            )
        return expression

    def reject(
        self, token: Token, code: str, message: str, hint: str | None = None
    ) -> _RejectError:
        start = self.start + (token.start_pos or 0)
        return _RejectError(code, message, start, start + len(token), hint)

    def explain(self, error: UnexpectedInput) -> _RejectError:
        if isinstance(error, UnexpectedCharacters):
            found = error.pos_in_stream or 0
            at, text = self.start + found, self.text[found:]
            if text.startswith("["):
                return _RejectError(
                    "bad-regex", "this character class never closes", at, at + 1, "add `]`"
                )
            if text.startswith("(?"):
                return _RejectError(
                    "bad-regex",
                    f"`{text[:3]}` is not known here",
                    at,
                    at + 3,
                    "`(?i)` may stand at the very start; groups are `(…)`, `(?:…)`, `(?P<name>…)`",
                )
            if text == "\\":
                return _RejectError(
                    "bad-regex", "a backslash at the end escapes nothing", at, at + 1, None
                )
            return _RejectError("bad-regex", f"unexpected `{text[:1]}`", at, at + 1, None)
        assert isinstance(error, UnexpectedToken), error
        token = error.token
        if token.type == "$END":
            end = self.start + len(self.text)
            return _RejectError("bad-regex", "a group is not closed", end, end, "add `)`")
        at = self.start + (token.start_pos or 0)
        if token == ")":
            return _RejectError(
                "bad-regex", "this `)` closes nothing", at, at + 1, "write `\\)` for the character"
            )
        return _RejectError(
            "bad-regex",
            f"nothing stands before `{token}` to be repeated",
            at,
            at + len(token),
            f"write `\\{token[:1]}` for the character",
        )

    # --------------------------------------------------------------- tree to expression

    def convert(self, node: Tree[Token] | Token) -> Regular[CharSet]:
        if isinstance(node, Token):
            return self.letter(node)
        match node.data:
            case "alternation":
                parts = tuple(self.convert(child) for child in node.children)
                return parts[0] if len(parts) == 1 else Choice(parts)
            case "sequence":
                parts = tuple(self.convert(child) for child in node.children)
                return Epsilon() if not parts else parts[0] if len(parts) == 1 else Sequence(parts)
            case "group":
                return self.convert(node.children[1])
            case "repeat":
                quantifier = node.children[1]
                assert isinstance(quantifier, Token)
                low, high = self.counts(quantifier)
                return Repeat(self.convert(node.children[0]), low, high)
        token = next(
            child
            for child in node.children
            if isinstance(child, Token) and child.type in _WHY_NOT_REGULAR
        )
        what, hint = _WHY_NOT_REGULAR[token.type]
        raise self.reject(token, "not-regular", f"{what} (`{token}`) is not regular", hint)

    def counts(self, token: Token) -> tuple[int, int | None]:
        simple: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
        if token[0] in simple:
            return simple[token[0]]
        low_text, comma, high_text = token.strip("{}?").partition(",")
        bounds = checked_counts(low_text, comma, high_text)
        if isinstance(bounds, tuple):
            return bounds
        raise self.reject(token, bounds, count_problem(bounds, str(token)))

    def letter(self, token: Token) -> Regular[CharSet]:
        match token.type:
            case "DOT":
                return Letter(ALL_CHARS)
            case "QUOTED":
                chars = CharSet.chars(token[1])
            case "ESCAPE":
                chars = self.escape(token, str(token))
            case "CLASS":
                return self.char_class(token)
            case _:
                chars = CharSet.chars(str(token))
        return Letter(fold(chars) if self.ignore_case else chars)

    def escape(self, token: Token, text: str) -> CharSet:
        kind = text[1]
        if kind.lower() in _CLASSES:
            chars = _CLASSES[kind.lower()]
            return ~chars if kind.isupper() else chars
        if kind in "pP" and len(text) > 2:
            chars = category(text[2:].strip("{}"))
            if not chars.ranges:
                raise self.reject(token, "bad-regex", f"`{text}` is no general category of Unicode")
            return ~chars if kind == "P" else chars
        code = escaped_code(text)
        if code is None or code > MAX_CODE_POINT:
            raise self.reject(
                token,
                "bad-regex",
                f"`{text}` is not an escape",
                "a backslash stands before punctuation",
            )
        return CharSet(((code, code),))

    def char_class(self, token: Token) -> Regular[CharSet]:
        body = token[1:-1]
        negated = body.startswith("^")
        items = _CLASS_ITEM.findall(body[negated:])
        chars = CharSet(())
        ix = 0
        while ix < len(items):
            item = items[ix]
            if item.startswith("[:") and len(item) > 2:
                raise self.reject(
                    token,
                    "bad-regex",
                    f"`{item}` is not known",
                    "write the characters, such as `A-Za-z`",
                )
            low = self.class_item(token, item)
            if ix + 2 < len(items) and items[ix + 1] == "-":
                high = self.class_item(token, items[ix + 2])
                chars |= self.range(token, item + "-" + items[ix + 2], low, high)
                ix += 3
            else:
                chars |= low
                ix += 1
        if self.ignore_case:
            chars = fold(chars)
        if negated:
            chars = ~chars
        return Letter(chars) if chars.ranges else Nothing()

    def class_item(self, token: Token, item: str) -> CharSet:
        if item == "\\b":
            return CharSet.chars("\b")
        return self.escape(token, item) if item.startswith("\\") else CharSet.chars(item)

    def range(self, token: Token, text: str, low: CharSet, high: CharSet) -> CharSet:
        ends = [chars.ranges[0] for chars in (low, high) if len(chars.ranges) == 1]
        if len(ends) < 2 or any(first != last for first, last in ends):
            raise self.reject(token, "bad-regex", f"`{text}` is not a range of characters")
        if ends[0][0] > ends[1][0]:
            raise self.reject(token, "bad-regex", f"the range `{text}` runs backwards")
        return CharSet(((ends[0][0], ends[1][0]),))


_CLASS_ITEM = re.compile(
    r"\\(?:x[0-9A-Fa-f]{2}|x\{[0-9A-Fa-f]+\}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|[pP]\{[^}]*\}|.)|\[:\w+:\]|.",
    re.DOTALL,
)


def escaped_code(text: str) -> int | None:
    r"""The code point of an escape such as `\t`, `\x41`, `\u00e9` or `\.`, if it is one."""
    kind, rest = text[1], text[2:].strip("{}")
    if kind in "xuU":
        return int(rest, 16) if rest else None
    if kind in _CONTROLS:
        return ord(_CONTROLS[kind])
    return None if kind.isalnum() else ord(kind)


def checked_counts(low_text: str, comma: str, high_text: str) -> tuple[int, int | None] | str:
    """The bounds of `{n}`, `{n,}`, `{n,m}`, or the code of what is wrong with them."""
    digits = max(len(low_text.strip()), len(high_text.strip()))
    if digits > len(str(MAX_COUNT)) + 20:  # do not even convert what only an attack writes
        return "count-too-large"
    low = int(low_text)
    high = int(high_text) if high_text.strip() else None if comma else low
    if max(low, high or 0) > MAX_COUNT:
        return "count-too-large"
    if high is not None and high < low:
        return "bad-count"
    return low, high


def count_problem(code: str, text: str) -> str:
    """The sentence that goes with the code of `checked_counts`."""
    if code == "bad-count":
        return f"`{text}` asks for more than it allows"
    return f"the count in `{text if len(text) < 20 else text[:20] + '…'}` is above {MAX_COUNT:,}"


def depth_of(tree: Tree[Token]) -> int:
    """The height of a parse tree, found without recursion."""
    deepest, todo = 0, [(tree, 1)]
    while todo:
        node, depth = todo.pop()
        deepest = max(deepest, depth)
        todo.extend((child, depth + 1) for child in node.children if isinstance(child, Tree))
    return deepest


@cache
def _case_variants() -> dict[int, tuple[int, ...]]:
    """Characters that differ only by case, by code point."""
    groups: dict[str, set[int]] = {}
    for code in range(sys.maxunicode + 1):
        char = chr(code)
        if char.lower() != char or char.upper() != char:
            groups.setdefault(char.lower(), set()).add(code)
            for other in (char.lower(), char.upper()):
                if len(other) == 1:
                    groups[char.lower()].add(ord(other))
    return {code: tuple(group) for group in groups.values() for code in group if len(group) > 1}


_ASCII_LETTERS = CharSet.of([(0x41, 0x5A), (0x61, 0x7A)])


def fold(chars: CharSet) -> CharSet:
    """The set with all case variants of its members."""
    if chars.ranges and chars.ranges[-1][1] < 0x80:
        swapped = [
            (code ^ 0x20, code ^ 0x20)
            for low, high in chars.ranges
            for code in range(low, high + 1)
            if chr(code) in _ASCII_LETTERS
        ]
        return CharSet.of([*chars.ranges, *swapped])
    extra = [
        (other, other)
        for code, group in _case_variants().items()
        if chr(code) in chars
        for other in group
    ]
    return CharSet.of([*chars.ranges, *extra])


@cache
def category(name: str) -> CharSet:
    """The characters of a Unicode general category such as `L` or `Lu`."""
    return _chars_where(lambda char: bool(name) and unicodedata.category(char).startswith(name))


def _chars_where(holds: Callable[[str], bool]) -> CharSet:
    return CharSet.of((code, code) for code in range(sys.maxunicode + 1) if holds(chr(code)))
