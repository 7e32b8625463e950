"""Common properties and notes of metadata, in JSON and in RDF.

In: the normalised JSON-LD of common properties and notes. Out: plain JSON ("Generating JSON from
Tabular Data on the Web", 6), or statements ("Generating RDF from Tabular Data on the Web", 6).

Invariant: the order is that of the document. Cost: linear in the values, whose depth the reader of
metadata has bounded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sculpt.csvw.terms import RDF_TYPE, XSD_INTEGER, Format, iri, literal, name
from sculpt.interchange.csvw.context import CSVW, DATATYPES, XSD, compact, expand
from sculpt.interchange.csvw.model import CommonProperties, Json

Statement = tuple[str, str, str]
"""Subject, predicate and object, as text."""


# ------------------------------------------------------------- JSON


def members(notes: Sequence[Json], common: CommonProperties) -> dict[str, Any]:
    """The members that notes and common properties add to an object."""
    found: dict[str, Any] = {key: plain(value) for key, value in common}
    if notes:
        found["notes"] = [plain(note) for note in notes]
    return found


def plain(value: Json) -> Any:
    """A value without what only JSON-LD needs."""
    match value:
        case Mapping() if "@value" in value:
            return value["@value"]
        case Mapping() if set(value) == {"@id"}:
            return value["@id"]
        case Mapping():
            return {
                key: _types(member) if key == "@type" else plain(member)
                for key, member in value.items()
            }
        case str():
            return value
        case Sequence():
            return [plain(item) for item in value]
        case _:
            return value


def _types(value: Json) -> Any:
    if isinstance(value, str):
        return compact(expand(value))
    return [_types(each) for each in value] if isinstance(value, Sequence) else value


# ------------------------------------------------------------- RDF


class Statements:
    """Makes statements of JSON-LD values; blank nodes are numbered through a document."""

    def __init__(self, form: Format, label: str = "n") -> None:
        self._form = form
        self._label = label
        self._count = 0

    def blank(self) -> str:
        """A new blank node."""
        self._count += 1
        return f"_:{self._label}{self._count}"

    def of(
        self, subject: str, notes: Sequence[Json], common: CommonProperties
    ) -> Iterator[Statement]:
        """The statements about a subject that its notes and common properties make."""
        for key, value in common:
            yield from self._about(subject, expand(key), value)
        for note in notes:
            yield from self._about(subject, f"{CSVW}note", note)

    def _about(self, subject: str, prop: str, value: Json) -> Iterator[Statement]:
        predicate = name(prop, self._form)
        match value:
            case Mapping() if "@value" in value:
                yield subject, predicate, self._literal(value)
            case Mapping():
                given = value.get("@id")
                node = iri(given) if isinstance(given, str) and given else self.blank()
                yield subject, predicate, node
                yield from self._node(node, value)
            case str():
                yield subject, predicate, literal(value)
            case Sequence():
                for item in value:
                    yield from self._about(subject, prop, item)
            case None:
                return
            case _:
                yield subject, predicate, self._simple(value)

    def _node(self, node: str, value: Mapping[str, Json]) -> Iterator[Statement]:
        types = value.get("@type", ())
        for each in _texts(types):
            yield node, name(RDF_TYPE, self._form), name(expand(each), self._form)
        for key, member in value.items():
            if not key.startswith("@"):
                yield from self._about(node, expand(key), member)

    def _literal(self, value: Mapping[str, Json]) -> str:
        content, kind, language = value["@value"], value.get("@type"), value.get("@language")
        if isinstance(kind, str):
            return literal(_text(content), DATATYPES.get(kind, expand(kind)), None, self._form)
        if isinstance(language, str):
            return literal(_text(content), None, language)
        return literal(content) if isinstance(content, str) else self._simple(content)

    def _simple(self, value: Json) -> str:
        """A literal of a JSON value that is not a string."""
        match value:
            case bool():
                return literal(_text(value), f"{XSD}boolean", None, self._form)
            case int():
                return literal(str(value), XSD_INTEGER, None, self._form)
            case float() if value.is_integer():
                return literal(str(int(value)), XSD_INTEGER, None, self._form)
            case _:
                return literal(_text(value), f"{XSD}double", None, self._form)


def _text(value: Json) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def _texts(value: Json) -> Iterable[str]:
    if isinstance(value, str):
        return [value]
    return [each for each in value if isinstance(each, str)] if isinstance(value, Sequence) else []


def written(statements: Iterable[Statement]) -> str:
    """Statements, one a line."""
    return "".join(f"{subject} {predicate} {each} .\n" for subject, predicate, each in statements)
