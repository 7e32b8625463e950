"""Aggregates of numbers in cells: exact, and mergeable wherever the table is cut.

In: the texts of cells. Out: a `Tally`: how many cells and numbers there are, their sum, least,
greatest and, for a median, how often each number occurs. Numbers are stored as whole multiples of
the smallest decimal place seen, so nothing is rounded. Empty and padded cells are not numbers and
do not count as such; any other text that is not a number is recorded with its cell.

Invariant: merging is associative, and the tally of a region is the merged tallies of its parts. An
average has as many decimals as the number that was written with the most, rounded half away from
zero; so has a median. Cost: some nanoseconds per number of up to 18 digits; longer ones are read
one by one.
"""

from __future__ import annotations

import re
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from sculpt.core.builtins import FRIENDLY
from sculpt.values import field, mutable

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    from sculpt.kernels.backend import Backend

    Array = np.ndarray[Any, Any]

_NUMBER = re.compile(FRIENDLY["Number"], re.DOTALL)
_MAX = 1 << 62
_POWERS = [10**n for n in range(19)]
"""What fits 64 bits; a number with more decimals is read individually."""
MAX_PLACES = 1000
"""The largest exponent of a number, either way: `1e-999999` would fill the memory."""
MAX_BAD = 1000


@mutable
class Tally:
    """What is known about the numbers in some cells."""

    cells: int = 0
    """Cells that are not padded."""
    numbers: int = 0
    places: int = 0
    """The most decimals; the numbers below are whole multiples of this decimal place."""
    sum: int = 0
    least: int | None = None
    greatest: int | None = None
    occurrences: Counter[int] | None = None
    """How often each number occurs; kept only for a median."""
    bad: list[tuple[int, str]] = field(default_factory=list)
    """The first cells that hold some other text, each with that text."""
    bad_count: int = 0

    def add(self, value: int, places: int, times: int = 1) -> None:
        """Add a number, given as a whole multiple of a decimal place."""
        self.rescale(places)
        value *= 10 ** (self.places - places)
        self.numbers += times
        self.sum += value * times
        self.least = value if self.least is None else min(self.least, value)
        self.greatest = value if self.greatest is None else max(self.greatest, value)
        if self.occurrences is not None:
            self.occurrences[value] += times

    def rescale(self, places: int) -> None:
        """Express the numbers as whole multiples of a smaller decimal place."""
        if places <= self.places:
            return
        factor = 10 ** (places - self.places)
        self.places = places
        self.sum *= factor
        self.least = None if self.least is None else self.least * factor
        self.greatest = None if self.greatest is None else self.greatest * factor
        if self.occurrences is not None:
            self.occurrences = Counter({n * factor: c for n, c in self.occurrences.items()})

    def merge(self, other: Tally) -> None:
        """Add the numbers of other cells."""
        self.rescale(other.places)
        factor = 10 ** (self.places - other.places)
        self.cells += other.cells
        self.numbers += other.numbers
        self.sum += other.sum * factor
        for value in (other.least, other.greatest):
            if value is not None:
                value *= factor
                self.least = value if self.least is None else min(self.least, value)
                self.greatest = value if self.greatest is None else max(self.greatest, value)
        if self.occurrences is not None and other.occurrences is not None:
            for number, times in other.occurrences.items():
                self.occurrences[number * factor] += times
        self.bad = (self.bad + other.bad)[:MAX_BAD]
        self.bad_count += other.bad_count

    def result(self, function: str) -> Decimal | int | None:
        """An aggregate; `None` if it needs a number and there is none."""
        match function:
            case "Count":
                return self.cells
            case "Sum":
                return self._decimal(self.sum)
        if not self.numbers:
            return None
        assert self.least is not None
        assert self.greatest is not None
        match function:
            case "Min":
                return self._decimal(self.least)
            case "Max":
                return self._decimal(self.greatest)
            case "Average":
                return self._decimal(_rounded(Fraction(self.sum, self.numbers)))
        assert function == "Median"
        return self._decimal(_rounded(self._median()))

    def _median(self) -> Fraction:
        assert self.occurrences is not None
        low, high = (self.numbers - 1) // 2, self.numbers // 2
        seen = 0
        found: list[int] = []
        for number, times in sorted(self.occurrences.items()):
            found += [number] * sum(seen <= at < seen + times for at in {low, high})
            seen += times
        return Fraction(sum(found), len(found))

    def _decimal(self, value: int) -> Decimal:
        digits = Decimal(abs(value)).as_tuple().digits  # `str` refuses thousands of digits
        return Decimal((int(value < 0), digits, -self.places))


