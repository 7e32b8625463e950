"""A conversion from the first byte to the last: tables in, pieces of one document out.

In: a group of tables whose columns are known, and how to open each of their files. Out: a
`Conversion`: an iterator over pieces of text, which also has the problems that were found so far.

The scan of a file is one block ahead; its pieces are converted by threads, some at once, and come
in the order of the rows. Nothing is read before the first piece is asked for.

Invariant: the text does not depend on the number of threads, nor on how the file is cut. Memory: a
few pieces, however many rows there are. Cost: that of the scan and of `vectors`, shared by threads.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from functools import partial

from sculpt.csvw.converter import Converted, RowConverter, Target, separator
from sculpt.csvw.documents import frame_of
from sculpt.csvw.tables.dialects import unfollowed
from sculpt.csvw.tables.plan import TablePlan, plan_of
from sculpt.csvw.tables.rows import READ_SIZE, TableRows, opened_data
from sculpt.csvw.texts.provenance import Provenance
from sculpt.engines.pool import work_ahead
from sculpt.interchange.csvw.model import Table, TableGroup
from sculpt.interchange.csvw.problems import Problem
from sculpt.tabular.inputs import Input
from sculpt.values import field, frozen

MAX_THREADS = 8
MAX_PROBLEMS = 1_000
"""Problems that are listed; the others are counted."""
MAX_COMMENTS = 10_000
"""Comments of a file that are kept for the end of its table."""

PIECES_PER_RELEASE = 8
"""Arrow keeps what was freed for a while, and threads free what others have asked for."""

OpenTable = Callable[[Table], AbstractContextManager[Input]]
OnProblem = Callable[[Problem], None]


@frozen(slots=False)
class Request:
    """What is to be converted, and how."""

    group: TableGroup
    open_table: OpenTable = field(compare=False)
    target: Target
    threads: int | None = None
    provenance: bool = False
    metadata: tuple[str, ...] = ()
    """The URLs of the metadata that was used."""
    read_size: int | None = None
    """Bytes that are converted together; by default, those that suit the target."""


class Conversion(Iterator[str]):
    """The pieces of a document; `problems` grows while they are read."""

    def __init__(
        self,
        request: Request,
        problems: tuple[Problem, ...] = (),
        on_problem: OnProblem | None = None,
    ) -> None:
        """`problems` are those of the metadata."""
        self.request = request
        self.problems: list[Problem] = []
        self.problem_count = 0
        self._on_problem = on_problem
        for problem in problems:
            self._add(problem)
        self._pieces = self._texts()

    def __iter__(self) -> Conversion:
        return self

    def __next__(self) -> str:
        return next(self._pieces)

    def close(self) -> None:
        """End the conversion: files are closed, threads end."""
        self._pieces.close()

    def __enter__(self) -> Conversion:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ------------------------------------------------------------- problems

    def _add(self, problem: Problem) -> None:
        self.problem_count += 1
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(problem)
            if self._on_problem is not None:
                self._on_problem(problem)

    def _take(self, converted: Converted) -> None:
        for problem in converted.problems:
            self._add(problem)
        self.problem_count += converted.problem_count - len(converted.problems)

    # ------------------------------------------------------------- pieces

    def _texts(self) -> Generator[str, None, None]:
        request = self.request
        started = _now()
        frame = frame_of(request.group, request.target, request.provenance)
        yield frame.head()
        is_first, has_rows = True, False
        for number, table in enumerate(request.group.tables, 1):
            if table.suppress_output:
                continue
            plan = plan_of(table, number)
            yield frame.before(plan, is_first)
            is_first = False
            if not request.target.minimal:
                has_rows = False  # each table has an array of its own
            comments: list[str] = []
            with contextlib.closing(self._rows(plan, comments)) as rows:
                for text in rows:
                    yield separator(request.target) + text if has_rows else text
                    has_rows = True
            yield frame.after(plan, comments)
        provenance = None
        if request.provenance:
            urls = tuple(table.url for table in request.group.tables)
            provenance = Provenance(urls, request.metadata, started, _now())
        yield frame.tail(provenance)

    def _rows(self, plan: TablePlan, comments: list[str]) -> Generator[str, None, None]:
        """The rows of a table, in pieces that are not empty."""
        dialect = plan.table.dialect
        wrong = unfollowed(dialect)
        if wrong is not None:
            self._add(Problem("warning", wrong, dialect.place))
        converter = RowConverter(plan, self.request.target)
        with self.request.open_table(plan.table) as source:
            data = opened_data(source, dialect)
            size = self.request.read_size or read_size(self.request.target)
            rows = TableRows(data, dialect, plan.width, size=size)
            works = (partial(converter.convert, piece) for piece in rows.pieces())
            with contextlib.closing(self._worked(works, rows)) as converted:
                for count, each in enumerate(converted, 1):
                    self._take(each)
                    if count % PIECES_PER_RELEASE == 0:
                        release_memory()
                    comments += each.comments[: MAX_COMMENTS - len(comments)]
                    if len(each.text):
                        yield str(each.text, "utf-8")
            source.check_unchanged()

    def _worked(
        self, works: Iterator[Callable[[], Converted]], rows: TableRows
    ) -> Generator[Converted, None, None]:
        threads = min(self.request.threads or os.cpu_count() or 1, MAX_THREADS)
        if threads < 2 or not rows.machines.backend.is_compiled:
            for work in works:
                yield work()
            return
        with contextlib.closing(work_ahead(works, threads)) as converted:
            yield from converted


def release_memory() -> None:
    """Give the memory back that Arrow has kept: otherwise it grows by a half in a long run."""
    import pyarrow as pa

    pa.default_memory_pool().release_unused()


def read_size(target: Target) -> int:
    """How many bytes are converted together: RDF is up to twenty times as long."""
    return READ_SIZE if target.form is None else READ_SIZE // 2


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
