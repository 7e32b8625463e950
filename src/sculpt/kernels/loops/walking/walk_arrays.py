"""The arrays and registers of the walk: what its kernels read and write, in groups.

A group is a parameter like any other (`signatures`): plain Python and Numba take the tuple, the
library takes its arrays one by one. The glossary in `docs/architecture.md` explains the words.
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
    """By row: where it begins; the last entry is for the row that has not ended."""
    blanks: Numbers
    """By letter: is a row blank if it has only this cell?"""
    rows: int
    """Rows that end in the block."""
    cells: int
    """Cells, including those of a row that has not ended."""


class Steps(NamedTuple):
    """The steps of the cell machine that the navigator has computed."""

    keys: Numbers
    entries: Numbers
    """Hash table: (left, above, letter) -> entry."""
    rights: Numbers
    belows: Numbers
    """By entry: what goes right, and what goes down."""
    flags: Numbers
    """By entry: its event << F_EVENT, plus F_LOUD and F_COUNTED."""
    twins: Numbers
    """By entry: the first entry that does and counts the same, for another letter perhaps."""
    starts: Numbers
    """carry * row classes + row class -> what comes from the left to the first cell."""
    end_events: Numbers
    end_carries: Numbers
    """By left: the event of the row's end, and what the row hands on; -1 if not computed."""
    event_first: Numbers
    event_notices: Numbers
    """By event: where its notices begin; the notices of all events."""
    named_rows: Numbers
    """The numbers of rows that selectors name, in order; 0 if there are none."""


class Ledger(NamedTuple):
    """What a walk records."""

    kinds: Numbers
    """By notice: its kind, plus WARNS if its violations are warnings."""
    last_rows: Numbers
    """By notice: the last row that gave it."""
    firsts: Numbers
    """By notice: row, column and row start of its first occurrence."""
    hits: Numbers
    """The hits, HIT_SIZE numbers each; or, if cells are marked, 1 + the entry of each cell."""
    counts: Numbers
    """By entry: how many cells took its step."""
    beyond: Numbers
    """By entry, two numbers: how many rows have it in every column beyond the width, and the sum
    of the widths that these rows had. So in a table of width w, it has w * first - second cells
    there."""
    ends: Numbers
    """By left: how many rows ended with it."""
    found: Numbers
    """By notice: how many violations."""
    unchecked: Numbers
    """Row, column and row start of the first unchecked cells."""
    log: Numbers
    """Row and column (0 for a whole row) of violations; or, for `REPEATS_MARKED`, by row: 1 if it
    has the marks of the row before, and its own are not set."""


class Vectors(NamedTuple):
    """The vector above the current row and the one below it; they swap with each row.

    A vector is a list of runs of columns: where each run ends, and what comes down to its columns.
    """

    ends_a: Numbers
    ids_a: Numbers
    ends_b: Numbers
    ids_b: Numbers


class Steady(NamedTuple):
    """The automaton of steady rows: a state for each column and what comes from the left."""

    nexts: Small
    """(state << W_SHIFT) + short letter -> the next state, also shifted; 0 if it is not known;
    -1 - entry if there is a notice. After it: how many cells took the step since the last call of
    `settle_counts`. Side by side, they are in one line of the processor's cache."""
    entries: Small
    """By half the place in `nexts`: 1 + the twin of the step's entry, or the entry itself if each
    cell is marked; 0 if the step is not known."""
    learnt: Small
    """The places in `nexts` that are known, in the order in which they were learnt."""
    shorts: Small
    """By letter: its short number, which is even; 0 for none."""
    keys: Numbers
    values: Numbers
    """Hash table: (column, left) -> state."""
    slots: Numbers
    """By state: its slot in the hash table."""
    lefts: Numbers
    """By state: what comes from the left."""
    ends: Numbers
    """By state: what comes from the left after padding, if the row can end here; else -1."""
    rows: Numbers
    """By state: how many rows ended in it since the last call of `settle_counts`."""
    path: Small
    """For each cell of a row with which others are compared: the place of its step in `nexts`."""
    strays: Small
    """For each cell of that row, by letter: 0 if the step of the letter is known to do the same."""


