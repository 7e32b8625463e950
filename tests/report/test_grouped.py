# ruff: noqa: E501 (the texts are as wide as they are)
"""The text of `validate`: the verdict, then a block for each rule that is violated. Golden texts."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from executed_docs import run_command
from hypothesis import given
from hypothesis import strategies as st

import sculpt
from sculpt.report.blocks import MAX_LISTED, labels_of
from sculpt.report.encodings import likely_encoding
from sculpt.report.groups import groups_of, ranges
from sculpt.report.streams import HarmlessWriter
from sculpt.report.text import MAX_BLOCKS, MAX_FILES, run_text
from sculpt.values import replace
from sculpt.verdict import Verdicts

SCHEMA = """\
% How much was paid. In the currency of the account.
amount = [0-9]+\\.[0-9]{2}

row(1) -> day, "amount"
% Every line has an amount.
col("amount") -> amount
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def validated(schema: str, data: str | bytes, *options: str, name: str = "d.csv") -> str:
    Path("s.sculpt").write_text(schema, encoding="utf-8")
    Path(name).write_bytes(data.encode() if isinstance(data, str) else data)
    outcome = run_command(["validate", "s.sculpt", name, "--engine", "reference", *options])
    assert not outcome.errors
    return outcome.output


def rows(count: int, text: str) -> str:
    return "".join(f"{n},{text}\n" for n in range(count))


def test_one_rule_is_one_block() -> None:
    data = "day,amount\n" + rows(3, "n/a") + rows(14, "-") + "9,1.50\n" + rows(2, "n/a")
    assert (
        validated(SCHEMA, data)
        == """\
d.csv: not valid (21 rows × 2 columns, 19 violations)

violation [row-content]: 19 of 20 rows fail
 --> rule 2, line 6: col("amount") -> amount
     Every line has an amount
     amount = [0-9]+\\.[0-9]{2} (line 2: How much was paid)
     found: `-` 14 times, `n/a` 5 times
row 2, column 2: found `n/a`, expected amount
 2 | 0,n/a
   |   ^^^
   = hint: amount does not allow `n` at character 1
row 3, column 2: found `n/a`, expected amount
 3 | 1,n/a
   |   ^^^
row 4, column 2: found `n/a`, expected amount
 4 | 2,n/a
   |   ^^^
… 16 more: rows 5-18, 20-21

20 of 42 cells with text are checked by no rule, first `0` at (2,1): `sculpt show s.sculpt d.csv --unchecked`
"""
    )


def test_show_says_how_many_places() -> None:
    data = "day,amount\n" + rows(5, "n/a")
    none = validated(SCHEMA, data, "--show", "0")
    assert "row 2" not in none
    assert "\n… 5 more: rows 2-6\n" in none
    all_of_them = validated(SCHEMA, data, "--show", "all")
    assert all_of_them.count(": found `n/a`, expected amount") == 5
    assert "more" not in all_of_them
    wrong = run_command(["validate", "s.sculpt", "d.csv", "--show", "some"])
    assert wrong.status == 2
    assert "`--show` must be a whole number, or `all`, not `some`" in wrong.errors


def test_the_length_does_not_depend_on_the_number_of_violations() -> None:
    few = validated(SCHEMA, "day,amount\n" + rows(30, "n/a"))
    many = validated(SCHEMA, "day,amount\n" + rows(3_000, "n/a"))
    assert len(few.splitlines()) == len(many.splitlines()) <= 30
    assert "found in the first 1,000: `n/a` 1,000 times" in many
    assert "\n… 2,997 more: rows 5-1001, and 2,000 further down\n" in many


