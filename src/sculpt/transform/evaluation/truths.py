"""Conditions, for many iterations at once.

In: a condition, and what computes the values in it (`evaluator`). Out: `Truths`: for each iteration
true, false or neither (unknown). What they mean is in `core.programs.conditions`. Of a condition
that is false, `culprits` tells the question that decides it.

Invariant: the truths are those of `transform.truth`, iteration by iteration. Cost: a few array
operations per question; sides of different Arrow types are compared one by one.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol, assert_never

from sculpt.core.programs import conditions as q
from sculpt.core.programs import expressions as c
from sculpt.kernels.loops.lookups import NOWHERE
from sculpt.syntax.programs.conditions import Relation
from sculpt.syntax.programs.functions import TestName
from sculpt.transform.conditions.truth import tests
from sculpt.transform.evaluation.casts import mapped
from sculpt.transform.evaluation.reporting import Reporter, Voice
from sculpt.transform.writers.rendering import texts_of
from sculpt.values import frozen

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    Array = np.ndarray[Any, Any]

_KERNELS: dict[Relation, str] = {
    "<": "less", "<=": "less_equal", ">": "greater", ">=": "greater_equal", "=": "equal",
    "!=": "not_equal",
}  # fmt: skip
RELATIONS: dict[Relation, Callable[[Any, Any], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "=": operator.eq,
    "!=": operator.ne,
}  # fmt: skip


_TESTS: dict[TestName, str] = {
    "contains": "match_substring", "starts": "starts_with", "ends": "ends_with",
}  # fmt: skip


@frozen
class Truths:
    """By iteration: is it true, is it false? Neither means unknown."""

    true: Array
    false: Array


class Values(Protocol):
    """What a condition asks."""

    reporter: Reporter
    noted: dict[int, Truths] | None
    """If it is wanted: the truths of all parts of a condition, by `id`."""
    compared: dict[int, pa.Array]
    """By `id`, if `noted` is wanted: the values that are compared."""

    def array(self, value: c.Value) -> pa.Array:
        """The value in each iteration."""

    def cells(self, cell: c.Cell) -> Array:
        """The cell of each iteration."""

    def holds(self, cells: Array, region: int) -> Array:
        """By cell: is it in the region? The cells exist."""

    def mapping(self, name: str) -> Mapping[str, str]:
        """A mapping."""

    def has_file(self, path: str) -> bool:
        """Is there a file with this path?"""


def truths(condition: q.Condition, values: Values) -> Truths:
    """The truth of a condition in each iteration."""
    found = _truths(condition, values)
    if values.noted is not None:
        values.noted[id(condition)] = found
    return found


def culprits(
    condition: q.Condition, wanted: bool, where: Array, noted: Mapping[int, Truths]
) -> Iterator[tuple[q.Question, Array]]:
    """The first questions that make a condition true (`wanted`) or false, and in which iterations.

    The condition has this truth in the iterations of `where`; `noted` has all its truths.
    """
    match condition:
        case q.Not(part):
            yield from culprits(part, not wanted, where, noted)
        case q.And(parts) | q.Or(parts):
            decides = isinstance(condition, q.Or)
            if wanted is not decides:
                parts = parts[:1]
            for part in parts:
                known = noted[id(part)]
                mine = where if wanted is not decides else where & _side(known, wanted)
                yield from culprits(part, wanted, mine, noted)
                where = where & ~mine
        case q.Choice(first, then, otherwise):
            taken = noted[id(first)].true
            yield from culprits(then, wanted, where & taken, noted)
            if otherwise is not None:
                yield from culprits(otherwise, wanted, where & ~taken, noted)
            else:
                yield q.questions_of(first)[0], where & ~taken
        case _:
            yield condition, where


def _side(found: Truths, wanted: bool) -> Array:
    return found.true if wanted else found.false


def _truths(condition: q.Condition, values: Values) -> Truths:
    match condition:
        case q.Comparison(left, relation, right):
            one, other = values.array(left), values.array(right)
            if values.noted is not None:
                values.compared |= {id(left): one, id(right): other}
            return _compared(one, relation, other)
        case q.Is():
            return _held(condition, values)
        case q.In(value, name):
            known = values.mapping(name)
            texts = texts_of(values.array(value))
            return _of(mapped(texts, lambda text: "1" if text in known else ""), texts)
        case q.Test(function, value, part):
            return _tested(function, values.array(value), values.array(part))
        case q.IsFile(value):
            paths = texts_of(values.array(value))
            has = values.has_file
            return _of(mapped(paths, lambda path: "1" if has(path) else ""), paths)
        case q.Not(part):
            found = truths(part, values)
            return Truths(found.false, found.true)
        case q.And(parts):
            return _all(parts, values)
        case q.Or(parts):
            opposite = _all(tuple(q.Not(part) for part in parts), values)
            return Truths(opposite.false, opposite.true)
        case q.Choice(first, then, otherwise):
            return _chosen(first, then, otherwise, values)
        case _:
            assert_never(condition)


def _all(parts: tuple[q.Condition, ...], values: Values) -> Truths:
    first, *others = parts
    found = truths(first, values)
    for part in others:
        with values.reporter.only(~found.false):
            more = truths(part, values)
        found = Truths(found.true & more.true, found.false | more.false)
    return found


def _chosen(
    first: q.Condition, then: q.Condition, otherwise: q.Condition | None, values: Values
) -> Truths:
    import numpy as np

    taken = truths(first, values).true
    with values.reporter.only(taken):
        one = truths(then, values)
    if otherwise is None:
        return Truths(~taken | one.true, taken & one.false)
    with values.reporter.only(~taken):
        other = truths(otherwise, values)
    return Truths(np.where(taken, one.true, other.true), np.where(taken, one.false, other.false))


def _held(condition: q.Is, values: Values) -> Truths:
    import numpy as np

    reporter = values.reporter
    if condition.is_optional:
        with reporter.voice(Voice.QUIET):
            cells = values.cells(condition.cell.cell)
    else:
        cells = values.cells(condition.cell.cell)
    known = cells != NOWHERE
    held = np.zeros(len(cells), dtype=np.bool_)
    held[known] = values.holds(cells[known], condition.region)
    return Truths(held, known & ~held)


def _of(answers: pa.Array, asked: pa.Array) -> Truths:
    """Truths from texts that are empty for false."""
    import pyarrow.compute as pc

    known = asked.is_valid().to_numpy(zero_copy_only=False)
    yes = pc.not_equal(texts_of(answers), "").fill_null(False).to_numpy(zero_copy_only=False)
    return Truths(yes & known, known & ~yes)


def _tested(function: TestName, values: pa.Array, parts: pa.Array) -> Truths:
    import pyarrow as pa
    import pyarrow.compute as pc

    texts, wanted = texts_of(values), texts_of(parts)
    if isinstance(parts, pa.DictionaryArray) and len(parts.dictionary) == 1 and len(parts):
        part = parts.dictionary[0].as_py()  # UTF-8: a part of the bytes is one of the characters
        answers = pc.call_function(_TESTS[function], [texts], pc.MatchSubstringOptions(part))
        answers = pc.if_else(wanted.is_valid(), answers, pa.scalar(None, pa.bool_()))
    else:
        pairs = zip(texts.to_pylist(), wanted.to_pylist(), strict=True)
        found = [None if a is None or b is None else tests(function, a, b) for a, b in pairs]
        answers = pa.array(found, pa.bool_())
    return _known(answers)


def _known(answers: pa.Array) -> Truths:
    """Truths from truth values of which some are null."""
    known = answers.is_valid().to_numpy(zero_copy_only=False)
    yes = answers.fill_null(False).to_numpy(zero_copy_only=False)
    return Truths(yes & known, known & ~yes)


def _compared(left: pa.Array, relation: Relation, right: pa.Array) -> Truths:
    import numpy as np
    import pyarrow.compute as pc

    one, other = _plain(left), _plain(right)
    if one.type == other.type:
        return _known(pc.call_function(_KERNELS[relation], [one, other]))
    compare = RELATIONS[relation]
    pairs = list(zip(one.to_pylist(), other.to_pylist(), strict=True))
    found = [None if a is None or b is None else compare(a, b) for a, b in pairs]
    true = np.fromiter((each is True for each in found), np.bool_, len(found))
    false = np.fromiter((each is False for each in found), np.bool_, len(found))
    return Truths(true, false)


def _plain(array: pa.Array) -> pa.Array:
    import pyarrow as pa

    return texts_of(array) if pa.types.is_dictionary(array.type) else array
