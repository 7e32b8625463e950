"""Aggregates against a plain computation with fractions, for any cuts and any merge order."""

from __future__ import annotations

import math
import random
import re
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import sculpt
from agreement import BACKENDS
from sculpt.engines.options import Options
from sculpt.policy import Policy
from sculpt.transform.evaluation.tallies import MAX_BAD, Tally, number_of, tallies
from sculpt.transform.local import TableRun

FUNCTIONS = ("Count", "Sum", "Average", "Min", "Max", "Median")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE]([+-]?[0-9]+))?")

Cell = str | None
"""The text of a cell; `None` if it is padded."""

digits = st.text("0123456789", min_size=1, max_size=24)
numbers = st.builds(
    "{}{}{}".format,
    st.sampled_from(["", "-", "+"]),
    st.one_of(
        digits,
        st.builds("{}.{}".format, digits, digits),
        digits.map(lambda text: "." + text),
        digits.map(lambda text: text + "."),
    ),
    st.one_of(st.just(""), st.just(""), st.integers(-40, 40).map("e{}".format), st.just("E+1000")),
)
cells: st.SearchStrategy[Cell] = st.one_of(
    numbers,
    numbers,
    st.integers(-999, 999).map(str),
    st.sampled_from(["", "0.1", "-0", "0.00", "1" * 18, "9" * 19, "1e-1000", "0." + "0" * 22]),
    st.none(),
)
bad_texts = st.one_of(
    st.text(min_size=1, max_size=6),
    st.sampled_from(["x", " 1", "1 ", "1e1001", "1e-1001", "NaN", "INF", "0x1", "1,5", "--1", "."]),
)


def is_number(text: str) -> bool:
    found = _NUMBER.fullmatch(text)
    return found is not None and abs(Decimal(found[1] or 0)) <= 1000


