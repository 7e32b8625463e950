"""A run with keys, references or several tables: all tables validated, then judged together.

In: a session, a schema, the data of its own table, and that of the tables that it brings in: paths
or data frames. Out: a `Result`. Each table has a run of its own, whose machines also follow the
regions of keys and references. The first round of all tables in files is one job, which also
makes entries and brings equal ones together. If what it assumed was not true, the rounds go on,
and the edges of chunks that they find serve the tasks that make entries again.

Invariant: files are numbered in the order of the outcomes: those of the schema's own table, then
those of the others in the order of the plan. A table that cannot be read is an `Unread`, and no
reference to it is judged.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from sculpt.checks.conditions import has_requires
from sculpt.checks.joined import needs_any, not_judged
from sculpt.checks.model import Request
from sculpt.checks.plan import Plan, PlannedTable, plan_of
from sculpt.checks.validation import check_tables, check_without_data, data_of, unread_file
from sculpt.core import ir
from sculpt.core.task import Task
from sculpt.errors import DataError, UnsupportedByEngine, UsageError
from sculpt.schema import Schema
from sculpt.spark.executions.conditions import check_conditions
from sculpt.spark.identities.check import FilesSource, Judged, Source, judge, true_gist
from sculpt.spark.identities.entries import Wanted, wanted_of
from sculpt.spark.identities.first_round import FirstItems, Gist, first_round
from sculpt.spark.identities.frames import FrameSource
from sculpt.spark.partitions import NAME, CheckedFrame, check_frame
from sculpt.spark.result import OtherTable, Result
from sculpt.spark.rounds import CheckedFiles, Paths, Runner, Settings, planned
from sculpt.spark.tasks import File
from sculpt.values import frozen
from sculpt.verdict import Unread, Verdict

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession


@frozen(slots=False)
class GivenFrame:
    """A data frame that is a table."""

    frame: DataFrame
    order_by: str | Column | Sequence[str | Column] | None = None
    header: bool = True


@frozen(slots=False)
class _Data:
    """The data of one table, planned."""

    table: PlannedTable
    first: int
    """The number of its first file."""
    files: tuple[File | DataError, ...] = ()
    frame: GivenFrame | None = None

    @property
    def end(self) -> int:
        """The number after that of its last file."""
        return self.first + (len(self.files) if self.frame is None else 1)

    def unread(self) -> list[tuple[int, Unread]]:
        """The files that cannot be read at all."""
        found: list[tuple[int, Unread]] = []
        for number, each in enumerate(self.files, self.first):
            if isinstance(each, DataError):
                outcome = unread_file(self.table, each.path, each).outcome
                assert isinstance(outcome, Unread)
                found.append((number, outcome))
        return found


class Tables:
    """The tables of a run."""

    def __init__(
        self,
        spark: SparkSession,
        schema: Schema,
        settings: Settings,
        data: Mapping[str, str | os.PathLike[str] | DataFrame],
        request: Request,
    ) -> None:
        """`request` says where conditions look for files."""
        self.spark, self.settings, self.given = spark, settings, data
        self.request = request
        self.plan = plan_of(schema)
        _check_runs(self.plan)
        self._frames: list[CheckedFrame] = []
        check_tables(self.plan, Request(tables=dict.fromkeys(data, "")))

    def run(self, paths: Paths) -> Result:
        """Validate all tables, the schema's own in files; then judge keys and references."""
        own = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
        if not own:
            check_without_data(self.plan)
        return self._kept(_Data(self.plan.tables[0], 0, tuple(planned(own))))

    def run_on_frame(self, frame: GivenFrame) -> tuple[CheckedFrame, Result]:
        """The same, with a data frame as the schema's own table; its own verdict is separate."""
        result = self._kept(_Data(self.plan.tables[0], 0, frame=frame))
        return self._frames[0], result

    def _kept(self, own: _Data) -> Result:
        """The result; if there is none, no data frame stays persisted."""
        try:
            return self._result(own)
        except BaseException:
            for each in self._frames:
                each.close()
            raise

    def _result(self, own: _Data) -> Result:
        data = [own]
        for table in self.plan.tables[1:]:
            data.append(self._planned(table, data[-1].end))
        stride = data[-1].end + 1
        wanted = [wanted_of(self.plan, table.number, stride) for table in self.plan.tables]
        checked, gist = self._all_checked(data, wanted)
        unread = [each for table in data for each in table.unread()]
        tables = list(zip(data, checked, strict=True))
        broken = {each.table.number for each, run in tables if each.unread() or not _is_whole(run)}
        judged = self._judged(data, wanted, checked, broken, gist)
        unjudged = {
            number: not_judged(self.plan, each.table.number, broken)
            for each in data
            for number in range(each.first, each.end)
            if broken
        }
        conditions = [
            check_conditions(self.spark, table.table.schema, self.request, run, self.settings)
            for table, run in zip(data, checked, strict=True)
            if isinstance(run, CheckedFiles) and has_requires(table.table.schema)
        ]
        first = checked[0]
        main = first if isinstance(first, CheckedFiles) else CheckedFiles(first.job, [])
        others = tuple(
            OtherTable(
                table.table.name or "",
                each if isinstance(each, CheckedFiles) else None,
                each if isinstance(each, CheckedFrame) else None,
                table.first,
            )
            for table, each in list(zip(data, checked, strict=True))[1:]
        )
        found = (others, judged, tuple(conditions), self.settings.limit, unjudged)
        return Result(self.spark, main, tuple(unread), *found)

    def _planned(self, table: PlannedTable, first: int) -> _Data:
        """The data of a table that the schema brings in."""
        given = self.given.get(table.name or "")
        if given is not None and not isinstance(given, str | os.PathLike):
            return _Data(table, first, frame=GivenFrame(given))
        named = {} if given is None else {table.name or "": os.fspath(given)}
        path = data_of(table, Request(tables=named))
        return _Data(table, first, tuple(planned(path, first)))

    def _all_checked(
        self, data: Sequence[_Data], wanted: Sequence[Wanted]
    ) -> tuple[list[CheckedFiles | CheckedFrame], Gist | None]:
        """All tables, validated by their own rules; and what the same job found about keys."""
        pairs = list(zip(data, wanted, strict=True))
        runners = [self._runner(*each) for each in pairs]
        files = [[each for each in one.files if isinstance(each, File)] for one in data]
        is_shared = any(each.sides for each in wanted) and all(
            one.frame is None and not one.unread() for one in data
        )
        if not is_shared or not any(files):
            return [self._checked(*each) for each in pairs], None
        begun = [runner.begin(own) for runner, own in zip(runners, files, strict=True)]
        items = {
            number: FirstItems(each.run.job, own, each.units)
            for number, (each, own) in enumerate(zip(begun, wanted, strict=True))
        }
        size = sum(file.size for own in files for file in own)
        first = first_round(self.spark, items, size, self.settings.on_progress)
        runs: list[CheckedFiles] = []
        for runner, each in zip(runners, begun, strict=True):
            own = [checked.file.number for checked in each.run.files]
            answers = {number: first.answers[number] for number in own}
            runs.append(runner.finish(each, answers))
        return [*runs], true_gist(first, runs)

    def _runner(self, data: _Data, wanted: Wanted) -> Runner:
        task = Task.of_rules(data.table.schema.core, regions=wanted.regions)
        return Runner(self.spark, task, self.settings)

    def _checked(self, data: _Data, wanted: Wanted) -> CheckedFiles | CheckedFrame:
        """A table, validated by its own rules."""
        schema, regions = data.table.schema, wanted.regions
        if data.frame is None:
            files = [each for each in data.files if isinstance(each, File)]
            return self._runner(data, wanted).run(files)
        if schema.requires:
            requires = schema.requires
            raise UsageError(
                f"line {requires[0].line}: `require` cannot be checked in a data frame;"
                " write the data frame to files, and validate these"
            )
        name = NAME if data.table.name is None else f"<data frame {data.table.name}>"
        given = (data.frame.frame, schema, data.frame.order_by, data.frame.header)
        checked = check_frame(*given, self.settings.on_progress, regions, name)
        self._frames.append(checked)
        return checked

    def _judged(
        self,
        data: Sequence[_Data],
        wanted: Sequence[Wanted],
        checked: Sequence[CheckedFiles | CheckedFrame],
        broken: set[int],
        gist: Gist | None,
    ) -> Judged | None:
        left_out = {
            number for number, each in enumerate(self.plan.identities) if needs_any(each, broken)
        }
        sources: list[Source] = [
            FilesSource(self.spark, each.table.number, run, self.settings.on_progress)
            if isinstance(run, CheckedFiles)
            else FrameSource(each.table.number, each.first, run)
            for each, run in zip(data, checked, strict=True)
        ]
        kept = [each.without(left_out) for each in wanted]
        settings = self.settings
        return judge(self.plan, sources, kept, settings.limit, settings.on_progress, gist)


def _is_whole(checked: CheckedFiles | CheckedFrame) -> bool:
    """Could all files of a table be read?"""
    if isinstance(checked, CheckedFrame):
        return True
    return all(isinstance(each.outcome, Verdict) for each in checked.files)


def _check_runs(plan: Plan) -> None:
    """Refuse keys in runs: tasks do not know which rows follow each other across their edges."""
    for each in plan.identities:
        if isinstance(each.statement, ir.CoreKey) and each.statement.runs:
            raise UnsupportedByEngine(
                f"line {each.statement.line}: `{each.statement.text}` cannot be judged on Spark;"
                " `sculpt validate` judges it with the engine `local`"
            )
