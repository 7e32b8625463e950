"""Lines of a header that are no headings: a title directly above, a group directly below.

In: the rows and their labels. Out: the labels. A line with a single text is no level of a header of
two lines whose other line has a heading in each column: the first line of a file is a title then,
and below the headings it is the name of a group, if there are more lines like it. Elsewhere a
single text may well be a heading. Invariant: a header keeps a line. Cost: linear.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sculpt.inference.frame.model import Label, Line
from sculpt.values import replace


def settled(rows: Sequence[Sequence[str]], lines: Sequence[Line]) -> tuple[Line, ...]:
    """The lines with the labels that their header leaves them."""
    labels: dict[int, Label] = {}
    filled = [line for line in lines if line.label != "empty"]
    for start, header in _headers(filled):
        if len(header) != 2:
            continue
        top, bottom = (_places(rows[row - 1]) for row in header)
        if start == 0 and _is_lone(top, bottom):
            labels[header[0]] = "metadata"
        elif _is_lone(bottom, top) and any(
            _places(rows[line.row - 1]) == bottom for line in filled[start + 2 :]
        ):
            labels[header[1]] = "group"
    return tuple(
        replace(line, label=labels[line.row], alternative="header") if line.row in labels else line
        for line in lines
    )


def _headers(lines: Sequence[Line]) -> Iterator[tuple[int, list[int]]]:
    """The headers: the index of the first line, and the rows."""
    found: list[int] = []
    for ix, line in enumerate(lines):
        if line.label == "header":
            found.append(line.row)
        elif found:
            yield ix - len(found), found
            found = []


def _places(cells: Sequence[str]) -> list[int]:
    return [place for place, text in enumerate(cells) if text]


def _is_lone(places: Sequence[int], others: Sequence[int]) -> bool:
    """Is it a single text beside a row that is full from there on?"""
    return (
        len(places) == 1 and len(others) > 1 and list(others) == [*range(places[0], others[-1] + 1)]
    )
