"""The one pass of a view: from a file to what was found in it, and waypoints to any of its rows.

In: a task with marks, data. Out: a `Route`: the machines, what the walk has found, the waypoints.
Chunks are folded by threads where a file can be cut; other files are read in order; for schemas
that walk left or up, the waypoints are those of the strips (`walk/strips`, `walk/sweeps`), with the
walks of the decided nodes that enter each.

Invariant: a walk that starts at a waypoint finds what the walk through the whole file finds in its
rows. Cost: that of `validate`, and counting lines; one more pass if the width must be measured.
Memory: the waypoints, and what is kept of data without random access (`ViewedData`).
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from functools import partial

from sculpt.automata.resolver import StripTraffic
from sculpt.core.facts.decisions import Motion
from sculpt.core.task import Task
from sculpt.engines.chunks.edges import true_edge
from sculpt.engines.chunks.relations import no_traffic
from sculpt.engines.data import Data
from sculpt.engines.in_order import FileReader, measure_width
from sculpt.engines.local import thread_count
from sculpt.engines.machines import Machines, without_collection
from sculpt.engines.options import Options, choose_backend
from sculpt.engines.pool import work_ahead
from sculpt.engines.threads import fold_chunks
from sculpt.engines.walk.strips import Decider, counted_rows, strips_of
from sculpt.engines.walk.sweeps import Spool, Sweeps
from sculpt.engines.walk.walk import Edge, WalkResult, WidthNeededError
from sculpt.engines.waypoints.edges import EdgeStore, Waypoint
from sculpt.engines.waypoints.lines import LineCounts
from sculpt.engines.waypoints.trail import Trail
from sculpt.tabular.inputs import Input
from sculpt.values import frozen, replace


class ViewedData(Data):
    """Data of which any piece can be read again; its lines are counted as it is read.

    Packed data is unpacked once: into the file that pieces are read from.
    """

    def __init__(self, source: Input, encoding: str | None) -> None:
        super().__init__(source, encoding)
        self.lines = LineCounts(self.skipped)

    def blocks(self, size: int) -> Iterator[tuple[bytes, int]]:
        """All bytes in order, each block with the number of bytes read so far."""
        is_kept = self.source.packing is not None and self.recoded is None
        begin = 0
        for block, read in self._kept(size) if is_kept else super().blocks(size):
            self.lines.add(begin, block)
            begin += len(block)
            yield block, read

    def _kept(self, size: int) -> Iterator[tuple[bytes, int]]:
        at = 0
        while block := self.source.window(at, at + size):
            at += len(block)
            yield block, at


@frozen(slots=False)
class Route:
    """A file that was walked through once."""

    machines: Machines
    found: WalkResult
    waypoints: tuple[Waypoint, ...]
    edges: EdgeStore

    @property
    def width(self) -> int:
        """The width of the table."""
        return self.found.width

    def rows_of(self, ix: int) -> range:
        """The numbers of the rows of a waypoint."""
        last = ix + 1 == len(self.waypoints)
        end = self.found.rows if last else self.waypoints[ix + 1].above
        return range(self.waypoints[ix].above + 1, end + 1)

    def edge(self, ix: int) -> Edge:
        """The edge above a waypoint."""
        packed = self.waypoints[ix].edge
        if packed is None:
            return true_edge(self.machines, self.width, no_traffic(self.width))
        return self.edges.unpack(packed, self.width)


def find_route(task: Task, data: ViewedData, options: Options, forgets: bool = False) -> Route:
    """Walk through a file once, and leave waypoints."""
    backend = options.backend or choose_backend(data, options)
    machines = options.build(task, data.codec, backend, forgets, False)
    threads = thread_count(machines, data, options)
    with contextlib.suppress(WidthNeededError):
        return _route(machines, data, options, threads, None)
    width = measure_width(machines, data, options)
    return _route(machines, data, options, threads, width)


def _route(
    machines: Machines, data: ViewedData, options: Options, threads: int, width: int | None
) -> Route:
    trail = Trail(machines, data.skipped, options.max_violations, width, options.chunk, data.lines)
    entering: list[tuple[tuple[int, object, object], ...]] = []
    if not machines.decisions.nodes and threads > 1:
        found = fold_chunks(trail, data, options, threads).found
        return Route(machines, found, tuple(trail.waypoints), trail.edges)
    reader = FileReader(data, options)
    if not machines.decisions.nodes:
        _walk_in_order(trail, reader)
    elif machines.decisions.ahead < math.inf:
        _walk_strips(trail, reader, options.strip, threads)
    else:
        with contextlib.closing(Spool(machines)) as spool:
            for _ in spool.fill(reader.blocks(machines)):
                reader.report(None)
            trail.walk.fix_width(spool.width)
            sweeps = Sweeps(machines, spool, options.strip, threads)
            for share in sweeps.run(trail):
                reader.report(trail, f"pass {sweeps.count + 1}", share)
            entering = [tuple(sweeps.entering(at)) for at in range(len(sweeps.cuts))]
    found = trail.outcome().found
    waypoints = tuple(trail.waypoints)
    if entering:
        pairs = zip(waypoints, entering, strict=True)
        waypoints = tuple(replace(each, entering=walks) for each, walks in pairs)
    return Route(machines, found, waypoints, trail.edges)


def _walk_in_order(trail: Trail, reader: FileReader) -> None:
    blocks = reader.blocks(trail.machines)
    with without_collection():  # nearly all steps are met in the first block
        for block in blocks:
            trail.take_block(block)
            break
    for block in blocks:
        trail.take_block(block)
        reader.report(trail)


def _walk_strips(trail: Trail, reader: FileReader, cells: int, threads: int) -> None:
    """Walk through strips with a bounded look-ahead, as `walk_strips` does."""
    machines = trail.machines
    rows = counted_rows(machines, reader.blocks(machines))
    strips = strips_of(machines, rows, trail.walk, cells)
    decider, nodes = Decider(machines), range(len(machines.decisions.nodes))
    if threads > 1 and not {Motion.DOWN, Motion.BOTH} & {*machines.decisions.motions}:
        works = (partial(decider.block, each, nodes) for each in strips)
        with contextlib.closing(work_ahead(works, threads)) as decided:
            for block in decided:
                trail.take_strip(block, ())
                reader.report(trail)
        return
    walks: dict[int, StripTraffic] = {}
    for each in strips:
        entering = tuple(_packed(machines, walks))
        leaving = decider.decide(each.strip, nodes, walks)
        walks = {number: StripTraffic(traffic.down) for number, traffic in leaving.items()}
        trail.take_strip(decider.block(each, ()), entering)
        reader.report(trail)


def _packed(
    machines: Machines, walks: dict[int, StripTraffic]
) -> Iterator[tuple[int, object, object]]:
    for number, traffic in walks.items():
        if traffic.down is not None:
            yield number, machines.backend.packed(traffic.down), None
