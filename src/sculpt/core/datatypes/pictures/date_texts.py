"""The texts of a picture of a date or a time that compare in some way with a bound.

In: the parts of a picture, a `Bound`, and which orders are asked for. Out: a regular language. Only
days that exist are in it: no 31 April, no 29 February 2023.

Fields can stand in any order, the least significant one first. So the picture becomes a small
automaton that reads no characters, but classes of values that the bound does not tell apart: years
before that of the bound, leap years after it, …. Its states are what the fields so far say. States
after which the same can follow are one, and each state becomes the expression of the texts that
lead to it. What follows is then written once, and the automaton that reads the texts is hardly
larger than it must be: 74 states for `dd/MM/yyyy` from 2010-06-15 on, 424 for 20 such bounds.

Cost: some milliseconds for dates, and times after them; less than a second for fields that stand in
any wild order.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from functools import cache, partial, reduce
from itertools import pairwise
from operator import or_
from typing import TypeAlias

from sculpt.core.datatypes.algebra import Chars, chain, either
from sculpt.core.datatypes.moments import EXACT, HOUR, MINUTE, Moment, days_in, is_leap
from sculpt.core.datatypes.pictures.date_parts import (
    DATE,
    Field,
    Kind,
    Part,
    full_year,
    spellings,
)
from sculpt.core.datatypes.pictures.number_sets import (
    Numbers,
    members,
    numbers_in,
    numerals,
    numerals_between,
)
from sculpt.core.datatypes.pictures.relations import order_of
from sculpt.syntax.regular import Epsilon, Nothing, literal
from sculpt.values import frozen

Values: TypeAlias = Numbers
"""Values of a field. For a fraction of a second: 0 if it is below the bound's, 1 if equal, 2."""
Classes: TypeAlias = frozenset[int]
"""Classes of values of a field, each by its smallest value."""
Known: TypeAlias = "tuple[int | None, ...] | int"
"""The fields that have been read, or the order if all have been."""
State: TypeAlias = tuple[Known, Known]
"""What is known of the day and of the time."""
Accepts: TypeAlias = Callable[[int, int], bool]
"""Whether an order of the day, and of the time, is asked for."""
Moves: TypeAlias = dict[int, dict[int, Classes]]
"""From state to state, by which classes of values."""

LEAP_YEAR = 1972
LAST_YEAR = 9999
_TIME: tuple[Kind, ...] = ("hour", "hour of 12", "half of day", "minute", "second", "fraction")
_ONLY = 0
"""The class of what is not compared."""
_DOMAINS: dict[Kind, range] = {
    "month": range(1, 13),
    "day": range(1, 32),
    "hour": range(24),
    "hour of 12": range(1, 13),
    "half of day": range(2),
    "minute": range(60),
    "second": range(60),
    "fraction": range(3),
    "weekday": range(1),
    "zone": range(1),
}
_DEAD, _FINAL = 0, 1


@frozen
class Bound:
    """What is compared with: a range of days, and a time."""

    first: tuple[int, int, int]
    last: tuple[int, int, int]
    time: tuple[int, int, int]
    fraction: Decimal


