"""From paths to verdicts: the rounds of all files at once, each round one Spark job.

In: a session, a task, the paths. Out: `CheckedFiles`: for each file its verdict or its error, and
what is needed to list everything in it. Small files share a unit of work. Large files are cut into
chunks. A file that cannot be cut (packed, or in an encoding with several bytes per character) is
one unit. `engines/chunks/compose.py` decides what is done with chunks.

Invariant: at most V + 2 jobs read data, whatever the number of files and their content. The driver
reads only the first bytes of large files, and those of their rows that it shows. Cost: the number
of rounds is that of the file that needs most, not the sum: no file waits for another.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeAlias

from sculpt.core.task import Task
from sculpt.engines.chunks.compose import InOrder, Outcome, Rounds, compose
from sculpt.engines.chunks.cuts import can_be_cut
from sculpt.engines.data import Data
from sculpt.engines.machines import Machines, MachineStore
from sculpt.engines.results.details import Details
from sculpt.errors import DataError, SculptError
from sculpt.interchange.fetched import file_of
from sculpt.kernels import choice as backends
from sculpt.spark import tasks
from sculpt.spark.cluster.session import default_parallelism
from sculpt.spark.tasks import ChunkWork, File, Job, RoundItem, SettledChunk, WholeFile
from sculpt.spark.units import FILE_COST, MAX_UNIT, MIN_UNIT, OnProgress, ReplyFunction, gather
from sculpt.tabular.inputs import STDIN, expand, stamp_of
from sculpt.tabular.stores import is_uri
from sculpt.values import field, frozen, mutable
from sculpt.verdict import Verdict

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Paths: TypeAlias = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]

MAX_KEPT = 1 << 23
"""The largest chunk for schemas that walk up or left: its letters stay in memory."""
UNITS_PER_CORE = 2
REQUESTS = 16
"""Simultaneous requests to a store."""


@mutable
class CheckedFile:
    """A file and what is known about it."""

    file: File
    outcome: Verdict | SculptError | None = None
    chunks: tuple[SettledChunk, ...] = ()
    """Its chunks, if it was cut."""
    note: str | None = None
    """Why it was read from start to end, if it was."""


@mutable
class CheckedFiles:
    """The results of all rounds of some files."""

    job: Job
    files: list[CheckedFile]
    jobs: int = 0
    """Spark jobs that have read data."""


@frozen
class Settings:
    """How to run."""

    limit: int = 0
    """How many violations of each file to describe."""
    unit: int | None = None
    """Bytes per unit of work; chosen by the size of the files if not given."""
    on_progress: OnProgress | None = None


def planned(paths: Paths, first: int = 0) -> list[File | DataError]:
    """The files that the paths name, in order; they are numbered from `first`."""
    several = [paths] if isinstance(paths, str | os.PathLike) else paths
    entries = list(enumerate(expand(os.fspath(path) for path in several), first))
    if not any(isinstance(entry, str) and is_uri(entry) for _, entry in entries):
        return [_planned(*each) for each in entries]
    with ThreadPoolExecutor(REQUESTS) as pool:  # each entry is a request to a store
        return list(pool.map(lambda each: _planned(*each), entries))


def _planned(number: int, entry: str | DataError) -> File | DataError:
    if isinstance(entry, DataError):
        return entry
    if entry == STDIN:
        return DataError("standard input cannot be read on Spark; use `--engine local`", STDIN)
    try:
        path = entry if is_uri(entry) else os.path.abspath(file_of(entry) or entry)
        return File(number, entry, path, stamp_of(entry))
    except DataError as error:
        return error


class Runner:
    """Runs a task over files."""

    def __init__(self, spark: SparkSession, task: Task, settings: Settings) -> None:
        self.spark = spark
        self.task = task
        self.settings = settings
        self._store = MachineStore()

    def run(self, files: Sequence[File]) -> CheckedFiles:
        """All rounds of all files."""
        begun = self.begin(files)
        return self.finish(begun, None)

    def begin(self, files: Sequence[File]) -> BegunRun:
        """Plan the first round."""
        total = sum(file.size for file in files)
        job = Job.make(self.task, self.settings.limit, size=total)
        run = CheckedFiles(job, [CheckedFile(file) for file in files])
        unit = self.settings.unit or self.share(files)
        open_rounds: dict[int, _OpenFile] = {}
        items: list[RoundItem] = []
        for checked in run.files:
            opened = self._opened(checked, unit)
            if opened is None:
                items.append(WholeFile(checked.file))
            else:
                open_rounds[checked.file.number] = opened
                items += opened.items()
        return BegunRun(run, unit, open_rounds, items)

    def finish(self, begun: BegunRun, answers: dict[int, list[Any]] | None) -> CheckedFiles:
        """All rounds of a run that has begun; `answers` are those of the first, if it was run."""
        run, items = begun.run, begun.items
        by_number = {checked.file.number: checked for checked in run.files}
        while items or answers:
            if answers is None:
                answers = self._round(run.job, items, begun.unit)
            run.jobs += 1
            items = []
            for number, found in answers.items():
                items += self._next(by_number[number], begun.open_rounds, found)
            answers = None
        return run

    def share(self, files: Sequence[File]) -> int:
        """How many bytes each unit of work should have."""
        cost = sum(file.size + FILE_COST for file in files)
        share = cost // (UNITS_PER_CORE * default_parallelism(self.spark)) + 1
        most = MAX_KEPT if self._machines("utf-8").decisions.nodes else MAX_UNIT
        return min(max(share, MIN_UNIT), most)

    def _machines(self, codec: str) -> Machines:
        return self._store(self.task, codec, backends.plain())

    def _opened(self, checked: CheckedFile, unit: int) -> _OpenFile | None:
        """The rounds of a file that is cut; `None` for one that a single task reads."""
        file = checked.file
        if file.size <= unit:
            return None
        try:
            with tasks.opened(file) as source:
                data = Data(source, self.task.schema.dialect.encoding)
                machines = self._machines(data.codec)
                if not data.can_be_cut or not can_be_cut(machines):
                    return None
        except DataError:
            return None  # the task that reads it will say what is wrong
        bases = range(0, file.size, unit)
        rounds = compose(machines, len(bases), self.settings.limit)
        return _OpenFile(file, bases, machines, rounds)

    def _round(self, job: Job, items: Sequence[RoundItem], unit: int) -> dict[int, list[Any]]:
        """Run a round on the cluster; the answers for each file, in the order of its items."""
        answers: dict[int, list[Any]] = {}
        for reply in _Round(job, units_of(items, unit)).collect(
            self.spark, self.settings.on_progress
        ):
            answers.setdefault(reply.file, []).append(pickle.loads(reply.data))
        return answers

    def _next(
        self, checked: CheckedFile, open_rounds: dict[int, _OpenFile], answers: list[Any]
    ) -> list[RoundItem]:
        """The items of a file for the next round."""
        failed = next((each for each in answers if isinstance(each, SculptError)), None)
        opened = open_rounds.get(checked.file.number)
        if failed is not None:
            checked.outcome = failed
            return []
        if opened is None:
            checked.outcome = answers[0]
            return []
        ended = opened.take(answers)
        if ended is None:
            return opened.items()
        del open_rounds[checked.file.number]
        if isinstance(ended, InOrder):
            checked.note = ended.reason
            return [WholeFile(checked.file)]
        try:
            verdict, rowless = self._verdict(checked.file, opened.machines, ended)
        except SculptError as error:
            checked.outcome = error
            return []
        checked.outcome = verdict
        checked.chunks = tuple(
            SettledChunk(checked.file, chunk, *rowless, verdict.unmatched) for chunk in ended.chunks
        )
        return []

    def _verdict(
        self, file: File, machines: Machines, outcome: Outcome
    ) -> tuple[Verdict, tuple[bool, bool]]:
        """The verdict on a file that was cut; does an error, or any violation, name no row?"""
        found = outcome.found
        with tasks.opened(file) as source:
            data = Data(source, self.task.schema.dialect.encoding)
            details = Details(machines, found, data, outcome.lines)
            verdict = details.verdict(file.name, tasks.NAME, self.settings.limit)
            return verdict, found.rowless(verdict)


@mutable
class _OpenFile:
    """A file whose chunks are being worked on."""

    file: File
    bases: range
    machines: Machines
    rounds: Rounds
    works: list[Any] = field(init=False)

    def __post_init__(self) -> None:
        self.works = next(self.rounds)

    def items(self) -> list[RoundItem]:
        return [ChunkWork(self.file, self.bases, work) for work in self.works]

    def take(self, results: list[Any]) -> Outcome | InOrder | None:
        """Take the results of a round; the outcome, or `None` if another round is needed."""
        try:
            self.works = self.rounds.send(results)
        except StopIteration as stop:
            ended: Outcome | InOrder = stop.value
            return ended
        return None


@frozen(slots=False)
class BegunRun:
    """A run whose first round is planned."""

    run: CheckedFiles
    unit: int
    open_rounds: dict[int, _OpenFile]
    items: list[RoundItem]

    @property
    def units(self) -> list[list[RoundItem]]:
        """The units of work of the first round."""
        return units_of(self.items, self.unit)


def units_of(items: Sequence[RoundItem], unit: int) -> list[list[RoundItem]]:
    """Items, gathered into units of work of at most `unit` bytes, but at least one item."""
    return gather([(item, _cost(item)) for item in items], unit + FILE_COST)


def _cost(item: RoundItem) -> int:
    if isinstance(item, WholeFile):
        return item.file.size + FILE_COST
    return 1 << 62  # a chunk is a unit by itself


class _Round(ReplyFunction[RoundItem]):
    """The function that answers the items of a round."""

    def __init__(self, job: Job, units: Sequence[Sequence[RoundItem]]) -> None:
        super().__init__(units)
        self.job = job

    def run(self, item: RoundItem) -> Iterator[tuple[int, bytes]]:
        """One pickled answer."""
        yield 0, pickle.dumps(tasks.answer(self.job, item))
