"""Rows with carets: the caret is under its cell, whatever the row contains."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from executed_docs import run_command
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from sculpt.diagnostics import Diagnostic, Source, Span
from sculpt.report.rows import show_row
from sculpt.report.styled import harmless, styled, width
from sculpt.report.text import counted, diagnostic_text, visible
from sculpt.verdict import Excerpt


def lines_of(excerpt: Excerpt, region: list[tuple[int, int]] | None = None) -> tuple[str, str]:
    row, marks = show_row(excerpt, region or [])
    return row, marks.plain


def test_a_short_row_is_shown_whole() -> None:
    assert lines_of(Excerpt("ab,cd,ef", 3, 5, 1)) == ("ab,cd,ef", "   ^^")


def test_the_end_of_a_row_has_a_caret_behind_it() -> None:
    assert lines_of(Excerpt("ab", 2, 3, 1)) == ("ab", "  ^")


def test_the_other_cells_of_the_region_are_underlined() -> None:
    assert lines_of(Excerpt("ab,cd,ef", 3, 5, 1), [(0, 2), (3, 5)]) == ("ab,cd,ef", "-- ^^")
    assert lines_of(Excerpt("日本,x", 3, 4, 1), [(0, 2)]) == ("日本,x", "---- ^")


def test_underlines_are_cut_with_the_row() -> None:
    text = ",".join(f"cell{n}" for n in range(200))
    start = text.index("cell150")
    row, marks = lines_of(Excerpt(text, start, start + 7, 1), [(0, len(text))])
    assert len(row) == len(marks) + 1 <= 102
    assert (marks.count("^"), marks.strip("-^")) == (7, " ")


def test_wide_characters_take_two_columns() -> None:
    row, caret = lines_of(Excerpt("日本,x", 3, 4, 1))
    assert row == "日本,x"
    assert caret == "     ^"


def test_control_characters_are_visible() -> None:
    row, caret = lines_of(Excerpt("a\tb\n\0c", 2, 3, 1))
    assert row == "a→b↵␀c"
    assert caret == "  ^"


@pytest.mark.parametrize("char", "\x1b\x9b\u202e\u2066\u200f\u061c\ud800\ufeff\u2028\x85\x7f")
def test_nothing_steers_a_terminal(char: str) -> None:
    assert visible(f"a{char}b") == "a\ufffdb"
    assert harmless(styled((f"\ta{char}b\nc", "bold"))) == styled(("\ta\ufffdb\nc", "bold"))


def test_a_long_row_is_cut_around_the_cell() -> None:
    text = ",".join(f"cell{n}" for n in range(200))
    start = text.index("cell150")
    row, caret = lines_of(Excerpt(text, start, start + 7, 1))
    assert len(row) <= 102
    assert row.startswith("…")
    assert row.endswith("…")
    assert row[caret.index("^") : caret.rindex("^") + 1] == "cell150"


@given(st.text(max_size=300), st.integers(0, 300), st.integers(1, 300))
def test_the_caret_is_under_the_cell(text: str, start: int, length: int) -> None:
    start = min(start, len(text))
    end = min(len(text), start + length) if start < len(text) else start + 1
    row, caret = lines_of(Excerpt(text, start, end, 1))
    assert row.isprintable() or not row
    assert set(caret.strip()) <= {"^"}
    before = caret.index("^")
    shown = visible(text[start:end])
    # A mark that is drawn over the character before it takes no column.
    at = [ix for ix in range(len(row) + 1) if cell_len(row[:ix]) == before]
    assert any(row[ix:].startswith(shown[:1]) for ix in at)


TEXTS = st.text(
    st.one_of(st.sampled_from("\t\n\a\b\v\f\r\x1b ab日é\u0301👍🏽\u200d"), st.characters())
)


@given(st.lists(st.tuples(TEXTS, st.sampled_from(["", "bold", "red"])), max_size=4))
def test_plain_text_is_what_rich_prints(pieces: list[tuple[str, str]]) -> None:
    file = io.StringIO()
    console = Console(file=file, soft_wrap=True, highlight=False, emoji=False, markup=False)
    console.print(Text.assemble(*pieces))
    assert styled(*pieces).plain + "\n" == file.getvalue()


@given(TEXTS)
def test_columns_are_what_rich_measures(text: str) -> None:
    assert width(text) == cell_len(text)


@pytest.mark.parametrize("code", ["syntax", "likely-typo"])
def test_a_diagnostic_has_the_colours_of_its_severity(code: str) -> None:
    source = Source("a.sculpt", "row(1) -> an error warning here\n")
    found = Diagnostic(code, "this is", Span(source, 10, 12), hint="no error warning at all")
    text = Text(found.render())
    style = "bold red" if found.is_error else "bold yellow"
    text.highlight_words([f" {found.severity} "], style)
    text.highlight_regex(r"(?m)^\s*\|\s*\^+$", style)
    text.highlight_regex(r"(?m)^\s+= hint: .*$", "cyan")
    assert in_colours(Text.assemble(*diagnostic_text(found).pieces)) == in_colours(text)


def in_colours(text: Text) -> str:
    file = io.StringIO()
    Console(file=file, soft_wrap=True, color_system="standard", force_terminal=True).print(text)
    return file.getvalue()


@pytest.mark.parametrize(("count", "text"), [(0, "0 rows"), (1, "1 row"), (1234, "1,234 rows")])
def test_counted(count: int, text: str) -> None:
    assert counted(count, "row") == text


def test_the_line_is_told_where_it_is_not_the_row(tmp_path: Path) -> None:
    schema, data = tmp_path / "s.sculpt", tmp_path / "d.csv"
    schema.write_text("Comment = #\ncol(1) -> Integer\ncol(2) |> Any{3}\n", encoding="utf-8")
    data.write_text('# a\n1,"x\ny"\n# b\nz,q\n', encoding="utf-8")
    output = run_command(["validate", str(schema), str(data)]).output.splitlines()
    assert "row 2, column 1 (line 5): found `z`, expected Integer" in output
    assert "column 2 ends too early: expected Any" in output


def test_a_rule_of_an_included_file_is_told_with_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # a long path would be cut
    Path("part.sculpt").write_text("\ncol(1) -> Integer\n", encoding="utf-8")
    Path("main.sculpt").write_text('include "part.sculpt"\ncol(1) -> Date\n', encoding="utf-8")
    Path("d.csv").write_text("x\n", encoding="utf-8")
    output = run_command(["validate", "main.sculpt", "d.csv"]).output
    assert "part.sculpt: col(1) -> Integer" in output
    assert " --> rule 1, line 2 of " in output
    assert " --> rule 2, line 2: col(1) -> Date" in output


def test_colour_is_there_on_request_and_off_with_no_color(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    schema, data = tmp_path / "s.sculpt", tmp_path / "d.csv"
    schema.write_text("col(1) -> Integer\n", encoding="utf-8")
    data.write_text("x\n", encoding="utf-8")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    assert "\x1b[1;31m" in run_command(["validate", str(schema), str(data)]).output
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in run_command(["validate", str(schema), str(data)]).output
