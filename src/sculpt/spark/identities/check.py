"""Keys and references of a run: from tables that were validated to what is found in each file.

In: a plan, and its tables as `Source`s. Out: `Judged`: for each file what was found, and data
frames of all violations and of the rows that they name. The jobs: one that makes the entries,
brings equal ones together and sums up; and, if violations are to be shown, one that puts the first
of each file into words. Nothing is stored between the two.

Invariant: the result depends only on the bytes of the files, so a lost task can be run again.
"""

from __future__ import annotations

import pickle
from abc import ABC, abstractmethod
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING

from sculpt.checks.model import Found
from sculpt.checks.plan import Identity, Plan
from sculpt.engines.data import Data
from sculpt.spark import tasks
from sculpt.spark.cluster.session import default_parallelism
from sculpt.spark.cluster.workers import map_in_arrow
from sculpt.spark.identities.buckets import PACKED, PARTITION, PER_PARTITION, packed
from sculpt.spark.identities.entries import (
    COUNTS,
    Gathered,
    Wanted,
    chunk_entries,
    entry_batches,
)
from sculpt.spark.identities.first_round import Gist
from sculpt.spark.identities.judgement import (
    Fact,
    Summarise,
    Summary,
    facts_of,
    heat_of,
    summarise,
    violated,
)
from sculpt.spark.identities.wording import ListViolations, Show, Shown, Words
from sculpt.spark.rounds import CheckedFile, CheckedFiles
from sculpt.spark.tasks import Job, Scope, SettledChunk, WholeFile
from sculpt.spark.units import FILE_COST, MAX_UNIT, OnProgress, UnitFunction, gather, record_batch
from sculpt.tabular.inputs import Input
from sculpt.values import frozen
from sculpt.verdict import Tally, Verdict, Violation

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession


class Source(ABC):
    """A table of a run, whose rules have been checked."""

    spark: SparkSession
    table: int

    @property
    @abstractmethod
    def size(self) -> int:
        """How many bytes it has."""

    @abstractmethod
    def entries(self, wanted: Wanted, buckets: int) -> DataFrame:
        """The entries of the table, packed."""

    @abstractmethod
    def names(self) -> dict[int, str]:
        """By number: the name of a file."""

    @abstractmethod
    def sizes(self) -> dict[int, tuple[int, int]]:
        """By number of a file: the rows and columns of its table."""

    @abstractmethod
    def violations(self, frame: DataFrame, words: Words) -> DataFrame:
        """The violations of the table in words, from rows that are violated."""

    @abstractmethod
    def shown(
        self, facts: Mapping[int, Sequence[tuple[int, Fact]]], words: Words
    ) -> dict[int, tuple[Violation, ...]]:
        """By file: some violations in words; each fact comes with the number of its statement."""


class FilesSource(Source):
    """A table in files."""

    def __init__(
        self, spark: SparkSession, table: int, run: CheckedFiles, on_progress: OnProgress | None
    ) -> None:
        self.spark, self.table, self.run = spark, table, run
        self.on_progress = on_progress
        self.read = [each for each in run.files if isinstance(each.outcome, Verdict)]

    @property
    def size(self) -> int:
        """See `Source`."""
        return sum(each.file.size for each in self.read)

    def entries(self, wanted: Wanted, buckets: int) -> DataFrame:
        """See `Source`."""
        costs = [
            (scope, MAX_UNIT if scope.chunk is not None else scope.file.size + FILE_COST)
            for each in self.read
            for scope in scopes_of(each)
        ]
        units = gather(costs, MAX_UNIT + FILE_COST)
        return Entries(self.run.job, wanted, buckets, units).frame(self.spark)

    def names(self) -> dict[int, str]:
        """See `Source`."""
        return {each.file.number: each.file.name for each in self.run.files}

    def sizes(self) -> dict[int, tuple[int, int]]:
        """See `Source`."""
        return {each.file.number: _size(each) for each in self.read}

    def violations(self, frame: DataFrame, words: Words) -> DataFrame:
        """See `Source`."""
        numbers = [each.file.number for each in self.read]
        own = frame.where(frame["side"] > COUNTS).where(frame["file"].isin(numbers))
        return map_in_arrow(
            own.sortWithinPartitions("file", "row"), ListViolations(words), ListViolations.columns
        )

    def shown(
        self, facts: Mapping[int, Sequence[tuple[int, Fact]]], words: Words
    ) -> dict[int, tuple[Violation, ...]]:
        """See `Source`."""
        items = [
            item
            for each in self.read
            for item in _shown_items(each, facts.get(each.file.number, ()))
        ]
        found: dict[int, list[Violation]] = {}
        if items:
            costs = [(item, len(item.facts) << 10) for item in items]
            show = Show(words, gather(costs, 1 << 16))
            for reply in show.collect(self.spark, self.on_progress):
                found.setdefault(reply.file, []).extend(pickle.loads(reply.data))
        return {number: tuple(violations) for number, violations in found.items()}


