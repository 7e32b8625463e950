"""The conversion tests of the W3C's CSVW suite: each passes, or is excused."""

from __future__ import annotations

import pytest
from suites.model import Case

from suites import csvw_conversion

CASES = [case for suite in csvw_conversion.SUITES for case in csvw_conversion.cases(suite)]

pytestmark = pytest.mark.skipif(not CASES, reason="the folder of suites is absent")


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.suite}-{case.name}")
def test_case(case: Case) -> None:
    outcome = csvw_conversion.judge(case)
    if case.name in csvw_conversion.EXCUSED:
        assert not outcome.passed, "this case needs no excuse"
    else:
        assert outcome.passed, outcome.reason
