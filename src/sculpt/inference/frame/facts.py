"""Facts about single lines: what can be said about a row before its neighbours are looked at.

In: the cells of a row. Out: its `Facts`: which cells are filled, the class of each cell (coarser
still than its kind), its numbers, and the text that leads it.

Invariant: facts depend on the row alone. Cost: one kind a cell, for at most `MOST_CELLS` cells; the
cells to the right of these are only counted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sculpt.inference import kinds
from sculpt.values import frozen

MOST_CELLS = 48
"""Cells of a row that are looked at; a wider table does not differ in the others."""

BLANK = "."
NUMBER = "n"
YEAR = "y"
GAP = "-"
MOMENT = "d"
CODE = "c"
WORDS = "w"

_CLASSES = {
    kinds.EMPTY: BLANK,
    kinds.MISSING: GAP,
    kinds.YEAR: YEAR,
    kinds.DATE: MOMENT,
    kinds.TIME: MOMENT,
    kinds.CODE: CODE,
    kinds.WORD: WORDS,
    kinds.TEXT: WORDS,
    kinds.LONG: WORDS,
} | dict.fromkeys(kinds.NUMERIC - {kinds.YEAR}, NUMBER)
_YEAR_AS_NUMBER = re.compile(r"(?:1[5-9]|20|21)\d\d\.0")
_NOISE = re.compile(r"[^\d.,eE]")
_EUROPEAN = re.compile(r"(?:\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?:\.\d{3}){2,})")


@frozen
class Facts:
    """What is known about a row that is not blank."""

    row: int
    texts: tuple[str, ...]
    """Its first cells, at most `MOST_CELLS`."""
    filled: tuple[int, ...]
    """The indices of those that are not blank."""
    classes: str
    """The class of each of them, a letter each."""
    numbers: dict[int, float]
    """What the cells that look like numbers are worth; years are among them."""
    count: int
    """Its filled cells, those to the right too."""

    @property
    def lead(self) -> str:
        """The text of its first filled cell."""
        return self.texts[self.filled[0]]


def facts_of(row: int, cells: Sequence[str]) -> Facts | None:
    """The facts about a row, or nothing if it is blank."""
    texts = tuple(cells[:MOST_CELLS])
    filled = tuple([ix for ix, text in enumerate(texts) if text])
    count = len(filled)
    if len(cells) > MOST_CELLS:
        further = [ix for ix in range(MOST_CELLS, len(cells)) if cells[ix]]
        count += len(further)
        if not filled and further:  # a row that starts far to the right: its first cells are there
            texts = (*texts[:-1], cells[further[0]])
            filled = (MOST_CELLS - 1,)
    if not count:
        return None
    letters = [BLANK] * len(texts)
    numbers: dict[int, float] = {}
    for ix in filled:
        text = texts[ix]
        kind = kinds.kind_of(text)
        letter = _CLASSES[kind]
        if letter in (NUMBER, YEAR):
            number = number_of(text)
            if number is not None:
                numbers[ix] = number
            if letter == NUMBER and _YEAR_AS_NUMBER.fullmatch(text):
                letter = YEAR
        letters[ix] = letter
    return Facts(row, texts, filled, "".join(letters), numbers, count)


def number_of(text: str) -> float | None:
    """What a text of a numeric kind is worth; nothing for a span of years."""
    bare = _NOISE.sub("", text)
    if _EUROPEAN.fullmatch(bare):
        bare = bare.replace(".", "").replace(",", ".")
    elif bare.count(",") == 1 and "." not in bare and len(bare) - bare.index(",") != 4:
        bare = bare.replace(",", ".")
    else:
        bare = bare.replace(",", "")
    try:
        number = float(bare)
    except ValueError:
        return None
    negative = text[0] in "-\u2212(" or "-" in text[:3]
    return -number if negative else number
