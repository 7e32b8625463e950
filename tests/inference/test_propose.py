"""Proposed schemas: they accept their files, and nobody would be ashamed of them."""

from __future__ import annotations

import csv
import io
import os
import pickle
import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sculpt
from sculpt.inference.columns.forms import Form
from sculpt.inference.emit.text import rows_named, schema_text
from sculpt.inference.emit.words import Draft, Tok
from sculpt.inference.files.reading import read_sheet
from sculpt.inference.files.sheet import sheet_of
from sculpt.inference.frame.model import Frame, Line
from sculpt.inference.proof.counting import Counts, FileCounts
from sculpt.inference.proof.stress import Stress, stress
from sculpt.inference.propose import Proposal, _with_stress, doubts, head_of

SHARED = Path(__file__).parents[3] / "shared" / "inference"
HARVEST = """Harvest 2025

Field,Crop,Tonnes
North,oats,41.5
South,rye,n/a
West,rye,12.5
East,oats,11.5
Mill Lane,oats,3.5
Total,,69.0
"""
quick = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def written(folder: Path, text: str, name: str = "data.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8", newline="")
    return path


def check(proposal: Proposal, *paths: Path) -> sculpt.Schema:
    """It parses, is formatted, has no warnings, and accepts the files."""
    schema = sculpt.Schema.parse(proposal.schema)
    assert schema.lint == (), proposal.schema
    assert sculpt.format_text(proposal.schema) == proposal.schema
    for path in paths:
        verdict = sculpt.validate(schema, path)
        assert verdict.valid, (proposal.schema, verdict.violations[:3])
    return schema


def test_a_table_with_a_title_and_a_total(tmp_path: Path) -> None:
    path = written(tmp_path, HARVEST)
    proposal = sculpt.propose(path)
    check(proposal, path)
    assert "right*(Field) -> Field, Crop, Tonnes" in proposal.schema
    assert "col(Tonnes) -> Number | missing" in proposal.schema
    assert 'missing := "n/a"' in proposal.schema
    assert proposal.stress.missed == ()
    assert len(proposal.stress.results) >= 6
    assert pickle.loads(pickle.dumps(proposal)) == proposal


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    schema = check(sculpt.propose(written(tmp_path, HARVEST)))
    for name, old, new in (
        ("a word", "12.5", "much"),
        ("a lost cell", "West,rye,", "West,"),
        ("another heading", "Crop", "Kind"),
        ("no total", "Total,,69.0\n", ""),
        ("no title", "Harvest 2025", "Harbours"),
    ):
        damaged = written(tmp_path, HARVEST.replace(old, new), "damaged.csv")
        assert not sculpt.validate(schema, damaged).valid, name


def test_columns_of_one_content_share_a_rule(tmp_path: Path) -> None:
    rows = [f"{n},{n / 8},{n / 4},{n / 2},x{n}" for n in range(20)]
    path = written(tmp_path, "\n".join(["Id,Mon,Tue,Wed,Note", *rows]) + "\n")
    proposal = sculpt.propose(path)
    check(proposal, path)
    assert "down+(right{0,2}(Mon)) -> Number{3}" in proposal.schema


def test_a_heading_that_is_there_twice_is_counted(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        ",Men,Men,All,All\nIsle,Age,Note,Age,Note\nUist,31,low,32.5,M-001\nSkye,33,high,33.5,M-002\n"
        "Mull,29,low,30.5,M-003\nEigg,30,low,29.5,M-004\n",
    )
    proposal = sculpt.propose(path)
    check(proposal, path)
    for heading in ("Age#1", "Note#1", "Age#2", "Note#2"):
        assert f"col({heading})" in proposal.schema, proposal.schema


def test_a_heading_that_is_there_very_often_is_not_counted(tmp_path: Path) -> None:
    rows = [",".join([f"n{n}", *(str((n * m) % 2) for m in range(150))]) for n in range(9)]
    path = written(tmp_path, "\n".join([",".join(["name", *["x"] * 150]), *rows]) + "\n")
    proposal = sculpt.propose(path)
    check(proposal, path)
    assert "x#" not in proposal.schema
    assert proposal.schema.count("\n") < 60


@pytest.mark.parametrize("heading", ["Amount\n(EUR)", "Amount\r\nEUR", "a\tx", "b\xa0c", "e\u200b"])
def test_headings_with_line_breaks_and_unseen_characters(tmp_path: Path, heading: str) -> None:
    """Literals hold line ends and tabs; a token shows what else nobody could see."""
    rows = "".join(f"n{n},{n}.5,{n}.7\n" for n in range(10))
    path = written(tmp_path, f'Name,"{heading}",Other\n{rows}')
    proposal = sculpt.propose(path)
    check(proposal, path)
    rules = proposal.schema.replace("\n    ", " ")
    assert rules.count("col(") == 3, proposal.schema
    assert "-> Number" in rules
    assert "right{" not in rules
    assert "Text" not in rules
    assert heading.isprintable() or all(c.isprintable() or c == "\n" for c in proposal.schema)


