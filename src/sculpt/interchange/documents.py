"""Foreign schemas as documents: JSON, XML and plain text, each with its places.

In: the bytes of a file. Out: a `TextDocument`, `JsonDocument` or `XmlDocument` that knows where its
parts are, so that errors have a line, a column and a caret, and notes a JSON pointer or a line.

Invariants: XML is read without DTDs and entities, so nothing expands and nothing else is read;
nesting and size are bounded, and what exceeds them is an error with its place. Cost: linear in the
text; the place of a JSON pointer is searched only when it is asked for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NoReturn, TypeAlias

from sculpt.diagnostics import Diagnostic, Source, Span
from sculpt.errors import SchemaError
from sculpt.origins import Spot
from sculpt.values import field, frozen

MAX_SIZE = 64 << 20
"""A larger file is no schema."""
MAX_DEPTH = 100
"""Of JSON and XML."""


@frozen
class TextDocument:
    """A text with its name."""

    source: Source

    @classmethod
    def parse(cls, name: str, body: bytes, folder: str = "") -> TextDocument:
        """The text of a file in UTF-8; raises `SchemaError`."""
        return cls(source_of(name, body, folder))

    @property
    def name(self) -> str:
        """The name of the file."""
        return self.source.name

    @property
    def text(self) -> str:
        """The whole text."""
        return self.source.text

    def spot(self, offset: int) -> Spot:
        """The place of a character."""
        line, column = self.source.position(offset)
        return Spot(self.name, None, line, column)

    def problem(
        self, code: str, start: int, end: int, message: str, hint: str | None = None
    ) -> Diagnostic:
        """An error about some characters."""
        return Diagnostic(code, message, Span(self.source, start, max(start, end)), hint)


def source_of(name: str, body: bytes, folder: str = "") -> Source:
    """The text of a file in UTF-8, or an error at the byte that is not."""
    if len(body) > MAX_SIZE:
        _refuse("foreign-limit", f"the file has more than {MAX_SIZE >> 20} MB", Source(name, ""))
    try:
        return Source(name, body.decode("utf-8-sig"), folder)
    except UnicodeDecodeError as error:
        before = Source(name, error.object[: error.start].decode("utf-8", "replace"), folder)
        _refuse("not-utf8", "the file is not UTF-8", before, len(before.text))


def _refuse(
    code: str, message: str, source: Source, start: int = 0, hint: str | None = None
) -> NoReturn:
    place = Span(source, start, min(start + 1, len(source.text)))
    raise SchemaError((Diagnostic(code, message, place, hint),), (source.name,)) from None


# ------------------------------------------------------------- JSON


@frozen
class JsonDocument:
    """A JSON value, and the text it was read from."""

    source: Source
    value: Any = field(repr=False)

    @classmethod
    def parse(cls, name: str, body: bytes, folder: str = "") -> JsonDocument:
        """Read JSON (RFC 8259) in UTF-8; raises `SchemaError`."""
        source = source_of(name, body, folder)
        deepest = _depth(source.text)
        if deepest > MAX_DEPTH:
            message = f"the JSON is nested {deepest:,} levels deep; {MAX_DEPTH} are allowed"
            _refuse("foreign-limit", message, source)

        def refuse_constant(word: str) -> NoReturn:
            message = f"`{word}` is not JSON"
            _refuse("foreign-syntax", message, source, max(0, source.text.find(word)))

        try:
            return cls(source, json.loads(source.text, parse_constant=refuse_constant))
        except json.JSONDecodeError as error:
            _refuse("foreign-syntax", f"this is not JSON: {error.msg.lower()}", source, error.pos)
        except ValueError as error:  # a number with more digits than Python converts
            _refuse("foreign-limit", f"a number is too long: {error}", source)

    @property
    def name(self) -> str:
        """The name of the file."""
        return self.source.name

    def spot(self, pointer: str) -> Spot:
        """The place of a JSON pointer, such as `/resources/0`."""
        return Spot(self.name, pointer)

    def span(self, pointer: str) -> Span:
        """The characters of what a JSON pointer names; of the nearest part around it, if none."""
        return Span(self.source, *_find(self.source.text, parts_of(pointer)))

    def problem(self, code: str, pointer: str, message: str, hint: str | None = None) -> Diagnostic:
        """An error about a part of the document."""
        return Diagnostic(code, f"{pointer or '/'}: {message}", self.span(pointer), hint)


def pointer_of(parts: Sequence[str | int]) -> str:
    """The JSON pointer (RFC 6901) of a path of keys and indices."""
    return "".join("/" + str(each).replace("~", "~0").replace("/", "~1") for each in parts)


def parts_of(pointer: str) -> list[str]:
    """The keys and indices of a JSON pointer."""
    return [
        each.replace("~1", "/").replace("~0", "~") for each in pointer.split("/")[1:] if pointer
    ]


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}:,]|[^\s\[\]{}:,"]+', re.DOTALL)
_BRACKETS = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[\]{}]', re.DOTALL)


def _depth(text: str) -> int:
    """How deeply brackets are nested."""
    depth = deepest = 0
    for match in _BRACKETS.finditer(text):
        char = match[0]
        if char in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif char in "]}":
            depth -= 1
    return deepest


def _find(text: str, parts: list[str]) -> tuple[int, int]:
    """Where the value is that a path leads to, in a text that is JSON."""
    known = _tree(text)
    for part in parts:
        inner = known.inner.get(part)
        if inner is None:
            break
        known = inner
    return known.start, known.end


@frozen(eq=False)
class _Tree:
    """A value of JSON: where its text is, and the values in it."""

    start: int
    end: int
    inner: dict[str, _Tree] = field(default_factory=dict)


@lru_cache(maxsize=4)
def _tree(text: str) -> _Tree:
    """All places of a JSON text; a file with many errors asks for many of them."""
    tokens = [(match[0], match.start(), match.end()) for match in _TOKEN.finditer(text)]
    ends = _matching(tokens)
    return _subtree(tokens, ends, 0) if tokens else _Tree(0, 0)


def _subtree(tokens: list[tuple[str, int, int]], ends: dict[int, int], at: int) -> _Tree:
    inner = {}
    if tokens[at][0] in "[{":
        for key, first in _members(tokens, ends, at):
            inner[key] = _subtree(tokens, ends, first)
    return _Tree(tokens[at][1], tokens[ends.get(at, at)][2], inner)


def _matching(tokens: list[tuple[str, int, int]]) -> dict[int, int]:
    """For each opening bracket the one that closes it, by their numbers among the tokens."""
    open_ones: list[int] = []
    found: dict[int, int] = {}
    for ix, (token, _, _) in enumerate(tokens):
        if token in "[{":
            open_ones.append(ix)
        elif token in "]}" and open_ones:
            found[open_ones.pop()] = ix
    return found


def _members(
    tokens: list[tuple[str, int, int]], ends: dict[int, int], at: int
) -> Iterator[tuple[str, int]]:
    """The members of an object or array, each with the number of its first token."""
    kind, end = tokens[at][0], ends.get(at, at)
    ix, number = at + 1, 0
    while ix < end:
        key = str(number)
        if kind == "{":
            key = json.loads(tokens[ix][0])
            ix += 2
        yield key, ix
        ix = ends.get(ix, ix) + 2
        number += 1


# ------------------------------------------------------------- XML


@frozen(eq=False)
class Element:
    """An element of XML: its name as `{namespace}local`, and what is in it."""

    tag: str
    attributes: dict[str, str]
    line: int
    column: int
    scope: Mapping[str, str] = field(repr=False)
    """The namespace of each prefix that may be used in it, also in values; `""` is no prefix."""
    children: list[Element] = field(default_factory=list, repr=False)
    texts: list[str] = field(default_factory=list, repr=False)

    @property
    def text(self) -> str:
        """The text directly in it."""
        return "".join(self.texts)

    @property
    def local(self) -> str:
        """The name without its namespace."""
        return self.tag.rpartition("}")[2]

    @property
    def namespace(self) -> str:
        """The namespace; empty if it has none."""
        return self.tag[1:].partition("}")[0] if self.tag.startswith("{") else ""

    def all(self, local: str) -> list[Element]:
        """The children of a name in the element's own namespace."""
        tag = f"{{{self.namespace}}}{local}" if self.namespace else local
        return [child for child in self.children if child.tag == tag]

    def first(self, local: str) -> Element | None:
        """The first child of a name."""
        return next(iter(self.all(local)), None)


