"""A rule of a report: its row, and what is inside when it is opened.

In: a `Group` of a `Subject`. Out: a `<details>` element: documentation, a bar of pass and fail, the
share of the table, the number; inside, the texts that were found, the places with the table around
each of them, why, and a button for the CSV file. Everything is there without a script, except the
button, which is hidden until the script can do what it says.
"""

from __future__ import annotations

from collections.abc import Sequence

from sculpt.core.spreadsheet import column_letters
from sculpt.report.blocks import expected_definitions
from sculpt.report.styled import counted
from sculpt.values import frozen
from sculpt.verdict import Violation
from sculpt.views.html.markup import (
    EMPTY,
    MESSAGE_LIMIT,
    Html,
    code,
    isolated,
    joined,
    message_html,
    tag,
    text,
)
from sculpt.views.html.parts.groups import Group, place_words, row_ranges
from sculpt.views.html.parts.schema_text import chip_html
from sculpt.views.html.parts.table import TableOptions, table_html
from sculpt.views.html.parts.why import why_html
from sculpt.views.html.subject import Subject, around
from sculpt.views.model import Place, Window

ROWS_AROUND, COLUMNS_AROUND = 5, 13
OPEN_PLACES = 3
"""How many places are open at most when a rule is opened."""
MAX_FOUND = 12
MAX_RUNS = 40
STATEMENT_LIMIT = 400


@frozen
class Kept:
    """How much of a rule's violations a page has."""

    places: tuple[Html, ...]
    in_csv: int
    command: str
    """The command that gives all."""


def rule_html(subject: Subject, group: Group, name: str, kept: Kept) -> Html:
    """The row of a rule; `name` is its identifier in the page."""
    return tag(
        "details",
        tag("summary", *_row(subject, group)),
        tag("div", *_inside(subject, group, name, kept), class_="body"),
        class_=f"rule {group.state}",
        id=name,
        data_state=group.state,
    )


def _row(subject: Subject, group: Group) -> list[Html]:
    tally, region = group.tally, group.region
    cells = subject.verdict.rows * subject.verdict.columns
    share = tally.selected / cells if cells else 0.0
    number = subject.region_numbers[region.name][0] if region else None
    chip = chip_html(region.colour, group.name, number) if region else _plain_chip(group.name)
    statement = code(tally.text, STATEMENT_LIMIT) if tally.text else code(tally.code)
    title = tag("b", isolated(group.title, STATEMENT_LIMIT)) if group.title else EMPTY
    icon = {"fails": "✗", "warns": "△", "idle": "○", "holds": "✓"}[group.state]
    first = EMPTY
    if group.violations:
        example = group.violations[0]
        hint = f" ({example.hint})" if example.hint else ""
        first = tag("span", message_html(example.message + hint), class_="first")
    return [
        tag("span", text(icon), class_="icon", aria_hidden="true"),
        chip,
        tag("h3", title, statement, first, class_="what"),
        tag("span", bar(tally.failed, tally.checked), class_="measure"),
        tag("span", text(group.result), class_="result"),
        tag("span", text(f"{_percent(share)} of the table"), class_="share"),
    ]


def _plain_chip(name: str) -> Html:
    return tag("span", text(name), class_="chip")


def bar(failed: int, checked: int) -> Html:
    """Pass and fail as a bar; what fails is never too small to be seen."""
    share = min(1.0, failed / checked) if checked else 0.0
    width = 0.0 if not failed else max(2.0, 100 * share)
    fail = tag("rect", width=f"{width:.4g}", height=8, class_="fail") if failed else EMPTY
    passed = (
        tag("rect", x=f"{width:.4g}", width=f"{100 - width:.4g}", height=8, class_="pass")
        if checked and width < 100
        else EMPTY
    )
    empty = tag("rect", width=100, height=8, class_="none")
    return tag(
        "svg",
        empty,
        passed,
        fail,
        class_="bar",
        viewBox="0 0 100 8",
        preserveAspectRatio="none",
        aria_hidden="true",
        focusable="false",
    )


def _percent(share: float) -> str:
    if 0 < share < 0.001:
        return "less than 0.1%"
    return f"{100 * share:.1f}%" if 0 < share < 0.1 else f"{100 * share:.0f}%"


# ------------------------------------------------------------- inside


def _inside(subject: Subject, group: Group, name: str, kept: Kept) -> list[Html]:
    parts = []
    if group.documentation.removesuffix(".") != group.title:
        parts.append(tag("p", text(group.documentation, MESSAGE_LIMIT), class_="doc"))
    where = f"Line {group.tally.line} of the schema, " if group.tally.line else ""
    cells = counted(group.tally.selected, "cell")
    parts.append(tag("p", text(f"{where}{'s' if where else 'S'}elects {cells}."), class_="note"))
    if not group.tally.failed:
        return parts
    for definition in expected_definitions(group.violations, subject.labels):
        parts.append(tag("p", text("Expected: "), code(definition, MESSAGE_LIMIT), class_="note"))
    found = group.found
    if found:
        parts.append(_found(found, len(group.violations), group.tally.failed))
    parts.append(_saving(group, name, kept))
    parts += kept.places
    parts.append(_others(group, kept))
    return parts