def test_a_text_full_of_unseen_characters_is_no_literal(tmp_path: Path) -> None:
    """Written out, it would be longer than a line."""
    rows = "".join(f"n{n},{n}.5\n" for n in range(10))
    path = written(tmp_path, f"Yield{chr(0xA0) * 20}by farm,\n\nName,Tonnes\n{rows}")
    proposal = sculpt.propose(path)
    check(proposal, path)
    assert all(len(line) <= 100 for line in proposal.schema.splitlines())
    assert "col(Tonnes) -> Number" in proposal.schema


def worded(columns: int) -> str:
    """A table of words and numbers, where the words look like the headings."""
    chance = random.Random(2)
    names = ["Ab", "Cd", "Ef", "Gh", "Ij", "Kl", "Mn", "Op"][:columns]

    def word() -> str:
        return "".join(chance.choice("abcdefghij") for _ in range(chance.randint(2, 8))).title()

    rows = [
        [word() if ix % 2 == 0 else str(chance.randint(1, 999)) for ix in range(columns)]
        for _ in range(60)
    ]
    return "\n".join(map(",".join, [names, *rows])) + "\n"


def test_few_headings_that_data_could_be_are_unique(tmp_path: Path) -> None:
    path = written(tmp_path, worded(3))
    schema = sculpt.propose(path).schema
    assert 1 <= schema.count("unique(") <= 3
    assert "Headings" not in schema


@pytest.mark.parametrize("title", ["", "Words of the year,,,,,,,\n"])
def test_of_many_headings_that_data_could_be_the_row_is_said(tmp_path: Path, title: str) -> None:
    """So a word in another column that is a heading is no heading."""
    path = written(tmp_path, title + worded(8))
    proposal = sculpt.propose(path)
    schema = check(proposal, path)
    assert proposal.schema.count("unique(") <= 1
    assert "Cd and Headings" in proposal.schema
    assert ("Headings <= right*(Ab)" if title else "Headings <= row(1)") in proposal.schema
    lines = path.read_text().splitlines()
    cells = lines[9].split(",")
    path.write_text(
        "\n".join([*lines[:9], ",".join([*cells[:6], "Cd", cells[7]]), *lines[10:]]) + "\n"
    )
    assert sculpt.validate(schema, path).valid
    path.write_text(
        "\n".join([*lines[:9], ",".join([*cells[:6], "7", cells[7]]), *lines[10:]]) + "\n"
    )
    assert not sculpt.validate(schema, path).valid


def test_columns_with_nothing_in_common_have_rules_of_their_own(tmp_path: Path) -> None:
    rows = "".join(f"{n},r{n},{n * 7},q{n},{n * 3}\n" for n in range(1, 30))
    path = written(tmp_path, f"Age,Room,Rent,Queue,Pets\n{rows}")
    schema = sculpt.propose(path).schema
    for heading in ("Age", "Rent", "Pets"):
        assert f"col({heading}) -> Integer\n" in schema


def test_very_many_columns_share_rules_and_the_name_says_what_they_hold(tmp_path: Path) -> None:
    names = ",".join(f"Number of things {n},Kind of thing {n}" for n in range(20))
    rows = "".join(
        ",".join(f"{row * n},{'ab'[row * n % 2]}{n}" for n in range(20)) + "\n"
        for row in range(1, 30)
    )
    proposal = sculpt.propose(written(tmp_path, f"{names}\n{rows}"))
    check(proposal)
    assert all(len(line) <= 100 for line in proposal.schema.splitlines())
    assert "Number of things 0 cells" not in proposal.schema


def test_blanks_around_alternatives_count(tmp_path: Path) -> None:
    changes = [
        "-39 210\xa0",
        "-1 250\xa0",
        "-41 682\xa0",
        "-1 113\xa0",
        "-41 001\xa0",
        "-2 002\xa0",
    ]
    rows = [f"n{n},{change}" for n, change in enumerate([*changes, *changes])]
    path = written(tmp_path, "\n".join(["Name,Change", *rows]) + "\n")
    proposal = sculpt.propose(path)
    check(proposal, path)
    assert "col(Change)" in proposal.schema


