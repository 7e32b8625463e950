"""JSON and XML of other systems: places, limits, and what is refused."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sculpt.errors import SchemaError
from sculpt.interchange.documents import (
    JsonDocument,
    TextDocument,
    XmlDocument,
    parts_of,
    pointer_of,
)

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=12,
)


def pointers(value: object, path: tuple[str | int, ...] = ()) -> list[tuple[str, object]]:
    found = [(pointer_of(path), value)]
    if isinstance(value, dict):
        for key, inner in value.items():
            found += pointers(inner, (*path, key))
    elif isinstance(value, list):
        for ix, inner in enumerate(value):
            found += pointers(inner, (*path, ix))
    return found


@given(VALUES, st.sampled_from([None, 2]), st.booleans())
def test_a_pointer_leads_to_the_text_of_its_value(
    value: object, indent: int | None, is_ascii: bool
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=is_ascii)
    document = JsonDocument.parse("a.json", text.encode("utf-8", "surrogatepass"))
    for pointer, inner in pointers(value):
        span = document.span(pointer)
        assert json.loads(text[span.start : span.end]) == inner


@given(st.lists(st.text(max_size=5) | st.integers(0, 99)))
def test_a_pointer_is_read_as_it_is_written(parts: list[str | int]) -> None:
    assert parts_of(pointer_of(parts)) == [str(each) for each in parts]


def test_a_problem_has_its_line_and_pointer() -> None:
    document = JsonDocument.parse("a.json", b'{"a": [1, {"b": "x"}],\n "c": {"e": 2}}')
    problem = document.problem("foreign-meaning", "/c/e", "must be a text", "write quotes")
    assert problem.render() == (
        "a.json:2:13: error [foreign-meaning]: /c/e: must be a text\n"
        ' 2 |  "c": {"e": 2}}\n'
        "   |             ^\n"
        "   = hint: write quotes"
    )
    # What is not there has the place of what is around it.
    assert document.span("/c/f/g").column == 7


def message_of(error: pytest.ExceptionInfo[SchemaError]) -> str:
    return error.value.diagnostics[0].render()


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"a": ', "a.json:1:7: error [foreign-syntax]: this is not JSON: expecting value"),
        (b'{"a": NaN}', "a.json:1:7: error [foreign-syntax]: `NaN` is not JSON"),
        (b"[" * 100_000, "nested 100,000 levels deep; 100 are allowed"),
        (b'{"a":' * 100_000, "nested 100,000 levels deep; 100 are allowed"),
        (b"\xff", "a.json:1:1: error [not-utf8]: the file is not UTF-8"),
        (b"1" * 10_000, "a number is too long"),
    ],
    ids=["cut", "constant", "deep-array", "deep-object", "latin", "number"],
)
def test_bad_json_is_one_short_error(body: bytes, said: str) -> None:
    with pytest.raises(SchemaError) as error:
        JsonDocument.parse("a.json", body)
    assert said in message_of(error)
    assert len(message_of(error)) < 1_000


XML = b"""<?xml version="1.0"?>
<a xmlns="urn:x" xmlns:y="urn:y">
  <b c="1" y:d="2">t<!-- not this -->u</b>
  <y:b/>
</a>"""


def test_xml_has_names_attributes_texts_and_places() -> None:
    document = XmlDocument.parse("a.xml", XML)
    (inner,) = document.root.all("b")
    assert (inner.tag, inner.text, inner.line, inner.column) == ("{urn:x}b", "tu", 3, 3)
    assert inner.attributes == {"c": "1", "{urn:y}d": "2"}
    assert document.root.first("c") is None
    problem = document.problem("foreign-meaning", inner, "no such column")
    assert problem.render().splitlines()[:3] == [
        "a.xml:3:3: error [foreign-meaning]: no such column",
        ' 3 |   <b c="1" y:d="2">t<!-- not this -->u</b>',
        "   |   ^^^^^^^^^^^^^^^^^",
    ]


BOMB = b'<!DOCTYPE a [<!ENTITY x "y">' + b'<!ENTITY z "&x;&x;&x;&x;&x;">' * 40 + b"]><a>&z;</a>"
OUTSIDE = b'<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>'


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (BOMB, "foreign-access"),
        (OUTSIDE, "foreign-access"),
        (b"<a>" * 100_000, "foreign-limit"),
        (b"<a><b></a>", "foreign-syntax"),
        (b"<a>&x;</a>", "foreign-syntax"),
        (b'<?xml version="1.0" encoding="no-such"?><a/>', "foreign-syntax"),
        (b"", "foreign-syntax"),
        (b"<a>\x00</a>", "foreign-syntax"),
    ],
    ids=["bomb", "outside", "deep", "mismatch", "entity", "encoding", "empty", "nul"],
)
def test_bad_xml_is_one_short_error(body: bytes, code: str) -> None:
    with pytest.raises(SchemaError) as error:
        XmlDocument.parse("a.xml", body)
    assert error.value.diagnostics[0].code == code
    assert len(message_of(error)) < 1_000


def test_a_text_has_lines_and_columns() -> None:
    document = TextDocument.parse("a.csvs", "\ufeffversion 1.0\nname: is(\n".encode())
    assert str(document.spot(document.text.index("is("))) == "a.csvs:2"
    problem = document.problem("foreign-syntax", 18, 21, "never closes")
    assert problem.render().startswith("a.csvs:2:7: error [foreign-syntax]: never closes")
