"""What the Python workers of Spark do: items of a unit of work, one after the other.

In: a `Job` (the schema and how to run it) and a unit: some small files, or a chunk of a large one.
Out: for each item a `Reply`, or batches of violations, cells or rows. Tasks open the files
themselves and run the kernels on the bytes: rows never travel between Java and Python.

Invariant: an item is a pure function of the job and of the bytes, which must be those of the plan:
a file of another size or time is an error that names it. One bad file does not stop the others.
Cost: programs are built once a worker and schema, so small files cost what their bytes cost.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import TypeAlias

from sculpt import __version__
from sculpt.core.task import Task
from sculpt.engines import local
from sculpt.engines.chunks.compose import Chunk, Result, Work, perform
from sculpt.engines.data import Data
from sculpt.engines.machines import Machines, MachineStore
from sculpt.engines.options import Options
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
    """A schema, or one selector of it, and how to run it. It is all that travels to the workers."""

    schema: bytes
    """The pickled task, after the version that pickled it."""
    limit: int
    """How many violations of a file to put into words."""
    size: int
    """How many bytes there are in all: few do not pay for compiled kernels."""

    @classmethod
    def make(cls, task: Task, limit: int, size: int) -> Job:
        """The job of a task."""
        return cls(pickle.dumps((_version(), pickle.dumps(task))), limit, size)


@frozen
class File:
    """A file as it was planned."""

    number: int
    name: str
    """As the user calls it."""
    path: str
    """Where every worker finds it."""
    stamp: tuple[int, int]

    @property
    def size(self) -> int:
        """How many bytes it has."""
        return self.stamp[0]


@frozen
class Whole:
    """Work on a file in one piece."""

    file: File
    width: int | None = None
    """Where it is known already."""


@frozen
class Part:
    """Work on a chunk of a file."""

    file: File
    bases: range
    work: Work


@frozen
class Slice:
    """A chunk whose edges are known, to be listed."""

    file: File
    piece: Chunk
    all_bad: bool = False
    """Some violation of the file names no row."""


Item: TypeAlias = Whole | Part
Listed: TypeAlias = Whole | Slice
Reply: TypeAlias = Verdict | Result | SculptError


@lru_cache(maxsize=4)
def task_of(schema: bytes) -> Task:
    """The task of a job; the same object every time, so that programs are found again."""
    version, pickled = pickle.loads(schema)
    if version != _version():
        raise RunError(
            f"a worker has another version of sculpt, {_version()} instead of {version}:"
            " install the same one on all nodes"
        )
    task: Task = pickle.loads(pickled)
    return task


def _version() -> str:
    """What driver and workers must have in common."""
    return f"{__version__} ({signatures.stamp()})"


@cache
def machine_store() -> MachineStore:
    """The programs of this process."""
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
    """A file of the plan, which must still be the same."""
    source = Input(file.path, file.name)
    if source.stamp != file.stamp:
        source.close()
        raise DataError(f"{file.name}: changed while it was read", file.name)
    return source


def reply(job: Job, item: Item) -> Reply:
    """Do the work of one item. What is wrong with its file is an answer, not a failure."""
    try:
        with opened(item.file) as source:
            found = (
                _whole(job, item, source) if isinstance(item, Whole) else _part(job, item, source)
            )
            source.check_unchanged()
            return found
    except SculptError as error:
        return error


def _whole(job: Job, item: Whole, source: Input) -> Verdict:
    task = task_of(job.schema)
    options = Options(job.limit, threads=1, backend=backend_of(job), build=machine_store())
    if task.targets:
        rows, width = local.size_of(task, source, options)
        return Verdict(item.file.name, NAME, rows, width, 0, (), ())
    verdict = local.validate_input(task.schema, source, options)
    return replace(verdict, engine=NAME)


def _part(job: Job, item: Part, source: Input) -> Result:
    data = Data(source, task_of(job.schema).schema.dialect.encoding)
    return perform(item.work, machines_of(job, data), data, item.bases, job.limit)


def listing(job: Job, item: Listed, source: Input) -> Listing:
    """All that is in a file, or in a chunk of it."""
    data = Data(source, task_of(job.schema).schema.dialect.encoding)
    machines = machines_of(job, data, forgets=True)
    if isinstance(item, Slice):
        return Listing(machines, data, item.piece.entry.width, item.piece)
    assert item.width is not None
    return Listing(machines, data, item.width)


def replies(job: Job, unit: Sequence[Item]) -> Iterator[tuple[int, bytes]]:
    """The pickled replies of a unit, with the numbers of their files."""
    for item in unit:
        yield item.file.number, pickle.dumps(reply(job, item))
