"""The outcome of a call over several inputs: what the reports render.

In: a verdict or an error per input. Out: a `Run`, with the exit status: 0 valid, 1 not
valid, 3 some data could not be read; 3 beats 1.
"""

from __future__ import annotations

from sculpt.values import frozen
from sculpt.verdict import Verdict


@frozen
class Unread:
    """An input that could not be checked."""

    path: str
    message: str

    @property
    def valid(self) -> bool:
        """What was not read does not conform."""
        return False


@frozen
class Run:
    """Everything that one call found."""

    engine: str
    outcomes: tuple[Verdict | Unread, ...]
    strict: bool = False

    def is_valid(self, outcome: Verdict | Unread) -> bool:
        """Does an input conform? Under `strict`, warnings count."""
        if isinstance(outcome, Unread):
            return False
        return outcome.valid and not (self.strict and outcome.warnings)

    @property
    def valid(self) -> bool:
        """Do all inputs conform?"""
        return all(self.is_valid(outcome) for outcome in self.outcomes)

    @property
    def exit_status(self) -> int:
        """As the command line returns it."""
        if any(isinstance(outcome, Unread) for outcome in self.outcomes):
            return 3
        return 0 if self.valid else 1
