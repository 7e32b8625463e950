"""Real files of the shared corpus as tidy records; the expected excerpts were copied by hand."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import sculpt
from sculpt.engines.options import Options
from sculpt.policy import Policy
from sculpt.transform.arrow_types import arrow_schema
from sculpt.transform.local import STRIP, TableRun
from sculpt.transform.writers.parquet import plain_batch

Row = tuple[Any, ...]
WAYS = {"local": ("local", STRIP), "strips": ("local", 64), "reference": ("reference", STRIP)}


def produced(rules: Path, program: str, data: Path, way: str) -> dict[str, list[Row]]:
    """The records of each target, and the lines under `text`; nothing is wrong."""
    engine, strip = WAYS[way]
    schema = sculpt.Schema.parse(rules.read_text(encoding="utf-8") + program)
    run = TableRun(schema, str(data), Policy.REFUSE, engine, Options(threads=2), strip)
    verdict = run.validate()
    assert verdict.valid
    streams = run.program.streams
    found: dict[str, list[Row]] = {stream.name or "text": [] for stream in streams}
    for number, batch in run.batches(verdict, frozenset(range(len(streams)))):
        rows = plain_batch(batch, arrow_schema(streams[number])).to_pylist()
        found[streams[number].name or "text"] += [tuple(row.values()) for row in rows]
    assert run.findings.violations == []
    assert run.findings.count == 0
    return found


# ----------------------------------------------------------------- the census

ACTIVITIES = [
    "Total: All categories: Economic activity",
    "Total: Economically active: Total",
    "Economically active: Employee: Part-time",
    "Economically active: Employee: Full-time",
    "Economically active: Self-employed with employees: Part-time",
    "Economically active: Self-employed with employees: Full-time",
    "Economically active: Self-employed without employees: Part-time",
    "Economically active: Self-employed without employees: Full-time",
    "Economically active: Unemployed",
    "Economically active: Full-time student",
    "Total: Economically inactive: Total",
    "Economically inactive: Retired",
    "Economically inactive: Student (including full-time students)",
    "Economically inactive: Looking after home or family",
    "Economically inactive: Long-term sick or disabled",
    "Economically inactive: Other",
]
ENGLAND = [
    38881374, 27183134, 5333268, 15016564, 148074, 715271, 990573, 1939714,
    1702847, 1336823, 11698240, 5320691, 2255831, 1695134, 1574134, 852450,
]  # fmt: skip
WALES = [
    2245166, 1476735, 313022, 799348, 7564, 42107, 43250, 101108,
    96689, 73647, 768431, 361501, 133880, 86396, 140760, 45894,
]  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_the_census(shared: Path, way: str) -> None:
    program = """
