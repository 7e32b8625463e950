"""The picture of the README shows the report as it is."""

from __future__ import annotations

import struct

import make_picture


def test_the_picture_shows_the_report() -> None:
    assert make_picture.main(["--check"]) == 0, "look at it, then run tools/make_picture.py"


def test_it_is_a_picture() -> None:
    data = make_picture.PICTURE.read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", data[16:24])
    assert width > 1_000
    assert height > 1_000


def test_the_page_is_the_same_each_time() -> None:
    assert make_picture.report() == make_picture.report()
    changed = make_picture.fingerprint(make_picture.report().replace("Closing", "Opening"))
    assert changed != make_picture.fingerprint(make_picture.report())
