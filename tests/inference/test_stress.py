"""Damaged copies: written in the dialect of the file, each refused or named."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sculpt
from made_frames import Made, make
from sculpt.core.dialect import Delimiter, Dialect, Layout
from sculpt.inference.files.reading import read_sheet
from sculpt.inference.files.rows import rows_of
from sculpt.inference.files.writing import written
from sculpt.inference.proof.damages import damages
from sculpt.inference.proof.stress import stress
from sculpt.inference.proof.verify import verdict_of
from sculpt.inference.propose import Proposal
from sculpt.schema import Schema
from sculpt.tabular.document import decode

DIALECTS = {
    "comma": Dialect(),
    "semicolon": Dialect(col_delim=Delimiter(";")),
    "tab": Dialect(col_delim=Delimiter("\t"), quote="'"),
    "bar": Dialect(col_delim=Delimiter("|"), encoding="utf-16"),
    "backslash": Dialect(col_delim=Delimiter(";"), escape="\\"),
}
HARVEST = "Field;Crop;Tonnes\nNorth;oats;41.5\nSouth;rye;12\nWest;rye;12.5\nEast;oats;11.5\n"


def save(folder: Path, made: Made, dialect: Dialect) -> Path:
    """A file of these rows."""
    text = written(made.rows, dialect)
    assert text is not None
    path = folder / "made.csv"
    path.write_text(text, encoding=dialect.encoding or "utf-8", newline="")
    return path


@pytest.mark.parametrize("name", DIALECTS)
def test_generated_tables_in_every_dialect(name: str, tmp_path: Path) -> None:
    """Frames are found, schemas accept their files, and damaged copies are refused."""
    dialect = DIALECTS[name]
    copies = refused = framed = 0
    seeds = range(12)
    for seed in seeds:
        made = make(seed)
        path = save(tmp_path, made, dialect)
        proposal = sculpt.propose(path)
        assert proposal.found
        schema = Schema.parse(proposal.schema)
        assert schema.lint == ()
        assert sculpt.validate(schema, path).valid
        assert schema.core.dialect.col_delim == dialect.col_delim
        framed += [table.headers for table in proposal.frame.tables] == made.headers
        for _, rows in _mutants(made, random.Random(seed)):
            path = save(tmp_path, rows, dialect)
            copies += 1
            refused += not sculpt.validate(schema, path).valid
    assert framed >= 0.8 * len(seeds)
    assert refused >= 0.95 * copies


def _mutants(made: Made, chance: random.Random) -> list[tuple[str, Made]]:
    """A word for a number, and a row of headings lost; by what the file was made of."""
    data = [at for at, label in enumerate(made.labels) if label == "data"]
    row, column = chance.choice(data), chance.randrange(1, len(made.rows[0]))
    worded = [[*line] for line in made.rows]
    worded[row][column] = "many"
    lost = made.headers[0][-1] - 1
    headless = [line for at, line in enumerate(made.rows) if at != lost]
    return [
        ("a word for a number", Made(worded, made.labels, made.tables, made.headers)),
        ("headings lost", Made(headless, made.labels, made.tables, made.headers)),
    ]


def proposal_of(folder: Path, text: str) -> Proposal:
    path = folder / "data.csv"
    path.write_text(text)
    return sculpt.propose(path)


REMARKS = [
    "late",
    "Came twice.",
    "see row 7",
    "(none)",
    "ok: 4/5",
    "L. Moor",
    "n°2 & 3",
    "?",
    "A-B",
]


def test_weak_columns_are_named(tmp_path: Path) -> None:
    """A number among the words says that there may be others."""
    rows = [f"{n};{REMARKS[n % 9]}{'!' * n};{n / 4}" for n in range(18)]
    rows[7] = "7;20;1.75"
    proposal = proposal_of(tmp_path, "\n".join(["Id;Remark;Depth", *rows]) + "\n")
    assert proposal.stress.weak == ("Remark",)
    head = " ".join(line[2:] for line in proposal.schema.splitlines())
    assert "Weak column, as other kinds of values are accepted there: Remark." in head


def test_strong_columns_are_not_weak(tmp_path: Path) -> None:
    proposal = proposal_of(tmp_path, HARVEST * 1)
    schema = Schema.parse(proposal.schema)
    for number, heading in enumerate(("Field", "Crop", "Tonnes")):
        rows = [line.split(";") for line in HARVEST.splitlines()]
        rows[2][number] = "3071" if number < 2 else "much"
        path = tmp_path / "damaged.csv"
        path.write_text("\n".join(";".join(row) for row in rows) + "\n")
        assert sculpt.validate(schema, path).valid == (heading in proposal.stress.weak), heading


def test_each_damage_changes_the_rows(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_text(f"Harvest\n\n{HARVEST}\nSource: the farm\n")
    sheet = read_sheet(str(path), str(tmp_path))
    made = list(damages(sheet))
    assert len(made) == 7
    assert all([*map(tuple, rows)] != [*sheet.rows] for _, rows in made)
    everything = Schema.parse("Col Delim = ;\ntrue -> Any*")
    found = stress(sheet, everything)
    assert len(found.results) == 8
    assert found.refused == 0
    assert found.weak == ("Field", "Crop", "Tonnes")
    nothing = Schema.parse("Col Delim = ;\ntrue -> Nothing")
    assert stress(sheet, nothing).results == ()


# ------------------------------------------------------------- writing

CELLS = st.text("ab1,;|'\"\\\n é%", max_size=6).filter(lambda text: text == text.strip(" \t"))


@given(
    rows=st.lists(st.lists(CELLS, min_size=2, max_size=4), min_size=1, max_size=6),
    dialect=st.sampled_from(
        [*DIALECTS.values(), Dialect(comment="%"), Dialect(quote=None), Dialect(row_delim="\n\n")]
    ),
)
def test_what_is_written_is_read(rows: list[list[str]], dialect: Dialect) -> None:
    text = written(rows, dialect)
    if text is None:
        assert dialect.quote is None
        return
    found = rows_of(decode(text.encode(dialect.encoding or "utf-8"), dialect.encoding), dialect)
    expected = [tuple(row) for row in rows]
    while expected and expected[-1] == ("",):
        expected.pop()
    assert list(found) == expected


def test_fixed_widths_are_written() -> None:
    dialect = Dialect(layouts=(Layout("", (4, -2, 3, None)),))
    assert written([["ab", "c", "rest of it"], ["abcdef", "", ""]], dialect) == (
        "ab    c  rest of it\nabcd\n"
    )


# ------------------------------------------------------------- wide tables


def test_weak_columns_of_a_wide_table_need_few_validations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One says that all are weak; where a few are not, a few more are needed."""
    names = [f"c{n}" for n in range(150)]
    rows = [[f"{row * column}" for column in range(150)] for row in range(1, 13)]
    path = tmp_path / "data.csv"
    path.write_text("\n".join(",".join(row) for row in [names, *rows]) + "\n")
    sheet = read_sheet(str(path), str(tmp_path))
    calls = []

    def counted(schema: Schema, path: str) -> sculpt.Verdict:
        calls.append(path)
        return verdict_of(schema, path)

    monkeypatch.setattr("sculpt.inference.proof.stress.verdict_of", counted)
    found = stress(sheet, Schema.parse("row(1) -> Any*"))
    assert found.weak == tuple(names)
    assert len(calls) == 2 + len(found.results)
    calls.clear()
    one = "col(c7) -> Integer\ndown+(right{20,149}(c0)) -> Integer{130}"
    found = stress(sheet, Schema.parse(one))
    assert found.weak == (*names[:7], *names[8:20])
    assert len(calls) < 30