topic-code = Economic activity \\(([A-Z0-9]+)\\)
For each cell v in down+(right+(Geographic Area)) {
  emit Obs(
    dataset: closest(up, name, v),
    published: closest(up, Date, v) as Date,
    code: directly(left, geo_id, v),
    area: directly(left, col(Geographic Area), v),
    unit: directly(up, Person, v),
    topic: capture(directly(up, topic, v), topic-code, 1),
    activity: up+.[row(Geographic Area)](v),
    people: v as xs:integer)
}
For each row r in down+(right+(Geographic Area)) { print r.row + ": " + Max(r) }
"""
    data = shared / "corpus/UC02/CSV_QS601EW2011WARDH_151277.csv"
    found = produced(shared / "usecases/UC02.sculpt", program, data, way)
    day = dt.date(2013, 10, 19)
    assert found["Obs"] == [
        ("QS601EW", day, code, area, "Person", "T016A", activity, people)
        for code, area, counts in [("E92000001", "England", ENGLAND), ("W92000004", "Wales", WALES)]
        for activity, people in zip(ACTIVITIES, counts, strict=True)
    ]
    assert len(found["Obs"]) == 32
    assert found["text"] == [("9: 38881374",), ("10: 2245166",)]


# ----------------------------------------------------------------- temperatures in Uganda

READINGS = [
    # (column, how many, their sum), counted and added up with awk
    (2, 419, "11704.84"), (3, 72, "2006.59"), (4, 108, "3096.57"), (5, 184, "5395.14"),
    (6, 48, "1240.92"), (7, 999, "25922.43"), (8, 753, "19123.83"), (9, 119, "3962.67"),
    (10, 753, "22063.60"), (11, 200, "5717.60"), (12, 828, "23133.09"), (13, 494, "11558.41"),
    (14, 351, "9706.74"), (15, 41, "1210.83"), (16, 89, "2619.77"), (17, 139, "4411.98"),
    (18, 240, "6387.48"), (19, 263, "8023.63"), (20, 476, "12506.64"), (21, 624, "17852.61"),
    (22, 344, "10041.17"), (23, 899, "23921.00"), (24, 243, "7031.17"), (25, 48, "1428.36"),
    (26, 336, "8566.46"), (27, 46, "1019.78"), (28, 119, "4014.02"), (29, 203, "6113.71"),
    (30, 122, "3814.52"), (31, 346, "10328.19"), (32, 492, "14143.17"), (33, 44, "1500.87"),
]  # fmt: skip
NOVEMBER_1924 = [
    ("ARUA", "26.33"), ("BOMBO", "27.39"), ("BUKALASA", "29.67"), ("ENTEBBE AIR", "26.39"),
    ("FT PORTAL", "24.39"), ("GULU", "28.78"), ("JINJA", "26.67"), ("KAMPALA", "27.39"),
    ("KITGUM", "29.83"), ("MASAKA", "23.94"), ("MASINDI", "28.44"), ("MBALE", "27.61"),
    ("MBARARA", "25.22"), ("MUBENDE", "24.67"), ("NAGICHOT", "22.61"), ("SERERE", "32.44"),
    ("SIMSA", "32.94"),
]  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_the_best_guess_of_all_stations(shared: Path, way: str) -> None:
    program = """
For each cell v in Temperature {
  emit Reading(
    station: directly(up, row(1), v),
    time: directly(left, Timestamp, v),
    degrees: v as xs:decimal(4,2))
}
For each column c in Temperature { emit Station(column: c.column, count: Count(c), sum: Sum(c)) }
print Count(Temperature)
"""
    data = shared / "corpus/UC03/ug_tmx_jrc_bg_v1.0.txt"
    found = produced(shared / "usecases/UC03.sculpt", program, data, way)
    readings = found["Reading"]
    assert len(readings) == 10442
    assert found["text"] == [("10442",)]
    assert readings[0] == ("ENTEBBE AIR", "1901.04", Decimal("26.70"))
    assert readings[1] == ("ENTEBBE AIR", "1901.13", Decimal("25.70"))
    assert readings[-1] == ("SOROTI", "2011.96", Decimal("29.57"))
    of_a_month = [(station, str(degrees)) for station, at, degrees in readings if at == "1924.87"]
    assert of_a_month == NOVEMBER_1924
    hills = [(at, degrees) for name, at, degrees in readings if name == "KOLOLO HILLS, KAMPALA"]
    assert len(hills) == 240
    assert (hills[0], hills[-1]) == (
        ("1931.04", Decimal("27.50")),
        ("1954.96", Decimal("27.06")),
    )
    assert found["Station"] == [(column, n, Decimal(total)) for column, n, total in READINGS]


@pytest.mark.parametrize("way", WAYS)
def test_a_station_and_its_sources(shared: Path, way: str) -> None:
    program = """
