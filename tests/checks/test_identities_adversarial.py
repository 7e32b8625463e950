"""Keys and references on data that is made to break them."""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
from test_identities import LONE, compare, judged

from identity_cases import HEAD, compiled, write
from sculpt.checks.identities import LocalIdentities
from sculpt.checks.identities.entries import Hashing
from sculpt.checks.identities.local import Settings
from sculpt.checks.model import Request
from sculpt.checks.plan import plan_of
from sculpt.engines.options import Options
from sculpt.errors import DataError
from sculpt.schema import Schema
from sculpt.tabular import recode

KEY = HEAD + "key(col(a) and not row(1))\n"
WHOLE = Settings(hashing=Hashing(1))
ALIKE = Settings(hashing=LONE)


def options() -> Options:
    return Options(backend=compiled(), threads=2, chunk=1 << 16)


def failed(schema: str, path: str, memory: int, own: Settings) -> int:
    """How many violations the first statement has."""
    parsed = Schema.parse(schema)
    identities = LocalIdentities(plan_of(parsed), Request(memory=memory), options(), own)
    found = judged(identities, parsed, [(0, path)], False)
    assert found is not None
    return sum(each.failed for each in found[0][0].tallies)


@pytest.mark.parametrize("memory", [0, 1 << 16, 1 << 28])
@pytest.mark.parametrize("text", ["x", "a text that is longer than fifteen bytes"])
@pytest.mark.parametrize("own", [WHOLE, ALIKE])
def test_many_duplicates_of_one_key(tmp_path: Path, memory: int, text: str, own: Settings) -> None:
    rows = 20_000 if len(text) > 1 or not memory else 200_000
    path = write(str(tmp_path), "data.csv", "a,b\n" + f"{text},1\n" * rows)
    assert failed(KEY, path, memory, own) == rows - 1


@pytest.mark.parametrize("own", [WHOLE, ALIKE])
def test_long_keys_that_differ_in_one_byte(tmp_path: Path, own: Settings) -> None:
    long = "x" * 1_000_000
    texts = [long + "1", long + "2", "1" + long, long + "1", long]
    path = write(str(tmp_path), "data.csv", "a,b\n" + "".join(f"{each},1\n" for each in texts))
    assert failed(KEY, path, 1 << 20, own) == 1


def test_texts_that_look_alike(tmp_path: Path) -> None:
    cells = [
        "caf\u00e9 au lait, s'il vous pla\u00eet", "cafe\u0301 au lait, s'il vous plai\u0302t",
        "sixteen bytes ok", "sixteen bytes oK", " sixteen bytes ok", "\u00a0sixteen bytes ok",
        "a", " a", "a ", "\u00c5", "\u212b", "A\u030a", "0", "00", "", "-0",
    ]  # fmt: skip
    lines = "".join(f'"{each}",1\n' for each in cells) + "sixteen bytes ok ,1\n  a,1\n"
    path = write(str(tmp_path), "data.csv", "a,b\n" + lines)
    for own in (WHOLE, ALIKE):
        schema = Schema.parse(KEY)
        found = compare(schema, [(0, path)], 1 << 20, options(), own)
        assert found[0].tallies[0].failed == 2


@pytest.mark.parametrize("memory", [0, 1 << 20])
def test_all_hashes_are_equal(tmp_path: Path, memory: int) -> None:
    texts = [f"a long key with the number {number % 3_000:06}" for number in range(4_000)]
    path = write(str(tmp_path), "data.csv", "a,b\n" + "".join(f"{each},1\n" for each in texts))
    assert failed(KEY, path, memory, ALIKE) == 1_000


def test_parts_whose_bytes_run_together(tmp_path: Path) -> None:
    rows = ["ab,c", "a,bc", "abc,", ",abc", "ab,c", "\x01a,b", "a,\x01b", "\x02a,b"]
    path = write(str(tmp_path), "data.csv", "a,b\n" + "".join(f"{each}\n" for each in rows))
    schema = Schema.parse(HEAD + "key(col(a), col(b))\n")
    found = compare(schema, [(0, path)], 1 << 20, options(), WHOLE)
    assert found[0].tallies[0].failed == 1


