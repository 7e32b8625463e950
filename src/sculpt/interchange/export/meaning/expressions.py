r"""Expressions in the part of the syntax that Python, ECMAScript and Java share.

In: a language of texts. Out: an expression for it, or the texts themselves if there are few.
Classes are spelled out, as `\d` means other things elsewhere, and so is `.`, which elsewhere leaves
out line ends. Invariant: the expression has exactly the texts of the language. Cost: linear in it.
"""

from __future__ import annotations

from typing import assert_never

from sculpt.syntax.regular import (
    ALL_CHARS,
    CharSet,
    Choice,
    Epsilon,
    Letter,
    Nothing,
    Regular,
    Repeat,
    Sequence,
    count_suffix,
)

MAX_WORDS = 1_000
_SPECIAL = frozenset("\\^$.|?*+()[]{}")
_SPECIAL_IN_CLASS = frozenset("\\^-[]")
_NAMED = {"\t": r"\t", "\n": r"\n", "\r": r"\r"}


def written(pattern: Regular[CharSet]) -> str:
    """The expression of a language."""
    return _expression(pattern, 0)


def whole(pattern: Regular[CharSet]) -> str:
    """The expression of a language, for systems that put `^` before it and `$` after it."""
    return _expression(pattern, 1)


def _expression(pattern: Regular[CharSet], tight: int) -> str:
    """An expression that can stand in a choice (0), in a sequence (1), or before a count (2)."""
    match pattern:
        case Nothing():
            return r"[^\s\S]"
        case Epsilon():
            return "" if tight < 2 else "(?:)"
        case Letter(symbol):
            return _class(symbol)
        case Sequence(parts):
            text = "".join(_expression(part, 1) for part in parts)
            return text if tight < 2 else f"(?:{text})"
        case Choice(parts):
            text = "|".join(_expression(part, 0) for part in parts)
            return text if tight < 1 else f"(?:{text})"
        case Repeat(part, low, high):
            text = f"{_expression(part, 2)}{count_suffix(low, high)}"
            return text if tight < 2 else f"(?:{text})"
        case _:
            assert_never(pattern)


def _class(chars: CharSet) -> str:
    if chars == ALL_CHARS:
        return r"[\s\S]"
    if len(chars.ranges) == 1 and chars.ranges[0][0] == chars.ranges[0][1]:
        return _char(chars.ranges[0][0], _SPECIAL)
    # A class that leaves few characters out is shorter as what it leaves out.
    inverse = ~chars
    if len(inverse.ranges) < len(chars.ranges) or chars.ranges[-1][1] == 0x10FFFF:
        return f"[^{_ranges(inverse)}]"
    return f"[{_ranges(chars)}]"


def _ranges(chars: CharSet) -> str:
    parts = []
    for low, high in chars.ranges:
        if low == high:
            parts.append(_char(low, _SPECIAL_IN_CLASS))
        else:
            between = "" if high == low + 1 else "-"
            ends = [_char(each, _SPECIAL_IN_CLASS) for each in (low, high)]
            parts.append(between.join(ends))
    return "".join(parts)


def _char(code: int, special: frozenset[str]) -> str:
    char = chr(code)
    if char in special:
        return f"\\{char}"
    if char in _NAMED:
        return _NAMED[char]
    if char.isprintable() or code > 0xFFFF:
        return char
    return f"\\u{code:04x}"


def words_of(pattern: Regular[CharSet], limit: int = MAX_WORDS) -> tuple[str, ...] | None:
    """All texts of a language, if they are few."""
    match pattern:
        case Nothing():
            return ()
        case Epsilon():
            return ("",)
        case Letter(symbol):
            count = sum(high - low + 1 for low, high in symbol.ranges)
            if count > 1:
                return None  # a class is a shape, not a list of texts
            return tuple(chr(low) for low, _ in symbol.ranges)
        case Sequence(parts):
            found = [words_of(part, limit) for part in parts]
            done: tuple[str, ...] = ("",)
            for words in found:
                if words is None or len(done) * len(words) > limit:
                    return None
                done = tuple(begin + word for begin in done for word in words)
            return tuple(dict.fromkeys(done))
        case Choice(parts):
            listed = [words_of(part, limit) for part in parts]
            if any(words is None for words in listed):
                return None
            return tuple(dict.fromkeys(word for words in listed for word in words or ()))
        case Repeat(part, low, high):
            inner = words_of(part, limit)
            if high is None or inner is None or high > 1:
                return None
            return tuple(dict.fromkeys((*inner, *(("",) if low == 0 else ()))))
        case _:
            assert_never(pattern)


def caseless(pattern: Regular[CharSet]) -> str | None:
    """The text, in small letters, if a language is that of one text in any case."""
    parts = pattern.parts if isinstance(pattern, Sequence) else (pattern,)
    found = []
    for part in parts:
        chars = part.symbol.ranges if isinstance(part, Letter) else ()
        texts = [
            chr(code) for low, high in chars if high - low < 4 for code in range(low, high + 1)
        ]
        folded = {text.casefold() for text in texts}
        if len(folded) != 1 or not 0 < len(texts) <= 4:
            return None
        found.append(folded.pop())
    return "".join(found)
