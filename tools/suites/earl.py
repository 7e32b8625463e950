"""The report about the CSVW suites in the Evaluation and Report Language of the W3C.

In: the results of the suites `csvw-…`. Out: a document in Turtle: who tests (an `earl:Assertor`),
what is tested (a `doap:Project`), and an `earl:Assertion` with an `earl:TestResult` for each
test, in the order of the results. Invariant: the same results give the same text; the date of the
run is that of the earlier report if nothing else has changed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime

import sculpt
from suites.bars import Result

TESTS = "http://www.w3.org/2013/csvw/tests/"
SUBJECT = "https://pypi.org/project/sculpt-schema/"
PREFIXES = {
    "dc": "http://purl.org/dc/terms/",
    "doap": "http://usefulinc.com/ns/doap#",
    "earl": "http://www.w3.org/ns/earl#",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
_DATE = re.compile(r'dc:(date|issued) "[^"]*"')


def report(results: Sequence[Result], date: str) -> str:
    """The report; `date` is that of the run, `2026-01-31T12:00:00Z`."""
    own = [result for result in results if result.case.suite.startswith("csvw-")]
    blocks = ["".join(f"@prefix {name}: <{iri}> .\n" for name, iri in PREFIXES.items())]
    blocks.append(_head(date))
    blocks += [_assertion(result, date) for result in own]
    return "\n".join(blocks)


def renewed(earlier: str | None, results: Sequence[Result]) -> str:
    """The report of these results; with the earlier date if nothing else has changed."""
    text = report(results, datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"))
    if earlier is not None and _DATE.sub("", earlier) == _DATE.sub("", text):
        return earlier
    return text


def _head(date: str) -> str:
    return f"""\
<> a foaf:Document ;
  dc:issued "{date}"^^xsd:dateTime ;
  foaf:maker <#assertor> ;
  foaf:primaryTopic <{SUBJECT}> .

<#assertor> a earl:Software, earl:Assertor ;
  dc:title "The suite runner of Sculpt" ;
  foaf:homepage <{SUBJECT}> .

<{SUBJECT}> a doap:Project, earl:Software, earl:TestSubject ;
  doap:name "Sculpt" ;
  doap:description "A schema language for tables; it validates and converts CSV on the Web"@en ;
  doap:homepage <{SUBJECT}> ;
  doap:license <https://www.apache.org/licenses/LICENSE-2.0> ;
  doap:programming-language "Python" ;
  doap:implements <http://www.w3.org/TR/tabular-data-model/>,
    <http://www.w3.org/TR/tabular-metadata/>,
    <http://www.w3.org/TR/csv2json/>,
    <http://www.w3.org/TR/csv2rdf/> ;
  doap:release [
    doap:name "Sculpt {sculpt.__version__}" ;
    doap:revision "{sculpt.__version__}"
  ] .
"""


def _assertion(result: Result, date: str) -> str:
    outcome = "passed" if result.outcome.passed else "failed"
    return f"""\
[ a earl:Assertion ;
  earl:assertedBy <#assertor> ;
  earl:subject <{SUBJECT}> ;
  earl:test <{_test(result)}> ;
  earl:mode earl:automatic ;
  earl:result [
    a earl:TestResult ;
    earl:outcome earl:{outcome} ;
    dc:date "{date}"^^xsd:dateTime
  ]
] .
"""


def _test(result: Result) -> str:
    """The IRI of a test: `manifest-json#test001` after the address of the suite."""
    kind = result.case.suite.removeprefix("csvw-")
    return f"{TESTS}manifest-{kind}#{result.case.name.rpartition('#')[2]}"
