"""`why` on files of any size: the answers of the reference, wherever the file is cut."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sculpt
from agreement import ALL, BACKENDS, parse, schema_texts
from sculpt.automata import navigator
from sculpt.engines.options import Options
from sculpt.engines.waypoints import replay, row_texts
from sculpt.kernels import choice as backends
from sculpt.kernels.backend import Backend
from sculpt.syntax.printer import print_selector
from sculpt.views import marked
from sculpt.views.local import LocalSource
from sculpt.views.model import region_specs
from sculpt.views.reference import GridSource
from sculpt.views.view import View
from strategies import PIECES, as_csv, directives, selectors, tables

chosen = selectors(types=("T",), depth=2).map(print_selector)
seeds = st.integers(0, 1 << 20)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("why") / "data"


def check(
    schema: sculpt.Schema,
    file: Path,
    given_selectors: tuple[str, ...],
    seed: int,
    backend: Backend | None = None,
    entries: int | None = None,
) -> None:
    """Compare what two sources say of some cells."""
    rng = random.Random(seed)
    tokens, specs = region_specs(schema, given_selectors)
    grid = sculpt.read_table(schema, file)
    if not grid.width:
        return
    theirs = View(schema, specs, GridSource(schema.core, tokens, grid, specs, str(file), 1000))
    options = Options(
        chunk=rng.choice([1, 5, 13, 1000]),
        strip=rng.choice([1, 6, 1000]),
        threads=rng.choice([1, 2]),
        backend=backend or backends.plain(),
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(replay, "PIECE", rng.choice([3, 8, 1 << 20]))
        patch.setattr(replay, "STRIP_CELLS", rng.choice([1, 5, 1 << 17]))
        patch.setattr(row_texts, "LONG", rng.choice([0, 7, 1 << 16]))
        patch.setattr(marked, "KEPT_BYTES", rng.choice([0, 40, 1 << 20]))
        if entries is not None:
            patch.setattr(navigator, "MAX_ENTRIES", entries)
        source = LocalSource(schema.core, tokens, str(file), specs, options)
        with View(schema, specs, source) as ours:
            for _ in range(2):
                place = rng.randint(1, grid.height), rng.randint(1, grid.width)
                assert ours.why(*place) == theirs.why(*place)


@settings(max_examples=120)
@given(schema_texts(ALL), tables, chosen, seeds)
def test_any_schema(
    file: Path, text: str, table: list[list[str]], selector: str, seed: int
) -> None:
    if schema := parse(text):
        file.write_bytes(as_csv(table))
        check(schema, file, (selector,), seed)


@settings(max_examples=40)
@given(schema_texts(ALL), tables, chosen, seeds)
def test_selectors_that_are_walked_apart(
    file: Path, text: str, table: list[list[str]], selector: str, seed: int
) -> None:
    if schema := parse(text):
        file.write_bytes(as_csv(table))
        check(schema, file, (selector,), seed, entries=30)


@settings(max_examples=80)
@given(directives, st.lists(st.sampled_from(PIECES), max_size=40).map("".join), chosen, seeds)
def test_any_dialect(file: Path, lines: list[str], text: str, selector: str, seed: int) -> None:
    head = "\n".join(dict.fromkeys(lines))
    schema = parse(
        f"{head}\na = a+\nb = [ab]\nn = [0-9]+\nw = [a-z]*\nT <= down+(a)\ntrue -> Any*, a\n"
    )
    if schema is None:
        return
    try:
        data = text.encode(schema.core.dialect.encoding or "utf-8")
    except UnicodeEncodeError:
        data = text.encode()
    file.write_bytes(data)
    check(schema, file, (selector,), seed)


@pytest.mark.parametrize("backend", ["ahead", "jit"])
@settings(max_examples=15)
@given(text=schema_texts(ALL), table=tables, selector=chosen, seed=seeds)
def test_compiled_kernels(
    file: Path, backend: str, text: str, table: list[list[str]], selector: str, seed: int
) -> None:
    if schema := parse(text):
        file.write_bytes(as_csv(table))
        check(schema, file, (selector,), seed, BACKENDS[backend]())


def test_a_file_that_changes_gives_an_error(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_text("A,B\n1,2\n", encoding="utf-8")
    schema = sculpt.Schema.parse("n = [0-9]+\ncol(A) -> n\n")
    with sculpt.view(schema, path, engine="local") as view:
        assert view.why(2, 1).selected == ("rule:1",)
        path.write_text("A,B\n1,2\n3,4\n", encoding="utf-8")
        with pytest.raises(sculpt.DataError, match="changed after it was viewed"):
            view.why(2, 1)
    with pytest.raises(sculpt.UsageError, match="closed"):
        view.why(2, 1)
