"""What a few sisters share by chance is not asked of others; what has a place is."""

from __future__ import annotations

from pathlib import Path

import sculpt

REMARKS = ("Trace", "closed", "no sample", "0.2*")


def survey(folder: Path, number: int, remark: str, titled: bool) -> Path:
    """A file whose lines above the table vary, and whose numbers have remarks among them."""
    lines = [f"Pier {'ABCDE'[number]}, measured by {'hand' if number % 2 else 'a float'}", ""]
    lines += [f"Written by clerk {'KLMNO'[number]} of the office"] * (number % 3)
    lines += ["Water levels", ""] if titled else []
    lines += [f"A note about tide and wind on day {number * 7}", "Another one"] * (number % 2)
    lines += ["", f",, Level {'at noon' if number % 2 else 'at dawn'} (in.),Depth {number}"]
    days = [f",2024-0{number + 1}-{day:02}T00:00:00" for day in range(1, 20)]
    lines += [f"{day},{ix / 8},{ix * 3}" for ix, day in enumerate(days)]
    lines[-3] = f"{days[-3]},{remark},7"
    path = folder / f"pier{number}.csv"
    rows = [line if line.startswith(",") else f',"{line}",,' for line in lines]
    path.write_text("\n".join(rows) + "\n")
    return path


def test_a_text_without_a_place_and_other_remarks(tmp_path: Path) -> None:
    known = [survey(tmp_path, number, REMARKS[0], True) for number in range(4)]
    found = sculpt.propose(known)
    schema = sculpt.Schema.parse(found.schema)
    assert schema.lint == ()
    for remark in REMARKS:
        for titled in (True, False):
            other = survey(tmp_path, 4, remark, titled)
            verdict = sculpt.validate(schema, other)
            assert verdict.valid, (found.schema, remark, titled, verdict.violations[:2])
    stranger = tmp_path / "stranger.csv"
    stranger.write_text("ship,flag\nKestrel,NL\nLindgren,SE\n")
    assert not sculpt.validate(schema, stranger).valid


def test_texts_beside_a_table_stay(tmp_path: Path) -> None:
    paths = []
    for number in (14, 15, 16):
        text = (
            f"Landings of week {number}\n\nBerth,Tonnes\nA{number},12\nB2,7\nC3,{number}\n\nEnd\n"
        )
        path = tmp_path / f"week{number}.csv"
        path.write_text(text)
        paths.append(path)
    schema = sculpt.propose(paths).schema
    assert "End" in schema
    assert "Berth" in schema
