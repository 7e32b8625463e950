"""The documentation is executed: every file it shows is written, every command run.

In a page, a block with `file=NAME` in its info string is written to a scratch folder; a `console`
block holds commands after `$ ` and what they print; a `pycon` block is a doctest.
"""

from __future__ import annotations

import doctest
import re
import shlex
from dataclasses import dataclass
from pathlib import Path

import pytest

from conftest import ROOT, run_command

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
_BLOCK = re.compile(r"^```(\w+)?([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    language: str
    info: str
    body: str


def blocks(page: Path) -> list[Block]:
    found = _BLOCK.finditer(page.read_text(encoding="utf-8"))
    return [Block(match[1] or "", match[2], match[3]) for match in found]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_page(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    for block in blocks(page):
        if match := re.search(r"\bfile=(\S+)", block.info):
            Path(match[1]).write_text(block.body, encoding="utf-8")
        elif block.language == "console":
            _run_console(block.body)
        elif block.language == "pycon":
            _run_doctest(block.body, page.name)


def _run_console(body: str) -> None:
    for entry in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
        command, _, expected = entry.partition("\n")
        program, *arguments = shlex.split(command)
        if program != "sculpt":
            continue  # `make demo` and the like: shown, run elsewhere
        assert run_command(arguments).output.rstrip() == expected.rstrip(), command


def _run_doctest(body: str, name: str) -> None:
    test = doctest.DocTestParser().get_doctest(body, {}, name, name, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    runner.run(test)
    assert runner.summarize(verbose=False).failed == 0