def scopes_of(checked: CheckedFile) -> Iterator[Scope]:
    """A file, or its chunks."""
    if checked.chunks:
        yield from checked.chunks
        return
    assert isinstance(checked.outcome, Verdict)
    yield WholeFile(checked.file, checked.outcome.columns, checked.outcome.unmatched)


def _size(checked: CheckedFile) -> tuple[int, int]:
    assert isinstance(checked.outcome, Verdict)
    return checked.outcome.rows, checked.outcome.columns


def _shown_items(checked: CheckedFile, facts: Sequence[tuple[int, Fact]]) -> Iterator[Shown]:
    """The violations of a file that are shown, by the chunk that they are in."""
    left = list(facts)
    for scope in reversed([*scopes_of(checked)]):
        above = scope.chunk.intake.rows if isinstance(scope, SettledChunk) else 0
        inside = [each for each in left if each[1].row > above]
        left = [each for each in left if each[1].row <= above]
        numbers = dict.fromkeys(number for number, _ in inside)
        by_statement = tuple(
            (number, tuple(fact for other, fact in inside if other == number)) for number in numbers
        )
        if by_statement:
            yield Shown(scope, by_statement)


class Entries(UnitFunction[Scope]):
    """The function that makes the entries of files and chunks."""

    columns = PACKED

    def __init__(
        self, job: Job, wanted: Wanted, buckets: int, units: Sequence[Sequence[Scope]]
    ) -> None:
        super().__init__(units)
        self.job, self.buckets = job, buckets
        self.wanted = pickle.dumps(wanted)

    def run(self, item: Scope) -> Iterator[pa.RecordBatch]:
        """The entries of a file or chunk."""
        with tasks.opened(item.file) as source:
            entries = scope_entries(self.job, item, source, pickle.loads(self.wanted))
            yield from packed(entries, self.buckets)
            source.check_unchanged()


def scope_entries(job: Job, scope: Scope, source: Input, wanted: Wanted) -> Iterator[Gathered]:
    """The entries of a file, or of a chunk whose edges are known."""
    number = scope.file.number
    if isinstance(scope, SettledChunk):
        data = Data(source, tasks.task_of(job.schema).schema.dialect.encoding)
        machines = tasks.machines_of(job, data)
        found = chunk_entries(machines, data, scope.chunk, wanted, number)
        if found is not None:
            return found
    return entry_batches(tasks.marker(job, scope, source), wanted, number)


class _NamedRows:
    """A function for the workers: the rows that violations of some statements name."""

    columns = "number long, row long"

    def __init__(self, stride: int, identities: Iterable[int]) -> None:
        self.stride, self.identities = stride, frozenset(identities)

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for facts in facts_of(batch, self.stride) if batch.num_rows else ():
                if facts.identity in self.identities:
                    rows = sorted(set(facts.places[:, 0].tolist()))
                    yield record_batch(self.columns, [(facts.file, row) for row in rows])


@frozen(slots=False)
class Judged:
    """What keys and references have found in the files of a run."""

    plan: Plan
    sources: tuple[Source, ...]
    frame: DataFrame
    """The rows of entries that are violated."""
    words: Words
    found: Mapping[int, Found]
    """By number of a file."""

    def violations(self) -> DataFrame:
        """Every violation, in words."""
        frames = [each.violations(self.frame, self.words) for each in self.sources]
        return reduce(lambda first, second: first.unionAll(second), frames)

    def bad_rows(self) -> DataFrame:
        """Number of the file and row, of all rows that errors name."""
        errors = [
            number
            for number, each in enumerate(self.plan.identities)
            if not each.statement.ending.is_warning
        ]
        function = _NamedRows(self.words.stride, errors)
        return map_in_arrow(self.frame, function, _NamedRows.columns).distinct()


