"""Schemas proposed with Spark: the counts of its tasks are those of one machine."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import sculpt
from sculpt.cli.main import run_call as main

pytestmark = pytest.mark.xdist_group("spark")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """More files than are read, a large one, a stranger, and marks in few files."""
    found = tmp_path_factory.mktemp("weeks")
    chance = random.Random(1)
    for week in range(60):
        lines = [f"Week {week}", "", "Berth,Day,Tonnes"]
        for row in range(150_000 if week == 30 else 20):
            tonnes = "n/a" if week in (9, 30) and row % 19 == 7 else chance.randrange(10_000)
            lines.append(f"B{chance.randrange(9)},2024-01-{row % 28 + 1:02d},{tonnes}")
        (found / f"week-{week:02d}.csv").write_text("\n".join(lines) + "\n")
    (found / "week-41.csv").write_text("Ship,Flag\n" + "Kestrel,NL\nOran,SE\n" * 9)
    return found


def test_spark_proposes_what_one_machine_does(spark: SparkSession, folder: Path) -> None:
    here = sculpt.propose(folder, engine="local")
    there = sculpt.propose(folder, engine="spark", spark=spark)
    assert there == here
    assert "n/a" in here.schema
    assert here.others == ((str(folder / "week-41.csv"),),)
    assert len(here.paths) == 59
    assert "59 files" in here.schema
    schema = sculpt.Schema.parse(here.schema)
    assert all(sculpt.validate(schema, path).valid for path in here.paths)


def test_the_command(
    spark: SparkSession, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "weeks.sculpt"
    assert main(["init", str(folder), "--engine", "spark", "-o", str(out)]) == 0
    assert "of another kind, left out" in capsys.readouterr().err
    assert out.read_text() == sculpt.propose(folder).schema
