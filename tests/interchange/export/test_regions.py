"""Which selectors are columns: by what they mean, not by how they are written."""

from __future__ import annotations

import re

import pytest

from sculpt.core.acceptor import TextMatcher
from sculpt.interchange.export.expressions import caseless, whole, words_of, written
from sculpt.interchange.export.formulas import TRUE
from sculpt.interchange.export.grid import Places, Region, extent
from sculpt.schema import Schema, parse_selector_text

HEADINGS = {"Depth": [(1, 2)]}


def region_of(selector: str) -> Region | None:
    _, node = parse_selector_text(Schema.parse(""), selector)
    rows, _ = extent(node)
    return Places(4, max(rows, 3), HEADINGS).region(node)


@pytest.mark.parametrize(
    "selector",
    [
        "col(2) and not row(1)",
        "not row(1) and col(2)",
        "down+((1,2))",
        "col((1,2))",
        "col(Depth)",
        "down+(row(1) and Depth)",
        "down+(row(1)) and col(2)",
        "right(col(1)) and down+(row(1))",
        "(2,2)..(999,2) or down+((999,2))",
        "down*(right.down)",
        "not (row(1) or col(1) or right{2,}(col(1)))",
        "col(2) and (row(2) or down{2,}(row(1)))",
        "left(col(3)) and exists(up)",
    ],
)
def test_ways_to_write_a_column_below_the_header(selector: str) -> None:
    found = region_of(selector)
    assert found is not None
    assert (found.start, found.tail, found.above, found.beyond) == (2, {2: TRUE}, {}, False)


@pytest.mark.parametrize(
    "selector",
    [
        "col(Height)",  # where is it?
        "down+(Text)",
        "not exists(down)",  # the last row
        "not exists(right)",  # the last column
        "up(col(2))",
        "right+(col(1) and Total)",
    ],
)
def test_selectors_that_depend_on_other_cells_or_on_the_size(selector: str) -> None:
    assert region_of(selector) is None


def test_rows_and_wide_regions() -> None:
    whole_row = region_of("row(2)")
    assert whole_row is not None
    assert (whole_row.start, set(whole_row.whole), dict(whole_row.tail)) == (3, {2}, {})
    below = region_of("not row(1)")
    assert below is not None
    assert (below.start, set(below.tail), below.beyond) == (2, {1, 2, 3, 4}, True)


def test_a_filter_stays() -> None:
    found = region_of("col(2) and Integer and not row(1)")
    assert found is not None
    assert [str(each) for each in found.tail.values()] == ["Has(name='Integer')"]


def pattern(text: str) -> TextMatcher:
    return TextMatcher(tokens(text).pattern)


def tokens(text: str):  # type: ignore[no-untyped-def]
    return Schema.parse(f"p = {text}\ntrue -> p*\n").core.tokens["p"]


@pytest.mark.parametrize(
    "text",
    [r"[A-Z]{2}[0-9]+", r"a|b|", r"(ab|c)*d?", r".+", r"[^a-z\]]", r"(?i)red|gr\.en", r"\p{Lu}+",
     r"a{2,3}(b|c{0,2})", r"[-+.]|\^|\$|[\\\[]", r"\s\t", "é\U0001f600?", r'x"y'],
)  # fmt: skip
def test_an_expression_has_the_same_texts_for_python(text: str) -> None:
    token = tokens(text)
    ours = TextMatcher(token.pattern)
    theirs = re.compile(written(token.pattern))
    anchored = re.compile(f"^{whole(token.pattern)}$")
    samples = [
        "",
        "a",
        "b",
        "ab",
        "AB1",
        "ABC",
        "d",
        "abd",
        "cc",
        "RED",
        "gr.en",
        "grxen",
        "\n",
        "]",
    ]
    samples += ["aab", "aacc", "-", "^", "$", "\\", "[", " \t", "é", "é\U0001f600", 'x"y', "ÉÀ"]
    for sample in samples:
        assert ours.matches(sample) == bool(theirs.fullmatch(sample)), (text, sample)
        if not sample.endswith("\n"):  # `$` matches before it
            assert ours.matches(sample) == bool(anchored.match(sample)), (text, sample)


def test_few_texts() -> None:
    assert words_of(tokens("grain|timber|p(a|e)n?").pattern) == (
        "grain",
        "timber",
        "pan",
        "pa",
        "pen",
        "pe",
    )
    assert words_of(tokens("[ab]").pattern) is None
    assert words_of(tokens("a*").pattern) is None
    assert caseless(tokens("(?i)Site 1").pattern) == "site 1"
    assert caseless(tokens("[Ss]ite|x").pattern) is None
