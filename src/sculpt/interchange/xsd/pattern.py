r"""Patterns of XML Schema as expressions of Sculpt.

In: the value of a `pattern` facet (XML Schema 1.1, Part 2, appendix G). Out: an expression that
matches the same texts, or a `PatternError` with the place in the pattern. Both languages match
whole texts and are regular, so every pattern can be translated; what differs is what characters
mean: `^` and `$` are characters there, `.` is no line end, `\d` is any decimal digit, `\w` all but
punctuation, separators and controls; `\i`, `\c`, `\p{IsGreek}` and the subtraction of classes exist
only there.

Invariant: the result has no blank at its ends or beside a `|`, no line end, and no `/` without a
backslash, so it can be written after `name =` and between slashes. Cost: linear in the pattern;
classes with a subtraction are computed, and may be long.
"""

from __future__ import annotations

from collections.abc import Callable

from sculpt.interchange.xsd.blocks import blocks
from sculpt.syntax.regex import MAX_COUNT, category
from sculpt.syntax.regular import MAX_CODE_POINT, CharSet
from sculpt.values import frozen

MAX_DEPTH = 60
"""Of groups and of subtracted classes: expressions of Sculpt have a limit, too."""
_NAME_START = (
    (0x3A, 0x3A), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A), (0xC0, 0xD6), (0xD8, 0xF6),
    (0xF8, 0x2FF), (0x370, 0x37D), (0x37F, 0x1FFF), (0x200C, 0x200D), (0x2070, 0x218F),
    (0x2C00, 0x2FEF), (0x3001, 0xD7FF), (0xF900, 0xFDCF), (0xFDF0, 0xFFFD), (0x10000, 0xEFFFF),
)  # fmt: skip
_NAME_MORE = ((0x2D, 0x2E), (0x30, 0x39), (0xB7, 0xB7), (0x300, 0x36F), (0x203F, 0x2040))
_SPACES = CharSet.chars(" \t\n\r")
_INITIAL = CharSet.of(_NAME_START)
_NAME_CHARS = CharSet.of([*_NAME_START, *_NAME_MORE])
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t"}
_ESCAPABLE = frozenset("\\|.?*+(){}-[]^$")
_CATEGORIES = frozenset(
    [
        "L",
        "Lu",
        "Ll",
        "Lt",
        "Lm",
        "Lo",
        "M",
        "Mn",
        "Mc",
        "Me",
        "N",
        "Nd",
        "Nl",
        "No",
        "P",
        "Pc",
        "Pd",
        "Ps",
        "Pe",
        "Pi",
        "Pf",
        "Po",
        "Z",
        "Zs",
        "Zl",
        "Zp",
        "S",
        "Sm",
        "Sc",
        "Sk",
        "So",
        "C",
        "Cc",
        "Cf",
        "Co",
        "Cn",
    ]
)


class PatternError(ValueError):
    """A pattern is not one of XML Schema, or too large; `at` is where, from 0."""

    def __init__(self, message: str, at: int) -> None:
        super().__init__(message, at)
        self.message = message
        self.at = at


@frozen
class _Members:
    """Characters of a class: how they are written between brackets, and which they are."""

    text: str
    chars: Callable[[], CharSet]


def translated(pattern: str, ascii_digits: bool = False) -> str:
    r"""The expression of Sculpt for a pattern.

    With `ascii_digits`, `\d` is written as it is: the texts have no other digits.
    """
    reader = _Reader(pattern, ascii_digits)
    text = reader.choice(0)
    if reader.at < len(pattern):
        raise PatternError("this `)` has no matching `(`", reader.at)
    return text


