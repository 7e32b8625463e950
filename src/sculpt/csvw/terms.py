"""The terms of RDF as text: N-Triples, and Turtle with the prefixes of CSVW.

In: IRIs, literals. Out: their text in one of the two syntaxes.

Invariant: the text of a term never spans a line. Cost: linear in the text.
"""

from __future__ import annotations

import re
from typing import Literal, TypeAlias
from urllib.parse import quote

from sculpt.csvw.templates import UNSAFE
from sculpt.interchange.csvw.context import CSVW, PREFIXES, RDF, XSD

Format: TypeAlias = Literal["ntriples", "turtle"]

RDF_TYPE = f"{RDF}type"
RDF_FIRST, RDF_REST, RDF_NIL = f"{RDF}first", f"{RDF}rest", f"{RDF}nil"
XSD_STRING, XSD_INTEGER = f"{XSD}string", f"{XSD}integer"

SPECIAL = r'["\\\x00-\x1f\x7f]'
"""An RE2 expression: what must be escaped in a literal."""
_SPECIAL = re.compile(SPECIAL)
_ESCAPES = {
    **{code: f"\\u{code:04X}" for code in (*range(0x20), 0x7F)},
    ord("\t"): r"\t",
    ord("\n"): r"\n",
    ord("\r"): r"\r",
    ord('"'): r"\"",
    ord("\\"): r"\\",
}
_LOCAL = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_BARE = {f"{XSD}integer": re.compile(r"[+-]?[0-9]+"), f"{XSD}boolean": re.compile("true|false")}


def escaped(text: str) -> str:
    """A text as it stands between quotes."""
    return text.translate(_ESCAPES) if _SPECIAL.search(text) else text


def iri(url: str) -> str:
    """An IRI, written out."""
    return f"<{UNSAFE.sub(lambda each: quote(each[0]), url)}>"


def literal_end(datatype: str | None, language: str | None, form: Format = "ntriples") -> str:
    """What stands after the text of a literal: the quote, and the language or the datatype."""
    if language is not None:
        return f'"@{language}'
    if datatype is None or datatype == XSD_STRING:
        return '"'
    return f'"^^{name(datatype, form)}'


def literal(
    text: str, datatype: str | None = None, language: str | None = None, form: Format = "ntriples"
) -> str:
    """A literal."""
    return f'"{escaped(text)}{literal_end(datatype, language, form)}'


def name(url: str, form: Format) -> str:
    """The IRI of a property, a class or a datatype: short, if the syntax has short ones."""
    if form == "turtle":
        if url == RDF_TYPE:
            return "a"
        for prefix in USED:
            local = url.removeprefix(PREFIXES[prefix])
            if local != url and _LOCAL.fullmatch(local):
                return f"{prefix}:{local}"
    return iri(url)


USED = ("csvw", "rdf", "rdfs", "xsd", "dc", "dcat", "foaf", "prov", "schema", "skos", "org", "oa")
"""The prefixes that Turtle knows; `csvw`, `rdf`, `rdfs` and `xsd` are declared in any case."""
_ALWAYS = 4


def prologue(metadata: str) -> str:
    """What Turtle begins with; prefixes that occur nowhere in the metadata are not declared."""
    wanted = [
        prefix
        for place, prefix in enumerate(USED)
        if place < _ALWAYS or f"{prefix}:" in metadata or PREFIXES[prefix] in metadata
    ]
    return "".join(f"@prefix {prefix}: <{PREFIXES[prefix]}> .\n" for prefix in wanted) + "\n"


def csvw(term: str, form: Format) -> str:
    """A term of CSVW's own vocabulary."""
    return name(CSVW + term, form)
