"""Data Packages and Data Resources, v1 and v2: JSON to `Resource`s.

In: a descriptor: `datapackage.json`, a resource, or a table schema on its own. Out: the resources
that are tables; all errors at once as `SchemaError`, each with its JSON pointer. A schema or
dialect that is referred to is read through `access`.

Invariants: a foreign key leads to a resource of the package, and to fields that it has; nothing
that is referred to refers on, so nothing is circular. Cost: linear in the JSON.
"""

from __future__ import annotations

import codecs
import os
from typing import Any

from sculpt.diagnostics import Diagnostic
from sculpt.errors import DataError, SchemaError, UsageError
from sculpt.interchange.access import Access, is_url
from sculpt.interchange.documents import JsonDocument
from sculpt.interchange.frictionless.model import At, Dialect, ForeignKey, Resource, TableSchema
from sculpt.interchange.frictionless.reading.dialects import read_checklist, read_dialect
from sculpt.interchange.frictionless.reading.schemas import read_schema
from sculpt.interchange.frictionless.reading.shapes import Findings, described
from sculpt.values import replace

_TABULAR = ("csv", "tsv")
_UNREAD = object()
_COMPRESSIONS = ("gz", "bz2", "xz", "zst", "gzip", "no", "")


def read_descriptor(
    document: JsonDocument, access: Access
) -> tuple[tuple[Resource, ...], Findings]:
    """The tables of a descriptor; raises `SchemaError` with everything that is wrong in it."""
    findings = Findings()
    reader = _Reader(access, findings)
    value, at = document.value, At(document)
    if not isinstance(value, dict):
        findings.wrong(at, f"a descriptor is an object, not {described(value)}")
        resources: tuple[Resource, ...] = ()
    elif "resources" in value:
        resources = reader.package(value, at)
    elif "fields" in value:
        schema = read_schema(value, at, findings, is_v2(value))
        resources = (Resource(at, _stem(document.name), (), Dialect(at), schema),)
    else:
        only = reader.resource(value, at, is_v2(value))
        resources = () if only is None else (only,)
    is_package = isinstance(value, dict) and "resources" in value
    _check_references(resources, reader.skipped, findings, is_package)
    if not resources and not findings.problems and not findings.unread:
        findings.problems += _unreadable(document, is_package, findings)
    findings.check(document.name)
    return resources, findings


def _unreadable(document: JsonDocument, is_package: bool, findings: Findings) -> list[Diagnostic]:
    """Why no resource can be read: what would be notes if another one could."""
    at = At(document, ("resources",)) if is_package else At(document)
    message = "none of the resources can be read" if is_package else "the resource cannot be read"
    hint = "name a CSV file in `path`"
    reasons = (
        document.problem(
            "foreign-access", each.place.pointer or "", each.message, each.hint or hint
        )
        for each in findings.notes
    )
    return [at.problem("foreign-access", message, hint), *reasons]


def is_v2(value: dict[str, Any]) -> bool:
    """Does a descriptor say that it is of version 2?"""
    return "/2." in str(value.get("$schema", value.get("profile", "")))


def _stem(name: str) -> str:
    base = os.path.basename(name)
    return base.removesuffix(".json").removesuffix(".schema") or "table"