def test_what_only_the_order_of_a_column_refuses_is_not_weak(tmp_path: Path) -> None:
    """The rule reports that the column ends too early, not the cell."""
    path = tmp_path / "data.csv"
    path.write_text("Name,Size\n" + "".join(f"n{n},{n}\n" for n in range(9)))
    sheet = read_sheet(str(path), str(tmp_path))
    schema = Schema.parse("n = n[0-9]\ncol(1) => Name, (n, n)*, n\ncol(Size) -> Integer | Text")
    assert stress(sheet, schema).weak == ("Size",)


def test_the_head_says_how_many_columns_were_tried(tmp_path: Path) -> None:
    names = ",".join(f"h{n}" for n in range(230))
    rows = [
        ",".join(f"{REMARKS[(row + n) % 9]}{'!' * row}" for n in range(230)) for row in range(18)
    ]
    rows[7] = ",".join(str(n) for n in range(230))
    proposal = proposal_of(tmp_path, "\n".join([names, *rows]).replace("L. M", "L M") + "\n")
    assert proposal.stress.tried == 200
    assert len(proposal.stress.weak) == 200
    head = " ".join(line[2:] for line in proposal.schema.splitlines())
    assert "Weak columns among the first 200, as other kinds" in head
    assert "h0, h1, h2, h3, h4, h5 and 194 more." in head
