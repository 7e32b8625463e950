"""The texts of Arrow values, against those that Python gives for the same values."""

from __future__ import annotations

import datetime as dt
from base64 import b64decode
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sculpt.transform.writers import rendering as texts
from sculpt.transform.writers.rendering import bytes_of, fitting, item_lists, pieces, texts_of

EXAMPLES: list[tuple[pa.DataType, list[Any], list[str | None]]] = [
    (
        pa.decimal128(10, 2),
        [Decimal("12.50"), Decimal("3.00"), Decimal("-0.25"), Decimal(0), Decimal(100), None],
        ["12.5", "3", "-0.25", "0", "100", None],
    ),
    (pa.decimal128(10, 0), [Decimal(100), Decimal(-7)], ["100", "-7"]),
    (pa.decimal128(10, -2), [Decimal(1200), Decimal(0), None], ["1200", "0", None]),
    (
        pa.decimal128(38, 18),
        [Decimal("1E-18"), Decimal(0), None, Decimal("-0.0000001"), Decimal(5)],
        ["0.000000000000000001", "0", None, "-0.0000001", "5"],
    ),
    (pa.decimal256(76, 40), [Decimal("-1E-40"), Decimal(2)], ["-0." + "0" * 39 + "1", "2"]),
    (pa.int8(), [-128, None], ["-128", None]),
    (pa.uint64(), [2**64 - 1], ["18446744073709551615"]),
    (pa.bool_(), [True, False, None], ["true", "false", None]),
    (
        pa.float64(),
        [0.1, -2.0, 1e300, float("inf"), float("-inf"), float("nan"), None],
        ["0.1", "-2", "1e+300", "INF", "-INF", "NaN", None],
    ),
    (pa.float32(), [0.1, None], ["0.1", None]),
    (pa.float16(), [1.5], ["1.5"]),
    (pa.date32(), [dt.date(2011, 3, 27), dt.date(1, 1, 1)], ["2011-03-27", "0001-01-01"]),
    (pa.date64(), [dt.date(2011, 3, 27)], ["2011-03-27"]),
    (pa.timestamp("s"), [dt.datetime(2011, 3, 27, 10)], ["2011-03-27T10:00:00"]),
    (
        pa.timestamp("us"),
        [dt.datetime(2011, 3, 27, 10), dt.datetime(1969, 12, 31, 23, 59, 59, 500000), None],
        ["2011-03-27T10:00:00", "1969-12-31T23:59:59.5", None],
    ),
    (
        pa.timestamp("ms", "Europe/Brussels"),
        [dt.datetime(2011, 3, 27, 10, tzinfo=dt.UTC)],
        ["2011-03-27T10:00:00Z"],
    ),
    (pa.timestamp("s", "UTC"), [dt.datetime(2011, 3, 27, tzinfo=dt.UTC)], ["2011-03-27T00:00:00Z"]),
    (pa.time32("s"), [dt.time(10, 20, 30)], ["10:20:30"]),
    (pa.time64("us"), [dt.time(10, 20, 30), dt.time(0, 0, 0, 10)], ["10:20:30", "00:00:00.00001"]),
    (pa.binary(), [b"\x00\xff", b"", None], ["AP8=", "", None]),
    (pa.string(), ["a", "", None], ["a", "", None]),
    (pa.large_string(), ["a", None], ["a", None]),
    (pa.dictionary(pa.int32(), pa.string()), ["b", None, "b", "a"], ["b", None, "b", "a"]),
    (pa.dictionary(pa.int8(), pa.int64()), [7, None, 7], ["7", None, "7"]),
    (pa.list_(pa.string()), [["a", "b"], [], None, ["c"]], ["a;b", "", None, "c"]),
    (pa.list_(pa.string()), [["a", None], [None], None], ["a", "", None]),
    (pa.list_(pa.decimal128(4, 2)), [[Decimal("1.50"), Decimal(2)]], ["1.5;2"]),
    (pa.null(), [None, None], [None, None]),
]


