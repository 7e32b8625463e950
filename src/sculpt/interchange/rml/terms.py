"""Terms of a mapping as values of a program.

In: a `Term`, the columns of its table and the variable that stands for a row. Out: Sculpt text.

| term | value |
|---|---|
| IRI from a template | `iri(concat("http://ex.org/", percent-encode(r[ID])))` |
| IRI from a column | the text if it is an IRI, or else the base and the text |
| blank node | `blank(r[ID])` |
| literal | `r[ID]`, `lang(r[ID], "en")`, `literal(r[ID], "xs:date")` |

Invariant: a value with a column in it is null if the column has no value there (R2RML, 11.1).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import assert_never

from sculpt.core.builtins import XSD as XSD_NAMES
from sculpt.interchange.builder import literal
from sculpt.interchange.rml.columns import Columns
from sculpt.interchange.rml.model import Constant, Expression, Reference, Template, Term
from sculpt.interchange.rml.vocabulary import RDF, XSD

_LOCAL = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_-])?")
_PREFIX = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


class Names:
    """The namespaces of a program, as far as it uses them."""

    def __init__(self, prefixes: Iterable[tuple[str, str]]) -> None:
        known = {"rdf": RDF, **dict(prefixes)}
        self._prefixes = sorted(
            ((prefix, iri) for prefix, iri in known.items() if _PREFIX.fullmatch(prefix)),
            key=lambda pair: -len(pair[1]),
        )
        self.used: dict[str, str] = {}

    def short(self, iri: str) -> str:
        """An IRI as a prefixed name, or as it is; without slashes, between `<` and `>`."""
        for prefix, namespace in self._prefixes:
            local = iri[len(namespace) :]
            is_free = namespace and prefix != "default"
            if is_free and iri.startswith(namespace) and _LOCAL.fullmatch(local):
                self.used[prefix] = namespace
                return f"{prefix}:{local}"
        return iri if "://" in iri else f"<{iri}>"


def columns_of(term: Term) -> list[str]:
    """The columns that a term needs."""
    match term.expression:
        case Constant():
            return []
        case Reference(column):
            return [column]
        case Template(parts):
            return [part.column for part in parts if isinstance(part, Reference)]
        case _:
            assert_never(term.expression)


def is_from_column(term: Term) -> bool:
    """Is a term an IRI whose text is that of a column?"""
    return term.type == "iri" and isinstance(term.expression, Reference)


class Values:
    """Writes the values of one table's rows."""

    def __init__(self, columns: Columns, names: Names, base: str, row: str = "r") -> None:
        self._columns, self._names, self._base, self._row = columns, names, base, row

    def optional(self, term: Term) -> str:
        """The value of a term, which is null if a column has no value."""
        text = self.value(term)
        return (
            text
            if isinstance(term.expression, Constant) or _is_optional(text)
            else f"{text} optional"
        )

    def value(self, term: Term) -> str:
        """The value of a term."""
        match term.type:
            case "iri":
                return self._iri(term.expression)
            case "blank":
                return f"blank({self._joined(term.expression, str)})"
            case "literal":
                return self._literal(term)
            case _:
                assert_never(term.type)

    def cell(self, column: str) -> str:
        """The cell of a column."""
        return f"{self._row}[{self._columns.name(column)}]"

    def _literal(self, term: Term) -> str:
        text = self._joined(term.expression, str)
        if term.language is not None:
            return f"lang({text}, {literal(term.language)})"
        if term.datatype is not None and term.datatype != f"{XSD}string":
            return f"literal({text}, {literal(self._datatype(term.datatype))})"
        return text

    def _datatype(self, iri: str) -> str:
        local = iri.removeprefix(XSD)
        if local != iri and local in XSD_NAMES:
            return f"xs:{local}"
        return self._names.short(iri).strip("<>")

    def _iri(self, expression: Expression) -> str:
        match expression:
            case Constant(value):
                return f"iri({literal(self._names.short(value))})"
            case Reference(column):
                whole = f"{self._row}[{self._columns.absolute(column)}]"
                part = f"{self._row}[{self._columns.relative(column)}]"
                after = f"concat({literal(self._base)}, {part})" if self._base else part
                return f'iri(concat("<", {whole}, ">")) optional(iri({after}) optional)'
            case Template(parts):
                if not _is_absolute(parts) and self._base:
                    expression = Template((self._base, *parts))
                return f"iri({self._joined(expression, _encoded)})"
            case _:
                assert_never(expression)

    def _joined(self, expression: Expression, change: Callable[[str], str]) -> str:
        """The text of an expression; the values of columns are changed."""
        match expression:
            case Constant(value):
                return literal(value)
            case Reference(column):
                return change(self.cell(column))
            case Template(parts):
                written = [
                    change(self.cell(part.column)) if isinstance(part, Reference) else literal(part)
                    for part in _merged(parts)
                ]
                return written[0] if len(written) == 1 else f"concat({', '.join(written)})"
            case _:
                assert_never(expression)


def _encoded(cell: str) -> str:
    return f"percent-encode({cell})"


def _is_optional(text: str) -> bool:
    return text.endswith(" optional)")


def _is_absolute(parts: tuple[str | Reference, ...]) -> bool:
    """Does what a template makes have a scheme? Values are encoded, so they have no colon."""
    texts = [part if isinstance(part, str) else "x" for part in parts]
    return _SCHEME.match("".join(texts)) is not None


def _merged(parts: tuple[str | Reference, ...]) -> list[str | Reference]:
    """The parts of a template, with texts next to each other as one."""
    found: list[str | Reference] = []
    for part in parts:
        if found and isinstance(part, str) and isinstance(found[-1], str):
            found[-1] += part
        else:
            found.append(part)
    return found or [""]
