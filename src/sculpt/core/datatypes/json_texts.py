"""Is a text JSON (RFC 8259)? Read piece by piece, without recursion.

In: a text. Out: whether it is a JSON text, and whether its value is an object or an array. Names of
members may repeat, as the standard allows. Invariant: any text is answered, however deeply nested;
nothing is built. Cost: linear in the text; a byte of memory for each open bracket.
"""

from __future__ import annotations

import re
from typing import Literal as OneOf
from typing import TypeAlias

JsonKind: TypeAlias = OneOf["object", "array", "plain"]

_BLANKS = re.compile(r"[ \t\n\r]*")
_STRING = re.compile(r'"(?:[^\x00-\x1f"\\]|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*"')
_PLAIN = re.compile(
    rf"{_STRING.pattern}|true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
)
_CLOSES = {"{": "}", "[": "]"}
_KINDS: dict[str, JsonKind] = {"{": "object", "[": "array"}


def json_kind(text: str) -> JsonKind | None:
    """What the text is, or `None` if it is not JSON."""
    at = _past_blanks(text, 0)
    kind = _KINDS.get(text[at : at + 1], "plain")
    end = _past_value(text, at)
    return kind if end is not None and _past_blanks(text, end) == len(text) else None


def _past_blanks(text: str, at: int) -> int:
    found = _BLANKS.match(text, at)
    assert found is not None
    return found.end()


def _past_value(text: str, at: int) -> int | None:
    """Where the value that begins here ends."""
    open_brackets = bytearray()
    while True:
        char = text[at : at + 1]
        if char and char in "{[":
            inside = _past_blanks(text, at + 1)
            if text[inside : inside + 1] != _CLOSES[char]:
                open_brackets += char.encode()
                start = inside if char == "[" else _past_name(text, inside)
                if start is None:
                    return None
                at = start
                continue
            end = inside + 1
        else:
            found = _PLAIN.match(text, at)
            if found is None:
                return None
            end = found.end()
        following = _after_value(text, end, open_brackets)
        if following is None or not open_brackets:
            return following
        at = following


def _after_value(text: str, end: int, open_brackets: bytearray) -> int | None:
    """Where the next value begins, or, if no bracket is open any more, where all of it ends."""
    while open_brackets:
        at = _past_blanks(text, end)
        char, opened = text[at : at + 1], chr(open_brackets[-1])
        if char == ",":
            at = _past_blanks(text, at + 1)
            return at if opened == "[" else _past_name(text, at)
        if char != _CLOSES[opened]:
            return None
        open_brackets.pop()
        end = at + 1
    return end


def _past_name(text: str, at: int) -> int | None:
    """Where the value of a member begins, whose name begins here."""
    name = _STRING.match(text, at)
    if name is None:
        return None
    colon = _past_blanks(text, name.end())
    return _past_blanks(text, colon + 1) if text[colon : colon + 1] == ":" else None
