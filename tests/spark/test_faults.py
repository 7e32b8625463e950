"""What goes wrong in a run ends with the right answer, or with an error that names the file."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import sculpt
import sculpt.spark
from sculpt.spark import rounds
from sculpt.spark.tasks import File
from sculpt.verdict import Unread, Verdict
from sessions import NUMBERS, Killer, assert_same, descendants, listed, numbers_file

pytestmark = pytest.mark.xdist_group("spark")


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("faults") / "large.csv"
    return numbers_file(path, 150_000, (9, 70_000, 149_000))


def test_a_worker_that_is_killed(spark: SparkSession, large: Path) -> None:
    killer = Killer(lambda: descendants("pyspark.daemon")[1:], after=3)
    unit = large.stat().st_size // 100
    result = sculpt.spark.validate(spark, NUMBERS, large, 10, unit=unit, on_progress=killer)
    assert killer.killed
    (verdict,) = result.verdict.outcomes
    assert isinstance(verdict, Verdict)
    assert_same(verdict, sculpt.validate(NUMBERS, large, engine="local", max_violations=10))


@pytest.mark.parametrize("change", ["vanishes", "is truncated", "grows", "is replaced"])
def test_a_file_that_changes_after_planning(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    good = numbers_file(tmp_path / "a.csv", 100)
    large = numbers_file(tmp_path / "b.csv", 20_000)
    plan = rounds.planned

    def planned(paths: rounds.Paths) -> list[File | sculpt.DataError]:
        files = plan(paths)
        match change:
            case "vanishes":
                large.unlink()
            case "is truncated":
                os.truncate(large, 100_000)
            case "grows":
                with large.open("a") as file:
                    file.write("1,2,3\n")
            case "is replaced":
                numbers_file(tmp_path / "c", 20_000, (5,)).replace(large)
        return files

    monkeypatch.setattr("sculpt.spark.files.planned", planned)
    result = sculpt.spark.validate(spark, NUMBERS, [good, large], unit=50_000)
    first, second = result.verdict.outcomes
    assert isinstance(first, Verdict)
    assert first.valid
    assert isinstance(second, Unread)
    assert second.path == str(large)
    assert str(large) in second.message
    words = "no such file" if change == "vanishes" else "changed while it was read"
    assert words in second.message
    assert result.verdict.exit_status == 3


def test_a_file_that_changes_in_the_middle_of_a_run(spark: SparkSession, tmp_path: Path) -> None:
    path = numbers_file(tmp_path / "a.csv", 100_000)

    def truncate(done: int, tasks: int) -> None:
        if 0 < done < tasks:
            os.truncate(path, 1000)

    unit = path.stat().st_size // 200
    result = sculpt.spark.validate(spark, NUMBERS, path, unit=unit, on_progress=truncate)
    (outcome,) = result.verdict.outcomes
    assert isinstance(outcome, Unread), outcome
    assert str(path) in outcome.message


def test_a_file_that_changes_before_it_is_listed(spark: SparkSession, tmp_path: Path) -> None:
    path = numbers_file(tmp_path / "a.csv", 1_000, (7,))
    result = sculpt.spark.validate(spark, NUMBERS, path)
    assert len(listed(result.violations)) == 1
    with path.open("a") as file:
        file.write("x,y,z\n")
    with pytest.raises(Exception, match="changed while it was read"):
        result.violations.collect()


def test_an_unreadable_file_does_not_hide_the_others(spark: SparkSession, tmp_path: Path) -> None:
    paths = [numbers_file(tmp_path / f"{n}.csv", 50, (9,) if n == 2 else ()) for n in range(4)]
    (tmp_path / "1.csv").unlink()
    (tmp_path / "1.csv").mkdir()  # a directory is read as what is in it: nothing
    os.mkfifo(tmp_path / "pipe")
    result = sculpt.spark.validate(spark, NUMBERS, [*paths, tmp_path / "absent.csv"])
    outcomes = result.verdict.outcomes
    assert [isinstance(each, Unread) for each in outcomes] == [False, True, False, False, True]
    assert [each.valid for each in outcomes if isinstance(each, Verdict)] == [True, False, True]
    assert listed(result.violations)[0]["file"] == str(paths[2])


def test_a_run_can_be_interrupted(spark: SparkSession, large: Path) -> None:
    seen = threading.Event()

    def stop(done: int, tasks: int) -> None:
        if done:
            seen.set()
            spark.sparkContext.cancelAllJobs()

    unit = large.stat().st_size // 400
    with pytest.raises(sculpt.RunError, match="the Spark job failed"):
        sculpt.spark.validate(spark, NUMBERS, large, unit=unit, on_progress=stop)
    assert seen.is_set()
    result = sculpt.spark.validate(spark, NUMBERS, large)  # the session is still good
    assert isinstance(result.verdict.outcomes[0], Verdict)


def test_a_task_that_always_fails_is_an_error_of_one_line(
    spark: SparkSession, large: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Workers run out of memory, as if the machine had none left.
    monkeypatch.setattr(rounds, "_Round", Starving)
    with pytest.raises(sculpt.RunError) as caught:
        sculpt.spark.validate(spark, NUMBERS, large)
    assert "\n" not in str(caught.value)


class Starving(rounds._Round):
    """Workers that run out of memory."""

    def __call__(self, batches: object) -> object:  # type: ignore[override]
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (1 << 20, 1 << 20))
        return bytearray(1 << 30)
