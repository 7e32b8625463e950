"""What a run does with data that violates its schema: refuse it, continue, or leave rows out.

In: verdicts and a `Policy`. Out: nothing, or the error that ends the run. All engines use this
module, so they refuse the same data with the same message.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from sculpt.errors import UsageError
from sculpt.verdict import RefusedError, Verdict

WORDS_ACROSS_ROWS = frozenset({"region-content", "column-content"})
"""Codes of violations that name the row where a word failed, though other rows may be at fault."""


class Policy(StrEnum):
    """What to do with a file that violates its schema."""

    REFUSE = "refuse"
    FORCE = "force"
    """Continue; a value that cannot be computed is null."""
    GOOD_ROWS = "good rows"
    """Leave out the rows that an error names; warnings do not matter."""


def policy_of(force: bool, only_good_rows: bool) -> Policy:
    """The policy for the two flags."""
    if force and only_good_rows:
        raise UsageError("`force` keeps all rows, `only_good_rows` does not: choose one")
    return Policy.FORCE if force else Policy.GOOD_ROWS if only_good_rows else Policy.REFUSE


def check_verdicts(verdicts: Sequence[Verdict], policy: Policy) -> None:
    """Refuse data that does not conform, unless the policy allows it."""
    if policy is Policy.REFUSE and not all(verdict.valid for verdict in verdicts):
        raise RefusedError(tuple(verdicts))


def no_good_rows(path: str) -> UsageError:
    """The error for a violation of a whole region or column, which names no single bad row."""
    return UsageError(
        f"{path}: a violation is about a whole region or column, so no row is known to be good"
    )
