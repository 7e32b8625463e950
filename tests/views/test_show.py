"""`sculpt show`: golden texts, and what holds for every picture.

`SCULPT_GOLDEN=write` renews the golden texts; read the difference before it is committed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

import pytest
from executed_docs import Outcome, run_command
from hypothesis import given, settings
from hypothesis import strategies as st

import sculpt
from conftest import ROOT
from sculpt.report.styled import width
from sculpt.views.terminal.frame import Frame
from sculpt.views.terminal.key import MANY_COLOURS, NO_COLOURS
from sculpt.views.terminal.show import show_lines

GOLDEN = Path(__file__).parent / "golden"
CROSSTAB = ["crosstab.sculpt", "crosstab.csv"]

LONG_SCHEMA = """\
n = [0-9]+
x = x[0-9]+
% The headings. There are three.
row(1) -> a, b, c
% Every number is a number.
col(b) and not row(1) -> n
unique(x3)
down+(a) => n{3}, Text*
row(200) |> n
"""
HOSTILE = (
    b"name,value,\xc3\xa9tat\n"
    b'\x1b[31mred\x1b[0m,a\tb,"two\nlines"\n'
    + "abc\u202edef,漢字かな,\u2066x\u2069\n".encode()
    + b"nul\x00here,\xff\xfe,\xc2\xb7\n"
    + f"z{chr(0x301) * 20},</script><img src=x onerror=alert(1)>,{'x' * 300}\n".encode()
    + "שלום,👨\u200d👩\u200d👧 family,🇩🇪\n".encode()
    + b"short\n"
)


def long_table() -> str:
    lines = ["a,b,c", *(f"{row},{row * 2},x{row}" for row in range(1, 200))]
    lines[57], lines[120], lines[150] = "57,oops,x57", "120", "150,1,x3,3"
    return "\n".join(lines) + "\n"


FILES: Mapping[str, str | bytes] = {
    "crosstab.sculpt": (ROOT / "examples/crosstab/schema.sculpt").read_bytes(),
    "crosstab.csv": (ROOT / "examples/crosstab/broken.csv").read_bytes(),
    "long.sculpt": LONG_SCHEMA,
    "long.csv": long_table(),
    "hostile.sculpt": "word = [a-z]+\nrow(1) -> Text*\ncol(1) => Text*\ncol(2) -> word\n",
    "hostile.csv": HOSTILE,
    "blanks.csv": " a ,b,\n\t,  ,c\n",
    "wide.csv": "国,都市の名前と県の名前,人口\n日本,東京都と神奈川県と埼玉県,13960000\n"
    "France,Paris,2103\n",
    "empty.csv": "",
    "broad.sculpt": "n = [0-9]{1,4}\nrow(1) -> n*\n",
    "broad.csv": ",".join(map(str, range(50_000))) + "\n",
    "none.sculpt": "% nothing yet\nn = [0-9]+\n",
    "many.sculpt": "n = [0-9]+\n"
    + "".join(
        "col(b) -> n*\n" if number in (500, 700) else f"col({number % 3 + 1}) -> Text*\n"
        for number in range(1, 1001)
    ),
}
CASES: Mapping[str, tuple[list[str], int]] = {
    "crosstab-80": (CROSSTAB, 80),
    "crosstab-200": (CROSSTAB, 200),
    "crosstab-40": (CROSSTAB, 40),
    "crosstab-colour": ([*CROSSTAB, "--color", "always"], 100),
    "only": ([*CROSSTAB, "--only", "rule:6", "--only", "type:Labels"], 80),
    "plain": (["crosstab.csv"], 80),
    "plain-selector": (["crosstab.csv", "row(3)", "col(All) or col(7)"], 80),
    "long": (["long.sculpt", "long.csv"], 80),
    "long-colour": (["long.sculpt", "long.csv", "--color", "always"], 80),
    "long-unchecked": (["long.sculpt", "long.csv", "--unchecked"], 80),
    "long-around": (["long.sculpt", "long.csv", "--around", "121,B"], 80),
    "long-rows": (["long.sculpt", "long.csv", "--rows", "198-", "--columns", "B-C"], 80),
    "long-selector": (["long.sculpt", "long.csv", "x150"], 80),
    "hostile": (["hostile.sculpt", "hostile.csv"], 80),
    "hostile-200": (["hostile.sculpt", "hostile.csv"], 200),
    "hostile-colour": (["hostile.sculpt", "hostile.csv", "--color", "always"], 80),
    "blanks": (["blanks.csv", "--set", "Trim=none"], 80),
    "semicolons": (["wide.csv", "--set", "Col Delim=;"], 80),
    "wide-characters": (["wide.csv", "row(1)"], 80),
    "wide-characters-40": (["wide.csv", "row(1)"], 40),
    "empty": (["empty.csv"], 80),
    "empty-schema": (["broad.sculpt", "empty.csv"], 80),
    "broad": (["broad.sculpt", "broad.csv"], 80),
    "broad-200": (["broad.sculpt", "broad.csv"], 200),
    "no-rules": (["none.sculpt", "crosstab.csv", "--rows", "1-3"], 80),
    "many": (["many.sculpt", "long.csv", "--rows", "57-60"], 80),
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, content in FILES.items():
        Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLORTERM", "truecolor")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    return tmp_path


def show(*arguments: str) -> Outcome:
    return run_command(["show", *arguments], b"")


def readable(text: str) -> str:
    """Escape sequences as something that can be read."""
    return text.replace("\x1b", "␛")


@pytest.mark.parametrize("name", CASES)
def test_golden(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments, columns = CASES[name]
    monkeypatch.setenv("COLUMNS", str(columns))
    outcome = show(*arguments)
    assert outcome.status == 0, outcome
    text = readable(outcome.output)
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("SCULPT_GOLDEN") == "write":
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")
    is_plain = "always" not in arguments
    assert ("␛" in text) != is_plain
    if is_plain:
        assert not any(line != line.rstrip() for line in text.splitlines())
        assert max(map(width, text.splitlines()[1:]), default=0) <= columns


# ------------------------------------------------------------- where it goes


def test_json_has_the_verdict_the_regions_and_the_windows() -> None:
    shown = json.loads(show(*CROSSTAB, "row(1)", "--rows", "9-10", "-f", "json").output)
    assert list(shown) == ["version", "file", "heat", "regions", "windows"]
    assert shown["file"]["violation_count"] == 5
    assert shown["regions"][-1] == {
        "name": "selector:1",
        "kind": "selector",
        "text": "row(1)",
        "line": None,
        "documentation": "",
        "colour": 7,
        "cells": 7,
    }
    (window,) = shown["windows"]
    assert (window["row"], window["column"], window["cut"]) == (9, 1, [])
    assert window["texts"][0] == ["", "Paper", "99", "110", "104", "-", None]
    assert window["regions"][1][2] == ["rule:5", "rule:6"]
    assert window["checked"] == [[True] * 7] * 2
    assert [(each["row"], each["column"]) for each in window["violations"]] == [(9, 7), (10, 6)]


def test_json_of_hostile_cells_can_be_read() -> None:
    shown = json.loads(show("hostile.sculpt", "hostile.csv", "-f", "json").output)
    (window,) = shown["windows"]
    assert window["texts"][1][0] == "\x1b[31mred\x1b[0m"
    assert window["texts"][3][1] == "\ufffd\ufffd"
    assert window["cut"] == [[5, 3]]


@pytest.mark.skipif(find_spec("sculpt.views.html") is None, reason="there are no pages here")
def test_a_page() -> None:
    page = show(*CROSSTAB, "-f", "html").output
    assert page.lower().startswith("<!doctype html>")
    assert "Waste collected" in page
    assert show(*CROSSTAB, "-f", "html", "-o", "out.html").output == ""
    assert "Waste collected" in Path("out.html").read_text(encoding="utf-8")


def test_a_file_is_written_as_it_would_be_printed() -> None:
    assert show(*CROSSTAB, "-o", "out.txt").output == ""
    assert Path("out.txt").read_text() == show(*CROSSTAB).output
    assert show(*CROSSTAB, "-o", "out.txt", "--color", "always").status == 0
    assert Path("out.txt").read_text() == show(*CROSSTAB, "--color", "always").output


@pytest.mark.parametrize("output", ["crosstab.sculpt", "crosstab.csv", "link.csv"])
def test_an_input_is_no_output(output: str) -> None:
    Path("link.csv").symlink_to("crosstab.csv")
    before = Path(output).read_bytes()
    outcome = show(*CROSSTAB, "-o", output)
    assert outcome.status == 2
    assert "name another output" in outcome.errors
    assert Path(output).read_bytes() == before


def test_a_plain_table_is_no_output_either() -> None:
    outcome = show("crosstab.csv", "-o", "crosstab.csv")
    assert outcome.status == 2
    assert outcome.errors == "error: crosstab.csv: is a data file; name another output\n"


def test_nothing_is_left_if_the_call_fails() -> None:
    before = {*Path().iterdir()}
    assert show(*CROSSTAB, "--rows", "900-", "-o", "new.txt").status == 2
    assert show(*CROSSTAB, "-o", "no/such/new.txt").status == 2
    assert {*Path().iterdir()} == before


@pytest.mark.parametrize(
    ("environment", "arguments", "is_coloured"),
    [
        ({}, [], False),
        ({"FORCE_COLOR": "1"}, [], True),
        ({"FORCE_COLOR": "1"}, ["--color", "never"], False),
        ({"NO_COLOR": "1"}, ["--color", "always"], True),
        ({"TERM": "dumb", "COLORTERM": ""}, ["--color", "always"], True),
    ],
)
def test_when_there_are_colours(
    environment: dict[str, str],
    arguments: list[str],
    is_coloured: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert ("\x1b[" in show(*CROSSTAB, *arguments).output) == is_coloured


@pytest.mark.parametrize(
    ("term", "colorterm", "code"),
    [
        ("xterm-256color", "truecolor", "48;2;236;221;121"),
        ("xterm-256color", "", "48;5;"),
        ("xterm", "", "103"),
    ],
)
def test_terminals_have_more_or_fewer_colours(
    term: str, colorterm: str, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In processes of their own: `rich` remembers what a style was for the first terminal."""
    monkeypatch.setenv("TERM", term)
    monkeypatch.setenv("COLORTERM", colorterm)
    call = [sys.executable, "-m", "sculpt", "show", *CROSSTAB, "--color", "always"]
    assert code in subprocess.run(call, capture_output=True, text=True, check=True).stdout


