"""Programs on all engines: wherever the file is cut, the results are those of the reference."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sculpt
from agreement import BACKENDS, COMPILED
from programs import TABLES, in_chunks, results, schemas
from sculpt.engines.options import Options
from sculpt.policy import Policy
from sculpt.transform.local import TableRun


def written(path: Path, table: list[list[str]]) -> Path:
    path.write_text("".join(",".join(row) + "\n" for row in table), encoding="utf-8")
    return path


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


@pytest.mark.parametrize("backend", COMPILED)
@given(schemas(), TABLES, st.integers(1, 12))
@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
def test_compiled_kernels(
    file: Path, backend: str, text: str, table: list[list[str]], cells: int
) -> None:
    check(text, file, table, cells, backend)


@given(schemas(), TABLES, st.integers(1, 12))
@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
def test_only_good_rows(file: Path, text: str, table: list[list[str]], cells: int) -> None:
    schema = sculpt.Schema.parse(text + "col(1) -> a | n | Empty\n")
    path = str(written(file, table))
    expected = results(TableRun(schema, path, Policy.GOOD_ROWS, "reference"))
    found = results(TableRun(schema, path, Policy.GOOD_ROWS, "local", strip=cells))
    assert found == expected


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
