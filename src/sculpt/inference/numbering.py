"""The rows of a cut copy, by their numbers in the file.

In: a sheet, and what was counted in its file. Out: its frame with the numbers of the file. Rows
from the middle of a large file have no known numbers and are left out. Cost: linear in the frame.
"""

from __future__ import annotations

from sculpt.inference.files.sheet import Sheet
from sculpt.inference.frame.model import Frame
from sculpt.inference.frame.moving import renumbered
from sculpt.inference.proof.counting import Counts


def frame_of(sheet: Sheet, counts: Counts | None) -> Frame:
    """The frame of a file."""
    cut = sheet.cut
    if cut is None or counts is None:
        return sheet.frame
    shift = next(each.rows for each in counts.files if each.path == sheet.path) - len(sheet.rows)
    head, tail = cut.head, len(sheet.rows) - cut.tail

    def number_of(row: int) -> int | None:
        if row <= head:
            return row
        return row + shift if row > tail else None

    return renumbered(sheet.frame, number_of)
