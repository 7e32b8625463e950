"""Core SCULPT: the schema after desugaring (paper, section 3), as shared nodes.

In: what `desugar` builds. Out: what every engine reads. There is no sugar left: `row` and `col` are
`right+` and `down+`, `a[x]` is `a.[x]`, a bare path starts at `root`, `<a>` is the reversal of `a`
applied to `true`, token types are replaced by their selectors. It departs from the paper's core
twice: `(k,l)`, `row(k)` and `col(l)` stay atoms instead of k steps, and counts stay counts.

Invariant: nodes are hash-consed by `Builder`: equal structure means the same object, so nodes can
be compared by `is` and memoised by `id`, and token types that use each other many times stay small.
A node refers only to nodes made before it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal as OneOf
from typing import TypeAlias, TypeVar, cast

from sculpt.core.datatypes.model import Base, Condition
from sculpt.core.dialect import Delimiter, Dialect
from sculpt.diagnostics import Span
from sculpt.origins import Origin
from sculpt.syntax.ast import ArrowName, Clause, SeverityName, UniqueKind
from sculpt.syntax.regular import CharSet, Nothing, Regular
from sculpt.values import frozen, replace

Direction: TypeAlias = OneOf["up", "down", "left", "right"]
OPPOSITE: Mapping[Direction, Direction] = {
    "up": "down",
    "down": "up",
    "left": "right",
    "right": "left",
}

# ------------------------------------------------------------- selectors


@frozen(eq=False)
class Token:
    """The cells that match a token."""

    name: str


@frozen(eq=False)
class Position:
    """The cells of a row, of a column, or one cell; `root` is (1,1)."""

    row: int | None
    column: int | None


@frozen(eq=False)
class Everything:
    """All cells."""


@frozen(eq=False)
class Not:
    """The complement."""

    part: Selector


@frozen(eq=False)
class And:
    """The intersection."""

    parts: tuple[Selector, ...]


@frozen(eq=False)
class Or:
    """The union."""

    parts: tuple[Selector, ...]


@frozen(eq=False)
class Reach:
    """The cells that a path can reach from the cells of a selector."""

    path: Path
    origin: Selector


Selector: TypeAlias = "Token | Position | Everything | Not | And | Or | Reach"

# ------------------------------------------------------------- paths


@frozen(eq=False)
class Step:
    """One cell in a direction."""

    direction: Direction


@frozen(eq=False)
class Stay:
    """The empty path."""


@frozen(eq=False)
class Test:
    """Go on only where the condition holds."""

    condition: Selector


@frozen(eq=False)
class Chain:
    """One path after the other."""

    parts: tuple[Path, ...]


@frozen(eq=False)
class Fork:
    """Any of the paths."""

    parts: tuple[Path, ...]


@frozen(eq=False)
class Loop:
    """At least `low` and at most `high` rounds; `None` means no bound."""

    path: Path
    low: int
    high: int | None


Path: TypeAlias = "Step | Stay | Test | Chain | Fork | Loop"

Node = TypeVar("Node")


class Builder:
    """Makes nodes, one for each structure."""

    def __init__(self) -> None:
        self._nodes: dict[tuple[object, ...], object] = {}

    def make(self, kind: type[Node], *fields: object) -> Node:
        """The node of this kind with these fields."""
        key: tuple[object, ...] = (
            kind,
            *(tuple(map(id, f)) if isinstance(f, tuple) else _key(f) for f in fields),
        )
        node = self._nodes.get(key)
        if node is None:
            node = self._nodes[key] = kind(*fields)
        return cast("Node", node)


def _key(value: object) -> object:
    return value if value is None or isinstance(value, int | str) else id(value)


def axes(path: Path) -> frozenset[Direction]:
    """The directions in which a path may move, not counting its tests."""
    match path:
        case Step(direction):
            return frozenset([direction])
        case Stay() | Test():
            return frozenset()
        case Chain(parts) | Fork(parts):
            return frozenset().union(*(axes(part) for part in parts))
        case Loop(inner, _, _):
            return axes(inner)


# ------------------------------------------------------------- the schema


@frozen
class Has:
    """The text matches a token."""

    name: str


@frozen
class Lacks:
    """The formula is false."""

    part: Formula


@frozen
class Both:
    """All formulas are true."""

    parts: tuple[Formula, ...]


@frozen
class Either:
    """Some formula is true."""

    parts: tuple[Formula, ...]


Formula: TypeAlias = "Has | Lacks | Both | Either"
"""A function of the set of tokens that a text matches."""


@frozen
class CoreList:
    """A text that is a list: its items, and what is between them."""

    content: Regular[Symbol]
    delimiter: Delimiter

    @property
    def is_undivided(self) -> bool:
        """Is it one item without the blanks around it, as `trimmed(…)` has it?"""
        return self.delimiter.pattern is None and not self.delimiter.text


@frozen
class CoreToken:
    """A token: the texts it matches, and whether padding and undecodable cells match it.

    A derived token has a formula over other tokens, of which some are hidden: they stand for the
    parts of its definition. No cell that cannot be decoded matches a token with a formula.
    """

    name: str
    pattern: Regular[CharSet]
    """`Nothing` if the token has a formula or is a list."""
    matches_padding: bool = False
    reads_padding: bool = False
    """In content, with ragged padding: a padded cell may be read as this token."""
    matches_undecodable: bool = False
    is_missing: bool = False
    """Can strict padding be read as it? True of the predefined `Missing`, which only padding
    matches, and of derived tokens that name it and are true of padding."""
    literal: str | None = None
    """The text, if the token is a quoted or implicit literal."""
    is_bare: bool = False
    """Is the literal written without quotes somewhere, as an undeclared name?"""
    declared: bool = False
    line: int | None = None
    """The line of its definition, if it is declared."""
    text: str = ""
    """Its definition, as it is written; empty if it is not declared."""
    documentation: str = ""
    formula: Formula | None = None
    """Over tokens that come before this one in the table of tokens."""
    hidden: bool = False
    """A part of a derived token: nobody sees its name, and no content or selector has it."""
    condition: Condition | None = None
    """For a token about values (hidden ones, `Json`): what `pattern` and `ask` were made from."""
    ask: Regular[CharSet] = Nothing()
    """Texts of which only `condition` can say whether they match."""
    items: CoreList | None = None
    """For a hidden token that is a list."""


@frozen
class Symbol:
    """A letter of a content expression: a token or a token type."""

    name: str
    is_type: bool = False


@frozen
class Ending:
    """The verdict clause of a statement: how grave its violations are, and what to say of them."""

    severity: SeverityName = "error"
    message: str | None = None
    """What the author of the schema says, if anything."""
    origin: Origin | None = None
    """What the statement was in the schema of another system that it was imported from."""

    @classmethod
    def of(cls, clause: Clause | None) -> Ending:
        """What a clause says; without one, a violation is an error."""
        return cls() if clause is None else cls(clause.severity, clause.message)

    def imported(self, origin: Origin | None) -> Ending:
        """The same of a statement with an origin, which is its message if it has no other."""
        if origin is None:
            return self
        return Ending(self.severity, self.message or str(origin), origin)

    @property
    def is_warning(self) -> bool:
        """Do violations leave the data valid?"""
        return self.severity == "warning"


@frozen
class CoreRule:
    """A rule; `number` counts from 1 in the order of the text."""

    number: int
    line: int
    text: str
    selector: Selector
    arrow: ArrowName
    content: Regular[Symbol]
    list_delim: Delimiter | None
    span: Span
    documentation: str = ""
    """The comment directly above it, without the `%`."""
    ending: Ending = Ending()


@frozen
class CoreType:
    """A token type: a name for a selector."""

    name: str
    line: int
    text: str
    selector: Selector
    documentation: str = ""


@frozen
class CoreUnique:
    """A uniqueness constraint."""

    kind: UniqueKind
    line: int
    text: str
    name: str
    selector: Selector
    span: Span
    documentation: str = ""
    """The comment directly above it, without the `%`."""
    ending: Ending = Ending()


@frozen
class CorePart:
    """A part of a key or of a side of a reference: a region, and how its texts are compared."""

    selector: Selector
    text: str
    """As it is written."""
    bases: tuple[Base, ...] = ()
    """`as Type`: values are compared, read by the first base that has the text, with or without the
    blanks around it. A text that none has is compared as a text, and is equal to no value."""
    items: Delimiter | None = None
    """The part is a list: each of its items counts, and this is between them."""


@frozen
class CoreKey:
    """`key(part, …)`: no two entries are equal."""

    line: int
    text: str
    parts: tuple[CorePart, ...]
    across: bool
    """Are all files of a run one table?"""
    span: Span
    documentation: str = ""
    ending: Ending = Ending()
    runs: bool = False
    """May entries be equal if their rows follow each other?"""


@frozen
class CoreSide:
    """One side of a reference; `table` is `None` for the table that the schema describes.

    The tokens of its parts are in the table of tokens of the schema that describes the table.
    """

    table: str | None
    parts: tuple[CorePart, ...]


@frozen
class CoreReference:
    """`left ~> right`: each entry on the left is equal to one on the right."""

    line: int
    text: str
    left: CoreSide
    right: CoreSide
    several: bool
    """May it be equal to more than one, as `~>+` says?"""
    span: Span
    documentation: str = ""
    ending: Ending = Ending()


@frozen
class CoreLoop:
    """A loop of a program, as far as validation looks at it: does it select a cell?"""

    line: int
    text: str
    selector: Selector


@frozen
class CoreSchema:
    """A schema that can be run."""

    dialect: Dialect
    tokens: Mapping[str, CoreToken]
    """Declared tokens in order, then predefined and literal ones in the order of first use."""
    types: Mapping[str, CoreType]
    rules: tuple[CoreRule, ...]
    uniques: tuple[CoreUnique, ...]
    keys: tuple[CoreKey, ...] = ()
    references: tuple[CoreReference, ...] = ()
    loops: tuple[CoreLoop, ...] = ()
    """The loops whose cells are counted, for warnings; none, unless somebody asks."""

    def imported(self, origins: Mapping[str, Origin] | None) -> CoreSchema:
        """The schema, its statements with what they were where they were imported from."""
        if origins is None:
            return self
        return replace(
            self,
            rules=_imported("rule", self.rules, origins),
            uniques=_imported("unique", self.uniques, origins),
            keys=_imported("key", self.keys, origins),
            references=_imported("reference", self.references, origins),
        )


Stated = TypeVar("Stated", CoreRule, CoreUnique, CoreKey, CoreReference)


def _imported(
    kind: str, statements: tuple[Stated, ...], origins: Mapping[str, Origin]
) -> tuple[Stated, ...]:
    return tuple(
        replace(each, ending=each.ending.imported(origins.get(f"{kind}:{number}")))
        for number, each in enumerate(statements, 1)
    )
