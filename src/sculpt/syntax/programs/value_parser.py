"""The values of programs: text to syntax tree.

In: the text of a program statement and the variables of its loop. Out: trees of values:

    value   := "if" condition "then" value ["else" value] | operand
    operand := sum ["as" TYPE ["(" n ["," n] ")"]] [policy]
    sum     := part {"+" part}
    part    := first {"." property | ".cells[" n "]" | "[" selector "]"} [policy]
    first   := TEXT | NUMBER | "(" value ")" | FUNCTION "(" … ")" | VARIABLE | LET | look-up
           | "Only" "(" selector ")"
           | "find" "(" TABLE "(" selector {"," selector} ")" {"," value} ")"
    look-up := PATH "(" part ")"
    policy  := "one" | "optional" ["(" value ")"] | "all" ["(" TEXT ")"]

Conditions are read by `condition_parser`. Selectors and paths are cut out by their brackets and
read by `expressions`. Cost: linear, except for paths, which are searched for the cell that they
start from.
"""

from __future__ import annotations

import re
from typing import NoReturn

from sculpt.diagnostics import Diagnostic, closest
from sculpt.syntax import ast
from sculpt.syntax.expressions import parse_selector
from sculpt.syntax.lines import Fragment
from sculpt.syntax.names import is_plain_name, unescaped
from sculpt.syntax.programs import tree as p
from sculpt.syntax.programs.condition_parser import ConditionParser
from sculpt.syntax.programs.cursor import TEXT, RejectedError
from sculpt.syntax.programs.functions import AGGREGATES, FIND, FUNCTIONS, ONLY, TESTS
from sculpt.values import replace

LOOK_UPS: tuple[p.LookUpKind, ...] = ("directly", "closest", "within")
PROPERTIES: tuple[p.PropertyName, ...] = ("content", "raw", "row", "column", "file")
MAX_DIGITS = 18
"""Of an index or a distance: longer numbers may not fit in 64 bits."""
WORD = re.compile(r"[^\W\d][\w-]*")
_DIRECTIONS = ("up", "down", "left", "right")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_WORDS = "and|or|not|then|else|is|in|one|optional|all"
_TYPE = re.compile(
    r"xs:[A-Za-z][A-Za-z0-9]*"
    rf"|(?!\d)\w(?:[\w:-]*\w)?(?: (?!(?:{_WORDS})(?![\w:-]))\w(?:[\w:-]*\w)?)*"
)
"""A type of XML Schema, another predefined type, or the name of a derived token."""
_PATH_START = re.compile(rf"(?:{'|'.join(ast.AXES)})\s*[.*+?{{\[|()]|\[")


