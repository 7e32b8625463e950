"""Every case of csv-validator's suite passes, or is excused by name; skipped where it is absent."""

from __future__ import annotations

import pytest
from suites.model import Case

from suites import csv_schema

CASES = csv_schema.cases("csv-schema")


@pytest.mark.skipif(not CASES, reason="the suite is not here")
def test_the_suite_is_complete_and_excuses_are_few() -> None:
    assert len(CASES) >= 181
    reasons = [reason for reason, _ in csv_schema.EXCUSED.values()]
    assert reasons.count("a") <= 3
    assert reasons.count("b") <= 3
    assert {*csv_schema.EXCUSED} <= {case.name for case in CASES}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.parametrize("engine", ["local", "reference"])
def test_case(case: Case, engine: str) -> None:
    outcome = csv_schema.judge(case, engine)
    assert outcome.passed or case.name in csv_schema.EXCUSED, outcome.reason
    assert outcome.places is not False, outcome.reason
