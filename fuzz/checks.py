"""Keys, references and conditions: all engines of this machine find the same in the same tables.

In: directives, rules, keys, references within one table, `require`s about rows, and the bytes of
some files; and how they are read: kernels, size of chunks and strips, threads, how much memory
entries may take before they go to disk, and how many violations are listed. Parts of keys are
columns with a name, or any regions; they are compared by text, by value and item by item.

Compared: the outcomes of `sculpt.validate_all` with `reference` and with `local`, to the last word,
excerpts included. Invariant: only one of our errors is ever raised,
the same by both; nothing is left in the temporary directory. Cost: some 60 ms per file.
"""

from __future__ import annotations

import os
import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeAlias
from unittest import mock

from hypothesis import strategies as st

import sculpt
from agreement import BACKENDS, clauses, parse
from fuzz.documents import folder
from fuzz.harness import Case, Target
from programs import REGIONS, TOKENS, conditions
from sculpt.checks import model
from sculpt.checks.identities import store
from sculpt.engines import options
from sculpt.engines.options import Options
from sculpt.errors import SculptError
from sculpt.verdict import Excerpt, Unread, Verdict
from strategies import directives

Answer: TypeAlias = list[tuple[Verdict | Unread, list[Excerpt | None]]] | str
"""The outcome of each file with its excerpts, or the text of an error."""

NAMES = "abcl"
"""The columns of most tables; cells of the last one are lists."""
KINDS = (
    ("",),
    ("",),
    (" as Number", " as xs:decimal", " as Integer", " as number"),
    (" as xs:double",),
    (" as Date", " as xs:date", " as day"),
    (" as xs:time",),
    (" as Boolean",),
)
"""Types whose values can be equal."""
RULES = (
    "row(1) -> Any*",
    "row(1) -> a, b, c, l",
    "col(a) -> n | Empty",
    "true .>[;] (a | n | Empty)*",
    "unique(w)",
    "up*(w) -> Any*",
)
CELLS = (
    *(b"1", b"1.0", b" 1", b'"1"', b"01", b"1e0", b"-0", b"0", b"2", b"NaN", b"1 ", b"INF"),
    *(b"", b"", b"x", b"a", b"b", b"xy", b'"x""y"', b'" x"', b'"a', b'"a"b', b'"x\ny"'),
    *(b"\xc3\xa9", b"e\xcc\x81", b"\xff", b"\xef\xbf\xbd", b"\xff" * 20, b"\x00", b"\xc2\xa37.00"),
    *(b"x;1", b"1;1;x", b"a;", b";", b"a;a", b"x;y", b'"a;b"'),
    *(b"a" * 15, b"a" * 16, b"a" * 15 + b"b", b"longer than 15", b'"longer than ""15"" bytes"'),
    *(b"2020-01-01", b"1.1.2020", b"1 Jan 2020", b"10:00:00Z", b"11:00:00+01:00", b"true"),
)  # fmt: skip

# ----------------------------------------------------------------- cases


@st.composite
def parts(draw: st.DrawFn) -> str:
    """The region of a part."""
    name = draw(st.sampled_from(NAMES))
    form = draw(st.integers(0, 7))
    if form == 0:
        return draw(REGIONS)
    if form == 1:
        return draw(st.sampled_from([f"col({name}) and parts", "col(l) and parts", "parts"]))
    ends = ["", "", " and Text", " and not row(1)", " and n", " or row(3)", f" or col({NAMES[0]})"]
    return f"col({name}){draw(st.sampled_from(ends))}"


_kinds = st.sampled_from(KINDS)


@st.composite
def sides(draw: st.DrawFn, kinds: list[tuple[str, ...]]) -> str:
    """Parts whose values are of some types."""
    return ", ".join(draw(parts()) + draw(st.sampled_from(kind)) for kind in kinds)


@st.composite
def statements(draw: st.DrawFn) -> str:
    """A key, a reference, or a loop over rows with conditions."""
    kinds = draw(st.lists(_kinds, min_size=1, max_size=3))
    form = draw(st.sampled_from(["key", "key", "reference", "reference", "require"]))
    if form == "key":
        across = draw(st.sampled_from(["", "", " across files"]))
        return f"key({draw(sides(kinds))}){across}{draw(clauses)}"
    if form == "reference":
        sign = draw(st.sampled_from(["~>", "~>+"]))
        return f"{draw(sides(kinds))} {sign} {draw(sides(kinds))}{draw(clauses)}"
    asked = draw(st.lists(requires(), min_size=1, max_size=2))
    region = draw(st.one_of(st.sampled_from(["true", "col(a)", "col(b) and Text"]), REGIONS))
    return "\n".join([f"For each row it in {region} {{", *asked, "}"])


