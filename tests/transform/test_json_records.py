"""JSON and JSON Lines: the exact text of numbers, and the shape of the document."""

from __future__ import annotations

import io
import json
from decimal import Decimal

import pyarrow as pa

from sculpt.transform.writers.json_records import JsonLinesWriter, JsonWriter


def written(kind: type[JsonLinesWriter], batch: pa.RecordBatch) -> str:
    stream = io.BytesIO()
    with kind(stream, batch.schema) as writer:
        writer.write(batch)
    return stream.getvalue().decode()


def test_json_is_one_array_with_a_record_a_line() -> None:
    batch = pa.RecordBatch.from_pydict({'a "b"': ["x", None], "n": [1, 2]})
    assert written(JsonWriter, batch) == (
        '[\n{"a \\"b\\"":"x","n":1},\n{"a \\"b\\"":null,"n":2}\n]\n'
    )
    assert written(JsonWriter, batch.slice(0, 0)) == "[\n]\n"


def test_json_lines_have_no_array() -> None:
    batch = pa.RecordBatch.from_pydict({"a": ["é\n😀", "\x7f"]})
    assert written(JsonLinesWriter, batch) == '{"a":"é\\n😀"}\n{"a":"\x7f"}\n'
    assert written(JsonLinesWriter, batch.slice(0, 0)) == ""


def test_decimals_are_exact_numbers() -> None:
    values = [Decimal("0.1"), Decimal("1E-18"), Decimal("-12345678901234567890.5"), Decimal(0)]
    batch = pa.RecordBatch.from_arrays([pa.array(values, pa.decimal128(38, 18))], ["n"])
    text = written(JsonLinesWriter, batch)
    assert text.splitlines() == [
        '{"n":0.1}',
        '{"n":0.000000000000000001}',
        '{"n":-12345678901234567890.5}',
        '{"n":0}',
    ]
    read = [json.loads(line, parse_float=Decimal)["n"] for line in text.splitlines()]
    assert read == values


def test_what_json_has_no_type_for_is_text() -> None:
    batch = pa.RecordBatch.from_pydict(
        {
            "ratio": [float("nan"), float("inf"), -0.5, None],
            "day": pa.array([0, None, 1, 2], pa.date32()),
            "raw": [b"\x00", None, b"", b"a"],
            "good": [True, False, None, True],
            "names": pa.array([["a", '"', None], [], None, [""]], pa.list_(pa.string())),
            "counts": pa.array([[1, None], [], None, [2]], pa.list_(pa.int32())),
        }
    )
    assert json.loads(written(JsonWriter, batch)) == [
        {
            "ratio": "NaN",
            "day": "1970-01-01",
            "raw": "AA==",
            "good": True,
            "names": ["a", '"', None],
            "counts": [1, None],
        },
        {"ratio": "INF", "day": None, "raw": None, "good": False, "names": [], "counts": []},
        {
            "ratio": -0.5,
            "day": "1970-01-02",
            "raw": "",
            "good": None,
            "names": None,
            "counts": None,
        },
        {
            "ratio": None,
            "day": "1970-01-03",
            "raw": "YQ==",
            "good": True,
            "names": [""],
            "counts": [2],
        },
    ]
