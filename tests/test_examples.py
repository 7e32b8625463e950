"""The examples do what `examples/README.md` says: exact violations, warnings, lints, regions.

The expectations were worked out by hand from the data and the language, not taken from a run.
Every file of `examples/` must occur here, so an example cannot be added without saying what it is
to show.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

import pytest
from executed_docs import run_command

import sculpt
from agreement import HERE
from conftest import ROOT

EXAMPLES = ROOT / "examples"
README = EXAMPLES / "README.md"


@dataclass(frozen=True)
class Pair:
    """A schema and a data file; places are (rule, row, column), warnings (code, rule)."""

    schema: str
    data: str
    violations: tuple[tuple[int | None, int | None, int | None], ...] = ()
    warnings: tuple[tuple[str, int], ...] = ()

    def __str__(self) -> str:
        return f"{self.schema}-{self.data.rpartition('/')[2]}"


PAIRS = [
    # The figures of the paper.
    Pair("census/printed.sculpt", "census/census.csv", ((2, 2, 1), (9, 10, 1))),
    Pair("census/corrected.sculpt", "census/census.csv"),
    Pair("climate/printed.sculpt", "climate/climate.csv"),
    Pair("climate/useful.sculpt", "climate/climate.csv"),
    Pair(
        "provenance/printed.sculpt",
        "provenance/provenance.txt",
        ((1, 1, 1),),
        tuple(("vacuous-rule", rule) for rule in (2, 3, 4, 5)),
    ),
    Pair("provenance/delimited.sculpt", "provenance/provenance.txt", ((4, 2, 3),)),
    Pair("provenance/corrected.sculpt", "provenance/provenance.txt"),
    Pair("pdb/printed.sculpt", "pdb/pdb.txt", ((1, 1, 2), (2, 4, 1))),
    Pair("pdb/corrected.sculpt", "pdb/pdb.txt"),
    # Programs that take in the rules of others.
    Pair("census/tidy.sculpt", "census/census.csv"),
    Pair("climate/average.sculpt", "climate/climate.csv"),
    Pair("provenance/triples.sculpt", "provenance/provenance.txt"),
    Pair("crosstab/tidy.sculpt", "crosstab/valid.csv"),
    # A report: a draft with three mistakes, and the schema that it should have been.
    Pair("statement/schema.sculpt", "statement/statement.csv"),
    Pair(
        "statement/draft.sculpt",
        "statement/statement.csv",
        (
            (4, 7, 3),  # two headings swapped
            (4, 15, 3),
            (9, 16, 5),  # what was paid is negative
            (9, 17, 5),
            (8, 18, 4),  # a category is missing
            (9, 18, 5),
            (9, 19, 5),
            (8, 20, 4),
            (9, 20, 5),
        ),
    ),
    # Kinds of messy files.
    Pair("spreadsheet/schema.sculpt", "spreadsheet/valid.csv"),
    Pair(
        "spreadsheet/schema.sculpt",
        "spreadsheet/broken.csv",
        (
            (3, 4, 4),  # a heading with a typo
            (6, 5, 6),  # another unit
            (7, 6, 2),  # `c. 1962` is no year
            (8, 7, 3),  # a comma between thousands
            (10, 8, 8),  # a remark with a comma and without quotes
            (1, 14, 1),  # a note on a mark that is not used
        ),
    ),
    Pair("batch/schema.sculpt", "batch/valid.txt"),
    Pair(
        "batch/schema.sculpt",
        "batch/broken.txt",
        (
            (2, 1, 3),  # 30 February
            (4, 3, 4),  # a decimal comma
            (4, 4, 5),  # the last delimiter is missing
            (4, 5, 6),  # one field too many
            (1, 6, 1),  # the first batch has no trailer
            (None, 10, 1),  # a second trailer of the file
        ),
    ),
    Pair("lists/schema.sculpt", "lists/valid.tsv"),
    Pair(
        "lists/schema.sculpt",
        "lists/broken.tsv",
        (
            (3, 2, 2),  # a comma between days
            (5, 3, 7),  # a person without a part
            (4, 4, 3),  # week 13 of 12
            (None, 4, 9),  # a second conductor
            (5, 5, 8),  # a delimiter too many at the end of the row
            (6, 6, 2),  # days without players
        ),
    ),
    Pair("fixed-width/schema.sculpt", "fixed-width/valid.txt"),
    Pair(
        "fixed-width/schema.sculpt",
        "fixed-width/broken.txt",
        (
            (2, 1, 3),  # month 13
            (4, 3, 5),  # shifted by a blank
            (4, 4, 2),  # a leading zero is lost
            (4, 5, None),  # cut at trailing blanks
            (1, 7, 1),  # a station without measurements
        ),
    ),
    Pair("crosstab/schema.sculpt", "crosstab/valid.csv"),
    Pair(
        "crosstab/schema.sculpt",
        "crosstab/broken.csv",
        (
            (3, 3, 5),  # the halves of a year swapped
            (4, 5, 1),  # the district is filled in again
            (5, 6, 5),  # `n/a` is no figure
            (5, 9, 7),  # a row without its total
            (6, 10, 6),  # a dash for a total
        ),
    ),
    Pair("locale/schema.sculpt", "locale/valid.csv"),
    Pair(
        "locale/schema.sculpt",
        "locale/broken.csv",
        (
            (2, 1, 2),  # a month of one digit
            (5, 3, 5),  # a decimal point
            (None, 4, 2),  # quotes inside quotes that are not doubled
            (5, 5, 3),  # a line in UTF-8
            (7, 7, 4),  # one and a half pieces
        ),
        (("vacuous-rule", 8),),  # the only `m³` is not readable as such
    ),
    Pair("log/schema.sculpt", "log/valid.log"),
    Pair(
        "log/schema.sculpt",
        "log/broken.log",
        (
            (1, 1, 1),  # a time with a blank in it
            (1, 3, 2),  # another name of a level
            (5, 4, 5),  # a report without a rate
            (6, 5, None),  # an error without a code
            (3, 6, 4),  # a second start
            (None, 7, 5),  # a byte that is not UTF-8,
            (1, 7, 5),  # which no token but `Any` matches
        ),
    ),
    Pair("outline/schema.sculpt", "outline/valid.csv"),
    Pair(
        "outline/schema.sculpt",
        "outline/broken.csv",
        (
            (2, 3, 3),  # an object outside cabinets
            (5, 5, 5),  # a condition that is not on the list
            (3, 6, 3),  # cabinet and object in one row: two names,
            (4, 6, 3),  # and a cabinet with something beside it
            (3, 7, 1),  # a small letter
            (5, 9, None),  # no condition
        ),
    ),
]

INCLUDED = ["locale/numbers.sculpt"]
"""Schemas for others to include: they check nothing by themselves."""
GENERATED = ["stations/stations.sculpt", "stations/generate.py"]
"""A schema, and what makes its files."""

LINTS = {
    # The paper declares neither `unique` nor a token that keeps headings and words apart, and the
    # quotes of its `rdf-lit` are meant.
    "provenance/printed.sculpt": ["quotes-in-token", *["ambiguous-anchor"] * 4],
    "provenance/delimited.sculpt": ["quotes-in-token", *["ambiguous-anchor"] * 4],
}

SELECTIONS = [
    # The expression of section 3, and the regions of section 5.
    ("climate/useful.sculpt", "climate/climate.csv", "right+ and not up*(Useless-Temp)", [(1, 4)]),
    (
        "climate/useful.sculpt",
        "climate/climate.csv",
        "Useful",
        [(row, column) for row in range(1, 9) for column in (1, 4)],
    ),
    (
        "climate/useful.sculpt",
        "climate/climate.csv",
        "Useful-values",
        [(row, 4) for row in range(2, 9)],
    ),
    ("pdb/corrected.sculpt", "pdb/pdb.txt", "REMARK-Header", [(9, 1)]),
    ("pdb/corrected.sculpt", "pdb/pdb.txt", "REMARK-Comment", [(10, 1)]),
    ("pdb/corrected.sculpt", "pdb/pdb.txt", "REMARK-Rest", [(11, 1), (12, 1)]),
    (
        "pdb/corrected.sculpt",
        "pdb/pdb.txt",
        "down*[dots].down[REMARK].down.(down[REMARK])*",
        [(10, 1), (11, 1), (12, 1)],
    ),
    # What the other schemas name.
    (
        "spreadsheet/schema.sculpt",
        "spreadsheet/valid.csv",
        "Visitor-heads",
        [(3, 3), (3, 4)],
    ),
    (
        "spreadsheet/schema.sculpt",
        "spreadsheet/valid.csv",
        "Pool-name",
        [(6, 1), (7, 1), (8, 1), (9, 1)],
    ),
    ("lists/schema.sculpt", "lists/valid.tsv", "Idle", [(6, 1), (7, 1)]),
    ("outline/schema.sculpt", "outline/valid.csv", "cabinet", [(3, 2), (6, 2), (9, 2)]),
    (
        "outline/schema.sculpt",
        "outline/valid.csv",
        "object and <right+[poor]>",
        [(7, 3), (11, 3)],
    ),
    (
        "log/schema.sculpt",
        "log/valid.log",
        "right[start](pump)",
        [(1, 4), (2, 4), (6, 4)],
    ),
]

PRINTED = {
    "census/printed.sculpt": "qs601ew.verbatim.sculpt",
    "climate/printed.sculpt": "climate.sculpt",
    "provenance/printed.sculpt": "provenance.verbatim.sculpt",
    "pdb/printed.sculpt": "pdb.verbatim.sculpt",
}
"""Schemas in the layout of the paper, and the transcripts of its figures."""


@dataclass(frozen=True)
class Run:
    """A call with several files; found are (code, row, column) by file, in the order of each."""

    schema: str
    data: tuple[str, ...] = ()
    tables: tuple[tuple[str, str], ...] = ()
    found: tuple[tuple[str, tuple[tuple[str, int, int], ...]], ...] = ()

    @property
    def command(self) -> str:
        tables = [f" --table {name}=examples/{path}" for name, path in self.tables]
        return f"sculpt validate examples/{self.schema}" + "".join(
            [*(f" examples/{each}" for each in self.data), *tables]
        )

    @property
    def files(self) -> tuple[str, ...]:
        return (self.schema, *self.data, *(path for _, path in self.tables))

    def __str__(self) -> str:
        return "-".join(each.replace("/", ".") for each in self.files)


RUNS = [
    Run(
        "payments/schema.sculpt",
        ("payments/march.csv", "payments/april.csv"),
        found=(
            (
                "payments/april.csv",
                (
                    ("key", 4, 1),  # a payment of March
                    ("row-content", 5, 2),  # April has 30 days
                    ("row-content", 6, 5),  # below £500
                ),
            ),
        ),
    ),
    Run("roles/schema.sculpt"),
    Run(
        "roles/schema.sculpt",
        tables=(("Senior", "roles/broken-senior.csv"), ("Junior", "roles/broken-junior.csv")),
        found=(
            (
                "roles/broken-senior.csv",
                (
                    ("reference-none", 4, 1),  # nobody reports to it: only a warning
                    ("reference-none", 4, 6),  # 70019 is no post
                    ("key", 5, 1),  # 70011 again
                    ("reference-several", 5, 6),
                    ("require", 5, 8),  # floor and ceiling are swapped
                ),
            ),
            (
                "roles/broken-junior.csv",
                (
                    ("reference-several", 3, 2),  # 70011 is two posts
                    ("reference-several", 4, 2),
                    ("key", 4, 2),  # 04 is 4: only a warning
                    ("reference-none", 5, 2),  # 70021 is no post
                    ("reference-none", 6, 2),  # nor is 70013
                ),
            ),
        ),
    ),
    Run("roles/senior.sculpt", ("roles/senior.csv",)),
    Run("roles/junior.sculpt", ("roles/junior.csv",)),
    Run("occupations/schema.sculpt", ("occupations/valid.csv",)),
    Run("occupations/structure.sculpt", ("occupations/structure.csv",)),
    Run(
        "occupations/schema.sculpt",
        ("occupations/broken.csv",),
        (("Structure", "occupations/broken-structure.csv"),),
        (
            (
                "occupations/broken.csv",
                (
                    ("reference-several", 2, 2),  # 11-1011 is there twice
                    ("require", 3, 1),  # another occupation than its code says
                    ("reference-none", 4, 2),  # no occupation
                    ("key", 5, 1),  # the first job again
                    ("reference-several", 5, 2),
                ),
            ),
            (
                "occupations/broken-structure.csv",
                (
                    ("key", 10, 4),  # a code for the second time
                    ("require", 10, 4),  # not one of 11-1020
                    ("require", 15, 4),  # not one of 13-1020
                ),
            ),
        ),
    ),
    Run("databank/stations.sculpt", ("databank/stations.txt",)),
    Run("databank/schema.sculpt", ("databank/valid.csv",)),
    Run(
        "databank/schema.sculpt",
        ("databank/broken.csv",),
        found=(
            (
                "databank/broken.csv",
                (
                    ("require", 2, 2),  # there are two sources
                    ("key", 7, 1),  # the month before again
                    ("require", 8, 3),  # no temperature can be compared
                    ("row-content", 8, 3),  # 336.11 degrees
                    ("reference-none", 8, 5),  # source 3
                    ("reference-none", 9, 1),  # no such station
                    ("require", 9, 4),  # the minimum is above the maximum
                ),
            ),
        ),
    ),
    Run("statement/totals.sculpt", ("statement/statement.csv",)),
]
SCHEMAS = sorted({run.schema for run in RUNS} | {pair.schema for pair in PAIRS} | set(INCLUDED))
OURS = [name for name in SCHEMAS if name not in PRINTED]


@pytest.mark.parametrize("engine", HERE)
@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_verdict(pair: Pair, engine: str) -> None:
    schema = sculpt.Schema.load(EXAMPLES / pair.schema)
    verdict = sculpt.validate(schema, EXAMPLES / pair.data, engine=engine)
    found = [(each.rule, each.row, each.column) for each in verdict.violations]
    assert found == list(pair.violations)
    assert verdict.violation_count == len(pair.violations)
    assert [(each.code, each.rule) for each in verdict.warnings] == list(pair.warnings)


@pytest.mark.parametrize("engine", HERE)
@pytest.mark.parametrize("run", RUNS, ids=str)
def test_run(run: Run, engine: str) -> None:
    paths = [EXAMPLES / each for each in run.data]
    tables = {name: EXAMPLES / path for name, path in run.tables}
    found = sculpt.validate_all(EXAMPLES / run.schema, paths, engine=engine, tables=tables)
    expected = {str(EXAMPLES / path): list(places) for path, places in run.found}
    assert {
        each.path: [(v.code, v.row, v.column) for v in each.violations]
        for each in found.outcomes
        if isinstance(each, sculpt.Verdict) and each.violations
    } == expected
    assert all(isinstance(each, sculpt.Verdict) for each in found.outcomes)


def test_the_draft_leaves_cells_unchecked() -> None:
    schema, draft = (
        sculpt.validate(
            sculpt.Schema.load(EXAMPLES / "statement" / f"{name}.sculpt"),
            EXAMPLES / "statement" / "statement.csv",
            engine="reference",
        ).coverage
        for name in ("schema", "draft")
    )
    assert (schema.cells, schema.checked) == (76, 76)
    assert (draft.cells, draft.checked) == (76, 66)
    assert {(each.row, each.column) for each in draft.unchecked} == {
        (4, 1), (4, 5), (6, 1), (12, 1), (14, 1), (21, 1), (23, 1), (23, 5), (24, 1), (24, 5),
    }  # fmt: skip


def test_every_file_is_in_the_table() -> None:
    listed = {EXAMPLES / name for pair in PAIRS for name in (pair.schema, pair.data)}
    listed |= {EXAMPLES / name for name in (*INCLUDED, *GENERATED)} | {README}
    listed |= {EXAMPLES / name for run in RUNS for name in run.files}
    assert {path for path in EXAMPLES.rglob("*") if path.is_file()} == listed


def test_the_files_that_are_generated(tmp_path: Path) -> None:
    schema, generator = (EXAMPLES / name for name in GENERATED)
    made = subprocess.run([sys.executable, generator, tmp_path], capture_output=True, check=True)
    assert made.stdout.startswith(b"288 files in")
    loaded = sculpt.Schema.load(schema)
    assert not loaded.lint
    failed = [
        (path.name, [(v.code, v.row, v.column) for v in verdict.violations])
        for path in sorted(tmp_path.iterdir())
        if not (verdict := sculpt.validate(loaded, path)).valid
    ]
    assert failed == [
        ("aru00-06.csv", [("row-content", 13, 2)]),
        ("kab16-10.csv", [("row-content", 7, 4)]),
        ("kit06-06.csv", [("column-content", None, 1)]),
        ("mor10-11.csv", [("row-content", 21, 5)]),
    ]


@pytest.mark.parametrize("included", INCLUDED)
def test_what_is_to_be_included_is_included(included: str) -> None:
    path = EXAMPLES / included
    others = [other for other in path.parent.glob("*.sculpt") if other != path]
    statement = f'include "{path.name}"'
    assert any(statement in other.read_text(encoding="utf-8") for other in others)


@pytest.mark.parametrize("name", OURS)
def test_canonical_form(name: str) -> None:
    path = EXAMPLES / name
    outcome = run_command(["fmt", str(path)])
    assert outcome.status == 0
    assert outcome.output == path.read_text(encoding="utf-8")


@pytest.mark.parametrize(("name", "figure"), PRINTED.items())
def test_printed_text_is_kept(name: str, figure: str, shared: Path) -> None:
    ours = (EXAMPLES / name).read_text(encoding="utf-8")
    printed = (shared / "figures" / figure).read_text(encoding="utf-8")
    if figure.startswith("pdb"):  # its first line is a remark of the transcriber
        printed = printed.partition("\n")[2]
    assert ours.endswith(printed)
    assert all(line.startswith("%") for line in ours.removesuffix(printed).splitlines())


@pytest.mark.parametrize("name", SCHEMAS)
def test_lint(name: str) -> None:
    outcome = run_command(["check", str(EXAMPLES / name), "--format", "json"])
    assert outcome.status == 0
    found = [diagnostic["code"] for diagnostic in json.loads(outcome.output)["diagnostics"]]
    assert found == LINTS.get(name, []), outcome.output


@pytest.mark.parametrize("name", [name for name in OURS if name.endswith("/schema.sculpt")])
def test_a_comment_says_what_is_hard(name: str) -> None:
    lines = (EXAMPLES / name).read_text(encoding="utf-8").splitlines()
    assert 2 <= len(list(takewhile(lambda line: line.startswith("% "), lines))) <= 4


@pytest.mark.parametrize("engine", HERE)
@pytest.mark.parametrize(("schema", "data", "selector", "cells"), SELECTIONS)
def test_selection(
    schema: str, data: str, selector: str, cells: list[tuple[int, int]], engine: str
) -> None:
    loaded = sculpt.Schema.load(EXAMPLES / schema)
    assert sculpt.select(loaded, EXAMPLES / data, selector, engine=engine) == cells


# ------------------------------------------------------------- the page about them

COMMANDS = re.findall(r"`(sculpt [^`]+)`", README.read_text(encoding="utf-8"))


@pytest.mark.parametrize("command", COMMANDS)
def test_command_of_the_page(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    _, *arguments = shlex.split(command)
    broken: set[tuple[str, ...]] = {
        ("validate", f"examples/{pair.schema}", f"examples/{pair.data}")
        for pair in PAIRS
        if pair.violations
    }
    broken |= {tuple(shlex.split(run.command)[1:]) for run in RUNS if run.found}
    outcome = run_command(arguments)
    assert outcome.status == (1 if tuple(arguments) in broken else 0), outcome.output
    assert outcome.output
    assert not outcome.errors


def test_the_page_validates_every_pair() -> None:
    wanted = {f"sculpt validate examples/{pair.schema} examples/{pair.data}" for pair in PAIRS}
    wanted |= {run.command for run in RUNS}
    assert wanted <= set(COMMANDS)
