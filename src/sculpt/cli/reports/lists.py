"""The lists of a call of `validate`: `--violations-to`, `--good-to`, `--bad-to`.

In: the options of a call. Out: files; on Spark, also a directory for a table of violations.
Invariant: what cannot be written is said before any work is done. A call that fails, or is
interrupted, writes no list.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sculpt.cli.terminal import announce, note, remark
from sculpt.engines.options import Options
from sculpt.errors import DataError, RunError, UsageError
from sculpt.report.lists.violations import has_format
from sculpt.report.lists.writer import ListWriter, Wanted, wanted_lists
from sculpt.report.progress import ProgressLine, TaskLine
from sculpt.report.styled import counted, styled
from sculpt.report.tables import schemas_of
from sculpt.schema import Schema
from sculpt.tabular.inputs import expand
from sculpt.transform.guard import check_outputs
from sculpt.values import replace
from sculpt.verdict import Place, Verdict, Violation

if TYPE_CHECKING:
    from sculpt.spark.result import Result


class Lists:
    """The lists that a call asks for, all of which can be written."""

    def __init__(
        self,
        schema: Schema,
        data: list[str],
        inputs: list[str],
        violations_to: str | None,
        good_to: str | None,
        bad_to: str | None,
        out: str | None,
    ) -> None:
        """`inputs` are the data and that of other tables; `out` is the file of the report."""
        outputs = [each for each in (violations_to, good_to, bad_to) if each is not None]
        check_outputs(schema, inputs, outputs)
        _check_distinct([out, *outputs] if out is not None else outputs)
        if not data and (good_to is not None or bad_to is not None):
            raise UsageError("good and bad rows are those of DATA, which is missing")
        self._schema = schema
        entries = [each for each in expand(data) if not isinstance(each, DataError)]
        self._wanted = wanted_lists(violations_to, good_to, bad_to, entries)

    @contextmanager
    def writer(self) -> Iterator[ListWriter]:
        """What writes the lists on this machine."""
        self._wanted.check()
        writer = ListWriter(self._schema, self._wanted)
        with writer:
            yield writer
        _tell(self._wanted, writer)

    # ------------------------------------------------------------- on Spark

    def check_for_spark(self) -> None:
        """Raise an error if a list cannot be written."""
        from sculpt.spark.violations import check_absent

        if self._table is not None:
            check_absent(self._table)
        self._files.check()

    @property
    def _table(self) -> str | None:
        """The directory for a table of violations, which Spark writes."""
        path = self._wanted.violations
        return None if path is None or has_format(path) else path

    @property
    def _files(self) -> Wanted:
        """The lists that the driver writes."""
        return replace(self._wanted, violations=None) if self._table else self._wanted

    def write_from_spark(self, result: Result, line: TaskLine) -> None:
        """Write the lists of a result: rows are read again by the driver."""
        from sculpt.spark.violations import write_violations

        if self._table is not None:
            write_violations(result, self._table, line)
        wanted = self._files
        writer = ListWriter(self._schema, wanted)
        with writer:
            if wanted.violations is not None:
                for path, violations in _collected(result, line):
                    writer.list_violations(path, violations)
            if wanted.good is not None or wanted.bad is not None:
                _list_rows(self._schema, result, writer)
        _tell(wanted, writer)


def _list_rows(schema: Schema, result: Result, writer: ListWriter) -> None:
    """List the good and bad rows of all files of the schema's own table."""
    from sculpt.spark.tasks import opened

    own, named = schemas_of(schema)[None], result.named_rows()
    options = Options(on_remark=announce)
    for table, run in result.runs():
        for checked in run.files if table is None else ():
            if isinstance(checked.outcome, Verdict):
                rows = named.get(checked.file.number, set())
                with opened(checked.file) as source:
                    writer.list_rows(checked.outcome, source, options, own, rows)


def _tell(wanted: Wanted, writer: ListWriter) -> None:
    """Say what was written where."""
    if not writer.is_open:
        note("no input could be read, so no list was written")
        return
    good, bad = (None if each is None else each.path for each in (wanted.good, wanted.bad))
    lists = (
        (wanted.violations, counted(writer.violations, "violation")),
        (good, counted(writer.good_rows, "good row")),
        (bad, counted(writer.bad_rows, "bad row")),
    )
    for path, count in lists:
        if path is not None:
            remark(styled(f"{count} → ", (path, "bold")))


def _check_distinct(outputs: list[str]) -> None:
    """Two outputs must not go to one place."""
    seen: set[str] = set()
    for output in outputs:
        place = os.path.realpath(output)
        if place in seen:
            raise UsageError(f"{output}: is named twice; each output needs its own place")
        seen.add(place)


def _collected(result: Result, line: TaskLine) -> Iterator[tuple[str, list[Violation]]]:
    """All violations of a result, one by one."""
    from sculpt.spark.cluster.watch import failing, watching

    try:
        with failing(), watching(result.spark, line):
            for row in result.violations.toLocalIterator(prefetchPartitions=True):
                facts = row.asDict()
                name = facts.pop("file")
                for key in ("tokens", "expected"):
                    facts[key] = tuple(facts[key])
                for key in ("first", "target"):
                    place = [facts.pop(f"{key}_{each}") for each in ("file", "row", "column")]
                    facts[key] = None if place[0] is None else Place(*place)
                yield name, [Violation(**facts)]
    except RunError as error:
        raise RunError(f"the violations cannot be listed: {error}") from error


def validate_and_list(
    writer: ListWriter,
    entry: str,
    engine: str,
    max_violations: int,
    threads: int | None,
    line: ProgressLine,
) -> Verdict:
    """The verdict on a file, which is listed as well."""
    options = Options(max_violations, threads, on_progress=line, on_remark=announce)
    return writer.validate(entry, engine, options)
