"""The command `why`: what it prints, to the last word, and what it says to a wrong call."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from executed_docs import Outcome, run_command

import sculpt
from sculpt.views.why.text import MAX_OTHERS, why_text
from sculpt.views.why.walks import search

SCHEMA = """\
% The years, and what each shift has.
year = 20[0-9]{2}
hours = [0-9]+
List Delim = ;
row(1) -> title, year
Names <= col(Name) and not Total
% Each nurse works some hours. Totals do not.
right(Names) -> hours
row(3) -> Name, Hours, Days
col(Name) => Text+, Total
down[Text]*(Name) |> Name, Text*
col(Days) .> (Mon | Tue)*
"""
DATA = """\
title,2025

Name,Hours,Days
Ada,36,Mon;Tue
Bob,x1,Mon;Sun
,12
Total,48
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("shifts.sculpt").write_text(SCHEMA, encoding="utf-8")
    Path("shifts.csv").write_text(DATA, encoding="utf-8")
    return tmp_path


def run(*arguments: str, stdin: bytes = b"") -> Outcome:
    outcome = run_command(["why", "shifts.sculpt", *arguments], stdin)
    assert "Traceback" not in outcome.output
    return outcome


def said(place: str, *region: str) -> str:
    outcome = run("shifts.csv", place, *region)
    assert outcome.status == 0, outcome.output
    return outcome.output


def test_every_rule() -> None:
    assert (
        said("5,2")
        == """\
shifts.csv: row 5, column 2: `x1`
1 of 6 rules selects this cell: rule:2

rule:2, line 8: right(Names) -> hours
  Each nurse works some hours
  selected
    yes right(Names): from (5,1) `Bob`: right to (5,2)
        it starts at (5,1), because there:
          yes Names: defined in line 6
              yes col(Name) and not Total: because all of these hold
                  yes col(Name): from (3,1) `Name`: down ×2 to (5,1)
                  yes not Total: because this does not hold
                      no  Total: `Bob` is not `Total`
  row 5 of the region does not match hours
    > (5,2) `x1`  wrong: expected hours
      hint: hours does not allow `x` at character 1

rule:1, line 5: row(1) -> title, year
  not selected
    no  row(1): this cell is in row 5

rule:3, line 9: row(3) -> Name, Hours, Days
  not selected
    no  row(3): this cell is in row 5

rule:4, line 10: col(Name) => Text+, Total
  not selected
    no  col(Name):
        no walk leads here; the nearest goes from (3,1) `Name`: down ×2 to (5,1), and ends there

rule:5, line 11: down[Text]*(Name) |> Name, Text*
  not selected
    no  down[Text]*(Name):
        no walk leads here; the nearest goes from (3,1) `Name`: down ×2 to (5,1), [Text] holds each
        time, and ends there

rule:6, line 12: col(Days) .> (Mon | Tue)*
  not selected
    no  col(Days):
        no walk leads here; the nearest goes from (3,3) `Days`: down ×2 to (5,3), and ends there
"""
    )


def test_a_test_that_stops_the_walk() -> None:
    assert (
        said("7,1", "rule:5")
        == """\
shifts.csv: row 7, column 1: `Total`

rule:5, line 11: down[Text]*(Name) |> Name, Text*
  not selected
    no  down[Text]*(Name):
        no walk leads here; the nearest goes from (3,1) `Name`: down ×2 to (5,1), [Text] holds each
        time, down to (6,1), and stops: an empty cell is not Text
"""
    )


def test_a_test_that_is_made_of_parts() -> None:
    assert (
        said("7,1", "down[Text and not Bob]*(Name)")
        == """\
shifts.csv: row 7, column 1: `Total`

selector:1: down[Text and not Bob]*(Name)
  not selected
    no  down[Text and not Bob]*(Name):
        no walk leads here; the nearest goes from (3,1) `Name`: down to (4,1), [Text and not Bob]
        holds, down to (5,1), and stops: [Text and not Bob] does not hold at (5,1)
        it stops at (5,1), because there:
          no  Text and not Bob: because not all of these hold
              yes Text: `Bob` is Text
              no  not Bob: because this holds
                  yes Bob: the text is `Bob`
"""
    )


def test_a_walk_with_tests() -> None:
    assert (
        said("5,1", "rule:5")
        == """\
shifts.csv: row 5, column 1: `Bob`

rule:5, line 11: down[Text]*(Name) |> Name, Text*
  selected
    yes down[Text]*(Name): from (3,1) `Name`: down ×2 to (5,1), [Text] holds each time
  column 1 of the region matches Name, Text*
      (3,1) `Name`  read as Name
      (4,1) `Ada`   read as Text
    > (5,1) `Bob`   read as Text; also possible: end of column
"""
    )


