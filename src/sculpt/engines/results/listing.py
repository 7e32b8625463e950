"""Everything that was found in a file, or in a chunk of it: no limit, and no list in memory.

In: a file of which the verdict is known, so that its width and the edges of its chunks are. Out:
batches, in the order of the table: of violations in words, of selected cells with their texts, of
raw rows, good or bad. Each is made when it is asked for.

Invariant: what is listed is what was counted. Cost: the walk again; words and texts are made from
the rows read again, one by one. Memory: a batch; for rows also the numbers of those that are bad.
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
    """A row as it stands in the file, without its line end."""

    row: int
    is_good: bool
    """No violation names it."""
    offset: int
    raw: bytes
    text: str
    """The same as characters; what cannot be decoded is U+FFFD."""


_Place: TypeAlias = tuple[int, int, int | None]
"""The number of a row, where it begins, and where the next one does if nothing is in between."""


class Listing:
    """What is in a file, or in a piece of it whose edges are known."""

    def __init__(
        self, machines: Machines, data: Data, width: int, chunk: Chunk | None = None
    ) -> None:
        """`machines` must be one that forgets, since it may meet anything."""
        self.machines = machines
        self.data = data
        self.width = width
        self.chunk = chunk
        self._below = NO_EDGE
        self._details = Details(machines, self._found([]), data)

    def _found(self, hits: list[Hit]) -> WalkResult:
        return WalkResult(1, self.width, 0, hits, self._below, frozenset(), frozenset())

    def _hits(self) -> Iterator[list[Hit]]:
        """All hits, a few at a time; then `_below` is what stands below the last row."""
        if self.chunk is not None:
            span, entry = self.chunk.span, self.chunk.entry
            walk = yield from all_hits(self.machines, self.data.source, span, entry)
            self._below = walk.edge()
            return
        walk = Walk(self.machines, 0, self.width, is_exact=True, keeps_all=True)
        for _ in walk_in_order(self.machines, self.data, Options(), walk):
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
            end = Details(self.machines, self._found([]), self.data)
            yield end.narrated_end()

    def cells(self) -> Iterator[list[tuple[int, int, str | None]]]:
        """Every selected cell: row, column, text; `None` for a padded one."""
        for hits in self._hits():
            for at in range(0, len(hits), BATCH):
                some = hits[at : at + BATCH]
                texts = self._details.texts_of(some)
                yield [(r.row, r.column, text) for r, text in zip(some, texts, strict=True)]

    def rows(self, wants_good: bool | None, all_bad: bool | None) -> Iterator[list[RawRow]]:
        """The rows that no violation names, or those that some does, or all.

        Where some violation of the file names no row, all are bad; `None` if that is not known.
        """
        bad: set[int] = set()
        if not all_bad:
            found = self.bad_rows(all_bad)
            bad, all_bad = found or bad, found is None
        if all_bad and wants_good:
            return
        number = self.chunk.entry.rows if self.chunk is not None else 0
        for block in counted_rows(self.machines, self._blocks(), lambda: not self._is_last):
            places, number = self._places(block, number)
            marked = [(not all_bad and place[0] not in bad, place) for place in places]
            chosen = [each for each in marked if wants_good in (None, each[0])]
            for at in range(0, len(chosen), BATCH):
                yield list(self._raw_rows(chosen[at : at + BATCH]))

    def bad_rows(
        self, all_bad: bool | None = None, vague: frozenset[str] = frozenset()
    ) -> set[int] | None:
        """The rows that some violation names; `None` if one of the file names no row.

        `all_bad` says whether one does, where that is known. A violation that is `vague` names a
        row, but others may be as bad.
        """
        bad: set[int] = set()
        if self.chunk is not None and not self.chunk.count:
            return bad
        for hits in self._hits():
            if any(hit.notice.what in vague for hit in hits):
                return None
            bad.update(hit.row for hit in hits)
        if all_bad is None:
            end = Details(self.machines, self._found([]), self.data)
            all_bad = bool(self.width and end.narrated_end())
        return None if all_bad else bad

    def _blocks(self) -> Iterator[Block]:
        if self.chunk is not None:
            return blocks_in(self.machines, self.data.source, self.chunk.span)
        return blocks_in_order(self.machines, self.data, Options())

    def _places(self, block: Block, number: int) -> tuple[list[_Place], int]:
        """The rows of a block that count; and the number of the last."""
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
                # What began in another block, or ends with the file, is looked at more closely.
                knows_end = is_plain and starts[ix] > 0
                behind = block.base + starts[ix + 1] if knows_end else None
                places.append((number, block.base + starts[ix], behind))
            before = end
        return places, number

    def _raw_rows(self, chosen: list[tuple[bool, _Place]]) -> Iterator[RawRow]:
        begin, codec = chosen[0][1][1], self.data.codec
        data = self.data.window(begin, max(place[2] or begin for _, place in chosen))
        ends = self.machines.table.scanner.ends
        for is_good, (row, start, behind) in chosen:
            if behind is None:
                yield RawRow(row, is_good, *self._details.raw(row, start))
                continue
            raw = data[start - begin : behind - begin]
            raw = raw.removesuffix(next((end for end in ends if raw.endswith(end)), b""))
            text = UNDECODABLE.sub("\ufffd", raw.decode(codec, MARK_ERRORS))
            yield RawRow(row, is_good, start, raw, text)
