"""Judges XML Schema: the types of the NIST suite, made into documents and imported.

Types are imported many at a time: a case is one type of the suite, but a document has all types
of a unit, and one table has all their texts. White space is normalised first, as XML Schema says:
a token sees the text as it is.
"""

from __future__ import annotations

import csv
import json
import re
from functools import cache
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias
from xml.sax.saxutils import quoteattr

import sculpt
from sculpt.interchange.packages import import_bytes
from suites.model import SHARED, Case, Outcome

SUITES = ("xsd-nist",)
UNIT = 100
EXCUSED = {
    "II-atomic-gMonth-minExclusive-3": (
        "a",
        "XML Schema 1.1, Part 2, 4.3.9.3 and 3.3.14: `--02` is greater than `--01`;"
        " `IV-atomic-gMonth-minExclusive-1` says so too",
    ),
    "IV-atomic-gDay-maxInclusive-3": (
        "a",
        "XML Schema 1.1, Part 2, 4.3.7.3 and 3.3.13: `---06` is not at most `---01`",
    ),
}
_FILE = SHARED / "xsd" / "nist.json"
_HEAD = '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">\n'

Type: TypeAlias = "str | dict[str, Any]"


def cases(suite: str) -> list[Case]:
    """One case for each type of the suite, in its order."""
    return [Case(suite, entry["name"]) for entry in _entries().values()]


@cache
def _entries() -> dict[str, Any]:
    if not _FILE.is_file():
        return {}
    found = json.loads(_FILE.read_text(encoding="utf-8"))["entries"]
    return {entry["name"]: entry for entry in found}


def judge(case: Case) -> Outcome:
    """Compare the verdict on each text of a type."""
    names = [*_entries()]
    number = names.index(case.name)
    refused = _refused(number // UNIT * UNIT)
    wrong = [
        text
        for row, (text, expected) in enumerate(_entries()[case.name]["cases"], 1)
        if ((row, number % UNIT + 1) not in refused) != expected
    ]
    return Outcome(not wrong, "other verdicts on " + ", ".join(f"`{text}`" for text in wrong))


@cache
def _refused(first: int) -> frozenset[tuple[int | None, int | None]]:
    """The texts of a unit that their types refuse: each type is a column, each text a row."""
    entries = [*_entries().values()][first : first + UNIT]
    body = document([(entry["name"], entry["type"]) for entry in entries])
    (vocabulary,) = import_bytes("nist.xsd", body.encode(), "xsd").tables
    rules = [f"col({column}) -> {entry['name']}" for column, entry in enumerate(entries, 1)]
    schema = sculpt.Schema.parse("\n".join(["Trim = none", vocabulary.text, *rules]))
    columns = [
        [normalised(text, white_space(entry["type"])) for text, _ in entry["cases"]]
        for entry in entries
    ]
    with TemporaryDirectory() as folder:
        path = Path(folder, "texts.csv")
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, quoting=csv.QUOTE_ALL)
            writer.writerows(zip_longest(*columns, fillvalue=""))
        verdict = sculpt.validate(schema, path, engine="reference", max_violations=1_000_000)
    return frozenset((each.row, each.column) for each in verdict.violations)


def document(types: list[tuple[str, Type]]) -> str:
    """A schema document with named types."""
    return (
        _HEAD
        + "".join(_written(of, f" name={quoteattr(name)}") for name, of in types)
        + "</xs:schema>"
    )


def _written(of: Type, name: str = "") -> str:
    if isinstance(of, str):
        return f"<xs:simpleType{name}><xs:restriction base={quoteattr(of)}/></xs:simpleType>\n"
    if "list" in of:
        inner = f"<xs:list>{_written(of['list'])}</xs:list>"
    elif "union" in of:
        inner = f"<xs:union>{''.join(_written(each) for each in of['union'])}</xs:union>"
    else:
        base, facets = (
            of["base"],
            "".join(f"<xs:{facet} value={quoteattr(value)}/>" for facet, value in of["facets"]),
        )
        if isinstance(base, str):
            inner = f"<xs:restriction base={quoteattr(base)}>{facets}</xs:restriction>"
        else:
            inner = f"<xs:restriction>{_written(base)}{facets}</xs:restriction>"
    return f"<xs:simpleType{name}>{inner}</xs:simpleType>\n"


def white_space(of: Type) -> str:
    """What is done with white space before a text is judged."""
    if isinstance(of, str):
        return {"xs:string": "preserve", "xs:normalizedString": "replace"}.get(of, "collapse")
    for name, given in of.get("facets", []):
        if name == "whiteSpace":
            return str(given)
    return "collapse" if "list" in of or "union" in of else white_space(of["base"])


def normalised(text: str, facet: str) -> str:
    """A text with its white space as the facet says."""
    replaced = text if facet == "preserve" else re.sub(r"[\t\n\r]", " ", text)
    return re.sub(" +", " ", replaced).strip(" ") if facet == "collapse" else replaced
