"""Everything found in a file or in a chunk of it, without a limit or a list in memory.

In: a file whose verdict is known, and with it the width and the edges of the chunks. Out: batches,
in the order of the table: of violations in words, of selected cells with their texts, or of raw
rows, good or bad. Each batch is made when it is asked for.

Invariant: what is listed is what was counted. Cost: a second walk; words and texts are made from
rows that are read again, one by one. Memory: a batch; for rows, also the numbers of the bad ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from sculpt.engines.chunks.compose import Chunk
from sculpt.engines.chunks.spans import blocks_in
from sculpt.engines.chunks.work import all_hits
from sculpt.engines.data import Data
from sculpt.engines.in_order import blocks_in_order, walk_in_order
from sculpt.engines.machines import Machines
from sculpt.engines.options import Options
from sculpt.engines.results.details import Details
from sculpt.engines.scan.blocks import Block
from sculpt.engines.walk.strips import counted_rows, skips_blanks
from sculpt.engines.walk.walk import Edge, Hit, Walk, WalkResult
from sculpt.tabular.decoder import MARK_ERRORS, UNDECODABLE
from sculpt.values import frozen
from sculpt.verdict import Violation

BATCH = 4096
NO_EDGE = Edge((), (), 0)


@frozen
class RawRow:
    """A row as it is in the file, without its line end."""

    row: int
    is_good: bool
    """No error names it."""
    offset: int
    raw: bytes
    text: str
    """The same as characters; bytes that cannot be decoded become U+FFFD."""


_Place: TypeAlias = tuple[int, int, int | None]
"""The number of a row, where it begins, and where it ends if that is known; see `_places`."""


class Listing:
    """Lists what is in a file, or in a chunk of it whose edges are known."""

    def __init__(
        self,
        machines: Machines,
        data: Data,
        width: int,
        chunk: Chunk | None = None,
        options: Options | None = None,
        unmatched: frozenset[str] = frozenset(),
    ) -> None:
        """`unmatched` is that of the verdict, and only hints depend on it.

        `machines` must forget steps, since a listing must not fail for want of room.
        """
        self.machines = machines
        self.data = data
        self.width = width
        self.chunk = chunk
        self._options = options or Options()
        self._below = NO_EDGE
        self._unmatched = unmatched
        self._details = self._narrating()

    def _narrating(self) -> Details:
        found = self._found([])
        return Details(self.machines, found, self.data, unmatched=self._unmatched)

    def _found(self, hits: list[Hit]) -> WalkResult:
        return WalkResult(1, self.width, 0, hits, self._below)

    def _hits(self) -> Iterator[list[Hit]]:
        """All hits, a few at a time; sets `_below` to the edge below the last row."""
        if self.chunk is not None:
            span, intake = self.chunk.span, self.chunk.intake
            walk = yield from all_hits(self.machines, self.data.source, span, intake)
            self._below = walk.edge()
            return
        walk = Walk(self.machines, 0, self.width, is_exact=True, keeps_all=True)
        for _ in walk_in_order(self.machines, self.data, self._options, walk):
            yield walk.taken()
        yield walk.taken()
        self._below = walk.edge()

    @property
    def _is_last(self) -> bool:
        return self.chunk is None or self.chunk.span.end is None

    def violations(self) -> Iterator[tuple[Violation, ...]]:
        """Every violation, in order."""
        for hits in self._hits():
            for at in range(0, len(hits), BATCH):
                yield self._details.narrated(hits[at : at + BATCH])
        if self._is_last:
            yield self._narrating().narrated_end()

    def cells(self) -> Iterator[list[tuple[int, int, str | None]]]:
        """Every selected cell: row, column, text; `None` for a padded one."""
        for hits in self._hits():
            for at in range(0, len(hits), BATCH):
                some = hits[at : at + BATCH]
                texts = self._details.texts_of((r.row, r.column, r.start) for r in some)
                yield [(r.row, r.column, text) for r, text in zip(some, texts, strict=True)]

    def rows(self, wants_good: bool | None, all_bad: bool | None) -> Iterator[list[RawRow]]:
        """Good rows (no error names them), bad rows, or all if `wants_good` is `None`.

        `all_bad`: some error of the file names no row, so all are bad; `None` if unknown.
        """
        bad: set[int] = set()
        if not all_bad:
            found = self.bad_rows(all_bad)
            bad, all_bad = found or bad, found is None
        if all_bad and wants_good:
            return
        number = self.chunk.intake.rows if self.chunk is not None else 0
        for block in counted_rows(self.machines, self._blocks(), lambda: not self._is_last):
            places, number = self._places(block, number)
            marked = [(not all_bad and place[0] not in bad, place) for place in places]
            chosen = [each for each in marked if wants_good in (None, each[0])]
            for at in range(0, len(chosen), BATCH):
                yield list(self._raw_rows(chosen[at : at + BATCH]))

    def bad_rows(
        self, all_bad: bool | None = None, vague: frozenset[str] = frozenset()
    ) -> set[int] | None:
        """The rows that errors name; `None` if some error of the file names no row.

        `all_bad` says whether one does, if that is known. Errors of the `vague` kinds name a row,
        but other rows may be to blame.
        """
        bad: set[int] = set()
        if self.chunk is not None and not self.chunk.count:
            return bad
        warned = self.machines.navigator.warned
        for hits in self._hits():
            errors = [hit for hit in hits if hit.notice not in warned]
            if any(hit.notice.what in vague for hit in errors):
                return None
            bad.update(hit.row for hit in errors)
        if all_bad is None:
            all_bad = bool(self.width and self._narrating().has_error_at_the_end())
        return None if all_bad else bad

    def _blocks(self) -> Iterator[Block]:
        if self.chunk is not None:
            return blocks_in(self.machines, self.data.source, self.chunk.span)
        return blocks_in_order(self.machines, self.data, self._options)

    def _places(self, block: Block, number: int) -> tuple[list[_Place], int]:
        """The rows of a block that count, and the number of the last one.

        The end of a row is not known if something else than a row may follow it.
        """
        dialect = self.machines.task.schema.dialect
        skips, blanks = skips_blanks(self.machines), self.machines.blanks()
        is_plain = not (skips or dialect.comment or self.data.recoded)
        starts = [int(start) for start in block.row_starts[: block.rows + 1]]
        ends = [int(end) for end in block.row_cells[: block.rows]]
        places: list[_Place] = []
        before = 0
        for ix, end in enumerate(ends):
            if not (skips and end - before == 1 and blanks[int(block.letters[before])]):
                number += 1
                # The end of a row that may have begun in another block is found later, by `raw`.
                knows_end = is_plain and starts[ix] > 0
                row_end = block.base + starts[ix + 1] if knows_end else None
                places.append((number, block.base + starts[ix], row_end))
            before = end
        return places, number

    def _raw_rows(self, chosen: list[tuple[bool, _Place]]) -> Iterator[RawRow]:
        begin, codec = chosen[0][1][1], self.data.codec
        data = self.data.window(begin, max(place[2] or begin for _, place in chosen))
        ends = self.machines.table.scanner.ends
        for is_good, (row, start, row_end) in chosen:
            if row_end is None:
                yield RawRow(row, is_good, *self._details.raw(row, start))
                continue
            raw = data[start - begin : row_end - begin]
            raw = raw.removesuffix(next((end for end in ends if raw.endswith(end)), b""))
            text = UNDECODABLE.sub("\ufffd", raw.decode(codec, MARK_ERRORS))
            yield RawRow(row, is_good, start, raw, text)
