"""The report as text: what it says, what it leaves out, and that it never grows too large.

How it looks and behaves in a browser is in `test_browser.py`.
"""

from __future__ import annotations

import base64
import hashlib
import html as html_module
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sculpt
from pages import DRAFT, HOSTILE, NOON, STATEMENT, hostile_view, made_up_view, unread, view_of
from sculpt.core.spreadsheet import column_letters
from sculpt.verdict import Unread
from sculpt.views.html.budget import shares
from sculpt.views.html.markup import text, visible
from sculpt.views.html.parts.head import FileFacts, file_facts
from sculpt.views.html.report import LIMIT, report_html, show_html

VOID = {"meta", "br"}


def words(page: str) -> str:
    """What a reader sees, more or less."""
    body = re.sub(r"<(script|style)\b.*?</\1>", "", page, flags=re.DOTALL)
    return html_module.unescape(re.sub(r"<[^>]*>", " ", body))


def data_blocks(page: str) -> dict[str, Any]:
    pattern = r'<script type="application/json" id="([^"]*)">(.*?)</script>'
    return {name: json.loads(block) for name, block in re.findall(pattern, page, re.DOTALL)}


def is_well_formed(page: str) -> bool:
    """Does every tag end where it must? No browser would say."""
    page = re.sub(r"<(script|style)\b.*?</\1>", "", page, flags=re.DOTALL)
    open_tags: list[str] = []
    for end, name in re.findall(r"<(/?)([a-z][a-z0-9-]*)", page):
        if end:
            if not open_tags or open_tags.pop() != name:
                return False
        elif name not in VOID:
            open_tags.append(name)
    return not open_tags


# ------------------------------------------------------------- what it says


def test_the_statement() -> None:
    page = report_html([view_of(DRAFT, STATEMENT)], made=NOON)
    said = " ".join(words(page).split())
    for part in (
        "Not valid statement.csv",
        "3 of 10 rules are violated; 10 cells are checked by no rule.",
        "24 rows × 5 columns",
        "66 of 76 cells with text (87%) are checked by a rule",
        "2026-04-01 12:00:00 UTC",
        f"Sculpt {sculpt.__version__}, engine reference",
        "723 bytes",
        hashlib.sha256(STATEMENT.read_bytes()).hexdigest(),
        'UTF-8, columns end at “;”, quotes are "',
        "Amounts have two decimals",
        "5 of 9 rows fail",
        "7.5% of the table",
        "Row 16, column 5 (E)",
        "found -950.00 , expected amount",
        "Closing balance (23, 1)",
        "all 9 rows hold",
    ):
        assert part in said, part
    assert is_well_formed(page)


