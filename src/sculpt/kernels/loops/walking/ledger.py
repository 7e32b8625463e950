"""Notices to hits: what the walk does with the event of a cell or of the end of a row."""

from __future__ import annotations

from sculpt.kernels.loops.types import Numbers
from sculpt.kernels.loops.walking.walk_arrays import (
    HIT_COLUMN,
    HIT_ENTRY,
    HIT_FIRST_COLUMN,
    HIT_FIRST_ROW,
    HIT_NOTICE,
    HIT_ROW,
    HIT_SIZE,
    HIT_START,
    IGNORED,
    OF_WARNINGS,
    ONCE_A_ROW,
    SELECTED,
    UNCHECKED,
    UNCHECKED_SIZE,
    UNIQUE,
    UNIQUE_IN_ROW,
    W_BASE,
    W_COUNT,
    W_LAST_COLUMN,
    W_LAST_ROW,
    W_LIMIT,
    W_LOGGED,
    W_LOGS,
    W_MARKS,
    W_ROW,
    W_ROW_IX,
    W_ROW_START,
    W_STORED,
    W_UNCHECKED,
    W_WARNED,
    WARNS,
    Ledger,
    Rows,
    Steps,
)


def lacks_room(ledger: Ledger, regs: Numbers) -> bool:
    """Is there too little room to store all hits that one place can add?"""
    return len(ledger.hits) < (regs[W_STORED] + len(ledger.kinds)) * HIT_SIZE


def lacks_log(ledger: Ledger, regs: Numbers) -> bool:
    """Is there too little room to log all violations that one place can add?"""
    return regs[W_LOGS] > 0 and len(ledger.log) < 2 * (regs[W_LOGGED] + len(ledger.kinds))


def is_silent(event: int, steps: Steps, ledger: Ledger, regs: Numbers) -> bool:
    """Can an event be ignored?"""
    for at in range(steps.event_first[event], steps.event_first[event + 1]):
        kind = ledger.kinds[steps.event_notices[at]] % WARNS
        if kind != IGNORED and (kind != UNCHECKED or regs[W_UNCHECKED] > 0):
            return False
    return True


def report(
    event: int, column: int, entry: int, rows: Rows, steps: Steps, ledger: Ledger, regs: Numbers
) -> None:
    """Count the notices of a cell, or of the end of a row (column 0); store the first hits.

    If cells are marked, notices are of no interest.
    """
    row = regs[W_ROW] + 1
    if regs[W_MARKS] > 0:
        return
    start = regs[W_ROW_START]
    if start < 0:
        start = rows.row_starts[regs[W_ROW_IX]] + regs[W_BASE]
    for at in range(steps.event_first[event], steps.event_first[event + 1]):
        notice = steps.event_notices[at]
        kind = ledger.kinds[notice] % WARNS
        limit, last_row, last_column = W_LIMIT, W_LAST_ROW, W_LAST_COLUMN
        first_row, first_column = 0, 0
        if kind == IGNORED:
            continue
        if kind == UNCHECKED:
            if regs[W_UNCHECKED] > 0:
                regs[W_UNCHECKED] -= 1
                place = len(ledger.unchecked) - UNCHECKED_SIZE * (regs[W_UNCHECKED] + 1)
                ledger.unchecked[place] = row
                ledger.unchecked[place + 1] = column
                ledger.unchecked[place + 2] = start
            continue
        if kind == ONCE_A_ROW:
            if ledger.last_rows[notice] == row:
                continue
            ledger.last_rows[notice] = row
        elif kind in (UNIQUE, UNIQUE_IN_ROW):
            first_row, first_column = ledger.firsts[3 * notice], ledger.firsts[3 * notice + 1]
            is_first = first_row == 0 if kind == UNIQUE else first_row != row
            if is_first:
                ledger.firsts[3 * notice] = row
                ledger.firsts[3 * notice + 1] = column
                ledger.firsts[3 * notice + 2] = start
                continue
        wanted = True
        if kind != SELECTED:
            regs[W_COUNT] += 1
            if ledger.kinds[notice] >= WARNS:
                # Warnings have a limit of their own, so neither kind hides the other.
                regs[W_WARNED] += 1
                limit, last_row = limit + OF_WARNINGS, last_row + OF_WARNINGS
                last_column += OF_WARNINGS
            ledger.found[notice] += 1
            if regs[W_LOGS] > 0:
                ledger.log[2 * regs[W_LOGGED]] = row
                ledger.log[2 * regs[W_LOGGED] + 1] = column
                regs[W_LOGGED] += 1
            is_same = row == regs[last_row] and column == regs[last_column]
            wanted = regs[limit] > 0 or is_same
        hit = regs[W_STORED] * HIT_SIZE
        if wanted and hit + HIT_SIZE <= len(ledger.hits):
            ledger.hits[hit + HIT_ROW] = row
            ledger.hits[hit + HIT_COLUMN] = column
            ledger.hits[hit + HIT_NOTICE] = notice
            ledger.hits[hit + HIT_ENTRY] = entry
            ledger.hits[hit + HIT_START] = start
            ledger.hits[hit + HIT_FIRST_ROW] = first_row
            ledger.hits[hit + HIT_FIRST_COLUMN] = first_column
            regs[W_STORED] += 1
            if kind != SELECTED:
                regs[limit] = max(0, regs[limit] - 1)
                regs[last_row] = row
                regs[last_column] = column