@frozen
class XmlDocument:
    """An XML document without a DTD, its elements with their places."""

    source: Source
    root: Element = field(repr=False)

    @classmethod
    def parse(cls, name: str, body: bytes, folder: str = "") -> XmlDocument:
        """Read XML; raises `SchemaError`, also if it has a document type or entities."""
        if len(body) > MAX_SIZE:
            message = f"the file has more than {MAX_SIZE >> 20} MB"
            _refuse("foreign-limit", message, Source(name, ""))
        source = Source(name, _xml_text(body), folder)
        return cls(source, _XmlReader(source).read(body))

    @property
    def name(self) -> str:
        """The name of the file."""
        return self.source.name

    def spot(self, element: Element) -> Spot:
        """The place of an element."""
        return Spot(self.name, None, element.line, element.column)

    def problem(
        self, code: str, element: Element, message: str, hint: str | None = None
    ) -> Diagnostic:
        """An error about an element."""
        start = _offset(self.source, element.line, element.column)
        end = self.source.text.find(">", start) + 1
        return Diagnostic(code, message, Span(self.source, start, max(start, end)), hint)


def _xml_text(body: bytes) -> str:
    """The text of XML, as far as it is needed to show lines of it."""
    for mark, codec in ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if body.startswith(mark):
            return body.decode(codec, "replace")
    named = re.match(rb"""<\?xml[^>]*encoding\s*=\s*["']([A-Za-z0-9._-]+)["']""", body)
    codec = named[1].decode("ascii") if named else "utf-8-sig"
    try:
        return body.decode("utf-8-sig" if codec.lower() == "utf-8" else codec, "replace")
    except LookupError:
        return body.decode("latin-1")


