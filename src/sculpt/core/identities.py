"""Keys and references in core form: each part a region, and how its texts are compared.

In: the statements of a schema, and a vocabulary for each table: what its own schema calls tokens
and types. Out: `CoreKey` and `CoreReference` values, or diagnostics. The names in `Table(part, …)`
are those of the table's schema, so the tokens of these parts are added to its vocabulary.

Invariant: the sides of a reference have parts of equal number, whose values can be equal; a side
has at most one list. Cost: linear in the statements.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from sculpt.core import ir
from sculpt.core.builtins import FRIENDLY, XSD
from sculpt.core.datatypes.families import ANY_CASE, family_of
from sculpt.core.datatypes.model import Base
from sculpt.core.derivation.branches import Counted, Meaning, bases_of
from sculpt.core.dialect import Delimiter
from sculpt.diagnostics import Suggestions
from sculpt.syntax import ast
from sculpt.syntax.printer import print_on_one_line, print_part
from sculpt.values import replace

if TYPE_CHECKING:
    from sculpt.core.desugar import Desugarer

_VALUELESS = frozenset(("Empty", "Null", "Missing"))


class Identities:
    """Resolves the keys and references of a schema."""

    def __init__(self, own: Desugarer, tables: Mapping[str, Desugarer | None]) -> None:
        """`tables` has the vocabulary of each table; of a broken one, which was reported, none."""
        self.own = own
        self.tables = tables

    def key(self, statement: ast.Key) -> ir.CoreKey:
        """A key; its lists are compared as texts."""
        parts = (_part(self.own, part) for part in statement.parts)
        return ir.CoreKey(
            statement.span.line,
            print_on_one_line(statement),
            tuple(replace(part, items=None) for part in parts),
            statement.across,
            statement.span,
            self.own.said_of(statement),
            ir.Ending.of(statement.clause),
            statement.runs,
        )

    def reference(self, statement: ast.Reference) -> ir.CoreReference | None:
        """A reference; `None` if one of its tables is unknown or broken."""
        left, right = self._side(statement.left), self._side(statement.right)
        self._compare(statement, left, right)
        if left is None or right is None:
            return None
        return ir.CoreReference(
            statement.span.line,
            print_on_one_line(statement),
            left,
            right,
            statement.several,
            statement.span,
            self.own.said_of(statement),
            ir.Ending.of(statement.clause),
        )

    def _side(self, side: ast.Side) -> ir.CoreSide | None:
        vocabulary = self._vocabulary(side)
        if vocabulary is None:
            return None
        parts = tuple(_part(vocabulary, part) for part in side.parts)
        lists = [each for each, part in zip(side.parts, parts, strict=True) if part.items]
        for each in lists[1:]:
            message = f"`{print_part(each)}` is another list; a side can have only one"
            self.own.error("several-lists", message, each.span)
        return ir.CoreSide(side.table, parts)

    def _vocabulary(self, side: ast.Side) -> Desugarer | None:
        if side.table is None:
            return self.own
        if side.table not in self.tables:
            near = Suggestions(self.tables).closest(side.table)
            hint = f"did you mean `{near}`?" if near else None
            message = f"there is no table `{side.table}`"
            self.own.error("unknown-table", message, side.table_span or side.span, hint)
            return None
        return self.tables[side.table]

    def _compare(
        self, statement: ast.Reference, left: ir.CoreSide | None, right: ir.CoreSide | None
    ) -> None:
        """Report sides that cannot be equal."""
        ours, theirs = statement.left.parts, statement.right.parts
        if len(ours) != len(theirs):
            plural = "part" if len(ours) == 1 else "parts"
            message = f"the left side has {len(ours)} {plural}, and the right side {len(theirs)}"
            self.own.error("unlike-sides", message, statement.span)
        elif left is not None and right is not None:
            for ix, (one, other) in enumerate(zip(left.parts, right.parts, strict=True)):
                self._compare_parts((ours[ix], theirs[ix]), one, other)

    def _compare_parts(
        self, written: tuple[ast.Part, ast.Part], left: ir.CorePart, right: ir.CorePart
    ) -> None:
        if left.bases and right.bases:
            if _kinds(left.bases).isdisjoint(_kinds(right.bases)):
                message = f"a value of `{_types(left)}` is never one of `{_types(right)}`"
                self.own.error("unlike-sides", message, written[1].span)
        elif left.bases or right.bases:
            bare, typed = written if right.bases else written[::-1]
            text = left if right.bases else right
            if bare.type_name is not None and text.items is None:
                return  # its type was rejected
            message = f"`{text.text}` is a text, but `{print_part(typed)}` is a value"
            hint = None if bare.type_name else f"write `{text.text} as {typed.type_name}`"
            self.own.error("unlike-sides", message, bare.span, hint)


def _kinds(bases: tuple[Base, ...]) -> set[tuple[str, str | None]]:
    """What can be equal: numbers to numbers, dates to dates."""
    families = map(family_of, (base.type for base in bases))
    return {(family.kind, family.form) for family in families}


def _types(part: ir.CorePart) -> str:
    return " or ".join(dict.fromkeys(base.type for base in part.bases))


# ------------------------------------------------------------- parts


def _part(names: Desugarer, part: ast.Part) -> ir.CorePart:
    items = _list_in(names, part.selector)
    bases: tuple[Base, ...] = ()
    if part.type_name is not None:
        bases, of_type = _bases(names, part)
        items = of_type or items
    selector = names.bounded_selector(part.selector, part.span)
    return ir.CorePart(selector, print_part(part), bases, items)


def _bases(names: Desugarer, part: ast.Part) -> tuple[tuple[Base, ...], Delimiter | None]:
    """The types that `as` names; for a list, those of its items, and what is between them."""
    assert part.type_name is not None
    name, span = part.type_name, part.type_span or part.span

    def reject(message: str, hint: str | None = None, code: str = "no-value") -> None:
        names.error(code, message, span, hint)

    meaning = names.meanings.get(name)
    if meaning is not None:
        counted, bases = _counted(meaning), bases_of(meaning.branches)
        if counted is not None:
            return counted.bases, counted.delimiter
        if not bases and not meaning.is_broken:
            reject(f"the texts of `{name}` have no value", "leave out `as`: texts are compared")
        return bases, None
    if name in names.derived:
        return (), None  # broken, which was reported
    token = names.tokens.get(name)
    if names.is_type(name):
        reject(f"`{name}` is a token type: it is about places, and `as` is about values")
    elif token is not None and token.declared:
        hint = "leave out `as`, or define it with `:=` from a type"
        reject(f"the texts of `{name}` have no value", hint)
    elif name in _VALUELESS:
        reject(f"`{name}` has no values")
    elif name in (*FRIENDLY, ANY_CASE) or (name.startswith("xs:") and name[3:] in XSD):
        return (Base(name),), None
    else:
        known = Suggestions([*names.derived, ANY_CASE, *FRIENDLY, *(f"xs:{each}" for each in XSD)])
        near = known.closest(name) or known.closest(f"xs:{name}")
        reject(
            f"there is no type `{name}`",
            f"did you mean `{near}`?" if near else None,
            "unknown-type",
        )
    return (), None


def _counted(meaning: Meaning) -> Counted | None:
    """The list that a token is, whichever of its alternatives a text is of."""
    lists = [branch.base for branch in meaning.branches if isinstance(branch.base, Counted)]
    delimiters = {each.delimiter for each in lists}
    is_list = len(lists) == len(meaning.branches) and len(delimiters) == 1
    if not is_list:
        return None
    bases = dict.fromkeys(base for each in lists for base in each.bases)
    return replace(lists[0], bases=tuple(bases))


def _list_in(names: Desugarer, selector: ast.Selector) -> Delimiter | None:
    """What is between the items, if all cells of a selector are known to be lists."""
    for name in _conjuncts(names, selector, frozenset()):
        meaning = names.meanings.get(name)
        counted = None if meaning is None else _counted(meaning)
        if counted is not None:
            return counted.delimiter
    return None


def _conjuncts(names: Desugarer, node: ast.Selector, above: frozenset[str]) -> Iterator[str]:
    """The tokens that every cell of a selector matches, as far as its form says so."""
    match node:
        case ast.Name(name) if name in names.definitions and name not in above:
            yield from _conjuncts(names, names.definitions[name].selector, above | {name})
        case ast.Name(name):
            yield name
        case ast.Nth(part):
            yield from _conjuncts(names, part, above)
        case ast.And(parts):
            for part in parts:
                yield from _conjuncts(names, part, above)
