"""Programs on the engines: whatever the cut, the streams and findings of the reference."""

from __future__ import annotations

import pickle
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sculpt
from agreement import BACKENDS
from sculpt.automata.cells import Task
from sculpt.core import ir
from sculpt.core.programs import Reach
from sculpt.engines.compose import InOrder, compose, perform
from sculpt.engines.data import Data
from sculpt.engines.local import Options
from sculpt.engines.marking import Marker
from sculpt.engines.program import build
from sculpt.syntax.printer import print_selector
from sculpt.tabular.source import Input
from sculpt.transform.arrow_types import arrow_schema
from sculpt.transform.findings import Findings
from sculpt.transform.local import Policy, TableRun
from sculpt.transform.parquet import plain_batch
from sculpt.transform.running import Execution
from strategies import selectors

TOKENS = """\
a = a
n = -?[0-9]+(?:"."[0-9]+)?
w = ([a-z])([a-z]*)
T <= n or a
namespace default = http://example.org/x
mapping M = { "a": "first", "b": "second" }
"""
CELLS = st.sampled_from(
    ["a", "b", "ab", "1", "22", "-3.50", "0.125", "", "", "x;y", "1e3", "é", '"q,r"', " 7 "]
)
TABLES = st.lists(st.lists(CELLS, min_size=1, max_size=4), max_size=6)
AXES: Any = ("up", "down", "left", "right", "cell", "row", "col")
REGIONS = st.one_of(
    st.sampled_from(["a", "n", "w", "T", "true", "row(1)", "col(1)", "n and col(2)", "row(2)"]),
    selectors(axes=AXES, types=("T",), depth=1).map(print_selector),
)
PATHS = [
    "left",
    "up",
    "left*.[a]",
    "up.([not n].up)*.[n]",
    "(left|up)*.[a]",
    "right+",
    "(up|right)*.[T].up?",
    "down",
    "(left|right)*.[n]",
]


@st.composite
def look_ups(draw: st.DrawFn, cell: str) -> str:
    direction = draw(st.sampled_from(["up", "down", "left", "right"]))
    region = draw(REGIONS)
    kind = draw(st.sampled_from(["directly", "closest", "within", "path"]))
    if kind == "path":
        return f"{draw(st.sampled_from(PATHS))}({cell})"
    if kind == "within":
        before, after = draw(st.integers(0, 2)), draw(st.integers(0, 2))
        return f"within({direction}, {before}, {after}, {region}, {cell})"
    return f"{kind}({direction}, {region}, {cell})"


@st.composite
def values(draw: st.DrawFn, kind: str, depth: int = 2) -> str:
    cell = {"cell": "it", "row": f"it.cells[{draw(st.integers(1, 3))}]"}.get(
        kind, f"it.cells[{draw(st.integers(1, 2))}]"
    )
    plain = [f"{cell}.content", f"{cell}.raw", f"{cell}.row", f"{cell}.column", '"t"', "12", "1.50"]
    if kind == "none":
        plain = ['"t"', "7"]
    choices = [st.sampled_from(plain)]
    if kind in ("cell", "row"):
        choices += [look_ups(cell), look_ups(cell).map(lambda text: f"{text}.row")]
        choices.append(look_ups(cell).map(lambda text: f'{text} all("+")'))
    if kind in ("row", "column", "cell"):
        choices.append(st.sampled_from(["Sum", "Average", "Count", "Min", "Max", "Median"])
                       .map(lambda f: f"{f}(it)"))  # fmt: skip
    choices.append(
        st.builds(
            lambda f, r: f"{f}({r})",
            st.sampled_from(["Sum", "Average", "Count", "Median"]),
            REGIONS,
        )
    )
    value = draw(st.one_of(choices))
    if depth == 0 or draw(st.booleans()):
        return value
    inner = draw(values(kind, 0))
    return draw(
        st.sampled_from(
            [
                f"upper({inner})",
                f'replace({inner}, "a", "bb")',
                f'split({inner}, ";", 2) optional("none")',
                f'split({inner}, ";", 1)',
                f"capture({inner}, w, 2)",
                f"map({inner}, M)",
                f'map({inner}, M) optional("?")',
                f"iri(default, {inner})",
                f'({inner} + "-" + {inner})',
            ]
        )
    )


FIELD_TYPES = ["", " as xs:decimal", " as xs:integer", " as xs:double", " as xs:decimal(6,2)"]


@st.composite
def fields(draw: st.DrawFn, kind: str) -> str:
    value = draw(values(kind))
    if value.endswith(")") and " all(" in value:
        return value
    to = draw(st.sampled_from(FIELD_TYPES))
    if not to:
        return value
    return f"{value}{to}" + draw(st.sampled_from(["", " optional", " optional(0)"]))


@st.composite
def loops(draw: st.DrawFn, number: int) -> str:
    kind = draw(st.sampled_from(["cell", "cell", "row", "column"]))
    actions = [f"print {draw(values(kind))}"]
    named = ", ".join(f"f{ix}: {draw(fields(kind))}" for ix in range(draw(st.integers(1, 3))))
    actions.append(f"emit Own{number}({named})")
    if kind == "cell":
        actions.append(f"annotate it with {draw(values(kind))}")
        actions.append("it.namespace = default")
        actions.append("emit Shared(row: it.row, said: it.content)")
    if kind == "row":
        actions.append("emit Shared(row: it.row, said: it.cells[1].content)")
    body = "\n".join(draw(st.permutations(actions)))
    return f"For each {kind} it in {draw(REGIONS)} {{\n{body}\n}}"


