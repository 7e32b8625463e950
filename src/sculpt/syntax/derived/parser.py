r"""Derived tokens: the text right of `:=` to a syntax tree.

In: a `Fragment`. Out: a tree of `tree.Tokens`, or diagnostics:

    tokens   := both {"or" both}
    both     := negated {"and" negated}
    negated  := "not" negated | compared
    compared := [BOUND RELATION] operand [RELATION BOUND]
    operand  := NAME | TEXT | "/" REGEX "/" | "(" tokens ")" | NAME "(" TEXT {"," OPTION} ")"
              | "list" "(" tokens ["," TEXT] ")" | MEASURE "(" tokens ")"

A bound is a quoted text, or everything up to the next blank, comma, bracket or relation. Where only
one side has a relation, the text alone decides which side is the bound: a quoted text, then what
cannot be a name, then what begins with a digit while the other side does not, is one; otherwise the
right side is.

Invariant: nothing is read twice, whatever the text. Cost: linear.
"""

from __future__ import annotations

import re
from typing import NoReturn

from sculpt.diagnostics import Diagnostic, Span, closest
from sculpt.syntax import ast
from sculpt.syntax.derived import tree
from sculpt.syntax.lines import BLANKS, Fragment
from sculpt.syntax.names import PLAIN_NAME, is_plain_name, unescaped
from sculpt.syntax.regex import parse_regex
from sculpt.syntax.regular import Nothing

MAX_NESTING = 50
"""Of parentheses; each level takes several calls to read."""
BARE_BOUND = re.compile(r'[^\s<>=!()\[\]{},"]+')
_TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_REGEX = re.compile(r"/((?:[^/\\]|\\.)*)/", re.DOTALL)
_RELATIONS: tuple[tree.Relation, ...] = ("<=", ">=", "!=", "<", ">", "=")
_WORDS = {
    "or": re.compile(r"or(?![\w:-])|∨"),
    "and": re.compile(r"and(?![\w:-])|∧"),
    "not": re.compile(r"not(?![\w:-])|¬"),
}
_UNCLOSED = "unclosed-literal"
_OPTION = re.compile(r"[^\W\d]\w*")
_SHOWN = re.compile(r"[\w:-]+|\S")
_HINTS = {
    "'": 'quote a text with `"`',
    "%": "put a comment on its own line; quote it if it is part of a text",
    "|": "use `or` for alternatives",
    "&": "use `and`",
    "!": "use `not` for the complement",
    "~": "use `not` for the complement",
    "[": "an expression goes between slashes: `/[0-9]+/`",
    "^": "an expression goes between slashes: `/[0-9]+/`",
    "\\": "an expression goes between slashes: `/[0-9]+/`",
}
_GRAMMAR = "the language reference has the grammar of derived tokens"
_CALLS = (
    '`Type("picture")`, `list(tokens, ";")`, `trimmed(…)`, `length(…)`, `digits(…)` and'
    " `decimals(…)` are known"
)


def begins_with_digit(text: str) -> bool:
    """Does the text look like a number, a date or a time rather than a name?"""
    return re.match(r"[-+.]*\d", text) is not None


def parse_tokens(fragment: Fragment, problems: list[Diagnostic]) -> tree.Tokens | None:
    """The expression of a fragment, or `None` with the reasons added to `problems`."""
    reader = _Reader(fragment, problems)
    try:
        if not fragment.text:
            reader.fail("the tokens are missing", hint="for example `0 <= Integer <= 130`")
        found = reader.tokens()
        reader.end()
    except _RejectedError:
        return None
    return None if reader.failed else found


class _RejectedError(Exception):
    """The text cannot be read; the reason is in `problems` already."""


