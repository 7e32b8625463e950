"""CSVW ("CSV on the Web", W3C 2015): its metadata, read by the letter of the standard.

In: a JSON document with `"@context": "http://www.w3.org/ns/csvw"`. Out: a `Package` of Sculpt
schemas. Errors of the metadata are raised together; warnings are notes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sculpt.errors import DataError, SchemaError
from sculpt.interchange.documents import JsonDocument

if TYPE_CHECKING:
    from sculpt.interchange.access import Access
    from sculpt.interchange.model import Package

_CONTEXT = "http://www.w3.org/ns/csvw"


def recognises(document: JsonDocument) -> bool:
    """Is it CSVW metadata? Its `@context` says so, or its names do."""
    value = document.value
    if not isinstance(value, Mapping):
        return False
    context = value.get("@context")
    named = context if isinstance(context, list) else [context]
    return _CONTEXT in [name for name in named if isinstance(name, str)] or (
        "tableSchema" in value or ("tables" in value and "resources" not in value)
    )


def read(document: JsonDocument, access: Access) -> Package:
    """The schemas of all tables of a metadata document; raises `SchemaError`."""
    import os

    from sculpt.interchange.csvw.problems import Problems
    from sculpt.interchange.csvw.reading.reader import read_group
    from sculpt.interchange.csvw.urls import shown, url_of
    from sculpt.interchange.csvw.writing.importer import import_group
    from sculpt.interchange.model import Note, Spot
    from sculpt.values import replace

    problems = Problems()
    folder = document.source.folder
    own = url_of(os.path.join(folder, os.path.basename(document.name)))
    group = read_group(document.value, own, lambda url: _load(url, access, folder), problems)
    errors = [
        document.problem(
            "foreign-meaning",
            each.place.pointer if each.place.document == own else "",
            each.message if each.place.document == own else f"{shown(each.place.document)}: {each}",
        )
        for each in problems.all
        if each.severity == "error"
    ]
    absent = [each for each in problems.all if each.data is not None]
    if absent and len(absent) == len(errors):
        raise DataError(f"{absent[0].message} ({document.name})", absent[0].data or "")
    if errors or group is None:
        raise SchemaError(tuple(errors), (document.name,))
    notes = tuple(
        Note(each.message, Spot(shown(each.place.document), each.place.pointer))
        for each in problems.all
    )
    package = import_group(group)
    return replace(package, notes=(*notes, *package.notes))


def _load(url: str, access: Access, folder: str) -> Any:
    """The JSON value of a document that metadata links to."""
    import os

    from sculpt.errors import UsageError
    from sculpt.interchange.csvw.reading.reader import LoadError
    from sculpt.interchange.csvw.urls import path_of

    path = path_of(url)
    try:
        reference = url if path is None else os.path.relpath(path, folder or ".")
        body = access.read(reference, folder, "metadata")
        return JsonDocument.parse(url, body).value
    except (DataError, UsageError) as error:
        raise LoadError(str(error), isinstance(error, DataError)) from None
    except SchemaError as error:
        raise LoadError(error.diagnostics[0].message) from None
