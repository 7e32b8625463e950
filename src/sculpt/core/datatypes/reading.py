"""What a text is worth in a type, and whether a condition holds for it: the plain way.

In: a base or a condition, and a text as a token sees it. Out: a Python value, or whether the
condition holds. `check` says what is wrong with a condition before any text is there.

| types | value | order |
|---|---|---|
| numbers, `Number`, `Integer` | `Decimal`, exact | total |
| `xs:double`, `xs:float` | `float`, rounded | total, but for NaN, which is equal to itself only |
| dates and times, `Date` | `Moment` | partial: `moments.compare` |
| durations | `Duration` | partial: `durations.compare` |
| `xs:boolean`, `Boolean` | `bool` | none |
| binary | `bytes` | none |
| lists | tuple of texts | none |
| `AnyCase` | the text with its case folded | none |
| all others | the text | none |

A comparison that the order leaves open does not hold; `!=` is the complement of `=` within the base
(XML Schema 1.1 Part 2, 2.2 and 4.3). Invariant: only a text that the token of the base matches has
a value. Cost: one match of a regular expression for each text, and linear in it.
"""

from __future__ import annotations

import base64
import operator
import re
from collections.abc import Callable
from decimal import Decimal
from functools import cache, lru_cache
from typing import Any, assert_never

from sculpt.core.datatypes import durations, moments
from sculpt.core.datatypes.families import Family, expression_of, family_of
from sculpt.core.datatypes.floats import nearest
from sculpt.core.datatypes.json_texts import json_kind
from sculpt.core.datatypes.model import Base, Condition, ConditionError, Relation
from sculpt.core.datatypes.moment_texts import read_moment
from sculpt.core.datatypes.pictures.picture import picture_of
from sculpt.syntax.regex import case_variants

MAX_BOUND_DIGITS = 1_000
"""Of a bound that is a number, written without an exponent."""
MAX_EXPONENT_DIGITS = 12
FAR = 10**MAX_EXPONENT_DIGITS
"""The exponent of numbers whose exponent has more digits: beyond all bounds."""
MAX_FIELD_DIGITS = 100
"""Of a year, or of a field of a duration, in a bound."""
_BLANKS = " \t"
_SIGNS: dict[Relation, Callable[[int, int], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "=": operator.eq, "!=": operator.ne,
}  # fmt: skip


# ------------------------------------------------------------- values


def value(base: Base, text: str) -> object | None:
    """What a text is worth in a base; `None` if it is not a text of it."""
    if base.picture is not None:
        return picture_of(base).read(text)
    return _read(family_of(base.type), text)


def first_value(bases: tuple[Base, ...], text: str) -> object | None:
    """What a text is worth in the first base that has it; if none has, without blanks around it."""
    bare = text.strip(_BLANKS)
    for each in (text,) if bare == text else (text, bare):
        for base in bases:
            found = value(base, each)
            if found is not None:
                return found
    return None


@cache
def _form(name: str) -> re.Pattern[str]:
    return re.compile(expression_of(name), re.DOTALL)


def _read(family: Family, text: str) -> object | None:
    kind = family.kind
    if kind == "json":
        found = json_kind(text)
        wanted = family.name.removeprefix("Json").lower()
        return text if found is not None and wanted in ("", found) else None
    if kind == "folded":
        return folded(text)
    if not _form(family.name).fullmatch(text):
        return None
    match kind:
        case "number":
            return exact_number(text)
        case "double" | "float":
            return nearest(text, kind)
        case "moment":
            assert family.form is not None
            return read_moment(family.form, text)
        case "duration":
            return durations.read_duration(text)
        case "boolean":
            return text in ("true", "1")
        case "hexBinary":
            return bytes.fromhex(text)
        case "base64Binary":
            return base64.b64decode(text.replace(" ", ""))
        case "list":
            return tuple(text.split(" "))
        case "text" | "name":
            return text.lower() if family.name == "Uuid" else text
        case _:
            assert_never(kind)


def folded(text: str) -> str:
    """What all texts share that `(?i)` takes for the same.

    It compares character by character, so `ß` is `ẞ`, but not `ss`.
    """
    whole = text.casefold()
    return whole if len(whole) == len(text) else "".join(map(_folded, text))


@cache
def _folded(char: str) -> str:
    """The case folding of a character; if that is longer, the first character that shares it."""
    found = char.casefold()
    return found if len(found) == 1 else chr(case_variants().get(ord(char), (ord(char),))[0])


def exact_number(text: str) -> Decimal:
    """A decimal with an optional exponent, exactly; see `FAR` for very large exponents."""
    mantissa, mark, exponent = text.partition("e" if "e" in text else "E")
    size = exponent.lstrip("+-").lstrip("0")
    if not mark or len(size) <= MAX_EXPONENT_DIGITS:
        return Decimal(text)
    if not mantissa.strip("+-0."):
        return Decimal(0)
    return Decimal((int(mantissa.startswith("-")), (1,), -FAR if exponent.startswith("-") else FAR))


def digits_of(number: Decimal) -> tuple[int, int]:
    """The digits in total and after the point that a number needs (4.3.11 and 4.3.12)."""
    _, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int)
    text = "".join(map(str, digits)).lstrip("0")
    if not text:
        return 1, 0
    needed = text.rstrip("0")
    exponent += len(text) - len(needed)
    after = max(0, -exponent)
    return max(len(needed) + max(0, exponent), after), after