def test_headings_that_differ_from_tokens_by_case_are_quoted(tmp_path: Path) -> None:
    """Also where a schema says that they are unique."""
    titles = ["Baker", "Night guard", "Head of a Yard", "Cook", "IT help", "Clerk in a Shop"]
    titles += [f"{each} of {town}" for each in titles for town in ("Rye", "Bath", "Much Wenlock")]
    rows = [f"{n % 7 + 11}-0000,{n % 7 + 11}-{n % 5 + 1}000,{t}" for n, t in enumerate(titles)]
    text = "\n".join(["Major Group,Minor Group,Title", *rows]) + "\n"
    path = written(tmp_path, text, "jobs.csv")
    proposal = sculpt.propose(path)
    check(proposal, path)
    assert 'unique("Minor Group")' in proposal.schema


def test_a_repeated_heading_of_sisters(tmp_path: Path) -> None:
    text = "Isle,Age,Kind,Age\nUist,31,low,a\nSkye,33,high,b\nMull,29,low,c\nEigg,30,low,d\n"
    one = written(tmp_path, f"Of May\n\n{text}", "one.csv")
    other = written(tmp_path, f"Of June\n\nAn error was put right\n\n{text}", "two.csv")
    proposal = sculpt.propose([one, other])
    check(proposal, one, other)
    assert proposal.others == ()
    assert "col(Age#1) -> Integer" in proposal.schema


def test_equal_texts_in_a_row_are_counted(tmp_path: Path) -> None:
    rows = ["Depths,,,,,,", "Isle,Low tide,Low tide,Low tide,Low tide,Men 2,Men 2", "-,-,-,-,-,-,-"]
    rows += [f"{isle},1.5,2.5,3,4,5,6" for isle in ("Uist", "Skye", "Mull", "Eigg", "Rum")]
    rows += ["", f"1. {'a long note ' * 9}", f"2. {'a long note ' * 9}", f"3. {'a long note ' * 9}"]
    path = written(tmp_path, "\n".join(rows) + "\n")
    proposal = sculpt.propose(path)
    check(proposal, path)
    assert "Isle, Low tide{4}, " in proposal.schema
    assert "Empty, Text{3}" in proposal.schema.replace("\n    ", " ")
    update = sculpt.propose(path, update=written(tmp_path, proposal.schema, "a.sculpt"))
    assert not update.changes


@pytest.mark.parametrize(
    ("texts", "name"),
    [
        ([f"{n}%" for n in range(30, 40)], "percent"),
        ([f"{n}-{n + 3}" for n in range(30, 40)], "range"),
        (["<5", "<10", ">90"], "bound"),
        ([f"AB{n}" for n in range(30, 50)], "code"),
        ([f"£{n}.50" for n in range(30, 40)], "amount"),
        (["Trace", "Not yet weighed", "Lost"], "remark"),
    ],
)
def test_what_stands_beside_numbers_is_named(tmp_path: Path, texts: list[str], name: str) -> None:
    rows = [f"n{n},{text}" for n, text in enumerate([*map(str, range(50)), *texts])]
    path = written(tmp_path, "\n".join(["Key,Tonnes", *rows]) + "\n")
    proposal = sculpt.propose(path)
    check(proposal, path)
    assert f"col(Tonnes) -> Integer | {name}\n" in proposal.schema


def test_equal_tokens_have_one_name() -> None:
    one = Tok(Form("shape", "[A-Z]", "[A-Z]", "="), "grade")
    other = Tok(Form("blocks", "[A-Z]", "[A-Z]", "="), "mark")
    drafts = [Draft((f"col({n})",), "->", ((each,),)) for n, each in enumerate((one, other), 1)]
    text = schema_text([], [], drafts, {}).text
    assert text == "grade = [A-Z]\n\ncol(1) -> grade\ncol(2) -> grade\n"


def test_what_is_not_certain_names_its_rows() -> None:
    lines = (
        Line(1, "metadata", 0.1, "header"),
        Line(2, "metadata", 0.2, "header"),
        Line(3, "header", 0.9, "data"),
        Line(4, "data", 0.25, "derived"),
    )
    assert doubts(Frame(lines, (), 1, 0.1)) == (
        "Not certain, please look: rows 1, 2 (title, or headings?); row 4 (data, or totals?)."
    )
    assert doubts(Frame(lines, (), 1, 0.4)) is None
    assert doubts(Frame((), (), 0, 0.0)) is None


def test_the_directives_of_the_dialect_come_first(tmp_path: Path) -> None:
    rows = [f"{n};{n},5;a{n}" for n in range(30)]
    path = written(tmp_path, "\n".join(["Id;Depth;Name", *rows]) + "\n")
    proposal = sculpt.propose(path)
    check(proposal, path)
    assert "Col Delim = ;" in proposal.schema


