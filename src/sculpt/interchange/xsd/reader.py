"""XML Schema documents to simple types.

In: a document, and what may be read. Out: the simple types that it defines, with those of the
documents that it includes or imports from its folder; notes about complex types. A document is
read once, so documents may include each other.

Invariant: a type that is used is defined, is simple, and is not made of itself. Cost: linear in
the documents. `xmlschema`, which reads all of XML Schema, is not used: it takes 0.3 s to import,
knows no columns, and needs an extra; the tests compare both.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import urljoin

from sculpt.core.builtins import XSD
from sculpt.diagnostics import Diagnostic, Suggestions, in_order
from sculpt.errors import DataError, SchemaError, UsageError
from sculpt.interchange.access import Access, is_url, one_error
from sculpt.interchange.documents import Element, XmlDocument
from sculpt.interchange.model import Note
from sculpt.interchange.xsd.model import (
    ANY_TEXT,
    NAMESPACE,
    Builtin,
    Definition,
    Facet,
    ListOf,
    Restriction,
    SimpleType,
    UnionOf,
)
from sculpt.values import frozen

MAX_DOCUMENTS = 200
MAX_CHAIN = 40
"""How many types a type may be made of, one in the other: tokens have such a limit, too."""
_UNBOUNDED = frozenset(("anySimpleType", "anyAtomicType", "anyType"))
_FACETS = frozenset(
    [
        "minInclusive",
        "minExclusive",
        "maxInclusive",
        "maxExclusive",
        "length",
        "minLength",
        "maxLength",
        "totalDigits",
        "fractionDigits",
        "pattern",
        "enumeration",
        "whiteSpace",
        "explicitTimezone",
        "assertion",
    ]
)
_WHOLE = frozenset(("length", "minLength", "maxLength", "totalDigits", "fractionDigits"))


@frozen(eq=False)
class _Global:
    """A definition at the top of a document, and the namespace it belongs to."""

    document: XmlDocument
    element: Element
    namespace: str


@frozen
class Vocabulary:
    """The simple types of a document, in its order, and what is not taken over."""

    types: tuple[SimpleType, ...]
    notes: tuple[Note, ...]


def read_vocabulary(document: XmlDocument, access: Access) -> Vocabulary:
    """The simple types of a document and of what it includes; raises `SchemaError`."""
    return _Reader(access).read(document)


class _Reader:
    def __init__(self, access: Access) -> None:
        self.access = access
        self.problems: list[Diagnostic] = []
        self.notes: list[Note] = []
        self.unread: list[UsageError | DataError] = []
        self.globals: dict[tuple[str, str], _Global] = {}
        self.order: list[_Global] = []
        self.without_location: set[str] = set()
        self.read_files: set[str] = set()
        self.done: dict[int, SimpleType | None] = {}
        self.open: list[Element] = []

    def read(self, document: XmlDocument) -> Vocabulary:
        own = document.root.attributes.get("targetNamespace", "")
        self.read_files.add(os.path.realpath(os.path.join(document.source.folder, document.name)))
        self.collect(document, own)
        if self.unread:
            raise one_error(self.unread)
        types = [found for each in self.order if (found := self.of_global(each)) is not None]
        for each in self.order:
            types += self.inner(each)
        if self.problems:
            raise SchemaError(in_order(self.problems), (document.name,))
        return Vocabulary(tuple(types), tuple(self.notes))

    def problem(
        self, place: _Global, element: Element, message: str, hint: str | None = None
    ) -> None:
        self.problems.append(place.document.problem("foreign-meaning", element, message, hint))

    def note(self, document: XmlDocument, element: Element, message: str, hint: str = "") -> None:
        self.notes.append(Note(message, document.spot(element), hint))

    # --------------------------------------------------------------- documents

    def collect(self, document: XmlDocument, namespace: str) -> None:
        """The definitions of a document, and of those that it includes."""
        for element in document.root.children:
            if element.namespace != NAMESPACE:
                continue
            match element.local:
                case "include" | "import" | "redefine" | "override":
                    self.other(document, element, namespace)
                case "simpleType" | "element" | "attribute" | "complexType":
                    self.define(_Global(document, element, namespace))
                case "group" | "attributeGroup":
                    self.order.append(_Global(document, element, namespace))

    def define(self, found: _Global) -> None:
        name = found.element.attributes.get("name", "")
        kind = found.element.local
        if not name:
            self.problem(found, found.element, f"a `{kind}` at the top has a name")
            return
        self.order.append(found)
        if kind in ("simpleType", "complexType"):
            known = self.globals.setdefault((found.namespace, name), found)
            if known is not found:
                line = known.element.line
                message = f"the type `{name}` is defined already, on line {line}"
                self.problem(found, found.element, message)

    def other(self, document: XmlDocument, element: Element, namespace: str) -> None:
        """A document that is included or imported."""
        kind = element.local
        if kind in ("redefine", "override"):
            self.note(document, element, f"`xs:{kind}` changes types of another document")
            return
        location = element.attributes.get("schemaLocation")
        wanted = element.attributes.get("namespace", "") if kind == "import" else namespace
        if location is None or (kind == "import" and is_url(location)):
            self.without_location.add(wanted)
            return
        place = _Global(document, element, namespace)
        if len(self.read_files) >= MAX_DOCUMENTS:
            message = f"more than {MAX_DOCUMENTS} documents are included"
            self.problems.append(document.problem("foreign-limit", element, message))
            return
        folder = document.source.folder
        if is_url(folder):
            location = urljoin(folder, location)
        path = location if is_url(location) else os.path.realpath(os.path.join(folder, location))
        if path in self.read_files:
            return
        self.read_files.add(path)
        what = f"{document.name}:{element.line}, `xs:{kind}`"
        try:
            body = self.access.read(location, folder, what)
        except (UsageError, DataError) as error:
            self.unread.append(error)
            return
        shown = (
            location if is_url(location) else os.path.join(os.path.dirname(document.name), location)
        )
        inner = XmlDocument.parse(shown, body, path if is_url(path) else os.path.dirname(path))
        if inner.root.tag != f"{{{NAMESPACE}}}schema":
            self.problem(place, element, f"`{location}` is not an XML Schema")
            return
        own = inner.root.attributes.get("targetNamespace", "")
        if own != wanted and not (kind == "include" and not own):
            message = f"`{location}` has the target namespace `{own}`, not `{wanted}`"
            self.problem(place, element, message)
            return
        self.collect(inner, wanted)

    # --------------------------------------------------------------- types

    def of_global(self, found: _Global) -> SimpleType | None:
        """The type that a definition at the top stands for, if it is simple."""
        element = found.element
        match element.local:
            case "simpleType":
                return self.simple(found, element)
            case "element" | "attribute":
                return self.declared(found, element)
            case "complexType":
                self.complex(found, element, f"the complex type `{element.attributes['name']}`")
            case kind:
                name = element.attributes.get("name", "")
                self.complex(found, element, f"the {kind} `{name}`")
        return None

    def complex(self, found: _Global, element: Element, what: str) -> None:
        hint = "write rules about the columns of your table, and use the tokens of this file"
        self.note(found.document, element, f"{what}: a table has no elements in elements", hint)

    def declared(self, found: _Global, element: Element) -> SimpleType | None:
        """The type of an element or attribute, under its own name; `None` if it is not simple."""
        name = element.attributes.get("name", "")
        inline = element.first("simpleType")
        if element.first("complexType") is not None:
            self.complex(found, element, f"the element `{name}`")
            return None
        if inline is not None:
            base = self.simple(found, inline)
        elif "type" in element.attributes:
            base = self.named(found, element, element.attributes["type"], allow_complex=True)
        else:
            return None
        definition = self.definition(found, element)
        return None if base is None else Restriction(base, (), definition)

    def inner(self, found: _Global) -> Iterator[SimpleType]:
        """The types without a name of elements and attributes inside a definition."""
        if found.element.local == "simpleType":
            return
        waiting = list(found.element.children)
        while waiting:
            element = waiting.pop(0)
            waiting[:0] = element.children
            if element.namespace != NAMESPACE or element.local not in ("element", "attribute"):
                continue
            inline = element.first("simpleType")
            if inline is None or "name" not in element.attributes:
                continue
            base = self.simple(found, inline)
            if base is not None:
                yield Restriction(base, (), self.definition(found, element))

    def definition(self, found: _Global, element: Element) -> Definition:
        name = element.attributes.get("name", "")
        return Definition(found.document, element, element.local, name, _about(element))

    def simple(self, found: _Global, element: Element) -> SimpleType | None:
        """A `simpleType`; an error is reported once, where it is."""
        key = id(element)
        if key in self.done:
            return self.done[key]
        name = element.attributes.get("name", "")
        if element in self.open or len(self.open) >= MAX_CHAIN:
            what = "made of itself" if element in self.open else f"made of more than {MAX_CHAIN}"
            message = f"the type `{name}` is {what}" if name else f"this type is {what}"
            problem = found.document.problem("foreign-limit", element, message)
            self.problems.append(problem)
            return None
        self.open.append(element)
        self.done[key] = self.derived(found, element)
        self.open.pop()
        return self.done[key]

    def derived(self, found: _Global, element: Element) -> SimpleType | None:
        for child in element.children:
            if child.namespace == NAMESPACE and child.local in ("restriction", "list", "union"):
                definition = self.definition(found, element)
                match child.local:
                    case "restriction":
                        return self.restriction(found, child, definition)
                    case "list":
                        items = self.parts(found, child, "itemType")
                        return ListOf(items[0], definition) if items else None
                members = self.parts(found, child, "memberTypes")
                return UnionOf(tuple(members), definition) if members else None
        hint = "a simple type is a `restriction`, a `list` or a `union`"
        self.problem(found, element, "the type says nothing about its values", hint)
        return None

    def parts(self, found: _Global, element: Element, attribute: str) -> list[SimpleType]:
        """The types that a list or a union is made of; none if one of them is wrong."""
        named = element.attributes.get(attribute, "").split()
        parts = [self.named(found, element, name) for name in named]
        parts += [self.simple(found, each) for each in element.all("simpleType")]
        if not parts:
            self.problem(found, element, f"a `{element.local}` has `{attribute}` or a type in it")
        if element.local == "list" and len(parts) > 1:
            self.problem(found, element, "a list has one type of items")
        known = [part for part in parts if part is not None]
        return known if len(known) == len(parts) else []

    def restriction(
        self, found: _Global, element: Element, definition: Definition
    ) -> SimpleType | None:
        name = element.attributes.get("base")
        inline = element.first("simpleType")
        if name is not None:
            base = self.named(found, element, name)
        elif inline is not None:
            base = self.simple(found, inline)
        else:
            self.problem(found, element, "a `restriction` has a `base` or a type in it")
            return None
        facets = tuple(self.facets(found, element))
        return None if base is None else Restriction(base, facets, definition)

    def facets(self, found: _Global, element: Element) -> Iterator[Facet]:
        for child in element.children:
            name = child.local
            if child.namespace != NAMESPACE or name in ("annotation", "simpleType"):
                continue
            if name not in _FACETS:
                hint = _meant(name, _FACETS)
                self.problem(found, child, f"there is no facet `{name}`", hint)
            elif name == "assertion":
                self.note(found.document, child, "an assertion is an expression of XPath")
            elif "value" not in child.attributes:
                self.problem(found, child, f"the facet `{name}` lacks its attribute `value`")
            else:
                value = child.attributes["value"]
                trimmed = value.strip(" \t\r\n")
                if name in _WHOLE and not (trimmed.isascii() and trimmed.isdigit()):
                    self.problem(found, child, f"`{value}` is not a number of {_UNITS[name]}")
                    continue
                yield Facet(name, trimmed if name in _WHOLE else value, child)

    def named(
        self, found: _Global, element: Element, text: str, allow_complex: bool = False
    ) -> SimpleType | None:
        """The type of a qualified name; `None` if it is not known, which is reported."""
        prefix, _, local = text.strip().rpartition(":")
        namespace = element.scope.get(prefix)
        if namespace is None and prefix:
            self.problem(found, element, f"the prefix `{prefix}` is not declared")
            return None
        if namespace == NAMESPACE:
            return self.builtin(found, element, local)
        # A name without a prefix is of the including document, if this one has no namespace.
        known = self.globals.get((namespace or "", local))
        if known is None and not namespace:
            known = self.globals.get((found.namespace, local))
        if known is None:
            self.unknown(found, element, namespace or "", local)
            return None
        if known.element.local == "simpleType":
            return self.simple(known, known.element)
        if not allow_complex:
            self.problem(found, element, f"the type `{local}` is not simple")
        return None

    def builtin(self, found: _Global, element: Element, local: str) -> SimpleType | None:
        if local in _UNBOUNDED:
            return ANY_TEXT
        if local in XSD:
            return Builtin(f"xs:{local}")
        self.problem(found, element, f"there is no type `xs:{local}`", _meant(local, [*XSD]))
        return None

    def unknown(self, found: _Global, element: Element, namespace: str, local: str) -> None:
        if namespace in self.without_location:
            hint = "the document that defines it is not read"
            self.note(found.document, element, f"the type `{local}` of {namespace}", hint)
            return
        names = [name for space, name in self.globals if space == namespace]
        self.problem(found, element, f"there is no type `{local}`", _meant(local, names))


_UNITS: Mapping[str, str] = {
    "length": "characters or items", "minLength": "characters or items",
    "maxLength": "characters or items", "totalDigits": "digits", "fractionDigits": "digits",
}  # fmt: skip


def _about(element: Element) -> str:
    """What the annotation of an element says, in one paragraph."""
    said = [
        " ".join(text.text.split())
        for annotation in element.all("annotation")
        for text in annotation.all("documentation")
    ]
    return " ".join(each for each in said if each)


def _meant(word: str, names: Iterable[str]) -> str | None:
    found = Suggestions(names).closest(word)
    return None if found is None else f"did you mean `{found}`?"
