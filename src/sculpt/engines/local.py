"""The local engine: one machine, all cores, bounded memory (`docs/language.md` 10).

In: a `CoreSchema` and an input. Out: a `Verdict`, or the cells of a selector. A plain file is cut
into chunks; threads scan and walk them ahead of time, and `merge` puts them together in order.
What comes through a pipe, packed or in an encoding of several bytes a character is read in order,
one block ahead. Small inputs run the kernels as plain Python, so nothing is compiled for them.

Invariant: the answer is that of one walk through the whole file, whatever the cut, the number of
threads and the order in which they finish. Memory: a few chunks, the remembered steps, and what one
row hands to the next.
"""

from __future__ import annotations

import contextlib
import math
import os
from collections import deque
from collections.abc import Callable, Iterator
from itertools import count as numbers

from sculpt.automata.cells import Task
from sculpt.automata.navigator import TooManyStepsError
from sculpt.core import ir
from sculpt.engines.blocks import Block, Place, finish
from sculpt.engines.data import Data
from sculpt.engines.details import Details
from sculpt.engines.findings import first_of
from sculpt.engines.merge import Merged
from sculpt.engines.partition import Part, partition, scan_all
from sculpt.engines.program import Program, build, without_collection
from sculpt.engines.strips import STRIP_CELLS, counted_rows, size_of_block, walk_strips
from sculpt.engines.sweeps import Spool, Sweeps
from sculpt.engines.walk import Boundary, Walk, WidthNeededError
from sculpt.kernels import choice as kernels
from sculpt.kernels.backend import Backend
from sculpt.tabular.source import Input
from sculpt.values import frozen, mutable, replace
from sculpt.verdict import DEFAULT_MAX_VIOLATIONS, Selection, Verdict, Violation

NAME = "local"
FIRST_CHUNK = 1 << 18
CHUNK = 1 << 23
MIN_CHUNK = 1 << 20


@frozen
class Progress:
    """How far a run has come."""

    read: int
    total: int | None
    rows: int
    violations: int
    stage: str = ""
    """Which pass it is, where there are several."""


@frozen
class Options:
    """How to run."""

    max_violations: int = DEFAULT_MAX_VIOLATIONS
    threads: int | None = None
    chunk: int = CHUNK
    strip: int = STRIP_CELLS
    """About so many cells are looked at together where a schema walks up or left."""
    backend: Backend | None = None
    on_progress: Callable[[Progress], None] | None = None
    on_remark: Callable[[str], None] | None = None
    """Called with what is remarkable about the kernels; see `kernels.choice`."""
    build: Callable[[Task, str, Backend, bool], Program] = build
    """Where programs come from: `Programs` keeps them for the next file."""


def validate(schema: ir.CoreSchema, path: str, options: Options | None = None) -> Verdict:
    """The verdict on a file."""
    with Input(path) as source:
        verdict = validate_input(schema, source, options or Options())
        source.check_unchanged()
        return verdict


def validate_input(schema: ir.CoreSchema, source: Input, options: Options) -> Verdict:
    """The verdict on an input that is open."""
    return _validate(schema, source, options, defects=True)


def size_of(task: Task, source: Input, options: Options) -> tuple[int, int]:
    """The rows and columns of the table that an input is."""
    data = Data(source, task.schema.dialect.encoding)
    backend = options.backend or choose_backend(data, options)
    program = options.build(task, data.codec, backend, False)
    rows = width = 0
    for block in counted_rows(program, blocks_in_order(program, data, options)):
        size = size_of_block(program, block)
        rows, width = rows + size[0], max(width, size[1])
    return rows, width


def _validate(
    schema: ir.CoreSchema, source: Input, options: Options, defects: bool, forgets: bool = False
) -> Verdict:
    task = Task(schema, schema.rules, schema.uniques, defects=defects)
    data = Data(source, schema.dialect.encoding)
    try:
        program, merged = _run(task, data, options, forgets)
    except TooManyStepsError:
        if len(schema.rules) + len(schema.uniques) < 2:
            return _validate(schema, source, options, defects, forgets=True)
        halves = _halves(schema)
        verdicts = [
            _validate(half, source, options, defects and half is halves[0]) for half in halves
        ]
        return _joined(verdicts, options.max_violations)
    found = merged.walk.found()
    details = Details(program, found, data)
    count, violations = details.violations(options.max_violations)
    return Verdict(
        path=source.path,
        engine=NAME,
        rows=found.rows,
        columns=details.width,
        violation_count=count,
        violations=violations,
        warnings=details.warnings(),
    )


