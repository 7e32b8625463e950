"""Expressions as conditions of `require`, for what other cells, rows or files matter to.

In: an expression of a column. Out: the text of a condition about a row `r`. Checks that are tokens
stay tokens (`r[Age] is year`), other columns are `r[Other]`, files are asked for below `--files`.

Invariant: a condition is true or false of every complete row, and nothing in it can fail to be
computed, except where that means that the check fails (a path that cannot be decoded, a check sum
of a file that is not there). Cost: linear in the expression.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from sculpt.interchange.builder import SchemaBuilder
from sculpt.interchange.csv_schema.model import (
    Both,
    Case,
    Check,
    Checksum,
    Choice,
    Compare,
    Dated,
    DateParts,
    Either,
    Expression,
    FileCount,
    FileExists,
    Group,
    IntegrityCheck,
    Length,
    Literal,
    Range,
    Regex,
    Simple,
    Single,
    Unique,
)
from sculpt.interchange.csv_schema.writing.texts import TextWriter, Untranslatable, program_text
from sculpt.interchange.csv_schema.writing.tokens import TokenWriter, is_regular, is_regular_check
from sculpt.values import frozen

SUMS = {"md5": "md5", "sha": "sha1", "sha1": "sha1", "sha256": "sha256", "sha512": "sha512"}
"""The check sums of Sculpt, by their names in lower case and without dashes."""
NEVER = "0001-01-01"
"""Stands for parts that are no date."""
_PART = r"([0-9?]{4}|\*)-(January|February|March|April|May|June|July|August|September|October"
_PART += r"|November|December|[01?]?[0-9?]|\*)-([0-3?]?[0-9?]|\*)"


@frozen
class Condition:
    """The text of a condition, and how loosely it binds: 0 a question, 1 `and`, 2 `or`, 3 `if`."""

    text: str
    level: int = 0

    def within(self, level: int) -> str:
        """The text as a part of something that binds this strongly."""
        return f"({self.text})" if self.level > level else self.text


class ConditionWriter:
    """Writes the expressions of one column as conditions."""

    def __init__(
        self,
        builder: SchemaBuilder,
        tokens: TokenWriter,
        cell: Callable[[str], str],
        filled: Callable[[], str],
    ) -> None:
        self.builder = builder
        self.filled = filled
        """The name of the token of cells that are not empty."""
        self.tokens = tokens
        self.cell = cell
        """The expression of a column's cell: `r[Age]`."""
        self.texts = TextWriter(builder, cell)

    @property
    def own(self) -> str:
        """The name of the column."""
        return self.tokens.column

    def condition(self, expression: Expression, is_alone: bool = False) -> Condition:
        """The condition that an expression is; `is_alone` if it is the whole `require`."""
        if not isinstance(expression, Single) and is_regular(expression):
            token = self.tokens.name(self.tokens.token(expression))
            return Condition(f"{self.cell(self.own)} is {token}")
        match expression:
            case Single(check, context):
                column = self.own if context is None else context.name
                return self.check(check, column, is_alone)
            case Both(parts) | Group(parts):
                found = [self.condition(part) for part in parts]
                return _all(found)
            case Either(parts):
                found = [self.condition(part) for part in parts]
                return Condition(" or ".join(each.within(1) for each in found), 2)
            case Choice(cases, otherwise):
                return self._choice(cases, otherwise)
        assert_never(expression)

    def _choice(self, cases: tuple[Case, ...], otherwise: tuple[Expression, ...]) -> Condition:
        case = cases[0]
        condition = self.condition(case.condition)
        rest = [self.condition(part) for part in otherwise]
        if len(cases) > 1:
            rest = [self._choice(cases[1:], otherwise)]
        if not case.then:
            if not rest:
                raise Untranslatable("a condition after which nothing follows")
            return Condition(f"{condition.within(2)} or {_all(rest).within(1)}", 2)
        then = _all([self.condition(part) for part in case.then])
        text = f"if {condition.within(2)} then {then.within(2)}"
        return Condition(f"{text} else {_all(rest).within(3)}" if rest else text, 3)

    # ------------------------------------------------------------- checks

    def check(self, check: Check, column: str, is_alone: bool) -> Condition:
        """A check of a column's cell."""
        cell = self.cell(column)
        match check:
            case Compare():
                return self._compare(check, cell)
            case Simple("identical"):
                return self._identical(column, cell)
            case DateParts():
                return self._date(check)
            case FileExists(root):
                path = self.texts.path(root, cell, is_alone)
                return Condition(f'is-file({path}) or count-files({path} + "/") > 0', 2)
            case Checksum():
                return self._checksum(check, cell, is_alone)
            case FileCount(root, file):
                path = self.texts.path(root, file, is_alone)
                question = f"{cell} as xs:integer = count-files({path})"
                return (
                    Condition(question)
                    if is_alone
                    else Condition(f"{cell} is Integer and {question}", 1)
                )
            case Unique():
                message = "`unique` in a combination that has no order of evaluation"
                raise Untranslatable(message, "write `unique` as an expression of its own")
            case IntegrityCheck():
                message = "`integrityCheck` inside another expression"
                raise Untranslatable(message, "write it as an expression of its own")
            case Regex() | Range() | Length() | Simple() | Dated():
                return Condition(f"{cell} is {self.tokens.name(self.tokens.check(check))}")
        assert_never(check)

    def _compare(self, check: Compare, cell: str) -> Condition:
        if is_regular_check(check) and check.kind in ("starts", "ends", "any", "is", "not"):
            plain = not self.tokens.ignores_case and check.kind in ("is", "not")
            if plain and isinstance(check.values[0], Literal) and check.values[0].text:
                sign = "=" if check.kind == "is" else "!="
                return Condition(f"{cell} {sign} {program_text(check.values[0].text)}")
            return Condition(f"{cell} is {self.tokens.name(self.tokens.check(check))}")
        folded = self.tokens.ignores_case
        own = f"lower({cell})" if folded else cell
        values = [self.texts.value(each, is_alone=folded) for each in check.values]
        values = [f"lower({each})" for each in values] if folded else values
        match check.kind:
            case "is":
                return Condition(f"{own} = {values[0]}")
            case "not":
                return Condition(f"{own} != {values[0]}")
            case "in":
                return Condition(f"contains({values[0]}, {own})")
            case "any":
                level = 2 if len(values) > 1 else 0
                return Condition(" or ".join(f"{own} = {each}" for each in values), level)
        return Condition(f"{check.kind}({own}, {values[0]})")

    def _identical(self, column: str, cell: str) -> Condition:
        """Is a cell like the nearest one above it that is not empty? The first is like itself."""
        region = self.cell(column)[2:-1]
        above = f"directly(up, {region} and {self.filled()}, {cell}) optional({cell})"
        own = cell
        if self.tokens.ignores_case:
            own, above = f"lower({cell})", f"lower({above})"
        return Condition(f"{cell} is Text and {own} = {above}", 1)

    def _date(self, check: DateParts) -> Condition:
        text = ' + "-" + '.join(self.texts.value(part) for part in check.parts)
        if check.is_partial:
            token = self.builder.token("partial date", _PART)
            return Condition(f'(({text}) as {self._checked(token)} optional("")) != ""')
        token = self.builder.derived("date of parts", 'Date("yyyy-M-d")')
        value = f'(({text}) as {token} optional("{NEVER}"))'
        if check.low is None or check.high is None:
            return Condition(f'{value} > "{NEVER}"')
        low, high = check.low[:10], check.high[:10]
        return Condition(f'{value} >= "{low}" and {value} <= "{high}"', 1)

    def _checked(self, token: str) -> str:
        """A derived token that is an expression: a cast to it is a check."""
        return self.builder.derived("checked date", token)

    def _checksum(self, check: Checksum, cell: str, is_alone: bool) -> Condition:
        algorithm = SUMS.get(check.algorithm.lower().replace("-", ""))
        if algorithm is None:
            message = f"the check sum `{check.algorithm}`"
            raise Untranslatable(message, "Sculpt has MD5, SHA-1, SHA-256 and SHA-512")
        path = self.texts.path(check.root, check.file, is_alone)
        question = f'{cell} = checksum({path}, "{algorithm}")'
        if is_alone:
            return Condition(question)
        return Condition(f"count-files({path}) = 1 and {question}", 1)


def _all(found: list[Condition]) -> Condition:
    """All conditions together."""
    if len(found) == 1:
        return found[0]
    return Condition(" and ".join(each.within(1) for each in found), 1)
