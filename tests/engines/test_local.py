"""The local engine against the reference: generated schemas, tables, dialects and cuts."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sculpt
from agreement import ALL, BACKENDS, COMPILED, FORWARD, both, parse, schema_texts
from sculpt.automata import navigator
from sculpt.automata.pair_table import Pairs
from sculpt.core.task import Task
from sculpt.engines import local
from sculpt.engines.chunks.fold import Fold, prepare
from sculpt.engines.chunks.spans import start_of_row
from sculpt.engines.data import Data
from sculpt.engines.machines import Machines, build
from sculpt.engines.options import Options
from sculpt.engines.results.details import Details
from sculpt.engines.scan import lanes as partition_module
from sculpt.engines.walk.walk import Boundary, Walk, WalkResult, WidthNeededError
from sculpt.kernels import choice as backends
from sculpt.kernels.loops.walking.walk_arrays import W_DEPENDS
from sculpt.tabular.document import decode
from sculpt.tabular.grid import read_grid
from sculpt.tabular.inputs import Input
from sculpt.values import replace
from sculpt.verdict import Verdict
from strategies import PIECES, TOKENS, as_csv, directives, tables


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("local") / "data"


@settings(max_examples=1000)
@given(schema_texts(ALL), tables, st.integers(1, 30), st.sampled_from([1, 2]))
def test_any_schema(
    file: Path, text: str, table: list[list[str]], chunk: int, threads: int
) -> None:
    if schema := parse(text):
        file.write_bytes(as_csv(table))
        options = Options(chunk=chunk, threads=threads)
        ours, theirs = both(schema, file, options)
        assert ours == theirs
        selection = local.select(
            schema.core,
            dict(schema.core.tokens),
            str(file),
            schema.core.types["T"].selector,
            True,
            options,
        )
        assert selection == sculpt.api.select_cells(schema, file, "T", "reference", True)


@settings(max_examples=1000)
@given(schema_texts(FORWARD), tables, st.sampled_from([1, 2, 3, 5, 8, 13, 1000]))
def test_forward_schemas_in_chunks(
    file: Path, text: str, table: list[list[str]], chunk: int
) -> None:
    if schema := parse(text):
        file.write_bytes(as_csv(table))
        ours, theirs = both(schema, file, Options(chunk=chunk, threads=2))
        assert ours == theirs


@pytest.mark.parametrize("backend", COMPILED)
@settings(max_examples=40)
@given(schema_texts(ALL), tables, st.integers(1, 30))
def test_compiled_kernels(
    file: Path, backend: str, text: str, table: list[list[str]], chunk: int
) -> None:
    if schema := parse(text):
        file.write_bytes(as_csv(table))
        options = Options(chunk=chunk, threads=2, backend=BACKENDS[backend]())
        ours, theirs = both(schema, file, options)
        assert ours == theirs


@settings(max_examples=300)
@given(schema_texts(ALL), tables, st.integers(1, 30), st.integers(5, 40))
def test_steps_are_forgotten_when_there_are_too_many(
    file: Path, text: str, table: list[list[str]], chunk: int, steps: int
) -> None:
    if schema := parse(text):
        file.write_bytes(as_csv(table))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(navigator, "MAX_ENTRIES", steps)
            ours, theirs = both(schema, file, Options(chunk=chunk, threads=2))
        assert ours == theirs


# ------------------------------------------------------------- dialects

RULES = """
a = a+
e = .*é.*
blank = .* .*
true -> (a | e | blank | Any | "b b" | " b")*
row(2) -> a, Any*
col(2) -> a | Empty
true .>[;] (a | Empty)*
"""


@settings(max_examples=1500)
@given(
    directives,
    st.lists(st.sampled_from(PIECES), max_size=30).map("".join),
    st.binary(max_size=3),
    st.sampled_from([1, 2, 3, 7, 1000]),
)
def test_dialects(file: Path, given: list[str], text: str, broken: bytes, chunk: int) -> None:
    schema = parse("\n".join(given) + RULES)
    if schema is None:
        return
    encoding = schema.core.dialect.encoding or "utf-8"
    data = text.encode(encoding, "replace")
    middle = len(data) // 2
    file.write_bytes(data[:middle] + broken + data[middle:])
    ours, theirs = both(schema, file, Options(chunk=chunk, threads=2))
    assert ours == theirs


@pytest.mark.parametrize("backend", COMPILED)
@settings(max_examples=200)
@given(
    directives,
    st.lists(st.sampled_from(PIECES), min_size=20, max_size=120).map("".join),
    st.integers(4, 20),
    schema_texts(FORWARD),
    st.integers(60, 300),
)
def test_two_bytes_at_a_time(
    file: Path, backend: str, given: list[str], text: str, times: int, rules: str, chunk: int
) -> None:
    """Three lanes, which otherwise run only on large chunks, over text that repeats."""
    schema = parse("\n".join([*given, rules]))
    if schema is None:
        return
    file.write_bytes((text * times).encode(schema.core.dialect.encoding or "utf-8", "replace"))
    options = Options(chunk=chunk, threads=2, backend=BACKENDS[backend]())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(partition_module, "THREE_LANES", 24)
        ours, theirs = both(schema, file, options)
    assert ours == theirs


@pytest.mark.parametrize("backend", COMPILED)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_pairs_of_bytes_are_used(
    file: Path, monkeypatch: pytest.MonkeyPatch, end: str, backend: str
) -> None:
    """Empty cells, empty last cells, blank rows, quotes, letters and states that come late."""
    source = random.Random(end)
    cells = ["", "", "12", "3", '"a,b"', '"a""b"', "x"]
    rows = [",".join(source.choices(cells, k=6)) for _ in range(5_000)]
    rows[2_000:2_000] = ["", "", "é,€", '"1\n2",3']
    names = [f"name {n * n}" for n in range(150)]
    rows[4_000:4_000] = [f"1,2,3,4,5,{name}" for name in names]
    file.write_bytes(end.join([*rows, ""]).encode())
    shares: list[float] = []
    learn = Pairs.learn

    def learn_and_tell(self: Pairs, buffer: Any, begin: int, slow: float) -> None:
        shares.append(slow)
        learn(self, buffer, begin, slow)

    monkeypatch.setattr(Pairs, "learn", learn_and_tell)
    schema = sculpt.Schema.parse(
        "n = [0-9]+\ntrue -> (n | Empty | Text){6}\ncol(2) -> n?\ncol(6) => Any*\n"
        f"col(6) -> n | Empty | {' | '.join(map(repr, names))}\n".replace("'", '"')
    )
    options = Options(chunk=40_000, threads=2, backend=BACKENDS[backend]())
    ours, theirs = both(schema, file, options)
    assert ours == theirs
    assert len(shares) >= 2
    assert min(shares) < 0.6  # a row that ends in CR alone ends byte by byte


# ------------------------------------------------------------- cuts and compositions


@dataclass
class AnyCuts:
    """Cuts at any bytes, where a row need not begin."""

    begins: list[int]

    def at(self, number: int) -> int | None:
        return self.begins[number]

    def after(self, number: int) -> Iterator[int]:
        return iter(self.begins[number + 1 :])


def folded(
    machines: Machines,
    data: Data,
    cuts: list[int],
    assume: Callable[[list[Boundary | None]], Boundary | None],
    width: int | None = None,
) -> WalkResult:
    """Fold a file cut at bytes; `assume` picks one of the boundaries so far for each chunk."""
    fold = Fold(machines, 0, 1000, width)
    known: list[Boundary | None] = [None]
    starts = AnyCuts([0, *cuts])
    for number in range(len(starts.begins)):
        chunk = prepare(machines, data, starts, number, assume(known), 1000)
        assert chunk is not None
        fold.take(chunk)
        known.append(fold.walk.boundary())
    outcome = fold.finish()
    assert sum(chunk.count for chunk in outcome.chunks) == outcome.found.count
    return outcome.found


def cut_verdict(machines: Machines, file: Path, cuts: list[int], source: random.Random) -> Verdict:
    assume = source.choice([lambda known: known[-1], lambda known: source.choice(known)])
    with Input(str(file)) as opened:
        data = Data(opened, None)
        try:
            found = folded(machines, data, cuts, assume)
        except WidthNeededError:
            grid = read_grid(decode(file.read_bytes(), None), machines.task.schema.dialect)
            found = folded(machines, data, cuts, assume, max(grid.width, 1))
        return Details(machines, found, data).verdict(str(file), "reference", 1000)


CUT_SCHEMAS = [
    "col(a) -> n*\nrow(2) -> Any{2}\ntrue => (a | b | n | w | Missing)*\nunique(a)",
    "a = a+\nright*(a) -> a, Missing\ndown+(b) |> (n | w)*, b\nunique-per-row(Null)",
    "col(3) -> Number\ntrue -> Any{3}\nrow(1) => w*",
    "col(4) -> n",
    "true => (a, Any*)*\ncol(2) |> Any*\nunique(b)\nunique(Empty)",
    "down*(right*(b)) -> (b | n | Null)*\nrow(3) -> w*\n(4,1) -> a",
]


def cut_files(source: random.Random) -> bytes:
    def cell() -> str:
        text = source.choice(["a", "b", "aa", "1", "23", "", "x", "ab"])
        return f'"{text}\n{text}"' if source.random() < 0.1 else text

    height = source.randint(1, 8)
    narrow = source.choice([0, 0, height - 1])  # sometimes only the last row is wide
    widths = [source.randint(1, 1 if row < narrow else 4) for row in range(height)]
    rows = [[cell() for _ in range(width)] for width in widths]
    rows += [[""]] * source.randint(0, 2)
    end = source.choice(["\n", "\r\n", "\r"])
    return "".join(",".join(row) + end for row in rows).encode()


def disagreements(file: Path, seeds: range, stop_early: bool = False) -> int:
    """How many of these files, cut at random bytes, get a verdict that is wrong."""
    found = 0
    for seed in seeds:
        source = random.Random(seed)
        schema = sculpt.Schema.parse(TOKENS + source.choice(CUT_SCHEMAS).replace("a = a+\n", ""))
        data = cut_files(source)
        file.write_bytes(data)
        wanted = sculpt.validate(schema, file, engine="reference")
        task = Task.of_rules(schema.core)
        machines = build(task, "utf-8", backends.plain())
        for _ in range(4):
            cuts = sorted(source.randint(0, len(data)) for _ in range(source.randint(1, 5)))
            try:
                differs = cut_verdict(machines, file, cuts, source) != wanted
            except Exception:
                differs = True
                if not stop_early:
                    raise
            if differs:
                found += 1
                if stop_early:
                    return found
                raise AssertionError((seed, data, cuts, schema.source.text))
    return found


def test_cuts_with_true_and_false_assumptions(file: Path) -> None:
    assert disagreements(file, range(400)) == 0


@pytest.mark.parametrize("name", list(BACKENDS))
@pytest.mark.parametrize("text", CUT_SCHEMAS)
def test_a_cut_at_every_byte(file: Path, text: str, name: str) -> None:
    schema = sculpt.Schema.parse(TOKENS + text.replace("a = a+\n", ""))
    data = b'a,b\r\n1,"2\n3",x\r\n\r\nb\r\naa,,23,1\r\n\r\n'
    file.write_bytes(data)
    wanted = sculpt.validate(schema, file, engine="reference")
    task = Task.of_rules(schema.core)
    machines = build(task, "utf-8", BACKENDS[name]())
    for cut in range(len(data) + 1):
        assert cut_verdict(machines, file, [cut], random.Random(cut)) == wanted, cut


def _ends_anywhere(self: Fold, walk: Walk) -> bool:
    self.walk.flush()
    return walk.row > 0


def _without(field: str) -> Callable[[pytest.MonkeyPatch], None]:
    """Leave a field out of the comparison of boundaries, so any assumption about it passes."""

    def patch(monkeypatch: pytest.MonkeyPatch) -> None:
        real = Walk.boundary

        def boundary(self: Walk) -> Boundary:
            found = real(self)
            value: Any = field == "named_rows_done"
            return replace(found, **{field: value})

        monkeypatch.setattr(Walk, "boundary", boundary)

    return patch


def _no_width_guard(monkeypatch: pytest.MonkeyPatch) -> None:
    real = Walk.follow

    def follow(self: Walk, before: Walk) -> None:
        was, before.regs[W_DEPENDS] = int(before.regs[W_DEPENDS]), 0
        real(self, before)
        self.regs[W_DEPENDS] |= was

    monkeypatch.setattr(Walk, "follow", follow)


def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Walk, "flush", lambda self: self.waiting.clear())


def _no_first_row_check(monkeypatch: pytest.MonkeyPatch) -> None:
    real = Fold.take

    def take(self: Fold, chunk: Any) -> None:
        self.point = start_of_row(self.machines, chunk.begin)
        real(self, chunk)

    monkeypatch.setattr(Fold, "take", take)


MUTANTS: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "no assumption is checked": lambda m: m.setattr(Fold, "_ends_at", _ends_anywhere),
    "rows with a name are forgotten": _without("named_rows_done"),
    "carried states are forgotten": _without("carry"),
    "the width is not guarded": _no_width_guard,
    "blank rows do not wait": _no_waiting,
    "the row that is cut is dropped": _no_first_row_check,
}


@pytest.mark.parametrize("mutant", list(MUTANTS))
def test_a_wrong_composition_is_caught(
    file: Path, monkeypatch: pytest.MonkeyPatch, mutant: str
) -> None:
    MUTANTS[mutant](monkeypatch)
    assert disagreements(file, range(400), stop_early=True) == 1


# ------------------------------------------------------------- long tables


@pytest.mark.parametrize("name", list(BACKENDS))
@pytest.mark.parametrize("seed", range(6))
def test_long_tables_with_rare_events(file: Path, name: str, seed: int) -> None:
    """Steady rows, violations among them, headings further down, short and wide rows."""
    source = random.Random(seed)

    def row() -> str:
        kind = source.random()
        if kind < 0.03:
            return ",".join(source.choice(["Year", "City", "x"]) for _ in range(4))
        if kind < 0.06:
            return ",".join(["1"] * source.randint(1, 6))
        values = [str(source.randint(0, 99)) for _ in range(4)]
        if kind < 0.2:
            values[source.randrange(4)] = source.choice(["", "x", "-", "1.5"])
        return ",".join(values)

    file.write_text("Year,City,a,b\n" + "".join(row() + "\n" for _ in range(400)))
    schema = sculpt.Schema.parse(
        "n = [0-9]+\ncol(Year) -> n\ncol(City) -> (n | x)+\nright*(x) -> Any{1,3}\ncol(3) -> n\n"
        "true -> Any{4}\ncol(1) => (Year, (n | x)*)*\ncol(2) |> City, Any*\nunique-per-row(x)\n"
    )
    options = Options(chunk=200, threads=2, backend=BACKENDS[name]())
    ours, theirs = both(schema, file, options)
    assert ours == theirs
    assert ours.violation_count > 10


def test_only_the_first_violations_are_kept_and_all_are_counted(file: Path) -> None:
    file.write_text("x,x,x\n" * 500)
    schema = sculpt.Schema.parse("true -> Number*\ncol(2) -> Number\n")
    for chunk in (7, 100, 10_000):
        verdict = local.validate(schema.core, str(file), Options(5, 2, chunk))
        assert verdict.violation_count == 1000
        places = [(v.rule, v.row, v.column) for v in verdict.violations]
        assert places == [(1, 1, 1), (2, 1, 2), (1, 2, 1), (2, 2, 2), (1, 3, 1)]
