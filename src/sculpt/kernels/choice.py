"""Which kernels to run, and why.

In: how many bytes there are to read, as far as that matters. Out: a `Backend`. Plain kernels for
small inputs, since they need not be loaded; else the library of the installation; else Numba, if it
is installed; else plain ones again, which are slow and always there.

Invariant: whatever is wrong with the library or with Numba never fails a run. It is one line, said
once: `Choice.problem`.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator
from functools import cache

from sculpt.errors import UsageError
from sculpt.kernels.backend import Ahead, Backend, Jit, Plain
from sculpt.kernels.signatures import UnfitError
from sculpt.values import frozen

SMALL_FOR_LIBRARY = 25_000
"""Up to this many bytes plain kernels are done before the library would be loaded."""
SMALL_FOR_NUMBA = 2_000_000
"""The same for Numba, whose code takes longer to load (benchmarks/record/cold.json, kernels)."""
VARIABLE = "SCULPT_KERNELS"
"""Set to `plain`, `ahead` or `jit`, the environment chooses the kernels, whatever the size."""
_SLOW = "plain Python runs them, which is slow: install sculpt-schema again, or Numba"


@frozen
class Choice:
    """Kernels, and how they came to be chosen."""

    backend: Backend
    reason: str
    problem: str = ""
    """What is wrong with the installation; empty if nothing is."""

    def remarks(self) -> Iterator[str]:
        """What a person who waits should know."""
        if self.problem:
            yield self.problem
        if self.backend.name == "jit":
            from sculpt.kernels.jit import announcement

            yield from announcement(self.backend.walk)

    def warn(self) -> None:
        """Warn of what is wrong, as Python does it: where nobody listens to remarks."""
        if self.problem:
            warnings.warn(self.problem, RuntimeWarning, stacklevel=3)


@cache
def plain() -> Backend:
    """The kernels as they stand."""
    return Plain()


@cache
def ahead() -> Backend:
    """The kernels of the library; an `UnfitError` where there is none that fits."""
    return Ahead()


@cache
def jit() -> Backend:
    """The kernels as Numba compiles them; an `ImportError` where it is not installed."""
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
    absent = compiled or "there are no compiled kernels here"
    try:
        return Choice(jit(), absent, compiled and f"{compiled}; Numba compiles them instead")
    except Exception as error:  # it is not installed, or does not work here: the run goes on
        reason = f"{absent}; Numba cannot be used: {' '.join(str(error).split())}"
    return Choice(plain(), reason, f"{absent}; {_SLOW}")


def for_input(counted: Callable[[int], int]) -> Choice:
    """The kernels for an input; `counted` says how many bytes it has, up to a number or beyond."""
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
    return Choice(plain(), reason, compiled and f"{compiled}; plain Python does it")


@cache
def _library() -> Backend | str:
    """The kernels of the library; else what is wrong with it, which is empty if there is none."""
    try:
        return ahead()
    except UnfitError as error:
        return str(error)
    except Exception as error:  # such as a Python without ctypes: the run goes on
        return f"the compiled kernels cannot be used: {' '.join(str(error).split())}"


def _wanted(name: str) -> Backend:
    makers: dict[str, Callable[[], Backend]] = {"plain": plain, "ahead": ahead, "jit": jit}
    if name not in makers:
        known = ", ".join(f"`{each}`" for each in makers)
        raise UsageError(f"{VARIABLE} is `{name}`; it may be {known}")
    try:
        return makers[name]()
    except (UnfitError, ImportError) as error:
        reason = str(error) or "none were built"
        raise UsageError(f"{VARIABLE} is `{name}`, but these cannot be used: {reason}") from None
