"""MachineStore on the engines: what is generated, and how their results are compared."""

from __future__ import annotations

import pickle
from collections.abc import Iterable
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias

from hypothesis import strategies as st

import sculpt
from agreement import BACKENDS
from sculpt.core.programs.look_ups import Reach
from sculpt.core.programs.program import CoreProgram
from sculpt.engines.chunks.compose import InOrder, compose, perform
from sculpt.engines.chunks.cuts import can_be_cut
from sculpt.engines.data import Data
from sculpt.engines.machines import build
from sculpt.engines.regions.marker import Marker
from sculpt.syntax.printer import print_selector
from sculpt.tabular.inputs import Input
from sculpt.transform.arrow_types import arrow_schema
from sculpt.transform.evaluation.execution import Batch, Execution
from sculpt.transform.evaluation.findings import Findings
from sculpt.transform.local import TableRun, marking_task
from sculpt.transform.writers.parquet import plain_batch
from sculpt.verdict import Verdict
from strategies import selectors

Facts: TypeAlias = tuple[list[list[Any]], list[Any], int]
"""The streams of a program, its findings, and how many there are."""

TOKENS = """\
a = a
n = -?[0-9]+(?:"."[0-9]+)?
w = ([a-z])([a-z]*)
money := Number("£#,##0.00") >= 5
gap := "a" or Empty
paid := money or gap
number := Number or money
whole := -5 <= Integer <= 99 or gap
day := Date("d MMM yyyy") >= 2000-01-01 or Date
parts := list(/[a-z]/ or gap, ";") or "1"
word := w and length(Text) <= 2
T <= n or a
namespace default = http://example.org/x
mapping M = { "a": "first", "b": "second" }
"""
CELLS = st.sampled_from(
    [
        *["a", "b", "ab", "1", "22", "-3.50", "0.125", "", "", "x;y", "1e3", "é", '"q,r"', " 7 "],
        *['"£1,234.50"', "£7.00", "£7", "£4.99", "3 Mar 2014", "1 Feb 1999", "2014-03-01"],
        *["p/q.r", "%C3%A9", "50%"],
    ]
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
IRIS = ("subject", "predicate")
FIELD_NAMES = st.one_of(
    st.integers(1, 3).map(lambda count: [f"f{ix}" for ix in range(count)]),
    st.sampled_from([['"Area code"', '"x,\\"\\n"'], ["subject", "predicate", "object"]]),
)
DIRECTIONS = st.sampled_from(["up", "down", "left", "right"])
AGGREGATES = ["Sum", "Average", "Count", "Min", "Max", "Median"]
FIELD_TYPES = [
    *["", "", "", "xs:decimal", "xs:decimal", "xs:integer", "xs:double", "xs:decimal(6,2)", "Date"],
    *["xs:decimal(38,0)", "xs:decimal(38,38)", "xs:byte", "xs:unsignedLong", "xs:negativeInteger"],
    *["Number", "xs:float", "xs:boolean", "Boolean", "xs:date", "xs:dateTime", "xs:dateTimeStamp"],
    *["xs:time", "xs:hexBinary", "xs:base64Binary", "xs:anyURI", "xs:gYear", "xs:duration"],
    *["paid", "money", "number", "whole", "day", "parts", "word"],
    *["Text", "xs:token", "xs:language", "Integer", "String", "xs:short", "xs:decimal(18,18)"],
]
NUMERIC = (
    "paid",
    "money",
    "number",
    "whole",
    "xs:decimal",
    "xs:integer",
    "xs:double",
    "Number",
    "Integer",
    "xs:float",
    "xs:short",
)


@cache
@st.composite
def look_ups(draw: st.DrawFn, cell: str) -> str:
    """A look-up; some start from a cell that another one finds."""
    if draw(st.integers(0, 9)) == 0:
        policy = draw(st.sampled_from(["", " one"]))
        return draw(_look_ups(draw(_look_ups(cell)) + policy))
    return draw(_look_ups(cell))


@cache
@st.composite
def _look_ups(draw: st.DrawFn, cell: str) -> str:
    kind = draw(st.sampled_from(["directly", "closest", "within", "path"]))
    if kind == "path":
        return f"{draw(st.sampled_from(PATHS))}({cell})"
    sides = ""
    if kind == "within":
        sides = f" {draw(st.integers(0, 2))}, {draw(st.integers(0, 2))},"
    return f"{kind}({draw(DIRECTIONS)},{sides} {draw(REGIONS)}, {cell})"


@cache
def plain_values(kind: str, cell: str) -> st.SearchStrategy[str]:
    """Values that no function makes."""
    plain = [f"{cell}.content", f"{cell}.raw", f"{cell}.row", f"{cell}.column", '"t"', "12", "1.50"]
    if kind == "none":
        plain = ['"t"', "7"]
    choices = [st.sampled_from(plain)]
    if kind in ("cell", "row"):
        choices += [look_ups(cell), look_ups(cell).map(lambda text: f"{text}.row")]
        choices.append(look_ups(cell).map(lambda text: f'{text} all("+")'))
        choices.append(look_ups(cell).map(lambda text: f"{text} optional"))
        choices.append(look_ups(cell).map(lambda text: f"upper({text} one) optional"))
    choices.append(REGIONS.map(lambda region: f"Only({region}) optional"))
    choices.append(REGIONS.map(lambda region: f"Only({region})"))
    if kind in ("row", "column"):
        choices.append(REGIONS.map(lambda region: f"it[{region}] optional"))
        choices.append(REGIONS.map(lambda region: f"it[{region}].raw"))
    if kind == "row":
        choices.append(REGIONS.map(lambda region: f'it[{region}] all("+")'))
    if kind != "none":
        choices.append(st.sampled_from(AGGREGATES).map(lambda f: f"{f}(it)"))
    choices.append(
        st.builds(lambda f, r: f"{f}({r})", st.sampled_from(AGGREGATES), REGIONS),
    )
    return st.one_of(choices)


@cache
@st.composite
def conditions(draw: st.DrawFn, kind: str, depth: int = 2) -> str:
    """A condition about the cells of a loop, or about nothing."""
    form = draw(st.integers(0, 11 if depth else 7))
    if form == 8:
        return f"not {draw(conditions(kind, depth - 1))}"
    if form in (9, 10):
        joins = draw(st.sampled_from(["and", "or"]))
        return f"({draw(conditions(kind, depth - 1))}) {joins} {draw(conditions(kind, depth - 1))}"
    if form == 11:
        several = [draw(conditions(kind, depth - 1)) for _ in range(3)]
        otherwise = f" else ({several[2]})" if draw(st.booleans()) else ""
        return f"(if {several[0]} then ({several[1]}){otherwise})"
    relation = draw(st.sampled_from(["<", "<=", ">", ">=", "=", "!="]))
    if kind == "none":
        return f"Count({draw(REGIONS)}) {relation} {draw(st.integers(0, 3))}"
    cell = "it" if kind == "cell" else f"it.cells[{draw(st.integers(1, 2))}]"
    if draw(st.integers(0, 3)) == 0:
        cell = f"Only({draw(REGIONS)})" if kind == "cell" else f"it[{draw(REGIONS)}]"
    is_far = cell.startswith("Only")
    is_still = kind == "column" or is_far
    found = cell if is_still else draw(st.one_of(st.just(cell), look_ups(cell)))
    optional = draw(st.sampled_from(["", " optional"])) if found != cell else ""
    match form:
        case 0:
            asked = draw(st.sampled_from(["is", "is not"]))
            return f"{found}{optional} {asked} {draw(st.sampled_from(['a', 'n', 'T', 'Text']))}"
        case 1:
            return f"{found}{optional} {draw(st.sampled_from(['in', 'not in']))} M"
        case 2:
            to = draw(st.sampled_from(["xs:decimal", "Number", "xs:integer", "xs:decimal(38,0)"]))
            policy = draw(st.sampled_from(["", " optional"]))
            return f"{found} as {to}{policy} {relation} {draw(st.sampled_from(['1', '-3', '22']))}"
        case 3:
            return f"{found} as xs:decimal(6,2) optional {relation} {cell} as Integer optional"
        case 4:
            return f"{found}{optional} {relation} {cell}"
        case 5:
            test = draw(st.sampled_from(["contains", "starts", "ends"]))
            part = draw(
                st.sampled_from(['""', '"a"', '"é"', '";y"', f"{cell}.raw", "upper(it.file)"])
            )
            return f"{test}({found}{optional}, {part})"
        case 6:
            to, bound = draw(
                st.sampled_from([("paid", "7"), ("day", '"2014-03-01"'), ("number", "5")])
            )
            return f"{found} as {to} optional {relation} {bound}"
    return f'{found}{optional} {relation} "{draw(st.sampled_from(["a", "ab", "é", ""]))}"'


@cache
@st.composite
def requirements(draw: st.DrawFn) -> str:
    """A schema with `require`s, in loops and on their own."""
    statements = []
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.sampled_from(["cell", "row", "row", "column", "none"]))
        body = [draw(_requires(kind)) for _ in range(draw(st.integers(1, 2)))]
        if kind == "none":
            statements += body
            continue
        if draw(st.booleans()):
            body.insert(0, f'let this = {draw(values(kind))} + ""')
            body.append('require(this != "t" and this != "a")')
        lines = "\n".join([*body, f"print {draw(values(kind))}"])
        statements.append(f"For each {kind} it in {draw(REGIONS)} {{\n{lines}\n}}")
    return TOKENS + "\n".join(statements) + "\n"


