"""Which source the windows of a file come from: a grid, the file itself, with or without checks.

In: a schema and a path, or a file that was checked. Out: a `View`, open. The reference engine has
the table in memory; the others read windows from the file again, Spark's included.

Invariant: the verdict of a view is that of its engine, with what checks have found unless they were
left out. Cost: a pass over the file, and that of the checks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from sculpt.core import ir
from sculpt.engines.options import CHUNK, Options
from sculpt.errors import DataError
from sculpt.schema import Schema
from sculpt.tabular.document import decode
from sculpt.tabular.grid import Grid, read_grid
from sculpt.tabular.inputs import Input
from sculpt.values import replace
from sculpt.verdict import Unread, Verdict, all_read
from sculpt.views.model import RegionSpec, region_specs
from sculpt.views.source import WindowSource
from sculpt.views.view import View

if TYPE_CHECKING:
    from sculpt.checks.model import Request
    from sculpt.checks.validation import Checked

Regions: TypeAlias = tuple[dict[str, ir.CoreToken], tuple[RegionSpec, ...]]
"""The tokens of a schema, and the regions that its view shows; see `model.region_specs`."""


def view_of_file(
    schema: Schema,
    path: str,
    regions: Regions,
    engine: str,
    options: Options,
    request: Request | None,
    verdict: Verdict | None = None,
) -> View:
    """The view of a file; without a request, by its rules only.

    The verdict is given if another engine has found it.
    """
    tokens, specs = regions
    limit = options.max_violations
    if engine == "reference":
        from sculpt.views.reference import GridSource

        with Input(path) as opened:
            grid = _grid(schema, opened)
            source = GridSource(schema.core, tokens, grid, specs, path, limit)
            if request is None:
                return View(schema, specs, source)
            return View(schema, specs, _with_checks(schema, opened, source, engine, request, limit))
    from sculpt.views.local import VIEW_CHUNK, LocalSource

    used = replace(options, chunk=VIEW_CHUNK)
    windows = LocalSource(schema.core, tokens, path, specs, used, verdict)
    if request is None:
        return View(schema, specs, windows)
    if verdict is not None:
        from sculpt.views.checked import CheckedSource, shown_violations

        return View(schema, specs, CheckedSource(windows, verdict, shown_violations(verdict, ())))
    try:
        checked = _with_checks(schema, windows.input, windows, engine, request, limit)
    except BaseException:
        windows.close()
        raise
    return View(schema, specs, checked)


def view_of_checked(
    schema: Schema, file: Checked, engine: str, max_violations: int
) -> View | Unread:
    """The view of a file that was checked; use it while the run is open."""
    from sculpt.views.checked import CheckedSource, shown_violations

    outcome = file.outcome
    if isinstance(outcome, Unread):
        return outcome
    assert file.source is not None
    tokens, specs = region_specs(schema, ())
    windows: WindowSource
    if engine == "reference":
        from sculpt.views.reference import GridSource

        grid = _grid(schema, file.source)
        windows = GridSource(schema.core, tokens, grid, specs, file.path, max_violations)
    else:
        from sculpt.views.local import VIEW_CHUNK, LocalSource

        options = Options(max_violations, chunk=VIEW_CHUNK)
        # A pipe can be read only once, so its view shares what the run keeps of it.
        source = file.source if file.source.stamp is None else Input(file.path)
        try:
            windows = LocalSource(schema.core, tokens, file.path, specs, options, None, source)
        except DataError as error:
            return Unread(file.path, str(error), file.table.name)
    shown = shown_violations(outcome, file.founds)
    return View(schema, specs, CheckedSource(windows, outcome, shown))


def _grid(schema: Schema, source: Input) -> Grid:
    dialect = schema.core.dialect
    data = b"".join(bytes(block) for block, _ in source.blocks(CHUNK))
    return read_grid(decode(data, dialect.encoding), dialect)


def _with_checks(
    schema: Schema,
    source: Input,
    windows: WindowSource,
    engine: str,
    request: Request,
    max_violations: int,
) -> WindowSource:
    """Windows that show what keys, references and conditions have found, too."""
    from sculpt.checks.validation import Known, checked_files
    from sculpt.views.checked import CheckedSource, shown_violations

    known = {source.path: Known(source, windows.verdict)}
    options = Options(max_violations)
    with checked_files(schema, [source.path], engine, request, options, known=known) as files:
        verdict = all_read(each.outcome for each in files)[0]
        return CheckedSource(windows, verdict, shown_violations(verdict, files[0].founds))
