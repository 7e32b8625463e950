"""The results of a run in Python: tables, records one by one, lines, annotations.

In: a `Producer`, which runs a program over validated files. Out: `Results`: a stream is computed
only when it is requested. A value that cannot be computed raises `RefusedError` before the rows
that it belongs to are returned, unless the policy is `FORCE`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any, Protocol

from sculpt.core.programs.program import CoreProgram
from sculpt.display import html_of, shortened
from sculpt.errors import UsageError
from sculpt.transform.arrow_types import arrow_schema
from sculpt.transform.atomic import placed
from sculpt.transform.evaluation.execution import Batch
from sculpt.transform.evaluation.findings import Findings
from sculpt.transform.iris import Names
from sculpt.transform.writers.formats import Format, format_of, open_writer
from sculpt.transform.writers.parquet import plain_batch
from sculpt.verdict import RefusedError, Verdict, Violation

if TYPE_CHECKING:
    import pyarrow as pa


def target_stream(program: CoreProgram, target: str | None) -> int:
    """The stream of a target; if none is named, the program must have exactly one."""
    targets = program.targets
    if target is None and len(targets) == 1:
        return next(iter(targets.values()))
    known = ", ".join(f"`{name}`" for name in targets) or "no records"
    if target is None:
        raise UsageError(f"the program emits {known}: name one of them")
    if target not in targets:
        raise UsageError(f"the program emits no `{target}`; it emits {known}")
    return targets[target]


class Producer(Protocol):
    """Runs a program over some files."""

    program: CoreProgram
    force: bool

    @property
    def verdicts(self) -> Sequence[Verdict]:
        """The verdict on each file."""

    @property
    def left_out(self) -> Sequence[int]:
        """By file: how many rows are left out because they have violations."""

    def validate(self) -> None:
        """Validate all files; raises `RefusedError` if the policy does not allow the violations."""

    def tables(self, streams: frozenset[int], findings: Findings) -> Iterator[Iterator[Batch]]:
        """The batches of some streams, file by file, in the order of each table."""


class Results:
    """The results of a run."""

    def __init__(self, producer: Producer, check_outputs: Callable[[Sequence[str]], None]) -> None:
        """`check_outputs` raises an error for a path that is an input (`guard`)."""
        self._producer = producer
        self._check_outputs = check_outputs
        self.findings: tuple[Violation, ...] = ()
        """With `force`: what went wrong in the program during the last request."""
        self.finding_paths: tuple[str, ...] = ()
        """The file of each finding."""

    def __repr__(self) -> str:
        names = ", ".join(self.targets[:8]) or "no records"
        return f"<Results: {shortened(names, 100)}>"

    def _repr_html_(self) -> str:
        return html_of(self)

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The verdict on each file."""
        return tuple(self._producer.verdicts)

    @property
    def targets(self) -> list[str]:
        """The names of the records that the program emits."""
        return list(self._producer.program.targets)

    def batches(self, target: str | None = None) -> Generator[pa.RecordBatch, None, None]:
        """The records of a target, batch by batch, in the order of the table."""
        stream = self._stream(target)
        schema = arrow_schema(self._producer.program.streams[stream])
        for _, batch in self._made(frozenset([stream])):
            yield plain_batch(batch, schema)

    def table(self, target: str | None = None) -> pa.Table:
        """The records of a target as an Arrow table."""
        import pyarrow as pa

        schema = arrow_schema(self._producer.program.streams[self._stream(target)])
        return pa.Table.from_batches(list(self.batches(target)), schema)

    def records(self, target: str | None = None) -> Iterator[dict[str, Any]]:
        """The records of a target, one by one; reads only as far as they are consumed."""
        with closing(self.batches(target)) as batches:
            for batch in batches:
                yield from batch.to_pylist()

    @property
    def text(self) -> str:
        """The lines that the program prints."""
        streams = self._streams("print")
        printed: list[str] = []
        for table in self._tables(streams):
            lines: dict[int, list[str]] = {stream: [] for stream in sorted(streams)}
            for stream, batch in table:
                lines[stream] += batch.column(0).to_pylist()
            printed += [line for stream in lines for line in lines[stream]]
        return "".join(f"{line}\n" for line in printed)

    @property
    def annotations(self) -> pa.Table:
        """What the program says about cells: file, row, column, content, namespace, text."""
        import pyarrow as pa

        from sculpt.transform.writers.annotations import schema

        streams = self._streams("annotations")
        made = [plain_batch(batch, schema()) for _, batch in self._made(streams)]
        return pa.Table.from_batches(made, schema())

    def write(
        self,
        path: str | os.PathLike[str],
        target: str | None = None,
        file_format: str | None = None,
    ) -> None:
        """Write the records of a target; the file name implies the format, if none is given.

        The file appears only when it is complete.
        """
        name = os.fspath(path)
        known = ", ".join(f"`{each}`" for each in Format)
        if file_format is not None and file_format not in list(Format):
            raise UsageError(f"unknown format `{file_format}`; choose one of {known}")
        chosen = format_of(name) if file_format is None else Format(file_format)
        if chosen is None:
            raise UsageError(
                f"{name}: cannot infer the format from the name; choose one of {known}"
            )
        stream = self._stream(target)
        given = self._producer.program.streams[stream]
        names = Names(self._producer.program.namespaces)
        self._check_outputs([name])
        with placed(name) as temporary:
            schema = arrow_schema(given)
            with open_writer(chosen, temporary, schema, given.name, names) as writer:
                for _, batch in self._made(frozenset([stream])):
                    writer.write(batch)

    # ------------------------------------------------------------- streams

    def _streams(self, kind: str) -> frozenset[int]:
        streams = self._producer.program.streams
        return frozenset(ix for ix, stream in enumerate(streams) if stream.kind == kind)

    def _stream(self, target: str | None) -> int:
        return target_stream(self._producer.program, target)

    def _made(self, streams: frozenset[int]) -> Iterator[Batch]:
        for table in self._tables(streams):
            yield from table

    def _tables(self, streams: frozenset[int]) -> Iterator[Iterator[Batch]]:
        findings = Findings()

        def checked(table: Iterator[Batch]) -> Iterator[Batch]:
            for batch in table:
                self._check(findings)
                yield batch
            self._check(findings)

        for table in self._producer.tables(streams, findings):
            yield checked(table)
        self.findings, self.finding_paths = tuple(findings.violations), tuple(findings.paths)

    def _check(self, findings: Findings) -> None:
        if findings.count and not self._producer.force:
            found = tuple(findings.violations)
            raise RefusedError(self.verdicts, found, tuple(findings.paths))
