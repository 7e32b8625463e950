"""Encodings with several bytes per character: blocks are decoded a few times, not for each row."""

from __future__ import annotations

from pathlib import Path

import pytest

import sculpt
from sculpt.tabular import decoder

ROWS = 4_000


@pytest.mark.parametrize("encoding", ["utf-16", "shift_jis", "iso2022_jp", "gb18030"])
def test_many_rows_that_are_shown(
    encoding: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "data"
    path.write_bytes("".join(f"{ix},日本,x{ix}\n" for ix in range(ROWS)).encode(encoding))
    decoded = 0
    decode = decoder.Decoder.decode

    def counted(self: decoder.Decoder, data: bytes, final: bool = False) -> str:
        nonlocal decoded
        decoded += len(data)
        return decode(self, data, final)

    monkeypatch.setattr(decoder.Decoder, "decode", counted)
    schema = sculpt.Schema.parse(f"Encoding = {encoding}\ncol(3) -> Integer\n")
    verdict = sculpt.validate(schema, path, engine="local", max_violations=ROWS)
    assert len(verdict.violations) == ROWS
    last = verdict.violations[-1]
    assert (last.row, last.column, last.found) == (ROWS, 3, f"x{ROWS - 1}")
    assert decoded < 6 * path.stat().st_size
