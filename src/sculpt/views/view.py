"""A table as a schema sees it: verdict, regions, windows, places.

In: a source of windows. Out: `View`, which `sculpt.view` returns and every renderer reads. Nothing
is computed here: this module checks what callers ask for and passes it on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Any

from sculpt.display import html_of, report_of, shortened
from sculpt.errors import UsageError
from sculpt.report.styled import counted
from sculpt.schema import Schema
from sculpt.verdict import Coverage, Heat, Verdict
from sculpt.views.colours import colour_numbers
from sculpt.views.model import (
    UNCHECKED,
    VIOLATION,
    Place,
    Region,
    RegionSpec,
    Window,
)
from sculpt.views.source import WindowSource

if TYPE_CHECKING:
    from sculpt.views.why.model import Why


class View:
    """What a schema selects, misses and rejects in one table. Close it, or use `with`."""

    def __init__(self, schema: Schema, specs: tuple[RegionSpec, ...], source: WindowSource) -> None:
        self.schema = schema
        self._specs = specs
        self._source = source

    def __enter__(self) -> View:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        verdict = self.verdict
        return (
            f"<View {shortened(self.path)}: {verdict.rows:,} × {verdict.columns:,}, "
            f"{counted(verdict.violation_count, 'violation')},"
            f" {counted(len(self._specs), 'region')}>"
        )

    def _repr_html_(self) -> str:
        return html_of(self)

    def html(self, *, strict: bool = False, no_data: bool = False) -> str:
        """The report on this table: a page of at most 5 MB that needs nothing else."""
        return report_of([self], strict=strict, no_data=no_data)

    def close(self) -> None:
        """Let go of files and memory; windows can no longer be asked for."""
        self._source.close()

    @property
    def path(self) -> str:
        """The file."""
        return self.verdict.path

    @property
    def verdict(self) -> Verdict:
        """The verdict on the table."""
        return self._source.verdict

    @property
    def coverage(self) -> Coverage:
        """How much of the table the rules look at."""
        return self.verdict.coverage

    @property
    def heat(self) -> Heat:
        """Where the violations are."""
        return self.verdict.heat

    @property
    def rows(self) -> int:
        """The rows of the table."""
        return self.verdict.rows

    @property
    def columns(self) -> int:
        """The columns of the table."""
        return self.verdict.columns

    @cached_property
    def regions(self) -> tuple[Region, ...]:
        """Rules, token types, given selectors; in this order."""
        counts = self._source.counts
        colours = colour_numbers(spec.text for spec in self._specs)
        return tuple(
            Region(
                spec.name,
                spec.kind,
                spec.text,
                spec.line,
                spec.documentation,
                colour,
                counts[spec.name],
            )
            for spec, colour in zip(self._specs, colours, strict=True)
        )

    @cached_property
    def _by_name(self) -> Mapping[str, Region]:
        return {region.name: region for region in self.regions}

    def region(self, name: str) -> Region:
        """A region by its name: `rule:3`, `type:Names`, `selector:1`."""
        if name not in self._by_name:
            known = ", ".join(f"`{each}`" for each in list(self._by_name)[:8]) or "none"
            raise UsageError(f"there is no region `{name}`; the regions are {known}")
        return self._by_name[name]

    def window(self, row: int = 1, rows: int = 50, column: int = 1, columns: int = 30) -> Window:
        """Some rows and columns; what is beyond the table is left out."""
        asked = {"row": row, "rows": rows, "column": column, "columns": columns}
        for name, number in asked.items():
            least = 1 if name in ("row", "column") else 0
            if number < least:
                raise UsageError(f"`{name}` is {number}; it must be {least} or more")
        return self._source.window(row, rows, column, columns)

    def find(self, what: str, after: Place = (0, 0)) -> Place | None:
        """The first place after another: of a `violation`, an `unchecked` cell or a region."""
        if what not in (VIOLATION, UNCHECKED):
            self.region(what)
        return self._source.find(what, after)

    def why(self, row: int, column: int, region: str | None = None) -> Why:
        """Why a cell is in a region or not; without a name, of every rule and given selector."""
        from sculpt.views.why.ask import why

        if region is not None and region not in {spec.name for spec in self._specs}:
            self.region(region)
        specs = tuple(
            spec
            for spec in self._specs
            if (spec.kind != "type" if region is None else spec.name == region)
        )
        return why(self.schema, specs, self._source, row, column)

    def json(self, windows: Window | Iterable[Window] = ()) -> dict[str, Any]:
        """The verdict, the regions and some windows as plain lists and dictionaries."""
        from sculpt.views.json import view_json

        return view_json(self, [windows] if isinstance(windows, Window) else windows)
