"""Which entries violate keys and references: one shuffle, then a few numbers for each file.

In: the entries of all tables, as a data frame (`entries`). Out: a data frame of the rows that are
violated, each with the place of the first equal entry; and `Summary`s: what was counted, how many
violations there are, where they are, and the first of them.

Equal entries meet in one partition (`buckets`), and there in one Arrow dictionary, so only those
that are in doubt are sorted: the entries of a key that has several, the targets of a reference that
are several. An entry of a key in runs is violated if it is not the first, and `before`, the row of
the equal entry before it, is not its own row or the one above. In the first round rows count from
where chunks begin: there, two rows may look further apart than they are, never closer.

Invariant: the bytes of entries are compared, so no collision of hashes matters. What the driver
receives is bounded by the files, the statements and the number of violations to show. Memory: the
entries of a partition of the shuffle, of which there are as many as the size of the data asks for.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from sculpt.engines.walk.heat import step_for
from sculpt.spark.cluster.watch import failing, watching
from sculpt.spark.cluster.workers import map_in_arrow
from sculpt.spark.identities.buckets import unpacked
from sculpt.spark.identities.entries import COUNTS, HEAD, KEY, MANY, ONE, RIGHT, RUN, SEVERAL
from sculpt.spark.identities.runs import rows_before
from sculpt.spark.units import OnProgress, record_batch
from sculpt.values import field, frozen, mutable
from sculpt.verdict import HEAT_COLUMNS, HEAT_ROWS, Heat

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from pyspark.sql import DataFrame

    Array = np.ndarray[Any, Any]

CODES = ("key", "reference-none", "reference-several", "key-several")
_KEY, _NONE, _SEVERAL_TARGETS, _SEVERAL_CELLS = range(4)


VIOLATED = (
    "group long, side int, file long, row long, column long, count long, places binary,"
    " targets long, first_file long, first_row long, first_column long, before long"
)
_OWN = ("group", "side", "file", "row", "column", "count", "places")
_FIRST = ("first_file", "first_row", "first_column")


def violated(entries: DataFrame, partitions: int) -> DataFrame:
    """The rows of packed entries that are violated, and those that only count."""
    return map_in_arrow(entries.repartition(partitions, "bucket"), judged_batches, VIOLATED)


def judged_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """A function for the workers: all entries of some buckets in, violated rows out."""
    entries, short = unpacked(batches)
    if entries is not None:
        yield from _judged(entries.combine_chunks())
    if short:
        from sculpt.spark.identities.short_judgement import judged_segments

        for found in judged_segments(short):
            yield record_batch(VIOLATED, found)


def _judged(entries: pa.Table) -> Iterator[pa.RecordBatch]:
    import numpy as np
    import pyarrow as pa

    side, file, row, start, column, count = (
        np.asarray(entries.column(name)).astype(np.int64)
        for name in ("side", "file", "row", "start", "column", "count")
    )
    numbers, most = _equal(entries)
    targets = np.bincount(numbers, np.where(side == RIGHT, count, 0), most).astype(np.int64)
    is_key = (side == KEY) | (side == RUN)
    own = np.bincount(numbers, is_key, most)
    order = (column, start, file, numbers)  # where a row begins is known wherever a file is cut
    twice = np.flatnonzero(is_key & (own[numbers] > 1))
    several = np.flatnonzero((side == ONE) & (targets[numbers] > 1))
    none = np.flatnonzero(((side == ONE) | (side == MANY)) & (targets[numbers] == 0))
    firsts = np.full(len(side), -1)
    firsts[twice] = _first_of(twice, order)
    wanted = np.zeros(most, bool)
    wanted[numbers[several]] = True
    rights = np.flatnonzero((side == RIGHT) & wanted[numbers])
    first_right = np.full(most, -1)
    first_right[numbers[rights]] = _first_of(rights, order)
    firsts[several] = first_right[numbers[several]]
    before = rows_before(twice[side[twice] == RUN], order, row + count - 1)
    again = twice[firsts[twice] != twice]
    again = again[row[again] - before[again] > 1]
    chosen = np.concatenate([np.flatnonzero(side < KEY), again, none, several])
    if len(chosen):
        first = firsts[chosen]
        table = entries.select(list(_OWN)).take(pa.array(chosen))
        sizes = np.where(side == RUN, 1, count)[chosen]  # places, of which a run has one
        table = table.set_column(_OWN.index("count"), "count", pa.array(sizes, pa.int64()))
        added = (targets[numbers[chosen]], file[first], row[first], column[first], before[chosen])
        for name, array in zip(("targets", *_FIRST, "before"), added, strict=True):
            table = table.append_column(name, pa.array(array, pa.int64()))
        yield from table.combine_chunks().to_batches(max_chunksize=1 << 16)


def _equal(entries: pa.Table) -> tuple[Array, int]:
    """By row: the number of its group and key; and how many numbers there are."""
    import numpy as np

    keys = entries.column("key").combine_chunks().dictionary_encode()
    numbers = np.asarray(keys.indices).astype(np.int64)
    groups, group = np.unique(np.asarray(entries.column("group")), return_inverse=True)
    if len(groups) == 1:
        return numbers, len(keys.dictionary)
    both, numbers = np.unique(numbers * len(groups) + group, return_inverse=True)
    return numbers, len(both)


def _first_of(rows: Array, order: tuple[Array, ...]) -> Array:
    """By row of some rows: the first of those with the same number."""
    import numpy as np

    if not len(rows):
        return rows
    sorted_rows = rows[np.lexsort([each[rows] for each in order])]
    numbers = order[-1]
    begins = np.flatnonzero(np.diff(numbers[sorted_rows], prepend=-1))
    firsts = sorted_rows[begins]
    return firsts[np.searchsorted(numbers[firsts], numbers[rows])]


class Fact(NamedTuple):
    """One violation: bare numbers, in the order of the table."""

    row: int
    column: int
    code: str
    item: int
    """The item; for several cells of a part, the part."""
    start: int
    columns: tuple[int, ...]
    """The columns of all parts."""
    other: tuple[int, int, int] | None
    """File, row and column of the first equal entry, or of the first target."""


@frozen(eq=False)
class Facts:
    """Violations of one statement in one file, as arrays."""

    identity: int
    file: int
    places: Array
    """As `entries` packs them."""
    codes: Array
    others: Array
    """File, row and column."""
    befores: Array
    """Of a key in runs, the row of the equal entry before; else -1."""

    def at(self, which: Array) -> Facts:
        """Those at some places of the arrays."""
        arrays = (self.places, self.codes, self.others, self.befores)
        return Facts(self.identity, self.file, *(each[which] for each in arrays))

    def listed(self) -> list[Fact]:
        """The violations, in the order of the table."""
        found: list[Fact] = []
        rows = zip(self.places.tolist(), self.codes.tolist(), self.others.tolist(), strict=True)
        for (row, start, item, *columns), code, (file, first, column) in rows:
            other = (file, first, column) if code in (_KEY, _SEVERAL_TARGETS) else None
            own = (row, columns[0], CODES[code], item, start)
            found.append(Fact(*own, tuple(columns), other))
        return sorted(found, key=order_of)


def order_of(fact: Fact) -> tuple[int, int, str, int]:
    """Sorts violations of one statement in the order of the table."""
    return fact.row, fact.column, fact.code, fact.item


def facts_of(batch: pa.RecordBatch, stride: int) -> Iterator[Facts]:
    """The violations in a batch of violated rows, by statement and file."""
    import numpy as np
    import pyarrow as pa

    columns = {name: batch.column(name) for name in ("group", "side", "file")}
    group, side, file = (np.asarray(each).astype(np.int64) for each in columns.values())
    kinds = np.stack([group // stride, file, side == SEVERAL], axis=1)[side != COUNTS]
    for identity, number, is_several in np.unique(kinds, axis=0).tolist():
        chosen = (group // stride == identity) & (file == number) & (side != COUNTS)
        chosen &= (side == SEVERAL) == bool(is_several)
        some = batch.filter(pa.array(chosen))
        counts = np.asarray(some.column("count"))
        others = np.stack([np.asarray(some.column(name)) for name in _FIRST], axis=1)
        codes = _codes(np.asarray(some.column("side")), np.asarray(some.column("targets")))
        places = _unpacked(some.column("places"), len(counts), int(counts.sum()))
        befores = np.asarray(some.column("before")).repeat(counts)
        arrays = (places, codes.repeat(counts), others.repeat(counts, 0), befores)
        yield Facts(identity, number, *arrays)


def _codes(side: Array, targets: Array) -> Array:
    import numpy as np

    none_or_several = np.where(targets == 0, _NONE, _SEVERAL_TARGETS)
    is_key = (side == KEY) | (side == RUN)
    return np.where(is_key, _KEY, np.where(side == SEVERAL, _SEVERAL_CELLS, none_or_several))


def _unpacked(packed: pa.Array, rows: int, count: int) -> Array:
    """Places, one after the other."""
    import numpy as np
    import pyarrow as pa

    wide = packed.cast(pa.large_binary())
    _, offsets, data = wide.buffers()
    ends = np.frombuffer(offsets, np.int64)[wide.offset : wide.offset + rows + 1]
    numbers = np.frombuffer(data[int(ends[0]) : int(ends[-1])], np.int64)
    return numbers.reshape(count, -1)


@mutable
class Summary:
    """What is known of a statement in a file."""

    selected: list[int] = field(default_factory=lambda: [0, 0])
    """Real cells of the parts on the left, and on the right."""
    checked: list[int] = field(default_factory=lambda: [0, 0])
    failed: int = 0
    heat: dict[tuple[int, int], int] = field(default_factory=dict)
    """By bucket of rows and columns: violations."""
    first: list[Fact] = field(default_factory=list)
    """The first violations, in the order of the table."""

    def add(self, other: Summary, limit: int) -> None:
        """Add what another partition has found."""
        for side in (0, 1):
            self.selected[side] += other.selected[side]
            self.checked[side] += other.checked[side]
        self.failed += other.failed
        for bucket, count in other.heat.items():
            self.heat[bucket] = self.heat.get(bucket, 0) + count
        self.first = sorted(self.first + other.first, key=order_of)[:limit]


class Summarise:
    """A function for the workers that sums up the violated rows of a partition."""

    columns = "data binary"

    def __init__(self, stride: int, sizes: Mapping[int, tuple[int, int]], limit: int) -> None:
        """`sizes` has the rows and columns of the table of each file."""
        self.stride, self.sizes, self.limit = stride, dict(sizes), limit

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """One row: the pickled summaries, by file and statement."""
        found: dict[tuple[int, int], Summary] = {}
        for batch in batches:
            if batch.num_rows:
                self._count(batch, found)
                for facts in facts_of(batch, self.stride):
                    key = (facts.file, facts.identity)
                    found.setdefault(key, Summary()).add(self.summed(facts), self.limit)
        if found:
            yield record_batch(self.columns, [(pickle.dumps(found),)])

    def _count(self, batch: pa.RecordBatch, found: dict[tuple[int, int], Summary]) -> None:
        import pyarrow.compute as pc

        counts = batch.filter(pc.equal(batch.column("side"), COUNTS))
        for each in counts.select(["file", "group", "row", "column", "count"]).to_pylist():
            summary = found.setdefault((each["file"], each["group"] // self.stride), Summary())
            summary.selected[each["count"]] += each["row"]
            summary.checked[each["count"]] += each["column"]

    def summed(self, facts: Facts) -> Summary:
        """The violations of a statement in a file, summed up."""
        import numpy as np

        steps = heat_steps(*self.sizes[facts.file])
        rows = (facts.places[:, 0] - 1) // steps[0]
        columns = (facts.places[:, HEAD] - 1) // steps[1] + 1
        buckets, counts = np.unique(np.stack([rows, columns], axis=1), axis=0, return_counts=True)
        heat = {
            (row, column): n
            for (row, column), n in zip(buckets.tolist(), counts.tolist(), strict=True)
        }
        first = _earliest(facts, self.limit).listed()[: self.limit] if self.limit else []
        return Summary(failed=len(facts.places), heat=heat, first=first)


def _earliest(facts: Facts, limit: int) -> Facts:
    """The violations in the first rows, at least `limit` of them if there are as many."""
    import numpy as np

    rows = facts.places[:, 0]
    if len(rows) <= limit:
        return facts
    return facts.at(rows <= np.partition(rows, limit - 1)[limit - 1])


def heat_steps(rows: int, columns: int) -> tuple[int, int]:
    """The rows and columns of a bucket of the heat of a table."""
    return step_for(rows, HEAT_ROWS), step_for(columns, HEAT_COLUMNS)


def heat_of(summaries: Iterable[Summary], rows: int, columns: int) -> Heat:
    """The heat of a file."""
    counts: dict[tuple[int, int], int] = {}
    for summary in summaries:
        for bucket, count in summary.heat.items():
            counts[bucket] = counts.get(bucket, 0) + count
    listed = tuple((*bucket, count) for bucket, count in sorted(counts.items()))
    return Heat(*heat_steps(rows, columns), listed)


def summarise(
    frame: DataFrame, function: Summarise, on_progress: OnProgress | None
) -> dict[tuple[int, int], Summary]:
    """Run the job: by file and statement, what is known."""
    with failing(), watching(frame.sparkSession, on_progress):
        replies = map_in_arrow(frame, function, Summarise.columns).toArrow().column(0).to_pylist()
    found: dict[tuple[int, int], Summary] = {}
    for reply in replies:
        for key, summary in pickle.loads(reply).items():
            found.setdefault(key, Summary()).add(summary, function.limit)
    return found
