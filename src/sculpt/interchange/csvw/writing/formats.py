"""Formats of datatypes: patterns of numbers, dates and times, and regular expressions.

In: the text of a format. Out: the pictures of Sculpt that stand for it, or nothing if the standard
does not know it ("Model for Tabular Data", sections 6.4.2 to 6.4.6).

- A pattern of a number has the symbols `0 # . , E + - % ‰`, with the decimal and the group
  character of the format in place of `.` and `,`. A number may have a sign in front of its digits
  even where the pattern shows none.
- A pattern of a date or time is one of those that the standard lists. `S` gives the largest number
  of decimals of a second, so such a pattern is several pictures.
- A regular expression is one of ECMAScript. The standard does not say whether it is for the whole
  text. As in other implementations, that of a text is, and that of a duration is looked for.

Invariant: a picture that is returned is one that Sculpt accepts. Cost: linear in the format.
"""

from __future__ import annotations

import re
from functools import lru_cache

from sculpt.core.datatypes.model import Base, Condition, ConditionError
from sculpt.core.datatypes.reading import check
from sculpt.diagnostics import Diagnostic, Source
from sculpt.interchange.csvw.kinds import DECIMALS, INTEGERS
from sculpt.syntax.parser import parse
from sculpt.values import frozen

_NUMBER = re.compile(
    r"(?P<before>[+\-%‰]*)(?P<digits>[#0][#0,]*(?:\.[#0,]*)?|\.[#0][#0,]*)(?P<exponent>E\+?0+)?"
    r"(?P<after>[%‰]?)"
)
_DATES = (
    "yyyy-MM-dd", "yyyyMMdd", "dd-MM-yyyy", "d-M-yyyy", "MM-dd-yyyy", "M-d-yyyy", "dd/MM/yyyy",
    "d/M/yyyy", "MM/dd/yyyy", "M/d/yyyy", "dd.MM.yyyy", "d.M.yyyy", "MM.dd.yyyy", "M.d.yyyy",
)  # fmt: skip
_TIMES = ("HH:mm:ss", "HHmmss", "HH:mm", "HHmm")
_DATE = "|".join(map(re.escape, _DATES))
_TIME = rf"HH:mm:ss\.S+|{'|'.join(_TIMES)}"
_MOMENT = re.compile(
    rf"(?:(?P<both>(?:{_DATE}) (?:{_TIME})|yyyy-MM-ddTHH:mm(?::ss(?:\.S+)?)?)"
    rf"|(?P<date>{_DATE})|(?P<time>{_TIME}))(?P<zone> ?(?:X{{1,3}}|x{{1,3}}))?"
)
_PART = re.compile(r"[yMd]+(?:[-/. ][yMd]+)*(?: ?(?:X{1,3}|x{1,3}))?")
_PIECE = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|.", re.DOTALL)
_DECIMALS = re.compile(r"\.S+")
_MAX_DECIMALS = 9


@frozen
class Picture:
    """A picture of a type: what is written `xs:decimal("#,##0", group ".")`.

    `negative_only` says that positive numbers of it are not meant, and `whole` that numbers with
    decimals are not.
    """

    base: Base
    negative_only: bool = False
    whole: bool = False

    def __str__(self) -> str:
        ends = [
            f', {word} "{_quoted(char)}"'
            for word, char in (("group", self.base.group), ("decimal", self.base.decimal))
            if char is not None
        ]
        text = f'{self.base.type}("{_quoted(self.base.picture or "")}"{"".join(ends)})'
        parts = [text]
        if self.negative_only:
            parts.append("/.*-.*/")
        if self.whole:
            parts.append(f"/[^{_escaped(self.base.decimal or '.')}]*/")
        return f"({' and '.join(parts)})" if len(parts) > 1 else text

    def is_form(self, text: str) -> bool:
        """Is a text that the picture accepts meant?"""
        has_decimals = (self.base.decimal or ".") in text
        return not (self.negative_only and "-" not in text) and not (self.whole and has_decimals)


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _is_picture(base: Base) -> bool:
    try:
        check(Condition(base))
    except ConditionError:
        return False
    return True


