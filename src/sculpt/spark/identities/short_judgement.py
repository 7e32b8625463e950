"""Which short entries violate keys and references: those of some buckets, all in one process.

In: the segments of some buckets. Out: rows of violated entries, as `judgement.VIOLATED` has them. A
hash table numbers the entries of a key, or of the right side of a reference; the left side is
looked up in it. Only entries that are in doubt are sorted.

Invariant: as for `judgement`: the numbers of short entries are their texts. Of equal entries, the
first is that of the first file, and in it the one whose row begins first. Of a key in runs,
a run is compared with that of equal entries before it. Cost: one look into the table for each
entry. Memory: the entries of a group.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from sculpt.checks.identities.entries import Entries
from sculpt.checks.identities.table import EntryTable, all_of
from sculpt.kernels import choice
from sculpt.kernels.backend import Backend
from sculpt.spark.identities.entries import KEY, MANY, ONE, RIGHT, RUN
from sculpt.spark.identities.short import HASHING, Segment

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

_BATCH = 1 << 14


class _Keys:
    """The keys of some segments, one after the other."""

    def __init__(self, segments: Sequence[Segment]) -> None:
        import numpy as np

        self._segments = segments
        keys = [each.keys for each in segments]
        self._ends = np.cumsum([len(each) for each in keys]) if keys else np.zeros(0, np.int64)
        self.count = int(self._ends[-1]) if keys else 0
        numbers = np.empty((self.count, 3), np.uint64)
        if keys:
            numbers[:, :2] = np.concatenate(keys)
        numbers[:, 2] = np.arange(self.count)
        self.entries = Entries(numbers.ravel(), False)

    def places(self, which: Array) -> list[tuple[int, Array]]:
        """The file of some keys, and the places of all entries that have each."""
        import numpy as np

        owners = np.searchsorted(self._ends, which, side="right")
        found: list[tuple[int, Array]] = []
        bounds: dict[int, Array] = {}
        for at, owner in zip(which.tolist(), owners.tolist(), strict=True):
            segment = self._segments[owner]
            index = at - (int(self._ends[owner]) - len(segment.keys))
            if segment.counts is None:
                found.append((segment.file, segment.places[index : index + 1]))
                continue
            if owner not in bounds:
                bounds[owner] = np.concatenate([[0], np.cumsum(segment.counts)])
            begin, end = bounds[owner][index], bounds[owner][index + 1]
            found.append((segment.file, segment.places[int(begin) : int(end)]))
        return found

    def firsts(self, which: Array, numbers: Array) -> dict[int, tuple[int, int, int, int, int]]:
        """By number: the index and the place of the first of some keys, which have numbers."""
        found: dict[int, tuple[int, int, int, int, int]] = {}
        rows = zip(which.tolist(), numbers.tolist(), self.places(which), strict=True)
        for at, number, (file, places) in rows:
            row, start, column = places[0, :3].tolist()
            known = found.get(number)
            if known is None or (file, start, column) < (known[1], known[3], known[4]):
                found[number] = (at, file, row, start, column)
        return found


def judged_segments(segments: Sequence[Segment]) -> Iterator[list[tuple[Any, ...]]]:
    """The rows of violated entries, some at a time."""
    by_group: dict[int, list[Segment]] = {}
    for each in segments:
        by_group.setdefault(each.group, []).append(each)
    size = sum(each.keys.nbytes for each in segments)
    backend = choice.for_input(lambda _: size).backend
    for group, own in by_group.items():
        rows: list[tuple[Any, ...]] = []
        for row in _judged(backend, group, own):
            rows.append(row)
            if len(rows) == _BATCH:
                yield rows
                rows = []
        if rows:
            yield rows


def _judged(backend: Backend, group: int, segments: Sequence[Segment]) -> Iterator[tuple[Any, ...]]:
    keys = _Keys([each for each in segments if each.kind in (KEY, RUN)])
    if keys.count:
        judged = _judged_key if segments[0].kind == KEY else _judged_runs
        yield from judged(group, keys, *_repeated(backend, keys))
        return
    left = _Keys([each for each in segments if each.kind in (ONE, MANY)])
    right = _Keys([each for each in segments if each.kind == RIGHT])
    if left.count:
        kind = ONE if any(each.kind == ONE for each in segments) else MANY
        yield from _judged_reference(backend, group, kind, left, right)


def _repeated(backend: Backend, keys: _Keys) -> tuple[Array, Array]:
    """The keys that are equal to others, and a number for each, the same for equal ones."""
    import numpy as np

    table = EntryTable(backend, HASHING)
    table.clear(keys.count)
    which, numbers, _ = table.number(all_of(keys.entries))
    again = np.unique(numbers)
    members = np.concatenate([which, table.firsts[again]])
    return members, np.concatenate([numbers, again])


def _judged_key(
    group: int, keys: _Keys, members: Array, owners: Array
) -> Iterator[tuple[Any, ...]]:
    firsts = keys.firsts(members, owners)
    rows = zip(members.tolist(), owners.tolist(), keys.places(members), strict=True)
    for at, number, (file, places) in rows:
        first = firsts[number]
        if at != first[0]:
            yield _row(group, KEY, file, places, 0, _place(first))


def _judged_runs(
    group: int, keys: _Keys, members: Array, owners: Array
) -> Iterator[tuple[Any, ...]]:
    """The first entries of runs that do not continue the run of equal ones before them."""
    found = [
        (number, *places[0].tolist(), file, places)
        for number, (file, places) in zip(owners.tolist(), keys.places(members), strict=True)
    ]
    found.sort(key=lambda each: (each[0], each[2], each[3]))
    first, before = (-1, -1, -1, -1), -1
    for number, row, _, column, *_, rows, file, places in found:
        if number != first[0]:
            first = (number, file, row, column)
        elif row - before > 1:
            yield _row(group, RUN, file, places[:, :-1], 0, first[1:], before)
        before = row + rows - 1


def _judged_reference(
    backend: Backend, group: int, kind: int, left: _Keys, right: _Keys
) -> Iterator[tuple[Any, ...]]:
    import numpy as np

    table = EntryTable(backend, HASHING)
    table.clear(max(1, right.count))
    again = table.number(all_of(right.entries))
    wrong = table.severals if kind == ONE else np.zeros(len(table.severals), np.uint8)
    asked, numbers = table.seek(all_of(left.entries), 1, 0, wrong, has_absent=True)
    which = asked.places
    several = np.unique(numbers[numbers >= 0])
    firsts: dict[int, tuple[int, int, int, int, int]] = {}
    if len(several):
        mine = np.isin(again[1], several)
        members = np.concatenate([again[0][mine], table.firsts[several]])
        firsts = right.firsts(members, np.concatenate([again[1][mine], several]))
    rows = zip(numbers.tolist(), left.places(which), strict=True)
    for number, (file, places) in rows:
        if number < 0:
            yield _row(group, kind, file, places, 0, (-1, -1, -1))
        else:
            yield _row(group, kind, file, places, 2, _place(firsts[number]))


def _place(first: tuple[int, int, int, int, int]) -> tuple[int, int, int]:
    """File, row and column."""
    _, file, row, _, column = first
    return file, row, column


def _row(
    group: int,
    kind: int,
    file: int,
    places: Array,
    targets: int,
    first: tuple[int, int, int],
    before: int = -1,
) -> tuple[Any, ...]:
    """A row of `judgement.VIOLATED`; `targets` says whether there are none or several."""
    import numpy as np

    row, _, column = places[0, :3].tolist()
    packed = np.insert(places, 2, 0, axis=1).tobytes()  # these have no items
    return (group, kind, file, row, column, len(places), packed, targets, *first, before)