@cache
@st.composite
def _requires(draw: st.DrawFn, kind: str) -> str:
    form = draw(st.integers(0, 3))
    condition = draw(conditions(kind))
    if form == 0:
        function = draw(st.sampled_from(AGGREGATES))
        condition = f"{function}({draw(REGIONS)}) <= Only({draw(REGIONS)})"
    elif form == 1:
        condition = (
            f"({condition}) {draw(st.sampled_from(['and', 'or']))} Only({draw(REGIONS)}) is n"
        )
    ending = draw(st.sampled_from(["", "", " ! warning", ' ! "so"', ' ! warning "so"']))
    return f"require({condition}){ending}"


@cache
@st.composite
def chosen(draw: st.DrawFn, kind: str, one: str, other: str) -> str:
    """A text that depends on a condition."""
    otherwise = f' else {other} + ""' if draw(st.booleans()) else ""
    return f'(if {draw(conditions(kind))} then {one} + "!"{otherwise})'


@cache
@st.composite
def values(draw: st.DrawFn, kind: str) -> str:
    if draw(st.integers(0, 4)) == 0:
        one, other = draw(_values(kind)), draw(_values(kind))
        if draw(st.integers(0, 2)) == 0:
            return f'("" + {one} + {one}) optional({other} + "")'
        found = draw(chosen(kind, one, other))
        return draw(st.sampled_from([found, f"{found} optional", f"({found} one) optional"]))
    return draw(_values(kind))


