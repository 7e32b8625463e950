"""Which elements and attributes a DSPL dataset may have, and in which order.

In: the elements of an XML document. Out: a problem for each element or attribute that is missing,
not known, repeated, or in the wrong place. The table below states what the published XML Schema
of DSPL allows. Cost: linear in the document.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from sculpt.diagnostics import Diagnostic, Suggestions
from sculpt.interchange.documents import Element, XmlDocument
from sculpt.values import field, frozen

NAMESPACE = "http://schemas.google.com/dspl/2010"
LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
_INSTANCE = "{http://www.w3.org/2001/XMLSchema-instance}"
_ID = re.compile(r"[^\W\d][\w.\-]*")
_MAX_ID = 64
TYPES = ("string", "float", "integer", "boolean", "date", "concept")


@frozen
class Part:
    """An element that another one may contain: how many of it, and what it is."""

    name: str
    shape: str
    least: int = 0
    most: int | None = None


@frozen
class Shape:
    """What an element may contain, in this order, and its attributes; `!` marks required ones."""

    parts: tuple[Part, ...] = ()
    attributes: frozenset[str] = field(default_factory=frozenset)
    required: frozenset[str] = field(default_factory=frozenset)


def _shape(attributes: str = "", *parts: str) -> Shape:
    """A shape: attributes with `!` if they are required, parts such as `name:shape 0-1`."""
    found = []
    for part in parts:
        name, _, count = part.partition(" ")
        name, _, shape = name.partition(":")
        least, _, most = (count or "0-*").partition("-")
        found.append(Part(name, shape or name, int(least), None if most == "*" else int(most)))
    words = attributes.split()
    return Shape(
        tuple(found),
        frozenset(word.rstrip("!") for word in words),
        frozenset(word.rstrip("!") for word in words if word.endswith("!")),
    )


_INFO = ("name:values 1-1", "description:values 0-1", "url:values 0-1")
SHAPES: Mapping[str, Shape] = MappingProxyType(
    {
        "dspl": _shape(
            "targetNamespace", "import", "info 1-1", "provider:info 1-1", "attribute",
            "topics 0-1", "concepts 0-1", "slices 0-1", "tables 0-1",
        ),
        "import": _shape("namespace! location"),
        "info": _shape("", *_INFO),
        "concept-info": _shape(
            "", *_INFO, "pluralName:values 0-1", "totalName:values 0-1",
            "singularNonCapitalizedName:values 0-1", "pluralNonCapitalizedName:values 0-1",
            "synonym",
        ),
        "synonym": _shape("confidence", "value", "conceptValue 0-1"),
        "values": _shape("", "value", "conceptValue 0-1"),
        "value": _shape("xml:lang"),
        "conceptValue": _shape("concept!"),
        "topics": _shape("", "topic 1-*"),
        "topic": _shape("id! parentTopic", "info 1-1", "topic"),
        "concepts": _shape("", "concept 1-*"),
        "concept": _shape(
            "id! extends", "info:concept-info 1-1", "topic:topic-use", "type:type-use 0-1",
            "attribute", "property", "defaultValue:value 0-1", "table:concept-table 0-1",
            "data:concept-data 0-1",
        ),
        "topic-use": _shape("ref"),
        "type-use": _shape("ref! format"),
        "attribute": _shape(
            "id concept", "info 0-1", "type:type-use 0-1", "value", "conceptValue 0-1"
        ),
        "property": _shape(
            "id concept isParent isMapping isRequired", "info 0-1", "type:type-use 0-1"
        ),
        "concept-table": _shape("ref!", "mapConcept 0-1", "mapProperty"),
        "concept-data": _shape("", "table:concept-table 1-1"),
        "mapConcept": _shape("toColumn!"),
        "mapProperty": _shape("ref! toColumn! xml:lang"),
        "slices": _shape("", "slice 1-*"),
        "slice": _shape(
            "id!", "info 0-1", "dimension:concept-use 1-*", "metric:concept-use 1-*",
            "table:slice-table 0-1", "data:slice-data 0-1",
        ),
        "concept-use": _shape("concept!"),
        "slice-table": _shape("ref!", "mapDimension:column-use", "mapMetric:column-use"),
        "slice-data": _shape("", "table:slice-table 1-1"),
        "column-use": _shape("concept! toColumn!"),
        "tables": _shape("", "table 1-*"),
        "table": _shape("id!", "info 0-1", "column 1-*", "data 0-1"),
        "column": _shape("id! type! format", "value:constant 0-1"),
        "constant": _shape(),
        "data": _shape("", "file 1-1"),
        "file": _shape("format encoding"),
    }
)  # fmt: skip


def shape_problems(document: XmlDocument) -> Iterator[Diagnostic]:
    """What the document has that no dataset may have, and what it lacks."""
    return _problems(document, document.root, "dspl")


def _problems(document: XmlDocument, element: Element, name: str) -> Iterator[Diagnostic]:
    shape = SHAPES[name]
    yield from _attribute_problems(document, element, shape)
    counts = dict.fromkeys((part.name for part in shape.parts), 0)
    order = [part.name for part in shape.parts]
    latest = 0
    for child in element.children:
        part = next((each for each in shape.parts if each.name == child.local), None)
        if part is None or child.namespace != NAMESPACE:
            yield document.problem(
                "foreign-meaning",
                child,
                f"`{element.local}` has no element `{child.local}`",
                _meant(child.local, order),
            )
            continue
        counts[part.name] += 1
        if part.most is not None and counts[part.name] == part.most + 1:
            message = f"`{element.local}` has more than {part.most} element `{part.name}`"
            yield document.problem("foreign-meaning", child, message)
        position = order.index(part.name)
        if position < latest:
            message = f"`{part.name}` comes before `{order[latest]}` in `{element.local}`"
            yield document.problem("foreign-meaning", child, message)
        latest = max(latest, position)
        yield from _problems(document, child, part.shape)
    for part in shape.parts:
        if counts[part.name] < part.least:
            message = f"`{element.local}` has no element `{part.name}`"
            yield document.problem("foreign-meaning", element, message, "it must have one")


def _attribute_problems(
    document: XmlDocument, element: Element, shape: Shape
) -> Iterator[Diagnostic]:
    def problem(message: str, hint: str | None = None) -> Diagnostic:
        return document.problem("foreign-meaning", element, message, hint)

    given = {
        "xml:lang" if key == LANGUAGE else key: value
        for key, value in element.attributes.items()
        if not key.startswith(_INSTANCE)
    }
    for key in given.keys() - shape.attributes:
        yield problem(f"`{element.local}` has no attribute `{key}`")
    for key in sorted(shape.required - given.keys()):
        yield problem(f"`{element.local}` lacks its attribute `{key}`")
    for key, value in given.items():
        if key in ("id", "toColumn") and not (_ID.fullmatch(value) and len(value) <= _MAX_ID):
            hint = f"letters, digits, `_`, `-` and `.`, at most {_MAX_ID} of them"
            yield problem(f"`{value}` is not an id", hint)
        elif key.startswith("is") and value not in ("true", "false", "1", "0"):
            yield problem(f"`{key}` is `{value}`, not `true` or `false`")
    kind = given.get("type") if element.local == "column" else None
    if element.local == "type":
        kind = given.get("ref")
    if kind is not None and kind not in TYPES:
        yield problem(f"there is no type `{kind}`", f"the types are {', '.join(TYPES)}")


def _meant(word: str, names: list[str]) -> str | None:
    found = Suggestions(names).closest(word)
    return None if found is None else f"did you mean `{found}`?"