def _halves(schema: ir.CoreSchema) -> list[ir.CoreSchema]:
    """Two schemas with half the rules each: where states multiply, rules apart are cheaper."""
    rules, uniques = schema.rules, schema.uniques
    middle, some = len(rules) // 2, len(uniques) if rules else len(uniques) // 2
    first = replace(schema, rules=rules[:middle], uniques=uniques[:some])
    return [first, replace(schema, rules=rules[middle:], uniques=uniques[some:])]


def _joined(verdicts: list[Verdict], limit: int) -> Verdict:
    """One verdict on all rules from verdicts on some of them."""

    def order(v: Violation) -> tuple[object, ...]:
        place = (v.row is None, v.row or 0, v.column is None, v.column or 0)
        return (*place, v.rule or 0, v.line or 0, v.offset or 0, v.code)

    violations = sorted((v for each in verdicts for v in each.violations), key=order)
    warnings = sorted((w for each in verdicts for w in each.warnings), key=lambda w: w.rule or 0)
    return replace(
        verdicts[0],
        violation_count=sum(each.violation_count for each in verdicts),
        violations=tuple(first_of(violations, limit)),
        warnings=tuple(warnings),
    )


def select(
    schema: ir.CoreSchema,
    tokens: dict[str, ir.CoreToken],
    path: str,
    selector: ir.Selector,
    with_texts: bool = False,
    options: Options | None = None,
) -> Selection:
    """The cells of a selector, in table order."""
    extended = ir.CoreSchema(schema.dialect, tokens, schema.types, (), ())
    task = Task(extended, (), (), (selector,), defects=False)
    with Input(path) as source:
        data = Data(source, schema.dialect.encoding)
        try:
            program, merged = _run(task, data, options or Options())
        except TooManyStepsError:
            program, merged = _run(task, data, options or Options(), forgets=True)
        found = merged.walk.found()
        source.check_unchanged()
        details = Details(program, found, data)
        cells = [(record.row, record.column) for record in found.records]
        texts = details.texts_of(found.records) if with_texts else None
        return Selection(found.rows, found.width, cells, texts)


def _run(task: Task, data: Data, options: Options, forgets: bool = False) -> tuple[Program, Merged]:
    backend = options.backend or choose_backend(data, options)
    program = options.build(task, data.codec, backend, forgets)
    one_pass = _pass_in_order if program.decisions.nodes else _pass
    with contextlib.suppress(WidthNeededError):
        return program, one_pass(program, data, options, None)
    return program, one_pass(program, data, options, _measure(program, data, options))


def choose_backend(data: Data, options: Options) -> Backend:
    """The kernels for an input; what its user should know of them is said."""
    choice = kernels.for_input(lambda limit: len(data.window(0, limit)))
    if options.on_remark is None:
        choice.warn()
    else:
        for text in choice.remarks():
            options.on_remark(text)
    return choice.backend


def _pass(program: Program, data: Data, options: Options, width: int | None) -> Merged:
    merged = Merged(program, options.max_violations, width)
    merged.begin_at(data.skipped)
    cores = os.cpu_count() or 1
    # With more threads than that, each would only wait for the others.
    threads = 1 if program.forgets else min(options.threads or cores, 4 * cores)
    total = data.source.size
    ahead = _parts_in_order
    if data.can_be_cut and total is not None and total <= min(FIRST_CHUNK, options.chunk):
        ahead = _part_at_once
    elif data.can_be_cut and threads > 1:
        ahead = _parts_ahead
    with contextlib.ExitStack() as learning:
        learning.enter_context(without_collection())
        for part, read in ahead(program, data, options, merged, threads):
            merged.append(part)
            learning.close()  # nearly all steps are met in the first part
            if options.on_progress is not None:
                walk = merged.walk
                options.on_progress(Progress(read, total, walk.row, walk.count))
    merged.finish()
    return merged


def _pass_in_order(program: Program, data: Data, options: Options, width: int | None) -> Merged:
    merged = Merged(program, options.max_violations, width)
    for _ in walk_in_order(program, data, options, merged.walk):
        pass
    merged.walk.drain()
    return merged


def blocks_in_order(program: Program, data: Data, options: Options) -> Iterator[Block]:
    """The letters of a whole file; each block is good until the next is asked for."""
    return _Reading(data, options).blocks(program)


def walk_in_order(program: Program, data: Data, options: Options, walk: Walk) -> Iterator[None]:
    """Take a walk through a whole file, whatever the schema; a pause now and then."""
    reading = _Reading(data, options)
    if not program.decisions.nodes:
        for block in reading.blocks(program):
            walk.take(block)
            reading.tell(walk)
            yield
    elif program.decisions.ahead < math.inf:
        for _ in walk_strips(program, reading.blocks(program), walk, options.strip):
            reading.tell(walk)
            yield
    else:
        with contextlib.closing(Spool(program)) as spool:
            for _ in spool.fill(reading.blocks(program)):
                reading.tell(None)
            walk.fix_width(spool.width)
            sweeps = Sweeps(program, spool, options.strip)
            for share in sweeps.run(walk):
                reading.tell(walk, f"pass {sweeps.count + 1}", share)
                yield


