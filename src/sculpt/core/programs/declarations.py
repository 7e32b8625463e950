"""What programs declare: namespaces, and mappings, which may come from files.

In: the statements of programs. Out: `Declarations`; errors go to `problems`. A mapping
file is CSV in UTF-8 with two columns and no header; its path is relative to the schema file that
names it.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path

from sculpt.diagnostics import Diagnostic, Span
from sculpt.syntax.programs import tree as p
from sculpt.values import field, frozen


@frozen
class Declarations:
    """The declared names and what they stand for."""

    namespaces: dict[str, str] = field(default_factory=dict)
    mappings: dict[str, dict[str, str]] = field(default_factory=dict)


def declared(bodies: Iterable[p.Statement], problems: list[Diagnostic]) -> Declarations:
    """Collect what some statements declare."""
    found = Declarations()
    for body in bodies:
        match body:
            case p.Namespace(name, iri):
                if name in found.namespaces:
                    message = f"the namespace `{name}` is declared twice"
                    problems.append(Diagnostic("redefinition", message, body.span))
                found.namespaces[name] = iri
            case p.Mapping(name, pairs, path):
                if name in found.mappings:
                    message = f"the mapping `{name}` is declared twice"
                    problems.append(Diagnostic("redefinition", message, body.name_span))
                found.mappings[name] = (
                    dict(pairs) if path is None else _load(path, body.span, problems)
                )
    return found


def _load(path: str, span: Span, problems: list[Diagnostic]) -> dict[str, str]:
    """Read the pairs of a mapping file."""
    pairs: dict[str, str] = {}

    def reject(message: str, hint: str | None = None) -> None:
        problems.append(Diagnostic("bad-mapping", message, span, hint))

    try:
        with Path(span.source.folder, path).open(encoding="utf-8-sig", newline="") as file:
            for number, row in enumerate(csv.reader(file), 1):
                if len(row) not in (0, 2):
                    reject(f"`{path}`, row {number}: a mapping has two columns, not {len(row)}")
                    break
                if row and pairs.setdefault(row[0], row[1]) != row[1]:
                    reject(
                        f"`{path}`, row {number}: `{row[0]}` is already mapped to something else"
                    )
                    break
    except (OSError, ValueError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        reject(f"`{path}` cannot be read: {reason.lower()}", "paths are relative to the schema")
    return pairs
