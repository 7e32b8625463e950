"""Who hears of what goes wrong while values are computed for many iterations at once.

In: masks over the iterations of a frame, with what is wrong there. Out: findings, unless nobody
needs to know: inside `optional`, and in the part of an `if` that an iteration does not take. What
is marked `one` is reported even inside `optional`.

A value with a name (`let`) is computed once. What goes wrong in it is recorded, and reported for an
iteration at its first use that reports at all.

Invariant: the findings of an iteration are those of `transform.reference`, in the same order.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, TypeAlias

from sculpt.transform.evaluation.findings import Findings
from sculpt.values import mutable
from sculpt.verdict import Violation

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]


class Voice(Enum):
    """How loudly a value speaks of what goes wrong in it."""

    NORMAL = auto()
    QUIET = auto()
    """Inside `optional`."""
    LOUD = auto()
    """Marked `one`: `optional` around it does not silence it."""


@mutable
class Report:
    """Something that is wrong in some iterations; each is reported once."""

    pending: Array
    """By iteration: is it wrong there, and not reported yet?"""
    add: Callable[[list[int]], None]
    """Add the findings of some iterations."""
    describe: Callable[[int], Violation]
    """The first finding of an iteration."""
    cells: Callable[[], Array] | None = None
    """The cells that it is about, by iteration; none if it is about the iteration itself."""


Recorded: TypeAlias = "list[tuple[Report, Array | None, bool]]"
"""Reports, where they apply (`None`: everywhere), and whether they are loud."""


class Reporter:
    """Reports what is wrong in iterations, if it is to be reported there."""

    def __init__(
        self, findings: Findings | None, place: Callable[[int], tuple[int | None, int | None]]
    ) -> None:
        self.findings = findings
        self._place = place
        self._active: Array | None = None
        """The iterations that need the value; `None` for all."""
        self._voice = Voice.NORMAL
        self._recorded: Recorded | None = None

    @property
    def is_silent(self) -> bool:
        """Is nothing reported at present?"""
        return self.findings is None or self._voice is Voice.QUIET

    # ------------------------------------------------------------- what is silenced

    @contextlib.contextmanager
    def voice(self, voice: Voice) -> Iterator[None]:
        """Speak like this for a while."""
        before, self._voice = self._voice, voice
        try:
            yield
        finally:
            self._voice = before

    @contextlib.contextmanager
    def only(self, mask: Array) -> Iterator[None]:
        """Only some iterations need what is computed."""
        before = self._active
        self._active = mask if before is None else before & mask
        try:
            yield
        finally:
            self._active = before

    @contextlib.contextmanager
    def recording(self) -> Iterator[Recorded]:
        """Record reports instead of making them, whoever needs the value at present."""
        before = self._active, self._voice, self._recorded
        recorded: Recorded = []
        self._active, self._voice, self._recorded = None, Voice.NORMAL, recorded
        try:
            yield recorded
        finally:
            self._active, self._voice, self._recorded = before

    # ------------------------------------------------------------- reports

    def mask(
        self,
        mask: Array,
        describe: Callable[[int], Violation],
        cells: Callable[[], Array] | None = None,
    ) -> None:
        """Something is wrong in some iterations; `describe` puts it into words."""
        findings = self.findings
        if findings is None or self._voice is Voice.QUIET or not mask.any():
            return

        def add(places: list[int]) -> None:
            findings.add(places, len(places), describe, self._place)

        self.report(Report(mask.copy(), add, describe, cells))

    def report(self, report: Report) -> None:
        """Make or record a report."""
        if not self.is_silent:
            self._make(report, None, self._voice is Voice.LOUD)

    def replay(self, recorded: Recorded) -> None:
        """Make the reports of a value that is used here."""
        for report, where, is_loud in recorded:
            if self.findings is not None and (is_loud or self._voice is not Voice.QUIET):
                self._make(report, where, is_loud or self._voice is Voice.LOUD)

    def _make(self, report: Report, where: Array | None, is_loud: bool) -> None:
        active = self._active
        if active is not None:
            where = active if where is None else where & active
        if self._recorded is not None:
            self._recorded.append((report, where, is_loud))
            return
        now = report.pending if where is None else report.pending & where
        if now.any():
            report.pending = report.pending & ~now
            self.tell(report, now)

    def tell(self, report: Report, now: Array) -> None:
        """Make a report about some iterations."""
        report.add(now.nonzero()[0].tolist())


class Collector(Reporter):
    """Keeps reports, so that only those that are shown need to be put into words."""

    def __init__(self, place: Callable[[int], tuple[int | None, int | None]]) -> None:
        super().__init__(Findings(), place)
        self.made: list[tuple[Array, Report]] = []
        """Where each is made, in the order in which they are."""

    def tell(self, report: Report, now: Array) -> None:
        """Keep a report about some iterations."""
        self.made.append((now, report))


class Lets:
    """What has a name, computed once; what is wrong with it is reported where it is used."""

    def __init__(self, reporter: Reporter) -> None:
        self.reporter = reporter
        self._named: dict[int, tuple[Any, Recorded]] = {}
        """By number of a `let`: the cells or values, and what is wrong with them."""

    def once(self, number: int, compute: Callable[[], Any]) -> Any:
        """What has this number, computed at its first use."""
        if number not in self._named:
            with self.reporter.recording() as recorded:
                found = compute()
            self._named[number] = found, recorded
        found, recorded = self._named[number]
        self.reporter.replay(recorded)
        return found
