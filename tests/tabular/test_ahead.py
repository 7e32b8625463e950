"""Threads that read ahead end with their users."""

from __future__ import annotations

import gzip
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import sculpt
from agreement import BACKENDS
from sculpt.engines import local
from sculpt.engines.options import Options
from sculpt.tabular.inputs import Input


@pytest.fixture(autouse=True)
def nothing_stays() -> Iterator[None]:
    threads, files = threading.active_count(), len(os.listdir("/dev/fd"))
    yield
    assert threading.active_count() == threads
    assert len(os.listdir("/dev/fd")) == files


@pytest.mark.parametrize("rule", ["col(2) -> b", "left(true) -> Any*", "up*(c) -> Any*"])
def test_a_row_that_is_wider_comes_late(rule: str, tmp_path: Path) -> None:
    path = tmp_path / "data.gz"
    path.write_bytes(gzip.compress(b"a,b\n" * 4000 + b"a,b,c\n" + b"a,b\n" * 4000, 1))
    schema = sculpt.Schema.parse(rule + "\n")
    options = Options(chunk=1000, strip=500, backend=BACKENDS["plain"]())
    for _ in range(3):
        assert local.validate(schema.core, str(path), options).columns == 3


def test_a_run_that_fails_in_the_middle(tmp_path: Path) -> None:
    path = tmp_path / "data.gz"
    path.write_bytes(gzip.compress(b"a,b\n" * 400_000, 1)[:-200])
    schema = sculpt.Schema.parse("left(true) -> Any*\n")
    for _ in range(3):
        with pytest.raises(sculpt.DataError, match="the gzip data is broken"):
            local.validate(schema.core, str(path), Options(chunk=5000))


def test_an_input_that_cannot_be_opened(tmp_path: Path) -> None:
    for path in (tmp_path / "none", tmp_path):
        with pytest.raises(sculpt.DataError):
            Input(str(path))


def test_a_pipe_that_gives_nothing_more() -> None:
    begin, end = os.pipe()
    os.write(end, b"a,b\n" * 1000)
    try:
        with Input(f"/dev/fd/{begin}") as source:
            blocks = source.ahead(source.blocks(1000))
            assert next(blocks)[0] == b"a,b\n" * 250
    finally:
        os.close(begin)
        os.close(end)


def test_an_error_reaches_whoever_waits(tmp_path: Path) -> None:
    path = tmp_path / "data"
    path.write_bytes(b"x")

    def items() -> Iterator[int]:
        yield 1
        raise ZeroDivisionError

    with Input(str(path)) as source:
        ahead = source.ahead(items())
        assert next(ahead) == 1
        with pytest.raises(ZeroDivisionError):
            next(ahead)
