"""Every case of `tests/corpus/checks`: keys and references, on every engine, with every cut."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import sculpt
from agreement import BACKENDS
from conftest import Case, corpus
from sculpt.checks.model import Request
from sculpt.checks.validation import checked_files
from sculpt.engines.options import Options
from sculpt.values import replace
from sculpt.verdict import Verdict

CASES = corpus("checks")
KEYS = frozenset(
    (
        *("name", "about", "schema", "data", "data_hex", "set", "several", "files"),
        *("without_data", "violations", "others", "structure", "warned", "warnings"),
    )
)


def test_there_are_enough_cases_and_their_names_are_unique() -> None:
    names = [str(case) for case in CASES]
    assert len(names) >= 25
    assert len(set(names)) == len(names)
    assert all(set(case.facts) <= KEYS for case in CASES)


def write(case: Case, folder: Path) -> tuple[sculpt.Schema, list[str]]:
    """Write the files of a case; its schema, and the paths of its data."""
    for name, text in case.facts.get("files", {}).items():
        (folder / name).write_text(text, "utf-8")
    (folder / "main.sculpt").write_text(case.schema, "utf-8")
    texts = [text.encode() for text in case.facts.get("several", [])] or [case.data]
    paths = [folder / ("data" if not number else f"data-{number}") for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_bytes(text)
    named = [] if case.facts.get("without_data") else [str(path) for path in paths]
    return sculpt.Schema.load(folder / "main.sculpt", case.settings), named


def verdicts(
    schema: sculpt.Schema, paths: list[str], engine: str, options: Options
) -> list[Verdict]:
    """The verdicts on all files; the lists of all violations agree with them."""
    with checked_files(schema, paths, engine, Request(), options) as files:
        found = []
        for file in files:
            assert isinstance(file.outcome, Verdict), file.outcome
            found.append(file.outcome)
            for each in file.founds:
                assert tuple(each.listed()) == each.violations
        return found


def facts_of(violation: sculpt.Violation, wanted: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key in wanted:
        value = getattr(violation, key)
        if isinstance(value, sculpt.Place):
            value = [os.path.basename(value.file), value.row, value.column]
        found[key] = value
    return found


@pytest.mark.parametrize("engine", ["local", "reference"])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_verdicts(case: Case, tmp_path: Path, engine: str) -> None:
    schema, paths = write(case, tmp_path)
    found = verdicts(schema, paths, engine, Options())
    facts = case.facts
    expected = [facts["violations"], *facts.get("others", [])]
    for verdict, wanted in zip(found, expected, strict=False):
        assert [facts_of(*both) for both in zip(verdict.violations, wanted, strict=True)] == wanted
        assert verdict.found == len(wanted)
    assert not any(verdict.found for verdict in found[len(expected) :])
    assert found[0].warning_violation_count == facts.get("warned", 0)
    if "structure" in facts:
        tallies = [[t.code, t.selected, t.checked, t.failed] for t in found[0].structure]
        assert tallies == facts["structure"]
    if "warnings" in facts:
        assert [warning.code for warning in found[0].warnings] == facts["warnings"]


@pytest.mark.parametrize(
    ("backend", "chunk"), [("plain", 1), ("plain", 3), ("ahead", 17), ("jit", 17)]
)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_chunks(case: Case, tmp_path: Path, backend: str, chunk: int) -> None:
    schema, paths = write(case, tmp_path)
    whole = verdicts(schema, paths, "reference", Options())
    options = Options(chunk=chunk, strip=3 * chunk, threads=2, backend=BACKENDS[backend]())
    cut = verdicts(schema, paths, "local", options)
    assert [replace(each, engine="reference") for each in cut] == whole
