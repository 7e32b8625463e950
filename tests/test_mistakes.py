"""A table of mistakes that people make in schemas, and what they are told."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from executed_docs import run_command

import sculpt
from agreement import HERE
from sculpt.core.spreadsheet import column_letters, column_number, place_meant


@dataclass(frozen=True)
class Mistake:
    name: str
    schema: str
    data: str
    hints: tuple[str, ...] = ()
    """Of violations and warnings, on every engine."""
    lints: tuple[str, ...] = ()
    """Messages and hints of lints."""

    def __str__(self) -> str:
        return self.name


UNDECLARED = "iban is declared nowhere, so only the text `iban` matches"
EMPTY = "only empty cells follow: `Empty*` at the end of the content allows them"

MISTAKES = [
    Mistake(
        "a token that was never declared",
        "col(IBAN) -> iban\n",
        "IBAN\nDE02\n",
        (UNDECLARED,),
        (
            "`iban` is declared nowhere, so only the text `iban` matches",
            'declare it: `iban = …`; or write `"iban"` if you mean the text',
        ),
    ),
    Mistake(
        "one among others",
        "n = [0-9]+\ncol(2) or col(3) -> n, iban\n",
        "x,1,DE02\n",
        (UNDECLARED,),
        ("`iban` is declared nowhere, so only the text `iban` matches",),
    ),
    Mistake("a text in quotes is meant", 'col(1) -> "iban"\n', "DE02\n"),
    Mistake(
        "a text that another cell has",
        "col(1) -> EUR\n",
        "EUR\nUSD\n",
        lints=("`EUR` is declared nowhere, so only the text `EUR` matches",),
    ),
    Mistake(
        "an undeclared name or nothing",
        "col(2) -> iban | Empty\n",
        "XX1,XX2\n",
        (UNDECLARED,),
    ),
    Mistake("one of several texts is meant", "col(1) -> open | closed\n", "pending\n"),
    Mistake(
        "an undeclared name in one row",
        "row(2) -> iban, Integer\n",
        "a,b\nDE02,3\n",
        (UNDECLARED,),
    ),
    Mistake("a total is meant", "n = [0-9]+\ncol(1) => n*, Total\n", "1\nSum\n"),
    Mistake(
        "empty cells after the last one",
        "row(2) -> Text, Text\n",
        "a,b,c,d\n1,2,,\n",
        (EMPTY,),
    ),
    Mistake("text after the empty cells", "row(1) -> Text, Text\n", "1,2,,x\n"),
    Mistake("an empty cell in the middle", "row(1) -> Text, Text, Text\n", "1,,\n"),
    Mistake(
        "a range of a spreadsheet",
        "B2:B10 -> Integer\n",
        "a,b\n1,2\n",
        ("`B2:B10` matches no cell; did you mean `(2,2)..(10,2)`?",),
        ("`B2:B10` is not declared, so it stands for its own text: did you mean `(2,2)..(10,2)`?",),
    ),
    Mistake(
        "a cell of a spreadsheet",
        "AB2 -> Integer\n",
        "a,b\n1,2\n",
        ("`AB2` matches no cell; did you mean `(2,28)`?",),
    ),
    Mistake(
        "the letter of a column",
        "col(B) -> Integer\n",
        "a,b\n1,2\n",
        ("`B` matches no cell; did you mean `col(2)`?",),
        ("`B` is not declared, so it stands for its own text: did you mean `col(2)`?",),
    ),
    Mistake("a heading that is a letter", "row(1) -> A, B\ncol(B) -> Integer\n", "A,B\n1,2\n"),
    Mistake(
        "the last row",
        "row(last) -> Total, Integer\n",
        "a,b\nTotal,2\n",
        ("`last` matches no cell; did you mean `not exists(down)`?",),
        (
            "`last` is not declared, so it stands for its own text:"
            " did you mean `not exists(down)`?",
        ),
    ),
    Mistake(
        "the last column",
        "col(last) -> Integer\n",
        "a,b\nTotal,2\n",
        ("`last` matches no cell; did you mean `not exists(right)`?",),
        (
            "`last` is not declared, so it stands for its own text:"
            " did you mean `not exists(right)`?",
        ),
    ),
    Mistake(
        "a comma that is missing",
        "code = [A-Z]+\nnet weight = [0-9]+\nrow(2) -> code net weight\n",
        "a,b\nX,2\n",
        ("code net weight is one name, and declared nowhere: a comma? `code, net weight`",),
        (
            "`code net weight` is not declared, so it stands for its own text:"
            " a comma? `code, net weight`",
        ),
    ),
    Mistake(
        "a comma before a predefined token",
        "code = [A-Z]+\ncol(1) or col(2) -> code Integer\n",
        "X,2\n",
        ("code Integer is one name, and declared nowhere: a comma? `code, Integer`",),
        (
            "`code Integer` is not declared, so it stands for its own text:"
            " a comma? `code, Integer`",
        ),
    ),
    Mistake(
        "quotes around an expression",
        'amount = "[0-9]+"\ncol(1) -> amount\n',
        "12\n",
        ("amount does not allow `1` at character 1",),
        (
            "the quotes are part of the text that this token matches",
            'remove them; write `\\"` where a quote is part of the texts',
        ),
    ),
    Mistake("a quoted character", 'amount = [0-9]+"."[0-9]+\ncol(1) -> amount\n', "1.2\n"),
]


@pytest.mark.parametrize("mistake", MISTAKES, ids=str)
@pytest.mark.parametrize("engine", HERE)
def test_hints(tmp_path: Path, mistake: Mistake, engine: str) -> None:
    path = tmp_path / "data.csv"
    path.write_text(mistake.data, encoding="utf-8")
    verdict = sculpt.validate(sculpt.Schema.parse(mistake.schema), path, engine=engine)
    told = [*(each.hint for each in verdict.violations), *(each.hint for each in verdict.warnings)]
    if mistake.hints:
        for hint in mistake.hints:
            assert hint in told
    else:
        words = ("declared nowhere", "`Empty*`", "did you mean `col", "comma")
        assert not [hint for hint in told if hint and any(word in hint for word in words)]


@pytest.mark.parametrize("mistake", MISTAKES, ids=str)
def test_lints(mistake: Mistake) -> None:
    lint = sculpt.Schema.parse(mistake.schema).lint
    told = [*(each.message for each in lint), *(each.hint for each in lint)]
    for text in mistake.lints:
        assert text in told
    if not mistake.lints:
        assert not [each for each in lint if each.code not in ("ambiguous-anchor",)]


def test_the_arrow_that_reads_from_top_to_bottom(tmp_path: Path) -> None:
    schema, data = tmp_path / "s.sculpt", tmp_path / "d.csv"
    schema.write_text("field = [a-z]+\ncol(1) -> field+, Total\n", encoding="utf-8")
    data.write_text("a\nb\nTotal\n", encoding="utf-8")
    call = ["validate", str(schema), str(data), "--engine", "reference"]
    hint = "   = hint: each row of the region has one cell: `=>` reads it from top to bottom\n"
    assert hint in run_command(call).output
    schema.write_text("field = [a-z]+\ncol(1) => field+, Total\n", encoding="utf-8")
    assert run_command(call).status == 0
    schema.write_text("field = [a-z]+\ntrue -> field+, Total\n", encoding="utf-8")
    data.write_text("a,b\nb\nTotal\n", encoding="utf-8")
    assert "`=>`" not in run_command(call).output  # two cells in the first row


# ------------------------------------------------------------- the call


def test_data_given_as_the_schema(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("s.sculpt").write_text("% a schema\ncol(1) -> Integer\n", encoding="utf-8")
    Path("d.csv").write_text("a,b\n" * 50, encoding="utf-8")
    hint = "hint: is `d.csv` the data? The schema comes first.\n"
    for call in (["validate"], ["select"], ["extract"]):
        more = [] if call == ["validate"] else ["true"]
        swapped = run_command([*call, "d.csv", "s.sculpt", *more])
        assert swapped.status == 2
        assert swapped.errors.endswith(f"error: d.csv: 50 errors\n{hint}")
        assert swapped.errors.count("error [not-a-statement]") == 20
        assert "… and 30 more errors\n" in swapped.errors
    Path("other.csv").write_text("a,b\n", encoding="utf-8")
    assert "is `d.csv` the data?" not in run_command(["validate", "d.csv", "other.csv"]).errors
    asked = "is `d.csv` the data? `--discover` uses the CSVW metadata beside it"
    assert asked in run_command(["validate", "d.csv"]).errors
    for call in (["explain", "d.csv"], ["export", "d.csv", "--to", "csvw"], ["fmt", "d.csv"]):
        assert "--discover" not in run_command(call).errors
    Path("bytes.csv").write_bytes(b"caf\xe9,1\n")
    assert "is `bytes.csv` the data?" in run_command(["validate", "bytes.csv", "s.sculpt"]).errors
    Path("typo.sculpt").write_text("a = b\nc = d\ncol(1) Integer\n", encoding="utf-8")
    assert "the data?" not in run_command(["validate", "typo.sculpt", "s.sculpt"]).errors


def test_large_data_given_as_the_schema_is_rejected_by_its_beginning(tmp_path: Path) -> None:
    schema, data = tmp_path / "s.sculpt", tmp_path / "d.csv"
    schema.write_text("col(1) -> Integer\n", encoding="utf-8")
    data.write_text("a,b\n" * 500_000, encoding="utf-8")
    swapped = run_command(["validate", str(data), str(schema)])
    assert swapped.status == 2
    assert swapped.errors.endswith("the data? The schema comes first.\n")
    assert "500,000 errors" not in swapped.errors
    long = "% a comment\n" * 100_000 + "col(1) Integer\n"
    with pytest.raises(sculpt.SchemaError) as caught:
        sculpt.Schema.parse(long)
    assert [each.span.line for each in caught.value.diagnostics] == [100_001]


def test_many_errors_are_counted(tmp_path: Path) -> None:
    schema = tmp_path / "s.sculpt"
    schema.write_text("col(1) Integer\n" * 21 + "t = a\n", encoding="utf-8")
    checked = run_command(["check", str(schema)]).output
    assert checked.count("error [not-a-statement]") == 20
    assert checked.endswith(f"\n… and 1 more error\n\n{schema}: 21 errors\n")


# ------------------------------------------------------------- parts


@pytest.mark.parametrize(
    ("name", "statement", "place"),
    [
        ("B2", "B2", "(2,2)"),
        ("B2:B2", "B2:B2", "(2,2)"),
        ("D10:B2", "D10:B2", "(2,2)..(10,4)"),
        ("A1:C1", "A1:C1", "(1,1)..(1,3)"),
        ("AA", "col(AA)", "col(27)"),
        ("AA", "row(AA)", None),
        ("b2", "b2", None),
        ("B0", "B0", None),
        ("end", "row(end)", "not exists(down)"),
        ("last", "last", None),
    ],
)
def test_places_of_spreadsheets(name: str, statement: str, place: str | None) -> None:
    assert place_meant(name, statement) == place


def test_the_selector_for_a_range_selects_it(tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_text("a,b,c,d\n" * 12, encoding="utf-8")
    selector = place_meant("B2:D10", "")
    assert selector is not None
    cells = sculpt.select(sculpt.Schema.parse(""), path, selector)
    assert cells == [(row, column) for row in range(2, 11) for column in range(2, 5)]
    for axis, last in (("row", [(12, c) for c in range(1, 5)]), ("col", None)):
        selector = place_meant("last", f"{axis}(last)")
        assert selector is not None
        wanted = last or [(row, 4) for row in range(1, 13)]
        assert sculpt.select(sculpt.Schema.parse(""), path, selector) == wanted


@pytest.mark.parametrize("number", [*range(1, 60), 702, 703, 18_278])
def test_letters_of_columns(number: int) -> None:
    assert column_number(column_letters(number)) == number


def test_every_conclusion_says_that_nothing_was_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    summary = tmp_path / "summary.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    schema, data = tmp_path / "s.sculpt", tmp_path / "d.csv"
    schema.write_text("col(Nope) -> Integer\n", encoding="utf-8")
    data.write_text("x,y\n1,2\n", encoding="utf-8")
    for call in (["show"], ["validate"], ["validate", "-f", "github"]):
        output = run_command([*call, str(schema), str(data)]).output
        assert f"{data}: nothing was checked (2 rows × 2 columns" in output
    assert "⚠️ nothing was checked" in summary.read_text(encoding="utf-8")
    assert "nothing was checked" in repr(sculpt.validate(schema, data))


def test_no_data() -> None:
    with pytest.raises(sculpt.UsageError, match="does not say where its data is: name a file"):
        sculpt.validate(sculpt.Schema.parse("true -> Any*\n"), None)


@pytest.mark.parametrize("data", [3, b"d.csv", ["d.csv"]])
def test_data_that_is_no_path(data: object) -> None:
    with pytest.raises(sculpt.UsageError, match=r"a path is a text or a `pathlib\.Path`, not "):
        sculpt.validate(sculpt.Schema.parse("true -> Any*\n"), data)  # type: ignore[arg-type]
