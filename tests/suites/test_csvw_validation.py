"""Every validation test of the W3C's suite passes or is excused; skipped without the suite."""

from __future__ import annotations

import pytest
from suites.model import Case

from suites import csvw

CASES = csvw.cases("csvw-validation")


@pytest.mark.skipif(not CASES, reason="needs ../shared/suites/csvw")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_validation(case: Case) -> None:
    outcome = csvw.judge(case)
    assert outcome.passed or case.name in csvw.EXCUSED, outcome.reason
