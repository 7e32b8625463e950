"""What is learnt from the cells of a column."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sculpt.inference.columns.conventions import decimal_mark
from sculpt.inference.columns.learn import STRICTNESS, Learnt, learn
from sculpt.inference.emit.contents import content_pieces
from sculpt.inference.emit.text import schema_text
from sculpt.inference.emit.words import Draft, alternatives
from sculpt.schema import Schema
from sculpt.tabular.document import decode
from sculpt.tabular.grid import read_grid
from sculpt.values import replace


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
        ([f"Pier {n}" for n in range(1, 400, 3)], "Pier [0-9]{1,3}"),
        ([f"{'AB'[n % 2]}{'C' * (n % 3)}{n + 10}" for n in range(24)], "[A-Z]{1,3}[0-9]{2}"),
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


@pytest.mark.parametrize(
    ("texts", "missing"),
    [
        (["1", "2", "22", "X", "Y"], ()),  # chromosomes
        (["1", "2", "22", "X"], ("X",)),
        (["S", "M", "L", "X", "XX"] * 9, ()),
        (["Smith", "Nan", "Nil", "Brown"] * 9, ()),
        (["nan", "tbd", "wibble", "wobble", "gronk", "plugh", "xyzzy"], ()),
        (["1e5", "5%", "$6", "(7)", "NaN", "0x1F"], ()),  # `Text` is left, and accepts it
        (["A1", "B2", "unknown"], ("unknown",)),
        (["2024-01-31", "2024-02-29", "NULL"], ("NULL",)),
        (["1.5", "2.5", "(X)", "n/a", ".."], ("(X)", "..", "n/a")),
        (["grain", "salt", "-"], ("-",)),
        (["A+", "B", "+", "-"], ()),
        (["*", "**", "****", "*****"], ()),
    ],
)
def test_a_mark_is_not_one_of_a_kind(texts: Sequence[str], missing: tuple[str, ...]) -> None:
    assert learnt(*texts).missing == missing


@pytest.mark.parametrize(
    ("texts", "decimal", "expected", "note"),
    [
        (["10", "1.000", "5"], ",", 'Number("#,##0", group ".", decimal ",")', ""),
        (["10", "1.000", "5"], ".", "Number", ""),
        (["10", "1.000", "5"], "", "Number", "thousands"),
        (["10", "1.000", "0.5"], "", "Number", ""),
        (["10", "1,200", "5"], "", 'Number("#,##0")', ""),  # decimals would all be written, or none
        (["10", "1,255", "5"], "", 'Number("#,##0")', "decimal marks"),
        (["10", "1,255", "5"], ".", 'Number("#,##0")', ""),
        (["10", "1,255", "5"], ",", 'Number("0.###", decimal ",")', ""),
        (["5.125%", "7.250%"], "", 'Number("0.000%")', "thousands"),
        (["5.125%", "7.25%"], "", 'Number("0.00#%")', ""),
        (["€1.000", "€20"], "", 'Number("€#,##0", group ".", decimal ",")', ""),
    ],
)
def test_numbers_are_read_as_their_file_writes_them(
    texts: Sequence[str], decimal: str, expected: str, note: str
) -> None:
    how = replace(STRICTNESS["normal"], decimal=decimal)
    (form,) = learn([Counter(texts)], how).ladder[0]
    assert form.written == expected
    assert note in form.note
    assert bool(note) == bool(form.note)


@pytest.mark.parametrize(
    ("columns", "mark"),
    [
        ([["1.234,50", "0,75"], ["10", "1.000"]], ","),
        ([["1.234.567"], ["1.000"]], ","),
        ([["12.5", "3.25"], ["1,000"]], "."),
        ([["12.5"], ["12,5"]], ""),
        ([["1.000", "2.000"]], ""),
        ([["12.5", "north", "south"], ["1.000"]], ""),
    ],
)
def test_the_decimal_mark_of_a_file(columns: list[list[str]], mark: str) -> None:
    assert decimal_mark(columns) == mark
    assert decimal_mark(columns[::-1]) == mark
