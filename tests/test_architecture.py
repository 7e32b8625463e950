"""The page `docs/architecture.md` and the tree say the same, and references lead somewhere.

The lines of the modules are generated (`tests/test_generated_docs.py`). Here: what the page says
about files and names, rooms that do not overflow, and every reference that a docstring or comment
makes to a page, a file or a module.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import ROOT
from test_paper_notes import defined_names, spans

SOURCE = ROOT / "src" / "sculpt"
PAGE = ROOT / "docs" / "architecture.md"
MAX_MODULES = 12
FOLDERS = ("src", "tests", "benchmarks", "fuzz", "tools")
PACKAGES = sorted(path.parent for path in SOURCE.rglob("__init__.py"))


def modules_of(package: Path) -> list[Path]:
    return [path for path in package.glob("*.py") if path.name != "__init__.py"]


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_room_is_crowded(package: Path) -> None:
    assert len(modules_of(package)) <= MAX_MODULES


def test_every_module_is_in_a_package() -> None:
    assert {path.parent for path in SOURCE.rglob("*.py")} == set(PACKAGES)


# ------------------------------------------------------------- the page


def words_of_the_page() -> str:
    return PAGE.read_text(encoding="utf-8").partition("## The modules")[0]


def test_the_page_names_files_and_definitions_that_exist() -> None:
    for span in spans(words_of_the_page()):
        name, _, definition = span.partition(": ")
        if not re.fullmatch(r"[\w/.-]+", name) or ("/" not in name and not name.endswith(".py")):
            continue
        found = [path for path in (SOURCE / name, ROOT / name.partition("#")[0]) if path.exists()]
        assert found, span
        if definition:
            assert definition in defined_names(found[0]), span


def test_every_word_of_the_glossary_has_a_meaning_and_a_place() -> None:
    glossary = words_of_the_page().partition("## Glossary")[2].partition("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in glossary.splitlines() if line[:2] == "| "]
    entries = [row for row in rows[1:] if not row[0].startswith("**")]
    assert len(entries) > 40
    assert all(len(row) == 3 and all(row) for row in entries)
    terms = [term for row in entries for term in row[0].split(", ")]
    assert len(terms) == len(set(terms))


def test_contributing_names_every_room() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rooms = [path.name for path in PACKAGES if path.parent == SOURCE]
    assert [room for room in rooms if f"{room}/" not in page] == []


# ------------------------------------------------------------- references

_PAGE = re.compile(r"docs/[\w/.-]+\.md(?:#[\w-]+)?")
_MODULE = re.compile(r"(?<![\w./])(?:[a-z_]+/)+[a-z_]+\.py\b")
_DOTTED = re.compile(r"\bsculpt(?:\.[a-z_]+)+\b(?!:)")  # a colon follows keys of metadata
_SUFFIXES = ("py", "lark")
_BESIDE = re.compile(r"`([a-z_]+)\.([A-Za-z_]\w+)`")


def texts(path: Path) -> Iterator[str]:
    """The docstrings and comments of a module."""
    content = path.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(content)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            yield ast.get_docstring(node) or ""
    for token in tokenize.generate_tokens(io.StringIO(content).readline):
        if token.type == tokenize.COMMENT:
            yield token.string


def headings(page: Path) -> set[str]:
    lines = page.read_text(encoding="utf-8").splitlines()
    titles = [line.lstrip("#").strip() for line in lines if line.startswith("#")]
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


def wrong_references(path: Path) -> Iterator[str]:
    for text in texts(path):
        for found in _PAGE.findall(text):
            name, _, heading = found.partition("#")
            page = ROOT / name
            if not page.exists() or (heading and heading not in headings(page)):
                yield found
            elif re.search(re.escape(found) + r"`? \d", text):
                yield f"{found}: a number instead of a heading"
        for found in _MODULE.findall(text):
            places = (SOURCE / found, ROOT / found, ROOT / "src" / found, path.parent / found)
            if not any(place.exists() for place in places):
                yield found
        for found in _DOTTED.findall(text):
            if not is_known(found):
                yield found


def is_known(dotted: str) -> bool:
    """Does a dotted name lead to a module, or to something that a module defines?"""
    import sculpt

    path = SOURCE.parent / dotted.replace(".", "/")
    if path.is_dir() or path.with_suffix(".py").exists():
        return True
    owner, _, name = dotted.rpartition(".")
    if owner == "sculpt":
        return name in sculpt.__all__
    home = SOURCE.parent / owner.replace(".", "/")
    module = home / "__init__.py" if home.is_dir() else home.with_suffix(".py")
    if not module.exists():
        return is_known(owner)  # a method
    return name in defined_names(module) or f'"{name}"' in module.read_text(encoding="utf-8")


@pytest.mark.parametrize("folder", FOLDERS)
def test_references_lead_somewhere(folder: str) -> None:
    found = {
        path.relative_to(ROOT).as_posix(): wrong
        for path in sorted((ROOT / folder).rglob("*.py"))
        if (wrong := sorted(set(wrong_references(path))))
    }
    assert found == {}


def test_module_names_in_docstrings_exist() -> None:
    """`relations.Traffic` in the docstring of a neighbour is a module and a name in it."""
    modules: dict[str, list[Path]] = {}
    for path in SOURCE.rglob("*.py"):
        modules.setdefault(path.stem, []).append(path)
    wrong = []
    for path in SOURCE.rglob("*.py"):
        for text in texts(path):
            for module, name in _BESIDE.findall(text):
                if module in modules and not any(
                    name in defined_names(home) or name in _SUFFIXES for home in modules[module]
                ):
                    wrong.append(f"{path.relative_to(SOURCE)}: {module}.{name}")
    assert wrong == []