class _Reader:
    def __init__(self, fragment: Fragment, problems: list[Diagnostic]) -> None:
        self.fragment = fragment
        self.text = fragment.text
        self.problems = problems
        self.at = 0
        self.depth = 0
        self.failed = False
        """Was there an error after which reading went on?"""

    # ------------------------------------------------------------- problems

    def report(
        self, code: str, message: str, start: int, end: int, hint: str | None = None
    ) -> None:
        self.failed = True
        self.problems.append(Diagnostic(code, message, self.fragment.span(start, end), hint))

    def fail(
        self,
        message: str,
        start: int | None = None,
        end: int | None = None,
        hint: str | None = None,
        code: str = "syntax",
    ) -> NoReturn:
        """Report an error, by default at the next word, and give up."""
        start = self.at if start is None else start
        if end is None:
            word = _SHOWN.match(self.text, start)
            end = word.end() if word else start
        self.report(code, message, start, end, hint)
        raise _RejectedError

    def unexpected(self, expected: str) -> NoReturn:
        """Report that something else comes next."""
        self.skip_blanks()
        if self.at == len(self.text):
            self.fail(f"the tokens end too early: expected {expected}", hint=_GRAMMAR)
        found = self.text[self.at]
        if found == '"':
            self.fail(
                "this quoted text never closes", self.at, len(self.text), 'add `"`', _UNCLOSED
            )
        if found == "/":
            hint = "add `/`; write `\\/` for a slash in it"
            self.fail("this expression never closes", self.at, len(self.text), hint, _UNCLOSED)
        word = _SHOWN.match(self.text, self.at)
        hint = _HINTS.get(found, "quote it if it is part of a text")
        self.fail(f"found `{word[0] if word else found}`, expected {expected}", hint=hint)

    # ------------------------------------------------------------- words

    def skip_blanks(self) -> None:
        while self.at < len(self.text) and self.text[self.at] in BLANKS:
            self.at += 1

    def after_blanks(self, at: int) -> int:
        while at < len(self.text) and self.text[at] in BLANKS:
            at += 1
        return at

    def span(self, start: int) -> Span:
        return self.fragment.span(start, self.at)

    def accept(self, text: str) -> bool:
        self.skip_blanks()
        found = self.text.startswith(text, self.at)
        self.at += len(text) * found
        return found

    def accept_word(self, word: str) -> bool:
        self.skip_blanks()
        match = _WORDS[word].match(self.text, self.at)
        if match is not None:
            self.at = match.end()
        return match is not None

    def expect(self, text: str, where: str) -> None:
        if not self.accept(text):
            self.unexpected(f"`{text}` {where}")

    def quoted(self, what: str) -> tuple[str, Span]:
        self.skip_blanks()
        match = _TEXT.match(self.text, self.at)
        if match is None:
            self.unexpected(f"{what} in quotes")
        self.at = match.end()
        return unescaped(match[1]), self.fragment.span(match.start(), match.end())

    def relation_at(self, at: int) -> tree.Relation | None:
        """The relation that comes next, after blanks."""
        at = self.after_blanks(at)
        return next((each for each in _RELATIONS if self.text.startswith(each, at)), None)

    def end(self) -> None:
        self.skip_blanks()
        if self.at == len(self.text):
            return
        if self.text[self.at] == ")":
            self.fail("this `)` has no matching `(`", hint="quote it if it is part of a text")
        before = self.text[: self.at]
        if re.search(r"[\w:-][ \t]+$", before) and re.match(r"[\w:]", self.text[self.at]):
            hint = "join the words of a name with single blanks; quote any other text"
            word = _SHOWN.match(self.text, self.at)
            self.fail(f"found `{word[0] if word else ''}`, expected `and` or `or`", hint=hint)
        self.unexpected("`and`, `or` or the end")

    # ------------------------------------------------------------- operators

    def tokens(self) -> tree.Tokens:
        """The loosest form: alternatives."""
        self.depth += 1
        if self.depth > MAX_NESTING:
            message = f"the expression is nested more than {MAX_NESTING} levels deep"
            self.fail(message, hint="name a part of it: `part := …`", code="too-deep")
        start = self.after_blanks(self.at)
        parts = [self.both()]
        while self.accept_word("or"):
            parts.append(self.both())
        self.depth -= 1
        return parts[0] if len(parts) == 1 else tree.Or(tuple(parts), span=self.span(start))

    def both(self) -> tree.Tokens:
        start = self.after_blanks(self.at)
        parts = [self.negated()]
        while self.accept_word("and"):
            parts.append(self.negated())
        return parts[0] if len(parts) == 1 else tree.And(tuple(parts), span=self.span(start))

    def negated(self) -> tree.Tokens:
        starts = [self.after_blanks(self.at)]
        while self.accept_word("not"):
            starts.append(self.after_blanks(self.at))
        if len(starts) > MAX_NESTING:
            message = f"the expression is nested more than {MAX_NESTING} levels deep"
            self.fail(message, starts[0], hint="two `not` cancel each other", code="too-deep")
        found = self.compared(starts.pop())
        for start in reversed(starts):
            found = tree.Not(found, span=self.span(start))
        return found

    def compared(self, start: int) -> tree.Tokens:
        left = self.left_bound()
        self.skip_blanks()
        operand_start = self.at
        measured, operand = self.operand()
        bounds = [] if left is None else [left]
        if self.relation_at(self.at) is not None:
            bounds.append(self.right_bound())
        if not bounds:
            if measured != "value":
                hint = f"for example `{measured}(…) <= 8`"
                self.fail(
                    f"`{measured}(…)` must be compared with a number", operand_start, self.at, hint
                )
            return operand
        if self.relation_at(self.at) is not None:
            message = "a comparison has at most one bound on each side"
            self.skip_blanks()
            self.fail(message, hint="combine two of them with `and`")
        if isinstance(operand, ast.Literal) and measured == "value":
            hint = "a type has values: `Number = 18`; for a text alone, leave the comparison out"
            self.fail("a text has no value to compare", operand_start, self.at, hint, "no-value")
        return tree.Comparison(measured, operand, tuple(bounds), span=self.span(start))

    # ------------------------------------------------------------- bounds

    def left_bound(self) -> tree.Bound | None:
        """The bound that comes before the operand, with its relation turned around."""
        self.skip_blanks()
        start = self.at
        quoted = _TEXT.match(self.text, start)
        match = quoted or BARE_BOUND.match(self.text, start)
        if match is None or match[0].startswith("/"):
            return None
        relation = self.relation_at(match.end())
        if relation is None:
            return None
        after = self.after_blanks(match.end()) + len(relation)
        if quoted is None and not self.is_bound(match[0], after):
            return None
        self.at = after
        text = unescaped(quoted[1]) if quoted is not None else match[0]
        span = self.fragment.span(start, match.end())
        return tree.Bound(tree.TURNED[relation], text, span=span)

    def is_bound(self, left: str, after: int) -> bool:
        """Is a bare word before a relation a bound? `after` is where the other side begins."""
        if not is_plain_name(left):
            return True
        after = self.after_blanks(after)
        if self.text[after : after + 1] in ("(", "/"):
            return True
        if quoted := _TEXT.match(self.text, after):
            return self.relation_at(quoted.end()) is not None
        name = PLAIN_NAME.match(self.text, after)
        if name is not None:
            end = self.after_blanks(name.end())
            if self.text[end : end + 1] == "(" or self.relation_at(end) is not None:
                return True
        bare = BARE_BOUND.match(self.text, after)
        if bare is None or name is None or len(bare[0]) > len(name[0]):
            return False
        return begins_with_digit(left) and not begins_with_digit(bare[0])

    def right_bound(self) -> tree.Bound:
        """The relation and the bound that come after the operand."""
        relation = self.relation_at(self.at)
        assert relation is not None
        self.at = self.after_blanks(self.at) + len(relation)
        self.skip_blanks()
        start = self.at
        if quoted := _TEXT.match(self.text, start):
            self.at = quoted.end()
            return tree.Bound(relation, unescaped(quoted[1]), span=self.span(start))
        bare = BARE_BOUND.match(self.text, start)
        if bare is None:
            self.unexpected(f"a bound after `{relation}`, such as `5` or `2010-01-01`")
        self.at = bare.end()
        return tree.Bound(relation, bare[0], span=self.span(start))

    # ------------------------------------------------------------- operands

    def operand(self) -> tuple[tree.Measured, tree.Tokens]:
        self.skip_blanks()
        start = self.at
        if self.text.startswith("(", start):
            self.at += 1
            found = self.tokens()
            self.expect(")", "after tokens in parentheses")
            return "value", found
        if _TEXT.match(self.text, start):
            text, span = self.quoted("a text")
            return "value", ast.Literal(text, span=span)
        if _REGEX.match(self.text, start):
            return "value", self.regex()
        name = PLAIN_NAME.match(self.text, start)
        if name is None:
            self.unexpected("a token")
        self.at = name.end()
        if self.text.startswith("(", self.after_blanks(self.at)):
            return self.call(name[0], start)
        return "value", ast.Name(name[0], span=self.span(start))

    def regex(self) -> tree.Pattern:
        start = self.at
        match = _REGEX.match(self.text, start)
        assert match is not None
        begin, end = match.span(1)
        self.at = match.end()
        after = self.fragment.offsets[end]
        offsets = self.fragment.offsets[begin:end]
        inside = Fragment(self.fragment.source, match[1], offsets, after)
        pattern = parse_regex(inside, self.problems)
        self.failed = self.failed or pattern is None  # reading goes on: more errors may follow
        return tree.Pattern(match[1], pattern or Nothing(), span=self.span(start))

    def call(self, name: str, start: int) -> tuple[tree.Measured, tree.Tokens]:
        self.expect("(", f"after `{name}`")
        measures = [each for each in tree.MEASURES if each == name]
        if measures:
            inside = self.tokens()
            self.expect(")", f"after the tokens of `{name}`")
            return measures[0], inside
        if name == "list":
            return "value", self.list_of(start)
        if name == "trimmed":
            part = self.tokens()
            self.expect(")", "after the tokens of `trimmed`")
            return "value", tree.Trimmed(part, span=self.span(start))
        self.skip_blanks()
        if self.text[self.at : self.at + 1] != '"':
            near = closest(name, ("list", "trimmed", *tree.MEASURES))
            hint = f"did you mean `{near}`?" if near else _CALLS
            self.fail(f"there is no `{name}(…)` of tokens", start, start + len(name), hint)
        return "value", self.picture(name, start)

    def list_of(self, start: int) -> tree.ListOf:
        item = self.tokens()
        separator, place = None, None
        if self.accept(","):
            separator, place = self.quoted("a separator")
        self.expect(")", "after the tokens of `list`" if separator is None else "after a separator")
        return tree.ListOf(item, separator, separator_span=place, span=self.span(start))

    def picture(self, name: str, start: int) -> tree.Picture:
        picture, place = self.quoted("a picture")
        options: dict[str, str] = {}
        while self.accept(","):
            self.skip_blanks()
            option = _OPTION.match(self.text, self.at)
            if option is None or option[0] not in ("group", "decimal"):
                hint = 'for example `Number("#,##0.00", group ".", decimal ",")`'
                self.fail("expected `group` or `decimal` after a picture", hint=hint)
            if option[0] in options:
                self.fail(f"`{option[0]}` is given twice")
            self.at = option.end()
            options[option[0]], _ = self.quoted(f"the {option[0]} character")
        self.expect(")", "after a picture")
        return tree.Picture(
            name,
            picture,
            options.get("group"),
            options.get("decimal"),
            picture_span=place,
            span=self.span(start),
        )
