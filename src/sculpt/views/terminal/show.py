"""A whole picture: the verdict in a line, the table, the legend, what is left out.

In: a `View`, a `Frame`, the width of a terminal, its styles. Out: `Styled` lines, made when they
are asked for. Reads nothing but the view.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sculpt.report.styled import Styled, counted, styled, visible
from sculpt.syntax.ast import SeverityName
from sculpt.views.terminal.frame import Bands, Frame, bands_of, is_shown
from sculpt.views.terminal.key import MANY_COLOURS, key_of
from sculpt.views.terminal.legend import legend
from sculpt.views.terminal.notes import notes
from sculpt.views.terminal.table import Drawing, worst
from sculpt.views.view import View

NARROWEST = 40


def show_lines(
    view: View, frame: Frame, room: int, styles: Sequence[str] = MANY_COLOURS
) -> Iterator[Styled]:
    """The lines of a picture; errors in what is asked for are raised before the first line."""
    return map(_trimmed, _lines(view, frame, bands_of(view, frame), max(NARROWEST, room), styles))


def _lines(
    view: View, frame: Frame, bands: Bands, room: int, styles: Sequence[str]
) -> Iterator[Styled]:
    key = key_of(view, frame.only, frame.unchecked, styles)
    without_row: dict[int, list[SeverityName]] = {}
    for each in view.verdict.violations:
        if each.row is None and each.column is not None and is_shown(each, frame.only):
            without_row.setdefault(each.column, []).append(each.severity)
    marked = {column: worst(found) for column, found in without_row.items()}
    drawing = Drawing(bands.windows(view), key, room, bands.wanted, marked)
    yield _title(view)
    yield from drawing.lines(bands.rows[-1][1] if bands.rows else 0)
    below = [
        *legend(view, key, drawing.drawn, room),
        *notes(view, key, bands, drawing.drawn, frame.unchecked, room),
    ]
    if below:
        yield styled()
        yield from below


def _title(view: View) -> Styled:
    verdict = view.verdict
    size = f"{counted(view.rows, 'row')} × {counted(view.columns, 'column')}"
    name = (visible(verdict.path), "bold")
    if not view.schema.core.rules and not verdict.found:
        return styled(name, f": {size}")
    word = ("valid", "bold green") if verdict.valid else ("not valid", "bold red")
    if verdict.valid and verdict.checked_nothing:
        word = ("nothing was checked", "bold yellow")
    counts = (
        (verdict.violation_count, "violation"),
        (verdict.warning_violation_count, "warning"),
    )
    found = "".join(f", {counted(count, noun)}" for count, noun in counts if count)
    return styled(name, ": ", word, f" ({size}{found})")


def _trimmed(line: Styled) -> Styled:
    """The same line in fewer pieces, without blanks at its end that nobody can see."""
    pieces: list[tuple[str, str]] = []
    for text, style in line.pieces:
        if pieces and pieces[-1][1] == style:
            pieces[-1] = pieces[-1][0] + text, style
        elif text:
            pieces.append((text, style))
    while pieces and not pieces[-1][1]:
        text = pieces.pop()[0].rstrip(" ")
        if text:
            pieces.append((text, ""))
            break
    return Styled(tuple(pieces))
