"""Large files, and many: cut down to learn from, counted whole; the result accepts all of it."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import random
import sys
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sculpt
from sculpt.core.dialect import Delimiter, Dialect
from sculpt.inference.files import cut
from sculpt.inference.files.reading import read_sheet
from sculpt.inference.files.rows import rows_of
from sculpt.inference.files.writing import written
from sculpt.inference.propose import Proposal
from sculpt.tabular.document import decode

ROWS = 180_000
"""Of a file above the size up to which files are read as a whole."""


def landings(rows: int, special: dict[int, str]) -> str:
    """A file with a title, notes, and a column for depths; some rows have another depth."""
    chance = random.Random(rows)
    lines = ["Landings of the year", "", "Berth,Day,Cargo,Depth"]
    for number in range(rows):
        depth = special.get(number, f"{chance.randrange(100, 900) / 100}")
        cargo = chance.choice(["grain", "salt", "timber"])
        lines.append(
            f"B{chance.randrange(10)},2024-0{number % 9 + 1}-1{number % 10},{cargo},{depth}"
        )
    return "\n".join([*lines, "", "Source: log of the harbour"]) + "\n"


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with marks and an odd text where only counting finds them."""
    path = tmp_path_factory.mktemp("large") / "landings.csv"
    special = dict.fromkeys(range(40000, ROWS, 9973), "n/a") | {91_234: "4.5m"}
    path.write_text(landings(ROWS, special), encoding="utf-8")
    assert path.stat().st_size > 4 << 20
    return path


@pytest.fixture(scope="module")
def proposal(large: Path) -> Proposal:
    return sculpt.propose(large)


def test_all_rows_are_counted(large: Path, proposal: Proposal) -> None:
    schema = sculpt.Schema.parse(proposal.schema)
    assert sculpt.validate(schema, large).valid
    assert schema.lint == ()
    assert "col(Depth) -> Number | missing" in proposal.schema
    assert 'missing := "n/a"' in proposal.schema
    head = " ".join(line[2:] for line in proposal.schema.splitlines() if line.startswith("%"))
    assert f"{ROWS + 5:,} rows × 4 columns." in head
    assert "all were counted" in head
    assert "Likely an error: `4.5m` in " in head


def test_rows_have_the_numbers_of_the_file(tmp_path: Path, proposal: Proposal) -> None:
    (table,) = proposal.frame.tables
    assert table.headers == (3,)
    assert (table.first, table.last) == (4, ROWS + 3)
    last = proposal.frame.lines[-1]
    assert (last.row, last.label) == (ROWS + 5, "notes")
    for place in (500, 61_000, 91_234):
        path = tmp_path / f"{place}.csv"
        path.write_text(landings(ROWS, {place: "4.5m"}), encoding="utf-8")
        head = " ".join(line[2:] for line in sculpt.propose(path).schema.splitlines())
        named = head.partition("Likely an error: `4.5m` in ")[2].split(".")[0]
        assert named in (f"row {place + 4}, column 4", f"row {place + 4:,}", "column 4")


def test_large_files_are_damaged_too(proposal: Proposal) -> None:
    assert len(proposal.stress.results) >= 7
    assert proposal.stress.missed == ()


@pytest.mark.parametrize(
    ("name", "pack"),
    [("a.csv.gz", gzip.compress), ("a.csv.bz2", bz2.compress), ("a.csv.xz", lzma.compress)],
)
def test_packed_files(tmp_path: Path, name: str, pack: Callable[[bytes], bytes]) -> None:
    text = landings(800, {500: "-"})
    (tmp_path / "a.csv").write_text(text)
    (tmp_path / name).write_bytes(pack(text.encode()))
    plain, packed = (sculpt.propose(tmp_path / each).schema for each in ("a.csv", name))
    assert packed == plain.replace("a.csv", name)


def test_a_large_packed_file(large: Path, proposal: Proposal, tmp_path: Path) -> None:
    path = tmp_path / "landings.csv"
    path.write_bytes(gzip.compress(large.read_bytes(), 1))
    found = sculpt.propose(path)
    assert sculpt.validate(sculpt.Schema.parse(found.schema), large).valid
    assert found.frame.tables[0].last == proposal.frame.tables[0].last


