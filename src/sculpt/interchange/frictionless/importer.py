"""Data Packages, Data Resources and Table Schemas to Sculpt.

In: a JSON document, and what may be read besides. Out: a `Package` with a text for each table, and
one that ties them by their foreign keys.

Invariant: all errors of a descriptor are raised at once; what is not taken over is a note with its
JSON pointer. Cost: linear in the descriptor.
"""

from __future__ import annotations

from sculpt.interchange.access import Access
from sculpt.interchange.builder import NamePool, SchemaBuilder
from sculpt.interchange.documents import Document, JsonDocument
from sculpt.interchange.frictionless.keys import labelled_column, write_reference
from sculpt.interchange.frictionless.model import At, Resource
from sculpt.interchange.frictionless.reading.descriptors import read_descriptor
from sculpt.interchange.frictionless.reading.shapes import Findings
from sculpt.interchange.frictionless.tables import Written, write_table
from sculpt.interchange.model import Package, TableText


def recognises(document: JsonDocument) -> bool:
    """Is a document a Data Package, a Data Resource or a Table Schema?"""
    value = document.value
    if not isinstance(value, dict) or "@context" in value:
        return False
    if isinstance(value.get("resources"), list):
        return True
    profile = str(value.get("$schema", value.get("profile", "")))
    if "datapackage.org" in profile or "frictionlessdata.io" in profile or "tabular" in profile:
        return True
    if isinstance(value.get("fields"), list):
        return True
    return "name" in value and ("path" in value or "data" in value)


def read(document: Document, access: Access) -> Package:
    """The tables of a descriptor as Sculpt texts; raises `SchemaError`."""
    assert isinstance(document, JsonDocument)
    resources, findings = read_descriptor(document, access)
    names = NamePool()
    written: dict[str, Written] = {}
    tables: list[TableText] = []
    for resource in resources:
        name = names.name(resource.name, "table")
        written[resource.name] = write_table(resource, name, findings)
        tables.append(written[resource.name].table)
        tables += _other_parts(resource, names, findings)
    tie = _tie(document, resources, written)
    findings.check(document.name)
    return Package("frictionless", tuple(tables), tie, tuple(findings.notes))


def _other_parts(resource: Resource, names: NamePool, findings: Findings) -> list[TableText]:
    """The tables of the other files of a resource that consists of several."""
    if len(resource.paths) < 2:
        return []
    keys = resource.schema is not None and (
        resource.schema.primary_key or resource.schema.unique_keys or resource.schema.foreign_keys
    )
    unique = resource.schema is not None and any(
        field.constraint("unique") for field in resource.schema.fields
    )
    if keys or unique:
        message = "keys are checked in each part of the data on its own"
        findings.note(resource.at.to("path"), message, "join the files")
    if resource.is_by_label:
        message = (
            "the cells of all files but the first are not checked:"
            " their columns have the order of its labels, which no descriptor has"
        )
        findings.note(resource.at.to("path"), message, "join the files")
    return [
        write_table(resource, names.name(f"{resource.name} part {part}"), findings, part).table
        for part in range(2, len(resource.paths) + 1)
    ]


def _tie(
    document: JsonDocument, resources: tuple[Resource, ...], written: dict[str, Written]
) -> TableText | None:
    """The references between tables; `None` if there are none."""
    builder = SchemaBuilder(f"The tables of a Data Package\nFrom {At(document).spot}")
    is_needed = False
    for resource in resources:
        for key in resource.schema.foreign_keys if resource.schema is not None else ():
            if key.resource in ("", resource.name) or key.resource not in written:
                continue
            one, other = written[resource.name], written[key.resource]
            left = [one.columns[name] for name in key.fields]
            right = [
                other.columns.get(name) or labelled_column(name, like, other.layout)
                for name, like in zip(key.targets, left, strict=True)
            ]
            write_reference(key, left, right, builder, (one.table.name, other.table.name))
            is_needed = True
    return builder.build("package") if is_needed else None
