"""The targets of `fuzz/`: what they once found stays mended, and each runs for a few seconds."""

from __future__ import annotations

import json

import pytest
from fuzz import harness

SECONDS = 4
SEED = 20_261_116


@pytest.mark.parametrize(("name", "find"), list(harness.kept()), ids=lambda each: str(each)[:40])
def test_what_was_found_stays_mended(name: str, find: harness.Find) -> None:
    harness.replay(find)


@pytest.mark.parametrize("name", harness.TARGETS)
def test_targets_find_nothing(name: str) -> None:
    report = harness.run(harness.load(name), SEED, SECONDS, max_finds=1)
    assert not report.finds, json.dumps(report.finds[0].case)
    assert report.tried > 0


def test_a_find_is_reduced() -> None:
    """A target that fails for long texts is reduced to the shortest of them."""
    from hypothesis import strategies as st

    def check(case: harness.Case) -> None:
        assert len(case["text"]) < 5

    cases = st.fixed_dictionaries({"text": st.text(max_size=50)})
    report = harness.run(harness.Target("example", cases, check), SEED, 60, max_finds=1)
    (find,) = report.finds
    assert find.case == {"text": "00000"}


def test_a_case_without_an_end_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    from hypothesis import strategies as st

    monkeypatch.setattr(harness, "HANGS_AFTER", 0.2)

    def check(case: harness.Case) -> None:
        while case["number"] > 3:
            pass

    cases = st.fixed_dictionaries({"number": st.integers(0, 9)})
    report = harness.run(harness.Target("example", cases, check), SEED, 60, max_finds=1)
    (find,) = report.finds
    assert find.case == {"number": 4}
    assert find.failure.startswith("HangError")