@st.composite
def schemas(draw: st.DrawFn) -> str:
    lone = [f"print {draw(values('none'))}"] if draw(st.booleans()) else []
    several = [draw(loops(number)) for number in range(draw(st.integers(1, 2)))]
    return TOKENS + "\n".join([*lone, *several]) + "\n"


def written(path: Path, table: list[list[str]]) -> Path:
    path.write_text("".join(",".join(row) + "\n" for row in table), encoding="utf-8")
    return path


def results(run: TableRun, limit: int = 10**6) -> tuple[list[list[Any]], list[Any], int]:
    """The streams, the findings without their words, and how many there are."""
    program = run.program
    findings = Findings(limit)
    run.findings = findings
    verdict = run.validate()
    streams: list[list[Any]] = [[] for _ in program.streams]
    for stream, batch in run.batches(verdict, frozenset(range(len(program.streams)))):
        schema = arrow_schema(program.streams[stream])
        streams[stream] += plain_batch(batch, schema).to_pylist()
    found = [
        (f.code, f.line, f.row or 0, f.column or 0, f.found or "") for f in findings.violations
    ]
    return streams, found, findings.count


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("programs") / "table.csv"


def check(text: str, file: Path, table: list[list[str]], cells: int, backend: str) -> None:
    schema = sculpt.Schema.parse(text)
    path = str(written(file, table))
    policy = Policy.FORCE
    expected = results(TableRun(schema, path, policy, "reference"))
    options = Options(backend=BACKENDS[backend](), threads=1 + cells % 2)
    found = results(TableRun(schema, path, policy, "local", options, strip=cells))
    assert found[0] == expected[0]
    assert found[1:] == expected[1:]
    few = results(TableRun(schema, path, policy, "local", options, strip=cells), limit=3)
    assert few == (expected[0], expected[1][:3], expected[2])


@given(schemas(), TABLES, st.integers(1, 12))
@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_cut(file: Path, text: str, table: list[list[str]], cells: int) -> None:
    check(text, file, table, cells, "plain")


@given(schemas(), TABLES, st.integers(1, 12))
@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
def test_compiled_kernels(file: Path, text: str, table: list[list[str]], cells: int) -> None:
    check(text, file, table, cells, "compiled")


@given(schemas(), TABLES, st.integers(1, 12))
@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
def test_only_good_rows(file: Path, text: str, table: list[list[str]], cells: int) -> None:
    schema = sculpt.Schema.parse(text + "col(1) -> a | n | Empty\n")
    path = str(written(file, table))
    expected = results(TableRun(schema, path, Policy.GOOD_ROWS, "reference"))
    found = results(TableRun(schema, path, Policy.GOOD_ROWS, "local", strip=cells))
    assert found == expected


def in_chunks(schema: sculpt.Schema, file: Path, bases: list[int]) -> Any:
    """The streams and findings of a file that is cut, each chunk worked on by itself."""
    program = schema.program
    assert program is not None
    core = ir.CoreSchema(schema.core.dialect, program.tokens, schema.core.types, (), ())
    task = Task(core, (), (), program.regions, defects=False)
    compiled = build(task, "utf-8", BACKENDS["plain"](), forgets=True)
    with Input(str(file)) as source:
        data = Data(source, None)
        rounds = compose(compiled, len(bases), 0)
        works = next(rounds)
        while True:
            try:
                works = rounds.send([perform(work, compiled, data, bases, 0) for work in works])
            except StopIteration as stop:
                outcome = stop.value
                break
        if isinstance(outcome, InOrder):
            return None
        findings = Findings(10**6)
        width = outcome.found.width
        executions = [
            Execution(program, Marker(compiled, data, width, piece, cells=3), str(file), findings)
            for piece in outcome.pieces
        ]
        reaches = (Reach.ABOVE, Reach.BELOW, Reach.COLUMNS)
        parts = [pickle.loads(pickle.dumps(each.summary(reaches))) for each in executions]
        summariser = executions[0].summariser
        total = summariser.empty()
        for part in pickle.loads(pickle.dumps(parts)):
            total = summariser.merged(total, part)
        streams: list[list[Any]] = [[] for _ in program.streams]
        around = zip(executions, summariser.around(parts), strict=True)
        made = [each.batches(total, above, below) for each, (above, below) in around]
        for batches in [*made, executions[0].final(total)]:
            for stream, batch in batches:
                rows = plain_batch(batch, arrow_schema(program.streams[stream])).to_pylist()
                streams[stream] += rows
    found = [
        (f.code, f.line, f.row or 0, f.column or 0, f.found or "") for f in findings.violations
    ]
    return streams, found, findings.count


@given(schemas(), TABLES, st.integers(0, 1 << 20))
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_chunks_cut_anywhere(file: Path, text: str, table: list[list[str]], seed: int) -> None:
    schema = sculpt.Schema.parse(text)
    path = written(file, table)
    program = schema.program
    assert program is not None
    size = path.stat().st_size
    places = random.Random(seed).sample(range(1, max(2, size)), min(3, max(1, size - 1)))
    if not table or program.needs_whole:
        return
    expected = results(TableRun(schema, str(path), Policy.FORCE, "reference"))
    found = in_chunks(schema, path, [0, *sorted(places)])
    if found is not None:
        assert found == expected
