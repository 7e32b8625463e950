"""Lists of texts in which blanks count, as one expression for the whole cell.

In: a `Datatype` whose white space stays as it is, one of its facets, the separator, and the texts
that may stand for no value. Out: a regular expression; `None` if none says the same, so that only
`list(…)` can be written, which ignores blanks around items ("Model for Tabular Data", section 6.4).

Invariant: the text is split where the separator is, and nowhere else: an item of the expression
never has the separator in it. Cost: that of deciding this for a `format`.
"""

from __future__ import annotations

from collections.abc import Iterable

from sculpt.core.acceptor import TextMatcher, intersect
from sculpt.interchange.csvw.model import Datatype
from sculpt.interchange.csvw.writing.expressions import Facet, format_expression, format_pattern
from sculpt.syntax.regular import (
    ALL_CHARS,
    CharSet,
    Letter,
    Regular,
    Repeat,
    Sequence,
    literal,
)

MAX_LENGTH = 100
"""A longer `length` makes a large machine."""
_PLAIN = frozenset(";,:_")


def list_expression(
    datatype: Datatype, facet: Facet, separator: str, nothing: Iterable[str], is_given: bool
) -> str | None:
    """The lists whose items keep a facet, or are one of the texts in `nothing`.

    If an item must be `is_given`, an empty one does not keep the facet.
    """
    others = dict.fromkeys(text for text in nothing if separator not in text)
    if facet.step == "format":
        item = _format(datatype, separator, others, is_given)
    else:
        item = _length(datatype, facet.step, separator, is_given)
    if item is None:
        return None
    choices = [item, *(_escaped(text) for text in others if text)]
    one = f"(?:{'|'.join(choices)}){'?' if '' in others else ''}"
    return f"/{one}(?:{_escaped(separator)}{one})*/"


def _format(
    datatype: Datatype, separator: str, others: Iterable[str], is_given: bool
) -> str | None:
    pattern = format_pattern(datatype)
    if pattern is None or (is_given and TextMatcher(pattern).matches("")):
        return None
    # A character that no item has shows where each separator is.
    free = (char for char in separator if not any(char in text for text in others))
    if not any(intersect(pattern, _with(char)) is False for char in free):
        return None
    return format_expression(datatype)


def _with(char: str) -> Regular[CharSet]:
    """All texts that have a character."""
    anything = Repeat(Letter(ALL_CHARS), 0, None)
    return Sequence((anything, literal(char), anything))


def _length(datatype: Datatype, step: str, separator: str, is_given: bool) -> str | None:
    least, most = {
        "length": (datatype.length, datatype.length),
        "minLength": (datatype.min_length, None),
        "maxLength": (0, datatype.max_length),
    }[step]
    least = max(least or 0, int(is_given))
    if len(separator) != 1 or max(least, most or 0) > MAX_LENGTH:
        return None
    if most is not None and most < least:
        return None
    return f"[^{_escaped(separator)}]{{{least},{'' if most is None else most}}}"


def _escaped(text: str) -> str:
    """A text as a part of an expression, in a class or outside."""
    return "".join(
        char
        if char.isalnum() or char in _PLAIN
        else f"\\{char}"
        if char.isprintable() and char.isascii() and char not in ' "'
        else f"\\x{{{ord(char):x}}}"
        for char in text
    )
