"""`<sculpt-view>` draws what Python draws, and large tables on demand."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sculpt
from pages import (
    DRAFT,
    NOON,
    STATEMENT,
    MadeUp,
    Seen,
    hostile_view,
    opened,
    until,
    view_of,
    written,
)
from sculpt.verdict import Violation
from sculpt.views.html.embedded import data_block, source_json
from sculpt.views.html.markup import Html, joined, visible
from sculpt.views.html.page import page_html
from sculpt.views.html.parts.rules import scrolled
from sculpt.views.html.parts.table import TableOptions, table_html
from sculpt.views.html.report import report_html
from sculpt.views.html.subject import Subject
from sculpt.views.model import Window, region_specs
from sculpt.views.view import View

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.xdist_group("page")

# Draws windows given as data, beside a table that Python has drawn, and compares the elements.
COMPARE = """async ([data, fixed, focus]) => {
  const holder = document.createElement("div");
  holder.innerHTML = fixed;
  const block = document.createElement("script");
  block.type = "application/json";
  block.id = "compared-data";
  block.textContent = data;
  const view = document.createElement("sculpt-view");
  view.id = "compared";
  view.dataset.source = "compared-data";
  const drawn = () => new Promise((done) =>
    view.addEventListener("sculpt-drawn", done, { once: true }));
  const first = drawn();
  document.body.append(block, view);
  await first;
  if (focus !== null) view.focusRegion = focus;
  const made = view.querySelector(".sv-scroll").innerHTML;
  block.remove();
  view.remove();
  return [made, holder.innerHTML];
}"""

# A source of ten million rows, as a server would be one.
LIVE = """([rows, columns]) => {
  const asked = [];
  window.asked = asked;
  const view = document.createElement("sculpt-view");
  view.id = "live";
  document.querySelector("main").append(view);
  view.source = {
    size: { rows, columns },
    regions: [{ name: "rule:1", text: "col(1) -> Date", colour: 0, cells: rows }],
    async window(row, count, column, across) {
      asked.push([row, count, column, across]);
      const last = Math.min(rows, row + count - 1);
      const lines = [];
      for (let at = row; at <= last; at++) lines.push(at);
      const numbers = [];
      for (let at = column; at < column + across; at++) numbers.push(at);
      return {
        row, column, tableRows: rows, tableColumns: columns,
        texts: lines.map((line) => numbers.map((number) => `${line}×${number}`)),
        regions: lines.map(() => numbers.map((number) => (number === 1 ? [0] : []))),
        checked: lines.map(() => numbers.map((number) => number === 1)),
        cut: new Set(), violations: [],
      };
    },
  };
}"""
SHOWN = (
    """() => [...document.querySelectorAll("#live tbody th")].map((th) => Number(th.textContent))"""
)


@pytest.fixture(scope="module")
def blank(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """A page with the script and nothing else."""
    page = page_html("Blank", Html("<h1>Blank</h1>"), Html(""), Html(""))
    path = written(tmp_path_factory.mktemp("blank"), page)
    with opened(browser, path) as seen:
        yield seen.page
        seen.check()


def check_equal(page: Page, subject: Subject, windows: list[Window], focus: str | None) -> None:
    data = json.dumps(source_json(subject, windows))
    options = TableOptions("compared", subject.region_numbers, focus=focus, gaps=True)
    made, expected = page.evaluate(COMPARE, [data, table_html(windows, options), focus])
    assert made == expected
    assert "sv-" in made


@pytest.mark.parametrize("focus", [None, "rule:9", "type:Entry"])
def test_the_statement(blank: Page, focus: str | None) -> None:
    view = view_of(DRAFT, STATEMENT)
    windows = [view.window(1, 4), view.window(6, 10), view.window(21, 9)]
    check_equal(blank, Subject(view), windows, focus)


def test_hostile_texts(blank: Page, tmp_path: Path) -> None:
    view = hostile_view(tmp_path)
    check_equal(blank, Subject(view), [view.window()], "rule:1")
    assert blank.evaluate("window.broken") is None


def test_an_empty_table(blank: Page, tmp_path: Path) -> None:
    view = view_of("row(1) -> Any", "", tmp_path)
    check_equal(blank, Subject(view), [], None)


TEXTS = st.one_of(
    st.none(),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    st.sampled_from(["\u202e", "\0", "\U000e0041", "\ud7ff", "<b>", "&amp;", " x ", "\r\n"]),
)
NAMES = [f"rule:{number}" for number in range(1, 8)]


@st.composite
def drawn_windows(draw: st.DrawFn) -> list[Window]:
    """Windows of one table, in order, with anything in their cells."""
    width = draw(st.integers(1, 3))
    column = draw(st.integers(1, 800))
    row = 1
    windows = []
    for _ in range(draw(st.integers(1, 3))):
        row += draw(st.integers(0, 3))
        height = draw(st.integers(1, 3))
        shape = [[(r, c) for c in range(column, column + width)] for r in range(row, row + height)]
        places = [place for line in shape for place in line]
        found = draw(st.lists(st.sampled_from(places), max_size=3))
        violations = tuple(
            Violation(
                draw(st.sampled_from(["row-content", "undecodable"])),
                draw(st.sampled_from([None, 1, 7])),
                1,
                at[0],
                draw(st.sampled_from([None, at[1]])),
                0,
                None,
                (),
                (),
                "wrong",
                severity=draw(st.sampled_from(["error", "warning"])),
            )
            for at in found
        )
        windows.append(
            Window(
                row,
                column,
                row + height + 900,
                column + width + 5,
                tuple(tuple(draw(TEXTS) for _ in line) for line in shape),
                tuple(
                    tuple(
                        tuple(sorted(draw(st.sets(st.sampled_from(NAMES), max_size=7))))
                        for _ in line
                    )
                    for line in shape
                ),
                tuple(tuple(draw(st.booleans()) for _ in line) for line in shape),
                frozenset(draw(st.sets(st.sampled_from(places), max_size=2))),
                violations,
            )
        )
        row += height
    last = row + draw(st.integers(0, 2_000))
    return [
        Window(w.row, w.column, last, w.table_columns, w.texts, w.regions, w.checked, w.cut,
               w.violations)
        for w in windows
    ]  # fmt: skip


@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(drawn_windows(), st.sampled_from([None, "rule:1", "rule:5"]))
def test_any_windows(blank: Page, windows: list[Window], focus: str | None) -> None:
    subject = any_subject(windows[0].table_rows, windows[0].table_columns)
    check_equal(blank, subject, windows, focus)


def any_subject(rows: int, columns: int) -> Subject:
    """A subject with seven rules and no table of its own."""
    schema = sculpt.Schema.parse("".join(f"col({n}) -> Any\n" for n in range(1, 8)))
    source = MadeUp(rows, columns, narrated=0)
    source.counts = dict.fromkeys(NAMES, 0)
    return Subject(View(schema, region_specs(schema, ())[1], source))


def test_visible_texts_are_the_same(blank: Page) -> None:
    """All characters where there are some that are not seen, and samples of the others."""
    codes = [*range(0x3000), *range(0x3000, 0xD800, 101), *range(0xFB00, 0x10100)]
    codes += [*range(0x1F600, 0x110000, 997), *range(0xDFF80, 0xE0200)]
    step = 512
    texts = ["".join(map(chr, codes[at : at + step])) for at in range(0, len(codes), step)]
    window = Window(
        1, 1, len(texts), 1,
        tuple((each,) for each in texts),
        tuple(((),) for _ in texts),
        tuple((True,) for _ in texts),
    )  # fmt: skip
    data = source_json(any_subject(len(texts), 1), [window])
    made, _ = blank.evaluate(COMPARE, [json.dumps(data), "", None])
    cells = blank.evaluate(
        """(made) => {
          const holder = document.createElement("template");
          holder.innerHTML = made;
          return [...holder.content.querySelectorAll("bdi")].map((each) => each.textContent);
        }""",
        made,
    )
    assert cells == [visible(each) for each in texts]


# ------------------------------------------------------------- in a report


def test_the_static_table_is_replaced_by_an_equal_one(browser: Browser, tmp_path: Path) -> None:
    """With and without scripts, the table of a report has the same elements."""
    path = written(tmp_path, report_html([view_of(DRAFT, STATEMENT)], made=NOON))
    found = []
    for scripts in (True, False):
        with opened(browser, path, scripts=scripts) as seen:
            found.append(seen.page.locator("sculpt-view .sv-scroll").inner_html())
    assert found[0] == found[1]
    assert "Closing balance" in found[0]


def test_the_elements_of_a_part_of_a_page(tmp_path: Path, browser: Browser) -> None:
    """An element that is put into a page by hand finds its data by name."""
    view = view_of(DRAFT, STATEMENT)
    subject = Subject(view)
    windows = [view.window(1, 5)]
    inside = scrolled(table_html(windows, TableOptions("t", subject.region_numbers)), "A table")
    body = Html(f'<h1>Table</h1><sculpt-view id="t" data-source="d">{inside}</sculpt-view>')
    block = data_block("d", source_json(subject, windows))
    page = page_html("Page", joined(body), block, Html(""))
    with opened(browser, written(tmp_path, page)) as seen:
        seen.page.wait_for_selector("sculpt-view .sv-status")
        assert seen.page.locator("sculpt-view tbody tr").count() == 5 + 1
        seen.check()


# ------------------------------------------------------------- rows on demand


def rows_shown(page: Page) -> list[int]:
    shown: list[int] = page.evaluate(SHOWN)
    return shown


@pytest.fixture
def live(browser: Browser, tmp_path: Path) -> Iterator[Seen]:
    page = page_html("Live", Html("<h1>Live</h1>"), Html(""), Html(""))
    with opened(browser, written(tmp_path, page)) as seen:
        yield seen
        seen.check()


def test_ten_million_rows(live: Seen) -> None:
    page = live.page
    page.evaluate(LIVE, [10_000_000, 3])
    page.wait_for_selector("#live tbody td")
    assert rows_shown(page)[0] == 1
    assert len(rows_shown(page)) < 60
    height = page.evaluate("document.querySelector('#live .sv-scroll').scrollHeight")
    assert height <= 8_000_000
    # The end of the scroll bar is the last row.
    page.evaluate("document.querySelector('#live .sv-scroll').scrollTop = 1e9")
    until(page, "document.querySelector('#live tbody:last-of-type tr:last-child th')"
                           ".textContent === '10000000'")  # fmt: skip
    # Any row can be reached exactly.
    for row in (1, 2, 77, 5_000_001, 9_999_999):
        page.evaluate("(row) => document.querySelector('#live').showPlace(row, 2)", row)
        until(page, f"document.activeElement.textContent === '{row}×2'")
        box = page.evaluate("document.activeElement.getBoundingClientRect().toJSON()")
        frame = page.evaluate(
            "document.querySelector('#live .sv-scroll').getBoundingClientRect().toJSON()"
        )
        assert frame["top"] <= box["top"]
        assert box["bottom"] <= frame["bottom"] + 1
    # The wheel moves by rows, not by the hundreds of rows of a pixel.
    page.evaluate("document.querySelector('#live').showPlace(5000000, 1)")
    until(page, "document.activeElement.textContent === '5000000×1'")
    before = rows_shown(page)[0]
    page.locator("#live .sv-scroll").hover()
    page.mouse.wheel(0, 320)
    until(page, f"({SHOWN})()[0] === {before + 10}")
    # Rows were asked for on demand.
    asked = page.evaluate("window.asked")
    assert sum(count for _, count, _, _ in asked) < 2_000


def test_arrow_keys(live: Seen) -> None:
    page = live.page
    page.evaluate(LIVE, [100_000, 3])
    page.wait_for_selector("#live tbody td")
    page.locator("#live .sv-scroll").focus()
    for key, text in (
        ("ArrowDown", "1×1"),
        ("ArrowDown", "2×1"),
        ("ArrowRight", "2×2"),
        ("End", "2×3"),
        ("Home", "2×1"),
        ("ArrowUp", "1×1"),
        ("ArrowUp", "1×1"),
        ("ArrowLeft", "1×1"),
    ):
        page.keyboard.press(key)
        until(page, f"document.activeElement.textContent === '{text}'")
    for _ in range(30):
        page.keyboard.press("PageDown")
    until(page, "Number(document.activeElement.textContent.split('×')[0]) > 300")
    assert "rule 1" in page.locator("#live .sv-status").inner_text()


def test_fifty_thousand_columns(live: Seen) -> None:
    page = live.page
    page.evaluate(LIVE, [1, 50_000])
    page.wait_for_selector("#live tbody td")
    assert page.locator("#live thead th").count() == 30
    page.get_by_role("button", name="Columns after").click()
    until(page, "document.querySelector('#live thead th b').textContent === '31'")
    page.evaluate("document.querySelector('#live').showPlace(1, 49999)")
    until(page, "document.activeElement.textContent === '1×49999'")
    assert page.locator("#live thead th").count() == 30
