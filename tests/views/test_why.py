"""`why`: its answer equals membership, its walks can be replayed, its stops are true."""

from __future__ import annotations

from array import array
from typing import Any
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sculpt
from naive import Naive
from replays import Replay
from sculpt.engines import reference
from sculpt.engines.messages.findings import SCOPES
from sculpt.syntax import ast
from sculpt.syntax.printer import print_content, print_selector
from sculpt.tabular.document import decode
from sculpt.tabular.grid import Grid, read_grid
from sculpt.verdict import Violation
from sculpt.views import reference as views_reference
from sculpt.views.model import region_specs
from sculpt.views.reference import GridMarks, GridSource
from sculpt.views.source import MarkedBlock
from sculpt.views.view import View
from sculpt.views.why import content as content_of_why
from sculpt.views.why.model import ContentTrace
from sculpt.views.why.text import why_text
from strategies import NOWHERE, TOKENS, TYPES, as_csv, contents, selectors, simple_names, tables

HEAD = f"Blank Rows = keep\nList Delim = ;\n{TOKENS}{TYPES}"
NAMES = ("Ta", "Tb", "Tc")
PLAIN = sculpt.Schema.parse(HEAD)
TYPE_TREES = {
    each.name: each.selector for each in PLAIN.statements if isinstance(each, ast.TypeDefinition)
}

anything = selectors(types=NAMES)


def grid_of(rows: list[list[str]], schema: sculpt.Schema) -> Grid:
    return read_grid(decode(as_csv(rows), None), schema.core.dialect)


def view_of(schema: sculpt.Schema, grid: Grid, *given_selectors: str) -> View:
    tokens, specs = region_specs(schema, given_selectors)
    return View(schema, specs, GridSource(schema.core, tokens, grid, specs, "data", 1 << 30))


@settings(max_examples=300)
@given(anything, tables, st.data())
def test_the_answer_is_membership_and_can_be_replayed(
    selector: ast.Selector, rows: list[list[str]], data: st.DataObject
) -> None:
    grid = grid_of(rows, PLAIN)
    table = Naive(rows, TYPE_TREES)
    if not table.all:
        return
    view = view_of(PLAIN, grid, print_selector(selector))
    region = table.region(selector)
    for row, column in data.draw(st.lists(st.sampled_from(sorted(table.all)), max_size=3)):
        (answer,) = view.why(row, column, "selector:1").answers
        assert answer.selected == ((row, column) in region)
        assert answer.part.holds == answer.selected
        assert not answer.part.gave_up
        Replay(table).check(answer.part)


FAR = [["q", "q", "a"], ["q", "q", "q"], ["q", "q", "1"], ["a", "x", "b"]]
"""From (4,3): the first `a` of its row is nearer than the one above, but the way is barred."""


@pytest.mark.parametrize(
    ("path", "steps"),
    [
        ("(right[b])*|down*", 3),
        ("([b].right)*|down*", 3),
        ("(right[w][b])*|down*", 3),
        ("(right[b][w])*|down*", 3),
        ("(right[b][not a])*|down*", 3),
        ("(right*.down)*", 3),
        ("(right[n]*.down[w or n]*)*", 3),
        ("([w].right[w])*|down*", 2),
        ("([a].right)*|down*", 3),
        ("right*|down*", 2),
        ("(right|down)*", 2),
        ("(down.down)*.down|right.right[n]", 3),
        ("row|col", 2),
    ],
)
def test_a_walk_does_not_slide_over_a_test_that_fails(path: str, steps: int) -> None:
    table = Naive(FAR)
    view = view_of(PLAIN, grid_of(FAR, PLAIN), f"({path})(a)")
    (answer,) = view.why(4, 3, "selector:1").answers
    assert answer.part.walk is not None
    assert answer.part.walk.length == steps
    Replay(table).check(answer.part)


@settings(max_examples=60)
@given(anything, anything, tables)
def test_without_a_region_every_rule_and_selector_is_answered(
    selector: ast.Selector, other: ast.Selector, rows: list[list[str]]
) -> None:
    schema = sculpt.Schema.parse(f"{HEAD}{print_selector(selector)} -> Any*\n")
    view = view_of(schema, grid_of(rows, schema), print_selector(other))
    if not view.rows or not view.columns:
        return
    place = (view.rows, view.columns)
    answers = view.why(*place).answers
    assert [answer.region for answer in answers] == ["rule:1", "selector:1"]
    regions = view.window(*place[:1], 1, place[1], 1).regions[0][0]
    assert [a.region for a in answers if a.selected] == [
        name for name in regions if not name.startswith("type:")
    ]