def _rounded(value: Fraction) -> int:
    """The nearest whole number; halves go away from zero."""
    size = (2 * abs(value.numerator) + value.denominator) // (2 * value.denominator)
    return size if value >= 0 else -size


def number_of(text: str) -> tuple[int, int] | None:
    """A number as a whole multiple of a decimal place; `None` if the text is not a number."""
    if not _NUMBER.fullmatch(text):
        return None
    exponent = re.search(r"[eE][+-]?0*([0-9]*)$", text)
    if exponent and (len(exponent[1]) > 4 or int(exponent[1] or 0) > MAX_PLACES):
        return None
    value = Decimal(text)
    sign, digits, power = value.as_tuple()
    assert isinstance(power, int)
    whole = int(Decimal((0, digits, 0))) * 10 ** max(0, power)
    return (-whole if sign else whole), max(0, -power)


def tallies(
    texts: pa.Array, cells: Array, groups: Array, count: int, wants_median: bool, backend: Backend
) -> list[Tally]:
    """The tallies of `count` groups of cells, given the text and the group of each cell."""
    import numpy as np
    import pyarrow as pa

    from sculpt.transform.evaluation.casts import Numbers

    found = [Tally(occurrences=Counter() if wants_median else None) for _ in range(count)]
    nulls = texts.is_null().to_numpy(zero_copy_only=False)
    for group, cells_there in enumerate(np.bincount(groups[~nulls], minlength=count).tolist()):
        found[group].cells = cells_there
    numbers = Numbers(texts, backend, -1, 0)
    values, places = numbers.values, numbers.places
    known = numbers.known & (places < len(_POWERS))
    top = int(places[known].max()) if known.any() else 0
    scale = np.array(_POWERS, dtype=np.float64)
    if known.any() and np.abs(values * scale[top - np.where(known, places, top)]).max() >= _MAX:
        known = np.zeros_like(known)  # too large for multiples of one place: read one by one
    if known.any():
        scaled = values[known] * np.array(_POWERS)[top - places[known]]
        own = np.zeros(count, dtype=np.int64)
        np.maximum.at(own, groups[known], places[known])
        _add_all(found, scaled, groups[known], top, own)
    left = np.flatnonzero(~known & ~nulls)
    for at, text in zip(left.tolist(), texts.take(pa.array(left)).to_pylist(), strict=True):
        number = number_of(text)
        tally = found[int(groups[at])]
        if number is not None:
            tally.add(*number)
        elif text:
            tally.bad_count += 1
            if len(tally.bad) < MAX_BAD:
                tally.bad.append((int(cells[at]), text))
    return found


def _add_all(
    found: list[Tally], scaled: Array, groups: Array, places: int, own_places: Array
) -> None:
    """Add many numbers of one decimal place; `own_places` are the most decimals of each group."""
    import numpy as np

    count = len(found)
    mask = (1 << 31) - 1
    sums = np.zeros((2, count), dtype=np.int64)
    np.add.at(sums[0], groups, scaled & mask)
    np.add.at(sums[1], groups, scaled >> 31)
    least, greatest = np.full(count, _MAX), np.full(count, -_MAX)
    np.minimum.at(least, groups, scaled)
    np.maximum.at(greatest, groups, scaled)
    for group, times in enumerate(np.bincount(groups, minlength=count).tolist()):
        if not times:
            continue
        tally, own = found[group], int(own_places[group])
        factor = 10 ** (places - own)
        total = int(sums[0, group]) + (int(sums[1, group]) << 31)
        counts: Counter[int] | None = None
        if tally.occurrences is not None:
            numbers, repeats = np.unique(scaled[groups == group] // factor, return_counts=True)
            counts = Counter(dict(zip(numbers.tolist(), repeats.tolist(), strict=True)))
        sizes = (total // factor, int(least[group]) // factor, int(greatest[group]) // factor)
        tally.merge(Tally(0, times, own, *sizes, counts))
