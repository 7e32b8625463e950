"""CSVW's conversions on Spark: tables become JSON Lines or N-Triples, chunk by chunk.

In: a session, the path of a table or of metadata, a directory. Out: a directory of part files that
tasks write themselves, in the order of the rows, and the problems of metadata and cells. The jobs:

    rounds      for each large file: where its chunks begin, and how many rows are above each
    count       only if a comment or a blank row may be among them: how many rows are no data
    convert     the rows of each chunk, by the same converter as on one machine

Invariant: the part files, one after the other, are the rows that one machine gives, with the same
numbers. The directory holds only files that the driver knows; it appears when it is complete.
N-Triples have one more file with the statements about tables, which comes first; JSON Lines have
rows only. Memory of a task: a few megabytes of rows.
"""

from __future__ import annotations

import os
import pickle
import secrets
import shutil
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from sculpt.csvw.conversion import MAX_COMMENTS, MAX_PROBLEMS
from sculpt.csvw.convert import Metadata, Prepared, prepared
from sculpt.csvw.converter import RowConverter, Target
from sculpt.csvw.documents import Frame, frame_of
from sculpt.csvw.tables.dialects import reading_task
from sculpt.csvw.tables.plan import TablePlan, plan_of
from sculpt.csvw.tables.rows import Above, TableRows, opened_data
from sculpt.engines.data import Data
from sculpt.errors import RunError, SculptError, UsageError
from sculpt.extras import need
from sculpt.interchange.access import Access, Fetch
from sculpt.interchange.csvw.model import Table
from sculpt.interchange.csvw.problems import Problem
from sculpt.kernels import choice as kernels
from sculpt.spark import rounds, tasks
from sculpt.spark.tasks import File, Scope, WholeFile
from sculpt.spark.units import OnProgress, ReplyFunction
from sculpt.tabular.stores import is_uri
from sculpt.transform.atomic import errors_named, placed_directory
from sculpt.values import frozen, replace
from sculpt.verdict import Verdict

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PARTS, SUCCESS = ".parts", "_SUCCESS"
_SUFFIXES = {"jsonl": "jsonl", "ntriples": "nt"}
_NEAR = 1 << 22


@frozen
class ConversionResult:
    """What a conversion on Spark has written."""

    directory: str
    rows: int
    problems: tuple[Problem, ...]
    problem_count: int
    """Of all problems; the first of them are listed."""


def convert(
    spark: SparkSession,
    source: str | os.PathLike[str],
    out: str | os.PathLike[str],
    to: Literal["jsonl", "ntriples"] = "jsonl",
    metadata: Metadata = None,
    *,
    minimal: bool = False,
    fetch: Fetch | None = None,
    access: Access | None = None,
    unit: int | None = None,
    on_progress: OnProgress | None = None,
) -> ConversionResult:
    """Convert a table, or all tables of metadata, into files of a new directory.

    On a cluster, all machines must share the files and the directory. `unit` is the number of bytes
    that one task converts. Metadata with errors raises `SchemaError`.
    """
    need("spark", "`sculpt.spark`")
    need("csvw", "converting CSVW")
    if to not in _SUFFIXES:
        raise UsageError(f"`{to}` is not a format: it is one of {', '.join(_SUFFIXES)}")
    name = os.fspath(out)
    if is_uri(name):
        raise UsageError(f"{name}: tasks write files; name a directory that all machines share")
    target = Target(None, minimal, lines=True) if to == "jsonl" else Target("ntriples", minimal)
    with (
        prepared(source, metadata, fetch, access) as found,
        placed_directory(name) as directory,
    ):
        run = _Run(spark, found, target, directory, name, unit, on_progress)
        return run.result(_SUFFIXES[to])


@frozen(slots=False)
class Part:
    """A file or a chunk of it, and the rows above it."""

    scope: Scope
    table: Table
    number: int
    """The number of the table in its group."""
    above: Above
    place: int
    """The number of the part file."""

    @property
    def file(self) -> File:
        """The file."""
        return self.scope.file


