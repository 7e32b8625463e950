"""Lints about keys and references (`sculpt check`).

In: the statements of a schema, their core, and the cores of the tables that it brings in. Out:
warnings about parts that select nothing, or several cells of a row; about words that the schema of
a table does not have; about references whose target no key identifies, and about those whose sides
are the same.

Invariant: a part is said to have several cells in a row only if its form leaves no other reading:
`row(X)`, `true`, a bare token. Headings may occur twice, but `col(X)` is written for one column.
Cost: linear in the selectors, times the keys of a table for each reference to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sculpt.core import ir
from sculpt.core.builtins import FRIENDLY
from sculpt.core.facts.bounds import is_empty
from sculpt.core.facts.unparse import selector_text
from sculpt.diagnostics import Diagnostic, Suggestions
from sculpt.syntax import ast


def lint_identities(
    statements: tuple[ast.Statement, ...],
    schema: ir.CoreSchema,
    tables: Mapping[str, ir.CoreSchema],
) -> Iterator[Diagnostic]:
    """All lints about keys and references."""
    schemas: dict[str | None, ir.CoreSchema] = {None: schema}
    for name, core in tables.items():
        schemas[name] = core
    keys = [each for each in statements if isinstance(each, ast.Key)]
    for written, key in zip(keys, schema.keys, strict=True):
        yield from _parts(written.parts, key.parts, schema)
    references = [each for each in statements if isinstance(each, ast.Reference)]
    for statement, reference in zip(references, schema.references, strict=True):
        for side, known in ((statement.left, reference.left), (statement.right, reference.right)):
            yield from _parts(side.parts, known.parts, schemas[known.table])
            yield from _foreign_names(side, schema, schemas[known.table])
        if _is_same(reference):
            yield _refers_to_itself(reference)
        elif not (reference.several or _says_error(statement)) and _lacks_key(
            reference.right, schemas
        ):
            yield _without_key(statement, reference)


# ------------------------------------------------------------- parts


def _parts(
    written: tuple[ast.Part, ...], parts: tuple[ir.CorePart, ...], schema: ir.CoreSchema
) -> Iterator[Diagnostic]:
    once = {id(each.selector) for each in schema.uniques}
    for place, part in zip(written, parts, strict=True):
        if is_empty(part.selector, schema):
            message = f"`{part.text}` selects no cell on any table"
            yield Diagnostic("never-matches", message, place.span)
        elif len(parts) > 1 and _spreads(part.selector, once):
            yield Diagnostic(
                "several-in-row",
                f"a row may have several cells of `{part.text}`, and an entry has one of each part",
                place.span,
                f"say which: `col(…) and {part.text}`",
            )


def _spreads(selector: ir.Selector, once: set[int]) -> bool:
    """Does the form of a selector suggest several cells in a row?"""
    if id(selector) in once:
        return False
    match selector:
        case ir.Token() | ir.Everything() | ir.Not():
            return True
        case ir.Position(_, column):
            return column is None
        case ir.And(parts):
            return all(_spreads(part, once) for part in parts)
        case ir.Or(parts):
            return any(_spreads(part, once) for part in parts)
        case ir.Reach(path, _):
            return _runs_along(path)


def _runs_along(path: ir.Path) -> bool:
    """Does a path go through several cells of a row, without a test that could choose one?"""
    match path:
        case ir.Chain(parts):
            has_test = any(isinstance(part, ir.Test) for part in parts)
            return not has_test and any(map(_runs_along, parts))
        case ir.Fork(parts):
            return any(map(_runs_along, parts))
        case ir.Loop(inner, low, high):
            return low != high and isinstance(inner, ir.Step) and inner.direction in _SIDEWAYS
        case _:
            return False


_SIDEWAYS = frozenset(("left", "right"))


# ------------------------------------------------------------- words of other tables


def _foreign_names(
    side: ast.Side, own: ir.CoreSchema, theirs: ir.CoreSchema
) -> Iterator[Diagnostic]:
    """Names that the schema of a table does not declare, and that are not used as headings."""
    if side.table is None:
        return
    declared = [name for name, token in theirs.tokens.items() if token.declared]
    suggestions = Suggestions([*declared, *theirs.types, *FRIENDLY])
    for name in (each for part in side.parts for each in _bare_names(part.selector)):
        token = theirs.tokens.get(name.name)
        if token is None or token.literal is None:
            continue
        mine = own.tokens.get(name.name)
        is_mine = name.name in own.types or (mine is not None and mine.declared)
        near = suggestions.closest(name.name)
        if is_mine or near is not None:
            meant = f": did you mean `{near}`?" if near is not None else ""
            yield Diagnostic(
                "likely-typo",
                f"the schema of `{side.table}` does not declare `{name.name}`, so it stands for its"
                f" own text{meant}",
                name.span,
                f'write `"{name.name}"` if you mean the text; parts of a table use the words of'
                " its schema",
            )


def _bare_names(selector: ast.Selector) -> Iterator[ast.Name]:
    """The names that cells of a selector match, which are seldom headings."""
    match selector:
        case ast.Name():
            yield selector
        case ast.Not(part) | ast.Nth(part):
            yield from _bare_names(part)
        case ast.And(parts) | ast.Or(parts):
            for part in parts:
                yield from _bare_names(part)


# ------------------------------------------------------------- targets


def _conjuncts(selector: ir.Selector) -> frozenset[str]:
    """What every cell of a region satisfies, as texts, so that schemas can be compared."""
    parts = selector.parts if isinstance(selector, ir.And) else (selector,)
    return frozenset(map(selector_text, parts))


def _alternatives(selector: ir.Selector) -> Iterator[ir.Selector]:
    """The regions whose union a region is."""
    if not isinstance(selector, ir.Or):
        yield selector
        return
    for part in selector.parts:
        yield from _alternatives(part)


def _identifies(key: ir.CorePart, target: ir.CorePart) -> bool:
    """Are equal entries of the target equal in the key, or nearly so?"""
    theirs = _conjuncts(target.selector)
    is_alike = key.bases == target.bases or (bool(key.bases) and not target.bases)
    if not is_alike:
        return False
    known = [_conjuncts(each) for each in _alternatives(key.selector)]
    return any(ours <= theirs for ours in known) or (len(known) == 1 and theirs <= known[0])


def _lacks_key(side: ir.CoreSide, schemas: Mapping[str | None, ir.CoreSchema]) -> bool:
    """Is there no key whose parts are all among those of the side? A list has none."""
    if any(part.items is not None for part in side.parts):
        return False
    return not any(
        all(any(_identifies(part, target) for target in side.parts) for part in key.parts)
        for key in schemas[side.table].keys
        if not key.runs
    )


def _says_error(statement: ast.Reference) -> bool:
    """Does it say itself that it is an error if an entry is equal to several?"""
    return statement.clause is not None and statement.clause.severity == "error"


def _is_same(reference: ir.CoreReference) -> bool:
    left, right = reference.left, reference.right
    return left.table == right.table and [*map(_meaning, left.parts)] == [
        *map(_meaning, right.parts)
    ]


def _meaning(part: ir.CorePart) -> tuple[object, ...]:
    return selector_text(part.selector), part.bases, part.items


def _refers_to_itself(reference: ir.CoreReference) -> Diagnostic:
    parts = ", ".join(part.text for part in reference.left.parts)
    key = f"write `key({parts})` if no two entries may be equal"
    hint = "it always holds" if reference.several else key
    message = "both sides are the same: each entry refers to itself"
    return Diagnostic("refers-to-itself", message, reference.span, hint)


def _without_key(statement: ast.Reference, reference: ir.CoreReference) -> Diagnostic:
    side = reference.right
    parts = ", ".join(part.text for part in side.parts)
    where = "" if side.table is None else f" to the schema of `{side.table}`"
    return Diagnostic(
        "target-without-key",
        f"no key says that `{parts}` is there only once, as `~>` needs",
        statement.right.span,
        f"add `key({parts})`{where}, or write `~>+` if there may be several, or end the line with"
        " `! error` if only what is referred to must be there once",
    )
