"""Judges the conversion tests of the W3C's CSVW suite: JSON, RDF, and those of dialects.

In: three manifests of the folder of suites. Out: an `Outcome` for each test: equal objects in JSON,
isomorphic graphs in RDF; warnings where the type of the test says so, and nowhere else; an error
where the test is negative. The base of an expected graph is the URL of the result.
"""

from __future__ import annotations

import json
from typing import Any

from sculpt.csvw import to_json, to_rdf, validate
from sculpt.csvw.conversion import Conversion
from sculpt.errors import SculptError
from suites.csvw import BASE, FOLDER, fetch_for, manifest
from suites.model import Case, Outcome

SUITES = ("csvw-json", "csvw-rdf", "csvw-nonnorm")
EXCUSED: dict[str, tuple[str, str]] = {}


def cases(suite: str) -> list[Case]:
    """The tests of a suite."""
    return [Case(suite, name, entry["name"]) for name, entry in manifest(suite).items()]


def judge(case: Case) -> Outcome:
    """Run one test."""
    entry = manifest(case.suite)[case.name]
    kind = entry["type"].removeprefix("csvt:")
    if kind == "NegativeValidationTest":
        found = validate(BASE + entry["action"], fetch=fetch_for(entry))
        return Outcome(bool(found.errors), "" if found.errors else "no error was found")
    is_rdf = "Rdf" in kind
    try:
        conversion = _conversion(entry, is_rdf)
        text = "".join(conversion)
    except SculptError as error:
        if kind.startswith("Negative"):
            return Outcome(True)
        return Outcome(False, f"an error: {str(error)[:300]}")
    if kind.startswith("Negative"):
        return Outcome(False, "no error was raised")
    return _compared(entry, conversion, text, is_rdf, kind.endswith("WithWarnings"))


def _conversion(entry: dict[str, Any], is_rdf: bool) -> Conversion:
    option = entry.get("option", {})
    metadata = option.get("metadata")
    convert = to_rdf if is_rdf else to_json
    return convert(
        BASE + entry["action"],
        None if metadata is None else BASE + metadata,
        minimal=option.get("minimal", False),
        fetch=fetch_for(entry),
        any_tables=True,  # as in test121
    )


def _compared(
    entry: dict[str, Any], conversion: Conversion, text: str, is_rdf: bool, has_warnings: bool
) -> Outcome:
    expected = (FOLDER / entry["result"]).read_text("utf-8")
    is_same = _same_graph(text, expected, entry["result"]) if is_rdf else _same(text, expected)
    if not is_same:
        return Outcome(False, f"another result: {text[:2000]}")
    if has_warnings and not conversion.problems:
        return Outcome(False, "there should be a warning")
    if not has_warnings and conversion.problems:
        return Outcome(False, f"a warning: {conversion.problems[0]}")
    return Outcome(True)


def _same(text: str, expected: str) -> bool:
    return bool(json.loads(text) == json.loads(expected))


def _same_graph(text: str, expected: str, result: str) -> bool:
    from rdflib import Graph
    from rdflib.compare import isomorphic

    ours, theirs = Graph(), Graph()
    ours.parse(data=text, format="nt")
    theirs.parse(data=expected, format="turtle", publicID=BASE + result)
    return bool(isomorphic(ours, theirs))
