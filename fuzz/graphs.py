"""RDF and annotations that were written, as rdflib and `json` read them.

In: a document, and the records or annotations that should be in it. Out: its triples and those
that it must have, each with the word of its object (`readers`) and its type. All blank nodes are
treated as the same, and the subjects of annotations are compared without percent-encoding.

Invariant: nothing here calls the writers; only the escapes of IRIs are those of Sculpt.
Cost: 1 ms per document.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import unquote

import rdflib

from fuzz.readers import Row, word_in, word_of
from sculpt.core.programs.statements import Stream
from sculpt.core.programs.typed_values import ValueType
from sculpt.transform.iris import RDFS, XSD, Names

Triple: TypeAlias = tuple[str, str, tuple[str, str | None]]

rdflib.NORMALIZE_LITERALS = False
_DATATYPES = {"binary": "base64Binary", "dateTimeStamp": "dateTime"}


def triples(path: Path, syntax: str, is_annotations: bool) -> set[Triple]:
    """The triples of a document; all blank nodes are treated as the same."""
    graph = rdflib.Graph()
    graph.parse(data=path.read_bytes().decode(), format=syntax)
    found: set[Triple] = set()
    for subject, predicate, thing in graph:
        spelt: tuple[str, str | None] = (str(thing), None)
        if isinstance(thing, rdflib.Literal):
            kind = str(thing.datatype or "").removeprefix(XSD)
            spelt = (word_in(str(thing), kind), kind)
        elif isinstance(thing, rdflib.BNode):
            spelt = ("_:", None)
        about = "_:" if isinstance(subject, rdflib.BNode) else str(subject)
        found.add((unquote(about) if is_annotations else about, str(predicate), spelt))
    return found


def described(stream: Stream, rows: list[Row], names: Names) -> set[Triple]:
    """The triples of records."""
    if {name for name, _ in stream.fields} == {"subject", "predicate", "object"}:
        return _spelt_out(stream, rows, names)
    kind = str(rdflib.RDF.type)
    found: set[Triple] = set()
    for number, row in enumerate(rows, 1):
        mark = ":" if names.base.startswith("urn:") else "/"
        subject = f"{names.base}{stream.name}{mark}{number}"
        found.add((subject, kind, (names.base + stream.name, None)))
        for name, value in stream.fields:
            objects = _objects(row[name], value, names)
            found |= {(subject, names.of_name(name), each) for each in objects}
    return found


def _spelt_out(stream: Stream, rows: list[Row], names: Names) -> set[Triple]:
    """The triples of records that are triples; one that lacks a part is left out."""
    kinds = dict(stream.fields)
    found: set[Triple] = set()
    for row in rows:
        words = {name: word_of(row[name], kind) for name, kind in kinds.items()}
        ends = [words["subject"], words["predicate"]]
        about, said = [";".join(w) if isinstance(w, list) else w for w in ends]
        if about is not None and said is not None:
            subject = _resource(about, names)
            objects = _objects(row["object"], kinds["object"], names)
            found |= {(subject, names.of_text(said), each) for each in objects}
    return found


def _objects(value: Any, kind: ValueType, names: Names) -> list[tuple[str, str | None]]:
    word = word_of(value, kind)
    if word is None:
        return []
    if kind.kind == "iri":
        return [(_resource(str(word), names), None)]
    datatype = "" if kind.kind in ("string", "list") else _DATATYPES.get(kind.kind, kind.kind)
    return [(each, datatype) for each in (word if isinstance(word, list) else [word])]


def _resource(text: str, names: Names) -> str:
    return "_:" if text.startswith("_:") else names.of_text(text)


# ------------------------------------------------------------- annotations


def check_annotation_json(path: Path, rows: list[Row]) -> None:
    """Compare the document of annotations."""
    cells: dict[str, dict[str, Any]] = {}
    for row in rows:
        cell = cells.setdefault(f"#cell={row['row']},{row['column']}", {"annotations": []})
        if row["namespace"] is not None:
            cell["entity"] = _entity(row)
        if row["text"] is not None:
            cell["annotations"].append(row["text"])
    (file,) = json.loads(path.read_bytes())["files"] or [{"cells": {}}]
    for facts in file["cells"].values():
        if "entity" in facts:
            facts["entity"] = unquote(facts["entity"])
    assert list(file["cells"]) == list(cells)
    assert file["cells"] == cells


def annotated(rows: list[Row], names: Names) -> set[Triple]:
    """The triples of annotations: two references are a predicate and an object."""
    entities = {(row["row"], row["column"]): _entity(row) for row in rows if row["namespace"]}
    found: set[Triple] = set()
    for row in rows:
        if row["text"] is not None:
            about = entities[row["row"], row["column"]]
            said: tuple[str, tuple[str, str | None]] = (RDFS + "comment", (row["text"], ""))
            match [names.of_reference(word) for word in row["text"].split()]:
                case [str(predicate), str(thing)]:
                    said = (predicate, (thing, None))
            found.add((about, *said))
    return found


def _entity(row: Row) -> str:
    """The entity of a cell, without percent-encoding."""
    return unquote(f"{row['namespace']}:{row['content'] or ''}")
