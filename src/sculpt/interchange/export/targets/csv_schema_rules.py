"""The alternatives of a column as an expression of CSV Schema.

In: the alternatives. Out: the expressions of a column rule, or a `Misfit`. CSV Schema has `and`,
`or` and regular expressions, so nearly every column fits; bounds become ranges where these mean the
same.

Invariant: a text is valid for the expression exactly if it satisfies an alternative; an empty cell
is `@optional`. Cost: linear in the alternatives.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from sculpt.core.datatypes.families import family_of
from sculpt.core.datatypes.model import Condition
from sculpt.interchange.export.meaning.alternatives import Alternative, Vocabulary, has_text
from sculpt.interchange.export.meaning.atoms import (
    Bound,
    Items,
    Shape,
    Typed,
    Word,
    texts_of,
)
from sculpt.interchange.export.meaning.domains import (
    ANY_TEXT,
    Domain,
    Misfit,
    domain_of,
    is_blank,
)
from sculpt.interchange.export.meaning.expressions import written
from sculpt.interchange.export.targets.csv_schema_dates import dated
from sculpt.interchange.export.targets.frictionless_fields import list_language
from sculpt.syntax.regular import CharSet, Regular
from sculpt.values import frozen


@frozen
class ColumnRule:
    """The right side of a column rule."""

    expressions: tuple[str, ...]
    is_optional: bool


def rule_of(alternatives: Iterable[Alternative], vocabulary: Vocabulary) -> ColumnRule | Misfit:
    """The rule of a column whose cells satisfy one of some alternatives."""
    listed = list(alternatives)
    if frozenset() in listed:
        return ColumnRule((), False)
    # Empty or blank: those are what `@optional` means.
    empty = [each for each in listed if is_blank(each)]
    is_optional = any(has_text(each, "") for each in empty)
    kept = [each for each in listed if each not in empty] if is_optional else listed
    if not kept:
        return ColumnRule(("empty",), False)
    words = [_word(each) for each in kept]
    texts = [word for word in words if word is not None and '"' not in word]
    found: list[tuple[str, ...]] = []
    if texts:
        found.append((one_of(texts),))
    for each, word in zip(kept, words, strict=True):
        if word is not None and word in texts:
            continue
        conditions = _conjunction(each, vocabulary)
        if isinstance(conditions, Misfit):
            return conditions
        found.append(conditions)
    if len(found) == 1:
        return ColumnRule(found[0], is_optional)
    parts = [_grouped(each) for each in found]
    return ColumnRule((" or ".join(parts),), is_optional)


def _grouped(conditions: tuple[str, ...]) -> str:
    return conditions[0] if len(conditions) == 1 else f"({' and '.join(conditions)})"


def _word(alternative: Alternative) -> str | None:
    signs = list(alternative)
    atom = signs[0].atom
    is_word = len(signs) == 1 and signs[0].holds and isinstance(atom, Word)
    return atom.text if is_word and isinstance(atom, Word) else None


def _conjunction(alternative: Alternative, vocabulary: Vocabulary) -> tuple[str, ...] | Misfit:
    """The expressions of one alternative; all of them must hold."""
    bounds = [s.atom.condition for s in alternative if isinstance(s.atom, Bound) and s.holds]
    found: list[str] = []
    for sign in sorted(alternative, key=repr):
        match sign.atom:
            case Word(""):
                found.append("notEmpty")
            case Word(text) if not sign.holds and '"' not in text:
                found.append(f'not("{text}")')
            case Typed(base) if sign.holds:
                exact = [each for each in bounds if each.base == base]
                dates = dated(base, exact)
                if dates is not None:
                    bounds = [each for each in bounds if each not in exact]
                    found += dates
                    continue
                if not (exact and all(_range([each]) is None for each in exact)):
                    typed = _typed(sign.atom)
                    if isinstance(typed, Misfit):
                        return typed
                    found += typed
            case Bound() if sign.holds:
                continue
            case Items() if sign.holds:
                items = _items(alternative, vocabulary)
                if isinstance(items, Misfit):
                    return items
                found.append(items)
            case Shape() | Word() if sign.holds:
                texts = texts_of(sign.atom)
                assert texts is not None
                found.append(regex(texts))
            case _:
                return Misfit("CSV Schema cannot exclude these texts")
    return _bounded(tuple(found), bounds)


def _typed(atom: Typed) -> list[str] | Misfit:
    base = atom.base
    if base.type in ANY_TEXT:
        return []
    texts = texts_of(atom)
    if texts is None:
        return Misfit(f"no regular expression describes `{base.type}`")
    return [regex(texts)]


def _bounded(found: tuple[str, ...], bounds: list[Condition]) -> tuple[str, ...] | Misfit:
    ranged = [bound for bound in bounds if _range([bound]) is not None]
    parts = list(found)
    for measured in ("value", "length"):
        own = [bound for bound in ranged if bound.measured == measured]
        text = _range(own) if own else None
        if text is not None:
            parts.append(text)
    for bound in bounds:
        if bound in ranged:
            continue
        texts = texts_of(Bound(bound))
        if texts is None:
            return Misfit(f"CSV Schema has no counterpart of `… {bound.relation} {bound.bound}`")
        parts.append(regex(texts))
    return tuple(parts)


def _range(bounds: list[Condition]) -> str | None:
    """Bounds on a number or on a length as `range` or `length`; `None` if they are no range."""
    low = high = "*"
    for bound in bounds:
        family = family_of(bound.base.type)
        is_length = bound.measured == "length"
        is_number = bound.measured == "value" and family.kind == "number"
        if not (is_length or (is_number and bound.base.picture is None)):
            return None
        if re.fullmatch(r"-?[0-9]+(?:\.[0-9]+)?", bound.bound) is None:
            return None
        is_whole = is_length or family.whole
        if bound.relation in ("<", ">") and not is_whole:
            return None
        match bound.relation:
            case ">=":
                low = bound.bound
            case ">":
                low = str(int(bound.bound) + 1)
            case "<=":
                high = bound.bound
            case "<":
                high = str(int(bound.bound) - 1)
            case "=" if is_length:
                low = high = bound.bound
            case _:
                return None
    word = "length" if bounds[0].measured == "length" else "range"
    if word == "length" and low == high:
        return f"length({low})"
    return f"{word}({low},{high})"


def _items(alternative: Alternative, vocabulary: Vocabulary) -> str | Misfit:
    domain = domain_of([alternative], vocabulary)
    if isinstance(domain, Misfit) or not isinstance(domain, Domain) or domain.items is None:
        return Misfit("CSV Schema has no lists")
    language = list_language(domain.items)
    if language is None:
        return Misfit("CSV Schema has no lists, and no regular expression describes this one")
    return regex(language)


def one_of(texts: Sequence[str]) -> str:
    """The expression for some texts without quotes in them."""
    listing = ", ".join(f'"{text}"' for text in texts)
    return f"is({listing})" if len(texts) == 1 else f"any({listing})"


def regex(texts: Regular[CharSet]) -> str:
    """`regex("…")`; a quote in it is written by its number."""
    expression = written(texts).replace('"', r"\x22")
    return f'regex("{expression}")'
