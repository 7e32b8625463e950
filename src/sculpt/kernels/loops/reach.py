"""Which cells a path reaches, strip by strip: the kernels for selectors that walk left or up."""

from __future__ import annotations

from sculpt.kernels.loops.types import Numbers, Small

UP, DOWN, LEFT, RIGHT, FREE, TEST = range(6)
"""The kinds of arcs of a path: the first four move, the fifth is free, the rest are tests."""
WORD = 62
"""States per number of a set: all bits except the sign."""
GOES_DOWN = 1
GOES_UP = 2


def reach(
    letters: Small,
    rows: int,
    height: int,
    width: int,
    origins: Numbers,
    tests: Numbers,
    tests_count: int,
    arcs_first: Numbers,
    arcs: Numbers,
    start: int,
    final: int,
    words: int,
    from_above: Numbers,
    from_below: Numbers,
    has_above: bool,
    has_below: bool,
    visited: Numbers,
    expanded: Numbers,
    stack: Numbers,
    truths: Small,
    goes_down: Numbers,
    goes_up: Numbers,
) -> int:
    """Which cells of a strip a path reaches: a search over (cell, state), each expanded once.

    The strip has `rows` rows of its own, and look-ahead rows up to `height`. Walks enter and leave
    over its edges. Returns over which edges they leave: `GOES_DOWN`, `GOES_UP`, or both.

    | array | holds |
    |---|---|
    | letters | the letter of each cell, row by row, padding included |
    | origins | letter -> does the path start there? |
    | tests | letter * tests_count + test -> does it hold? |
    | arcs_first, arcs | by state: its arcs, two numbers each: kind, target |
    | from_above, from_below | by column: sets of states that enter the first and the last row |
    | visited, expanded | `words` numbers per cell: sets of states; cleared here |
    | stack | cells that must be visited again; if it is full, they wait for the next sweep |
    | truths | out: is the final state reached? |
    | goes_down, goes_up | out: sets of states that leave the strip's last own row, and its first |
    """
    cells = height * width
    cut = rows * width
    crossings = 0
    for at in range(cells * words):
        visited[at] = 0
        expanded[at] = 0
    if has_above:
        for at in range(width * words):
            visited[at] |= from_above[at]
    if has_below:
        for at in range(width * words):
            visited[(cells - width) * words + at] |= from_below[at]
    for cell in range(cells):
        if origins[letters[cell]]:
            visited[cell * words + start // WORD] |= 1 << (start % WORD)
    is_pending = True
    while is_pending:
        is_pending = False
        for sweep in range(cells):
            stack[0] = sweep
            top = 1
            while top > 0:
                top -= 1
                cell = stack[top]
                column = cell % width
                is_changed = True
                while is_changed:
                    is_changed = False
                    for word in range(words):
                        at = cell * words + word
                        new = visited[at] & ~expanded[at]
                        if new == 0:
                            continue
                        is_changed = True
                        expanded[at] |= new
                        bit = 0
                        while new:
                            if new & 1:
                                state = word * WORD + bit
                                for arc in range(arcs_first[state], arcs_first[state + 1]):
                                    kind, target = arcs[2 * arc], arcs[2 * arc + 1]
                                    other = cell
                                    if kind == UP:
                                        other = cell - width
                                        if other < 0:
                                            to = column * words + target // WORD
                                            goes_up[to] |= 1 << (target % WORD)
                                            crossings |= GOES_UP
                                    elif kind == DOWN:
                                        other = cell + width
                                        if cut <= other < cut + width:
                                            to = column * words + target // WORD
                                            goes_down[to] |= 1 << (target % WORD)
                                            crossings |= GOES_DOWN
                                    elif kind == LEFT:
                                        other = cell - 1 if column > 0 else -1
                                    elif kind == RIGHT:
                                        other = cell + 1 if column < width - 1 else -1
                                    elif kind >= TEST:
                                        test = letters[cell] * tests_count + kind - TEST
                                        if not tests[test]:
                                            continue
                                    if other < 0 or other >= cells:
                                        continue
                                    to = other * words + target // WORD
                                    flag = 1 << (target % WORD)
                                    if visited[to] & flag:
                                        continue
                                    visited[to] |= flag
                                    # The sweep itself comes to cells further on.
                                    if other < sweep or (other == sweep and cell != sweep):
                                        if top < len(stack):
                                            stack[top] = other
                                            top += 1
                                        else:
                                            is_pending = True
                            new >>= 1
                            bit += 1
    for cell in range(cells):
        truths[cell] = (visited[cell * words + final // WORD] >> (final % WORD)) & 1
    return crossings


def relabel(letters: Small, truths: Small, mapping: Numbers, begin: int, cells: int) -> int:
    """Replace letters by `mapping` of (letter, truth); stop at the first that it does not know."""
    for cell in range(begin, cells):
        new = mapping[2 * letters[cell] + truths[cell]]
        if new < 0:
            return cell
        letters[cell] = new
    return cells
