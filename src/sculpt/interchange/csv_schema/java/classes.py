"""Sets of characters, as Java's regular expressions name them and Sculpt's write them.

In: ranges of code points, and general categories. Out: `CharSet`, with unions, intersections and
complements, and its text as a class of a Sculpt expression.

Invariant: the text matches exactly the set. A set with categories is known only by their names, so
it has no intersections: `JavaError`. Cost: linear in the ranges.
"""

from __future__ import annotations

from sculpt.values import frozen

_LAST = 0x10FFFF


class JavaError(Exception):
    """A pattern is malformed, or is Java's but cannot be taken over."""

    def __init__(
        self,
        message: str,
        start: int,
        end: int,
        hint: str | None = None,
        is_valid_in_java: bool = False,
    ) -> None:
        super().__init__(message, start, end, hint, is_valid_in_java)
        self.message, self.start, self.end = message, start, end
        self.hint, self.is_valid_in_java = hint, is_valid_in_java

    def __str__(self) -> str:
        return self.message


@frozen
class CharSet:
    """Ranges of characters, and general categories by name; all but these, if it is negative."""

    ranges: tuple[tuple[int, int], ...]
    names: tuple[str, ...] = ()
    is_negative: bool = False

    @classmethod
    def dot(cls, matches_line_ends: bool) -> CharSet:
        """What `.` matches."""
        return cls((), (), True) if matches_line_ends else cls(_LINE_ENDS, (), True)

    @property
    def single(self) -> int | None:
        """The only character, if there is but one."""
        if self.names or self.is_negative or len(self.ranges) != 1:
            return None
        low, high = self.ranges[0]
        return low if low == high else None

    def negated(self) -> CharSet:
        """All other characters."""
        return CharSet(self.ranges, self.names, not self.is_negative)

    def doubled(self) -> CharSet:
        """The same with the ASCII letters of the other case."""
        added = []
        for low, high in self.ranges:
            for first, last, shift in ((65, 90, 32), (97, 122, -32)):
                if low <= last and first <= high:
                    added.append((max(low, first) + shift, min(high, last) + shift))
        return CharSet(_merged((*self.ranges, *added)), self.names, self.is_negative)

    def joined(self, other: CharSet, at: int) -> CharSet:
        """The characters of either."""
        if not (self.is_negative or other.is_negative):
            names = (*self.names, *(each for each in other.names if each not in self.names))
            return CharSet(_merged((*self.ranges, *other.ranges)), names)
        if not self.ranges and not self.names and not self.is_negative:
            return other
        return CharSet(_merged((*self.listed(at), *other.listed(at))))

    def common(self, other: CharSet, at: int) -> CharSet:
        """The characters of both."""
        mine, yours = CharSet(self.listed(at)), CharSet(other.listed(at))
        rest = (*_complement(mine.ranges), *_complement(yours.ranges))
        return CharSet(_complement(_merged(rest)))

    def listed(self, at: int) -> tuple[tuple[int, int], ...]:
        """The characters as ranges; `JavaError` if there are categories among them."""
        if self.names:
            message = "a class that combines Unicode categories this way is not taken over"
            raise JavaError(message, at, at + 1, is_valid_in_java=True)
        return _complement(self.ranges) if self.is_negative else _merged(self.ranges)

    @property
    def text(self) -> str:
        """The set as a part of an expression."""
        if self.single is not None:
            return written(self.single)
        if self.is_negative and not self.ranges and not self.names:
            return "."
        if not self.is_negative and not self.ranges and len(self.names) == 1:
            return self.names[0]
        if not self.ranges and not self.names:
            raise JavaError("a class without characters matches nothing", 0, 1, None, True)
        known = _SHORT.get(self.ranges) if not self.names else None
        if known is not None:
            return known.upper() if self.is_negative else known
        sign = "^" if self.is_negative else ""
        return f"[{sign}{''.join(self.names)}{''.join(_range(*each) for each in self.ranges)}]"


def _merged(ranges: tuple[tuple[int, int], ...]) -> tuple[tuple[int, int], ...]:
    found: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if found and low <= found[-1][1] + 1:
            found[-1] = found[-1][0], max(high, found[-1][1])
        else:
            found.append((low, high))
    return tuple(found)


