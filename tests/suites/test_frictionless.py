"""The suites of Frictionless: every case passes, or is excused by name; places and checks have
bars."""

from __future__ import annotations

import pytest
from suites.model import Case, Outcome

from suites import frictionless

MIN_PLACES = 50
MIN_CHECKS = 12


def ended(suite: str) -> list[tuple[Case, Outcome]]:
    found = [(case, frictionless.judge(case)) for case in frictionless.cases(suite)]
    if not found:
        pytest.skip("../shared/suites is absent")
    return found


@pytest.mark.parametrize("suite", [frictionless.PACKAGES, frictionless.VALUES])
def test_verdicts(suite: str) -> None:
    """The verdict of every case, or an excuse."""
    failed = {case.name: outcome.reason for case, outcome in ended(suite) if not outcome.passed}
    assert failed.keys() <= frictionless.EXCUSED.keys(), failed


def test_places() -> None:
    """The places of the errors."""
    assert sum(outcome.places is True for _, outcome in ended(frictionless.PACKAGES)) >= MIN_PLACES


def test_checks_of_the_framework() -> None:
    """Checks beyond the standard are reported only: some pass, the others say which they are."""
    found = [outcome for _, outcome in ended(frictionless.CHECKS)]
    assert sum(outcome.passed for outcome in found) >= MIN_CHECKS
    for outcome in found:
        assert outcome.passed or outcome.reason.endswith(", which is beyond the standard")
