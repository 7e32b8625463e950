"""The command `convert`: tables with CSVW metadata as JSON or RDF.

In: the parameters of a call. Out: the exit status; the document goes to standard output, to a file
that appears when it is whole, or, on Spark, to a directory. Invariant: pieces are written as they
become ready, so memory does not grow with the rows. A cell that is not valid is an error with its
place, and the conversion goes on, as the standard says.
"""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TYPE_CHECKING

from sculpt.cli.parser import WrongCallError
from sculpt.cli.reports.delivery import named_file
from sculpt.cli.reports.discovery import show_problem
from sculpt.cli.table import Converted, Engine
from sculpt.cli.terminal import note, remark, writing
from sculpt.csvw.convert import to_json, to_rdf
from sculpt.errors import UsageError
from sculpt.interchange.access import Access
from sculpt.report.styled import counted, styled

if TYPE_CHECKING:
    from sculpt.csvw.conversion import Conversion
    from sculpt.interchange.csvw.problems import Problem

_MAX_SHOWN = 20


def convert(
    source: str,
    to: Converted | None,
    minimal: bool,
    metadata: str | None,
    provenance: bool,
    out: str | None,
    engine: Engine,
    threads: int | None,
    master: str | None,
    conf: list[str],
    verbose: bool,
    allow_http: bool,
    allow_outside: bool,
) -> int:
    """Convert tables to JSON or RDF; return the exit status."""
    if to is None:
        raise WrongCallError(f"`--to` is missing: it is one of {', '.join(Converted)}")
    access = Access(allow_http, allow_outside)
    problems = _Problems()
    _check_output(out, [source, *([] if metadata is None else [metadata])])
    if engine is Engine.SPARK or master or conf:
        from sculpt.cli.cluster import Cluster, on_cluster
        from sculpt.spark.programs.conversions import convert as on_spark

        if out is None or to is Converted.TURTLE or provenance:
            raise UsageError(
                "on Spark, tables become JSON or N-Triples in a new directory: name it with `-o`"
            )
        with on_cluster(Cluster(master, conf, verbose)) as (spark, line):
            done = on_spark(
                spark,
                source,
                out,
                "jsonl" if to is Converted.JSON else "ntriples",
                metadata,
                minimal=minimal,
                access=access,
                on_progress=line,
            )
        for problem in done.problems:
            problems(problem)
        remark(styled(f"{counted(done.rows, 'row')} → ", (out, "bold")))
        return problems.told(done.problem_count)
    if engine is Engine.REFERENCE:
        raise UsageError("`sculpt convert` runs on `local` or `spark`")
    if to is Converted.JSON:
        made = to_json(
            source, metadata, minimal=minimal, provenance=provenance, access=access,
            threads=threads, on_problem=problems,
        )  # fmt: skip
    else:
        made = to_rdf(
            source, metadata, minimal=minimal, provenance=provenance, access=access,
            threads=threads, on_problem=problems,
            format="turtle" if to is Converted.TURTLE else "ntriples",
        )  # fmt: skip
    with made:
        _write(made, named_file(out))
    return problems.told(made.problem_count)


def _check_output(out: str | None, inputs: list[str]) -> None:
    """An output never replaces an input."""
    if out is not None and any(os.path.realpath(out) == os.path.realpath(each) for each in inputs):
        raise UsageError(f"{out}: is read by this call; choose another output")


class _Problems:
    """Prints the first problems, and remembers whether one was an error."""

    def __init__(self) -> None:
        self.shown = 0
        self.has_errors = False

    def __call__(self, problem: Problem) -> None:
        self.has_errors = self.has_errors or problem.severity == "error"
        if self.shown < _MAX_SHOWN:
            self.shown += 1
            show_problem(problem)

    def told(self, count: int) -> int:
        """Say how many there are in all; the exit status."""
        if count > self.shown:
            note(f"{counted(count - self.shown, 'problem')} more")
        return 1 if self.has_errors else 0


def _write(made: Conversion, out: str | None) -> None:
    if out is None:
        with writing():
            for piece in made:
                sys.stdout.write(piece)
            sys.stdout.flush()
        return
    from sculpt.transform.atomic import placed

    with (
        contextlib.suppress(BrokenPipeError),
        placed(out) as beside,
        open(beside, "w", encoding="utf-8", newline="") as file,
    ):
        file.writelines(made)
