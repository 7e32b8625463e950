"""The runner of the suites: outcomes, bars, the page and the report, over a made-up judge."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
import rdflib
from suites.__main__ import JUDGES, PAGE, main
from suites.bars import BARS, Bar, Result, missed, tally
from suites.model import SHARED, Case, Outcome
from suites.running import Unit, collected, judge_module, run

from suites import earl, page

EARL = rdflib.Namespace("http://www.w3.org/ns/earl#")


@pytest.fixture(scope="module")
def results() -> Sequence[Result]:
    return run(collected(["made_up_judge"]), seconds=10)


def test_cases_are_cut_into_units() -> None:
    assert [len(unit.cases) for unit in collected(["made_up_judge"])] == [2, 2, 2, 2]


def test_a_case_that_raises_dies_or_hangs_fails(results: Sequence[Result]) -> None:
    shown = {result.case.name: (result.standing, result.outcome.reason) for result in results}
    raised = shown.pop("raises")
    assert raised[0] == "failed"
    assert raised[1].startswith("ValueError at made_up_judge.py:")
    assert raised[1].endswith(": no such thing")
    assert shown == {
        "right": ("passed", ""),
        "wrong": ("excused", "found 1 | 2"),
        "odd": ("passed", ""),
        "dies": ("failed", "the process that ran it died"),
        "after": ("failed", "the process that ran it died"),
        "hangs": ("failed", "took more than 10 s"),
        "also after": ("failed", "took more than 10 s"),
    }


def test_the_order_is_that_of_the_cases(results: Sequence[Result]) -> None:
    names = [case.name for case in judge_module("made_up_judge").cases("made-up")]
    assert [result.case.name for result in results] == names


def test_progress_counts_units() -> None:
    told: list[tuple[int, Unit]] = []
    units = collected(["made_up_judge"])[:1]
    run(units, progress=lambda done, unit: told.append((done, unit)))
    assert told == [(1, units[0])]


def test_the_figures(results: Sequence[Result]) -> None:
    figures = tally("made-up", results)
    assert (figures.cases, figures.passed, figures.excused, figures.failed) == (8, 2, 1, 5)
    assert (figures.places, figures.places_given) == (2, 3)
    assert page.table(results) == (
        "suite    cases  passed  excused  failed  places right\n"
        "made-up      8       2        1       5        2 of 3\n"
    )


def _result(
    name: str, passed: bool, excuse: tuple[str, str] | None = None, suite: str = "csvw-json"
) -> Result:
    return Result("suites.csvw_conversion", Case(suite, name), Outcome(passed), excuse)


def test_all_bars_are_met() -> None:
    excuses = [_result(f"test{n}", False, ("a", "section 1")) for n in range(2)]
    assert missed([_result("fine", True), *excuses]) == []


@pytest.mark.parametrize(
    ("results", "sentence"),
    [
        (
            [_result("test1", True), _result("test2", False)],
            "csvw-json: 1 of 2 cases pass or are excused, 100% are required",
        ),
        (
            [_result(f"test{n}", False, ("a", "x")) for n in range(3)],
            "CSVW: 3 cases are excused because the suite contradicts its own specification, "
            "at most 2 may be",
        ),
        (
            [_result("test1", False, ("b", "x"))],
            "CSVW: 1 cases are excused because the outcome depends on the operating system's "
            "file names, at most 0 may be",
        ),
        ([_result("test1", False, ("d", "x"))], "CSVW: `d` is no reason for an excuse"),
        ([_result("test1", True, ("a", "x"))], "CSVW: test1 is excused, but passes"),
        (
            [
                Result("suites.rml", Case("rml", str(n)), Outcome(True, places=n < 9))
                for n in range(10)
            ],
            "rml: 9 of 10 places are right, 95% are required",
        ),
    ],
)
def test_a_bar_is_missed(results: Sequence[Result], sentence: str) -> None:
    assert missed(results) == [sentence]


def test_one_test_of_two_suites_is_one_excuse() -> None:
    names = ["test1", "test2"]
    both = [
        _result(name, False, ("a", "x"), suite)
        for suite in ("csvw-json", "csvw-rdf")
        for name in names
    ]
    assert missed(both) == []


def test_some_suites_have_a_bar_of_their_own() -> None:
    assert BARS["frictionless-beyond"] == Bar(cases=0.5, places=0)
    half = [
        Result("suites.frictionless", Case("frictionless-beyond", str(n)), Outcome(n < 2))
        for n in range(4)
    ]
    assert missed(half) == []


def test_the_page_keeps_what_is_written_by_hand(results: Sequence[Result]) -> None:
    old = f"# Title\n\n{page.START}\nold figures\n{page.END}\n\n## By hand\n"
    own = [Result("suites.rml", r.case, r.outcome, r.excuse) for r in results]
    new = page.renewed(old, own)
    assert new == page.renewed(new, own)
    assert new.startswith(f"# Title\n\n{page.START}\n\n| suite |")
    assert new.endswith(f"{page.END}\n\n## By hand\n")
    assert "old figures" not in new
    assert "| `made-up` | 8 | 2 | 1 | 5 | 2 of 3 |" in new
    assert (
        "| RML | `made-up` | `wrong` | the suite contradicts its own specification | section 4 |"
        in new
    )
    assert "| `made-up` | `hangs` | took more than 10 s |" in new


def test_the_report_is_about_the_suites_of_csvw() -> None:
    given = [
        _result("test001", True),
        _result("manifest-rdf#test002", False, suite="csvw-rdf"),
        Result("suites.rml", Case("rml", "x"), Outcome(True)),
    ]
    text = earl.renewed(None, given)
    graph = rdflib.Graph().parse(data=text, format="turtle", publicID="http://example.org/")
    found = {
        str(graph.value(assertion, EARL.test)): graph.value(
            graph.value(assertion, EARL.result), EARL.outcome
        )
        for assertion in graph.subjects(rdflib.RDF.type, EARL.Assertion)
    }
    assert found == {
        "http://www.w3.org/2013/csvw/tests/manifest-json#test001": EARL.passed,
        "http://www.w3.org/2013/csvw/tests/manifest-rdf#test002": EARL.failed,
    }
    earlier = earl.report(given, "2020-01-01T00:00:00Z")
    assert earl.renewed(earlier, given) == earlier
    assert earl.renewed(earlier, given[:1]) != earlier


def test_unknown_judges_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["dsp"])
    assert "there is no judge dsp: choose of csvw, " in capsys.readouterr().err


@pytest.mark.parametrize("name", JUDGES)
def test_the_page_has_the_cases_of_each_suite(name: str) -> None:
    if not SHARED.is_dir():
        pytest.skip("the suites are not here")
    judge = judge_module(JUDGES[name])
    written = PAGE.read_text(encoding="utf-8")
    for suite in judge.SUITES:
        assert f"| `{suite}` | {len(judge.cases(suite))} |" in written