def test_a_likely_error_is_shown_and_accepted(tmp_path: Path) -> None:
    rows = [f"{n},{'95o' if n == 77 else n}" for n in range(150)]
    path = written(tmp_path, "\n".join(["Id,Tonnes", *rows]) + "\n")
    proposal = sculpt.propose(path)
    check(proposal, path)
    assert "% Likely an error: `95o` in row 79, column 2." in proposal.schema


def test_likely_errors_are_counted(tmp_path: Path) -> None:
    rows = [f"{n},{'oops' if n % 100 == 77 else n}" for n in range(300)]
    path = written(tmp_path, "\n".join(["Id,Tonnes", *rows]) + "\n")
    proposal = sculpt.propose(path)
    check(proposal, path)
    assert "% Likely errors: `oops` in 3 rows, first in row 79, column 2." in proposal.schema
    other = written(tmp_path, "\n".join(["Id,Tonnes", *rows[80:]]) + "\n", "other.csv")
    proposal = sculpt.propose([path, other])
    check(proposal, path, other)
    assert "in 5 rows, first in row 79, column 2 of data.csv." in proposal.schema


def test_the_rare_one_of_a_few_values_is_no_error(tmp_path: Path) -> None:
    rows = [f"{town}{n},{'Years' if n == 24 else '1000.0'},{n}" for n, town in enumerate("ab" * 13)]
    path = written(tmp_path, "\n".join(["Group,Unit,Number", *rows]) + "\n")
    proposal = sculpt.propose(path)
    check(proposal, path)
    assert "ikely" not in proposal.schema
    assert 'unit := "1000.0" or "Years"' in proposal.schema


@pytest.mark.parametrize(
    ("text", "size"),
    [("a\n1\n", "2 rows × 1 column."), ("a,b\n1,2\n3,4\n", "3 rows × 2 columns.")],
)
def test_the_head_counts_in_english(tmp_path: Path, text: str, size: str) -> None:
    proposal = sculpt.propose(written(tmp_path, text))
    assert proposal.schema.startswith(f"% Proposed from data.csv: {size}\n")


def test_one_of_several_copies() -> None:
    tested = Stress((("a lost cell", False), ("another delimiter", True), ("a word", False)))
    assert _with_stress("% x\n", ["x"], tested) == (
        "% x\n% Of 3 damaged copies of it, 1 is refused. Accepted: a lost cell, a word.\n"
    )
    assert rows_named(11, 11) == "row 11"


def test_refused_files_are_not_counted() -> None:
    sheet = sheet_of("a.csv", (("a",), ("1",)), Frame((), (), 1, 1.0), ())
    good, bad = FileCounts("a.csv", 2, 1, {}), FileCounts("b.csv", 9, 4, {}, problem="a NUL")
    assert head_of([sheet], Counts((good, bad))) == ["Proposed from a.csv: 2 rows × 1 column."]


@pytest.mark.parametrize(
    "text",
    ["", "\n\n\n", "one", "one,two,three", "one\ntwo\nthree\n", "a\n" * 3, ",,,\n,,,\n", '""\n',
     "% -> x\n", '"a\nb",c\n1,2\n3,4\n', "a,a,a\n1,2,3\n4,5,6\n", "row,col,true\n1,2,3\n",
     "1,2\n1,2,3\n1\n", "a\tb\n1\t2\n", "and,or,not\n1,2,3\n4,5,6\n", "Date,Text\nx,y\nz,w\n",
     '"say ""x""",b\\c\n1,2\n3,4\n', "xs:date,print\n1,2\n2,3\n", " ,x\n 1, 2\n"],
)  # fmt: skip
def test_weird_shapes(tmp_path: Path, text: str) -> None:
    path = written(tmp_path, text)
    proposal = sculpt.propose(path)
    if proposal.found:
        check(proposal, path)


def test_ten_thousand_columns(tmp_path: Path) -> None:
    rows = [
        [f"c{n}" for n in range(10_000)],
        *([str(n * m) for n in range(10_000)] for m in (1, 2)),
    ]
    path = written(tmp_path, "".join(",".join(row) + "\n" for row in rows))
    proposal = sculpt.propose(path)
    check(proposal, path)
    assert proposal.schema.count("\n") < 40


CELLS = st.one_of(
    st.sampled_from(
        ["", "n/a", "Total", "Name", "Text", "1,5", "2024-01-02", "a\nb", '"', "->", "%"]
    ),
    st.integers(-5, 5000).map(str),
    st.text(st.characters(min_codepoint=32, max_codepoint=0x17F), max_size=8),
)


