"""Conditions: text to syntax tree.

In: the text of a program statement, at the place where a condition begins. Out: its tree.

    condition   := conjunction {"or" conjunction}
    conjunction := negation {"and" negation}
    negation    := "not" negation | "(" condition ")" | question
                 | "if" condition "then" condition ["else" condition]
    question    := operand (RELATION operand | "is" ["not"] region | ["not"] "in" MAPPING)
                 | TEST "(" value "," value ")"
                 | "is-file" "(" value ")"
    region      := NAME | TEXT | "(" selector ")"

An opening parenthesis may begin a condition or an operand. What comes after the closing one tells
them apart: after an operand, a relation or some other part of a value.

Cost: linear, except that each parenthesis is searched for the one that closes it.
"""

from __future__ import annotations

import re
from abc import abstractmethod

from sculpt.syntax import ast
from sculpt.syntax.programs import conditions as q
from sculpt.syntax.programs import tree as p
from sculpt.syntax.programs.cursor import TEXT, Cursor
from sculpt.syntax.programs.functions import TESTS, TestName

_AFTER_OPERAND = re.compile(r"\s*(?:[<>=!+.(]|(?:as|is|in|not|one|optional|all)(?![\w-]))")
_REGION = re.compile(r"(?!\d)[\w:-]+(?: (?!(?:and|or|then|else)(?![\w:-]))[\w:-]+)*")
_MAPPING = re.compile(r"[^\W\d][\w-]*")
_MISTAKEN = {"==": "=", "<>": "!=", "=<": "<=", "=>": ">="}


class ConditionParser(Cursor):
    """Reads conditions."""

    @abstractmethod
    def operand(self) -> p.Expression:
        """A value that is compared; an `if` must be in parentheses."""

    @abstractmethod
    def value(self) -> p.Expression:
        """A value; it may be an `if`."""

    @abstractmethod
    def begins_path(self) -> bool:
        """Does a path begin here, rather than something in parentheses?"""

    def condition(self) -> q.Condition:
        """A condition."""
        self.skip_blanks()
        start = self.at
        with self.nested():
            parts = [self._conjunction()]
            while self.accept("or"):
                parts.append(self._conjunction())
        return parts[0] if len(parts) == 1 else q.Or(tuple(parts), span=self.span(start))

    def _conjunction(self) -> q.Condition:
        self.skip_blanks()
        start = self.at
        parts = [self._negation()]
        while self.accept("and"):
            parts.append(self._negation())
        return parts[0] if len(parts) == 1 else q.And(tuple(parts), span=self.span(start))

    def _negation(self) -> q.Condition:
        self.skip_blanks()
        start = self.at
        if not self.accept("not"):
            return self._single()
        with self.nested():
            return q.Not(self._negation(), span=self.span(start))

    def _single(self) -> q.Condition:
        self.skip_blanks()
        start = self.at
        if self.begins_condition():
            self.depth += 1
            self.accept("(")
            found = self.condition()
            self.close_parenthesis("after a condition in parentheses")
            return found
        if self.begins_choice():
            condition = self.chosen_by()
            then = self.condition()
            otherwise = self.condition() if self.otherwise() else None
            return q.Choice(condition, then, otherwise, span=self.span(start))
        return self._question(start)

    def begins_condition(self) -> bool:
        """Does a condition in parentheses begin here, rather than a value?"""
        if not self.looks_at("(") or self.begins_path():
            return False
        end = self.until("", self.at + 1)
        return not _AFTER_OPERAND.match(self.text, end + 1)

    # ------------------------------------------------------------- choices

    def begins_choice(self) -> bool:
        """Does `if` come next?"""
        return self.looks_at("if")

    def chosen_by(self) -> q.Condition:
        """The condition of an `if`, up to and with `then`; it may go on in the next line."""
        self.accept("if")
        self.depth += 1
        found = self.condition()
        self.expect("then", "after the condition of `if`")
        self.skip_blanks()
        self.depth -= 1
        return found

    def otherwise(self) -> bool:
        """Skip `else` if it comes next, in this line or the next; did it?"""
        at = self.at
        self.depth += 1
        found = self.accept("else")
        self.skip_blanks()
        self.depth -= 1
        if not found:
            self.at = at
        return found

    # ------------------------------------------------------------- questions

    def _question(self, start: int) -> q.Condition:
        test = next((each for each in TESTS if self.calls(each)), None)
        if test is not None:
            return self._test(test, start)
        if self.looks_at("is-file"):
            self.accept("is-file")
            self.open_parenthesis("after `is-file`")
            path = self.value()
            self.close_parenthesis("after the path of a file")
            return q.IsFile(path, span=self.span(start))
        left = self.operand()
        self.skip_blanks()
        if self.accept("is"):
            is_negated = self.accept("not")
            return q.Is(left, self._region(), is_negated, span=self.span(start))
        is_negated = self.accept("not")
        if self.accept("in"):
            name = self.take(_MAPPING, "the name of a mapping")
            mapping = p.Named(name[0], span=self.fragment.span(name.start(), name.end()))
            return q.In(left, mapping, is_negated, span=self.span(start))
        if is_negated:
            self.fail("expected `in` after `not`")
        relation = self._relation(start)
        right = self.operand()
        found = q.Comparison(left, relation, right, span=self.span(start))
        self.skip_blanks()
        at = self.at
        if any(self.accept(each) for each in q.RELATIONS):
            hint = "compare twice: `a <= b and b <= c`"
            self.fail("a comparison has two sides", at, self.at, hint)
        return found

    def calls(self, name: str) -> bool:
        """Does a call of this function begin here?"""
        return self.looks_at(name) and self.text[self.at + len(name) :].lstrip()[:1] == "("

    def _test(self, name: TestName, start: int) -> q.Test:
        self.accept(name)
        self.open_parenthesis(f"after `{name}`")
        values = [self.value()]
        while self.accept(","):
            values.append(self.value())
        self.close_parenthesis(f"after the arguments of `{name}`")
        if len(values) != 2:
            message = f"`{name}` takes 2 arguments, not {len(values)}"
            self.fail(message, start, self.at, f'`{name}(text, "part")`', "wrong-type")
        return q.Test(name, values[0], values[1], span=self.span(start))

    def _relation(self, start: int) -> q.Relation:
        at = self.at
        wrong = next((each for each in _MISTAKEN if self.text.startswith(each, at)), None)
        if wrong is not None:
            message = f"there is no relation `{wrong}`"
            self.fail(message, at, at + 2, f"write `{_MISTAKEN[wrong]}`")
        for relation in q.RELATIONS:
            if self.accept(relation):
                return relation
        hint = 'compare it (`= "x"`), or ask what it is (`is Text`, `in Mapping`)'
        return self.fail("a value alone is not a condition", start, max(at, start + 1), hint)

    def _region(self) -> ast.Selector:
        self.skip_blanks()
        if self.looks_at("("):
            return self.selector(self.until("", self.at + 1) + 1)
        pattern = TEXT if self.looks_at('"') else _REGION
        name = pattern.match(self.text, self.at)
        if name is None:
            self.fail("expected a token or a token type", hint="for example `is Text`")
        return self.selector(name.end())
