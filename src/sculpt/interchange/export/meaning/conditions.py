"""Conditions of `require` that other systems have: two cells of each row, and what a file is.

In: a schema. Out: a `Comparison` for each condition, of a loop over all rows of data, that compares
a column with another one or with a text; the check sum and the size that the file must have; all
others as statements that are left out.

Invariant: a comparison holds for a row exactly if its condition does. Cost: one match a condition.
"""

from __future__ import annotations

import re

from sculpt.core.programs.statements import Loop, Require, actions_of
from sculpt.errors import SchemaError
from sculpt.interchange.export.meaning.formulas import TRUE
from sculpt.interchange.export.meaning.grid import Places
from sculpt.interchange.export.meaning.sheets import Comparison, Left, Said
from sculpt.schema import Schema, parse_selector_text
from sculpt.syntax import ast
from sculpt.syntax.printer import print_on_one_line
from sculpt.syntax.programs import tree

_CELL = r"(?P<{0}>\w+)\[(?P<{1}>[^\[\]]+)\]"
_LEFT, _RIGHT = _CELL.format("a", "left"), _CELL.format("b", "right")
_TEXT = r'"(?P<text>[^"\\]*)"'
_FORMS = (
    (re.compile(f"{_LEFT} = {_RIGHT}"), "is"),
    (re.compile(f"{_LEFT} != {_RIGHT}"), "not"),
    (re.compile(rf"starts\({_LEFT}, {_RIGHT}\)"), "starts"),
    (re.compile(rf"ends\({_LEFT}, {_RIGHT}\)"), "ends"),
    (re.compile(rf"contains\({_RIGHT}, {_LEFT}\)"), "in"),
    (re.compile(rf"contains\({_TEXT}, {_LEFT}\)"), "in"),
)
_SILENT = (tree.Require, tree.Let, tree.Namespace, tree.Mapping, tree.SetNamespace, type(None))
"""Statements and actions that write nothing, or are exported as conditions."""
_ROWS = re.compile(r"For each row (\w+) in (.+)")
_CHECKSUM = re.compile(r'checksum\("[^"\\]+", "(md5|sha1|sha256|sha512)"\) = "([0-9A-Za-z]+)"')
_SIZE = re.compile(r'file-size\("[^"\\]+"\) = ([0-9]+)')


def checksum_of(schema: Schema) -> str:
    """The check sum that the file must have, if a condition says so: `sha256:…`."""
    return ":".join(_first(schema, _CHECKSUM))


def size_of_file(schema: Schema) -> int | None:
    """How many bytes the file must have, if a condition says so."""
    return next(map(int, _first(schema, _SIZE)), None)


def _first(schema: Schema, form: re.Pattern[str]) -> tuple[str, ...]:
    """What the first condition of a form says of the file."""
    found = (_about_file(require, form) for require in schema.requires)
    return next(filter(None, found), ())


def _about_file(require: Require, *forms: re.Pattern[str]) -> tuple[str, ...]:
    """The groups of the form that a condition has; none if it has no such form, or only warns."""
    found = (form.fullmatch(require.said) for form in forms if not require.ending.is_warning)
    return next((match.groups() for match in found if match is not None), ())


def conditions_of(schema: Schema, places: Places) -> tuple[list[Comparison], list[Left]]:
    """The conditions that compare two cells of each row, and those that are left out."""
    compared: list[Comparison] = []
    left: list[Left] = []
    columns = _Columns(schema, places)
    for statement in () if schema.program is None else schema.program.requirements:
        loop = _ROWS.fullmatch(statement.text) if isinstance(statement, Loop) else None
        is_whole = loop is not None and _is_all_rows(schema, places, loop[2])
        for require in actions_of(statement):
            if not isinstance(require, Require) or _about_file(require, _CHECKSUM, _SIZE):
                continue
            said = _said(schema, require)
            found = None
            if loop is not None and is_whole and not said.is_warning:
                found = comparison_of(require.said, loop[1], columns, said)
            if found is None:
                left.append(Left(said, "a condition has no counterpart"))
            else:
                compared.append(found)
    return compared, left


def programs_of(schema: Schema) -> list[Left]:
    """The statements that write something: what they do has no counterpart."""
    found = []
    for statement in schema.statements:
        if not isinstance(statement, ast.Program):
            continue
        body = statement.body
        is_loop = isinstance(body, tree.Loop)
        actions = body.actions if isinstance(body, tree.Loop) else (body,)
        if all(isinstance(each, _SILENT) for each in actions):
            continue
        text = print_on_one_line(statement)
        text = f"{text.partition(' {')[0]} {{ … }}" if is_loop else text
        said = Said(statement.span.source.name, statement.span.line, text)
        found.append(Left(said, "what a program writes has no counterpart"))
    return found


def _said(schema: Schema, require: Require) -> Said:
    origin = require.ending.origin
    return Said(
        schema.source.name,
        require.line,
        require.text,
        is_warning=require.ending.is_warning,
        kind="" if origin is None else origin.kind,
        origin=origin,
    )


def _is_all_rows(schema: Schema, places: Places, selector: str) -> bool:
    """Does a selector have cells of all rows of data, whatever their texts?"""
    region = places.region(parse_selector_text(schema, selector)[1])
    if region is None or region.above or not region.tail:
        return False
    return all(formula == TRUE for formula in region.tail.values())


class _Columns:
    """Which column the cells of a selector in a row of data are in."""

    def __init__(self, schema: Schema, places: Places) -> None:
        self._schema = schema
        self._places = places
        self._known: dict[str, int | None] = {}

    def get(self, selector: str) -> int | None:
        """The number of the column; `None` if it is not one, or not all of it."""
        if selector not in self._known:
            self._known[selector] = self._found(selector)
        return self._known[selector]

    def _found(self, selector: str) -> int | None:
        try:
            region = self._places.region(parse_selector_text(self._schema, selector)[1])
        except SchemaError:  # something that only a program can say
            return None
        if region is None or region.beyond or len(region.tail) != 1:
            return None
        return next(iter(region.tail))


def comparison_of(
    condition: str, variable: str, columns: _Columns, said: Said
) -> Comparison | None:
    """The comparison that a condition is, if it has one of the forms."""
    for form, word in _FORMS:
        found = form.fullmatch(condition)
        if found is None:
            continue
        parts = found.groupdict()
        left = columns.get(parts["left"])
        if left is None or any(parts.get(each, variable) != variable for each in ("a", "b")):
            return None
        if parts.get("text") is not None:
            return Comparison(left, word, None, parts["text"], said)
        right = columns.get(parts["right"])
        return None if right is None else Comparison(left, word, right, "", said)
    return None
