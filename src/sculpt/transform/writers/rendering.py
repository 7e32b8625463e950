"""Arrow values to texts: the work that all writers of text share.

In: Arrow arrays and record batches. Out: Arrow strings, one per value, and their bytes.
The text of a value is that of XML Schema: a decimal is exact, without an exponent and without
trailing zeros (`12.5`, `3`); a float is the shortest text that reads back as the same number
(`1e+300`, `INF`, `NaN`); a timestamp with a zone is in UTC (`2011-03-27T10:00:00Z`); binary is
base64. The items of a list are joined by `;`.
Invariant: null stays null, and nothing else becomes null.
Cost: a few passes of Arrow kernels over a column; only binary values, and texts that a format
has to escape, go through Python one by one. A dictionary is processed once, not once per record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import pyarrow as pa

    Render: TypeAlias = Callable[[pa.Array], pa.StringArray]

ROWS = 1 << 16
"""The most records that a writer of text processes at once: so their columns fit the caches."""
_BYTES = 1 << 26  # of text at once: even escaped to six times that, far from Arrow's 2 GB limit
_FIELD_BYTES = 128  # at most, for the punctuation of a format and a number

# ------------------------------------------------------------- the text of a value


def texts_of(array: pa.Array) -> pa.StringArray:
    """The text of every value, as described in the module's docstring."""
    import pyarrow as pa

    types, kind = pa.types, array.type
    if types.is_dictionary(kind):
        return over_values(array, texts_of)
    if types.is_string(kind):
        return array
    if is_list(kind):
        import pyarrow.compute as pc

        return pc.binary_join(item_lists(array, texts_of), ";")
    if types.is_decimal(kind):
        return _decimals(array)
    if types.is_floating(kind):
        return _floats(array)
    if types.is_timestamp(kind):
        return _timestamps(array)
    if types.is_time(kind):
        return _without_zeros(array.cast(pa.string())) if kind.unit != "s" else _cast(array)
    if types.is_date64(kind):
        return _cast(array.cast(pa.date32()))
    if types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind):
        return _base64(array)
    if (
        types.is_null(kind)
        or types.is_boolean(kind)
        or types.is_integer(kind)
        or types.is_date32(kind)
        or types.is_large_string(kind)
        or types.is_string_view(kind)
    ):
        return _cast(array)
    raise AssertionError(f"no text for values of the Arrow type {kind}")


def is_list(kind: pa.DataType) -> bool:
    """Does a type have items?"""
    from pyarrow import types

    return bool(types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind))


def _cast(array: pa.Array) -> pa.StringArray:
    import pyarrow as pa

    return array.cast(pa.string())


def _decimals(array: pa.Array) -> pa.StringArray:
    import pyarrow.compute as pc

    scale = array.type.scale
    if scale < 0:
        return _padded(array)
    texts = _cast(array)
    if scale == 0:
        return texts
    texts = _without_zeros(texts)
    if scale <= 6:
        return texts
    # Arrow writes an exponent below a millionth, and for a zero with that many decimals.
    small = pc.match_substring(texts, "E")
    if not pc.any(small).as_py():
        return texts
    return pc.replace_with_mask(texts, small, _padded(array.filter(small)))