def judge(
    plan: Plan,
    sources: Sequence[Source],
    wanted: Sequence[Wanted],
    limit: int,
    on_progress: OnProgress | None,
    gist: Gist | None = None,
) -> Judged | None:
    """Run the jobs; `wanted` says, by table, what is gathered. `None` if that is nothing.

    With a `gist` that is true, entries are made again only if somebody asks for all violations.
    """
    names = {number: name for each in sources for number, name in each.names().items()}
    sizes = {number: size for each in sources for number, size in each.sizes().items()}
    stride = wanted[0].stride
    gathered = [each for each in sources if wanted[each.table].sides]
    if not gathered:
        return None
    share = 1 + sum(each.size for each in gathered) // PARTITION
    partitions = max(share, default_parallelism(gathered[0].spark))
    buckets = partitions * PER_PARTITION
    frames = [each.entries(wanted[each.table], buckets) for each in gathered]
    judged = frozenset(side.number for each in wanted for side in each.sides)
    frame = violated(reduce(lambda first, second: first.unionAll(second), frames), partitions)
    words = _words(plan, sources, names, sizes, stride)
    function = Summarise(stride, sizes, limit)
    if gist is None:
        summaries = summarise(frame, function, on_progress)
    else:
        summaries = _summaries(gist, function, judged)
    facts = _first_facts(plan, summaries, limit)
    shown: dict[int, tuple[Violation, ...]] = {}
    for each in sources:
        own = {number: facts[number] for number in each.sizes() if number in facts}
        if own:
            shown |= each.shown(own, words)
    tables = {number: each.table for each in sources for number in each.sizes()}
    found = {
        number: _found(plan, judged, table, number, summaries, sizes[number], shown.get(number, ()))
        for number, table in tables.items()
    }
    return Judged(plan, tuple(sources), frame, words, found)


def _summaries(
    gist: Gist, function: Summarise, judged: Container[int]
) -> dict[tuple[int, int], Summary]:
    """The same from what the first round has found."""
    found: dict[tuple[int, int], Summary] = {}
    for key, (selected, checked) in gist.counts.items():
        if key[1] in judged:
            found[key] = Summary(list(selected), list(checked))
    for facts in gist.facts:
        if facts.identity in judged:
            own = found.setdefault((facts.file, facts.identity), Summary())
            own.add(function.summed(facts), function.limit)
    return found


def _words(
    plan: Plan,
    sources: Sequence[Source],
    names: Mapping[int, str],
    sizes: Mapping[int, tuple[int, int]],
    stride: int,
) -> Words:
    files = [each for each in sources if isinstance(each, FilesSource)]
    return Words(
        {each.table: each.run.job for each in files},
        {checked.file.number: each.table for each in files for checked in each.read},
        {
            checked.file.number: (checked.file, sizes[checked.file.number][1])
            for each in files
            for checked in each.read
        },
        names,
        pickle.dumps(plan.identities),
        stride,
    )


def _first_facts(
    plan: Plan, summaries: Mapping[tuple[int, int], Summary], limit: int
) -> dict[int, list[tuple[int, Fact]]]:
    """By file: the first errors and the first warnings, each with the number of its statement."""
    found: dict[int, list[tuple[int, Fact]]] = {}
    for (file, number), summary in summaries.items():
        found.setdefault(file, []).extend((number, fact) for fact in summary.first)
    return {file: _first(plan, facts, limit) for file, facts in found.items() if facts}


def _first(plan: Plan, facts: list[tuple[int, Fact]], limit: int) -> list[tuple[int, Fact]]:
    def line(number: int) -> int:
        return plan.identities[number].statement.line

    facts.sort(key=lambda e: (e[1].row, e[1].column, line(e[0]), e[1].code, e[1].item))
    kept: dict[bool, int] = {False: 0, True: 0}
    first: list[tuple[int, Fact]] = []
    for each in facts:
        kind = plan.identities[each[0]].statement.ending.is_warning
        kept[kind] += 1
        if kept[kind] <= limit:
            first.append(each)
    return first


def _found(
    plan: Plan,
    judged: frozenset[int],
    table: int,
    file: int,
    summaries: Mapping[tuple[int, int], Summary],
    size: tuple[int, int],
    shown: Sequence[Violation],
) -> Found:
    tallies: list[Tally] = []
    own: list[Summary] = []
    for number in sorted(judged):
        identity = plan.identities[number]
        summary = summaries.get((file, number), Summary())
        own.append(summary)
        if identity.left == table:
            tallies.append(_tally(identity, summary, 0))
        elif identity.right == table and summary.failed:
            tallies.append(_tally(identity, summary, 1))
    return Found(tuple(tallies), tuple(shown), heat_of(own, *size))


def _tally(identity: Identity, summary: Summary, side: int) -> Tally:
    statement = identity.statement
    facts = (summary.selected[side], summary.checked[side], summary.failed)
    code = "key" if identity.right is None else "reference"
    own = (code, None, statement.line, statement.text)
    return Tally(*own, *facts, statement.ending.severity)
