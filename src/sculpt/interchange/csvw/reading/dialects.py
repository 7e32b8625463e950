"""Dialect descriptions: how the file of a table becomes rows and cells.

In: a JSON object, or the `Content-Type` that came with a file. Out: a `Dialect` ("Metadata
Vocabulary", section 5.9; "Model for Tabular Data", section 6.1, step 3.2).

Invariant: a wrong value is a warning, and the default is used. Cost: constant.
"""

from __future__ import annotations

import codecs
from typing import Any

from sculpt.interchange.csvw.model import Dialect, Trim
from sculpt.interchange.csvw.reading.properties import (
    Object,
    Scope,
    atomic,
    check_names,
    check_type,
    count,
    flag,
    identifier,
    is_text,
    shown,
)
from sculpt.values import replace

_KNOWN = frozenset(
    (
        "@id", "@type", "commentPrefix", "delimiter", "doubleQuote", "encoding", "header",
        "headerRowCount", "lineTerminators", "quoteChar", "skipBlankRows", "skipColumns",
        "skipInitialSpace", "skipRows", "trim",
    )
)  # fmt: skip
_DEFAULT = Dialect()


def read_dialect(scope: Scope, given: Object) -> Dialect:
    """A dialect description; what it does not say is the default."""
    check_names(scope, given, _KNOWN, "a dialect")
    check_type(scope, given, "Dialect")
    has_header = flag(scope, given, "header", True)
    rows = count(scope, given, "headerRowCount")
    found = Dialect(
        encoding=atomic(
            scope, given, "encoding", is_encoding, _DEFAULT.encoding, "the name of an encoding"
        ),
        line_terminators=_line_terminators(scope, given),
        quote_char=_character(scope, given, "quoteChar", _DEFAULT.quote_char),
        double_quote=flag(scope, given, "doubleQuote", True),
        comment_prefix=_character(scope, given, "commentPrefix", _DEFAULT.comment_prefix),
        delimiter=atomic(scope, given, "delimiter", _is_given, _DEFAULT.delimiter, "a string"),
        header_row_count=int(has_header) if rows is None else rows,
        skip_rows=count(scope, given, "skipRows") or 0,
        skip_columns=count(scope, given, "skipColumns") or 0,
        skip_blank_rows=flag(scope, given, "skipBlankRows"),
        skip_initial_space=flag(scope, given, "skipInitialSpace"),
        trim=_trim(scope, given),
        id=identifier(scope, given),
        place=scope.place,
    )
    if found.quote_char is not None and found.quote_char in found.delimiter:
        scope.error(f"`quoteChar` is part of the delimiter {shown(found.delimiter)}", "quoteChar")
    return found


def is_encoding(value: object) -> bool:
    """Is it the name of an encoding of texts?"""
    if not isinstance(value, str) or not value.isascii():
        return False
    try:
        return codecs.lookup(value)._is_text_encoding
    except (LookupError, ValueError):
        return False


def _is_given(value: object) -> bool:
    return isinstance(value, str) and value != ""


def _character(scope: Scope, given: Object, name: str, default: str | None) -> str | None:
    """A string, or nothing at all; an empty one is nothing, too."""
    found: str | None = atomic(
        scope, given, name, lambda value: value is None or is_text(value), default,
        "a string or `null`",
    )  # fmt: skip
    return found or None


def _line_terminators(scope: Scope, given: Object) -> tuple[str, ...]:
    value: Any = given.get("lineTerminators", list(_DEFAULT.line_terminators))
    listed = [value] if isinstance(value, str) else value
    if isinstance(listed, list) and listed and all(map(_is_given, listed)):
        return tuple(listed)
    message = f"`lineTerminators` must be a string or an array of them, not {shown(value)}"
    scope.warning(f"{message}: it is ignored", "lineTerminators")
    return _DEFAULT.line_terminators


def _trim(scope: Scope, given: Object) -> Trim:
    default: Trim = "true"
    skips = given.get("skipInitialSpace")
    if isinstance(skips, bool):
        default = "start" if skips else "false"
    found = atomic(
        scope,
        given,
        "trim",
        _is_trim,
        default,
        "a boolean, or one of `true`, `false`, `start`, `end`",
    )
    if isinstance(found, bool):
        return "true" if found else "false"
    word: Trim = found
    return word


def _is_trim(value: object) -> bool:
    return isinstance(value, bool) or value in ("true", "false", "start", "end")


def with_content_type(dialect: Dialect, content_type: str) -> Dialect:
    """The default dialect, changed by the `Content-Type` of the response that brought the file."""
    media, *parameters = (part.strip() for part in content_type.split(";"))
    if media.lower() == "text/tab-separated-values":
        dialect = replace(dialect, delimiter="\t")
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        value = value.strip().strip('"')
        if name.strip().lower() == "header" and value.lower() == "absent":
            dialect = replace(dialect, header_row_count=0)
        elif name.strip().lower() == "charset" and is_encoding(value):
            dialect = replace(dialect, encoding=value)
    return dialect
