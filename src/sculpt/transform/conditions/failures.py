"""A `require` that does not hold, in words.

In: what went wrong at a place: the comparison or question that decides, with its values, or a value
that cannot be computed. Out: a `Violation`. All engines use these words, so they agree in them.

The place of a violation is that of the loop. In a loop over rows it also has the column of the
first cell of the comparison that fails, if that cell is in the row; in a loop over columns, the row
of that cell. Outside loops it is the place of the first cell, if there is one. An imported
condition that was about one column is found in that column of its row (`own_column`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from sculpt.core.programs.conditions import Comparison, In, Is, IsFile, Question, Test
from sculpt.core.programs.statements import Require
from sculpt.display import shortened
from sculpt.engines.messages.words import quoted, with_own
from sculpt.syntax.programs.functions import TestName
from sculpt.values import frozen
from sculpt.verdict import FOUND_LIMIT, Violation

MAX_SAID = 120
"""Characters of a condition in a message."""
_TESTS: Mapping[TestName, tuple[str, str]] = {
    "contains": ("contains", "contain"),
    "starts": ("starts with", "start with"),
    "ends": ("ends with", "end with"),
}


@frozen
class Failure:
    """Why a condition fails."""

    found: str | None
    """The text of the value that is wrong."""
    reason: str
    hint: str | None = None


def failed_question(
    question: Question, truth: bool | None, texts: tuple[str | None, ...]
) -> Failure:
    """A comparison or a question has an answer that makes the condition fail."""
    found = texts[0]
    first = _shown(found)
    is_or_not = "is" if truth else "is not"
    match question:
        case Comparison(_, relation, _):
            answer = "unknown" if truth is None else "true" if truth else "false"
            reason = f"{first} {relation} {_shown(texts[1])} is {answer}"
        case Is(_, _, _, text):
            reason = f"{first} {is_or_not} `{text}`"
        case In(_, mapping):
            reason = f"{first} {is_or_not} in the mapping `{mapping}`"
        case Test(function, _, _):
            does, do = _TESTS[function]
            words = does if truth else f"does not {do}"
            reason = f"{first} {words} {_shown(texts[1])}"
        case IsFile():
            reason = f"{first} {is_or_not} a file"
        case _:
            assert_never(question)
    return Failure(found, reason)


def failed_value(finding: Violation) -> Failure:
    """A value of the condition cannot be computed."""
    hint = finding.hint if finding.code == "lookup-several" else None
    return Failure(finding.found, finding.message, hint)


def own_column(require: Require, width: int) -> int | None:
    """The column that an imported condition was about, if a table of some width has it."""
    origin = require.ending.origin
    if origin is None or origin.column is None or origin.column > width:
        return None
    return origin.column


def violation(require: Require, row: int | None, column: int | None, failure: Failure) -> Violation:
    """A violated `require`."""
    message = f"`{_said(require)}` does not hold: {failure.reason}"
    found = failure.found
    return Violation(
        code="require",
        rule=None,
        line=require.line,
        row=row,
        column=column,
        offset=None,
        found=None if found is None else found[:FOUND_LIMIT],
        tokens=(),
        expected=(),
        message=with_own(require.ending.message, message),
        hint=failure.hint,
        severity=require.ending.severity,
    )


def _said(require: Require) -> str:
    """The condition, in the words of whoever wrote it; its beginning, if it is long."""
    origin = require.ending.origin
    return shortened(require.said if origin is None else origin.construct.strip(), MAX_SAID)


def _shown(text: str | None) -> str:
    if text is None:
        return "nothing"
    return quoted(text) if text else "an empty text"
