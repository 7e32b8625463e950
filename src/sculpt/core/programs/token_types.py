"""Casts to derived tokens, `v as amount`: the type of the field, and how its texts are read.

In: the branches of a derived token. Out: a `ValueType` that holds the values of all of them, and a
`Reading`, which says by which base a text is read. A branch without a type has no values: a text
that matches only such branches is null. If no branch has a type, the cast is a check, and gives the
text. A list is a list of texts.

| branches | type |
|---|---|
| one type | that type; for a picture of a `Number` or an `xs:decimal`, a decimal with its places |
| numbers | double if some are, otherwise decimal; whole numbers only: `xs:integer` |
| `Date` and `xs:date`, `Boolean` and `xs:boolean`, `Uri` and `xs:anyURI` | the second |
| types whose values are texts, such as `Uuid` and `xs:duration` | `xs:string` |
| others | an error |

Invariant: a value is what `typed_values.parse_value` gives for a text of XML Schema
(`canonical_text`), so it has the limits of any other cast. Cost: that of a picture.
"""

from __future__ import annotations

from sculpt.core.datatypes import reading
from sculpt.core.datatypes.canonical import canonical_text
from sculpt.core.datatypes.model import Base
from sculpt.core.datatypes.pictures.number_shape import number_shape
from sculpt.core.derivation.branches import Branch, Counted
from sculpt.core.dialect import Delimiter
from sculpt.core.ir import Has
from sculpt.core.programs.typed_values import (
    DECIMAL,
    INTEGER,
    LIST,
    PRECISION,
    TEXT,
    ValueType,
    value_type,
)
from sculpt.values import frozen, replace

_TEXTS = frozenset(("Text", "String", "Any", "xs:string", "xs:anySimpleType"))
"""Types that have nothing but texts: their branches count as branches without a type."""
_EXACT = {"Number": DECIMAL, "xs:decimal": DECIMAL}
_STRICT = {"Integer": "xs:integer", "Date": "xs:date", "Boolean": "xs:boolean", "Uri": "xs:anyURI"}
"""Types with a counterpart in XML Schema that holds the same values."""
_NUMERIC = frozenset(("decimal", "integer", "double", "float"))


@frozen
class Reader:
    """How the texts of one branch are read."""

    token: str
    """The branch, as a token of the program."""
    base: Base | Delimiter
    """The type; of a list, what is between its items."""
    is_picture: bool = False
    """Are these all texts of a picture? Then those that it can read, and no others, match."""


@frozen
class Reading:
    """How the texts of a derived token are read: by the first reader whose token matches."""

    token: str
    readers: tuple[Reader, ...]
    """Of the branches that have a type; if there are none, the value is the text."""


class MixedTypesError(Exception):
    """The branches of a token have values of different types; the message names them."""


def token_type(name: str, branches: tuple[Branch, ...]) -> tuple[ValueType, Reading]:
    """The type of a cast to a derived token; raises `MixedTypesError`."""
    readers: list[Reader] = []
    kinds: list[ValueType] = []
    for branch in branches:
        if branch.base is None or (isinstance(branch.base, Base) and branch.base.type in _TEXTS):
            continue
        assert isinstance(branch.formula, Has), branch
        if isinstance(branch.base, Counted):
            readers.append(Reader(branch.formula.name, branch.base.delimiter))
            kinds.append(LIST)
        else:
            is_picture = branch.is_whole and branch.base.picture is not None
            readers.append(Reader(branch.formula.name, branch.base, is_picture))
            kinds.append(_type_of(branch.base))
    return _common(list(dict.fromkeys(kinds))), Reading(name, tuple(readers))


def _type_of(base: Base) -> ValueType:
    """The type of the values of one branch."""
    if base.picture is None:
        return value_type(base.type)
    if base.type in _EXACT:
        shape = number_shape(base)
        if shape.exponent is not None:
            return DECIMAL
        return replace(DECIMAL, scale=min(PRECISION, max(0, shape.fraction.most + shape.scale)))
    return value_type(_STRICT.get(base.type, base.type))


def _common(kinds: list[ValueType]) -> ValueType:
    """The type that holds the values of all branches."""
    if not kinds:
        return TEXT
    if len(kinds) == 1:
        return kinds[0]
    found = {each.kind for each in kinds}
    if found <= _NUMERIC:
        if found == {"integer"}:
            return INTEGER
        if found == {"float"} or "double" in found or "float" in found:
            return value_type("xs:float" if found == {"float"} else "xs:double")
        return replace(DECIMAL, scale=max(each.scale for each in kinds))
    strict = {_STRICT.get(each.name, each.name) for each in kinds}
    if len(strict) == 1:
        return value_type(strict.pop())
    if found == {"string"}:
        return TEXT
    names = list(dict.fromkeys("a list" if each is LIST else f"`{each.name}`" for each in kinds))
    raise MixedTypesError(" and ".join(names))


def readable_text(base: Base, text: str, to: ValueType) -> str | None:
    """The text to parse as a type for the value of a text; `None` if it has no value in the base.

    Raises `ValueError` with the reason if no column can hold the value.
    """
    if base.picture is None:
        own = value_type(base.type)
        if own.name != "Date" or own == to:
            return text
    value = reading.value(base, text)
    return None if value is None else canonical_text(base, value)
