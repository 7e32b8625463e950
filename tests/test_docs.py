"""Every page shows what really happens: see `tools/executed_docs.py`."""

from __future__ import annotations

from pathlib import Path

import pytest
from executed_docs import PAGES, refreshed


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_page(page: Path) -> None:
    assert refreshed(page) == page.read_text(encoding="utf-8"), "look at it, then run `make docs`"


def test_the_harness_notices_a_wrong_page(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```console\n$ sculpt --version\nsculpt 0\n```\n", encoding="utf-8")
    assert refreshed(page) != page.read_text(encoding="utf-8")
    page.write_text("```pycon\n>>> 1 + 1\n3\n```\n", encoding="utf-8")
    with pytest.raises(AssertionError, match="Expected"):
        refreshed(page)