def as_text(rows: Sequence[Sequence[str]]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows(rows)
    return buffer.getvalue()


@quick
@given(rows=st.lists(st.lists(CELLS, min_size=1, max_size=5), min_size=1, max_size=9))
def test_a_schema_accepts_its_own_file(tmp_path: Path, rows: list[list[str]]) -> None:
    path = written(tmp_path, as_text(rows))
    proposal = sculpt.propose(path)
    assert proposal.refused == () or "quote" in proposal.refused[0][1], proposal.refused
    if proposal.found and not proposal.refused:
        check(proposal, path)


@quick
@given(
    names=st.lists(st.text("abcXYZ é-#%", min_size=1, max_size=8), min_size=2, max_size=5),
    data=st.lists(st.tuples(st.integers(0, 99), st.sampled_from(["x", "y"])), min_size=3),
)
def test_tables_with_headings(
    tmp_path: Path, names: list[str], data: list[tuple[int, str]]
) -> None:
    rows = [names, *([str(n), *([kind] * (len(names) - 1))] for n, kind in data)]
    path = written(tmp_path, as_text(rows))
    proposal = sculpt.propose(path)
    if proposal.found and not proposal.refused:
        check(proposal, path)


# ------------------------------------------------------------- sisters


def reports(folder: Path) -> list[Path]:
    """Files of one kind: the header moves, the title and the number of rows differ."""
    paths = []
    for place, year in enumerate(range(2001, 2006)):
        head = [f"Report of {year}", *["Checked by hand"] * (place % 3), "", "Day,Depth,State"]
        rows = [
            f"{year}-03-{day:02d},{day * 1.5},{'ok' if day % 3 else 'late'}" for day in range(1, 25)
        ]
        text = "\n".join([*head, *rows, "", "Source: harbour office"]) + "\n"
        paths.append(written(folder, text, f"report-{year}.csv"))
    return paths


def test_sisters_share_a_schema(tmp_path: Path) -> None:
    *given_paths, other = reports(tmp_path)
    proposal = sculpt.propose(given_paths[:1], sisters=given_paths[1:])
    schema = check(proposal, *given_paths, other)
    assert "col(Depth) -> Number" in proposal.schema
    assert "row(" not in proposal.schema
    damaged = written(tmp_path, other.read_text().replace("Depth", "Width"), "damaged.csv")
    assert not sculpt.validate(schema, damaged).valid


def test_the_order_of_the_files_does_not_matter(tmp_path: Path) -> None:
    paths = reports(tmp_path)
    assert sculpt.propose(paths).schema == sculpt.propose(paths[::-1]).schema


def test_files_of_another_kind_are_named(tmp_path: Path) -> None:
    paths = reports(tmp_path)
    stranger = written(tmp_path, "Ship,Flag\n" + "Kestrel,NL\nLindgren,SE\n" * 5, "ships.csv")
    proposal = sculpt.propose([*paths, stranger])
    assert proposal.others == ((os.fspath(stranger),),)
    assert os.fspath(stranger) not in proposal.paths


def test_an_unknown_strictness_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(sculpt.UsageError, match="strictness"):
        sculpt.propose(written(tmp_path, HARVEST), strictness="hard")
    with pytest.raises(sculpt.UsageError, match="no file"):
        sculpt.propose([])
    with pytest.raises(sculpt.DataError):
        sculpt.propose(tmp_path / "absent.csv")


def test_damages_differ_from_the_file(tmp_path: Path) -> None:
    path = written(tmp_path, HARVEST)
    everything = sculpt.Schema.parse("true -> Any*")
    found = stress(read_sheet(str(path), str(tmp_path)), everything)
    assert found.results
    assert found.refused == 0


# ------------------------------------------------------------- real files


@pytest.mark.skipif(not SHARED.exists(), reason="the shared data is not here")
def test_real_files() -> None:
    files = sorted((SHARED / "lines").glob("*/*.csv"))[::60]
    files += sorted((SHARED / "dialects" / "files").iterdir())[::20]
    for path in files:
        proposal = sculpt.propose(path)
        if proposal.found:
            check(proposal, path)


@pytest.mark.skipif(not SHARED.exists(), reason="the shared data is not here")
def test_real_sisters() -> None:
    files = sorted((SHARED / "sisters").glob("*.csv"))
    schema = check(sculpt.propose(files[::11]), *files[::11])
    accepted = [sculpt.validate(schema, path).valid for path in files]
    assert sum(accepted) >= 0.7 * len(files)
