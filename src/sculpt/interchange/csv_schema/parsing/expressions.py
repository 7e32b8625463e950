"""Reads the expressions of a column: checks, their arguments, and what combines them.

In: a cursor behind the `:` of a column, and the version of the schema. Out: `Expression`s. `and`
and `or` bind equally and to the right, as in the grammar: `a or b and c` is `a or (b and c)`.

Invariants: nesting is bounded, so a hostile text cannot exhaust the stack; what a version does not
have is an error that names the version that does. Cost: linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

from sculpt.diagnostics import closest
from sculpt.interchange.csv_schema.model import (
    Both,
    Case,
    Check,
    Choice,
    ColumnRef,
    Dated,
    Either,
    Expression,
    Group,
    Place,
    Simple,
    Single,
)
from sculpt.interchange.csv_schema.parsing import arguments
from sculpt.interchange.csv_schema.parsing.cursor import Cursor

MAX_DEPTH = 100
"""Of parentheses, conditions and changes between `and` and `or`."""

_SIMPLE = (
    "empty",
    "notEmpty",
    "uri",
    "partUkDate",
    "uuid4",
    "positiveInteger",
    "identical",
    "upperCase",
    "lowerCase",
)
_DATES = ("xDateTimeTz", "xDateTime", "xDate", "xTime", "ukDate")
SINCE = {
    "any": "1.1",
    "switch": "1.1",
    "integrityCheck": "1.1",
    "identical": "1.1",
    "upperCase": "1.1",
    "lowerCase": "1.1",
    "xDateTimeTz": "1.1",
}
"""The first version of the expressions that 1.0 does not have."""
_OTHER_NAMES = {
    "isNot": "not",
    "startsWith": "starts",
    "endsWith": "ends",
    "xDateTimeWithTimeZone": "xDateTimeTz",
    "uuid": "uuid4",
    "integer": "positiveInteger",
}
"""Names that drafts and examples have, and those that the grammar has instead."""

Reader = Callable[["Arguments"], Check]
Arguments = arguments.Arguments

READERS: dict[str, Reader] = {
    **{name: arguments.compare(name) for name in ("is", "not", "in", "starts", "ends", "any")},
    "regex": arguments.regex,
    "range": arguments.number_range,
    "length": arguments.length,
    "unique": arguments.unique,
    "date": arguments.date,
    "partDate": arguments.part_date,
    "fileExists": arguments.file_exists,
    "checksum": arguments.checksum,
    "fileCount": arguments.file_count,
    "integrityCheck": arguments.integrity_check,
}
NAMES = (*READERS, *_SIMPLE, *_DATES, "if", "switch")
_JOINT = re.compile(r"(?:and|or)(?![A-Za-z0-9])")


class ExpressionReader:
    """Reads expressions from a cursor."""

    def __init__(self, cursor: Cursor, version: str) -> None:
        self.cursor = cursor
        self.version = version
        self.arguments = Arguments(cursor, version)

    def rules(self) -> tuple[Expression, ...]:
        """The expressions of a column, up to its directives or the end of its line."""
        found = []
        while not (self.cursor.is_at_end() or self.cursor.sees("@")):
            found.append(self.expression(0))
        return tuple(found)

    def expression(self, depth: int) -> Expression:
        """An expression, and those that `and` and `or` join to it."""
        cursor = self.cursor
        self._check_depth(depth)
        parts, joints = [self.part(depth)], []
        while (joint := cursor.match(_JOINT)) is not None:
            if cursor.is_at_end() or cursor.sees("@"):
                cursor.fail(f"expected an expression after `{joint}`, found {cursor.found()}")
            joints.append(joint)
            parts.append(self.part(depth))
        self._check_depth(depth + sum(a != b for a, b in pairwise(joints)))
        return _joined(parts, joints)

    def part(self, depth: int) -> Expression:
        """A check, a group, or a choice."""
        cursor = self.cursor
        if cursor.sees("("):
            return self._group(depth)
        cursor.skip_blanks()
        start = cursor.at
        context = self._context()
        named = cursor.word()
        if named is None:
            cursor.fail(f"expected an expression, found {cursor.found()}")
        name, place = named
        self._check_name(name, place)
        if name in ("if", "switch"):
            if context is not None:
                cursor.fail(f"`{name}` is about the whole row: it takes no column", place=place)
            cursor.at = place.end
            return self._if(start, depth) if name == "if" else self._switch(start, depth)
        cursor.at = place.end
        return Single(self._check(name), context, Place(start, cursor.at))

    def _check(self, name: str) -> Check:
        if name in _SIMPLE:
            return Simple(name)
        if name in _DATES:
            low, high = self.arguments.dates(name)
            return Dated(name, low, high)
        return READERS[name](self.arguments)

    def _context(self) -> ColumnRef | None:
        """`$other/` before a check."""
        if not self.cursor.sees("$"):
            return None
        column = self.arguments.column()
        if not self.cursor.take("/"):
            name = self.cursor.text[column.place.start : column.place.end]
            hint = f'write `{name}/is("…")` to check the other column'
            self.cursor.fail(f"expected `/` after `{name}`, found {self.cursor.found()}", hint)
        return column

    def _check_name(self, name: str, place: Place) -> None:
        cursor = self.cursor
        if name not in NAMES:
            near = _OTHER_NAMES.get(name) or closest(name, NAMES)
            hint = f"did you mean `{near}`?" if near else "the columns come one to a line"
            cursor.fail(f"there is no expression `{name}`", hint, place)
        since = SINCE.get(name, "1.0")
        if since > self.version:
            message = f"version {self.version} has no `{name}`"
            cursor.fail(message, f"write `version {since}` in the first line", place)

    def _group(self, depth: int) -> Group:
        cursor = self.cursor
        self._check_depth(depth)
        cursor.skip_blanks()
        start = cursor.at
        cursor.need("(", "this")
        parts = self._several(depth + 1)
        if not cursor.take(")"):
            place = Place(start, start + 1)
            cursor.fail(f"this `(` is not closed: found {cursor.found()}", "add `)`", place)
        return Group(parts, Place(start, cursor.at))

    def _several(self, depth: int) -> tuple[Expression, ...]:
        """One or more expressions, up to `,` or `)`."""
        found = [self.expression(depth)]
        cursor = self.cursor
        while not (cursor.sees(",") or cursor.sees(")") or cursor.is_at_end()):
            found.append(self.expression(depth))
        return tuple(found)

    def _if(self, start: int, depth: int) -> Choice:
        cursor = self.cursor
        self._check_depth(depth)
        cursor.need("(", "`if`")
        condition = self._condition(depth + 1)
        cursor.need(",", "the condition of `if`")
        then = self._several(depth + 1)
        otherwise = self._several(depth + 1) if cursor.take(",") else ()
        if cursor.sees(","):
            cursor.fail("`if` takes a condition, and what holds if it is true and if it is not")
        cursor.need(")", "the arguments of `if`")
        return Choice((Case(condition, then),), otherwise, Place(start, cursor.at))

    def _switch(self, start: int, depth: int) -> Choice:
        cursor = self.cursor
        self._check_depth(depth)
        cursor.need("(", "`switch`")
        cases: list[Case] = []
        otherwise: tuple[Expression, ...] = ()
        while True:
            before = cursor.at
            case = self._case(depth + 1) if cursor.take("(") else None
            if case is None:
                cursor.at = before
                otherwise = self._several(depth + 1)
                break
            cases.append(case)
            # The grammar of the specification has no commas between cases.
            if not (cursor.take(",") or cursor.sees("(")):
                break
        if not cases:
            message = "`switch` has no case"
            place = Place(start, start + len("switch"))
            cursor.fail(message, "a case is `(condition, expression)`", place)
        cursor.need(")", "the cases of `switch`")
        return Choice(tuple(cases), otherwise, Place(start, cursor.at))

    def _case(self, depth: int) -> Case | None:
        """What is in the parentheses of a case; `None` if they are those of an expression."""
        cursor = self.cursor
        self._check_depth(depth)
        condition = self._condition(depth)
        if not cursor.take(","):
            return None
        then = self._several(depth)
        cursor.need(")", "a case of `switch`")
        return Case(condition, then)

    def _condition(self, depth: int) -> Expression:
        """A condition: any expression that is not itself a choice."""
        cursor = self.cursor
        place = cursor.here()
        found = self.expression(depth)
        if isinstance(found, Choice):
            message = "the condition cannot be an `if` or a `switch` itself"
            cursor.fail(message, "combine conditions with `and` and `or`", place)
        return found

    def _check_depth(self, depth: int) -> None:
        if depth > MAX_DEPTH:
            message = f"the expression is nested more than {MAX_DEPTH} levels deep"
            self.cursor.fail(message, code="foreign-limit")


def _joined(parts: list[Expression], joints: list[str]) -> Expression:
    """Expressions with `and` and `or` between them: `a or b and c` is `a or (b and c)`."""
    found = [parts[-1]]
    for ix in range(len(joints) - 1, -1, -1):
        found.append(parts[ix])
        if ix == 0 or joints[ix - 1] != joints[ix]:
            kind = Both if joints[ix] == "and" else Either
            place = Place(found[-1].place.start, found[0].place.end)
            found = [kind(tuple(reversed(found)), place)]
    return found[0]
