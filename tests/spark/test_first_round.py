"""Entries made in the first round, and from true edges, without a session: tasks one by one.

The shuffle is a list. What both ways find is compared with plain dictionaries.
"""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
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
from sculpt.checks.model import Request
from sculpt.checks.plan import plan_of
from sculpt.checks.reference import ReferenceIdentities
from sculpt.core.task import Task
from sculpt.engines.options import Options
from sculpt.schema import Schema
from sculpt.spark import tasks
from sculpt.spark.identities.buckets import packed
from sculpt.spark.identities.check import scope_entries, scopes_of
from sculpt.spark.identities.entries import Wanted, wanted_of
from sculpt.spark.identities.first_round import (
    AnswerAndGather,
    FirstAnswers,
    FirstItems,
    Gist,
    _Judge,
    true_gist,
)
from sculpt.spark.identities.judgement import Facts, facts_of, judged_batches
from sculpt.spark.identities.runs import long_runs
from sculpt.spark.rounds import CheckedFiles, Runner, Settings, planned
from sculpt.spark.tasks import File, Job, RoundItem
from sculpt.tabular.inputs import Input
from sculpt.verdict import Verdict

BUCKETS = 3
Place = tuple[str, int, int, int, tuple[int, int, int] | None]
"""Code, row, column, item; file, row and column of the first equal entry."""


class InProcess(Runner):
    """Runs rounds without a cluster."""

    def _round(self, job: Job, items: Sequence[RoundItem], unit: int) -> dict[int, list[Any]]:
        answers: dict[int, list[Any]] = {}
        for item in items:
            found = pickle.loads(pickle.dumps(tasks.answer(job, item)))
            answers.setdefault(item.file.number, []).append(found)
        return answers


def first_answers(items: FirstItems) -> FirstAnswers:
    """The first round: all units, one shuffle to three partitions, and what each of them finds."""
    function = AnswerAndGather(items, 0, BUCKETS)
    made = [batch for number in range(len(items.units)) for batch in function.run_unit(number)]
    found = FirstAnswers()
    replies: list[tuple[Any, ...]] = []
    for bucket in range(-1, BUCKETS):
        own = [batch for batch in made if batch.column("bucket")[0].as_py() == bucket]
        for batch in _Judge(items.wanted.stride)(own):
            reply = pickle.loads(batch.column("data")[0].as_py())
            if isinstance(reply, Gist):
                found.gist.add(reply)
            else:
                replies.append(reply)
    for _, _, _, file, answer, is_gathered in sorted(replies, key=lambda each: each[:3]):
        found.answers.setdefault(file, []).append(answer)
        found.gathered[file] = found.gathered.get(file, True) and is_gathered
    return found


def places_of(facts: Sequence[Facts]) -> dict[tuple[int, int], list[Place]]:
    """By file and statement: all violations, in order."""
    found: dict[tuple[int, int], list[Place]] = {}
    for each in facts:
        listed = ((f.code, f.row, f.column, f.item, f.other) for f in each.listed())
        found.setdefault((each.file, each.identity), []).extend(listed)
    return {key: sorted(places, key=str) for key, places in found.items() if places}


def settled_facts(run: CheckedFiles, wanted: Wanted) -> list[Facts]:
    """The violations, found from the true edges of chunks."""
    made: list[Any] = []
    for checked in run.files:
        for scope in scopes_of(checked):
            with Input(checked.file.path) as source:
                made += packed(scope_entries(run.job, scope, source, wanted), BUCKETS)
    by_bucket: dict[int, list[Any]] = {}
    for batch in made:
        by_bucket.setdefault(batch.column("bucket")[0].as_py(), []).append(batch)
    judged = (batch for own in by_bucket.values() for batch in judged_batches(own))
    return [facts for batch in judged for facts in facts_of(batch, wanted.stride)]


def referred(schema: Schema, paths: Sequence[str]) -> dict[tuple[int, int], list[Place]]:
    """What plain dictionaries find."""
    plan = plan_of(schema)
    lines = [each.statement.line for each in plan.identities]
    found: dict[tuple[int, int], list[Place]] = {}
    sources = [Input(path) for path in paths]
    with ReferenceIdentities(plan, Request(), Options()) as identities:
        for path, source in zip(paths, sources, strict=True):
            identities.take(0, path, source, 0, 0)
        for file, each in enumerate(identities.judge()):
            for v in each.listed():
                assert v.line is not None
                first, other = v.first or v.target, None
                if first is not None:
                    other = (paths.index(first.file or ""), first.row, first.column or 0)
                place = (v.code, v.row or 0, v.column or 0, 0, other)
                found.setdefault((file, lines.index(v.line)), []).append(place)
    for source in sources:
        source.close()
    return {key: sorted(places, key=str) for key, places in found.items()}


def without_items(
    found: dict[tuple[int, int], list[Place]],
) -> dict[tuple[int, int], list[Place]]:
    """The same without the numbers of items, which violations in words lack."""
    return {
        key: sorted(((*place[:3], 0, place[4]) for place in places), key=str)
        for key, places in found.items()
    }


