"""The shared material, where it is present: the paper's figures, the W3C use cases, the oracle."""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import sculpt
from conftest import SHARED

REAL_ENGINES = ["local", "reference"]

FIGURES: dict[tuple[str, str], tuple[list[tuple[int | None, int | None, int | None]], int]] = {
    # schema, data: violations as (rule, row, column), number of vacuous rules
    ("climate", "climate.csv"): ([], 0),
    ("climate.useful", "climate.csv"): ([], 0),
    ("qs601ew.verbatim", "qs601ew.csv"): ([(2, 2, 1), (9, 10, 1)], 0),
    ("qs601ew.corrected", "qs601ew.csv"): ([], 0),
    ("provenance.verbatim", "provenance.txt"): ([(1, 1, 1)], 4),
    ("provenance.delim", "provenance.txt"): ([(4, 2, 3)], 0),
    ("provenance.corrected", "provenance.txt"): ([], 0),
    ("pdb.verbatim", "pdb.txt"): ([(1, 1, 2), (2, 4, 1)], 0),
    ("pdb.corrected", "pdb.txt"): ([], 0),
}

STATIONS_THAT_FAIL = [
    "636540_MASINDI_tme.txt",
    "636540_MASINDI_tmx.txt",
    "636820_JINJA_tmx.txt",
    "637050_ENTEBBE_tme.txt",
    "637260_KABALE_tme.txt",
]


@pytest.mark.parametrize("engine", REAL_ENGINES)
@pytest.mark.parametrize(("schema", "data"), FIGURES)
def test_figures(shared: Path, schema: str, data: str, engine: str) -> None:
    loaded = sculpt.Schema.load(shared / "figures" / f"{schema}.sculpt")
    verdict = sculpt.validate(loaded, shared / "figures" / data, engine=engine)
    violations, vacuous = FIGURES[schema, data]
    assert [(v.rule, v.row, v.column) for v in verdict.violations] == violations
    assert [w.code for w in verdict.warnings] == ["vacuous-rule"] * vacuous


def test_regions_of_the_climate_figure(shared: Path) -> None:
    schema = sculpt.Schema.load(shared / "figures" / "climate.useful.sculpt")
    data = shared / "figures" / "climate.csv"
    assert sculpt.select(schema, data, "right+(root) and not up*(dummy)") == [(1, 4)]
    rows = range(1, 9)
    assert sculpt.select(schema, data, "Useful") == [(r, c) for r in rows for c in (1, 4)]
    values = sculpt.select(schema, data, "Useful-values")
    assert values == [(row, 4) for row in range(2, 9)]
    grid = sculpt.read_table(schema, data)
    numbers = [float(cell.text) for place in values if (cell := grid.cell(*place))]
    assert round(sum(numbers) / len(numbers), 2) == 25.65


@pytest.mark.parametrize(
    ("name", "rows"), [("REMARK-Header", [9]), ("REMARK-Comment", [10]), ("REMARK-Rest", [11, 12])]
)
def test_regions_of_the_pdb_figure(shared: Path, name: str, rows: list[int]) -> None:
    schema = sculpt.Schema.load(shared / "figures" / "pdb.corrected.sculpt")
    data = shared / "figures" / "pdb.txt"
    assert sculpt.select(schema, data, name) == [(row, 1) for row in rows]


def test_the_printed_star_of_remark_rest_takes_the_comment_in(shared: Path) -> None:
    schema = sculpt.Schema.load(shared / "figures" / "pdb.corrected.sculpt")
    printed = "down*[dots].down[REMARK].down.(down[REMARK])*"
    cells = sculpt.select(schema, shared / "figures" / "pdb.txt", printed)
    assert cells == [(10, 1), (11, 1), (12, 1)]


def use_cases() -> Iterator[tuple[str, str, int, int, list[tuple[int, int]]]]:
    """The table of the use cases: schema, data, rows, columns, violations as (line, row)."""
    page = SHARED / "usecases" / "README.md"
    if not page.is_file():
        return
    row_pattern = re.compile(r"\| (\S+\.sculpt) \| (.+?) \| (\d+) × (\d+) \| .+? \| (.*?) \|")
    for line in page.read_text(encoding="utf-8").splitlines():
        if match := row_pattern.match(line):
            places = re.findall(r"line (\d+): row (\d+)", match[5])
            violations = [(int(a), int(b)) for a, b in places]
            yield match[1], match[2], int(match[3]), int(match[4]), violations


@pytest.mark.parametrize("engine", REAL_ENGINES)
@pytest.mark.parametrize(("schema", "data", "rows", "columns", "violations"), list(use_cases()))
def test_use_cases(
    shared: Path,
    schema: str,
    data: str,
    rows: int,
    columns: int,
    violations: list[tuple[int, int]],
    engine: str,
) -> None:
    loaded = sculpt.Schema.load(shared / "usecases" / schema)
    verdict = sculpt.validate(loaded, shared / "corpus" / data, engine=engine)
    assert (verdict.rows, verdict.columns) == (rows, columns)
    assert [(v.line, v.row) for v in verdict.violations] == violations
    assert verdict.valid == (not violations)


def test_the_stations_of_use_case_3(shared: Path) -> None:
    schema = sculpt.Schema.load(shared / "usecases" / "UC03-raw.sculpt")
    files = sorted((shared / "corpus/UC03/stage1/uganda-raw").iterdir())
    assert len(files) == 96
    failed = [file.name for file in files if not sculpt.validate(schema, file).valid]
    assert failed == STATIONS_THAT_FAIL


@pytest.fixture(scope="module")
def oracle() -> Iterator[tuple[ModuleType, ModuleType]]:
    """The independent evaluator and its generators."""
    folder = SHARED / "prototype" / "oracle"
    if not folder.is_dir():
        pytest.skip("the shared material is not here")
    sys.path.insert(0, str(folder))
    sys.dont_write_bytecode = True
    try:
        import generate  # type: ignore[import-not-found]
        import minisculpt  # type: ignore[import-not-found]

        yield minisculpt, generate
    finally:
        sys.path.remove(str(folder))
        sys.dont_write_bytecode = False


# The oracle leaves its files to the garbage collector.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("seed", range(300))
def test_random_schemas_against_the_oracle(
    oracle: tuple[ModuleType, ModuleType], tmp_path: Path, seed: int
) -> None:
    minisculpt, generate = oracle
    source = random.Random(seed)
    arrow = source.choice(["->", "->", "=>"])
    selector = generate.sel(source, 3)
    text = f"{generate.TOK}{selector} {arrow} {generate.content(source, 3)}\n"
    data = tmp_path / "data.csv"
    data.write_text(generate.table(source), encoding="utf-8")

    theirs = minisculpt.Schema(text)
    checker = minisculpt.Check(theirs, minisculpt.read(str(data), theirs.d))
    found = checker.run()
    region = checker.ev(minisculpt.P(selector, "s").sel())
    cells = [(int(i) + 1, int(j) + 1) for i, j in zip(*region.nonzero(), strict=True)]

    schema = sculpt.Schema.parse(text)
    for engine in REAL_ENGINES:
        verdict = sculpt.validate(schema, data, engine=engine)
        assert sculpt.select(schema, data, selector, engine=engine) == cells, text
        if arrow == "=>":
            assert verdict.valid == (not found), text
        else:
            assert [f"row {v.row}" for v in verdict.violations] == [f[1] for f in found], text