class _Run:
    """A conversion of all tables of a source."""

    def __init__(
        self,
        spark: SparkSession,
        found: Prepared,
        target: Target,
        directory: str,
        name: str,
        unit: int | None,
        on_progress: OnProgress | None,
    ) -> None:
        self.spark, self.found, self.target = spark, found, target
        self.directory, self.name = os.path.abspath(directory), name
        self.unit, self.on_progress = unit, on_progress

    def result(self, suffix: str) -> ConversionResult:
        """Convert everything."""
        plans = [
            plan_of(table, number)
            for number, table in enumerate(self.found.group.tables, 1)
            if not table.suppress_output
        ]
        parts = [part for plan in plans for part in self._parts(plan)]
        parts = [replace(part, place=place) for place, part in enumerate(parts, 1)]
        folder = os.path.join(self.directory, PARTS)
        with errors_named(self.name, self.directory):
            os.makedirs(folder)
        job = Convert(parts, self.target, folder, self.name, suffix)
        written: list[Written] = [
            pickle.loads(reply.data) for reply in job.collect(self.spark, self.on_progress)
        ]
        self._place(folder, written)
        if self.target.form is not None:
            self._write_statements(plans, parts, written, suffix)
        with errors_named(self.name, self.directory):
            shutil.rmtree(folder)
            with open(os.path.join(self.directory, SUCCESS), "xb"):
                pass
        problems = [*self.found.problems, *(each for one in written for each in one.problems)]
        count = len(self.found.problems) + sum(one.problem_count for one in written)
        rows = sum(one.rows for one in written)
        return ConversionResult(self.name, rows, tuple(problems[:MAX_PROBLEMS]), count)

    # ------------------------------------------------------------- parts

    def _parts(self, plan: TablePlan) -> list[Part]:
        """The parts of a table, with the rows above each."""
        table = plan.table
        file = rounds.planned(self.found.files[table.url])[0]
        if isinstance(file, SculptError):
            raise file
        task = reading_task(table.dialect)
        runner = rounds.Runner(self.spark, task, rounds.Settings(0, self.unit, self.on_progress))
        file = replace(file, number=plan.number)
        if file.size <= (self.unit or runner.share([file])):
            return [Part(WholeFile(file), table, plan.number, Above(), 0)]
        checked = runner.run([file]).files[0]
        if isinstance(checked.outcome, SculptError):
            raise checked.outcome
        assert isinstance(checked.outcome, Verdict)
        if not checked.chunks:
            return [Part(WholeFile(file), table, plan.number, Above(), 0)]
        parts = [
            Part(each, table, plan.number, Above(each.chunk.intake.rows), 0)
            for each in checked.chunks
        ]
        return self._counted(parts, checked.outcome.rows)

    def _counted(self, parts: Sequence[Part], total: int) -> list[Part]:
        """The parts, with the rows of data above each."""
        dialect = parts[0].table.dialect
        head = dialect.skip_rows + dialect.header_row_count
        dropped = [0] * len(parts)
        if dialect.comment_prefix or dialect.skip_blank_rows:
            replies = Count(parts).collect(self.spark, self.on_progress)
            dropped = [pickle.loads(reply.data) for reply in replies]
        found, lost = [], 0
        for part, here in zip(parts, dropped, strict=True):
            source = part.above.source
            rows = max(0, source - min(head, source) - lost)
            found.append(replace(part, above=Above(source, rows)))
            lost += here
        return found

    # ------------------------------------------------------------- files

    def _place(self, folder: str, written: Sequence[Written]) -> None:
        for each in written:
            path = os.path.join(folder, each.name)
            if not os.path.exists(path):
                raise RunError(
                    f"{self.name}: a worker wrote a file that this machine cannot access;"
                    " name a directory that all machines share"
                )
            with errors_named(self.name, self.directory):
                os.rename(path, os.path.join(self.directory, each.name))

    def _write_statements(
        self, plans: Sequence[TablePlan], parts: Sequence[Part], written: Sequence[Written],
        suffix: str,
    ) -> None:  # fmt: skip
        """Write the statements about the group and its tables."""
        frame: Frame = frame_of(self.found.group, self.target)
        text = frame.head()
        comments: dict[int, list[str]] = {}
        for part, each in zip(parts, written, strict=True):
            comments.setdefault(part.number, []).extend(each.comments)
        for place, plan in enumerate(plans):
            text += frame.before(plan, place == 0)
            text += frame.after(plan, comments.get(plan.number, [])[:MAX_COMMENTS])
        text += frame.tail(None)
        with errors_named(self.name, self.directory):
            path = os.path.join(self.directory, f"part-00000.{suffix}")
            with open(path, "x", encoding="utf-8", newline="") as file:
                file.write(text)