def test_standard_input(large: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(large.read_bytes())))
    found = sculpt.propose("-")
    assert found.paths == ("-",)
    assert "Proposed from standard input" in found.schema
    assert sculpt.validate(sculpt.Schema.parse(found.schema), large).valid


def test_many_files(tmp_path: Path) -> None:
    """More files than are read: the others are counted, and strangers among them are named."""
    for number in range(70):
        (tmp_path / f"week-{number:02d}.csv").write_text(
            landings(20 + number, {7: "n/a"} if number == 33 else {})
        )
    for number in (21, 55):
        (tmp_path / f"week-{number:02d}.csv").write_text(
            "Ship,Flag\n" + "Kestrel,NL\nOran,SE\n" * 9
        )
    found = sculpt.propose(tmp_path)
    schema = sculpt.Schema.parse(found.schema)
    strangers = {Path(path).name for group in found.others for path in group}
    assert strangers == {"week-21.csv", "week-55.csv"}
    assert len(found.paths) == 68
    assert all(sculpt.validate(schema, path).valid for path in found.paths)
    assert "68 files" in found.schema


def test_a_file_that_breaks_its_dialect_late(tmp_path: Path) -> None:
    """A quote that never closes, where nothing of the sample shows it."""
    rows = landings(ROWS, {}).splitlines()
    rows[100_001] = 'B1,2024-01-11,"grain,4.5'
    path = tmp_path / "open.csv"
    path.write_text("\n".join(rows) + "\n")
    found = sculpt.propose(path)
    if found.refused:
        assert "quote" in found.refused[0][1]
    else:
        assert sculpt.validate(sculpt.Schema.parse(found.schema), path).valid


# ------------------------------------------------------------- cuts

QUOTED = st.text("ab,;'\" é€", max_size=6)
BROKEN = st.text("ab\né€", max_size=6)
"""Not both in one file: then a cut in a cell may look like one between rows."""
DIALECTS = [
    Dialect(),
    Dialect(col_delim=Delimiter(";"), quote="'"),
    Dialect(col_delim=Delimiter("\t"), encoding="utf-16-le"),
    Dialect(escape="\\"),
]
SMALL = cut._Sizes(1 << 15, 1 << 14, 1 << 11, 1 << 12)


@given(
    rows=st.sampled_from((QUOTED, BROKEN)).flatmap(
        lambda cells: st.lists(st.tuples(cells, cells, cells), min_size=3, max_size=8)
    ),
    dialect=st.sampled_from(DIALECTS),
)
@settings(max_examples=60)
def test_a_copy_has_rows_of_the_file_in_order(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, ...]], dialect: Dialect
) -> None:
    numbered = [(f"{n}", *rows[n % len(rows)], "x" * (n % 50)) for n in range(2_000)]
    text = written(numbered, dialect)
    assert text is not None
    folder = tmp_path_factory.mktemp("cut")
    path = folder / "data.csv"
    path.write_text(text, encoding=dialect.encoding or "utf-8", newline="")
    with mock.patch.multiple(cut, _PLAIN=SMALL, _SLOW=SMALL):
        found = cut.cut_copy(str(path), dialect, str(folder))
    assert found is not None

    def read(source: str) -> tuple[tuple[str, ...], ...]:
        return rows_of(decode(Path(source).read_bytes(), dialect.encoding), dialect)

    places = {row: at for at, row in enumerate(read(str(path)))}
    copied = [places[row] for row in found.rows]
    assert copied == sorted(copied)
    assert copied[: found.head] == list(range(found.head))
    assert copied[len(copied) - found.tail :] == list(range(len(places) - found.tail, len(places)))
    assert read(found.path) == found.rows


def test_a_cut_never_lies_in_a_cell(tmp_path: Path) -> None:
    """Quoted cells hold what looks like rows of the table."""
    fake = "\n".join(["7,8,9"] * 6)
    lines = [f'{n},"{fake}",{n}' if n % 5 == 0 else f"{n},plain,{n}" for n in range(150_000)]
    path = tmp_path / "data.csv"
    path.write_text("a,b,c\n" + "\n".join(lines) + "\n")
    sheet = read_sheet(str(path), str(tmp_path))
    found = [row for row in sheet.rows if row == ("7", "8", "9")]
    schema = sculpt.Schema.parse(sculpt.propose(path).schema)
    assert sculpt.validate(schema, path).valid
    assert len(found) < len(sheet.rows) / 20
