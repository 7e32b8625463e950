"""What a judge of a suite takes and gives."""

from __future__ import annotations

from pathlib import Path

from sculpt.values import frozen

SHARED = Path(__file__).resolve().parents[3] / "shared" / "suites"
"""Where the suites are, if they are there."""


@frozen
class Case:
    """One case of a suite."""

    suite: str
    name: str
    title: str = ""


@frozen
class Outcome:
    """Did a case pass, and if not, why? `places` is `None` if the suite gives none for it."""

    passed: bool
    reason: str = ""
    places: bool | None = None