def test_not() -> None:
    assert (
        said("7,1", "type:Names")
        == """\
shifts.csv: row 7, column 1: `Total`

type:Names, line 6: Names <= col(Name) and not Total
  not selected
    no  col(Name) and not Total: because not all of these hold
        yes col(Name): from (3,1) `Name`: down ×4 to (7,1)
        no  not Total: because this holds
            yes Total: the text is `Total`
"""
    )


def test_content_that_has_failed_before() -> None:
    assert (
        said("7,1", "rule:4")
        == """\
shifts.csv: row 7, column 1: `Total`

rule:4, line 10: col(Name) => Text+, Total
  selected
    yes col(Name): from (3,1) `Name`: down ×4 to (7,1)
  the region does not match Text+, Total: it fails at (6,1), expected Text or Total
    > (7,1) `Total`  not read, because of the failure before it
"""
    )


def test_content_that_ends_too_early() -> None:
    Path("shifts.sculpt").write_text("row(1) -> title, year, note\nyear = 20..\n", encoding="utf-8")
    assert (
        said("1,1", "rule:1")
        == """\
shifts.csv: row 1, column 1: `title`

rule:1, line 1: row(1) -> title, year, note
  selected
    yes row(1): this is row 1
  row 1 of the region does not match title, year, note
    > (1,1) `title`        read as title
      (1,2) `2025`         read as year
      (1,3) a padded cell  passed over
      then the row ends, too early: expected note
"""
    )


def test_a_list() -> None:
    assert (
        said("5,3", "rule:6")
        == """\
shifts.csv: row 5, column 3: `Mon;Sun`

rule:6, line 12: col(Days) .> (Mon | Tue)*
  selected
    yes col(Days): from (3,3) `Days`: down ×2 to (5,3)
  the list in the cell does not match (Mon | Tue)*
      item 1 `Mon`  read as Mon; also possible: Tue, end of list
      item 2 `Sun`  wrong: expected Mon, Tue or end of list
"""
    )


def test_a_padded_cell() -> None:
    assert (
        said("6,3", "Missing or <up{9}> or right(Boss)")
        == """\
shifts.csv: row 6, column 3: a padded cell (row 6 of the file ends before it)

selector:1: Missing or <up{9}> or right(Boss)
  selected
    yes Missing or <up{9}> or right(Boss): because one of these is enough
        yes Missing: a padded cell is Missing
        no  <up{9}>:
            no walk succeeds; the nearest try goes from here: up ×5 to (1,3), and stops: there is no
            cell above (1,3)
        no  right(Boss):
            it starts nowhere: `Boss` selects no cell (it is not declared, so it stands for that
            text)
"""
    )


def test_hostile_cells_are_made_visible() -> None:
    Path("shifts.csv").write_bytes(
        'Name\n"a\x1b[31m\nb"\n\u202eevil\n\x00\xff\n'.encode("utf-8", "surrogateescape")
        + b"\xff\xfe\n"
        + b"x" * 10_000_000
        + b"\n"
    )
    for row in range(2, 7):
        for region in ("col(Name) and Text", "[year](Name or down)", "exists(up*[year])"):
            text = said(f"{row},1", region)
            assert all(char.isprintable() or char == "\n" for char in text), text
            assert len(text) < 2_000
    assert "`a\\x1b[31m\\nb`" in said("2,1", "Text")
    assert "`\\u202eevil`" in said("3,1", "Text")
    assert json.loads(run("shifts.csv", "5,1", "-f", "json").output)["text"] == "\ufffd\ufffd"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (["shifts.csv", "B3"], "`ROW,COLUMN` must be a row and a column such as `12,3`, from 1"),
        (["shifts.csv", "3"], "`ROW,COLUMN` must be a row and a column such as `12,3`, from 1"),
        (["shifts.csv", "0,1"], "`ROW,COLUMN` must be a row and a column such as `12,3`, from 1"),
        (["shifts.csv", "8,1"], "there is no cell (8,1): the table has 7 rows and 3 columns"),
        (["shifts.csv", "1,4"], "there is no cell (1,4): the table has 7 rows and 3 columns"),
        (["shifts.csv", "9" * 15 + ",1"], "there is no cell (999999999999999,1)"),
        (["shifts.csv", "1,1", "rule:7"], "there is no region `rule:7`; the regions are `rule:1`"),
        (["shifts.csv", "1,1", "type:names"], "there is no region `type:names`"),
        (["shifts.csv", "1,1", "down["], "the expression ends too early"),
        (["shifts.csv"], "the argument ROW,COLUMN is missing"),
        (["shifts.csv", "1,1", "a", "b"], "too many arguments: `b`"),
    ],
)
def test_wrong_calls(call: list[str], message: str) -> None:
    outcome = run(*call)
    assert outcome.status == 2
    assert message in outcome.output


def test_data_that_cannot_be_read() -> None:
    outcome = run("nothing.csv", "1,1")
    assert outcome.status == 3
    assert "nothing.csv" in outcome.output


