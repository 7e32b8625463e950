"""The expressions of one column as statements.

In: a column, and the names of the token types of all columns. Out: statements at a builder: a rule
for what is a token, keys for `unique` and the guards around it, a condition for the rest.

Invariant: every expression becomes at least one statement with its own text as origin, or a note.
Cost: linear in the expressions; an `or` or `if` around a `unique` is repeated in its key.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from sculpt.interchange.builder import Loop, SchemaBuilder
from sculpt.interchange.csv_schema.java.expressions import JavaError, escaped
from sculpt.interchange.csv_schema.model import (
    Both,
    Case,
    Choice,
    Column,
    Either,
    Expression,
    FileExists,
    Group,
    IntegrityCheck,
    Place,
    Single,
    Unique,
)
from sculpt.interchange.csv_schema.parsing.meaning import singles
from sculpt.interchange.csv_schema.writing.conditions import Condition, ConditionWriter
from sculpt.interchange.csv_schema.writing.guards import Guard, GuardWriter
from sculpt.interchange.csv_schema.writing.texts import Untranslatable, constant
from sculpt.interchange.csv_schema.writing.tokens import BLANK, TokenWriter, is_regular
from sculpt.interchange.documents import TextDocument
from sculpt.interchange.model import Note, Origin


class ColumnImporter:
    """Writes the statements of a column."""

    def __init__(
        self,
        builder: SchemaBuilder,
        document: TextDocument,
        regions: Mapping[str, str],
        has_header: bool,
        number: int,
        column: Column,
    ) -> None:
        self.builder, self.document = builder, document
        self.regions, self.has_header = regions, has_header
        self.loop = Loop("row", "r", list(regions.values())[-1])
        self.number, self.column = number, column
        label = regions[column.name]
        self.tokens = TokenWriter(builder, column.name, label, column.ignores_case)
        self.conditions = ConditionWriter(builder, self.tokens, self.cell, self._filled)

    def cell(self, name: str) -> str:
        """The cell of a column, in a condition."""
        return f"r[{self.regions[name]}]"

    def write(self) -> None:
        """Write all statements of the column."""
        if not self.column.rules:
            return
        self.builder.gap()
        if self.column.is_negated:
            rules = self.column.rules
            whole = Group(rules, Place(rules[0].place.start, rules[-1].place.end))
            self._try(whole, is_negated=True)
            return
        for rule in self.column.rules:
            for part in _flat(rule):
                self._try(part)

    def _try(self, expression: Expression, is_negated: bool = False) -> None:
        place = expression.place
        try:
            if is_negated:
                self._write_negated(expression)
            else:
                self._write(expression, self._origin(place))
        except JavaError as error:
            message = f"`{self._text(place)}`: {error.message}"
            hint = "describe the whole cell in other words"
            self.builder.note(Note(message, self.document.spot(place.start), hint))
        except Untranslatable as error:
            message = f"`{self._text(place)}`: {error.message}"
            self.builder.note(Note(message, self.document.spot(place.start), error.hint))

    def _text(self, place: Place) -> str:
        return self.document.text[place.start : place.end]

    def _origin(self, place: Place, after: str = "") -> Origin:
        spot = self.document.spot(place.start)
        return Origin(self._text(place) + after, spot, "", self.number, self.column.name)

    # ------------------------------------------------------------- one expression

    def _write(self, expression: Expression, origin: Origin) -> None:
        if _has_unique(expression):
            self._write_unique(expression, (), origin)
        elif isinstance(expression, Single) and isinstance(expression.check, IntegrityCheck):
            self._write_integrity(expression.check, origin)
        elif is_regular(expression):
            token = self.tokens.token(expression)
            if token == "String":  # every text: `length(*)`
                return
            content = self.tokens.content(token)
            self.builder.rule(self._own(), content, origin, severity=self.column.severity)
        else:
            self._require(self.conditions.condition(expression, is_alone=True), origin)

    def _write_negated(self, expression: Expression) -> None:
        origin = self._origin(expression.place, " @matchIsFalse")
        if is_regular(expression):
            inner = self.tokens.name(self.tokens.token(expression))
            content = self.tokens.name(f"not {inner}")
            self.builder.rule(self._own(), content, origin, severity=self.column.severity)
            return
        condition = self.conditions.condition(expression)
        self._require(Condition(f"not {condition.within(0)}"), origin)

    def _own(self) -> str:
        """The cells that rules are about: not those that are blank, if `@optional` allows it."""
        own = self.regions[self.column.name]
        return f"{own} and {self._filled()}" if self.column.is_optional else own

    def _filled(self) -> str:
        """What the cells are that count: not empty, or not blank if `@optional` allows that."""
        if not self.column.is_optional:
            return "Text"
        return self.builder.derived("filled", BLANK, "Any text that is not blank.")

    def _require(self, condition: Condition, origin: Origin) -> None:
        text = condition.text
        if self.column.is_optional:
            text = (
                f"if {self.cell(self.column.name)} is {self._filled()} then {condition.within(2)}"
            )
        self.builder.require(text, origin, self.column.severity, self.loop)

    # ------------------------------------------------------------- unique

    def _write_unique(
        self, expression: Expression, guards: tuple[Guard, ...], origin: Origin
    ) -> None:
        """Keys for each `unique` in an expression, and what else it says as conditions."""
        if not _has_unique(expression):
            self._write(_guarded(expression, guards), origin)
            return
        match expression:
            case Single(Unique(columns), context):
                own = self.column.name if context is None else context.name
                self._write_key(own, [each.name for each in columns], guards, origin)
            case Single():
                raise AssertionError(expression)
            case Both(parts) | Group(parts):
                for ix, part in enumerate(parts):
                    earlier = parts[:ix] if isinstance(expression, Both) else ()
                    # What fails for the text of the cell alone is violated for all its equals.
                    told = tuple(Guard(each, True) for each in earlier if not is_regular(each))
                    inner = (*guards, *told) if _has_unique(part) else guards
                    self._write_unique(part, inner, origin)
            case Either(parts):
                ix = next(n for n, part in enumerate(parts) if _has_unique(part))
                if not all(is_regular(part) for part in parts[ix + 1 :]):
                    message = "an `or` of `unique` and a condition about other cells after it"
                    raise Untranslatable(message, "write `unique` last")
                others = Either((*parts[:ix], *parts[ix + 1 :]), expression.place)
                self._write_unique(parts[ix], (*guards, Guard(others, False)), origin)
            case Choice(cases, otherwise):
                before = guards
                for case in cases:
                    for part in case.then:
                        inner = (*before, Guard(case.condition, True))
                        self._write_unique(part, inner, origin)
                    before = (*before, Guard(case.condition, False))
                for part in otherwise:
                    self._write_unique(part, before, origin)
            case _:
                assert_never(expression)

    def _write_key(
        self, own: str, columns: list[str], guards: tuple[Guard, ...], origin: Origin
    ) -> None:
        writer = GuardWriter(self.tokens, self.regions, own, self.column.name)
        first = self.regions[own]
        if self.column.is_optional:
            first += f" and {self._filled()}" if own == self.column.name else ""
        first = " and ".join((first, *(writer.selector(each) for each in guards)))
        others = [self.regions[each] for each in dict.fromkeys(columns) if each != own]
        parts = [first, *others]
        if self.column.ignores_case:
            parts = [f"{each} as AnyCase" for each in parts]
        self.builder.key(parts, origin, severity=self.column.severity)

    # ------------------------------------------------------------- integrity check

    def _write_integrity(self, check: IntegrityCheck, origin: Origin) -> None:
        """No more files than rows; exact if each path is unique and each file exists."""
        if check.root is not None and constant(check.root) is None:
            raise Untranslatable("a path from a column", "give the path between quotes")
        if not check.folder:
            raise Untranslatable("no folder", "name the folder that all files are in")
        inside = self.builder.token(
            f"in {check.folder}",
            rf"((?:.*/)?{escaped(check.folder)})(?:/.*)?",
            f"A path in a folder `{check.folder}`, which group 1 is.",
        )
        first = f"Only(({1 + self.has_header},{self.number})) optional"
        path = self.conditions.texts.path(check.root, f"capture(({first}), {inside}, 1)")
        count = f'count-files({path} + "/**")'
        folder = self.builder.token("folder", ".*/", "A folder is written with a slash at its end.")
        rows = f"Count({self.regions[self.column.name]} and not {folder})"
        condition = f"{count} >= 1 and {count} <= {rows}"
        self.builder.require(condition, origin, self.column.severity)
        self._note_integrity(origin)

    def _note_integrity(self, origin: Origin) -> None:
        kinds = {type(each.check) for rule in self.column.rules for each in singles(rule)}
        wanted = {"unique": Unique, "fileExists": FileExists}
        missing = [f"`{name}`" for name, kind in wanted.items() if kind not in kinds]
        if missing:
            message = f"`{origin.construct}` counts files and rows, and does not compare names"
            hint = f"with {' and '.join(missing)} on the column too, that says the same"
            self.builder.note(Note(message, origin.place, hint))


def _has_unique(expression: Expression) -> bool:
    return any(isinstance(each.check, Unique) for each in singles(expression))


def _flat(rule: Expression) -> tuple[Expression, ...]:
    """The parts of a group, which stand for themselves, or the expression."""
    if not isinstance(rule, Group):
        return (rule,)
    return tuple(each for part in rule.parts for each in _flat(part))


def _guarded(expression: Expression, guards: tuple[Guard, ...]) -> Expression:
    """An expression that holds only where some guards do."""
    for guard in reversed(guards):
        if guard.holds:
            expression = Choice((Case(guard.condition, (expression,)),), (), expression.place)
        else:
            expression = Choice((Case(guard.condition, ()),), (expression,), expression.place)
    return expression
