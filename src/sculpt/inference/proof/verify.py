"""Drafts against the files they are made from: the tightest contents that all files have.

In: the drafts, who judges files, and what was counted in files that were not read as a whole. Out:
a `Verified`: a text that accepts every file. What the files refuse is widened by the texts that it
refuses, if they are few, else by the next step of its ladder, and at last dropped.

Invariant: the engine has accepted each file with exactly this text, or has counted for each of its
rules that nothing fails. Files that break their own dialect are in `refused`. Cost: one validation
of each file; two or three where the first text does not fit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sculpt.errors import DataError, SculptError
from sculpt.inference.columns.learn import Strictness
from sculpt.inference.emit.text import Text, anchor_pieces, last_resort, schema_text
from sculpt.inference.emit.words import Draft, Lit
from sculpt.inference.proof.counting import LISTED, Counts, count
from sculpt.inference.proof.judges import Judge, judge_here
from sculpt.inference.proof.widening import Choice, choose
from sculpt.schema import Schema
from sculpt.values import frozen
from sculpt.verdict import Verdict

_ROUNDS = 5
_DROPPED = 99


@frozen
class Verified:
    """A schema that accepts its files."""

    text: Text
    drafts: tuple[Draft, ...]
    levels: tuple[tuple[int, int], ...]
    """How far drafts were widened: a place in the list, and steps."""
    refused: tuple[tuple[str, str], ...] = ()
    """Files that break their dialect, and how: no schema of this dialect accepts them."""


def verified(
    judge: Judge,
    paths: Sequence[str],
    head: Callable[[], Sequence[str]],
    directives: Sequence[str],
    drafts: Sequence[Draft],
    how: Strictness,
    counts: Counts | None = None,
) -> Verified:
    """The tightest drafts that accept all files; `counts` if the files were counted already."""
    choice = Choice(tuple(drafts))
    if counts is not None:
        choice = choose(choice, counts, how)
    text = schema_text(head(), directives, choice.drafts, choice.levels)
    if counts is not None and choice.is_sure and not (counts.repeated and text.uniques):
        refused = tuple((each.path, each.problem) for each in counts.files if each.problem)
        return Verified(text, choice.drafts, tuple(sorted(choice.levels.items())), refused)
    refused = ()
    for turn in range(_ROUNDS):
        outcomes = [_outcome(judge, text.schema, path) for path in paths]
        failed = {
            text.rules[rule - 1]
            for outcome in outcomes
            for rule in outcome.failed
            if rule <= len(text.rules)
        }
        failed |= _on_anchors(choice, frozenset().union(*(each.repeated for each in outcomes)))
        refused = tuple(
            (path, outcome.problem)
            for path, outcome in zip(paths, outcomes, strict=True)
            if outcome.problem
        )
        if not failed:
            break
        if turn == 0 and counts is None and (found := _counted(judge, paths, directives, choice)):
            choice = choose(choice, found, how)
        else:
            choice = choice.widened(failed, _DROPPED if turn > 1 else 1)
        text = schema_text(head(), directives, choice.drafts, choice.levels)
    if refused:  # by all rules together, or by what no rule can help
        plain = last_resort(head(), directives)
        if all(not _outcome(judge, plain.schema, path).problem for path in paths):
            text, refused = plain, ()
    return Verified(text, choice.drafts, tuple(sorted(choice.levels.items())), refused)


def _counted(
    judge: Judge, paths: Sequence[str], directives: Sequence[str], choice: Choice
) -> Counts | None:
    try:
        return count(judge, paths, directives, choice.drafts)
    except DataError:
        raise
    except SculptError:  # too much for the engine at once
        return None


def _on_anchors(choice: Choice, repeated: frozenset[str]) -> set[int]:
    """The drafts that start from one of some texts."""
    return {
        place
        for place, draft in enumerate(choice.drafts)
        if repeated
        for piece in anchor_pieces(draft.selector)
        if not isinstance(piece, Lit) or piece.text in repeated
    }


@frozen
class _Outcome:
    """What a schema says of a file."""

    failed: frozenset[int] = frozenset()
    """Rules that refuse it."""
    repeated: frozenset[str] = frozenset()
    """Texts that are in several cells, though the schema says otherwise."""
    problem: str = ""
    """Why it is not valid; empty if it is."""


def _outcome(judge: Judge, schema: Schema, path: str) -> _Outcome:
    try:
        (verdict,) = judge(schema, [path], LISTED)
    except DataError:
        raise
    except SculptError as error:
        return _Outcome(problem=str(error))
    if verdict.valid:
        return _Outcome()
    failed = frozenset(t.rule for t in verdict.rules if t.failed and t.rule is not None)
    found = verdict.violations
    repeated = frozenset(
        each.found.strip(" \t") for each in found if each.code == "unique" and each.found
    )
    return _Outcome(failed, repeated, found[0].message if found else "not valid")


def verdict_of(schema: Schema, path: str) -> Verdict:
    """The verdict of this machine on one file."""
    return judge_here()(schema, [path], LISTED)[0]
