"""How kernels tell cells apart: the tables of a dialect.

In: a dialect. Out: `Splitting`, the numbers and arrays that `gathering.split_cells` and
`split_fixed` take; `None` where kernels cannot find the cells: rows that end in something else than
line ends, escapes without quotes, a delimiter whose automaton is large. Texts are UTF-8 there.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from sculpt.automata.coding import Coding
from sculpt.automata.text import TextReader
from sculpt.core.dialect import Delimiter, Dialect, Layout
from sculpt.core.ir import CoreToken
from sculpt.kernels.texts import BLANK, LINE_FEED, RETURN, TAB
from sculpt.values import frozen

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

MAX_STATES = 256
REST = Layout("", (None,))
"""What a line has that no layout fits."""


@frozen(eq=False, slots=False)
class Splitting:
    """The tables of delimited rows; see `gathering.split_cells`."""

    stops: Array
    delim: int
    nexts: Array
    accepts: Array
    is_pattern: bool
    quote: int
    escape: int

    @property
    def marker(self) -> int:
        """What stands before a character that it makes plain, within quotes."""
        return self.escape if self.escape >= 0 else self.quote


@lru_cache(maxsize=8)
def splitting(dialect: Dialect) -> Splitting | None:
    """The tables of a dialect with delimiters."""
    import numpy as np

    quote, escape = dialect.quote, dialect.escape
    if not has_line_ends(dialect) or (escape is not None and quote is None):
        return None
    if not all(each is None or each.isascii() for each in (quote, escape)):
        return None
    automaton = _automaton(dialect.col_delim)
    if automaton is None:
        return None
    nexts, accepts = automaton
    is_pattern = dialect.col_delim.pattern is not None
    stops = np.zeros(256, dtype=np.uint8)
    stops[[LINE_FEED, RETURN]] = 1
    stops[nexts[:256] >= 0] = 1
    if is_pattern:
        stops[[BLANK, TAB]] = 1
    text = "" if is_pattern else dialect.col_delim.text
    return Splitting(
        stops,
        ord(text) if len(text) == 1 and text.isascii() else -1,
        nexts,
        accepts,
        is_pattern,
        -1 if quote is None else ord(quote),
        -1 if escape in (None, quote) else ord(escape or ""),
    )


def has_line_ends(dialect: Dialect) -> bool:
    """Do rows end in line ends?"""
    return dialect.row_delim in (None, "\n")


def _automaton(delimiter: Delimiter) -> tuple[Array, Array] | None:
    """By state and byte the next state, or -1; by state: has a delimiter ended?"""
    import numpy as np

    if delimiter.pattern is None:
        spelt = delimiter.text.encode()
        if any(byte in (LINE_FEED, RETURN) for byte in spelt):
            return None
        nexts = np.full((len(spelt) + 1, 256), -1, dtype=np.int64)
        nexts[np.arange(len(spelt)), list(spelt)] = np.arange(1, len(spelt) + 1)
        return nexts.ravel(), np.arange(len(spelt) + 1) == len(spelt)
    reader = TextReader([CoreToken("delimiter", delimiter.pattern)], Coding("utf-8"))
    numbers = {reader.start: 0}
    states = [reader.start]
    rows: list[list[int]] = []
    for state in states:  # which grows meanwhile
        row = []
        for byte in range(256):
            after = reader.feed(state, byte)
            if reader.is_dead(after):
                row.append(-1)
                continue
            if after not in numbers:
                numbers[after] = len(states)
                states.append(after)
            row.append(numbers[after])
        rows.append(row)
        if len(states) > MAX_STATES:
            return None
    accepts = np.array([bool(reader.outcome(state).tokens) for state in states])
    return np.array(rows, dtype=np.int64).ravel(), accepts


def layout_tables(dialect: Dialect, columns: int) -> tuple[Array, Array, Array]:
    """The tables of fixed widths; see `gathering.split_fixed`."""
    import numpy as np

    layouts = [*dialect.layouts, REST]
    spelt = [layout.prefix.encode() for layout in layouts]
    places = np.cumsum([0, *map(len, spelt)])
    edges = np.full((len(layouts), columns, 2), -1, dtype=np.int64)
    for number, layout in enumerate(layouts):
        at = column = 0
        for width in layout.widths:
            if width is not None and width < 0:
                at -= width
                continue
            if column < columns:
                edges[number, column] = at, -1 if width is None else at + width
            column += 1
            at += width or 0
    return places, np.frombuffer(b"".join(spelt) or b"\0", dtype=np.uint8), edges.ravel()
