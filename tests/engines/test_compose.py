"""Files in chunks, cut at any byte: the same answer as in one piece, in at most V + 2 rounds."""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sculpt
from agreement import ALL, BACKENDS, FORWARD, parse, schema_texts
from sculpt.core.task import Task
from sculpt.engines.chunks import work as chunks
from sculpt.engines.chunks.compose import Chunk, InOrder, Outcome, compose, perform
from sculpt.engines.data import Data
from sculpt.engines.machines import Machines, build
from sculpt.engines.results.details import Details
from sculpt.engines.results.listing import Listing, RawRow
from sculpt.kernels import choice as backends
from sculpt.kernels.backend import Backend
from sculpt.tabular.inputs import Input
from sculpt.verdict import Verdict, Violation
from strategies import TOKENS, as_csv, tables


def machines_of(schema: sculpt.Schema, backend: Backend) -> Machines:
    core = pickle.loads(pickle.dumps(schema.core))  # as in another process
    return build(Task.of_rules(core), "utf-8", backend)


def run_in_chunks(
    schema: sculpt.Schema, file: Path, bases: Sequence[int], backend: Backend, limit: int = 1000
) -> tuple[Machines, Outcome | InOrder]:
    """Run all rounds; works are done by two sets of machines in turn."""
    machines = machines_of(schema, backend)
    workers = [machines_of(schema, backend) for _ in range(2)]
    with Input(str(file)) as source:
        opened = Data(source, None)
        rounds = compose(machines, len(bases), limit)
        works = next(rounds)
        while True:
            results = [
                pickle.loads(pickle.dumps(perform(work, workers[ix % 2], opened, bases, limit)))
                for ix, work in enumerate(works)
            ]
            try:
                works = pickle.loads(pickle.dumps(rounds.send(results)))
            except StopIteration as stop:
                return machines, stop.value


def verdict_of(machines: Machines, outcome: Outcome, file: Path, limit: int = 1000) -> Verdict:
    with Input(str(file)) as source:
        details = Details(machines, outcome.found, Data(source, None), outcome.lines)
        return details.verdict(str(file), "reference", limit)


def check(schema: sculpt.Schema, file: Path, bases: Sequence[int], backend: Backend) -> int:
    """Compare with the reference; returns the number of rounds, 0 if the file is read in order."""
    machines, outcome = run_in_chunks(schema, file, bases, backend)
    if isinstance(outcome, InOrder):
        assert outcome.rounds == 1
        return 0
    theirs = sculpt.validate(schema, file, engine="reference")
    ours = verdict_of(machines, outcome, file)
    assert ours == theirs
    assert [v.excerpt for v in ours.violations] == [v.excerpt for v in theirs.violations]
    assert outcome.rounds <= schema.explanation.strata + 2
    return outcome.rounds


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("compose") / "data"


def cut_anywhere(file: Path, seed: int) -> list[int]:
    size = file.stat().st_size
    places = range(1, max(2, size))
    return [0, *sorted(random.Random(seed).sample(places, min(len(places), 4)))]


@pytest.fixture
def head(request: pytest.FixtureRequest) -> Iterator[Callable[[int], None]]:
    """Set how many bytes of a file are used to guess the edges further down."""
    before = chunks.HEAD

    def put(size: int) -> None:
        chunks.HEAD = size

    yield put
    chunks.HEAD = before


some = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@settings(some, max_examples=300)
@given(schema_texts(FORWARD), tables, st.integers(0, 1 << 20))
def test_forward_schemas(
    head: Callable[[int], None], file: Path, text: str, table: list[list[str]], seed: int
) -> None:
    if schema := parse(text):
        file.write_bytes(as_csv(table))
        head(seed % 16)
        check(schema, file, cut_anywhere(file, seed), backends.plain())


@settings(some, max_examples=300)
@given(schema_texts(ALL), tables, st.integers(0, 1 << 20))
def test_any_schema(
    head: Callable[[int], None], file: Path, text: str, table: list[list[str]], seed: int
) -> None:
    if schema := parse(text):
        file.write_bytes(as_csv(table))
        head(seed % 16)
        check(schema, file, cut_anywhere(file, seed), backends.plain())


WALKS = [
    "down*(a)",
    "down+(a) and not down+(n)",
    "col(a) and not col(b)",
    "(down.[not b])*(a)",
    "(down.[not n])*(row(2))",
    "down{2}(a) or down(b)",
    "(down[a] | down[b].down)*(root)",
    "right*(down+(a))",
    "down*(right(down*(b)))",
    "(right.down)*(a)",
    "(down.(right|down)*)(a)",
    "down+(not down+(b) and a)",
    "down+(a and down+(n and down+(b)))",
    "not down*(not down*(a or root))",
    "up*(a)",
    "up+(b) and not up+(a)",
    "(up.[not n])*(b) or row(7)",
    "(up|down)*(a and not n)",
    "((down.[a])|(up.[b]))*(n)",
    "left*(a)",
    "down+(left(a))",
    "(down*.right.up*)(b)",
    "up+(not down+(b))",
    "down+(up+(a) and b)",
    "not up",
    "not down",
    "(left.down)*(b)",
]
CONTENTS = ["(a|b|n|w)*", "a*, (b, n?)*, w*", "Any{3,}", "(n, a)*", "b+", "(a | b, b)*, n*"]
cells_ = st.sampled_from(["a", "b", "1", "aa", "", "x", "b", "7"])
tall = st.lists(st.lists(cells_, min_size=1, max_size=4), min_size=4, max_size=24)
rules = st.builds(
    "{} {} {}".format,
    st.sampled_from([*WALKS, "T", "T and b", "down+(T)"]),
    st.sampled_from(["->", "=>", "|>", "|>"]),
    st.sampled_from(CONTENTS),
)
walking_schemas = st.builds(
    lambda kind, padding, rows, lines, uniques: "\n".join(
        [TOKENS, f"Padding = {padding}", f"Blank Rows = {rows}", f"T <= {kind}", *lines, *uniques]
    ),
    st.sampled_from(WALKS),
    st.sampled_from(["ragged", "strict"]),
    st.sampled_from(["inner", "keep", "skip"]),
    st.lists(rules, min_size=1, max_size=3),
    st.lists(st.sampled_from(["unique(a)", "unique(T)", "unique-per-row(b)"]), max_size=1),
)


