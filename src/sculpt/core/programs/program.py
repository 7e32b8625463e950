"""Programs in core form: which regions, look-ups and values they need (paper, section 5.3).

In: what `compiler` builds. Out: what every engine reads. Every selector that a program mentions is
a *region*, which has a number and is evaluated like the selector of a rule. A *look-up* has a
number too, and says how to find other cells from a cell. Expressions become typed values over these
numbers, so that an engine needs neither names nor the text of the schema.

How far a look-up reaches decides how it is evaluated (`Reach`): within its row, with what the rows
above hand down, with an earlier pass for the rows below or for columns, or with the whole table in
memory.

Invariant: every value has a type, the fields of a target are the same wherever it is emitted, and
indexes begin at 1. Cost: linear.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias
from typing import Literal as OneOf

from sculpt.core import ir
from sculpt.core.programs.conditions import (
    Condition,
    Is,
    IsFile,
    Question,
    questions_of,
    values_asked,
    values_of_condition,
)
from sculpt.core.programs.typed_values import ValueType
from sculpt.core.traversal import composes
from sculpt.syntax.programs.tree import LookUpKind, LoopKind
from sculpt.values import field, frozen, replace

if TYPE_CHECKING:
    from sculpt.core.programs.token_types import Reading


class Reach(StrEnum):
    """What must be known to find the cells of a look-up, cheapest first."""

    ROW = "its own row"
    ABOVE = "what the rows above hand down"
    BELOW = "an earlier pass, for the rows below"
    COLUMNS = "an earlier pass, for each column"
    TABLE = "the whole table in memory"


@frozen
class LookUp:
    """How to find other cells from a cell."""

    kind: LookUpKind
    direction: ir.Direction | None
    region: int
    """The region to look for; -1 for a path."""
    before: int
    after: int
    path: ir.Path | None
    tests: tuple[int, ...]
    """The regions that a path filters by, in the order of `traversal.tests_of`."""
    reach: Reach
    line: int
    text: str


# ------------------------------------------------------------- cells


@frozen
class LoopCell:
    """The cell that the loop is at."""


@frozen
class ItemCell:
    """The i-th cell of the row or column that the loop is at; from 1."""

    index: int
    line: int


@frozen
class OwnCell:
    """The one cell of the row or column that the loop is at that is in a region."""

    region: int
    text: str
    """As it is written: `r[A]`."""
    line: int


@frozen
class OnlyCell:
    """The only cell of a region of the table."""

    region: int
    text: str
    """As it is written: `Only(A)`."""
    line: int


@frozen
class FoundCell:
    """The one cell that a look-up finds."""

    look_up: int
    origin: Cell
    line: int


@frozen
class OneCell:
    """A cell that must be there, even inside `optional`."""

    cell: Cell


@frozen
class LetCell:
    """A cell that has a name: it is found once, and what goes wrong is reported once."""

    number: int
    cell: Cell


BaseCell: TypeAlias = LoopCell | ItemCell | OwnCell | OnlyCell | FoundCell
Cell: TypeAlias = BaseCell | OneCell | LetCell

# ------------------------------------------------------------- values


@frozen
class Constant:
    """A text or a number."""

    text: str
    type: ValueType


CellFact: TypeAlias = OneOf["content", "raw", "row", "column", "file"]
LoopFact: TypeAlias = OneOf["row", "column", "file"]
StreamKind: TypeAlias = OneOf["print", "annotations", "records"]


@frozen
class CellValue:
    """The content, raw text, row, column or file of a cell."""

    cell: Cell
    what: CellFact
    type: ValueType


@frozen
class LoopValue:
    """The number of the row or column that the loop is at, or its file."""

    what: LoopFact
    type: ValueType


@frozen
class AllFound:
    """The contents of all cells that a look-up finds, as a list or joined by a text."""

    look_up: int
    origin: Cell
    separator: str | None
    type: ValueType


@frozen
class AllOwn:
    """The contents of all cells of the loop's row that are in a region, as a list or joined."""

    region: int
    separator: str | None
    type: ValueType


