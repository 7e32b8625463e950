"""Keys and references of the compiled engine, against plain dictionaries."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from identity_cases import (
    HEAD,
    HEADS,
    KEYS,
    LISTS,
    REFERENCES,
    ROWS,
    RUNS,
    compiled,
    table_of,
    write,
)
from sculpt.checks.identities import LocalIdentities
from sculpt.checks.identities.entries import Hashing
from sculpt.checks.identities.local import Settings
from sculpt.checks.model import Found, Request
from sculpt.checks.plan import plan_of
from sculpt.checks.reference import ReferenceIdentities
from sculpt.checks.validation import Identities
from sculpt.engines import local
from sculpt.engines.options import Options
from sculpt.kernels.choice import plain
from sculpt.schema import Schema
from sculpt.tabular.inputs import Input

WHOLE, LONE = Hashing(1), Hashing(7, kept=0)
"""A hash as in use, and one that is the same for all long entries."""


def judged(
    identities: Identities,
    schema: Schema,
    paths: Sequence[tuple[int, str]],
    lists: bool = True,
    one_pass: Options | None = None,
) -> list[tuple[Found, list[object]]] | None:
    """What was found in each file, and all of its violations.

    With the options of `one_pass`, entries are gathered while the file is validated, where that can
    be; `None` if it was begun and given up.
    """
    sources = [Input(path) for _, path in paths]
    try:
        plan = plan_of(schema)
        for (table, path), source in zip(paths, sources, strict=True):
            core = plan.tables[table].schema.core
            if one_pass is not None:
                assert isinstance(identities, LocalIdentities)
                shared = identities.validate(table, path, source)
                if shared is not None:
                    assert shared.verdict == local.validate_input(core, source, one_pass)
                if identities.is_spoilt:
                    return None
                if shared is not None:
                    continue
            size = local.validate_input(core, source, Options())
            identities.take(table, path, source, size.rows, size.columns)
        return [(found, list(found.listed()) if lists else []) for found in identities.judge()]
    finally:
        identities.close()
        for source in sources:
            source.close()


def compare(
    schema: Schema,
    paths: Sequence[tuple[int, str]],
    memory: int = 1 << 20,
    options: Options | None = None,
    own: Settings | None = None,
) -> list[Found]:
    """Both engines find the same; returns it."""
    used = options or Options()
    request = Request(memory=memory)
    plan = plan_of(schema)
    expected = judged(ReferenceIdentities(plan, request, used), schema, paths)
    found = judged(LocalIdentities(plan, request, used, own), schema, paths)
    together = judged(LocalIdentities(plan, request, used, own), schema, paths, one_pass=used)
    assert found is not None
    assert expected is not None
    for results in (found, found if together is None else together):
        for (ours, all_ours), (theirs, all_theirs) in zip(results, expected, strict=True):
            assert ours.tallies == theirs.tallies
            assert all_ours == all_theirs
            assert ours.violations == theirs.violations
            assert [each.excerpt for each in ours.violations] == [
                each.excerpt for each in theirs.violations
            ]
            assert ours.heat == theirs.heat
    return [each for each, _ in found]


DIRECTIVES = (
    "",
    "Blank Rows = skip\n",
    "Encoding = latin-1\n",
    "Quote = none\n",
    "Comment = #\n",
    "Row Delim = \\n\n",
    "Row Delim = \\n\nComment = #\nTrim = none\n",
)
CHUNKS = st.sampled_from([7, 40, 1 << 20])
"""With the compiled kernels, small ones are shared by threads."""
BACKENDS = st.sampled_from([plain, compiled])
SETTINGS = st.builds(
    Settings,
    strip=st.sampled_from([1, 8, 1 << 17]),
    most=st.sampled_from([1, 3, 1 << 20]),
    hashing=st.sampled_from([WHOLE, LONE, Hashing(3, kept=1)]),
)


@pytest.mark.parametrize("directives", ["", "Row Delim = \\n\nComment = #\n"])
def test_entries_are_gathered_in_the_pass_that_validates(tmp_path: Path, directives: str) -> None:
    """What the comparisons above rely on: it is one pass, and not given up."""
    rows = [[b"%d" % n, b'"x""%d"' % (n % 7), b"\xff" if n == 50 else b"y"] for n in range(200)]
    path = write(str(tmp_path), "data.csv", table_of(b"a,b,c", rows))
    statements = "key(col(a))\nkey(col(b))\ncol(c) ~>+ col(a)\n"
    schema = Schema.parse(directives + HEAD + statements)
    options = Options(backend=compiled(), chunk=100, threads=2)
    with LocalIdentities(plan_of(schema), Request(), options) as identities, Input(path) as source:
        shared = identities.validate(0, path, source)
        assert shared is not None
        assert not identities.is_spoilt
        assert shared.verdict == local.validate_input(schema.core, source, options)
        (found,) = identities.judge()
        assert [tally.failed for tally in found.tallies] == [0, 193, 200]


def test_wide_rows_spoil_the_pass(tmp_path: Path) -> None:
    """Cells were numbered by a width that was too small: all must be gathered again."""
    rows = [[b"%d" % n] * (1 + (n > 100)) for n in range(200)]
    path = write(str(tmp_path), "data.csv", table_of(b"a", rows))
    schema = Schema.parse("key(col(a))\n")
    options = Options(backend=compiled(), chunk=100, threads=2)
    with LocalIdentities(plan_of(schema), Request(), options) as identities, Input(path) as source:
        identities.validate(0, path, source)
        assert identities.is_spoilt
    compare(schema, [(0, path)], options=options)


@settings(max_examples=100, deadline=None)
@given(
    HEADS,
    ROWS,
    st.sampled_from([KEYS, REFERENCES, KEYS + REFERENCES, RUNS, RUNS + KEYS]),
    st.sampled_from(DIRECTIVES),
    st.sampled_from([0, 100, 1 << 20]),
    BACKENDS,
    SETTINGS,
    st.sampled_from([0, 1, 2, 1000]),
    st.sampled_from([b"\n", b"\r\n", b"\r"]),
    CHUNKS,
)
def test_one_table(
    head: bytes,
    rows: list[list[bytes]],
    statements: str,
    directive: str,
    memory: int,
    backend: object,
    own: Settings,
    limit: int,
    end: bytes,
    chunk: int,
) -> None:
    schema = Schema.parse(directive + LISTS + HEAD + statements)
    with tempfile.TemporaryDirectory() as folder:
        path = write(folder, "data.csv", table_of(head, rows, end))
        options = Options(limit, backend=backend(), chunk=chunk)  # type: ignore[operator]
        compare(schema, [(0, path)], memory, options, own)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.tuples(HEADS, ROWS), min_size=1, max_size=3),
    st.lists(st.tuples(HEADS, ROWS), min_size=1, max_size=3),
    st.sampled_from([0, 100, 1 << 20]),
    BACKENDS,
    SETTINGS,
    CHUNKS,
)
def test_several_tables_and_files(
    ours: list[tuple[bytes, list[list[bytes]]]],
    theirs: list[tuple[bytes, list[list[bytes]]]],
    memory: int,
    backend: object,
    own: Settings,
    chunk: int,
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        write(
            folder, "other.sculpt", LISTS + HEAD + "key(col(a)) across files\nkey(col(b)) in runs\n"
        )
        main = write(
            folder,
            "main.sculpt",
            LISTS
            + 'include "other.sculpt" as Other for "none.csv"\n'
            + "key(col(a), col(b)) across files\n"
            + "col(a) ~> Other(col(a))\ncol(b), col(c) ~>+ Other(col(a) and Text, col(b))\n"
            + "Other(col(a)) ~> col(b)\ncol(l) and some ~> Other(col(c))\ncol(b) ~> col(a)\n"
            + "col(a), col(c) ~> Other(col(a) or col(d), col(c))\n",
        )
        schema = Schema.load(main)
        paths = [
            (number, write(folder, f"{number}{ix}.csv", table_of(*each)))
            for number, tables in enumerate((ours, theirs))
            for ix, each in enumerate(tables)
        ]
        options = Options(backend=backend(), chunk=chunk)  # type: ignore[operator]
        compare(schema, paths, memory, options, own)
