"""The checks of a column in the terms of a target: all of them, or as many as fit.

In: a column, and a function that writes a domain in the terms of a target, or says why it cannot.
Out: what was written, and a note for each rule that is left out. Invariant: what is written is
what the rules that are not noted say together. Cost: one normal form for each rule that is tried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from sculpt.core.datatypes.model import Base
from sculpt.interchange.export.meaning.alternatives import Vocabulary, has_text, single_text
from sculpt.interchange.export.meaning.domains import Domain, Misfit, domain_of, without_specials
from sculpt.interchange.export.meaning.formulas import conjunction
from sculpt.interchange.export.meaning.sheets import Check, Column, left_out
from sculpt.origins import Note
from sculpt.values import replace

T = TypeVar("T")


def fitted(
    column: Column, vocabulary: Vocabulary, write: Callable[[Domain], T | Misfit]
) -> tuple[T, Domain, list[Note]]:
    """What a target says of a column, its domain, and what it cannot say."""
    notes = [
        left_out(check.said, "a warning has no counterpart, only errors do")
        for check in column.checks
        if check.said.is_warning
    ]
    checks = [check for check in column.checks if not check.said.is_warning]
    domain, found = _tried(checks, vocabulary, write)
    if not isinstance(found, Misfit):
        assert domain is not None
        domain = _with_refused(domain, checks, vocabulary)
        return _written(domain, found, write), domain, notes
    kept: list[Check] = []
    for check in checks:
        tried = _tried([*kept, check], vocabulary, write)[1]
        if isinstance(tried, Misfit):
            notes.append(left_out(check.said, tried.reason, tried.hint))
        else:
            kept.append(check)
    domain, found = _tried(kept, vocabulary, write)
    assert not isinstance(found, Misfit)
    assert domain is not None
    domain = _with_refused(domain, kept, vocabulary)
    return _written(domain, found, write), domain, notes


def _written(domain: Domain, found: T, write: Callable[[Domain], T | Misfit]) -> T:
    again = write(domain)
    return found if isinstance(again, Misfit) else again


def _with_refused(domain: Domain, checks: list[Check], vocabulary: Vocabulary) -> Domain:
    """The domain, with the marks that one rule allows and another does not: cells are required."""
    domain = without_specials(domain)
    if domain.marks or domain.refused:
        return domain
    found: dict[str, None] = {}
    for check in checks:
        alternatives = vocabulary.alternatives(check.formula) or ()
        words = [word for word in map(single_text, alternatives) if word is not None]
        if len(words) < len(alternatives):
            found |= dict.fromkeys(words)
        if frozenset() in alternatives or any(has_text(each, "") for each in alternatives):
            found[""] = None
    kept = tuple(word for word in found if word not in domain.texts)
    return without_specials(replace(domain, refused=kept)) if any(kept) else domain


def narrowed(column: Column, domain: Domain) -> list[Note]:
    """A note if the target has only some of the forms that a type has in Sculpt."""
    if domain.base != Base("Date") or not column.checks:
        return []
    said = column.checks[0].said
    message = f"{said.name}: `Date` becomes a date as in 2011-03-27, without its other forms"
    return [Note(message, said.place, 'write `xs:date`, or a picture such as `Date("dd/MM/yyyy")`')]


def _tried(
    checks: Iterable[Check], vocabulary: Vocabulary, write: Callable[[Domain], T | Misfit]
) -> tuple[Domain | None, T | Misfit]:
    alternatives = vocabulary.alternatives(conjunction(check.formula for check in checks))
    if alternatives is None:
        return None, Misfit("it has too many alternatives")
    domain = domain_of(alternatives, vocabulary)
    if isinstance(domain, Misfit):
        return None, domain
    return domain, write(domain)
