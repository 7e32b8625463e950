"""URI templates of CSVW, taken apart once and expanded for many rows.

In: a template as metadata has it (`#gid-{GID}`), the names of the columns. Out: a `Template`: its
literals and expressions, each with the variables it needs, and how its results become URLs. An
expression is expanded by `uritemplate` (RFC 6570), except for the plain forms `{x}`, `{+x}` and
`{#x}` with one text. A result is a URL after two more steps: a prefix of the CSVW context is
replaced, and what is relative is resolved against the URL of the table ("Metadata Vocabulary for
Tabular Data", 5.1.3).

Invariant: `literal + expansions`, resolved, is what a processor gives that expands and resolves
the whole template for each row. Cost: an expression depends on few variables, so callers expand it
once for each distinct value. Limits: `MAX_TEMPLATE` characters, `MAX_EXPRESSIONS` expressions,
`MAX_URL` characters of a result.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TypeAlias
from urllib.parse import quote, urljoin

from sculpt.errors import DataError
from sculpt.interchange.csvw.context import PREFIXES
from sculpt.values import frozen

MAX_TEMPLATE = 10_000
MAX_EXPRESSIONS = 200
MAX_URL = 1 << 20
_UNRESERVED = "-._~"
_RESERVED = ":/?#[]@!$&'()*+,;="
_EXPRESSION = re.compile(r"\{([^{}]*)\}")
_VARIABLE = re.compile(r"[^,*:]+")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_TRIPLET = re.compile(r"(%[0-9A-Fa-f]{2})")
_DOTS = r"(?:^|/)\.\.?(?:/|$|[?#])"
UNSAFE = re.compile(r'[\x00-\x20<>"{}|^`\\]')

Variable: TypeAlias = "str | tuple[str, ...] | None"
"""The value of a variable: one text, several, or none."""


@frozen
class Expression:
    """A part of a template between braces."""

    text: str
    """With the braces."""
    operator: str
    variables: tuple[str, ...]
    is_plain: bool
    """One variable, as it is, of an operator that needs no library."""

    def expand(self, values: Mapping[str, Variable]) -> str:
        """The text of the expression for some values."""
        if self.is_plain:
            value = values.get(self.variables[0])
            if value is None:
                return ""
            if isinstance(value, str):
                return expanded_text(self.operator, value)
        given = {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in values.items()
            if value is not None and value != ()
        }
        return _limited(_library(self.text)(given))


def expanded_text(operator: str, value: str) -> str:
    """One text, as the operators of plain expressions write it."""
    match operator:
        case "":
            return quote(value, safe=_UNRESERVED)
        case "+":
            return _reserved(value)
        case "#":
            return f"#{_reserved(value)}"
        case _:
            raise AssertionError(operator)


def _reserved(value: str) -> str:
    safe = _UNRESERVED + _RESERVED
    if "%" not in value:
        return quote(value, safe=safe)
    pieces = _TRIPLET.split(value)  # what is percent-encoded already stays as it is
    return "".join(each if ix % 2 else quote(each, safe=safe) for ix, each in enumerate(pieces))


@lru_cache(maxsize=1024)
def _library(text: str) -> Callable[[Mapping[str, object]], str]:
    from uritemplate import URITemplate

    template = URITemplate(text)
    return lambda values: str(template.expand(dict(values)))  # type: ignore[arg-type]


def _limited(url: str) -> str:
    if len(url) > MAX_URL:
        raise DataError(f"a URI template gives a URL of {len(url):,} characters")
    return url


@frozen
class Template:
    """A URI template, taken apart."""

    text: str
    """Templates with equal texts give equal URLs for the same row."""
    parts: tuple[str | Expression, ...]
    base: str
    """The URL that relative results are resolved against."""

    @property
    def variables(self) -> tuple[str, ...]:
        """All variables, each once."""
        found: dict[str, None] = {}
        for part in self.parts:
            if isinstance(part, Expression):
                found.update(dict.fromkeys(part.variables))
        return tuple(found)

    def bound(self, constants: Mapping[str, str]) -> Template:
        """The template with what constants make of it: equal texts then mean equal URLs."""
        parts: list[str | Expression] = []
        is_mixed = False
        for part in self.parts:
            if isinstance(part, Expression):
                known = [name in constants for name in part.variables]
                is_mixed |= any(known) and not all(known)
                part = part.expand(constants) if known and all(known) else part
            if isinstance(part, str) and parts and isinstance(parts[-1], str):
                parts[-1] += part
            else:
                parts.append(part)
        text = "".join(part if isinstance(part, str) else part.text for part in parts)
        if is_mixed:
            text += f" {sorted(constants.items())}"
        return Template(text, tuple(parts), self.base)

    def url(self, values: Mapping[str, Variable]) -> str:
        """The URL for some values."""
        pieces = (part if isinstance(part, str) else part.expand(values) for part in self.parts)
        return resolved(_limited("".join(pieces)), self.base)

    def prefix(self) -> tuple[str, bool] | None:
        """What stands before the expanded parts of every URL, and does the first literal count?

        If the first literal counts, the URL is the prefix and the parts after it. `None` if only
        the whole text says what it is resolved to: such as `{url}`.
        """
        first = self.parts[0] if self.parts else ""
        if isinstance(first, Expression):
            return (without_fragment(self.base), False) if first.operator == "#" else None
        if not first:
            return None
        is_open = (
            len(self.parts) > 1
            and isinstance(self.parts[1], Expression)
            and (self.parts[1].operator == "+")
        )  # what follows may be the end of a scheme, or of what separates it
        scheme = _SCHEME.match(first)
        if scheme is not None:
            is_whole = len(first) > scheme.end() or not is_open
            return (resolved(first, self.base), True) if is_whole else None
        if first.startswith("#"):
            return without_fragment(self.base) + first, True
        is_path = len(self.parts) == 1 or re.fullmatch(r"[A-Za-z0-9_~%/-][^:?#]*", first)
        is_whole = not first.endswith(".") and not is_open
        if is_path and is_whole and not first.startswith("//") and not re.search(_DOTS, first):
            return _joined(self.base, first), True
        return None


DOTTED = _DOTS
"""Paths with these segments are shortened when they are resolved."""


def template_of(text: str, base: str) -> Template:
    """A template, taken apart; raises `ValueError` if it is too long or has too many parts."""
    if len(text) > MAX_TEMPLATE:
        raise ValueError(
            f"the template has {len(text):,} characters; the limit is {MAX_TEMPLATE:,}"
        )
    parts: list[str | Expression] = []
    at = 0
    for found in _EXPRESSION.finditer(text):
        if found.start() > at:
            parts.append(_safe(text[at : found.start()]))
        parts.append(_expression(found[1]))
        at = found.end()
    if at < len(text):
        parts.append(_safe(text[at:]))
    if sum(isinstance(part, Expression) for part in parts) > MAX_EXPRESSIONS:
        raise ValueError(f"the template has more than {MAX_EXPRESSIONS} expressions")
    return Template(text, tuple(parts), base)


def _safe(literal: str) -> str:
    """A literal without characters that no URL has."""
    return UNSAFE.sub(lambda each: quote(each[0]), literal)


def _expression(body: str) -> Expression:
    operator = body[0] if body[:1] and body[0] in "+#./;?&|!@" else ""
    listed = body[len(operator) :].split(",")
    names = tuple(found[0] for each in listed if (found := _VARIABLE.match(each)))
    is_plain = len(listed) == 1 and names == (listed[0],) and operator in ("", "+", "#")
    return Expression(f"{{{body}}}", operator, names, is_plain)


# ------------------------------------------------------------- URLs


def without_fragment(url: str) -> str:
    """A URL up to its fragment."""
    return url.partition("#")[0]


def resolved(url: str, base: str) -> str:
    """An absolute URL, from one that may have a prefix or be relative."""
    found = _SCHEME.match(url)
    if found is None:
        return _joined(base, url)
    prefix = url[: found.end() - 1]
    if prefix in PREFIXES and not url.startswith(f"{prefix}://"):
        return PREFIXES[prefix] + url[found.end() :]
    return url


def _joined(base: str, url: str) -> str:
    """A relative URL, resolved (RFC 3986, 5.2); an empty query or fragment stays, too."""
    whole, sharp, fragment = url.partition("#")
    path, mark, query = whole.partition("?")
    known = without_fragment(base)
    place = known.partition("?")[0]
    alone = place if mark else known
    found = urljoin(place, path) if path else alone
    return f"{found}{mark}{query}{sharp}{fragment}"
