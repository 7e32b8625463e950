"""Where the report of a call goes: to standard output, or to a file that appears when it is whole.

In: lines, and the `-o` of a call. Out: nothing. Invariant: an output is never an input of the call;
a full disk or a missing permission is one line and exit status 3; a closed pipe is not an error. On
a terminal, characters that it would obey are replaced by visible ones.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable, Sequence

from sculpt.cli.terminal import StopError, remark, writing
from sculpt.errors import RunError, SchemaError, UsageError
from sculpt.report.styled import counted, styled
from sculpt.schema import Schema
from sculpt.verdict import Verdicts

STDOUT = ("-", "/dev/stdout")
SUMMARY = "GITHUB_STEP_SUMMARY"


def named_file(out: str | None) -> str | None:
    """The file of `-o`; `None` for standard output."""
    return None if out in STDOUT else out


def chosen_format(output: str | None, out: str | None, known: Iterable[str]) -> str:
    """The name of the format of a call: as it says, as the name of its output implies, or text."""
    if output is not None:
        return str(output)
    if out is None:
        return "text"
    from sculpt.report.formats.table import implied_format

    implied = implied_format(out) or "text"
    if implied not in list(known):
        raise UsageError(f"{out}: this command does not write {implied}; choose with `--format`")
    return implied


def check_report(schema: Schema, data: Sequence[str], out: str | None, name: str) -> None:
    """Raise an error if a report cannot be written: before any work is done."""
    from sculpt.transform.guard import check_outputs

    outputs = [out] if out is not None else []
    if name == "github" and os.environ.get(SUMMARY):
        outputs.append(os.environ[SUMMARY])
    if outputs:
        check_outputs(schema, data, outputs)
    if out is not None:
        from sculpt.transform.atomic import check_place

        check_place(out)


def deliver(lines: Iterable[str], out: str | None) -> None:
    """Write the lines of a report."""
    if out is None:
        with writing():
            _write_terminal(lines) if sys.stdout.isatty() else _write_lines(lines)
        return
    from sculpt.transform.atomic import placed

    # Bytes that cannot be decoded, in the name of a file, become question marks.
    with (
        contextlib.suppress(BrokenPipeError),
        placed(out) as beside,
        open(beside, "w", encoding="utf-8", errors="replace", newline="") as file,
    ):
        file.writelines(f"{line}\n" for line in lines)


def _write_lines(lines: Iterable[str]) -> None:
    for line in lines:
        sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _write_terminal(lines: Iterable[str]) -> None:
    from sculpt.report.styled import visible

    for line in lines:
        shown = "\n".join(
            part if part.isprintable() else visible(part) for part in line.split("\n")
        )
        sys.stdout.write(f"{shown}\n")
    sys.stdout.flush()


def deliver_diagnostics(
    error: SchemaError, schema: str, data: Sequence[str], name: str, out: str | None
) -> None:
    """Report the errors of a schema in a format that has a form for them, and end the call."""
    from sculpt.report.formats.table import diagnostic_lines

    lines = diagnostic_lines(name, schema, error.diagnostics, 2)
    if lines is None:
        return
    if out is not None:
        from sculpt.transform.guard import check_files

        check_files(error.files, schema, data, [out])
    deliver(lines, out)
    raise StopError(2)


def deliver_report(name: str, schema: Schema, run: Verdicts, out: str | None) -> None:
    """Write the report of a run in a format for machines."""
    from sculpt.report.formats.checks import Report
    from sculpt.report.formats.table import report_lines

    deliver(report_lines(name, Report(schema, run)), out)
    if name == "github":
        append_summary(schema, run)


def tell_written(run: Verdicts, out: str) -> None:
    """Say in a line what a report is about, and where it is."""
    valid = sum(map(run.is_valid, run.outcomes))
    files = counted(len(run.outcomes), "file")
    remark(styled(f"{files}, {valid:,} valid → ", (out, "bold")))


def append_summary(schema: Schema, run: Verdicts) -> None:
    """Append the summary of a run to the page of a GitHub step, if there is one."""
    path = os.environ.get(SUMMARY)
    if not path:
        return
    from sculpt.report.formats import github
    from sculpt.report.formats.checks import Report

    try:
        github.append_summary(Report(schema, run), path)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise RunError(f"{path}: the summary cannot be written: {reason}") from error