@frozen
class GroupAggregate:
    """An aggregate of the row or column that the loop is at."""

    function: str
    line: int
    type: ValueType


@frozen
class RegionAggregate:
    """An aggregate of all cells of a region."""

    function: str
    region: int
    line: int
    type: ValueType


@frozen
class Joined:
    """Texts one after the other; a missing value is an empty text."""

    parts: tuple[Value, ...]
    type: ValueType


@frozen
class Cast:
    """A value in another type."""

    value: Value
    type: ValueType
    line: int
    reading: Reading | None = None
    """Of a cast to a derived token: how its texts are read."""


@frozen
class Call:
    """A text function; `arguments` are its constants."""

    function: str
    value: Value
    arguments: tuple[str | int, ...]
    type: ValueType
    line: int


@frozen
class Optional:
    """A value, or the default if it is missing or cannot be computed."""

    value: Value
    default: Value | None
    type: ValueType


@frozen
class One:
    """A value that must be there, even inside `optional`."""

    value: Value
    type: ValueType


@frozen
class LetValue:
    """A value that has a name: it is computed once, and what goes wrong is reported once."""

    number: int
    value: Value
    type: ValueType


@frozen
class If:
    """One value if a condition is true, and another (or none) otherwise."""

    condition: Condition
    then: Value
    otherwise: Value | None
    type: ValueType


Value: TypeAlias = (
    Constant
    | CellValue
    | LoopValue
    | AllFound
    | AllOwn
    | GroupAggregate
    | RegionAggregate
    | Joined
    | Cast
    | Call
    | Optional
    | One
    | LetValue
    | If
)

# ------------------------------------------------------------- statements


@frozen
class Print:
    """Write a line."""

    stream: int
    value: Value


@frozen
class Annotate:
    """Annotate the cell."""

    stream: int
    value: Value | None
    namespace: str | None
    """Its IRI, if the cell becomes an entity of it."""


@frozen
class Emit:
    """Make a record of a target."""

    stream: int
    values: tuple[Value, ...]


@frozen
class Require:
    """A condition must not be false, and nothing in it may go wrong."""

    number: int
    """Counts from 0 in the order of the text."""
    condition: Condition
    line: int
    text: str
    """The statement, as it is written, without its clause."""
    said: str
    """The condition, as it is written."""
    ending: ir.Ending = ir.Ending()

    @property
    def asks_files(self) -> bool:
        """Does it ask about files?"""
        is_asked = any(isinstance(each, IsFile) for each in questions_of(self.condition))
        values = values_in(values_of_condition(self.condition))
        return is_asked or any(isinstance(v, Call) and v.function in ABOUT_FILES for v in values)


ABOUT_FILES = ("checksum", "count-files")
"""The functions that look at files."""
Output: TypeAlias = Print | Annotate | Emit
"""An action that feeds a stream."""
Action: TypeAlias = Output | Require


@frozen
class Loop:
    """Do something for each cell, row or column of a region."""

    kind: LoopKind
    region: int
    actions: tuple[Action, ...]
    line: int
    text: str
    """Its head, as it is written: `For each cell v in Body`."""


Statement: TypeAlias = Print | Require | Loop


@frozen
class Stream:
    """Where results go: lines, annotations, or the records of a target."""

    kind: StreamKind
    name: str
    fields: tuple[tuple[str, ValueType], ...]
    is_distinct: bool = False
    """Is a record left out if its table has given an equal one before?"""


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

    @cached_property
    def required(self) -> CoreProgram:
        """The program that only checks the `require`s."""
        return replace(self, statements=self.requirements, streams=())

    @cached_property
    def requires(self) -> tuple[Require, ...]:
        """All `require`s, in the order of the text."""
        found = (action for each in self.requirements for action in actions_of(each))
        return tuple(each for each in found if isinstance(each, Require))

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


