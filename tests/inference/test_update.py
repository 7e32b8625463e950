"""Updated schemas: they accept the files, and what no file needs stays as it was."""

from __future__ import annotations

import json
import pickle
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sculpt
from sculpt.cli.main import run_call
from sculpt.inference.update.align import Absent, Element, Extra, Other, Places, changes
from sculpt.inference.update.uses import widenable
from sculpt.inference.update.widen import general, includes, parsed, with_other_numbers
from sculpt.syntax import ast

SCHEMA = """% Landings, written by hand.

landings of = Landings of week [0-9]+
% A quay and a place.
berth = [A-Z][0-9]
cargo = grain|salt|timber
missing := "n/a"

% The order.
col(1) => landings of, Empty, Berth,
    % the berths
    berth+, Total
right*(Berth)  ->  Berth, Day, Cargo, Tonnes
col(Day) -> xs:date | Empty
col(Cargo) -> cargo | Empty ! "what is that?"
col(Tonnes) ->   Integer
"""
DATA = """Landings of week 14

Berth,Day,Cargo,Tonnes
A1,2024-04-02,grain,1200
A2,2024-04-03,timber,430
Total,,,1630
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("s.sculpt").write_text(SCHEMA)
    Path("old.csv").write_text(DATA)


def updated(data: str, schema: str = SCHEMA, old: str | None = DATA) -> sculpt.Update:
    """An update that is right: the new file is accepted, and the old one if it was."""
    Path("s.sculpt").write_bytes(schema.encode())
    Path("new.csv").write_text(data, newline="")
    found = sculpt.propose("new.csv", update="s.sculpt")
    assert not found.problems, found.problems
    made = sculpt.Schema.parse(found.schema)
    verdict = sculpt.validate(made, "new.csv")
    assert verdict.valid, (found.schema, verdict.violations[:3])
    if old is not None:
        Path("old.csv").write_text(old, newline="")
        if sculpt.validate("s.sculpt", "old.csv").valid:
            assert sculpt.validate(made, "old.csv").valid, found.schema
    assert (found.schema == schema) == (not found.changes)
    assert pickle.loads(pickle.dumps(found)) == found
    return found


def lines_changed(found: sculpt.Update) -> dict[str, str]:
    """The lines of before that are not in the new text, and what replaced them."""
    before, after = found.before.splitlines(), found.schema.splitlines()
    gone = [line for line in before if line not in after]
    new = [line for line in after if line not in before]
    return dict(zip(gone, new, strict=True))


# ------------------------------------------------------------- edits


@pytest.mark.parametrize(
    ("old", "new", "before", "after", "what"),
    [
        ("grain", "rye", "cargo = grain|salt|timber", "cargo = grain|salt|timber|rye",
         "line 6: cargo gains rye, forced by new.csv (4,3) `rye`"),
        ("A2", "A12", "berth = [A-Z][0-9]", "berth = [A-Z][0-9]{1,2}",
         "line 5: berth gains A12, forced by new.csv (5,1) `A12`"),
        ("1200", "n/a", "col(Tonnes) ->   Integer", "col(Tonnes) ->   Integer | missing",
         "line 16: col(Tonnes): Integer or missing, forced by new.csv (4,4) `n/a`"),
        ("1200", "", "col(Tonnes) ->   Integer", "col(Tonnes) ->   Integer | Empty",
         "line 16: col(Tonnes): Integer or Empty, forced by new.csv (4,4) an empty cell"),
        ("430", "4.5", "col(Tonnes) ->   Integer", "col(Tonnes) ->   Integer | Number",
         "line 16: col(Tonnes): Integer or Number, forced by new.csv (5,4) `4.5`"),
        ("Total", "Sum", "    berth+, Total", "    berth+, (Total | Sum)",
         "line 10: col(1): Total or Sum, forced by new.csv (6,1) `Sum`"),
        ("Total,,,1630\n", "", "    berth+, Total", "    berth+, Total?",
         "line 10: col(1): Total may be absent, forced by new.csv (5,1)"),
        ("Cargo", "Load", "right*(Berth)  ->  Berth, Day, Cargo, Tonnes",
         "right*(Berth)  ->  Berth, Day, (Cargo | Load), Tonnes",
         "line 13: right*(Berth): Cargo or Load, forced by new.csv (3,3) `Load`"),
        ("Cargo,Tonnes", "Cargo,Ship,Tonnes", "right*(Berth)  ->  Berth, Day, Cargo, Tonnes",
         "right*(Berth)  ->  Berth, Day, Cargo, Ship?, Tonnes",
         "line 13: right*(Berth): Ship may stand before Tonnes, forced by new.csv (3,4) `Ship`"),
    ],
)  # fmt: skip
def test_the_smallest_edit(old: str, new: str, before: str, after: str, what: str) -> None:
    data = DATA.replace(old, new, 1)
    if "Ship" in new:
        data = data.replace("grain,", "grain,x,").replace("timber,", "timber,x,")
        data = data.replace("Total,,,", "Total,,,,")
    found = updated(data)
    assert lines_changed(found) == {before: after}
    assert [str(change) for change in found.changes] == [what]
    assert f"-{before}\n" in found.diff
    assert f"+{after}\n" in found.diff


def test_another_cell_at_the_end_of_a_row() -> None:
    found = updated(
        "Berth,Day,Note\nA1,2024-04-02,x\n", "row(1) -> Berth, Day\n", "Berth,Day\nA1,2024-04-02\n"
    )
    assert found.schema == "row(1) -> Berth, Day, Note?\n"
    found = updated("a,b,c,d\n", "row(1) -> a | a, b\n", "a\n")
    assert found.schema == "row(1) -> (a | a, b), (c | d)*\n"


def test_a_title_with_another_number_becomes_a_token() -> None:
    schema = 'a = [a-z]\n\n(1,1) -> "Week 14 of 2024"\nrow(2) -> a\n'
    found = updated("Week 15 of 2024\nb\n", schema, "Week 14 of 2024\nb\n")
    assert "week of = Week [0-9]+ of [0-9]+" in found.schema
    assert '(1,1) -> ("Week 14 of 2024" | week of)' in found.schema or (
        '(1,1) -> "Week 14 of 2024" | week of' in found.schema
    )
    assert found.changes[0].line == 3


def test_marks_go_to_the_list_of_marks_that_the_rule_uses() -> None:
    schema = 'missing := "n/a"\ncol(A) -> Integer | missing\n'
    found = updated("A\n1\n-\n", schema, "A\n1\nn/a\n")
    assert found.schema == schema.replace('"n/a"', '"n/a" or "-"')


def test_a_token_that_a_selector_uses_is_not_widened() -> None:
    schema = "code = [A-Z]{2}\ncol(Id) and code -> code\ncol(Id) -> code\n"
    found = updated("Id\nAB\nABC\n", schema, "Id\nAB\n")
    assert found.schema.startswith("code = [A-Z]{2}\ncol(Id) and code -> code\n")
    assert found.schema.endswith("col(Id) -> code | ABC\n")
    text = "a = x\nb := not a\nc = y\nd := c or z\nrow(1) -> a, b, c, d\nrow(2) and d -> c\n"
    assert set(widenable(sculpt.Schema.parse(text))) == {"b"}


def test_items_of_lists() -> None:
    schema = "tag = red|blue\ncol(Tags) .>[;] tag*\n"
    found = updated("Tags\nred;green\n", schema, "Tags\nred; blue\n")
    assert found.schema == schema.replace("blue", "blue|green", 1)
    found = updated("Tags\nred;blue;red\n", "col(Tags) .>[;] Text{2}\n", "Tags\nred;blue\n")
    assert "Dropped" not in found.schema


def test_columns_are_words_too() -> None:
    found = updated("a,b\n1,2\n3,x\n", "true |> Text, Integer+\n", "a,b\n1,2\n3,4\n")
    assert found.schema == "true |> Text, (Integer | x)+\n"


def test_what_cannot_be_widened_is_a_comment_with_its_reason() -> None:
    schema = "% One of each.\nkey(col(Id))\n% The heading.\nrow(1) -> Id\n"
    found = updated("Id\n1\n1\n", schema, "Id\n1\n2\n")
    lines = found.schema.splitlines()
    assert lines[1].startswith("% Dropped by an update: new.csv (3,1) `1`: ")
    assert lines[2:] == ["% key(col(Id))", "", "% The heading.", "row(1) -> Id"]
    assert found.changes[0].line == 2
    assert str(found.changes[0]).startswith(
        "line 2: dropped: key(col(Id)), forced by new.csv (3,1)"
    )
    assert updated("x\nx\n", "unique(x)\nrow(1) -> x\n", "x\n").schema.endswith(
        "% unique(x)\n\nrow(1) -> x\n"
    )


def test_a_rule_on_several_lines_that_is_dropped() -> None:
    schema = "a <= row(2)\nrow(1) -> a,\n  % why\n\n   a\nrow(2) -> y\n"
    found = updated("x,x,x\ny\n", schema, None)
    sculpt.Schema.parse(found.schema)
    assert "row(2) -> y" in found.schema


def test_line_ends_and_marks_stay() -> None:
    schema = "\ufeff" + SCHEMA.replace("\n", "\r\n")
    found = updated(DATA.replace("grain", "rye").replace("1630", "x"), schema)
    assert found.schema == schema.replace("|timber", "|timber|rye").replace(
        "Integer\r\n", "Integer | x\r\n"
    )


def test_several_files_and_sisters() -> None:
    Path("a.csv").write_text(DATA.replace("grain", "rye"))
    Path("b.csv").write_text(DATA.replace("timber", "oats"))
    found = sculpt.propose("a.csv", sisters=["b.csv"], update=Path("s.sculpt"))
    assert "cargo = grain|salt|timber|rye|oats" in found.schema
    assert found.paths == ("a.csv", "b.csv")


def test_a_key_across_files() -> None:
    Path("k.sculpt").write_text("row(1) -> Id\nkey(col(Id)) across files\n")
    Path("a.csv").write_text("Id\n1\n")
    Path("b.csv").write_text("Id\n1\n")
    found = sculpt.propose(["a.csv", "b.csv"], update="k.sculpt")
    assert "% key(col(Id)) across files" in found.schema


def test_includes_are_not_edited() -> None:
    Path("tokens.sculpt").write_text("cargo = grain|salt\n")
    Path("rules.sculpt").write_text("row(1) -> Id\n")
    schema = 'include "tokens.sculpt"\ncol(Cargo) -> cargo\n'
    found = updated("Cargo\nrye\n", schema, "Cargo\nsalt\n")
    assert found.schema == schema.replace("-> cargo", "-> cargo | rye")
    Path("s.sculpt").write_text('include "rules.sculpt"\n')
    found = sculpt.propose("new.csv", update="s.sculpt")
    assert found.schema == found.before
    assert "line 1 of rules.sculpt" in found.problems[0]


def test_files_that_are_written_differently() -> None:
    for text, said in (
        (DATA.replace(",", ";"), "the file is written differently: `Col Delim = ;`"),
        (DATA + '"never closed,1\n', "the file breaks its own dialect"),
    ):
        Path("new.csv").write_text(text)
        found = sculpt.propose("new.csv", update="s.sculpt")
        assert found.schema == found.before
        assert found.changes == ()
        assert said in found.problems[0]
    Path("new.csv").write_bytes(DATA.replace("grain", "blé").encode("cp1252"))
    assert sculpt.propose("new.csv", update="s.sculpt").problems


def test_another_delimiter_and_decimal_commas() -> None:
    """The commas give columns too, but the headings are nowhere."""
    schema = "row(1) -> id, kind, amount\ncol(kind) -> Text\ncol(amount) -> Number\n"
    Path("comma.sculpt").write_text(schema)
    rows = "".join(f"000{ix};{'ab'[ix % 2]};1,{ix}0\n" for ix in range(1, 4))
    Path("new.csv").write_text(f"id;kind;amount\n{rows}")
    found = sculpt.propose("new.csv", update="comma.sculpt")
    assert found.schema == found.before
    assert "written differently: `Col Delim = ;`" in found.problems[0]


# ------------------------------------------------------------- properties

texts = st.sampled_from(
    ["", "a", "b", "n/a", "-", "12", "4.5", "2024-01-02", "A1", "B12", "x y", "é"]
)
tables = st.lists(st.lists(texts, min_size=3, max_size=3), min_size=1, max_size=6)
schemas = st.lists(
    st.sampled_from(
        [
            "row(1) -> a, b, (Text | Empty)", "col(1) => a, tok*, Empty?", "true -> Any{3}",
            "col(2) -> tok | Integer", "col(a) -> val", "key(col(1))", "unique(n)",
            "col(3) |> Any, mark+", "down(a) -> Integer ! warning", "col(b) .>[;] tok*",
            "true => Any{6} | (a, b, val)+", "tok -> tok", "(row(1)) -> ()", "col(3) => n{2}, mark",
        ]
    ),
    min_size=1, max_size=5, unique=True,
)  # fmt: skip
HEAD = (
    '% Tokens.\ntok = [a-z]+\nval := Integer or "n/a"\n  % in between\n  or Date\n'
    'n = [0-9]{2}\nmark := "-" or "n/a"\n\n'
)


def as_csv(rows: list[list[str]]) -> str:
    return "".join(",".join(row) + "\n" for row in rows)


@settings(max_examples=60, deadline=None)
@given(schemas, tables, tables)
def test_it_always_accepts_the_files_and_only_widens(
    rules: list[str], old: list[list[str]], new: list[list[str]]
) -> None:
    schema = HEAD + "\n% Said.\n".join(rules) + "\n"
    with tempfile.TemporaryDirectory() as name:
        path, data, before = Path(name, "s.sculpt"), Path(name, "new.csv"), Path(name, "old.csv")
        path.write_text(schema)
        data.write_text(as_csv(new))
        before.write_text(as_csv(old))
        found = sculpt.propose(data, update=path)
        made = sculpt.Schema.parse(found.schema)
        if found.problems:
            assert found.schema == schema
            return
        assert sculpt.validate(made, data).valid, found.schema
        if sculpt.validate(path, before).valid:
            assert sculpt.validate(made, before).valid, found.schema
        path.write_text(found.schema)
        again = sculpt.propose(data, update=path)
        assert again.is_current
        assert again.schema == found.schema
        assert (found.schema == schema) == sculpt.validate(sculpt.Schema.parse(schema), data).valid
        kept = {line for line in schema.splitlines() if line.lstrip().startswith("%")}
        assert kept <= set(found.schema.splitlines())
        number = sum(
            not isinstance(e, ast.Comment | ast.BlankLine) for e in made.document.statements
        )
        dropped = sum(change.what.startswith("dropped") for change in found.changes)
        assert number + dropped >= len(rules) + 4


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from("abcx"), max_size=7), st.integers(0, 5))
def test_changes_are_few(word: list[str], which: int) -> None:
    contents = ("a, b, c", "a, b*, c", "(a | b)+, c", "a{2}, b?", "a | b, c", "(a, b){2,}")
    rule = sculpt.Schema.parse(f"row(1) -> {contents[which]}\n").document.statements[0]
    assert isinstance(rule, ast.Rule)
    letters = "".join(char for char in contents[which] if char in "abc")
    cells = [
        Element(frozenset(n for n, each in enumerate(letters) if each == text), ((1, ix, text),))
        for ix, text in enumerate(word, 1)
    ]
    found = changes(Places(rule.content), cells, lambda letter, element: 20)
    assert found is not None
    Path("word.csv").write_text(",".join(word) + "\n" if word else "")
    valid = sculpt.validate(sculpt.Schema.parse(f"row(1) -> {contents[which]}"), "word.csv").valid
    assert (found == []) == valid or not word
    assert len(found) <= len(word) + 4
    assert all(isinstance(op, Other | Absent | Extra) for op in found)


# ------------------------------------------------------------- forms


def test_forms_of_texts() -> None:
    assert general(["-", "n/a"]).texts == ("-", "n/a")
    assert general(["1", "2.5"]).written == "Number"
    assert general(["2024-01-02"]).written == "xs:date"
    assert general(["AB-12", "CD-34"]).written == "[A-Z]{2}-[0-9]{2}"
    assert general(["4oo"]).texts == ("4oo",)
    assert with_other_numbers("Week 14", ["Week 15"]) == "Week [0-9]+"
    assert with_other_numbers("Week 14", ["Weeks 15"]) is None
    for wide, narrow, holds in (
        ("[a-z]+", "a|bc", True), ("a|b", "[ab]", True), ("[a-z]{2}", "[a-z]+", False),
        ("a*", "", True), ("(?i)x", "X|x", True), ("[a-z]*", "[a-z0-9]", False),
    ):  # fmt: skip
        a, b = parsed(wide), parsed(narrow)
        assert a is not None
        assert b is not None
        assert includes(a, b) == holds, (wide, narrow)
    assert parsed("a(") is None


# ------------------------------------------------------------- the command


def run(*arguments: str, status: int) -> None:
    assert run_call(["init", *arguments]) == status


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    Path("new.csv").write_text(DATA.replace("grain", "rye"))
    run("new.csv", "--update", "s.sculpt", status=0)
    assert capsys.readouterr().out == (
        "line 6: cargo gains rye, forced by new.csv (4,3) `rye`\n"
        "--- s.sculpt\n+++ s.sculpt (updated)\n@@ -3,7 +3,7 @@\n"
        " landings of = Landings of week [0-9]+\n % A quay and a place.\n berth = [A-Z][0-9]\n"
        "-cargo = grain|salt|timber\n+cargo = grain|salt|timber|rye\n"
        ' missing := "n/a"\n \n % The order.\n'
    )
    run("new.csv", "--update", "s.sculpt", "--check", status=1)
    run("old.csv", "--update", "s.sculpt", "--check", status=0)
    assert Path("s.sculpt").read_text() == SCHEMA
    run("new.csv", "--update", "s.sculpt", "-o", "s.sculpt", status=2)
    capsys.readouterr()
    run("new.csv", "--update", "s.sculpt", "-o", "s.sculpt", "--force", status=0)
    assert capsys.readouterr().out.startswith("line 6: cargo gains rye")
    assert Path("s.sculpt").read_text() == SCHEMA.replace("|timber", "|timber|rye")
    run("new.csv", "old.csv", "--update", "s.sculpt", "--check", status=0)
    assert capsys.readouterr().out == ""


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    Path("new.csv").write_text(DATA.replace("grain", "rye"))
    run("old.csv", "--sister", "new.csv", "--update", "s.sculpt", "-f", "json", status=0)
    found = json.loads(capsys.readouterr().out)
    assert found["changes"] == [
        {
            "line": 6, "change": "cargo gains rye", "before": "cargo = grain|salt|timber",
            "after": "cargo = grain|salt|timber|rye", "file": "new.csv", "row": 4, "column": 3,
            "text": "rye",
        }
    ]  # fmt: skip
    assert "|rye" in found["schema"]


def test_wrong_calls(capsys: pytest.CaptureFixture[str]) -> None:
    Path("bad.sculpt").write_text("row(1 -> a\n")
    Path("bytes.sculpt").write_bytes(b"row(1) -> \xff\n")
    Path("p.json").write_text('{"resources": [{"name": "a", "path": "old.csv"}]}')
    Path("semi.csv").write_text(DATA.replace(",", ";"))
    for arguments, status, said in (
        (["--update", "absent.sculpt"], 2, "cannot be read"),
        (["--update", "bad.sculpt"], 2, "bad.sculpt:1:6: error [syntax]"),
        (["--update", "bytes.sculpt"], 2, "not UTF-8"),
        (["--update", "p.json"], 2, "only schemas of Sculpt can be updated"),
        (["--update", "-"], 2, "needs the file of a schema"),
        (["--update", "s.sculpt", "--strictness", "tight"], 2, "--strictness"),
        (["--update", "s.sculpt", "--explain"], 2, "--explain"),
        (["--update", "s.sculpt", "--check", "-o", "x"], 2, "writes nothing"),
        (["--check"], 2, "--update"),
        (["absent.csv", "--update", "s.sculpt"], 3, "absent.csv"),
        (["semi.csv", "--update", "s.sculpt"], 1, "written differently"),
        (["semi.csv", "--update", "s.sculpt", "-o", "x.sculpt"], 1, "written differently"),
    ):
        run("old.csv", *arguments, status=status)
        assert said in capsys.readouterr().err, arguments
    assert not Path("x.sculpt").exists()
    with pytest.raises(sculpt.UsageError):
        sculpt.propose("old.csv", update="s.sculpt", strictness="tight")
    with pytest.raises(sculpt.UsageError):
        sculpt.propose([], update="s.sculpt")
