"""The words of RML and R2RML: three name spaces, one meaning.

The old RML adds to R2RML, and the new one replaces both. A property with the same local name means
the same in all three, so a mapping may even mix them.
"""

from __future__ import annotations

RR = "http://www.w3.org/ns/r2rml#"
OLD_RML = "http://semweb.mmlab.be/ns/rml#"
NEW_RML = "http://w3id.org/rml/"
NAMESPACES = (RR, OLD_RML, NEW_RML)
QL = "http://semweb.mmlab.be/ns/ql#"
CSVW = "http://www.w3.org/ns/csvw#"
DCAT = "http://www.w3.org/ns/dcat#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
XSD = "http://www.w3.org/2001/XMLSchema#"
FUNCTIONS = (
    "http://semweb.mmlab.be/ns/fnml#",
    "https://w3id.org/function/ontology#",
    "http://semweb.mmlab.be/ns/fno#",
)
"""Name spaces of functions."""
FUNCTION_VALUES = (
    f"{FUNCTIONS[0]}functionValue",
    f"{NEW_RML}functionExecution",
    f"{OLD_RML}functionExecution",
)
"""What functions make the values of; the objects are described like triples maps."""
STAR = ("quotedTriplesMap", "starMap", "object-quoted", "subject-quoted")
"""Properties of RML-star."""

CSV_FORMULATIONS = (f"{QL}CSV", f"{NEW_RML}CSV")


def local_name(iri: str) -> str | None:
    """The name of a word of RML or R2RML, without its name space; `None` if it is none."""
    return next((iri[len(n) :] for n in NAMESPACES if iri.startswith(n)), None)


def short_name(iri: str) -> str:
    """How a person would call an IRI: what comes after its last `#`, `/` or `:`."""
    bare = iri.rstrip("#/:")
    return bare[max(bare.rfind(sign) for sign in "#/:") + 1 :] or iri