# ------------------------------------------------------------- conditions


def holds(condition: Condition, text: str) -> bool:
    """Does the condition hold for a text?"""
    family = family_of(condition.base.type)
    found = value(condition.base, text)
    if found is None:
        return False
    relation = condition.relation
    if relation is None:
        return True
    if condition.measured == "value":
        return _compares(family, relation, found, bound_value(condition))
    if family.kind == "name":
        # The value is a namespace and a name, so its length is not that of the text (4.3.1.3).
        return True
    return _SIGNS[relation](_measure(condition, found), int(condition.bound))


def _measure(condition: Condition, found: Any) -> int:
    match condition.measured:
        case "length":
            return len(found)
        case "digits":
            return digits_of(found)[0]
        case "decimals":
            return digits_of(found)[1]
        case "value":
            raise AssertionError(condition)
        case _:
            assert_never(condition.measured)


def _compares(family: Family, relation: Relation, found: Any, bound: Any) -> bool:
    if relation == "!=":
        return not _compares(family, "=", found, bound)
    order: int | None
    match family.kind:
        case "moment":
            order = moments.compare(found, bound)
        case "duration":
            order = durations.compare(found, bound)
        case "double" | "float" if found != found or bound != bound:
            order = 0 if found != found and bound != bound else None
        case _ if family.is_ordered:
            order = (found > bound) - (found < bound)
        case _:
            order = 0 if found == bound else None
    return order is not None and _SIGNS[relation](order, 0)


@lru_cache(maxsize=10_000)
def bound_value(condition: Condition) -> object:
    """The value of the bound of a condition that `check` accepts."""
    family = family_of(condition.base.type)
    found = _read(_bound_family(family), bound_text(condition))
    assert found is not None, condition
    return found


def bound_text(condition: Condition) -> str:
    """The bound of a condition, with white space as the type has it."""
    return _bound_text(family_of(condition.base.type), condition.bound)


def _bound_text(family: Family, bound: str) -> str:
    return re.sub(r"[ \t\r\n]+", " ", bound).strip(" ") if family.collapse else bound


def _bound_family(family: Family) -> Family:
    """Bounds of `Date` have the form of XML Schema, which is the only one without doubt."""
    return family_of("xs:date") if family.name == "Date" else family


# ------------------------------------------------------------- what is wrong


def check(condition: Condition) -> None:
    """Raise a `ConditionError` if the condition makes no sense."""
    family = family_of(condition.base.type)
    relation = condition.relation
    if condition.base.picture is not None:
        picture_of(condition.base)
    if relation is None:
        return
    name = condition.base.type
    if condition.measured not in family.measures:
        what = "values to compare" if condition.measured == "value" else condition.measured
        raise ConditionError("bad-facet", f"`{name}` has no {what}", hint=_hint(family))
    if condition.measured != "value":
        _check_count(condition)
        return
    if relation not in ("=", "!=") and not family.is_ordered:
        raise ConditionError(
            "bad-facet",
            f"`{name}` has no order, so `{relation}` cannot be used",
            hint=_hint(family),
        )
    _check_bound(family_of(condition.base.type), condition.bound)


def _hint(family: Family) -> str:
    uses = [f"`{each}({family.name})`" for each in family.measures if each != "value"]
    if "value" in family.measures:
        uses[:0] = ["`<`, `<=`, `>`, `>=`", "`=`, `!=`"] if family.is_ordered else ["`=`, `!=`"]
    return f"what it has: {', '.join(uses)}" if uses else "it can only be used as it is"


def _check_count(condition: Condition) -> None:
    bound = condition.bound
    if not re.fullmatch("[0-9]{1,12}", bound):
        what = f"`{_shown(bound)}` is not a whole number of at most 12 digits"
        raise ConditionError("bad-bound", what, at=(0, len(bound)))


def _check_bound(family: Family, bound: str) -> None:
    text = _bound_text(family, bound)
    own = _bound_family(family)
    if _read(own, text) is None:
        raise ConditionError(
            "bad-bound",
            f"`{_shown(bound)}` is not a value of `{family.name}`",
            at=(0, len(bound)),
            hint="a bound of `Date` is written as `2010-01-31`" if family.name == "Date" else None,
        )
    too_long = f"`{_shown(bound)}` has too many digits to be compared with"
    match family.kind:
        case "number" if _spelt_digits(exact_number(text)) > MAX_BOUND_DIGITS:
            raise ConditionError("bad-bound", too_long, at=(0, len(bound)))
        case "moment" | "duration" if re.search(rf"[0-9]{{{MAX_FIELD_DIGITS + 1},}}", text):
            raise ConditionError("bad-bound", too_long, at=(0, len(bound)))
        case _:
            pass


def _spelt_digits(number: Decimal) -> int:
    _, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int)
    return max(len(digits) + exponent, len(digits)) if exponent > 0 else max(len(digits), -exponent)


def _shown(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:40]}…"
