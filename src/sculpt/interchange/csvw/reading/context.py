"""The names of CSVW's context: prefixes, terms, and what they stand for.

In: a name such as `dc:title`, `xsd:date` or an absolute URL. Out: its absolute URL; whether it can
name a common property; the shortest name of a URL ("Metadata Vocabulary", sections 5.8.1 and A.1).

The prefixes are those of the RDFa 1.1 initial context and of CSVW's own; no document can add any.
Cost: a look-up; compacting compares with each prefix.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

CSVW = "http://www.w3.org/ns/csvw#"
CONTEXT = "http://www.w3.org/ns/csvw"
XSD = "http://www.w3.org/2001/XMLSchema#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"

PREFIXES: Mapping[str, str] = MappingProxyType(
    {
        "as": "https://www.w3.org/ns/activitystreams#",
        "cc": "http://creativecommons.org/ns#",
        "cnt": "http://www.w3.org/2008/content#",
        "csvw": CSVW,
        "ctag": "http://commontag.org/ns#",
        "dc": "http://purl.org/dc/terms/",
        "dc11": "http://purl.org/dc/elements/1.1/",
        "dcat": "http://www.w3.org/ns/dcat#",
        "cat": "http://www.w3.org/ns/dcat#",  # after `dcat`, which `compact` prefers
        "dcterms": "http://purl.org/dc/terms/",
        "dctypes": "http://purl.org/dc/dcmitype/",
        "dqv": "http://www.w3.org/ns/dqv#",
        "duv": "https://www.w3.org/ns/duv#",
        "earl": "http://www.w3.org/ns/earl#",
        "foaf": "http://xmlns.com/foaf/0.1/",
        "gr": "http://purl.org/goodrelations/v1#",
        "grddl": "http://www.w3.org/2003/g/data-view#",
        "ht": "http://www.w3.org/2006/http#",
        "ical": "http://www.w3.org/2002/12/cal/icaltzd#",
        "ldp": "http://www.w3.org/ns/ldp#",
        "ma": "http://www.w3.org/ns/ma-ont#",
        "oa": "http://www.w3.org/ns/oa#",
        "odrl": "http://www.w3.org/ns/odrl/2/",
        "og": "http://ogp.me/ns#",
        "org": "http://www.w3.org/ns/org#",
        "owl": "http://www.w3.org/2002/07/owl#",
        "prov": "http://www.w3.org/ns/prov#",
        "ptr": "http://www.w3.org/2009/pointers#",
        "qb": "http://purl.org/linked-data/cube#",
        "rdf": RDF,
        "rdfa": "http://www.w3.org/ns/rdfa#",
        "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
        "rev": "http://purl.org/stuff/rev#",
        "rif": "http://www.w3.org/2007/rif#",
        "rr": "http://www.w3.org/ns/r2rml#",
        "schema": "http://schema.org/",
        "sd": "http://www.w3.org/ns/sparql-service-description#",
        "sioc": "http://rdfs.org/sioc/ns#",
        "skos": "http://www.w3.org/2004/02/skos/core#",
        "skosxl": "http://www.w3.org/2008/05/skos-xl#",
        "v": "http://rdf.data-vocabulary.org/#",
        "vcard": "http://www.w3.org/2006/vcard/ns#",
        "void": "http://rdfs.org/ns/void#",
        "wdr": "http://www.w3.org/2007/05/powder#",
        "wdrs": "http://www.w3.org/2007/05/powder-s#",
        "xhv": "http://www.w3.org/1999/xhtml/vocab#",
        "xml": "http://www.w3.org/XML/1998/namespace",
        "xsd": XSD,
    }
)


def _words(text: str) -> list[str]:
    return text.split()


DATATYPES: Mapping[str, str] = MappingProxyType(
    {
        **{
            name: XSD + name
            for name in _words(
                "anyAtomicType anyURI base64Binary boolean byte date dateTime dateTimeStamp "
                "dayTimeDuration decimal double duration float gDay gMonth gMonthDay gYear "
                "gYearMonth hexBinary int integer language long Name NCName NMTOKEN "
                "negativeInteger nonNegativeInteger nonPositiveInteger normalizedString "
                "positiveInteger QName short string time token unsignedByte unsignedInt "
                "unsignedLong unsignedShort yearMonthDuration ID IDREF ENTITY NOTATION"
            )
        },
        "number": f"{XSD}double",
        "binary": f"{XSD}base64Binary",
        "datetime": f"{XSD}dateTime",
        "any": f"{XSD}anyAtomicType",
        "xml": f"{RDF}XMLLiteral",
        "html": f"{RDF}HTML",
        "json": f"{CSVW}JSON",
    }
)
"""The built-in datatypes and their URLs (section 5.11.1)."""

CLASSES = frozenset(
    (
        "Cell", "Column", "Datatype", "Dialect", "Direction", "ForeignKey", "NumericFormat", "Row",
        "Schema", "Table", "TableGroup", "TableReference", "Template", "Transformation",
    )
)  # fmt: skip
"""The terms that can be the type of a node."""

_PREFIXED = re.compile(r"([^:/?#\s]+):(?!//)(.*)", re.DOTALL)
_ABSOLUTE = re.compile(
    r"(?:[A-Za-z][A-Za-z0-9+.-]*://|(?:urn|tag|doi|info|mailto|data):).+", re.DOTALL
)


def expand(name: str) -> str:
    """The absolute URL of a term, a prefixed name or a URL; other texts stay as they are."""
    match = _PREFIXED.fullmatch(name)
    if match is not None and match[1] in PREFIXES:
        return PREFIXES[match[1]] + match[2]
    if name in DATATYPES:
        return DATATYPES[name]
    return CSVW + name if name in CLASSES else name


def expand_prefix(name: str) -> str:
    """The absolute URL of a prefixed name; any other text stays as it is."""
    match = _PREFIXED.fullmatch(name)
    return PREFIXES[match[1]] + match[2] if match and match[1] in PREFIXES else name


def is_common_name(name: str) -> bool:
    """Can it be the name of a common property: a prefixed name, or an absolute URL?"""
    match = _PREFIXED.fullmatch(name)
    if match is not None and match[1] in PREFIXES:
        return bool(match[2])
    return is_absolute_url(name)


def is_absolute_url(name: str) -> bool:
    """Is it an absolute URL, and not a name with an unknown prefix?"""
    return _ABSOLUTE.fullmatch(name) is not None and not any(char.isspace() for char in name)


def compact(url: str) -> str:
    """The term or prefixed name of a URL; the URL itself if there is none."""
    if url.startswith(CSVW) and url[len(CSVW) :].isalnum():
        return url[len(CSVW) :]
    for prefix, namespace in PREFIXES.items():
        if url.startswith(namespace) and len(url) > len(namespace):
            short = f"{prefix}:{url[len(namespace) :]}"
            return "@type" if short == "rdf:type" else short
    return url
