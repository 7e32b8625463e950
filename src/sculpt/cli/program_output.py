"""Programs run from the command line: the outputs they write and the messages about them.

Exit status of `run`: 0 all is well, 1 the data violates the schema or a value could not be computed
(with `--force` and `--only-good-rows` the outputs are written anyway), 2 the call or the schema is
wrong, 3 data could not be read or an output could not be written. Invariant: after a successful run
all outputs are there, complete; after any other none is.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from sculpt import api
from sculpt.cli.cluster import Cluster, on_cluster
from sculpt.cli.terminal import (
    InterruptedRunError,
    announce,
    note,
    open_error_console,
    print_error,
    remark,
    writing,
)
from sculpt.engines.options import Options
from sculpt.engines.results.second_look import excerpts, region_columns
from sculpt.errors import DataError, RunError, UsageError
from sculpt.policy import Policy
from sculpt.report.blocks import (
    Places,
    Statements,
    further_rules,
    labels_of,
    violation_text,
)
from sculpt.report.groups import groups_of
from sculpt.report.progress import ProgressLine
from sculpt.report.streams import HarmlessWriter
from sculpt.report.styled import counted, styled
from sculpt.report.tables import schemas_of
from sculpt.report.text import run_text
from sculpt.syntax import ast
from sculpt.tabular.inputs import expand
from sculpt.transform.atomic import placed
from sculpt.transform.evaluation.findings import Findings
from sculpt.transform.guard import check_outputs
from sculpt.transform.iris import Names
from sculpt.transform.local import LocalProducer, program_of
from sculpt.transform.outputs import (
    STDOUT,
    TEXT,
    Held,
    Plan,
    WriteTables,
    Written,
    plan,
    write_outputs,
)
from sculpt.transform.results import Producer
from sculpt.transform.writers.formats import Format, format_of, open_writer
from sculpt.values import frozen, replace
from sculpt.verdict import RefusedError, Verdict, Verdicts, Violation

if TYPE_CHECKING:
    from sculpt.checks.model import Request
    from sculpt.core.programs.program import CoreProgram

MAX_SHOWN = 20
"""Violations that a refused run shows; `validate` shows the others."""


@frozen
class Call:
    """The arguments of a call of `run`."""

    schema: api.Schema
    data: list[str]
    policy: Policy
    out: str | None
    file_format: Format | None
    only: str | None
    strict: bool = False
    request: Request | None = None
    """What checks are given, if the schema has more than rules."""
    inputs: Sequence[str] = ()
    """All data, that of other tables too."""

    def plan(self, program: CoreProgram) -> Plan:
        """Where the outputs of a program go; never to an input."""
        outputs = plan(program, self.out, self.file_format, self.only)
        check_outputs(
            self.schema, self.inputs or self.data, [each.path for each in outputs.outputs]
        )
        return outputs


def run_here(call: Call, engine: str, threads: int | None) -> int:
    """Run the programs on this machine; return the exit status."""
    entries = [entry if isinstance(entry, str) else _unread(entry) for entry in expand(call.data)]
    shown = call.data[0] if len(entries) == 1 else counted(len(entries), "file")
    with ProgressLine(shown if entries else call.schema.source.name, open_error_console) as line:
        options = Options(
            max_violations=MAX_SHOWN, threads=threads, on_progress=line, on_remark=announce
        )
        validator = None
        if call.request is not None:
            from sculpt.checks.programs import ProgramValidator
            from sculpt.cli.reports.checks import tell_skipped

            validator = ProgramValidator(call.schema, engine, call.request, options)
            tell_skipped(call.schema, call.request)
        producer: Producer
        if call.data:
            asked = (call.schema, entries, call.policy, engine, options, validator)
            producer = LocalProducer(*asked)
        else:
            from sculpt.checks.joint import local_joint

            producer = local_joint(call.schema, call.policy, engine, options, call.request)
        outputs = call.plan(producer.program)
        _check_terminal(outputs)
        try:
            return run_and_write(call.schema, producer, outputs, call.policy, strict=call.strict)
        except (KeyboardInterrupt, InterruptedRunError):
            raise InterruptedRunError(f"interrupted{_nothing(outputs)}") from None


def run_on_spark(call: Call, cluster: Cluster) -> int:
    """Run the programs on Spark; return the exit status."""
    from sculpt.spark.programs.producer import SparkProducer
    from sculpt.spark.programs.records import spark_joint

    outputs = call.plan(program_of(call.schema)) if call.data else None
    with on_cluster(cluster) as (spark, line):
        if outputs is None:
            joint = spark_joint(spark, call.schema, call.policy, call.request, line)
            return run_and_write(
                call.schema, joint, call.plan(joint.program), call.policy, strict=call.strict
            )
        asked = (call.policy, None, line, MAX_SHOWN, call.request)
        producer = SparkProducer(spark, call.schema, call.data, *asked)
        status = run_and_write(
            call.schema, producer, outputs, call.policy, producer.write_tables, call.strict
        )
        for text in producer.notes:
            note(text)
        return status


def _check_terminal(outputs: Plan) -> None:
    """Refuse to write binary data to a terminal."""
    if sys.stdout.isatty():
        for output in outputs.outputs:
            if output.path == STDOUT and output.format is Format.PARQUET:
                raise UsageError("cannot write Parquet to a terminal; name a file with `-o`")


def _unread(error: DataError) -> str:
    raise error


def _nothing(outputs: Plan) -> str:
    return "; nothing was written" if any(o.path != STDOUT for o in outputs.outputs) else ""


def run_and_write(
    schema: api.Schema,
    producer: Producer,
    outputs: Plan,
    policy: Policy,
    write_tables: WriteTables | None = None,
    strict: bool = False,
) -> int:
    """Validate, run, write; return the exit status."""
    findings = Findings(limit=MAX_SHOWN)
    try:
        producer.validate()
    except RefusedError as error:
        _show_refused(schema, error.verdicts, outputs)
        return 1
    _show_kept(schema, producer, policy)
    if strict and (warned := [each for each in map(_with_warnings, producer.verdicts) if each]):
        _show_warnings(schema, warned, outputs)
        return 1

    def may_end() -> None:
        if findings.count and policy is not Policy.FORCE:
            raise RefusedError((), tuple(findings.violations))

    written: list[Written] = []  # stays empty if an output is a closed pipe
    try:
        with _binary_stdout() as stdout:
            written = write_outputs(producer, outputs, findings, stdout, may_end, write_tables)
    except RefusedError:
        _show_findings(schema, findings, outputs)
        return 1
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise RunError(f"an output cannot be written: {reason}; nothing was written") from error
    for each in written:
        _show_written(each)
        if each.rows == 0:
            note(_nothing_made(each))
    if findings.count:
        _show_findings(schema, findings, None)
    is_clean = all(verdict.valid for verdict in producer.verdicts) and not findings.count
    return 0 if is_clean else 1


@contextlib.contextmanager
def _binary_stdout() -> Iterator[BinaryIO]:
    with writing():
        sys.stdout.flush()
        raw = sys.stdout.buffer
        yield cast("BinaryIO", HarmlessWriter(raw)) if sys.stdout.isatty() else raw
        sys.stdout.flush()


def _show_refused(schema: api.Schema, verdicts: Sequence[Verdict], outputs: Plan) -> None:
    bad = tuple(verdict for verdict in verdicts if not verdict.valid)
    run = Verdicts(bad[0].engine, bad)

    schemas = schemas_of(schema)

    def find(verdict: Verdict, shown: Sequence[Violation]) -> Places:
        core = schemas[verdict.table].core
        return region_columns(core, verdict.path, shown, verdict.columns)

    remark(*run_text(run, labels_of(schema), find=find))
    print_error(
        f"the data violates the schema, so the program was not run{_nothing(outputs)};"
        " use `--force` to run it anyway, or `--only-good-rows` to leave out the bad rows"
    )


def _with_warnings(verdict: Verdict) -> Verdict | None:
    """The verdict, if a warning of either sort concerns a run; `nothing-checked` does not."""
    warnings = tuple(each for each in verdict.warnings if each.code != "nothing-checked")
    is_warned = warnings or verdict.warning_violation_count
    return replace(verdict, warnings=warnings) if is_warned else None


def _show_warnings(schema: api.Schema, warned: Sequence[Verdict], outputs: Plan) -> None:
    run = Verdicts(warned[0].engine, tuple(warned), strict=True)
    remark(*run_text(run, labels_of(schema)))
    print_error(f"there are warnings, and `--strict` was given{_nothing(outputs)}")


def _show_kept(schema: api.Schema, producer: Producer, policy: Policy) -> None:
    """Print a note if data is used although it violates the schema; what is left out, and why."""
    leaves_out = policy is Policy.GOOD_ROWS
    for verdict, rows in zip(producer.verdicts, producer.left_out, strict=True):
        if verdict.warning_violation_count:
            warned = counted(verdict.warning_violation_count, "warning")
            note(f"{verdict.path}: {warned}; `sculpt validate` shows them")
        if verdict.valid:
            continue
        found = counted(verdict.violation_count, "violation")
        if not leaves_out:
            note(f"{verdict.path}: {found}; all rows are used")
        else:
            verb = "is" if rows == 1 else "are"
            note(f"{verdict.path}: {rows:,} of {counted(verdict.rows, 'row')} {verb} left out")
            remark(*further_rules(groups_of(verdict), labels_of(schema)))
        for each in verdict.violations:
            if each.code == "unclosed-quote":
                left_out = "none of it is in the output"
                effect = left_out if leaves_out else "it is not split into rows"
                note(f"{verdict.path}: {each.message}; {effect}")


def _show_findings(schema: api.Schema, findings: Findings, outputs: Plan | None) -> None:
    for violation, path in _with_rows(schema, findings):
        where: Statements = {(None, violation.line): _program_line(schema, violation.line)}
        remark(*violation_text(path, violation, where))
    hidden = findings.count - len(findings.violations)
    if hidden:
        remark(styled((f"… and {hidden:,} more", "dim")))
    if outputs is None:
        verb = "is" if findings.count == 1 else "are"
        note(f"{counted(findings.count, 'value')} could not be computed and {verb} null")
        return
    has_inner = any(" optional" in each.message for each in findings.violations)
    place = "after the whole value, not inside it," if has_inner else "after the value"
    print_error(
        f"{counted(findings.count, 'value')} could not be computed{_nothing(outputs)};"
        f" write `optional` {place} to allow this, or use `--force` to write null"
    )


def _with_rows(schema: api.Schema, findings: Findings) -> Iterator[tuple[Violation, str]]:
    """The findings and their files, each with the row of its cell if that is cheap to find."""
    listed = list(zip(findings.violations, findings.paths, strict=True))
    for path, group in groupby(listed, key=lambda each: each[1]):
        found = [violation for violation, _ in group]
        places = [(v.row, v.column) for v in found if v.row is not None and v.column is not None]
        rows = excerpts(schema.core, path, places)
        for violation in found:
            place = (violation.row or 0, violation.column or 0)
            yield replace(violation, excerpt=rows.get(place)), path


def _program_line(schema: api.Schema, line: int | None) -> str:
    """The place of a line of a program: in the schema, or in a file that it includes."""
    names: dict[str, None] = {}
    for span in (each.span for each in schema.statements if isinstance(each, ast.Program)):
        last = span.source.position(span.end)[0]
        if line is not None and span.line <= line <= last:
            names[span.source.name] = None
    return f"{' or '.join(names) or schema.source.name}, line {line}"


def _show_written(written: Written) -> None:
    output = written.output
    if output.path == STDOUT:
        return
    what = (
        "line"
        if output.name == TEXT
        else "annotation"
        if output.name == "annotations"
        else "record"
    )
    name = "" if what != "record" else f"{output.name}: "
    rows = f"{what}s" if written.rows is None else counted(written.rows, what)
    remark(styled(f"{name}{rows} → ", (output.path, "bold")))


def _nothing_made(written: Written) -> str:
    """The note about an output that is empty."""
    name = written.output.name
    made = {TEXT: "nothing was printed", "annotations": "nothing was annotated"}
    what = made.get(name, f"no `{name}` was emitted")
    return (
        f"{what}: no loop selected a cell;"
        " `sculpt check` finds misspelt names, `sculpt select` shows what a selector selects"
    )


def extract_region(
    loaded: api.Schema,
    data: str,
    region: str,
    out: str | None,
    file_format: Format | None,
    engine: str,
) -> None:
    """Export a region of a file."""
    out = None if out in (STDOUT, "/dev/stdout") else out
    chosen = file_format or (format_of(out) if out else Format.CSV)
    if chosen is None:
        known = ", ".join(f"`{each}`" for each in Format)
        raise UsageError(
            f"{out}: cannot infer the format from the name; set `--format` to one of {known}"
        )
    check_outputs(loaded, [data], [out or STDOUT])
    batches = api.extracted(loaded, data, region, engine, on_remark=announce)
    names = Names(loaded.program.namespaces if loaded.program else {})
    try:
        with contextlib.ExitStack() as stack:
            held = stack.enter_context(Held()) if out is None else None
            to: Any = held if out is None else stack.enter_context(placed(out))
            rows = _write_region(chosen, to, batches, names)
            if held is not None:
                held.rewind()
                stdout = stack.enter_context(_binary_stdout())
                while block := held.read(1 << 20):
                    stdout.write(block)
                stdout.flush()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise RunError(f"the output cannot be written: {reason}; nothing was written") from error
    if out is not None:
        remark(styled(f"{counted(rows, 'row')} → ", (os.fspath(out), "bold")))
    if not rows:
        for text in api.undeclared_names(loaded, region):
            note(text)


def _write_region(chosen: Format, to: Any, batches: Iterator[Any], names: Names) -> int:
    from sculpt.transform.exports import TARGET, region_schema

    columns, _ = next(batches)
    rows = 0
    with open_writer(chosen, to, region_schema(columns), TARGET, names, header=False) as writer:
        for _, batch in batches:
            rows += batch.num_rows
            writer.write(batch)
    return rows
