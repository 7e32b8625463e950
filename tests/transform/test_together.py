"""Several targets in one document of RDF, and the programs of several tables as one run."""

from __future__ import annotations

from pathlib import Path

import pytest
from executed_docs import run_command
from rdflib import Graph

import sculpt
from sculpt.errors import UsageError

ONE = """\
namespace ex = http://ex.org/
For each cell v in Number { emit A(subject: iri(ex, v), "ex:n": v as xs:int) }
For each cell v in Text and not Number { emit B(subject: blank(v), "ex:t": lang(v, "en")) }
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.sculpt").write_text(ONE, encoding="utf-8")
    (tmp_path / "one.csv").write_text("1,a\n2,b\n", encoding="utf-8")
    (tmp_path / "two.csv").write_text("3,c\n", encoding="utf-8")
    tables = (
        'include "one.sculpt" as One for "one.csv"\ninclude "one.sculpt" as Two for "two.csv"\n'
    )
    (tmp_path / "both.sculpt").write_text(tables, encoding="utf-8")
    return tmp_path


def called(call: str) -> str:
    """What a call prints; it must succeed."""
    outcome = run_command(call.split())
    assert outcome.status == 0, outcome
    return outcome.output


LINES = """\
<http://ex.org/1> <http://ex.org/n> "1"^^<http://www.w3.org/2001/XMLSchema#integer> .
<http://ex.org/2> <http://ex.org/n> "2"^^<http://www.w3.org/2001/XMLSchema#integer> .
_:a <http://ex.org/t> "a"@en .
_:b <http://ex.org/t> "b"@en .
"""


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_targets_one_after_the_other(folder: Path, engine: str) -> None:
    call = f"run one.sculpt one.csv --engine {engine}"
    assert called(f"{call} --format nquads") == LINES
    called(f"{call} -o out.nt")
    assert (folder / "out.nt").read_text(encoding="utf-8") == LINES
    called(f"{call} -o out.ttl")
    turtle, triples = Graph().parse(folder / "out.ttl"), Graph().parse(folder / "out.nt")
    assert len(turtle) == len(triples) == 4


def test_parts_that_do_not_fit_in_memory(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sculpt.transform.outputs.MAX_PART", 1)
    called("run one.sculpt one.csv -o out.nt")
    assert (folder / "out.nt").read_text(encoding="utf-8") == LINES
    monkeypatch.delattr("os.copy_file_range", raising=False)
    called("run one.sculpt one.csv -o again.nt")
    assert (folder / "again.nt").read_text(encoding="utf-8") == LINES


def test_tables_one_after_the_other(folder: Path) -> None:
    printed = called("run both.sculpt --only A --format csv")
    assert printed.split() == [
        "subject,ex:n",
        "http://ex.org/1,1",
        "http://ex.org/2,2",
        "http://ex.org/3,3",
    ]
    results = sculpt.run(folder / "both.sculpt")
    assert results.targets == ["A", "B"]
    assert [verdict.table for verdict in results.verdicts] == ["One", "Two"]


def test_without_data_and_without_programs(folder: Path) -> None:
    with pytest.raises(UsageError, match="no data given"):
        sculpt.run(folder / "one.sculpt")
    (folder / "bare.sculpt").write_text("row(1) -> Number, Text\n", encoding="utf-8")
    tables = 'include "bare.sculpt" as One for "one.csv"\n'
    (folder / "tables.sculpt").write_text(tables, encoding="utf-8")
    with pytest.raises(UsageError, match="has no program to run"):
        sculpt.run(folder / "tables.sculpt")


def test_all_that_refuses_is_said(folder: Path) -> None:
    (folder / "one.sculpt").write_text(ONE + "col(1) -> Text, xs:date\n", encoding="utf-8")
    with pytest.raises(sculpt.RefusedError) as caught:
        sculpt.run(folder / "both.sculpt")
    assert [verdict.table for verdict in caught.value.verdicts if not verdict.valid] == [
        "One",
        "Two",
    ]


def test_targets_that_disagree(folder: Path) -> None:
    text = "For each cell v in true { emit A(x: v) }\n"
    (folder / "other.sculpt").write_text(text, encoding="utf-8")
    both = (folder / "both.sculpt").read_text(encoding="utf-8")
    (folder / "both.sculpt").write_text(
        both.replace('"one.sculpt" as Two', '"other.sculpt" as Two')
    )
    with pytest.raises(UsageError, match="two tables emit `A` with different fields"):
        sculpt.run(folder / "both.sculpt")
