"""Tallies, coverage and heat: what every engine counts is what the reference counts."""

from __future__ import annotations

import pickle
import random
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sculpt
from agreement import ALL, BACKENDS, FORWARD, both, parse, schema_texts
from sculpt.core.task import Task
from sculpt.engines import local
from sculpt.engines.chunks import compose, merger, work
from sculpt.engines.chunks.compose import InOrder, Outcome, perform
from sculpt.engines.data import Data
from sculpt.engines.in_order import walk_in_order
from sculpt.engines.machines import build
from sculpt.engines.options import Options
from sculpt.engines.results.details import Details
from sculpt.engines.walk import counting
from sculpt.engines.walk.heat import HeatMap
from sculpt.engines.walk.walk import Walk, WidthNeededError
from sculpt.kernels import choice as backends
from sculpt.kernels.backend import Backend
from sculpt.kernels.loops.walking import steady
from sculpt.kernels.loops.walking.walk_arrays import W_STRAYS
from sculpt.schema import parse_selector_text
from sculpt.tabular.inputs import Input
from sculpt.values import replace
from sculpt.verdict import HEAT_COLUMNS, HEAT_ROWS, MAX_UNCHECKED, Coverage, Heat, Verdict
from strategies import TOKENS, as_csv, tables


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tallies") / "data"


# ------------------------------------------------------------- long tables


