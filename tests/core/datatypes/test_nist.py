"""The NIST tests of XML Schema types: every text is judged by reading it, and by the language.

A type of the suite becomes conditions: bounds, lengths and digits are one each, an enumeration is a
choice of `=`, a pattern a token of its own. White space is normalised as the type's facet says,
before a token would see the text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from sculpt.core.acceptor import TextMatcher
from sculpt.core.datatypes.families import parsed
from sculpt.core.datatypes.model import Condition, Measured, Relation
from sculpt.core.datatypes.reading import check, holds
from typed_texts import Judge, condition

Decide: TypeAlias = Callable[[Condition, str], bool]
Type: TypeAlias = "str | dict[str, Any]"

FACETS: dict[str, tuple[Measured, Relation]] = {
    "minInclusive": ("value", ">="), "minExclusive": ("value", ">"),
    "maxInclusive": ("value", "<="), "maxExclusive": ("value", "<"),
    "length": ("length", "="), "minLength": ("length", ">="), "maxLength": ("length", "<="),
    "totalDigits": ("digits", "<="), "fractionDigits": ("decimals", "<="),
}  # fmt: skip
NAME_START = r":A-Z_a-z\xC0-\xD6\xD8-\xF6\xF8-\u02FF\u0370-\u037D\u037F-\u1FFF"
NAME_CHAR = rf"{NAME_START}\-.0-9\xB7\u0300-\u036F"
DISAGREE = [
    ("II-atomic-gMonth-minExclusive-3", "--02"),
    ("II-atomic-gMonth-minExclusive-3", "--03"),
    ("II-atomic-gMonth-minExclusive-3", "--03"),
    ("IV-atomic-gDay-maxInclusive-3", "---06"),
    ("IV-atomic-gDay-maxInclusive-3", "---07"),
    ("IV-atomic-gDay-maxInclusive-3", "---10"),
    ("IV-atomic-gDay-maxInclusive-3", "---11"),
]
"""Texts on which the suite contradicts XML Schema 1.1; `docs/conformance.md` says why."""


def by_reading(test: Condition, text: str) -> bool:
    return holds(test, text)


def by_language(test: Condition, text: str) -> bool:
    answer = _judge(test)(text)
    return holds(test, text) if answer == "ask" else answer == "yes"


@cache
def _judge(test: Condition) -> Judge:
    check(test)
    return Judge(test)


@cache
def pattern(text: str) -> TextMatcher:
    """The expression of a `pattern` facet, in our syntax."""
    ours = text.replace(r"[\i-[:]]", f"[{NAME_START[1:]}]")
    ours = ours.replace(r"[\c-[:]]", f"[{NAME_CHAR[1:]}]")
    ours = ours.replace(r"\i", f"[{NAME_START}]").replace(r"\c", f"[{NAME_CHAR}]")
    return TextMatcher(parsed(ours))


def white_space(of: Type) -> str:
    """The facet of a type: what is done with white space before a text is judged."""
    if isinstance(of, str):
        kept = {"xs:string": "preserve", "xs:normalizedString": "replace"}
        return kept.get(of, "collapse")
    for name, given in of.get("facets", []):
        if name == "whiteSpace":
            return str(given)
    return "collapse" if "list" in of or "union" in of else white_space(of["base"])


def normalised(text: str, facet: str) -> str:
    replaced = text if facet == "preserve" else re.sub(r"[\t\n\r]", " ", text)
    return re.sub(" +", " ", replaced).strip(" ") if facet == "collapse" else replaced


def valid(of: Type, text: str, decide: Decide) -> bool:
    """Is a text, with its white space normalised, valid for a type?"""
    if isinstance(of, str):
        return decide(condition(of), text)
    if "list" in of:
        return all(valid(of["list"], item, decide) for item in text.split(" ") if text)
    if "union" in of:
        return any(valid(member, text, decide) for member in of["union"])
    return valid(of["base"], text, decide) and _has_facets(of["base"], of["facets"], text, decide)


def _has_facets(base: Type, facets: list[tuple[str, str]], text: str, decide: Decide) -> bool:
    given: dict[str, list[str]] = {}
    for name, bound in facets:
        given.setdefault(name, []).append(bound)
    for name, bounds in given.items():
        if name == "pattern":
            if not any(pattern(bound).matches(text) for bound in bounds):
                return False
        elif name == "enumeration":
            if not any(_equal(base, bound, text, decide) for bound in bounds):
                return False
        elif name != "whiteSpace" and not all(
            _has_facet(base, name, bound, text, decide) for bound in bounds
        ):
            return False
    return True


def _has_facet(base: Type, name: str, bound: str, text: str, decide: Decide) -> bool:
    measured, relation = FACETS[name]
    if isinstance(base, dict) and "list" in base:
        # What `length` of a list counts.
        items = len(text.split(" ")) if text else 0
        return {"=": items == int(bound), ">=": items >= int(bound), "<=": items <= int(bound)}[
            relation
        ]
    assert isinstance(base, str)
    return decide(condition(base, relation, bound, measured), text)


def _equal(base: Type, bound: str, text: str, decide: Decide) -> bool:
    bound = normalised(bound, white_space(base))
    if isinstance(base, str):
        return decide(condition(base, "=", bound), text)
    if "list" in base:
        ours, theirs = text.split(" "), bound.split(" ")
        return len(ours) == len(theirs) and all(
            _equal(base["list"], each, item, decide)
            for each, item in zip(theirs, ours, strict=True)
        )
    for member in base["union"]:
        if valid(member, bound, by_reading):
            return _equal(member, bound, text, decide)
    raise AssertionError(f"`{bound}` is not a value of {base}")


@pytest.mark.parametrize("decide", [by_reading, by_language])
def test_every_text_of_the_suite(shared: Path, decide: Decide) -> None:
    path = shared / "suites" / "xsd" / "nist.json"
    if not path.is_file():
        pytest.skip("the suite is not here")
    entries = json.loads(path.read_text())["entries"]
    wrong = []
    texts = 0
    for entry in entries:
        of = entry["type"]
        for text, expected in entry["cases"]:
            texts += 1
            if valid(of, normalised(text, white_space(of)), decide) != expected:
                wrong.append((entry["name"], text))
    assert texts > 10_000
    assert sorted(wrong) == DISAGREE
