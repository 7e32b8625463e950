"""What a Python worker of Spark does with one item: a small file, or a chunk of a large one.

In: a `Job` (the schema and how to run it) and an item. Out: the `Answer` of a round, or an object
that lists or marks the cells of the item. Tasks open the files themselves and run the kernels on
the bytes: rows never travel between Java and Python.

Invariant: the result is a function of the job, the item and the bytes. A file whose size or time
differs from the plan is an error that names it. One bad file does not stop the others. Cost:
machines are built once per worker and schema, so the cost of a small file is that of its bytes.
"""

from __future__ import annotations

import pickle
from functools import cache, lru_cache
from typing import TypeAlias

from sculpt import __version__
from sculpt.core.task import Task
from sculpt.engines import local
from sculpt.engines.chunks.compose import Chunk, Result, Work, perform
from sculpt.engines.data import Data
from sculpt.engines.machines import Machines, MachineStore
from sculpt.engines.options import Options
from sculpt.engines.regions.marker import Marker
from sculpt.engines.results.listing import Listing
from sculpt.errors import DataError, RunError, SculptError
from sculpt.kernels import choice as kernels
from sculpt.kernels import signatures
from sculpt.kernels.backend import Backend
from sculpt.tabular.inputs import Input
from sculpt.values import frozen, replace
from sculpt.verdict import Verdict

NAME = "spark"


@frozen
class Job:
    """A schema or a selector, and how to run it: all that is sent to the workers."""

    schema: bytes
    """The pickled task, after the version that pickled it."""
    limit: int
    """How many violations of a file to describe."""
    size: int
    """Total bytes of all files: compiled kernels do not pay off for few bytes."""

    @classmethod
    def make(cls, task: Task, limit: int, size: int) -> Job:
        """The job of a task."""
        return cls(pickle.dumps((_version(), pickle.dumps(task))), limit, size)


@frozen
class File:
    """A file as it was planned."""

    number: int
    name: str
    """The path that the user gave."""
    path: str
    """The path that every worker opens."""
    stamp: tuple[int, int]

    @property
    def size(self) -> int:
        """How many bytes it has."""
        return self.stamp[0]


@frozen
class WholeFile:
    """A file that is worked on as a whole."""

    file: File
    width: int | None = None
    """The width of its table, if known."""
    unmatched: frozenset[str] = frozenset()
    """See `Verdict`."""

    @property
    def chunk(self) -> None:
        """It is not cut."""


@frozen
class ChunkWork:
    """What a round does with a chunk of a file."""

    file: File
    bases: range
    work: Work


@frozen
class SettledChunk:
    """A chunk of a file whose edges are known."""

    file: File
    chunk: Chunk
    all_bad: bool = False
    """Some error of the file names no row."""
    has_rowless: bool = False
    """Some violation of the file, an error or a warning, names no row."""
    unmatched: frozenset[str] = frozenset()
    """See `Verdict`."""

    @property
    def width(self) -> int:
        """The width of the table."""
        return self.chunk.intake.width


RoundItem: TypeAlias = WholeFile | ChunkWork
"""One item of a round."""
Scope: TypeAlias = WholeFile | SettledChunk
"""What is listed, exported or given to a program: a whole file, or a chunk with known edges."""
Answer: TypeAlias = Verdict | Result | SculptError


@lru_cache(maxsize=4)
def task_of(schema: bytes) -> Task:
    """The task of a job; the same object every time, so that its machines are reused."""
    version, pickled = pickle.loads(schema)
    if version != _version():
        raise RunError(
            f"a worker has version {_version()} of sculpt, but the driver has {version}:"
            " install the same version on all nodes"
        )
    task: Task = pickle.loads(pickled)
    return task


def _version() -> str:
    """The version that the driver and all workers must have."""
    return f"{__version__} ({signatures.stamp()})"


@cache
def machine_store() -> MachineStore:
    """The machines of this process."""
    return MachineStore()


def backend_of(job: Job) -> Backend:
    """The kernels that a job runs."""
    choice = kernels.for_input(lambda _: job.size)
    choice.warn()
    return choice.backend


def machines_of(job: Job, data: Data, forgets: bool = False, notes_texts: bool = False) -> Machines:
    """The machines of a job, for data in some codec."""
    task, backend = task_of(job.schema), backend_of(job)
    return machine_store()(task, data.codec, backend, forgets, notes_texts)


def opened(file: File) -> Input:
    """Open a file of the plan, which must not have changed."""
    source = Input(file.path, file.name)
    if source.stamp != file.stamp:
        source.close()
        raise DataError(f"{file.name}: changed while it was read", file.name)
    return source


def answer(job: Job, item: RoundItem) -> Answer:
    """Do the work of an item. An error in its file is an answer, not a failed task."""
    try:
        with opened(item.file) as source:
            match item:
                case WholeFile():
                    found: Answer = _check(job, item, source)
                case ChunkWork():
                    found = _perform(job, item, source)
            source.check_unchanged()
            return found
    except SculptError as error:
        return error


def _check(job: Job, item: WholeFile, source: Input) -> Verdict:
    task = task_of(job.schema)
    options = Options(job.limit, threads=1, backend=backend_of(job), build=machine_store())
    if task.targets:
        rows, width = local.size_of(task, source, options)
        return Verdict(item.file.name, NAME, rows, width, 0, (), ())
    verdict = local.validate_input(task.schema, source, options)
    return replace(verdict, engine=NAME)


def _perform(job: Job, item: ChunkWork, source: Input) -> Result:
    data = Data(source, task_of(job.schema).schema.dialect.encoding)
    return perform(item.work, machines_of(job, data), data, item.bases, job.limit)


def listing(job: Job, scope: Scope, source: Input) -> Listing:
    """All that is in a file, or in a chunk of it."""
    data = Data(source, task_of(job.schema).schema.dialect.encoding)
    machines = machines_of(job, data, forgets=True)
    assert scope.width is not None
    return Listing(machines, data, scope.width, scope.chunk, unmatched=scope.unmatched)


def marker(job: Job, scope: Scope, source: Input) -> Marker:
    """The regions of a file, or of a chunk of it."""
    data = Data(source, task_of(job.schema).schema.dialect.encoding)
    machines = machines_of(job, data, forgets=True, notes_texts=True)
    assert scope.width is not None
    return Marker(machines, data, scope.width, scope.chunk)