def long_table(source: random.Random, rows: int) -> bytes:
    """Rows that are alike, or do the same, for a while, then mixed; with notices; some wider."""
    cells = ["a", "b", "1", "22", "", "ab", "zz"]
    plain = [source.choice(cells) for _ in range(4)]
    lines: list[str] = []
    while len(lines) < rows:
        kind = source.choice(["alike", "alike", "same", "mixed", "ragged", "wider", "blank"])
        for _ in range(source.randint(1, 120 if kind == "same" else 60)):
            match kind:
                case "alike":
                    row = plain
                case "same":
                    row = [source.choice(["a", "b", "1"] if source.random() < 0.99 else cells)]
                    row += [source.choice(["1", "22"]) for _ in plain[1:]]
                case "mixed":
                    row = [source.choice(cells) for _ in plain]
                case "ragged":
                    row = plain[: source.randint(1, 4)]
                case "wider":
                    row = plain + [source.choice(cells)] * (len(lines) // 90)
                case _:
                    row = [""] * source.randint(1, 2)
            lines.append(",".join(row))
    return ("\n".join(lines) + "\n").encode()


LONG = [
    "true -> (a | b | n | Empty)*",
    "col(2) -> n | Empty\nright+(a) -> Any*\nunique-per-row(b)",
    "right*(down*(a)) -> Any*",
    "col(1) |> a*\ncol(3) .>[b] a*\ntrue => Any*",
    "row(7) -> Any*\n(3,2) -> a\ncol(9) -> Missing | n\nunique(w)",
    "Blank Rows = skip\nleft*(b) -> Any*\nnot row(1) -> w | Any*",
    "Padding = strict\ncol(5) -> n | a",
    "T <= down+(a)\ntrue -> (T | Any)*",
]


@pytest.mark.parametrize("name", list(BACKENDS))
@pytest.mark.parametrize("text", LONG)
def test_long_tables(file: Path, name: str, text: str) -> None:
    source = random.Random(f"{name} {text}")
    schema = sculpt.Schema.parse(f"{TOKENS}\n{text}")
    for _ in range(3):
        file.write_bytes(long_table(source, 400))
        chunk, threads = source.choice([50, 400, 1 << 20]), source.choice([1, 3])
        options = Options(backend=BACKENDS[name](), chunk=chunk, threads=threads)
        ours, theirs = both(schema, file, options)
        assert ours == theirs


MUTANTS = {
    "pairs are not taken back": ("_count_again", lambda *_: None),
    "rows are alike": ("_alike_rows", lambda rows, row, begun, stop: int(row < rows.rows)),
    "rows take the path": (
        "_rows_on_path",
        lambda rows, steady, regs, row: int(row < rows.rows),
    ),
    "no letter is a stray": (
        "_note_strays",
        lambda steady, regs: regs.__setitem__(W_STRAYS, len(steady.shorts)),
    ),
    "a new path has the strays of the old one": (
        "_note_path",
        lambda *given: keeping_strays(*given),
    ),
    "paths are not counted": ("_count_path", lambda *_: None),
}
note_path = steady._note_path


def keeping_strays(rows: Any, states: Any, regs: Any, *place: int) -> None:
    strays = regs[W_STRAYS]
    note_path(rows, states, regs, *place)
    regs[W_STRAYS] = strays


@pytest.mark.parametrize("mutant", list(MUTANTS))
def test_a_wrong_count_is_caught(file: Path, monkeypatch: pytest.MonkeyPatch, mutant: str) -> None:
    monkeypatch.setattr(steady, *MUTANTS[mutant])
    options, caught = Options(backend=backends.plain()), False
    for text, seed in product(LONG[:2], range(5)):
        schema = sculpt.Schema.parse(f"{TOKENS}\n{text}")
        file.write_bytes(long_table(random.Random(seed), 400))
        theirs = sculpt.validate(schema, file, engine="reference")
        ours = local.validate(schema.core, str(file), options)
        caught = caught or ours != replace(theirs, engine="local")
    assert caught


def test_a_table_that_grows_wider_all_the_time(file: Path) -> None:
    """Cells beyond the width so far turn out to be cells of the table."""
    source = random.Random(5)
    for text in ("right*(a) -> Any*", "true -> Any*", "right*(a) -> Any*\ncol(9) -> Any*"):
        schema = sculpt.Schema.parse(f"{TOKENS}\n{text}")
        for _ in range(10):
            width, lines = 1, list[str]()
            for _ in range(60):
                width += source.random() < 0.2
                cells = [source.choice(["a", "1"]) for _ in range(source.randint(1, width))]
                lines += [",".join(cells)] * source.randint(1, 4)
            file.write_text("\n".join(lines) + "\n")
            chunk, threads = source.choice([20, 90, 1 << 20]), source.choice([1, 2])
            ours, theirs = both(schema, file, Options(chunk=chunk, threads=threads))
            assert ours == theirs


# ------------------------------------------------------------- where violations are


def in_chunks(
    schema: sculpt.Schema, file: Path, bases: Sequence[int], backend: Backend
) -> tuple[Verdict | None, int]:
    """The verdict of the composition, and its rounds; `None` if the file is read in order."""
    machines = build(Task.of_rules(schema.core), "utf-8", backend)
    with Input(str(file)) as source:
        data = Data(source, None)
        rounds = compose.compose(machines, len(bases), 1000)
        works = next(rounds)
        while True:
            results = [perform(each, machines, data, bases, 1000) for each in works]
            try:
                works = rounds.send(pickle.loads(pickle.dumps(results)))
            except StopIteration as stop:
                outcome: Outcome | InOrder = stop.value
                break
        if isinstance(outcome, InOrder):
            return None, outcome.rounds
        details = Details(machines, outcome.found, data, outcome.lines)
        return details.verdict(str(file), "reference", 1000), outcome.rounds


def many_violations(source: random.Random, rows: int, columns: int) -> bytes:
    lines = (
        ",".join("x" if source.random() < 0.2 else "1" for _ in range(source.randint(1, columns)))
        for _ in range(rows)
    )
    return ("\n".join(lines) + "\n").encode()


@pytest.mark.parametrize("name", list(BACKENDS))
@pytest.mark.parametrize(("rows", "columns"), [(3000, 3), (20, 700), (300, 70), (1, 1)])
def test_heat_of_large_tables(
    file: Path, monkeypatch: pytest.MonkeyPatch, name: str, rows: int, columns: int
) -> None:
    """Buckets have several rows or columns; logs are emptied, kept, or too long to send."""
    monkeypatch.setattr(counting, "LOG_ROOM", 32)
    monkeypatch.setattr(work, "MAX_PLACES", 40)
    schema = sculpt.Schema.parse("true .>[;] Number\ntrue -> Number*\ncol(2) |> Number, Number")
    content = many_violations(random.Random(rows), rows, columns)
    file.write_bytes(content)
    backend = BACKENDS[name]()
    ours, theirs = both(schema, file, Options(backend=backend, chunk=1500, threads=2))
    assert ours == theirs
    buckets = [(row, column) for row, column, _ in theirs.heat.counts]
    assert all(row < HEAT_ROWS and column <= HEAT_COLUMNS for row, column in buckets)
    assert sum(count for *_, count in theirs.heat.counts) == theirs.violation_count
    pieces, _ = in_chunks(schema, file, range(0, len(content), 2000), backend)
    assert pieces == theirs


def test_places_that_are_not_sent_cost_one_more_round(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    schema = sculpt.Schema.parse("col(1) -> Number")
    file.write_bytes(b"1,1\n" * 200 + b"x,1\n" * 100 + b"1,1\n" * 200)
    bases = range(0, 2000, 400)
    theirs = sculpt.validate(schema, file, engine="reference")
    assert in_chunks(schema, file, bases, backends.plain()) == (theirs, 1)
    monkeypatch.setattr(counting, "LOG_ROOM", 16)
    monkeypatch.setattr(work, "MAX_PLACES", 16)
    assert in_chunks(schema, file, bases, backends.plain()) == (theirs, 2)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(st.integers(1, 3000), st.integers(0, 300)), max_size=40),
    st.lists(st.tuples(st.integers(1, 3000), st.integers(1, 300), st.integers(0, 90)), max_size=3),
    st.integers(0, 40),
)
def test_heats_of_parts_add_up(
    places: list[tuple[int, int]], ranges: list[tuple[int, int, int]], cut: int
) -> None:
    backend = backends.plain()
    everywhere = [*places]
    for row, first, more in ranges:
        everywhere += [(row, column) for column in range(first, first + more + 1)]
    whole, parts = HeatMap(backend), HeatMap(backend)
    whole.add_places([n for place in everywhere for n in place], len(everywhere), 0)
    for some in (places[:cut], places[cut:]):
        part = HeatMap(backend)
        part.add_places([n for row, column in some for n in (row - 7, column)], len(some), 7)
        parts.add(part.heat())
    for row, first, more in ranges:
        parts.add_columns(row, first, first + more)
    assert parts.heat(3000, 400) == whole.heat(3000, 400)
    step_of_rows, step_of_columns = (
        whole.heat(3000, 400).row_step,
        whole.heat(3000, 400).column_step,
    )
    assert (step_of_rows, step_of_columns) == (16, 8)


