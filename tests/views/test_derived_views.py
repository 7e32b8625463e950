"""Windows and reasons where tokens are derived, and some texts must be asked about."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_windows import PACKERS, check

import derived
from agreement import ALL, parse, schema_texts
from derived import deciding, with_tokens
from sculpt.core import ir
from strategies import as_csv, cells

tables = st.lists(
    st.lists(st.one_of(cells, st.sampled_from(["aba", "a;a", '"a\na"'])), min_size=1, max_size=5),
    max_size=6,
)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("derived") / "data"


@settings(max_examples=60)
@given(
    schema_texts(ALL),
    derived.tokens(),
    tables,
    st.sampled_from(list(PACKERS)),
    st.integers(0, 1 << 20),
)
def test_windows(
    file: Path,
    text: str,
    tokens: list[ir.CoreToken],
    table: list[list[str]],
    packer: str,
    seed: int,
) -> None:
    if schema := parse(text):
        file.write_bytes(PACKERS[packer](as_csv(table)))
        with deciding():
            check(with_tokens(schema, tokens), file, (), random.Random(seed))
