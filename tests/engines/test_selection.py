"""Cells with their texts as they are found: the same as a list of all, in bounded steps."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sculpt
from agreement import BACKENDS
from sculpt.engines import local
from sculpt.engines.options import Options
from sculpt.engines.results.details import Details
from sculpt.syntax.printer import print_selector
from sculpt.verdict import Selection
from strategies import TOKENS, selectors


def found(
    schema: sculpt.Schema, file: Path, selector: str, options: Options
) -> tuple[Selection, list[int]]:
    """All cells as a selection, and the sizes of the batches."""
    tokens, node = sculpt.api.parse_selector_text(schema, selector)
    steps = local.select_in_order(schema.core, tokens, str(file), node, options)
    cells: list[tuple[int, int, str | None]] = []
    sizes: list[int] = []
    while True:
        try:
            batch = next(steps)
        except StopIteration as end:
            places = [(row, column) for row, column, _ in cells]
            return Selection(
                end.value[0], end.value[1], places, [text for *_, text in cells]
            ), sizes
        cells += batch
        sizes.append(len(batch))


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("selecting") / "table.csv"


rows = st.lists(
    st.lists(
        st.sampled_from(["a", "b", "", "1", " w ", '"x,y"', '"q""q"']), min_size=1, max_size=4
    ),
    max_size=12,
)


@given(
    rows,
    selectors(depth=2).map(print_selector),
    st.sampled_from(["inner", "keep", "skip"]),
    st.sampled_from([1, 7, 1 << 20]),
)
@settings(max_examples=300)
def test_the_same_cells_as_the_reference(
    file: Path, table: list[list[str]], selector: str, blank: str, chunk: int
) -> None:
    file.write_text("".join(",".join(row) + "\n" for row in table))
    schema = sculpt.Schema.parse(f"{TOKENS}\nBlank Rows = {blank}")
    theirs = sculpt.api.select_cells(schema, file, selector, "reference", with_texts=True)
    for name in ("plain", "ahead"):
        options = Options(backend=BACKENDS[name](), chunk=chunk)
        assert found(schema, file, selector, options)[0] == theirs


@pytest.mark.parametrize(
    "selector", ["true", "row(2)", "col(1)", "Missing", "right*(x)", "left*(x)"]
)
@pytest.mark.parametrize("wide", [0, 1, 150, 299])
def test_a_row_that_is_wider_than_those_before(file: Path, selector: str, wide: int) -> None:
    """What has been given before the width was known is neither wrong nor given twice."""
    lines = [f"x,{number}" for number in range(300)]
    lines[wide] += ",more,and more"
    file.write_text("\n".join(lines) + "\n")
    schema = sculpt.Schema.parse("")
    theirs = sculpt.api.select_cells(schema, file, selector, "reference", with_texts=True)
    for chunk in (16, 100, 1 << 20):
        assert found(schema, file, selector, Options(chunk=chunk))[0] == theirs


def test_far_apart_rows_and_long_rows(file: Path) -> None:
    texts = [
        f"k{number}," + "v" * size for number, size in enumerate([3, 40_000, 2, 200_000, 9, 1])
    ]
    file.write_text("\n".join(texts))
    schema = sculpt.Schema.parse("")
    theirs = sculpt.api.select_cells(schema, file, "true", "reference", with_texts=True)
    assert found(schema, file, "true", Options())[0] == theirs


def test_it_reads_no_further_than_it_is_asked(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text("".join(f"a,{number}\n" for number in range(200_000)))
    read: list[int] = []
    texts_of = Details.texts_of

    def noted(self: Any, places: list[Any]) -> list[str | None]:
        read.append(len(places))
        return texts_of(self, places)

    monkeypatch.setattr(Details, "texts_of", noted)
    schema = sculpt.Schema.parse("")
    steps = sculpt.api.select_in_order(schema, file, "col(1)", "local")
    first: list[Any] = next(steps)
    steps.close()
    assert first[0] == (1, 1, "a")
    assert sum(read) == len(first) < 50_000


def test_batches_are_bounded(file: Path) -> None:
    file.write_text("a,b,c,d\n" * 60_000)
    selection, sizes = found(sculpt.Schema.parse(""), file, "true", Options())
    assert len(selection.cells) == 240_000
    assert max(sizes) <= 1 << 14


def batches(engine: str, file: Path) -> Iterator[list[tuple[int, int, str | None]]]:
    return sculpt.api.select_in_order(sculpt.Schema.parse(""), file, "true", engine)


@pytest.mark.parametrize("engine", ["auto", "local", "reference"])
def test_engines(file: Path, engine: str) -> None:
    file.write_text("a,\nb\n")
    cells = [cell for batch in batches(engine, file) for cell in batch]
    assert cells == [(1, 1, "a"), (1, 2, ""), (2, 1, "b"), (2, 2, None)]
