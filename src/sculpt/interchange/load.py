"""Any schema file to a `Schema`: Sculpt's own, or one of another system, imported in memory.

In: the path of a file, or a `Schema`. Out: a `Schema`. The content of the file decides what it is.

Cost: a Sculpt schema costs one read more, of its first bytes; nothing else of this package is
imported for it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from sculpt.errors import SchemaError, UsageError
from sculpt.schema import Schema, is_no_schema, is_schema, path_text

if TYPE_CHECKING:
    from sculpt.interchange.access import Access

_HEAD = 1 << 16
_WEB_URL = re.compile(r"https?://", re.IGNORECASE)
_MAY_BE_FOREIGN = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:[{<@#/\xff\xfe]|(?i:version|prefix|base)\b)")


def load(
    path: str | os.PathLike[str],
    settings: Iterable[str] = (),
    *,
    kind: str | None = None,
    allow_http: bool = False,
    allow_outside: bool = False,
    access: Access | None = None,
) -> Schema:
    """Read a schema file of Sculpt or of another system; `settings` override directives.

    A schema of another system may be at a URL, which `allow_http` allows to fetch.

    `kind` names the system if the content of the file should not decide: `sculpt`, `csvw`,
    `frictionless`, `csv-schema`, `dspl`, `xsd` or `rml`. A schema of another system may refer to
    files of its own folder; `allow_outside` and `allow_http` allow more. The result has `notes`
    about what was not taken over. One that describes several tables has them in `tables`.
    """
    name = path_text(path)
    is_remote = _WEB_URL.match(name) is not None
    if kind == "sculpt" or (kind is None and not is_remote and not is_foreign(name)):
        return _own(name, settings, may_be_foreign=kind is None)
    from sculpt.interchange.access import Access
    from sculpt.interchange.packages import import_file, schema_of_package

    allowed = Access(allow_http, allow_outside) if access is None else access
    return schema_of_package(import_file(name, kind, allowed), name, settings, allowed)


def _own(name: str, settings: Iterable[str], may_be_foreign: bool) -> Schema:
    """A schema of Sculpt; if its beginning is no statement, the error says what it looks like."""
    try:
        return Schema.load(name, settings)
    except SchemaError as error:
        if not may_be_foreign:
            raise
        from sculpt.interchange.detect import likeness_error

        raise likeness_error(error.diagnostics[0]) or error from None


def schema_of(schema: object, settings: Iterable[str] = ()) -> Schema:
    """A schema, read from its file if a path is given; `settings` override its directives."""
    if isinstance(schema, str | os.PathLike):
        return load(schema, settings)
    if isinstance(schema, Schema):
        if settings:
            raise UsageError("settings are for a schema that is read here; give its path instead")
        return schema
    kind = type(schema).__name__
    raise UsageError(
        f"the schema is of type `{kind}`; give a `sculpt.Schema`, or the path of a schema file"
    )


def schema_for(schema: object, data: Sequence[str], settings: Iterable[str] = ()) -> Schema:
    """The schema for given data: if it describes several tables, that of the table of the data."""
    known = schema_of(schema, settings)
    if not (known.is_package and data):
        return known
    from sculpt.interchange.packages import for_data

    return for_data(known, data)


def seems_swapped(error: SchemaError, others: Iterable[str]) -> bool:
    """Was the data given as the schema? Its lines are no statements, and another file's are."""
    return is_no_schema(error.diagnostics) and any(
        is_schema(each) or is_foreign(each) for each in others
    )


def is_foreign(name: str) -> bool:
    """Does a file begin like the schema of another system?"""
    try:
        with open(name, "rb") as file:
            head = file.read(_HEAD)
    except (OSError, ValueError):
        return False  # whoever reads it says why it cannot be read
    if not _MAY_BE_FOREIGN.match(head):
        return False
    from sculpt.interchange.detect import text_kind

    return text_kind(head) is not None
