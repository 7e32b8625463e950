"""How to run an engine on this machine, and how it reports progress.

In: what a caller asks for. Out: `Options`, each with a sensible default, and the kernels to run.
"""

from __future__ import annotations

from collections.abc import Callable

from sculpt.core.task import Task
from sculpt.engines.data import Data
from sculpt.engines.machines import Machines, build
from sculpt.engines.walk.strips import STRIP_CELLS
from sculpt.kernels import choice as kernels
from sculpt.kernels.backend import Backend
from sculpt.values import field, frozen
from sculpt.verdict import DEFAULT_MAX_VIOLATIONS

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
    """The current pass, if there are several."""


@frozen
class Options:
    """How to run."""

    max_violations: int = DEFAULT_MAX_VIOLATIONS
    tallies: bool = field(default=True, kw_only=True)
    """Count what rules select, check and find, and where?"""
    coverage: bool = field(default=True, kw_only=True)
    """Find out how much of a table the rules look at? That needs tallies."""
    threads: int | None = None
    chunk: int = CHUNK
    strip: int = STRIP_CELLS
    """About how many cells are decided together if a schema walks up or left."""
    backend: Backend | None = None
    on_progress: Callable[[Progress], None] | None = None
    on_remark: Callable[[str], None] | None = None
    """Called with each remark about the kernels; see `kernels.choice`."""
    build: Callable[[Task, str, Backend, bool, bool], Machines] = build
    """Builds the machines of a task; a `MachineStore` keeps them for the next file."""


def choose_backend(data: Data, options: Options) -> Backend:
    """The kernels for an input; passes remarks about them on to the user."""
    choice = kernels.for_input(lambda limit: len(data.window(0, limit)))
    if options.on_remark is None:
        choice.warn()
    else:
        for text in choice.remarks():
            options.on_remark(text)
    return choice.backend