def test_a_rule_whose_places_are_beyond_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    schema = "col(1) -> Integer\ncol(2) => Any{9}, end\n"
    call = (schema, "x,x\n" * 10, "--max-violations", "4", "--show", "1")
    head = """\
d.csv: not valid (10 rows × 2 columns, 11 violations)

violation [row-content]: 10 of 10 rows fail
 --> rule 1, line 1: col(1) -> Integer
     found in the first 4: `x` 4 times
row 1, column 1: found `x`, expected Integer
 1 | x,x
   | ^
   = hint: Integer does not allow `x` at character 1
… 9 more: rows 2-4, and 6 further down

violation [region-content]: the region fails
 --> rule 2, line 2: col(2) => Any{9}, end
"""
    assert (
        validated(*call)
        == f"""\
{head}row 10, column 2: found `x`, expected end
 10 | x,x
    |   ^
    = hint: end is declared nowhere, so only the text `end` matches
"""
    )
    monkeypatch.setattr("sculpt.cli.reports.text.MAX_SIZE_AGAIN", 0)
    rest = "… none of them is among the first violations of the file; see --max-violations\n"
    assert validated(*call) == head + rest


def test_the_region_is_underlined_and_ends_behind_its_last_cell() -> None:
    schema = "row(1) and (col(1) or col(3)) -> Integer, Integer, Integer\ncol(2) -> Text, Text\n"
    assert (
        validated(schema, "12, 日本 ,34,x\n")
        == """\
d.csv: not valid (1 row × 4 columns, 2 violations)

violation [row-content]: 1 of 1 row fails
 --> rule 1, line 1: row(1) and (col(1) or col(3)) -> Integer, Integer, Integer
row 1 ends too early: expected Integer
 1 | 12, 日本 ,34,x
   | --        --^

violation [row-content]: 1 of 1 row fails
 --> rule 2, line 2: col(2) -> Text, Text
row 1 ends too early: expected Text
 1 | 12, 日本 ,34,x
   |     ----^

1 of 4 cells with text is checked by no rule, first `x` at (1,4): `sculpt show s.sculpt d.csv --unchecked`
"""
    )


def test_structural_codes_are_grouped_and_come_first() -> None:
    data = 'Zürich,1\nGenève,x\n"a"b,2\nz,3\0\n'.encode("cp1252")
    assert (
        validated("col(2) -> Integer\n", data)
        == """\
d.csv: not valid (4 rows × 2 columns, 6 violations)

violation [undecodable]: 2 of 8 cells fail
 --> bytes that are invalid in the encoding
   = hint: `Encoding = cp1252` would decode all of them, for example as `Zürich`
row 1, column 1: bytes that are not valid in the encoding
 1 | Z�rich,1
   | ^^^^^^
row 2, column 1: bytes that are not valid in the encoding
 2 | Gen�ve,x
   | ^^^^^^

violation [text-after-quote]: 1 of 8 cells fails
 --> text between a closing quote and the next delimiter
row 3, column 1: text between the closing quote and the delimiter
 3 | "a"b,2
   | ^^^^
   = hint: escape quotes inside quotes, or use `Stray Quotes = text` if they are text

violation [nul-byte]: 1 of 8 cells fails
 --> a NUL character in a cell
row 4, column 2: a NUL character
 4 | z,3␀
   |   ^^
   = hint: if the file is in UTF-16, set `Encoding = utf-16`

violation [row-content]: 2 of 4 rows fail
 --> rule 1, line 1: col(2) -> Integer
row 2, column 2: found `x`, expected Integer
 2 | Gen�ve,x
   |        ^
   = hint: Integer does not allow `x` at character 1
row 4, column 2: found `3\\0`, expected Integer
 4 | z,3␀
   |   ^^
   = hint: Integer does not allow `\\0` at character 2

note: `sculpt sniff d.csv` finds `Encoding = cp1252` (0.81)
4 of 8 cells with text are checked by no rule, first `Z\\xfcrich` at (1,1): `sculpt show s.sculpt d.csv --unchecked`
"""
    )


@pytest.mark.parametrize(
    ("texts", "encoding", "guess"),
    [
        (["M\udcfcller", "caf\udce9"], None, ("cp1252", "café")),
        (["\udc81x"], "utf-16-le", None),
        (["a\udc81b", "M\udcfcller"], None, ("cp850", "aüb")),
        (["\udccf\udcf0\udce8\udce2\udce5\udcf2"], None, ("cp1251", "Привет")),
        (["\udc93\udcfa\udc96\udc7b".replace("\udc7b", "{")], None, ("shift_jis", "日本")),
        (["no such byte"], None, None),
        (["x\udc81"], "cp1252", ("cp850", "xü")),
    ],
)
def test_the_encoding_that_decodes_all_bytes(
    texts: list[str], encoding: str | None, guess: tuple[str, str] | None
) -> None:
    assert likely_encoding(texts, encoding) == guess