class ValueParser(ConditionParser):
    """Reads values."""

    def __init__(self, fragment: Fragment, problems: list[Diagnostic]) -> None:
        super().__init__(fragment, problems)
        self.variables: tuple[str, ...] = ()
        self.lets: tuple[str, ...] = ()
        """The names that `let` has given so far in this loop."""

    def value(self) -> p.Expression:
        """A value."""
        self.skip_blanks()
        start = self.at
        with self.nested():
            if not self.begins_choice():
                return self.operand()
            condition = self.chosen_by()
            then = self.value()
            otherwise = self.value() if self.otherwise() else None
            return p.If(condition, then, otherwise, span=self.span(start))

    def begins_choice(self) -> bool:
        """Does `if` come next? A loop's variable may have that name."""
        return self.looks_at("if") and "if" not in self.variables

    def begins_path(self) -> bool:
        """Does a path begin here, rather than something in parentheses?"""
        return self._is_path()

    def operand(self) -> p.Expression:
        """A value without an `if` of its own."""
        self.skip_blanks()
        start = self.at
        found = self._sum()
        if self.accept("as"):
            type_name = self.take(_TYPE, "a type such as `xs:decimal`")[0]
            digits: list[int] = []
            if self.accept("("):
                self.depth += 1
                digits.append(self._integer())
                while self.accept(","):
                    digits.append(self._integer())
                self.close_parenthesis("after the digits of a type")
            found = p.Cast(found, type_name, tuple(digits), span=self.span(start))
        return self._with_policy(found, start)

    def _with_policy(self, value: p.Expression, start: int) -> p.Expression:
        for kind in ("one", "optional", "all"):
            if self.accept(kind):
                default: p.Expression | None = None
                if kind != "one" and self.accept("("):
                    self.depth += 1
                    default = self.value()
                    self.close_parenthesis(f"after the argument of `{kind}`")
                policy: p.PolicyKind = kind
                return p.Policy(value, policy, default, span=self.span(start))
        return value

    def _sum(self) -> p.Expression:
        self.skip_blanks()
        start = self.at
        parts = [self._part()]
        while self.accept("+"):
            parts.append(self._part())
        return parts[0] if len(parts) == 1 else p.Joined(tuple(parts), span=self.span(start))

    def _part(self) -> p.Expression:
        self.skip_blanks()
        start = self.at
        found = self._first()
        while self.looks_at(".") or self._looks_at_own(found):
            if self.accept("["):
                wanted = self.selector(self.until("]", self.at))
                self.expect("]", "after the selector of a cell")
                found = p.Own(found, wanted, span=self.span(start))
                continue
            self.accept(".")
            name = self.take(WORD, "a property such as `.content`")
            if name[0] == "cells":
                self.expect("[", "after `.cells`")
                index = self._integer()
                self.expect("]", "after the number of a cell")
                found = p.Item(found, index, span=self.span(start))
            elif properties := [each for each in PROPERTIES if each == name[0]]:
                found = p.Property(found, properties[0], span=self.span(start))
            else:
                near = closest(name[0], (*PROPERTIES, "cells"))
                known = _listed(PROPERTIES)
                hint = f"did you mean `.{near}`?" if near else f"the properties are {known}"
                self.fail(f"there is no property `.{name[0]}`", name.start(), hint=hint)
        return self._with_policy(found, start)

    def _looks_at_own(self, found: p.Expression) -> bool:
        return isinstance(found, p.Variable | p.LetName | p.Find) and self.looks_at("[")

    def _first(self) -> p.Expression:
        self.skip_blanks()
        start = self.at
        if self.looks_at('"'):
            return self.quoted()
        if number := _NUMBER.match(self.text, self.at):
            self.at = number.end()
            return p.Number(number[0], span=self.span(start))
        if self._is_path():
            return self._applied_path(start)
        if self.accept("("):
            self.depth += 1
            found = self.value()
            self.close_parenthesis("after an expression in parentheses")
            return found
        word = self.take(WORD, "a value")
        if self.looks_at("("):
            return self._call(word, start)
        if word[0] in self.variables:
            return p.Variable(word[0], span=self.fragment.span(word.start(), word.end()))
        if word[0] in self.lets:
            return p.LetName(word[0], span=self.fragment.span(word.start(), word.end()))
        return self._unknown_variable(word)

    def quoted(self) -> p.Text:
        """A text in quotes."""
        self.skip_blanks()
        start = self.at
        if self.text[self.at : self.at + 1] == '"' and not TEXT.match(self.text, self.at):
            hint = 'add `"` on the same line; `\\n` is a line end'
            self.fail("this quoted text never closes", hint=hint, code="unclosed-literal")
        match = self.take(TEXT, "a text in quotes")
        return p.Text(unescaped(match[1]), span=self.span(start))

    def _integer(self) -> int:
        self.skip_blanks()
        number = self.take(re.compile(r"-?\d+"), "a number")
        if len(number[0]) > MAX_DIGITS:
            message = "this number is too large"
            self.fail(message, number.start(), number.end(), code="bad-index")
        return int(number[0])

    def _call(self, word: re.Match[str], start: int) -> p.Expression:
        name = word[0]
        self.open_parenthesis(f"after `{name}`")
        found: p.Expression
        if kinds := [each for each in LOOK_UPS if each == name]:
            found = self._look_up(kinds[0], start)
        elif name == FIND:
            found = self._find(start)
        elif name == ONLY:
            found = p.Only(self.selector(self.until(")", self.at)), span=self.span(start))
        elif name in AGGREGATES:
            found = self._aggregate(name, start)
        elif name in FUNCTIONS:
            arguments = [self._argument(name)]
            while self.accept(","):
                arguments.append(self._argument(name))
            found = p.Call(name, tuple(arguments), span=self.span(start))
        elif name in TESTS:
            hint = f'`if {name}(x, "y") then … else …` is a value'
            message = f"`{name}` is a condition, not a value"
            self.fail(message, word.start(), word.end(), hint, "wrong-type")
        else:
            known = (*AGGREGATES, ONLY, *LOOK_UPS, FIND, *FUNCTIONS, *TESTS)
            near = closest(name, known)
            hint = f"did you mean `{near}`?" if near else f"the functions are {_listed(known)}"
            message = f"there is no function `{name}`"
            self.fail(message, word.start(), word.end(), hint, "unknown-function")
        self.close_parenthesis(f"after the arguments of `{name}`")
        return replace(found, span=self.span(start))

    def _argument(self, function: str) -> p.Expression:
        """A value; for some functions, a bare name that is not a variable."""
        self.skip_blanks()
        end = self.until(",)", self.at)
        bare = self.text[self.at : end].strip()
        is_name = re.fullmatch(r"[\w:-]+(?: [\w:-]+)*", bare) and not _NUMBER.fullmatch(bare)
        if function in ("capture", "map", "iri") and is_name and not self._is_known(bare):
            start, self.at = self.at, end
            return p.Named(bare, span=self.span(start))
        return self.value()

    def _aggregate(self, name: str, start: int) -> p.Aggregate:
        self.skip_blanks()
        end = self.until(")", self.at)
        bare = self.text[self.at : end].strip()
        if bare in self.lets:
            message = (
                f"`{bare}` is one value, and `{name}` needs the cells of a row, column or region"
            )
            self.fail(message, self.at, end)
        operand: p.Variable | ast.Selector
        operand = self.variable() if bare in self.variables else self.selector(end)
        return p.Aggregate(name, operand, span=self.span(start))

    def _look_up(self, name: p.LookUpKind, start: int) -> p.LookUp:
        word = self.take(WORD, "a direction")
        direction = next((axis for axis in ast.AXES if axis == word[0]), None)
        if direction not in _DIRECTIONS:
            message = "expected a direction: `up`, `down`, `left` or `right`"
            self.fail(message, word.start(), word.end())
        self.expect(",", "after the direction")
        distances: list[int] = []
        for _ in range(2 if name == "within" else 0):
            self.skip_blanks()
            distance_start = self.at
            distances.append(self._integer())
            if distances[-1] < 0:
                self.fail(
                    "a distance cannot be negative", distance_start, self.at, code="bad-index"
                )
            self.expect(",", "after a distance")
        wanted = self.selector(self.until(",)", self.at))
        self.expect(",", "between the selector and the cell to start from")
        with self.nested():
            origin = self._part()
        return p.LookUp(
            name, direction, tuple(distances), wanted, None, origin, span=self.span(start)
        )

    def _find(self, start: int) -> p.Find:
        """`find(Table(A, …), x, …)`, after the parenthesis."""
        self.skip_blanks()
        at = self.until("(", self.at)
        table, table_span = self.text[self.at : at].strip(), self.fragment.span(self.at, at)
        if not is_plain_name(table):
            hint = "for example `find(Depts(Code), x)`"
            self.fail("expected a table and its region", self.at, at, hint)
        self.at = at
        self.open_parenthesis("after the name of a table")
        parts = [self.selector(self.until(",)", self.at))]
        while self.accept(","):
            parts.append(self.selector(self.until(",)", self.at)))
        self.close_parenthesis("after the regions of a table")
        keys = []
        while self.accept(","):
            with self.nested():
                keys.append(self.value())
        return p.Find(
            table, tuple(parts), tuple(keys), table_span=table_span, span=self.span(start)
        )

    def variable(self) -> p.Variable:
        """The variable of the loop."""
        word = self.take(WORD, "the variable of the loop")
        span = self.fragment.span(word.start(), word.end())
        if word[0] not in self.variables:
            self._unknown_variable(word)
        return p.Variable(word[0], span=span)

    def _is_known(self, name: str) -> bool:
        return name in self.variables or name in self.lets

    def _unknown_variable(self, word: re.Match[str]) -> NoReturn:
        known = " and ".join(f"`{name}`" for name in self.variables)
        hint = f"the loop's variable is {known}" if known else "variables exist only inside loops"
        near = closest(word[0], self.lets)
        hint = f"did you mean `{near}`?" if near else hint
        message = f"there is no variable `{word[0]}`"
        self.fail(message, word.start(), word.end(), hint, "unknown-variable")

    # ------------------------------------------------------------- paths

    def _is_path(self) -> bool:
        """Does a path begin here, rather than an expression in parentheses?"""
        at = self.at
        while self.text[at : at + 1] == "(":
            at += 1
            while self.text[at : at + 1].isspace():
                at += 1
        if not _PATH_START.match(self.text, at):
            return False
        if at == self.at:
            return True
        return self._application(self.at + 1, self.until("", self.at + 1), self.depth + 1) is None

    def _application(self, start: int, end: int, depth: int) -> int | None:
        """Where a path between two places is applied: a parenthesis that does not begin a group.

        `depth` says how many parentheses are open at `start`: inside any, a line end is a blank.
        """
        before, groups = "(", 0
        at = start
        while at < end:
            char = self.text[at]
            if char == "(" and before not in "(.|":
                return at
            groups += (char == "(") - (char == ")")
            if char in "[{":
                at = self.until("", at + 1)
            elif char in ',"' or groups < 0 or (char == "\n" and not depth + groups):
                return None
            before = before if char.isspace() else char
            at += 1
        return None

    def _begins_cell(self, at: int) -> bool:
        """Can what begins here be a cell: a variable, or another look-up?"""
        while self.text[at : at + 1] in ("(", " ", "\t", "\r", "\n"):
            at += 1
        word = WORD.match(self.text, at)
        if word and (self._is_known(word[0]) or word[0] in (*LOOK_UPS, ONLY)):
            return True
        return bool(_PATH_START.match(self.text, at))

    def _applied_path(self, start: int) -> p.LookUp:
        at = self._application(self.at, len(self.text), self.depth)
        if at is not None and not self._begins_cell(at + 1):
            end = self.until("", at + 1) + 1
            if self.text[end : end + 1] == "(":
                self.fail("expected a path, not a selector", start, end, code="wrong-sort")
            at = None
        if at is None:
            known = _listed(self.variables)
            first = next(iter(self.variables), None)
            hint = f"for example `left({first})`" if first else "use it inside a loop"
            message = "a path must be applied to the variable of its loop"
            self.fail(message + (f", {known}" if known else ""), hint=hint)
        piece = self.piece(self.at, at)
        tree = parse_selector(piece, self.problems)
        if tree is None:
            raise RejectedError
        if not isinstance(tree, ast.Apply) or tree.operand is not None:
            self.fail("expected a path, not a selector", start, at, code="wrong-sort")
        self.at = at
        self.open_parenthesis("after a path")
        with self.nested():
            origin = self._part()
        self.close_parenthesis("after the cell that a path starts from")
        return p.LookUp("path", None, (), None, tree.path, origin, span=self.span(start))


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)
