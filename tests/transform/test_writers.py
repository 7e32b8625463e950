"""What all writers share: formats, streams, paths, and disk failures."""

from __future__ import annotations

import errno
import io
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

from sculpt.transform.writers.formats import Format, Names, Writer, format_of, open_writer

BATCH = pa.RecordBatch.from_pydict({"area": ["north", None, "é"], "n": [1, 2, 3]})
NAMES = Names({})
on_linux = pytest.mark.skipif(not Path("/dev/full").exists(), reason="/dev/full is of Linux")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a.csv", Format.CSV),
        ("a.b/C.TSV", Format.TSV),
        ("a.json", Format.JSON),
        ("a.jsonl", Format.JSONL),
        ("a.ndjson", Format.JSONL),
        (Path("a.parquet"), Format.PARQUET),
        ("s3://bucket/a.nt", Format.NTRIPLES),
        ("a.ttl", Format.TURTLE),
        ("a.xml", Format.XML),
        ("a.csv.gz", None),
        ("a.csv/b", None),
        (".csv", None),
        ("", None),
    ],
)
def test_format_of_a_path(path: str | Path, expected: Format | None) -> None:
    assert format_of(path) is expected


def in_memory(file_format: Format) -> bytes:
    stream = io.BytesIO()
    with open_writer(file_format, stream, BATCH.schema, "Obs", NAMES) as writer:
        writer.write(BATCH)
    assert not stream.closed
    return stream.getvalue()


@pytest.mark.parametrize("file_format", Format)
def test_a_path_gets_what_a_stream_gets(file_format: Format, tmp_path: Path) -> None:
    path = tmp_path / "out"
    writer = open_writer(file_format, path, BATCH.schema, "Obs", NAMES)
    writer.write(BATCH)
    writer.close()
    writer.close()
    assert path.read_bytes() == in_memory(file_format)


class Narrow(io.RawIOBase):
    """An unbuffered stream, which takes three bytes at a time, and then perhaps none."""

    def __init__(self, most: int | None = None) -> None:
        self.taken = bytearray()
        self.most = most

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int | None:
        if self.most is not None and len(self.taken) >= self.most:
            return None
        part = bytes(data)[:3]  # type: ignore[call-overload]
        self.taken += part
        return len(part)


TEXT_FORMATS = [each for each in Format if each is not Format.PARQUET]


@pytest.mark.parametrize("file_format", TEXT_FORMATS)
def test_a_stream_may_take_a_part_at_a_time(file_format: Format) -> None:
    stream = Narrow()
    with open_writer(file_format, stream, BATCH.schema, "Obs", NAMES) as writer:  # type: ignore[arg-type]
        writer.write(BATCH)
    assert bytes(stream.taken) == in_memory(file_format)


def test_a_stream_that_takes_nothing_is_an_error() -> None:
    writer = open_writer(Format.CSV, Narrow(6), BATCH.schema, "Obs", NAMES)  # type: ignore[arg-type]
    with pytest.raises(BlockingIOError):
        writer.write(BATCH)


@on_linux
@pytest.mark.parametrize("size", [1, 200_000])
@pytest.mark.parametrize("file_format", Format)
def test_a_full_disk_is_an_os_error(file_format: Format, size: int) -> None:
    # One record stays in the buffer until the end; many reach the disk earlier.
    batch = pa.RecordBatch.from_pydict({"n": list(range(size))})
    with (
        pytest.raises(OSError, match="No space left") as caught,
        open_writer(file_format, "/dev/full", batch.schema, "Obs", NAMES) as writer,
    ):
        writer.write(batch)
    assert caught.value.errno == errno.ENOSPC


def stop_in(writer: Writer) -> None:
    writer.write(BATCH)
    raise ZeroDivisionError


@pytest.mark.parametrize("file_format", Format)
def test_an_exception_lets_go_of_the_file(file_format: Format, tmp_path: Path) -> None:
    writer = open_writer(file_format, tmp_path / "out", BATCH.schema, "Obs", NAMES)
    with pytest.raises(ZeroDivisionError), writer:
        stop_in(writer)
    assert writer._output.stream.closed


@on_linux
@pytest.mark.parametrize("file_format", Format)
def test_an_exception_is_not_hidden_by_a_full_disk(file_format: Format) -> None:
    writer = open_writer(file_format, "/dev/full", BATCH.schema, "Obs", NAMES)
    with pytest.raises(ZeroDivisionError), writer:
        stop_in(writer)


@pytest.mark.parametrize("file_format", [Format.JSON, Format.TURTLE, Format.XML])
def test_an_exception_ends_no_document(file_format: Format) -> None:
    stream = io.BytesIO()
    writer = open_writer(file_format, stream, BATCH.schema, "Obs", NAMES)
    with pytest.raises(ZeroDivisionError), writer:
        stop_in(writer)
    assert not stream.closed
    whole, part = in_memory(file_format), stream.getvalue()
    assert whole.startswith(part)
    assert len(part) < len(whole)


def test_header_is_optional() -> None:
    stream = io.BytesIO()
    with open_writer(Format.TSV, stream, BATCH.schema, "Obs", NAMES, header=False) as writer:
        writer.write(BATCH)
    assert stream.getvalue().decode() == "north\t1\n\t2\né\t3\n"


def test_arrow_is_imported_only_to_write() -> None:
    formats = "annotations delimited formats json_records parquet rdf rendering triples xml_records"
    modules = ["atomic", "iris", *(f"writers.{name}" for name in formats.split())]
    imports = ", ".join(f"sculpt.transform.{name}" for name in modules)
    script = f"import sys, {imports}; sys.exit('pyarrow' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