# ------------------------------------------------------------- wrong calls

WRONG = {
    ("--rows", "5-2"): "`--rows 5-2`: the first comes after the last",
    ("--rows", "x"): "`--rows` must be a range such as `1-40`, `7` or `100-`, from 1, not `x`",
    ("--rows", "0-3"): "`--rows` must be a range such as `1-40`, `7` or `100-`, from 1, not `0-3`",
    ("--rows", "B-C"): "`--rows` must be a range such as `1-40`, `7` or `100-`, from 1, not `B-C`",
    ("--rows", "1-2-3"): "`--rows` must be a range",
    ("--rows", ""): "`--rows` must be a range",
    ("--rows", "９"): "`--rows` must be a range",
    ("--rows", "9" * 30): "`--rows` must be a range",
    ("--rows", "12-"): "there is no row 12: the table has 11 rows × 7 columns",
    ("--columns", "E-B"): "`--columns E-B`: the first comes after the last",
    ("--columns", "-"): "`--columns` must be a range such as `2-5`, `B-E`, `7` or `30-`",
    ("--columns", "H"): "there is no column 8: the table has 11 rows × 7 columns",
    ("--around", "3"): "`--around` must be a row and a column such as `12,3`, from 1, not `3`",
    ("--around", "0,1"): "`--around` must be a row and a column such as `12,3`, from 1, not `0,1`",
    ("--around", "99,1"): "there is no cell at (99,1): the table has 11 rows × 7 columns",
    ("--around", "1,1", "--rows", "1"): "`--around` chooses rows and columns",
    ("--only", "rule:9"): "there is no region `rule:9`; the regions are `rule:1`",
    ("--color", "blue"): "`--color` must be one of `auto`, `always`, `never`, not `blue`",
    ("-f", "pdf"): "`--format` must be one of `text`, `html`, `json`, not `pdf`",
}


