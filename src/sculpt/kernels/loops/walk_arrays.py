"""The arrays and registers of the walk: what its kernels read and write, in groups.

A group is a parameter like any other (`signatures`): plain Python and Numba take the tuple, the
library takes its arrays one by one. Words are those of the glossary in `docs/architecture.md`.
"""

from __future__ import annotations

from typing import NamedTuple

from sculpt.kernels.loops.types import Numbers, Small


class Rows(NamedTuple):
    """A block of rows, as the scan wrote it."""

    letters: Small
    """By cell."""
    row_cells: Numbers
    """By row: the number of cells up to its end."""
    row_starts: Numbers
    """By row: where it begins; at the end, where the row begins that has not ended."""
    blanks: Numbers
    """By letter: would a row of this cell alone be blank?"""
    rows: int
    """Rows that end in the block."""
    cells: int
    """Cells, those of a row that has not ended included."""


class Steps(NamedTuple):
    """The steps of the cell machine that are known; the navigator's."""

    keys: Numbers
    entries: Numbers
    """Hash table: (left, above, letter) -> entry."""
    rights: Numbers
    belows: Numbers
    """By entry: what goes right, and what goes down."""
    flags: Numbers
    """By entry: its event * 2, plus 1 where padding must not be skipped."""
    starts: Numbers
    """carry * row classes + row class -> what comes from the left of the first cell."""
    end_events: Numbers
    end_carries: Numbers
    """By left: the event of the end of the row, and what it hands on; -1 where not known."""
    event_first: Numbers
    event_notices: Numbers
    """By event: where its notices begin; the notices of all events."""
    named_rows: Numbers
    """The numbers of rows that selectors name, in order; 0 if there are none."""


class Ledger(NamedTuple):
    """What a walk has met and found."""

    kinds: Numbers
    """By notice: its kind."""
    last_rows: Numbers
    """By notice: the last row that had one."""
    firsts: Numbers
    """By notice: row, column and row start of the first."""
    used: Small
    """By entry: was it met?"""
    hits: Numbers
    """What was found, HIT_SIZE numbers each; or the event of each cell, where cells are marked."""


class Vectors(NamedTuple):
    """The vector above the current row and the one below it, in turns.

    A vector is runs of columns: where a run ends, and what comes down to its columns.
    """

    ends_a: Numbers
    ids_a: Numbers
    ends_b: Numbers
    ids_b: Numbers


class Steady(NamedTuple):
    """The automaton of steady rows: a state for each column and what comes from the left."""

    nexts: Small
    """(state << W_SHIFT) + short letter -> the next state, shifted too; 0 where it is not known;
    -1 - entry where something is found."""
    events: Small
    """Where cells are marked: the event of each entry of `nexts`."""
    shorts: Small
    """By letter: its short number; 0 for none."""
    keys: Numbers
    values: Numbers
    """Hash table: (column, left) -> state."""
    slots: Numbers
    """By state: its slot in the hash table."""
    lefts: Numbers
    """By state: what comes from the left."""
    ends: Numbers
    """By state: what is left after padding, if the row can end here; else -1."""


(
    W_ROW,  # rows before the current one
    W_COLUMN,  # cells of the current row that are done
    W_LEFT,  # what comes from the left; NOT_BEGUN at the start of a row
    W_CARRY,  # what one row hands to the next besides the vector
    W_RUN,  # the run of the vector that the next column is in
    W_CELL,  # the next letter
    W_ROW_IX,  # the next row of this block
    W_OUT,  # runs of the next vector so far
    W_WIDTH,  # how wide the table is taken to be
    W_DEPENDS,  # would some row have ended otherwise if the table were wider?
    W_RUNS,  # runs of the vector
    W_SWAPPED,  # which of the two vectors is the one above
    W_COUNT,  # violations
    W_STORED,  # hits
    W_LIMIT,  # how many hits of violations to keep
    W_LAST_ROW,  # of the last hit
    W_LAST_COLUMN,
    W_SKIPS,  # leave blank rows out
    W_KEEPS,  # every notice must become a hit: stop before there is no more room
    W_MISS_A,  # what is missing
    W_MISS_B,
    W_MISS_C,
    W_ROW_START,  # where the current row began, if that was in an earlier block; else -1
    W_BASE,  # where the block begins in the file
    W_STEADY,  # rows since the vector, or the width, last changed
    W_STATES,  # steady states so far, and the one that means `not known`
    W_SHIFT,  # a steady state has room for 2 to this power letters
    W_SHORTS,  # how many letters have a short number: those that steady rows have met
    W_STATE,  # the steady state in which the current row stands; 0 if none
    W_WIDEST,  # the width when the last row ended
    W_MARKS,  # 1 + the rows before those whose cells are marked; 0 if there are hits instead
) = range(31)
WALK_SIZE = 31

NOT_BEGUN = -1
PADDING = 0
"""The letter of a padded cell."""
ENDLESS = 1 << 60
"""The end of the last run of a vector: it goes on for ever."""

# The fields of a hit.
HIT_ROW, HIT_COLUMN, HIT_NOTICE, HIT_ENTRY, HIT_START, HIT_FIRST_ROW, HIT_FIRST_COLUMN = range(7)
HIT_SIZE = 7

# What `walk` returns: done, or what is missing.
WALKED, MISS_CELL, MISS_START, MISS_END, NEED_RUNS, NEED_WIDTH, NEED_HITS = range(7)

# The kinds of notices.
ONCE_A_ROW, EACH, UNIQUE, UNIQUE_IN_ROW, SELECTED, IGNORED = range(6)
MAX_NOTICES = 64
"""Room for hits that is kept for what one cell may add."""
