"""What several test modules share: the corpus, and the shared material where it is present."""

from __future__ import annotations

import contextlib
import io
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from sculpt.cli import main

ROOT = Path(__file__).parent.parent
SHARED = ROOT.parent / "shared"

settings.register_profile(
    "sculpt", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("sculpt")


@dataclass(frozen=True)
class Case:
    """One case of `tests/corpus`."""

    file: str
    facts: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.file}:{self.facts['name']}"

    @property
    def schema(self) -> str:
        return str(self.facts["schema"])

    @property
    def data(self) -> bytes:
        if "data_hex" in self.facts:
            return bytes.fromhex(self.facts["data_hex"])
        return str(self.facts.get("data", "")).encode()

    @property
    def settings(self) -> list[str]:
        return [f"{name}={value}" for name, value in self.facts.get("set", {}).items()]


def corpus() -> list[Case]:
    """Every case of the corpus."""
    cases = []
    for path in sorted((Path(__file__).parent / "corpus").glob("*.toml")):
        with path.open("rb") as file:
            cases += [Case(path.stem, facts) for facts in tomllib.load(file)["case"]]
    return cases


@pytest.fixture
def shared() -> Path:
    """The shared material: figures, use cases, real data; absent in most checkouts."""
    if not SHARED.is_dir():
        pytest.skip("the shared material is not here")
    return SHARED


@dataclass(frozen=True)
class Outcome:
    """What a command printed, on both streams in the order of writing, and its exit status."""

    status: int
    output: str
    errors: str


def run_command(arguments: list[str], stdin: bytes = b"") -> Outcome:
    """`sculpt` with these arguments, in this process."""
    out, err = io.StringIO(), io.StringIO()
    old = sys.argv, sys.stdin
    sys.argv = ["sculpt", *arguments]
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8")
    status = 0
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main()
    except SystemExit as stop:
        status = stop.code if isinstance(stop.code, int) else 0 if stop.code is None else 1
    finally:
        sys.argv, sys.stdin = old
    return Outcome(status, out.getvalue() + err.getvalue(), err.getvalue())
