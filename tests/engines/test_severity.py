"""Errors and warnings on every engine: counts, limits, tallies, good and bad rows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sculpt
from agreement import ALL, BACKENDS, parse, schema_texts
from sculpt.core import ir
from sculpt.core.task import Task
from sculpt.engines import local, reference
from sculpt.engines.chunks.compose import InOrder, Outcome, compose, perform
from sculpt.engines.data import Data
from sculpt.engines.machines import build
from sculpt.engines.messages.findings import first_of
from sculpt.engines.options import Options
from sculpt.engines.results.details import Details
from sculpt.engines.results.listing import Listing
from sculpt.kernels import choice as backends
from sculpt.tabular.inputs import Input
from sculpt.verdict import Verdict, Violation
from strategies import as_csv, tables

MIXED = """\
n = [0-9]+
col(1) -> n ! warning "odd"
col(2) -> n
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("severity") / "data"


def without_hints(verdict: Verdict) -> list[Violation]:
    """The violations; hints depend on which undeclared names occur, which is tested elsewhere."""
    return [replace(each, hint=None) for each in verdict.violations]


def in_chunks(schema: sculpt.Schema, file: Path, cut: int, limit: int) -> Verdict | None:
    """The verdict of chunks as a cluster finds it; `None` if the file must be read in order."""
    machines = build(Task.of_rules(schema.core), "utf-8", backends.plain())
    with Input(str(file)) as source:
        data = Data(source, None)
        bases = [0, *([cut] if 0 < cut < file.stat().st_size else [])]
        rounds = compose(machines, len(bases), limit)
        works = next(rounds)
        while True:
            found = [perform(work, machines, data, bases, limit) for work in works]
            try:
                works = rounds.send(found)
            except StopIteration as stop:
                ended: Outcome | InOrder = stop.value
                if isinstance(ended, InOrder):
                    return None
                details = Details(machines, ended.found, data, ended.lines)
                verdict = details.verdict(str(file), "reference", limit)
                errors, any_of_them = ended.found.rowless(verdict)
                whole = sculpt.validate(schema, file, engine="reference", max_violations=1 << 30)
                rowless = [each for each in whole.violations if each.row is None]
                assert any_of_them == bool(rowless)
                assert errors == any(each.severity == "error" for each in rowless)
                return verdict


@settings(max_examples=200)
@given(schema_texts(ALL), tables, st.integers(0, 4), st.integers(1, 30))
def test_limits(file: Path, text: str, table: list[list[str]], limit: int, chunk: int) -> None:
    """Each engine shows the first errors and the first warnings, and counts all."""
    schema = parse(text)
    if schema is None:
        return
    file.write_bytes(as_csv(table))
    theirs = sculpt.validate(schema, file, engine="reference", max_violations=limit)
    options = Options(limit, chunk=chunk, strip=3 * chunk, threads=1 + chunk % 2)
    ours = local.validate(schema.core, str(file), options)
    cut = in_chunks(schema, file, chunk, limit)
    for each in (ours, cut) if cut is not None else (ours,):
        assert without_hints(each) == without_hints(theirs)
        assert each.violation_count == theirs.violation_count
        assert each.warning_violation_count == theirs.warning_violation_count
        assert each.rules == theirs.rules
        assert each.structure == theirs.structure


@settings(max_examples=100)
@given(schema_texts(ALL), tables, st.integers(0, 3))
def test_counts_and_first_ones(file: Path, text: str, table: list[list[str]], limit: int) -> None:
    """Counts are the sums of tallies; what is shown is the beginning of each severity."""
    schema = parse(text)
    if schema is None:
        return
    file.write_bytes(as_csv(table))
    whole = sculpt.validate(schema, file, engine="reference")
    assert whole.has_all
    some = sculpt.validate(schema, file, engine="local", max_violations=limit)
    for severity, count in (
        ("error", whole.violation_count),
        ("warning", whole.warning_violation_count),
    ):
        listed = [each for each in without_hints(whole) if each.severity == severity]
        shown = [each for each in without_hints(some) if each.severity == severity]
        tallies = (*whole.rules, *whole.structure)
        assert sum(each.failed for each in tallies if each.severity == severity) == count
        assert len(listed) == count
        assert shown == listed[:limit]
    quick = local.validate(schema.core, str(file), Options(limit, tallies=False))
    assert quick.violation_count == whole.violation_count
    assert quick.warning_violation_count == whole.warning_violation_count


@settings(max_examples=100)
@given(schema_texts(ALL), tables)
def test_good_rows_may_have_warnings(file: Path, text: str, table: list[list[str]]) -> None:
    schema = parse(text)
    if schema is None or not table:
        return
    file.write_bytes(as_csv(table))
    whole = sculpt.validate(schema, file, engine="reference")
    if not whole.rows:
        return
    named = {each.row for each in whole.violations if each.severity == "error"}
    machines = build(Task.of_rules(schema.core), "utf-8", backends.plain(), True)
    with Input(str(file)) as source:
        found = Listing(machines, Data(source, None), whole.columns).bad_rows()
    assert found == (None if None in named else named)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("threads", [1, 2])
def test_neither_severity_hides_the_other(tmp_path: Path, backend: str, threads: int) -> None:
    """Thousands of warnings come before the only error, and the other way round."""
    schema = sculpt.Schema.parse(MIXED)
    file = tmp_path / "data"
    options = Options(3, chunk=1 << 12, threads=threads, backend=BACKENDS[backend]())
    for many, few in (("x,1\n", "1,x\n"), ("1,x\n", "x,1\n")):
        file.write_text(many * 5_000 + few)
        verdict = local.validate(schema.core, str(file), options)
        assert [each.row for each in verdict.violations] == [1, 2, 3, 5_001]
        counts = (verdict.violation_count, verdict.warning_violation_count)
        assert counts == ((1, 5_000) if many.startswith("x") else (5_000, 1))
        assert not verdict.valid
        whole = reference.validate(
            schema.core, sculpt.read_table(schema, file), str(file), max_violations=3
        )
        assert replace(verdict, engine="reference") == whole


def test_rules_that_are_run_apart_keep_their_severities(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If states multiply, halves of the rules are run by themselves."""
    from sculpt.automata import navigator

    schema = sculpt.Schema.parse(MIXED + "unique(n) ! warning\n")
    file = tmp_path / "data"
    file.write_text("x,1\n1,x\n2,2\n" * 10)
    whole = sculpt.validate(schema, file, engine="reference", max_violations=4)
    split: list[int] = []
    halves = local._halves

    def counted(core: ir.CoreSchema) -> list[ir.CoreSchema]:
        split.append(len(core.rules))
        return halves(core)

    monkeypatch.setattr(local, "_halves", counted)
    monkeypatch.setattr(navigator, "MAX_ENTRIES", 2)
    apart = local.validate(schema.core, str(file), Options(4, threads=1))
    assert split
    assert replace(apart, engine="reference") == whole


def test_a_quote_that_never_closes_replaces_an_error_and_no_warning(tmp_path: Path) -> None:
    schema = sculpt.Schema.parse(MIXED)
    file = tmp_path / "data"
    file.write_text('x,x\nx,x\nx,x\n1,"')
    for engine in ("local", "reference"):
        verdict = sculpt.validate(schema, file, engine=engine, max_violations=2)
        shown = [(each.row, each.code, each.severity) for each in verdict.violations]
        assert shown == [
            (1, "row-content", "warning"),
            (1, "row-content", "error"),
            (2, "row-content", "warning"),
            (4, "unclosed-quote", "error"),
        ]
        assert first_of(verdict.violations, 0) == []