@cache
@st.composite
def _values(draw: st.DrawFn, kind: str) -> str:
    cell = {"cell": "it", "row": f"it.cells[{draw(st.integers(1, 3))}]"}.get(
        kind, f"it.cells[{draw(st.integers(1, 2))}]"
    )
    inner = draw(plain_values(kind, cell))
    if draw(st.booleans()):
        return inner
    return draw(
        st.sampled_from(
            [
                f"upper({inner})",
                f"trim(lower({inner}))",
                f'replace({inner}, "a", "bb")',
                f'split({inner}, ";", 2) optional("none")',
                f'split({inner}, ";", 1)',
                f"capture({inner}, w, 2)",
                f"map({inner}, M)",
                f"length({inner})",
                f"stem({inner})",
                f"percent-decode({inner})",
                f'percent-decode({inner}) optional("%")',
                f"percent-encode({inner})",
                f'concat({inner}, "/é ", {inner})',
                f"blank({inner})",
                f'lang({inner}, "de-CH")',
                f'literal({inner}, "xs:date")',
                f'map({inner}, M) optional("?")',
                f"iri(default, {inner})",
                f"iri({inner})",
                f'({inner} + "-" + {inner})',
            ]
        )
    )


@cache
@st.composite
def fields(draw: st.DrawFn, kind: str) -> str:
    if kind in ("cell", "row") and draw(st.integers(0, 9)) == 0:
        return draw(look_ups("it" if kind == "cell" else "it.cells[1]")) + " all"
    value = draw(values(kind))
    if value.endswith(")") and " all(" in value:
        return value
    to = draw(st.sampled_from(FIELD_TYPES))
    if not to:
        return value
    policies = ["", " optional", *([" optional(0)"] if to.startswith(NUMERIC) else [])]
    return f"({value}) as {to}" + draw(st.sampled_from(policies))


