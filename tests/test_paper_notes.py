"""The map from the paper to the code is right, and its own claims hold.

First the page: whatever `docs/paper-notes.md` puts in backticks and looks like a reference must
exist, every row must say where and by what, and every statement of the paper must have a row.
Then the statements of the paper that no other test shows.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import sculpt
from conftest import ROOT
from sculpt.core.facts.explain import StreamClass
from sculpt.engines.reference import Table
from sculpt.syntax.ast import Program

PAGE = ROOT / "docs" / "paper-notes.md"
SOURCE = ROOT / "src" / "sculpt"
EXAMPLES = ROOT / "examples"

# ------------------------------------------------------------- the page

_DEFINITION = re.compile(r"([\w/]+\.py): ([\w.]+)")
_TEST = re.compile(r"(tests/[\w/]+\.py)::(\w+)")
_CASE = re.compile(r"(corpus/[\w-]+\.toml): ([\w-]+)")
_PATH = re.compile(r"(?:[\w-]+/)+[\w.-]+|[\w-]+\.(?:py|toml|md)")
_REFERENCE_LIKE = re.compile(r"::|\.(?:py|toml|md|sculpt|lark)\b|^[\w-]+/")

STATEMENTS = {
    2: ["Figure 1", "Figure 2", "Example 2.1", "Figure 3", "Figure 4", "Example 2.2", "Figure 5",
        "Example 2.3", "Figure 6"],
    3: ["Definition 3.1", "Definition 3.2", "Example 3.3", "Remark 3.4", "Remark 3.5"],
    4: ["Theorem 4.1", "Example 4.2", "Definition 4.3", "Theorem 4.4", "Definition 4.5",
        "Theorem 4.6"],
    5: ["Figure 7", "Example 5.1"],
    6: ["Lemma A.1", "Definition B.1", "Example B.2", "Definition B.3", "Definition B.4",
        "Lemma B.5", "Lemma B.6", "Lemma B.7", "Proposition B.8", "Lemma C.1"],
}  # fmt: skip


def page() -> str:
    return PAGE.read_text(encoding="utf-8")


def spans(text: str) -> list[str]:
    """What stands in backticks; in tables a bar is escaped."""
    return [span.replace("\\|", "|") for span in re.findall(r"`([^`\n]+)`", text)]


def references() -> list[str]:
    """The spans that name a file or something in one."""
    return sorted({span for span in spans(page()) if _REFERENCE_LIKE.search(span)})


@cache
def defined_names(path: Path) -> frozenset[str]:
    """What a module defines at the top, and the members of its classes with a dot."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = set(_names(tree))
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            names.update(f"{node.name}.{name}" for name in _names(node))
    return frozenset(names)


def _names(scope: ast.Module | ast.ClassDef) -> Iterator[str]:
    for node in scope.body:
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield name
            case ast.Assign(targets=targets):
                yield from (target.id for target in targets if isinstance(target, ast.Name))


def case_names(path: Path) -> set[str]:
    with path.open("rb") as file:
        return {case["name"] for case in tomllib.load(file)["case"]}


@pytest.mark.parametrize("reference", references())
def test_reference_exists(reference: str) -> None:
    if match := _DEFINITION.fullmatch(reference):
        assert match[2] in defined_names(SOURCE / match[1])
    elif match := _TEST.fullmatch(reference):
        assert match[2].startswith("test_")
        assert match[2] in defined_names(ROOT / match[1])
    elif match := _CASE.fullmatch(reference):
        assert match[2] in case_names(ROOT / "tests" / match[1])
    else:
        assert _PATH.fullmatch(reference), "not one of the forms that the page explains"
        assert (ROOT / reference).exists()


def test_there_are_references_of_every_form() -> None:
    for form in (_DEFINITION, _TEST, _CASE, _PATH):
        assert sum(form.fullmatch(reference) is not None for reference in references()) >= 10


def rows(part: str) -> list[list[str]]:
    """The cells of all table rows of a part of the page, without heads and rules."""
    lines = re.findall(r"^\|(.*)\|$", part, re.MULTILINE)
    cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)] for line in lines]
    return [row for row in cells if row[0] not in ("paper", "#", "what") and row[0] != "---"]


def parts() -> dict[str, str]:
    """The parts of the page by heading."""
    pieces = re.split(r"^## (.+)$", page(), flags=re.MULTILINE)
    return dict(zip(pieces[1::2], pieces[2::2], strict=True))


