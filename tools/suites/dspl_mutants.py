"""Faults of DSPL datasets: a valid dataset, changed in one place, and what must be found.

In: the dataset of `tests/interchange/dspl/ferries`. Out: 24 mutants of it, each written to a
folder of its own. A fault of the data is expected at a cell, by the construct of the XML that it
breaks; a fault of the XML at a line and a column.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from sculpt.values import frozen
from suites.model import ROOT

DATASET = ROOT / "tests" / "interchange" / "dspl" / "ferries"
SCHEMA = "ferries.xml"


@frozen
class Fault:
    """A violation: its file, row and column, and the construct of the XML."""

    file: str
    row: int | None
    column: int | None
    construct: str


@frozen
class Refusal:
    """An error of the XML: the text at its place, and a part of the message."""

    at: str
    message: str


@frozen
class Mutant:
    """A change of one file: `old` becomes `new`; an empty `old` is the whole file."""

    name: str
    file: str
    old: str
    new: str
    expected: tuple[Fault, ...] | Refusal
    follows: tuple[str, ...] = ()
    """Constructs that are broken too, in other files, because of the fault."""


def _cell(name: str, change: tuple[str, str, str], *faults: Fault) -> Mutant:
    return Mutant(name, *change, faults)


MUTANTS = (
    _cell(
        "repeated concept id",
        ("ports.csv", "CA,Carraroe", "DO,Carraroe"),
        Fault("ports.csv", 4, 1, 'concept "port", unique ids'),
        Fault("years.csv", 6, 1, 'slice "by_year", dimension "port"'),
    ),
    _cell(
        "blank concept id",
        ("coasts.csv", "S,South coast\n", "S,South coast\n,East coast\n"),
        Fault("coasts.csv", 4, 1, 'concept "coast", its ids'),
    ),
    Mutant(
        "empty concept file",
        "coasts.csv",
        "",
        "",
        (Fault("coasts.csv", None, None, 'table "coasts_table", the headings of its 2 columns'),),
        (
            'concept "port", property "coast"',
            'slice "by_month", dimension "coast"',
            'slice "by_day", dimension "coast"',
        ),
    ),
    _cell(
        "empty slice file",
        ("years.csv", "", ""),
        Fault("years.csv", None, None, 'table "years_table", the headings of its 4 columns'),
    ),
    _cell(
        "too few cells",
        ("ports.csv", "DO,Doolin,W,53.01", "DO,Doolin,W"),
        Fault("ports.csv", 3, None, 'table "ports_table", 4 columns'),
    ),
    _cell(
        "too many cells",
        ("months.csv", "S,01/2021,9100", "S,01/2021,9100,9"),
        Fault("months.csv", 4, 4, 'table "months_table", 3 columns'),
    ),
    _cell(
        "header without a column",
        ("years.csv", "passengers,delay", "passengers,delays"),
        Fault("years.csv", 1, 4, 'table "years_table", the headings of its 4 columns'),
    ),
    _cell(
        "header with a column twice",
        ("years.csv", "passengers,delay", "passengers,passengers"),
        Fault("years.csv", 1, 4, 'table "years_table", column "passengers"'),
        *(Fault("years.csv", row, 4, 'column "passengers", type integer') for row in (2, 3, 4, 6)),
    ),
    _cell(
        "bad integer",
        ("years.csv", "41000", "41 000"),
        Fault("years.csv", 4, 3, 'column "passengers", type integer'),
    ),
    _cell(
        "bad float",
        ("years.csv", "-0.5", "-0.5 min"),
        Fault("years.csv", 4, 4, 'column "delay", type float'),
    ),
    _cell(
        "repeated dimension keys",
        ("months.csv", "W,2/2021", "W,01/2021"),
        Fault("months.csv", 3, 1, 'slice "by_month", dimensions "coast", "time:month"'),
    ),
    _cell(
        "blank dimension",
        ("days.csv", "01.06.2021,RO,S", "01.06.2021,RO,"),
        Fault("days.csv", 5, 3, 'slice "by_day", dimension "coast"'),
    ),
    _cell("blank metric, which is valid", ("months.csv", "S,01/2021,9100", "S,01/2021,")),
    _cell(
        "no instance of its concept",
        ("days.csv", "02.06.2021,RO,S", "02.06.2021,GA,S"),
        Fault("days.csv", 6, 2, 'slice "by_day", dimension "port"'),
    ),
    _cell(
        "rows not sorted by the other dimensions",
        ("years.csv", "CA,2020,7000,12.25\n", "CA,2020,7000,12.25\nRO,2022,130000,5\n"),
        Fault("years.csv", 7, 1, 'slice "by_year", rows sorted by "port"'),
    ),
    Mutant(
        "date without a format",
        SCHEMA,
        ' format="dd.MM.yyyy"',
        "",
        Refusal('<column id="day" type="date"', "the column `day` of dates has no format"),
    ),
    Mutant(
        "format that does not fit a year",
        SCHEMA,
        'format="yyyy"',
        'format="MM"',
        Refusal('<column id="year"', "the format `MM` of `year` does not fit `time:year`"),
    ),
    Mutant(
        "format that does not fit a month",
        SCHEMA,
        'format="MM/yyyy"',
        'format="yyyy"',
        Refusal('<column id="month"', "the format `yyyy` of `month` does not fit `time:month`"),
    ),
    Mutant(
        "format that does not fit a day",
        SCHEMA,
        'format="dd.MM.yyyy"',
        'format="MM.yyyy"',
        Refusal('<column id="day"', "the format `MM.yyyy` of `day` does not fit `time:day`"),
    ),
    Mutant(
        "number of columns",
        "coasts.csv",
        "coast,name\nW,West coast\nS,South coast\n",
        "coast\nW\nS\n",
        (
            Fault("coasts.csv", None, None, 'table "coasts_table", the headings of its 2 columns'),
            Fault("coasts.csv", 2, None, 'table "coasts_table", 2 columns'),
            Fault("coasts.csv", 3, None, 'table "coasts_table", 2 columns'),
        ),
    ),
    Mutant(
        "no column of the name of a concept",
        SCHEMA,
        '<mapConcept toColumn="port_code"/>',
        "",
        Refusal(
            '<table ref="ports_table"',
            "the table `ports_table` has no column `port` for the concept `port`",
        ),
    ),
    Mutant(
        "no column of the name of a dimension",
        SCHEMA,
        '<column id="coast" type="string"/>\n      <column id="month"',
        '<column id="shore" type="string"/>\n      <column id="month"',
        Refusal(
            '<table ref="months_table"',
            "the table `months_table` has no column `coast` for the dimension `coast`",
        ),
    ),
    Mutant(
        "type of a dimension",
        SCHEMA,
        '<column id="from_port" type="string"/>',
        '<column id="from_port" type="integer"/>',
        Refusal(
            '<column id="from_port"',
            "the column `from_port` has the type integer, but the dimension `port` string",
        ),
    ),
    Mutant(
        "type of a metric",
        SCHEMA,
        '<column id="minutes" type="float"/>',
        '<column id="minutes" type="integer"/>',
        Refusal(
            '<column id="minutes"',
            "the column `minutes` has the type integer, but the metric `delay` float",
        ),
    ),
)


def write(mutant: Mutant, folder: Path) -> Path:
    """Write the dataset with its change; the path of its XML."""
    shutil.copytree(DATASET, folder, dirs_exist_ok=True)
    path = folder / mutant.file
    text = path.read_text(encoding="latin-1")
    if mutant.old:
        assert text.count(mutant.old) == 1, mutant
        changed = text.replace(mutant.old, mutant.new)
    else:
        changed = mutant.new
    path.write_text(changed, encoding="latin-1", newline="")
    return folder / SCHEMA
