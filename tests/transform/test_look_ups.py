"""Look-ups of the fast engine, cut into strips in every way, against the naive search."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sculpt
from agreement import BACKENDS, COMPILED
from sculpt.api import read_table
from sculpt.core import ir
from sculpt.core.programs.look_ups import LookUp, Reach
from sculpt.core.programs.program import CoreProgram
from sculpt.core.task import Task
from sculpt.core.traversal import composes
from sculpt.engines.data import Data
from sculpt.engines.lookups.finder import Finder, Handover, Regions
from sculpt.engines.machines import Machines, build
from sculpt.engines.reference import Table
from sculpt.engines.regions.marker import MarkedStrip, Marker
from sculpt.kernels.loops.lookups import NOWHERE
from sculpt.tabular.document import decode
from sculpt.tabular.grid import Grid, read_grid
from sculpt.tabular.inputs import Input
from sculpt.transform.reference.look_ups import cells_found

TOKENS = "A = [ac]\nB = [bc]\n"
DIRECTIONS = ("up", "down", "left", "right")
DISTANCES = ((0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (0, 2), (9, 9))
PATHS = (
    "left",
    "up.left",
    "right{2}",
    "left*.[A]",
    "(left|right)+",
    "up+",
    "up*.right?.[A]",
    "(up|left)*.[B]",
    "(up|right)+.[not A].left",
    "([not A].up)*.[A].(right.[B])*",
    "[A].up|[not A].(left|up.up)",
    "(up.[B])*.(left.up|right)",
    "up{1,2}.(left.[not B].right)*",
    "(left.left|up.right.right)+",
    "(right.[A]|up.[B])*.[Missing]",
    # those that go down
    "down",
    "down*.[A]",
    "(up|down)+.[B]",
    "up.left.down.right.[A]",
    "(right.[not A]|down.[A])*.[B]",
    "(left|down){2,3}",
    "[B].down*.(left|right)*.[A]",
)
SELECTORS = ("A", "B", "left(A)", "up*(B) and not A", "Missing", "true")
"""Regions to look for: known at once, with a row of look-ahead, after sweeps; padding; all."""


def sugar(wanted: str, distances: Sequence[tuple[int, int]] = DISTANCES) -> list[str]:
    """Each look-up by name, in each direction."""
    named = [f"{kind}({d}, {wanted}, v)" for kind in ("directly", "closest") for d in DIRECTIONS]
    limits = [f"within({d}, {a}, {b}, {wanted}, v)" for d in DIRECTIONS for a, b in distances]
    return named + limits


WALKS = tuple(f"{path}(v)" for path in PATHS)


@dataclass(frozen=True)
class LookUps:
    """Look-ups, ready to run in both ways."""

    schema: sculpt.Schema
    core: CoreProgram
    program: Machines


@cache
def prepared(
    look_ups: tuple[str, ...], *, wants_all: bool = False, backend: str = "plain"
) -> LookUps:
    policy = " all" if wants_all else ""
    fields = ", ".join(f"f{ix}: {text}{policy}" for ix, text in enumerate(look_ups))
    schema = sculpt.Schema.parse(f"{TOKENS}For each cell v in true {{\nemit found({fields})\n}}\n")
    core = schema.program
    assert core is not None
    extended = ir.CoreSchema(schema.core.dialect, core.tokens, schema.core.types, (), ())
    task = Task(extended, (), (), core.regions, defects=False)
    return LookUps(schema, core, build(task, "utf-8", BACKENDS[backend](), notes_texts=True))


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("look_ups") / "data.csv"


# ----------------------------------------------------------------- the two searches


def naive(core: CoreProgram, grid: Grid) -> list[list[list[int]]]:
    """For each look-up and cell: the numbers of the cells that it finds."""
    table = Table(grid, dict(core.tokens))
    cells = list(product(range(1, grid.height + 1), range(1, grid.width + 1)))
    number = {cell: ix for ix, cell in enumerate(cells)}
    return [
        [[number[found] for found in cells_found(table, core, source, cell)] for cell in cells]
        for source in core.look_ups
    ]


def entering_edges(finder: Finder, strips: Sequence[Regions]) -> list[Handover]:
    """For each strip: what it gets from the rest of the table."""
    match finder.look_up.reach:
        case Reach.ABOVE:
            edges = [finder.empty()]
            for strip in strips[:-1]:
                edges.append(finder.leaving(strip, edges[-1]))
            return edges
        case Reach.BELOW:
            edges = [finder.empty()]
            for strip in reversed(strips[1:]):
                edges.insert(0, finder.merged(finder.summary(strip), edges[0]))
            return edges
        case Reach.COLUMNS:
            whole = finder.empty()
            for strip in strips:
                whole = finder.merged(whole, finder.summary(strip))
            return [whole] * len(strips)
    return [finder.empty() for _ in strips]


def composed_edges(finder: Finder, strips: Sequence[Regions]) -> list[Handover]:
    """The same for what comes from above, from summaries alone: as on a cluster."""
    edges = [finder.empty()]
    for strip in strips[:-1]:
        edges.append(finder.merged(edges[-1], finder.summary(strip)))
    return edges


def every_cell(strip: MarkedStrip) -> Any:
    return np.arange(strip.rows * strip.width)


def looked_up(
    finder: Finder, strips: Sequence[Regions], edges: Sequence[Handover] | None = None
) -> list[list[int]]:
    """For each cell of the table: up to two cells that it finds."""
    found: list[list[int]] = []
    for regions, entering in zip(strips, edges or entering_edges(finder, strips), strict=True):
        before = [edge.copy() for edge in entering]
        cells = every_cell(regions.strip)
        firsts, seconds = finder.find(regions, cells, entering)
        pairs = zip(firsts.tolist(), seconds.tolist(), strict=True)
        found += [[cell for cell in pair if cell != NOWHERE] for pair in pairs]
        # Looking up a few cells gives the same as all, and does not change what came in.
        some = finder.find(regions, cells[1::2], entering)
        assert [part.tolist() for part in some] == [firsts[1::2].tolist(), seconds[1::2].tolist()]
        assert all(np.array_equal(*pair) for pair in zip(before, entering, strict=True))
    return found


def check(source: LookUp, expected: list[list[int]], found: list[list[int]]) -> None:
    """None, one, or the first two of several."""
    assert len(found) == len(expected)
    for cell, (want, got) in enumerate(zip(expected, found, strict=True)):
        assert got == want[:2], f"{source.text} from cell {cell}: {want}, not {got}"


def check_groupings(finder: Finder, strips: Sequence[Regions]) -> None:
    """The summaries of neighbours merge to the same, however they are grouped."""
    spans = {(ix, ix + 1): finder.summary(strip) for ix, strip in enumerate(strips)}
    for size in range(2, len(strips) + 1):
        for begin in range(len(strips) - size + 1):
            end = begin + size
            ways = [
                finder.merged(spans[begin, middle], spans[middle, end])
                for middle in range(begin + 1, end)
            ]
            spans[begin, end] = ways[0]
            for way in ways[1:]:
                assert_same_edges(way, ways[0])
    whole = spans[0, len(strips)]
    for way in (finder.merged(finder.empty(), whole), finder.merged(whole, finder.empty())):
        assert_same_edges(way, whole)


def assert_same_edges(one: Handover, other: Handover) -> None:
    assert [part.tolist() for part in one] == [part.tolist() for part in other]


# ----------------------------------------------------------------- files


def crosses(source: LookUp) -> bool:
    return source.path is not None and not composes(source.path)


@contextmanager
def opened(file: Path) -> Iterator[Data]:
    with Input(str(file)) as source:
        yield Data(source, None)


def compare(file: Path, look_ups: LookUps, *, wants_all: bool = False) -> None:
    """All cuts of a file into strips, for all look-ups of a schema."""
    core, program = look_ups.core, look_ups.program
    grid = read_table(look_ups.schema, file)
    if not grid.width:
        return
    expected = naive(core, grid)
    finders = [Finder(source, grid.width, program.backend) for source in core.look_ups]
    with opened(file) as data:
        for rows in range(1, grid.height + 1):
            marker = Marker(program, data, grid.width, cells=rows * grid.width)
            strips = [Regions(strip, marker.sets) for strip in marker.strips()]
            assert sum(each.strip.rows for each in strips) == grid.height
            for finder, want in zip(finders, expected, strict=True):
                if finder.look_up.reach is not Reach.TABLE:
                    check(finder.look_up, want, looked_up(finder, strips))
                    check_groupings(finder, strips)
                if finder.look_up.reach is Reach.ABOVE and not crosses(finder.look_up):
                    fresh = [Regions(each.strip, each.sets) for each in strips]
                    found = looked_up(finder, fresh, composed_edges(finder, fresh))
                    check(finder.look_up, want, found)
        marker = Marker(program, data, grid.width, cells=1)
        (whole,) = marker.strips(is_whole=True)
    regions = Regions(whole, marker.sets)
    for finder, want in zip(finders, expected, strict=True):
        if wants_all:
            assert finder.find_all(regions, every_cell(whole)) == want, finder.look_up.text
        elif finder.look_up.reach is Reach.TABLE:
            check(finder.look_up, want, looked_up(finder, [regions]))


def written(file: Path, rows: Sequence[Sequence[str]]) -> Path:
    file.write_text("".join(",".join(row) + "\n" for row in rows), encoding="utf-8")
    return file


tables = st.lists(
    st.lists(st.sampled_from(["a", "b", "c", "x", ""]), min_size=1, max_size=5),
    min_size=1,
    max_size=6,
)


@given(table=tables, wanted=st.sampled_from(SELECTORS), data=st.data())
@settings(max_examples=150)
def test_look_ups_by_name(
    file: Path, table: list[list[str]], wanted: str, data: st.DataObject
) -> None:
    distances = data.draw(st.sampled_from(DISTANCES))
    compare(written(file, table), prepared(tuple(sugar(wanted, [distances]))))


@given(table=tables, wanted=st.sampled_from(SELECTORS[:3]))
@settings(max_examples=60)
def test_all_that_look_ups_by_name_find(file: Path, table: list[list[str]], wanted: str) -> None:
    look_ups = prepared(tuple(sugar(wanted, [(1, 1)])), wants_all=True)
    compare(written(file, table), look_ups, wants_all=True)


def longer(paths: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    counts = st.sampled_from(["*", "+", "?", "{2}", "{1,2}", "{2,}"])
    return st.one_of(
        st.builds("({}){}".format, paths, counts),
        st.builds("({}|{})".format, paths, paths),
        st.builds("{}.{}".format, paths, paths),
        st.builds("{}.{}".format, paths, paths),
    )


steps = st.sampled_from(["up", "left", "right", "down", "[A]", "[B]", "[not A]", "[left(B)]"])
paths = st.recursive(steps, longer, max_leaves=6)


@given(table=tables, path=paths, wants_all=st.booleans())
@settings(max_examples=100)
def test_generated_paths(file: Path, table: list[list[str]], path: str, *, wants_all: bool) -> None:
    look_ups = prepared((f"[true].({path})(v)",), wants_all=wants_all)
    compare(written(file, table), look_ups, wants_all=wants_all)


@given(table=tables, wants_all=st.booleans())
@settings(max_examples=60)
def test_paths(file: Path, table: list[list[str]], *, wants_all: bool) -> None:
    compare(written(file, table), prepared(WALKS, wants_all=wants_all), wants_all=wants_all)


SAMPLE = (
    (("a", "b", "", "a"), ("x", "c"), ("",), ("b", "a", "a"), ("x", "x", "x", "x", "c")),
    (("x",), ("a",), ("b",), ("x",)),
    (("a", "x", "b", "c", "x"),),
    (("", "a"), ("", "x"), ("c", "x"), ("b", ""), ("", "b"), ("a", "a")),
)


@pytest.mark.parametrize("backend", COMPILED)
@pytest.mark.parametrize("wanted", SELECTORS)
def test_compiled_look_ups_by_name(file: Path, wanted: str, backend: str) -> None:
    for table in SAMPLE:
        for wants_all in (False, True):
            texts = tuple(sugar(wanted, [(0, 1), (2, 0)]))
            look_ups = prepared(texts, wants_all=wants_all, backend=backend)
            compare(written(file, table), look_ups, wants_all=wants_all)


@pytest.mark.parametrize("backend", COMPILED)
@given(table=tables, wants_all=st.booleans())
@settings(max_examples=30)
def test_compiled_paths(
    file: Path, backend: str, table: list[list[str]], *, wants_all: bool
) -> None:
    look_ups = prepared(WALKS, wants_all=wants_all, backend=backend)
    compare(written(file, table), look_ups, wants_all=wants_all)


def test_finders_that_follow_each_other_do_not_share_what_they_computed(file: Path) -> None:
    look_ups = prepared(("up(v)", "left(v)", "up*.[A](v)", *sugar("A", [(0, 1)])))
    core, program = look_ups.core, look_ups.program
    grid = read_table(look_ups.schema, written(file, [["a", "b"], ["x", "a"]]))
    with opened(file) as data:
        marker = Marker(program, data, grid.width)
        strips = [Regions(strip, marker.sets) for strip in marker.strips()]
    for source, want in zip(core.look_ups, naive(core, grid), strict=True):
        if source.reach is not Reach.TABLE:
            check(source, want, looked_up(Finder(source, grid.width, program.backend), strips))


# ----------------------------------------------------------------- all small tables


def cut(whole: MarkedStrip, rows: int) -> list[MarkedStrip]:
    """A table in strips of a number of rows."""
    return [
        MarkedStrip(
            first + 1,
            min(rows, whole.rows - first),
            whole.width,
            whole.marks[first * whole.width : (first + rows) * whole.width],
            whole.starts[first : first + rows],
            whole.places,
            None,
            False,
        )
        for first in range(0, whole.rows, rows)
    ]


@pytest.mark.parametrize(("height", "width"), [(1, 4), (2, 2), (3, 2), (2, 3), (4, 1), (4, 2)])
def test_all_small_tables(height: int, width: int) -> None:
    """Only the cells of `A` matter: the test sets their marks, so nothing is scanned."""
    distances = [(0, 0), (0, 1), (1, 0), (2, 2)]
    look_ups = prepared(tuple(sugar("A", distances)))
    core, backend = look_ups.core, look_ups.program.backend
    (wanted,) = {source.region for source in core.look_ups}
    sets = [frozenset[int](), frozenset([wanted])]
    finders = [Finder(source, width, backend) for source in core.look_ups]
    for held in product((0, 1), repeat=height * width):
        texts = ["x" if not each else "a" for each in held]
        lines = [",".join(texts[at : at + width]) for at in range(0, len(texts), width)]
        grid = read_grid(decode("\n".join(lines).encode(), None), look_ups.schema.core.dialect)
        expected = naive(core, grid)
        whole = MarkedStrip(
            1, height, width, np.array(held), np.zeros(height), np.zeros(0), None, False
        )
        for rows in range(1, height + 1):
            strips = [Regions(strip, sets) for strip in cut(whole, rows)]
            for finder, want in zip(finders, expected, strict=True):
                if finder.look_up.reach is not Reach.TABLE or rows == height:
                    check(finder.look_up, want, looked_up(finder, strips))
                    check_groupings(finder, strips)
                if finder.look_up.reach is Reach.ABOVE and not crosses(finder.look_up):
                    fresh = [Regions(each.strip, each.sets) for each in strips]
                    found = looked_up(finder, fresh, composed_edges(finder, fresh))
                    check(finder.look_up, want, found)