def test_several_files_share_their_warnings() -> None:
    Path("a.csv").write_text("x,y\n1,2\n", encoding="utf-8")
    Path("b.csv").write_text("x,y\n1,z\n", encoding="utf-8")
    Path("c.csv").write_text("x,colour\n1,2\n", encoding="utf-8")
    Path("s.sculpt").write_text("col(colour) -> Text\ncol(2) -> Text\n", encoding="utf-8")
    call = ["validate", "s.sculpt", "a.csv", "b.csv", "c.csv", "gone.csv"]
    assert (
        run_command([*call, "--engine", "reference", "--strict"]).output
        == """\
a.csv: not valid (2 rows × 2 columns, 1 warning)
b.csv: not valid (2 rows × 2 columns, 1 warning)
c.csv: valid (2 rows × 2 columns)
error: gone.csv: cannot be read: no such file or directory

warning [vacuous-rule]: rule 1 selects nothing: col(colour) -> Text (in 2 of 4 files: a.csv, …)
  = hint: `colour` matches no cell; are the delimiter and the encoding right?

4 inputs: 1 valid, 2 not valid, 1 could not be read
6 of 12 cells with text in 3 of 3 files are checked by no rule, first `x` at (1,1) of a.csv: `sculpt show s.sculpt a.csv --unchecked`
"""
    )


def test_blocks_of_several_files_are_apart() -> None:
    Path("a.csv").write_text("x\n", encoding="utf-8")
    Path("b.csv").write_text("1\n", encoding="utf-8")
    Path("s.sculpt").write_text("col(1) -> Integer\n", encoding="utf-8")
    call = ["validate", "s.sculpt", "b.csv", "a.csv", "b.csv", "a.csv", "--engine", "reference"]
    block = """\
a.csv: not valid (1 row × 1 column, 1 violation)

violation [row-content]: 1 of 1 row fails
 --> rule 1, line 1: col(1) -> Integer
row 1, column 1: found `x`, expected Integer
 1 | x
   | ^
   = hint: Integer does not allow `x` at character 1
"""
    fine = "b.csv: valid (1 row × 1 column)\n"
    expected = f"{fine}\n{block}\n{fine}\n{block}\n4 inputs: 2 valid, 2 not valid\n"
    assert run_command(call).output == expected


def test_of_many_files_few_have_blocks() -> None:
    Path("s.sculpt").write_text("col(1) -> Integer\ncol(2) -> Text\n", encoding="utf-8")
    names = [f"{number}.csv" for number in range(1, MAX_FILES + 4)]
    for name in names:
        Path(name).write_text("x,\n" if name == "1.csv" else "x,y\n", encoding="utf-8")
    call = ["validate", "s.sculpt", *names, "--engine", "reference"]
    lines = run_command(call).output.splitlines()
    assert sum(line.startswith(" --> rule 1, ") for line in lines) == MAX_FILES
    assert [line for line in lines if line.startswith(tuple(names))] == [
        f"{name}: not valid (1 row × 2 columns, {2 if name == '1.csv' else 1} violation"
        f"{'s' if name == '1.csv' else ''})"
        for name in names
    ]
    assert lines[-5:] == [
        "violation [row-content]: 8 violations in 8 files: rule 1, line 1: col(1) -> Integer",
        "violation [row-content]: 1 violation in 1 file: rule 2, line 2: col(2) -> Text",
        "… 3 files in a line each; see --show all",
        "",
        "8 inputs: 0 valid, 8 not valid",
    ]
    every = run_command([*call, "--show", "all"]).output
    assert every.count(" --> rule 1, ") == len(names)


def test_an_empty_table() -> None:
    assert validated("col(1) -> Integer\n", "").splitlines()[0].startswith("d.csv: ")
    text = validated("true => Text\n", "")
    assert "(0 rows × 0 columns, 1 violation" in text
    assert "\n --> rule 1, line 1: true => Text\nthe region ends too early: expected Text\n" in text


