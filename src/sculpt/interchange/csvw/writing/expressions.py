"""A datatype in the words of Sculpt: what its texts are, and each of its facets.

In: a `Datatype`. Out: expressions of derived tokens for one value: the type, and each facet apart,
with the words of the document for it ("Model for Tabular Data", section 6.4).

White space around a value does not count, except in texts: `trimmed(xs:integer)`. Cost: linear in
the datatype.
"""

from __future__ import annotations

import re

from sculpt.core.acceptor import TextMatcher
from sculpt.diagnostics import Diagnostic, Source
from sculpt.interchange.csvw.kinds import UNCHECKED, kind_of, trims
from sculpt.interchange.csvw.model import Datatype
from sculpt.interchange.csvw.writing.formats import (
    expression_text,
    moment_pictures,
    number_pictures,
    plain_expression,
    plain_pictures,
    regular_problem,
)
from sculpt.syntax.lines import Fragment
from sculpt.syntax.regex import parse_regex
from sculpt.syntax.regular import CharSet, Regular
from sculpt.values import frozen

_BARE_BOUND = re.compile(r"-?[0-9]+(?:\.[0-9]+)?|[0-9]{4}-[0-9]{2}-[0-9]{2}")
_MAX_LENGTH = 10**12 - 1
"""The longest that a bound can say; no text is longer."""
BLANKS = r"[ \t\r\n]*"


@frozen
class Facet:
    """Something that a datatype asks of its values, beside being values of it."""

    words: str
    """`minimum 10`, as a message says it."""
    step: str
    """The property of the datatype that says so."""
    expression: str
    """The tokens that keep it."""


def type_expression(datatype: Datatype) -> str | None:
    """The texts of a type in its format; `None` if every text is one."""
    base, form = datatype.base, datatype.format
    match kind_of(base):
        case "number":
            return _numbers(datatype)
        case "boolean" if form is not None:
            return f"Boolean({_quoted(form)})"
        case "moment" if form is not None:
            return " or ".join(map(str, moment_pictures(base, form)))
        case _:
            return None if base in UNCHECKED else f"xs:{base}"


def _numbers(datatype: Datatype) -> str:
    base = datatype.base
    characters = datatype.decimal_char, datatype.group_char
    if datatype.format is not None:
        return " or ".join(map(str, number_pictures(base, datatype.format, *characters)))
    if characters == (None, None):
        return f"xs:{base}"
    written = f"/{plain_expression(base, *characters)}/"
    usual = " or ".join(map(str, plain_pictures(base, *characters)))
    any_size = " or ".join(map(str, plain_pictures(_widest(base), *characters)))
    return f"{written} and ({usual} or not ({any_size}))" if usual != any_size else written


def _widest(base: str) -> str:
    return "decimal" if base in ("decimal", "double", "float") else "integer"


def value_expression(datatype: Datatype) -> str | None:
    """What gives the texts of a type a value, for comparisons and keys; `None` if nothing does."""
    base = datatype.base
    if kind_of(base) in ("text", "binary"):
        return None
    characters = datatype.decimal_char, datatype.group_char
    if kind_of(base) == "number" and datatype.format is None and characters != (None, None):
        return " or ".join(map(str, plain_pictures(base, *characters))) or None
    return type_expression(datatype)


def facets(datatype: Datatype) -> list[Facet]:
    """The facets of a datatype that Sculpt can check, in the order of the standard."""
    found = []
    expression = format_expression(datatype)
    if expression is not None and regular_problem(datatype.format or "") is None:
        found.append(Facet(f"format {datatype.format}", "format", f"/{expression}/"))
    measured = f"xs:{datatype.base}" if kind_of(datatype.base) == "binary" else "String"
    if trims(datatype.base) and measured == "String":
        measured = f"xs:{datatype.base}"
    for name, sign, number in (
        ("length", "=", datatype.length),
        ("minLength", ">=", datatype.min_length),
        ("maxLength", "<=", datatype.max_length),
    ):
        if number is not None and not (sign == "<=" and number > _MAX_LENGTH):
            found.append(Facet(f"{name} {number}", name, f"length({measured}) {sign} {number}"))
    return found + _bounds(datatype)


def _bounds(datatype: Datatype) -> list[Facet]:
    operand = value_expression(datatype)
    if operand is None:
        return []
    several = f"({operand})" if " or " in operand or " and " in operand else operand
    # Numbers in unusual groups match no picture, so their bounds are not checked.
    is_partial = datatype.format is None and (datatype.decimal_char or datatype.group_char)
    found = []
    for bound in datatype.bounds:
        text = bound.text if _BARE_BOUND.fullmatch(bound.text) else _quoted(bound.text)
        expression = f"{several} {bound.operator} {text}"
        if is_partial:
            expression = f"{expression} or not ({operand})"
        found.append(Facet(f"{bound.property} {bound.text}", bound.property, expression))
    return found


def format_expression(datatype: Datatype) -> str | None:
    """The regular expression that a format is, as Sculpt writes it between slashes."""
    if datatype.format is None or kind_of(datatype.base) not in ("text", "duration", "binary"):
        return None
    return _expression(datatype, datatype.format).replace("/", "\\/")


def _expression(datatype: Datatype, form: str) -> str:
    return expression_text(form, is_part=kind_of(datatype.base) == "duration")


def format_matcher(datatype: Datatype) -> TextMatcher | None:
    """What decides whether a text is in a format; `None` if there is none, or it is not regular."""
    pattern = format_pattern(datatype)
    return None if pattern is None else TextMatcher(pattern)


def format_pattern(datatype: Datatype) -> Regular[CharSet] | None:
    """The texts in a format; `None` if there is none, or it is not regular."""
    if datatype.format is None:
        return None
    written = _expression(datatype, datatype.format)
    offsets = tuple(range(len(written)))
    fragment = Fragment(Source("format", written), written, offsets, len(written))
    problems: list[Diagnostic] = []
    return parse_regex(fragment, problems)


def one(expression: str, datatype: Datatype) -> str:
    """The texts of a cell with one value: without the blanks around it, it matches."""
    return f"trimmed({expression})" if trims(datatype.base) else expression


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
