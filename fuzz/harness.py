"""What all targets share: seeds, budgets, reduction, and keeping failures.

In: a `Target`: a Hypothesis strategy for cases and a check. A case is a plain JSON value, so that
it can be kept and read by people; the check raises an error if something is wrong. Out: a `Report`:
how many inputs were tried, and which failed, reduced by Hypothesis.

Invariant: the same seed and the same number of cases give the same cases. A case that takes longer
than `HANGS_AFTER` seconds is a failure like any other. Cost: one case at a time is in memory.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import signal
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, TypeAlias

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import HypothesisException
from hypothesis.strategies import SearchStrategy

Case: TypeAlias = dict[str, Any]
"""What a target tries: JSON values by name; bytes are written in hex."""

FOUND = Path(__file__).parent / "found"
TARGETS = ("schemas", "regexes", "documents", "borders", "records", "checks", "outputs")
"""The modules of the targets; each has a `TARGET`."""
HANGS_AFTER = 300  # kernels may have to be compiled first
_BATCH = 250


@dataclass(frozen=True)
class Target:
    """What is tried, and what must hold for it."""

    name: str
    cases: SearchStrategy[Case]
    check: Callable[[Case], int | None]
    """Raises an error if something is wrong; returns the number of inputs tried, if not one."""


@dataclass(frozen=True)
class Failure:
    """A reduced case that fails, and why."""

    target: str
    case: Case
    cause: str


@dataclass(frozen=True)
class Report:
    """The result of running a target."""

    target: str
    tried: int
    """Inputs; a case may have several."""
    seconds: float
    failures: tuple[Failure, ...]


class HangError(AssertionError):
    """A case takes too long."""


def load(name: str) -> Target:
    """The target of a module."""
    target: Target = importlib.import_module(f"fuzz.{name}").TARGET
    return target


def run_named(name: str, first_seed: int, seconds: float) -> Report:
    """Run the target of a module; called in its own process."""
    return run(load(name), first_seed, seconds)


def run(target: Target, first_seed: int, seconds: float, max_failures: int = 5) -> Report:
    """Try cases until the time is up, or until there are enough failures to fix."""
    begun = time.monotonic()
    tried = 0
    failures: dict[str, Failure] = {}
    number = first_seed
    while time.monotonic() - begun < seconds and len(failures) < max_failures:
        count, failure = _batch(target, number, begun + seconds)
        tried += count
        number += 1
        if failure is not None:
            failures.setdefault(failure.cause, failure)
    return Report(target.name, tried, time.monotonic() - begun, tuple(failures.values()))


def _batch(target: Target, number: int, until: float) -> tuple[int, Failure | None]:
    """Try some cases of one seed; the first that fails is reduced."""
    tried = 0
    latest: list[tuple[Case, BaseException]] = []

    def attempt(case: Case) -> None:
        nonlocal tried
        if not latest and time.monotonic() > until:
            return  # the time is up, and there is nothing to reduce
        try:
            with _limited(HANGS_AFTER):
                count = target.check(case)
            tried += 1 if count is None else count
        except HypothesisException:
            raise
        except Exception as error:
            latest.append((case, error))
            raise

    trial = settings(
        max_examples=_BATCH,
        database=None,
        deadline=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
    )(seed(number)(given(target.cases)(attempt)))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            trial()
    except HypothesisException:
        if not latest:
            raise
    except Exception:
        if not latest:  # the strategy itself failed
            raise
    else:
        return tried, None
    case, error = latest[-1]  # Hypothesis ends with the smallest
    return tried, Failure(target.name, case, cause_of(error))


def cause_of(error: BaseException) -> str:
    """What failed and where, without the values: the same for all cases with the same cause."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [f"{Path(f.filename).name}:{f.name}" for f in frames if "hypothesis" not in f.filename]
    return f"{type(error).__name__} in {' > '.join(ours[-3:])}"


def replay(failure: Failure) -> None:
    """Check a case that was kept."""
    with _limited(HANGS_AFTER):
        load(failure.target).check(failure.case)


def keep(failure: Failure) -> Path:
    """Write a failure to `found/`; its file name has the target and a hash of the case."""
    text = json.dumps({"target": failure.target, "case": failure.case}, ensure_ascii=True, indent=2)
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    path = FOUND / f"{failure.target}-{digest}.json"
    path.write_text(text + "\n")
    return path


def kept() -> Iterator[tuple[str, Failure]]:
    """The failures that were kept, with their file names."""
    for path in sorted(FOUND.glob("*.json")):
        facts = json.loads(path.read_text())
        yield path.name, Failure(facts["target"], facts["case"], "")


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    def ring(number: int, frame: FrameType | None) -> None:
        raise HangError(f"still running after {seconds:.0f} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