def test_a_thousand_rules() -> None:
    schema = "".join(f"col(1) -> t{n}\nt{n} = {n}\n" for n in range(1_000))
    lines = validated(schema, "x\n").splitlines()
    assert lines[0] == "d.csv: not valid (1 row × 1 column, 1,000 violations)"
    assert sum(line.startswith(" --> ") for line in lines) == MAX_BLOCKS
    further = "violation [row-content]: 1 of 1 row fails: rule 21, line 41: col(1) -> t20"
    assert further in lines
    rest = 1_000 - MAX_BLOCKS - MAX_LISTED
    assert f"… and {rest} violations of {rest} further rules; see --show all" in lines
    assert len(lines) < 200
    everything = validated(schema, "x\n", "--show", "all")
    assert everything.count(" --> ") == 1_000


def test_a_thousand_warnings() -> None:
    schema = "".join(f"col(h{n}) -> Text\n" for n in range(1_000))
    lines = validated(schema, "x\n").splitlines()
    assert sum(line.startswith("warning [vacuous-rule]") for line in lines) >= MAX_LISTED - 1
    assert len(lines) < 60
    assert any(line.startswith("… and 9") and line.endswith("more warnings") for line in lines)


def test_where_nothing_was_checked_the_verdict_says_so() -> None:
    Path("s.sculpt").write_text("col(h) -> Text\n", encoding="utf-8")
    Path("d.csv").write_text("x\n", encoding="utf-8")
    schema = sculpt.Schema.load("s.sculpt")
    verdict = sculpt.validate(schema, "d.csv", engine="reference")
    warning = sculpt.Warning("nothing-checked", None, None, "no rule selects any cell")
    verdict = replace(verdict, warnings=(warning,))
    (line, *_) = run_text(Verdicts("reference", (verdict,)), labels_of(schema))
    assert line.plain == "d.csv: nothing was checked (1 row × 1 column, 1 warning)"
    (line, *_) = run_text(Verdicts("reference", (verdict,), strict=True), labels_of(schema))
    assert line.plain.startswith("d.csv: not valid")
    *_, line = run_text(Verdicts("reference", (verdict, verdict)), labels_of(schema))
    assert line.plain == "2 inputs: 0 valid, 2 with nothing checked"


def test_an_engine_without_tallies() -> None:
    Path("d.csv").write_text("x\ny\n1\n", encoding="utf-8")
    schema = sculpt.Schema.parse("col(1) -> Integer\ncol(1) => Integer*\n")
    for limit, told, hidden in ((9, "2 rows fail", False), (1, "at least 1 row fails", True)):
        verdict = sculpt.validate(schema, "d.csv", engine="reference", max_violations=limit)
        bare = replace(verdict, rules=(), structure=())
        text = [line.plain for line in run_text(Verdicts("x", (bare,)), labels_of(schema))]
        assert f"violation [row-content]: {told}" in text
        assert ("… and 2 further violations; see --max-violations" in text) == hidden


# ------------------------------------------------------------- coverage


def test_coverage_below_the_least_fails_the_run() -> None:
    Path("s.sculpt").write_text("col(1) -> Text\n", encoding="utf-8")
    Path("d.csv").write_text("a,b\nc,d\ne,f\n", encoding="utf-8")
    call = ["validate", "s.sculpt", "d.csv", "--engine", "reference", "--min-coverage"]
    enough = run_command([*call, "50"])
    assert enough.status == 0
    assert enough.output.startswith("d.csv: valid (3 rows × 2 columns)\n3 of 6 cells with text")
    short = run_command([*call, "50.1%"])
    assert short.status == 1
    assert short.output == (
        "d.csv: not valid (3 rows × 2 columns)\n"
        "coverage: 3 of 6 cells with text are checked by a rule, 50% of them;"
        " `--min-coverage` asks for 50.1%\n"
        "\n"
        "3 of 6 cells with text are checked by no rule, first `b` at (1,2):"
        " `sculpt show s.sculpt d.csv --unchecked`\n"
    )
    machine = json.loads(run_command([*call, "50.1", "--format", "json"]).output)
    assert (machine["valid"], machine["min_coverage"]) == (False, 50.1)
    for wrong in ("101", "-1", "nan", "most"):
        outcome = run_command([*call, wrong])
        assert outcome.status == 2
        assert "`--min-coverage` must be a number from 0 to 100" in outcome.errors


