"""Checks of one cell as tokens: what no other cell, no other row and no file matters to.

In: a check, or an expression made of such checks. Out: the text of a derived token, such as
`1910 <= Number`, `"UK" or "England"`. Tokens that need a name of their own (expressions, forms of
dates) are defined on the way.

Invariant: `is_regular` says beforehand whether an expression can be a token, so nothing is defined
that is not used. Cost: linear in the expression.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import assert_never

from sculpt.interchange.builder import SchemaBuilder, literal
from sculpt.interchange.csv_schema import dates
from sculpt.interchange.csv_schema.java import expressions as java
from sculpt.interchange.csv_schema.model import (
    Both,
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
    Range,
    Regex,
    Simple,
    Single,
    Unique,
)
from sculpt.interchange.csv_schema.writing.texts import constant

_SCHEME = r"[A-Za-z][A-Za-z0-9+.\-]*:"
URI_CHARACTERS = r"([A-Za-z0-9_\-!.~'()*;/?:@&=+$,\[\]#]|%[0-9A-Fa-f]{2}|[^\x00-\x9F\p{Z}])*"
URI_PARTS = rf"({_SCHEME}[^#]+|[^:/?#]*([/?][^#]*)?)(#[^#]*)?"
URI_FAULTS = {
    "uri slashes": rf"({_SCHEME})?//",
    "uri brackets": rf"({_SCHEME})?(//[^/?#]*/[^?#]*|/([^/?#][^?#]*)?)[\[\]].*",
    "uri start brackets": r"[^:/?#]*[\[\]].*",
}
"""A URI or a relative reference has these characters and these parts: an absolute one has a scheme
and something after it. Faults are slashes without a host and brackets in a path. Characters beyond
ASCII need no percent signs."""
_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
FORMS = {
    "partUkDate": (
        r"([0?][1-9?]|[12?][0-9?]|[3?][01?]|\*)/(" + _MONTHS + r"|\?|\*)/([0-9?]{4}|\*)"
    ),
    "uuid4": "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}",
    "positiveInteger": "[0-9]+",
    "upperCase": r"[\p{Lu}\p{N}\p{P}\s]*",
    "lowerCase": r"[\p{Ll}\p{N}\p{P}\s]*",
}
"""Expressions of the checks without arguments, in the syntax of Sculpt's tokens."""
BLANK = r"not /[\x00-\x20]*/"
"""What a cell is not if `@optional` lets it pass."""


def is_regular(expression: Expression) -> bool:
    """Can an expression be a token of the column's own cell?"""
    match expression:
        case Single(check, context):
            return context is None and is_regular_check(check)
        case Both(parts) | Either(parts) | Group(parts):
            return all(is_regular(part) for part in parts)
        case Choice(cases, otherwise):
            inner = [part for case in cases for part in (case.condition, *case.then)]
            return all(is_regular(part) for part in (*inner, *otherwise))
    assert_never(expression)


def is_regular_check(check: Check) -> bool:
    """Does only the text of one cell matter to a check?"""
    match check:
        case Compare(kind, values):
            return kind != "in" and all(constant(each) is not None for each in values)
        case Simple(kind):
            return kind != "identical"
        case Regex() | Range() | Length() | Dated():
            return True
        case DateParts() | Unique() | FileExists() | Checksum() | FileCount() | IntegrityCheck():
            return False
    assert_never(check)


