"""The samples of DSPL get the verdicts of their folders."""

from __future__ import annotations

import pytest
from suites.model import Case

from suites import dspl


@pytest.mark.parametrize("case", dspl.cases("dspl-samples"), ids=lambda case: case.name)
def test_samples(case: Case) -> None:
    outcome = dspl.judge(case)
    assert outcome.passed, outcome.reason


def test_a_case_is_a_file_or_a_fault() -> None:
    assert [case.name for case in dspl.cases("dspl-mutants")][:2] == [
        "repeated concept id",
        "blank concept id",
    ]
    assert dspl.EXCUSED == {}
