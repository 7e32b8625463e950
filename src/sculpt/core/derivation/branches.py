"""What a part of a derived token means: a formula, and the values behind it.

In: nothing. Out: the values that `definitions` computes with. A `Meaning` has the formula that
decides whether a text matches. Its branches say how matching texts can be measured: `Integer` has
one branch, whose base is the type; `Integer or Date` has two; texts without a type are a branch
without a base, of which only the length can be taken.

Invariant: a text matches the formula of a meaning if it matches that of some branch; the reverse
holds except for parts that no text can match (`Missing`). Cost: constant.
"""

from __future__ import annotations

from collections.abc import Iterable

from sculpt.core import ir
from sculpt.core.datatypes.model import Base, Measured, Relation
from sculpt.core.dialect import Delimiter
from sculpt.diagnostics import Span
from sculpt.values import frozen

MAX_BRANCHES = 64
MAX_BOUNDS = 16
"""As many bounds of a chain of tokens are compared with each other."""
NEVER = ir.Either(())
"""The formula that is true of no text."""


@frozen
class Counted:
    """A list: the token of its items, what is between them, and how many there may be."""

    item: str
    delimiter: Delimiter
    low: int = 0
    high: int | None = None
    bases: tuple[Base, ...] = ()
    """Those of the items; none if the items are texts."""


@frozen
class Written:
    """A bound as it was written somewhere in the definition of a token."""

    measured: Measured
    relation: Relation
    bound: str
    span: Span


@frozen
class Branch:
    """Texts of one base, and the bounds that they are known to keep."""

    formula: ir.Formula
    base: Base | Counted | None
    bounds: tuple[Written, ...] = ()
    is_whole: bool = False
    """Are these all texts of the base?"""


@frozen
class Meaning:
    """A formula and its branches; of a broken definition, which was reported, there are none."""

    formula: ir.Formula
    branches: tuple[Branch, ...] = ()
    is_broken: bool = False


BROKEN = Meaning(NEVER, (), True)


def both(parts: Iterable[ir.Formula]) -> ir.Formula:
    """All formulas, flattened and each once."""
    flat = dict.fromkeys(
        each for part in parts for each in (part.parts if isinstance(part, ir.Both) else (part,))
    )
    return next(iter(flat)) if len(flat) == 1 else ir.Both(tuple(flat))


def either(parts: Iterable[ir.Formula]) -> ir.Formula:
    """Some formula, flattened and each once."""
    flat = dict.fromkeys(
        each for part in parts for each in (part.parts if isinstance(part, ir.Either) else (part,))
    )
    return next(iter(flat)) if len(flat) == 1 else ir.Either(tuple(flat))


def union(meanings: Iterable[Meaning]) -> tuple[Branch, ...]:
    """The branches of alternatives; texts without a type are one of them."""
    found = [branch for meaning in meanings for branch in meaning.branches]
    typed = dict.fromkeys(branch for branch in found if branch.base is not None)
    texts = [branch.formula for branch in found if branch.base is None]
    return (*typed, *([Branch(either(texts), None)] if texts else []))


def intersection(meanings: tuple[Meaning, ...]) -> tuple[Branch, ...]:
    """The branches of what matches all parts: those of the first part that has a type.

    Bounds that other parts put on the same base are known to hold as well.
    """
    formulas = [meaning.formula for meaning in meanings]
    leading = next((each for each in meanings if _is_typed(each)), None)
    if leading is None:
        return (Branch(both(formulas), None),)
    branches = []
    for branch in leading.branches:
        bounds = list(branch.bounds)
        for meaning in meanings:
            if meaning is not leading and len(meaning.branches) == 1:
                only = meaning.branches[0]
                bounds += only.bounds if only.base == branch.base else ()
        others = [each.formula for each in meanings if each is not leading]
        known = tuple(dict.fromkeys(bounds))[-MAX_BOUNDS:]
        branches.append(Branch(both([branch.formula, *others]), branch.base, known))
    return tuple(branches)


def bases_of(branches: Iterable[Branch]) -> tuple[Base, ...]:
    """The types of some branches, each once; texts and lists have none."""
    found = (branch.base for branch in branches if isinstance(branch.base, Base))
    return tuple(dict.fromkeys(found))


def _is_typed(meaning: Meaning) -> bool:
    return any(branch.base is not None for branch in meaning.branches)
