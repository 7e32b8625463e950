"""Whatever a descriptor says, it is imported or refused with places; nothing breaks the import."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import sculpt
from sculpt.errors import DataError, SchemaError, UsageError
from sculpt.interchange.frictionless.reading.schemas import CONSTRAINTS, ITEM_TYPES, MATCHES, TYPES
from sculpt.interchange.packages import import_bytes

TEXTS = st.one_of(
    st.text(max_size=8),
    st.sampled_from(
        ("", " ", "id", "row", "and", "Total:", "Date", "xs:int", "a b", '"', "%", "\\", "->", "\n")
    ),
)
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-(10**20), 10**20), st.floats(allow_nan=False), TEXTS
)
ANYTHING = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3)
)
FORMATS = st.one_of(
    st.sampled_from(("default", "any", "email", "%Y", "%d%m%Y", "%H:%M:%S%z", "array", "%", "%%")),
    st.text("%YmdHMSfzbpI ./:'T", max_size=10),
)
PATTERNS = st.one_of(TEXTS, st.text('ab.*+?|()[]{}^$\\d,1-" /%', max_size=10))


VALUES = {
    "integer": st.integers(-(10**25), 10**25) | st.sampled_from(("7", "+5", "x")),
    "number": st.floats(allow_nan=False) | st.integers() | st.sampled_from(("1e5", "1,5", "NaN")),
    "date": st.sampled_from(("2020-01-01", "31/12/2020", "0001-01-01")),
    "time": st.sampled_from(("12:00:00", "12:00", "23:59:59.25", "12:00:00Z")),
    "datetime": st.sampled_from(("2020-01-01T12:00:00", "2020-01-01T12:00:00Z")),
    "year": st.integers(0, 9999),
    "yearmonth": st.sampled_from(("2020-01", "1999-12")),
    "duration": st.sampled_from(("P1D", "PT5M", "-P1Y")),
    "boolean": st.sampled_from((True, False, "true")),
}


@st.composite
def constraints(draw: st.DrawFn, kind: str) -> dict[str, Any]:
    """Constraints of a type, mostly with values of a plausible shape."""
    found: dict[str, Any] = {}
    allowed = [name for name, types in CONSTRAINTS.items() if kind in types]
    values = VALUES.get(kind, TEXTS)
    for name in draw(st.lists(st.sampled_from(allowed), max_size=3, unique=True)):
        match name:
            case "required" | "unique":
                found[name] = draw(st.booleans())
            case "minLength" | "maxLength":
                found[name] = draw(st.integers(0, 10**6))
            case "pattern":
                found[name] = draw(PATTERNS)
            case "enum":
                found[name] = draw(st.lists(values, min_size=1, max_size=3))
            case "jsonSchema":
                found[name] = {}
            case _:
                found[name] = draw(values if draw(st.integers(0, 9)) else SCALARS)
    return found


@st.composite
def fields(draw: st.DrawFn) -> Any:
    """A field that is mostly one."""
    field: dict[str, Any] = {"name": draw(TEXTS), "type": draw(st.sampled_from(TYPES))}
    if draw(st.booleans()):
        field["format"] = draw(FORMATS)
    if draw(st.booleans()):
        field["constraints"] = draw(constraints(field["type"]))
    for key in ("decimalChar", "groupChar", "delimiter", "title"):
        if draw(st.integers(0, 4)) == 0:
            field[key] = draw(TEXTS)
    for key in ("trueValues", "falseValues", "missingValues"):
        if draw(st.integers(0, 4)) == 0:
            field[key] = draw(st.lists(TEXTS, min_size=1, max_size=3))
    if draw(st.integers(0, 4)) == 0:
        field["bareNumber"] = draw(st.booleans())
    if draw(st.integers(0, 4)) == 0:
        field["itemType"] = draw(st.sampled_from(ITEM_TYPES))
    if draw(st.integers(0, 31)) == 0:
        return draw(ANYTHING)
    return field


@st.composite
def descriptors(draw: st.DrawFn) -> dict[str, Any]:
    """A resource that is mostly one."""
    schema: dict[str, Any] = {"fields": draw(st.lists(fields(), max_size=3))}
    for ix, each in enumerate(schema["fields"]):
        if isinstance(each, dict) and isinstance(each.get("name"), str):
            each["name"] += str(ix) * (ix > 0)
    names = [each.get("name") for each in schema["fields"] if isinstance(each, dict)] or ["x"]
    if draw(st.booleans()):
        schema["fieldsMatch"] = draw(st.sampled_from(MATCHES))
    for key in ("primaryKey", "uniqueKeys"):
        if draw(st.integers(0, 3)) == 0:
            some = draw(st.lists(st.sampled_from(names), min_size=1, max_size=2, unique=True))
            schema[key] = some if key == "primaryKey" else [some]
    if draw(st.integers(0, 3)) == 0:
        one, other = draw(st.sampled_from(names)), draw(st.sampled_from(names))
        schema["foreignKeys"] = [{"fields": one, "reference": {"fields": other}}]
    dialect: dict[str, Any] = {}
    for key in (
        "delimiter",
        "quoteChar",
        "escapeChar",
        "commentChar",
        "nullSequence",
        "headerJoin",
    ):
        if draw(st.integers(0, 7)) == 0:
            dialect[key] = draw(TEXTS)
    if draw(st.integers(0, 3)) == 0:
        dialect["headerRows"] = draw(st.lists(st.integers(1, 4), max_size=3))
    if draw(st.integers(0, 3)) == 0:
        dialect["commentRows"] = draw(st.lists(st.integers(1, 4), max_size=2))
    resource: dict[str, Any] = {"name": draw(TEXTS), "path": "data.csv", "schema": schema}
    return resource | ({"dialect": dialect} if dialect else {})


@settings(max_examples=300)
@given(descriptors())
def test_a_descriptor_is_imported_or_refused(descriptor: dict[str, Any]) -> None:
    """The text of what is accepted can be used, is formatted, and has no lints."""
    try:
        package = import_bytes("r.json", json.dumps(descriptor).encode(), "frictionless")
    except SchemaError as error:
        assert all(each.code.startswith("foreign-") for each in error.diagnostics)
        return
    text = package.tables[0].text
    schema = sculpt.Schema.parse(text)
    assert sculpt.format_text(text) == text
    assert [each.message for each in schema.lint] == []


@settings(max_examples=200)
@given(
    st.dictionaries(st.sampled_from(("resources", "fields", "name", "path", "schema")), ANYTHING)
)
def test_any_json_is_imported_or_refused(value: dict[str, Any]) -> None:
    """Parts of the wrong shape are errors; texts may be references, to files that are not there."""
    try:
        import_bytes("r.json", json.dumps(value).encode(), "frictionless")
    except SchemaError as error:
        assert error.diagnostics
    except (DataError, UsageError) as error:
        assert str(error)
