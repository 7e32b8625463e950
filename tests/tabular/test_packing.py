"""Packed files: each byte of one is read, or is an error."""

from __future__ import annotations

import bz2
import gzip
import lzma
import random
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import sculpt
from sculpt.engines import local
from sculpt.engines.options import Options
from sculpt.tabular.inputs import Input, read_bytes

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zstd": zstd.compress,
}
ROWS = b"".join(b"%d,a\n" % number for number in range(40_000))
PADDED = {"gzip": [1, 3, 512], "xz": [4, 8, 512], "bz2": [], "zstd": []}
"""How many zero bytes may follow a stream."""


@pytest.fixture(params=PACKERS)
def packing(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def read(path: Path, data: bytes) -> bytes:
    path.write_bytes(data)
    whole = read_bytes(str(path))
    with Input(str(path)) as source:
        assert source.window(0, 1 << 30) == whole
        assert b"".join(block for block, _ in source.blocks(1000)) == whole
    return whole


def test_streams_one_after_the_other(packing: str, tmp_path: Path) -> None:
    pack = PACKERS[packing]
    for parts in ([ROWS], [ROWS, b"x"], [b"", b"a\n", ROWS, b"b\n"], [b"a\n"] * 50):
        assert read(tmp_path / "data", b"".join(map(pack, parts))) == b"".join(parts)


def test_padding_that_the_format_allows(packing: str, tmp_path: Path) -> None:
    pack = PACKERS[packing]
    for count in PADDED[packing]:
        zeros = bytes(count)
        assert read(tmp_path / "data", pack(b"a\n") + zeros) == b"a\n"
        if packing == "xz":
            data = pack(b"a\n") + zeros + pack(b"b\n") + zeros
            assert read(tmp_path / "data", data) == b"a\nb\n"


@pytest.mark.parametrize(
    "rest", [b"1,a\n", b"\0", b"BZh", b"PK", b"\xfd7zX", b"\x1f\x8b", b"\0\0\0\0x", b"\xff" * 5000]
)
def test_what_follows_is_an_error(packing: str, rest: bytes, tmp_path: Path) -> None:
    if rest == b"\0" and packing == "gzip":
        pytest.skip("zero bytes may follow")
    path = tmp_path / "data"
    path.write_bytes(PACKERS[packing](ROWS) + rest)
    with pytest.raises(sculpt.DataError, match=f"the {packing} data is broken"):
        read_bytes(str(path))
    schema = sculpt.Schema.parse("col(2) -> a\n")
    for engine in ("local", "reference"):
        with pytest.raises(sculpt.DataError, match=f"the {packing} data is broken"):
            sculpt.validate(schema, path, engine=engine)


def test_a_cut_anywhere_is_an_error(packing: str, tmp_path: Path) -> None:
    rng = random.Random(1)
    path = tmp_path / "data"
    data = PACKERS[packing](ROWS) + PACKERS[packing](b"end\n")
    first = len(PACKERS[packing](ROWS))
    for end in [*rng.sample(range(10, len(data)), 30), first + 1, len(data) - 1]:
        if end != first:
            path.write_bytes(data[:end])
            with pytest.raises(sculpt.DataError, match=f"the {packing} data is broken"):
                read_bytes(str(path))


def test_streams_of_two_kinds_are_an_error(tmp_path: Path) -> None:
    path = tmp_path / "data"
    for packing, pack in PACKERS.items():
        for other, pack_otherwise in PACKERS.items():
            if other != packing:
                path.write_bytes(pack(b"a\n") + pack_otherwise(b"b\n"))
                with pytest.raises(sculpt.DataError, match=f"the {packing} data is broken"):
                    read_bytes(str(path))


def test_the_verdict_on_all_streams(packing: str, tmp_path: Path) -> None:
    path = tmp_path / "data"
    path.write_bytes(PACKERS[packing](b"1,a\n" * 200) + PACKERS[packing](b"1,b\n" * 700))
    schema = sculpt.Schema.parse("col(2) -> a\n")
    for chunk in (7, 1 << 20):
        verdict = local.validate(schema.core, str(path), Options(chunk=chunk))
        assert (verdict.rows, verdict.violation_count) == (900, 700)
