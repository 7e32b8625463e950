"""Programs in core form: which regions, look-ups and values they need (paper, section 5.3).

In: what `compiler` builds. Out: what every engine reads. Every selector that a program mentions is
a *region*, which has a number and is evaluated like the selector of a rule. A *look-up* has a
number too, and says how to find other cells from a cell (`look_ups`). Expressions become typed
values over these numbers (`expressions`), and `statements` say what is done with them.

Invariant: a program says itself what must be known of a table before its rows are processed, and
whether the table can be cut. Cost: linear in the program, once for each question.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from functools import cached_property

from sculpt.core import ir
from sculpt.core.programs.conditions import Is, questions_of
from sculpt.core.programs.expressions import (
    AllFound,
    AllOwn,
    Cell,
    CellValue,
    If,
    OnlyCell,
    OwnCell,
    RegionAggregate,
    Value,
    cells_of,
    rows_in,
    steps_of,
    values_in,
)
from sculpt.core.programs.finding.model import Find
from sculpt.core.programs.look_ups import LookUp, Reach
from sculpt.core.programs.statements import (
    Action,
    Loop,
    Require,
    Statement,
    Stream,
    action_values,
    actions_of,
    regions_asked,
)
from sculpt.core.traversal import composes
from sculpt.origins import Origin
from sculpt.values import field, frozen, replace


@frozen(slots=False)
class CoreProgram:
    """All programs of a schema."""

    tokens: Mapping[str, ir.CoreToken] = field(repr=False)
    regions: tuple[ir.Selector, ...] = ()
    look_ups: tuple[LookUp, ...] = ()
    statements: tuple[Statement, ...] = ()
    """What `run` executes."""
    streams: tuple[Stream, ...] = ()
    namespaces: Mapping[str, str] = field(default_factory=dict)
    mappings: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    patterns: Mapping[str, str] = field(default_factory=dict)
    """The expressions of the tokens whose groups are captured, in the syntax of RE2."""
    requirements: tuple[Statement, ...] = ()
    """The `require`s, alone and in their loops: what is checked with the rules, before a run."""
    finds: tuple[Find, ...] = ()
    """What is gathered of other tables."""

    @cached_property
    def required(self) -> CoreProgram:
        """The program that only checks the `require`s."""
        return replace(self, statements=self.requirements, streams=())

    @cached_property
    def requires(self) -> tuple[Require, ...]:
        """All `require`s, in the order of the text."""
        found = (action for each in self.requirements for action in actions_of(each))
        return tuple(each for each in found if isinstance(each, Require))

    def imported(self, origins: Mapping[str, Origin] | None) -> CoreProgram:
        """The program, its `require`s with what they were where they were imported from."""
        if origins is None:
            return self

        def named(action: Action) -> Action:
            if not isinstance(action, Require):
                return action
            origin = origins.get(f"require:{action.number + 1}")
            return replace(action, ending=action.ending.imported(origin))

        requirements = tuple(
            replace(each, actions=tuple(map(named, each.actions)))
            if isinstance(each, Loop)
            else named(each)
            for each in self.requirements
        )
        return replace(self, requirements=requirements)

    @cached_property
    def marked(self) -> tuple[ir.Selector, ...]:
        """The regions, each in its place, as far as a statement needs them.

        The others are replaced by one that is needed: to mark a region twice costs nothing.
        """
        needed = regions_needed(self)
        if not needed:
            return self.regions[:1] * len(self.regions)
        one = self.regions[min(needed)]
        return tuple(each if n in needed else one for n, each in enumerate(self.regions))

    @property
    def targets(self) -> dict[str, int]:
        """The streams of records, by name."""
        return {s.name: ix for ix, s in enumerate(self.streams) if s.kind == "records"}

    @property
    def loops(self) -> tuple[ir.CoreLoop, ...]:
        """The loops, as far as validation looks at them."""
        found = [each for each in self.statements if isinstance(each, Loop)]
        known = {(each.line, each.region) for each in found}
        found += [
            each
            for each in self.requirements
            if isinstance(each, Loop) and (each.line, each.region) not in known
        ]
        return tuple(
            ir.CoreLoop(each.line, each.text, self.regions[each.region])
            for each in sorted(found, key=lambda each: each.line)
        )

    @cached_property
    def reaches(self) -> Mapping[int, Reach]:
        """How far each look-up that some value needs reaches, by its number."""
        used = {number for number, _ in _searches(self)}
        return {number: self.look_ups[number].reach for number in sorted(used)}

    @cached_property
    def far(self) -> frozenset[int]:
        """The look-ups that start from a cell that another one found in another row."""
        return frozenset(
            number
            for number, origin in _searches(self)
            if any(self.look_ups[before].reach is not Reach.ROW for before, _ in steps_of(origin))
        )

    @cached_property
    def found(self) -> tuple[int, ...]:
        """The finds that some value needs."""
        return tuple(sorted({each.find for each in rows_in(values_of(self))}))

    @cached_property
    def asked(self) -> tuple[int, ...]:
        """The regions that conditions ask about (`x is A`), each once."""
        conditions = [each.condition for each in values_of(self) if isinstance(each, If)]
        conditions += [
            action.condition
            for each in self.statements
            for action in actions_of(each)
            if isinstance(action, Require)
        ]
        found = (
            question.region
            for condition in conditions
            for question in questions_of(condition)
            if isinstance(question, Is)
        )
        return tuple(dict.fromkeys(found))

    @cached_property
    def onlies(self) -> frozenset[int]:
        """The regions whose only cell is asked for."""
        cells = cells_of(values_of(self))
        return frozenset(each.region for each in cells if isinstance(each, OnlyCell))

    @cached_property
    def measured(self) -> frozenset[int]:
        """The regions whose cells are counted before the rows are processed."""
        found = set(self.onlies)
        for each in self.statements:
            match each:
                case Require():
                    found |= regions_asked(each)
                case Loop("column", region, actions, _, _):
                    found |= {region for action in actions if isinstance(action, Require)}
        return frozenset(found)

    @property
    def distinct(self) -> frozenset[int]:
        """The streams whose records are distinct, as far as a statement feeds them."""
        fed = (
            action.stream
            for each in self.statements
            for action in actions_of(each)
            if not isinstance(action, Require)
        )
        return frozenset(number for number in fed if self.streams[number].is_distinct)

    @property
    def needs_table(self) -> bool:
        """Does some look-up need the whole table in memory?"""
        return Reach.TABLE in self.reaches.values() or bool(self.far)

    @property
    def needs_whole(self) -> bool:
        """Must a table be processed as a whole, rather than in chunks?"""
        return (
            self.needs_table
            or bool(self.distinct)
            or any(
                path is not None and not composes(path)
                for path in (self.look_ups[number].path for number in self.reaches)
            )
        )

    def only(self, streams: Container[int]) -> CoreProgram:
        """The part of the program that feeds some streams."""
        return self.with_actions(
            lambda each: not isinstance(each, Require) and (each.stream in streams)
        )

    def with_actions(self, wanted: Callable[[Action], bool]) -> CoreProgram:
        """The part of the program that has some of its actions."""
        statements: list[Statement] = []
        for statement in self.statements:
            if isinstance(statement, Loop):
                actions = tuple(each for each in statement.actions if wanted(each))
                if actions:
                    statements.append(replace(statement, actions=actions))
            elif wanted(statement):
                statements.append(statement)
        return replace(self, statements=tuple(statements))

    @property
    def needs_all_rows(self) -> bool:
        """Must the earlier pass read the whole table, even after the end of its regions?"""
        return (
            Reach.BELOW in self.reaches.values()
            or any(isinstance(each, Loop) and each.kind == "column" for each in self.statements)
            or bool(region_aggregates(self))
            or bool(self.measured)
        )

    @property
    def needs_pass(self) -> bool:
        """Must something be known about the whole table before its rows are processed?"""
        return self.needs_all_rows or Reach.COLUMNS in self.reaches.values()


def region_aggregates(program: CoreProgram, with_optional: bool = True) -> list[RegionAggregate]:
    """The aggregates of whole regions, each once."""
    found: dict[tuple[str, int], RegionAggregate] = {}
    for value in values_of(program, with_optional):
        if isinstance(value, RegionAggregate):
            found.setdefault((value.function, value.region), value)
    return list(found.values())


def regions_needed(program: CoreProgram) -> frozenset[int]:
    """The regions that the statements of a program need."""
    values = values_of(program)
    found = {each.region for each in program.statements if isinstance(each, Loop)}
    found.update(program.asked)
    found |= {each.region for each in values if isinstance(each, RegionAggregate | AllOwn)}
    found |= {each.region for each in cells_of(values) if isinstance(each, OwnCell | OnlyCell)}
    for number in program.reaches:
        look_up = program.look_ups[number]
        found.update(look_up.tests if look_up.path is not None else (look_up.region,))
    return frozenset(found)


def _searches(program: CoreProgram) -> Iterator[tuple[int, Cell]]:
    """The look-ups that the values of a program need, each with the cell it starts from."""
    for value in values_of(program):
        match value:
            case AllFound(number, origin, _, _):
                yield number, origin
                yield from steps_of(origin)
            case CellValue(cell, _, _):
                yield from steps_of(cell)


def values_of(program: CoreProgram, with_optional: bool = True) -> list[Value]:
    """All values of a program, parts included, in the order of its text.

    Without the optional ones, only those whose absence must be reported remain.
    """
    found: list[Value] = []
    for statement in program.statements:
        actions = actions_of(statement)
        found += values_in((value for a in actions for value in action_values(a)), with_optional)
    return found
