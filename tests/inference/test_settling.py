"""What stands in the way of a proposal: broken readings, other encodings, files without an end."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

import sculpt

NAMES = "Straße;Größe;Betrag\nMüller;groß;1,50\nJäger;klein;2,25\nKönig;süß;3,75\n"


def accepts(found: sculpt.Proposal, *paths: Path) -> None:
    schema = sculpt.Schema.parse(found.schema)
    for path in paths:
        verdict = sculpt.validate(schema, path)
        assert verdict.valid, (found.schema, verdict.violations[:2])


def written(path: Path, text: str, codec: str = "utf-8") -> Path:
    path.write_bytes(text.encode(codec))
    return path


def test_a_quote_after_the_sample_that_is_none(tmp_path: Path) -> None:
    rows = [f"{number};bolt {number % 7};{number % 90}.5" for number in range(60_000)]
    rows[-20_000] = '40000;"bolt" 7;1.5'
    path = written(tmp_path / "bolts.csv", "\n".join(["id;what;width", *rows, ""]))
    found = sculpt.propose(path)
    assert "Quote = none" in found.schema
    assert "60,001 rows" in found.schema
    assert found.refused == ()
    assert "`Quote = none`" in found.reread[0][1]
    accepts(found, path)


def test_quotes_that_other_cells_need_stay(tmp_path: Path) -> None:
    rows = [f'{number},"bolt, size {number % 7}",{number % 90}.5' for number in range(40_000)]
    rows[-12_000] = '28000,"bolt "big" 7",1.5'
    path = written(tmp_path / "bolts.csv", "\n".join(["id,what,width", *rows, ""]))
    found = sculpt.propose(path)
    assert "Stray Quotes = text" in found.schema
    accepts(found, path)


def test_a_dialect_of_all_files_of_a_kind(tmp_path: Path) -> None:
    text = "Pipe,Inches\nlong,12\nshort,4\nthin,3\nthick,9\n"
    paths = [written(tmp_path / f"{name}.csv", text) for name in "abc"]
    paths.append(written(tmp_path / "d.csv", text + '"old" one,5\n'))
    found = sculpt.propose(paths)
    assert found.others == ()
    assert len(found.paths) == 4
    assert "Quote = none" in found.schema
    accepts(found, *paths)


def test_an_encoding_that_shows_after_the_sample(tmp_path: Path) -> None:
    rows = [f"{number};bolt {number % 7}" for number in range(120_000)]
    rows[-31_000] = "89000;Größe 7"
    path = written(tmp_path / "bolts.csv", "\n".join(["id;what", *rows, ""]), "cp1252")
    found = sculpt.propose(path)
    assert found.found
    accepts(found, path)


def test_what_no_dialect_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = NAMES.encode() * 30
    path = tmp_path / "damaged.csv"
    path.write_bytes(data + b"\xff;a;1,5\n")
    found = sculpt.propose(path)
    if found.found:
        accepts(found, path)
    else:
        assert "no likely dialect reads it" in found.refused[0][1]


@pytest.mark.parametrize("codec", ["cp1252", "mac-roman", "utf-16-le"])
def test_another_encoding_is_another_kind(tmp_path: Path, codec: str) -> None:
    own = written(tmp_path / "a.csv", NAMES * 3)
    other = written(tmp_path / "b.csv", NAMES * 2, codec)
    found = sculpt.propose([own, other])
    assert found.paths == (str(own),)
    assert found.others == ((str(other),),)
    assert "Proposed from a.csv" in found.schema
    accepts(found, own)


def test_encodings_that_make_no_difference(tmp_path: Path) -> None:
    plain = written(tmp_path / "a.csv", "Straat;Plaats;Bedrag\nKerk;Delft;1,50\nDorp;Urk;2,5\n")
    marked = written(tmp_path / "b.csv", plain.read_text(), "utf-8-sig")
    special = plain.read_text().replace("Delft", "Curaçao").replace("Urk", "Brömsebro")
    western = written(tmp_path / "c.csv", special, "cp1252")
    assert sculpt.propose([plain, marked]).others == ()
    for order in ([plain, western], [western, plain]):
        found = sculpt.propose(order)
        assert found.others == ()
        assert "Encoding = cp1252" in found.schema
        accepts(found, plain, western)


def test_a_byte_order_mark_tells_the_encoding(tmp_path: Path) -> None:
    plain = written(tmp_path / "a.csv", NAMES)
    wide = written(tmp_path / "b.csv", NAMES, "utf-16")
    found = sculpt.propose([plain, wide])
    assert found.others == ()
    accepts(found, plain, wide)


def test_a_directory_with_a_broken_file(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", NAMES)
    broken = tmp_path / "b.csv.gz"
    broken.write_bytes(gzip.compress(os.urandom(400))[:200])
    found = sculpt.propose(tmp_path)
    assert found.paths == (str(path),)
    assert [name for name, _ in found.refused] == [str(broken)]
    accepts(found, path)
    with pytest.raises(sculpt.DataError):
        sculpt.propose([path, broken])
    path.unlink()
    with pytest.raises(sculpt.DataError):
        sculpt.propose(tmp_path)


def test_a_folder_that_vanishes_while_it_is_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path / "a.csv", NAMES)
    gone = tmp_path / "sub"
    gone.mkdir()
    real = os.scandir

    def scandir(folder: object) -> object:
        if folder == str(gone):
            gone.rmdir()
        return real(folder)  # type: ignore[call-overload]

    monkeypatch.setattr(os, "scandir", scandir)
    assert sculpt.propose(tmp_path).paths == (str(path),)