def test_the_call_that_shows_unchecked_cells_can_be_pasted() -> None:
    Path("my schema.sculpt").write_text("col(1) -> Text\n", encoding="utf-8")
    Path("it's.csv").write_text("a;b\n", encoding="utf-8")
    call = ["validate", "my schema.sculpt", "it's.csv", "--engine", "reference"]
    line = run_command([*call, "--set", "Col Delim=;"]).output.splitlines()[-1]
    assert line.endswith(
        ": `sculpt show 'my schema.sculpt' 'it'\"'\"'s.csv' --unchecked --set 'Col Delim=;'`"
    )
    piped = run_command(["validate", "my schema.sculpt", "-", "--engine", "reference"], b"a,b\n")
    assert piped.output.splitlines()[-1].endswith("first `b` at (1,2)")


# ------------------------------------------------------------- hostile input


def test_nothing_hostile_reaches_the_terminal() -> None:
    bad = "\x1b[31m\x9b\u202e\u2066\x07\x08</script>"
    token = bad.replace("[", "\\[")
    schema = f'% Title {bad}\nt = {token}x\n\ncol(1) -> t, "{bad}"\ncol("{bad}h") -> t\n'
    name = "d\x1b[0m\u202e\n.csv"
    output = validated(schema, f"{bad},{bad}\n", name=name)
    assert all(char.isprintable() or char == "\n" for char in output)
    checked = run_command(["check", "s.sculpt"]).output
    assert all(char.isprintable() or char == "\n" for char in checked)
    gone = run_command(["validate", "s.sculpt", f"gone{bad}.csv"])
    assert all(char.isprintable() or char == "\n" for char in gone.output)
    odd = run_command(["validate", f"gone{bad}.sculpt", "x.csv"])
    assert all(char.isprintable() or char == "\n" for char in odd.output)


@given(st.lists(st.binary(max_size=6)))
def test_data_on_a_terminal_is_harmless(parts: list[bytes]) -> None:
    terminal = io.BytesIO()
    writer = HarmlessWriter(terminal)
    for part in parts:
        writer.write(part)
    shown = terminal.getvalue().decode()
    assert all(char.isprintable() or char in "\n\t" for char in shown)
    assert shown.count("\n") == b"".join(parts).count(b"\n")


def test_text_on_a_terminal_is_as_it_is() -> None:
    terminal = io.BytesIO()
    writer = HarmlessWriter(terminal)
    for byte in "a\té,日本\r\n".encode():
        writer.write(bytes([byte]))
    assert terminal.getvalue().decode() == "a\té,日本␍\n"


# ------------------------------------------------------------- parts


@given(st.sets(st.integers(1, 40)))
def test_ranges_hold_exactly_their_numbers(numbers: set[int]) -> None:
    found: set[int] = set()
    for each in ranges(numbers):
        first, _, last = each.partition("-")
        found |= set(range(int(first), int(last or first) + 1))
    assert found == numbers


@given(st.lists(st.sampled_from(["a", "1", "", '"x"y', "b,1", "1,b"]), max_size=12))
def test_each_violation_is_in_one_group(lines: list[str]) -> None:
    schema = sculpt.Schema.parse(
        "col(1) -> Integer\ncol(2) -> Text, Text\ntrue => Any{3}\nunique(a)\n"
    )
    Path("g.csv").write_text("\n".join(lines), encoding="utf-8")
    verdict = sculpt.validate(schema, "g.csv", engine="reference")
    for each in (verdict, replace(verdict, rules=(), structure=())):
        groups = groups_of(each)
        assert sum(group.failed for group in groups) == verdict.violation_count
        assert sorted(map(id, (v for group in groups for v in group.violations))) == sorted(
            map(id, verdict.violations)
        )
