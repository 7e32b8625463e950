"""Which kernels to run, and why.

In: the size of the input, as far as it matters. Out: a `Backend`. Small inputs use plain kernels,
which need not be loaded. Others use the library in the installation; without one, Numba, if it is
installed; otherwise plain kernels again, which are slow but always available.

Invariant: a problem with the library or with Numba never fails a run. It is reported once, in one
line: `Choice.problem`.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterator
from functools import cache

from sculpt.errors import UsageError
from sculpt.extras import DISTRIBUTION, advice, missing
from sculpt.kernels.backend import Ahead, Backend, Jit, Plain
from sculpt.kernels.signatures import UnfitError
from sculpt.values import frozen

SMALL_FOR_LIBRARY = 25_000
"""Up to this many bytes, plain kernels finish before the library would be loaded."""
SMALL_FOR_NUMBA = 2_000_000
"""The same for Numba, whose code takes longer to load (benchmarks/record/cold.json, kernels)."""
VARIABLE = "SCULPT_KERNELS"
"""The environment variable that forces `plain`, `ahead` or `jit`, whatever the size."""


@frozen
class Choice:
    """Kernels, and why they were chosen."""

    backend: Backend
    reason: str
    problem: str = ""
    """What is wrong with the installation; empty if nothing."""

    def remarks(self) -> Iterator[str]:
        """What to tell a waiting user."""
        if self.problem:
            yield self.problem
        if self.backend.name == "jit":
            from sculpt.kernels.jit import announcement

            yield from announcement(self.backend.walk)

    def warn(self) -> None:
        """Issue a Python warning of the problem, if any: for callers that do not show remarks."""
        if self.problem:
            warnings.warn(self.problem, RuntimeWarning, stacklevel=3)


@cache
def plain() -> Backend:
    """The kernels as plain Python."""
    return Plain()


@cache
def ahead() -> Backend:
    """The kernels of the library; `UnfitError` if there is none that fits."""
    return Ahead()


@cache
def jit() -> Backend:
    """The kernels as Numba compiles them; `ImportError` if it is not installed."""
    return Jit()


@cache
def fastest() -> Choice:
    """The kernels for large inputs."""
    wanted = os.environ.get(VARIABLE)
    if wanted:
        return Choice(_wanted(wanted), f"{VARIABLE} is set")
    compiled = _library()
    if isinstance(compiled, Backend):
        return Choice(compiled, "they were compiled for this platform")
    absent = compiled or "this installation has no compiled kernels"
    try:
        return Choice(jit(), absent, compiled and f"{compiled}; Numba compiles them instead")
    except Exception as error:  # not installed, or not working: the run goes on
        reason = f"{absent}; Numba cannot be used: {' '.join(str(error).split())}"
    slow = f"{absent}; using plain Python, which is slow"
    cures = [f"reinstall {DISTRIBUTION}"] if compiled else []
    if sys.platform != "emscripten":  # Numba does not run in browsers
        cures.append(f"{advice('jit')} to have Numba compile them")
    return Choice(plain(), reason, ": ".join(filter(None, (slow, ", or ".join(cures)))))


def for_input(counted: Callable[[int], int]) -> Choice:
    """The kernels for an input; `counted(n)` is its size, or at least `n` if it is larger."""
    if os.environ.get(VARIABLE):
        return fastest()
    size = counted(SMALL_FOR_LIBRARY + 1)
    if size <= SMALL_FOR_LIBRARY:
        return Choice(plain(), f"the input is small: {size:,} bytes")
    compiled = _library()
    if isinstance(compiled, Backend):
        return fastest()
    size = counted(SMALL_FOR_NUMBA + 1)
    if size > SMALL_FOR_NUMBA:
        return fastest()
    reason = f"the input is small: {size:,} bytes"
    return Choice(plain(), reason, compiled and f"{compiled}; using plain Python")


@cache
def _library() -> Backend | str:
    """The kernels of the library, or what is wrong with it; empty if there is no library."""
    try:
        return ahead()
    except UnfitError as error:
        return str(error)
    except Exception as error:  # for example, Python has no ctypes: the run goes on
        return f"the compiled kernels cannot be used: {' '.join(str(error).split())}"


def _wanted(name: str) -> Backend:
    makers: dict[str, Callable[[], Backend]] = {"plain": plain, "ahead": ahead, "jit": jit}
    if name not in makers:
        known = ", ".join(f"`{each}`" for each in makers)
        raise UsageError(f"{VARIABLE} is `{name}`; it must be one of {known}")
    try:
        return makers[name]()
    except (UnfitError, ImportError) as error:
        reason = str(error) or "none were built"
        if name == "jit" and missing("jit"):
            reason = f"{reason}; {advice('jit')}"
        raise UsageError(
            f"{VARIABLE} is `{name}`, but these kernels cannot be used: {reason}"
        ) from None