@st.composite
def requires(draw: st.DrawFn) -> str:
    """A condition about a row: often about two of its cells, which needs no other row."""
    if draw(st.booleans()):
        return f"require({draw(conditions('row'))}){draw(clauses)}"
    relation = draw(st.sampled_from(["<", "<=", "=", "!="]))
    kind = draw(_kinds)
    policy = st.sampled_from(["", " optional"])
    left, right = (
        f"it[{draw(parts())}]{draw(st.sampled_from(kind))}{draw(policy)}" for _ in range(2)
    )
    return f"require({left} {relation} {right}){draw(clauses)}"


_dialects = st.one_of(
    st.just([]),
    st.just([]),
    st.sampled_from(["Blank Rows = skip", "Encoding = latin-1", "Quote = none"]).map(lambda x: [x]),
    directives.map(lambda lines: list({line.partition(" =")[0]: line for line in lines}.values())),
)
_heads = st.permutations([name.encode() for name in NAMES]) | st.just([b"a", b"b"])
_ends = st.sampled_from([b"\n", b"\n", b"\r\n", b"\r"])
_pools = st.lists(st.sampled_from(CELLS), min_size=1, max_size=8)


@st.composite
def tables(draw: st.DrawFn) -> str:
    """The bytes of a table in hex; it has few texts, so that many of them are equal."""
    cells = st.sampled_from(draw(_pools))
    rows = draw(st.lists(st.lists(cells, min_size=1, max_size=5), max_size=8))
    end = draw(_ends)
    return (end.join(b",".join(row) for row in [draw(_heads), *rows]) + end).hex()


def _schema(dialect: list[str], rules: list[str], some: list[str]) -> str:
    return "\n".join([*dialect, TOKENS, *rules, *some, ""])


CASES = st.fixed_dictionaries(
    {
        "schema": st.builds(
            _schema,
            _dialects,
            st.lists(st.sampled_from(RULES), max_size=2, unique=True),
            st.lists(statements(), min_size=1, max_size=3),
        ),
        "files": st.lists(tables(), min_size=1, max_size=2),
        "kernels": st.sampled_from(list(BACKENDS)),
        "chunk": st.sampled_from([5, 20, 60, 1 << 20]),
        "strip": st.sampled_from([1, 8, 1 << 17]),
        "threads": st.integers(1, 3),
        "memory": st.sampled_from([0, 100, 1 << 20, 1 << 20]),
        "small": st.sampled_from([1, 4, 1 << 15]),
        "limit": st.sampled_from([1, 2, 1000]),
    }
)

# ----------------------------------------------------------------- checks


def check(case: Case) -> int:
    """Compare the engines; return the number of files, if the schema is one."""
    schema = parse(case["schema"])
    if schema is None:
        return 0
    paths = [str(folder() / f"{number}.csv") for number in range(len(case["files"]))]
    for path, data in zip(paths, case["files"], strict=True):
        Path(path).write_bytes(bytes.fromhex(data))
    expected = answer_of(schema, paths, case, "reference")
    own = partial(
        Options, chunk=case["chunk"], strip=case["strip"], backend=BACKENDS[case["kernels"]]()
    )
    temporary = folder() / "temporary"
    temporary.mkdir(exist_ok=True)
    with (
        mock.patch.object(options, "Options", own),
        mock.patch.object(model, "LEAST_MEMORY", 0),
        mock.patch.object(store, "SMALL", case["small"]),
        mock.patch.object(tempfile, "tempdir", str(temporary)),
    ):
        ours = answer_of(schema, paths, case, "local")
    assert ours == expected, f"local {ours}\nreference {expected}"
    assert os.listdir(temporary) == []
    return len(paths)


def answer_of(schema: sculpt.Schema, paths: list[str], case: Case, engine: str) -> Answer:
    """The outcomes of a run; errors that are not ours are passed on."""
    memory = case["memory"] if engine == "local" else 1 << 20
    facts = {"max_violations": case["limit"], "threads": case["threads"], "memory": memory}
    try:
        run = sculpt.validate_all(schema, paths, engine, **facts)
    except SculptError as error:
        return str(error)
    return [_words(each) for each in run.outcomes]


def _words(outcome: Verdict | Unread) -> tuple[Verdict | Unread, list[Excerpt | None]]:
    """An outcome without its engine, and its excerpts."""
    if isinstance(outcome, Unread):
        return outcome, []
    return replace(outcome, engine=""), [each.excerpt for each in outcome.violations]


TARGET = Target("checks", CASES, check)
