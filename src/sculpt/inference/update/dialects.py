"""Files that are written differently from what a schema says.

In: a schema, a file, its verdict. Out: what is different, in words, or nothing. Invariant: nothing
is said of a file that the schema accepts. Cost: a sniff, and a validation with what it finds.
"""

from __future__ import annotations

import os

from sculpt.api import validate
from sculpt.errors import SculptError
from sculpt.inference.sniff.finder import sniff
from sculpt.inference.sniff.model import DEFAULTS, values_of
from sculpt.schema import Schema
from sculpt.verdict import CHECK_CODES, Verdict

_SURE = 0.8
_NOT_STRUCTURE = frozenset((*CHECK_CODES, "unique", "unique-per-row"))
_CONTENT = frozenset(("row-content", "region-content", "column-content", "list-content"))


def difference(schema: Schema, verdict: Verdict) -> str | None:
    """How a file is written differently; `None` if it is written as the schema says."""
    if verdict.valid:
        return None
    broken = next(
        (e for e in verdict.violations if e.code not in _NOT_STRUCTURE and e.code not in _CONTENT),
        None,
    )
    other = _sniffed(schema, verdict, broken is not None)
    if other is not None:
        return f"the file is written differently: {other}"
    if broken is None:
        return None
    where = "" if broken.row is None else f"({broken.row},{broken.column or '-'}) "
    return f"the file breaks its own dialect: {where}{broken.message}"


def _sniffed(schema: Schema, verdict: Verdict, is_broken: bool) -> str | None:
    """The directives with which the file fits the schema better."""
    if not os.path.isfile(verdict.path):
        return None
    found = sniff(verdict.path)
    given = dict(values_of(schema.core.dialect))
    new = dict(values_of(found.dialect))
    names = [name for name in new if given.get(name) != new[name]]
    names += [name for name in given if name not in new]
    encoding = found.dialect.encoding
    differs = [f"{name} = {new[name]}" for name in names if new.get(name)]
    if is_broken and encoding != schema.core.dialect.encoding and encoding is not None:
        differs.append(f"Encoding = {encoding}")
    sure = found.confidences
    differs = [each for each in differs if sure.get(each.split(" = ")[0], 1.0) >= _SURE]
    if not differs or not _is_better(schema, verdict, differs, found.columns):
        return None
    said = [
        f"`{each}`, not `{name} = {given.get(name) or DEFAULTS.get(name) or 'the default'}`"
        if (name := each.split(" = ")[0]) != "Encoding"
        else f"`{each}`"
        for each in differs
    ]
    return " and ".join(said)


def _is_better(schema: Schema, verdict: Verdict, settings: list[str], columns: int) -> bool:
    """Does the schema accept more of the file, or say more of it, if it is read like that?"""
    settings = [each for each in settings if not each.startswith("Row Delim")]
    if not settings:
        return False
    try:
        again = Schema.load(schema.source.name, settings)
        other = validate(again, verdict.path, engine="local", max_violations=1)
    except SculptError:
        return False
    if any(each.startswith("Col Delim") for each in settings) and verdict.columns == 1 < columns:
        return True
    if _told(other) > _told(verdict):  # its headings are there
        return True
    return other.violation_count < verdict.violation_count


def _told(verdict: Verdict) -> int:
    """How many rules are about something in the file."""
    return sum(rule.checked > 0 for rule in verdict.rules)
