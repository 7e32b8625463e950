"""Is a text a value of a datatype? The plain way, for the few texts that metadata itself has.

In: a `Datatype` and a text, without the white space that does not count. Out: yes or no. Cells are
not judged here, but by the schema that the importer writes; this is for the `default` of a column.
"""

from __future__ import annotations

import re

from sculpt.core.datatypes.model import Base, Condition
from sculpt.core.datatypes.reading import holds, value
from sculpt.interchange.csvw.kinds import UNCHECKED, kind_of, trims
from sculpt.interchange.csvw.model import Datatype
from sculpt.interchange.csvw.writing.formats import (
    Picture,
    boolean_texts,
    moment_pictures,
    number_pictures,
    plain_expression,
    plain_pictures,
)


def normal_text(datatype: Datatype, text: str) -> str:
    """The text with its white space as the datatype has it (section 6.4, steps 1 and 2)."""
    return " ".join(text.split()) if trims(datatype.base) else text


def is_value(datatype: Datatype, text: str) -> bool:
    """Is it a value, in the format and within the lengths and bounds?"""
    bases = _bases(datatype)
    return (
        _is_of_type(datatype, text, bases)
        and _keeps_format(datatype, text)
        and _keeps_lengths(datatype, text)
        and all(
            any(holds(Condition(base, "value", bound.operator, bound.text), text) for base in bases)
            for bound in datatype.bounds
        )
    )


def _pictures(datatype: Datatype) -> tuple[Picture, ...]:
    base, form = datatype.base, datatype.format
    characters = datatype.decimal_char, datatype.group_char
    match kind_of(base):
        case "number" if form is not None:
            return number_pictures(base, form, *characters)
        case "number" if characters != (None, None):
            return plain_pictures(base, *characters)
        case "moment" if form is not None:
            return moment_pictures(base, form)
    return ()


def _bases(datatype: Datatype) -> tuple[Base, ...]:
    pictures = _pictures(datatype)
    return tuple(each.base for each in pictures) if pictures else (Base(f"xs:{datatype.base}"),)


def _is_of_type(datatype: Datatype, text: str, bases: tuple[Base, ...]) -> bool:
    kind = kind_of(datatype.base)
    if kind == "boolean" and datatype.format is not None:
        return text in (boolean_texts(datatype.format) or ())
    if datatype.base in UNCHECKED:
        return True
    has_characters = (datatype.decimal_char, datatype.group_char) != (None, None)
    if kind == "number" and datatype.format is None and has_characters:
        written = plain_expression(datatype.base, datatype.decimal_char, datatype.group_char)
        return re.fullmatch(written, text) is not None
    pictures = {each.base: each for each in _pictures(datatype)}
    return any(
        value(base, text) is not None and (base not in pictures or pictures[base].is_form(text))
        for base in bases
    )


def _keeps_format(datatype: Datatype, text: str) -> bool:
    if datatype.format is None or kind_of(datatype.base) not in ("text", "duration", "binary"):
        return True
    try:
        find = re.search if kind_of(datatype.base) == "duration" else re.fullmatch
        return find(datatype.format, text) is not None
    except re.error:
        return True


def _keeps_lengths(datatype: Datatype, text: str) -> bool:
    found = len(text)
    if kind_of(datatype.base) == "binary":
        number = value(Base(f"xs:{datatype.base}"), text)
        found = len(number) if isinstance(number, bytes) else found
    return (
        datatype.length in (None, found)
        and (datatype.min_length or 0) <= found
        and (datatype.max_length is None or found <= datatype.max_length)
    )