def test_rows_that_change_their_columns(tmp_path: Path) -> None:
    rows = [f"{'' if number % 3 else 'k'},{number % 7},{number % 5}" for number in range(300)]
    path = write(str(tmp_path), "data.csv", "a,b,c\n" + "".join(f"{each}\n" for each in rows))
    schema = Schema.parse(HEAD + "key((col(a) and k) or (col(b) and right(Empty)), col(c))\n")
    for strip in (7, 1 << 17):
        compare(schema, [(0, path)], 100, options(), Settings(strip=strip, hashing=Hashing(1)))


def test_a_quote_over_many_chunks(tmp_path: Path) -> None:
    rows = [f"{number},1\n" for number in range(9_000)]
    rows[4_000] = '4000,"' + "text\n" * 20_000 + '"\n'
    rows[8_000] = '8000,"' + "never closed\n"
    path = write(str(tmp_path), "data.csv", "a,b\n" + "".join(rows))
    small = Options(backend=compiled(), threads=2, chunk=4_096)
    compare(Schema.parse(KEY), [(0, path)], 1 << 12, small, WHOLE)


def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(str(tmp_path), "data.csv", "a,b\n" + "".join(f"{n},1\n" for n in range(99)))

    class Full:
        def __init__(self, **_: Any) -> None:
            self.closed = False

        def seek(self, at: int) -> None:
            return None

        def write(self, data: object) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

        def close(self) -> None:
            self.closed = True

    opened: list[Full] = []

    def full(**given: Any) -> Full:
        opened.append(Full(**given))
        return opened[-1]

    monkeypatch.setattr(tempfile, "TemporaryFile", full)
    with pytest.raises(DataError, match="is full"):
        failed(KEY, path, 0, WHOLE)
    assert all(each.closed for each in opened)


def test_nothing_stays_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    path = write(str(tmp_path), "data.csv", "a,b\n" + "".join(f"{n},1\n" for n in range(999)))
    assert failed(KEY, path, 1_000, WHOLE) == 0
    assert os.listdir(folder) == []


def test_an_entry_takes_24_bytes_on_disk(tmp_path: Path) -> None:
    path = write(str(tmp_path), "data.csv", "a,b\n" + "".join(f"{n},1\n" for n in range(999)))
    schema = Schema.parse(KEY)
    identities = LocalIdentities(plan_of(schema), Request(memory=1), options(), WHOLE)
    judged(identities, schema, [(0, path)], False)
    assert identities.spilled == 24 * 999


def test_strips_that_end_with_blank_rows(tmp_path: Path) -> None:
    rows = "".join(f"{number % 290}\n\n\n\n" for number in range(300))
    schema = Schema.parse("key(col(A) and exists(down+[Total]))\n")
    for end in ("Total", "Total\n\n\n", ""):
        path = write(str(tmp_path), "data.csv", "A\n" + rows + end)
        for strip in (2, 4, 7, 1 << 17):
            compare(schema, [(0, path)], 100, options(), Settings(strip=strip, hashing=Hashing(1)))


@pytest.mark.parametrize("codec", ["shift_jis", "gb18030", "euc_jp", "utf-16-le", "utf-7"])
def test_cells_that_cannot_be_decoded(
    tmp_path: Path, codec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recode, "_STEP", 64)  # strips begin and end within blocks
    sure = "\u65e5\u672c".encode(codec)
    bad = [b"+2AA-", b"+2AE-"] if codec == "utf-7" else [b"\x00\xd8", b"\x01\xd8"]
    if not codec.startswith("utf"):
        bad = [b"\xff", b"\x80", b"\x81\x01", b"\x82\x01"]
    ends = [text.encode(codec) for text in (",1\n", ",2\n")]
    rows = [
        sure + bad[number % len(bad)] + str(number % 7).encode(codec) + ends[number % 3 > 1]
        for number in range(120)
    ]
    path = write(str(tmp_path), "data.csv", "a,b\n".encode(codec) + b"".join(rows))
    schema = Schema.parse(f"Encoding = {codec}\nkey(col(a))\nkey(col(a), col(b) as Number)\n")
    for strip in (7, 1 << 17):
        own = Settings(strip=strip, hashing=Hashing(1))
        found = compare(schema, [(0, path)], 100, options(), own)
        assert found[0].tallies[0].failed == 120 - 7 * len(bad)