class _Reader:
    def __init__(self, pattern: str, ascii_digits: bool) -> None:
        self.pattern = pattern
        self.at = 0
        self.digits = (
            _Members("0-9", lambda: CharSet.of([(0x30, 0x39)])) if ascii_digits else _category("Nd")
        )

    def peek(self) -> str:
        return self.pattern[self.at : self.at + 1]

    def choice(self, depth: int) -> str:
        """Branches, up to a closing parenthesis or the end."""
        if depth > MAX_DEPTH:
            raise PatternError(f"groups are nested more than {MAX_DEPTH} levels deep", self.at)
        branches = [self.branch(depth)]
        while self.peek() == "|":
            self.at += 1
            branches.append(self.branch(depth))
        return "|".join(branches)

    def branch(self, depth: int) -> str:
        pieces: list[str] = []
        while self.peek() not in ("", "|", ")"):
            pieces.append(self.atom(depth) + self.quantifier())
        # Blanks at the ends of an expression or beside a `|` would be lost, or doubtful.
        for end in (0, -1):
            if pieces and pieces[end].startswith(" "):
                pieces[end] = r"\x20" + pieces[end][1:]
        return "".join(pieces)

    def atom(self, depth: int) -> str:
        char = self.peek()
        match char:
            case "(":
                start = self.at
                self.at += 1
                inner = self.choice(depth + 1)
                if self.peek() != ")":
                    raise PatternError("this group never closes", start)
                self.at += 1
                return f"({inner})"
            case "[":
                return self.bracketed(depth)
            case ".":
                self.at += 1
                return r"[^\n\r]"
            case "\\":
                return self.escaped_atom()
            case "?" | "*" | "+" | "{":
                raise PatternError(f"there is nothing before `{char}` to repeat", self.at)
            case "]" | "}":
                raise PatternError(f"a `{char}` needs a backslash", self.at)
        self.at += 1
        return _outside(char)

    def quantifier(self) -> str:
        char = self.peek()
        if char and char in "?*+":
            self.at += 1
            return char
        if char != "{":
            return ""
        end = self.pattern.find("}", self.at)
        text = self.pattern[self.at : end + 1]
        low, comma, high = text[1:-1].partition(",")
        if end < 0 or not _is_number(low) or not (high == "" or _is_number(high)):
            raise PatternError("a `{` begins a count such as `{2}`, `{2,}` or `{2,4}`", self.at)
        if max(len(low), len(high)) > 9 or max(int(low), int(high or 0)) > MAX_COUNT:
            raise PatternError(f"a count is above {MAX_COUNT:,}", self.at)
        if high and int(high) < int(low):
            raise PatternError(f"the bounds of `{text}` are in the wrong order", self.at)
        self.at = end + 1
        return f"{{{int(low)}{comma}{int(high) if high else ''}}}"

    # --------------------------------------------------------------- characters

    def escaped_atom(self) -> str:
        start = self.at
        found = self.escape()
        if isinstance(found, str):
            return _outside(found)
        text = found.text
        single = text.startswith("\\") and text.count("\\") == 1 and text[1] in "pP"
        if self.pattern[start + 1] == "d" and text == "0-9":
            return r"\d"
        return text if single else f"[{text}]"

    def escape(self) -> str | _Members:
        """What an escape stands for: one character, or several."""
        start = self.at
        kind = self.pattern[start + 1 : start + 2]
        self.at += 2
        if kind in _CONTROLS:
            return _CONTROLS[kind]
        if kind and kind in _ESCAPABLE:
            return kind
        match kind:
            case "d":
                return self.digits
            case "D":
                return (
                    _outside_of(self.digits) if self.digits.text == "0-9" else _category("Nd", "P")
                )
            case "w":
                return _joined([_category(name) for name in ("L", "M", "N", "S")])
            case "W":
                return _joined([_category(name) for name in ("P", "Z", "C")])
            case "s" | "S":
                return _ranges(_SPACES if kind == "s" else ~_SPACES)
            case "i" | "I":
                return _ranges(_INITIAL if kind == "i" else ~_INITIAL)
            case "c" | "C":
                return _ranges(_NAME_CHARS if kind == "c" else ~_NAME_CHARS)
            case "p" | "P":
                return self.named(kind, start)
        self.at = start
        raise PatternError(f"`\\{kind}` is not an escape of XML Schema", start)

    def named(self, kind: str, start: int) -> _Members:
        r"""`{Lu}` or `{IsGreek}`, after `\p` or `\P`."""
        end = self.pattern.find("}", self.at)
        if self.peek() != "{" or end < 0:
            raise PatternError(f"`\\{kind}` needs a category such as `{{Lu}}`", start)
        name = self.pattern[self.at + 1 : end]
        self.at = end + 1
        if name in _CATEGORIES:
            return _category(name, kind)
        if name.startswith("Is") and name[2:] in blocks():
            block = CharSet((blocks()[name[2:]],))
            return _ranges(block if kind == "p" else ~block)
        raise PatternError(f"`{name}` is neither a category nor a block of Unicode", start)

    # --------------------------------------------------------------- classes

    def bracketed(self, depth: int) -> str:
        members, negated, subtracted = self.char_class(depth)
        if subtracted is None:
            return f"[{'^' if negated else ''}{members.text}]"
        left = ~members.chars() if negated else members.chars()
        chars = _without(left, subtracted)
        return f"[{_ranges(chars).text}]" if chars.ranges else r"[^\s\S]"

    def char_class(self, depth: int) -> tuple[_Members, bool, CharSet | None]:
        """A class: its members, whether they are those outside, and what is taken away."""
        start = self.at
        if depth > MAX_DEPTH:
            raise PatternError(f"classes are nested more than {MAX_DEPTH} levels deep", start)
        self.at += 1
        negated = self.peek() == "^"
        self.at += negated
        members: list[_Members] = []
        while (char := self.peek()) != "]":
            if char == "-" and self.pattern.startswith("-[", self.at) and members:
                self.at += 1
                subtracted = self.subtracted(depth)
                if self.peek() != "]":
                    raise PatternError("a subtracted class is the last part of its class", self.at)
                self.at += 1
                return _joined(members), negated, subtracted
            if not char:
                raise PatternError("this character class never closes", start)
            members.append(self.member())
        self.at += 1
        if not members:
            raise PatternError("this character class is empty", start)
        return _joined(members), negated, None

    def subtracted(self, depth: int) -> CharSet:
        members, negated, inner = self.char_class(depth + 1)
        chars = ~members.chars() if negated else members.chars()
        return chars if inner is None else _without(chars, inner)

    def member(self) -> _Members:
        """A character, a range or an escape."""
        start = self.at
        first = self.one()
        if isinstance(first, _Members):
            return first
        ahead = self.pattern[self.at : self.at + 2]
        if not ahead.startswith("-") or ahead in ("-]", "-[", "-"):
            return _one(first)
        self.at += 1
        last = self.one()
        if isinstance(last, _Members):
            raise PatternError("a range ends in one character", start)
        if ord(last) < ord(first):
            text = self.pattern[start : self.at]
            raise PatternError(f"the range `{text}` runs backwards", start)
        return _ranges(CharSet(((ord(first), ord(last)),)))

    def one(self) -> str | _Members:
        char = self.peek()
        if char == "\\":
            return self.escape()
        if char == "[":
            raise PatternError("a `[` in a class needs a backslash", self.at)
        if not char:
            raise PatternError("this character class never closes", self.at)
        self.at += 1
        return char


