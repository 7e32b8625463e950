"""A file validated by threads, with the edges of its chunks: what checks of its rows start from.

In: a core schema, an open input, and selectors whose cells will be asked for. Out: the verdict on
the file, and chunks whose edges know these selectors too, so any chunk can be marked on its own.

Invariant: the verdict is that of `engines.local`. `None` where threads cannot share the chunks of
a file, or steps are too many: then checks go their own way. Cost: that of validating.
"""

from __future__ import annotations

from collections.abc import Mapping

from sculpt.automata.navigator import TooManyStepsError
from sculpt.core import ir
from sculpt.core.task import Task
from sculpt.engines import local
from sculpt.engines.chunks.cuts import can_be_cut
from sculpt.engines.chunks.fold import Fold
from sculpt.engines.chunks.result import Chunk
from sculpt.engines.data import Data
from sculpt.engines.machines import Machines
from sculpt.engines.options import FIRST_CHUNK, Options, choose_backend
from sculpt.engines.regions.chunk_texts import is_plain
from sculpt.engines.results.details import Details
from sculpt.engines.threads import fold_chunks
from sculpt.engines.walk.walk import WidthNeededError
from sculpt.tabular.inputs import Input
from sculpt.values import field, frozen, replace
from sculpt.verdict import Verdict


@frozen
class Wanted:
    """Selectors whose cells will be asked for, and the tokens that they mention."""

    selectors: tuple[ir.Selector, ...] = ()
    tokens: Mapping[str, ir.CoreToken] = field(default_factory=dict)


@frozen
class SharedPass:
    """What is known of a file that threads have validated."""

    machines: Machines
    data: Data
    verdict: Verdict
    chunks: tuple[Chunk, ...]
    first_region: int
    """The number of the first selector that was asked for, among those that are counted."""


def shared_machines(task: Task, data: Data, options: Options) -> Machines | None:
    """The machines of a task, if threads can share the chunks of a file, and find its texts."""
    size = data.source.size
    if size is None or size <= min(FIRST_CHUNK, options.chunk):
        return None
    dialect = task.schema.dialect
    if not (data.can_be_cut and data.codec == "utf-8" and is_plain(dialect)):
        return None
    backend = options.backend or choose_backend(data, options)
    if not backend.is_compiled:
        return None
    machines = options.build(task, data.codec, backend, False, False)
    return machines if not machines.decisions.nodes and can_be_cut(machines) else None


def rules_and_regions(
    schema: ir.CoreSchema,
    options: Options,
    wanted: Wanted,
    others: tuple[ir.Selector, ...] = (),
) -> Task:
    """The task of validating, with the edges that the wanted selectors and others need."""
    if wanted.tokens:
        schema = replace(schema, tokens={**wanted.tokens, **schema.tokens})
    regions = (*wanted.selectors, *others)
    return Task.of_rules(schema, True, options.tallies, options.coverage, regions)


def validated(
    schema: ir.CoreSchema, machines: Machines, data: Data, options: Options, fold: Fold
) -> SharedPass:
    """Validate a file by a fold of its chunks; tokens that only regions mention are not named."""
    outcome = fold_chunks(fold, data, options, local.thread_limit(options))
    named = replace(machines, task=replace(machines.task, schema=schema))
    details = Details(named, outcome.found, data)
    path, limit = data.source.path, options.max_violations
    first = len(machines.task.schema.loops) if machines.task.tallies else 0
    return SharedPass(
        machines, data, details.verdict(path, local.NAME, limit), outcome.chunks, first
    )


def shared_pass(
    schema: ir.CoreSchema, source: Input, options: Options, wanted: Wanted
) -> SharedPass | None:
    """Validate a file, if threads can share its chunks."""
    data = Data(source, schema.dialect.encoding)
    machines = shared_machines(rules_and_regions(schema, options, wanted), data, options)
    if machines is None:
        return None
    try:
        fold = Fold(machines, data.skipped, options.max_violations)
        return validated(schema, machines, data, options, fold)
    except (TooManyStepsError, WidthNeededError):
        return None
