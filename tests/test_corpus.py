"""Every case of `tests/corpus`, on every engine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import sculpt
from agreement import BACKENDS, HERE
from conftest import Case, corpus
from sculpt.engines import local
from sculpt.engines.options import Options

CASES = corpus()
KEYS = frozenset(
    [
        "name",
        "about",
        "schema",
        "data",
        "data_hex",
        "set",
        "valid",
        "rows",
        "columns",
        "violations",
        "warning_violations",
        "warnings",
        "select",
        "cells",
        "error",
        "at",
        "lint",
    ]
)


def test_there_are_enough_cases_and_their_names_are_unique() -> None:
    names = [str(case) for case in CASES]
    assert len(names) >= 150
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_no_case_has_a_key_that_nothing_checks(case: Case) -> None:
    assert set(case.facts) <= KEYS
    assert set(case.facts) & {"valid", "error", "lint", "select", "cells"}


@pytest.mark.parametrize("case", [c for c in CASES if "error" in c.facts], ids=str)
def test_errors(case: Case) -> None:
    with pytest.raises(sculpt.SchemaError) as caught:
        sculpt.Schema.parse(case.schema, case.settings)
    diagnostics = caught.value.diagnostics
    assert [d.code for d in diagnostics] == case.facts["error"], str(caught.value)
    if "at" in case.facts:
        places = [[d.span.line, d.span.column] for d in diagnostics]
        assert places == case.facts["at"], str(caught.value)
    for diagnostic in diagnostics:
        assert "^" in diagnostic.render()


@pytest.mark.parametrize("case", [c for c in CASES if "lint" in c.facts], ids=str)
def test_lint(case: Case) -> None:
    lint = sculpt.Schema.parse(case.schema, case.settings).lint
    assert sorted(d.code for d in lint) == case.facts["lint"], [d.render() for d in lint]


@pytest.fixture
def path(case: Case, tmp_path: Path) -> Path:
    path = tmp_path / "data"
    path.write_bytes(case.data)
    return path


@pytest.mark.parametrize("case", [c for c in CASES if "cells" in c.facts], ids=str)
def test_cells(case: Case, path: Path) -> None:
    grid = sculpt.read_table(sculpt.Schema.parse(case.schema, case.settings), path)
    assert [[cell.text for cell in row.cells] for row in grid.rows] == case.facts["cells"]


@pytest.mark.parametrize("engine", HERE)
@pytest.mark.parametrize("case", [c for c in CASES if "select" in c.facts], ids=str)
def test_select(case: Case, path: Path, engine: str) -> None:
    schema = sculpt.Schema.parse(case.schema, case.settings)
    for selector, cells in case.facts["select"].items():
        found = sculpt.select(schema, path, selector, engine=engine)
        assert [list(cell) for cell in found] == cells, selector


@pytest.mark.parametrize("engine", HERE)
@pytest.mark.parametrize("case", [c for c in CASES if "valid" in c.facts], ids=str)
def test_verdict(case: Case, path: Path, engine: str) -> None:
    schema = sculpt.Schema.parse(case.schema, case.settings)
    verdict = sculpt.validate(schema, path, engine=engine)
    facts = case.facts
    assert verdict.valid == facts["valid"], verdict.violations
    assert verdict.rows == facts.get("rows", verdict.rows)
    assert verdict.columns == facts.get("columns", verdict.columns)
    if "violations" in facts:
        found = [
            {key: _value(violation, key) for key in wanted}
            for violation, wanted in zip(verdict.violations, facts["violations"], strict=False)
        ]
        assert found == facts["violations"]
        warned = facts.get("warning_violations", 0)
        assert verdict.warning_violation_count == warned
        assert verdict.violation_count == len(facts["violations"]) - warned
    if "warnings" in facts:
        assert [warning.code for warning in verdict.warnings] == facts["warnings"]


@pytest.mark.parametrize(
    ("backend", "chunk"), [("plain", 1), ("plain", 3), ("ahead", 17), ("jit", 17)]
)
@pytest.mark.parametrize("case", [c for c in CASES if "valid" in c.facts], ids=str)
def test_chunks(case: Case, path: Path, backend: str, chunk: int) -> None:
    schema = sculpt.Schema.parse(case.schema, case.settings)
    whole = sculpt.validate(schema, path, engine="reference")
    options = Options(chunk=chunk, strip=3 * chunk, threads=2, backend=BACKENDS[backend]())
    cut = local.validate(schema.core, str(path), options)
    assert replace(cut, engine="reference") == whole


def _value(violation: sculpt.Violation, key: str) -> Any:
    value = getattr(violation, key)
    if value is None and key in ("rule", "row", "column", "line"):
        return 0
    return list(value) if isinstance(value, tuple) else value
