"""Places in foreign schemas as spans: the characters that an origin or a note is about.

In: a `Spot`. Out: a `Span` of the file that it names, with which diagnostics show a line and a
caret. Statements of an imported text are found there too: `in_source` says an error about the text
as one about what the statement was. Invariant: nobody reads a place of a text that they have not
written. Cost: each file is read once more; a place in what is no file has no excerpt.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from sculpt.diagnostics import Diagnostic, Source, Span
from sculpt.errors import SculptError
from sculpt.interchange.access import read_file
from sculpt.interchange.documents import JsonDocument
from sculpt.origins import Origin, Spot
from sculpt.syntax import ast
from sculpt.syntax.parser import parse
from sculpt.syntax.programs import tree


class Places:
    """Finds places in files, each of which is read once.

    A file that is not there is looked for beside the schema file of a name: some systems name files
    as they are seen from there.
    """

    def __init__(self, beside: str = "") -> None:
        self._folder = os.path.dirname(beside)
        self._documents: dict[str, JsonDocument | Source] = {}

    def span(self, spot: Spot) -> Span:
        """The characters at a place."""
        document = self._document(spot)
        if isinstance(document, JsonDocument):
            return document.span(spot.pointer or "")
        start = 0
        for _ in range((spot.line or 1) - 1):
            start = document.text.find("\n", start) + 1
        start += (spot.column or 1) - 1
        end = document.text.find("\n", start)
        return Span(document, start, len(document.text) if end < 0 else max(start, end))

    def _document(self, spot: Spot) -> JsonDocument | Source:
        if spot.file not in self._documents:
            other = os.path.join(self._folder, spot.file)
            is_beside = not os.path.exists(spot.file) and os.path.exists(other)
            self._documents[spot.file] = _read(other if is_beside else spot.file, spot)
        return self._documents[spot.file]


def _read(name: str, spot: Spot) -> JsonDocument | Source:
    try:
        body = read_file(name)
        if spot.pointer is not None:
            return JsonDocument.parse(name, body)
        return Source(name, body.decode("utf-8", "replace"))
    except SculptError:  # standard input, or what was fetched
        return Source(name, "")


def unwritable(problem: Diagnostic, by_line: Mapping[int, Origin], name: str) -> Diagnostic:
    """An error in a text that an importer made, as one about the statement that it comes from.

    `by_line` has the origins of statements. A definition has none; it is about the next statement
    that has one. Without any, the error is about the file of a name.
    """
    line = problem.span.line
    found = next((by_line[each] for each in sorted(by_line) if each >= line), None)
    words = "" if found is None else f"{found.construct.strip()}: "
    spot = Spot(name) if found is None else found.place
    message = f"{words}this cannot be written as Sculpt: {problem.message}"
    hint = "say it in other words, or leave it out"
    return Diagnostic("foreign-limit", message, Places(name).span(spot), hint)


def in_source(problem: Diagnostic) -> Diagnostic:
    """An error about the text of an imported schema, as one about its source; others as they are.

    Errors about settings, or in the source itself, are about what somebody wrote.
    """
    source = problem.span.source
    if source.origins is None:
        return problem
    return unwritable(problem, origins_by_line(source), source.name)


def origins_by_line(source: Source) -> dict[int, Origin]:
    """The origin of each statement of an imported text, by its line."""
    counts: dict[str, int] = {}
    found: dict[int, Origin] = {}
    for kind, line in _stated(parse(source, [])):
        counts[kind] = counts.get(kind, 0) + 1
        origin = (source.origins or {}).get(f"{kind}:{counts[kind]}")
        if origin is not None:
            found[line] = origin
    return found


def _stated(document: ast.Document) -> list[tuple[str, int]]:
    """What can be violated, each with its kind, as origins name it, and its line."""
    found: list[tuple[str, int]] = []
    for statement in document.statements:
        match statement:
            case ast.Rule():
                found.append(("rule", statement.span.line))
            case ast.Unique():
                found.append(("unique", statement.span.line))
            case ast.Key():
                found.append(("key", statement.span.line))
            case ast.Reference():
                found.append(("reference", statement.span.line))
            case ast.Program(body=tree.Require() as condition):
                found.append(("require", condition.span.line))
            case ast.Program(body=tree.Loop() as loop):
                conditions = (each for each in loop.actions if isinstance(each, tree.Require))
                found += (("require", each.span.line) for each in conditions)
            case _:
                continue
    return found
