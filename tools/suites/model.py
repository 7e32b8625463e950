"""What a judge of a public suite takes and gives."""

from __future__ import annotations

from pathlib import Path

from sculpt.values import frozen

SHARED = next(
    (
        up / "shared" / "suites"
        for up in Path(__file__).resolve().parents
        if (up / "shared").is_dir()
    ),
    Path("shared"),
)
"""The folder of the suites, which may be absent."""


@frozen
class Case:
    """A test of a suite."""

    suite: str
    name: str
    title: str


@frozen
class Outcome:
    """What became of a test."""

    passed: bool
    reason: str = ""
    places: bool | None = None