def maps() -> list[list[list[str]]]:
    """The tables from paper to code: one per section, the appendix last."""
    return [rows(body) for heading, body in parts().items() if re.match(r"\d|Appendix", heading)]


@pytest.mark.parametrize(("table", "section"), list(enumerate(STATEMENTS)))
def test_every_statement_has_its_row(table: int, section: int) -> None:
    listed = [row[0] for row in maps()[table]]
    numbered = [name for name in listed if re.fullmatch(r"[A-Z][a-z]+ (?:[A-Z\d]\.)?\d", name)]
    assert sorted(numbered) == sorted(STATEMENTS[section])
    assert len(set(listed)) == len(listed)


def test_every_row_says_where_and_by_what() -> None:
    for row in (row for table in maps() for row in table):
        name, what, code, shown = row
        assert name, row
        assert what, row
        for cell in (code, shown):
            assert "not yet" in cell or set(spans(cell)) & set(references()), row


def test_errata_are_complete_rows_in_one_count() -> None:
    errata = rows(parts()["Errata"])
    assert [row[0] for row in errata] == [f"E{number}" for number in range(1, len(errata) + 1)]
    for row in errata:
        assert len(row) == 5, row
        assert all(row), row
        see = row[4]
        assert see in ("not yet", "no code") or set(spans(see)) & set(references()), row


def test_departures_have_a_place() -> None:
    for what, where in rows(parts()["Departures"]):
        assert what
        assert set(spans(where)) <= set(references()), where
        assert spans(where), what


def test_files_with_a_remark_on_the_paper_are_on_the_page() -> None:
    for path in sorted(SOURCE.rglob("*.py")):
        if "# Paper:" in path.read_text(encoding="utf-8"):
            assert f"`{path.relative_to(SOURCE)}: " in page(), path


def test_the_page_stays_inside_the_project() -> None:
    assert not re.search(r"\.\./|(?<![\w:/])/\w+/|~/", page())


def test_the_list_of_statements_is_that_of_the_paper(shared: Path) -> None:
    text = (shared / "paper" / "sculpt.tex").read_text(encoding="utf-8")
    kinds = "definition|theorem|lemma|proposition|remark|example"
    pattern = rf"\\(section)\{{|\\(appendix)\b|\\begin\{{({kinds}|figure)\*?\}}"
    found: dict[int, list[str]] = {}
    section, count, figures = 0, 0, 0
    appendix: int | None = None
    for match in re.finditer(pattern, text):
        kind = match[1] or match[2] or match[3]
        if kind == "appendix":
            appendix = section
        elif kind == "section":
            section, count = section + 1, 0
        else:
            figures, count = figures + (kind == "figure"), count + (kind != "figure")
            letter = "" if appendix is None else chr(ord("A") + section - appendix - 1)
            number = f"{letter or section}.{count}" if kind != "figure" else str(figures)
            key = 6 if appendix is not None else section
            found.setdefault(key, []).append(f"{kind.capitalize()} {number}")
    assert {key: sorted(names) for key, names in found.items()} == {
        key: sorted(names) for key, names in STATEMENTS.items()
    }


# ------------------------------------------------------------- statements of the paper


def example(name: str, more: str = "") -> sculpt.Schema:
    return sculpt.Schema.parse((EXAMPLES / name).read_text(encoding="utf-8") + "\n" + more)


@pytest.mark.parametrize(
    ("selector", "cells"),
    [
        ("GeoArea", [(8, 2)]),
        ("right(GeoArea)", [(8, 3)]),
        ("right+(GeoArea)", [(8, 3), (8, 4)]),
        ("down(right+(GeoArea))", [(9, 3), (9, 4)]),
        ("down+(right+(GeoArea))", [(9, 3), (9, 4), (10, 3), (10, 4)]),
        ("left((1,1))", []),
    ],
)
def test_regions_of_example_2_2(selector: str, cells: list[tuple[int, int]]) -> None:
    schema = example("census/printed.sculpt")
    assert sculpt.select(schema, EXAMPLES / "census/census.csv", selector) == cells


