"""Frames: the iterations of loops, for which values are evaluated.

In: a strip with its marks, texts and what is known of the rest of the table; or, at the end of the
table, its summary. Out: for `evaluator`, the cells of each iteration, their texts and the cells
that look-ups find from them. Cells are numbered across the whole table.

Invariant: the values of a cell do not depend on the strip that it is in. Cost: the texts of a
frame's own cells are read once; those that look-ups find are dictionary-encoded.
"""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sculpt.core.programs import expressions as c
from sculpt.core.programs.look_ups import Reach
from sculpt.engines.lookups.finder import Finder, Handover, Regions
from sculpt.engines.regions.marker import MarkedStrip
from sculpt.engines.regions.strip_texts import CellTexts
from sculpt.kernels.loops.lookups import NOWHERE
from sculpt.transform.evaluation.summaries import ColumnState, Extent, Summary, Texts
from sculpt.transform.evaluation.tallies import Tally, tallies
from sculpt.transform.evaluation.values.frame import Frame
from sculpt.transform.writers.rendering import texts_of
from sculpt.values import field, frozen, mutable

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    from sculpt.kernels.backend import Backend

    Array = np.ndarray[Any, Any]


@frozen
class Setting:
    """What all frames of a table share."""

    file: str
    width: int
    backend: Backend
    finders: list[Finder]


@mutable
class Known:
    """What is known of the table beyond a strip."""

    handovers: dict[int, Handover]
    texts: Texts
    regions: dict[int, Tally] = field(default_factory=dict)
    extents: dict[int, Extent] = field(default_factory=dict)