def test_an_empty_table_has_no_cell() -> None:
    assert "the table has 0 rows and 0 columns" in run("-", "1,1").output


def test_a_schema_without_rules() -> None:
    Path("shifts.sculpt").write_text("year = 20..\n", encoding="utf-8")
    assert said("1,1") == (
        "shifts.csv: row 1, column 1: `title`\n"
        "the schema has no rules, so nothing selects this cell\n"
    )


def test_standard_input_and_settings() -> None:
    outcome = run("-", "2,2", "rule:2", "--set", "Col Delim=;", stdin=b"Name;Hours\nAda;36\n")
    assert outcome.output.startswith("-: row 2, column 2: `36`\n")
    assert "yes right(Names)" in outcome.output


def test_engines_say_the_same() -> None:
    for place in ("5,2", "7,1", "6,3"):
        calls = [run("shifts.csv", place, "--engine", engine) for engine in ("local", "reference")]
        assert calls[0].output == calls[1].output


def test_many_rules_that_do_not_select() -> None:
    rules = "".join(f"row({number}) -> Any*\n" for number in range(2, 100))
    Path("shifts.sculpt").write_text(rules + "row(1) -> Any*\n", encoding="utf-8")
    lines = said("1,1").split("\n")
    assert lines[1] == "1 of 99 rules selects this cell: rule:99"
    assert sum(line == "  not selected" for line in lines) == MAX_OTHERS
    assert lines[-2] == (
        "… 78 other regions do not hold the cell; name one to see why, such as rule:98"
    )


def test_json() -> None:
    found: Any = json.loads(run("shifts.csv", "5,1", "rule:5", "-f", "json").output)
    (region,) = found.pop("regions")
    assert found == {
        "version": 1,
        "path": "shifts.csv",
        "row": 5,
        "column": 1,
        "text": "Bob",
        "padded": False,
        "rows": 7,
        "columns": 3,
    }
    selector, content = region.pop("selector"), region.pop("content")
    assert region == {
        "region": "rule:5",
        "kind": "rule",
        "text": "down[Text]*(Name) |> Name, Text*",
        "line": 11,
        "selected": True,
    }
    place = {"file": "shifts.sculpt", "line": 11, "end_line": 11}
    assert selector == {
        "text": "down[Text]*(Name)",
        "span": {**place, "column": 1, "end_column": 18},
        "row": 5,
        "column": 1,
        "holds": True,
        "reason": "from (3,1) `Name`: down ×2 to (5,1), [Text] holds each time",
        "parts": [],
        "walk": {
            "start": [3, 1],
            "start_text": "Name",
            "end": [5, 1],
            "length": 2,
            "tests": [],
            "steps": [
                {
                    "direction": "down",
                    "count": 2,
                    "row": 5,
                    "column": 1,
                    "tests": [{"text": "Text", "span": {**place, "column": 6, "end_column": 10}}],
                }
            ],
        },
        "origin": None,
        "stop": None,
        "gave_up": False,
    }
    assert content["letters"][-1] == {
        "row": 5,
        "column": 1,
        "item": None,
        "text": "Bob",
        "expected": ["Text", "end of column"],
        "read": ["Text"],
        "skipped": False,
    }
    assert (content["outcome"], content["failed_at"]) == ("passes", None)


def test_json_of_a_stop() -> None:
    found: Any = json.loads(run("shifts.csv", "7,1", "rule:5", "-f", "json").output)
    stop = found["regions"][0]["selector"]["stop"]
    assert (stop["kind"], stop["row"], stop["column"], stop["text"]) == ("test", 6, 1, "")
    assert stop["test"]["holds"] is False
    assert stop["test"]["span"]["column"] == 6
    assert stop["walk"]["length"] == 3


def test_a_search_that_gives_up_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = "".join("x,x,x,x\n" for _ in range(9))
    Path("wide.csv").write_text(f"A,x,x,x\n{rows}", encoding="utf-8")
    schema = sculpt.Schema.parse("(down|right)*(A) -> Any*\n")
    monkeypatch.setattr(search.Effort.__init__, "__defaults__", (20,))
    with sculpt.view(schema, "wide.csv") as view:
        why = view.why(10, 4)
    assert why.answers[0].part.gave_up
    assert why.answers[0].selected
    text = "\n".join(line.plain for line in why_text(why))
    assert (
        "yes (down|right)*(A): it holds, but the search for a walk gave up after 20 places" in text
    )


def test_checks_are_left_to_validate() -> None:
    told = "keys, references and conditions are not explained here: see `sculpt validate`"
    assert told not in run("shifts.csv", "4,1").errors
    Path("shifts.sculpt").write_text(SCHEMA + "key(col(Name) and Text)\n", encoding="utf-8")
    assert told in run("shifts.csv", "4,1").errors
    assert told not in run("shifts.csv", "4,1", "rule:2").errors
    assert told not in run("shifts.csv", "4,1", "-f", "json").errors