(
    W_ROW,  # rows before the current one
    W_COLUMN,  # cells of the current row that have been walked
    W_LEFT,  # what comes from the left; NOT_BEGUN at the start of a row
    W_CARRY,  # what one row hands to the next besides the vector
    W_RUN,  # the run of the vector that has the next column
    W_CELL,  # the next letter
    W_ROW_IX,  # the next row of this block
    W_OUT,  # runs of the next vector so far
    W_WIDTH,  # the assumed width of the table
    W_DEPENDS,  # would some row have ended differently if the table were wider?
    W_RUNS,  # runs of the vector
    W_SWAPPED,  # 1 if the second of the two vectors is the one above
    W_COUNT,  # violations
    W_WARNED,  # those of them that are warnings
    W_STORED,  # hits
    W_LIMIT,  # how many more hits of errors to keep
    W_LAST_ROW,  # of the last hit of an error
    W_LAST_COLUMN,
    W_WARN_LIMIT,  # the same three for warnings: `OF_WARNINGS` further on
    W_WARN_LAST_ROW,
    W_WARN_LAST_COLUMN,
    W_SKIPS,  # skip blank rows
    W_KEEPS,  # every notice must become a hit: stop before the room runs out
    W_MISS_A,  # what is missing
    W_MISS_B,
    W_MISS_C,
    W_ROW_START,  # where the current row began, if that was in an earlier block; else -1
    W_BASE,  # where the block begins in the file
    W_STEADY,  # rows since the vector, or the width, last changed
    W_STATES,  # steady states so far, including 0, which means `not known`
    W_SHIFT,  # a steady state has 2 to this power numbers in `nexts`: two for each short letter
    W_SHORTS,  # the largest short number: letters met in steady rows have one
    W_LEARNT,  # steps that the steady states know
    W_PATH,  # the cells of the path
    W_STRAYS,  # the letters for which strays are known; 0 if they are not
    W_STATE,  # the steady state of the current row; 0 if none
    W_WIDEST,  # the width when the last row ended
    W_MARKS,  # EACH_MARKED, REPEATS_MARKED; 0 if hits are stored instead of marking cells
    W_UNCHECKED,  # how many more unchecked cells to store
    W_LOGS,  # log the places of violations?
    W_LOGGED,  # places in the log
) = range(41)
WALK_SIZE = 41
OF_WARNINGS = W_WARN_LIMIT - W_LIMIT

EACH_MARKED, REPEATS_MARKED = 1, 2
"""Is every cell marked with its entry, or only the first of rows that are alike, with its twin?"""

# The flags of an entry.
F_LOUD = 1
"""Something is found or selected that what goes right and down does not show."""
F_COUNTED = 2
"""The cell is selected by a rule, or by a selector whose cells are counted."""
F_EVENT = 2
"""The bits before the number of the event."""

NOT_BEGUN = -1
MAX_SHIFT = 12
"""The largest value of `W_SHIFT`: further letters are not known in steady rows."""
PADDING = 0
"""The letter of a padded cell."""
ENDLESS = 1 << 60
"""The end of the last run of a vector, which has no end."""

# The fields of a hit.
HIT_ROW, HIT_COLUMN, HIT_NOTICE, HIT_ENTRY, HIT_START, HIT_FIRST_ROW, HIT_FIRST_COLUMN = range(7)
HIT_SIZE = 7
UNCHECKED_SIZE = 3
"""The numbers of an unchecked cell."""

# What `walk` returns: done, or what is missing.
(
    WALKED,
    MISS_CELL,
    MISS_START,
    MISS_END,
    NEED_RUNS,
    NEED_WIDTH,
    NEED_HITS,
    NEED_LOG,
    NEED_SHORTS,
) = range(9)

# The kinds of notices.
ONCE_A_ROW, EACH, UNIQUE, UNIQUE_IN_ROW, SELECTED, UNCHECKED, IGNORED = range(7)
WARNS = 8
"""Added to the kind of a notice whose violations are warnings."""
MAX_NOTICES = 64
"""Reserved room for hits that a single cell may add."""
