"""Findings of programs point at the cell whose text it is, and hints about look-ups are true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from executed_docs import run_command
from hypothesis import given, settings
from hypothesis import strategies as st

import sculpt
from strategies import as_csv

ENGINES = ["local", "reference"]
DIRECTIONS = ["up", "down", "left", "right"]
HINT = re.compile(r"`((?:directly|within)\(.*\))` finds only \((\d+),(\d+)\)")

cells = st.sampled_from(["n", "w", "", "w"])
tables = st.lists(st.lists(cells, min_size=1, max_size=5), min_size=1, max_size=5)


@settings(max_examples=150)
@given(tables, st.sampled_from(DIRECTIONS))
def test_the_look_up_of_a_hint_finds_the_cell_that_it_names(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[str]], direction: str
) -> None:
    path = tmp_path_factory.getbasetemp() / "hints.csv"
    path.write_bytes(as_csv(rows))
    program = f"For each cell v in n {{ print closest({direction}, w, v) }}\n"
    schema = sculpt.Schema.parse(program)
    told = {}
    for engine in ENGINES:
        results = sculpt.run(schema, path, engine=engine, force=True)
        assert results.text.count("\n") == sum(row.count("n") for row in rows)
        told[engine] = results.findings
    assert told["local"] == told["reference"]
    several = [each for each in told["local"] if each.code == "lookup-several"]
    for finding in several[:3]:
        match = HINT.fullmatch(finding.hint or "")
        assert match is not None
        call, row, column = match.groups()
        place = f"For each cell v in ({finding.row},{finding.column})"
        tried = f'{place} {{ print {call}.row + "," + {call}.column }}\n'
        found = sculpt.run(sculpt.Schema.parse(tried), path, engine="reference").text
        assert found == f"{row},{column}\n"


@pytest.mark.parametrize(
    ("data", "direction", "hint"),
    [
        ("w,w\nn\n", "up", "`directly(up, w, v)` finds only (1,1)"),
        ("w,w\n,,n\n", "up", "`within(up, 2, 0, w, v)` finds only (1,1)"),
        ("n\n,w,w\n", "down", "`within(down, 0, 1, w, v)` finds only (2,2)"),
        ("w\nw,n\n", "left", "`directly(left, w, v)` finds only (2,1)"),
        ("n\n,w\n,w\n", "right", "`within(right, 0, 1, w, v)` finds only (2,2)"),
    ],
)
def test_the_hint_about_several_cells(tmp_path: Path, data: str, direction: str, hint: str) -> None:
    path = tmp_path / "d.csv"
    path.write_text(data, encoding="utf-8")
    program = f"For each cell v in n {{ print closest( {direction} ,w, v) }}\n"
    results = sculpt.run(sculpt.Schema.parse(program), path, force=True)
    assert results.text == "\n"
    assert [each.hint for each in results.findings] == [hint]


@settings(max_examples=100)
@given(
    tables,
    st.sampled_from(DIRECTIONS),
    st.sampled_from(["directly({},", "closest( {} ,", "within({}, 1, 0,"]),
)
def test_a_look_up_in_the_opposite_direction(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[str]], direction: str, head: str
) -> None:
    path = tmp_path_factory.getbasetemp() / "opposite.csv"
    path.write_bytes(as_csv(rows))
    look_up, opposite = (
        f"{head.format(each)} w, v)"
        for each in (direction, DIRECTIONS[DIRECTIONS.index(direction) ^ 1])
    )
    schema = sculpt.Schema.parse(f"For each cell v in n {{ print {look_up} }}\n")
    told = [sculpt.run(schema, path, engine=engine, force=True) for engine in ENGINES]
    assert all(each.text.count("\n") == sum(row.count("n") for row in rows) for each in told)
    assert told[0].findings == told[1].findings
    for finding in [each for each in told[0].findings if each.code == "lookup-none"][:3]:
        place = f"For each cell v in ({finding.row},{finding.column})"
        tried = f"{place} {{ emit R(all: {opposite} all) }}\n"
        (found,) = sculpt.run(sculpt.Schema.parse(tried), path, engine="reference").records("R")
        if found["all"]:
            assert finding.hint is not None
            assert finding.hint.startswith(f"`{opposite}` finds (")
        else:
            assert finding.hint is None


def test_the_hint_about_the_opposite_direction_is_bounded(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    path.write_text("n\n" + "x\n" * 999 + "w\n" + "n\n" * 30, encoding="utf-8")
    schema = sculpt.Schema.parse("For each cell v in n { print directly(up, w, v) }\n")
    results = sculpt.run(schema, path, force=True)
    assert results.text
    assert [each.hint for each in results.findings] == ["`directly(down, w, v)` finds (1001,1)"]
    path.write_text("n\n" + "x\n" * 1000 + "w\n", encoding="utf-8")
    results = sculpt.run(schema, path, force=True)
    assert results.text
    assert [each.hint for each in results.findings] == [None]
    path.write_text("n\n" * 30 + "w\n", encoding="utf-8")
    for engine in ENGINES:
        results = sculpt.run(schema, path, force=True, engine=engine)
        assert results.text
        assert [each.hint is None for each in results.findings] == [False] * 20 + [True] * 10


@pytest.mark.parametrize("engine", ENGINES)
def test_a_finding_points_at_the_cell_whose_text_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("d.csv").write_text("day,Mo,Tu\nrope, 1x ,2\n", encoding="utf-8")
    Path("s.sculpt").write_text(
        "For each row r in row(2) {\n"
        "  emit R(\n"
        "    a: r.cells[2] as xs:int,\n"
        '    b: split(upper(r.cells[1]), "-", 2),\n'
        '    c: ("2024-" + directly(up, "Mo", r.cells[2])) as xs:date,\n'
        "    d: (r.cells[1] + r.cells[2]) as xs:int\n"
        "  )\n"
        "}\n",
        encoding="utf-8",
    )
    outcome = run_command(["run", "s.sculpt", "d.csv", "--engine", engine, "-o", "out.csv"])
    assert outcome.errors == (
        "d.csv: row 2, column 2: violation [bad-cast]: `1x` is not a valid `xs:int`\n"
        " 2 | rope, 1x ,2\n"
        "   |       ^^\n"
        "   = s.sculpt, line 3\n"
        "d.csv: row 2, column 1: violation [no-part]: `ROPE` has no part 2 when split at `-`\n"
        " 2 | rope, 1x ,2\n"
        "   | ^^^^\n"
        "   = s.sculpt, line 4\n"
        "d.csv: row 1, column 2: violation [bad-cast]: `2024-Mo` is not a valid `xs:date`\n"
        " 1 | day,Mo,Tu\n"
        "   |     ^^\n"
        "   = s.sculpt, line 5\n"
        "d.csv: row 2: violation [bad-cast]: `rope1x` is not a valid `xs:int`\n"
        "   = s.sculpt, line 6\n"
        "error: 4 values could not be computed; nothing was written; write `optional` after the"
        " value to allow this, or use `--force` to write null\n"
    )