class StripFrame(Frame):
    """Iterations within a strip."""

    size: int
    """How many cells the loop has."""

    def __init__(
        self,
        setting: Setting,
        strip: MarkedStrip,
        regions: Regions,
        texts: CellTexts,
        known: Known,
        region: int,
        hidden: Array | None,
    ) -> None:
        """`region` is that of the loop; `hidden` says of each cell whether the loop skips it."""
        import numpy as np

        self.strip = strip
        self.regions = regions
        self.strip_texts = texts
        self.known = known
        self.file = setting.file
        self.backend = setting.backend
        self.width = strip.width
        self.finders = setting.finders
        self._region, self._hidden = region, hidden
        self._cells: Array | None = None
        self._known_cells = np.array(sorted(known.texts), dtype=np.int64)

    @cached_property
    def local(self) -> Array:
        """The cells of the loop, numbered from the first of the strip."""
        cells = self.regions.cells(self._region)
        return cells if self._hidden is None else cells[~self._hidden[cells]]

    def found(self, look_up: int, cells: Array) -> tuple[Array, Array]:
        """The first and a second cell that a look-up finds from cells."""
        finder = self.finders[look_up]
        entering = self.known.handovers.get(look_up) or finder.empty()
        local = self.local if cells is self._cells else cells - self.strip.base
        return finder.find(self.regions, local, entering)

    def all_found(self, look_up: int, cells: Array) -> list[list[int]]:
        """All cells that a look-up finds from cells."""
        finder = self.finders[look_up]
        if finder.look_up.reach is Reach.TABLE:
            return finder.find_all(self.regions, cells - self.strip.base)
        first, _ = self.found(look_up, cells)  # at most one
        return [[] if cell == NOWHERE else [cell] for cell in first.tolist()]

    def only(self, region: int) -> tuple[int, int]:
        """The first and a second cell of a region of the table."""
        return self.known.extents[region].ends

    def own(self, region: int) -> tuple[Array, Array]:
        """The first and a second cell of each row that is in a region."""
        raise AssertionError(region)

    def all_own(self, region: int) -> list[list[int]]:
        """All cells of each row that are in a region."""
        raise AssertionError(region)

    def region_tally(self, region: int) -> Tally:
        """The tally of a region of the table."""
        return self.known.regions[region]

    def texts(self, cells: Array, raw: bool) -> pa.Array:
        """The texts of cells; those of other strips were stored before."""
        import numpy as np
        import pyarrow as pa

        strip = self.strip
        count = strip.rows * strip.width
        if cells is self._cells:
            return self.strip_texts.of(self.local, raw)
        local = cells - strip.base
        if _is_rising(local, count):
            return self.strip_texts.of(local, raw)
        indices = np.empty(len(cells), dtype=np.int32)
        slots = np.zeros(count, dtype=np.int32)
        own = self.backend.number_cells(cells, strip.base, count, slots, indices)
        dictionary = self.strip_texts.of(np.flatnonzero(slots), raw)
        missing = indices < 0
        if missing.any():
            others = self._known_cells
            outside = missing & (cells != NOWHERE)
            if outside.any():
                indices[outside] = self._place_of(cells[outside]) + np.int32(own)
                stored = [self.known.texts[cell][raw] for cell in others.tolist()]
                dictionary = pa.concat_arrays([dictionary, pa.array(stored, pa.string())])
            missing = indices < 0
        coded = pa.array(indices, mask=missing) if missing.any() else pa.array(indices)
        if dictionary.null_count:  # padded cells: a code must not stand for null
            return dictionary.take(coded)
        return pa.DictionaryArray.from_arrays(coded, dictionary)

    def _place_of(self, cells: Array) -> Array:
        """The places of cells among those of other strips whose texts were stored."""
        import numpy as np

        others = self._known_cells
        if others[-1] >= 1 << 22:
            return np.searchsorted(others, cells).astype(np.int32)
        table = np.zeros(int(others[-1]) + 1, dtype=np.int32)  # headers are near the top
        table[others] = np.arange(len(others), dtype=np.int32)
        return table[cells]

    def holds(self, cells: Array, region: int) -> Array:
        """By cell: is it in a region that a condition asks about?"""
        import numpy as np

        strip = self.strip
        local = cells - strip.base
        own = (local >= 0) & (local < strip.rows * strip.width)
        if own.all():
            held: Array = self.regions.holds(region)[local]
            return held
        found = np.empty(len(cells), dtype=np.bool_)
        found[own] = self.regions.holds(region)[local[own]]
        found[~own] = [region in self.known.texts[n][2] for n in cells[~own].tolist()]
        return found

    def numbers(self, what: str) -> Array:
        """The rows of the iterations."""
        raise AssertionError(what)

    @abstractmethod
    def keys(self, kind: str, count: int) -> Array:
        """The sort keys of `count` rows of a stream of this kind."""


