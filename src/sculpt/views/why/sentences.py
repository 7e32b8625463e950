"""Short sentences about cells, walks and stops.

In: values of `model`, and cells. Out: texts without a full stop, in which every character of a cell
is visible and long texts are cut.
"""

from __future__ import annotations

from collections.abc import Sequence

from sculpt.core import ir
from sculpt.engines.messages.text_tokens import TextTokens
from sculpt.engines.messages.words import is_long, quoted
from sculpt.report.text import visible
from sculpt.tabular.grid import Cell
from sculpt.views.model import Place
from sculpt.views.why.model import Step, Stop, Test, Walk

MAX_STEPS = 8
"""The most steps of a walk that a sentence has."""
_BESIDE = {"up": "above", "down": "below", "left": "left of", "right": "right of"}


def at(place: Place) -> str:
    """`(3,1)`."""
    return f"({place[0]},{place[1]})"


def cell_words(text: str | None) -> str:
    """A cell by its text."""
    return "a padded cell" if text is None else quoted(text)


def token_words(token: ir.CoreToken, cell: Cell | None, holds: bool, texts: TextTokens) -> str:
    """Why a cell matches a token, or does not."""
    shown = cell_words(None if cell is None else cell.text)
    if token.literal is not None:
        if holds:
            return f"the text is {shown}" if token.literal else "the cell is empty"
        return f"{shown} is not {quoted(token.literal) if token.literal else 'an empty text'}"
    if holds:
        return f"{shown} is {visible(token.name)}"
    hint = mismatch(token, cell, texts)
    return f"{shown} is not {visible(token.name)}" + (f", which {hint}" if hint else "")


def mismatch(token: ir.CoreToken, cell: Cell | None, texts: TextTokens) -> str | None:
    """What a token has against a text, if that can be said; its name is the subject."""
    if cell is None or not cell.text or token.is_missing or token.literal is not None:
        return None
    if not cell.decodable:
        return "does not match bytes that cannot be decoded"
    if is_long(cell.text):
        return None
    length = texts.matcher(token.name).alive_length(cell.text)
    if length == len(cell.text) and token.formula is not None:
        return f"does not match {quoted(cell.text)}, by its definition"
    if length == len(cell.text):
        return f"needs more after {quoted(cell.text)}"
    return f"does not allow {quoted(cell.text[length])} at character {length + 1}"


def position_words(row: int | None, column: int | None, place: Place, holds: bool) -> str:
    """Why a cell is at a position, or is not."""
    found = [("row", place[0], row), ("column", place[1], column)]
    asked = [(name, here, wanted) for name, here, wanted in found if wanted is not None]
    here = " and ".join(f"{name} {number}" for name, number, _ in asked)
    return f"this is {here}" if holds else f"this cell is in {here}"


# ------------------------------------------------------------- walks


def walk_words(walk: Walk, from_here: bool = False) -> str:
    """A walk, step by step; equal steps are one."""
    start = "here" if from_here else f"{at(walk.start)} {cell_words(walk.start_text)}"
    tests = _tests_words(walk.tests)
    if not walk.steps:
        return f"from {start} itself, without a step{tests}"
    steps = [_step_words(step) for step in walk.steps]
    if len(steps) > MAX_STEPS:
        left = len(steps) - MAX_STEPS + 1
        steps[MAX_STEPS - 3 : -2] = [f"… {left:,} more …"]
    return f"from {start}{tests}: {', '.join(steps)}"


def _step_words(step: Step) -> str:
    times = f" ×{step.count:,}" if step.count > 1 else ""
    to = at((step.row, step.column))
    return f"{step.direction}{times} to {to}{_tests_words(step.tests, step.count)}"


def _tests_words(tests: Sequence[Test], count: int = 1) -> str:
    if not tests:
        return ""
    each = " each time" if count > 1 else ""
    named = "".join(f"[{visible(test.text)}]" for test in tests)
    return f", {named} {'holds' if len(tests) == 1 else 'hold'}{each}"


def stop_words(stop: Stop, from_here: bool, origin: str) -> str:
    """Why no walk leads to a cell; `origin` says that none starts."""
    if stop.kind == "nowhere":
        return f"it starts nowhere: {origin}"
    assert stop.row is not None
    assert stop.column is not None
    place = at((stop.row, stop.column))
    reason = _stop_reason(stop, place)
    way = f"to {place}" if stop.walk is None else walk_words(stop.walk, from_here)
    if from_here:
        is_here = stop.walk is not None and not stop.walk.steps
        how = "stops here" if is_here else f"goes {way}, and stops"
        return f"no walk succeeds; the nearest try {how}: {reason}"
    how = "and ends there" if stop.kind == "end" else f"and stops: {reason}"
    return f"no walk leads here; the nearest goes {way}, {how}"


def _stop_reason(stop: Stop, place: str) -> str:
    if stop.test is not None:
        one = not stop.test.parts and stop.test.reason
        return one or f"[{visible(stop.test.text)}] does not hold at {place}"
    return "" if stop.direction is None else f"there is no cell {_BESIDE[stop.direction]} {place}"
