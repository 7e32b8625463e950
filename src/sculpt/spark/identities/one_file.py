"""Keys, references and conditions of one file, found by one task: what the data source lists.

In: a schema whose statements are about one file only, and the file. Out: what was found, as batches
of the table of violations, or as the rows that errors name. The engine `local` does the work, since
a data source has no session in which entries could meet.

Invariant: as for `sculpt.spark.validate`. Memory: as for the engine `local`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from sculpt.checks.conditions import has_requires, required
from sculpt.checks.identities import LocalIdentities
from sculpt.checks.model import Found, Request
from sculpt.checks.plan import plan_of
from sculpt.engines.options import Options
from sculpt.report.lists.violations import violation_row
from sculpt.schema import Schema
from sculpt.spark.listers import VIOLATIONS
from sculpt.spark.units import record_batch
from sculpt.tabular.inputs import Input
from sculpt.verdict import Verdict

BATCH = 1 << 10


class FileChecks:
    """The checks of a schema on one file; use it in a `with`, with the file open."""

    def __init__(self, schema: Schema) -> None:
        self._schema, self._options = schema, Options(0, threads=1)
        self._identities = LocalIdentities(plan_of(schema), Request(), self._options)

    def __enter__(self) -> FileChecks:
        return self

    def __exit__(self, *_: object) -> None:
        self._identities.close()

    def run(self, name: str, source: Input, verdict: Verdict) -> list[Found]:
        """What is found; `verdict` is that of the rules."""
        size = (verdict.rows, verdict.columns)
        found: list[Found] = []
        if has_requires(self._schema):
            asked = (self._schema, Request(), self._options)
            found.append(required(*asked, name, source, *size))
        if self._schema.core.keys or self._schema.core.references:
            self._identities.take(0, name, source, *size)
            found += self._identities.judge()
        return found

    def batches(self, name: str, found: Found) -> Iterator[Any]:
        """Every violation."""
        listed = found.listed()
        while some := list(islice(listed, BATCH)):
            yield record_batch(VIOLATIONS, [violation_row(name, each) for each in some])

    def bad_rows(self, found: Iterable[Found]) -> set[int] | None:
        """The rows that errors name; `None` if an error names none."""
        rows: set[int] = set()
        for each in found:
            for violation in each.listed() if each.count else ():
                if violation.severity == "error":
                    if violation.row is None:
                        return None
                    rows.add(violation.row)
        return rows


def marked_rows(batch: Any, bad: set[int] | None) -> Any:
    """A batch of rows, in which more rows are bad; `None` says that all are."""
    import pyarrow as pa

    rows, good = (batch.column(name).to_pylist() for name in ("row", "good"))
    marked = [
        is_good and bad is not None and row not in bad
        for row, is_good in zip(rows, good, strict=True)
    ]
    at = batch.schema.get_field_index("good")
    return batch.set_column(at, "good", pa.array(marked, pa.bool_()))
