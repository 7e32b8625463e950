"""The local engine: one machine, all cores, bounded memory (`docs/language.md#10-streamability`).

In: a `CoreSchema` and an input. Out: a `Verdict`, or the cells of a selector. For a
forward schema, a plain file is cut into chunks, which threads share (`threads`). Everything else is
read in order, one block ahead (`in_order`): pipes, packed files, encodings such as UTF-16, small
files, and schemas that walk left or up, whose strips threads share. For small inputs the kernels
run as plain Python, so nothing has to be loaded or compiled.

Invariant: the answer is that of one walk through the whole file, whatever the cuts, the number of
threads and the order in which they finish. Memory: a few chunks, the remembered steps, and what one
row hands to the next.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Generator
from typing import TYPE_CHECKING

from sculpt.automata.navigator import TooManyStepsError
from sculpt.core import ir
from sculpt.core.task import Task
from sculpt.engines.data import Data
from sculpt.engines.in_order import blocks_in_order, measure_width, walk_in_order
from sculpt.engines.machines import Machines, without_collection
from sculpt.engines.messages.findings import first_of
from sculpt.engines.options import FIRST_CHUNK, Options, choose_backend
from sculpt.engines.results.details import Details
from sculpt.engines.walk.heat import HeatMap
from sculpt.engines.walk.strips import counted_rows, size_of_block
from sculpt.engines.walk.walk import Walk, WalkResult, WidthNeededError
from sculpt.kernels.choice import plain
from sculpt.syntax.regular import Epsilon
from sculpt.tabular.inputs import Input
from sculpt.values import replace
from sculpt.verdict import Coverage, Heat, Selection, Verdict, Violation, Warning

if TYPE_CHECKING:  # imported where it is used
    from sculpt.engines.results.selection import SelectedCell

NAME = "local"


def validate(schema: ir.CoreSchema, path: str, options: Options | None = None) -> Verdict:
    """The verdict on a file."""
    with Input(path) as source:
        verdict = validate_input(schema, source, options or Options())
        source.check_unchanged()
        return verdict


def validate_input(schema: ir.CoreSchema, source: Input, options: Options) -> Verdict:
    """The verdict on an open input."""
    return _validate(schema, source, options, defects=True)


def size_of(task: Task, source: Input, options: Options) -> tuple[int, int]:
    """The number of rows and columns of an input."""
    data = Data(source, task.schema.dialect.encoding)
    backend = options.backend or choose_backend(data, options)
    machines = options.build(task, data.codec, backend, False, False)
    rows = width = 0
    for block in counted_rows(machines, blocks_in_order(machines, data, options)):
        size = size_of_block(machines, block)
        rows, width = rows + size[0], max(width, size[1])
    return rows, width


def _validate(
    schema: ir.CoreSchema, source: Input, options: Options, defects: bool, forgets: bool = False
) -> Verdict:
    task = Task.of_rules(schema, defects, options.tallies, options.coverage)
    data = Data(source, schema.dialect.encoding)
    try:
        machines, found = _run(task, data, options, forgets)
    except TooManyStepsError:
        if len(schema.rules) + len(schema.uniques) < 2:
            return _validate(schema, source, options, defects, forgets=True)
        first, second = _halves(schema)
        apart = replace(options, coverage=False)
        verdicts = [
            _validate(first, source, apart, defects),
            _validate(second, source, apart, defects=False),
        ]
        joined = _join(verdicts, options.max_violations)
        return replace(joined, coverage=_coverage(schema, data, options))
    return Details(machines, found, data).verdict(source.path, NAME, options.max_violations)


def _halves(schema: ir.CoreSchema) -> list[ir.CoreSchema]:
    """Two schemas with half the rules each: if states multiply, rules are cheaper apart."""
    rules, uniques = schema.rules, schema.uniques
    middle, some = len(rules) // 2, len(uniques) if rules else len(uniques) // 2
    first = replace(schema, rules=rules[:middle], uniques=uniques[:some])
    return [first, replace(schema, rules=rules[middle:], uniques=uniques[some:], loops=())]


def _join(verdicts: list[Verdict], limit: int) -> Verdict:
    """Join verdicts on some rules each into one on all of them."""
    found = (v for each in verdicts for v in each.violations)
    violations = sorted(found, key=order_of_violation)
    structure = [tally for each in verdicts for tally in each.structure]
    rules = tuple(tally for each in verdicts for tally in each.rules)
    heat = HeatMap(plain())
    for each in verdicts:
        heat.add(each.heat)
    return replace(
        verdicts[0],
        violation_count=sum(each.violation_count for each in verdicts),
        warning_violation_count=sum(each.warning_violation_count for each in verdicts),
        violations=tuple(first_of(violations, limit)),
        warnings=tuple(_join_warnings(verdicts)),
        unmatched=frozenset().union(*(each.unmatched for each in verdicts)),
        rules=rules,
        structure=tuple(sorted(structure, key=lambda tally: tally.line is None)),
        heat=heat.heat(verdicts[0].rows, verdicts[0].columns) if structure or rules else Heat(),
    )


def order_of_violation(v: Violation) -> tuple[object, ...]:
    """Sorts violations in the order of the table."""
    place = (v.row is None, v.row or 0, v.column is None, v.column or 0)
    return (*place, v.rule or 0, v.line or 0, v.offset or 0, v.code)


def _join_warnings(verdicts: list[Verdict]) -> list[Warning]:
    """Nothing was checked only if no half of the rules has checked anything."""
    found = [warning for each in verdicts for warning in each.warnings]
    empty = [warning for warning in found if warning.code == "nothing-checked"]
    others = [warning for warning in found if warning.code != "nothing-checked"]
    others.sort(key=lambda warning: warning.rule or 0)
    return [*empty[:1], *others] if len(empty) == len(verdicts) else others


def _coverage(schema: ir.CoreSchema, data: Data, options: Options) -> Coverage:
    """The coverage of all rules together, as that of one rule that selects all their cells."""
    if not (options.tallies and options.coverage):
        return Coverage()
    rules = schema.rules
    if len(rules) > 1:
        selector = ir.Or(tuple(rule.selector for rule in rules))
        rules = (replace(rules[0], selector=selector, arrow="->", content=Epsilon()),)
    task = Task(schema, rules, (), (), defects=False, tallies=True, coverage=True)
    quiet = replace(options, max_violations=0)
    try:
        machines, found = _run(task, data, quiet)
    except TooManyStepsError:
        machines, found = _run(task, data, quiet, forgets=True)
    return Details(machines, found, data).coverage()


def select(
    schema: ir.CoreSchema,
    tokens: dict[str, ir.CoreToken],
    path: str,
    selector: ir.Selector,
    with_texts: bool = False,
    options: Options | None = None,
) -> Selection:
    """The cells of a selector, in table order."""
    task = Task.of_selectors(schema, tokens, (selector,))
    with Input(path) as source:
        data = Data(source, schema.dialect.encoding)
        try:
            machines, found = _run(task, data, options or Options())
        except TooManyStepsError:
            machines, found = _run(task, data, options or Options(), forgets=True)
        source.check_unchanged()
        details = Details(machines, found, data)
        cells = [(hit.row, hit.column) for hit in found.hits]
        places = ((hit.row, hit.column, hit.start) for hit in found.hits)
        texts = details.texts_of(places) if with_texts else None
        return Selection(found.rows, found.width, cells, texts)


def select_in_order(
    schema: ir.CoreSchema,
    tokens: dict[str, ir.CoreToken],
    path: str,
    selector: ir.Selector,
    options: Options | None = None,
) -> Generator[list[SelectedCell], None, tuple[int, int]]:
    """The cells of a selector with their texts, in batches; returns the size of the table."""
    from sculpt.engines.results.selection import cells_of

    used = options or Options()
    task = Task.of_selectors(schema, tokens, (selector,))
    with Input(path) as source:
        data = Data(source, schema.dialect.encoding)
        backend = used.backend or choose_backend(data, used)
        machines = used.build(task, data.codec, backend, True, False)
        size = yield from cells_of(machines, data, used)
        source.check_unchanged()
        return size


def _run(
    task: Task, data: Data, options: Options, forgets: bool = False
) -> tuple[Machines, WalkResult]:
    backend = options.backend or choose_backend(data, options)
    machines = options.build(task, data.codec, backend, forgets, False)
    threads = thread_count(machines, data, options)
    with contextlib.suppress(WidthNeededError):
        return machines, _pass(machines, data, options, threads, None)
    width = measure_width(machines, data, options)
    return machines, _pass(machines, data, options, threads, width)


def thread_count(machines: Machines, data: Data, options: Options) -> int:
    """How many threads share the work on a file.

    They share its strips if the schema walks left or up; else its chunks, if it can be cut.
    """
    size = data.source.size
    if machines.forgets or (size is not None and size <= min(FIRST_CHUNK, options.chunk)):
        return 1  # starting a thread would take longer than reading the file
    from sculpt.engines.chunks.cuts import can_be_cut  # not needed for small files

    if not machines.decisions.nodes and not (data.can_be_cut and can_be_cut(machines)):
        return 1
    return thread_limit(options)


def thread_limit(options: Options) -> int:
    """How many threads may share work at most."""
    cores = os.cpu_count() or 1
    return min(options.threads or cores, 4 * cores)  # more would only wait for each other


def _pass(
    machines: Machines, data: Data, options: Options, threads: int, width: int | None
) -> WalkResult:
    if threads > 1 and not machines.decisions.nodes:
        from sculpt.engines.threads import fold_by_threads

        return fold_by_threads(machines, data, options, threads, width)
    limit, is_exact = options.max_violations, width is not None
    walk = Walk(machines, limit, width or 0, is_exact=is_exact, tallies=True)
    steps = walk_in_order(machines, data, options, walk, threads)
    if not machines.decisions.nodes:
        with without_collection():  # nearly all steps are met in the first block
            next(steps, None)
    for _ in steps:
        pass
    return walk.result()
