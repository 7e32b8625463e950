r"""Token expressions: text to a regular expression over characters.

In: the text right of a token's `=`. Out: `Regular[CharSet]`, or diagnostics.
`docs/language.md#4-tokens` defines the syntax: like Perl's, but only its regular part; `\d \w \s`
are ASCII, `.` is any character, a single character in double quotes is that character, lazy equals
greedy, `(?i)` is allowed at the start.

One regular expression finds the pieces, and a stack of open groups puts them together. Constructs
that are not regular are pieces too, so that the error can name them.

Invariant: the result describes whole cells; nothing in it depends on a position, so each engine
can compile it in its own way. Cost: linear in the text.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Iterator
from functools import cache
from itertools import groupby

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
    "t": "\t", "n": "\n", "r": "\r", "f": "\f", "v": "\v", "a": "\a", "e": "\x1b", "0": "\0",
}  # fmt: skip
_ESCAPE = (
    r"\\(?:x[0-9A-Fa-f]{2}|x\{[0-9A-Fa-f]+\}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}"
    r"|[pP]\{[^}]*\}|[pP][A-Z]|0[0-9]+|.)"
)
_COUNT = r"(?:[*+?]|\{[0-9]+(?:,[0-9]*)?\})"
# The first alternative that fits wins, so what is not regular comes before what it looks like.
_PIECE = re.compile(
    rf"""
      (?P<quoted>"[^\\]")
    | (?P<lookaround>\(\?<?[=!])
    | (?P<atomic>\(\?>)
    | (?P<backreference>\\[1-9][0-9]*|\\k[<{{'][^>}}']*[>}}']|\\g\{{?-?\w+\}}?|\(\?P=\w+\))
    | (?P<open>\(\?:|\(\?P?<[^\W\d]\w*>|\((?!\?))
    | (?P<close>\))
    | (?P<boundary>\\[bBAZzGKX])
    | (?P<possessive>{_COUNT}\+)
    | (?P<count>{_COUNT}\??)
    | (?P<class>\[\^?\]?(?:\\.|\[:\w+:\]|[^\]\\])*\])
    | (?P<escape>{_ESCAPE})
    | (?P<anchor>[\^$])
    | (?P<dot>\.)
    | (?P<bar>\|)
    | (?P<open_count>\{{,[0-9]*\}})
    | (?P<char>[^\\()\[|*+?.])
    """,
    re.VERBOSE | re.DOTALL,
)
_CLASS_ITEM = re.compile(rf"{_ESCAPE}|\[:\w+:\]|.", re.DOTALL)
_LETTERS = ("char", "escape", "quoted", "class", "dot")
"""The kinds of pieces that stand for one character."""
_SIMPLE_COUNTS: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}

_WHY_NOT_REGULAR = {
    "lookaround": ("look-around", "describe the whole cell instead"),
    "atomic": ("an atomic group", "write a plain group `(…)`: it means the same for whole cells"),
    "backreference": ("a back-reference", "no regular expression can compare two parts of a cell"),
    "boundary": ("a position such as `\\b`", "remove it: a token matches the whole cell"),
    "possessive": ("a possessive repetition", "remove the `+` after it"),
    "anchor": ("an anchor in the middle", "remove it, or write `\\^` or `\\$` for the character"),
}


class _RejectError(Exception):
    def __init__(self, code: str, message: str, start: int, end: int, hint: str | None) -> None:
        super().__init__(message)
        self.code, self.message, self.start, self.end, self.hint = code, message, start, end, hint


def parse_regex(fragment: Fragment, problems: list[Diagnostic]) -> Regular[CharSet] | None:
    """The expression of a fragment, or `None` with the reasons added to `problems`."""
    try:
        return _Reader(fragment.text).read()
    except _RejectError as error:
        span = fragment.span(error.start, error.end)
        problems.append(Diagnostic(error.code, error.message, span, error.hint))
        return None


def capturing_pattern(text: str) -> tuple[str, int]:
    r"""An equivalent expression for RE2, with groups named `g1`, `g2`, …; and their number.

    Each character is written as the class of its code points, so RE2 decides nothing about case,
    classes or escapes. RE2 rejects counts above 1,000, and expressions that need too much memory.
    """
    reader = _Reader(text)
    written: list[str] = []
    opened: list[int] = []
    last = groups = 0  # where in `written` the last item begins
    for kind, piece, at in reader.pieces():
        if kind in _LETTERS:
            last = len(written)
            piece = _class_of_code_points(reader.letter(kind, piece, at))
        elif kind == "open":
            opened.append(len(written))
            if piece != "(?:":
                groups += 1
                piece = f"(?P<g{groups}>"
        elif kind == "close":
            last = opened.pop()
        elif kind == "count":  # RE2 rejects `a**`, so the repeated item becomes a group
            written[last] = f"(?:{written[last]}"
            piece = f"{piece})"
        written.append(piece)
    return rf"\A(?:{''.join(written)})\z", groups


def _class_of_code_points(letter: Regular[CharSet]) -> str:
    if not isinstance(letter, Letter):
        return r"[^\x{0}-\x{10FFFF}]"  # no character at all
    ranges = (rf"\x{{{low:X}}}-\x{{{high:X}}}" for low, high in letter.symbol.ranges)
    return f"[{''.join(ranges)}]"


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.ignore_case = text.startswith("(?i)")
        self.start = 4 if self.ignore_case else 0
        self.end = len(text)
        # Whole cells match anyway, so anchors at the very ends change nothing.
        if text.startswith("^", self.start):
            self.start += 1
        escapes = len(text[:-1]) - len(text[:-1].rstrip("\\"))
        if text.endswith("$") and escapes % 2 == 0 and self.end > self.start:
            self.end -= 1
        self.branches: list[Regular[CharSet]] = []
        self.items: list[Regular[CharSet]] = []
        self.heights: list[int] = []
        self.outer: list[tuple[list[Regular[CharSet]], list[Regular[CharSet]], list[int]]] = []

    def pieces(self) -> Iterator[tuple[str, str, int]]:
        """The kind of each piece, its text, and where it begins."""
        at = self.start
        while at < self.end:
            match = _PIECE.match(self.text, at, self.end)
            if match is None or match.lastgroup is None:
                raise self.unreadable(at)
            yield match.lastgroup, match[0], at
            at = match.end()

    def read(self) -> Regular[CharSet]:
        for kind, text, at in self.pieces():
            self.piece(kind, text, at)
        if self.outer:
            raise _RejectError("bad-regex", "a group is not closed", self.end, self.end, "add `)`")
        expression, _ = self.group()
        if size(expression) > MAX_SIZE:
            raise _RejectError(
                "count-too-large",
                f"the repetitions multiply to {size(expression):,} characters;"
                f" the limit is {MAX_SIZE:,}",
                0,
                len(self.text),
                "use `*` or `+` for one of them",
            )
        return expression

    def piece(self, kind: str, text: str, at: int) -> None:
        match kind:
            case kind if kind in _LETTERS:
                self.items.append(self.letter(kind, text, at))
                self.heights.append(1)
            case "count":
                self.repeat(text, at)
            case "bar":
                self.branches.append(_joined(self.items))
                self.items = []
            case "open":
                self.outer.append((self.branches, self.items, self.heights))
                self.branches, self.items, self.heights = [], [], []
            case "close":
                self.close(at)
            case "open_count":
                hint = f"write `{{0{text[1:]}`, or `\\{{` for the character"
                raise self.reject("bad-regex", f"`{text}` has no lower bound", at, text, hint)
            case _:
                what, hint = _WHY_NOT_REGULAR[kind]
                message = f"{what} (`{text}`) is not regular"
                raise self.reject("not-regular", message, at, text, hint)

    def close(self, at: int) -> None:
        if not self.outer:
            hint = "write `\\)` for the character"
            raise self.reject("bad-regex", "this `)` has no matching `(`", at, ")", hint)
        expression, height = self.group()
        self.branches, self.items, self.heights = self.outer.pop()
        self.push(expression, height + 1, at)

    def push(self, expression: Regular[CharSet], height: int, at: int) -> None:
        if height > MAX_DEPTH:
            message = f"the expression is nested more than {MAX_DEPTH} levels deep"
            raise _RejectError("too-deep", message, at, at + 1, None)
        self.items.append(expression)
        self.heights.append(height)

    def group(self) -> tuple[Regular[CharSet], int]:
        branches = (*self.branches, _joined(self.items))
        height = max(self.heights, default=1)
        return (branches[0] if len(branches) == 1 else Choice(branches)), height

    def repeat(self, text: str, at: int) -> None:
        if not self.items:
            message = f"there is nothing before `{text}` to repeat"
            hint = f"write `\\{text[:1]}` for the character"
            raise self.reject("bad-regex", message, at, text, hint)
        bounds = _SIMPLE_COUNTS.get(text[0]) or checked_counts(*text.strip("{}?").partition(","))
        if isinstance(bounds, str):
            raise self.reject(bounds, count_problem(bounds, text), at, text)
        repeated = Repeat(self.items.pop(), *bounds)
        self.push(repeated, self.heights.pop() + 1, at)

    # --------------------------------------------------------------- problems

    def reject(
        self, code: str, message: str, at: int, text: str, hint: str | None = None
    ) -> _RejectError:
        return _RejectError(code, message, at, at + len(text), hint)

    def unreadable(self, at: int) -> _RejectError:
        text = self.text[at : self.end]
        if text.startswith("["):
            return self.reject("bad-regex", "this character class never closes", at, "[", "add `]`")
        if text.startswith("(?"):
            hint = "`(?i)` goes at the very start; groups are `(…)`, `(?:…)`, `(?P<name>…)`"
            return self.reject(
                "bad-regex", f"`{text[:3]}` is not supported here", at, text[:3], hint
            )
        if text == "\\":
            return self.reject("bad-regex", "a backslash at the end escapes nothing", at, "\\")
        return self.reject("bad-regex", f"unexpected `{text[:1]}`", at, text[:1])

    # --------------------------------------------------------------- characters

    def letter(self, kind: str, text: str, at: int) -> Regular[CharSet]:
        match kind:
            case "dot":
                return Letter(ALL_CHARS)
            case "class":
                return self.char_class(text, at)
            case "escape":
                return Letter(self.members(text, at))
            case "quoted":
                text = text[1]
        return Letter(self.folded(CharSet.chars(text)))

    def folded(self, chars: CharSet) -> CharSet:
        """A set of characters, with all case variants under `(?i)`."""
        return fold(chars) if self.ignore_case else chars

    def members(self, text: str, at: int) -> CharSet:
        r"""The characters that an escape stands for: `\W` is the complement of `\w`."""
        chars = self.folded(self.escape(text, at))
        return ~chars if text[1] in "DWSP" else chars

    def escape(self, text: str, at: int) -> CharSet:
        r"""The characters that an escape names; for `\D` and the like, those it excludes."""
        kind = text[1]
        if kind.lower() in _CLASSES:
            return _CLASSES[kind.lower()]
        if kind in "pP" and len(text) > 2:
            chars = category(text[2:].strip("{}"))
            if not chars.ranges:
                message = f"`{text}` is not a general category of Unicode"
                raise self.reject("bad-regex", message, at, text)
            return chars
        code = escaped_code(text)
        if code is None or code > MAX_CODE_POINT:
            hint = "a backslash escapes punctuation; write a character by number as `\\xHH`"
            raise self.reject("bad-regex", f"`{text}` is not an escape", at, text, hint)
        return CharSet(((code, code),))

    def char_class(self, text: str, at: int) -> Regular[CharSet]:
        body = text[1:-1]
        negated = body.startswith("^")
        items = _CLASS_ITEM.findall(body[negated:])
        if not items:
            raise self.reject("bad-regex", f"`{text}` has no characters", at, text)
        ranges: list[tuple[int, int]] = []
        ix = 0
        while ix < len(items):
            item = items[ix]
            if item.startswith("[:") and len(item) > 2:
                hint = "write the characters, such as `A-Za-z`"
                raise self.reject("bad-regex", f"`{item}` is not supported", at, text, hint)
            if ix + 2 < len(items) and items[ix + 1] == "-":
                ranges += self.folded(self.range(item, items[ix + 2], at)).ranges
                ix += 3
            elif item.startswith("\\") and item != "\\b":
                ranges += self.members(item, at).ranges
                ix += 1
            else:
                ranges += self.folded(self.end_of_range(item, at)).ranges
                ix += 1
        chars = CharSet.of(ranges)
        if negated:
            chars = ~chars
        return Letter(chars) if chars.ranges else Nothing()

    def range(self, first: str, last: str, at: int) -> CharSet:
        ends = [self.end_of_range(item, at).ranges for item in (first, last)]
        text = f"{first}-{last}"
        if any(len(ranges) != 1 or ranges[0][0] != ranges[0][1] for ranges in ends):
            raise self.reject("bad-regex", f"`{text}` is not a range of characters", at, text)
        low, high = ends[0][0][0], ends[1][0][0]
        if low > high:
            raise self.reject("bad-regex", f"the range `{text}` runs backwards", at, text)
        return CharSet(((low, high),))

    def end_of_range(self, item: str, at: int) -> CharSet:
        if item == "\\b":
            return CharSet.chars("\b")
        return self.escape(item, at) if item.startswith("\\") else CharSet.chars(item)


def _joined(items: list[Regular[CharSet]]) -> Regular[CharSet]:
    if not items:
        return Epsilon()
    return items[0] if len(items) == 1 else Sequence(tuple(items))


def escaped_code(text: str) -> int | None:
    r"""The code point of an escape such as `\t`, `\x41`, `\u00e9` or `\.`, if it is valid."""
    kind, rest = text[1], text[2:].strip("{}")
    if kind in "xuU":
        return int(rest, 16) if rest else None
    if kind in _CONTROLS:
        return None if rest else ord(_CONTROLS[kind])
    return None if kind.isalnum() else ord(kind)


def checked_counts(low_text: str, comma: str, high_text: str) -> tuple[int, int | None] | str:
    """The bounds of `{n}`, `{n,}`, `{n,m}`, or the code of what is wrong with them."""
    digits = max(len(low_text.strip()), len(high_text.strip()))
    if digits > len(str(MAX_COUNT)) + 20:  # do not even convert it: only an attack looks like this
        return "count-too-large"
    low = int(low_text)
    high = int(high_text) if high_text.strip() else None if comma else low
    if max(low, high or 0) > MAX_COUNT:
        return "count-too-large"
    if high is not None and high < low:
        return "bad-count"
    return low, high


def count_problem(code: str, text: str) -> str:
    """The message for a code of `checked_counts`."""
    if code == "bad-count":
        return f"the lower bound of `{text}` is above its upper bound"
    return f"the count in `{text if len(text) < 20 else text[:20] + '…'}` is above {MAX_COUNT:,}"


@cache
def case_variants() -> dict[int, tuple[int, ...]]:
    """Characters that differ only by case, by code point: those with the same case folding.

    Full folding gives the same groups as simple folding: `ß` and `ẞ` are both `ss`. All letters
    with case are in the first two planes of Unicode.
    """
    groups: dict[str, list[int]] = {}
    for code in range(0x20000):
        groups.setdefault(chr(code).casefold(), []).append(code)
    return {code: tuple(group) for group in groups.values() if len(group) > 1 for code in group}


def fold(chars: CharSet) -> CharSet:
    """The set with all case variants of its members."""
    is_ascii = bool(chars.ranges) and chars.ranges[-1][1] < 0x80
    variants = _ASCII_VARIANTS if is_ascii else case_variants()
    extra = [
        (other, other) for code, group in variants.items() if chr(code) in chars for other in group
    ]
    return CharSet.of([*chars.ranges, *extra])


_ASCII_VARIANTS = {
    **{code: (code ^ 0x20,) for code in (*range(0x41, 0x5B), *range(0x61, 0x7B))},
    **{ord(char): (ord("k"), ord("K"), 0x212A) for char in "kK"},
    **{ord(char): (ord("s"), ord("S"), 0x17F) for char in "sS"},
}
"""The part of `case_variants` for ASCII, which is enough for most schemas."""


@cache
def category(name: str) -> CharSet:
    """The characters of a Unicode general category such as `L` or `Lu`."""
    found = [ranges for each, ranges in _categories().items() if name and each.startswith(name)]
    return CharSet.of(pair for ranges in found for pair in ranges)


_UNIFORM = ((0x34000, 0xE0000), (0xE1000, 0xF0000), (0xF0000, 0xFFFFE), (0x100000, 0x10FFFE))
"""From where to where all code points have one category: a test compares them with Unicode."""


@cache
def _categories() -> dict[str, list[tuple[int, int]]]:
    """The ranges of each category; one pass over the code points is enough for every name."""
    ranges: dict[str, list[tuple[int, int]]] = {}
    at = 0
    for begin, end in (*_UNIFORM, (sys.maxunicode + 1,) * 2):
        names = map(unicodedata.category, map(chr, range(at, begin)))
        for name, run in groupby(names):
            size = len(list(run))
            ranges.setdefault(name, []).append((at, at + size - 1))
            at += size
        if begin < end:
            ranges.setdefault(unicodedata.category(chr(begin)), []).append((begin, end - 1))
        at = end
    return ranges
