"""The imported text gives the verdict and the places of a plain evaluator, on any schema.

A pair is a schema and a table; each schema meets four tables. `SCULPT_PAIRS=50000` asks for more
than the 2,000 of a usual run.
"""

from __future__ import annotations

import csv
import io
import os
from pathlib import Path

import pytest
from csv_schema_evaluator import Place, evaluate
from csv_schema_made import FILES, schemas, tables
from hypothesis import given, settings
from hypothesis import strategies as st
from suites.csv_schema import places

import sculpt
from sculpt.interchange.csv_schema.parsing.parser import parse
from sculpt.interchange.documents import TextDocument
from sculpt.interchange.packages import import_bytes, schema_of_package

PAIRS = int(os.environ.get("SCULPT_PAIRS", "2000"))
TABLES = 4


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for data, with the files that schemas ask about."""
    root = tmp_path_factory.mktemp("csvs")
    for name, body in FILES.items():
        (root / "files" / name).parent.mkdir(parents=True, exist_ok=True)
        (root / "files" / name).write_bytes(body)
    return root


@given(text=schemas(), rows=st.lists(tables(), min_size=TABLES, max_size=TABLES))
@settings(max_examples=max(1, PAIRS // TABLES))
def test_the_imported_schema_gives_the_places_of_the_evaluator(
    folder: Path, text: str, rows: list[list[list[str]]]
) -> None:
    document = TextDocument.parse("t.csvs", text.encode())
    source = parse(document)
    package = import_bytes("t.csvs", text.encode(), "csv-schema")
    assert not package.all_notes, text
    schema = schema_of_package(package, "t.csvs")
    for table in rows:
        data = folder / "data.csv"
        data.write_text(_written(table, source.separator), "utf-8", newline="")
        expected = evaluate(source, table, folder / "files")
        short = {n for n, row in enumerate(table, 1) if len(row) < len(source.columns)}
        for engine in ("reference", "local"):
            verdict = sculpt.validate(schema, data, engine, files=folder / "files")
            found: set[Place] = set()
            for severity, row, column, origin in places(package, verdict):
                is_shape = origin is not None and origin.column is None
                if origin is not None and origin.construct == "names of the columns":
                    row = None  # where a header ends too early is no cell
                if is_shape or row not in short:
                    found.add((severity, row, None if is_shape else column))
            assert found == expected, (engine, text, table, package.tables[0].text)
            errors = {place for place in expected if place[0] == "error"}
            assert verdict.valid == (not errors)


def _written(table: list[list[str]], separator: str) -> str:
    out = io.StringIO()
    csv.writer(out, delimiter=separator, lineterminator="\n").writerows(table)
    return out.getvalue()