@mutable
class _Reading:
    """A file that is read in order, and how far that has come."""

    data: Data
    options: Options
    read: int = 0

    def blocks(self, program: Program) -> Iterator[Block]:
        """The letters of a whole file, in order; each block is good until the next is asked for."""
        for scanned in self.data.source.ahead(self._scans(program)):
            yield from scanned
            for block in scanned:
                for array in block.kept:
                    program.buffers.give(array)

    def _scans(self, program: Program) -> Iterator[tuple[Block, ...]]:
        data = self.data
        place = Place(data.skipped, program.table.start, data.skipped)
        base = 0
        for block, read in data.source.ahead(data.blocks(self.options.chunk)):
            self.read = read
            while place.at < base + len(block):
                scanned, place = scan_all(program, block, base, place)
                yield scanned
            base += len(block)
        yield (finish(program, place),)

    def tell(self, walk: Walk | None, stage: str = "", share: float = 1) -> None:
        """Report how far the run has come; `share` is that of a later pass."""
        if self.options.on_progress is not None:
            rows, count = (walk.row, walk.count) if walk is not None else (0, 0)
            read, total = int(self.read * share), self.data.source.size
            self.options.on_progress(Progress(read, total, rows, count, stage))


def _measure(program: Program, data: Data, options: Options) -> int:
    """The width of the table: the most cells of a row."""
    widest = begun = 0
    reading = _Reading(data, options)
    for block in reading.blocks(program):
        widest, begun = _widest(program, block, widest, begun)
        reading.tell(None, "measuring the width")
    return widest


def _widest(program: Program, scanned: Block, widest: int, begun: int) -> tuple[int, int]:
    """The widest row so far, and the cells of the one that has not ended."""
    if scanned.rows == 0:
        return max(widest, begun + scanned.cells), begun + scanned.cells
    inner = program.backend.widest(scanned.row_cells, scanned.rows, scanned.cells)
    last = int(scanned.row_cells[scanned.rows - 1])
    first = begun + int(scanned.row_cells[0])
    return max(widest, int(inner), first), scanned.cells - last


def _part_at_once(
    program: Program, data: Data, options: Options, merged: Merged, threads: int
) -> Iterator[tuple[Part, int]]:
    """A short file: a thread would take longer to start than the file to read."""
    base = 0
    while block := data.window(base, base + options.chunk):  # some files say that they are empty
        yield Part(block, base), base + len(block)
        base += len(block)


def _parts_in_order(
    program: Program, data: Data, options: Options, merged: Merged, threads: int
) -> Iterator[tuple[Part, int]]:
    base = 0
    for block, read in data.source.ahead(data.blocks(options.chunk)):
        yield Part(block, base), read
        base += len(block)


def _parts_ahead(
    program: Program, data: Data, options: Options, merged: Merged, threads: int
) -> Iterator[tuple[Part, int]]:
    """Parts of a plain file, worked on by threads before they are asked for."""
    from concurrent.futures import Future, ThreadPoolExecutor

    latest: list[Boundary | None] = [None]
    wanted = [options.max_violations]

    def work(base: int, end: int) -> Part | None:
        block = data.source.chunk(base, program.buffers.take_bytes(end - base))
        if not block:
            return None
        if base == 0:
            return Part(block, 0)
        return partition(program, block, base, latest[0], wanted[0])

    first, chunk = min(FIRST_CHUNK, options.chunk), options.chunk
    if data.source.size is not None:
        # Short files are cut finer: less memory is touched for the first time, and no thread has
        # much more to do than the others.
        chunk = min(chunk, max(MIN_CHUNK, data.source.size // (16 * threads)))
    cuts = (min(n, 1) * first + max(0, n - 1) * chunk for n in numbers())
    with ThreadPoolExecutor(threads) as pool:
        begin = next(cuts)
        parts: deque[Future[Part | None]] = deque()
        try:
            while True:
                while len(parts) < threads + 1:
                    end = next(cuts)
                    parts.append(pool.submit(work, begin, end))
                    begin = end
                    if latest[0] is None:
                        break  # the first chunk tells the others what to assume
                part = parts.popleft().result()
                if part is None:
                    return
                yield part, part.base + len(part.data)
                latest[0], wanted[0] = merged.boundary(), merged.walk.wanted
        finally:
            for future in parts:
                future.cancel()
