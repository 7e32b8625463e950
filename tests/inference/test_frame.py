"""Frames: the labels of lines, the tables they make, and shapes that nobody expects."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from made_frames import make
from sculpt.inference.frame import find_frame
from sculpt.inference.frame.facts import facts_of, number_of
from sculpt.inference.frame.labelling import best_labels
from sculpt.inference.frame.model import LABELS, Frame
from sculpt.inference.frame.scoring import ORDER, Weights
from sculpt.inference.frame.search import odd_rows, rows_to_read
from sculpt.inference.frame.sums import Sums, find_sums
from sculpt.inference.frame.weights import WEIGHTS

FLOORS = {"saus": 0.90, "govuk": 0.88}


def labels(frame: Frame) -> list[str]:
    return [line.label for line in frame.lines]


def check(frame: Frame, rows: list[list[str]]) -> None:
    """What is true of the frame of any rows."""
    assert [line.row for line in frame.lines] == list(range(1, len(rows) + 1))
    assert frame.width == max(map(len, rows), default=0)
    assert 0 <= frame.confidence <= 1
    seen: set[int] = set()
    for line, row in zip(frame.lines, rows, strict=True):
        assert (line.label == "empty") == (not any(row))
        assert 0 <= line.confidence <= 1
        assert line.alternative != line.label
    for table in frame.tables:
        for label, numbers in (
            ("header", table.headers),
            ("data", table.data),
            ("group", table.groups),
            ("derived", table.derived),
        ):
            assert all(frame.lines[number - 1].label == label for number in numbers)
            assert not seen & set(numbers)
            seen |= set(numbers)
        assert table.data or table.derived
        assert max(table.headers, default=0) < table.first <= table.last
        assert [column.number for column in table.columns] == list(range(1, len(table.columns) + 1))
        for column in table.columns:
            assert bool(column.heading) or column.heading_row is None
            if column.heading_row is not None:
                cell = rows[column.heading_row - 1][column.number - 1]
                assert column.heading[-1] == cell or column.heading_row in table.headers
    kept = {line.row for line in frame.lines if line.label in ("data", "derived")}
    assert kept <= seen


def test_a_verbose_table_is_framed() -> None:
    rows = [
        ["Table 1. People in towns, by sex", "", "", "", ""],
        [],
        ["Town", "Count", "", "Area", ""],
        ["", "Men", "Women", "km2", "%"],
        ["Northern towns"],
        ["Ayr", "12", "31", "4.5", "5.1"],
        ["Bute", "13", "35", "6.1", "5.9"],
        ["Total", "25", "66", "10.6", "11.0"],
        [],
        ["Source: Office of Towns."],
    ]
    frame = find_frame(rows)
    check(frame, rows)
    assert labels(frame) == [
        *("metadata", "empty", "header", "header", "group"),
        *("data", "data", "derived", "empty", "notes"),
    ]
    (table,) = frame.tables
    assert (table.headers, table.first, table.last) == ((3, 4), 5, 8)
    assert (table.groups, table.data, table.derived) == ((5,), (6, 7), (8,))
    assert [column.heading for column in table.columns] == [
        *(("Town",), ("Count", "Men"), ("Count", "Women"), ("Area", "km2"), ("Area", "%")),
    ]
    assert [column.heading_row for column in table.columns] == [3, 4, 4, 4, 4]
    assert [column.is_label for column in table.columns] == [True, False, False, False, False]
    assert table.columns[1].kinds == {"integer": 2}
    assert table.columns[3].kinds == {"decimal": 2}


def test_a_plain_table_has_a_header_and_data() -> None:
    rows = [["id", "name", "born"], ["1", "Ann", "1990-01-02"], ["2", "Bob", "1991-03-04"]]
    rows += [[str(ix), f"name{ix}", f"19{ix}-05-06"] for ix in range(10, 60)]
    frame = find_frame(rows)
    assert labels(frame) == ["header", *["data"] * 52]
    assert [column.heading for column in frame.tables[0].columns] == [("id",), ("name",), ("born",)]


def test_numbers_alone_are_data() -> None:
    choice = random.Random(1)
    rows = [[f"{choice.random():.3f}" for _ in range(5)] for _ in range(40)]
    frame = find_frame(rows)
    assert set(labels(frame)) == {"data"}
    assert frame.tables[0].headers == ()


def test_prose_has_no_table() -> None:
    rows = [[f"This is sentence {ix} of a letter that somebody wrote long ago."] for ix in range(9)]
    assert find_frame(rows).tables == ()


def test_generated_files_are_framed() -> None:
    """Nearly all of them exactly; in the others most lines are right."""
    exact = right = lines = 0
    for seed in range(150):
        made = make(seed)
        frame = find_frame(made.rows)
        check(frame, made.rows)
        hits = sum(a == b for a, b in zip(labels(frame), made.labels, strict=True))
        lines += len(made.labels)
        right += hits
        if hits == len(made.labels):
            exact += 1
            assert len(frame.tables) == made.tables
            assert [table.headers for table in frame.tables] == made.headers
    assert right >= 0.98 * lines
    assert exact >= 0.85 * 150


CELLS = st.one_of(
    st.sampled_from(["", "", "Total", "1", "2.5", "1990", "-", "n/a", "Source: x", "12%", "name"]),
    st.text(max_size=8).map(str.strip),
)


@given(st.lists(st.lists(CELLS, max_size=6), max_size=30))
def test_any_rows_have_a_frame(rows: list[list[str]]) -> None:
    check(find_frame(rows), rows)


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [[]],
        [[""]],
        [["a"]],
        [["1"]],
        [["a", "b"]],
        [["a"]] * 50,
        [["1"]] * 50,
        [[str(ix) for ix in range(10_000)]],
        [[f"h{ix}" for ix in range(10_000)], ["1"] * 10_000],
        [[""] * 9_999 + ["x"], ["", "1"]],
        [["", ""], ["", "1"], ["1"]],
        [["x" * 1_000_000, "@" * 100_000]] * 2,
        [["total " * 30_000]],
    ],
)
def test_shapes_nobody_expects(rows: list[list[str]]) -> None:
    check(find_frame(rows), rows)


def test_of_a_long_file_little_is_read() -> None:
    rows = [["name", "count"], *[[f"n{ix}", str(ix)] for ix in range(50_000)]]
    rows[20_000] = ["A heading in the middle", ""]
    rows[30_000] = ["Total", "123"]
    read = rows_to_read(rows, odd_rows(rows))
    assert len(read) < 1_000
    assert read == sorted(set(read))
    assert {0, 20_000, 30_000, 50_000} <= set(read)
    frame = find_frame(rows)
    check(frame, rows)
    assert labels(frame)[0] == "header"
    assert labels(frame).count("data") > 49_990


def test_groups_of_a_long_file_are_found_though_most_are_not_read() -> None:
    rows = [["town", "men", "women"]]
    for ix in range(900):
        rows += [[f"Region {ix}", "", ""], [f"a{ix}", "12", "13"], [f"b{ix}", "3", "7"]]
    frame = find_frame(rows)
    check(frame, rows)
    assert labels(frame).count("group") == 900
    assert labels(frame).count("data") == 1800


def test_sums_are_found_on_either_side() -> None:
    lines = [{1: 60.0, 2: 600.0}, {1: 10.0, 2: 100.0}, {1: 20.0, 2: 200.0}, {1: 30.0, 2: 300.0}]
    assert find_sums(lines)[0] == Sums(above=0, below=2, totals=0)
    assert find_sums(lines[1:] + lines[:1])[3] == Sums(above=2, below=0, totals=0)


def test_sums_may_be_rounded_but_not_wrong() -> None:
    lines = [{1: 33.3, 2: 10.1}, {1: 33.3, 2: 20.1}, {1: 33.3, 2: 30.1}]
    assert find_sums([*lines, {1: 100.0, 2: 60.2}])[3].above == 2
    assert find_sums([*lines, {1: 112.0, 2: 70.0}])[3].above == 0


def test_a_total_that_is_nearly_right_is_noted() -> None:
    choice = random.Random(5)
    lines = [[choice.randint(1000, 9000) for _ in range(5)] for _ in range(6)]
    sums = [sum(column) for column in zip(*lines, strict=True)]
    rows = [["Town", "Men", "Women", "Girls", "Boys", "Dogs"]]
    rows += [[f"Town {ix}", *map(str, line)] for ix, line in enumerate(lines)]
    assert find_frame([*rows, ["Total", *map(str, sums)]]).notes == ()
    sums[2] += 100
    assert find_frame([*rows, ["Total", *map(str, sums)]]).notes == (
        f"row 8, column 4: the total is {sums[2]}, but its rows add up to {sums[2] - 100}",
    )


def test_a_sum_of_totals_is_found() -> None:
    parts = [[{1: 110.0 * ix, 2: 70.0 * ix}, {1: 41.0, 2: 52.0 * ix}] for ix in range(1, 4)]
    lines = []
    for part in parts:
        total = {column: sum(one[column] for one in part) for column in (1, 2)}
        lines += [*part, total]
    grand = {column: sum(line[column] for line in lines[2::3]) for column in (1, 2)}
    assert find_sums([*lines, grand])[-1].totals == 2


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1,234", 1234.0),
        ("(12)", -12.0),
        ("-3.5%", -3.5),
        ("$ 1,234.50", 1234.5),
        ("1.234,5", 1234.5),
        ("3,5", 3.5),
        ("\u22127", -7.0),
        ("1e3", 1000.0),
        ("2010/11", 201011.0),
        ("€", None),
    ],
)
def test_numbers_are_read(text: str, number: float | None) -> None:
    assert number_of(text) == number


def test_facts_far_to_the_right_are_seen() -> None:
    facts = facts_of(3, [""] * 500 + ["note"])
    assert facts is not None
    assert (facts.row, facts.lead, facts.count) == (3, "note", 1)


def test_the_best_labelling_is_that_of_a_search_of_all() -> None:
    """Viterbi's path against every labelling, with weights made at random."""
    from itertools import product

    choice = random.Random(7)
    for _ in range(20):
        names = [f"f{ix}" for ix in range(4)]
        weights = Weights(
            {name: tuple(choice.randint(-9, 9) for _ in ORDER) for name in names},
            {"gap": {label: tuple(choice.randint(-9, 9) for _ in ORDER) for label in ORDER}},
            tuple(choice.randint(-9, 9) for _ in ORDER),
        )
        features = [choice.sample(names, 2) for _ in range(4)]

        def total(path: tuple[int, ...], own: Weights = weights) -> int:
            score = own.starts[path[0]]
            for ix, label in enumerate(path):
                score += sum(own.lines[name][label] for name in features[ix])  # noqa: B023
                if ix:
                    score += own.steps["gap"][ORDER[path[ix - 1]]][label]
            return score

        paths = sorted(product(range(len(ORDER)), repeat=4), key=total)
        found = best_labels(features, ["gap"] * 3, weights)
        chosen = tuple(ORDER.index(line.label) for line in found.lines)
        assert total(chosen) == total(paths[-1])


def test_weights_name_features_that_exist() -> None:
    from sculpt.inference.frame.features import features_of
    from sculpt.inference.frame.surroundings import look_around

    met: set[str] = set()
    for seed in range(40):
        rows = make(seed).rows
        lines = [facts for ix, row in enumerate(rows) if (facts := facts_of(ix + 1, row))]
        for names in features_of(lines, look_around(lines)):
            met |= set(names)
    groups = {name.rpartition("=")[0] for name in WEIGHTS.lines}
    assert len(met & WEIGHTS.lines.keys()) > 60
    assert {name.rpartition("=")[0] for name in met} & groups
    assert set(ORDER) | {"empty"} == set(LABELS)


@pytest.mark.parametrize("name", sorted(FLOORS))
def test_real_files_are_labelled(name: str, shared: Path) -> None:
    sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
    try:
        from infer_frames import FILES, read_files, score
    finally:
        sys.path.pop(0)
    if not FILES.is_dir():
        pytest.skip("the labelled lines are not here")
    figures = score(file for file in read_files() if file.name.startswith(name))
    assert figures["macro"] >= FLOORS[name]
