"""Definitions in an order in which each comes after those that it uses.

In: for each name the names that its definition uses. Out: the names in order; cycles are reported
and cut. Without recursion: chains of definitions may be long. Cost: linear.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence


def in_order_of_use(
    uses: Mapping[str, Sequence[str]], on_cycle: Callable[[list[str]], None]
) -> list[str]:
    """The names, each after those it uses; a name that is not defined is left out."""
    ordered: dict[str, None] = {}
    for root in uses:
        trail: dict[str, Iterator[str]] = {} if root in ordered else {root: iter(uses[root])}
        while trail:
            name = next(reversed(trail))
            used = next(trail[name], None)
            if used is None:
                ordered.setdefault(name)
                del trail[name]
            elif used in trail:
                names = list(trail)
                on_cycle([*names[names.index(used) :], used])
            elif used in uses and used not in ordered:
                trail[used] = iter(uses[used])
    return list(ordered)
