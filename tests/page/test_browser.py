"""Reports in Chromium: no request, no complaint, without scripts, by keyboard, on paper."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pages import (
    AXE,
    DRAFT,
    HOSTILE,
    NOON,
    STATEMENT,
    Seen,
    hostile_view,
    made_up_view,
    opened,
    statement_report,
    unread,
    view_of,
    written,
)
from sculpt.views.html.report import LIMIT, report_html, show_html

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.xdist_group("page")


@pytest.fixture
def statement(tmp_path: Path) -> Path:
    return written(tmp_path, statement_report())


def several(folder: Path) -> Path:
    """A report on four inputs, with hostile texts."""
    views = [
        hostile_view(folder),
        view_of(DRAFT, STATEMENT),
        view_of(DRAFT.parent / "schema.sculpt", STATEMENT),
    ]
    return written(folder, report_html([*views, unread()], made=NOON))


# ------------------------------------------------------------- nothing is asked for


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("scripts", [False, True])
def test_no_request_and_no_complaint(
    browser: Browser, tmp_path: Path, dark: bool, scripts: bool
) -> None:
    with opened(browser, several(tmp_path), dark=dark, scripts=scripts) as seen:
        page = seen.page
        assert page.locator("h1").inner_text().strip().endswith("4 files")
        for rule in page.locator("details.rule > summary").all()[:6]:
            rule.click()
        seen.check()


def test_a_hostile_file(browser: Browser, tmp_path: Path) -> None:
    path = written(tmp_path, report_html([hostile_view(tmp_path), unread()], made=NOON))
    with opened(browser, path) as seen:
        page = seen.page
        for closed in page.locator("details:not([open]) > summary").all():
            if closed.is_visible():
                closed.click()
        assert page.evaluate("window.broken") is None
        assert page.evaluate("document.title").startswith("Report on 2 files")
        kinds = page.evaluate(
            "[...new Set([...document.querySelectorAll('body *')].map((e) => e.localName))]"
        )
        assert not {"img", "iframe", "object", "link", "style", "form"} & set(kinds)
        assert page.evaluate("document.querySelectorAll('script').length") == 3
        shown = page.locator("sculpt-view td").all_inner_texts()
        assert any("</script><script>window.broken = 1</script>" in each for each in shown)
        assert any("⟨U+202E⟩gnp.exe" in each for each in shown)
        seen.check()


@pytest.mark.parametrize("scripts", [False, True])
def test_a_million_violations(browser: Browser, tmp_path: Path, scripts: bool) -> None:
    made = report_html([made_up_view(1_000_000, 8)[0]], made=NOON)
    assert len(made.encode()) <= LIMIT
    with opened(browser, written(tmp_path, made), scripts=scripts) as seen:
        page = seen.page
        page.locator("#f1-rule-1 > summary").click()
        assert page.locator(".place").count() == 10
        assert page.get_by_text("1,000,000 of 1,000,000 rows fail").count() >= 1
        page.locator(".heat a").last.click()
        seen.check()


# ------------------------------------------------------------- without scripts, on paper


def test_complete_without_scripts(browser: Browser, statement: Path) -> None:
    with opened(browser, statement, scripts=False) as seen:
        page = seen.page
        page.locator("#f1-rule-9 > summary").click()
        place = page.locator("#f1-rule-9-p1")
        assert place.locator("td.bad").first.is_visible()
        assert place.locator("td[tabindex]").inner_text().strip() == "-950.00"
        place.locator(".why > summary").click()
        assert "What could come here: amount." in place.locator(".why").inner_text()
        assert page.locator("sculpt-view td", has_text="Closing balance").is_visible()
        assert not page.locator(".tools, button").filter(visible=True).count()
        # A band of the map leads to the rows.
        page.locator(".heat a").first.click()
        assert page.evaluate("location.hash") == "#f1-table-r1"
        seen.check()


@pytest.mark.parametrize("scripts", [False, True])
def test_paper_has_everything(browser: Browser, statement: Path, scripts: bool) -> None:
    with opened(browser, statement, scripts=scripts) as seen:
        page = seen.page
        page.emulate_media(media="print")
        hidden = page.locator("#f1-rule-8-p2 .message")
        if scripts:
            page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert hidden.is_visible()
        assert not page.locator(".tools").filter(visible=True).count()
        if scripts:
            page.evaluate("dispatchEvent(new Event('afterprint'))")
            page.emulate_media(media="screen")
            assert not hidden.is_visible()
            assert not page.locator("sculpt-view td.in").count()
        assert len(page.pdf()) > 10_000
        seen.check()


# ------------------------------------------------------------- by keyboard


def active(seen: Seen) -> str:
    text: str = seen.page.evaluate("document.activeElement.innerText")
    return " ".join(text.split())


@pytest.mark.parametrize("scripts", [False, True])
def test_rule_place_cell_why(browser: Browser, statement: Path, scripts: bool) -> None:
    """From the top of the page to why a cell is wrong, with nothing but Tab and Enter."""
    with opened(browser, statement, scripts=scripts) as seen:
        page = seen.page

        def tab_to(beginning: str) -> None:
            for _ in range(40):
                page.keyboard.press("Tab")
                if scripts or page.locator(":focus").count():
                    focused = page.locator(":focus")
                    if " ".join(focused.inner_text().split()).startswith(beginning):
                        return
            raise AssertionError(f"no way to {beginning}")

        tab_to("✗ rule 9")
        page.keyboard.press("Enter")
        tab_to("Row 16, column 5")
        page.keyboard.press("Enter")  # it was open
        page.keyboard.press("Enter")
        tab_to("-950.00")
        described = page.locator(":focus").get_attribute("aria-describedby")
        assert described == "f1-rule-9-p1-why"
        if scripts:
            page.keyboard.press("Enter")
        else:
            tab_to("Why?")
            page.keyboard.press("Enter")
        assert page.locator(":focus").inner_text() == "Why?"
        assert page.locator("#f1-rule-9-p1-why p").first.is_visible()
        assert "What could come here: amount" in page.locator("#f1-rule-9-p1-why").inner_text()


def test_cells_of_the_table_by_keyboard(browser: Browser, statement: Path) -> None:
    with opened(browser, statement) as seen:
        page = seen.page
        page.locator("sculpt-view .sv-scroll").focus()
        for key in ("ArrowDown", *["ArrowDown"] * 15, "End"):
            page.keyboard.press(key)
        assert active(seen) == "-950.00"
        said = page.locator(".sv-status").inner_text()
        assert "Row 16, column 5 (E): -950.00" in said
        assert "Selected by rule 9." in said
        assert "Violation of rule 9: found `-950.00`, expected amount" in said
        page.keyboard.press("ArrowUp")
        assert active(seen) == "Amount"
        seen.check()


# ------------------------------------------------------------- what the script adds


def visible_rules(seen: Seen) -> list[str]:
    chips = seen.page.locator("details.rule:not([hidden]) > summary .chip")
    return [each.strip() for each in chips.all_inner_texts()]


def test_search_and_filters(browser: Browser, statement: Path) -> None:
    with opened(browser, statement) as seen:
        page = seen.page
        assert len(visible_rules(seen)) == 10
        page.get_by_role("button", name="Violated (3)").click()
        assert visible_rules(seen) == ["rule 9", "rule 4", "rule 8"]
        assert page.get_by_role("status").first.inner_text() == "3 of 10 rules shown"
        search = page.get_by_role("searchbox")
        search.fill("accounting")
        assert visible_rules(seen) == ["rule 8"]
        search.fill("ACCOUNTING fees")
        assert visible_rules(seen) == ["rule 8"]
        page.get_by_role("button", name="Hold (7)").click()
        assert visible_rules(seen) == []
        search.press("Escape")
        assert len(visible_rules(seen)) == 7
        page.get_by_role("button", name="All (10)").click()
        assert len(visible_rules(seen)) == 10
        seen.check()


def test_filters_of_files(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, several(tmp_path)) as seen:
        page = seen.page
        rows = page.locator("table.files tbody tr:not([hidden])")
        assert rows.count() == 4
        page.get_by_role("button", name="Not valid (2)").click()
        assert rows.count() == 2
        page.get_by_role("searchbox", name="Search the files").fill("statement")
        assert rows.count() == 1
        page.get_by_role("link", name=re.compile("statement")).first.click()
        assert page.evaluate("location.hash") == "#f3"


def test_focus_on_a_rule(browser: Browser, statement: Path) -> None:
    from playwright.sync_api import expect

    with opened(browser, statement) as seen:
        page = seen.page
        filled = page.locator("sculpt-view td.in")
        expect(filled).to_have_count(0)
        rule = page.locator("#f1-rule-9 > summary")
        rule.click()
        expect(filled).to_have_count(9)
        expect(page.locator("sculpt-view td.out")).to_have_count(24 * 5 - 9)
        button = page.locator(".schema").get_by_role("button", name="rule 9")
        expect(button).to_have_attribute("aria-pressed", "true")
        rule.click()
        expect(filled).to_have_count(0)
        button.click()
        expect(filled).to_have_count(9)
        page.locator(".schema").get_by_role("button", name="type Entry").click()
        expect(button).to_have_attribute("aria-pressed", "false")
        expect(filled).to_have_count(9)
        seen.check()


def test_jumps(browser: Browser, statement: Path) -> None:
    with opened(browser, statement) as seen:
        page = seen.page
        page.get_by_role("link", name="3529.30").click()
        assert active(seen) == "3529.30"
        assert "Checked by no rule." in page.locator(".sv-status").inner_text()
        page.locator(".heat a").last.click()
        assert active(seen).startswith("2026-03-24")
        # A remark in the schema opens its rule.
        page.get_by_role("link", name="2 of 9 rows fail").click()
        page.locator("#f1-rule-8[open]").wait_for(timeout=10_000)
        seen.check()


def saved_csv(seen: Seen, rule: str) -> list[dict[str, str]]:
    seen.page.locator(f"#{rule} > summary").click()
    with seen.page.expect_download() as waiting:
        seen.page.locator(f"#{rule}").get_by_role("button", name="as CSV").click()
    raw = Path(waiting.value.path()).read_bytes()
    assert raw.startswith(b"\xef\xbb\xbf")
    return list(csv.DictReader(io.StringIO(raw.decode("utf-8-sig"), newline="")))


def test_the_csv_file_of_a_rule(browser: Browser, statement: Path) -> None:
    view = view_of(DRAFT, STATEMENT)
    wanted = [
        {
            "file": str(STATEMENT),
            "code": each.code,
            "rule": "9",
            "line": str(each.line),
            "row": str(each.row),
            "column": str(each.column),
            "offset": str(each.offset),
            "found": each.found,
            "expected": '["amount"]',
            "message": each.message,
            "hint": each.hint,
            "severity": each.severity,
            **dict.fromkeys(("first_file", "first_row", "first_column"), ""),
            **dict.fromkeys(("target_file", "target_row", "target_column"), ""),
        }
        for each in view.verdict.violations
        if each.rule == 9
    ]
    assert len(wanted) == 5
    with opened(browser, statement) as seen:
        assert saved_csv(seen, "f1-rule-9") == wanted


def test_hostile_texts_in_a_csv_file(browser: Browser, tmp_path: Path) -> None:
    path = written(tmp_path, report_html([hostile_view(tmp_path)], made=NOON))
    with opened(browser, path) as seen:
        found = [row["found"] for row in saved_csv(seen, "f1-rule-1")]
    assert found[: len(HOSTILE)] == [each[:200] for each in HOSTILE]
    assert found[len(HOSTILE)] == "\ufffd\ufffd"


# ------------------------------------------------------------- for everybody


def violations_of(seen: Seen) -> list[Any]:
    """What axe-core finds against WCAG 2.2, A and AA."""
    seen.page.evaluate(AXE.read_text(encoding="utf-8"))
    result = seen.page.evaluate(
        """() => axe.run(document, { runOnly: { type: "tag",
          values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] } })"""
    )
    assert len(result["passes"]) > 10
    return [
        (each["id"], [node["html"][:200] for node in each["nodes"][:4]])
        for each in result["violations"]
    ]


@pytest.mark.parametrize(("dark", "width"), [(True, 1280), (False, 420)])
def test_accessible(browser: Browser, statement: Path, dark: bool, width: int) -> None:
    with opened(browser, statement, dark=dark, width=width) as seen:
        for name in ("f1-rule-9", "f1-rule-1"):
            seen.page.locator(f"#{name} > summary").click()
        seen.page.locator(".key > summary").click()
        assert violations_of(seen) == []


def test_accessible_with_several_files(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, several(tmp_path)) as seen:
        for rule in seen.page.locator("details.rule > summary").all()[:2]:
            rule.click()
        assert violations_of(seen) == []


def test_accessible_page_of_show(browser: Browser, tmp_path: Path) -> None:
    view = view_of(DRAFT, STATEMENT)
    page = show_html(view, [view.window(1, 9), view.window(20, 5)])
    with opened(browser, written(tmp_path, page), dark=True) as seen:
        assert violations_of(seen) == []
        assert seen.page.locator("sculpt-view td.bad").count()
        seen.requests[:] = seen.requests[:1]
        seen.check()


def test_narrow_pages_do_not_scroll_sideways(browser: Browser, statement: Path) -> None:
    with opened(browser, statement, width=380) as seen:
        page = seen.page
        page.locator("#f1-rule-9 > summary").click()
        assert page.evaluate("document.documentElement.scrollWidth") <= 380
