"""What is generated is up to date, and the codes in use are the codes documented."""

from __future__ import annotations

import re
import runpy

import generate_grammar
import pytest

from conftest import ROOT
from sculpt.diagnostics import CODES
from sculpt.verdict import PROGRAM_CODES, VIOLATION_CODES, WARNING_CODES

PAGES = runpy.run_path(str(ROOT / "tools" / "generate_docs.py"))["PAGES"]


@pytest.mark.parametrize("name", PAGES)
def test_page_is_up_to_date(name: str) -> None:
    page = (ROOT / "docs" / name).read_text(encoding="utf-8")
    assert page == PAGES[name](), "run `make docs`"


def test_grammar_is_up_to_date() -> None:
    written = generate_grammar.TARGET.read_text(encoding="utf-8")
    assert written == generate_grammar.render(), "run `make docs`"


def test_every_code_is_used_somewhere_in_the_source() -> None:
    source = "\n".join(
        path.read_text(encoding="utf-8")
        for path in sorted((ROOT / "src").rglob("*.py"))
        if path.name not in ("diagnostics.py", "verdict.py")
    )
    written = set(re.findall(r'"([a-z0-9]+(?:-[a-z0-9]+)*)"', source))
    made = {"row-content", "region-content", "column-content", "list-content"}  # f"{scope}-content"
    assert {*CODES, *VIOLATION_CODES, *PROGRAM_CODES, *WARNING_CODES} <= written | made
