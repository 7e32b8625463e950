"""The table as a whole in a report: the rows worth seeing, the map of violations, unchecked cells.

In: a `Subject` and its groups. Out: the windows that a page shows of its table, and their HTML. A
small table is shown whole; of a large one the head, the end, the rows around the first violation of
each rule and around the first cells that no rule checks. `<sculpt-view>` takes the same windows
from the data of the page, and takes the place of the static table.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence

from sculpt.report.styled import counted
from sculpt.views.html.markup import EMPTY, Html, code, isolated, joined, tag, text
from sculpt.views.html.parts.groups import Group, coverage_words
from sculpt.views.html.parts.heat import heat_html
from sculpt.views.html.parts.rules import scrolled
from sculpt.views.html.parts.schema_text import chip_html
from sculpt.views.html.parts.table import TableOptions, table_html
from sculpt.views.html.subject import Subject
from sculpt.views.model import Region, Window

MAX_COLUMNS = 40
WHOLE = 4_000
"""A table with at most this many cells is shown whole."""
HEAD, END, NEAR = 12, 5, 2
JOINED = 3
"""Rows between two windows that are shown rather than left out."""
MAX_PLACES, MAX_UNCHECKED = 24, 8
MAX_LISTED = 24
MAX_LEGEND = 40


def overview_windows(subject: Subject, groups: Sequence[Group]) -> list[Window]:
    """The windows that a page shows of its table, in the order of their rows."""
    rows, columns = subject.verdict.rows, min(subject.verdict.columns, MAX_COLUMNS)
    if rows * columns <= WHOLE:
        wanted = [(1, rows)]
    else:
        places = [each.violations[0].row for each in groups if each.violations][:MAX_PLACES]
        unchecked = [each.row for each in subject.verdict.coverage.unchecked]
        near = [*places, *list(dict.fromkeys(unchecked))[:MAX_UNCHECKED]]
        wanted = [(1, HEAD), (rows - END + 1, rows)]
        wanted += [(row - NEAR, row + NEAR) for row in near if row is not None]
    found = []
    for first, last in _merged(wanted, rows):
        window = subject.window(first, last - first + 1, 1, columns)
        if window is not None and window.rows:
            found.append(window)
    return found


def _merged(ranges: Iterable[tuple[int, int]], rows: int) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for given_first, given_last in sorted(ranges):
        first, last = max(1, given_first), min(rows, given_last)
        if first > last:
            continue
        if merged and first <= merged[-1][1] + JOINED + 1:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return merged


def overview_html(
    subject: Subject, windows: Sequence[Window], name: str, with_map: bool = True
) -> Html:
    """The map, the legend and the table; `name` is the identifier of the element."""
    nearest = _nearest(windows, name)
    table = table_html(windows, TableOptions(name, subject.region_numbers, gaps=True))
    element = tag(
        "sculpt-view",
        scrolled(table, f"The table {subject.path[:200]}"),
        id=name,
        data_source=f"{name}-data",
    )
    heat = heat_html(subject, nearest) if with_map else EMPTY
    return joined(legend_html(subject.regions), tag("div", element, heat, class_="overview"))


def _nearest(windows: Sequence[Window], name: str) -> Callable[[int], str | None]:
    starts = [window.row for window in windows]

    def nearest(row: int) -> str | None:
        if not starts:
            return None
        at = max(0, bisect_right(starts, row) - 1)
        below, above = windows[at], windows[min(at + 1, len(windows) - 1)]
        gap = row - (below.row + below.rows - 1)
        chosen = above if gap > 0 and above.row - row < gap and above.row > row else below
        return f"{name}-r{chosen.row}"

    return nearest


def legend_html(regions: Sequence[Region]) -> Html:
    """What the colours and signs of a table mean."""
    if not regions:
        return EMPTY
    chips = [
        tag(
            "li",
            chip_html(each.colour, each.name.replace(":", " ", 1), number),
            code(each.text, 100),
        )
        for number, each in enumerate(regions[:MAX_LEGEND])
    ]
    if len(regions) > MAX_LEGEND:
        chips.append(tag("li", text(f"… and {len(regions) - MAX_LEGEND:,} more")))
    lanes = text(
        "A cell has the tint of the first rule that selects it, and a bar for each one; "
        "from the fifth on they are counted."
    )
    key = tag(
        "details",
        tag("summary", text("What the colours mean")),
        tag("ul", *chips, class_="legend"),
        tag("p", lanes, class_="note"),
        class_="key",
    )
    return joined(_signs(), key)


def _signs() -> Html:
    """The signs, each drawn as it is in a table."""
    signs = (
        ("bad", "a violation"),
        ("warned", "a warning"),
        ("unchecked", "text that no rule checks"),
        ("pad", "padding: the row is shorter"),
    )
    items = [
        tag(
            "li",
            tag("span", tag("span", class_="mark"), class_=f"sign {kind}", aria_hidden="true"),
            text(words),
        )
        for kind, words in signs
    ]
    return tag("ul", *items, class_="signs")


def unchecked_html(subject: Subject, windows: Sequence[Window], name: str, command: str) -> Html:
    """The first cells that no rule checks."""
    coverage = subject.verdict.coverage
    left = coverage.cells - coverage.checked
    if not left:
        return EMPTY
    nearest = _nearest(windows, name)
    items = []
    for cell in coverage.unchecked[:MAX_LISTED]:
        place = f"({cell.row:,}, {cell.column:,})"
        shown = EMPTY if subject.no_data else joined(isolated(cell.text, 60), text(" "))
        words = joined(shown, tag("small", text(place)))
        target = nearest(cell.row)
        if target:
            words = tag("a", words, href=f"#{target}", data_row=cell.row, data_column=cell.column)
        items.append(tag("li", words))
    more = left - len(items)
    rest = EMPTY
    if more > 0:
        rest = tag(
            "p",
            text(f"{counted(more, 'more cell')}. " if items else ""),
            text("To see them all, run "),
            code(command),
            class_="note",
        )
    said = coverage_words(subject.verdict)
    return joined(
        tag("h3", text(said[:1].upper() + said[1:])),
        tag("ul", *items, class_="unchecked-cells"),
        rest,
    )
