"""What checks are asked for, and what they find: values that all engines share.

In: nothing. Out: `Request`, `Found`. A *check* is a statement that rules cannot express: a key, a
reference, a `require`. It is run apart from the rules, and its findings join their verdict
(`joined.py`).

Invariant: what is found is the same for all engines, to the last word. Memory: the first violations
only; all of them can be had one after the other (`Found.listed`).
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from sculpt.errors import UsageError
from sculpt.values import field, frozen
from sculpt.verdict import Heat, Tally, Violation, Warning

DEFAULT_MEMORY = 256_000_000
"""How many bytes entries may take before they go to the temporary directory."""


def _nothing() -> Iterator[Violation]:
    return iter(())


@frozen
class Request:
    """What a run is given besides its schema and its data."""

    tables: Mapping[str, str] = field(default_factory=dict)
    """By the name of a table: a path that replaces its data; a file, a directory or a glob."""
    files: str | None = None
    """The directory below which conditions look for files."""
    skips_files: bool = False
    """Are conditions about files taken as met?"""
    memory: int = DEFAULT_MEMORY

    @property
    def for_spark(self) -> dict[str, Any]:
        """The same, as `sculpt.spark.validate` takes it; Spark has its own limits of memory."""
        given = {"tables": self.tables, "files": self.files}
        return {**given, "skip_files": self.skips_files}


def request_of(
    tables: Mapping[str, str | os.PathLike[str]] | None = None,
    files: str | os.PathLike[str] | None = None,
    memory: str | int = DEFAULT_MEMORY,
    skips_files: bool = False,
) -> Request:
    """What a call asks for; a `UsageError` if it makes no sense."""
    folder = None if files is None else _path(files, "the directory of files")
    if folder is not None and not os.path.isdir(folder):
        raise UsageError(f"{folder}: is not a directory; conditions look for files below one")
    if folder is not None and skips_files:
        raise UsageError("conditions about files are either checked or skipped: choose one")
    return Request(_paths(tables), folder, skips_files, bytes_in(memory))


def _paths(tables: object) -> dict[str, str]:
    """By the name of a table: the path of its data."""
    if tables is None:
        return {}
    if not isinstance(tables, Mapping):
        raise UsageError(
            'tables are given by name, such as `{"Depts": "depts.csv"}`,'
            f" not as {type(tables).__name__}"
        )
    return {name: _path(path, f"the data of the table `{name}`") for name, path in tables.items()}


def _path(path: object, what: str) -> str:
    """The text of a path; `what` it is, for the message."""
    text = os.fspath(path) if isinstance(path, str | os.PathLike) else None
    if not isinstance(text, str):
        raise UsageError(f"{what} is a text or a `pathlib.Path`, not {type(path).__name__}")
    return text


_SIZE = r"([0-9]+(?:\.[0-9]+)?) ?(?:([kmgt])(i?))?b?"
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
LEAST_MEMORY = 1_000_000


def bytes_in(size: str | int) -> int:
    """The number of bytes in a size such as `256MB`, `1GiB` or `500000000`."""
    found = re.fullmatch(_SIZE, str(size).strip(), re.IGNORECASE)
    if found is None:
        raise UsageError(f"`{size}` is not a size; write it as `64MB` or `1GB`")
    power = _POWERS[(found[2] or "").lower()]
    number = int(float(found[1]) * (1024 if found[3] else 1000) ** power)
    if number < LEAST_MEMORY:
        raise UsageError(f"`{size}` of memory is too little; it must be 1MB or more")
    return number


@frozen
class Found:
    """What some checks have found in one file."""

    tallies: tuple[Tally, ...] = ()
    """One for each check, in the order of the schema; what `failed` is counts for the verdict."""
    violations: tuple[Violation, ...] = ()
    """The first errors and the first warnings, in the order of the table."""
    heat: Heat = Heat()
    listed: Callable[[], Iterator[Violation]] = field(default=_nothing, compare=False, repr=False)
    """All of them, in the order of the table."""
    skipped: frozenset[int] = frozenset()
    """The lines of the conditions that were taken as met."""
    warnings: tuple[Warning, ...] = ()
    """What could not be checked."""

    @property
    def count(self) -> int:
        """How many violations are errors."""
        return sum(each.failed for each in self.tallies if each.severity == "error")

    @property
    def warned(self) -> int:
        """How many violations are warnings."""
        return sum(each.failed for each in self.tallies if each.severity == "warning")