class _Reader:
    def __init__(self, access: Access, findings: Findings) -> None:
        self.access = access
        self.findings = findings
        self.skipped: set[str] = set()
        """Names of resources that are left out: no tables, or data in the descriptor."""

    def package(self, value: dict[str, Any], at: At) -> tuple[Resource, ...]:
        """The tables of a package."""
        listed = self.findings.array(at, value, "resources")
        if not listed and isinstance(value["resources"], list):
            self.findings.wrong(at.to("resources"), "a package has at least one resource")
        found = []
        seen: set[str] = set()
        for ix, each in enumerate(listed):
            inner, where = self.resolved(each, at.to("resources", ix), "resource")
            if inner is _UNREAD:
                continue
            if not isinstance(inner, dict):
                self.findings.wrong(where, f"a resource is an object, not {described(inner)}")
                continue
            name = inner.get("name")
            if isinstance(name, str) and name in seen:
                message = f"another resource has the name `{name}`; names are unique"
                self.findings.wrong(where.to("name"), message)
                continue
            seen.add(name if isinstance(name, str) else "")
            resource = self.resource(inner, where, is_v2(value) or is_v2(inner))
            if resource is not None:
                found.append(resource)
        return self.with_files(found)

    def with_files(self, found: list[Resource]) -> tuple[Resource, ...]:
        """The tables that are in files; if none is, they may describe files that a call names."""
        kept = tuple(each for each in found if each.paths)
        if not kept:
            return tuple(found)
        self.skipped |= {each.name for each in found if not each.paths}
        return kept

    def resource(self, value: dict[str, Any], at: At, v2: bool) -> Resource | None:
        """A resource; `None` if it is not a table."""
        findings = self.findings
        name = findings.text(at, value, "name", None)
        if name is None and "name" not in value:
            findings.wrong(at, "a resource has a `name`")
        paths = self.paths(value, at)
        format_ = self.format(value, at, paths)
        if not self.is_table(value, at, format_):
            self.skipped.add(name or "")
            return None
        schema = dialect = checklist = None
        if "schema" in value:
            inner, where = self.resolved(value["schema"], at.to("schema"), "schema")
            schema = None if inner is _UNREAD else read_schema(inner, where, findings, v2)
        if "dialect" in value:
            inner, where = self.resolved(value["dialect"], at.to("dialect"), "dialect")
            dialect = None if inner is _UNREAD else read_dialect(inner, where, findings)
        if "checklist" in value:
            inner, where = self.resolved(value["checklist"], at.to("checklist"), "checklist")
            checklist = None if inner is _UNREAD else read_checklist(inner, where, findings)
        dialect = dialect or Dialect(at)
        if dialect.delimiter is None and format_ == "tsv":
            dialect = replace(dialect, delimiter="\t")
        return Resource(
            at,
            name or "table",
            paths,
            dialect,
            schema,
            findings.text(at, value, "title", ""),
            self.encoding(value, at),
            findings.count(at, value, "bytes", None),
            findings.text(at, value, "hash", None),
            findings.count(at, value, "rows", None),
            checklist,
        )

    def paths(self, value: dict[str, Any], at: At) -> tuple[str, ...]:
        """Where the data is."""
        path = value.get("path")
        if "path" in value and "data" in value:
            self.findings.wrong(at, "a resource has a `path` or `data`, not both")
        elif "path" not in value and "data" not in value:
            self.findings.wrong(at, "a resource has a `path` or `data`")
        elif "data" in value:
            self.findings.note(
                at.to("data"),
                "data in the descriptor is not read",
                "write it to a file, and name that in `path`",
            )
        match path:
            case None if "path" not in value:
                return ()
            case str() if path:
                return (path,)
            case [*parts] if parts and all(isinstance(each, str) and each for each in parts):
                return tuple(parts)
        message = f"`path` is a path, or an array of paths, not {described(path)}"
        self.findings.wrong(at.to("path"), message)
        return ()

    def format(self, value: dict[str, Any], at: At, paths: tuple[str, ...]) -> str:
        """The format of the data, by its property or the name of the file."""
        given = self.findings.text(at, value, "format", "").lower().lstrip(".")
        compression = self.findings.text(at, value, "compression", "").lower()
        first = paths[0] if paths else ""
        stem, ending = os.path.splitext(first.partition("?")[0] if is_url(first) else first)
        if ending.lower() == ".zip" or compression not in _COMPRESSIONS:
            word = compression or "zip"
            where = at.to("compression" if compression else "path")
            message = f"files compressed with `{word}` are not read"
            self.findings.note(where, message, "use gzip, bz2, xz or zstd")
        if ending.lower() in (".gz", ".bz2", ".xz", ".zst", ".zip"):
            ending = os.path.splitext(stem)[1]
        return given or ending.lower().lstrip(".")

    def is_table(self, value: dict[str, Any], at: At, format_: str) -> bool:
        """Is a resource a table that can be read?"""
        is_said = value.get("type") == "table" or "schema" in value
        is_said = is_said or value.get("profile") == "tabular-data-resource"
        if format_ in _TABULAR or (is_said and format_ in ("", "txt", "dat", "data")):
            return True
        if "data" in value and (is_said or not isinstance(value["data"], dict)):
            return is_said
        kind = f"its format is `{format_}`" if format_ else "nothing says that it is one"
        message = f"the resource is not a table of text: {kind}"
        self.findings.note(at, message)
        return False

    def encoding(self, value: dict[str, Any], at: At) -> str | None:
        """The encoding of the data, if it is not UTF-8."""
        given = self.findings.text(at, value, "encoding", None)
        if given is None:
            return None
        try:
            name = codecs.lookup(given).name
            if "escape" in name or not isinstance(b"a".decode(name, "backslashreplace"), str):
                raise LookupError
            codecs.getincrementaldecoder(name)
        except (LookupError, ValueError, TypeError):
            self.findings.wrong(at.to("encoding"), f"there is no encoding `{given}`")
            return None
        return None if name in ("utf-8", "ascii") else given

    def resolved(self, value: Any, at: At, what: str) -> tuple[Any, At]:
        """A part of a descriptor, read from its own file if it is a reference.

        `_UNREAD` if that cannot be read, which is among the findings then.
        """
        if not isinstance(value, str):
            return value, at
        if not value:
            self.findings.wrong(at, f"the reference to a {what} is empty")
            return {}, at
        source = at.document.source
        name = value if is_url(value) else os.path.join(os.path.dirname(source.name), value)
        try:
            body = self.access.read(value, source.folder, f"{source.name}, {at.pointer}")
            document = JsonDocument.parse(name, body, source.folder)
        except SchemaError as error:
            self.findings.problems += error.diagnostics
            return _UNREAD, at
        except (UsageError, DataError) as error:
            self.findings.unread.append(error)
            return _UNREAD, at
        if isinstance(document.value, str):
            message = f"`{value}` is a reference again; a {what} is an object"
            self.findings.limit(at, message)
            return {}, At(document)
        return document.value, At(document)


def _check_references(
    resources: tuple[Resource, ...], skipped: set[str], findings: Findings, is_package: bool
) -> None:
    """Report foreign keys that lead nowhere."""
    known = {each.name: each for each in resources}
    for resource in resources:
        for key in resource.schema.foreign_keys if resource.schema else ():
            where = key.at.to("reference", "resource")
            if key.resource in ("", resource.name):
                continue
            if key.resource in skipped:
                message = (
                    f"the resource `{key.resource}` is left out, so references to it are not"
                    " checked"
                )
                findings.note(where, message)
            elif not is_package:
                message = f"the resource `{key.resource}` is not described here"
                findings.note(where, message, "import the whole package")
            elif key.resource not in known:
                names = ", ".join(f"`{name}`" for name in known)
                message = f"there is no resource `{key.resource}`"
                findings.wrong(where, message, f"the resources are {names}")
            else:
                _check_targets(key, known[key.resource].schema, findings)


def _check_targets(key: ForeignKey, schema: TableSchema | None, findings: Findings) -> None:
    for name in key.targets if schema is not None else ():
        if schema is not None and schema.number_of(name) is None:
            message = f"the resource `{key.resource}` has no field `{name}`"
            findings.wrong(key.at.to("reference", "fields"), message)
