"""The command `sniff`: how files are written.

In: the parameters of a call. Out: the exit status; the beginning of a schema for one file, a line
for each of several. Invariant: a file that cannot be read does not stop the others.
"""

from __future__ import annotations

from sculpt.cli.table import Format
from sculpt.cli.terminal import print_error, print_json, print_lines
from sculpt.errors import DataError, UsageError
from sculpt.inference.sniff.finder import sniff as sniff_file
from sculpt.inference.sniff.model import Sniffed
from sculpt.tabular.inputs import STDIN, expand

DOUBTFUL = 0.5
"""With `--strict`, a confidence below this fails."""


def sniff(data: list[str], output: Format, strict: bool) -> int:
    """Say how files are written; return the exit status."""
    if data.count(STDIN) > 1:
        raise UsageError("standard input can be read only once")
    found: list[Sniffed] = []
    unread: list[DataError] = []
    for entry in expand(data):
        try:
            if isinstance(entry, DataError):
                raise entry
            found.append(sniff_file(entry))
        except DataError as error:
            unread.append(error)
    _print(found, unread, output)
    if unread:
        return 3
    return 1 if strict and any(each.confidence < DOUBTFUL for each in found) else 0


def _print(found: list[Sniffed], unread: list[DataError], output: Format) -> None:
    from sculpt.inference.sniff.text import file_lines, groups_of, schema_lines, sniffed_json

    if output is Format.JSON:
        failed = [{"path": error.path, "error": str(error)} for error in unread]
        groups = [
            {"directives": list(directives), "files": paths}
            for directives, paths in groups_of(found).items()
        ]
        print_json({"files": [*map(sniffed_json, found), *failed], "groups": groups})
    elif len(found) == 1 and not unread:
        print_lines(schema_lines(found[0]))
    elif found:
        print_lines(file_lines(found))
    for error in unread:
        print_error(str(error))
