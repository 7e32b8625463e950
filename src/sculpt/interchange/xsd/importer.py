"""An XML Schema as a vocabulary: a Sculpt file of tokens, one for each simple type.

In: an XML document, and what may be read. Out: a `Package` of one text that has no rules. XML
Schema says what elements contain, and nothing about columns, so the result is for schemas to
include. Elements and attributes with simple types are tokens too; complex types are noted.

Invariant: the text is a schema without errors: what Sculpt would refuse, such as bounds that no
value keeps, is an error at its place in the XML. Cost: linear, and one compilation of the text.
"""

from __future__ import annotations

import os
import re

from sculpt.diagnostics import Diagnostic, in_order
from sculpt.errors import SchemaError
from sculpt.interchange.access import Access
from sculpt.interchange.builder import NamePool, SchemaBuilder
from sculpt.interchange.documents import XmlDocument
from sculpt.interchange.model import Package
from sculpt.interchange.xsd.model import NAMESPACE, Definition
from sculpt.interchange.xsd.reader import read_vocabulary
from sculpt.interchange.xsd.writer import Writer
from sculpt.schema import Schema

_DEFINED = re.compile(r"([^=<]*?) :?= ")


def recognises(document: XmlDocument) -> bool:
    """Is a document an XML Schema?"""
    return document.root.tag == f"{{{NAMESPACE}}}schema"


def read(document: XmlDocument, access: Access) -> Package:
    """The tokens of an XML Schema."""
    if not recognises(document):
        hint = "`sculpt import --help` lists what can be read"
        message = f"the root is `{document.root.local}`, not the `schema` of {NAMESPACE}"
        problem = document.problem("foreign-syntax", document.root, message, hint)
        raise SchemaError((problem,), (document.name,))
    vocabulary = read_vocabulary(document, access)
    base = os.path.basename(document.name)
    builder = SchemaBuilder(
        f"The simple types of {base}.\nInclude this file in the schema of a table, and use its"
        " tokens in rules."
    )
    writer = Writer(builder)
    for note in vocabulary.notes:
        builder.note(note)
    for each in vocabulary.types:
        writer.write(each)
    _refuse(document, writer.problems)
    name = NamePool().name(os.path.splitext(base)[0], "types")
    built = builder.build(name)
    _refuse(document, _contradictions(built.text, writer.names))
    return Package("xsd", (built,))


def _refuse(document: XmlDocument, problems: list[Diagnostic]) -> None:
    if problems:
        raise SchemaError(in_order(problems), (document.name,))


def _contradictions(text: str, names: dict[str, Definition]) -> list[Diagnostic]:
    """What Sculpt refuses of a text, at the definitions that it came from."""
    try:
        Schema.parse(text)
    except SchemaError as error:
        return [_moved(problem, text, names) for problem in error.diagnostics]
    return []


def _moved(problem: Diagnostic, text: str, names: dict[str, Definition]) -> Diagnostic:
    lines = text.splitlines()[: problem.span.line]
    while lines[-1].startswith(" "):  # a long statement goes on there
        lines.pop()
    found = _DEFINED.match(lines[-1])
    definition = names.get(found[1] if found else "")
    assert definition is not None, problem.render()
    message = f"{definition.kind} `{definition.name}`: {problem.message}"
    return definition.document.problem("foreign-meaning", definition.element, message, problem.hint)