# ------------------------------------------------------------- numbers


@lru_cache(maxsize=1_000)
def number_pictures(
    base: str, pattern: str, decimal: str | None, group: str | None
) -> tuple[Picture, ...]:
    """The pictures of a pattern of numbers; none if it is no pattern."""
    for read in (_own_characters(pattern, decimal, group), pattern):
        found = None if read is None else _NUMBER.fullmatch(read)
        if found is not None:
            pictures = _number_pictures(base, found, decimal, group)
            if pictures:
                return pictures
    return ()


def _own_characters(pattern: str, decimal: str | None, group: str | None) -> str | None:
    """The pattern with `.` and `,` where it has the characters of the format."""
    own = {group or ",": ",", decimal or ".": "."}
    written = ""
    for char in pattern:
        if char in own:
            written += own[char]
        elif char in ".,":
            return None
        else:
            written += char
    return written


def _number_pictures(
    base: str, found: re.Match[str], decimal: str | None, group: str | None
) -> tuple[Picture, ...]:
    before, after = found["before"], found["after"]
    signs = [char for char in before if char in "+-"]
    marks = "".join(char for char in before if char not in "+-")
    if len(signs) > 1 or len(marks) + len(after) > 1:
        return ()
    if found["exponent"] and base in DECIMALS:
        return ()  # no value of these has an exponent
    body = found["digits"] + (found["exponent"] or "") + after
    scaled = bool(marks or after)
    is_whole = base in INTEGERS and "." in found["digits"]
    name = "xs:decimal" if base in INTEGERS and (scaled or is_whole) else f"xs:{base}"
    has_group = "," in found["digits"]
    characters = (
        group if has_group and group != "," else None,
        decimal if decimal != "." else None,
    )
    if has_group and group is None and decimal == ",":
        return ()
    positive = f"{marks}+{body};{marks}-{body}"
    either = f"{marks}{body};{marks}-{body}"
    match signs:
        case ["+"]:
            wanted = [(positive, False)]
        case ["-"]:
            wanted = [(either, True)]
        case _:
            wanted = [(either, False), (positive, False)]
    bases = [(Base(name, text, *characters), only) for text, only in wanted]
    return (
        tuple(Picture(each, only, is_whole) for each, only in bases)
        if all(_is_picture(each) for each, _ in bases)
        else ()
    )


@lru_cache(maxsize=1_000)
def plain_pictures(base: str, decimal: str | None, group: str | None) -> tuple[Picture, ...]:
    """Pictures that give the value of usual numbers, if a format has characters but no pattern."""
    fraction = "" if base in INTEGERS else ".##############################"
    own_decimal = decimal if decimal not in (None, ".") else None
    found = []
    for body in ("0", "#,##0") if group else ("0",):
        own_group = group if body != "0" and group != "," else None
        for sign in ("", "+"):
            text = f"{sign}{body}{fraction};-{body}{fraction}"
            found.append(Base(f"xs:{base}", text, own_group, own_decimal))
    return tuple(Picture(each) for each in found if _is_picture(each))


def plain_expression(base: str, decimal: str | None, group: str | None) -> str:
    """The regular expression of numbers in a format that has characters but no pattern."""
    between = f"(?:{_escaped(group)}[0-9]+)*(?:{_escaped(group)})?" if group else ""
    written = f"[+\\-]?[0-9]+{between}"
    if base in INTEGERS:
        return f"{written}[%‰]?"
    written += f"(?:{_escaped(decimal or '.')}[0-9]+)?"
    if base == "decimal":
        return f"{written}[%‰]?"
    return f"{written}(?:E[+\\-]?[0-9]+|[%‰])?|NaN|-?INF"


def _escaped(text: str | None) -> str:
    """A text in an expression of Sculpt."""
    assert text is not None
    return "".join(char if char.isalnum() else f"\\U{ord(char):08x}" for char in text)


# ------------------------------------------------------------- dates and times


