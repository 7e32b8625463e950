"""Checks of one cell as tokens: what no other cell, no other row and no file matters to.

In: a check, or an expression made of such checks. Out: the text of a derived token, such as
`1910 <= Number`, `"UK" or "England"`. Tokens that need a name of their own (expressions, forms of
dates) are defined on the way.

Invariant: `is_regular` says beforehand whether an expression can be a token, so nothing is defined
that is not used. Cost: linear in the expression.
"""

from __future__ import annotations

import re
from typing import assert_never

from sculpt.interchange.builder import SchemaBuilder, literal
from sculpt.interchange.csv_schema import dates, java
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
from sculpt.interchange.csv_schema.texts import constant

_OTHER = r"[^\x00-\x9F\p{Z}]"
_HEX = "%[0-9A-Fa-f]{2}"
_PATH = rf"([A-Za-z0-9_\-!.~'()*:@&=+$,;\/]|{_HEX}|{_OTHER})"
_ANY = rf"([A-Za-z0-9_\-!.~'()*;\/?:@&=+$,\[\]]|{_HEX}|{_OTHER})"
_FIRST = rf"([A-Za-z0-9_\-!.~'()*@&=+$,;]|{_HEX}|{_OTHER})"
_AUTHORITY = rf"([A-Za-z0-9_\-!.~'()*$,;:@&=+\[\]]|{_HEX}|{_OTHER})+"
_NET = rf"\/\/({_AUTHORITY}(\/{_PATH}*)?|\/{_PATH}*)"
_REST = rf"(\?{_ANY}*)?(#{_ANY}*)?"
_OPAQUE = rf"([A-Za-z0-9_\-!.~'()*;?:@&=+$,\[\]]|{_HEX}|{_OTHER}){_ANY}*(#{_ANY}*)?"
URI = (
    rf"[A-Za-z][A-Za-z0-9+.\-]*:(({_NET}|\/({_FIRST}{_PATH}*|:{_PATH}*)?){_REST}|{_OPAQUE})"
    rf"|({_NET}|\/({_FIRST}{_PATH}*|:{_PATH}*)?|{_FIRST}+(\/{_PATH}*)?)?{_REST}"
)
"""A URI or a relative reference, with characters beyond ASCII as they are."""
_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
FORMS = {
    "uri": URI,
    "partUkDate": (
        r"([0?][1-9?]|[12?][0-9?]|[3?][01?]|\*)\/(" + _MONTHS + r"|\?|\*)\/([0-9?]{4}|\*)"
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

    def __init__(self, builder: SchemaBuilder, column: str, ignores_case: bool) -> None:
        self.builder = builder
        self.column = column
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
        branches.append(
            _joined("and", [*before, *(self.token(part) for part in choice.otherwise)])
        )
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
            case Length(low, high):
                if low is None and high is None:
                    return "String"
                if low == high:
                    return f"length(String) = {low}"
                return _between(_number(low), "length(String)", _number(high))
            case Simple("empty"):
                return "Empty"
            case Simple("notEmpty"):
                return "Text"
            case Simple(kind):
                return self.builder.token(kind, FORMS[kind])
            case Dated(kind, low_date, high_date):
                form = self.builder.token(f"{kind} form", dates.FORMS[kind].replace("/", r"\/"))
                low = None if low_date is None else dates.bound(kind, low_date)
                high = None if high_date is None else dates.bound(kind, high_date)
                value = _between(low, dates.TYPES[kind], high)
                return self.builder.derived(kind, f"{form} and {value}")
            case DateParts() | Unique() | FileExists() | Checksum() | FileCount():
                raise AssertionError(check)
            case IntegrityCheck():
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

    def _named(self, what: str, expression: str) -> str:
        return self.builder.token(f"{self.column} {what}", expression)

    # ------------------------------------------------------------- how tokens are used

    def content(self, token: str) -> str:
        """A derived token as the content of a rule."""
        if _ATOM.fullmatch(token) or token in ("Empty", "Text"):
            return token
        if _ATOMS.fullmatch(token):
            return token[1:-1].replace('" or "', '" | "')
        return self.name(token)

    def name(self, token: str) -> str:
        """The name of a derived token, defined if it has none; literals need none."""
        if _ATOM.fullmatch(token):
            return token
        inner = token[1:-1] if _is_wrapped(token) else token
        return self.builder.derived(f"{self.column} value", inner)


_ATOM = re.compile(r'[\w:-]+(?: [\w:-]+)*|"(?:[^"\\]|\\.)*"')
_ATOMS = re.compile(r'\("(?:[^"\\]|\\.)*"(?: or "(?:[^"\\]|\\.)*")+\)')


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


def _number(number: object) -> str | None:
    return None if number is None else format(number, "f") if not isinstance(number, int) else str(number)


def _between(low: str | None, what: str, high: str | None) -> str:
    """What is compared, between its bounds."""
    if low is None and high is None:
        return what
    if low is None:
        return f"{what} <= {high}"
    return f"{what} >= {low}" if high is None else f"{low} <= {what} <= {high}"