def _offset(source: Source, line: int, column: int) -> int:
    """The offset of a line and a column, both from 1."""
    start = 0
    for _ in range(line - 1):
        start = source.text.find("\n", start) + 1
    return min(start + column - 1, len(source.text))


class _XmlReader:
    def __init__(self, source: Source) -> None:
        from xml.parsers import expat

        self.source = source
        self.open: list[Element] = []
        self.root: Element | None = None
        self.declared: dict[str, str] = {}
        self.parser = expat.ParserCreate(namespace_separator="}")
        self.parser.buffer_text = True
        self.parser.StartNamespaceDeclHandler = self.prefix
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.characters
        self.parser.StartDoctypeDeclHandler = self.document_type
        self.parser.EntityDeclHandler = self.entity
        self.parser.ExternalEntityRefHandler = self.entity

    def read(self, body: bytes) -> Element:
        from xml.parsers import expat

        try:
            self.parser.Parse(body, True)
        except expat.ExpatError as error:
            start = _offset(self.source, error.lineno, error.offset + 1)
            reason = expat.errors.messages[error.code]
            _refuse("foreign-syntax", f"this is not XML: {reason}", self.source, start)
        except (LookupError, ValueError) as error:
            _refuse("foreign-syntax", f"this is not XML: {error}", self.source)
        assert self.root is not None
        return self.root

    def refuse(self, code: str, message: str, hint: str | None = None) -> NoReturn:
        line, column = self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber + 1
        _refuse(code, message, self.source, _offset(self.source, line, column), hint)

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if len(self.open) >= MAX_DEPTH:
            self.refuse("foreign-limit", f"elements are nested more than {MAX_DEPTH} levels deep")
        line, column = self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber + 1
        named = {_clark(key): value for key, value in attributes.items()}
        scope: Mapping[str, str] = self.open[-1].scope if self.open else {}
        if self.declared:
            scope, self.declared = {**scope, **self.declared}, {}
        element = Element(_clark(name), named, line, column, scope)
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)

    def prefix(self, prefix: str | None, uri: str | None) -> None:
        self.declared[prefix or ""] = uri or ""

    def end(self, _: str) -> None:
        self.open.pop()

    def characters(self, text: str) -> None:
        if self.open:
            self.open[-1].texts.append(text)

    def document_type(self, *_: object) -> NoReturn:
        hint = "remove the `<!DOCTYPE …>`: entities are not expanded, and nothing else is read"
        self.refuse("foreign-access", "a document type is not allowed", hint)

    def entity(self, *_: object) -> NoReturn:
        self.refuse("foreign-access", "entities are not allowed")


def _clark(name: str) -> str:
    """`namespace}local`, as the parser has it, as `{namespace}local`."""
    return f"{{{name}" if "}" in name else name


Document: TypeAlias = JsonDocument | XmlDocument | TextDocument
"""A foreign schema, as its importer reads it."""
