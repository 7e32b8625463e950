"""Forms: what the cells of a column look like, as a schema writes it and as Python decides it.

In: nothing. Out: `Form`, and makers of the forms that need no evidence: literals, lists, predefined
tokens. Invariant: `accepts` agrees with the token that `written` stands for, except that a few
predefined tokens are stricter about values that do not exist; the engine has the last word
(`verify`). Cost: one match of a compiled expression a text.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable
from functools import lru_cache

from sculpt.interchange.builder import literal
from sculpt.values import frozen

_SPECIAL = frozenset('.^$*+?{}[]()|\\">%')
_CONTROL = {"\n": r"\n", "\r": r"\r", "\t": r"\t", "\f": r"\f", "\v": r"\v"}
_PLAIN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9 _-]*[A-Za-z0-9])?")
LINE = 66
"""How long the right side of a definition may be, so that its line stays below 100 characters."""


@frozen
class Form:
    """What texts look like."""

    level: str
    """`list`, `shape`, `lengths`, `blocks`, `classes`, `type`, `picture`, `words`, `text`."""
    written: str
    """A predefined token, or the right side of a definition."""
    pattern: str
    """An expression of Python for the same texts."""
    sign: str = ""
    """`=` or `:=` if it is defined; empty if it is predefined."""
    note: str = ""
    """What a reader should know about it."""
    texts: tuple[str, ...] = ()
    """Of a list: its texts."""

    def accepts(self, text: str) -> bool:
        """Is a text of this form?"""
        found = _compiled(self.pattern).fullmatch(text)
        if found is None:
            return False
        groups = found.groupdict()
        return "y" not in groups or _exists(groups)

    def accepts_all(self, texts: Iterable[str]) -> bool:
        """Are all texts of this form?"""
        if "(?P<y>" in self.pattern:
            return all(map(self.accepts, texts))
        return all(map(_compiled(self.pattern).fullmatch, texts))


@lru_cache(maxsize=4096)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.DOTALL)


_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]


def _exists(parts: dict[str, str | None]) -> bool:
    """Is there such a day? The year may have two digits, the month may be a name."""
    year, month = parts["y"] or "", parts.get("m") or "1"
    number = _MONTHS.index(month[:3].lower()) + 1 if not month.isdigit() else int(month)
    full = int(year) + ((1900 if int(year) > 68 else 2000) if len(year) == 2 else 0)
    try:
        datetime.date(full, number, int(parts.get("d") or "1"))
    except ValueError:
        return False
    return True


def escaped(text: str) -> str:
    """A text as an expression that matches only it, perhaps as a part of a longer one."""
    return "".join(_escaped_character(char) for char in text)


def ended(expression: str) -> str:
    """An expression whose blanks at the ends count: a definition ignores them."""
    if expression.startswith(" "):
        expression = f"[ ]{expression[1:]}"
    if expression.endswith(" "):
        expression = f"{expression[:-1]}[ ]"
    return expression


def _escaped_character(char: str) -> str:
    if char in _SPECIAL:
        return f"\\{char}"
    if char in _CONTROL:
        return _CONTROL[char]
    if not char.isprintable():
        return f"\\x{{{ord(char):x}}}"
    return char


def is_writable(text: str) -> bool:
    """Can a literal hold this text?"""
    return bool(text) and text.isprintable() and text == text.strip()


def listed(texts: Iterable[str]) -> Form:
    """Exactly these texts."""
    values = sorted(texts)
    pattern = "|".join(re.escape(value) for value in values)
    plain = "|".join(values)
    if all(_PLAIN.fullmatch(value) for value in values) and len(plain) <= LINE:
        return Form("list", plain, pattern, "=", texts=tuple(values))
    if all(is_writable(value) for value in values):
        return Form("list", " or ".join(literal(value) for value in values), pattern, ":=",
                    texts=tuple(values))  # fmt: skip
    return Form("list", "|".join(ended(escaped(value)) for value in values), pattern, "=")


def predefined(name: str, pattern: str) -> Form:
    """A token that every schema has."""
    return Form("type", name, pattern)


TEXT = Form("text", "Text", r".+")
EMPTY = Form("text", "Empty", r"")
INTEGER = predefined("Integer", r"[+-]?[0-9]+")
NUMBER = predefined("Number", r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
WORDS = Form("words", "Text and not Number", rf"(?!{NUMBER.pattern}\Z).+", ":=")
"""What is left to say of texts that have nothing in common: none of them is a number."""
_DAY = r"(?P<y>[0-9]{4})-(?P<m>0[1-9]|1[0-2])-(?P<d>0[1-9]|[12][0-9]|3[01])"
_CLOCK = r"(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?(?:Z|[+-][01][0-9]:[0-5][0-9])?"
TYPES = (
    predefined("xs:date", _DAY),
    predefined("xs:dateTime", f"{_DAY}T{_CLOCK}"),
    predefined("xs:time", _CLOCK),
    predefined("xs:gYearMonth", r"[0-9]{4}-(?:0[1-9]|1[0-2])"),
    predefined(
        "Uuid", r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"
    ),
    predefined(
        "Email",
        r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
        r"(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)+",
    ),
    predefined("Uri", r"[a-z][a-z0-9+.-]*://[A-Za-z0-9._~:/?#@!$&'()*+,;=%-]+"),
)
"""Types whose texts are recognised by their form, without evidence from other cells."""


def written_as(form: Form) -> str:
    """A form in a derived token, where definitions are written without a name."""
    if form.sign == "=":
        return "/" + form.written.replace("/", r"\/") + "/"
    return form.written
