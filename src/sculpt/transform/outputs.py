"""Where the results of a run go: files, a directory, standard output.

In: what a program makes and where the call wants it. Out: files that appear only when they are
complete: everything is written under temporary names and moved into place when the run succeeds.

A program has up to three kinds of outputs: lines of `print` (text), annotations, and the records of
each target. A single output goes to the named file; several go to a directory, each to its own
file. Lines go to standard output unless there is a directory. RDF is different: several outputs may
go to one file, which has the triples of one target after those of another. All but the first are
held in temporary files until the end, so the order does not depend on how a table was cut.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import IO, TYPE_CHECKING, Any, BinaryIO, TypeAlias

from sculpt.core.programs.program import CoreProgram
from sculpt.engines.pool import Call, Pool
from sculpt.errors import UsageError
from sculpt.tabular.inputs import writing_temporary
from sculpt.tabular.stores import is_uri
from sculpt.transform.arrow_types import arrow_schema
from sculpt.transform.atomic import Place, placed, placed_directory
from sculpt.transform.evaluation.findings import Findings
from sculpt.transform.iris import Names
from sculpt.transform.results import Producer
from sculpt.transform.writers.formats import (
    RDF,
    Format,
    Writer,
    extension_of,
    format_of,
    open_annotations,
    open_writer,
)
from sculpt.values import field, frozen, mutable

if TYPE_CHECKING:
    import pyarrow as pa

WriteTables: TypeAlias = Callable[[Mapping[int, Place], Findings], Mapping[int, int | None]]
"""Writes streams of records to directories and counts them; a missing value is a finding."""

TEXT, ANNOTATIONS = "text", "annotations"
STDOUT = "-"
MAX_HELD = 1 << 26
MAX_PART = 1 << 20
"""Of what is appended to a file at the end: it goes to the disk anyway."""


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
    """The directory that holds them all, if there is one."""


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
            raise UsageError(f"the program has no output `{only}`; it has {known}")
        made = {only: made[only]}
    others = [name for name in made if name != TEXT]
    if made and not others and file_format is not None:
        raise UsageError("printed lines have no format: leave out `--format`")
    if _is_directory(out, file_format, others, made):
        assert out is not None
        return Plan(tuple(_in_directory(made, out, file_format)), out)
    if file_format is None and out is None and _are_about_subjects(program, others):
        file_format = Format.NQUADS
    is_one_document = (file_format or (format_of(out) if out else None)) in RDF
    if (len(others) > 1 and not is_one_document) or (out is None and others and TEXT in made):
        names = ", ".join(f"`{name}`" for name in made)
        raise UsageError(
            f"the program has several outputs: {names}; name a directory with `-o DIR`,"
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
            raise UsageError(
                f"{out}: cannot infer the format from the name; set `--format` to one of {known}"
            )
        outputs.append(Output(name, made[name], out or STDOUT, chosen))
    return Plan(tuple(outputs), None)


def _are_about_subjects(program: CoreProgram, others: list[str]) -> bool:
    """Do all records say something about subjects, so that RDF is what is meant?"""
    fields = {each.name: dict(each.fields) for each in program.streams if each.kind == "records"}
    if not others or any(name not in fields for name in others):
        return False
    chosen = [fields[name] for name in others]
    has_subjects = all("subject" in each and each["subject"].kind == "iri" for each in chosen)
    return has_subjects and any({*each} != _TRIPLE for each in chosen)


_TRIPLE = {"subject", "predicate", "object"}


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
        if name == ANNOTATIONS and chosen not in RDF:
            chosen = Format.JSON
        file = f"{name}{extension_of(chosen)}"
        yield Output(name, streams, os.path.join(out, file), chosen)


class Held(SpooledTemporaryFile[bytes]):
    """Data that waits to be written: in memory, or in a temporary file if there is much of it.

    An error names the directory for temporary files, since it is not about the output.
    """

    def __init__(self, most: int | None = None) -> None:
        super().__init__(MAX_HELD if most is None else most)

    def write(self, data: Any) -> int:
        """Append some data."""
        with writing_temporary():
            return super().write(data)

    def flush(self) -> None:
        """Write what is in the buffer."""
        with writing_temporary():
            super().flush()

    @property
    def is_on_disk(self) -> bool:
        """Is it in a temporary file?"""
        return bool(getattr(self, "_rolled", False))

    def rewind(self) -> None:
        """Go to the start, to read what was written."""
        self.flush()
        self.seek(0)

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):  # what is still in the buffer is no longer needed
            self.close()


@mutable
class Written:
    """What was written to an output."""

    output: Output
    rows: int | None = 0
    """`None` if they were not counted."""


@mutable
class _Open:
    """An output that is being written."""

    written: Written
    writer: Writer | None
    text: IO[bytes] | None
    """Where lines go, in the order of the statements."""
    pool: Pool
    waiting: dict[int, Held] = field(default_factory=dict)
    writing: Call[None] | None = None

    def put(self, stream: int, batch: pa.RecordBatch) -> None:
        """Write a batch of a stream."""
        self.written.rows = (self.written.rows or 0) + batch.num_rows
        if self.writer is not None:
            self.wait()
            self.writing = self.pool.submit(partial(self.writer.write, batch))
            return
        if stream not in self.waiting:
            self.waiting[stream] = Held()
        lines = batch.column(0).to_pylist()
        self.waiting[stream].write("".join(f"{line}\n" for line in lines).encode())

    def wait(self) -> None:
        """Wait for the last batch: one is written while the next is made."""
        if self.writing is not None:
            self.writing.result()

    def end_table(self) -> None:
        """Write the lines of a file that has ended, now that their order is known."""
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
    """Run a program and write its outputs; `may_end` raises an error if they must not be kept.

    `write_tables`, if given, writes the Parquet outputs, each to a directory.
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
        places_of: dict[str, str] = {}
        parts: dict[str, list[Held]] = {}
        """By path: what comes after the first output that goes there."""
        pool = Pool(max(1, len(others)))
        opened: list[_Open] = []
        for output in others:
            to: Any
            if output.path == STDOUT:
                to = stack.enter_context(Held(MAX_HELD // len(others)))
                held.append(to)
            elif temporary is not None:
                to = os.path.join(temporary, os.path.basename(output.path))
            elif output.path in places_of:
                to = stack.enter_context(Held(MAX_PART))
                parts.setdefault(places_of[output.path], []).append(to)
            else:
                to = stack.enter_context(placed(output.path))
                places_of[output.path] = to
            opened.append(_opened(output, to, program, names, stack, pool))
        stack.enter_context(pool)  # it ends before the writers do, even if something fails
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
        for place, later in parts.items():
            _append(place, later)
        try:
            for spool in held:
                spool.rewind()
                shutil.copyfileobj(spool, stdout)
            stdout.flush()
        except BrokenPipeError:
            pass  # a closed pipe is not an error: the files are kept
        except OSError as error:
            error.filename = STDOUT  # so that no other output is named
            raise
    by_spark = [Written(output, counts[next(iter(output.streams))]) for output in tables]
    return [*(each.written for each in opened), *by_spark]


def _append(place: str, parts: list[Held]) -> None:
    """Append what was held to a file."""
    with open(place, "r+b") as to:
        to.seek(0, os.SEEK_END)
        for part in parts:
            part.rewind()
            if not _sent(part, to):
                shutil.copyfileobj(part, to, 1 << 20)


def _sent(part: Held, to: BinaryIO) -> bool:
    """Let the system copy a file to the end of another; `False` if it cannot."""
    if not hasattr(os, "copy_file_range") or not part.is_on_disk:
        return False
    size, done = os.fstat(part.fileno()).st_size, 0
    to.flush()
    at = to.tell()
    try:
        while done < size:
            copied = os.copy_file_range(part.fileno(), to.fileno(), size - done, done, at + done)
            if not copied:
                break
            done += copied
    except OSError:
        pass  # another file system, or none that can do it
    part.seek(done)
    to.seek(at + done)
    return done == size


def _opened(
    output: Output,
    to: Any,
    program: CoreProgram,
    names: Names,
    stack: contextlib.ExitStack,
    pool: Pool,
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
