"""Texts that stand for no value in keys, references and blank rows.

In: a sheet, and a part of a key or a link, or a column. Out: the texts of the column that take no
part, or `None` if no list of texts names them. Other systems say once for a column what is no
value; in Sculpt each key says it for itself.

Invariant: a text is among them exactly if the checks of the column allow it and the part does not
select it. Cost: one normal form for each part.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sculpt.core import ir
from sculpt.interchange.export.meaning.alternatives import Alternative, has_text
from sculpt.interchange.export.meaning.atoms import Word
from sculpt.interchange.export.meaning.domains import Domain, is_blank
from sculpt.interchange.export.meaning.formulas import conjunction, negation
from sculpt.interchange.export.meaning.sheets import Column, Part, Sheet
from sculpt.values import replace

SOME_CELLS = "only some cells of its columns take part in it"
NO_VALUE = "there, cells without a value take part in it too"


def left_aside(sheet: Sheet, part: Part) -> tuple[str, ...] | None:
    """The texts of a column that take no part in a key or a link."""
    if not part.column:
        return ()  # only its heading is known
    allowed = _allowed(sheet.column(part.column))
    found = sheet.vocabulary.alternatives(conjunction((*allowed, negation(part.filter))))
    return None if found is None else texts_of_all(found)


def texts_of_all(alternatives: Iterable[Alternative]) -> tuple[str, ...] | None:
    """The texts of some alternatives; `None` if one of them is more than a text."""
    texts = [_text(each) for each in alternatives]
    known = [text for text in texts if text is not None]
    return tuple(dict.fromkeys(known)) if len(known) == len(texts) else None


def _text(alternative: Alternative) -> str | None:
    """The text, if it is one; blanks count as an empty cell."""
    if is_blank(alternative):
        return ""
    words = [sign.atom.text for sign in alternative if isinstance(sign.atom, Word) and sign.holds]
    return words[0] if words else None


def _allowed(column: Column) -> list[ir.Formula]:
    return [check.formula for check in column.checks if not check.said.is_warning]


def with_gaps(domain: Domain, column: Column, sheet: Sheet, sheets: Sequence[Sheet]) -> Domain:
    """The domain of a column, with marks for what keys, links and blank rows take for no value."""
    if domain.is_required:
        return domain
    parts = [part for key in sheet.keys for part in key.parts]
    parts += [part for link in sheet.links for part in link.parts]
    parts += [
        part
        for other in sheets
        for link in other.links
        if link.table == sheet.name
        for part in link.targets
    ]
    found: dict[str, None] = {}
    for part in parts:
        if part.column == column.number:
            found |= dict.fromkeys(left_aside(sheet, part) or ())
    blank = sheet.blank.get(column.number, ())
    if set(blank) - {""}:
        alternatives = sheet.vocabulary.alternatives(conjunction(_allowed(column))) or ()
        found |= dict.fromkeys(
            text for text in blank if any(has_text(each, text) for each in alternatives)
        )
    marks = dict.fromkeys((*domain.marks, *found))
    if column.number in sheet.blank and "" not in blank and len(marks) > 1:
        marks.pop("", None)  # an empty text is a value
    return replace(domain, marks=tuple(marks))
