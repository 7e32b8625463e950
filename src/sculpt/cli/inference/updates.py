"""The option `--update` of the command `init`: a schema changed as far as files need it.

In: the parameters of a call. Out: the exit status; the changes and the difference go to standard
output, the schema to a file if one is named. Invariant: with `--check`, and where a file cannot be
accepted, nothing is written.
"""

from __future__ import annotations

from typing import Any

from sculpt.cli.inference.writing import write_schema
from sculpt.cli.table import Format
from sculpt.cli.terminal import note, print_error, print_json, write_text
from sculpt.errors import UsageError
from sculpt.inference.update.model import Update
from sculpt.inference.update.updating import update
from sculpt.report.styled import counted


def update_schema(
    schema: str, paths: list[str], check_only: bool, output: Format, out: str | None
) -> int:
    """Update a schema; return the exit status."""
    if check_only and out is not None:
        raise UsageError("`--check` writes nothing: leave out `--out`")
    found = update(schema, paths)
    for problem in found.problems:
        print_error(problem)
    for each in found.notes:
        note(each)
    if found.is_current:
        note(f"{schema} accepts {counted(len(paths), 'file')} as it is")
    if out is not None and not found.problems:
        write_schema(out, found.schema)
    if output is Format.JSON:
        print_json(_json(found))
    else:
        write_text("".join(f"{change}\n" for change in found.changes))
        if out is None:
            write_text(found.diff)
    return 1 if found.problems or (check_only and found.changes) else 0


def _json(found: Update) -> dict[str, Any]:
    return {
        "schema": found.schema,
        "files": list(found.paths),
        "changes": [
            {
                "line": each.line,
                "change": each.what,
                "before": each.before,
                "after": each.after,
                "file": each.cell.path,
                "row": each.cell.row,
                "column": each.cell.column,
                "text": each.cell.text,
            }
            for each in found.changes
        ],
        "problems": list(found.problems),
        "notes": list(found.notes),
    }
