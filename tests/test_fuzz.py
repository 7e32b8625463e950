"""The targets of `fuzz/`: kept failures stay fixed, and each target runs for a few seconds."""

from __future__ import annotations

import json

import pytest
from fuzz import harness

SECONDS = 4
SEED = 20_261_116


@pytest.mark.parametrize(("name", "failure"), list(harness.kept()), ids=lambda each: str(each)[:40])
def test_kept_failures_stay_fixed(name: str, failure: harness.Failure) -> None:
    harness.replay(failure)


@pytest.mark.parametrize("name", harness.TARGETS)
def test_targets_find_nothing(name: str) -> None:
    report = harness.run(harness.load(name), SEED, SECONDS, max_failures=1)
    assert not report.failures, json.dumps(report.failures[0].case)
    assert report.tried > 0


def test_a_failure_is_reduced() -> None:
    """A failure on long texts is reduced to the shortest of them."""
    from hypothesis import strategies as st

    def check(case: harness.Case) -> None:
        assert len(case["text"]) < 5

    cases = st.fixed_dictionaries({"text": st.text(max_size=50)})
    report = harness.run(harness.Target("example", cases, check), SEED, 60, max_failures=1)
    (failure,) = report.failures
    assert failure.case == {"text": "00000"}


def test_a_case_that_never_ends_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    from hypothesis import strategies as st

    monkeypatch.setattr(harness, "HANGS_AFTER", 0.2)

    def check(case: harness.Case) -> None:
        while case["number"] > 3:
            pass

    cases = st.fixed_dictionaries({"number": st.integers(0, 9)})
    report = harness.run(harness.Target("example", cases, check), SEED, 60, max_failures=1)
    (failure,) = report.failures
    assert failure.case == {"number": 4}
    assert failure.cause.startswith("HangError")
