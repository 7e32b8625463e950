"""Which system a schema file is of: decided by its content, never by its name.

In: the bytes of a file. Out: a `System` and its importer, or nothing for a Sculpt schema. The first
characters tell JSON, XML, Turtle and CSV Schema apart; what is in a document says which of the
systems that use JSON or XML it belongs to.

Invariant: no Sculpt schema is taken for one of another system: none begins with `{`, with a Turtle
directive, with an XML declaration or an element that has attributes, or with a line `version 1.0`.
Cost: a few patterns on the first kilobytes; importers are imported only if they are needed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from sculpt.diagnostics import Diagnostic, Source, Span
from sculpt.errors import SchemaError
from sculpt.interchange.access import Access
from sculpt.interchange.documents import Document, JsonDocument, TextDocument, XmlDocument
from sculpt.interchange.model import Package

KINDS: Mapping[str, str] = MappingProxyType(
    {
        "csvw": "CSVW metadata",
        "frictionless": "a Data Package, a Data Resource or a Table Schema",
        "csv-schema": "CSV Schema",
        "dspl": "a DSPL dataset",
        "xsd": "XML Schema",
        "rml": "an RML or R2RML mapping",
    }
)
"""The systems, each with what its files are."""

_BLANK = r"(?:\ufeff|\s)*"
_XML = re.compile(
    _BLANK + r"(?:<\?xml|<!|<[A-Za-z_][\w.-]*(?::[\w.-]+)?\s+[\w.-]+(?::[\w.-]+)?\s*=)"
)
_TURTLE = re.compile(
    r"(?:\ufeff|\s|#[^\n]*\n)*"
    r"(?:@prefix\s|@base\s|(?i:prefix\s+[\w.-]*:|base\s*<)|<[^<>\"{}|^`\\\s]*>\s+(?:a|<|[\w.-]*:\w))"
)
_CSV_SCHEMA = re.compile(
    r"(?:\ufeff|\s|//[^\n]*\n|/\*.*?\*/)*version\s+\d+(?:\.\d+)?\s*(?:$|\n|@|/)", re.DOTALL
)
_HEAD = 1 << 16
_COMMENTS = re.compile(r"(?:\ufeff|\s|//[^\n]*(?:\n|$)|/\*.*?\*/)*", re.DOTALL)
_JSON = re.compile(r"\{\s*[\"}]|\[\s*(?:[\[{\"\]\d-]|true\b|false\b|null\b)")
_JSON_HINT = 'CSVW has "@context", a Data Package "resources", a Table Schema "fields"'
_CSV_SCHEMA_LINE = re.compile(
    r"version[ \t]+\d"
    r"|@(?:separator|quoted|totalColumns|permitEmpty|noHeader|ignoreColumnNameCase)\b"
    r"|(?:\"[^\"\n]+\"|[\w.-]+)[ \t]*:[ \t]*"
    r"(?:(?:is|not|any|in|starts|ends|regex|range|length|if|switch|checksum)\("
    r"|(?:empty|notEmpty|unique|uri|uuid4|upperCase|lowerCase|positiveInteger|x[DT]\w+)\b)",
    re.IGNORECASE,
)
"""A line that begins a file of CSV Schema without its version."""


def text_kind(body: bytes) -> str | None:
    """`json`, `xml`, `turtle` or `csv-schema`, by how a file begins; `None` if it is Sculpt's."""
    if body[:2] in (b"\xff\xfe", b"\xfe\xff"):
        head = body[:_HEAD].decode("utf-16", "replace")
    else:
        head = body[:_HEAD].decode("utf-8", "replace")
    if head.lstrip("\ufeff \t\r\n").startswith("{"):
        return "json"
    for kind, pattern in (("xml", _XML), ("turtle", _TURTLE), ("csv-schema", _CSV_SCHEMA)):
        if pattern.match(head):
            return kind
    return None


def kind_of(name: str, body: bytes, folder: str) -> tuple[str, Document] | None:
    """The system that a file is of, and the file as a document; `None` if it is Sculpt's."""
    match text_kind(body):
        case "json":
            json = JsonDocument.parse(name, body, folder)
            return _json_kind(json), json
        case "xml":
            xml = XmlDocument.parse(name, body, folder)
            return _xml_kind(xml), xml
        case "turtle":
            return "rml", TextDocument.parse(name, body, folder)
        case "csv-schema":
            return "csv-schema", TextDocument.parse(name, body, folder)
    return None


def document_of(kind: str, name: str, body: bytes, folder: str) -> Document:
    """A file as a document of a system that the user names."""
    if kind in ("csvw", "frictionless"):
        return JsonDocument.parse(name, body, folder)
    if kind in ("dspl", "xsd"):
        return XmlDocument.parse(name, body, folder)
    return TextDocument.parse(name, body, folder)


def _json_kind(document: JsonDocument) -> str:
    from sculpt.interchange import csvw, frictionless

    if csvw.recognises(document):
        return "csvw"
    if frictionless.recognises(document):
        return "frictionless"
    raise _unknown(
        document.source,
        "this JSON is no schema that can be read",
        _JSON_HINT,
    )


def _xml_kind(document: XmlDocument) -> str:
    from sculpt.interchange import dspl, xsd

    if dspl.recognises(document):
        return "dspl"
    if xsd.recognises(document):
        return "xsd"
    message = f"this XML is no schema that can be read: its root is `{document.root.local}`"
    raise _unknown(document.source, message, "XML Schema and DSPL can be read")


def likeness_error(first: Diagnostic) -> SchemaError | None:
    """The error about a file that looks like a schema of another system, but is none.

    `first` is the first error of the file as a schema of Sculpt; it is about the beginning, or the
    file is a schema of Sculpt.
    """
    source = first.span.source
    head = _COMMENTS.match(source.text)
    start = head.end() if head is not None else 0
    if first.span.start > start:
        return None
    if _JSON.match(source.text, start):
        if source.text[:start].strip("\ufeff \t\r\n"):
            message = "this looks like JSON after a comment, and JSON has no comments"
            return _unknown(source, message, "remove the comment")
        return _unknown(
            source, "this JSON is no schema that can be read: it is an array", _JSON_HINT
        )
    if _CSV_SCHEMA_LINE.match(source.text, start):
        message = (
            "this looks like CSV Schema, but does not begin with `version 1.0`, `1.1` or `1.2`"
        )
        hint = "begin the file with the line `version 1.1`, in small letters"
        return _unknown(source, message, hint)
    return None


def _unknown(source: Source, message: str, hint: str) -> SchemaError:
    first = len(source.text) - len(source.text.lstrip())
    problem = Diagnostic("foreign-syntax", message, Span(source, first, first + 1), hint)
    return SchemaError((problem,), (source.name,))


def importer_of(kind: str) -> Callable[[Document, Access], Package]:
    """The function that reads the documents of a system."""
    from importlib import import_module

    module = import_module(f"sculpt.interchange.{kind.replace('-', '_')}")
    read: Callable[[Document, Access], Package] = module.read
    return read
