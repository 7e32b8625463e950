"""The syntax tree of a schema: what was written, sugar included.

Coordinate expressions (`Selector`) and navigational expressions (`Path`) follow section 3 of the
paper, with separate nodes for the sugar of its section 2; content expressions reuse `regular`.
Statements keep the order of the file, and comments and blank lines are statements too, so that
the printer can reproduce everything.

Invariant: spans do not take part in equality, so `parse(print(tree)) == tree` is a meaningful
law. Parentheses are not nodes: a nested node of the same kind stands for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias
from typing import Literal as OneOf

from sculpt.diagnostics import Span
from sculpt.syntax.regular import CharSet, Regular
from sculpt.values import field, frozen

if TYPE_CHECKING:
    from sculpt.syntax.derived import tree as derived
    from sculpt.syntax.programs import tree as programs

AxisName: TypeAlias = OneOf["up", "down", "left", "right", "cell", "row", "col"]
ArrowName: TypeAlias = OneOf["->", "=>", "|>", ".>"]
UniqueKind: TypeAlias = OneOf["unique", "unique-per-row"]
SeverityName: TypeAlias = OneOf["error", "warning"]

AXES: tuple[AxisName, ...] = ("up", "down", "left", "right", "cell", "row", "col")
KEYWORDS = frozenset((*AXES, "root", "true", "exists", "ε"))
OPERATOR_WORDS = frozenset(("and", "or", "not"))


def _span() -> Any:
    """A span field: where a node was written. It is not part of what the node is."""
    return field(compare=False, repr=False, kw_only=True)


# ------------------------------------------------------------- coordinate expressions


@frozen
class Name:
    """A plain name: a token, a token type, or the text itself where nothing declares it."""

    name: str
    span: Span = _span()


@frozen
class Literal:
    """A quoted text."""

    text: str
    span: Span = _span()


@frozen
class Root:
    """The cell (1,1)."""

    span: Span = _span()


@frozen
class TrueSelector:
    """All cells."""

    span: Span = _span()


@frozen
class Coordinate:
    """`(k,l)`: one cell."""

    row: int
    column: int
    span: Span = _span()


@frozen
class Block:
    """`(k,l)..(m,n)`: the cells from one corner to the other."""

    top: int
    left: int
    bottom: int
    right: int
    span: Span = _span()


@frozen
class WholeRow:
    """`row(k)`: a row, its first cell included."""

    row: int
    span: Span = _span()


@frozen
class WholeColumn:
    """`col(l)`: a column, its first cell included."""

    column: int
    span: Span = _span()


@frozen
class Apply:
    """`path(operand)`; a bare path has no operand and starts at `root`."""

    path: Path
    operand: Selector | None
    span: Span = _span()


@frozen
class Exists:
    """`exists(path)` or `<path>`: the cells from which the path leads somewhere."""

    path: Path
    span: Span = _span()


@frozen
class Nth:
    """`part#number`: the cells of the part that are this cell of it in their row, from the left."""

    part: Selector
    number: int
    span: Span = _span()


@frozen
class Not:
    """The complement."""

    part: Selector
    span: Span = _span()


@frozen
class And:
    """The intersection of two or more selectors."""

    parts: tuple[Selector, ...]
    span: Span = _span()


@frozen
class Or:
    """The union of two or more selectors."""

    parts: tuple[Selector, ...]
    span: Span = _span()


Selector: TypeAlias = (
    "Name | Literal | Root | TrueSelector | Coordinate | Block | WholeRow | WholeColumn"
    " | Apply | Exists | Nth | Not | And | Or"
)

# ------------------------------------------------------------- navigational expressions


@frozen
class Axis:
    """One step; `row` and `col` stand for `right+` and `down+`."""

    name: AxisName
    span: Span = _span()


@frozen
class Filter:
    """`[selector]`: stay where the selector holds."""

    condition: Selector
    span: Span = _span()


@frozen
class Filtered:
    """`path[selector]`."""

    path: Path
    condition: Selector
    span: Span = _span()


@frozen
class Concat:
    """`a.b`: one path after the other."""

    parts: tuple[Path, ...]
    span: Span = _span()


@frozen
class Union:
    """`a|b`: either path."""

    parts: tuple[Path, ...]
    span: Span = _span()


@frozen
class Repeated:
    """`a*`, `a+`, `a?`, `a{n,m}`; `None` means no upper bound."""

    path: Path
    low: int
    high: int | None
    span: Span = _span()


Path: TypeAlias = "Axis | Filter | Filtered | Concat | Union | Repeated"

Content: TypeAlias = "Regular[Name | Literal]"

# ------------------------------------------------------------- statements


@frozen
class Comment:
    """A comment line, without its indentation."""

    text: str
    span: Span = _span()


@frozen
class BlankLine:
    """One or more blank lines between statements."""

    span: Span = _span()


@frozen
class Directive:
    """`Col Delim = ,`; `argument` is the text in parentheses of `Col Widths(ATOM)`."""

    name: str
    argument: str | None
    value: str
    value_span: Span = _span()
    span: Span = _span()


@frozen
class TokenDefinition:
    """`name = regex`."""

    name: str
    text: str
    pattern: Regular[CharSet] = field(compare=False, repr=False)
    name_span: Span = _span()
    span: Span = _span()


@frozen
class DerivedDefinition:
    """`name := tokens`."""

    name: str
    tokens: derived.Tokens
    name_span: Span = _span()
    span: Span = _span()


@frozen
class TypeDefinition:
    """`name <= selector`."""

    name: str
    selector: Selector
    name_span: Span = _span()
    span: Span = _span()


@frozen
class ListDelim:
    """The list delimiter of a single `.>` rule, as it is written."""

    text: str
    span: Span = _span()


@frozen
class Clause:
    """`! warning "message"`: what a statement says about its violations; see `syntax.clauses`."""

    severity: SeverityName
    message: str | None
    span: Span = _span()


@frozen
class Rule:
    """`selector -> content`, or with another arrow; `list_delim` is the `;` of `.>[;]`."""

    selector: Selector
    arrow: ArrowName
    list_delim: ListDelim | None
    content: Content
    clause: Clause | None = None
    span: Span = _span()


@frozen
class Unique:
    """`unique(a)` or `unique-per-row(a)`."""

    kind: UniqueKind
    target: Name | Literal
    clause: Clause | None = None
    span: Span = _span()


@frozen
class Part:
    """A part of a key or of a side of a reference: a selector, or `selector as Type`."""

    selector: Selector
    type_name: str | None = None
    type_span: Span | None = field(default=None, compare=False, repr=False, kw_only=True)
    span: Span = _span()


@frozen
class Key:
    """`key(part, …)`, `key(part, …) across files` or `key(part, …) in runs`."""

    parts: tuple[Part, ...]
    across: bool = False
    clause: Clause | None = None
    runs: bool = False
    span: Span = _span()


@frozen
class Side:
    """One side of a reference: `part, …`, or `Table(part, …)`."""

    table: str | None
    parts: tuple[Part, ...]
    table_span: Span | None = field(default=None, compare=False, repr=False, kw_only=True)
    span: Span = _span()


@frozen
class Reference:
    """`side ~> side`; `~>+` allows several targets."""

    left: Side
    right: Side
    several: bool = False
    clause: Clause | None = None
    span: Span = _span()


@frozen
class Include:
    """`include "file"`, or the table `include "file" as Name for "data"`; `for` may be left out."""

    path: str
    name: str | None = None
    data: str | None = None
    name_span: Span | None = field(default=None, compare=False, repr=False, kw_only=True)
    span: Span = _span()


@frozen
class Program:
    """`print`, `For each`, `namespace` or `mapping`: its lines, and their syntax tree."""

    lines: tuple[str, ...]
    body: programs.Statement | None = field(default=None, compare=False, repr=False)
    """`None` if the program cannot be read."""
    span: Span = _span()


Statement: TypeAlias = (
    Comment
    | BlankLine
    | Directive
    | TokenDefinition
    | DerivedDefinition
    | TypeDefinition
    | Rule
    | Unique
    | Key
    | Reference
    | Include
    | Program
)


@frozen
class Document:
    """A schema file."""

    statements: tuple[Statement, ...]