def parts_of(value: Value) -> tuple[Value, ...]:
    """The values that a value is made of, one level down."""
    match value:
        case Joined(parts, _):
            return parts
        case Cast(inner, _, _, _) | Call(_, inner, _, _, _) | One(inner, _) | LetValue(_, inner, _):
            return (inner,)
        case Optional(inner, default, _):
            return (inner,) if default is None else (inner, default)
        case If(condition, then, otherwise, _):
            chosen = (then,) if otherwise is None else (then, otherwise)
            return (*values_of_condition(condition), *chosen)
        case _:
            return ()


def base_of(cell: Cell) -> BaseCell:
    """A cell without its name, and without being marked `one`."""
    while isinstance(cell, OneCell | LetCell):
        cell = cell.cell
    return cell


def steps_of(cell: Cell) -> Iterator[tuple[int, Cell]]:
    """The look-ups that lead to a cell, the last one first, each with the cell it starts from."""
    at = base_of(cell)
    while isinstance(at, FoundCell):
        yield at.look_up, at.origin
        at = base_of(at.origin)


def cells_of(values: Iterable[Value]) -> Iterator[BaseCell]:
    """The cells that some values are about, and those that their look-ups start from."""
    for value in values:
        match value:
            case CellValue(cell, _, _):
                yield base_of(cell)
                yield from (base_of(origin) for _, origin in steps_of(cell))
            case AllFound(_, origin, _, _):
                yield base_of(origin)
                yield from (base_of(before) for _, before in steps_of(origin))


def regions_asked(require: Require) -> set[int]:
    """The regions that a `require` outside loops is about: aggregates, `Only`."""
    values = values_in(values_of_condition(require.condition))
    found = {each.region for each in values if isinstance(each, RegionAggregate)}
    return found | {each.region for each in cells_of(values) if isinstance(each, OnlyCell)}


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


def source_cell(value: Value) -> Cell | None:
    """The cell whose text a value is made from; `None` if there is none, or more than one."""
    match value:
        case CellValue(cell, "content" | "raw", _):
            return cell
        case Cast(inner, _, _, _) | Call(_, inner, _, _, _) | Optional(inner, None, _):
            return source_cell(inner)
        case One(inner, _) | LetValue(_, inner, _):
            return source_cell(inner)
        case Joined(parts, _):
            others = [part for part in parts if not isinstance(part, Constant)]
            return source_cell(others[0]) if len(others) == 1 else None
        case _:
            return None


def first_cell(question: Question) -> Cell | None:
    """The first cell that a comparison or a question is about."""
    sources = (source_cell(each) for each in values_asked(question))
    return next((each for each in sources if each is not None), None)


def actions_of(statement: Statement) -> tuple[Action, ...]:
    """The actions of a statement: those of a loop, or itself."""
    return statement.actions if isinstance(statement, Loop) else (statement,)


def action_values(action: Action) -> tuple[Value, ...]:
    """The values that an action needs."""
    match action:
        case Print(_, value):
            return (value,)
        case Annotate(_, value, _):
            return () if value is None else (value,)
        case Emit(_, values):
            return values
        case Require(_, condition):
            return values_of_condition(condition)


def values_of(program: CoreProgram, with_optional: bool = True) -> list[Value]:
    """All values of a program, parts included, in the order of its text.

    Without the optional ones, only those whose absence must be reported remain.
    """
    found: list[Value] = []
    for statement in program.statements:
        actions = actions_of(statement)
        found += values_in((value for a in actions for value in action_values(a)), with_optional)
    return found


def values_in(values: Iterable[Value], with_optional: bool = True) -> list[Value]:
    """Some values and all their parts, in the order of the text; what has a name only once."""
    found: list[Value] = []
    named: set[tuple[int, bool]] = set()
    todo = [(value, False) for value in values][::-1]
    while todo:
        value, is_optional = todo.pop()
        if isinstance(value, LetValue):
            if (value.number, is_optional) in named:
                continue
            named.add((value.number, is_optional))
        if with_optional or not is_optional:
            found.append(value)
        match value:
            case Optional(inner, default, _):
                todo += [] if default is None else [(default, is_optional)]
                todo.append((inner, True))
            case One(inner, _):
                todo.append((inner, False))
            case _:
                todo += [(part, is_optional) for part in parts_of(value)[::-1]]
    return found