class TokenWriter:
    """Writes checks of one column as tokens."""

    def __init__(self, builder: SchemaBuilder, column: str, label: str, ignores_case: bool) -> None:
        self.builder = builder
        self.column = column
        self.label = label
        """How the names of its tokens begin."""
        self.ignores_case = ignores_case

    # ------------------------------------------------------------- expressions

    def token(self, expression: Expression) -> str:
        """An expression as the text of a derived token, in parentheses if it needs them."""
        match expression:
            case Single(check):
                return self.check(check)
            case Both(parts) | Group(parts):
                return _joined("and", [self.token(part) for part in parts])
            case Either(parts):
                return _joined("or", [self.token(part) for part in parts])
            case Choice():
                return self._choice(expression)
        assert_never(expression)

    def _choice(self, choice: Choice) -> str:
        before: list[str] = []
        branches = []
        for case in choice.cases:
            condition = self.token(case.condition)
            then = [self.token(part) for part in case.then]
            branches.append(_joined("and", [*before, condition, *then]))
            before.append(_negated(condition))
        branches.append(_joined("and", [*before, *(self.token(part) for part in choice.otherwise)]))
        return _joined("or", branches)

    # ------------------------------------------------------------- checks

    def check(self, check: Check) -> str:
        """A check as the text of a derived token; raises `JavaError`."""
        match check:
            case Compare():
                return self._compare(check)
            case Regex(pattern):
                return self._named("pattern", java.parse(pattern, self.ignores_case))
            case Range(low, high):
                return _between(_number(low), "Number", _number(high))
            case Length(None, None):
                return "String"
            case Length(low, high):
                if low == high:
                    return f"length(String) = {low}"
                return _between(_number(low), "length(String)", _number(high))
            case Simple("empty"):
                return "Empty"
            case Simple("notEmpty"):
                return "Text"
            case Simple("uri"):
                return self._uri()
            case Simple(kind):
                return self.builder.token(kind, FORMS[kind])
            case Dated(kind, low_date, high_date):
                form = self.builder.token(f"{kind} form", dates.FORMS[kind])
                first = None if low_date is None else dates.bound(kind, low_date)
                last = None if high_date is None else dates.bound(kind, high_date)
                value = _between(first, dates.TYPES[kind], last)
                return self.builder.derived(kind, f"{form} and {value}")
            case (
                DateParts() | Unique() | FileExists() | Checksum() | FileCount() | IntegrityCheck()
            ):
                raise AssertionError(check)
        assert_never(check)

    def _compare(self, check: Compare) -> str:
        texts = [constant(each) or "" for each in check.values]
        match check.kind:
            case "is" | "any":
                return _joined("or", list(dict.fromkeys(map(self.text, texts))))
            case "not":
                return _negated(self.text(texts[0]))
            case "starts":
                inner = java.escaped(texts[0], self.ignores_case)
                return self._named("start", f"{inner}.*")
            case "ends":
                folded = "(?i)" if self.ignores_case else ""
                return self._named("end", f"{folded}.*{java.escaped(texts[0])}")
        raise AssertionError(check.kind)

    def text(self, text: str) -> str:
        """Exactly a text, in either case if that is ignored."""
        if text == "":
            return "Empty"
        if text.isprintable() and not (self.ignores_case and text.lower() != text.upper()):
            return literal(text)
        return self._named("text", java.escaped(text, self.ignores_case))

    def _uri(self) -> str:
        characters = self.builder.token("uri characters", URI_CHARACTERS)
        parts = self.builder.token("uri parts", URI_PARTS)
        found = [self.builder.token(name, text) for name, text in URI_FAULTS.items()]
        faults = self.builder.derived("uri faults", " or ".join(found))
        return self.builder.derived("uri", f"{characters} and {parts} and not {faults}")

    def _named(self, what: str, expression: str) -> str:
        return self.builder.token(f"{self.label} {what}", expression)

    # ------------------------------------------------------------- how tokens are used

    def content(self, token: str) -> str:
        """A derived token as the content of a rule."""
        if _ATOMS.fullmatch(token):
            return _OR.sub(lambda match: match[1] or " | ", token[1:-1])
        return self.name(token)

    def name(self, token: str) -> str:
        """The name of a derived token, defined if it has none; literals need none."""
        if _ATOM.fullmatch(token):
            return token
        inner = token[1:-1] if _is_wrapped(token) else token
        return self.builder.derived(self._wish(inner), inner)

    def _wish(self, token: str) -> str:
        """A name for a derived token: bounds are named by their numbers."""
        match = _BOUNDS.fullmatch(token)
        if match is None:
            return f"{self.label} value"
        low = match["low"] or match["least"] or match["exact"]
        high = match["high"]
        what = "length" if match["what"].startswith("length") else "number"
        words = [what, *([] if low is None else [low if match["exact"] else f"from {low}"])]
        return " ".join((*words, *([] if high is None else [f"to {high}"]))).replace(".", "_")


_BOUNDS = re.compile(
    r"(?:(?P<low>\S+) <= )?(?P<what>Number|length\(String\))"
    r"(?: <= (?P<high>\S+)| >= (?P<least>\S+)| = (?P<exact>\S+))?"
)
_WORD = r"(?!(?:and|or|not)\b)[\w:-]+"
_LITERAL = r'"(?:[^"\\]|\\.)*"'
_ATOM = re.compile(rf"{_WORD}(?: {_WORD})*|{_LITERAL}")
_OR = re.compile(rf"({_LITERAL})| or ")
_ATOMS = re.compile(rf"\((?:{_ATOM.pattern})(?: or (?:{_ATOM.pattern}))+\)")


def _is_wrapped(text: str) -> bool:
    """Is a text in one pair of parentheses?"""
    depth, in_quotes, at = 0, False, 0
    while at < len(text):
        char = text[at]
        if in_quotes:
            at += char == "\\"
            in_quotes = char != '"'
        elif char == '"':
            in_quotes = True
        elif char in "()":
            depth += 1 if char == "(" else -1
            if depth == 0 and at < len(text) - 1:
                return False
        at += 1
    return text.startswith("(")


def _joined(joint: str, parts: list[str]) -> str:
    if not parts:
        return "String"
    return parts[0] if len(parts) == 1 else f"({f' {joint} '.join(parts)})"


def _negated(token: str) -> str:
    return f"(not {token})"


def _number(number: Decimal | int | None) -> str | None:
    return None if number is None else f"{number:f}" if isinstance(number, Decimal) else f"{number}"


def _between(low: str | None, what: str, high: str | None) -> str:
    """What is compared, between its bounds."""
    if low is None and high is None:
        return what
    if low is None:
        return f"{what} <= {high}"
    return f"{what} >= {low}" if high is None else f"{low} <= {what} <= {high}"
