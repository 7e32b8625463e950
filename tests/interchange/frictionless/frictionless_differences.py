"""Where the package `frictionless` reads texts otherwise than the standard says.

In: a field descriptor and the text of a cell; or a table. Out: the section of the standard that the
imported schema follows, or `None`. A difference between the two is allowed only where this names
one.

Sections are those of https://datapackage.org/standard/table-schema/ (2.0).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

_NUMBER_FORMS = re.compile(r"[+-]?(?:inf(?:inity)?|s?nan\d*)", re.IGNORECASE)


def explained(field: dict[str, Any], text: str) -> str | None:
    """The section by which a text is judged otherwise than by the package."""
    match field["type"]:
        case "integer" | "number" if "_" in text or not text.isascii():
            return "number: digits are those of `decimal` in XML Schema"
        case "number" if _NUMBER_FORMS.fullmatch(text) and text not in ("NaN", "INF", "-INF"):
            return "number: the special values are `NaN`, `INF` and `-INF`"
        case "number" if text.endswith(field.get("groupChar") or "\0"):
            return "number, groupChar: it groups digits, so it stands between them"
        case "date" if field.get("format", "default") == "default" and re.fullmatch(
            r"\d{4}-\d?\d-\d?\d|\d{8}", text
        ):
            return "date: the default format is `YYYY-MM-DD`"
        case "datetime" if field.get("format", "default") == "default" and "T" not in text:
            return "datetime: the default format has a `T` between date and time"
        case "datetime" | "time" if field.get("format", "default") == "default" and re.search(
            r"[+-]\d{2}(?:\d{2})?$|[+-]\d\d:\d\d:\d\d", text
        ):
            return f"{field['type']}: the default format has time zones as in XML Schema"
        case "duration" if "W" in text or "," in text:
            return "duration: the lexical form is that of `duration` in XML Schema"
        case "year" if not re.fullmatch(r"\d{4}", text):
            return "year: the lexical form is that of `gYear` in XML Schema"
        case "yearmonth" if not re.fullmatch(r"\d{4}-\d\d", text):
            return "yearmonth: the lexical form is that of `gYearMonth` in XML Schema"
        case "string" if field.get("format") == "binary" and not re.fullmatch(
            r"[A-Za-z0-9+/]*={0,2}", text
        ):
            return "string, binary: a Base64 text has no other characters"
    return None


def _has_two_forms(texts: Iterable[str]) -> bool:
    """Is a number there in two forms, by its digits?"""
    found = {*texts}
    return len({re.sub(r"[^0-9.]", "", text).strip("0.") for text in found}) < len(found)


def _missing(descriptor: dict[str, Any], name: str) -> Iterable[str]:
    """The texts that stand for no value in a field."""
    (field,) = (each for each in descriptor["schema"]["fields"] if each["name"] == name)
    given = field.get("missingValues", descriptor["schema"].get("missingValues", ()))
    return (each if isinstance(each, str) else each["value"] for each in given)


def explained_table(descriptor: dict[str, Any], rows: list[dict[str, str]]) -> str | None:
    """The section by which keys of a table are judged otherwise than by the package."""
    schema = descriptor["schema"]
    key = schema.get("primaryKey", [])
    missing = {name: {"", *_missing(descriptor, name)} for name in key}
    if len(key) > 1 and any(row.get(name, "") in missing[name] for row in rows for name in key):
        return "primaryKey: fields of the key are required, each of them"
    keys = {*key, *(e["name"] for e in schema["fields"] if e.get("constraints", {}).get("unique"))}
    bare = {each["name"] for each in schema["fields"] if not each.get("bareNumber", True)}
    if any(_has_two_forms([row.get(name, "") for row in rows]) for name in keys & bare):
        return "noted: with bareNumber false, two ways of writing one number count as different"
    texts = {row.get(name, "") for row in rows for name in keys}
    if any(text != text.strip() and text.strip() in ("INF", "-INF", "NaN") for text in texts):
        return "ours, documented: in keys, INF and NaN are texts, so blanks around them count"
    if any([row.get(name, "").strip() for row in rows].count("NaN") > 1 for name in keys):
        return "number: NaN is one value, as in XML Schema 1.1 (Part 2, 2.2.1: identity)"
    return None
