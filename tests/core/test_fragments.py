"""Facts about selectors: hand-picked ones, and each promise checked on generated tables."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

import sculpt
from sculpt.api import parse_selector_text
from sculpt.core import ir
from sculpt.core.facts.bounds import is_empty
from sculpt.core.facts.costs import Costs
from sculpt.core.facts.explain import RuleExplanation, StreamClass
from sculpt.core.facts.guards import Guards, Shape
from sculpt.core.traversal import reach_nodes
from sculpt.engines.reference import Table
from sculpt.syntax import ast
from sculpt.syntax.printer import print_selector
from sculpt.tabular.document import decode
from sculpt.tabular.grid import Grid, read_grid
from strategies import NOWHERE, TOKENS, selectors, simple_names, tables

UNIQUE = "unique(a)\nunique-per-row(n)\n"
FORWARD: tuple[ast.AxisName, ...] = ("down", "right", "cell", "row", "col")


def explained(selector: str, more: str = "", arrow: str = "->") -> RuleExplanation:
    schema = sculpt.Schema.parse(f"{more}{selector} {arrow} Any*\n")
    return next(entry for entry in schema.explanation.entries if entry.kind == "rule")


def with_rule(selector: ast.Selector, more: str = "") -> tuple[sculpt.Schema, ir.Selector]:
    """A schema with a rule on a selector, and the core of the selector."""
    text = f"Blank Rows = keep\n{TOKENS}{more}{print_selector(selector)} -> Any*\n"
    schema = sculpt.Schema.parse(text)
    return schema, schema.core.rules[0].selector


def region(schema: sculpt.Schema, node: ir.Selector, rows: list[list[str]]) -> set[tuple[int, int]]:
    return set(Table(table_of(schema, rows), dict(schema.core.tokens)).region(node))


# ------------------------------------------------------------- the paper's statements

STRONG = [
    "row(1)",
    "col(1)",
    "true",
    "root",
    "(3,4)",
    "right*(x)",
    "down+(right+(x))",
    "down(right*(x))",
    "down*.right(root)",
    "down*[dots].down[REMARK]",
    "down*[dots].down[REMARK].down.(down[REMARK])+",
    "right+(down*[dots].down[REMARK])",
    "(right|down)*(x)",
    "down*(right.right(root))",
    "<up>",
    "down{3}(root)",
    "not x",
    "x and not y",
    "down*(root and x)",
    "row(x)",
    "down*(Missing)",
]
WEAK = [
    "col(x)",
    "down*(x)",
    "down(x)",
    "down+(right(x))",
    "(right.[down(b)].down*)(root)",
    "[rdf-id].right[type].right.right*(col(x))",
    "down*(not x)",
    "down*(right*(x) and y)",
    "(down|down.down)*(x)",
    "down*(right[y]*(root))",
    "down([x]+(true))",
    "down*([x]+(row(1)))",
    "(right|down){2,}(x)",
]


@pytest.mark.parametrize("selector", STRONG)
def test_strong(selector: str) -> None:
    entry = explained(selector)
    assert entry.stream_class is StreamClass.STRONG
    assert entry.forward
    assert entry.guarded
    assert entry.loose_part is None


@pytest.mark.parametrize("selector", WEAK)
def test_weak(selector: str) -> None:
    entry = explained(selector)
    assert entry.stream_class is StreamClass.WEAK
    assert entry.forward
    assert not entry.guarded
    assert entry.loose_part


@pytest.mark.parametrize(
    ("selector", "advice"),
    [
        ("col(ARUA)", ["unique(ARUA)"]),
        ("col(ARUA) or col(BOMBO)", ["unique(ARUA)", "unique(BOMBO)"]),
        ("down+[y](x)", ["unique(x)"]),
        ("(right.[down(b)].down*)(root)", ["unique(b)"]),
        ('col("a b, c")', ['unique("a b, c")']),
        ("down*(not x)", []),
        ("down*(right[y]*(root))", []),
    ],
)
def test_advice(selector: str, advice: list[str]) -> None:
    entry = explained(selector)
    assert list(entry.advice) == advice
    if advice:
        taken = explained(selector, "\n".join([*advice, ""]))
        assert taken.stream_class is StreamClass.STRONG


def test_unique_per_row_guards_one_step_down_but_not_many() -> None:
    per_row = "unique-per-row(x)\n"
    assert explained("down(x)", per_row).stream_class is StreamClass.STRONG
    assert explained("down.down(x)", per_row).stream_class is StreamClass.STRONG
    assert explained("col(x)", per_row).stream_class is StreamClass.WEAK
    assert explained("down+(right*(x))", per_row).stream_class is StreamClass.STRONG


def test_unique_on_a_token_type_guards_it() -> None:
    text = "Head <= col(3) and right(x)\n"
    assert explained("down*(right(Head))", text).guarded
    loose = "Head <= right(x)\n"
    assert not explained("col(Head)", loose).guarded
    assert explained("col(Head)", loose + "unique(Head)\n").guarded


def test_a_column_rule_costs_a_state_per_column() -> None:
    assert explained("col(1)", arrow="|>").stream_class is StreamClass.WEAK


def test_strict_padding_needs_the_width() -> None:
    assert explained("col(1)", "Padding = strict\n").stream_class is StreamClass.WIDTH_FIRST


@pytest.mark.parametrize(
    ("selector", "parts"),
    [
        ("up(x)", ["up(x)"]),
        ("row(1) and not up*(x)", ["up*(x)"]),
        ("down(left(x))", ["left(x)"]),
        ("<right>", ["left(true)"]),
        ("exists(down[x])", ["[x].up(true)"]),
        ("down[up(x)](y)", ["up(x)"]),
    ],
)
def test_backward(selector: str, parts: list[str]) -> None:
    entry = explained(selector)
    assert not entry.forward
    assert not entry.guarded
    assert list(entry.backward_parts) == parts


@pytest.mark.parametrize(
    ("selector", "expected", "passes"),
    [
        ("left(x)", "weak stream", 1),
        ("left*(x)", "weak stream", 1),
        ("left(true)", "width first", 1),
        ("left(right(x))", "width first", 1),
        ("left.[x].left(x)", "weak stream", 1),
        ("(right.right)*(x)", "width first", 1),
        ("(right.down)*(x)", "width first", 1),
        ("(right{3})*(x)", "width first", 1),
        ("right{3}(x)", "strong stream", 1),
        ("up(x)", "look-ahead", 1),
        ("not exists(down)", "look-ahead", 1),
        ("up*(x)", "passes", 3),
        ("down*(up*(x))", "passes", 3),
        ("up*(down*(up*(x)))", "passes", 5),
        ("down*(up(x))", "look-ahead", 1),
        ("(up|down)*(x)", "strips", 3),
        ("(up.up.down)*(x)", "strips", 3),
        ("(up.down)*(x)", "look-ahead", 1),
        ("left(up*(true))", "passes", 3),
    ],
)
def test_class(selector: str, expected: str, passes: int) -> None:
    entry = explained(selector)
    assert (entry.stream_class, entry.passes.count) == (expected, passes)
    assert entry.passes.more == (expected == "strips")


@pytest.mark.parametrize(
    ("selector", "rows"),
    [
        ("up(x)", 1),
        ("up.up(x)", 2),
        ("up{2,5}(x)", 5),
        ("not exists(down)", 1),
        ("(up|up.up)(up(x))", 3),
        ("up.down(x)", 0),
        ("down.up(x)", 1),
        ("(down.up)*(x)", 1),
        ("up*(x)", math.inf),
        ("(up*)?(x)", math.inf),
        ("(up*){1}(x)", math.inf),
        ("(up*){3}(x)", math.inf),
        ("(up.up.down)*(x)", math.inf),
        ("down[up(x)](y)", 1),
    ],
)
def test_look_ahead(selector: str, rows: float) -> None:
    schema = sculpt.Schema.parse("")
    _, node = parse_selector_text(schema, selector)
    assert Costs(schema.core).look_ahead(node) == rows


@pytest.mark.parametrize(
    ("selector", "strata"),
    [
        ("row(1)", 0),
        ("right*(x)", 0),
        ("col(x)", 1),
        ("down+(right+(down(x)))", 1),
        ("col(x) and col(y)", 1),
        ("down(col(x) and col(y))", 2),
        ("down(col(x) or col(y))", 1),
        ("down[col(x)](y)", 2),
        ("right[col(x)](y)", 1),
        ("not up(not up(x))", 2),
    ],
)
def test_strata(selector: str, strata: int) -> None:
    assert explained(selector).strata == strata


def test_the_class_of_a_schema_is_that_of_its_costliest_rule_and_types_cost_when_used() -> None:
    text = "Far <= up*(x)\nrow(1) -> Any*\n"
    assert sculpt.Schema.parse(text).explanation.stream_class is StreamClass.STRONG
    used = sculpt.Schema.parse(text + "row(2) -> (Far | Any)*\n").explanation
    assert used.stream_class is StreamClass.PASSES


@pytest.mark.parametrize(
    ("rules", "count"),
    [
        ("col(1) -> Any", 1),
        ("up(x) -> Any\nleft(true) -> Any", 1),
        ("up*(x) -> Any", 3),
        ("up*(x) => Any*", 3),
        ("up*(x) -> Any\nup*(y) -> Any", 3),
        ("up*(down*(x)) -> Any\ncol(x) -> Any", 4),
        ("up*(down*(x)) -> Any\ndown*(up*(x)) -> Any", 4),
        ("up*(x) -> Any\nleft(true) -> Any", 3),
        ("up*(x) -> Any\ndown*(up(x)) -> Any", 3),
        ("(up|down)*(x) -> Any", 3),
        ("up*((up|down)*(x)) -> Any", 4),
        ("(up|down)*(up*(x)) -> Any", 3),
    ],
)
def test_rules_share_passes(rules: str, count: int) -> None:
    assert sculpt.Schema.parse(rules).explanation.passes.count == count


# ------------------------------------------------------------- the promises, on tables


def table_of(schema: sculpt.Schema, rows: list[list[str]]) -> Grid:
    data = "".join(",".join(row) + "\n" for row in rows).encode()
    return read_grid(decode(data, None), schema.core.dialect)


def wide_rows(seed: int, width: int) -> list[list[str]]:
    """Rows of this width that satisfy `unique(a)` and `unique-per-row(n)`."""
    source = random.Random(seed)
    height = 30
    rows = [[source.choice(["x", "q", "", "ab"]) for _ in range(width)] for _ in range(height)]
    rows[source.randrange(height)][source.randrange(width)] = "a"
    for row in rows:
        if source.random() < 0.7:
            row[source.randrange(width)] = "7"
    return rows


def is_forward(node: ir.Selector) -> bool:
    return all(ir.axes(reach.path) <= {"down", "right"} for reach in reach_nodes(node))


@settings(max_examples=200)
@given(selectors(simple_names, FORWARD), st.integers(0, 10**6))
def test_extents_bound_the_cells_of_a_row_whatever_the_width(
    selector: ast.Selector, seed: int
) -> None:
    schema, node = with_rule(selector, UNIQUE)
    guards = Guards(schema.core)
    assume(is_forward(node) and guards.extent(node).row is not Shape.WILD)
    width = 40
    grid = table_of(schema, wide_rows(seed, width))
    found = Table(grid, dict(schema.core.tokens)).region(node)
    for row in range(1, grid.height + 1):
        columns = {column for i, column in found if i == row}
        if guards.extent(node).row is Shape.OPEN:
            first_hole = max((c for c in range(1, width + 1) if c not in columns), default=0)
            columns = {column for column in columns if column < first_hole}
        assert len(columns) <= 9, (print_selector(selector), row, sorted(columns))


@settings(max_examples=200)
@given(selectors(simple_names, FORWARD), st.integers(0, 10**6))
def test_guarded_selectors_go_down_in_few_runs_of_columns(
    selector: ast.Selector, seed: int
) -> None:
    schema, node = with_rule(selector, UNIQUE)
    assume(is_forward(node))
    assume(any("down" in ir.axes(reach.path) for reach in reach_nodes(node)))
    assume(Guards(schema.core).loose_step(node) is None)
    grid = table_of(schema, wide_rows(seed, 40))
    table = Table(grid, dict(schema.core.tokens))
    for reach in reach_nodes(node):
        for cells in down_starts(table, reach.path, table.region(reach.origin)):
            for row in range(1, grid.height + 1):
                columns = sorted(column for i, column in cells if i == row)
                runs = sum(b != a + 1 for a, b in zip([-1, *columns], columns, strict=False))
                assert runs <= 9, (print_selector(selector), row, columns)


def down_starts(
    table: Table, path: ir.Path, cells: frozenset[tuple[int, int]]
) -> list[frozenset[tuple[int, int]]]:
    """The sets of cells from which the `down` steps of a path start."""
    match path:
        case ir.Step("down"):
            return [cells]
        case ir.Step() | ir.Stay() | ir.Test() | ir.Loop(_, _, 0):
            return []
        case ir.Chain(parts):
            found = []
            for part in parts:
                found += down_starts(table, part, cells)
                cells = table.walk(part, cells)
            return found
        case ir.Fork(parts):
            return [start for part in parts for start in down_starts(table, part, cells)]
        case ir.Loop(inner, low, high):
            found = []
            for _ in range(low - 1):  # the first rounds have separate states
                found += down_starts(table, inner, cells)
                cells = table.walk(inner, cells)
            rest = None if high is None else high - max(0, low - 1)
            return found + down_starts(table, inner, table.walk(ir.Loop(inner, 0, rest), cells))


@settings(max_examples=300)
@given(selectors(), tables, tables)
def test_rows_beyond_the_look_ahead_do_not_matter(
    selector: ast.Selector, above: list[list[str]], below: list[list[str]]
) -> None:
    schema, node = with_rule(selector)
    ahead = Costs(schema.core).look_ahead(node)
    assume(ahead < math.inf and above)
    width = max(len(row) for row in [*above, *below])
    rows = [row + ["q"] * (width - len(row)) for row in [*above, *below]]
    whole = region(schema, node, rows)
    cut = region(schema, node, rows[: len(above) + int(ahead)])
    decided = range(1, len(above) + 1)
    assert {c for c in whole if c[0] in decided} == {c for c in cut if c[0] in decided}


@settings(max_examples=300)
@given(selectors(), tables, st.integers(1, 9))
def test_width_free_selectors_do_not_see_the_width(
    selector: ast.Selector, rows: list[list[str]], more: int
) -> None:
    schema, node = with_rule(selector)
    costs = Costs(schema.core)
    assume(rows and costs.width_free(node) and costs.look_ahead(node) == 0)
    # A wide last row changes the width; without look-ahead it can change nothing else above.
    wide = [*rows, ["q"] * (max(map(len, rows)) + more)]
    narrow_region, wide_region = region(schema, node, rows), region(schema, node, wide)
    for i, row in enumerate(rows, 1):
        real = {(i, j) for j in range(1, len(row) + 1)}
        assert narrow_region & real == wide_region & real, print_selector(selector)


near_the_border = st.builds(
    ast.And,
    st.tuples(
        selectors(depth=2),
        st.builds(ast.Not, selectors(depth=2), span=st.just(NOWHERE)),
        st.builds(ast.WholeRow, st.integers(1, 3), span=st.just(NOWHERE)),
    ),
    span=st.just(NOWHERE),
)


@settings(max_examples=400)
@given(st.one_of(selectors(), near_the_border), tables)
def test_what_is_called_empty_is_empty(selector: ast.Selector, rows: list[list[str]]) -> None:
    schema, node = with_rule(selector)
    if is_empty(node, schema.core):
        event("called empty")
        assert not region(schema, node, rows)
