"""The command `init`: a schema proposed for files.

In: the parameters of a call. Out: the exit status; the schema goes to standard output or to a file.
Invariant: no file is replaced unless the call says so, and never one that was read.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from typing import Any

from sculpt.cli.cluster import Cluster
from sculpt.cli.inference.writing import write_schema
from sculpt.cli.table import Engine, Format, Strictness
from sculpt.cli.terminal import note, open_error_console, print_error, print_json, write_text
from sculpt.errors import UsageError
from sculpt.inference.columns.learn import STRICTNESS
from sculpt.inference.files.piped import NAME, piped
from sculpt.inference.gathering import files_named
from sculpt.inference.proof.judges import Judge, judge_here, judge_on_spark
from sculpt.inference.propose import NO_PROGRAM, NO_TABLE, Proposal, proposed
from sculpt.report.progress import ProgressLine
from sculpt.report.styled import counted
from sculpt.tabular.inputs import STDIN

_SHOWN = 5


def init(
    files: list[str],
    sisters: list[str],
    strictness: Strictness,
    tidy: bool,
    update: str | None,
    check_only: bool,
    explain: bool,
    output: Format,
    out: str | None,
    force: bool,
    engine: Engine,
    master: str | None,
    conf: list[str],
    verbose: bool,
) -> int:
    """Propose a schema, or update one; return the exit status."""
    cluster = Cluster(master, conf, verbose)
    if update == STDIN:
        raise UsageError("`--update` needs the file of a schema")
    if check_only and update is None:
        raise UsageError("`--check` is for `--update SCHEMA`: it says if the schema has to change")
    with tempfile.TemporaryDirectory(prefix="sculpt-") as scratch:
        names = piped([*files, *sisters], scratch)
        paths = files_named(names.values())
        _check_output(out, force, paths)
        if update is not None:
            from sculpt.cli.inference.updates import update_schema

            if strictness is not Strictness.NORMAL or explain or tidy:
                raise UsageError("`--update` takes no `--strictness`, `--explain` or `--tidy`")
            if engine is Engine.SPARK or cluster.is_wanted:
                raise UsageError("`--update` runs on this machine, not on Spark")
            return update_schema(update, paths, check_only, output, out)
        with _judge(engine, cluster, paths) as judge:
            how = STRICTNESS[str(strictness)]
            found = proposed(judge, names, files, how, tidy, scratch)
        return _tell(found, names, tidy, explain, output, out)


@contextlib.contextmanager
def _judge(engine: Engine, cluster: Cluster, paths: list[str]) -> Iterator[Judge]:
    """Who validates the files; a long run shows its progress."""
    if engine is Engine.REFERENCE:
        raise UsageError("`sculpt init` runs on the engine `local`, or on Spark")
    if engine is Engine.SPARK or (engine is Engine.AUTO and cluster.is_wanted):
        from sculpt.cli.cluster import on_cluster
        from sculpt.engines.choice import check_installed

        check_installed("spark", paths)
        with on_cluster(cluster) as (spark, tasks):
            yield judge_on_spark(spark, tasks)
        return
    if cluster.is_wanted:
        raise UsageError(f"`--master` and `--conf` are for Spark; this runs on {engine}")
    name = paths[0] if len(paths) == 1 else counted(len(paths), "file")
    with ProgressLine(os.path.basename(name), open_error_console) as line:
        yield judge_here(line)


def _tell(
    found: Proposal,
    names: dict[str, str],
    tidy: bool,
    explain: bool,
    output: Format,
    out: str | None,
) -> int:
    """Print or write what was found; return the exit status."""
    for group in found.others:
        shown = ", ".join(group[:_SHOWN]) + (", …" if len(group) > _SHOWN else "")
        note(f"{counted(len(group), 'file')} of another kind, left out: {shown}")
    for path, how in found.reread:
        note(f"{path}: {how}")
    for path, problem in found.refused:
        note(f"{path}: left out: {problem}")
    if not found.found:
        print_error(NO_TABLE)
        return 1
    if tidy and not found.has_program:
        note(NO_PROGRAM)
    text = found.schema
    if explain and output is not Format.JSON:
        text += "\n" + "".join(f"% {line}".rstrip() + "\n" for line in _explained(found, names))
    if out is not None:
        write_schema(out, found.schema)
    if output is Format.JSON:
        print_json(_json(found))
    elif out is None:
        write_text(text)
    elif explain:
        write_text(text.removeprefix(found.schema).removeprefix("\n"))
    return 0


def _check_output(out: str | None, force: bool, inputs: list[str]) -> None:
    if out is None:
        return
    if any(os.path.realpath(out) == os.path.realpath(each) for each in inputs):
        raise UsageError(f"{out}: is read by this call; choose another output")
    if os.path.exists(out) and not force:
        raise UsageError(f"{out}: is there already; name another `--out`, or add `--force`")


def _explained(found: Proposal, names: dict[str, str]) -> Iterator[str]:
    """Each rule with some of its cells in the first file."""
    from sculpt.api import select_cells
    from sculpt.schema import Schema

    schema = Schema.parse(found.schema)
    path = found.paths[0]
    yield f"The cells of each rule in {NAME if path == STDIN else path}:"
    for statement in found.statements:
        cells = select_cells(schema, names.get(path, path), statement.selector, with_texts=True)
        texts = cells.texts or []
        yield ""
        yield f"line {statement.line}: {statement.selector}: {counted(len(cells.cells), 'cell')}"
        for (row, column), text in list(zip(cells.cells, texts, strict=True))[:_SHOWN]:
            shown = "(padded)" if text is None else text[:60] or "(empty)"
            yield f"  ({row},{column}) {' '.join(shown.split())}"
        if statement.widened:
            yield f"  widened {counted(statement.widened, 'step')}: its first form refused a file"


def _json(found: Proposal) -> dict[str, Any]:
    """What editors need: the schema, how the file is built, what stands behind each rule."""
    frame = found.frame
    return {
        "schema": found.schema,
        "files": list(found.paths),
        "others": [list(group) for group in found.others],
        "refused": [{"file": path, "problem": problem} for path, problem in found.refused],
        "reread": [{"file": path, "how": how} for path, how in found.reread],
        "statements": [
            {
                "rule": each.rule,
                "line": each.line,
                "text": each.text,
                "selector": each.selector,
                "widened": each.widened,
            }
            for each in found.statements
        ],
        "frame": {
            "width": frame.width,
            "confidence": round(frame.confidence, 3),
            "notes": list(frame.notes),
            "lines": [
                {"row": line.row, "label": line.label, "confidence": round(line.confidence, 3)}
                for line in frame.lines
            ],
            "tables": [
                {
                    "headers": list(table.headers),
                    "first": table.first,
                    "last": table.last,
                    "columns": [
                        {"number": column.number, "heading": list(column.heading)}
                        for column in table.columns
                    ],
                }
                for table in frame.tables
            ],
        },
    }
