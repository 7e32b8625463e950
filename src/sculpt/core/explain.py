"""`sculpt explain`: how each rule can be evaluated, and why not more cheaply.

In: a `CoreSchema`. Out: an `Explanation`: per rule the core form, the vertical strata, forward or
not and what breaks it, guarded or not and which `unique(…)` would help, and its class.

Invariant: a class is a promise about memory and passes that holds for all data (for guarded
schemas: all data that keep `unique`). Cost: linear in the schema; the search for helpful
constraints repeats the analysis of one rule for each of at most `MAX_ADVICE` tokens.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal as OneOf

from sculpt.core import ir
from sculpt.core.costs import Blocks, Costs, merged, passes
from sculpt.core.guards import Guards
from sculpt.core.lift import path_text, selector_text
from sculpt.core.traversal import reach_nodes, tokens_of
from sculpt.syntax.regular import letters

MAX_ADVICE = 8


class StreamClass(StrEnum):
    """How a rule can be evaluated, the cheapest way first."""

    STRONG = "strong stream"
    WEAK = "weak stream"
    WIDTH_FIRST = "width first"
    LOOK_AHEAD = "look-ahead"
    PASSES = "passes"
    STRIPS = "strips"


_ORDER = list(StreamClass)


class Held(StrEnum):
    """What the local engine holds at a time, the least first."""

    CHUNKS = "a few chunks"
    ROWS = "the rows of a chunk"
    TABLE = "the table"


_HELD_ORDER = list(Held)


@dataclass(frozen=True, slots=True)
class RuleExplanation:
    """The facts about one rule, one token type, or one constraint on a token type."""

    kind: OneOf["rule", "type", "unique"]
    number: int | None
    line: int
    text: str
    core: str
    strata: int
    forward: bool
    backward_parts: tuple[str, ...]
    """The sub-expressions that move up or left."""
    guarded: bool
    loose_part: str | None
    """A path with a `down` that may start in any number of columns."""
    advice: tuple[str, ...]
    """Constraints that would make it guarded."""
    stream_class: StreamClass
    look_ahead: int
    """Rows below a cell that decide about it, for the class `look-ahead`."""
    passes: int
    """How often the data is read."""
    memory: str
    reasons: tuple[str, ...]
    blocks: Blocks | None
    """Chains of vertical moves; `None` where a path goes both ways without bound."""
    width_first: bool
    """Must the width of the table be known before?"""
    held: Held
    """What the local engine holds to evaluate it."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """The facts about a schema.

    Its class is the costliest of what validation evaluates: a token type that no rule uses costs
    nothing until somebody selects it.
    """

    entries: tuple[RuleExplanation, ...]

    @property
    def validated(self) -> tuple[RuleExplanation, ...]:
        """The rules and constraints, without the token types."""
        return tuple(entry for entry in self.entries if entry.kind != "type")

    @property
    def stream_class(self) -> StreamClass:
        """The class of the whole schema."""
        classes = [entry.stream_class for entry in self.validated]
        return max(classes, key=_ORDER.index, default=StreamClass.STRONG)

    @property
    def passes(self) -> int:
        """How often the data is read for the whole schema.

        Rules share passes, but one read from below and one read from above need two.
        """
        shared = passes(merged(entry.blocks for entry in self.validated if entry.blocks))
        two_way = any(entry.blocks is None for entry in self.validated)
        return max(shared, 2 * two_way) + any(entry.width_first for entry in self.validated)

    @property
    def held(self) -> Held:
        """What the local engine holds to validate."""
        return max((e.held for e in self.validated), key=_HELD_ORDER.index, default=Held.CHUNKS)

    @property
    def strata(self) -> int:
        """V for the whole schema."""
        return max((entry.strata for entry in self.validated), default=0)


def explain_schema(schema: ir.CoreSchema) -> Explanation:
    """How every rule of a schema, and every constraint on a token type, is evaluated."""
    explainer = _Explainer(schema)
    entries = [explainer.rule(rule) for rule in schema.rules]
    entries += [
        explainer.entry("type", None, definition.line, definition.text, definition.selector)
        for definition in schema.types.values()
    ]
    entries += [
        explainer.entry("unique", None, unique.line, unique.text, unique.selector)
        for unique in schema.uniques
        if not isinstance(unique.selector, ir.Token)
    ]
    return Explanation(tuple(entries))


class _Explainer:
    def __init__(self, schema: ir.CoreSchema) -> None:
        self.schema = schema
        self.guards = Guards(schema)
        self.costs = Costs(schema)
        self.texts: dict[int, str] = {}

    def rule(self, rule: ir.CoreRule) -> RuleExplanation:
        # Token types that the content reads are evaluated along with the selector.
        return self.entry(
            "rule",
            rule.number,
            rule.line,
            rule.text,
            rule.selector,
            rule.arrow,
            _type_letters(self.schema, rule),
        )

    def entry(
        self,
        kind: OneOf["rule", "type", "unique"],
        number: int | None,
        line: int,
        text: str,
        selector: ir.Selector,
        arrow: str = "->",
        letters: tuple[ir.Selector, ...] = (),
    ) -> RuleExplanation:
        involved = (selector, *letters)
        backward = [
            reach
            for each in involved
            for reach in reach_nodes(each)
            if ir.axes(reach.path) & {"up", "left"}
        ]
        loose = next(
            (step for each in involved if (step := self.guards.loose_step(each)) is not None), None
        )
        forward = not backward
        guarded = forward and loose is None
        verdict = self.classify(involved, arrow, forward, guarded)
        return RuleExplanation(
            kind=kind,
            number=number,
            line=line,
            text=text,
            core=self.text_of(selector),
            strata=max(self.costs.strata(each) for each in involved),
            forward=forward,
            backward_parts=tuple(dict.fromkeys(self.text_of(reach) for reach in backward)),
            guarded=guarded,
            loose_part=path_text(loose) if forward and loose is not None else None,
            advice=self.advice(involved) if forward and not guarded else (),
            stream_class=verdict.stream_class,
            look_ahead=verdict.look_ahead,
            passes=verdict.passes,
            memory=verdict.memory,
            reasons=verdict.reasons,
            blocks=verdict.blocks,
            width_first=verdict.first,
            held=held(involved),
        )

    def text_of(self, selector: ir.Selector) -> str:
        """A selector as text; rules share parts, so each is written once."""
        if id(selector) not in self.texts:
            self.texts[id(selector)] = selector_text(selector)
        return self.texts[id(selector)]

    def advice(self, involved: tuple[ir.Selector, ...]) -> tuple[str, ...]:
        """A smallest set of tokens that, were they unique, would make the selectors guarded."""
        names = list(dict.fromkeys(name for each in involved for name in tokens_of(each)))
        if not names or not self.guarded_with(involved, names):
            return ()
        for name in names[:MAX_ADVICE]:
            without = [other for other in names if other != name]
            if self.guarded_with(involved, without):
                names = without
        return tuple(f"unique({name})" for name in names)

    def guarded_with(self, involved: tuple[ir.Selector, ...], names: list[str]) -> bool:
        guards = Guards(self.schema, names)
        return all(guards.loose_step(each) is None for each in involved)

    # ------------------------------------------------------------- the class

    def classify(
        self, involved: tuple[ir.Selector, ...], arrow: str, forward: bool, guarded: bool
    ) -> _Class:
        ahead = max(self.costs.look_ahead(each) for each in involved)
        free = all(self.costs.width_free(each) for each in involved)
        strict = self.schema.dialect.strict_padding
        climbed = max(self.costs.rows_climbed(each) for each in involved)
        if climbed == 0:
            return self.one_direction(arrow, forward, guarded, free, strict)
        first = not free or strict
        width = ("the width of the table must be known first",) if first else ()
        if ahead < math.inf:
            rows, buffered = int(ahead), 1 + int(max(ahead, climbed))
            plural = "row" if rows == 1 else "rows"
            reason = f"`up` needs {rows} {plural} of look-ahead"
            if rows == 0:
                reason = f"`up` goes back {int(climbed)} before it comes down: rows are buffered"
            memory = f"{buffered} rows, and a state per column"
            return _Class(
                StreamClass.LOOK_AHEAD, memory, (reason, *width), _from_above(), first, rows
            )
        chains = [self.costs.blocks(each) for each in involved]
        blocks = merged(each for each in chains if each is not None)
        if any(each is None for each in chains):
            reason = "a path moves both up and down without bound: the table is cut into strips"
            memory = "a relation per chunk boundary"
            return _Class(StreamClass.STRIPS, memory, (reason,), None, False)
        if arrow in ("=>", "|>"):
            # The content is read from above, after the region is known.
            blocks["down"] = max(blocks.get("down", 0), blocks["up"] + 1)
        reason = "`up` is repeated without bound: rows are read from below"
        memory = "a state per column, a boundary per chunk"
        return _Class(StreamClass.PASSES, memory, (reason, *width), blocks, first)

    def one_direction(
        self, arrow: str, forward: bool, guarded: bool, free: bool, strict: bool
    ) -> _Class:
        if strict:
            reason = "with `Padding = strict` every padded cell counts, so the width must be known"
            return _Class(StreamClass.WIDTH_FIRST, "a state per column", (reason,), first=True)
        if not free:
            reason = (
                "the path distinguishes columns beyond the widest row, so the width must be known"
                if forward
                else "a `left` step may start on a padded cell, so the width must be known"
            )
            return _Class(StreamClass.WIDTH_FIRST, "a state per column", (reason,), first=True)
        if not forward:
            reason = "`left` needs each row whole: one row is buffered"
            return _Class(StreamClass.WEAK, "one row, and a state per column", (reason,))
        if arrow == "|>":
            reason = "a `|>` rule keeps a state for every column"
            return _Class(StreamClass.WEAK, "a state per column", (reason,))
        if not guarded:
            reason = "a `down` step may start in any number of columns"
            return _Class(StreamClass.WEAK, "a state per column", (reason,))
        return _Class(StreamClass.STRONG, "constant", ())


def held(involved: tuple[ir.Selector, ...]) -> Held:
    """What must be held to decide what goes up or left, and all that such paths ask about."""
    reaches = [reach for each in involved for reach in reach_nodes(each)]
    backward = [reach for reach in reaches if ir.axes(reach.path) & {"up", "left"}]
    if not backward:
        return Held.CHUNKS
    asked = (ir.axes(inner.path) for reach in backward for inner in reach_nodes(reach))
    return Held.TABLE if any(axes & {"up", "down"} for axes in asked) else Held.ROWS


def _from_above() -> Blocks:
    return {"down": 1}


@dataclass(frozen=True, slots=True)
class _Class:
    stream_class: StreamClass
    memory: str
    reasons: tuple[str, ...]
    blocks: Blocks | None = field(default_factory=_from_above)
    first: bool = False
    look_ahead: int = 0

    @property
    def passes(self) -> int:
        return (2 if self.blocks is None else passes(self.blocks)) + self.first


def _type_letters(schema: ir.CoreSchema, rule: ir.CoreRule) -> tuple[ir.Selector, ...]:
    names = {letter.symbol.name for letter in letters(rule.content) if letter.symbol.is_type}
    return tuple(schema.types[name].selector for name in sorted(names))
