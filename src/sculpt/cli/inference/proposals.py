"""The command `init`: a schema proposed for files.

In: the parameters of a call. Out: the exit status; the schema goes to standard output or to a file.
Invariant: no file is replaced unless the call says so, and never one that was read.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from sculpt.cli.inference.writing import write_schema
from sculpt.cli.table import Format, Strictness
from sculpt.cli.terminal import note, print_error, print_json, write_text
from sculpt.errors import DataError, UsageError
from sculpt.inference.propose import NO_PROGRAM, NO_TABLE, Proposal, propose
from sculpt.report.styled import counted
from sculpt.tabular.inputs import STDIN, expand

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
) -> int:
    """Propose a schema, or update one; return the exit status."""
    if STDIN in (*files, *sisters, update):
        raise UsageError("`sculpt init` reads its files more than once: give it files")
    if check_only and update is None:
        raise UsageError("`--check` is for `--update SCHEMA`: it says if the schema has to change")
    paths, others = _expanded(files), _expanded(sisters)
    _check_output(out, force, [*paths, *others])
    if update is not None:
        from sculpt.cli.inference.updates import update_schema

        if strictness is not Strictness.NORMAL or explain or tidy:
            raise UsageError("`--update` takes no `--strictness`, `--explain` or `--tidy`")
        return update_schema(update, [*paths, *others], check_only, output, out)
    found = propose(paths, sisters=others, strictness=str(strictness), tidy=tidy)
    for group in found.others:
        names = ", ".join(group[:_SHOWN]) + (", …" if len(group) > _SHOWN else "")
        note(f"{counted(len(group), 'file')} of another kind, left out: {names}")
    for path, problem in found.refused:
        note(f"{path}: no schema accepts it: {problem}")
    if not found.found:
        print_error(NO_TABLE)
        return 1
    if tidy and not found.has_program:
        note(NO_PROGRAM)
    text = found.schema
    if explain and output is not Format.JSON:
        text += "\n" + "".join(f"% {line}".rstrip() + "\n" for line in _explained(found))
    if out is not None:
        write_schema(out, found.schema)
    if output is Format.JSON:
        print_json(_json(found))
    elif out is None:
        write_text(text)
    elif explain:
        write_text(text.removeprefix(found.schema).removeprefix("\n"))
    return 0


def _expanded(names: list[str]) -> list[str]:
    paths = []
    for entry in expand(names):
        if isinstance(entry, DataError):
            raise entry
        paths.append(str(entry))
    return paths


def _check_output(out: str | None, force: bool, inputs: list[str]) -> None:
    if out is None:
        return
    if any(os.path.realpath(out) == os.path.realpath(each) for each in inputs):
        raise UsageError(f"{out}: is read by this call; choose another output")
    if os.path.exists(out) and not force:
        raise UsageError(f"{out}: is there already; name another `--out`, or add `--force`")


def _explained(found: Proposal) -> Iterator[str]:
    """Each rule with some of its cells in the first file."""
    from sculpt.api import select_cells
    from sculpt.schema import Schema

    schema = Schema.parse(found.schema)
    path = found.paths[0]
    yield f"The cells of each rule in {path}:"
    for statement in found.statements:
        cells = select_cells(schema, path, statement.selector, with_texts=True)
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
