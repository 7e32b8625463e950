"""Arrow arrays of values: constants, defaults, and one array or another.

In: values and arrays. Out: arrays of the same length.

Invariant: constant texts are dictionaries of one entry, so that functions of them run once. Cost:
one array operation each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sculpt.core.programs import expressions as c
from sculpt.core.programs.typed_values import ValueType, parse_value
from sculpt.transform.arrow_types import arrow_type
from sculpt.transform.writers.rendering import texts_of

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    Array = np.ndarray[Any, Any]


def constant(value: object, kind: ValueType, count: int) -> pa.Array:
    """An array of `count` copies of a value."""
    import numpy as np
    import pyarrow as pa

    if kind.kind in ("string", "iri") and value is not None:
        indices = pa.array(np.zeros(count, dtype=np.int32))
        return pa.DictionaryArray.from_arrays(indices, pa.array([value], pa.string()))
    return pa.repeat(pa.scalar(value, arrow_type(kind)), count)


def text_of(value: c.Constant) -> str:
    """The canonical text of a constant."""
    text: str = texts_of(constant(parse_value(value.text, value.type), value.type, 1))[0].as_py()
    return text


def filled(array: pa.Array, value: object, kind: ValueType) -> pa.Array:
    """The array with a value in place of null."""
    import pyarrow as pa

    if not array.null_count:
        return array
    if isinstance(array, pa.DictionaryArray):
        array = texts_of(array)
    return array.fill_null(pa.scalar(value, arrow_type(kind)))


def either(mask: Array, one: pa.Array, other: pa.Array, kind: ValueType) -> pa.Array:
    """The entries of one array where the mask holds, those of another elsewhere."""
    import pyarrow as pa
    import pyarrow.compute as pc

    wanted = arrow_type(kind)
    sides = (
        texts_of(each) if pa.types.is_dictionary(each.type) else each.cast(wanted)
        for each in (one, other)
    )
    return pc.if_else(pa.array(mask), *sides)
