"""Table Dialects, v1 and v2, and checklists of the framework: JSON to values.

In: the JSON of a dialect or a checklist with its place. Out: a `Dialect`, a `Checklist`. The
options of a format may stand in an object of their own (`"csv": {…}`), as the framework writes
them.

Invariant: characters of a dialect are single, and do not contradict each other. Cost: linear.
"""

from __future__ import annotations

from typing import Any

from sculpt.interchange.frictionless.model import At, Checklist, Dialect
from sculpt.interchange.frictionless.reading.shapes import Findings, described

_LAST = 0xFFFF
_OTHER_FORMATS = ("property", "itemType", "itemKeys", "sheetNumber", "sheetName", "table")


def read_dialect(value: Any, at: At, findings: Findings) -> Dialect:
    """The dialect of a JSON value."""
    if not isinstance(value, dict):
        findings.wrong(at, f"a dialect is an object, not {described(value)}")
        return Dialect(at)
    for key in _OTHER_FORMATS:
        if key in value:
            findings.note(at.to(key), f"`{key}` is not about CSV")
    csv, where = value, at
    if isinstance(value.get("csv"), dict):
        csv, where = {**value, **value["csv"]}, at.to("csv")
    header = findings.flag(at, value, "header", True)
    rows = findings.rows(at, value, "headerRows")
    if rows is None:
        rows = (1,)
    case = findings.flag(at, value, "caseSensitiveHeader", True)
    found = Dialect(
        at,
        _text(csv, where, "delimiter", findings),
        _text(csv, where, "lineTerminator", findings),
        _char(csv, where, "quoteChar", findings, '"') or "",
        findings.flag(where, csv, "doubleQuote", True),
        _char(csv, where, "escapeChar", findings, None),
        findings.flag(where, csv, "skipInitialSpace", False),
        findings.text(where, csv, "nullSequence", None),
        rows if header else (),
        findings.text(at, value, "headerJoin", " "),
        findings.flag(at, value, "headerCase", case),
        findings.text(at, value, "commentChar", None) or None,
        findings.rows(at, value, "commentRows") or (),
        findings.flag(at, value, "skipBlankRows", False),
    )
    _check_characters(found, where, findings)
    return found


def _check_characters(dialect: Dialect, at: At, findings: Findings) -> None:
    """Report characters that contradict each other, or that no file can have there."""
    delimiter = dialect.delimiter or ","
    ends = dialect.line_terminator or "\n"
    named = {
        "delimiter": dialect.delimiter,
        "quoteChar": dialect.quote,
        "escapeChar": dialect.escape,
        "commentChar": dialect.comment,
        "lineTerminator": dialect.line_terminator,
    }
    for key, text in named.items():
        if key != "lineTerminator" and text and any(end in text for end in (ends, "\n", "\r")):
            findings.wrong(at.to(key), f"`{key}` contains a line end")
        elif text and any(ord(char) > _LAST and not char.isprintable() for char in text):
            findings.wrong(at.to(key), f"`{key}` has a character that no text has")
    for key, char in (("quoteChar", dialect.quote), ("escapeChar", dialect.escape)):
        if char and (char in delimiter or char in ends):
            findings.wrong(at.to(key), f"`{key}` is part of the delimiter")
    if dialect.escape and dialect.escape == dialect.quote:
        findings.wrong(at.to("escapeChar"), "`escapeChar` is `quoteChar` as well")
    if dialect.comment and dialect.quote and dialect.comment.startswith(dialect.quote):
        findings.wrong(at.to("commentChar"), "`commentChar` begins with `quoteChar`")


def _text(value: dict[str, Any], at: At, key: str, findings: Findings) -> str | None:
    found = findings.text(at, value, key, None)
    if found == "":
        findings.wrong(at.to(key), f"`{key}` is empty")
        return None
    return found


def _char(
    value: dict[str, Any], at: At, key: str, findings: Findings, default: str | None
) -> str | None:
    """A single character; none if it is null or empty."""
    if key in value and value[key] is None:
        return None
    found = findings.text(at, value, key, default)
    if found is not None and len(found) > 1:
        findings.wrong(at.to(key), f"`{key}` is one character, not {described(found)}")
        return default
    return found or None


def read_checklist(value: Any, at: At, findings: Findings) -> Checklist:
    """The checklist of a JSON value."""
    if not isinstance(value, dict):
        findings.wrong(at, f"a checklist is an object, not {described(value)}")
        return Checklist(at)
    checks = []
    for ix, each in enumerate(findings.array(at, value, "checks")):
        where = at.to("checks", ix)
        if isinstance(each, dict) and isinstance(each.get("type"), str):
            checks.append((where, each))
        else:
            findings.wrong(where, "a check is an object with a `type`")
    picked = findings.texts(at, value, "pickErrors") or ()
    skipped = findings.texts(at, value, "skipErrors") or ()
    return Checklist(at, tuple(checks), picked, skipped)
