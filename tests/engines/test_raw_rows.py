"""Rows byte for byte, in any dialect and wherever the file is cut: kernels against the reader."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import groupby
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import sculpt
from agreement import BACKENDS, COMPILED
from sculpt.core.task import Task
from sculpt.engines.data import Data
from sculpt.engines.machines import build
from sculpt.engines.options import Options
from sculpt.engines.results import raw_rows
from sculpt.engines.results.raw_rows import RawRows
from sculpt.report.lists.writer import _rows_of
from sculpt.tabular.inputs import Input
from strategies import PIECES, directives


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("rows") / "table.csv"


def joined(pieces: Iterable[tuple[bool, bytes]]) -> list[tuple[bool, bytes]]:
    """Neighbouring pieces of one kind as one."""
    groups = groupby((each for each in pieces if each[1]), key=lambda each: each[0])
    return [(is_good, b"".join(piece for _, piece in some)) for is_good, some in groups]


def check(
    file: Path, given: list[str], data: bytes, bad: set[int] | None, chunk: int, name: str
) -> None:
    try:
        schema = sculpt.Schema.parse("\n".join([*given, "true -> Any*\n"]))
    except sculpt.SchemaError:
        return  # the directives contradict each other
    file.write_bytes(data)
    dialect = schema.core.dialect
    with Input(str(file)) as source:
        found = Data(source, dialect.encoding)
        machines = build(Task.of_rules(schema.core), found.codec, BACKENDS[name](), True, False)
        ours = list(RawRows(machines, found, Options(chunk=chunk)).pieces(bad))
    grid = sculpt.read_table(schema, file)
    theirs = list(_rows_of(grid, dialect.row_delim, bad))
    assert joined(ours) == joined(theirs)


def encoded(given: list[str], text: str, broken: bytes) -> bytes:
    encoding = next((each[11:] for each in given if each.startswith("Encoding")), "utf-8")
    data = text.encode(encoding, "replace")
    return data[: len(data) // 2] + broken + data[len(data) // 2 :]


texts = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)
chunks = st.sampled_from([1, 2, 3, 7, 1 << 20])
bads = st.none() | st.sets(st.integers(1, 9))


@given(directives, texts, st.sampled_from([b"", b"", b"\xff"]), bads, chunks)
@example(["Comment = #"], "a\n#b\n", b"", {1}, 1 << 20)
@example(["Blank Rows = skip"], "a\n\nb", b"", {2}, 1 << 20)
@example([], 'a,"\n"\r\n\n\n', b"", {1}, 3)
@settings(max_examples=1500)
def test_any_dialect(
    file: Path, given: list[str], text: str, broken: bytes, bad: set[int] | None, chunk: int
) -> None:
    check(file, given, encoded(given, text, broken), bad, chunk, "plain")


@pytest.mark.parametrize("backend", COMPILED)
@given(directives, texts, bads, chunks)
@settings(max_examples=100)
def test_compiled_kernels(
    file: Path, backend: str, given: list[str], text: str, bad: set[int] | None, chunk: int
) -> None:
    check(file, given, encoded(given, text, b""), bad, chunk, backend)


BOMS: dict[str, Callable[[str], bytes]] = {
    "utf-8": lambda text: text.encode("utf-8-sig"),
    "utf-16": lambda text: text.encode("utf-16"),
    "utf-32": lambda text: text.encode("utf-32"),
}


@pytest.mark.parametrize("name", BOMS)
@given(texts, bads, chunks)
@settings(max_examples=100)
def test_byte_order_marks_are_no_part_of_rows(
    file: Path, name: str, text: str, bad: set[int] | None, chunk: int
) -> None:
    check(file, [], BOMS[name](text), bad, chunk, "plain")


@pytest.mark.parametrize("name", BACKENDS)
def test_long_runs_come_in_pieces(file: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(raw_rows, "PIECE", 100)
    data = b"".join(b"%d,%s\n" % (n, b"x" * (n % 50)) for n in range(2_000))
    for bad in (set[int](), {1}, {2_000}, {7, 8, 900, 1999}, None):
        check(file, [], data, bad, 1 << 12, name)
