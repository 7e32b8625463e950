"""Which objects of a row stand inside others ("Generating JSON from Tabular Data on the Web", 4.3).

In: the subjects of a row with their identifiers, and the value URLs of their cells. Out: the
subjects that stay on their own, and for the others the cell whose value each replaces.

Invariant: the result is a forest: no subject contains itself. Cost: linear in cells and subjects.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from sculpt.values import frozen


@frozen
class Subject:
    """What some cells of a row are about."""

    identifier: str | None
    links: tuple[tuple[int, str], ...]
    """The columns of its cells that have value URLs, with these."""


@frozen
class Forest:
    """The subjects of a row, by number."""

    roots: tuple[int, ...]
    inner: Mapping[tuple[int, int], int]
    """By subject and column: the subject that stands there."""


def forest_of(subjects: Sequence[Subject], all_urls: Sequence[str]) -> Forest:
    """How subjects are nested; `all_urls` are the value URLs of all cells of the row."""
    by_identifier = {
        each.identifier: number
        for number, each in enumerate(subjects)
        if each.identifier is not None
    }
    counts = Counter(all_urls)
    parents: dict[int, int] = {}
    inner: dict[tuple[int, int], int] = {}
    for number, subject in enumerate(subjects):
        for column, url in subject.links:
            other = by_identifier.get(url)
            if other is None or other == number or counts[url] != 1:
                continue
            if _root(parents, number) == other:
                continue  # it is inside already
            parents[other] = number
            inner[number, column] = other
    roots = tuple(number for number in range(len(subjects)) if number not in parents)
    return Forest(roots, inner)


def _root(parents: Mapping[int, int], number: int) -> int:
    while number in parents:
        number = parents[number]
    return number
