"""Windows of files against those of the reference: schemas, tables, dialects, packings, cuts."""

from __future__ import annotations

import bz2
import gzip
import lzma
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sculpt
from agreement import ALL, BACKENDS, COMPILED, FORWARD, parse, schema_texts
from conftest import Case, corpus
from sculpt.automata import navigator
from sculpt.engines.options import Options
from sculpt.engines.waypoints import replay, row_texts
from sculpt.kernels import choice as backends
from sculpt.kernels.backend import Backend
from sculpt.syntax.ast import AXES
from sculpt.syntax.printer import print_selector
from sculpt.values import replace
from sculpt.views import layers
from sculpt.views.local import LocalSource
from sculpt.views.model import region_specs
from sculpt.views.reference import GridSource
from sculpt.views.source import MarkedBlock, MarkedTable
from strategies import PIECES, TOKENS, as_csv, directives, selectors, tables

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "plain": bytes,
    "gzip": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
}


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("windows") / "data"


@contextmanager
def small(rng: random.Random, entries: int | None = None) -> Iterator[None]:
    """Let small files behave like large ones: pieces, strips and long rows of a few bytes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(replay, "PIECE", rng.choice([1, 3, 8, 1 << 20]))
        patch.setattr(replay, "AFTER", rng.choice([1, 3, 1 << 14]))
        patch.setattr(replay, "STRIP_CELLS", rng.choice([1, 5, 1 << 17]))
        patch.setattr(layers, "AROUND_CELLS", rng.choice([1, 7, 1 << 22]))
        patch.setattr(row_texts, "LONG", rng.choice([0, 2, 7, 1 << 16]))
        patch.setattr(row_texts, "LONG_ROW", rng.choice([0, 2, 7, 1 << 12]))
        patch.setattr(row_texts, "_MORE", rng.choice([0, 1, 64]))
        patch.setattr(row_texts, "_PIECE", rng.choice([1, 5, 1 << 20]))
        if entries is not None:
            patch.setattr(navigator, "MAX_ENTRIES", entries)
        yield


def check(
    schema: sculpt.Schema,
    file: Path,
    selectors: tuple[str, ...],
    rng: random.Random,
    backend: Backend | None = None,
    entries: int | None = None,
) -> None:
    """Compare all that two sources say of a file."""
    tokens, specs = region_specs(schema, selectors)
    grid = sculpt.read_table(schema, file)
    theirs = GridSource(schema.core, tokens, grid, specs, str(file), 1000)
    options = Options(
        chunk=rng.choice([1, 2, 5, 13, 1000]),
        strip=rng.choice([1, 6, 1000]),
        threads=rng.choice([1, 2]),
        backend=backend or backends.plain(),
    )
    with small(rng, entries):
        ours = LocalSource(schema.core, tokens, str(file), specs, options)
        try:
            assert replace(ours.verdict, engine="reference") == theirs.verdict
            compare(ours, theirs, [spec.name for spec in specs], rng)
            nodes = tuple(spec.selector for spec in specs)
            compare_marks(ours.marked(tokens, nodes), theirs.marked(tokens, nodes), rng)
        finally:
            ours.close()


def compare(ours: LocalSource, theirs: GridSource, names: list[str], rng: random.Random) -> None:
    height, width = theirs.grid.height, theirs.grid.width
    whole = (1, height + 1, 1, width + 1)
    some = [
        (
            rng.randint(1, height + 2),
            rng.randint(0, 4),
            rng.randint(1, width + 2),
            rng.randint(0, 4),
        )
        for _ in range(3)
    ]
    for window in (whole, *some):
        mine, other = ours.window(*window), theirs.window(*window)
        assert mine == other, window
        assert [v.excerpt for v in mine.violations] == [v.excerpt for v in other.violations]
    for name in ("violation", "unchecked", *names):
        after = rng.choice([(0, 0), (rng.randint(0, height + 1), rng.randint(0, width + 1))])
        assert ours.find(name, after) == theirs.find(name, after), (name, after)
    assert ours.counts == theirs.counts


def compare_marks(ours: MarkedTable, theirs: MarkedTable, rng: random.Random) -> None:
    """Compare which selectors hold where, and the cells."""
    assert (ours.rows, ours.columns) == (theirs.rows, theirs.columns)
    width = ours.columns
    rows = list(range(1, ours.rows + 1))
    for row in rng.sample(rows, min(4, len(rows))):
        mine, other = (
            [each.sets[mark] for mark in marks_of(each.block(row), row, width)]
            for each in (ours, theirs)
        )
        assert mine == other, row
        for column in range(1, width + 1):
            a, b = ours.cell(row, column), theirs.cell(row, column)
            assert (a and (a.text, a.raw)) == (b and (b.text, b.raw))
    ours.close()


def marks_of(block: MarkedBlock, row: int, width: int) -> memoryview:
    assert block.first_row <= row < block.end
    begin = (row - block.first_row) * width
    return block.marks[begin : begin + width]


chosen = st.lists(selectors(axes=AXES, types=("T",), depth=2).map(print_selector), max_size=2)
seeds = st.integers(0, 1 << 20)


@settings(max_examples=500)
@given(schema_texts(ALL), tables, chosen.map(tuple), seeds)
def test_any_schema(
    file: Path, text: str, table: list[list[str]], chosen: tuple[str, ...], seed: int
) -> None:
    if schema := parse(text):
        file.write_bytes(as_csv(table))
        check(schema, file, chosen, random.Random(seed))


@settings(max_examples=500)
@given(schema_texts(FORWARD), tables, seeds)
def test_forward_schemas(file: Path, text: str, table: list[list[str]], seed: int) -> None:
    if schema := parse(text):
        file.write_bytes(as_csv(table))
        check(schema, file, ("T or down+(a)",), random.Random(seed))


@pytest.mark.parametrize("backend", COMPILED)
@settings(max_examples=60)
@given(schema_texts(ALL), tables, seeds)
def test_compiled_kernels(
    file: Path, backend: str, text: str, table: list[list[str]], seed: int
) -> None:
    if schema := parse(text):
        file.write_bytes(as_csv(table))
        check(schema, file, ("T", "left(a)"), random.Random(seed), BACKENDS[backend]())


@settings(max_examples=250)
@given(schema_texts(ALL), tables, chosen.map(tuple), seeds, st.sampled_from([20, 60]))
def test_steps_that_multiply(
    file: Path,
    text: str,
    table: list[list[str]],
    chosen: tuple[str, ...],
    seed: int,
    entries: int,
) -> None:
    if schema := parse(text):
        file.write_bytes(as_csv(table))
        check(schema, file, chosen, random.Random(seed), entries=entries)


WALKS = [
    "up*(a)",
    "up+(b) and not up+(a)",
    "(up.[not n])*(b) or row(7)",
    "(up|down)*(a and not n)",
    "((down.[a])|(up.[b]))*(n)",
    "down+(up+(a) and b)",
    "up+(not down+(b))",
    "down+(left(a))",
    "(down.[not b])*(a)",
    "(right.down)*(a)",
    "(left.down)*(b)",
    "down{2}(a) or up{2}(b)",
    "not up",
    "not down",
]
"""Walks that cross many rows, in both directions and with turns."""
tall = st.lists(
    st.lists(st.sampled_from(["a", "b", "1", "", "x"]), min_size=1, max_size=3),
    min_size=6,
    max_size=24,
)
walking = st.builds(
    lambda kind, rules, rows: "\n".join(
        [TOKENS, f"Blank Rows = {rows}", f"T <= {kind}", *rules, "unique(T)"]
    ),
    st.sampled_from(WALKS),
    st.lists(
        st.builds(
            "{} {} {}".format,
            st.sampled_from([*WALKS, "T", "down+(T)"]),
            st.sampled_from(["->", "=>", "|>"]),
            st.sampled_from(["(a|b|n|w)*", "(n, a)*", "a*, (b, n?)*, w*"]),
        ),
        min_size=1,
        max_size=2,
    ),
    st.sampled_from(["inner", "keep", "skip"]),
)


@settings(max_examples=300)
@given(walking, tall, st.sampled_from(WALKS), seeds)
def test_walks_over_many_waypoints(
    file: Path, text: str, table: list[list[str]], selector: str, seed: int
) -> None:
    if schema := parse(text):
        file.write_bytes(as_csv(table))
        check(schema, file, (selector,), random.Random(seed))


RULES = [
    "\na = a+\ntrue => (a | Any, Any)*\ncol(1) |> (a | Empty)*, Any?\ndown+(a) -> a*\n"
    "unique(a)\nunique-per-row(Empty)\nT <= right(a) or Missing\n",
    "\na = a+\nup+(a) -> (a | Empty)*\nleft(a) => (a, Any?)*\nnot down -> a*\nnot up -> Any{2}\n",
    "\na = a+\ntrue -> Any{2}\ncol(3) -> a\nrow(2) -> a*\nT <= down+(a)\n",
    "\nb = b\ncol(1) -> b\n",
]


@settings(max_examples=700)
@given(
    directives,
    st.sampled_from(RULES),
    st.lists(st.sampled_from(PIECES), max_size=30).map("".join),
    st.binary(max_size=3),
    st.sampled_from(sorted(PACKERS)),
    seeds,
)
def test_dialects_encodings_and_packings(
    file: Path, given: list[str], rules: str, text: str, broken: bytes, packing: str, seed: int
) -> None:
    schema = parse("\n".join(given) + rules)
    if schema is None:
        return
    data = text.encode(schema.core.dialect.encoding or "utf-8", "replace")
    middle = len(data) // 2
    file.write_bytes(PACKERS[packing](data[:middle] + broken + data[middle:]))
    check(schema, file, ("true and not Empty",), random.Random(seed))


@pytest.mark.parametrize("case", corpus(), ids=str)
def test_corpus(file: Path, case: Case) -> None:
    try:
        schema = sculpt.Schema.parse(case.schema, case.settings)
    except sculpt.SchemaError:
        return
    file.write_bytes(case.data)
    for seed in range(3):
        check(schema, file, ("true", "up*(row(2)) or left(Empty)"), random.Random(seed))
