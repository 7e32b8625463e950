"""Selectors that walk up and left: strips, look-ahead and sweeps against the reference."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sculpt
from agreement import ALL, BACKENDS, both, parse, schema_texts
from sculpt.automata.resolver import Strip, StripTraffic
from sculpt.core.facts.decisions import Decisions
from sculpt.core.facts.explain import Held
from sculpt.engines import local
from sculpt.engines.options import Options
from sculpt.engines.walk import strips, sweeps
from strategies import as_csv, tables


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("strips") / "data"


@settings(max_examples=1_000)
@given(schema_texts(ALL), tables, st.integers(1, 60), st.integers(1, 12))
def test_any_schema(file: Path, text: str, table: list[list[str]], chunk: int, strip: int) -> None:
    if schema := parse(text):
        file.write_bytes(as_csv(table))
        ours, theirs = both(schema, file, Options(chunk=chunk, strip=strip))
        assert ours == theirs


@settings(max_examples=300)
@given(schema_texts(ALL), tables, st.integers(1, 12))
def test_explain_is_right_about_the_passes(
    file: Path, text: str, table: list[list[str]], strip: int
) -> None:
    schema = parse(text)
    if schema is None:
        return
    file.write_bytes(as_csv(table))
    stages: set[str] = set()
    options = Options(strip=strip, on_progress=lambda progress: stages.add(progress.stage))
    rows = local.validate(schema.core, str(file), options).rows
    later = sum(stage.startswith("pass ") for stage in stages)
    promised = schema.explanation.passes
    if promised.held is not Held.SPOOL:
        assert later == 0
    elif rows:
        counted = 1 + later
        assert counted >= promised.count if promised.more else counted == promised.count


SCHEMAS = [
    "up{2}(a) -> (n | b)*",
    "left[n](a) -> Any{1,2}\nnot <down> -> (n | Missing)*",
    "not up(not down.right(b)) -> n*",
    "down{2}.up{3}.down(a) => (n | a)*",
    "up*(a) -> (a | n)*\ncol(b) -> n",
    "down*(up+.left(b)) => n*",
    "(up.left | down.right)*(b) -> (b | n)*",
    "up+[not (down | right)*(b)](a) |> n*",
    "not (up[not row(3)] | down.down | left)*(a) -> n*",
    "a and <(up.right)*.[b].(down | left)*> -> Any{2}",
    "left(true) and <(up | down)*.[a]> -> (n | b)*",
]


def disagreements(file: Path, seeds: range, backend: str = "plain") -> int:
    """How many random tables get different answers from the two engines."""
    found = 0
    for seed in seeds:
        source = random.Random(seed)
        width = source.randint(1, 5)
        rows = [
            [source.choice("aabn11") for _ in range(source.randint(1, width))]
            for _ in range(source.randint(2, 12))
        ]
        rules = SCHEMAS[seed % len(SCHEMAS)]
        schema = sculpt.Schema.parse(f"a = a\nb = b\nn = [0-9]+\n{rules}\n")
        file.write_bytes(as_csv(rows))
        options = Options(
            chunk=source.randint(1, 60), strip=source.randint(1, 20), backend=BACKENDS[backend]()
        )
        try:
            ours, theirs = both(schema, file, options)
            found += ours != theirs
        except AssertionError:
            found += 1
    return found


@pytest.mark.parametrize(("backend", "count"), [("plain", 300), ("ahead", 60), ("jit", 60)])
def test_walks_from_strip_to_strip(file: Path, backend: str, count: int) -> None:
    assert disagreements(file, range(count), backend) == 0


def _no_bounce(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweeps.Sweeps, "_turn", lambda self, sweep: iter(()))


def _no_walks_down(monkeypatch: pytest.MonkeyPatch) -> None:
    real = sweeps._NodeTraffic.leave

    def leave(self: Any, at: int, walks: Any, motion: Any) -> None:
        real(self, at, StripTraffic(None, walks.up), motion)

    monkeypatch.setattr(sweeps._NodeTraffic, "leave", leave)


def _less_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    real = Decisions._heights
    monkeypatch.setattr(
        Decisions, "_heights", lambda self: [max(0, rows - 1) for rows in real(self)]
    )


def _no_first_row(monkeypatch: pytest.MonkeyPatch) -> None:
    def strip(letters: Any, rows: int, height: int, width: int, first_row: int) -> Strip:
        return Strip(letters, rows, height, width, 1)

    monkeypatch.setattr(strips, "Strip", strip)


MUTANTS: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "walks that turn are not followed": _no_bounce,
    "walks do not come down from strip to strip": _no_walks_down,
    "a row of look-ahead is missing": _less_ahead,
    "every strip begins with the first row": _no_first_row,
}


@pytest.mark.parametrize("mutant", list(MUTANTS))
def test_a_wrong_exchange_is_caught(
    file: Path, monkeypatch: pytest.MonkeyPatch, mutant: str
) -> None:
    MUTANTS[mutant](monkeypatch)
    assert disagreements(file, range(300)) > 0
