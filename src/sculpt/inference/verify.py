"""Drafts against the files they are made from: what refuses is widened, and at last dropped.

In: the files, the directives, the drafts. Out: a `Verified`: a text that accepts every file, and
what was widened. Invariant: the engine has accepted each file with exactly this text, unless the
files break their own dialect: then `refused` names them. Cost: a validation of each file for each
round, and at most `_ROUNDS` of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sculpt.api import validate
from sculpt.errors import SculptError
from sculpt.inference.emit.text import Text, last_resort, schema_text
from sculpt.inference.emit.words import Draft
from sculpt.schema import Schema
from sculpt.values import frozen
from sculpt.verdict import Verdict

_ROUNDS = 7


@frozen
class Verified:
    """A schema that has been run on its files."""

    text: Text
    levels: tuple[tuple[int, int], ...]
    """How far drafts were widened: a place in the list, and steps."""
    refused: tuple[tuple[str, str], ...] = ()
    """Files that break their dialect, and how: no schema of this dialect accepts them."""


def verified(
    paths: Sequence[str],
    head: Callable[[], Sequence[str]],
    directives: Sequence[str],
    drafts: Sequence[Draft],
) -> Verified:
    """The tightest drafts that accept all files."""
    levels: dict[int, int] = {}
    text = schema_text(head(), directives, drafts, levels)
    refused: tuple[tuple[str, str], ...] = ()
    for turn in range(_ROUNDS):
        outcomes = [_outcome(text.schema, path) for path in paths]
        failed = {
            text.rules[rule - 1]
            for outcome in outcomes
            for rule in outcome.failed
            if rule <= len(text.rules)
        }
        refused = tuple(
            (path, outcome.problem)
            for path, outcome in zip(paths, outcomes, strict=True)
            if outcome.problem
        )
        if not failed:
            break
        for place in failed:  # in the last rounds nothing is tried any more
            levels[place] = levels.get(place, 0) + (1 if turn < _ROUNDS - 2 else 99)
        text = schema_text(head(), directives, drafts, levels)
    if refused:
        text = last_resort(head(), directives)
        outcomes = [_outcome(text.schema, path) for path in paths]
        refused = tuple(
            (path, outcome.problem)
            for path, outcome in zip(paths, outcomes, strict=True)
            if outcome.problem
        )
    return Verified(text, tuple(sorted(levels.items())), refused)


@frozen
class _Outcome:
    """What a schema says of a file."""

    failed: frozenset[int]
    """Rules that refuse it."""
    problem: str
    """Why it is not valid; empty if it is."""


def _outcome(schema: Schema, path: str) -> _Outcome:
    try:
        verdict = verdict_of(schema, path)
    except SculptError as error:
        return _Outcome(frozenset(), str(error))
    if verdict.valid:
        return _Outcome(frozenset(), "")
    failed = frozenset(t.rule for t in verdict.rules if t.failed and t.rule is not None)
    found = verdict.violations
    return _Outcome(failed, found[0].message if found else "not valid")


def verdict_of(schema: Schema, path: str) -> Verdict:
    """The verdict of the engine that is fastest on small files."""
    return validate(schema, path, engine="local", max_violations=20)