@pytest.mark.parametrize("backend", BACKENDS)
@settings(some, max_examples=250)
@given(data=st.data())
def test_walks_over_many_chunks(
    head: Callable[[int], None], file: Path, backend: str, data: st.DataObject
) -> None:
    schema = parse(data.draw(walking_schemas))
    if schema is not None:
        file.write_bytes(as_csv(data.draw(tall)))
        head(data.draw(st.integers(0, 30)))
        bases = cut_anywhere(file, data.draw(st.integers(0, 1 << 20)))
        check(schema, file, bases, BACKENDS[backend]())


@pytest.mark.parametrize("backend", BACKENDS)
def test_more_states_at_edges_than_were_met(
    head: Callable[[int], None], file: Path, backend: str
) -> None:
    schema = parse(
        "a = a+\nb = [ab]\nn = [0-9]+\nw = [a-z]*\n"
        "down*(a) => a*, (b, n?)*, w*\n"
        "(down[a] | down[b].down)*(root) => Any{3,}\n"
        "(down.(right|down)*)(a) => Any{3,}\n"
        "true => (Any, Any, Any, Any, Any, Any, Any, Any, Any, Any, Any, Any)*\n"
    )
    assert schema is not None
    file.write_bytes(b"b,b\na,a,a\na\na\n")
    head(0)
    for place in range(4, 10):
        check(schema, file, [0, place, 10], BACKENDS[backend]())


# ------------------------------------------------------------- everything that was found


def listing_machines(schema: sculpt.Schema, backend: Backend) -> Machines:
    core = schema.core
    return build(Task.of_rules(core), "utf-8", backend, forgets=True)


def listed(
    schema: sculpt.Schema, file: Path, outcome: Outcome | None, theirs: Verdict
) -> tuple[list[Violation], list[RawRow], list[RawRow]]:
    """All violations, good rows and bad rows, of a whole file or of its chunks."""
    parts: Sequence[Chunk | None] = [None] if outcome is None else outcome.chunks
    all_bad = any(violation.row is None for violation in theirs.violations)
    found: list[Violation] = []
    good: list[RawRow] = []
    bad: list[RawRow] = []
    with Input(str(file)) as source:
        for part in parts:
            machines = listing_machines(schema, backends.plain())
            data = Data(source, None)
            listing = Listing(machines, data, theirs.columns, part, unmatched=theirs.unmatched)
            found += [each for batch in listing.violations() for each in batch]
            good += [each for batch in listing.rows(True, all_bad) for each in batch]
            bad += [each for batch in listing.rows(False, all_bad) for each in batch]
    return found, good, bad


@settings(some, max_examples=250)
@given(walking_schemas, tall, st.integers(0, 1 << 20), st.booleans())
def test_listing(
    head: Callable[[int], None],
    file: Path,
    text: str,
    table: list[list[str]],
    seed: int,
    is_cut: bool,
) -> None:
    schema = parse(text)
    if schema is None:
        return
    file.write_bytes(as_csv(table))
    head(seed % 30)
    outcome: Outcome | None = None
    if is_cut:
        _, ended = run_in_chunks(schema, file, cut_anywhere(file, seed), backends.plain(), 1)
        if isinstance(ended, InOrder):
            return
        outcome = ended
    theirs = sculpt.validate(schema, file, engine="reference", max_violations=10**6)
    found, good, bad = listed(schema, file, outcome, theirs)
    assert tuple(found) == theirs.violations
    grid = sculpt.read_table(schema, file)
    named = {violation.row for violation in theirs.violations}
    expected = {
        ix: grid.document.text[row.start : row.end].encode() for ix, row in enumerate(grid.rows, 1)
    }
    are_bad = set(expected) if None in named else named
    assert {each.row: each.raw for each in bad} == {r: expected[r] for r in are_bad if r}
    assert {each.row: each.raw for each in good} == {
        row: raw for row, raw in expected.items() if row not in are_bad
    }
    assert all(grid.rows[each.row - 1].start == each.offset for each in good + bad)


def test_what_is_beyond_the_table_needs_no_further_round(file: Path) -> None:
    """The head of a file is walked with its width; a chunk may take the table to be wider."""
    schema = parse("down+(right+(a)) -> Any*\n")
    assert schema is not None
    file.write_bytes(b"a,b,c\n" + b"1,2,3\n" * 200)
    assert check(schema, file, [0, 600], backends.plain()) == 1