@cache
@st.composite
def loops(draw: st.DrawFn, number: int) -> str:
    kind = draw(st.sampled_from(["cell", "cell", "row", "column"]))
    actions = [f"print {draw(values(kind))}"]
    names = draw(FIELD_NAMES)
    values_of = [values(kind) if name in IRIS else fields(kind) for name in names]
    named = ", ".join(f"{n}: {draw(value)}" for n, value in zip(names, values_of, strict=True))
    actions.append(f"emit Own{number}({named})")
    if draw(st.integers(0, 4)) == 0:
        one, other = draw(fields(kind)), draw(values(kind))
        actions.append(f"emit distinct Once{number}(a: {one}, b: {other})")
    if kind == "cell":
        actions.append(f"annotate it with {draw(values(kind))}")
        actions.append("it.namespace = default")
        actions.append("emit Shared(row: it.row, said: it.content)")
    if kind == "row":
        actions.append("emit Shared(row: it.row, said: it.cells[1].content)")
    body = draw(st.permutations(actions))
    if draw(st.booleans()):
        body = draw(lets(kind, number)) + body
    lines = "\n".join(body)
    return f"For each {kind} it in {draw(REGIONS)} {{\n{lines}\n}}"


@cache
@st.composite
def lets(draw: st.DrawFn, kind: str, number: int) -> list[str]:
    """Names for a value and a cell, and actions that use them more than once."""
    cell = "it" if kind == "cell" else "it.cells[1]"
    found = cell if kind == "column" else draw(look_ups(cell))
    policy = draw(st.sampled_from(["", " one"])) if found != cell else ""
    condition = draw(conditions(kind))
    row = "that.column" if kind == "column" else draw(st.sampled_from(["that.row", "left(that)"]))
    return [
        f'let this = {draw(values(kind))} + "?"',
        f"let that = {found}{policy}",
        'let both = this + that + ":"',
        f"print if {condition} then both else this",
        f'emit Let{number}(a: that optional("-"), b: both, c: {row} optional, d: that)',
        "print if that is n then this",
    ]


@cache
@st.composite
def schemas(draw: st.DrawFn) -> str:
    lone = [f"print {draw(values('none'))}"] if draw(st.booleans()) else []
    several = [draw(loops(number)) for number in range(draw(st.integers(1, 2)))]
    return TOKENS + "\n".join([*lone, *several]) + "\n"


def results(run: TableRun, limit: int = 10**6) -> Facts:
    """What a run makes of its file."""
    run.findings = Findings(limit)
    return facts(run.program, batches_of(run, run.validate()), run.findings)


def batches_of(run: TableRun, verdict: Verdict) -> list[Batch]:
    """All that a program makes."""
    return list(run.batches(verdict, frozenset(range(len(run.program.streams)))))


def facts(program: CoreProgram, batches: Iterable[Batch], findings: Findings) -> Facts:
    """What was made, as values to compare."""
    streams: list[list[Any]] = [[] for _ in program.streams]
    for stream, batch in batches:
        schema = arrow_schema(program.streams[stream])
        streams[stream] += plain_batch(batch, schema).to_pylist()
    found = [
        (f.code, f.line, f.row or 0, f.column or 0, f.found or "", f.message)
        for f in findings.violations
    ]
    return streams, found, findings.count


def in_chunks(schema: sculpt.Schema, file: Path, bases: list[int]) -> Facts | None:
    """What comes of a file that is cut, each chunk worked on by itself; none if it cannot be."""
    program = schema.program
    assert program is not None
    with Input(str(file)) as source:
        data = Data(source, schema.core.dialect.encoding)
        task = marking_task(schema, program)
        compiled = build(task, data.codec, BACKENDS["plain"](), forgets=True, notes_texts=True)
        if not (data.can_be_cut and can_be_cut(compiled)):
            return None
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
            Execution(program, Marker(compiled, data, width, chunk, cells=3), str(file), findings)
            for chunk in outcome.chunks
        ]
        reaches = (Reach.ABOVE, Reach.BELOW, Reach.COLUMNS)
        parts = [pickle.loads(pickle.dumps(each.summary(reaches))) for each in executions]
        summariser = executions[0].summariser
        total = summariser.empty()
        for part in pickle.loads(pickle.dumps(parts)):
            total = summariser.merged(total, part)
        around = zip(executions, summariser.around(parts), strict=True)
        made = [each.batches(total, above, below) for each, (above, below) in around]
        return facts(program, chain(*made, executions[0].final(total)), findings)
