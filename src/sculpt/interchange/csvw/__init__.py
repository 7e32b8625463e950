"""CSVW ("CSV on the Web", W3C 2015): its metadata, read by the letter of the standard.

In: a JSON document with `"@context": "http://www.w3.org/ns/csvw"`. Out: a `Package` of Sculpt
schemas. Errors of the metadata are raised together; warnings are notes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

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
    """The schemas of all tables of a metadata document; raises `SculptError`."""
    import os

    from sculpt.interchange.access import is_web_url
    from sculpt.interchange.csvw.problems import Problems, error_of
    from sculpt.interchange.csvw.reading.reader import read_group
    from sculpt.interchange.csvw.urls import shown, url_of
    from sculpt.interchange.csvw.writing.importer import import_group
    from sculpt.interchange.model import Note, Spot

    problems = Problems()
    folder, name = document.source.folder, document.name
    own = name if is_web_url(name) else url_of(os.path.join(folder, os.path.basename(name)))
    documents = {own: document}
    group = read_group(
        document.value, own, lambda url: _load(url, access, folder, documents), problems
    )
    if problems.has_errors or group is None:
        raise error_of(problems.all, documents)
    notes = tuple(
        Note(each.message, Spot(shown(each.place.document), each.place.pointer))
        for each in problems.all
    )
    return import_group(group, notes)


def _load(url: str, access: Access, folder: str, documents: dict[str, JsonDocument]) -> Any:
    """The JSON value of a document that metadata links to."""
    import os

    from sculpt.interchange.access import is_web_url
    from sculpt.interchange.csvw.urls import path_of, written

    path = path_of(url)
    is_local = path is not None and not is_web_url(folder)
    reference = os.path.relpath(path, folder or ".") if path is not None and is_local else url
    documents[url] = JsonDocument.parse(written(url), access.read(reference, folder))
    return documents[url].value
