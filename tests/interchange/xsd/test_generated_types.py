"""Generated types: the imported tokens accept the texts that `xmlschema` accepts."""

from __future__ import annotations

import re
from typing import Any
from xml.sax.saxutils import quoteattr

import xmlschema
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sculpt.engines.messages.text_tokens import TextTokens
from sculpt.errors import SchemaError
from sculpt.interchange.packages import import_bytes, schema_of_package
from sculpt.values import frozen

HEAD = '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">'
TEXTS = {
    "xs:integer": ("0", "5", "-5", "007", "12", "1.0", "x", ""),
    "xs:decimal": ("0", "5.0", "-5", "0.50", "12.345", ".5", "x", ""),
    # `xmlschema` takes NaN for a value within any bounds, against 4.3.10.3 and its like.
    "xs:double": ("0", "5", "-5", "1e1", "0.5E1", "INF", "x"),
    "xs:date": ("2010-01-01", "2010-12-31", "2011-06-15", "2010-02-30", "2012-02-29", "x"),
    "xs:dateTime": ("2010-01-01T00:00:00", "2010-12-31T12:00:00", "2012-02-29T23:59:59", "x"),
    "xs:time": ("00:00:00", "12:30:00", "23:59:59", "24:30:00"),
    "xs:gYear": ("2010", "1999", "-0044", "99"),
    "xs:duration": ("P1Y", "P12M", "P1D", "PT24H", "PT1M", "P"),
    "xs:string": ("", "a", "ab", "abc", "a b", "ABC", "a1"),
    "xs:token": ("a", "ab", "abc", "a b", "ABC", "a1"),
    "xs:NMTOKEN": ("a", "ab", "a:b", "1-2", "a b"),
    "xs:hexBinary": ("", "0A", "0a", "0A0B", "0", "GG"),
    "xs:base64Binary": ("", "YQ==", "YWI=", "YWJj", "Y"),
    "xs:boolean": ("true", "false", "1", "0", "yes"),
    "xs:anyURI": ("http://example.org/", "a/b", "#x"),
}
ORDERED = (
    "xs:integer", "xs:decimal", "xs:double", "xs:date", "xs:dateTime", "xs:time", "xs:gYear",
)  # fmt: skip
LENGTHS = ("xs:string", "xs:token", "xs:NMTOKEN", "xs:hexBinary", "xs:base64Binary", "xs:anyURI")
PATTERNS = (r"\d+", "[a-c]*", ".{1,3}", r"\i\c*", "[^ ]+", r"-?[0-9]+(\.[0-9]+)?", "a|0|true")


@frozen
class Type:
    """A type, as XML, and texts that are worth asking about."""

    xml: str
    texts: tuple[str, ...]
    kind: str
    root: str


def atomic(name: str) -> Type:
    return Type(f"<xs:restriction base={quoteattr(name)}/>", TEXTS[name], "atomic", name)


@st.composite
def facets(draw: Any, base: Type) -> str:
    values = [text for text in base.texts if text not in ("", "x")]
    found = []
    if base.kind == "atomic" and base.root in ORDERED and draw(st.booleans()):
        for name in draw(
            st.sampled_from([("minInclusive",), ("maxExclusive",), ("minExclusive",)])
        ):
            found.append((name, draw(st.sampled_from(values))))
    has_length = base.kind == "list" or (base.kind == "atomic" and base.root in LENGTHS)
    if has_length and draw(st.booleans()):
        name = draw(st.sampled_from(["length", "minLength", "maxLength"]))
        found.append((name, str(draw(st.integers(0, 4)))))
    if base.root == "xs:decimal" and base.kind == "atomic" and draw(st.booleans()):
        name = draw(st.sampled_from(["totalDigits", "fractionDigits"]))
        found.append((name, str(draw(st.integers(1, 3)))))
    for _ in range(draw(st.integers(0, 2))):
        found.append(("pattern", draw(st.sampled_from(PATTERNS))))
    # In unions `xmlschema` takes values of different primitive types for equal, or fails: the NIST
    # suite has such enumerations instead.
    if base.kind == "atomic":
        for _ in range(draw(st.integers(0, 2))):
            found.append(("enumeration", draw(st.sampled_from(values))))
    return "".join(f"<xs:{name} value={quoteattr(value)}/>" for name, value in found)


@st.composite
def restricted(draw: Any, inner: st.SearchStrategy[Type]) -> Type:
    base = draw(inner)
    xml = f"<xs:restriction><xs:simpleType>{base.xml}</xs:simpleType>{draw(facets(base))}"
    return Type(f"{xml}</xs:restriction>", base.texts, base.kind, base.root)


def listed(item: Type) -> Type:
    texts = [f"{a} {b}" for a in item.texts[:4] for b in item.texts[1:3] if a and b]
    xml = f"<xs:list><xs:simpleType>{item.xml}</xs:simpleType></xs:list>"
    return Type(xml, (*item.texts, *texts), "list", item.root)


def united(members: list[Type]) -> Type:
    inner = "".join(f"<xs:simpleType>{each.xml}</xs:simpleType>" for each in members)
    texts = tuple(dict.fromkeys(text for each in members for text in each.texts))
    return Type(f"<xs:union>{inner}</xs:union>", texts, "union", "")


atoms = st.sampled_from(sorted(TEXTS)).map(atomic)
parts = st.one_of(atoms, restricted(atoms))
types = st.one_of(
    restricted(atoms),
    restricted(restricted(atoms)),
    parts.filter(lambda part: " " not in "".join(part.texts)).map(listed),
    restricted(parts.filter(lambda part: " " not in "".join(part.texts)).map(listed)),
    st.lists(parts, min_size=1, max_size=3).map(united),
    restricted(st.lists(parts, min_size=1, max_size=3).map(united)),
)


@settings(max_examples=300)
@given(types)
def test_tokens_accept_what_xmlschema_accepts(found: Type) -> None:
    document = f'{HEAD}<xs:simpleType name="t">{found.xml}</xs:simpleType></xs:schema>'
    try:
        oracle = xmlschema.XMLSchema11(document).types["t"]
    except xmlschema.XMLSchemaException:
        assume(False)  # facets that contradict each other: not what this test is about
    try:
        package = import_bytes("t.xsd", document.encode())
    except SchemaError as error:
        assert re.search(r"no \w+ is both", str(error))
        return
    tokens = TextTokens(dict(schema_of_package(package, "t.xsd").core.tokens))
    matcher = tokens.matcher("t")
    for text in found.texts:
        assert matcher.matches(text) == oracle.is_valid(text), (document, text)
