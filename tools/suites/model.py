"""What the judges of public suites share: cases, outcomes, and where the suites are."""

from __future__ import annotations

from pathlib import Path

from sculpt.values import frozen

SHARED = Path(__file__).resolve().parents[3] / "shared"
"""The folder beside the project that has the suites; it may be absent."""


@frozen
class Case:
    """A case of a suite."""

    suite: str
    name: str
    title: str


@frozen
class Outcome:
    """What came of a case."""

    passed: bool
    reason: str = ""
    """Why it fails."""
    places: bool | None = None
    """Are the places of errors right? `None` if the suite gives none."""