class ChoppedMarks(GridMarks):
    """A grid in blocks of a few rows, whose marks are numbers of some size above others."""

    size, code, first = 1, "B", 0

    def block(self, row: int) -> MarkedBlock:
        whole = super().block(row)
        begin = (row - 1) // self.size * self.size
        rows = min(self.size, self.rows - begin)
        cells = whole.marks[begin * self.columns : (begin + rows) * self.columns]
        marks = array(self.code, [mark + self.first for mark in cells])
        return MarkedBlock(begin + 1, rows, memoryview(marks))


@settings(max_examples=60)
@given(
    anything,
    contents(),
    tables,
    st.integers(1, 4),
    st.sampled_from("BHiq"),
    st.sampled_from([0, 300]),
)
def test_blocks_and_sizes_of_marks_do_not_matter(
    selector: ast.Selector,
    content: ast.Content,
    rows: list[list[str]],
    size: int,
    code: str,
    first: int,
) -> None:
    arrow = "=>|>->"[size % 3 * 2 :][:2]
    text = f"{HEAD}{print_selector(selector)} {arrow} {print_content(content)}\n"
    schema = sculpt.Schema.parse(text)
    view = view_of(schema, grid_of(rows, schema))
    if not view.rows:
        return
    place = ((view.rows + 1) // 2, (view.columns + 1) // 2)
    expected = view.why(*place)

    class Marks(ChoppedMarks):
        def __init__(self, *parameters: Any) -> None:
            super().__init__(*parameters)
            self.size, self.code, self.first = size, "H" if first and code == "B" else code, first
            self.sets = [frozenset[int]()] * first + self.sets

    with mock.patch.object(views_reference, "GridMarks", Marks):
        assert view.why(*place) == expected


@pytest.mark.parametrize(
    ("selector", "place", "stop"),
    [
        ("(right.down[n])*(a)", (3, 3), ("edge", 4, 2, "x")),
        ('(down.right["q"]){2}("q")', (4, 3), ("test", 4, 3, "b")),
        ('down["q" or n]*(a)', (4, 3), ("test", 4, 3, "b")),
        ('(down["q"])*(a)', (4, 3), ("test", 3, 3, "1")),
        ('(down["q"])*.down{0,2}(a)', (4, 2), ("end", 4, 1, "a")),
        ("down[n]*.down*(a)", (2, 1), ("test", 2, 3, "q")),
        ('exists(up{3}.(left["q"])+[a])', (4, 3), ("test", 1, 2, "q")),
        ("exists((up[n].up)*.right)", (4, 3), ("edge", 4, 3, "b")),
        ("exists(up*[x])", (4, 3), ("test", 4, 3, "b")),
        ("right(n)", (4, 3), ("edge", 3, 3, "1")),
        ("right(up)", (4, 3), ("nowhere", None, None, None)),
        ("left(a)", (4, 3), ("edge", 4, 1, "a")),
        ("left(a)", (2, 3), ("end", 1, 2, "q")),
    ],
)
def test_stops(selector: str, place: tuple[int, int], stop: tuple[object, ...]) -> None:
    view = view_of(PLAIN, grid_of(FAR, PLAIN), selector)
    (answer,) = view.why(*place, "selector:1").answers
    found = answer.part.stop
    assert found is not None
    assert (found.kind, found.row, found.column, found.text) == stop
    Replay(Naive(FAR)).check(answer.part)


# ------------------------------------------------------------- content


def unit_of(place: tuple[int, int], arrow: str) -> tuple[int | None, int | None]:
    """What identifies the word of a cell among those of its rule."""
    row, column = place
    return {"->": (row, None), "|>": (None, column), "=>": (None, None), ".>": place}[arrow]


def check_trace(
    trace: ContentTrace, violation: Violation | None, place: tuple[int, int], table: reference.Table
) -> None:
    assert trace.outcome == ("passes" if violation is None else "fails")
    if violation is None:
        assert trace.failed_at is None
        assert trace.wanted == ()
    elif trace.scope == "list":
        assert trace.failed_at == place
        assert trace.wanted == violation.expected
    elif violation.row is not None and violation.column is not None:
        assert trace.failed_at == (violation.row, violation.column)
        assert trace.wanted == violation.expected
        assert not trace.ends_early
    else:
        assert trace.ends_early
        assert trace.wanted == violation.expected
    for letter in trace.letters:
        where = (letter.row, letter.column)
        if trace.scope != "list":
            assert letter.skipped <= (table.grid.cell(*where) is None)
            if where == trace.failed_at:
                assert (letter.read, letter.expected) == ((), trace.wanted)
            if where == place:
                assert letter.expected == trace.expected
            has_failed = trace.failed_at is not None and where != trace.failed_at
            assert bool(letter.read or letter.skipped) or where == trace.failed_at or has_failed
        assert set(letter.read) <= set(letter.expected)


@settings(max_examples=150)
@given(
    selectors(types=NAMES, depth=2),
    contents(
        st.one_of(simple_names, st.sampled_from(NAMES).map(lambda n: ast.Name(n, span=NOWHERE)))
    ),
    tables,
    st.sampled_from(["->", "=>", "|>"]),
    st.sampled_from(["ragged", "strict"]),
)
def test_a_content_trace_fails_where_validate_does(
    selector: ast.Selector, content: ast.Content, rows: list[list[str]], arrow: str, padding: str
) -> None:
    text = (
        f"{HEAD}Padding = {padding}\n{print_selector(selector)} {arrow} {print_content(content)}\n"
    )
    schema = sculpt.Schema.parse(text)
    grid = grid_of(rows, schema)
    view = view_of(schema, grid)
    table = reference.Table(grid, dict(schema.core.tokens))
    found = {_unit(each, arrow): each for each in view.verdict.violations}
    for place in sorted(table.region(schema.core.rules[0].selector))[::3]:
        (answer,) = view.why(*place, "rule:1").answers
        assert answer.content is not None
        assert answer.content.scope == SCOPES[arrow]
        assert place in [(each.row, each.column) for each in answer.content.letters]
        check_trace(answer.content, found.get(unit_of(place, arrow)), place, table)


def _unit(violation: Violation, arrow: str) -> tuple[int | None, int | None]:
    row, column = violation.row, violation.column
    return {"->": (row, None), "|>": (None, column), "=>": (None, None), ".>": (row, column)}[arrow]


@settings(max_examples=100)
@given(
    contents(),
    st.lists(st.lists(st.text("ab1x; ", max_size=9), min_size=1, max_size=3), max_size=3),
)
def test_a_trace_of_a_list_fails_where_validate_does(
    content: ast.Content, rows: list[list[str]]
) -> None:
    schema = sculpt.Schema.parse(f"{HEAD}true .> {print_content(content)}\n")
    grid = grid_of(rows, schema)
    view = view_of(schema, grid)
    table = reference.Table(grid, dict(schema.core.tokens))
    found = {(each.row, each.column): each for each in view.verdict.violations}
    for place in sorted(table.coordinates):
        (answer,) = view.why(*place, "rule:1").answers
        assert answer.content is not None
        violation = found.get(place)
        check_trace(answer.content, violation, place, table)
        item = answer.content.failed_item
        if violation is not None:
            assert (item is None) == answer.content.ends_early
            assert item is None or f"item {item} is" in violation.message


@pytest.mark.parametrize(("row", "shown", "outcome"), [(2, 5, "unknown"), (20, 0, "unknown")])
def test_a_word_that_is_too_long_is_read_in_part(row: int, shown: int, outcome: str) -> None:
    schema = sculpt.Schema.parse(f"{HEAD}true => w*\n")
    view = view_of(schema, grid_of([["a"]] * 30, schema))
    with (
        mock.patch.object(views_reference, "GridMarks", ChoppedMarks),
        mock.patch.object(content_of_why, "MAX_CELLS", 6),
    ):
        why = view.why(row, 1, "rule:1")
    trace = why.answers[0].content
    assert trace is not None
    assert (trace.outcome, len(trace.letters), trace.more) == (outcome, shown, bool(shown))
    text = [line.plain for line in why_text(why)]
    assert "  the region is too long to be read to its end as w*" in text
