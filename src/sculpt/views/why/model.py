"""Why a cell is in a region or not: the answer as values.

In: what `selectors` and `content` find. Out: a `Why`, which `text` and `json` render. Invariant: a
`Part` says of one cell whether one selector holds there, and `Answer.selected` is what
`sculpt.select` says. Every part has its place in the schema. All places in the table are 1-based.
"""

from __future__ import annotations

from typing import Literal as OneOf
from typing import TypeAlias

from sculpt.core.ir import Direction
from sculpt.diagnostics import Span
from sculpt.display import shortened
from sculpt.engines.messages.findings import Scope
from sculpt.syntax.ast import ArrowName
from sculpt.values import frozen
from sculpt.views.model import Place, RegionKind

StopKind: TypeAlias = OneOf["test", "edge", "end", "nowhere"]
Outcome: TypeAlias = OneOf["passes", "fails", "unknown"]


@frozen
class Test:
    """A filter of a path, `[Text]`, that held on a walk."""

    text: str
    """The selector inside, as it is written."""
    span: Span


@frozen
class Step:
    """Equal steps of a walk, one after the other."""

    direction: Direction
    count: int
    row: int
    column: int
    """The place after the last of them."""
    tests: tuple[Test, ...]
    """What held at the cell after each of the steps."""


@frozen
class Walk:
    """A shortest walk that a path allows, from one cell to another."""

    start: Place
    start_text: str | None
    """The text of its first cell; `None` if that is padded."""
    end: Place
    tests: tuple[Test, ...]
    """What held at its first cell, before the first step."""
    steps: tuple[Step, ...]

    @property
    def length(self) -> int:
        """How many steps it has."""
        return sum(step.count for step in self.steps)


@frozen
class Stop:
    """Why no walk of a path leads to a cell: the place where the nearest walk stops, and why."""

    kind: StopKind
    """A test fails, the next step would leave the table, the path ends here, or no walk starts."""
    row: int | None = None
    column: int | None = None
    """Where it stops; `None` if no walk starts."""
    text: str | None = None
    """The text of that cell; `None` if it is padded."""
    direction: Direction | None = None
    """The step that would leave the table."""
    walk: Walk | None = None
    """A shortest walk to that place; `None` if the search for one gave up."""
    test: Part | None = None
    """The test that fails there, explained."""


@frozen
class Part:
    """Does a selector hold at a cell? And why?"""

    text: str
    """As it is written in the schema."""
    span: Span
    row: int
    column: int
    holds: bool
    reason: str = ""
    """A short sentence, without a full stop."""
    parts: tuple[Part, ...] = ()
    """What it is made of, explained at the same cell."""
    walk: Walk | None = None
    """If it follows a path and holds: how a walk gets here, or for `exists` away from here."""
    origin: Part | None = None
    """Why that walk can start where it does, unless the text of the cell says it."""
    stop: Stop | None = None
    """If it follows a path and does not hold."""
    gave_up: bool = False
    """Was the search ended before it found a walk or a stop? `holds` is right all the same."""


@frozen
class Letter:
    """A cell of a rule's word, or an item of a list, as the content expression reads it."""

    row: int
    column: int
    text: str | None
    """`None` if the cell is padded."""
    expected: tuple[str, ...]
    """What could come here, tokens and perhaps the end; empty after the word has failed."""
    read: tuple[str, ...]
    """Which of these tokens it is; empty if none, or if it is padding that is passed over."""
    skipped: bool = False
    """Is it a padded cell that is passed over?"""
    item: int | None = None
    """Its number, if it is an item of a list."""


@frozen
class ContentTrace:
    """What the content expression of a rule expects around a cell of its region."""

    text: str
    """The content expression."""
    scope: Scope
    """What is read as one word: a row, a column or the whole region; for lists, the cell."""
    letters: tuple[Letter, ...]
    """The cell, and a few before and after it; for a list, items around the first wrong one."""
    before: int
    """How many cells or items come before these."""
    more: bool
    """Do others follow?"""
    expected: tuple[str, ...]
    """What could come at the cell; empty if the word had failed before it."""
    outcome: Outcome
    """Does the whole word match? Unknown if it is too long to be read."""
    failed_at: Place | None = None
    """The cell at which it fails; `None` also if it ends too early."""
    failed_item: int | None = None
    """The item of a list at which it fails."""
    wanted: tuple[str, ...] = ()
    """What was expected where it fails."""
    ends_early: bool = False
    """Does it fail because nothing follows its last cell?"""
    hint: str | None = None


@frozen
class Answer:
    """What there is to say about a cell and one region."""

    region: str
    """`rule:3`, `type:Names` or `selector:1`."""
    kind: RegionKind
    text: str
    line: int | None
    documentation: str
    selected: bool
    part: Part
    """The selector, explained at the cell."""
    arrow: ArrowName | None = None
    content: ContentTrace | None = None
    """For a rule that selects the cell."""


@frozen
class Why:
    """Why a cell is in some regions and not in others."""

    path: str
    row: int
    column: int
    text: str | None
    """The text of the cell as tokens see it; `None` if it is padded."""
    rows: int
    columns: int
    """The size of the table."""
    answers: tuple[Answer, ...]

    def __repr__(self) -> str:
        held = f"in {len(self.selected):,} of {len(self.answers):,} regions"
        return f"<Why {shortened(self.path)} ({self.row},{self.column}): {held}>"

    @property
    def selected(self) -> tuple[str, ...]:
        """The regions that hold the cell."""
        return tuple(each.region for each in self.answers if each.selected)