def plain(table: list[Cell], function: str) -> tuple[Fraction, int] | int | None:
    """An aggregate by its definition: the number, and how many decimals it has."""
    said = [text for text in table if text is not None]
    if function == "Count":
        return len(said)
    exact = [Fraction(Decimal(text)) for text in said if is_number(text)]
    places = max((-int(Decimal(t).as_tuple().exponent) for t in said if is_number(t)), default=0)
    places = max(0, places)
    if function == "Sum":
        return sum(exact, Fraction(0)), places
    if not exact:
        return None
    exact.sort()
    middle = (exact[(len(exact) - 1) // 2] + exact[len(exact) // 2]) / 2
    value = {
        "Average": sum(exact, Fraction(0)) / len(exact),
        "Min": exact[0],
        "Max": exact[-1],
        "Median": middle,
    }[function]
    size = Fraction(math.floor(abs(value) * 10**places + Fraction(1, 2)), 10**places)
    return (size if value >= 0 else -size), places


def check(tally: Tally, table: list[Cell]) -> None:
    for function in FUNCTIONS:
        found = tally.result(function)
        expected = plain(table, function)
        if isinstance(found, Decimal):
            exponent = found.as_tuple().exponent
            assert isinstance(exponent, int)
            assert (Fraction(found), -exponent) == expected, function
        else:
            assert found == expected, function
    bad = [
        (place, text)
        for place, text in enumerate(table)
        if text is not None and text and not is_number(text)
    ]
    assert tally.bad_count == len(bad)
    assert sorted(tally.bad) == bad


def tallied(
    table: list[Cell], places: list[int], groups: list[int], count: int, backend: str
) -> list[Tally]:
    texts = pa.array([table[place] for place in places], pa.string())
    at, of_group = np.array(places, dtype=np.int64), np.array(groups, dtype=np.int64)
    return tallies(texts, at, of_group, count, True, BACKENDS[backend]())


@pytest.mark.parametrize("backend", BACKENDS)
@given(st.lists(st.one_of(cells, cells, cells, bad_texts), max_size=12), st.integers(0, 1 << 20))
@settings(max_examples=120)
@example(["0." + "0" * 19 + "1", "5"], 0)
@example(["1e" + "0" * 5000 + "1", "1" * 5000], 0)
@example(["9" * 18, "0.000000000000000001", "-" + "9" * 18], 0)
@example(["", None, ""], 0)
def test_any_cut_and_any_order_of_merging(backend: str, table: list[Cell], seed: int) -> None:
    source = random.Random(seed)
    edges = sorted(source.randrange(len(table) + 1) for _ in range(source.randrange(5)))
    parts = [
        tallied(table, list(range(begin, end)), [0] * (end - begin), 1, backend)[0]
        for begin, end in zip([0, *edges], [*edges, len(table)], strict=True)
    ]
    while len(parts) > 1:
        one = parts.pop(source.randrange(len(parts)))
        parts[source.randrange(len(parts))].merge(one)
    check(parts[0], table)


@pytest.mark.parametrize("backend", BACKENDS)
@given(st.lists(st.tuples(cells, st.integers(0, 3)), max_size=16))
@settings(max_examples=80)
def test_groups_do_not_mix(backend: str, rows: list[tuple[Cell, int]]) -> None:
    table, groups = [text for text, _ in rows], [group for _, group in rows]
    found = tallied(table, list(range(len(table))), groups, 4, backend)
    for group in range(4):
        check(found[group], [text for text, its_group in rows if its_group == group])


@given(st.one_of(cells, bad_texts))
@settings(max_examples=200)
def test_numbers_of_texts(text: Cell) -> None:
    found = number_of(text or "")
    assert (found is not None) == is_number(text or "")
    if found is not None:
        assert Fraction(found[0], 10 ** found[1]) == Fraction(Decimal(text or ""))


@pytest.mark.parametrize("backend", BACKENDS)
def test_nothing_is_rounded(backend: str) -> None:
    (tally,) = tallied(["0.1"] * 1000, list(range(1000)), [0] * 1000, 1, backend)
    assert str(tally.result("Sum")) == "100.0"
    assert str(tally.result("Average")) == "0.1"
    texts: list[Cell] = ["1e1000", "1e-1000", "-1e1000"]
    (tally,) = tallied(texts, [0, 1, 2], [0, 0, 0], 1, backend)
    assert tally.result("Sum") == Decimal("1e-1000")
    (tally,) = tallied(["9" * 5000, "1"], [0, 1], [0, 0], 1, backend)
    assert tally.result("Sum") == Decimal("1" + "0" * 5000)


def test_halves_go_away_from_zero_and_places_are_those_written() -> None:
    for texts, average, median in [
        (["1", "2"], "2", "2"),
        (["-1", "-2"], "-2", "-2"),
        (["1.0", "2"], "1.5", "1.5"),
        (["0.10", "0.2", "0.3"], "0.20", "0.20"),
        (["1e2", "1"], "51", "51"),
        (["1e-3", "0"], "0.001", "0.001"),
        (["1", "1", "5"], "2", "1"),
        (["3", "1", "2", "10"], "4", "3"),
    ]:
        listed: list[Cell] = list(texts)
        (tally,) = tallied(listed, list(range(len(texts))), [0] * len(texts), 1, "plain")
        assert (str(tally.result("Average")), str(tally.result("Median"))) == (average, median)


def test_bad_texts_are_counted_and_the_first_are_kept() -> None:
    many: list[Cell] = ["x"] * (MAX_BAD + 500)
    half = len(many) // 2
    first, second = (
        tallied(many, list(range(begin, begin + half)), [0] * half, 1, "plain")[0]
        for begin in (0, half)
    )
    first.merge(second)
    assert first.bad_count == len(many)
    assert first.bad == [(place, "x") for place in range(MAX_BAD)]


def printed(schema: sculpt.Schema, path: Path, engine: str, strip: int, backend: str) -> list[str]:
    options = Options(backend=BACKENDS[backend](), threads=2)
    run = TableRun(schema, str(path), Policy.REFUSE, engine, options, strip)
    lines: list[str] = []
    assert run.program.streams
    for _, batch in run.batches(run.validate(), frozenset(range(len(run.program.streams)))):
        lines += batch.column(0).to_pylist()
    assert run.findings.count == 0
    return lines


@pytest.mark.parametrize(
    ("engine", "strip", "backend"),
    [
        ("reference", 1, "plain"),
        ("local", 1 << 19, "ahead"),
        ("local", 1 << 19, "jit"),
        ("local", 7, "plain"),
    ],
)
def test_aggregates_of_a_long_column(tmp_path: Path, engine: str, strip: int, backend: str) -> None:
    path = tmp_path / "long.csv"
    rows = [f"0.1,{n % 7},{'' if n % 2 else n}\n" for n in range(1000)]
    path.write_text("".join(rows), encoding="utf-8")
    values = ' + " " + '.join(f"{function}(c)" for function in FUNCTIONS)
    schema = sculpt.Schema.parse(f"For each column c in true {{ print {values} }}\n")
    assert printed(schema, path, engine, strip, backend) == [
        "1000 100 0.1 0.1 0.1 0.1",
        "1000 2997 3 0 6 3",
        "1000 249500 499 0 998 499",
    ]
    regions = values.replace("(c)", "(col(2))")
    whole = sculpt.Schema.parse(f"print {regions}\n")
    assert printed(whole, path, engine, strip, backend) == ["1000 2997 3 0 6 3"]
