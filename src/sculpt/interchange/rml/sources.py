"""Logical sources: which CSV file a triples map is about, and how it is written.

In: the node of a triples map. Out: a `Source`; or a note and `UnreadSourceError`, if the source is
no CSV; or an error of the mapping.

Invariant: nothing is opened. Paths are relative to the mapping.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from sculpt.interchange.rml.graph import NO_BASE, RmlGraph, is_iri, is_literal
from sculpt.interchange.rml.model import Source
from sculpt.interchange.rml.vocabulary import CSV_FORMULATIONS, CSVW, DCAT, short_name

if TYPE_CHECKING:
    from rdflib.term import Node

Complain = Callable[..., None]
"""Says what is wrong: the triples map, a message, and the node and property that say so."""


class UnreadSourceError(Exception):
    """A source that cannot be taken over; a note or an error says why."""


class Sources:
    """Reads the sources of a mapping."""

    def __init__(self, graph: RmlGraph, error: Complain, note: Complain) -> None:
        self._graph, self._error, self._note = graph, error, note

    def read(self, owner: Node) -> tuple[Source, bool]:
        """The source of a triples map, and whether columns are named as in SQL."""
        graph = self._graph
        sources = graph.values(owner, "logicalSource")
        tables = graph.values(owner, "logicalTable")
        if len(sources) + len(tables) != 1:
            word = "no logical source" if not sources + tables else "several logical sources"
            self._error(owner, f"a triples map has one logical source, and this has {word}")
            raise UnreadSourceError
        if tables:
            return Source(self._table(owner, tables[0])), True
        (source,) = sources
        self._check_formulation(owner, source)
        found = graph.values(source, "source")
        if len(found) != 1:
            self._error(owner, "a logical source has one `source`", owner, "logicalSource")
            raise UnreadSourceError
        nulls = self._nulls(source) + self._nulls(found[0])
        path, dialect = self._located(owner, found[0])
        return Source(path, tuple(dialect), nulls or ("",)), False

    def _table(self, owner: Node, table: Node) -> str:
        """The file of an R2RML table: its name, with `.csv` if it has no suffix."""
        names = self._graph.values(table, "tableName")
        if len(names) != 1:
            what = "a query of SQL: only tables in CSV files can be read"
            self._unread(owner, what, table, "sqlQuery")
        name = re.sub(r'^"(.+)"$', r"\1", str(names[0]))
        return name if re.search(r"\.[A-Za-z]{1,4}$", name) else f"{name}.csv"

    def _check_formulation(self, owner: Node, source: Node) -> None:
        named = self._graph.values(source, "referenceFormulation")
        if "query" in self._graph.local_properties(source):
            self._unread(owner, "a query of SQL: only CSV files can be read", source, "query")
        other = [each for each in named if str(each) not in CSV_FORMULATIONS]
        if other:
            word = short_name(str(other[0]))
            what = f"a source that is read by {word}: only CSV can be read"
            self._unread(owner, what, source, "referenceFormulation")

    def _nulls(self, node: Node) -> tuple[str, ...]:
        if is_literal(node):
            return ()
        found = self._graph.values(node, "null") + self._graph.others(node, f"{CSVW}null")
        return tuple(sorted(str(each) for each in found))

    def _located(self, owner: Node, node: Node) -> tuple[str, list[tuple[str, str]]]:
        """The path of a source, and its directives."""
        if is_literal(node):
            return str(node), []
        graph = self._graph
        paths = graph.values(node, "path")
        if paths:
            return str(paths[0]), self._encoding(node)
        urls = graph.others(node, f"{CSVW}url")
        if urls:
            dialects = graph.others(node, f"{CSVW}dialect")
            found = [pair for each in dialects for pair in self._dialect(owner, each)]
            return _relative(str(urls[0])), found
        downloads = graph.others(node, f"{DCAT}downloadURL")
        if downloads:
            return str(downloads[0]), []
        if is_iri(node):
            return _relative(str(node)), self._encoding(node)
        self._unread(owner, "a source that is neither a path nor a CSVW table", node)
        raise AssertionError

    def _encoding(self, node: Node) -> list[tuple[str, str]]:
        found = self._graph.values(node, "encoding")
        return [("Encoding", short_name(str(found[0])).lower())] if found else []

    def _dialect(self, owner: Node, node: Node) -> list[tuple[str, str]]:
        """The directives of a CSVW dialect."""
        said = {
            short_name(each): str(self._graph.others(node, each)[0])
            for each in self._graph.properties(node)
            if each.startswith(CSVW)
        }
        if said.get("header", "true").lower() in ("false", "0"):
            what = "a file without a header: columns are named by it"
            self._unread(owner, what, node, f"{CSVW}header")
        found: list[tuple[str, str]] = []
        simple = {"delimiter": "Col Delim", "commentPrefix": "Comment", "encoding": "Encoding"}
        for name, value in said.items():
            match name:
                case "delimiter" | "commentPrefix" | "encoding":
                    found.append((simple[name], value))
                case "quoteChar":
                    found.append(("Quote", value or "none"))
                case "doubleQuote" if value.lower() in ("false", "0"):
                    found += [("Escape", "\\"), ("Escapes", "everywhere")]
                case "trim":
                    words = {"true": "both", "1": "both", "start": "left", "end": "right"}
                    found.append(("Trim", words.get(value.lower(), "none")))
                case "skipInitialSpace" if value.lower() in ("true", "1"):
                    found.append(("Trim", "left"))
                case "skipBlankRows" if value.lower() in ("false", "0"):
                    found.append(("Blank Rows", "keep"))
                case "headerRowCount" | "skipRows" | "skipColumns" | "lineTerminators":
                    if value not in ("0", "1") or (name, value) == ("skipRows", "1"):
                        self._note(owner, f"`csvw:{name}` of a dialect", node, f"{CSVW}{name}")
        return found

    def _unread(self, owner: Node, what: str, node: Node, name: str = "") -> None:
        self._note(owner, f"the triples map, with {what}", node, name)
        raise UnreadSourceError


def _relative(url: str) -> str:
    """The path of a URL that was relative in the mapping, or a file; other URLs stay."""
    if url.startswith(NO_BASE):
        return unquote(url.removeprefix(NO_BASE))
    parts = urlsplit(url)
    return unquote(parts.path) if parts.scheme == "file" else url
