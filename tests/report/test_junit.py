"""JUnit: read back by a library made for it; suites fail exactly if their files are not valid."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from junitparser import Error, Failure, JUnitXml, Skipped, TestCase, TestSuite

import sculpt
from reported import HOSTILE, SCHEMA, quoted_csv, reported
from sculpt.report.formats.checks import Report
from sculpt.report.formats.junit import (
    _ILLEGAL,
    _Case,
    _document,
    _Suite,
    diagnostics_junit,
    junit_lines,
)

GOOD = b"name,age\nAda,36\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def text_of(report: Report) -> str:
    return "\n".join(junit_lines(report))


def read(report: Report) -> list[TestSuite]:
    return suites_of(text_of(report))


def suites_of(text: str) -> list[TestSuite]:
    """The suites of a document, whose numbers must be right."""
    document = JUnitXml.fromstring(text.encode())
    suites = list(document)
    for suite in suites:
        cases = list(suite)
        assert suite.tests == len(cases)
        for kind, count in (
            (Failure, suite.failures),
            (Error, suite.errors),
            (Skipped, suite.skipped),
        ):
            assert count == sum(bool(results_of(case, kind)) for case in cases)
        names = [case.name for case in cases]
        assert len(set(names)) == len(names)
    assert document.tests == sum(suite.tests for suite in suites)
    assert document.failures == sum(suite.failures for suite in suites)
    assert document.errors == sum(suite.errors for suite in suites)
    return suites


def results_of(case: TestCase, kind: type[Failure | Error | Skipped] | None = None) -> list[Any]:
    return [each for each in case.result if kind is None or isinstance(each, kind)]


def test_a_suite_a_file_and_a_case_a_rule() -> None:
    good, bad = read(reported({"good.csv": GOOD, "bad.csv": b"name,age\nAda,x\nBob,y\n"}))
    names = [
        "The first row names the columns",
        "Ages are numbers",
        "col(name) -> Text",
        "unique(name)",
        "col(99) -> x",
        "undecodable",
        "unclosed-quote",
        "text-after-quote",
        "nul-byte",
    ]
    assert [case.name for case in good] == [
        names[0],
        names[1],
        names[2],
        names[4],
        names[3],
        *names[5:],
    ]
    assert (good.name, bad.name) == ("good.csv", "bad.csv")
    (failure,) = [each for case in bad for each in results_of(case, Failure)]
    assert failure.message == "2 violations of 2 checked: col(age) -> Integer"
    assert failure.type == "row-content"
    assert failure.text.splitlines() == [
        "rule 2, line 4: col(age) -> Integer",
        "Ages are numbers",
        "row 2, column 2: found `x`, expected Integer"
        " (hint: Integer does not allow `x` at character 1)",
        "row 3, column 2: found `y`, expected Integer"
        " (hint: Integer does not allow `y` at character 1)",
    ]


def test_a_rule_that_checks_nothing_is_skipped_or_fails() -> None:
    for strict, kind in ((False, Skipped), (True, Failure)):
        (suite,) = read(reported({"a.csv": GOOD}, strict=strict))
        (case,) = [case for case in suite if results_of(case)]
        assert case.name == "col(99) -> x"
        assert results_of(case, kind)


def test_rules_with_the_same_text_have_different_names() -> None:
    (suite,) = read(reported({"a.csv": GOOD}, "row(1) -> Any*\nrow(1) -> Any*\n"))
    assert [case.name for case in suite][:2] == ["row(1) -> Any*", "row(1) -> Any* #2"]


def test_a_file_that_cannot_be_read_is_an_error() -> None:
    unread, good = read(reported({"no.csv": None, "a.csv": GOOD}))
    ((error,),) = [results_of(case, Error) for case in unread]
    assert error.message == "no.csv: cannot be read: no such file or directory"
    assert good.errors == 0


def test_ten_thousand_violations_are_one_failure() -> None:
    (suite,) = read(reported({"a.csv": b"name,age\n" + b"Ada,x\n" * 10_000}))
    (failure,) = [each for case in suite for each in results_of(case, Failure)]
    assert failure.message.startswith("10,000 violations of 10,000 checked")
    assert failure.text.endswith("\n… and 9,990 more")
    assert len(failure.text.splitlines()) == 13


def test_hostile_texts_are_legal_xml() -> None:
    names: dict[str, bytes | None] = {"a<&\">'b.csv": quoted_csv(HOSTILE), "c\x1b\ud8ff.csv": None}
    schema = SCHEMA + '% <&">\' ]]> \x1b\u202e\nrow(2) -> "<&\'>"\n'
    text = text_of(reported(names, schema))
    hostile, unread = suites_of(text)
    assert hostile.name == "a<&\">'b.csv"
    assert unread.name == "c\ufffd\ufffd.csv"
    assert "found `</script>" in text.replace("&lt;", "<").replace("&gt;", ">")
    assert ElementTree.fromstring(text.encode()).tag == "testsuites"


@given(st.text(), st.text(), st.text(min_size=1).filter(lambda text: "/" not in text))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_survives_as_far_as_xml_allows(cell: str, documentation: str, name: str) -> None:
    case = _Case(name, "failure", "k", cell, documentation)
    (suite,) = suites_of("\n".join(_document([_Suite(name, (case,))])))
    (back,) = suite
    legal = partial(_ILLEGAL.sub, "\ufffd")
    ((failure,),) = [results_of(back, Failure)]
    assert (suite.name, back.name, failure.message) == (legal(name), legal(name), legal(cell))
    assert (failure.text or "") == legal(documentation)


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("coverage", [None, 0, 50, 100])
def test_a_suite_fails_exactly_if_its_file_is_not_valid(
    strict: bool, coverage: float | None
) -> None:
    files: dict[str, bytes | None] = {
        "good.csv": GOOD,
        "bad.csv": b"name,age\nAda,x\n",
        "broken.csv": b'name,age\n"A"x,1\n\xff,2\n',
        "wide.csv": b"name,age,x,y,z\n" + b"Ada,1,2,3,4\n" * 5,
        "no.csv": None,
        "empty.csv": b"",
    }
    for schema in (SCHEMA, SCHEMA.replace("col(99) -> x\n", ""), "col(age) => Empty\n"):
        report = reported(files, schema, strict=strict, min_coverage=coverage)
        for suite, outcome in zip(read(report), report.run.outcomes, strict=True):
            assert report.run.is_valid(outcome) == (suite.failures + suite.errors == 0)


def test_a_schema_that_is_wrong() -> None:
    with pytest.raises(sculpt.SchemaError) as error:
        sculpt.Schema.parse("row(1 -> a\nx\nx\n")
    (suite,) = suites_of("\n".join(diagnostics_junit("s", error.value.diagnostics)))
    assert (suite.name, suite.errors) == ("s", 3)
