"""Paths for the search of walks: without sugar, backwards, and cut where a walk may stop.

In: a path of the syntax tree. Out: paths of the syntax tree, of four steps, `cell`, filters,
sequences, unions and repetitions. Filters stay the nodes they were, so that each has its place in
the schema.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias, assert_never

from sculpt.core import ir
from sculpt.diagnostics import Source, Span
from sculpt.syntax import ast
from sculpt.values import frozen
from sculpt.views.why.marks import VECTORS

_NOWHERE = Span(Source("<path>", ""), 0, 0)
STAY = ast.Axis("cell", span=_NOWHERE)
_OPPOSITE: dict[ast.AxisName, ast.AxisName] = {
    "up": "down",
    "down": "up",
    "left": "right",
    "right": "left",
    "cell": "cell",
}
Straight: TypeAlias = (
    "tuple[ir.Direction, tuple[ast.Selector, ...], tuple[ast.Selector, ...]] | None"
)
"""A direction, what is tested before the step, and what after it."""


def plain(path: ast.Path) -> ast.Path:
    """The same path without sugar: no `row`, no `col`, no `path[filter]`."""
    match path:
        case ast.Axis("row" | "col" as name):
            step = ast.Axis("right" if name == "row" else "down", span=path.span)
            return ast.Repeated(step, 1, None, span=path.span)
        case ast.Axis():
            return path
        case ast.Filter():
            return path
        case ast.Filtered(inner, condition):
            return joined(plain(inner), ast.Filter(condition, span=path.span))
        case ast.Concat(parts):
            return joined(*map(plain, parts))
        case ast.Union(parts):
            return ast.Union(tuple(map(plain, parts)), span=path.span)
        case ast.Repeated(inner, low, high):
            return repeated(plain(inner), low, high)
        case _:
            assert_never(path)


def is_stay(path: ast.Path) -> bool:
    """Is it the empty path?"""
    return isinstance(path, ast.Axis) and path.name == "cell"


def joined(*parts: ast.Path) -> ast.Path:
    """One path after the other."""
    flat: list[ast.Path] = []
    for part in parts:
        if isinstance(part, ast.Concat):
            flat += part.parts
        elif not is_stay(part):
            flat.append(part)
    if len(flat) < 2:
        return flat[0] if flat else STAY
    return ast.Concat(tuple(flat), span=_NOWHERE)


def repeated(path: ast.Path, low: int, high: int | None) -> ast.Path:
    """At least `low` and at most `high` rounds of a path."""
    if high == 0 or is_stay(path):
        return STAY
    return path if (low, high) == (1, 1) else ast.Repeated(path, low, high, span=_NOWHERE)


def reverse(path: ast.Path) -> ast.Path:
    """The path backwards; it must be plain."""
    match path:
        case ast.Axis(name):
            return ast.Axis(_OPPOSITE[name], span=path.span)
        case ast.Filter():
            return path
        case ast.Concat(parts):
            return joined(*map(reverse, reversed(parts)))
        case ast.Union(parts):
            return ast.Union(tuple(map(reverse, parts)), span=path.span)
        case ast.Repeated(inner, low, high):
            return repeated(reverse(inner), low, high)
        case _:
            raise AssertionError(path)


@frozen
class Occurrence:
    """A step or a filter somewhere in a path; what is walked before it, and what after it."""

    node: ast.Axis | ast.Filter
    before: ast.Path
    after: ast.Path
    """Rounds of a repetition that were made before are not counted: it may allow more."""


def occurrences(
    path: ast.Path, before: ast.Path = STAY, after: ast.Path = STAY
) -> Iterator[Occurrence]:
    """The steps and filters of a plain path, in the order of the text."""
    match path:
        case ast.Axis("cell"):
            return
        case ast.Axis() | ast.Filter():
            yield Occurrence(path, before, after)
        case ast.Concat(parts):
            for ix, part in enumerate(parts):
                yield from occurrences(
                    part, joined(before, *parts[:ix]), joined(*parts[ix + 1 :], after)
                )
        case ast.Union(parts):
            for part in parts:
                yield from occurrences(part, before, after)
        case ast.Repeated(inner):
            others = other_rounds(path)
            yield from occurrences(inner, joined(before, others), joined(others, after))
        case _:
            raise AssertionError(path)


def other_rounds(loop: ast.Repeated) -> ast.Path:
    """The rounds that may come before or after one round of a repetition."""
    return repeated(loop.path, 0, None if loop.high is None else loop.high - 1)


def straight(path: ast.Path) -> Straight:
    """A path of one step and filters around it; `None` if it is another."""
    parts = path.parts if isinstance(path, ast.Concat) else (path,)
    steps = [ix for ix, part in enumerate(parts) if isinstance(part, ast.Axis)]
    if len(steps) != 1:
        return None
    (at,) = steps
    step = parts[at]
    assert isinstance(step, ast.Axis)
    if step.name not in VECTORS:
        return None
    tests = [*parts[:at], *parts[at + 1 :]]
    if not all(isinstance(test, ast.Filter) for test in tests):
        return None
    conditions = tuple(test.condition for test in tests if isinstance(test, ast.Filter))
    return direction_of(step), conditions[:at], conditions[at:]


def direction_of(step: ast.Axis) -> ir.Direction:
    """The direction of a step."""
    match step.name:
        case "up" | "down" | "left" | "right" as direction:
            return direction
        case _:
            raise AssertionError(step)
