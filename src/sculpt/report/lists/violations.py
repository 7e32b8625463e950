"""All violations as a table in a file: Parquet, CSV or JSON lines, by the name of the file.

In: violations, some at a time, each batch with its file. Out: the file. Invariant: the columns are
those of `docs/machines.md#all-violations` in every format, and on every engine. Memory: a batch.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

from sculpt.errors import UsageError
from sculpt.report.json import printable
from sculpt.verdict import Place, Violation

COLUMNS = MappingProxyType(
    {
        "file": "string",
        "code": "string",
        "rule": "int32",
        "line": "int32",
        "row": "int64",
        "column": "int64",
        "offset": "int64",
        "found": "string",
        "tokens": "strings",
        "expected": "strings",
        "message": "string",
        "hint": "string",
        "severity": "string",
        "first_file": "string",
        "first_row": "int64",
        "first_column": "int64",
        "target_file": "string",
        "target_row": "int64",
        "target_column": "int64",
    }
)
"""The columns of a table of violations, and their types."""
BATCH = 1 << 14


def violation_row(name: str | None, violation: Violation) -> tuple[Any, ...]:
    """A violation as a row of the table."""
    found = violation.found
    return (
        name,
        violation.code,
        violation.rule,
        violation.line,
        violation.row,
        violation.column,
        violation.offset,
        None if found is None else printable(found),
        list(violation.tokens),
        list(violation.expected),
        printable(violation.message),
        None if violation.hint is None else printable(violation.hint),
        violation.severity,
        *_place_columns(violation.first),
        *_place_columns(violation.target),
    )


def _place_columns(place: Place | None) -> tuple[str | int | None, ...]:
    return (None, None, None) if place is None else (printable(place.file), place.row, place.column)


class ViolationWriter(ABC):
    """Writes violations to one file. Use it in a `with`."""

    @abstractmethod
    def __init__(self, to: str) -> None:
        """Open the file."""

    def __enter__(self) -> ViolationWriter:
        return self

    @abstractmethod
    def __exit__(self, *_: object) -> None:
        """Write what is left, and close the file."""

    @abstractmethod
    def write(self, path: str, violations: Sequence[Violation]) -> None:
        """Some violations of a file."""


class _TextWriter(ViolationWriter):
    """Writes a line for each violation."""

    def __init__(self, to: str) -> None:
        # Bytes that cannot be decoded, in the name of a file, become question marks.
        self._file = open(to, "w", encoding="utf-8", errors="replace", newline="")  # noqa: SIM115 (`close`)

    def __exit__(self, *_: object) -> None:
        self._file.close()


class _CsvWriter(_TextWriter):
    def __init__(self, to: str) -> None:
        from sculpt.report.formats.delimited import csv_row, header

        super().__init__(to)
        self._row = csv_row
        self._file.write(f"{header()}\n")

    def write(self, path: str, violations: Sequence[Violation]) -> None:
        self._file.writelines(f"{self._row(path, each)}\n" for each in violations)


class _JsonWriter(_TextWriter):
    def write(self, path: str, violations: Sequence[Violation]) -> None:
        from sculpt.report.formats.documents import json_text
        from sculpt.report.formats.json_lines import violation_line

        lines = (json_text(violation_line(path, each)) for each in violations)
        self._file.writelines(f"{line}\n" for line in lines)


class _ParquetWriter(ViolationWriter):
    def __init__(self, to: str) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        types = {"strings": pa.list_(pa.string())}
        fields = [(n, types.get(kind) or pa.type_for_alias(kind)) for n, kind in COLUMNS.items()]
        self._schema = pa.schema(fields)
        self._writer = pq.ParquetWriter(to, self._schema)
        self._rows: list[tuple[Any, ...]] = []

    def __exit__(self, *_: object) -> None:
        try:
            self._flush()
        finally:
            self._writer.close()

    def write(self, path: str, violations: Sequence[Violation]) -> None:
        name = printable(path)
        self._rows += [violation_row(name, each) for each in violations]
        if len(self._rows) >= BATCH:
            self._flush()

    def _flush(self) -> None:
        import pyarrow as pa

        if self._rows:
            columns = zip(*self._rows, strict=True)
            arrays = [
                pa.array(column, kind)
                for column, kind in zip(columns, self._schema.types, strict=True)
            ]
            self._writer.write_batch(pa.record_batch(arrays, schema=self._schema))
            self._rows = []


_WRITERS: MappingProxyType[str, type[ViolationWriter]] = MappingProxyType(
    {
        ".parquet": _ParquetWriter,
        ".csv": _CsvWriter,
        ".jsonl": _JsonWriter,
        ".ndjson": _JsonWriter,
    }
)


def has_format(path: str) -> bool:
    """Does the name of a file imply how violations are written to it?"""
    return _extension(path) in _WRITERS


def check_format(path: str) -> None:
    """Raise an error if violations cannot be written to a file of this name."""
    if not has_format(path):
        known = ", ".join(f"`{each}`" for each in _WRITERS)
        raise UsageError(
            f"{path}: cannot infer the format from the name; it must end in one of {known}"
            " (only Spark writes a directory)"
        )
    if _extension(path) == ".parquet":
        from sculpt.extras import need

        need("arrow", "Parquet")


def open_violations(path: str, to: str) -> ViolationWriter:
    """A writer to the file `to`, in the format that `path` implies."""
    return _WRITERS[_extension(path)](to)


def _extension(path: str) -> str:
    return os.path.splitext(path)[1].lower()
