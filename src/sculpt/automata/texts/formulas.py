"""From what a text matches to the tokens that count: formulas evaluated, hidden names dropped.

In: tokens with and without formulas, dependencies first, and the names to keep. Out: `Formulas`: a
set of matched names becomes the set of kept tokens. A text may also have *asked* names: hidden
tokens of which only the value of the text can tell whether they match. If the kept tokens are the
same for all answers, nothing is asked.

Invariant: equal sets of kept tokens are equal values, so the number of letters depends on what is
kept, not on how many hidden tokens there are. Cost: each distinct set is evaluated once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, combinations

from sculpt.core.formulas import is_true
from sculpt.core.ir import CoreToken

MAX_ASKED = 6
"""Up to this many asked names, all answers are tried beforehand: at most 64 sets."""
Names = frozenset[str]


class Formulas:
    """The formulas of some tokens."""

    def __init__(self, tokens: Iterable[CoreToken], kept: Iterable[str]) -> None:
        self._derived = [token for token in tokens if token.formula is not None]
        self._kept = frozenset(kept)
        self._closed: dict[Names, Names] = {}
        self._variants: dict[tuple[Names, Names], frozenset[Names] | None] = {}

    def kept(self, names: Iterable[str]) -> Names:
        """Those of some names that are kept."""
        return self._kept.intersection(names)

    def close(self, names: Names) -> Names:
        """The kept tokens of a text that matches these tokens without formulas, and no others."""
        found = self._closed.get(names)
        if found is None:
            matched = set(names)
            for token in self._derived:
                if token.formula is not None and is_true(token.formula, matched):
                    matched.add(token.name)
            found = self._closed[names] = self.kept(matched)
        return found

    def depends(self, names: Names, asked: Names) -> bool:
        """Do the kept tokens depend on which of the asked names match?"""
        variants = self._variants_of(names, asked)
        return variants is None or len(variants) > 1

    def possible(self, names: Names, asked: Names) -> Names:
        """The tokens that are kept for some answer."""
        variants = self._variants_of(names, asked)
        return self._kept if variants is None else frozenset().union(*variants)

    def _variants_of(self, names: Names, asked: Names) -> frozenset[Names] | None:
        """The sets of kept tokens, over all answers; `None` if there are too many answers."""
        key = (names, asked)
        if key not in self._variants:
            self._variants[key] = (
                frozenset(self.close(names.union(some)) for some in _subsets(asked))
                if len(asked) <= MAX_ASKED
                else None
            )
        return self._variants[key]


def _subsets(names: Names) -> Iterator[tuple[str, ...]]:
    return chain.from_iterable(combinations(sorted(names), size) for size in range(len(names) + 1))
