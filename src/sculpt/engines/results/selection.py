"""The cells of a selector with their texts, as they are found.

In: the machines of a task with one target, and data. Out: batches of cells in the order of the
table: row, column, text; then the size of the table. Nothing is kept of a batch, so memory does not
grow with the file, and a caller that stops asking stops the reading.

A padded cell may be selected, and how many of them a row has depends on the whole table. So once a
row depends on the width (`Walk.depends`), it is measured, and the walk starts again; what has been
given, which did not depend on it, is left out. Most often the first rows show it. Selectors that
walk left or up need the width from the start.

Cost: a walk by one thread, a scan for the texts, sometimes a scan for the width.
"""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Iterator
from typing import TypeAlias

from sculpt.engines.data import Data
from sculpt.engines.in_order import measure_width, walk_in_order
from sculpt.engines.machines import Machines
from sculpt.engines.options import Options
from sculpt.engines.results.cell_texts import CellPlace
from sculpt.engines.results.details import Details
from sculpt.engines.walk.walk import Edge, Walk, WalkResult, WidthNeededError
from sculpt.kernels.loops.walking import walk_arrays as k
from sculpt.values import field, mutable, replace

SelectedCell: TypeAlias = tuple[int, int, str | None]
"""Row, column, text; `None` for a padded cell."""

_BATCH = 1 << 14
_READ = 1 << 20
"""Bytes that are walked through before cells are given: few, so that the first come soon."""


@mutable
class _PlacesWalk(Walk):
    """A walk that keeps only the places of hits."""

    places: list[CellPlace] = field(init=False, default_factory=list)

    def drain(self) -> None:
        """Move the places out of the kernel's buffer."""
        stored = int(self.regs[k.W_STORED])
        flat = list(map(int, self.buffer[: stored * k.HIT_SIZE]))
        rows, columns = flat[0 :: k.HIT_SIZE], flat[1 :: k.HIT_SIZE]
        self.places += zip(rows, columns, flat[4 :: k.HIT_SIZE], strict=True)
        self.regs[k.W_STORED] = 0

    def taken_places(self) -> list[CellPlace]:
        """The places since the last call; the walk does not keep them."""
        self.drain()
        places, self.places = self.places, []
        return places


def cells_of(
    machines: Machines, data: Data, options: Options
) -> Generator[list[SelectedCell], None, tuple[int, int]]:
    """The cells of the target, in batches; returns the rows and columns of the table.

    `machines` must forget steps, since what has been given cannot be taken back.
    """
    options = replace(options, chunk=min(options.chunk, _READ))
    nothing = WalkResult(0, 0, 0, [], Edge((), (), 0))
    details = Details(machines, nothing, data)
    width = measure_width(machines, data, options) if machines.decisions.nodes else None
    given = 0
    while True:
        walk = _PlacesWalk(machines, 0, width or 0, is_exact=width is not None, keeps_all=True)
        passed = 0
        try:
            for places in _places(machines, data, options, walk):
                new = places[max(0, given - passed) :]
                passed += len(places)
                for at in range(0, len(new), _BATCH):
                    some = new[at : at + _BATCH]
                    texts = details.texts_of(some)
                    given += len(some)
                    yield [
                        (place[0], place[1], text) for place, text in zip(some, texts, strict=True)
                    ]
        except WidthNeededError:
            width = measure_width(machines, data, options)
            continue
        return walk.row, walk.table_width if walk.row else 0


def _places(
    machines: Machines, data: Data, options: Options, walk: _PlacesWalk
) -> Iterator[list[CellPlace]]:
    """The places of cells; raises `WidthNeededError` before any that may depend on the width."""
    with contextlib.closing(walk_in_order(machines, data, options, walk)) as steps:
        for _ in steps:
            if walk.depends and not walk.is_exact:
                raise WidthNeededError
            yield walk.taken_places()
    yield walk.taken_places()