def test_the_policy_names_the_script_and_the_style() -> None:
    page = report_html([view_of(DRAFT, STATEMENT)], made=NOON)
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for kind in ("style", "script"):
        contents = re.findall(rf"<{kind}>(.*?)</{kind}>", page, re.DOTALL)
        assert len(contents) == 1
        digest = base64.b64encode(hashlib.sha256(contents[0].encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert not re.search(r"<[^>]* (style|on[a-z]+)=", page)


def test_without_the_script(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sculpt.views.html.page.page_script", lambda: None)
    page = report_html([view_of(DRAFT, STATEMENT)], made=NOON)
    assert "<script" not in page
    assert "script-src" not in page
    assert "The script of this page is not installed" in words(page)
    assert "Row 16, column 5 (E)" in words(page)


def test_a_valid_file() -> None:
    schema = STATEMENT.parent / "schema.sculpt"
    said = words(report_html([view_of(schema, STATEMENT)], made=NOON))
    assert "All 12 rules hold; every cell with text is checked." in said


@pytest.mark.parametrize(
    ("schema", "data", "headline"),
    [
        ("", "a,b\n", "The schema has no rules, so nothing was checked."),
        ("col(zzz) -> Date", "a,b\n", "Nothing was checked: no rule selects a cell."),
        ("col(1) -> Text", "a,b\n", "The only rule holds; 1 cell is checked by no rule."),
        ("row(1) -> Text*", "a,b\n", "The only rule holds; every cell with text is checked."),
        ("row(1) -> Date", "", "Nothing was checked: no rule selects a cell."),
        ("unique(a)\nrow(1) -> Any*", "a,a\n", "1 violation of the structure; every cell"),
        ("row(1) -> x\ncol(9) -> Date", "a\n", "1 of 2 rules is violated; 1 rule selects no cell;"),
        (
            "row(1) -> Any*\nrow(7) -> Any*",
            "a\n",
            "All 2 rules hold, but one of them selects no cell;",
        ),
    ],
)
def test_headlines(schema: str, data: str, headline: str, tmp_path: Path) -> None:
    said = words(report_html([view_of(schema, data, tmp_path)], made=NOON))
    assert headline in said


def test_several_files(tmp_path: Path) -> None:
    schema = "row(1) -> Date*"
    views = [view_of(schema, data, tmp_path) for data in ("2024-01-01\n", "x\n", "x,y\nz\n")]
    page = report_html([*views, unread()], made=NOON)
    said = words(page)
    assert "1 could not be read; 2 are not valid; 1 is valid." in said
    assert said.index("could not be read") < said.index("The rules")
    assert page.count('class="rules-part"') == 3
    assert page.count('id="schema"') == 1
    assert is_well_formed(page)


def test_constraints_on_the_same_line_of_two_files(tmp_path: Path) -> None:
    (tmp_path / "other.sculpt").write_text("unique(a)\n")
    main = tmp_path / "main.sculpt"
    main.write_text('unique(b)\ninclude "other.sculpt"\nrow(1) -> Any*\n')
    data = tmp_path / "data.csv"
    data.write_text("a,a,b,b\n")
    page = report_html([view_of(main, data)], made=NOON)
    names = re.findall(r' id="([^"]*)"', page)
    assert len(names) == len(set(names))


def test_a_pipe_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert file_facts(str(tmp_path / "pipe")) == FileFacts()
    assert file_facts("-") == FileFacts()
    assert file_facts("s3://bucket/key") == FileFacts()
    assert file_facts("\0") == FileFacts()


def test_only_files_that_could_not_be_read() -> None:
    page = report_html([unread()], made=NOON)
    assert "Could not be read" in words(page)
    assert is_well_formed(page)


def test_strict() -> None:
    view = view_of(DRAFT.parent / "schema.sculpt", STATEMENT)
    assert "Not valid" not in words(report_html([view], strict=True))


def test_strict_with_warnings(tmp_path: Path) -> None:
    view = view_of("row(1) -> Any*\nrow(7) -> Any*", "a\n", tmp_path)
    assert "Not valid, because of warnings" in words(report_html([view], strict=True))


def test_too_little_is_checked(tmp_path: Path) -> None:
    view = view_of("row(1) -> Any*", "a,b\nc,d\n", tmp_path)
    assert "Not valid" not in words(report_html([view], min_coverage=50))
    said = "Not valid, because less than 75% is checked"
    assert said in words(report_html([view], min_coverage=75))


def test_the_page_of_show() -> None:
    view = view_of(DRAFT, STATEMENT)
    windows = [view.window(1, 3), view.window(20, 5)]
    page = show_html(view, windows)
    assert is_well_formed(page)
    assert "⋮ rows 4 to 19 not shown" in words(page)
    assert "rule 9" in words(page)
    only = show_html(view, windows, only=["rule:1"])
    assert 'data-r="0"' in only
    assert 'data-r="1"' not in only


def test_the_page_of_show_has_a_limit() -> None:
    view, _ = made_up_view(200_000, 20)
    page = show_html(view, [view.window(1, 50_000), view.window(60_000, 10)])
    assert 1_000_000 < len(page.encode()) <= LIMIT
    assert "did not fit into this page" in words(page)


# ------------------------------------------------------------- hostile texts


def test_hostile_texts(tmp_path: Path) -> None:
    page = report_html([hostile_view(tmp_path), unread()], made=NOON)
    page.encode()  # no lone surrogates
    assert is_well_formed(page)
    assert len(re.findall(r"<script>", page)) == 1
    assert len(re.findall(r"<style>", page)) == 1
    assert not re.search(r"<(img|svg on|i>gone)", page)
    for hidden in ("\0", "\x07", "\x1b", "\u202e", "\u200b", "\u2028", "\xad", "\x85"):
        assert hidden not in re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)
    assert "⟨U+202E⟩" in page
    assert "esc␛[31mred" in page


def test_the_data_has_the_texts_as_they_are(tmp_path: Path) -> None:
    page = report_html([hostile_view(tmp_path)], made=NOON)
    (window,) = data_blocks(page)["f1-table-data"]["windows"]
    cells = [row[1] for row in window["texts"]]
    assert [each[:200] for each in HOSTILE] == cells[: len(HOSTILE)]


@given(st.text(st.characters(codec=None, exclude_categories=[])))
def test_visible_texts(given: str) -> None:
    shown = visible(given)
    shown.encode()
    assert not any(
        ord(each) < 0x20 or 0x7F <= ord(each) < 0xA0 or 0x202A <= ord(each) <= 0x202E
        for each in shown
    )
    assert html_module.unescape(text(given)) == shown
    assert not set('<>"') & set(text(given))
    plain = given.isascii() and given.isprintable()
    assert not plain or shown == given


def test_names_of_columns() -> None:
    assert [column_letters(each) for each in (1, 26, 27, 52, 703, 16384)] == [
        "A", "Z", "AA", "AZ", "AAA", "XFD",
    ]  # fmt: skip


def test_ten_megabytes_in_a_cell(tmp_path: Path) -> None:
    view = view_of("col(1) -> Date", "x" * 10_000_000 + "\n", tmp_path)
    page = report_html([view], made=NOON)
    assert len(page.encode()) < 100_000
    assert is_well_formed(page)


# ------------------------------------------------------------- without data


SECRETS = st.lists(
    st.lists(st.sampled_from(["", "qz"]), min_size=1, max_size=4), min_size=1, max_size=6
)


@settings(max_examples=25)
@given(SECRETS, st.sampled_from(["->", "=>", "|>", ".>[;]"]))
def test_no_text_of_a_cell(
    tmp_path_factory: pytest.TempPathFactory, table: Any, arrow: str
) -> None:
    folder = tmp_path_factory.mktemp("no-data")
    rows = [
        ",".join(f"{cell}{row}x{col}" if cell else "" for col, cell in enumerate(cells))
        for row, cells in enumerate(table)
    ]
    schema = f"col(1) {arrow} Date | qz0x0\nrow(2) -> Integer*\ncol(qz1x9) -> Date\nunique(Text)\n"
    view = view_of(schema, "\n".join(rows), folder)
    page = report_html([view], no_data=True, made=NOON)
    assert not re.search(r"qz[0-9]+x[0-9]+", page.replace("qz0x0", "").replace("qz1x9", ""))
    with_data = report_html([view], made=NOON)
    assert "".join(rows) == "" or re.search(r"qz[0-9]+x[0-9]+", with_data)


def test_places_and_counts_without_data() -> None:
    page = report_html([view_of(DRAFT, STATEMENT)], no_data=True, made=NOON)
    said = words(page)
    assert "-950.00" not in page
    assert "Closing balance" not in page
    assert "Row 16, column 5 (E)" in said
    assert "5 of 9 rows fail" in said
    assert "(23, 1)" in said
    assert "It has no text of cells." in said
    assert hashlib.sha256(STATEMENT.read_bytes()).hexdigest() in said


# ------------------------------------------------------------- size


def test_a_million_violations() -> None:
    view, source = made_up_view(1_000_000, 8)
    page = report_html([view], made=NOON)
    assert len(page.encode()) <= LIMIT
    assert source.windows_read <= 32
    said = words(page)
    assert "1,000,000 of 1,000,000 rows fail" in said
    assert "sculpt why '<schema>' made-up.csv 1,1 rule:1" in said
    assert "sculpt validate '<schema>' made-up.csv --violations-to violations.csv" in said
    assert len(data_blocks(page)["violations"]["rules"]["f1-rule-1"]["rows"]) == 1_000


@pytest.mark.parametrize("size", [(0, 0), (1, 50_000), (10_000_000, 1), (3, 3)])
def test_sizes_of_tables(size: tuple[int, int]) -> None:
    view, source = made_up_view(*size)
    page = report_html([view], made=NOON)
    assert len(page.encode()) <= LIMIT
    assert source.windows_read <= 32
    assert is_well_formed(page)


def test_a_thousand_rules(tmp_path: Path) -> None:
    rules = "".join(f"row({at % 40 + 1}) -> Date{{{at % 7}}}\n" for at in range(1, 1_001))
    data = "2024-01-01,x,y\n" * 30
    page = report_html([view_of(rules, data, tmp_path)], made=NOON)
    assert len(page.encode()) <= LIMIT
    assert is_well_formed(page)


@settings(max_examples=20)
@given(
    limit=st.integers(90_000, 400_000),
    files=st.integers(1, 4),
    rules=st.integers(0, 20),
    letter=st.sampled_from("a\u20ac\U0001f600<"),
)
def test_the_limit_holds(
    tmp_path_factory: pytest.TempPathFactory, limit: int, files: int, rules: int, letter: str
) -> None:
    folder = tmp_path_factory.mktemp("limit")
    schema = "".join(f"% {letter * 40} {at}.\ncol({at % 5 + 1}) -> Date\n" for at in range(rules))
    row = ",".join([letter * 60] * 6) + "\n"
    views = [view_of(schema, row * 25, folder) for _ in range(files)]
    page = report_html(views, made=NOON, limit=limit)
    assert len(page.encode()) <= limit
    assert is_well_formed(page)
    if rules:
        assert "violated" in words(page)


def test_room_is_shared_between_rules(tmp_path: Path) -> None:
    """Each rule gets its first place before any gets a second one."""
    schema = "".join(f"col({at}) -> Date\n" for at in range(1, 9))
    view = view_of(schema, (",".join(["x" * 150] * 8) + "\n") * 50, tmp_path)
    page = report_html([view], made=NOON, limit=260_000)
    places = [len(set(re.findall(rf'id="(f1-rule-{at}-p\d+)"', page))) for at in range(1, 9)]
    assert min(places) >= 1
    assert max(places) - min(places) <= 1
    assert "more violations" in words(page)


def test_a_rule_that_the_verdict_has_no_words_for(tmp_path: Path) -> None:
    """All violations in words are of the first rule; the second fails only near the end."""
    path = tmp_path / "data.csv"
    path.write_text("x,1\n" * 400 + "x,wrong\n" * 3)
    schema = sculpt.Schema.parse("col(1) -> Date\ncol(2) -> Integer\n")
    view = sculpt.view(schema, path, engine="reference", max_violations=5)
    assert {each.rule for each in view.verdict.violations} == {1}
    said = words(report_html([view], made=NOON))
    assert "3 of 403 rows fail" in said
    assert "found wrong , expected Integer" in " ".join(said.split())
    assert "Row 401, column 2 (B)" in said


@given(st.integers(0, 1_000), st.lists(st.integers(0, 300), max_size=8))
def test_shares(room: int, needs: list[int]) -> None:
    given = shares(room, needs)
    assert sum(given) <= room
    assert all(got <= need for got, need in zip(given, needs, strict=True))
    short = [got for got, need in zip(given, needs, strict=True) if got < need]
    assert not short or sum(given) >= room - len(needs)
    assert all(got >= max(short, default=0) - 1 or got == need
               for got, need in zip(given, needs, strict=True))  # fmt: skip


def test_many_files() -> None:
    """More files than fit: the worst first, and how many are left out."""
    entries = [Unread(f"{at:06}.csv", "cannot be read: " + "x" * 900) for at in range(20_000)]
    page = report_html(entries, made=NOON)
    assert len(page.encode()) <= LIMIT
    assert "more files did not fit into this list" in words(page)
    assert "more files of the list did not fit here" in words(page)