# ------------------------------------------------------------- coverage


@pytest.mark.parametrize("name", list(BACKENDS))
def test_the_first_unchecked_cells(file: Path, name: str) -> None:
    """At most a hundred are kept, whichever chunks they are in; all are counted."""
    schema = sculpt.Schema.parse(f"{TOKENS}\ncol(1) -> a | n | w | Any")
    source = random.Random(name)
    for density in (0.02, 0.3, 1.0):
        rows = [
            ",".join(["1", source.choice(["", '""', "' '"]) if source.random() > density else "y"])
            for _ in range(700)
        ]
        file.write_text("\n".join(rows) + "\n")
        backend = BACKENDS[name]()
        ours, theirs = both(schema, file, Options(backend=backend, chunk=300, threads=2))
        assert ours == theirs
        missed = theirs.coverage.cells - theirs.coverage.checked
        assert len(theirs.coverage.unchecked) == min(MAX_UNCHECKED, missed)
        assert missed > MAX_UNCHECKED or density == 0.02
        pieces, _ = in_chunks(schema, file, range(0, len("\n".join(rows)), 500), backend)
        assert pieces == theirs


def test_texts_of_unchecked_cells_are_cut(file: Path) -> None:
    file.write_text(f'1,"{"long " * 50_000}",x\n')
    ours, theirs = both(sculpt.Schema.parse("col(1) -> Number"), file, Options())
    assert ours.coverage == theirs.coverage
    assert [len(each.text) for each in ours.coverage.unchecked] == [200, 1]


