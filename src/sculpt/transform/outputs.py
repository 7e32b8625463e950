"""Where the results of a run go: files, a directory, standard output.

In: what a program makes and what the call says. Out: files that are there when they are whole, and
not before: everything is written under temporary names and moved when the run has ended well.

A program has up to three kinds of outputs: lines of `print` (text), annotations, and the records of
each target. One kind goes to the file that is named; several go to a directory, each to a file of
its own. Lines go to standard output unless there is a directory.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import IO, TYPE_CHECKING, Any, BinaryIO, TypeAlias

from sculpt.core.programs.program import CoreProgram
from sculpt.errors import UsageError
from sculpt.tabular.inputs import writing_temporary
from sculpt.tabular.stores import is_uri
from sculpt.transform.arrow_types import arrow_schema
from sculpt.transform.atomic import Place, placed, placed_directory
from sculpt.transform.evaluation.findings import Findings
from sculpt.transform.iris import Names
from sculpt.transform.results import Producer
from sculpt.transform.writers.formats import (
    Format,
    Writer,
    format_of,
    open_annotations,
    open_writer,
)
from sculpt.values import field, frozen, mutable

if TYPE_CHECKING:
    import pyarrow as pa

WriteTables: TypeAlias = Callable[[Mapping[int, Place], Findings], Mapping[int, int | None]]
"""Writes streams of records to directories, and counts them; what cannot be had is a finding."""

TEXT, ANNOTATIONS = "text", "annotations"
STDOUT = "-"
MAX_HELD = 1 << 26
EXTENSIONS = {Format.NTRIPLES: "nt", Format.TURTLE: "ttl"}


@frozen
class Output:
    """One output: what goes to it, and where it is written."""

    name: str
    """`text`, `annotations`, or a target."""
    streams: frozenset[int]
    path: str
    """`-` is standard output."""
    format: Format | None
    """`None` for text."""


@frozen
class Plan:
    """The outputs of a run."""

    outputs: tuple[Output, ...]
    directory: str | None
    """Where they all are, if that is one directory."""


def kinds(program: CoreProgram) -> dict[str, frozenset[int]]:
    """What a program makes, by name."""
    found: dict[str, set[int]] = {}
    for number, stream in enumerate(program.streams):
        name = {"print": TEXT, "annotations": ANNOTATIONS}.get(stream.kind, stream.name)
        found.setdefault(name, set()).add(number)
    return {name: frozenset(streams) for name, streams in found.items()}


def plan(
    program: CoreProgram, out: str | None, file_format: Format | None, only: str | None
) -> Plan:
    """Where each output goes."""
    made = kinds(program)
    out = None if out in (STDOUT, "/dev/stdout") else out
    if only is not None:
        if only not in made:
            known = ", ".join(f"`{name}`" for name in made) or "nothing"
            raise UsageError(f"the program makes no `{only}`; it makes {known}")
        made = {only: made[only]}
    others = [name for name in made if name != TEXT]
    if made and not others and file_format is not None:
        raise UsageError("lines that are printed have no format: leave out `--format`")
    if _is_directory(out, file_format, others, made):
        assert out is not None
        return Plan(tuple(_in_directory(made, out, file_format)), out)
    if len(others) > 1 or (out is None and others and TEXT in made):
        names = ", ".join(f"`{name}`" for name in made)
        raise UsageError(
            f"the program makes {names}: name a directory with `-o DIR`,"
            " or choose one of them with `--only`"
        )
    outputs = []
    if TEXT in made:
        to = out if out is not None and not others else STDOUT
        outputs.append(Output(TEXT, made[TEXT], to, None))
    for name in others:
        chosen = file_format or (format_of(out) if out else None) or _default(name)
        if out is not None and file_format is None and format_of(out) is None:
            known = ", ".join(f"`{each}`" for each in Format)
            raise UsageError(f"{out}: the name tells no format; give one of {known} to `--format`")
        outputs.append(Output(name, made[name], out or STDOUT, chosen))
    return Plan(tuple(outputs), None)


def _is_directory(
    out: str | None, file_format: Format | None, others: list[str], made: dict[str, Any]
) -> bool:
    if out is None:
        return False
    if out.endswith(("/", os.sep)) or os.path.isdir(out):
        return True
    return len(made) > 1 and len(others) > 0 and format_of(out) is None


def _default(name: str) -> Format:
    return Format.JSON if name == ANNOTATIONS else Format.CSV


def _in_directory(
    made: dict[str, frozenset[int]], out: str, file_format: Format | None
) -> Iterator[Output]:
    for name, streams in made.items():
        if name == TEXT:
            yield Output(name, streams, os.path.join(out, "text.txt"), None)
            continue
        chosen = file_format or _default(name)
        if name == ANNOTATIONS and chosen not in (Format.NTRIPLES, Format.TURTLE):
            chosen = Format.JSON
        file = f"{name}.{EXTENSIONS.get(chosen, chosen)}"
        yield Output(name, streams, os.path.join(out, file), chosen)


class Held(SpooledTemporaryFile[bytes]):
    """What waits for its turn to be written: in memory, and in a temporary file if it is much.

    An error names the directory for temporary files: it is not one of the output.
    """

    def __init__(self) -> None:
        super().__init__(MAX_HELD)

    def write(self, data: Any) -> int:
        """Put something at the end."""
        with writing_temporary():
            return super().write(data)

    def flush(self) -> None:
        """Write what is in a buffer."""
        with writing_temporary():
            super().flush()

    def rewind(self) -> None:
        """Go to the start, to read what was written."""
        self.flush()
        self.seek(0)

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):  # nobody reads any more what is still in a buffer
            self.close()


@mutable
class Written:
    """What was written to an output."""

    output: Output
    rows: int | None = 0
    """`None` where nobody has counted them."""


@mutable
class _Open:
    """An output that is being written."""

    written: Written
    writer: Writer | None
    text: IO[bytes] | None
    """Where lines go, in the order of the statements."""
    pool: ThreadPoolExecutor
    waiting: dict[int, Held] = field(default_factory=dict)
    writing: Future[None] | None = None

    def put(self, stream: int, batch: pa.RecordBatch) -> None:
        """Some of a stream."""
        self.written.rows = (self.written.rows or 0) + batch.num_rows
        if self.writer is not None:
            self.wait()
            self.writing = self.pool.submit(self.writer.write, batch)
            return
        if stream not in self.waiting:
            self.waiting[stream] = Held()
        lines = batch.column(0).to_pylist()
        self.waiting[stream].write("".join(f"{line}\n" for line in lines).encode())

    def wait(self) -> None:
        """Let the last batch be written: one is written while the next is made."""
        if self.writing is not None:
            self.writing.result()

    def end_table(self) -> None:
        """A file has ended: its lines are in order now."""
        if self.text is None:
            return
        for stream in sorted(self.waiting):
            with self.waiting[stream] as lines:
                lines.rewind()
                shutil.copyfileobj(lines, self.text)
        self.waiting = {}


def write_outputs(
    producer: Producer,
    outputs: Plan,
    findings: Findings,
    stdout: BinaryIO,
    may_end: Callable[[], None],
    write_tables: WriteTables | None = None,
) -> list[Written]:
    """Run a program and write what it makes; `may_end` raises if that must not be kept.

    With `write_tables`, Parquet is written by it, each table to a directory.
    """
    tables = [o for o in outputs.outputs if write_tables and o.format is Format.PARQUET]
    others = [output for output in outputs.outputs if output not in tables]
    wanted = frozenset[int]().union(*(output.streams for output in others))
    program = producer.program
    names = Names(program.namespaces)
    with contextlib.ExitStack() as stack:
        temporary = (
            stack.enter_context(placed_directory(outputs.directory))
            if outputs.directory is not None
            else None
        )
        held: list[Held] = []
        pool = ThreadPoolExecutor(max(1, len(others)))
        opened: list[_Open] = []
        for output in others:
            to: Any
            if output.path == STDOUT:
                to = stack.enter_context(Held())
                held.append(to)
            elif temporary is not None:
                to = os.path.join(temporary, os.path.basename(output.path))
            else:
                to = stack.enter_context(placed(output.path))
            opened.append(_opened(output, to, program, names, stack, pool))
        stack.enter_context(pool)  # it ends before the writers do, also if something fails
        by_stream = {stream: each for each in opened for stream in each.written.output.streams}
        for table in producer.tables(wanted, findings) if wanted else ():
            for stream, batch in table:
                by_stream[stream].put(stream, batch)
            for each in opened:
                each.end_table()
        may_end()
        counts: Mapping[int, int | None] = {}
        places: dict[int, Place] = {}
        for output in tables:
            if temporary is not None:
                to = os.path.join(temporary, os.path.basename(output.path))
            elif is_uri(output.path):
                to = output.path  # the store moves parts into place when all are written
            else:
                to = stack.enter_context(placed_directory(output.path))
            places[next(iter(output.streams))] = Place(to, output.path)
        if write_tables is not None and places:
            counts = write_tables(places, findings)
            may_end()
        for each in opened:
            each.wait()
            if each.writer is not None:
                each.writer.close()
            elif each.text is not None:
                each.text.flush()
        try:
            for spool in held:
                spool.rewind()
                shutil.copyfileobj(spool, stdout)
            stdout.flush()
        except BrokenPipeError:
            pass  # a reader that has gone is no failure: the files stay
        except OSError as error:
            error.filename = STDOUT  # so that no other output is named
            raise
    by_spark = [Written(output, counts[next(iter(output.streams))]) for output in tables]
    return [*(each.written for each in opened), *by_spark]


def _opened(
    output: Output,
    to: Any,
    program: CoreProgram,
    names: Names,
    stack: contextlib.ExitStack,
    pool: ThreadPoolExecutor,
) -> _Open:
    written = Written(output)
    if output.format is None:
        text = stack.enter_context(Path(to).open("wb")) if isinstance(to, str) else to  # noqa: SIM115 (the stack closes it)
        return _Open(written, None, text, pool)
    if output.name == ANNOTATIONS:
        annotations = stack.enter_context(open_annotations(output.format, to, names))
        return _Open(written, annotations, None, pool)
    schema = arrow_schema(program.streams[next(iter(output.streams))])
    writer = open_writer(output.format, to, schema, output.name, names)
    return _Open(written, stack.enter_context(writer), None, pool)
