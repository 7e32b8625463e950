"""Two executors in separate processes: the same answers, even when one is killed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import sculpt
import sculpt.spark
from conftest import Case, corpus
from sculpt.core.task import Task
from sculpt.spark import tables, tasks
from sculpt.spark.cluster.workers import map_in_arrow
from sculpt.spark.identities.first_round import FirstAnswers, FirstItems, first_round
from sculpt.verdict import Verdict
from sessions import (
    NUMBERS,
    Killer,
    as_row,
    assert_same,
    descendants,
    in_chunks,
    listed,
    numbers_file,
)
from test_shared import use_cases

pytestmark = pytest.mark.xdist_group("cluster")

KEYS = "row(1) -> id, price, count\nkey(col(id) as Number)\ncol(count) and Text ~> col(id)\n"
SAMPLE = [case for case in corpus() if "valid" in case.facts][::80]


@pytest.mark.parametrize("case", SAMPLE, ids=str)
def test_corpus(cluster: SparkSession, tmp_path: Path, case: Case) -> None:
    path = tmp_path / "data"
    path.write_bytes(case.data)
    schema = sculpt.Schema.parse(case.schema, case.settings)
    theirs = sculpt.validate(schema, path, engine="reference")
    ours, _ = in_chunks(cluster, schema, path, 3)
    assert_same(ours, theirs)


def test_an_executor_that_is_killed(cluster: SparkSession, tmp_path: Path) -> None:
    path = numbers_file(tmp_path / "numbers.csv", 150_000, (9, 70_000, 149_000))
    killer = Killer(lambda: descendants("CoarseGrainedExecutorBackend"), after=3)
    unit = path.stat().st_size // 100
    result = sculpt.spark.validate(cluster, NUMBERS, path, 10, unit=unit, on_progress=killer)
    assert killer.killed
    theirs = sculpt.validate(NUMBERS, path, engine="local", max_violations=10)
    (verdict,) = result.verdict.outcomes
    assert isinstance(verdict, Verdict)
    assert_same(verdict, theirs)
    assert listed(result.violations) == [as_row(str(path), each) for each in theirs.violations]


def test_an_executor_that_is_killed_during_the_shuffle(
    cluster: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Entries that it has made are lost, and made again."""
    path = numbers_file(tmp_path / "numbers.csv", 60_000)
    with path.open("a") as file:
        file.writelines(f"{row},1.00,{row}\n" for row in (77, 40_000, 59_999))
    schema = sculpt.Schema.parse(KEYS)
    killer = Killer(lambda: descendants("CoarseGrainedExecutorBackend"), after=3)

    def watched(
        spark: SparkSession, items: Mapping[int, FirstItems], size: int, _: object
    ) -> FirstAnswers:
        return first_round(spark, items, size, killer)

    monkeypatch.setattr(tables, "first_round", watched)
    unit = path.stat().st_size // 60
    result = sculpt.spark.validate(cluster, schema, path, 10, unit=unit)
    assert killer.killed
    theirs = sculpt.validate(schema, path, engine="local", max_violations=10)
    (verdict,) = result.verdict.outcomes
    assert isinstance(verdict, Verdict)
    assert verdict.violation_count > 3
    assert_same(verdict, theirs)
    assert result.violations.count() == theirs.violation_count


def test_nodes_load_the_library(cluster: SparkSession, tmp_path: Path) -> None:
    """No worker compiles anything, or loads a compiler."""
    path = numbers_file(tmp_path / "numbers.csv", 20_000, (9_000,))
    assert not sculpt.spark.validate(cluster, NUMBERS, path, 10, unit=50_000).verdict.valid

    def look(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import sys

        from sculpt.kernels import choice

        for _ in batches:
            facts = {"kernels": [choice.fastest().backend.name], "numba": ["numba" in sys.modules]}
            yield pa.RecordBatch.from_pydict(facts)

    nodes = map_in_arrow(cluster.range(0, 4, 1, 4), look, "kernels string, numba boolean")
    assert {tuple(row) for row in nodes.collect()} == {("ahead", False)}


def test_a_worker_of_another_version_refuses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = numbers_file(tmp_path / "numbers.csv", 50, ())
    core = NUMBERS.core
    job = tasks.Job.make(Task.of_rules(core), 1, 0)
    status = path.stat()
    file = tasks.File(1, str(path), str(path), (status.st_size, status.st_mtime_ns))
    assert isinstance(tasks.answer(job, tasks.WholeFile(file)), Verdict)
    monkeypatch.setattr(tasks, "_version", lambda: "0.0.9 (old)")
    tasks.task_of.cache_clear()
    answer = tasks.answer(job, tasks.WholeFile(file))
    assert isinstance(answer, sculpt.RunError)
    assert str(answer).startswith("a worker has version 0.0.9 (old) of sculpt, but the driver has")


def test_paths_from_here(
    cluster: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Each executor has its own working directory.
    monkeypatch.chdir(tmp_path)
    numbers_file(Path("a.csv"), 50, (7,))
    numbers_file(Path("b.csv"), 20_000, (9_000,))
    result = sculpt.spark.validate(cluster, NUMBERS, "*.csv", 10, unit=50_000)
    for verdict in result.verdict.outcomes:
        assert isinstance(verdict, Verdict), verdict
        assert_same(verdict, sculpt.validate(NUMBERS, verdict.path, "local", max_violations=10))
    assert [row["file"] for row in listed(result.violations)] == ["a.csv", "b.csv"]


@pytest.mark.parametrize(("schema", "data", "rows", "columns", "violations"), list(use_cases()))
def test_use_cases(
    cluster: SparkSession,
    shared: Path,
    schema: str,
    data: str,
    rows: int,
    columns: int,
    violations: list[tuple[int, int]],
) -> None:
    loaded = sculpt.Schema.load(shared / "usecases" / schema)
    path = shared / "corpus" / data
    verdict, result = in_chunks(cluster, loaded, path, 4)
    assert (verdict.rows, verdict.columns) == (rows, columns)
    assert [(v.line, v.row) for v in verdict.violations] == violations
    assert result.run.jobs <= loaded.explanation.strata + 2
    assert_same(verdict, sculpt.validate(loaded, path, engine="local"))