def both_ways(schema: Schema, paths: Sequence[str], unit: int) -> tuple[Gist | None, CheckedFiles]:
    """Compare the ways; returns what the first round has found, if it can be trusted.

    Compiled kernels are used for small files, too: the first round needs them.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tasks, "backend_of", lambda _: compiled())
        return _both_ways(schema, paths, unit)


def _both_ways(schema: Schema, paths: Sequence[str], unit: int) -> tuple[Gist | None, CheckedFiles]:
    plan = plan_of(schema)
    files = [each for each in planned(paths) if isinstance(each, File)]
    wanted = wanted_of(plan, 0, len(files) + 1)
    task = Task.of_rules(schema.core, regions=wanted.regions)
    runner = InProcess(None, task, Settings(10, unit=unit))  # type: ignore[arg-type]
    begun = runner.begin(files)
    first = first_answers(FirstItems(begun.run.job, wanted, begun.units))
    run = runner.finish(begun, first.answers)
    assert all(isinstance(each.outcome, Verdict) for each in run.files)
    settled = places_of(settled_facts(run, wanted))
    assert without_items(settled) == referred(schema, paths)
    gist = true_gist(first, [run])
    if gist is not None:
        assert places_of(gist.facts) == settled
        expected = {
            (checked.file.number, side.number) for checked in run.files for side in wanted.sides
        }
        assert gist.counts.keys() == expected
    return gist, run


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.tuples(HEADS, ROWS), min_size=1, max_size=2),
    st.sampled_from(
        [
            KEYS,
            REFERENCES,
            KEYS + REFERENCES,
            "key(col(a), col(b)) across files\n",
            RUNS,
            RUNS + KEYS,
        ]
    ),
    st.sampled_from(["", "Quote = none\n", "Encoding = latin-1\n", "Blank Rows = skip\n"]),
    st.sampled_from([b"\n", b"\r\n", b"\r"]),
    st.sampled_from([16, 40, 100, 1 << 20]),
)
def test_two_ways_and_dictionaries(
    tables: list[tuple[bytes, list[list[bytes]]]],
    statements: str,
    directive: str,
    end: bytes,
    unit: int,
) -> None:
    schema = Schema.parse(directive + LISTS + HEAD + statements)
    with tempfile.TemporaryDirectory() as folder:
        paths = [
            write(folder, f"{ix}.csv", table_of(head, rows, end))
            for ix, (head, rows) in enumerate(tables)
        ]
        both_ways(schema, paths, unit)


def rows_of(count: int) -> Iterator[list[bytes]]:
    for number in range(count):
        key = b"%d" % (number % 190) if number % 3 else b"a rather long key %d" % (number % 190)
        yield [key, b"%d" % (number % 5), b"%d" % number]


def test_large_files_are_read_once(tmp_path: Path) -> None:
    """What the comparison relies on: the first round is trusted where rows are alike."""
    path = write(str(tmp_path), "data.csv", table_of(b"a,b,c", list(rows_of(400))))
    text = "key(col(a))\nkey(col(c))\ncol(b) ~>+ col(c)\ncol(c) ~> col(b)\n"
    schema = Schema.parse(HEAD + text)
    gist, run = both_ways(schema, [path], 900)
    assert gist is not None
    assert len(run.files[0].chunks) > 3
    assert run.jobs == 1
    failed = dict.fromkeys(range(4), 0)
    for facts in gist.facts:
        failed[facts.identity] += len(facts.places)
    assert all(failed[identity] for identity in (0, 3))
    assert failed[1] == 0


LONG = b"a text of more than 15 bytes"
RUN_ROWS = st.lists(
    st.tuples(st.sampled_from([b"x", b"y", LONG, b""]), st.sampled_from([b"1", b"1.0", LONG])),
    min_size=30,
    max_size=60,
)


@settings(max_examples=40, deadline=None)
@given(
    RUN_ROWS,
    st.sampled_from(["", "Blank Rows = skip\n"]),
    st.sampled_from([b"", b"\xef\xbb\xbf"]),
    st.integers(30, 300),
)
def test_runs_over_the_edges_of_chunks(
    rows: list[tuple[bytes, bytes]], directive: str, mark: bytes, unit: int
) -> None:
    statements = "key(col(1)) in runs\nkey(col(2) as Number, col(1)) in runs\nkey(Text) in runs\n"
    schema = Schema.parse(directive + statements)
    lines = [b"" if row == (b"", b"1") else b",".join(row) for row in rows]
    with tempfile.TemporaryDirectory() as folder:
        path = write(folder, "data.csv", mark + b"\n".join(lines) + b"\n")
        both_ways(schema, [path], unit)


@pytest.mark.parametrize("key", [b"x", LONG])
def test_a_run_at_every_cut(tmp_path: Path, key: bytes) -> None:
    """Entries meet before anybody knows which rows follow each other: the driver decides."""
    keys = [b"a", b"b"] + [key] * 40 + [b"a"] + [key] * 7
    rows = [[each, b"%d" % (10 + number)] for number, each in enumerate(keys)]
    path = write(str(tmp_path), "data.csv", table_of(b"k,v", rows))
    schema = Schema.parse(HEAD + "key(col(1)) in runs\n")
    trusted = 0
    size = len(key) + 4  # of a row
    for unit in range(6 * size, 7 * size):
        gist, run = both_ways(schema, [path], unit)
        if gist is not None:
            trusted += 1
            assert len(run.files[0].chunks) > 3
            found = [(f.row, f.other) for facts in gist.facts for f in facts.listed()]
            assert sorted(found) == [(44, (0, 2, 1)), (45, (0, 4, 1))]
    assert trusted == size


def test_a_long_run_is_a_few_rows_of_the_shuffle() -> None:
    """So that a key with few values does not send all entries of one to one task."""
    rows = np.array([1, 1, 2, 3, 5, 6, 7])
    begins, counts = long_runs(pa.array([b"x", b"x", b"x", b"x", b"x", b"y", b"y"]), rows)
    assert begins.tolist() == [0, 4, 5]
    assert counts.tolist() == [3, 1, 2]
