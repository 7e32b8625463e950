"""Where windows come from: what every source of a `View` can do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from sculpt.verdict import Verdict
from sculpt.views.model import Place, Window


class WindowSource(Protocol):
    """A table that has been read once, of which any window can be had."""

    @property
    def verdict(self) -> Verdict:
        """The verdict on the table."""

    @property
    def counts(self) -> Mapping[str, int]:
        """By name of a region: how many cells it has."""

    def window(self, row: int, rows: int, column: int, columns: int) -> Window:
        """A window; its place and size are at least 1."""

    def find(self, what: str, after: Place) -> Place | None:
        """The first place after another, in the order of the table, that has something.

        `what` is `VIOLATION`, `UNCHECKED` or the name of a region. A violation that names a row but
        no column is at the last column of the table.
        """

    def close(self) -> None:
        """Let go of files and memory."""
