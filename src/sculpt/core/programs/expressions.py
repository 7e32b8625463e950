"""Cells and values of programs in core form: what `expression_compiler` builds.

In: expressions, compiled. Out: what every engine evaluates, and what a cell or a value is made of.
Regions, look-ups and finds are numbers of a `CoreProgram`, so that an engine needs neither names
nor the text of the schema (paper, section 5.3).

Invariant: every value has a type, and indexes begin at 1. Cost: each question is linear in the
values it is asked about; what has a name counts once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TypeAlias
from typing import Literal as OneOf

from sculpt.core.programs.conditions import Condition, Question, values_asked, values_of_condition
from sculpt.core.programs.typed_values import ValueType
from sculpt.values import frozen

if TYPE_CHECKING:
    from sculpt.core.programs.token_types import Reading

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

# ------------------------------------------------------------- rows of other tables


@frozen
class FoundRow:
    """The one row of another table that has some texts."""

    find: int
    keys: tuple[Value, ...]
    text: str
    """As it is written: `find(Depts(Code), r[Dept])`."""
    line: int


@frozen
class LetRow:
    """A row that has a name: it is found once, and what goes wrong is reported once."""

    number: int
    row: FoundRow


Row: TypeAlias = FoundRow | LetRow

# ------------------------------------------------------------- values


@frozen
class Constant:
    """A text or a number."""

    text: str
    type: ValueType


CellFact: TypeAlias = OneOf["content", "raw", "row", "column", "file"]
LoopFact: TypeAlias = OneOf["row", "column", "file"]


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
class RowValue:
    """A field of a row of another table."""

    row: Row
    field: int
    place: int | None
    """The field that is null if the row has no such cell; `None` if it always has it."""
    text: str
    """As it is written: `find(Depts(Code), r[Dept])[Name]`."""
    type: ValueType


@frozen
class EachRow:
    """A value for each row that is found, as a list or joined; what is missing is left out."""

    row: FoundRow
    value: Value
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
    is_strict: bool = False
    """Is it `concat`? Then it is missing if a part is."""


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
    | RowValue
    | EachRow
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

# ------------------------------------------------------------- what they are made of


def parts_of(value: Value) -> tuple[Value, ...]:
    """The values that a value is made of, one level down."""
    match value:
        case Joined(parts, _):
            return parts
        case Cast(inner, _, _, _) | Call(_, inner, _, _, _) | One(inner, _) | LetValue(_, inner, _):
            return (inner,)
        case Optional(inner, default, _):
            return (inner,) if default is None else (inner, default)
        case RowValue(row):
            return bare_row(row).keys
        case EachRow(row, inner):
            return (*row.keys, inner)
        case If(condition, then, otherwise, _):
            chosen = (then,) if otherwise is None else (then, otherwise)
            return (*values_of_condition(condition), *chosen)
        case _:
            return ()


def bare_row(row: Row) -> FoundRow:
    """A row without its name."""
    return row.row if isinstance(row, LetRow) else row


def rows_in(values: Iterable[Value]) -> list[FoundRow]:
    """The rows of other tables that some values need, parts included, each once."""
    found: list[FoundRow] = []
    for each in values_in(values):
        if isinstance(each, RowValue | EachRow) and bare_row(each.row) not in found:
            found.append(bare_row(each.row))
    return found


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
