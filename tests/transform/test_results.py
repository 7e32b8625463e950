"""The results of `sculpt.run` in Python, in unusual cases."""

from __future__ import annotations

from pathlib import Path

import pytest

import sculpt

ENGINES = ["local", "reference"]
PAIRS = """\
row(1) -> a, b
not row(1) -> Integer, Integer
For each cell v in not row(1) { emit R(v: v, u: directly(up, row(1), v)) }
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "table.csv"
    path.write_text("a,b\n1,2\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("text", ["a,b\n1,zzz\n", "a,b,c,d,e\n1,2,3,4,5\n", "a\n1\n"])
def test_a_file_that_changed_after_it_was_validated(file: Path, engine: str, text: str) -> None:
    results = sculpt.run(sculpt.Schema.parse(PAIRS), file, engine=engine)
    assert results.table().num_rows == 2
    file.write_text(text, encoding="utf-8")
    with pytest.raises(sculpt.DataError, match=r"table.csv: changed after it was validated"):
        list(results.records())


@pytest.mark.parametrize("engine", ENGINES)
def test_single_precision_is_spelt_with_few_digits(file: Path, engine: str) -> None:
    file.write_text("0.1\n4294967296\n16777217\n-INF\n1e-50\n", encoding="utf-8")
    schema = sculpt.Schema.parse('For each cell v in true { print "" + (v as xs:float) }\n')
    lines = sculpt.run(schema, file, engine=engine).text.splitlines()
    assert lines == ["0.1", "4294967300", "16777216", "-INF", "0"]


def test_wrong_calls(file: Path) -> None:
    schema = sculpt.Schema.parse(PAIRS)
    with pytest.raises(sculpt.UsageError, match="no data given"):
        sculpt.run(schema, [])
    results = sculpt.run(schema, file)
    with pytest.raises(sculpt.UsageError, match="unknown format `foo`; choose one of `csv`"):
        results.write(file.with_suffix(".out"), "R", "foo")
    with pytest.raises(sculpt.UsageError, match="the program emits no `S`; it emits `R`"):
        results.table("S")
    assert not file.with_suffix(".out").exists()


def test_findings_with_force_name_their_files(file: Path) -> None:
    bad = file.with_name("bad.csv")
    bad.write_text("a,b\n1,x\n", encoding="utf-8")
    schema = sculpt.Schema.parse("For each cell v in not row(1) { emit R(v: v as xs:int) }\n")
    results = sculpt.run(schema, [file, bad], force=True)
    assert results.table().column("v").to_pylist() == [1, 2, 1, None]
    assert [finding.column for finding in results.findings] == [2]
    assert results.finding_paths == (str(bad),)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("path", ["down{12}", "up{12}", "down{3}", "(up.left)+", "(down.right)+"])
def test_paths_that_do_not_compose_find_the_same(file: Path, engine: str, path: str) -> None:
    rows = [f"{row},{row}x,{row}y\n" for row in range(40)]
    file.write_text("".join(rows), encoding="utf-8")
    text = f"For each cell v in col(2) {{ emit R(a: {path}(v) optional) }}\n"
    found = sculpt.run(sculpt.Schema.parse(text), file, engine=engine).table()
    count = {"down{12}": 28, "up{12}": 28, "down{3}": 37, "(up.left)+": 39, "(down.right)+": 39}
    assert found.column("a").null_count == 40 - count[path]