@pytest.mark.parametrize("arguments", WRONG, ids=" ".join)
def test_a_wrong_call_gets_one_clear_line(arguments: tuple[str, ...]) -> None:
    outcome = show(*CROSSTAB, *arguments)
    assert outcome.status == 2
    assert outcome.output == outcome.errors
    last = outcome.errors.splitlines()[-1]
    assert last.startswith(f"error: {WRONG[arguments]}")


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["crosstab.sculpt"], 2, "crosstab.sculpt: is a schema; name the data after it"),
        (["nowhere.csv"], 3, "nowhere.csv: cannot be read: no such file or directory"),
        (["crosstab.sculpt", "nowhere.csv"], 3, "nowhere.csv: cannot be read"),
        (["nowhere.sculpt", "crosstab.csv"], 2, "nowhere.sculpt: cannot be read"),
        (["schema.txt", "nowhere"], 3, "nowhere: cannot be read"),
        (["crosstab.csv", "no such(", "row(1)"], 2, "no such(: is neither a file nor a selector"),
        (["-", "-"], 2, "standard input can be read only once"),
        (["crosstab.csv", "--unchecked"], 2, "`--unchecked` needs a schema with rules"),
        (["none.sculpt", "crosstab.csv", "--unchecked"], 2, "`--unchecked` needs a schema"),
    ],
)
def test_what_is_the_schema_and_what_the_data(
    arguments: list[str], status: int, message: str
) -> None:
    Path("schema.txt").write_text("row(1) -> Text*\n")
    outcome = show(*arguments)
    assert outcome.status == status
    assert f"error: {message}" in outcome.errors


