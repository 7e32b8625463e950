"""The tables of `docs/pictures.md`: each text is in its picture, or is not, and has its value."""

from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path

import pytest

from conftest import ROOT
from sculpt.core.acceptor import TextMatcher
from sculpt.core.datatypes.model import Base
from sculpt.core.datatypes.moments import Moment
from sculpt.core.datatypes.pictures.picture import TYPES, picture_of

PAGE = ROOT / "docs" / "pictures.md"
_PICTURE = re.compile(r'`([\w:]+)\("(.*?)"(?:, group "(.)", decimal "(.)")?\)`')
_ACCEPTED = re.compile(r"`([^`]*)` is ([^ ,]+)")


def rows(page: Path) -> list[tuple[str, str, str]]:
    """The pictures, and the texts that are accepted and are not."""
    found = []
    for line in page.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) == 5 and _PICTURE.search(cells[2]):
            picture, accepted, refused = (cell.replace("\\|", "|") for cell in cells[2:])
            found.append((picture, accepted, refused))
    return found


def as_text(value: object, type_name: str) -> str:
    """A value in the XML Schema form, or nearly so, as the page shows it."""
    match value:
        case bool():
            return str(value).lower()
        case Decimal():
            return f"{value.normalize():f}"
        case Moment():
            return _moment(value, type_name.removeprefix("xs:"))
        case _:
            raise AssertionError(value)


def _moment(value: Moment, type_name: str) -> str:
    date = f"{value.year:04}-{value.month:02}-{value.day:02}"
    minutes, seconds = divmod(value.second, 60)
    time = f"{int(minutes) // 60:02}:{int(minutes) % 60:02}:{int(seconds):02}"
    fraction = f"{seconds % 1:f}".rstrip("0").rstrip(".")
    time += fraction.removeprefix("0")
    if value.zone is not None:
        sign = "-" if value.zone < 0 else "+"
        hours, rest = divmod(abs(value.zone), 60)
        time += f"{sign}{hours:02}:{rest:02}" if value.zone else "Z"
    return {
        "Date": date,
        "dateTime": f"{date}T{time}",
        "time": time,
        "gYear": date[:4],
        "gYearMonth": date[:7],
        "gMonth": str(value.month),
        "gDay": str(value.day),
    }[type_name]


ROWS = rows(PAGE)


def test_the_page_has_all_families() -> None:
    types = [match[1] for picture, _, _ in ROWS if (match := _PICTURE.search(picture))]
    assert len(ROWS) > 40
    assert {"Number", "Date", "xs:time", "xs:dateTime", "Boolean"} <= set(types) <= TYPES


@pytest.mark.parametrize(("picture", "accepted", "refused"), ROWS, ids=[row[0] for row in ROWS])
def test_rows(picture: str, accepted: str, refused: str) -> None:
    match = _PICTURE.fullmatch(picture)
    assert match is not None
    found = picture_of(Base(*match.groups()))
    matcher = TextMatcher(found.pattern)
    texts = _ACCEPTED.findall(accepted)
    assert len(texts) == accepted.count("` is ") > 0
    for text, value in texts:
        assert as_text(found.read(text), match[1]) == value
        assert matcher.matches(text)
    near_misses = re.findall(r"`([^`]+)`", refused)
    assert near_misses
    for text in near_misses:
        assert found.read(text) is None
        assert not matcher.matches(text)


def test_every_symbol_is_on_the_page() -> None:
    shown = "".join(picture for picture, _, _ in ROWS)
    for symbol in "0#.,%‰E+;'yMdEHhmsSaXx":
        assert symbol in shown
