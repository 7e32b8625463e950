"""Texts and columns that fit: into a number of terminal columns.

In: a text and a width; or how wide the columns of a table are, and the width of the terminal. Out:
the text, cut and padded to exactly this width; or the columns that are shown, each with its width.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby, pairwise

from sculpt.report.styled import visible, width
from sculpt.values import frozen

CUT = "…"
PADDING = "·"
BLANK = "␣"
_MOST_MARKS = 3
"""Accents on one letter that are shown: a pile of them would cover the lines above."""


def shown_text(text: str) -> str:
    """The text of a cell as one line in which everything can be seen."""
    text = visible(text)
    if text == PADDING:
        return f"'{text}'"  # would look like a padded cell
    inner = text.strip(" ")
    if len(inner) < len(text):
        before = len(text) - len(text.lstrip(" ")) if inner else len(text)
        after = len(text) - len(inner) - before
        text = BLANK * before + inner + BLANK * after
    if text.isascii():
        return text
    runs = groupby(text, lambda char: width(char) == 0)
    return "".join("".join([*run][:_MOST_MARKS] if is_zero else run) for is_zero, run in runs)


def fit(text: str, room: int, is_cut: bool = False) -> str:
    """The text in exactly `room` columns; `is_cut` if it lacks its end already."""
    if text.isascii() and not is_cut and len(text) <= room:
        return text.ljust(room)
    whole = width(text)
    if is_cut and whole < room:
        text, whole = text + CUT, whole + 1
    elif whole > room or is_cut:
        count = bisect_right(range(len(text)), room - 1, key=lambda end: width(text[:end])) - 1
        text = text[: max(0, count)] + CUT if room else ""
        whole = width(text)
    return text + " " * (room - whole)


def wrapped(text: str, room: int, most: int | None = None) -> list[str]:
    """The text on lines of at most `room` columns, all but the first indented.

    If there are more than `most`, the last one is cut.
    """
    lines: list[str] = []
    line = ""
    for word in text.split(" "):
        longer = f"{line} {word}" if line.strip(" ") else line + word
        if width(longer) > room and line.strip(" "):
            lines.append(line)
            longer = "  " + word
        line = longer
    lines.append(line)
    if most is not None and len(lines) > most:
        rest = " ".join([lines[most - 1], *(each.strip(" ") for each in lines[most:])])
        lines = [*lines[: most - 1], rest]
    return [fit(each, room).rstrip(" ") for each in lines]


@frozen
class ColumnNeed:
    """How wide a column would like to be."""

    title: int
    text: int
    marks: int
    """0 if no cell has a mark."""

    @property
    def most(self) -> int:
        """The width at which nothing is cut."""
        return max(self.title, self.text + self._beside)

    def least(self, text: int) -> int:
        """A width at which the marks and this much of the text are seen."""
        return max(self.title, min(self.text, text) + self._beside)

    @property
    def _beside(self) -> int:
        return self.marks + 1 if self.marks else 0

    def text_room(self, room: int) -> int:
        """The part of the column that is for text."""
        return max(0, room - self._beside)


_LEAST_TEXT, _LESS_TEXT = 8, 5
"""How much of a text should be seen; less of it, if all columns fit then."""
GAP = 1
"""Blank columns between two columns of the table."""
HOLE = 1
"""The width of the column that stands for those left out."""


def fitted(needs: Mapping[int, ColumnNeed], wanted: Sequence[int], room: int) -> dict[int, int]:
    """The columns that are shown, in order, and their widths.

    All if they fit; else those `wanted`, the first and the last, then those next to `wanted` ones
    and from the left. At least one column is shown, however narrow the terminal.
    """
    columns = sorted(needs)
    if not columns:
        return {}
    least = {column: need.least(_LESS_TEXT) for column, need in needs.items()}
    chosen = columns
    if _cost(least, columns, columns) > room:
        least = {column: need.least(_LEAST_TEXT) for column, need in needs.items()}
        chosen = _some(least, columns, wanted, room)
    free = room - _holes(chosen, columns) * (HOLE + GAP) - GAP * (len(chosen) - 1)
    return _levelled({column: (least[column], needs[column].most) for column in chosen}, free)


def _some(
    least: Mapping[int, int], columns: list[int], wanted: Sequence[int], room: int
) -> list[int]:
    """The most important columns that fit."""
    chosen: list[int] = []
    for column in _by_importance(columns, wanted):
        more = sorted({*chosen, column})
        if _cost(least, more, columns) <= room:
            chosen = more
        elif column not in wanted and len(chosen) > 1:
            break
    return chosen or _by_importance(columns, wanted)[:1]


def _by_importance(columns: list[int], wanted: Sequence[int]) -> list[int]:
    firsts = [*wanted[:1], columns[0], columns[-1], *wanted]
    beside = [near for column in wanted for near in (column - 1, column + 1)]
    known = {*columns}
    return [each for each in dict.fromkeys([*firsts, *beside, *columns]) if each in known]


def _cost(least: Mapping[int, int], chosen: list[int], columns: list[int]) -> int:
    together = sum(least[column] + GAP for column in chosen) - GAP
    return together + _holes(chosen, columns) * (HOLE + GAP)


def _holes(chosen: Iterable[int], columns: list[int]) -> int:
    """How many stretches of columns are left out between those chosen, and at the ends."""
    around = [columns[0] - 1, *chosen, columns[-1] + 1]
    return sum(after > before + 1 for before, after in pairwise(around))


def _levelled(limits: Mapping[int, tuple[int, int]], free: int) -> dict[int, int]:
    """Widths that fill the room: nothing is cut from a column narrower than another that is cut."""

    def at(level: int) -> dict[int, int]:
        return {column: min(most, max(least, level)) for column, (least, most) in limits.items()}

    widest = max(most for _, most in limits.values())
    level = bisect_right(range(widest + 1), free, key=lambda level: sum(at(level).values())) - 1
    widths = at(max(0, level))
    spare = free - sum(widths.values())
    for column, (_, most) in limits.items():
        if spare > 0 and widths[column] < most:
            widths[column] += 1
            spare -= 1
    if spare < 0:  # not even one column fits
        widths = {column: max(1, room + spare) for column, room in widths.items()}
    return widths