def bound_of(moment: Moment, days: int = 0) -> Bound:
    """The bound of a moment, whose day is widened by some days before and after it."""
    whole = int(moment.second)
    day = (moment.year, moment.month, moment.day)
    return Bound(
        _shifted(day, -days),
        _shifted(day, days),
        (whole // HOUR, whole % HOUR // MINUTE, whole % MINUTE),
        EXACT.subtract(moment.second, Decimal(whole)),
    )


def _shifted(date: tuple[int, int, int], days: int) -> tuple[int, int, int]:
    """The day that is some days, less than a month, after another."""
    year, month, day = date
    day += days
    if day < 1:
        year, month = (year - 1, 12) if month == 1 else (year, month - 1)
        return year, month, day + days_in(year, month)
    if days > 0 and day > days_in(year, month):
        day -= days_in(year, month)
        year, month = (year + 1, 1) if month == 12 else (year, month + 1)
    return year, month, day


def date_texts(parts: tuple[Part, ...], bound: Bound | None, accepts: Accepts) -> Chars:
    """The texts whose orders against the bound are accepted; without a bound, orders are 0."""
    reader = _Reader(parts, bound)
    layers: list[dict[State, list[tuple[int, State]]]] = []
    states = {reader.start}
    for part in parts:
        layers.append({state: reader.moves(state, part) for state in states})
        states = {target for moves in layers[-1].values() for _, target in moves}
    numbers = {state: _FINAL if reader.accepts(state, accepts) else _DEAD for state in states}
    rows: list[Moves] = []
    for layer in reversed(layers):
        numbers, moves = _merged(layer, numbers)
        rows.append(moves)
    found: dict[int, Chars] = {numbers[reader.start]: Epsilon()}
    begun: Chars = Epsilon()
    """What all texts begin with, so that it need not stand in each of the found."""
    for part, moves in zip(parts, reversed(rows), strict=True):
        found = _longer(found, moves, partial(reader.texts, part))
        if len(found) == 1:
            ((state, text),) = found.items()
            begun, found = chain(begun, text), {state: Epsilon()}
    return begun if _FINAL in found else Nothing()


def _merged(
    layer: dict[State, list[tuple[int, State]]], numbers: dict[State, int]
) -> tuple[dict[State, int], Moves]:
    """Number the states of a layer, those alike by the same number; and their moves."""
    known: dict[frozenset[tuple[int, Classes]], int] = {}
    found: dict[State, int] = {}
    moves: Moves = {_DEAD: {}}
    for state, outs in layer.items():
        row: dict[int, Classes] = {}
        for example, target in outs:
            number = numbers[target]
            if number != _DEAD:
                row[number] = row.get(number, frozenset()) | {example}
        if not row:
            found[state] = _DEAD
            continue
        found[state] = known.setdefault(frozenset(row.items()), len(known) + 1)
        moves[found[state]] = row
    return found, moves


def _longer(
    found: dict[int, Chars], moves: Moves, texts: Callable[[Classes], Chars]
) -> dict[int, Chars]:
    """The texts that lead to each state, one part later."""
    ways: dict[tuple[int, Classes], list[Chars]] = {}
    for source, prefix in found.items():
        for target, classes in moves[source].items():
            ways.setdefault((target, classes), []).append(prefix)
    longer: dict[int, list[Chars]] = {}
    for (target, classes), prefixes in ways.items():
        longer.setdefault(target, []).append(chain(either(*prefixes), texts(classes)))
    return {target: either(*parts) for target, parts in longer.items()}


class _Reader:
    """What the fields of a text say about its order against the bound."""

    def __init__(self, parts: tuple[Part, ...], bound: Bound | None) -> None:
        present = {part.kind for part in parts if isinstance(part, Field)}
        self._bound = bound
        self._day = tuple(kind for kind in DATE if kind in present)
        self._time = tuple(kind for kind in _TIME if kind in present)
        self._classes = {part: self._classed(part) for part in parts if isinstance(part, Field)}
        day = self._order_of_day(()) if not self._day else (None,) * len(self._day)
        time = self._order_of_time(()) if not self._time else (None,) * len(self._time)
        assert day is not None
        self.start: State = (day, time)

    def accepts(self, state: State, accepts: Accepts) -> bool:
        """Is the order of a text that has been read asked for?"""
        day, time = state
        assert isinstance(day, int)
        assert isinstance(time, int)
        return accepts(day, time)

    def moves(self, state: State, part: Part) -> list[tuple[int, State]]:
        """Where the classes of values of a part lead."""
        if isinstance(part, str):
            return [(_ONLY, state)]
        day, time = state
        found: list[tuple[int, State]] = []
        for example in self._classes[part]:
            if part.kind in self._day:
                assert isinstance(day, tuple)
                known = self._day_after(_with(day, self._day.index(part.kind), example))
                if known is not None:
                    found.append((example, (known, time)))
            elif part.kind in self._time:
                assert isinstance(time, tuple)
                all_known = _with(time, self._time.index(part.kind), example)
                found.append((example, (day, self._time_after(all_known))))
            else:
                found.append((example, state))
        return found

    def _day_after(self, known: tuple[int | None, ...]) -> Known | None:
        full = tuple(each for each in known if each is not None)
        return self._order_of_day(full) if len(full) == len(known) else known

    def _time_after(self, known: tuple[int | None, ...]) -> Known:
        full = tuple(each for each in known if each is not None)
        return self._order_of_time(full) if len(full) == len(known) else known

    def _order_of_day(self, day: tuple[int, ...]) -> int | None:
        """The order of a day; `None` if there is no such day."""
        fields = dict(zip(self._day, day, strict=True))
        if "day" in fields and "month" in fields:
            year = fields.get("year", LEAP_YEAR)
            if fields["day"] > days_in(year, fields["month"]):
                return None
        if self._bound is None:
            return 0
        first, last = (
            tuple(date[DATE.index(kind)] for kind in self._day)
            for date in (self._bound.first, self._bound.last)
        )
        return -1 if day < first else int(day > last)

    def _order_of_time(self, time: tuple[int, ...]) -> int:
        if self._bound is None:
            return 0
        fields = dict(zip(self._time, time, strict=True))
        hour = fields.get("hour", 0)
        if "hour of 12" in fields:
            hour = fields["hour of 12"] % 12 + 12 * fields["half of day"]
        whole = (hour, fields.get("minute", 0), fields.get("second", 0))
        missing = order_of(0, self._bound.fraction) + 1
        return order_of(whole, self._bound.time) or fields.get("fraction", missing) - 1

    def _classed(self, field: Field) -> dict[int, Values]:
        """The values of a field that the bound does not tell apart, by the smallest of them."""
        alike: dict[object, Values] = {}
        for values in self._domain(field):
            key = self._key(field.kind, next(members(values)))
            alike[key] = alike.get(key, 0) | values
        return {next(members(values)): values for values in alike.values()}

    def _domain(self, field: Field) -> list[Values]:
        """All values of a field, in sets of which each is within one class."""
        if field.kind != "year":
            return [1 << value for value in _DOMAINS[field.kind]]
        if field.count == 2:
            return [1 << full_year(field, number) for number in range(100)]
        bounds = () if self._bound is None else (self._bound.first[0], self._bound.last[0])
        starts = {1, LAST_YEAR + 1, *(cut for year in bounds for cut in (year, year + 1))}
        ranges = pairwise(sorted(start for start in starts if 1 <= start <= LAST_YEAR + 1))
        spans = [numbers_in(start, end - 1) for start, end in ranges]
        leap = _leap_years()
        return [part for span in spans for part in (span & leap, span & ~leap) if part]

    def _key(self, kind: Kind, value: int) -> object:
        bound = self._bound
        if kind in DATE:
            dates = () if bound is None else (bound.first, bound.last)
            orders = tuple(order_of(value, date[DATE.index(kind)]) for date in dates)
            return orders, _calendar_class(kind, value)
        if kind in ("hour", "minute", "second"):
            place = ("hour", "minute", "second").index(kind)
            return 0 if bound is None else order_of(value, bound.time[place])
        if kind == "hour of 12" and bound is not None:
            return tuple(order_of(value % 12 + half, bound.time[0]) for half in (0, 12))
        return 0 if bound is None else value

    def texts(self, part: Part, classes: Classes) -> Chars:
        """How a part is written if it has a value of some classes."""
        if isinstance(part, str):
            return literal(part)
        values = reduce(or_, (self._classes[part][example] for example in classes))
        if part.kind == "zone":
            return zone_texts(part)
        if part.kind == "weekday":
            return either(*(literal(each) for name in part.names for each in spellings(name)))
        if part.kind == "fraction":
            return self._fractions(part.count, values)
        if part.names:
            first = 1 if part.kind == "month" else 0
            names = (part.names[value - first] for value in members(values))
            return either(*(literal(each) for name in names for each in spellings(name)))
        if part.kind == "year" and part.count == 2:
            values = sum(1 << year % 100 for year in members(values))
        least, most = part.widths
        return either(*(numerals(values, width) for width in range(least, most + 1)))

    def _fractions(self, width: int, orders: Values) -> Chars:
        """The fractions of a second of `width` digits in some orders against the bound's."""
        if self._bound is None or orders == numbers_in(0, 2):
            return numerals_between(0, 10**width - 1, width)
        scaled = EXACT.scaleb(self._bound.fraction, width)
        equal = int(scaled)
        is_exact = scaled == equal
        ranges = (
            (0, equal - 1 if is_exact else equal),
            (equal, equal if is_exact else equal - 1),
            (equal + 1, 10**width - 1),
        )
        parts = [ranges[order] for order in members(orders)]
        return either(*(numerals_between(low, high, width) for low, high in parts))


@cache
def _leap_years() -> Numbers:
    return reduce(or_, (1 << year for year in range(1, LAST_YEAR + 1) if is_leap(year)))


def _with(known: tuple[int | None, ...], place: int, value: int) -> tuple[int | None, ...]:
    return (*known[:place], value, *known[place + 1 :])


def _calendar_class(kind: Kind, value: int) -> int:
    """Values of the same class are alike where it is asked which days exist."""
    if kind == "year":
        return is_leap(value)
    return days_in(LEAP_YEAR, value) if kind == "month" else max(value, 28)


def zone_texts(field: Field) -> Chars:
    """How time zones are written, from -14:00 to +14:00."""
    colon = literal(":" if field.count in (3, 5) else "")
    hours = numerals(numbers_in(0, 13), 2)
    with_minutes = either(
        chain(hours, colon, numerals(numbers_in(0, 59), 2)),
        chain(literal("14"), colon, literal("00")),
    )
    alone = numerals(numbers_in(0, 14), 2) if field.count == 1 else Nothing()
    sign = either(literal("+"), literal("-"))
    utc = literal("Z") if field.symbol == "X" else Nothing()
    return either(utc, chain(sign, either(alone, with_minutes)))
