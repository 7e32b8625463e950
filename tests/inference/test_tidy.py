"""Proposed programs: the records are what was put into the table."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from random import Random
from typing import Any

import pytest

import sculpt
from sculpt.inference.emit.text import schema_text
from sculpt.inference.emit.words import Draft, Lit
from sculpt.inference.tidy.names import field_names, identifier

SHARED = Path(__file__).parents[3] / "shared" / "inference"
ENGINES = ("reference", "local")
TOWNS = ("Aber", "Bree", "Cork", "Dunmore", "Ennis", "Foy", "Galway", "Howth")
Records = list[dict[str, Any]]


def written(
    folder: Path, rows: list[list[str]], name: str = "data.csv", delimiter: str = ","
) -> Path:
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=delimiter, lineterminator="\n").writerows(rows)
    path = folder / name
    path.write_text(buffer.getvalue(), encoding="utf-8", newline="")
    return path


def tidied(*paths: Path) -> str:
    """A schema with a program, which has no warnings and is formatted."""
    proposal = sculpt.propose(paths, tidy=True)
    assert proposal.has_program, proposal.schema
    assert sculpt.Schema.parse(proposal.schema).lint == (), proposal.schema
    assert sculpt.format_text(proposal.schema) == proposal.schema
    return proposal.schema


def records(text: str, path: Path) -> Records:
    """The records, which are the same on every engine."""
    schema = sculpt.Schema.parse(text)
    found = [list(sculpt.run(schema, path, engine=engine).records("Record")) for engine in ENGINES]
    assert found[0] == found[1]
    return found[0]


def plain(value: Any) -> Any:
    """Numbers as floats, dates as texts."""
    if value is None or isinstance(value, str):
        return value
    return str(value) if hasattr(value, "isoformat") else float(value)


def values(found: Records) -> list[tuple[Any, ...]]:
    return [tuple(map(plain, record.values())) for record in found]


@pytest.mark.parametrize("seed", range(6))
def test_a_plain_table(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    rows, expected = [], []
    for number in range(random.randint(8, 40)):
        depth = random.randint(100, 999) / 100
        day = f"2024-{random.randint(1, 12):02d}-{random.randint(1, 28):02d}"
        town = random.choice(TOWNS)
        is_missing = number % 7 == 3
        rows.append([str(number), "n/a" if is_missing else f"{depth:.2f}", day, town])
        expected.append((float(number), None if is_missing else depth, day, town))
    head = [[], ["Soundings"], [], ["No", "Depth", "Day", "Town"]] if seed % 2 else [
        ["No", "Depth", "Day", "Town"]
    ]  # fmt: skip
    padded = [[*row, *[""] * (4 - len(row))] for row in head]
    path = written(tmp_path, [*padded[seed % 2 :], *rows])
    text = tidied(path)
    found = records(text, path)
    assert list(found[0]) == ["no", "depth", "day", "town"]
    assert values(found) == expected


@pytest.mark.parametrize("seed", range(6))
def test_a_cross_table(tmp_path: Path, seed: int) -> None:
    """Two levels of headings, a total column and a total row, a title and a source."""
    random = Random(seed)
    years, kinds = ("2021", "2022", "2023")[: random.randint(2, 3)], ("Men", "Women")
    towns = TOWNS[: random.randint(4, 8)]
    columns = [(year, kind) for year in years for kind in kinds]
    rows = [["Pay by town"], []]
    rows.append(["", *(year if kind == "Men" else "" for year, kind in columns), ""])
    rows.append(["Town", *(kind for _, kind in columns), "Total"])
    expected: list[tuple[Any, ...]] = []
    sums = [0] * (len(columns) + 1)
    for town in towns:
        numbers = [random.randint(100, 900) for _ in columns]
        cells = list(map(str, numbers))
        if town == "Bree":
            numbers[1], cells[1] = 0, ".."
        sums = [a + b for a, b in zip(sums, [*numbers, sum(numbers)], strict=True)]
        rows.append([town, *cells, str(sum(numbers))])
        expected += [
            (town, float(year), kind, float(number))
            for (year, kind), number, cell in zip(columns, numbers, cells, strict=True)
            if cell != ".."
        ]
    rows += [["Total", *map(str, sums)], [], ["Source: survey"]]
    width = len(columns) + 2
    path = written(tmp_path, [[*row, *[""] * (width - len(row))] for row in rows])
    found = records(tidied(path), path)
    assert list(found[0]) == ["town", "year", "heading", "value"]
    assert values(found) == expected


def test_groups_and_totals(tmp_path: Path) -> None:
    rows = [["Berth", "Mon", "Tue", "Wed"]]
    expected = []
    for group, start in (("East quay", 10), ("West quay", 40)):
        rows.append([group, "", "", ""])
        sums = [0, 0, 0]
        for place in range(3):
            numbers = [start + 7 * place + day * day for day in range(3)]
            sums = [a + b for a, b in zip(sums, numbers, strict=True)]
            name = f"{group[0]}{place}"
            rows.append([name, *map(str, numbers)])
            expected += [
                (group, name, day, float(n)) for day, n in zip(rows[0][1:], numbers, strict=True)
            ]
        rows.append(["Total", *map(str, sums)])
    path = written(tmp_path, rows)
    found = records(tidied(path), path)
    assert list(found[0]) == ["group", "berth", "day", "value"]
    assert values(found) == expected


def test_decimal_commas_and_dates_by_pictures(tmp_path: Path) -> None:
    rows = [["Id", "Depth", "When"]]
    rows += [[f"A{n}", f"{n},{n % 9 + 1}5", f"{n + 12:02d}.03.2024"] for n in range(1, 15)]
    path = written(tmp_path, rows, delimiter=";")
    text = tidied(path)
    assert "as depth" in text
    expected = [
        (f"A{n}", n + (n % 9 + 1.5) / 10 - 0.1, f"2024-03-{n + 12:02d}") for n in range(1, 15)
    ]
    found = values(records(text, path))
    assert [row[::2] for row in found] == [row[::2] for row in expected]
    assert found[0][1] == 1.25


def test_words_that_could_be_marks_are_kept(tmp_path: Path) -> None:
    """`X` is a chromosome beside `Y`, and missing among numbers; the names are names."""
    kinds = (*map(str, range(1, 23)), "X", "Y")
    rows = [
        [("Null", "Nan", "Smith")[n % 3], kind, "X" if n == 7 else str(n), "-" if n == 3 else "ok"]
        for n, kind in enumerate(kinds * 2)
    ]
    path = written(tmp_path, [["Name", "Chromosome", "Place", "State"], *rows])
    found = values(records(tidied(path), path))
    assert found == [
        (name, kind, None if n == 7 else float(n), None if n == 3 else "ok")
        for n, (name, kind, _, _) in enumerate(rows)
    ]


def test_thousands_are_those_of_the_file(tmp_path: Path) -> None:
    """`1.000` beside `1.234,50` is one thousand; where nothing says so, a comment asks."""
    rows = [["A-1", "1.234,50", "10"], ["A-2", "0,75", "1.000"], ["B-3", "12,00", "5"]]
    path = written(tmp_path, [["Ref", "Preis", "Menge"], *rows], delimiter=";")
    text = tidied(path)
    assert "two ways" not in text
    assert values(records(text, path)) == [
        ("A-1", 1234.5, 10.0), ("A-2", 0.75, 1000.0), ("B-3", 12.0, 5.0)
    ]  # fmt: skip
    path = written(tmp_path, [["Ref", "Menge"], *(row[::2] for row in rows)], delimiter=";")
    assert (
        '% The points could separate thousands: Number("#,##0", group ".", decimal ",")'
        in tidied(path)
    )


def test_names_of_tokens_are_no_words_of_programs(tmp_path: Path) -> None:
    rows = [["Kind", "Number in all", "As is"]]
    rows += [[town, f"{n},{n}5", f"{n}%"] for n, town in enumerate(TOWNS, 1)]
    path = written(tmp_path, rows, delimiter=";")
    assert len(records(tidied(path), path)) == len(TOWNS)


def test_without_headings(tmp_path: Path) -> None:
    path = written(tmp_path, [[str(n), f"{n / 8}", TOWNS[n % 8]] for n in range(1, 30)])
    found = records(tidied(path), path)
    assert values(found) == [(float(n), n / 8, TOWNS[n % 8]) for n in range(1, 30)]
    assert list(found[0]) == ["column_1", "column_2", "column_3"]


def test_texts_beside_numbers_are_remarks(tmp_path: Path) -> None:
    rows = [["Town", "2020", "2021", "2022"]]
    rows += [
        [town, str(place + 10), str(place + 20), "31 b" if place % 3 == 0 else "31"]
        for place, town in enumerate(TOWNS)
    ]
    path = written(tmp_path, rows)
    found = records(tidied(path), path)
    assert values(found)[:3] == [
        ("Aber", 2020.0, 10.0, None), ("Aber", 2021.0, 20.0, None), ("Aber", 2022.0, None, "31 b"),
    ]  # fmt: skip


def test_sisters_share_a_program(tmp_path: Path) -> None:
    paths = []
    for year in (2021, 2022, 2023):
        head = [[f"Report {year}", "", ""], ["Day", "Depth", "State"]]
        body = [
            [f"{year}-03-{day:02d}", f"{day * 1.5}", "ok" if day % 3 else "late"]
            for day in range(1, year - 2000)
        ]
        paths.append(written(tmp_path, [*head, *body], f"report-{year}.csv"))
    text = tidied(*paths)
    for path, count in zip(paths, (20, 21, 22), strict=True):
        assert len(records(text, path)) == count


def test_of_several_tables_the_largest(tmp_path: Path) -> None:
    rows = [["Ship", "Flag", "Crew"], *([f"Ship {n}", "NL", str(n)] for n in range(4))]
    rows += [["", "", ""], ["Port", "Depth", "Berths"]]
    rows += [[f"Port {n}", f"{n}.5", str(n)] for n in range(20)]
    path = written(tmp_path, rows)
    proposal = sculpt.propose(path, tidy=True)
    if len(proposal.frame.tables) == 2:
        assert "the largest of 2 tables" in proposal.schema
        assert len(records(proposal.schema, path)) == 20


def test_the_title_of_a_table_is_no_group(tmp_path: Path) -> None:
    ports = [["Ports", ""], ["Harbour", "Berths"], ["Alma", "4"], ["Brun", "2"], ["Cole", "11"]]
    ships = [["Ship", "Built", "Flag"], ["Swift", "1987", "NL"], ["Heron", "2001", "DE"]]
    ships += [["Petrel", "1999", "NO"], ["Tern", "2010", "NO"]]
    rows = [*ports, [""], ["Ships"], *ships]
    path = written(tmp_path, [[*row, *[""] * (3 - len(row))] for row in rows])
    found = records(tidied(path), path)
    assert list(found[0]) == ["ship", "built", "flag"]
    assert [record["ship"] for record in found] == ["Swift", "Heron", "Petrel", "Tern"]


def test_equal_headings_are_counted(tmp_path: Path) -> None:
    rows = [["name", "value", "value"], ["a", "1", "2"], ["b", "3", "4"], ["c", "5", "6"]]
    path = written(tmp_path, rows)
    text = tidied(path)
    assert "value_2: r[col(value#2)] as Integer" in text
    assert values(records(text, path)) == [("a", 1.0, 2.0), ("b", 3.0, 4.0), ("c", 5.0, 6.0)]


def test_lines_are_short(tmp_path: Path) -> None:
    """Also those of fields with long names and headings, and of rows that nothing tells apart."""
    head = [f"Depth of the {each} well at low tide" for each in ("first", "second", "third")]
    rows = [["Harbour", *head]]
    for n in range(24):
        depth = ("", "-", f"{n} fathoms, {n % 7} feet")
        rows.append([f"{TOWNS[n % 8]} {n}", *(depth[(n + k) % 3] for k in range(3))])
    path = written(tmp_path, rows)
    text = tidied(path)
    assert max(map(len, text.split("\n"))) <= 100, text
    assert "then r[" in text
    assert len(records(text, path)) == len(rows) - 1


def test_long_parts_of_programs_are_folded() -> None:
    heading = Lit("Depth of the second well at low tide")
    cell = ("r[col(", heading, ")]")
    field = ("    depth_of_the_second_well: ", "if ", *cell, " is Text and ", *cell)
    lines = [("For each row r in row(2) {",), ("  emit Record(",),
             (*field, ' is not "-" then ', *cell), ("  )",), ("}",)]  # fmt: skip
    text = schema_text([], [], [Draft(("row(1)",), "->", (("Any*",),))], {}, lines)
    assert max(map(len, text.text.split("\n"))) <= 100, text.text
    assert text.schema.program is not None


def test_without_the_option_there_is_no_program(tmp_path: Path) -> None:
    path = written(tmp_path, [["Id", "Name"], *([str(n), "x"] for n in range(9))])
    proposal = sculpt.propose(path)
    assert not proposal.has_program
    assert "For each" not in proposal.schema


def test_names_of_fields() -> None:
    assert identifier("Net weight (kg)") == "net_weight_kg"
    assert identifier("2023") == "column_2023"
    assert identifier("Größe") == "größe"
    assert identifier("---") == ""
    assert field_names(["Total", "Total", ""]) == ("total", "total_2", "column_3")


@pytest.mark.parametrize(
    "text",
    ["a,a,a\n1,2,3\n4,5,6\n", "row,col,true\n1,2,3\n", "v,r,Record\n1,2,3\n4,5,6\n",
     "and,or,not\n1,2,3\n4,5,6\n", "Date,Text\nx,y\nz,w\n", "1,2\n1,2,3\n1\n",
     "Rows,Groups,Figures\n1,x,3\n4,y,6\n", '"say ""x""",b\\c\n1,2\n3,4\n'],
)  # fmt: skip
def test_weird_shapes(tmp_path: Path, text: str) -> None:
    path = tmp_path / "data.csv"
    path.write_text(text)
    proposal = sculpt.propose(path, tidy=True)
    if proposal.has_program:
        records(proposal.schema, path)


@pytest.mark.skipif(not SHARED.exists(), reason="the shared data is not here")
def test_real_files() -> None:
    for path in sorted((SHARED / "lines").glob("*/*.csv"))[7::75]:
        proposal = sculpt.propose(path, tidy=True)
        if proposal.found:
            assert proposal.has_program, path
            assert sculpt.run(sculpt.Schema.parse(proposal.schema), path).table("Record").num_rows