class CellFrame(StripFrame):
    """A loop over cells."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.count = self.size = len(self.local)
        self._cells: Array = self.local + self.strip.base

    def place(self, ix: int) -> tuple[int | None, int | None]:
        """The row and column of an iteration."""
        cell = int(self._cells[ix])
        return cell // self.width + 1, cell % self.width + 1

    def places(self) -> tuple[Array, Array]:
        """The rows and columns of all iterations."""
        return self._cells // self.width + 1, self._cells % self.width + 1

    def keys(self, kind: str, count: int) -> Array:
        """The sort keys of the rows of a stream: the row of the table, or the cell."""
        import numpy as np

        keys = self._cells if kind == "annotations" else self._cells // self.width
        return np.repeat(keys, count // max(1, self.count))

    def cells(self, cell: c.LoopCell | c.ItemCell) -> Array:
        """The cell of each iteration."""
        return self._cells

    def group_tallies(self, wants_median: bool) -> list[Tally]:
        """The tally of each cell: of one number at most."""
        import numpy as np

        texts, groups = self.strip_texts.of(self.local), np.arange(self.count)
        return tallies(texts, self._cells, groups, self.count, wants_median, self.backend)


class RowFrame(StripFrame):
    """A loop over rows."""

    def __init__(self, *arguments: Any) -> None:
        import numpy as np

        super().__init__(*arguments)
        if self._hidden is None:  # the cells themselves are seldom asked for
            sizes = self.regions.row_sizes(self._region)
        else:
            sizes = np.bincount(self.local // self.width, minlength=self.strip.rows)
        self._rows = np.flatnonzero(sizes)
        self._sizes = sizes[self._rows]
        self._starts = np.cumsum(self._sizes) - self._sizes
        self.count, self.size = len(self._rows), int(self._sizes.sum())
        self._owned: dict[int, tuple[Array, Array]] = {}

    def place(self, ix: int) -> tuple[int | None, int | None]:
        """The row of an iteration."""
        return int(self._rows[ix]) + self.strip.first_row, None

    def places(self) -> tuple[Array, Array]:
        """The rows of all iterations."""
        import numpy as np

        return self.numbers("row"), np.zeros(self.count, np.int64)

    def own(self, region: int) -> tuple[Array, Array]:
        """The first and a second cell of each row that is in a region."""
        if region not in self._owned:
            self._owned[region] = self._find_own(region)
        return self._owned[region]

    def _find_own(self, region: int) -> tuple[Array, Array]:
        import numpy as np

        cells = self.regions.cells(region)
        begins = self._rows * self.width
        if len(cells) == self.count and bool(
            ((cells >= begins) & (cells < begins + self.width)).all()
        ):  # one in each row
            return cells + self.strip.base, np.full(self.count, NOWHERE, np.int64)
        cells, starts, sizes = self._held(region)
        first, second = (np.full(self.count, NOWHERE, np.int64) for _ in range(2))
        has, more = sizes > 0, sizes > 1
        first[has] = cells[starts[has]] + self.strip.base
        second[more] = cells[starts[more] + 1] + self.strip.base
        return first, second

    def all_own(self, region: int) -> list[list[int]]:
        """All cells of each row that are in a region."""
        cells, starts, sizes = self._held(region)
        whole = (cells + self.strip.base).tolist()
        ends = (starts + sizes).tolist()
        return [whole[start:end] for start, end in zip(starts.tolist(), ends, strict=True)]

    def _held(self, region: int) -> tuple[Array, Array, Array]:
        """The cells of a region in the strip; for each row where its own begin, and how many."""
        import numpy as np

        cells = self.regions.cells(region)
        rows = cells // self.width
        starts = np.searchsorted(rows, self._rows)
        return cells, starts, np.searchsorted(rows, self._rows, side="right") - starts

    def keys(self, kind: str, count: int) -> Array:
        """The sort keys of the rows of a stream: the row of the table."""
        import numpy as np

        rows = self._rows + self.strip.first_row - 1
        return np.repeat(rows, count // max(1, self.count))

    def cells(self, cell: c.LoopCell | c.ItemCell) -> Array:
        """The i-th cell of each row."""
        import numpy as np

        assert isinstance(cell, c.ItemCell)
        has = self._sizes >= cell.index
        at = np.where(has, self._starts + cell.index - 1, 0)
        return np.where(has, self.local[at] + self.strip.base, NOWHERE)

    def numbers(self, what: str) -> Array:
        """The rows of the iterations."""
        return self._rows + self.strip.first_row

    def group_tallies(self, wants_median: bool) -> list[Tally]:
        """The tally of each row."""
        import numpy as np

        groups = np.repeat(np.arange(self.count), self._sizes)
        texts = texts_of(self.strip_texts.of(self.local))
        cells = self.local + self.strip.base
        return tallies(texts, cells, groups, self.count, wants_median, self.backend)


class TableFrame(Frame):
    """A line outside of loops: one iteration."""

    def __init__(self, setting: Setting, total: Summary) -> None:
        self.count = 1
        self.width = max(1, setting.width)
        self.file = setting.file
        self.backend = setting.backend
        self.total = total

    def place(self, ix: int) -> tuple[int | None, int | None]:
        """It has no place."""
        return None, None

    def places(self) -> tuple[Array, Array]:
        """It has no place."""
        import numpy as np

        return np.zeros(1, np.int64), np.zeros(1, np.int64)

    def only(self, region: int) -> tuple[int, int]:
        """The first and a second cell of a region of the table."""
        return self.total.extents[region].ends

    def own(self, region: int) -> tuple[Array, Array]:
        """It has none."""
        raise AssertionError(region)

    def all_own(self, region: int) -> list[list[int]]:
        """It has none."""
        raise AssertionError(region)

    def cells(self, cell: c.LoopCell | c.ItemCell) -> Array:
        """There are none."""
        raise AssertionError(cell)

    def found(self, look_up: int, cells: Array) -> tuple[Array, Array]:
        """There are none."""
        raise AssertionError(look_up)

    def all_found(self, look_up: int, cells: Array) -> list[list[int]]:
        """There are none."""
        raise AssertionError(look_up)

    def texts(self, cells: Array, raw: bool) -> pa.Array:
        """The texts of cells, which were stored before."""
        import pyarrow as pa

        stored = self.total.texts
        texts = [None if cell == NOWHERE else stored[cell][raw] for cell in cells.tolist()]
        return pa.array(texts, pa.string())

    def holds(self, cells: Array, region: int) -> Array:
        """By cell: is it in a region that a condition asks about?"""
        import numpy as np

        held = (region in self.total.texts[cell][2] for cell in cells.tolist())
        return np.fromiter(held, np.bool_, len(cells))

    def numbers(self, what: str) -> Array:
        """It has none."""
        raise AssertionError(what)

    def group_tallies(self, wants_median: bool) -> list[Tally]:
        """It has none."""
        raise AssertionError("outside of a loop")

    def region_tally(self, region: int) -> Tally:
        """The tally of a region."""
        return self.total.regions[region]


class ColumnFrame(TableFrame):
    """A loop over columns, evaluated at the end of the table."""

    def __init__(self, setting: Setting, total: Summary, states: dict[int, ColumnState]) -> None:
        super().__init__(setting, total)
        self._columns = sorted(states)
        self._states = [states[column] for column in self._columns]
        self.count = len(self._columns)

    def place(self, ix: int) -> tuple[int | None, int | None]:
        """The column of an iteration."""
        return None, self._columns[ix] + 1

    def places(self) -> tuple[Array, Array]:
        """The columns of all iterations."""
        import numpy as np

        return np.zeros(self.count, np.int64), self.numbers("column")

    def own(self, region: int) -> tuple[Array, Array]:
        """The first and a second cell of each column that is in a region."""
        import numpy as np

        held = self.total.owns[region]
        found = [(*held.get(column, ()), NOWHERE, NOWHERE)[:2] for column in self._columns]
        pairs = np.array(found, dtype=np.int64).reshape(self.count, 2)
        return pairs[:, 0].copy(), pairs[:, 1].copy()

    def cells(self, cell: c.LoopCell | c.ItemCell) -> Array:
        """The i-th cell of each column."""
        import numpy as np

        assert isinstance(cell, c.ItemCell)
        at = cell.index - 1
        found = [s.cells[at] if at < len(s.cells) else NOWHERE for s in self._states]
        return np.array(found, dtype=np.int64)

    def numbers(self, what: str) -> Array:
        """The columns of the iterations."""
        import numpy as np

        return np.array(self._columns, dtype=np.int64) + 1

    def group_tallies(self, wants_median: bool) -> list[Tally]:
        """The tally of each column."""
        return [state.tally for state in self._states]


def _is_rising(cells: Array, count: int) -> bool:
    """Are the cells of one strip, in order, each once?"""
    if not len(cells) or cells[0] < 0 or cells[-1] >= count:
        return False
    return bool((cells[1:] > cells[:-1]).all())
