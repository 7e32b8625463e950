"""What a strip or chunk must know of the rest of the table: handovers of look-ups, texts, tallies.

In: strips. Out: a `Summary` of each; the summaries of neighbours merge into one of both, so the
result does not depend on the cuts (`docs/language.md#look-ups`). An earlier pass makes them if a
program needs something from below, across columns or of whole regions; on a cluster also for what
comes from above.

Invariant: `merged` is associative. Memory: the handovers of look-ups (two cells per column and
state, with their texts) and a tally for each aggregate, and for each column of a column loop.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from sculpt.core.programs.expressions import (
    CellValue,
    FoundCell,
    GroupAggregate,
    ItemCell,
    OwnCell,
    base_of,
    cells_of,
    values_in,
)
from sculpt.core.programs.expressions import Value as ProgramValue
from sculpt.core.programs.look_ups import Reach
from sculpt.core.programs.program import CoreProgram, region_aggregates, values_of
from sculpt.core.programs.statements import Loop, action_values
from sculpt.engines.lookups.finder import Finder, Handover, Regions
from sculpt.engines.regions.strip_texts import StripTexts
from sculpt.kernels.loops.lookups import NOWHERE
from sculpt.transform.evaluation.tallies import Tally, tallies
from sculpt.values import field, mutable

if TYPE_CHECKING:
    from sculpt.kernels.backend import Backend

Texts = dict[int, tuple[str | None, str | None, tuple[int, ...]]]
"""By cell: its content, its raw text if needed, and the regions of `CoreProgram.asked` it is in."""


@mutable
class ColumnState:
    """What a column loop knows about one column: its tally, and its first cells."""

    tally: Tally
    cells: list[int] = field(default_factory=list)


@mutable
class Extent:
    """What is known about a region as a whole: how many cells it has, and the first two."""

    size: int = 0
    cells: list[int] = field(default_factory=list)

    @property
    def ends(self) -> tuple[int, int]:
        """The first and a second cell; `NOWHERE` if there is none."""
        first, second = (*self.cells, NOWHERE, NOWHERE)[:2]
        return first, second

    def merged(self, below: Extent) -> Extent:
        """That of two adjacent parts."""
        return Extent(self.size + below.size, (self.cells + below.cells)[:2])


@mutable
class Summary:
    """What a strip or chunk tells the others."""

    handovers: dict[int, Handover] = field(default_factory=dict)
    """By look-up."""
    texts: Texts = field(default_factory=dict)
    regions: dict[int, Tally] = field(default_factory=dict)
    """By region of an aggregate."""
    columns: dict[int, dict[int, ColumnState]] = field(default_factory=dict)
    """By number of a column loop, by column."""
    extents: dict[int, Extent] = field(default_factory=dict)
    """By region that is measured."""
    owns: dict[int, dict[int, list[int]]] = field(default_factory=dict)
    """By region in which columns have their cells, by column: the first two."""


class Summariser:
    """Makes and merges summaries for one program and one width."""

    def __init__(self, program: CoreProgram, width: int, backend: Backend) -> None:
        self.program = program
        self.width = width
        self.backend = backend
        self.finders = [Finder(look_up, width, backend) for look_up in program.look_ups]
        self.needs_raw = any(
            isinstance(value, CellValue) and value.what == "raw" for value in values_of(program)
        )
        self.aggregates = region_aggregates(program)
        self.column_loops = {
            number: loop
            for number, loop in enumerate(program.statements)
            if isinstance(loop, Loop) and loop.kind == "column"
        }
        self.needs_tallies = bool(self.aggregates or self.column_loops)
        self.owned = {
            cell.region
            for loop in self.column_loops.values()
            for cell in cells_of(_all_values(loop))
            if isinstance(cell, OwnCell)
        }
        """The regions in which columns have their cells."""
        self.items = {n: _highest_item(loop) for n, loop in self.column_loops.items()}
        self.medians = {n: _has_median(loop) for n, loop in self.column_loops.items()}

    def summary(
        self, regions: Regions, texts: StripTexts, reaches: Iterable[Reach], hidden: Any = None
    ) -> Summary:
        """The summary of a strip, as far as look-ups with these reaches need it.

        `hidden` are cells that loops and aggregates skip.
        """
        wanted = set(reaches)
        found = Summary()
        for number, reach in self.program.reaches.items():
            if reach in wanted:
                found.handovers[number] = self.finders[number].summary(regions)
        self.keep_texts(found, regions, texts)
        self._tally(found, regions, texts, hidden)
        self._measure(found, regions, texts)
        return found

    def _measure(self, found: Summary, regions: Regions, texts: StripTexts) -> None:
        """Count the cells of regions, and keep the first ones with their texts."""
        base = regions.strip.base
        for region in self.program.measured:
            cells = regions.cells(region)
            firsts = cells[:2] if region in self.program.onlies else cells[:0]
            found.extents[region] = Extent(len(cells), (firsts + base).tolist())
            self._keep(found, regions, texts, firsts)
        for region in self.owned:
            cells = regions.cells(region)
            columns = cells % self.width
            held: dict[int, list[int]] = {}
            for cell, column in zip(cells.tolist(), columns.tolist(), strict=True):
                known = held.setdefault(column, [])
                if len(known) < 2:
                    known.append(cell + base)
            found.owns[region] = held
            kept = sorted(cell - base for each in held.values() for cell in each)
            self._keep(found, regions, texts, kept)

    def _keep(self, found: Summary, regions: Regions, texts: StripTexts, cells: Any) -> None:
        """Keep the texts of cells."""
        import numpy as np

        if not len(cells):
            return
        base, wanted = regions.strip.base, np.asarray(cells, dtype=np.int64)
        contents = texts.of(wanted).to_pylist()
        raws = texts.of(wanted, raw=True).to_pylist() if self.needs_raw else contents
        asked = self._asked(regions, wanted)
        found.texts |= {
            n: (content, raw, held)
            for n, content, raw, held in zip(
                (wanted + base).tolist(), contents, raws, asked, strict=True
            )
        }

    def keep_texts(self, summary: Summary, regions: Regions, texts: StripTexts) -> None:
        """Store the texts of cells of this strip that handovers have; drop those that none has."""
        import numpy as np

        base = regions.strip.base
        cells = regions.strip.rows * regions.strip.width
        ids = [part for handover in summary.handovers.values() for part in handover[:2]]
        needed = np.unique(np.concatenate(ids)) if ids else np.empty(0, dtype=np.int64)
        needed = needed[needed != NOWHERE]
        own = needed[(needed >= base) & (needed < base + cells)]
        kept = {int(n): summary.texts[int(n)] for n in needed if int(n) in summary.texts}
        summary.texts = kept
        if not len(own):
            return  # so the bytes need not be read
        contents = texts.of(own - base).to_pylist()
        raws = texts.of(own - base, raw=True).to_pylist() if self.needs_raw else [None] * len(own)
        asked = self._asked(regions, own - base)
        kept |= {n: known for n, *known in zip(own.tolist(), contents, raws, asked, strict=True)}

    def _asked(self, regions: Regions, cells: Any) -> list[tuple[int, ...]]:
        """Of the regions that conditions ask about, those that each cell is in."""
        found: list[tuple[int, ...]] = [()] * len(cells)
        for region in self.program.asked:
            held = regions.holds(region)[cells].tolist()
            found = [(*known, region) if has else known
                     for known, has in zip(found, held, strict=True)]  # fmt: skip
        return found

    def _tally(self, found: Summary, regions: Regions, texts: StripTexts, hidden: Any) -> None:
        import numpy as np

        base = regions.strip.base
        medians = {each.region for each in self.aggregates if each.function == "Median"}
        for region in dict.fromkeys(each.region for each in self.aggregates):
            cells = _shown(regions.cells(region), hidden)
            groups = np.zeros(len(cells), dtype=np.int64)
            contents = texts.of(cells)
            (found.regions[region],) = tallies(
                contents, cells + base, groups, 1, region in medians, self.backend
            )
        for number, loop in self.column_loops.items():
            cells = _shown(regions.cells(loop.region), hidden)
            columns = cells % self.width
            contents = texts.of(cells)
            median = self.medians[number]
            counted = tallies(contents, cells + base, columns, self.width, median, self.backend)
            states: dict[int, ColumnState] = {}
            for column in np.unique(columns).tolist():
                firsts = cells[columns == column][: self.items[number]]
                states[column] = ColumnState(counted[column], (firsts + base).tolist())
                wanted = texts.of(firsts).to_pylist()
                raws = texts.of(firsts, raw=True).to_pylist() if self.needs_raw else wanted
                asked = self._asked(regions, firsts)
                found.texts |= {
                    n: (content, raw, held)
                    for n, content, raw, held in zip(
                        states[column].cells, wanted, raws, asked, strict=True
                    )
                }
            found.columns[number] = states

    def empty(self) -> Summary:
        """The summary of no rows."""
        medians = {each.region for each in self.aggregates if each.function == "Median"}
        return Summary(
            {number: self.finders[number].empty() for number in self.program.reaches},
            {},
            {
                each.region: Tally(occurrences=Counter() if each.region in medians else None)
                for each in self.aggregates
            },
            {number: {} for number in self.column_loops},
            {region: Extent() for region in self.program.measured},
            {region: {} for region in self.owned},
        )

    def merged(self, above: Summary, below: Summary) -> Summary:
        """Merge two adjacent summaries; mutates the first."""
        handovers = dict(above.handovers)
        for number, handover in below.handovers.items():
            known = handovers.get(number)
            merge = self.finders[number].merged
            handovers[number] = handover if known is None else merge(known, handover)
        for region, tally in below.regions.items():
            above.regions.setdefault(region, Tally(occurrences=_like(tally))).merge(tally)
        kept: set[int] = set()
        for number, states in below.columns.items():
            mine = above.columns.setdefault(number, {})
            for column, state in states.items():
                known_state = mine.setdefault(
                    column, ColumnState(Tally(occurrences=_like(state.tally)))
                )
                known_state.tally.merge(state.tally)
                known_state.cells = (known_state.cells + state.cells)[: self.items[number]]
        for states in above.columns.values():
            for state in states.values():
                kept.update(state.cells)
        for handover in handovers.values():
            for part in handover[:2]:
                kept.update(part.tolist())
        for region, extent in below.extents.items():
            above.extents[region] = above.extents.get(region, Extent()).merged(extent)
        for region, held in below.owns.items():
            own = above.owns.setdefault(region, {})
            for column, cells in held.items():
                own[column] = (own.get(column, []) + cells)[:2]
        for extent in above.extents.values():
            kept.update(extent.cells)
        for held in above.owns.values():
            kept.update(cell for cells in held.values() for cell in cells)
        both = above.texts | below.texts
        texts = {cell: both[cell] for cell in kept if cell in both}
        return Summary(handovers, texts, above.regions, above.columns, above.extents, above.owns)

    def around(self, parts: Sequence[Summary]) -> list[tuple[Summary, Summary]]:
        """For each part of a table: the summaries above and below it; handovers and texts only."""
        handed = [Summary(dict(part.handovers), part.texts) for part in parts]
        above, below = [Summary()], [Summary()]
        for part in handed[:-1]:
            above.append(self.merged(above[-1], part))
        for part in reversed(handed[1:]):
            below.append(self.merged(part, below[-1]))
        return list(zip(above, reversed(below), strict=True))


def _like(tally: Tally) -> Counter[int] | None:
    return None if tally.occurrences is None else Counter()


def _shown(cells: Any, hidden: Any) -> Any:
    return cells if hidden is None else cells[~hidden[cells]]


def _all_values(loop: Loop) -> list[ProgramValue]:
    return values_in(value for action in loop.actions for value in action_values(action))


def _highest_item(loop: Loop) -> int:
    """The highest index of a cell that the loop uses."""
    cells = [base_of(value.cell) for value in _all_values(loop) if isinstance(value, CellValue)]
    assert not any(isinstance(cell, FoundCell) for cell in cells)
    return max((cell.index for cell in cells if isinstance(cell, ItemCell)), default=0)


def _has_median(loop: Loop) -> bool:
    return any(
        isinstance(value, GroupAggregate) and value.function == "Median"
        for value in _all_values(loop)
    )