def _padded(array: pa.Array) -> pa.StringArray:
    """Decimals written digit by digit, whatever their scale."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = array.type
    wider = {32: pa.decimal32, 64: pa.decimal64, 128: pa.decimal128, 256: pa.decimal256}
    whole = wider[kind.bit_width](kind.precision, 0)
    digits = _cast(
        pa.Array.from_buffers(whole, len(array), array.buffers(), array.null_count, array.offset)
    )
    if kind.scale < 0:
        return pc.if_else(pc.equal(digits, "0"), digits, joined(digits, "0" * -kind.scale))
    sign = pc.if_else(pc.starts_with(digits, "-"), "-", "")
    digits = pc.ascii_lpad(pc.ascii_ltrim(digits, "-"), kind.scale + 1, "0")
    before = pc.utf8_slice_codeunits(digits, 0, -kind.scale)
    after = pc.utf8_slice_codeunits(digits, -kind.scale)
    return _without_zeros(joined(sign, before, ".", after))


def _without_zeros(texts: pa.StringArray) -> pa.StringArray:
    """Texts with a decimal point, without trailing zeros, and without a trailing point."""
    import pyarrow.compute as pc

    return pc.utf8_rtrim(pc.utf8_rtrim(texts, "0"), ".")


def _floats(array: pa.Array) -> pa.StringArray:
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_float16(array.type):
        array = array.cast(pa.float32())
    texts = _cast(array)
    if pc.all(pc.is_finite(array)).as_py() in (True, None):
        return texts
    xsd = {"nan": "NaN", "-nan": "NaN", "inf": "INF", "-inf": "-INF"}
    return rewritten(texts, "n", each(xsd.__getitem__))


def _timestamps(array: pa.Array) -> pa.StringArray:
    import pyarrow as pa
    import pyarrow.compute as pc

    unit, zone = array.type.unit, array.type.tz
    texts = _cast(array.view(pa.timestamp(unit)))  # stored in UTC: no time zone data is needed
    if unit != "s":
        texts = _without_zeros(texts)
    texts = pc.replace_substring(texts, " ", "T", max_replacements=1)
    return joined(texts, "Z") if zone is not None else texts


def _base64(array: pa.Array) -> pa.StringArray:
    from base64 import b64encode

    import pyarrow as pa

    values = array.to_pylist()
    return pa.array([None if v is None else b64encode(v).decode() for v in values], pa.string())


# ------------------------------------------------------------- texts to texts


def joined(*parts: pa.StringArray | str, missing: str | None = None) -> pa.StringArray:
    """The parts of every record, concatenated.

    A null part makes the whole null; if `missing` is given, it stands for the part instead.
    """
    import pyarrow.compute as pc

    if missing is None:
        return pc.binary_join_element_wise(*parts, "")
    return pc.binary_join_element_wise(
        *parts, "", null_handling="replace", null_replacement=missing
    )


def rewritten(texts: pa.StringArray, pattern: str, rewrite: Render) -> pa.StringArray:
    """Texts, those that match an RE2 pattern rewritten; in most columns none does."""
    import pyarrow.compute as pc

    found = pc.match_substring_regex(texts, pattern)
    if not pc.any(found).as_py():
        return texts
    return pc.replace_with_mask(texts, found, rewrite(texts.filter(found)))


def each(rewrite: Callable[[str], str]) -> Render:
    """A function on arrays of texts from one on a text. Null stays null."""

    def over(texts: pa.StringArray) -> pa.StringArray:
        import pyarrow as pa

        changed = [None if text is None else rewrite(text) for text in texts.to_pylist()]
        return pa.array(changed, pa.string())

    return over


def over_values(array: pa.Array, render: Render) -> pa.StringArray:
    """The texts of an array, rendered once per dictionary entry if that is less work."""
    import pyarrow as pa

    if not pa.types.is_dictionary(array.type):
        return render(array)
    if len(array.dictionary) > len(array):
        return render(array.dictionary.take(array.indices))
    return render(array.dictionary).take(array.indices)


def item_lists(array: pa.Array, render: Render, *, empty_is_null: bool = False) -> pa.ListArray:
    """Lists with the texts of their items. Items without a text are left out."""
    import pyarrow as pa
    import pyarrow.compute as pc

    lengths = pc.fill_null(pc.list_value_length(array), 0)
    absent = pc.equal(lengths, 0) if empty_is_null else pc.is_null(array)
    ends = pc.cumulative_sum(lengths.cast(pa.int32()))
    offsets = pa.concat_arrays([pa.array([0], pa.int32()), ends])
    items = over_values(pc.list_flatten(array), render)
    lists = pa.ListArray.from_arrays(offsets, items, mask=absent)
    if not items.null_count:
        return lists
    kept = [
        None if items is None else [item for item in items if item is not None]
        for items in lists.to_pylist()
    ]
    if empty_is_null:
        kept = [items or None for items in kept]
    return pa.array(kept, lists.type)


# ------------------------------------------------------------- batches to bytes


def pieces(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """The records of a batch, as many at a time as a writer of text processes at once."""
    record = sum(_FIELD_BYTES + 2 * len(name) for name in batch.schema.names)
    rows = max(1, min(ROWS, _BYTES // max(1, record)))
    for start in range(0, batch.num_rows, rows):
        yield from fitting(batch.slice(start, rows))


def fitting(batch: pa.RecordBatch, most: int = _BYTES) -> Iterator[pa.RecordBatch]:
    """The records of a batch, halved until the texts of each part take at most `most` bytes."""
    enough = most // max(1, batch.num_columns)
    if batch.num_rows < 2 or sum(_text_bytes(each, enough) for each in batch.columns) <= most:
        yield batch
        return
    half = batch.num_rows // 2
    yield from fitting(batch.slice(0, half), most)
    yield from fitting(batch.slice(half), most)


def _text_bytes(array: pa.Array, enough: int) -> int:
    """How many bytes the texts of an array take; a dictionary text counts once per record.

    An upper bound is returned if it is at most `enough`: as if all were as long as the longest.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if is_list(array.type):
        return _text_bytes(pc.list_flatten(array), enough)
    coded = pa.types.is_dictionary(array.type)
    values = array.dictionary if coded else array
    types, kind = pa.types, values.type
    if not (types.is_string(kind) or types.is_large_string(kind) or types.is_binary(kind)):
        return 0
    lengths = pc.binary_length(values)
    if coded:
        bound = int(pc.max(lengths).as_py() or 0) * len(array)
        if bound <= enough:
            return bound
        lengths = lengths.take(array.indices)
    return int(pc.sum(lengths).as_py() or 0)


def bytes_of(texts: pa.StringArray) -> memoryview:
    """The bytes of all texts, one after the other, without a copy. No text may be null."""
    _, ends, data = texts.buffers()
    if not len(texts) or data is None:
        return memoryview(b"")
    offsets = memoryview(ends).cast("B").cast("i")
    return memoryview(data).cast("B")[offsets[texts.offset] : offsets[texts.offset + len(texts)]]