@pytest.mark.parametrize(("kind", "values", "expected"), EXAMPLES, ids=lambda part: str(part)[:30])
def test_text_of_each_type(
    kind: pa.DataType, values: list[Any], expected: list[str | None]
) -> None:
    array = pa.array(values, kind)
    result = texts_of(array)
    assert result.type == pa.string()
    assert result.to_pylist() == expected
    # A slice has buffers that start elsewhere, and arrays without values have none at all.
    assert texts_of(pa.concat_arrays([array, array])[1:]).to_pylist() == (expected * 2)[1:]
    assert texts_of(array[:0]).to_pylist() == []


def test_type_without_a_text_is_our_bug() -> None:
    with pytest.raises(AssertionError, match="struct"):
        texts_of(pa.array([{"a": 1}]))


@given(
    st.integers(-2, 20).flatmap(
        lambda scale: st.tuples(
            st.just(scale), st.lists(st.none() | st.integers(-(10**30), 10**30), max_size=8)
        )
    )
)
def test_decimals_are_exact_and_plain(case: tuple[int, list[int | None]]) -> None:
    scale, units = case
    values = [None if unit is None else Decimal(unit).scaleb(-scale) for unit in units]
    result = texts_of(pa.array(values, pa.decimal128(38, scale))).to_pylist()
    for value, text in zip(values, result, strict=True):
        if value is None:
            assert text is None
            continue
        assert Decimal(text) == value
        assert "E" not in text
        assert text == "0" or not text.startswith(("-0", "0")) or text.lstrip("-")[:2] == "0."
        assert "." not in text or text[-1] not in ".0"


@given(st.lists(st.none() | st.floats()))
def test_floats_read_back_as_themselves(values: list[float | None]) -> None:
    read = [
        None if text is None else float(text.replace("INF", "inf"))
        for text in texts_of(pa.array(values, pa.float64())).to_pylist()
    ]
    assert list(map(repr, read)) == list(map(repr, values))


@given(st.lists(st.datetimes()))
def test_timestamps_read_back_as_themselves(values: list[dt.datetime]) -> None:
    result = texts_of(pa.array(values, pa.timestamp("us"))).to_pylist()
    assert [dt.datetime.fromisoformat(text) for text in result] == values


@given(st.lists(st.none() | st.binary()))
def test_binary_is_base64(values: list[bytes | None]) -> None:
    result = texts_of(pa.array(values, pa.binary())).to_pylist()
    assert [None if text is None else b64decode(text) for text in result] == values


def test_items_can_make_empty_lists_null() -> None:
    lists = pa.array([["a"], [], None, [None], [None, "b"]], pa.list_(pa.string()))
    result = item_lists(lists, texts_of, empty_is_null=True)
    assert result.to_pylist() == [["a"], None, None, None, ["b"]]


def test_pieces_are_all_records_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, "ROWS", 3)
    batch = pa.RecordBatch.from_pydict({"n": list(range(8))})
    parts = list(pieces(batch))
    assert [part.num_rows for part in parts] == [3, 3, 2]
    assert pa.Table.from_batches(parts).column("n").to_pylist() == list(range(8))


@pytest.mark.parametrize("kind", [pa.string(), pa.dictionary(pa.int32(), pa.string())], ids=str)
def test_long_texts_come_a_few_at_a_time(kind: pa.DataType) -> None:
    batch = pa.RecordBatch.from_arrays([pa.array(["x" * 100] * 7 + ["y"] * 90, kind)], ["text"])
    parts = list(fitting(batch, 200))
    assert sum(part.num_rows for part in parts) == 97
    assert max(sum(map(len, part.column(0).to_pylist())) for part in parts) <= 200
    assert len(parts) < 20  # only where the long ones are


def test_bytes_of_a_slice() -> None:
    array = pa.array(["ab", "é", "", "cd"])
    assert bytes(bytes_of(array[1:3])) == "é".encode()
    assert bytes(bytes_of(array[:0])) == b""
    assert bytes(bytes_of(pa.array([""]))) == b""
