"""The note of `validate` about a file that seems to be written in another way than its schema says.

In: a verdict and its schema. Out: a line, or nothing. `validate` itself never guesses: this looks
at the file only after violations were found, and only if it cannot be what the schema says: one
column everywhere while the schema speaks of several, or bytes that are invalid in the encoding.
"""

from __future__ import annotations

import os

from sculpt.core import ir
from sculpt.core.dialect import Dialect
from sculpt.core.traversal import nodes_of
from sculpt.errors import DataError
from sculpt.interchange.fetched import file_of
from sculpt.report.styled import visible
from sculpt.syntax.regular import Choice, Repeat, Sequence
from sculpt.verdict import Verdict

_SURE = 0.8
"""A note is about answers with at least this confidence."""
_SPLITS = ("Col Delim", "Col Widths")


def seems_misread(verdict: Verdict, core: ir.CoreSchema) -> bool:
    """Can the file not be written as the schema says?"""
    if verdict.valid or not os.path.isfile(file_of(verdict.path) or verdict.path):
        return False
    return _has_undecodable(verdict) or (verdict.columns == 1 and _has_columns(core))


def note_about(verdict: Verdict, dialect: Dialect) -> str | None:
    """What `sniff` finds, if it differs from the schema and is sure enough."""
    path = verdict.path
    from sculpt.inference.sniff.finder import sniff
    from sculpt.inference.sniff.model import values_of

    try:
        found = sniff(path)
    except DataError:
        return None  # it is gone by now
    given = dict(values_of(dialect))
    for finding in found.findings:
        if finding.name == "Encoding":
            differs = _has_undecodable(verdict) and found.dialect.encoding != dialect.encoding
        else:
            is_split = finding.name in _SPLITS and verdict.columns == 1 < found.columns
            differs = is_split and given.get(finding.name) != finding.value
        if differs and finding.confidence >= _SURE:
            text = f"`{finding.text}` ({finding.confidence:.2f})"
            return f"note: `sculpt sniff {visible(path)}` finds {text}"
    return None


def _has_undecodable(verdict: Verdict) -> bool:
    return any(each.code == "undecodable" for each in verdict.violations)


def _has_columns(core: ir.CoreSchema) -> bool:
    """Does a schema speak of more than one column?"""
    for rule in core.rules:
        if rule.arrow == "->" and _is_several(rule.content):
            return True
        if any(_leaves_column(node) for node in nodes_of(rule.selector)):
            return True
    return False


def _is_several(content: object) -> bool:
    match content:
        case Sequence(parts):
            return len(parts) > 1
        case Choice(parts):
            return any(map(_is_several, parts))
        case Repeat():
            return True
        case _:
            return False


def _leaves_column(node: ir.Selector) -> bool:
    match node:
        case ir.Position(_, int(column)):
            return column > 1
        case ir.Reach(path, _):
            return not ir.axes(path).isdisjoint({"left", "right"})
        case _:
            return False