def _without(chars: CharSet, others: CharSet) -> CharSet:
    return ~(~chars | others)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _one(char: str) -> _Members:
    return _Members(_inside(ord(char)), lambda: CharSet.chars(char))


def _category(name: str, kind: str = "p") -> _Members:
    def chars() -> CharSet:
        return category(name) if kind == "p" else ~category(name)

    return _Members(f"\\{kind}{{{name}}}", chars)


def _ranges(chars: CharSet) -> _Members:
    """Characters as ranges."""
    parts = []
    for first, last in chars.ranges:
        dash = "" if last <= first + 1 else "-"
        parts.append(_inside(first) + (dash + _inside(last) if last > first else ""))
    return _Members("".join(parts), lambda: chars)


def _outside_of(members: _Members) -> _Members:
    return _ranges(~members.chars())


def _joined(members: list[_Members]) -> _Members:
    if len(members) == 1:
        return members[0]

    def chars() -> CharSet:
        return CharSet.of(pair for each in members for pair in each.chars().ranges)

    return _Members("".join(each.text for each in members), chars)


def _outside(char: str) -> str:
    """A character outside of classes."""
    if char.isalnum() or char in " _-:;,=<>@#&~'!`":
        return char
    return _numbered(char) or f"\\{char}"


def _inside(code: int) -> str:
    """A character in a class."""
    char = chr(code)
    if char.isalnum() or char in "_:;,=<>@#~'! ":
        return char if char != " " else r"\x20"
    return _numbered(char) or f"\\{char}"


def _numbered(char: str) -> str:
    """A character by its number, if it cannot be seen or a backslash would mean something else."""
    for letter, control in _CONTROLS.items():
        if char == control:
            return f"\\{letter}"
    code = ord(char)
    if char.isprintable() and (code < 0x7F or code > 0xA0):
        return "" if code < 0x80 else char
    if code <= 0xFF:
        return f"\\x{code:02X}"
    return f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{min(code, MAX_CODE_POINT):08X}"
