"""`sculpt explain`: how each rule can be evaluated, and why not more cheaply.

In: a `CoreSchema`. Out: an `Explanation`: per rule the core form, the vertical strata, forward or
not and what breaks it, guarded or not and which `unique(…)` would help, and its class.

Invariant: a class is a promise about memory and passes that holds for all data (for guarded
schemas: all data that satisfy `unique`). The passes follow from the same `Decisions` that the local
engine uses. Cost: linear in the schema; the search for helpful constraints repeats the analysis of
one rule for each of at most `MAX_ADVICE` tokens.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias
from typing import Literal as OneOf

from sculpt.core import ir
from sculpt.core.acceptor import is_nothing
from sculpt.core.derivation.hidden import needed_by
from sculpt.core.facts.costs import Costs
from sculpt.core.facts.decisions import Decisions, Motion
from sculpt.core.facts.guards import Guards
from sculpt.core.facts.unparse import path_text, selector_text
from sculpt.core.programs.expressions import OnlyCell, OwnCell, cells_of
from sculpt.core.programs.look_ups import Reach
from sculpt.core.programs.program import CoreProgram, region_aggregates, values_of
from sculpt.core.programs.statements import Loop, Require, actions_of
from sculpt.core.traversal import counted_tokens, last_row, reach_nodes, tokens_of
from sculpt.syntax.regular import letters
from sculpt.values import frozen

if TYPE_CHECKING:
    from sculpt.core.facts.explain_identities import IdentityExplanation

MAX_ADVICE = 8
EntryKind: TypeAlias = OneOf["rule", "type", "unique", "key", "reference"]


class StreamClass(StrEnum):
    """How a rule can be evaluated, cheapest first."""

    STRONG = "strong stream"
    WEAK = "weak stream"
    WIDTH_FIRST = "width first"
    LOOK_AHEAD = "look-ahead"
    PASSES = "passes"
    STRIPS = "strips"


_ORDER = list(StreamClass)


class Held(StrEnum):
    """What the local engine holds in memory at a time, least first."""

    CHUNKS = "a few chunks"
    STRIP = "a strip of rows"
    SPOOL = "a strip of rows, and tokens in a temporary file"


@frozen
class Passes:
    """How many passes are made over the rows, and what is held in memory."""

    count: int
    """Reading the file is the first pass; the others go over its tokens."""
    more: bool
    """More passes may be needed, whenever walks turn from one strip to another."""
    rows_ahead: int
    """The rows below a strip that are held with it."""
    held: Held


def passes_of(selectors: Iterable[ir.Selector]) -> Passes:
    """The passes that the local engine makes to evaluate selectors."""
    decisions = Decisions(selectors)
    if not decisions.nodes:
        return Passes(1, False, 0, Held.CHUNKS)
    if decisions.ahead < math.inf:
        return Passes(1, False, int(decisions.ahead), Held.STRIP)
    more = Motion.BOTH in decisions.motions
    return Passes(1 + len(decisions.schedule()), more, 0, Held.SPOOL)


@frozen
class RuleExplanation:
    """The facts about a rule, a token type, a constraint on one, or the parts of a key."""

    kind: EntryKind
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
    """How many rows below a cell matter to it, for the class `look-ahead`."""
    passes: Passes
    memory: str
    reasons: tuple[str, ...]


@frozen
class TokenExplanation:
    """How cells are matched against a derived token."""

    name: str
    line: int
    text: str
    asks: tuple[str, ...]
    """The conditions that are not regular: texts that only they can decide are parsed."""


@frozen
class LookUpExplanation:
    """What must be known to find the cells of a look-up."""

    line: int
    text: str
    reach: Reach
    last_row: int | None
    """The earlier pass can stop after this row; `None` if it goes through all rows."""


@frozen
class ProgramExplanation:
    """How the programs of a schema are run."""

    look_ups: tuple[LookUpExplanation, ...]
    reasons: tuple[str, ...]
    """What else needs an earlier pass: aggregates of regions, loops over columns."""
    regions: Passes
    """How the regions of the programs are found."""
    needs_pass: bool
    needs_table: bool
    cuts_files: bool
    """Are large files cut into chunks on Spark?"""
    compares_records: bool = False
    """Is there an `emit distinct`?"""
    finds: tuple[tuple[int, str, str], ...] = ()
    """The line, the text and the table of each `find` with regions of its own."""


@frozen
class Need:
    """What must be known for a part of a condition."""

    text: str
    needs: str


@frozen
class RequireExplanation:
    """What a `require` needs besides the cells of its own row."""

    line: int
    text: str
    needs: tuple[Need, ...]
    """Look-ups, aggregates, the only cells of regions; none if its own row is enough."""


@frozen
class Explanation:
    """The facts about a schema.

    Its class is the costliest among what validation evaluates: a token type that no rule uses
    costs nothing until it is selected.
    """

    entries: tuple[RuleExplanation, ...]
    passes: Passes
    """The passes of the whole schema: rules share them."""
    program: ProgramExplanation | None = None
    tokens: tuple[TokenExplanation, ...] = ()
    """The derived tokens."""
    identities: tuple[IdentityExplanation, ...] = ()
    """The keys, then the references."""
    requires: tuple[RequireExplanation, ...] = ()

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
    def strata(self) -> int:
        """V for the whole schema."""
        return max((entry.strata for entry in self.validated), default=0)


def explain_program(program: CoreProgram) -> ProgramExplanation:
    """How programs are run, and why not more cheaply."""
    look_ups = []
    reads_all = program.needs_all_rows
    for number, reach in program.reaches.items():
        look_up = program.look_ups[number]
        bound = math.inf if look_up.path else last_row(program.regions[look_up.region])
        can_stop = reach is Reach.COLUMNS and not reads_all
        stops = int(bound) if can_stop and bound < math.inf else None
        needed = Reach.TABLE if number in program.far else reach
        look_ups.append(LookUpExplanation(look_up.line, look_up.text, needed, stops))
    reasons = [
        f"line {each.line}: `{each.function}` of a whole region"
        for each in region_aggregates(program)
    ]
    reasons += [
        f"line {loop.line}: a loop over columns"
        for loop in program.statements
        if isinstance(loop, Loop) and loop.kind == "column"
    ]
    return ProgramExplanation(
        tuple(look_ups),
        tuple(reasons),
        passes_of(program.marked),
        program.needs_pass,
        program.needs_table,
        not program.needs_whole,
        bool(program.distinct),
        tuple((each.line, each.text, each.table) for each in program.finds),
    )


def explain_schema(
    schema: ir.CoreSchema,
    program: CoreProgram | None = None,
    tables: Mapping[str, ir.CoreSchema] = MappingProxyType({}),
) -> Explanation:
    """How rules, constraints on token types, keys, references and programs are evaluated."""
    explainer = Explainer(schema)
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
    validated = [rule.selector for rule in schema.rules]
    validated += [each for rule in schema.rules for each in _type_letters(schema, rule)]
    validated += [unique.selector for unique in schema.uniques]
    ran = explain_program(program) if program is not None and program.statements else None
    tokens = tuple(_derived(schema))
    identities = tuple(_identities(schema, explainer, tables))
    requires = tuple(_requires(program))
    return Explanation(tuple(entries), passes_of(validated), ran, tokens, identities, requires)


def _identities(
    schema: ir.CoreSchema, own: Explainer, tables: Mapping[str, ir.CoreSchema]
) -> Iterator[IdentityExplanation]:
    if schema.keys or schema.references:
        from sculpt.core.facts.explain_identities import explain_identities

        explainers: dict[str | None, Explainer] = {None: own}
        for name, core in tables.items():
            explainers[name] = Explainer(core)
        yield from explain_identities(schema, explainers)


WHOLE_REGION = "an earlier pass, for all cells of a region"
WHOLE_COLUMN = "an earlier pass, for each column"


def _requires(program: CoreProgram | None) -> Iterator[RequireExplanation]:
    """The `require`s, and what each needs."""
    if program is None:
        return
    for statement in program.requirements:
        by_column = isinstance(statement, Loop) and statement.kind == "column"
        for require in actions_of(statement):
            assert isinstance(require, Require)
            yield RequireExplanation(
                require.line, require.text, tuple(_needs(program, require, by_column))
            )


def _needs(program: CoreProgram, require: Require, by_column: bool) -> Iterator[Need]:
    """What a `require` needs, each once."""
    alone = program.required.with_actions(lambda each: each is require)
    found: dict[str, str] = {}
    for number, reach in alone.reaches.items():
        found[alone.look_ups[number].text] = str(Reach.TABLE if number in alone.far else reach)
    for cell in cells_of(values_of(alone)):
        match cell:
            case OwnCell(_, text, _):
                found[text] = WHOLE_COLUMN if by_column else str(Reach.ROW)
            case OnlyCell(_, text, _):
                found[text] = WHOLE_REGION
    for aggregate in region_aggregates(alone):
        found[f"{aggregate.function}(…)"] = WHOLE_REGION
    if by_column:
        found.setdefault("the loop over columns", WHOLE_COLUMN)
    for text, needs in found.items():
        yield Need(text, needs)


def _derived(schema: ir.CoreSchema) -> Iterator[TokenExplanation]:
    """The derived tokens, and what they ask; a token comes after those that it uses."""
    asks: dict[str, tuple[str, ...]] = {}
    for name, token in schema.tokens.items():
        own = () if is_nothing(token.ask) else (name.strip("()"),)
        used = (each for part in needed_by(token) for each in asks[part])
        asks[name] = tuple(dict.fromkeys((*own, *used)))
        if token.formula is not None and not token.hidden:
            assert token.line is not None
            yield TokenExplanation(name, token.line, token.text, asks[name])


class Explainer:
    """Finds the facts about selectors in the tables of a schema."""

    def __init__(self, schema: ir.CoreSchema) -> None:
        self.schema = schema
        self.guards = Guards(schema)
        self.costs = Costs(schema)
        self.texts: dict[int, str] = {}

    def rule(self, rule: ir.CoreRule) -> RuleExplanation:
        """The facts about a rule; token types of its content count as selectors of it."""
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
        kind: EntryKind,
        number: int | None,
        line: int,
        text: str,
        selector: ir.Selector,
        arrow: str = "->",
        letters: tuple[ir.Selector, ...] = (),
    ) -> RuleExplanation:
        """The facts about a selector, and others that are evaluated along with it."""
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
        )

    def text_of(self, selector: ir.Selector) -> str:
        """A selector as text, cached because rules share parts."""
        if id(selector) not in self.texts:
            self.texts[id(selector)] = selector_text(selector)
        return self.texts[id(selector)]

    def advice(self, involved: tuple[ir.Selector, ...]) -> tuple[str, ...]:
        """A minimal set of tokens that would make the selectors guarded if they were unique."""
        counted = {name for each in involved for name in counted_tokens(each)}
        mentioned = dict.fromkeys(name for each in involved for name in tokens_of(each))
        names = [name for name in mentioned if name not in counted]
        if not names or not self.guarded_with(involved, names):
            return ()
        for name in names[:MAX_ADVICE]:
            without = [other for other in names if other != name]
            if self.guarded_with(involved, without):
                names = without
        return tuple(f"unique({name})" for name in names)

    def guarded_with(self, involved: tuple[ir.Selector, ...], names: list[str]) -> bool:
        """Would the selectors be guarded if some tokens were unique?"""
        guards = Guards(self.schema, names)
        return all(guards.loose_step(each) is None for each in involved)

    # ------------------------------------------------------------- the class

    def classify(
        self, involved: tuple[ir.Selector, ...], arrow: str, forward: bool, guarded: bool
    ) -> _Class:
        """The class of selectors, and why it is not a cheaper one."""
        passes = passes_of(involved)
        free = all(self.costs.width_free(each) for each in involved)
        strict = self.schema.dialect.strict_padding
        climbed = max(self.costs.rows_climbed(each) for each in involved)
        if climbed == 0:
            return self.one_direction(passes, arrow, forward, guarded, free, strict)
        if passes.held is Held.STRIP:
            ahead = int(max(self.costs.look_ahead(each) for each in involved))
            plural = "row" if ahead == 1 else "rows"
            reason = f"`up` needs {ahead} {plural} of look-ahead"
            if ahead == 0:
                reason = f"`up` climbs by {int(climbed)} before it comes down: rows are buffered"
            memory = f"{passes.rows_ahead + 1} rows, and a state per column"
            width = (_WIDTH_FIRST,) if not free or strict else ()
            return _Class(StreamClass.LOOK_AHEAD, passes, memory, (reason, *width), ahead)
        memory = "states per column at the edges of strips; tokens in a temporary file"
        if passes.more:
            reason = "a path moves both up and down without bound: walks go from strip to strip"
            return _Class(StreamClass.STRIPS, passes, memory, (reason,))
        reason = "`up` is repeated without bound: rows are read from the bottom up"
        return _Class(StreamClass.PASSES, passes, memory, (reason,))

    def one_direction(
        self, passes: Passes, arrow: str, forward: bool, guarded: bool, free: bool, strict: bool
    ) -> _Class:
        """The class of selectors that need no row below their cells."""
        if strict or not free:
            if strict:
                reason = "with `Padding = strict` every padded cell counts"
            elif forward:
                reason = "the path distinguishes columns beyond the widest row"
            else:
                reason = "a `left` step may start on a padded cell"
            reasons = (reason, _WIDTH_FIRST)
            return _Class(StreamClass.WIDTH_FIRST, passes, "a state per column", reasons)
        if not forward:
            reason = "`left` needs each row whole: one row is buffered"
            return _Class(StreamClass.WEAK, passes, "one row, and a state per column", (reason,))
        if arrow == "|>":
            reason = "a `|>` rule keeps a state for every column"
            return _Class(StreamClass.WEAK, passes, "a state per column", (reason,))
        if not guarded:
            reason = "a `down` step may start in any number of columns"
            return _Class(StreamClass.WEAK, passes, "a state per column", (reason,))
        return _Class(StreamClass.STRONG, passes, "constant", ())


_WIDTH_FIRST = (
    "the width must be known: it is taken from the first rows, and the file is read again"
    " if a later row is wider"
)


@frozen
class _Class:
    stream_class: StreamClass
    passes: Passes
    memory: str
    reasons: tuple[str, ...]
    look_ahead: int = 0


def _type_letters(schema: ir.CoreSchema, rule: ir.CoreRule) -> tuple[ir.Selector, ...]:
    names = {letter.symbol.name for letter in letters(rule.content) if letter.symbol.is_type}
    return tuple(schema.types[name].selector for name in sorted(names))
