"""Term maps: what a node of a mapping says about subjects, predicates, objects and graphs.

In: the node of a term map, and its position. Out: a `Term`; errors and notes go to the reader.

| position | may be |
|---|---|
| subject | IRI, blank node |
| predicate, graph | IRI |
| object | IRI, blank node, literal |

Invariant: a term has exactly one of constant, reference and template (R2RML, section 7).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from sculpt.core.datatypes.language_tags import is_language_tag
from sculpt.interchange.rml.graph import RmlGraph, is_iri, is_literal
from sculpt.interchange.rml.model import (
    Constant,
    Expression,
    Reference,
    Template,
    Term,
    TermType,
)
from sculpt.interchange.rml.places import Places
from sculpt.interchange.rml.vocabulary import FUNCTIONS, STAR, short_name

if TYPE_CHECKING:
    from rdflib.term import Node

_FUNCTIONS = ("functionExecution", "functionValue", "return")
_GATHERING = ("gather", "gatherAs")
_TERM_TYPES: dict[str, TermType] = {
    "IRI": "iri",
    "URI": "iri",
    "BlankNode": "blank",
    "Literal": "literal",
}
_ALLOWED: dict[str, tuple[TermType, ...]] = {
    "subject": ("iri", "blank"),
    "predicate": ("iri",),
    "graph": ("iri",),
    "object": ("iri", "blank", "literal"),
}
_WORDS: dict[TermType, str] = {"iri": "an IRI", "blank": "a blank node", "literal": "a literal"}
_PIECE = re.compile(r"\\(.)|\{|\}|[^\\{}]+", re.DOTALL)


class LeftOutError(Exception):
    """A term that is not taken over: why, as it follows `an object`, and what says so."""

    def __init__(self, why: str, node: Node, name: str) -> None:
        super().__init__(why, node, name)
        self.why, self.node, self.name = why, node, name


class TermMaps:
    """Reads the term maps of a mapping."""

    def __init__(
        self,
        graph: RmlGraph,
        places: Places,
        error: Callable[..., None],
        note: Callable[..., None],
    ) -> None:
        self._graph, self._places, self._error, self._note = graph, places, error, note
        self.is_sql = False
        """Are columns named as in SQL, perhaps in quotes?"""

    def column(self, name: str) -> str:
        """The heading of a column."""
        return re.sub(r'^"(.+)"$', r"\1", name) if self.is_sql else name

    # ------------------------------------------------------------- constants

    def constant(
        self, owner: Node, node: Node, name: str, value: Node, position: str
    ) -> Term | None:
        """The constant term that a property of a node says."""
        spot = self._places.spot(owner, node, name, str(value))
        if is_literal(value):
            if position != "object":
                message = f"a {position} is an IRI, and `{value}` is a literal"
                self._error(owner, message, node, name, str(value))
                return None
            language = getattr(value, "language", None)
            if language is not None and not is_language_tag(language):
                self._bad_language(owner, language, node, name, str(value))
                return None
            datatype = getattr(value, "datatype", None)
            kind = None if datatype is None else str(datatype)
            return Term(Constant(str(value)), "literal", spot, language, kind)
        if not is_iri(value):
            self._error(owner, f"a constant {position} is no blank node", node, name)
            return None
        return Term(Constant(str(value)), "iri", spot)

    # ------------------------------------------------------------- term maps

    def term(self, owner: Node, node: Node, position: str) -> Term | None:
        """What a term map says; `None` and an error if it is wrong."""
        self._check_supported(node)
        graph = self._graph
        said = [
            (name, value)
            for name in ("constant", "reference", "column", "template")
            for value in graph.values(node, name)
        ]
        if len(said) != 1:
            many = "none of them" if not said else "more than one"
            message = f"a {position} map has one of constant, reference and template"
            self._error(owner, f"{message}; this has {many}", node)
            return None
        ((name, value),) = said
        if name == "constant":
            return self.constant(owner, node, name, value, position)
        text = str(value)
        if not is_literal(value):
            self._error(owner, f"a {name} is a text", node, name)
            return None
        made: Expression | None = Reference(self.column(text))
        if name == "template":
            made = self._template(owner, node, text)
        language, datatype = self._language(owner, node), self._datatype(owner, node)
        kind = self._type(owner, node, position, name, language or datatype)
        if made is None or kind is None or not self._fits(owner, node, kind, language, datatype):
            return None
        place = self._places.spot(owner, node, name)
        return Term(made, kind, place, language, datatype)

    def _check_supported(self, node: Node) -> None:
        """Leave out what a program cannot express."""
        words = self._graph.local_properties(node)
        others = [p for p in self._graph.properties(node) if p.startswith(FUNCTIONS)]
        for known, why in (
            (_FUNCTIONS, "made by a function"),
            (STAR, "that is a triple (RML-star)"),
            (_GATHERING, "that is a collection (RML-CC)"),
        ):
            found = [each for each in known if each in words]
            if known is _FUNCTIONS:
                found += others
            if found:
                raise LeftOutError(why, node, found[0])

    def _fits(
        self,
        owner: Node,
        node: Node,
        kind: TermType,
        language: str | None,
        datatype: str | None,
    ) -> bool:
        word = "datatype" if language is None else "language"
        name = word if self._graph.values(node, word) else f"{word}Map"
        if language is not None and not is_language_tag(language):
            self._bad_language(owner, language, node, name)
            return False
        if language is not None and datatype is not None:
            message = "a literal has a language or a datatype, not both"
            self._error(owner, message, node, name)
            return False
        if kind != "literal" and (language or datatype):
            self._error(owner, f"only a literal has a {word}", node, name)
            return False
        return True

    def _bad_language(
        self, owner: Node, tag: str, node: Node, name: str, value: str | None = None
    ) -> None:
        hint = 'a tag begins with the code of a language, such as "en" or "pt-BR"'
        self._error(owner, f"`{tag}` is not a language tag", node, name, value, hint=hint)

    def _type(
        self, owner: Node, node: Node, position: str, name: str, is_said: str | None
    ) -> TermType | None:
        """The term type that is given, or else the one that follows (R2RML, section 7.4)."""
        given = self._graph.values(node, "termType")
        if not given:
            is_value = position == "object" and (name != "template" or is_said is not None)
            return "literal" if is_value else "iri"
        word = short_name(str(given[0]))
        if word.startswith("Unsafe"):
            what = f"the term type {word}: values are percent-encoded"
            self._note(owner, what, node, "termType")
            word = word.removeprefix("Unsafe")
        kind = _TERM_TYPES.get(word)
        if kind is None:
            self._error(owner, f"there is no term type `{word}`", node, "termType")
        elif kind not in _ALLOWED[position]:
            known = " or ".join(_WORDS[each] for each in _ALLOWED[position])
            message = f"a {position} is {known}, and not {_WORDS[kind]}"
            self._error(owner, message, node, "termType")
            return None
        return kind

    def _language(self, owner: Node, node: Node) -> str | None:
        return self._constant_of(owner, node, "language")

    def _datatype(self, owner: Node, node: Node) -> str | None:
        return self._constant_of(owner, node, "datatype")

    def _constant_of(self, owner: Node, node: Node, name: str) -> str | None:
        """A language or a datatype, which is the same for all rows."""
        found = self._graph.values(node, name)
        for each in self._graph.values(node, f"{name}Map"):
            constants = self._graph.values(each, "constant")
            if not constants:
                why = f"with a {name} that differs from row to row"
                raise LeftOutError(why, node, f"{name}Map")
            found += constants
        if len(found) > 1:
            self._error(owner, f"a literal has one {name}", node, name)
        return str(found[0]) if found else None

    # ------------------------------------------------------------- templates

    def _template(self, owner: Node, node: Node, text: str) -> Template | None:
        """Texts and columns in turn; a backslash makes the next character an ordinary one."""
        parts: list[str | Reference] = []
        buffer, is_open = "", False
        for piece in _PIECE.finditer(text):
            if piece[0] == "{" and not is_open:
                parts += [buffer] if buffer else []
                buffer, is_open = "", True
            elif piece[0] == "}" and is_open and buffer:
                parts.append(Reference(self.column(buffer)))
                buffer, is_open = "", False
            elif piece[0] in "{}":
                self._error(owner, f"the braces of `{text}` do not match", node, "template")
                return None
            else:
                buffer += piece[1] if piece[1] is not None else piece[0]
        if is_open or (text and not parts and not buffer):
            self._error(owner, f"the braces of `{text}` do not match", node, "template")
            return None
        return Template((*parts, buffer) if buffer else tuple(parts))
