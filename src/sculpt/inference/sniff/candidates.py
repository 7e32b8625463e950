"""The dialects that a text could be written in.

In: the text of a sample. Out: `Dialect`s, a few dozen at most: first one for each delimiter that
occurs evenly (`by_delimiter`), then, for the best of these, other quotes, escapes and row
delimiters (`variants`). Which of them it is, `scoring` says.

Invariant: each is a dialect that directives can express. Cost: a few counts for each line.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any
from unicodedata import combining

from sculpt.core.dialect import Delimiter, Dialect, Layout
from sculpt.diagnostics import Source
from sculpt.inference.sniff.weights import DELIMITERS
from sculpt.syntax.lines import Fragment
from sculpt.syntax.regex import parse_regex
from sculpt.syntax.regular import of_characters
from sculpt.values import replace

COMMON = (",", ";", "\t", "|")
_MAX_RARE = 4
_MAX_LINES = 400
_NEVER = frozenset("\"'+-.,()%$£€_<>[]{}\\?`\ufeff\ufffd\0")
"""Marks that are parts of values; brackets, quotes and escapes."""
_MOST = 0.5
"""A rare delimiter occurs in at least this part of the lines."""
_LINE_END = re.compile(r"\r\n|\n|\r")
_WIDE_BLANKS = re.compile(r"\S(?:[ ]{2,}|[ ]*\t[ \t]*)\S")


def by_delimiter(text: str) -> Iterator[Dialect]:
    """A dialect for each delimiter that may split the rows; first that of one column."""
    lines = [line for line in _LINE_END.split(text)[:_MAX_LINES] if line.strip()]
    quote = _likely_quote(text)
    if "," in text:
        yield Dialect(layouts=(Layout("", (None,)),), quote=None)
    base = Dialect(quote=quote)
    for delim in (",", *(each for each in COMMON[1:] if each in text)):
        yield replace(base, col_delim=Delimiter(delim))
    evenness = {
        each: _evenness(lines, each)
        for each in dict.fromkeys((*DELIMITERS, *_other_marks(lines)))
        if each not in COMMON and each != quote
    }
    rare = sorted(evenness, key=lambda each: -evenness[each])
    for delim in rare[:_MAX_RARE]:
        if evenness[delim] > 0:
            yield replace(base, col_delim=Delimiter(delim))
    yield from _with_blanks(lines, base)


def variants(dialect: Dialect, text: str) -> Iterator[Dialect]:
    """The same delimiter with other quotes, escapes and row delimiters."""
    if dialect.layouts:
        return
    ends = _row_delimiters(text)
    for parts in _quotings(dialect, text):
        for end in ends:
            found = replace(dialect, row_delim=end, **parts)
            if found != dialect:
                yield found


def _quotings(dialect: Dialect, text: str) -> Iterator[Mapping[str, Any]]:
    """Ways to quote that make a difference for the text, as the parts of a dialect they set."""
    delim = dialect.col_delim
    opener = re.escape(delim.text) if delim.pattern is None else r"[ \t]"
    closer = rf"[ \t]{{0,8}}(?:$|{opener})"
    opens = rf"(?:^|{opener})[ \t]{{0,8}}"  # bounded: runs of blanks would take quadratic time
    yield {"quote": '"', "escape": None}
    for quote in "'\"":
        if not re.search(rf"{opens}{quote}", text, re.MULTILINE):
            continue
        yield {"quote": quote, "escape": None}
        if re.search(rf"(?<!{quote}){quote}(?!{quote}|{closer})", text, re.MULTILINE):
            yield {"quote": quote, "escape": None, "stray_quotes": "text"}
        if f"\\{quote}" in text:
            yield {"quote": quote, "escape": "\\"}
            yield {"quote": quote, "escape": "\\", "escapes": "quotes"}
        if quote == '"':
            yield {"quote": None, "escape": None}
    if delim.pattern is None and f"\\{delim.text}" in text and delim.text != "\\":
        yield {"quote": None, "escape": "\\"}


def _row_delimiters(text: str) -> list[str | None]:
    """Any line end; and each of them alone, if there are several."""
    crlf = text.count("\r\n")
    counts = {"\r\n": crlf, "\n": text.count("\n") - crlf, "\r": text.count("\r") - crlf}
    present = [end for end, count in counts.items() if count]
    return [None, *(present if len(present) > 1 else ())]


def _likely_quote(text: str) -> str:
    """The quote that more cells seem to begin and end with."""
    single, double = (
        len(
            re.findall(
                rf"(?:^|[,;\t|])[ ]?{q}[^{q}\n]*{q}(?=[ ]?(?:[,;\t|]|$))", text, re.MULTILINE
            )
        )
        for q in "'\""
    )
    return "'" if single > double else '"'


def _other_marks(lines: list[str]) -> Iterator[str]:
    """The characters in most of several lines that are no letters, digits, or parts of values.

    Whatever they are, also beyond ASCII, they may be what separates the columns.
    """
    if len(lines) < 2:
        return
    counts: Counter[str] = Counter()
    for line in lines:
        counts.update(set(line))
    for char, count in counts.most_common():
        if count < _MOST * len(lines):
            return
        is_part = char.isalnum() or char.isspace() or char in _NEVER or combining(char)
        if not is_part and char < "\ud800":  # a directive can say it
            yield char


def _evenness(lines: list[str], delim: str) -> float:
    """How many lines have the most frequent number of a mark; 0 if too few lines have it."""
    counts: dict[int, int] = {}
    for line in lines:
        count = line.strip().count(delim)
        counts[count] = counts.get(count, 0) + 1
    within = len(lines) - counts.pop(0, 0)
    if within < max(1, _MOST * len(lines)):
        return 0.0
    return max(counts.values()) / len(lines)


def _with_blanks(lines: list[str], base: Dialect) -> Iterator[Dialect]:
    """Blanks as delimiters: any, two or more, and columns at fixed places."""
    bodies = [line.strip() for line in lines]
    if len(lines) and sum(bool(re.search(r"\s", each)) for each in bodies) > _MOST * len(lines):
        if any(re.search(r"\s\s|\t", each) for each in bodies):
            yield replace(base, col_delim=_pattern(r"\s+"))
        if sum(bool(_WIDE_BLANKS.search(each)) for each in bodies) > _MOST * len(lines):
            yield replace(base, col_delim=_pattern(r"\s{2,}"))
    for widths in dict.fromkeys(_widths(lines, gap) for gap in (1, 2)):
        if widths:
            yield Dialect(layouts=(Layout("", widths),), quote=None)


def _pattern(text: str) -> Delimiter:
    source = Source("sniff", text)
    pattern = parse_regex(Fragment(source, text, tuple(range(len(text))), len(text)), [])
    assert pattern is not None, text
    return Delimiter(text, of_characters(pattern))


_MIN_LINES = 4
_WIDE_SHARE = 0.7


def _widths(lines: list[str], gap: int) -> tuple[int | None, ...]:
    """The widths of columns with `gap` blanks between them on all lines; none if there are none."""
    if any("\t" in line for line in lines):
        return ()
    longest = max(map(len, lines), default=0)
    body = [line for line in lines if len(line.rstrip()) > 0.5 * longest]
    if len(body) < max(_MIN_LINES, _WIDE_SHARE * len(lines)) or longest > 2_000:
        return ()
    filled = [False] * longest
    for line in body:
        for at, char in enumerate(line):
            if char != " ":
                filled[at] = True
    starts = [at for at in range(longest) if filled[at] and not any(filled[max(0, at - gap) : at])]
    if len(starts) < 2:
        return ()
    # A column of numbers is right-aligned: it begins after the last text of the column before.
    cuts = [0]
    for start in starts[1:]:
        before = start - 1
        while before > cuts[-1] and not filled[before]:
            before -= 1
        cuts.append(before + 1 if _is_right_aligned(body, start, before) else start)
    return (*(end - begin for begin, end in pairwise(cuts)), None)


def _is_right_aligned(lines: list[str], start: int, before: int) -> bool:
    """Do texts of this column begin at different places? Then it begins after the gap's left."""
    begins = sum(line[start : start + 1] not in ("", " ") for line in lines)
    return begins < 0.5 * len(lines) and before < start
