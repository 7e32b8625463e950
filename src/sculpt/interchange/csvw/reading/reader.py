"""Metadata documents of CSVW: JSON to a `TableGroup`, with errors, warnings and defaults.

In: a JSON document, its URL, and a way to load the documents that it links to. Out: a `TableGroup`
of normalised values; problems in `Problems` ("Metadata Vocabulary", sections 5.2 to 5.4 and 6).

Invariants: nothing raises because of what a document says; a document that is no group and no table
gives nothing. Links are followed one level: a schema or a dialect cannot link to another one, so
nothing is circular. Each URL is loaded once. Cost: linear in the documents.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from sculpt.errors import SculptError
from sculpt.interchange.csvw.language_tags import UNDEFINED, is_language_tag
from sculpt.interchange.csvw.model import (
    Column,
    Dialect,
    Direction,
    Place,
    Table,
    TableGroup,
    Transformation,
)
from sculpt.interchange.csvw.problems import Problems, reason_of
from sculpt.interchange.csvw.reading import inherited
from sculpt.interchange.csvw.reading.common import common_properties, notes
from sculpt.interchange.csvw.reading.context import CONTEXT
from sculpt.interchange.csvw.reading.dialects import read_dialect
from sculpt.interchange.csvw.reading.inherited import Inherited, read_inherited, with_inherited
from sculpt.interchange.csvw.reading.properties import (
    Object,
    Scope,
    check_names,
    check_type,
    flag,
    identifier,
    link,
    objects,
    one_of,
    shown,
    titles,
)
from sculpt.interchange.csvw.reading.schemas import ReadSchema, read_schema, resolve_key
from sculpt.interchange.csvw.urls import resolve
from sculpt.values import field, frozen, replace

Load: TypeAlias = Callable[[str], Any]
"""From a URL to the JSON value there; raises `SculptError`."""

_SHARED = inherited.NAMES | {
    "@id", "@type", "dialect", "notes", "tableDirection", "tableSchema", "transformations",
}  # fmt: skip
_GROUP = _SHARED | {"tables"}
_TABLE = _SHARED | {"suppressOutput", "url"}
_TRANSFORMATION = frozenset(
    ("@id", "@type", "scriptFormat", "source", "targetFormat", "titles", "url")
)


def read_group(value: Any, url: str, load: Load, problems: Problems) -> TableGroup | None:
    """The group of tables that a document describes; `None` if it describes none."""
    place = Place(url)
    if not isinstance(value, Mapping):
        problems.error(place, f"metadata must be a JSON object, not {shown(value)}")
        return None
    scope = _top_scope(value, Scope(place, url, UNDEFINED, problems), is_required=True)
    reader = _Reader(load)
    rest = {name: member for name, member in value.items() if name != "@context"}
    if "tables" in rest:
        return reader.group(scope, rest)
    if "url" in rest:
        table, keys = reader.table(scope, rest, _Shared())
        found = () if table is None else ((table, keys),)
        return reader.joined(TableGroup((), language=scope.language, place=place), found)
    scope.error("metadata needs `tables`, for a group of tables, or `url`, for one table")
    return None


# ------------------------------------------------------------- the context


def _top_scope(value: Object, scope: Scope, is_required: bool = False) -> Scope:
    """The scope that the `@context` of a document sets up."""
    context = value.get("@context")
    match context:
        case str() if context == CONTEXT:
            return scope
        case [str() as name, Mapping() as local] if name == CONTEXT:
            return _local_context(scope, local)
        case [str() as name] if name == CONTEXT:
            return scope
        case None if "@context" not in value and not is_required:
            return scope
    message = f'must be "{CONTEXT}", or an array of it and an object with `@base` or `@language`'
    found = f", not {shown(context)}" if "@context" in value else ""
    scope.error(f"`@context` {message}{found}", *(["@context"] if "@context" in value else []))
    return scope


def _local_context(scope: Scope, local: Object) -> Scope:
    base, language = scope.base, scope.language
    at = ("@context", 1)
    for name, value in local.items():
        if name == "@base":
            if isinstance(value, str):
                base = resolve(scope.base, value)
            else:
                message = f"`@base` must be a string, not {shown(value)}: it is ignored"
                scope.warning(message, *at, name)
        elif name == "@language":
            if is_language_tag(value):
                language = value
            else:
                message = f"`@language` must be a language tag (BCP 47), not {shown(value)}"
                scope.warning(f"{message}: it is ignored", *at, name)
        else:
            scope.error(f"a context cannot define `{name}`", *at, name)
    return Scope(scope.place, base, language, scope.problems)


# ------------------------------------------------------------- groups and tables


@frozen(eq=False)
class _Shared:
    """What a group says for all of its tables."""

    inherited: Inherited = field(default_factory=dict)
    dialect: Dialect | None = None
    direction: Direction = "auto"
    transformations: tuple[Transformation, ...] = ()
    schema: tuple[Scope, Object] | None = None


_Keyed: TypeAlias = "tuple[Table, ReadSchema]"


class _Reader:
    def __init__(self, load: Load) -> None:
        self._load = load
        self._loaded: dict[str, Any] = {}

    def group(self, scope: Scope, given: Object) -> TableGroup:
        check_names(scope, given, _GROUP, "a group of tables")
        check_type(scope, given, "TableGroup")
        shared = _Shared(
            read_inherited(scope, given),
            self.dialect(scope, given),
            _direction(scope, given, "auto"),
            _transformations(scope, given),
            self.linked(scope, given, "tableSchema"),
        )
        group = TableGroup(
            (),
            identifier(scope, given),
            notes(scope, given),
            common_properties(scope, given),
            scope.language,
            scope.place,
        )
        found = []
        listed = list(objects(scope, given, "tables"))
        for ix, item in listed:
            table, schema = self.table(scope.below("tables", ix), item, shared)
            if table is not None:
                found.append((table, schema))
        if not listed:
            scope.error("`tables` must have at least one table", "tables")
        return self.joined(group, tuple(found))

    def table(
        self, scope: Scope, given: Object, shared: _Shared
    ) -> tuple[Table | None, ReadSchema]:
        check_names(scope, given, _TABLE, "a table")
        check_type(scope, given, "Table")
        url = link(scope, given, "url")
        if url is None:
            scope.error("a table needs a `url`, which is a string")
        own = read_inherited(scope, given)
        linked = self.linked(scope, given, "tableSchema") or shared.schema
        schema = ReadSchema()
        if linked is not None:
            schema = read_schema(*linked, (shared.inherited, own))
        transformations = _transformations(scope, given)
        around = (shared.inherited, own, schema.inherited)
        table = Table(
            url or "",
            schema.schema,
            self.dialect(scope, given) or shared.dialect or Dialect(),
            _direction(scope, given, shared.direction),
            transformations if "transformations" in given else shared.transformations,
            notes(scope, given),
            flag(scope, given, "suppressOutput"),
            identifier(scope, given),
            common_properties(scope, given),
            with_inherited(Column(0, None, ""), *around),
            scope.language,
            schema.has_columns,
            scope.place,
        )
        return (None if url is None else table), schema

    def joined(self, group: TableGroup, found: tuple[_Keyed, ...]) -> TableGroup:
        """The group of its tables, whose foreign keys can now be resolved."""
        done = []
        for table, schema in found:
            keys = (resolve_key(key, found) for key in schema.keys)
            kept = tuple(key for key in keys if key is not None)
            done.append(replace(table, schema=replace(table.schema, foreign_keys=kept)))
        return replace(group, tables=tuple(done))

    # ------------------------------------------------------------- object properties

    def dialect(self, scope: Scope, given: Object) -> Dialect | None:
        linked = self.linked(scope, given, "dialect")
        return None if linked is None else read_dialect(*linked)

    def linked(self, scope: Scope, given: Object, name: str) -> tuple[Scope, Object] | None:
        """An object property: the object, and the scope it is read in; `None` if it is missing."""
        if name not in given:
            return None
        value = given[name]
        if isinstance(value, Mapping):
            return scope.below(name), value
        if not isinstance(value, str):
            message = f"`{name}` must be an object or a URL, not {shown(value)}"
            scope.warning(f"{message}: it is taken as an empty object", name)
            return scope.below(name), {}
        url = resolve(scope.base, value)
        try:
            loaded = self._document(url)
        except SculptError as error:
            message = f"`{name}` cannot be loaded: {reason_of(error)}"
            scope.problems.error(scope.place.below(name), message, error)
            return scope.below(name), {}
        if not isinstance(loaded, Mapping):
            scope.error(f"{shown(value)} has no JSON object, but {shown(loaded)}", name)
            return scope.below(name), {}
        inner = _top_scope(loaded, Scope(Place(url), url, UNDEFINED, scope.problems))
        rest = {key: member for key, member in loaded.items() if key != "@context"}
        return inner, {"@id": url, **rest}

    def _document(self, url: str) -> Any:
        if url not in self._loaded:
            self._loaded[url] = self._load(url)
        return self._loaded[url]


def _direction(scope: Scope, given: Object, default: Direction) -> Direction:
    found: Any = one_of(scope, given, "tableDirection", ("rtl", "ltr", "auto"), default)
    direction: Direction = found
    return direction


def _transformations(scope: Scope, given: Object) -> tuple[Transformation, ...]:
    found = []
    for ix, item in objects(scope, given, "transformations"):
        inner = scope.below("transformations", ix)
        check_names(inner, item, _TRANSFORMATION, "a transformation")
        check_type(inner, item, "Template")
        links = {name: link(inner, item, name) for name in ("url", "scriptFormat", "targetFormat")}
        for name, url in links.items():
            if url is None:
                inner.error(f"a transformation needs `{name}`")
        source = item.get("source")
        if source not in (None, "json", "rdf"):
            message = f'`source` must be "json", "rdf" or `null`, not {shown(source)}'
            inner.warning(f"{message}: it is ignored", "source")
            source = None
        found.append(
            Transformation(
                links["url"] or "",
                links["scriptFormat"] or "",
                links["targetFormat"] or "",
                source,
                titles(inner, item),
                identifier(inner, item),
                common_properties(inner, item),
                inner.place,
            )
        )
    return tuple(found)
