"""What is learnt from the cells of a column."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sculpt.inference.columns.learn import STRICTNESS, Learnt, learn
from sculpt.inference.emit.contents import content_pieces
from sculpt.inference.emit.text import schema_text
from sculpt.inference.emit.words import Draft, alternatives
from sculpt.schema import Schema
from sculpt.tabular.document import decode
from sculpt.tabular.grid import read_grid


def learnt(*texts: str, strictness: str = "normal") -> Learnt:
    return learn([Counter(texts)], STRICTNESS[strictness])


def tightest(*texts: str) -> str:
    return " or ".join(form.written for form in learnt(*texts).ladder[0])


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["12", "7", "-3"], "Integer"),
        (["1.5", "7", "-3"], "Number"),
        (["007", "012", "113", "004", "555", "019", "100"], "[0-9]{3}"),
        (["1999", "2004", "2011"], "(19|20)[0-9]{2}"),
        (["2024-01-31", "2024-02-29"], "xs:date"),
        (["31/01/2024", "15/02/2024"], 'Date("dd/MM/yyyy")'),
        (["1,200", "950", "12,000"], 'Number("#,##0")'),
        (["£1.50", "£12.00"], 'Number("£0.00")'),
        (["12.5%", "7.0%"], 'Number("0.0%")'),
        (["1.200,50", "950,00"], 'Number("#,##0.00", group ".", decimal ",")'),
        (["red", "blue"] * 8, "blue|red"),
        ([f"AB{n:04d}" for n in range(0, 90, 7)], "AB[0-9]{4}"),
        (["M-001", "M-002", "M-003", "M-004"], "[A-Z]-[0-9]{3}"),
        (["M-001", "M-002", "M-003"], "[A-Z]+-[0-9]+"),
        (["M-1", "M-2", "M-3", "M-4"], "[A-Z]+-[0-9]+"),
        (["A1", "B1", "A2", "B2"], "[A-Z0-9]+"),
        (["A1", "B1", "A2", "B2"] * 2, "[A-Z][0-9]"),
        (["North-01", "East-02", "West-03", "South-04"], "[A-Za-z]+-[0-9]+"),
        (["a@b.org", "c.d@e.org"], "Email"),
        (["12", "<5", "7", "900", "Trace", "Trace"], r"Integer or (<|\>)[0-9.,]+ or Trace"),
    ],
)
def test_the_tightest_content(texts: Sequence[str], expected: str) -> None:
    assert tightest(*texts) == expected


def test_dates_that_can_be_read_in_two_ways_say_so() -> None:
    (form,) = learnt("01/02/2024", "03/04/2024").ladder[0]
    assert "months" in form.note
    (form,) = learnt("01/02/2024", "31/04/2024"[:2] + "/03/2024").ladder[0]
    assert not form.note


def test_marks_for_missing_values_are_apart() -> None:
    found = learnt("1", "2", "n/a", "..", "")
    assert found.missing == ("..", "n/a")
    assert found.has_empty
    assert found.ladder[0][0].written == "Integer"


def test_a_few_odd_cells_are_likely_errors() -> None:
    found = learnt(*map(str, range(150)), "95o")
    assert found.errors == ("95o",)
    assert found.ladder[0][0].written == "Integer"
    assert learnt("1", "2", "95o").errors == ()


def test_strictness_moves_thresholds() -> None:
    texts = ["red", "blue", "green"] * 2
    assert learnt(*texts, strictness="tight").ladder[0][0].level == "list"
    assert learnt(*texts, strictness="loose").ladder[0][0].level != "list"


def test_a_list_of_one_file_is_no_list_of_another() -> None:
    groups = [Counter(["a", "b"] * 9), Counter(["c", "d"] * 9)]
    assert learn(groups, STRICTNESS["normal"]).ladder[0][0].level != "list"
    assert learn([groups[0], groups[0]], STRICTNESS["normal"]).ladder[0][0].level == "list"


def accepts(found: Learnt, level: int, text: str) -> bool:
    return (
        (not text and found.has_empty)
        or text in found.missing
        or text in found.errors
        or any(form.accepts(text) for form in found.ladder[level])
    )


TEXTS = st.lists(
    st.one_of(
        st.integers(-50, 5000).map(str),
        st.dates().map(str),
        st.sampled_from(["n/a", "-", "", "Trace", "<5", "007", "£1.50", "AB12", "é", "a b", '"x"']),
        st.text(
            st.characters(min_codepoint=32, max_codepoint=0x2FF, exclude_characters="\x7f"),
            max_size=9,
        ).map(str.strip),
    ),
    min_size=1,
    max_size=40,
)


@given(TEXTS)
def test_every_step_accepts_what_it_is_learnt_from(texts: list[str]) -> None:
    for strictness in STRICTNESS:
        found = learnt(*texts, strictness=strictness)
        for level in range(len(found.ladder)):
            assert all(accepts(found, level, text) for text in texts)


@given(TEXTS)
def test_the_order_of_the_cells_does_not_matter(texts: list[str]) -> None:
    assert learnt(*texts) == learnt(*reversed(texts))


@given(TEXTS)
def test_the_engine_reads_the_forms_as_python_does(texts: list[str]) -> None:
    found = learnt(*texts)
    content = alternatives(content_pieces(found, 0, "value", None))
    text = schema_text([], ["Trim = none"], [Draft(("col(1)",), "->", (content,))], {})
    if not text.rules:
        return
    schema = Schema.parse(text.text)
    rows = "".join('"' + each.replace('"', '""') + '"\n' for each in texts)
    grid = read_grid(decode(rows.encode(), None), schema.core.dialect)
    from sculpt.engines import reference

    verdict = reference.validate(schema.core, grid, "cells", 10)
    assert verdict.valid, [(v.found, v.expected) for v in verdict.violations]


def test_patterns_are_python_expressions() -> None:
    for texts in (["a-b", "c-d"] * 9, ["[x]", "]y["], ["\\1", "\\2"], ["p^q", "r^s", "t^u"]):
        for forms in learnt(*texts).ladder:
            for form in forms:
                re.compile(form.pattern)
