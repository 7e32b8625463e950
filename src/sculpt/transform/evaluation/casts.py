"""Texts to typed values, many at once.

In: an Arrow array of texts and a type. Out: an array of the type, null where a text has no value of
that type, and the places of these texts. Kernels read decimals and integers of up to 18 digits and
dates in their usual form, Arrow reads doubles whose text is unambiguous; `typed_values.parse_value`
reads the rest one by one and says what is wrong with it.

Invariant: the values are those of `parse_value`. Cost: a few nanoseconds per text on the fast
paths.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sculpt.core.programs.typed_values import ValueType, parse_value
from sculpt.kernels.loops import texts as g
from sculpt.transform.arrow_types import arrow_type

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    from sculpt.kernels.backend import Backend

    Array = np.ndarray[Any, Any]

_SIMPLE_DOUBLE = r"^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$"
_PLAIN_INTEGERS = ("xs:integer", "Integer", "xs:long", "xs:int", "xs:short", "xs:byte")
"""Types limited only by their number of bits; the others are read one by one."""


def cast_texts(texts: pa.Array, to: ValueType, backend: Backend) -> tuple[pa.Array, Array]:
    """The values of texts in a type, and the places of the texts that have none."""
    import numpy as np
    import pyarrow as pa

    none = np.empty(0, dtype=np.int64)
    if to.kind in ("string", "iri") and to.name in ("xs:string", "String"):
        return texts, none
    if isinstance(texts, pa.DictionaryArray):
        values, bad = cast_texts(texts.dictionary, to, backend)
        taken = values.take(texts.indices)
        if not len(bad):
            return taken, none
        indices = texts.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        return taken, np.flatnonzero(np.isin(indices, bad))
    match to.kind:
        case "decimal" | "integer" if to.scale <= g.MAX_DIGITS:
            fast, known = _numbers(texts, to, backend)
        case "double":
            fast, known = _by_arrow(texts, to, _SIMPLE_DOUBLE)
        case "date":
            fast, known = _dates(texts, backend)
        case _:
            fast, known = pa.nulls(len(texts), arrow_type(to)), np.zeros(len(texts), dtype=bool)
    return _completed(texts, to, fast, known)


def _completed(
    texts: pa.Array, to: ValueType, fast: pa.Array, known: Array
) -> tuple[pa.Array, Array]:
    """Read the values that are not known yet, one by one."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    left = np.flatnonzero(~known & ~_nulls(texts))
    if not len(left):
        return fast, left
    bad: list[int] = []
    remembered: dict[str, Any] = {}
    values: list[Any] = []
    for place, text in zip(left.tolist(), texts.take(pa.array(left)).to_pylist(), strict=True):
        if text not in remembered:
            try:
                remembered[text] = parse_value(text, to)
            except ValueError:
                remembered[text] = None
        if remembered[text] is None:
            bad.append(place)
        values.append(remembered[text])
    mask = np.zeros(len(texts), dtype=bool)
    mask[left] = True
    completed = pc.replace_with_mask(fast, pa.array(mask), pa.array(values, arrow_type(to)))
    return completed, np.array(bad, dtype=np.int64)


def _nulls(array: pa.Array) -> Array:
    mask: Array = array.is_null().to_numpy(zero_copy_only=False)
    return mask


def _by_arrow(texts: pa.Array, to: ValueType, pattern: str) -> tuple[pa.Array, Array]:
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    simple = pc.match_substring_regex(texts, pattern).fill_null(False)
    kept = pc.if_else(simple, texts, pa.scalar(None, pa.string()))
    try:
        values = kept.cast(arrow_type(to))
        known = simple.to_numpy(zero_copy_only=False)
        if to.kind == "double":
            known = known & pc.is_finite(values).fill_null(False).to_numpy(zero_copy_only=False)
        return values, known
    except pa.ArrowInvalid:  # such as a 30 February, or more than a double can hold
        return pa.nulls(len(texts), arrow_type(to)), np.zeros(len(texts), dtype=bool)


