"""GitHub: commands as a runner reads them, annotations for all rules, a summary that fits."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

import sculpt
from reported import HOSTILE, SCHEMA, quoted_csv, reported
from sculpt.report.formats.checks import Report
from sculpt.report.formats.github import (
    MAX_SUMMARY,
    append_summary,
    command,
    diagnostics_github,
    fitted,
    github_lines,
    summary_lines,
)
from sculpt.report.formats.markdown import code, plain
from sculpt.report.styled import visible

KNOWN = ("error", "warning", "notice", "set-output", "add-mask", "group", "debug", "stop-commands")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)


def runner(line: str) -> tuple[str, dict[str, str], str] | None:
    """What a runner makes of a line: a command, its properties and its data; or nothing.

    Both notations are read as a runner does: `::name key=value::data` at the beginning of a line,
    after blanks, and `##[name]data` anywhere in it.
    """
    found = re.match(r"\s*::([^\s:]+)(?: (.*?))?::(.*)$", line, re.DOTALL)
    if found is None:
        old = re.search(r"##\[([a-z-]+)", line)
        assert old is None or old[1] not in KNOWN, line
        return None
    properties = {}
    for each in filter(None, (found[2] or "").split(",")):
        key, _, value = each.partition("=")
        for escape, char in (
            ("%0D", "\r"),
            ("%0A", "\n"),
            ("%3A", ":"),
            ("%2C", ","),
            ("%25", "%"),
        ):
            value = value.replace(escape, char)
        properties[key] = value
    data = found[3]
    for escape, char in (("%0D", "\r"), ("%0A", "\n"), ("%25", "%")):
        data = data.replace(escape, char)
    return found[1], properties, data


def annotated(report: Report) -> list[tuple[str, dict[str, str], str]]:
    read = [runner(line) for line in github_lines(report)]
    return [each for each in read if each is not None]


def test_an_annotation_is_at_its_place() -> None:
    (error, warning) = annotated(reported({"a.csv": b"name,age\nAda, x7\n"}))
    assert error == (
        "error",
        {"file": "a.csv", "line": "2", "col": "6", "title": "sculpt row-content: Ages are numbers"},
        "a.csv, row 2, column 2: found `x7`, expected Integer\n"
        "hint: Integer does not allow `x` at character 1\n"
        "rule 2, line 4: col(age) -> Integer",
    )
    assert warning[0] == "warning"
    assert (warning[1]["file"], warning[1]["line"]) == ("s.sculpt", "7")


def test_each_rule_is_annotated_first_and_the_most_violated_comes_first() -> None:
    rules = [f"col(c{n}) -> Integer" for n in range(8)]
    head = ",".join(f"c{n}" for n in range(8))
    rows = [",".join("x" if n >= row else "1" for n in range(8)) for row in range(7)]
    data = "\n".join([head, *rows, ""]).encode()
    found = annotated(reported({"a.csv": data}, "\n".join(rules)))
    assert len(found) == 10
    first = [each[1]["title"] for each in found[:8]]
    assert len(set(first)) == 8
    assert first[0] == "sculpt row-content: col(c6) -> Integer"
    assert [each[1]["title"] for each in found[8:]] == first[:2]


def test_no_more_than_ten_of_a_kind() -> None:
    files: dict[str, bytes | None] = {f"no{n}.csv": None for n in range(30)}
    files |= {f"a{n}.csv": b"name,age\n" + b"Ada,x\n" * 1000 for n in range(3)}
    schema = SCHEMA + "".join(f"col({n}) -> x\n" for n in range(100, 130))
    kinds = [kind for kind, _, _ in annotated(reported(files, schema))]
    assert (kinds.count("error"), kinds.count("warning")) == (10, 10)
    texts = [text for _, _, text in annotated(reported(files, schema))]
    assert sum("cannot be read" in text for text in texts) == 5
    assert sum("expected Integer" in text for text in texts) == 5


def test_files_that_cannot_be_read_take_the_room_that_is_left() -> None:
    files: dict[str, bytes | None] = {f"no{n}.csv": None for n in range(30)}
    found = annotated(reported({**files, "a.csv": b"name,age\nAda,x\n"}))
    assert sum(kind == "error" for kind, _, _ in found) == 10


def test_hostile_texts_and_names_are_no_commands() -> None:
    names: dict[str, bytes | None] = {
        "a,line=1::error::b%0A.csv": quoted_csv(HOSTILE),
        "::error::owned.csv": None,
        "##[error]owned.csv": b"x\n",
    }
    report = reported(names, SCHEMA + '% ::error::x\nrow(2) -> "::error::x"\n')
    lines = list(github_lines(report))
    for line in lines:
        assert "\n" not in line
        assert "\r" not in line
        assert "\x1b" not in line
    read = [each for line in lines if (each := runner(line))]
    assert {kind for kind, _, _ in read} == {"error", "warning"}
    assert {each["file"] for _, each, _ in read} <= {*names, "s.sculpt"}
    assert all(set(each) <= {"file", "line", "col", "title"} for _, each, _ in read)


@given(st.text(), st.text(min_size=1).filter(lambda text: "\0" not in text and text != "-"))
def test_a_command_is_read_back(message: str, title: str) -> None:
    read = runner(command("error", message, title=title))
    assert read is not None
    kind, properties, data = read
    assert kind == "error"
    assert data == "\n".join(map(visible, message.split("\n")))
    shown = "\n".join(map(visible, title.split("\n")))
    assert properties == {"title": shown if len(title) <= 200 else properties["title"]}


def test_paths_are_relative_to_the_workspace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path / "sub")
    found = annotated(reported({"a.csv": b"name,age\nAda,x\n"}))
    assert [each["file"] for _, each, _ in found] == ["sub/a.csv", "sub/s.sculpt"]


def test_diagnostics_are_annotated_by_kind() -> None:
    with pytest.raises(sculpt.SchemaError) as error:
        sculpt.Schema.parse("row(1 -> a\n" + "x\n" * 20, name="s.sculpt")
    lines = list(diagnostics_github(error.value.diagnostics))
    read = [each for line in lines if (each := runner(line))]
    assert len(read) == 10
    assert [each["title"] for _, each, _ in read][:2] == ["sculpt syntax", "sculpt not-a-statement"]
    assert lines[-1] == "sculpt: 21 errors, of which 10 are shown"
    lint = sculpt.Schema.parse("unused = a\nrow(1) -> b\n", name="s.sculpt").lint
    ((kind, _, _),) = [each for line in diagnostics_github(lint) if (each := runner(line))]
    assert kind == "warning"


# ------------------------------------------------------------- the summary


def rendered(markdown: str) -> list[list[str]]:
    """The cells of all tables, as a reader sees them."""
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(markdown)
    rows = re.findall(r"<tr>(.*?)</tr>", html, re.DOTALL)
    cells = [re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row, re.DOTALL) for row in rows]
    return [[unescape(re.sub(r"</?(code|br)>", "", cell)) for cell in row] for row in cells]


def test_the_summary_has_a_table_of_files_and_one_of_rules() -> None:
    report = reported(
        {"a.csv": b"name,age\nAda,36\n", "b.csv": b"name,age\nAda,x\nBob,y\n", "no.csv": None}
    )
    cells = rendered("\n".join(summary_lines(report)))
    assert cells == [
        ["file", "verdict", "rows", "columns", "violations", "warnings"],
        ["b.csv", "❌ not valid", "3", "2", "2", "1"],
        ["no.csv", "❌ no.csv: cannot be read: no such file or directory", "", "", "", ""],
        ["a.csv", "✅ valid", "2", "2", "0", "1"],
        ["rule", "failed", "first"],
        [
            "Ages are numberscol(age) -> Integerrule 2, line 4",
            "2 of 2",
            "row 2, column 2: found `x`, expected Integer",
        ],
    ]


@given(st.text() | st.sampled_from(HOSTILE))
def test_any_text_is_shown_as_it_is(text: str) -> None:
    shown = " ".join(visible(text).split())
    page = f"| a | b |\n|---|---|\n| {code(text)} | {plain(text)} |\n"
    ((_, _), (first, second)) = rendered(page)
    assert " ".join(first.split()) == shown
    assert " ".join(second.split()) == shown
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(page)
    assert set(re.findall(r"<(\w+)", html)) <= {"table", "thead", "tbody", "tr", "th", "td", "code"}


def test_a_summary_has_at_most_a_mebibyte_and_says_what_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "summary.md"
    files: dict[str, bytes | None] = {
        f"{'x' * 200}{n}.csv": b"name,age\nAda,x\n" for n in range(900)
    }
    report = reported(files, SCHEMA, limit=1)
    path.write_text("before\n", encoding="utf-8")
    for _ in range(6):
        append_summary(report, str(path))
    text = path.read_bytes()
    assert len(text) <= MAX_SUMMARY
    assert text.startswith(b"before\n### Sculpt: 900 files, 0 valid\n")
    assert "more lines do not fit into the summary of a step.\n" in text.decode()


@given(st.lists(st.text(max_size=40), max_size=30), st.integers(0, 1200))
def test_what_fits_is_whole_lines(lines: list[str], limit: int) -> None:
    lines = [visible(line) for line in lines]
    data = fitted(lines, limit)
    assert len(data) <= limit
    whole = "".join(f"{line}\n" for line in lines)
    text = data.decode()
    kept = text.partition("\n… ")[0]
    assert whole.startswith(kept)
    if text != whole and limit >= 200:
        assert "do not fit" in text