height = (-?[0-9]+)([FM])
missing = -999"."00
mapping Units = { "F": "feet", "M": "metres" }
For each row r in right*(Source) and not Empty {
  emit Source(
    station: r.cells[1],
    source: r.cells[2],
    latitude: r.cells[3] as xs:decimal(7,4),
    longitude: r.cells[4] as xs:decimal(7,4),
    height: capture(r.cells[5], height, 1) as xs:integer,
    unit: map(capture(r.cells[5], height, 2), Units))
}
For each cell v in right+(Data and Timestamp) and value and not missing {
  emit Reading(
    station: closest(up, (1,2), v),
    property: closest(up, measure, v),
    time: directly(left, Timestamp, v),
    source: v.column as xs:short,
    before: directly(up, value, v) as xs:decimal(6,2) optional,
    degrees: v as xs:decimal(6,2))
}
"""
    data = shared / "corpus/UC03/637050_ENTEBBE_tmx.txt"
    found = produced(shared / "usecases/UC03-raw.sculpt", program, data, way)
    here = Decimal("0.05"), Decimal("32.45")
    assert found["Source"] == [
        ("ENTEBBE", "BEA", *here, 3761, "feet"),
        ("ENTEBBE", "GHCNv3G", *here, 1155, "metres"),
        ("ENTEBBE", "ColArchive", *here, 1155, "metres"),
        ("ENTEBBE", "GSOD", *here, 1155, "metres"),
        ("ENTEBBE", "NCARds512", Decimal("0.05"), Decimal("32.755"), 1155, "metres"),
    ]
    readings = found["Reading"]
    by_source = [sum(each[3] == column for each in readings) for column in range(2, 7)]
    assert by_source == [837, 561, 742, 327, 211]
    assert len(readings) == 2678
    gap, known = Decimal("-999.00"), ("ENTEBBE", "Tmax")
    assert readings[:4] == [
        (*known, "1901.04", 2, gap, Decimal("26.89")),
        (*known, "1901.04", 3, gap, Decimal("26.70")),
        (*known, "1901.04", 4, gap, Decimal("26.70")),
        (*known, "1901.13", 2, Decimal("26.89"), Decimal("25.83")),
    ]
    assert [each[2:4] + each[5:] for each in readings[999:1002]] == [
        ("1929.54", 2, Decimal("24.89")),
        ("1929.54", 3, Decimal("24.90")),
        ("1929.54", 4, Decimal("24.90")),
    ]
    assert [each[3:] for each in readings if each[2] == "1950.37"] == [
        (2, Decimal("25.33"), Decimal("25.11")),
        (3, Decimal("25.30"), Decimal("25.10")),
        (4, Decimal("25.30"), Decimal("25.10")),
    ]
    assert readings[-1] == (*known, "2011.96", 5, Decimal("25.43"), Decimal("25.51"))


# ----------------------------------------------------------------- provenance


@pytest.mark.parametrize("way", WAYS)
def test_the_positions_of_the_provenance_figure(shared: Path, way: str) -> None:
    program = """
For each cell p in prov-pos {
  emit Position(
    subject: directly(left, col(subject), p),
    predicate: directly(left, col(predicate), p),
    object: directly(left, col(object), p),
    book: left.([not prov-book].left)*.[prov-book](p),
    first: split(p, "-", 1) as xs:integer,
    last: split(p, "-", 2) as xs:integer,
    node: directly(right, prov-node, p) as xs:decimal(2,1) optional)
}
For each row r in down+(right*(provenance)) and prov-book { emit Row(row: r.row, books: Count(r)) }
"""
    figures = shared / "figures"
    found = produced(
        figures / "provenance.corrected.sculpt", program, figures / "provenance.txt", way
    )
    first, second, node = "D00124", "D00101", Decimal("0.9")
    assert found["Position"] == [
        (":e4", "mention", '"Bart"', first, 283, 286, None),
        (":e4", "mention", '"JoJo"', first, 145, 149, node),
        (":e4", "per:siblings", ":e7", first, 283, 286, None),
        (":e4", "per:siblings", ":e7", first, 173, 179, None),
        (":e4", "per:siblings", ":e7", first, 274, 281, None),
        (":e4", "per:age", '"10"', first, 180, 181, node),
        (":e4", "per:age", '"10"', first, 173, 179, node),
        (":e4", "per:age", '"10"', first, 182, 191, node),
        (":e4", "per:parent", ":e9", first, 180, 181, None),
        (":e4", "per:parent", ":e9", first, 381, 380, None),
        (":e4", "per:parent", ":e9", first, 399, 406, None),
        (":e4", "per:parent", ":e9", second, 220, 225, None),
        (":e4", "per:parent", ":e9", second, 230, 233, None),
        (":e4", "per:parent", ":e9", second, 201, 210, None),
    ]
    assert found["Row"] == [(3, 1), (4, 1), (5, 1), (6, 1), (7, 2)]