def _complement(ranges: tuple[tuple[int, int], ...]) -> tuple[tuple[int, int], ...]:
    found, start = [], 0
    for low, high in _merged(ranges):
        if low > start:
            found.append((start, low - 1))
        start = high + 1
    if start <= _LAST:
        found.append((start, _LAST))
    return tuple(found)


def written(code: int, in_class: bool = False) -> str:
    """A character as it is written in an expression."""
    char = chr(code)
    if char in _NAMED:
        return _NAMED[char]
    if char == " " and in_class:
        return "\\x20"
    if char.isascii() and char.isprintable():
        special = "\\^]-[&~" if in_class else '\\.*+?()[]{}|^$"%>'
        return f"\\{char}" if char in special else char
    if char.isprintable():
        return char
    return f"\\u{code:04X}" if code <= 0xFFFF else f"\\x{{{code:X}}}"


def _range(low: int, high: int) -> str:
    first, last = written(low, True), written(high, True)
    if low == high:
        return first
    return f"{first}{last}" if high == low + 1 else f"{first}-{last}"


_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\f": "\\f", "\v": "\\v"}
_LINE_ENDS = ((0x0A, 0x0A), (0x0D, 0x0D), (0x85, 0x85), (0x2028, 0x2029))
_DIGITS = ((48, 57),)
_WORD = ((48, 57), (65, 90), (95, 95), (97, 122))
_SPACE = ((9, 13), (32, 32))
_SHORT = {_DIGITS: "\\d", _WORD: "\\w", _SPACE: "\\s"}
_HORIZONTAL: tuple[tuple[int, int], ...] = (
    (9, 9),
    (32, 32),
    (0xA0, 0xA0),
    (0x1680, 0x1680),
    (0x180E, 0x180E),
)
_HORIZONTAL += ((0x2000, 0x200A), (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000))
_VERTICAL = ((10, 13), (0x85, 0x85), (0x2028, 0x2029))
_CONTROL = {"t": 9, "n": 10, "r": 13, "f": 12, "a": 7, "e": 27}
_SETS = {"d": _DIGITS, "w": _WORD, "s": _SPACE, "h": _HORIZONTAL, "v": _VERTICAL}

ESCAPES: dict[str, CharSet] = {
    **{name: CharSet(((code, code),)) for name, code in _CONTROL.items()},
    **{name: CharSet(ranges) for name, ranges in _SETS.items()},
    **{name.upper(): CharSet(ranges, (), True) for name, ranges in _SETS.items()},
}
"""What `\\d`, `\\t` and the like stand for."""

_PUNCTUATION = ((33, 47), (58, 64), (91, 96), (123, 126))
POSIX: dict[str, CharSet] = {
    "Lower": CharSet(((97, 122),)),
    "Upper": CharSet(((65, 90),)),
    "ASCII": CharSet(((0, 127),)),
    "Alpha": CharSet(((65, 90), (97, 122))),
    "Digit": CharSet(_DIGITS),
    "Alnum": CharSet(((48, 57), (65, 90), (97, 122))),
    "Punct": CharSet(_PUNCTUATION),
    "Graph": CharSet(((33, 126),)),
    "Print": CharSet(((32, 126),)),
    "Blank": CharSet(((9, 9), (32, 32))),
    "Cntrl": CharSet(((0, 31), (127, 127))),
    "XDigit": CharSet(((48, 57), (65, 70), (97, 102))),
    "Space": CharSet(_SPACE),
    "L1": CharSet(((0, 255),)),
    "all": CharSet((), (), True),
}
"""The classes of POSIX, which are of ASCII in Java."""

CATEGORIES = frozenset(
    (
        *("L", "Lu", "Ll", "Lt", "Lm", "Lo", "M", "Mn", "Mc", "Me", "N", "Nd", "Nl", "No"),
        *("P", "Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "S", "Sm", "Sc", "Sk", "So"),
        *("Z", "Zs", "Zl", "Zp", "C", "Cc", "Cf", "Co", "Cn"),
    )
)
"""The general categories of Unicode; Java's `LC` and `LD` are not among them."""