# ------------------------------------------------------------- what is not counted in one walk


@settings(max_examples=100)
@given(schema_texts(ALL), tables, st.integers(1, 30))
def test_without_counts_the_verdict_is_the_same(
    file: Path, text: str, table: list[list[str]], chunk: int
) -> None:
    if schema := parse(text):
        file.write_bytes(as_csv(table))
        whole = local.validate(schema.core, str(file), Options(chunk=chunk))
        some = local.validate(schema.core, str(file), Options(chunk=chunk, coverage=False))
        none = local.validate(schema.core, str(file), Options(chunk=chunk, tallies=False))
        assert some == replace(whole, coverage=Coverage())
        assert none == replace(some, rules=(), structure=(), heat=Heat())


@settings(max_examples=200)
@given(schema_texts(FORWARD), tables, st.integers(1, 30))
def test_cells_of_selectors_are_counted(
    file: Path, text: str, table: list[list[str]], chunk: int
) -> None:
    """Selectors whose cells are counted, beside the rules, in one walk."""
    schema = parse(text)
    if not schema:
        return
    file.write_bytes(as_csv(table))
    counted = tuple(
        parse_selector_text(schema, selector)[1] for selector in ("T", "right*(a)", "true")
    )
    task = replace(Task.of_rules(schema.core), counted=counted)
    machines = build(task, "utf-8", backends.plain())
    walk = Walk(machines, 0, tallies=True)
    width = max((len(row) for row in table), default=0)
    if chunk % 2:
        walk.fix_width(width)
    with Input(str(file)) as source:
        try:
            for _ in walk_in_order(machines, Data(source, None), Options(chunk=chunk), walk):
                pass
        except WidthNeededError:
            return
    found = walk.result()
    assert found.tallies is not None
    cells = [len(sculpt.select(schema, file, s, engine="reference")) for s in ("T", "right*(a)")]
    assert found.tallies.counted_in(found.width)[:2] == cells
    assert found.tallies.counted_in(found.width)[2] == found.rows * found.width


# ------------------------------------------------------------- nothing is checked


@pytest.mark.parametrize(
    ("text", "data", "message"),
    [
        ("", "a,b\n", "no cell was checked: the schema has no rules"),
        ("", "", "no cell was checked: the schema has no rules"),
        ("col(x) -> Number", "a,b\n", "no cell was checked: no rule selects any"),
        ("true -> Any", "", "no cell was checked: no rule selects any"),
        ("unique(x)", "a\n", "no cell was checked: no constraint selects any"),
        (
            "col(x) -> Number\nunique(x)",
            "a\n",
            "no cell was checked: no rule and no constraint selects any",
        ),
        ("unique(a)\ncol(x) -> Number", "a\n", None),
        ("col(2) and Missing -> ()", "a,b\nc\n", None),
    ],
)
def test_nothing_is_checked(file: Path, text: str, data: str, message: str | None) -> None:
    file.write_text(data)
    ours, theirs = both(sculpt.Schema.parse(text), file, Options())
    assert ours == theirs
    found = [(w.rule, w.line, w.message) for w in ours.warnings if w.code == "nothing-checked"]
    assert found == ([(None, None, message)] if message else [])
    assert ours.valid


@pytest.mark.parametrize(
    ("owner", "name", "value"),
    [
        (merger.Merger, "_add_found", lambda self, hits: None),
        (merger.Merger, "_add_counts", lambda self, result, shift: None),
    ],
)
def test_a_wrong_sum_is_caught(
    file: Path, monkeypatch: pytest.MonkeyPatch, owner: type, name: str, value: object
) -> None:
    schema = sculpt.Schema.parse("true => Number*\nunique(1)")
    file.write_bytes(b"1\n2\n1\nx\n3\n1\n" * 3)
    theirs = sculpt.validate(schema, file, engine="reference")
    assert in_chunks(schema, file, range(0, 36, 7), backends.plain())[0] == theirs
    monkeypatch.setattr(owner, name, value)
    assert in_chunks(schema, file, range(0, 36, 7), backends.plain())[0] != theirs
