"""Kinds of cells: what a text looks like, before anybody has said what it is.

In: the text of a cell, trimmed. Out: its kind, the first one in the order of `KINDS` whose form the
text has. Kinds are coarser than tokens: they tell headings from figures, and one delimiter from
another; `columns` finds the exact form later.

Invariant: `kind_of` is a function of the text alone. Cost: one match of one expression; the answers
for some thousands of texts are remembered, as cells repeat.
"""

from __future__ import annotations

import re
from functools import lru_cache

EMPTY = "empty"
MISSING = "missing"
INTEGER = "integer"
DECIMAL = "decimal"
GROUPED = "grouped"
CURRENCY = "currency"
PERCENT = "percent"
YEAR = "year"
DATE = "date"
TIME = "time"
CODE = "code"
WORD = "word"
TEXT = "text"
LONG = "long"

NUMERIC = frozenset({INTEGER, DECIMAL, GROUPED, CURRENCY, PERCENT, YEAR})
"""Kinds of numbers. A year is one too: only its column tells which it is."""
MOMENTS = frozenset({DATE, TIME})
WORDED = frozenset({WORD, TEXT, LONG})
LONG_TEXT = 60
"""The fewest characters of a long text."""

_MISSING_WORDS = (
    "n/?a", "n\\.a\\.?", "nan", "null", "none", "nil", "missing", "unknown", "#n/a", "\\(na\\)",
    "\\(n/a\\)", "\\(x\\)", "\\(z\\)", "\\(d\\)", "\\(s\\)", "\\(b\\)", "tbd", "nd", "n\\.d\\.",
    "not available", "not applicable", "#value!", "#div/0!", "#ref!",
)  # fmt: skip
_MONTH = (
    "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    "|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?"
)
_CLOCK = r"\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:\s?[ap]\.?m\.?)?(?:\s?(?:z|[+-]\d{2}:?\d{2}))?"
_DAY = (
    rf"(?:\d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}}|\d{{1,2}}[-/.]\d{{1,2}}[-/.](?:\d{{4}}|\d{{2}})"
    rf"|\d{{1,2}}(?:st|nd|rd|th)?[ -/.]?{_MONTH}[ -/.,]{{0,2}}(?:\d{{4}}|\d{{2}})"
    rf"|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}}|{_MONTH}[ -/.,]{{0,2}}(?:\d{{4}}|\d{{2}})"
    rf"|\d{{4}}-\d{{2}}|\d{{4}}[ -]?q[1-4]|q[1-4][ -]?\d{{4}})"
)
_SIGN = r"[-+\u2212]?"
_MONEY = r"(?:[$£€¥]|(?:US|A|C|NZ)\$|\b(?:USD|EUR|GBP|CHF|JPY)\b)"
_AMOUNT = r"(?:\d{1,3}(?:[,.' \u00a0\u202f]\d{3})+|\d+)(?:[.,]\d+)?"
_POINT = r"(?:\d*[.,]\d+|\d+[.,])"
_GROUPS = (
    rf"{_SIGN}\d{{1,3}}(?:(?:,\d{{3}})+(?:\.\d+)?|(?:[' \u00a0\u202f]\d{{3}})+(?:[.,]\d+)?"
    r"|(?:\.\d{3}){2,}(?:,\d+)?|(?:\.\d{3})+,\d+)"
)
_FORMS = (
    (MISSING, rf"(?:{'|'.join(_MISSING_WORDS)}|[-.*?\u2013\u2014\u2026#xX]{{1,4}}|:)"),
    (YEAR, r"(?:1[5-9]|20|21)\d{2}(?:\s?[-/\u2013]\s?(?:\d{2}|\d{4}))?"),
    (CODE, r"0\d+"),
    (INTEGER, rf"(?:{_SIGN}\d+|\(\d+\))"),
    (GROUPED, rf"(?:{_GROUPS}|\({_GROUPS}\))"),
    (DECIMAL, rf"(?:{_SIGN}(?:{_POINT}(?:e{_SIGN}\d+)?|\d+e{_SIGN}\d+)|\(\d*[.,]\d+\))"),
    (PERCENT, rf"\(?{_SIGN}\s?{_AMOUNT}\s?%\)?"),
    (CURRENCY, rf"\(?{_SIGN}\s?(?:{_MONEY}\s?{_SIGN}{_AMOUNT}|{_AMOUNT}\s?{_MONEY})\)?"),
    (TIME, _CLOCK),
    (DATE, rf"{_DAY}(?:(?:t|,?\s+){_CLOCK})?"),
    (CODE, r"(?=[^\s]*\d)[^\s,;]{1,24}"),
    (WORD, r"[^\W\d_]+(?:['\u2019.-][^\W\d_]+)*[.:]?"),
)  # fmt: skip
_ORDER = tuple(kind for kind, _ in _FORMS)
_WORDED_FORMS = [re.compile(form, re.IGNORECASE) for _, form in _FORMS]
KINDS = (EMPTY, *dict.fromkeys(_ORDER), TEXT, LONG)


def is_missing(text: str) -> bool:
    """Is a trimmed text of the kind of missing marks? That form is tried first, and alone here."""
    return len(text) < LONG_TEXT and _WORDED_FORMS[0].fullmatch(text) is not None


@lru_cache(maxsize=1 << 15)
def kind_of(text: str) -> str:
    """The kind of a trimmed text."""
    if not text:
        return EMPTY
    if len(text) < LONG_TEXT:
        for kind, form in zip(_ORDER, _WORDED_FORMS, strict=True):
            if form.fullmatch(text):
                return kind
        return TEXT
    return LONG
