"""XML: names that are not XML names, and the shape of the document."""

from __future__ import annotations

import io
from xml.etree import ElementTree

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sculpt.transform.writers.xml_records import XmlWriter, name_text, xml_name


def written(batch: pa.RecordBatch, target: str) -> str:
    stream = io.BytesIO()
    with XmlWriter(stream, batch.schema, target) as writer:
        writer.write(batch)
    return stream.getvalue().decode()


def test_a_record_is_an_element() -> None:
    batch = pa.RecordBatch.from_pydict(
        {
            "area": ["a<b", None, ""],
            "n": [1, 2, None],
            "names": pa.array([["x", "y"], [], None], pa.list_(pa.string())),
        }
    )
    assert written(batch, "Obs") == (
        '<?xml version="1.0" encoding="UTF-8"?>\n<records>\n'
        "<Obs><area>a&lt;b</area><n>1</n><names>x</names><names>y</names></Obs>\n"
        "<Obs><n>2</n></Obs>\n"
        "<Obs><area></area></Obs>\n"
        "</records>\n"
    )


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("area", "area"),
        ("größe_1.a-b", "größe_1.a-b"),
        ("a b", "a_x0020_b"),
        ("1st", "_x0031_st"),
        ("-", "_x002D_"),
        ("a:b", "a_x003A_b"),
        ("a_x0020_b", "a_x005F_x0020_b"),
        ("😀", "_x1F600_"),
        ("", "_x_"),
    ],
)
def test_names(name: str, expected: str) -> None:
    assert xml_name(name) == expected


@given(st.text())
@example("_x_")
@example("__x0041_")
@example("\x00\ufffe")
def test_every_name_is_a_name_and_comes_back(name: str) -> None:
    root = ElementTree.fromstring(f"<{xml_name(name)}/>")
    assert name_text(root.tag) == name


@given(st.text(), st.text())
def test_different_names_stay_different(one: str, other: str) -> None:
    assert (xml_name(one) == xml_name(other)) == (one == other)


def test_target_and_fields_with_any_names() -> None:
    batch = pa.RecordBatch.from_pydict({"a b": ["x"], "xml": ["y"]})
    (record,) = ElementTree.fromstring(written(batch, "Some Target!"))
    assert name_text(record.tag) == "Some Target!"
    assert [(name_text(part.tag), part.text) for part in record] == [("a b", "x"), ("xml", "y")]
