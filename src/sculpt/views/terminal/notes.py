"""What stands below the legend: what is left out, what no rule checks, what the signs mean.

In: a view, what the picture has. Out: `Styled` lines.
"""

from __future__ import annotations

from collections.abc import Iterator

from sculpt.core.spreadsheet import column_letters
from sculpt.report.styled import Styled, counted, styled, visible
from sculpt.verdict import Coverage
from sculpt.views.terminal.fit import CUT, PADDING, wrapped
from sculpt.views.terminal.frame import Bands
from sculpt.views.terminal.key import (
    UNCHECKED_SIGN,
    UNCHECKED_STYLE,
    VIOLATION_SIGN,
    VIOLATION_STYLE,
    WARNING_SIGN,
    WARNING_STYLE,
    Key,
)
from sculpt.views.terminal.table import Drawn
from sculpt.views.view import View

_FOUND = 40
"""The most characters of a cell that a sentence shows."""
_SIGNS = (
    (VIOLATION_SIGN, VIOLATION_STYLE, "violation"),
    (WARNING_SIGN, WARNING_STYLE, "warning"),
    (UNCHECKED_SIGN, UNCHECKED_STYLE, "no rule checks it"),
    (PADDING, "dim", "padded: the row ends before it"),
)


def notes(
    view: View, key: Key, bands: Bands, drawn: Drawn, unchecked: bool, room: int
) -> Iterator[Styled]:
    """The lines; `unchecked` if the picture is about unchecked cells."""
    hidden = _hidden_columns(bands, drawn)
    if hidden:
        yield from _sentence(hidden, "dim", room)
    if bands.left_out:
        count = counted(bands.left_out, "more first violation")
        text = f"{CUT} {count} in rows that are not shown: see --only"
        yield from _sentence(text, "dim", room)
    if key.marks_unchecked:
        style = "" if view.coverage.share < 1 else "dim"
        yield from _sentence(_covered(view.coverage, not unchecked), style, room)
    yield from _signs(drawn, room)


def _sentence(text: str, style: str, room: int) -> Iterator[Styled]:
    for line in wrapped(text, room - 1):
        yield styled((f" {line}", style))


def _signs(drawn: Drawn, room: int) -> Iterator[Styled]:
    """The signs that are seen, on one line if they fit."""
    seen = [each for each in _SIGNS if each[0] in drawn.signs]
    entries = [styled(" ", (sign, style), (f" {about}", "dim")) for sign, style, about in seen]
    if sum(len(entry.plain) + 2 for entry in entries) > room:
        yield from entries
    elif entries:
        pieces = [piece for entry in entries for piece in (entry, "  ")]
        yield styled(*pieces[:-1])


def _hidden_columns(bands: Bands, drawn: Drawn) -> str:
    if not drawn.columns:
        return ""
    shown = {*drawn.columns}
    first, last = bands.columns[0][0], bands.columns[-1][1]
    hidden = [column for column in range(first, last + 1) if column not in shown]
    if not hidden:
        return ""
    begin = end = hidden[0]
    while end + 1 not in shown and end < last:
        end += 1
    count = f"{CUT} {counted(len(hidden), 'column')} not shown"
    if begin == end:
        return f"{count}: see `--columns {begin}`"
    letters = f"{column_letters(begin)} to {column_letters(end)}"
    which = letters if end - begin + 1 == len(hidden) else f"the first are {letters}"
    return f"{count}, {which}: see `--columns {begin}-{end}`"


def _covered(coverage: Coverage, says_where: bool) -> str:
    missing = coverage.cells - coverage.checked
    if not coverage.cells:
        return "no cell has text"
    if not missing:
        verb = "is" if coverage.cells == 1 else "are"
        return f"all {counted(coverage.cells, 'cell')} with text {verb} checked by a rule"
    verb = "is" if missing == 1 else "are"
    text = f"{missing:,} of {counted(coverage.cells, 'cell')} with text {verb} checked by no rule"
    if not says_where or not coverage.unchecked:
        return text
    first = coverage.unchecked[0]
    found = visible(first.text)
    found = found if len(found) <= _FOUND else found[: _FOUND - 1] + CUT
    return f"{text}, first `{found}` at ({first.row},{first.column}): see --unchecked"
