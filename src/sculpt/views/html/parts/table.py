"""Windows as HTML tables: the reference of what `<sculpt-view>` draws.

In: windows of one table with the same columns, in the order of their rows, and the names of the
regions of the view. Out: a `<table>`. `web/src/table.ts` builds the same elements, and
`tests/page/test_element.py` compares the two.

A cell has the tint of its first region and a lane for each of the first four; the others are
counted. A violation, a warning and a cell that no rule checks have a mark that has a name, so they
can be told apart without colours, by a screen reader and on paper. Cost: O(cells).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from sculpt.core.spreadsheet import column_letters
from sculpt.report.styled import counted
from sculpt.values import frozen
from sculpt.verdict import Violation
from sculpt.views.html.markup import EMPTY, Html, joined, tag, text
from sculpt.views.model import Place, Window

MAX_LANES = 4


@frozen
class TableOptions:
    """How a table is drawn."""

    id: str
    """What the identifiers of its parts begin with."""
    regions: Mapping[str, tuple[int, int]]
    """By name of a region: its number in the view, and that of its colour."""
    focus: str | None = None
    """The region that stands out; the others are dimmed."""
    target: Place | None = None
    """A cell that the keyboard can reach, 0 as its column being the number of the row."""
    described_by: str | None = None
    """The element that says more about the target."""
    gaps: bool = False
    """Say which rows are left out before, between and after the windows."""


def table_html(windows: Sequence[Window], options: TableOptions) -> Html:
    """The table of some windows; rows that are not in any of them are counted."""
    shown = [window for window in windows if window.rows and window.columns]
    if not shown:
        return tag("p", text("The table is empty here."), class_="sv-empty")
    first = shown[0]
    bodies = []
    last = 0
    for window in shown:
        if options.gaps:
            bodies.append(_gap(last + 1, window.row - 1, first.columns))
        bodies.append(_body(window, options))
        last = window.row + window.rows - 1
    if options.gaps:
        bodies.append(_gap(last + 1, first.table_rows, first.columns))
    return tag(
        "table",
        tag("caption", text(_caption(shown))),
        _head(first),
        *bodies,
        class_="sv-table",
    )


def _gap(first: int, last: int, columns: int) -> Html:
    """A line for rows that are left out."""
    if first > last:
        return EMPTY
    words = f"row {first:,}" if first == last else f"rows {first:,} to {last:,}"
    cell = tag("td", text(f"⋮ {words} not shown"), colspan=columns + 1)
    return tag("tbody", tag("tr", cell), class_="sv-gap")


def _caption(windows: Sequence[Window]) -> str:
    first, rows = windows[0], sum(window.rows for window in windows)
    parts = []
    for count, whole, noun, at in (
        (rows, first.table_rows, "row", windows[0].row if len(windows) == 1 else None),
        (first.columns, first.table_columns, "column", first.column),
    ):
        if count == whole:
            parts.append(counted(whole, noun))
        elif at is None:
            parts.append(f"{count:,} of {counted(whole, noun)}")
        elif count == 1:
            parts.append(f"{noun} {at:,} of {whole:,}")
        else:
            parts.append(f"{noun}s {at:,} to {at + count - 1:,} of {whole:,}")
    words = ", ".join(parts)
    return words[0].upper() + words[1:]


def _head(window: Window) -> Html:
    heads = [
        tag("th", tag("b", text(str(number))), text(column_letters(number)), scope="col")
        for number in range(window.column, window.column + window.columns)
    ]
    return tag("thead", tag("tr", tag("td"), *heads))


def _body(window: Window, options: TableOptions) -> Html:
    violations: dict[Place, list[Violation]] = defaultdict(list)
    for each in window.violations:
        if each.row is not None:
            violations[each.row, each.column or 0].append(each)
    rows = [
        Html(
            f"<tr>{_row_head(row, violations.get((row, 0), []), options)}"
            + "".join(
                _cell(window, row, column, violations.get((row, column), []), options)
                for column in range(window.column, window.column + window.columns)
            )
            + "</tr>"
        )
        for row in range(window.row, window.row + window.rows)
    ]
    return tag("tbody", *rows, id=f"{options.id}-r{window.row}")


def _row_head(row: int, violations: list[Violation], options: TableOptions) -> Html:
    return tag(
        "th",
        text(str(row)),
        _violation_mark(violations),
        scope="row",
        class_=_kind(violations),
        **_target(row, 0, options),
    )


def _cell(
    window: Window, row: int, column: int, violations: list[Violation], options: TableOptions
) -> Html:
    row_ix, col_ix = row - window.row, column - window.column
    written = window.texts[row_ix][col_ix]
    names = window.regions[row_ix][col_ix]
    numbers = [options.regions[name] for name in names]
    classes = [f"c{numbers[0][1]}"] if numbers else []
    if written is None:
        classes.append("pad")
    if options.focus is not None:
        classes.append("in" if options.focus in names else "out")
    marks = _violation_mark(violations)
    if kind := _kind(violations):
        classes.append(kind)
    elif window.is_unchecked(row, column):
        classes.append("unchecked")
        marks = _mark("checked by no rule")
    content = f"<bdi>{text(written)}</bdi>" if written else ""
    if (row, column) in window.cut:
        content += '<span class="more">…</span>'
    return tag(
        "td",
        joined(Html(content), marks, _lanes(numbers)),
        class_=" ".join(classes) or None,
        data_r=" ".join(str(number) for number, _ in numbers) or None,
        **_target(row, column, options),
    )


def _target(row: int, column: int, options: TableOptions) -> dict[str, str | int]:
    if options.target != (row, column):
        return {}
    more = {"aria_describedby": options.described_by} if options.described_by else {}
    return {"tabindex": 0, **more}


def _violation_mark(violations: list[Violation]) -> Html:
    if not violations:
        return EMPTY
    parts = []
    for severity, word in (("error", "violation"), ("warning", "warning")):
        found = [each for each in violations if each.severity == severity]
        rules = [f"rule {each.rule}" if each.rule is not None else each.code for each in found]
        if rules:
            parts.append(f"{word}: {', '.join(dict.fromkeys(rules))}")
    return _mark("; ".join(parts))


def _kind(violations: list[Violation]) -> str | None:
    """The class of a place: `bad`, or `warned` if all that is found there are warnings."""
    if not violations:
        return None
    return "bad" if any(each.severity == "error" for each in violations) else "warned"


def _mark(label: str) -> Html:
    return tag("span", class_="mark", role="img", aria_label=label, title=label)


def _lanes(numbers: list[tuple[int, int]]) -> Html:
    if not numbers:
        return EMPTY
    bars = "".join(f'<i class="c{colour}"></i>' for _, colour in numbers[:MAX_LANES])
    more = len(numbers) - MAX_LANES
    rest = f"<small>+{more}</small>" if more > 0 else ""
    return Html(f'<span class="lanes" aria-hidden="true">{bars}{rest}</span>')