class Numbers:
    """Decimals of up to 18 digits, as a kernel reads them."""

    def __init__(self, texts: pa.Array, backend: Backend, scale: int, whole: int) -> None:
        import numpy as np

        count = len(texts)
        data, starts = _bytes_of(texts, backend)
        self.lows, self.highs, self.places = (np.zeros(count, np.int64) for _ in range(3))
        self.signs, kinds = np.zeros(count, np.uint8), np.full(count, g.NO_NUMBER, np.uint8)
        powers = np.array([10**n for n in range(19)], dtype=np.int64)
        backend.parse_numbers(
            data,
            starts,
            texts.offset,
            powers,
            scale,
            whole,
            self.lows,
            self.highs,
            self.places,
            self.signs,
            kinds,
        )
        self.known = kinds != g.NO_NUMBER
        if texts.null_count:
            self.known &= ~_nulls(texts)
        self.large = np.flatnonzero(kinds == g.IS_LARGE)

    @property
    def values(self) -> Array:
        """The digits of the numbers as whole numbers, if read unscaled: none of these is large."""
        return self.lows

    def words(self) -> Array:
        """The numbers as 128 bits each, scaled."""
        import numpy as np

        words = np.empty((len(self.lows), 2), dtype=np.int64)
        words[:, 0] = self.lows
        np.right_shift(self.lows, 63, out=words[:, 1])
        at = self.large
        if len(at):
            lows, highs = self.lows[at].view(np.uint64), self.highs[at].view(np.uint64)
            low = lows | (highs << np.uint64(g.HALF))
            high = highs >> np.uint64(64 - g.HALF)
            negative = self.signs[at] != 0
            flipped = ~low + np.uint64(1)
            high = np.where(negative, ~high + (flipped == 0), high)
            low = np.where(negative, flipped, low)
            words[at, 0], words[at, 1] = low.view(np.int64), high.view(np.int64)
        return words


def _numbers(texts: pa.Array, to: ValueType, backend: Backend) -> tuple[pa.Array, Array]:
    import numpy as np
    import pyarrow as pa

    kind = arrow_type(to)
    if to.kind == "integer":
        found = Numbers(texts, backend, 0, 18)
        # `12.` is not an integer, and a sign may be forbidden: take only the obvious cases.
        plain = found.known & (found.places == 0) & (to.name in _PLAIN_INTEGERS)
        values = found.values
        if to.bits < 64:
            limit = 1 << (to.bits - 1)
            plain &= (values >= -limit) & (values < limit)
        return pa.array(np.where(plain, values, 0), kind, mask=~plain), plain & _no_point(texts)
    found = Numbers(texts, backend, to.scale, to.precision - to.scale)
    known = found.known
    buffers = [_validity(known), pa.py_buffer(found.words())]
    return pa.Array.from_buffers(kind, len(texts), buffers), known


def _dates(texts: pa.Array, backend: Backend) -> tuple[pa.Array, Array]:
    """The dates that are written `yyyy-mm-dd`."""
    import numpy as np
    import pyarrow as pa

    count = len(texts)
    days, known = np.zeros(count, np.int64), np.zeros(count, np.uint8)
    data, starts = _bytes_of(texts, backend)
    backend.parse_dates(data, starts, texts.offset, days, known)
    is_known = known != 0
    if texts.null_count:
        is_known &= ~_nulls(texts)
    buffers = [_validity(is_known), pa.py_buffer(days.astype(np.int32))]
    return pa.Array.from_buffers(pa.date32(), count, buffers), is_known


def _validity(known: Array) -> pa.Buffer | None:
    """Which values of an array are not null, as Arrow says it."""
    import numpy as np
    import pyarrow as pa

    return None if known.all() else pa.py_buffer(np.packbits(known, bitorder="little"))


def _bytes_of(texts: pa.Array, backend: Backend) -> tuple[Array, Array]:
    """The bytes of all texts, and where each begins."""
    import numpy as np
    import pyarrow as pa

    width = np.int64 if pa.types.is_large_string(texts.type) else np.int32
    _, offsets, data = texts.buffers()
    starts = np.frombuffer(offsets or bytes(8), dtype=width).astype(np.int64)
    read = np.frombuffer(data or b"", dtype=np.uint8)
    return read if backend.is_compiled else read.astype(np.int64), starts


def _no_point(texts: pa.Array) -> Array:
    import pyarrow.compute as pc

    has: Array = pc.match_substring(texts, ".").fill_null(True).to_numpy(zero_copy_only=False)
    return ~has


def mapped(texts: pa.Array, change: Callable[[str], str | None]) -> pa.Array:
    """A function of each text, called once for each distinct text; null stays null."""
    import pyarrow as pa

    coded = texts if isinstance(texts, pa.DictionaryArray) else texts.dictionary_encode()
    values = [None if text is None else change(text) for text in coded.dictionary.to_pylist()]
    return pa.array(values, pa.string()).take(coded.indices)


def counted(texts: pa.Array, count: Callable[[str], int | None]) -> pa.Array:
    """A number for each text, computed once for each distinct text; null stays null."""
    import pyarrow as pa

    coded = texts if isinstance(texts, pa.DictionaryArray) else texts.dictionary_encode()
    values = [None if text is None else count(text) for text in coded.dictionary.to_pylist()]
    return pa.array(values, pa.int64()).take(coded.indices)


def captured(texts: pa.Array, pattern: str, group: int) -> pa.Array:
    """What a group of an expression captures in each text; null where the text does not match.

    RE2 runs the expression (`syntax.regex.capturing_pattern`), so the time is linear in the text.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    coded = texts if isinstance(texts, pa.DictionaryArray) else texts.dictionary_encode()
    groups = pc.extract_regex(coded.dictionary, pattern=pattern)
    return pc.struct_field(groups, [group - 1]).take(coded.indices)
