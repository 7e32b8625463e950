"""What the judges of the suites have in common: a case, its outcome, where the suites lie.

A judge is a module of this package with `SUITES` (names of suites), `cases(suite)` (its cases,
none where the shared material is absent), `judge(case)` (the outcome of one) and `EXCUSED` (by
name of the case: the reason `a`, `b` or `c`, and the words that explain it).
"""

from __future__ import annotations

from pathlib import Path

from sculpt.values import frozen

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared" / "suites"
"""The folder of the suites: third-party data that is not part of the project."""


@frozen
class Case:
    """One test of a suite. Its name is unique within the suite."""

    suite: str
    name: str
    title: str = ""


@frozen
class Outcome:
    """What became of a case.

    `reason` says why it fails. `places` says whether the places were found that the suite gives; it
    is None where the suite gives none.
    """

    passed: bool
    reason: str = ""
    places: bool | None = None