def test_literal_of_example_3_3() -> None:
    data = EXAMPLES / "provenance/provenance.txt"
    selector = "down+ . [literal] . right+ (object)"
    printed = example("provenance/corrected.sculpt", r"literal = \"[a-zA-Z0-9]\"")
    assert sculpt.select(printed, data, selector) == []
    meant = example("provenance/corrected.sculpt", r"literal = \"[a-zA-Z0-9]*\"")
    found = sculpt.select(meant, data, selector)
    assert found == [(row, column) for row in (3, 4, 6) for column in range(4, 12)]
    grid = sculpt.read_table(meant, data)
    real = [grid.cell(*place) is not None for place in found]
    assert real.count(True) == 2 + 3 + 5  # the rest is padding


def test_token_sets_of_example_4_2() -> None:
    schema = example("climate/printed.sculpt")
    grid = sculpt.read_table(schema, EXAMPLES / "climate/climate.csv")
    table = Table(grid, dict(schema.core.tokens))
    sets = [[set(table.tokens_at((row, column))) for column in range(1, 5)] for row in (1, 2)]
    assert sets == [
        [{"Empty"}, {"ARUA"}, {"BOMBO"}, {"ENTEBBE AIR"}],
        [{"Timestamp"}, {"Temperature"}, {"Temperature"}, {"Temperature"}],
    ]


@pytest.mark.parametrize(
    ("name", "tokens"),
    [
        ("climate/printed.sculpt", ["ARUA", "BOMBO", "ENTEBBE AIR"]),
        ("census/printed.sculpt", ["GeoID", "GeoArea"]),
        ("provenance/delimited.sculpt", ["subject", "predicate", "object", "provenance"]),
    ],
)
def test_unique_makes_the_figures_strong(name: str, tokens: list[str]) -> None:
    assert example(name).explanation.stream_class is StreamClass.WEAK
    unique = "\n".join(f"unique({token})" for token in tokens)
    assert example(name, unique).explanation.stream_class is StreamClass.STRONG


def test_unique_does_not_help_everywhere() -> None:
    useful = "climate/useful.sculpt"
    constraints = "\n".join(f"unique({token})" for token in ("ARUA", "BOMBO", "Useless-Temp"))
    entries = example(useful, constraints).explanation.entries
    assert [e.stream_class for e in entries if e.text.startswith("Useful <=")] == ["passes"]

    remarks = example("pdb/corrected.sculpt")
    assert remarks.explanation.stream_class is StreamClass.STRONG
    for token, repeated in (("dots", [8, 13, 17]), ("REMARK", [10, 11, 12])):
        guarded = example("pdb/corrected.sculpt", f"unique({token})")
        verdict = sculpt.validate(guarded, EXAMPLES / "pdb/pdb.txt")
        assert {violation.code for violation in verdict.violations} == {"unique"}
        assert [violation.row for violation in verdict.violations] == repeated


@pytest.mark.parametrize(("text", "valid"), [("a,1\nb\nc,\nd,2\n", True), ("a,1\nb,x\n", False)])
def test_both_rules_of_section_5_1(text: str, valid: bool, tmp_path: Path) -> None:
    data = tmp_path / "data.csv"
    data.write_text(text, encoding="utf-8")
    for rule in ("col(2) -> Null | Number", "col(2) => (Null | Number)*"):
        assert sculpt.validate(sculpt.Schema.parse(rule), data).valid is valid


def test_useful_takes_values_from_columns_with_dummies(tmp_path: Path) -> None:
    data = tmp_path / "data.csv"
    data.write_text(",ARUA,BOMBO\n1935.04,-99.00,20.00\n1935.12,21.00,22.00\n", encoding="utf-8")
    found = sculpt.select(example("climate/useful.sculpt"), data, "Useful and not col(1)")
    assert found == [(1, 3), (2, 3), (3, 2), (3, 3)]  # (3,2), but not its heading (1,2)


def test_programs_of_section_5_3_are_read_and_kept() -> None:
    text = """\
namespace default = http://foo.org/nationalstats.csv
print "@prefix : <http://foo.org/nationalstats.csv>"
For each column c in Useful-values {
  print Average(c)
}
For each cell c in col(GeoArea) {
  c.namespace = default
  annotate c with "owl:sameAs fbase:" + c.content
}
For each row r in RDF {
  print r.cells[1] +" "+ r.cells[2] +" "+ r.cells[3]
}
"""
    schema = sculpt.Schema.parse(text)
    programs = [each.lines for each in schema.document.statements if isinstance(each, Program)]
    assert [len(lines) for lines in programs] == [1, 1, 3, 4, 3]
    assert "\n".join(line for lines in programs for line in lines) == "\n".join(
        line.strip() for line in text.splitlines()
    )
    assert schema.core.rules == ()
