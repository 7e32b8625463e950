"""Where the violations are: a map of the table, in bands of rows that are links.

In: a `Subject`, and for a row the identifier of the rows that are shown nearest to it. Out: a list
of bands, each with its rows, its part of the picture and its count. The picture is one path for
each of five shades, scaled by logarithm; the counts say the same in numbers. A violation of a whole
row is in the first column of the picture.

A band is 24 pixels high, the least that WCAG 2.2 asks of a target. Cost: O(buckets).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable

from sculpt.report.styled import counted
from sculpt.views.html.markup import EMPTY, Html, joined, tag, text
from sculpt.views.html.subject import Subject

MAX_BANDS = 16
SHADES = 5


def heat_html(subject: Subject, target: Callable[[int], str | None]) -> Html:
    """The map; nothing for a table without violations or of a few rows."""
    verdict = subject.verdict
    heat = verdict.heat
    if not heat.counts or verdict.rows < 2:
        return EMPTY
    buckets = -(-verdict.rows // heat.row_step)
    each = -(-buckets // MAX_BANDS)
    bands = -(-buckets // each)
    columns = -(-verdict.columns // heat.column_step)
    counts: dict[int, int] = defaultdict(int)
    first: dict[int, int] = {}
    for row, _, count in heat.counts:
        counts[row // each] += count
        first.setdefault(row // each, row)
    items = []
    for band in range(bands):
        low = band * each * heat.row_step + 1
        high = min(verdict.rows, (band + 1) * each * heat.row_step)
        at = first.get(band, band * each) * heat.row_step + 1
        items.append(_band(low, high, counts[band], at, target(at) if counts[band] else None))
    return joined(
        tag(
            "div",
            _picture(heat.counts, columns + 1, bands * each),
            tag("ol", *items),
            class_="heat",
        ),
        tag("p", text(_legend(subject)), class_="note"),
    )


def _band(low: int, high: int, count: int, at: int, target: str | None) -> Html:
    rows = f"row {low:,}" if low == high else f"rows {low:,}–{high:,}"
    content = joined(
        tag("span", text(rows), class_="rows"),
        tag("span", text(counted(count, "violation") if count else "none"), class_="count"),
    )
    if target is None:
        return tag("li", tag("span", content, class_="quiet"))
    return tag("li", tag("a", content, href=f"#{target}", data_row=at))


def _picture(counts: tuple[tuple[int, int, int], ...], width: int, height: int) -> Html:
    most = max(count for _, _, count in counts)
    paths: dict[int, list[str]] = defaultdict(list)
    for row, column, count in counts:
        paths[_shade(count, most)].append(f"M{column} {row}h1v1h-1z")
    drawn = [tag("path", class_=f"h{shade}", d="".join(d)) for shade, d in sorted(paths.items())]
    return tag(
        "svg",
        *drawn,
        viewBox=f"0 0 {width} {height}",
        preserveAspectRatio="none",
        aria_hidden="true",
        focusable="false",
    )


def _shade(count: int, most: int) -> int:
    if most <= 1:
        return SHADES
    return 1 + min(SHADES - 1, int((SHADES - 1) * math.log(count) / math.log(most) + 0.5))


def _legend(subject: Subject) -> str:
    heat = subject.verdict.heat
    size = f"{counted(heat.row_step, 'row')} × {counted(heat.column_step, 'column')}"
    return (
        f"A square is {size}; the darker, the more violations. "
        "On the left edge: violations of whole rows."
    )