@lru_cache(maxsize=1_000)
def moment_pictures(base: str, pattern: str) -> tuple[Picture, ...]:
    """The pictures of a pattern of dates or times; none if the standard does not know it."""
    if base.startswith("g"):
        found = Base(f"xs:{base}", pattern)
        return (Picture(found),) if _PART.fullmatch(pattern) and _is_picture(found) else ()
    match = _MOMENT.fullmatch(pattern)
    if match is None:
        return ()
    fields = "dateTime" if match["both"] else "date" if match["date"] else "time"
    if (base == "time") != (fields == "time"):
        return ()
    name = base if fields == "dateTime" and base == "dateTimeStamp" and match["zone"] else fields
    if fields == "dateTime" and base == "date":
        return ()
    written = [pattern]
    decimals = _DECIMALS.search(pattern)
    if decimals is not None:
        most = min(len(decimals[0]) - 1, _MAX_DECIMALS)
        parts = [f".{'S' * number}" if number else "" for number in range(most, -1, -1)]
        written = [_DECIMALS.sub(lambda _, part=part: part, pattern) for part in parts]  # type: ignore[misc]
    bases = [Base(f"xs:{name}", text.replace("T", "'T'")) for text in written]
    return tuple(map(Picture, bases)) if all(map(_is_picture, bases)) else ()


# ------------------------------------------------------------- other formats


def boolean_texts(pattern: str) -> tuple[str, str] | None:
    """The texts for true and for false; `None` if the format does not give two."""
    parts = pattern.split("|")
    return (parts[0], parts[1]) if len(parts) == 2 and all(parts) and parts[0] != parts[1] else None


def is_expression(text: str) -> bool:
    """Is it a regular expression of ECMAScript?

    What Sculpt reads is one. Of what it does not read, Python's parser knows what is malformed:
    the two languages agree on brackets and counts.
    """
    if regular_problem(text) is None:
        return True
    try:
        re.compile(text)
    except (re.error, RecursionError, OverflowError):
        return False
    return True


@lru_cache(maxsize=1_000)
def regular_problem(text: str) -> str | None:
    """Why an expression cannot be one of Sculpt's; `None` if it can."""
    problems: list[Diagnostic] = []
    parse(Source("format", f"x = {expression_text(text)}\n"), problems)
    return problems[0].message if problems else None


def expression_text(text: str, is_part: bool = False) -> str:
    """An expression of ECMAScript as Sculpt writes it: for whole texts.

    If it `is_part`, it may match a part of the text, unless `^` and `$` tie it to the ends.
    Quotes, blanks at the ends and line ends mean something else there. A dot is any character but
    a line end. White space is that of Unicode in ECMAScript; here it is that of ASCII.
    """
    parts = []
    for pieces in _alternatives(text):
        is_tied = pieces[:1] == ["^"], pieces[-1:] == ["$"]
        inner = "".join(_written(each) for each in pieces[is_tied[0] : len(pieces) - is_tied[1]])
        around = ["" if tied or not is_part else ".*" for tied in is_tied]
        parts.append(f"{around[0]}{inner}{around[1]}")
    whole = "|".join(parts)
    return f"(?:{whole})" if whole[:1] in (">", "%") else whole


def _alternatives(text: str) -> list[list[str]]:
    """The characters, escapes and classes of each alternative that is in no group."""
    found: list[list[str]] = [[]]
    depth = 0
    for match in _PIECE.finditer(text):
        piece = match[0]
        depth += (piece == "(") - (piece == ")")
        if piece == "|" and depth == 0:
            found.append([])
        else:
            found[-1].append(piece)
    return found


def _written(piece: str) -> str:
    """A character, an escape or a class as Sculpt writes it."""
    if piece == ".":
        return r"[^\n\r\u2028\u2029]"
    if piece == "\\/":
        return "/"
    if len(piece) == 2 and piece.startswith("\\"):
        return piece
    return "".join(
        f"\\x{{{ord(char):x}}}" if char in ' "' or not char.isprintable() else char
        for char in piece
    )
