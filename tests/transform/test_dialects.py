"""What cells say in any dialect: kernels against the plain reader."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sculpt
from sculpt.automata import backend as backends
from sculpt.engines.delimiters import splitting
from sculpt.engines.local import Options
from sculpt.transform.local import Policy, TableRun
from sculpt.transform.results import target_stream
from strategies import PIECES, directives

PROGRAM = "\nFor each cell v in true { emit R(c: v.content, r: v.raw) }\n"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("dialects") / "table.csv"


def parsed(given: list[str]) -> sculpt.Schema | None:
    try:
        return sculpt.Schema.parse("\n".join(given) + PROGRAM)
    except sculpt.SchemaError:
        return None  # the directives contradict each other


def cells(schema: sculpt.Schema, file: Path, engine: str, options: Options, strip: int) -> object:
    run = TableRun(schema, str(file), Policy.FORCE, engine, options, strip=strip)
    stream = target_stream(run.program, "R")
    batches = run.batches(run.validate(), frozenset([stream]))
    return [row for _, batch in batches for row in batch.to_pylist()]


def check(file: Path, given: list[str], text: str, broken: bytes, strip: int, name: str) -> None:
    schema = parsed(given)
    if schema is None:
        return
    data = text.encode(schema.core.dialect.encoding or "utf-8", "replace")
    middle = len(data) // 2
    file.write_bytes(data[:middle] + broken + data[middle:])
    backend = backends.compiled() if name == "compiled" else backends.plain()
    ours = cells(schema, file, "local", Options(backend=backend), strip)
    assert ours == cells(schema, file, "reference", Options(), strip)


texts = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)


@given(directives, texts, st.sampled_from([b"", b"", b"\xff"]), st.sampled_from([1, 4, 1000]))
@settings(max_examples=500)
def test_any_dialect(file: Path, given: list[str], text: str, broken: bytes, strip: int) -> None:
    check(file, given, text, broken, strip, "plain")


@given(directives, texts, st.sampled_from([1, 4, 1000]))
@settings(max_examples=60)
def test_compiled_kernels(file: Path, given: list[str], text: str, strip: int) -> None:
    check(file, given, text, b"", strip, "compiled")


@pytest.mark.parametrize(
    "directive",
    ["Col Delim = ||", "Col Delim = §", "Col Delim = /\\s+/", "Escape = \\\\", "Quote = none"],
)
def test_kernels_know_these_dialects(directive: str) -> None:
    schema = sculpt.Schema.parse(directive + PROGRAM)
    assert splitting(schema.core.dialect) is not None