# ------------------------------------------------------------- tasks


@frozen
class Written:
    """What a task reports when its file is complete."""

    name: str
    rows: int
    problems: tuple[Problem, ...]
    problem_count: int
    comments: tuple[str, ...]


def _rows(part: Part, data: Data, width: int) -> TableRows:
    """The rows of a part."""
    dialect = part.table.dialect
    backend = kernels.for_input(lambda _: part.file.size).backend
    machines = tasks.machine_store()(_task(part.table), data.codec, backend, True, True)
    span = None if part.scope.chunk is None else part.scope.chunk.span
    return TableRows(data, dialect, width, machines, span, part.above)


@lru_cache(maxsize=16)
def _task_of(dialect: Any) -> Any:
    return reading_task(dialect)


def _task(table: Table) -> Any:
    """The task of reading a table, the same object every time, so that its machines are reused."""
    return _task_of(table.dialect)


class Count(ReplyFunction[Part]):
    """The function that counts rows that are no data, without the head of a file."""

    def __init__(self, parts: Sequence[Part]) -> None:
        super().__init__([[part] for part in parts])

    def run(self, item: Part) -> Iterator[tuple[int, bytes]]:
        """One pickled number."""
        dialect = item.table.dialect
        with tasks.opened(item.file) as source:
            data = opened_data(source, dialect)
            dropped = 0
            if dialect.skip_blank_rows or _may_have_comments(item, data):
                head = dialect.skip_rows + dialect.header_row_count
                seen = item.above.source
                for piece in _rows(item, data, _width(item.table)).pieces():
                    first = max(seen, head)
                    seen += piece.source_count
                    dropped += max(0, seen - first) - piece.count
            source.check_unchanged()
        yield 0, pickle.dumps(dropped)


def _width(table: Table) -> int:
    return sum(not column.virtual for column in table.schema.columns)


def _may_have_comments(part: Part, data: Data) -> bool:
    """Does the prefix of comments stand at the start of some line?"""
    prefix = (part.table.dialect.comment_prefix or "").encode(data.codec, "replace")
    if not prefix:
        return False
    assert part.scope.chunk is not None
    span = part.scope.chunk.span
    at = max(0, span.begin - 1)
    ends = {
        end[-1:].encode(data.codec, "replace")
        for end in ("\n", "\r", *part.table.dialect.line_terminators)
    }
    while True:
        stop = at + _NEAR if span.end is None else min(at + _NEAR, span.end)
        window = data.window(at, stop + len(prefix))
        if (at == 0 and window.startswith(prefix)) or any(end + prefix in window for end in ends):
            return True
        if len(window) < stop - at + len(prefix) or stop == span.end:
            return False
        at = stop


class Convert(ReplyFunction[Part]):
    """The function that writes the rows of a part to a file, and reports it."""

    def __init__(
        self, parts: Sequence[Part], target: Target, folder: str, name: str, suffix: str
    ) -> None:
        super().__init__([[part] for part in parts])
        self.target, self.folder, self.name, self.suffix = target, folder, name, suffix

    def run(self, item: Part) -> Iterator[tuple[int, bytes]]:
        """Write the rows; yields a pickled `Written`."""
        if not os.path.isdir(self.folder):
            raise RunError(
                f"{self.name}: cannot be written: a worker cannot access the directory;"
                " name a directory that all machines share"
            )
        name = f"part-{item.place:05}-{secrets.token_hex(8)}.{self.suffix}"
        plan = plan_of(item.table, item.number)
        converter = RowConverter(plan, self.target)
        rows = count = 0
        problems: list[Problem] = []
        comments: list[str] = []
        with (
            tasks.opened(item.file) as source,
            errors_named(self.name, self.folder),
            open(os.path.join(self.folder, name), "xb") as file,
        ):
            data = opened_data(source, item.table.dialect)
            for piece in _rows(item, data, plan.width).pieces():
                converted = converter.convert(piece)
                rows += piece.count
                count += converted.problem_count
                problems += converted.problems[: MAX_PROBLEMS - len(problems)]
                comments += converted.comments[: MAX_COMMENTS - len(comments)]
                if len(converted.text):
                    file.write(converted.text)
                    if self.target.form is None:
                        file.write(b"\n")
            source.check_unchanged()
        yield 0, pickle.dumps(Written(name, rows, tuple(problems), count, tuple(comments)))
