"""The checks of a column in the terms of a target: all of them, or as many as fit.

In: a column, and a function that writes a domain in the terms of a target, or says why it cannot.
Out: what was written, and a note for each rule that is left out. Invariant: what is written is
what the rules that are not noted say together. Cost: one normal form for each rule that is tried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from sculpt.interchange.export.alternatives import Vocabulary
from sculpt.interchange.export.domains import Domain, Misfit, domain_of
from sculpt.interchange.export.formulas import conjunction
from sculpt.interchange.export.sheets import Check, Column
from sculpt.interchange.export.tables import left_out
from sculpt.origins import Note

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
        return found, domain, notes
    kept: list[Check] = []
    for check in checks:
        tried = _tried([*kept, check], vocabulary, write)[1]
        if isinstance(tried, Misfit):
            notes.append(left_out(check.said, tried.reason, tried.hint))
        else:
            kept.append(check)
    domain, found = _tried(kept, vocabulary, write)
    assert not isinstance(found, Misfit) and domain is not None
    return found, domain, notes


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
