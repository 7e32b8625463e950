"""Derived tokens: what they depend on, and whether a formula is true.

In: the tokens of a schema. Out: the tokens that some names need, dependencies first; the truth of a
formula for a set of names. The items of a list are not among what the list needs: they are read
from other texts than the list itself.

Cost: linear in the formulas.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from typing import assert_never

from sculpt.core import ir
from sculpt.core.acceptor import is_nothing


def is_true(formula: ir.Formula, names: Container[str]) -> bool:
    """Is a formula true of a text that matches these tokens and no others?"""
    match formula:
        case ir.Has(name):
            return name in names
        case ir.Lacks(part):
            return not is_true(part, names)
        case ir.Both(parts):
            return all(is_true(part, names) for part in parts)
        case ir.Either(parts):
            return any(is_true(part, names) for part in parts)
        case _:
            assert_never(formula)


def names_in(formula: ir.Formula) -> Iterator[str]:
    """The tokens that a formula mentions."""
    match formula:
        case ir.Has(name):
            yield name
        case ir.Lacks(part):
            yield from names_in(part)
        case ir.Both(parts) | ir.Either(parts):
            for part in parts:
                yield from names_in(part)
        case _:
            assert_never(formula)


def negates(formula: ir.Formula) -> bool:
    """Is some part of a formula negated?"""
    match formula:
        case ir.Has():
            return False
        case ir.Lacks():
            return True
        case ir.Both(parts) | ir.Either(parts):
            return any(negates(part) for part in parts)
        case _:
            assert_never(formula)


def needed(tokens: Mapping[str, ir.CoreToken], names: Iterable[str]) -> list[ir.CoreToken]:
    """The tokens with these names and all that their formulas mention, dependencies first."""
    found: dict[str, ir.CoreToken] = {}
    for name in names:
        todo = [(name, False)]
        while todo:
            each, is_ready = todo.pop()
            token = tokens[each]
            if each in found:
                continue
            if is_ready or token.formula is None:
                found[each] = token
                continue
            todo.append((each, True))
            todo += [(part, False) for part in names_in(token.formula) if part not in found]
    return list(found.values())


def is_regular(token: ir.CoreToken) -> bool:
    """Are the texts of a token those of its pattern? Not if it has a formula, items or asks."""
    return token.formula is None and token.items is None and is_nothing(token.ask)
