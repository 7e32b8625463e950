"""What a run of programs asks of checks: verdicts on its files, and the rows that errors name.

In: the files of a run, some of them open. Out: `Validated`, as `transform.local` takes it. Programs
know nothing of keys and references: whoever starts a run hands this to it.

Invariant: a file that cannot be read, of whatever table, ends the run; all such files are named.
"""

from __future__ import annotations

from collections.abc import Sequence

from sculpt.checks.model import Request
from sculpt.checks.validation import Checked, Known, Watch, checked_files
from sculpt.engines.options import Options
from sculpt.errors import DataError, UnreadFilesError
from sculpt.schema import Schema
from sculpt.tabular.inputs import Input
from sculpt.transform.local import Judged, Validated
from sculpt.verdict import Unread


class ProgramValidator:
    """Validates the files of a run, and the other tables of its schema."""

    def __init__(
        self,
        schema: Schema,
        engine: str,
        request: Request,
        options: Options,
        watch: Watch | None = None,
    ) -> None:
        self._schema, self._engine, self._request = schema, engine, request
        self._options, self._watch = options, watch

    def validate(self, files: Sequence[tuple[str, Input | None]], names_rows: bool) -> Validated:
        """The verdicts; if `names_rows`, with the rows that errors of checks name."""
        known = {path: Known(source) for path, source in files if source is not None}
        paths = [path for path, _ in files]
        asked = (self._engine, self._request, self._options, self._watch, known)
        with checked_files(self._schema, paths, *asked) as found:
            unread = [each.outcome for each in found if isinstance(each.outcome, Unread)]
            if unread:
                raise UnreadFilesError.of(DataError(each.message, each.path) for each in unread)
            judged = [(file, _judged(file, names_rows)) for file in found]
        own = tuple(each for file, each in judged if file.table.number == 0)
        others = tuple(each.verdict for file, each in judged if file.table.number != 0)
        return Validated(own, others)


def _judged(file: Checked, names_rows: bool) -> Judged:
    outcome = file.outcome
    assert not isinstance(outcome, Unread)
    rows = _named_rows(file) if names_rows else frozenset[int]()
    return Judged(outcome, rows)


def _named_rows(file: Checked) -> frozenset[int] | None:
    """The rows that errors of checks name; `None` if one names no row."""
    rows: set[int] = set()
    for found in file.founds:
        if found.count:
            for violation in found.listed():
                if violation.severity == "error":
                    if violation.row is None:
                        return None
                    rows.add(violation.row)
    return frozenset(rows)
