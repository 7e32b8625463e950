"""Judges the validation tests of the W3C's CSVW suite.

In: `manifest-validation.jsonld` of the folder of suites. Out: an `Outcome` for each test: a
positive test must give no error and no warning, a warning test a warning and no error, a negative
test an error. `fetch_for` serves the folder as the site of the suite, also for conversion tests.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any
from urllib.parse import unquote

from sculpt.csvw import validate
from sculpt.interchange.access import Fetch, Response
from suites.model import SHARED, Case, Outcome

SUITES = ("csvw-validation",)
BASE = "http://www.w3.org/2013/csvw/tests/"
FOLDER = SHARED / "csvw"
WELL_KNOWN = "http://www.w3.org/.well-known/csvm"
TEMPLATES = b"{+url}-metadata.json\ncsv-metadata.json\n{+url}.json\ncsvm.json\n"
EXCUSED: dict[str, tuple[str, str]] = {}
_KINDS = {
    "csvt:PositiveValidationTest": "positive",
    "csvt:WarningValidationTest": "warning",
    "csvt:NegativeValidationTest": "negative",
}


@cache
def manifest(suite: str) -> dict[str, dict[str, Any]]:
    """The tests of a manifest by name, in order; none if the folder of suites is absent."""
    path = FOLDER / f"manifest-{suite.removeprefix('csvw-')}.jsonld"
    if not path.is_file():
        return {}
    entries = json.loads(path.read_text("utf-8"))["entries"]
    return {entry["id"].rpartition("#")[2]: entry for entry in entries}


def cases(suite: str) -> list[Case]:
    """The tests of a suite."""
    return [Case(suite, name, entry["name"]) for name, entry in manifest(suite).items()]


def fetch_for(entry: dict[str, Any]) -> Fetch:
    """Serves the folder as the site of the suite, with the headers of a test."""
    action = BASE + entry["action"]

    def fetch(url: str) -> Response:
        if url == WELL_KNOWN:
            return Response(url, body=TEMPLATES)
        if not url.startswith(BASE):
            return Response(url, 404)
        relative = url.removeprefix(BASE)
        headers: dict[str, str] = {}
        if url == action:
            relative = relative.partition("?")[0]
            for name, key in (("link", "httpLink"), ("content-type", "contentType")):
                if entry.get(key):
                    headers[name] = entry[key]
        path = FOLDER / unquote(relative)
        if "?" in relative or ".." in path.parts or not path.is_file():
            return Response(url, 404)
        return Response(url, headers=headers, body=path.read_bytes())

    return fetch


def judge(case: Case, fetch: Fetch | None = None) -> Outcome:
    """Run one test, from the folder or by another way to fetch its files."""
    entry = manifest(case.suite)[case.name]
    kind = _KINDS[entry["type"]]
    given = entry.get("option", {}).get("metadata")
    metadata = None if given is None else BASE + given
    fetch = fetch or fetch_for(entry)
    # The metadata of test121 does not describe the table that the test names.
    found = validate(BASE + entry["action"], metadata, fetch=fetch, any_tables=True)
    errors, warnings = len(found.errors), len(found.warnings)
    expected = {
        "positive": errors == 0 and warnings == 0,
        "warning": errors == 0 and warnings > 0,
        "negative": errors > 0,
    }
    if expected[kind]:
        return Outcome(True)
    listed = "; ".join(str(each) for each in (*found.errors, *found.warnings)[:3])
    return Outcome(False, f"{kind}, but {errors} errors and {warnings} warnings. {listed}".rstrip())