def test_a_schema_need_not_be_called_one() -> None:
    Path("schema").write_text("row(1) -> Text*\n")
    assert "rule 1, line 1" in show("schema", "wide.csv").output
    assert "rule 1, line 1" in show("schema", "wide.csv", "col(1)").output


def test_the_data_may_come_from_standard_input() -> None:
    outcome = run_command(["show", "-"], b"a,b\n")
    assert outcome.output == "-: 1 row × 2 columns\n   1 A 2 B\n1  a   b\n"


def test_a_selector_that_selects_nothing_says_why() -> None:
    outcome = show("wide.csv", "row(1) and Pariss")
    assert "note: `row(1) and Pariss` selects no cell" in outcome.errors
    assert "`Pariss` is not declared" in outcome.errors


def test_an_error_in_a_given_selector_is_shown() -> None:
    outcome = show(*CROSSTAB, "row(")
    assert outcome.status == 2
    assert "<selector>" in outcome.errors


# ------------------------------------------------------------- what always holds

cells = st.one_of(
    st.sampled_from(
        ["a", "b", "", " ", "·", "1", "漢字", "\x1b[2J", "\u202e", "e\u0301", "x" * 250]
    ),
    st.text(st.characters(exclude_characters='\n\r",', exclude_categories=["Cs"]), max_size=12),
)
tables = st.lists(st.lists(cells, min_size=1, max_size=9), max_size=40)
SCHEMA = """\
row(1) -> Text*
col(2) or col(4) -> (a | b)*
T <= down*(row(1) and a)
row(3) => b*
"""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("show") / "table.csv"


@settings(max_examples=150)
@given(
    tables,
    st.integers(10, 130),
    st.sampled_from(
        [Frame(), Frame(unchecked=True), Frame(rows=(1, None)), Frame(only=("rule:2", "type:T"))]
    ),
)
def test_every_line_fits_and_no_control_reaches_the_terminal(
    data: Path, table: list[list[str]], room: int, frame: Frame
) -> None:
    data.write_text("".join(",".join(row) + "\n" for row in table), encoding="utf-8")
    schema = sculpt.Schema.parse(SCHEMA)
    with sculpt.view(schema, data, "col(1)") as view:
        if frame.rows and not view.rows:
            return
        plain = list(show_lines(view, frame, room, NO_COLOURS))
        coloured = list(show_lines(view, frame, room, MANY_COLOURS))
    for line in plain[1:]:
        assert width(line.plain) <= max(40, room)
    for line in plain:
        assert all(text.isprintable() for text, _ in line.pieces)
    assert [line.plain for line in plain] == [line.plain.rstrip(" ") for line in coloured]


@settings(max_examples=100)
@given(tables)
def test_letters_and_signs_are_those_of_the_windows(data: Path, table: list[list[str]]) -> None:
    """In a table that is drawn whole, every cell has the letters of its regions."""
    short = [["k", *(str(number) for number, _ in enumerate(row[:4]))] for row in table[:20]]
    data.write_text("".join(",".join(row) + "\n" for row in short))
    with sculpt.view(sculpt.Schema.parse("col(2) -> Text*\nrow(2) -> Text*\n"), data) as view:
        lines = [line.plain for line in show_lines(view, Frame(), 300, NO_COLOURS)]
        window = view.window(1, 100, 1, 100)
    body = lines[2 : 2 + window.rows]
    letters = {"rule:1": "a", "rule:2": "b"}
    for row_ix, line in enumerate(body):
        drawn = line.split()[1:]
        expected: list[str] = []
        for col_ix, text in enumerate(window.texts[row_ix]):
            marks = "".join(letters[name] for name in window.regions[row_ix][col_ix])
            is_unchecked = window.is_unchecked(row_ix + 1, col_ix + 1)
            expected += ["·" if text is None else text]
            expected += [marks + ("?" if is_unchecked else "")] if marks or is_unchecked else []
        assert drawn == expected