def _found(found: list[tuple[str, int]], narrated: int, failed: int) -> Html:
    items = [
        tag(
            "li",
            code(value, 80) if value else tag("i", text("nothing")),
            tag("b", text(f"× {n:,}")),
        )
        for value, n in found[:MAX_FOUND]
    ]
    if len(found) > MAX_FOUND:
        items.append(tag("li", text(f"… and {counted(len(found) - MAX_FOUND, 'other text')}")))
    of = "" if narrated == failed else f" in {narrated:,} of its violations"
    return joined(
        tag("h4", text(f"What was found{of}")),
        tag("ul", *items, class_="found"),
    )


def _saving(group: Group, name: str, kept: Kept) -> Html:
    if not kept.in_csv:
        return EMPTY
    button = tag(
        "button",
        text(f"Save {counted(kept.in_csv, 'violation')} as CSV"),
        type="button",
        class_="csv",
        data_csv=name,
        hidden=True,
    )
    return tag("p", button, class_="saving")


def _others(group: Group, kept: Kept) -> Html:
    shown, failed = len(kept.places), group.tally.failed
    if shown >= failed:
        return EMPTY
    rows = sorted(each.row for each in group.violations[shown:] if each.row is not None)
    listed = f": rows {row_ranges(rows, MAX_RUNS)}" if rows else ""
    more = counted(failed - shown, "more violation")
    if failed > len(group.violations) and rows:
        listed += ", and after them"
    return tag(
        "p",
        text(f"{more}{listed}. For all of them, run "),
        code(kept.command, STATEMENT_LIMIT * 5),
        class_="note",
    )


def open_places(violations: Sequence[Violation]) -> frozenset[int]:
    """The numbers of the places to open: none that the table around an earlier one shows."""
    found: list[int] = []
    shown_to = 0
    for number, each in enumerate(violations, 1):
        row = each.row
        if row is not None and row <= shown_to and len(found) > 0:
            continue
        found.append(number)
        shown_to = (row or 0) + ROWS_AROUND // 2
    return frozenset(found[:OPEN_PLACES])


def place_html(
    subject: Subject,
    group: Group,
    violation: Violation,
    number: int,
    name: str,
    is_open: bool,
    with_why: bool,
) -> Html:
    """A place: the sentence, the table around it, and why. `name` is the rule's identifier."""
    own = f"{name}-p{number}"
    row, column = _shown_place(subject, violation)
    table = EMPTY
    window = None
    if row and column:
        size = (subject.verdict.rows, subject.verdict.columns)
        window = subject.window(*around((row, column), ROWS_AROUND, COLUMNS_AROUND, size))
        if window is None:
            table = tag("p", text("The table around it is left out here."), class_="note")
    if window is not None:
        options = TableOptions(
            own,
            subject.region_numbers,
            focus=group.region.name if group.region else None,
            target=(row, violation.column or 0) if violation.row else None,
            described_by=f"{own}-why",
        )
        table = scrolled(
            table_html([window], options), f"The table around {place_words(row, column)}"
        )
    parts = [tag("p", message_html(violation.message), class_="message")]
    if violation.hint:
        parts.append(
            tag("p", tag("b", text("Hint: ")), message_html(violation.hint), class_="hint")
        )
    end = None if window is None else _last_in_region(group, window, row)
    why = why_html(subject, group, violation, f"{own}-why", end, with_why)
    return tag(
        "details",
        tag("summary", tag("b", text(_place_title(violation))), _short(violation)),
        *parts,
        table,
        why,
        class_="place",
        id=own,
        open=is_open,
    )


def _last_in_region(group: Group, window: Window, row: int) -> Place | None:
    """The last cell of the region in a row that ends too early."""
    if group.region is None or not window.row <= row < window.row + window.rows:
        return None
    cells = enumerate(window.regions[row - window.row], window.column)
    held = [column for column, names in cells if group.region.name in names]
    return (row, held[-1]) if held else None


def _place_title(violation: Violation) -> str:
    words = place_words(violation.row, violation.column)
    named = f" ({column_letters(violation.column)})" if violation.column else ""
    line = violation.excerpt.line if violation.excerpt else None
    more = f", line {line:,} of the file" if line and line != violation.row else ""
    return words[0].upper() + words[1:] + named + more


def _short(violation: Violation) -> Html:
    return joined(text(" "), code(violation.found, 60)) if violation.found else EMPTY


def _shown_place(subject: Subject, violation: Violation) -> tuple[int, int]:
    """The place to draw: a word that ends too early has no column, or no row."""
    rows, columns = subject.verdict.rows, subject.verdict.columns
    row = violation.row or rows
    if violation.column:
        return row, violation.column
    return row, columns if columns <= COLUMNS_AROUND else 1


def scrolled(table: Html, label: str) -> Html:
    """A table that scrolls by itself if it is wider than the page."""
    return tag("div", table, class_="sv-scroll", tabindex=0, role="region", aria_label=label)


def rules_html(rows: Sequence[Html], left_out: int) -> Html:
    """All rules of a file."""
    note = EMPTY
    if left_out:
        words = f"{counted(left_out, 'rule')} that hold or select nothing are left out here."
        note = tag("p", text(words), class_="note")
    return joined(tag("div", *rows, class_="rules"), note)
