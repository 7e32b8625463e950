"""How large a page may become, and who gets the room.

In: a limit in bytes. Out: yes or no for each piece, in the order of importance. A piece may use the
room that is left, except for a reserve that is kept for what comes later. `shares` divides a rest
evenly: whoever needs less than an even share leaves the difference to the others.
"""

from __future__ import annotations

from collections.abc import Sequence

from sculpt.views.html.markup import size


class Budget:
    """The bytes that are left of a page."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.left = limit

    def take(self, html: str, reserve: float = 0.0, extra: int = 0) -> bool:
        """Take the room for a piece, if a share of the whole page (`reserve`) is left after it."""
        need = size(html) + extra
        if self.left - need < reserve * self.limit:
            return False
        self.left -= need
        return True


def shares(room: int, needs: Sequence[int]) -> list[int]:
    """The room for each of several claims: an even share of it, or less if less is needed."""
    given = [0] * len(needs)
    waiting = sorted(range(len(needs)), key=lambda ix: needs[ix])
    for done, ix in enumerate(waiting):
        given[ix] = min(needs[ix], max(0, room) // (len(needs) - done))
        room -= given[ix]
    return given
