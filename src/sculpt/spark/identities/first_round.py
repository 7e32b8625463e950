"""Rules, keys and references in one job: the first round of all files makes entries, too.

In: the items of the first round of all tables. Out: the answers of the round, and a `Gist`: what
was counted, and the violations of keys and references, if they are few. Each task walks through its
chunk from an assumed edge, as `engines.chunks.work` does, and gathers entries from the same pieces.
Entries and answers go through one shuffle; equal entries meet, and what is violated goes to the
driver with the answers.

A task does not know how many rows are above its chunk: its rows count from the byte at which the
chunk begins, so rows of different chunks have different numbers, in the order of the table. The
driver makes them numbers of rows. Only then is it known whether the first row of a chunk continues
a run (`runs`); until then, it counts as a violation. The gist holds only if all that was assumed is
true: if every file was answered in this round, every chunk was gathered, and none began where no
row begins. Otherwise the driver forgets it, and entries are made again from the true edges.

Invariant: what a true gist says is what `check.judge` finds. Cost: the files are read once. Memory
of the driver: at most `MOST` violations of a partition.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

from sculpt.automata.navigator import TooManyStepsError
from sculpt.engines.chunks.compose import MANY_STEPS, FirstWork, Overflow
from sculpt.engines.chunks.result import ChunkResult
from sculpt.engines.chunks.spans import Cuts
from sculpt.engines.chunks.work import Speculation
from sculpt.engines.data import Data
from sculpt.engines.walk.walk import WidthNeededError
from sculpt.errors import SculptError
from sculpt.spark import tasks
from sculpt.spark.cluster.session import default_parallelism
from sculpt.spark.cluster.watch import failing, watching
from sculpt.spark.cluster.workers import map_in_arrow
from sculpt.spark.identities.buckets import PACKED, PARTITION, PER_PARTITION, packed
from sculpt.spark.identities.entries import (
    COUNTS,
    FileEntries,
    Gathered,
    Wanted,
    entry_batches,
    gathering_of,
)
from sculpt.spark.identities.judgement import Facts, facts_of, judged_batches
from sculpt.spark.rounds import CheckedFiles
from sculpt.spark.tasks import Answer, ChunkWork, Job, RoundItem, WholeFile
from sculpt.spark.units import OnProgress, UnitFunction, record_batch
from sculpt.values import field, frozen, mutable, replace
from sculpt.verdict import Verdict

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from pyspark.sql import SparkSession

    Array = np.ndarray[Any, Any]

MOST = 1 << 12
"""How many violations of a partition the driver takes."""
ANSWER = -1
"""The bucket of answers."""


@frozen(slots=False)
class FirstItems:
    """The items of the first round of one table."""

    job: Job
    wanted: Wanted
    units: Sequence[Sequence[RoundItem]]


@mutable
class Gist:
    """What is known of keys and references after the first round, if its assumptions were true."""

    counts: dict[tuple[int, int], tuple[list[int], list[int]]] = field(default_factory=dict)
    """By file and statement: what was selected and checked, on the left and on the right."""
    facts: list[Facts] = field(default_factory=list)
    """The violations; rows count from the byte at which their chunk begins."""
    is_whole: bool = True
    """Are these all violations?"""

    def add(self, other: Gist) -> None:
        """Add what another partition has found."""
        for key, counts in other.counts.items():
            known = self.counts.setdefault(key, ([0, 0], [0, 0]))
            for mine, more in zip(known, counts, strict=True):
                for side in (0, 1):
                    mine[side] += more[side]
        self.facts += other.facts
        self.is_whole = self.is_whole and other.is_whole


@mutable
class FirstAnswers:
    """The answers of the first round, and what it says about keys and references."""

    answers: dict[int, list[Any]] = field(default_factory=dict)
    """By file, in the order of its items."""
    gathered: dict[int, bool] = field(default_factory=dict)
    """By file: were the entries of all its items gathered?"""
    gist: Gist = field(default_factory=Gist)


class AnswerAndGather(UnitFunction[RoundItem]):
    """The function that answers the items of the round, and makes their entries."""

    columns = PACKED

    def __init__(self, items: FirstItems, table: int, buckets: int) -> None:
        super().__init__(items.units)
        self.job, self.table, self.buckets = items.job, table, buckets
        self.wanted = pickle.dumps(items.wanted)

    def run_unit(self, number: int) -> Iterator[Any]:
        """The entries and the answers of a unit."""
        for place, item in enumerate(self.units[number]):
            told: list[tuple[Answer, bool]] = []
            yield from packed(self._entries(item, told), self.buckets)
            answer, is_gathered = told[0]
            reply = (self.table, number, place, item.file.number, answer, is_gathered)
            yield record_batch(PACKED, [(ANSWER, False, pickle.dumps(reply))])

    def run(self, item: RoundItem) -> Iterator[Any]:
        """Not used: the answers of a unit are numbered."""
        raise AssertionError(item)

    def _entries(self, item: RoundItem, told: list[tuple[Answer, bool]]) -> Iterator[Gathered]:
        """The entries of an item; its answer is told at the end, and if all were gathered."""
        wanted: Wanted = pickle.loads(self.wanted)
        if isinstance(item, ChunkWork) and isinstance(item.work, FirstWork):
            yield from self._chunk(item, item.work.number, wanted, told)
            return
        answer = tasks.answer(self.job, item)
        is_gathered = isinstance(answer, Verdict) and isinstance(item, WholeFile)
        if is_gathered and isinstance(answer, Verdict):
            scope = WholeFile(item.file, answer.columns, answer.unmatched)
            try:
                with tasks.opened(item.file) as source:
                    marker = tasks.marker(self.job, scope, source)
                    yield from entry_batches(marker, wanted, item.file.number)
                    source.check_unchanged()
            except SculptError as error:
                answer, is_gathered = error, False
        told.append((answer, is_gathered))

    def _chunk(
        self, item: ChunkWork, number: int, wanted: Wanted, told: list[tuple[Answer, bool]]
    ) -> Iterator[Gathered]:
        """The entries of a chunk, from the edge that is assumed."""
        try:
            with tasks.opened(item.file) as source:
                data = Data(source, tasks.task_of(self.job.schema).schema.dialect.encoding)
                machines = tasks.machines_of(self.job, data)
                cuts = Cuts(machines, data, item.bases)
                begin = cuts.at(number)
                if begin is None:
                    told.append((None, True))
                    return
                if machines.decisions.nodes:
                    told.append((tasks.answer(self.job, item), False))
                    return
                entries = FileEntries(wanted, item.file.number, machines.backend)
                entries.mark = b"%d" % begin
                speculation = Speculation(machines, data, cuts, number, self.job.limit)
                start = (begin, speculation.above)
                gathering = gathering_of(machines, data, entries, wanted, start=start)
                if gathering is None:
                    told.append((tasks.answer(self.job, item), False))
                    return
                walk, run = speculation.walk, speculation.run()
                while True:
                    try:
                        piece = next(run)
                    except StopIteration as stop:
                        found: ChunkResult = stop.value
                        break
                    gathering.take_piece(piece, walk.table_width)
                    yield from entries.taken()
                gathering.end(found.span.end, walk.table_width)
                yield from entries.taken()
                yield entries.counts()
                source.check_unchanged()
                told.append((found, gathering.error is None))
        except WidthNeededError:
            told.append((tasks.answer(self.job, item), False))
        except TooManyStepsError:
            told.append((Overflow(MANY_STEPS), False))
        except SculptError as error:
            told.append((error, False))


class _Judge:
    """A function for the workers: answers pass, entries are judged."""

    columns = "data binary"

    def __init__(self, stride: int) -> None:
        self.stride = stride

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow.compute as pc

        entries: list[pa.RecordBatch] = []
        for batch in batches:
            is_answer = pc.equal(batch.column("bucket"), ANSWER)
            for reply in batch.filter(is_answer).column("data").to_pylist():
                yield record_batch(self.columns, [(reply,)])
            entries.append(batch.filter(pc.invert(is_answer)))
        gist = Gist()
        for found in judged_batches(entries):
            self._add(gist, found)
        yield record_batch(self.columns, [(pickle.dumps(gist),)])

    def _add(self, gist: Gist, batch: pa.RecordBatch) -> None:
        import pyarrow.compute as pc

        counts = batch.filter(pc.equal(batch.column("side"), COUNTS))
        for each in counts.select(["file", "group", "row", "column", "count"]).to_pylist():
            key = (each["file"], each["group"] // self.stride)
            selected, checked = gist.counts.setdefault(key, ([0, 0], [0, 0]))
            selected[each["count"]] += each["row"]
            checked[each["count"]] += each["column"]
        gist.facts += facts_of(batch, self.stride)
        if sum(len(facts.places) for facts in gist.facts) > MOST:
            gist.facts, gist.is_whole = [], False


def first_round(
    spark: SparkSession,
    tables: Mapping[int, FirstItems],
    size: int,
    on_progress: OnProgress | None,
) -> FirstAnswers:
    """Run the job."""
    partitions = max(1 + size // PARTITION, default_parallelism(spark))
    buckets = partitions * PER_PARTITION
    stride = next(iter(tables.values())).wanted.stride
    frames = [
        AnswerAndGather(items, table, buckets).frame(spark)
        for table, items in tables.items()
        if items.units
    ]
    together = reduce(lambda first, second: first.unionAll(second), frames)
    judged = map_in_arrow(
        together.repartition(partitions, "bucket"), _Judge(stride), _Judge.columns
    )
    with failing(), watching(spark, on_progress):
        replies = [pickle.loads(each) for each in judged.toArrow().column(0).to_pylist()]
    found = FirstAnswers()
    answers = sorted(
        (each for each in replies if isinstance(each, tuple)), key=lambda each: each[:3]
    )
    for _, _, _, file, answer, is_gathered in answers:
        found.answers.setdefault(file, []).append(answer)
        found.gathered[file] = found.gathered.get(file, True) and is_gathered
    for each in replies:
        if isinstance(each, Gist):
            found.gist.add(each)
    return found


def true_gist(first: FirstAnswers, runs: Sequence[CheckedFiles]) -> Gist | None:
    """What the first round has found, with the numbers of rows; `None` if it cannot be trusted."""
    if not first.gist.is_whole or not all(first.gathered.values()):
        return None
    above: dict[int, tuple[list[int], list[int]]] = {}
    for run in runs:
        if run.jobs > 1:
            return None
        for checked in run.files:
            if not isinstance(checked.outcome, Verdict) or checked.note is not None:
                return None
            begun = [each for each in first.answers[checked.file.number] if each is not None]
            chunks = [each.chunk for each in checked.chunks]
            if chunks and len(begun) != len(chunks):
                return None  # some chunk began where no row begins
            above[checked.file.number] = (
                [each.span.begin for each in chunks] or [0],
                [each.intake.rows for each in chunks] or [0],
            )
    placed = [_placed(facts, above) for facts in first.gist.facts]
    return Gist(first.gist.counts, [facts for facts in placed if len(facts.places)])


def _placed(facts: Facts, above: Mapping[int, tuple[list[int], list[int]]]) -> Facts:
    """Violations whose rows counted from where their chunk begins, counted through the table.

    Those that turn out to continue a run are left out.
    """
    places, others, befores = facts.places.copy(), facts.others.copy(), facts.befores.copy()
    places[:, 0] = _rows(places[:, 0], *above[facts.file])
    for file in set(others[:, 0].tolist()) - {-1}:
        own = others[:, 0] == file
        others[own, 1] = _rows(others[own, 1], *above[file])
    in_runs = befores >= 0
    befores[in_runs] = _rows(befores[in_runs], *above[facts.file])
    placed = replace(facts, places=places, others=others, befores=befores)
    return placed.at(places[:, 0] - befores > 1)


def _rows(numbers: Array, begins: Sequence[int], above: Sequence[int]) -> Array:
    """The rows with some numbers, which count from the bytes at which chunks begin.

    No chunk has more rows than bytes, so a number is that of a row in one chunk only.
    """
    import numpy as np

    chunks = np.searchsorted(begins, numbers) - 1
    found: Array = numbers + (np.array(above) - np.array(begins))[chunks]
    return found
