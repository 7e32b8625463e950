"""How an output was made: what was read, when, and by what ("Generating RDF …", section 5).

In: the URLs of tables and of their metadata, and when the conversion began and ended. Out: an
activity of the PROV ontology, as statements or as JSON.

Invariant: nothing is said unless the caller asks for it: an output with times in it is never twice
the same. Cost: a few statements.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sculpt.csvw.annotations import Statement, Statements
from sculpt.csvw.terms import RDF_TYPE, Format, csvw, iri, literal, name
from sculpt.interchange.csvw.context import PREFIXES, XSD
from sculpt.values import frozen

PROGRAM = "https://pypi.org/project/sculpt-schema/"
_TABLE_ROLE, _METADATA_ROLE = "csvEncodedTabularData", "tabularMetadata"


@frozen
class Provenance:
    """A conversion: what it used, and when it ran."""

    tables: tuple[str, ...]
    metadata: tuple[str, ...]
    started: str
    ended: str

    def _used(self) -> Iterator[tuple[str, str]]:
        for url in self.tables:
            yield url, _TABLE_ROLE
        for url in self.metadata:
            yield url, _METADATA_ROLE

    def as_json(self) -> dict[str, Any]:
        """The activity as a JSON object."""
        return {
            "@type": "prov:Activity",
            "prov:wasAssociatedWith": PROGRAM,
            "prov:startedAtTime": self.started,
            "prov:endedAtTime": self.ended,
            "prov:qualifiedUsage": [
                {"@type": "prov:Usage", "prov:entity": url, "prov:hadRole": f"csvw:{role}"}
                for url, role in self._used()
            ],
        }

    def statements(self, group: str, statements: Statements, form: Format) -> Iterator[Statement]:
        """The statements about the activity that made a group of tables."""

        def prov(term: str) -> str:
            return name(PREFIXES["prov"] + term, form)

        activity = statements.blank()
        yield group, prov("wasGeneratedBy"), activity
        yield activity, name(RDF_TYPE, form), prov("Activity")
        yield activity, prov("wasAssociatedWith"), iri(PROGRAM)
        for term, time in (("startedAtTime", self.started), ("endedAtTime", self.ended)):
            yield activity, prov(term), literal(time, f"{XSD}dateTime", None, form)
        for url, role in self._used():
            usage = statements.blank()
            yield activity, prov("qualifiedUsage"), usage
            yield usage, name(RDF_TYPE, form), prov("Usage")
            yield usage, prov("entity"), iri(url)
            yield usage, prov("hadRole"), csvw(role, form)
