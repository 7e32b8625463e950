"""Descriptors to Sculpt: the text, the notes, the errors, and what violations say."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

import sculpt
from sculpt.errors import SchemaError, UsageError
from sculpt.interchange.documents import JsonDocument
from sculpt.interchange.frictionless import recognises
from sculpt.interchange.load import load
from sculpt.interchange.model import Package
from sculpt.interchange.packages import import_bytes, import_file


def imported(descriptor: dict[str, Any], name: str = "datapackage.json") -> Package:
    return import_bytes(name, json.dumps(descriptor).encode(), "frictionless")


def of_fields(*fields: dict[str, Any], **schema: Any) -> Package:
    return imported({"fields": list(fields), **schema}, "schema.json")


def problems(descriptor: dict[str, Any]) -> list[str]:
    with pytest.raises(SchemaError) as caught:
        imported(descriptor)
    return [each.message for each in caught.value.diagnostics]


def statements(package: Package) -> list[str]:
    lines = package.tables[0].text.splitlines()
    return [line for line in lines if line and not line.startswith("%")]


def messages(package: Package) -> list[str]:
    return [str(note) for note in package.all_notes]


def verdict(package: Package, data: str, path: Path) -> list[tuple[int | None, int | None]]:
    path.write_text(data, "utf-8")
    found = sculpt.validate(sculpt.Schema.parse(package.tables[0].text), str(path), "reference")
    return [(each.row, each.column) for each in found.violations]


# ------------------------------------------------------------- what is written


def test_text() -> None:
    """Each construct is a statement of its own, with its origin above it."""
    age = {"name": "Age", "type": "integer", "constraints": {"minimum": 18, "required": True}}
    package = of_fields({"name": "Id", "title": "Number"}, age, primaryKey="Id")
    assert package.tables[0].text == GOLDEN
    assert sculpt.format_text(GOLDEN) == GOLDEN
    assert sculpt.Schema.parse(GOLDEN).lint == ()
    origin = package.tables[0].origins["rule:11"]
    assert str(origin) == (
        'field "Age", constraint minimum 18 (schema.json, /fields/1/constraints/minimum)'
    )
    assert (origin.kind, origin.column, origin.field) == ("constraint-error", 2, "Age")


GOLDEN = """\
% The resource schema
% From schema.json

Trim = none
Blank Rows = keep

% the header has 2 labels (schema.json, /fields)
row(1) => Any{2}, Any*
% the header has 2 labels (schema.json, /fields)
row(1) -> Any{0,2}
% no label is blank (schema.json)
row(1) -> Text*
% no label occurs twice (schema.json)
key(row(1) and Text)
% a row has a value (schema.json)
not row(1) -> Null*, Text, Any*
% a row has 2 cells (schema.json)
not row(1) -> Any{2}, Any* | Null*
% a row has 2 cells (schema.json)
not row(1) -> Any{0,2}

% field "Id", label (schema.json, /fields/0/name)
(1,1) and Text -> "Id"
% Field Id: Number.
Id <= col(1) and not row(1)
% field "Id", type string (schema.json, /fields/0)
Id -> String | Missing

% field "Age", label (schema.json, /fields/1/name)
(1,2) and Text -> "Age"
% Field Age.
Age <= col(2) and not row(1)
integer := trimmed(Integer)
% field "Age", type integer (schema.json, /fields/1/type)
Age -> integer | Null
Age minimum := trimmed(Integer >= 18)
% field "Age", constraint minimum 18 (schema.json, /fields/1/constraints/minimum)
Age and integer -> Age minimum
% field "Age", constraint required (schema.json, /fields/1/constraints/required)
Age -> Text

% primaryKey Id (schema.json, /primaryKey)
key(Id and Text)
% primaryKey Id: field "Id" has a value (schema.json, /primaryKey)
Id -> Text
"""


@pytest.mark.parametrize(
    ("field", "written"),
    [
        ({"type": "number"}, 'number := trimmed(Number or "NaN" or INF or "-INF")'),
        ({"type": "date"}, 'date := xs:date("yyyy-MM-dd")'),
        ({"type": "date", "format": "%d/%m/%Y"}, 'date d M yyyy := xs:date("d/M/yyyy")'),
        ({"type": "date", "format": "fmt:%Y%m%d"}, 'date yyyyMMd := xs:date("yyyyMMd")'),
        ({"type": "time", "format": "%I:%M %p"}, 'time h:m a := xs:time("h:m a")'),
        ({"type": "datetime"}, "a -> xs:dateTime | Null"),
        ({"type": "year"}, "a -> xs:gYear | Null"),
        ({"type": "object"}, "a -> JsonObject | Null"),
        ({"type": "list", "itemType": "integer"}, 'a list := list(Integer, ",") and Text'),
        ({"type": "boolean", "trueValues": ["Y"], "falseValues": ["N"]}, "boolean := Y or N"),
        ({"type": "string", "format": "email"}, 'email := Email and not "Email"'),
        ({"type": "string", "constraints": {"maxLength": 3}}, "a maxLength := length(String) <= 3"),
        ({"type": "string", "constraints": {"pattern": "^a b$"}}, "a pattern = ^a[ ]b$"),
        ({"type": "integer", "constraints": {"unique": True}}, "key(a and integer as Integer)"),
        (
            {"type": "integer", "constraints": {"enum": [1, "2"]}},
            "a enum := trimmed(Integer = 1 or Integer = 2)",
        ),
        (
            {"type": "date", "format": "%d/%m/%Y", "constraints": {"minimum": "31/12/2020"}},
            'a minimum := xs:date("d/M/yyyy") >= 2020-12-31',
        ),
        ({"type": "integer", "missingValues": ["-99"]}, "a -> integer | missing | Missing"),
    ],
)
def test_fields(field: dict[str, Any], written: str) -> None:
    """Types, formats and constraints, each in its form."""
    package = of_fields({"name": "a", **field})
    text = package.tables[0].text.replace('"Y" or "N"', "Y or N")
    assert written in text.splitlines()
    schema = sculpt.Schema.parse(package.tables[0].text)
    assert schema.lint == ()
    assert sculpt.format_text(package.tables[0].text) == package.tables[0].text


def test_dialect() -> None:
    """A dialect of version 1 is directives."""
    dialect = {
        "delimiter": ";",
        "quoteChar": "'",
        "skipInitialSpace": True,
        "commentChar": "#",
        "doubleQuote": False,
        "escapeChar": "\\",
        "lineTerminator": "\r\n",
    }
    resource = {"name": "a", "path": "a.csv", "encoding": "latin-1", "dialect": dialect}
    found = statements(imported({"resources": [resource]}))
    assert found[:9] == [
        "Col Delim = ;",
        "Quote = '",
        "Escape = \\\\",
        "Escapes = everywhere",
        "Trim = left",
        "Comment = #",
        "Blank Rows = keep",
        "Encoding = latin-1",
        "Padding = strict",
    ]


def test_an_escape_acts_outside_quotes_too(tmp_path: Path) -> None:
    dialect = {"escapeChar": "\\", "doubleQuote": False}
    resource = {"name": "a", "path": "a.csv", "dialect": dialect}
    fields = [{"name": "n", "type": "integer"}, {"name": "of", "type": "string"}]
    package = imported({"resources": [{**resource, "schema": {"fields": fields}}]})
    assert verdict(package, 'n,of\n1,x\\,y\n2,"a\\"b"\n', tmp_path / "a.csv") == []
    assert verdict(package, "n,of\n1,x,y\n", tmp_path / "a.csv") == [(2, 3)]


def test_several_header_rows(tmp_path: Path) -> None:
    """A label may be split over the rows of the header, with blanks or repeats."""
    schema = {"fields": [{"name": "a b"}, {"name": "c", "type": "integer"}]}
    dialect = {"headerRows": [1, 2], "headerJoin": " "}
    resource = {"name": "a", "path": "a.csv", "schema": schema, "dialect": dialect}
    package = imported(resource)
    data = tmp_path / "a.csv"
    assert verdict(package, "a,c\nb,c\nx,1\n", data) == []
    assert verdict(package, "a,c\nb,\nx,1\n", data) == []
    assert verdict(package, "a,c\nc,\nx,y\n", data) == [(2, 1), (3, 2)]


@pytest.mark.parametrize(
    ("mode", "labels", "is_valid"),
    [
        ("exact", "a,b", True),
        ("exact", "b,a", False),
        ("exact", "a", False),
        ("equal", "b,a", True),
        ("equal", "b,a,c", False),
        ("equal", "b", False),
        ("subset", "c,b,a", True),
        ("subset", "c,b", False),
        ("superset", "b", True),
        ("superset", "b,c", False),
        ("partial", "c,b", True),
        ("partial", "c,d", False),
    ],
)
def test_fields_match(mode: str, labels: str, is_valid: bool, tmp_path: Path) -> None:
    """Which labels there must and may be."""
    package = of_fields({"name": "a"}, {"name": "b"}, fieldsMatch=mode)
    row = ",".join("x" for _ in labels.split(","))
    assert (verdict(package, f"{labels}\n{row}\n", tmp_path / "a.csv") == []) == is_valid


def test_columns_are_found_by_label(tmp_path: Path) -> None:
    """With `equal`, a field is the column that has its label."""
    package = of_fields({"name": "a", "type": "integer"}, {"name": "b"}, fieldsMatch="equal")
    assert verdict(package, "b,a\nx,y\n", tmp_path / "a.csv") == [(2, 2)]


def test_an_empty_list_has_no_length(tmp_path: Path) -> None:
    """An empty cell is a missing value, which constraints do not see."""
    field = {"name": "a", "type": "list", "constraints": {"minLength": 2, "unique": True}}
    for missing, is_valid in ((None, True), (["", "NA"], True), (["NA"], False)):
        given = {} if missing is None else {"missingValues": missing}
        package = of_fields(field, {"name": "b"}, **given)
        found = verdict(package, 'a,b\n"x,y",1\n,2\n,3\n', tmp_path / "t.csv")
        assert (found == []) is is_valid, (missing, found)


def test_a_value_in_a_column_that_is_no_field_fills_a_row(tmp_path: Path) -> None:
    one = {"name": "a", "type": "integer", "missingValues": ["", "-"]}
    package = of_fields(one, {"name": "b"}, fieldsMatch="partial")
    assert not verdict(package, "a,b,c\n-,,more\n", tmp_path / "a.csv")
    assert verdict(package, "a,b,c\n-,,\n", tmp_path / "a.csv") == [(2, None)]


def test_references(tmp_path: Path) -> None:
    """Foreign keys tie tables; violations name them."""
    (tmp_path / "towns.csv").write_text("id,name\n1,Bonn\n2,Ulm\n")
    (tmp_path / "people.csv").write_text("name,town\nAda,1\nBo,02\nCy,7\n")
    key = {"fields": "town", "reference": {"resource": "towns", "fields": "id"}}
    towns = {"fields": [{"name": "id", "type": "integer"}, {"name": "name"}]}
    fields = [{"name": "name"}, {"name": "town", "type": "integer"}]
    people = {"fields": fields, "foreignKeys": [key]}
    descriptor = {
        "resources": [
            {"name": "towns", "path": "towns.csv", "schema": towns},
            {"name": "people", "path": "people.csv", "schema": "people.json"},
        ]
    }
    (tmp_path / "people.json").write_text(json.dumps(people))
    path = tmp_path / "datapackage.json"
    path.write_text(json.dumps(descriptor))
    package = import_file(str(path))
    assert package.tie is not None
    assert statements(Package("", (package.tie,)))[0] == (
        "people(town and integer as Integer) ~>+ towns(id and integer as Integer)"
    )
    found = sculpt.validate_all(load(str(path)))
    (violation,) = [
        each for one in found.outcomes if isinstance(one, sculpt.Verdict) for each in one.violations
    ]
    assert (violation.row, violation.column, violation.found) == (4, 2, "7")


# ------------------------------------------------------------- what is not taken over


@pytest.mark.parametrize(
    ("field", "note"),
    [
        (
            {"type": "date", "format": "any"},
            'schema.json, /fields/0/format: field "a": the format `any` leaves open how a date is'
            " written",
        ),
        (
            {"type": "date", "format": "%j"},
            'schema.json, /fields/0/format: field "a": the format `%j` is not checked: `%j` has no'
            " counterpart",
        ),
        (
            {"type": "geojson"},
            'schema.json, /fields/0/type: field "a": GeoJSON is only checked to be a JSON object',
        ),
        (
            {"type": "string", "constraints": {"pattern": r"(a)\1"}},
            'schema.json, /fields/0/constraints/pattern: field "a", constraint pattern:'
            " a back-reference (`\\1`) is not regular",
        ),
        (
            {"type": "array", "constraints": {"jsonSchema": {}}},
            'schema.json, /fields/0/constraints/jsonSchema: field "a", constraint jsonSchema:'
            " values are not checked by a JSON Schema",
        ),
    ],
)
def test_notes(field: dict[str, Any], note: str) -> None:
    """What has no counterpart is a note with its JSON pointer, and a comment in the text."""
    package = of_fields({"name": "a", **field})
    assert messages(package) == [note]
    assert "% Not taken over: " in package.tables[0].text
    assert sculpt.Schema.parse(package.tables[0].text).lint == ()


@pytest.mark.parametrize("key", [{"primaryKey": ["a"]}, {"uniqueKeys": [["a"]]}])
def test_notes_of_keys(key: dict[str, Any]) -> None:
    """A key of values that are only compared as texts has a note."""
    package = of_fields({"name": "a", "type": "integer", "bareNumber": False}, **key)
    (message,) = messages(package)
    assert message.endswith(
        'field "a": two ways of writing one integer count as different in a key'
    )
    assert messages(of_fields({"name": "a", "type": "integer"}, **key)) == []


def test_blanks_around_numbers(tmp_path: Path) -> None:
    """They do not count: in types, constraints and keys, as the package has it."""
    limits = {"minimum": 5, "enum": [6, 7]}
    fields = [
        {"name": "a", "type": "integer", "constraints": limits},
        {"name": "b", "type": "number", "groupChar": ",", "constraints": {"maximum": 1000}},
    ]
    path = tmp_path / "data.csv"
    path.write_text('a,b\n 6,"1,000 "\n"7\t", 900\n06,NaN\n 4 ," 1,001"\n" ",x\n')
    package = of_fields(*fields, primaryKey="a", uniqueKeys=[["b"]])
    schema = sculpt.Schema.parse(package.tables[0].text)
    for engine in ("reference", "local"):
        found = sculpt.validate(schema, str(path), engine).violations
        kinds = sorted((each.row or 0, each.column or 0, each.code) for each in found)
        assert kinds == [
            (4, 1, "key"),
            *[(5, 1, "row-content")] * 2,
            (5, 2, "row-content"),
            *((6, column, "row-content") for column in (1, 2)),
        ]


def test_resources_that_are_no_tables() -> None:
    """They are left out, and a note says why."""
    package = imported(
        {"resources": [{"name": "a", "path": "a.csv"}, {"name": "b", "path": "b.pdf"}]}
    )
    assert [each.name for each in package.tables] == ["a"]
    assert messages(package) == [
        "datapackage.json, /resources/1: the resource is not a table of text: its format is `pdf`"
    ]


@pytest.mark.parametrize("is_package", [True, False])
def test_nothing_that_can_be_read(is_package: bool) -> None:
    """It is an error, with the reason for each resource."""
    table = {"name": "b", "path": "b.xlsx", "schema": {"fields": [{"name": "a"}]}}
    descriptor = {"resources": [{"name": "a", "data": [1]}, table]} if is_package else table
    found = problems(descriptor)
    assert found[0] == (
        "/resources: none of the resources can be read"
        if is_package
        else "/: the resource cannot be read"
    )
    assert found[-1].endswith("the resource is not a table of text: its format is `xlsx`")
    assert len(found) == (3 if is_package else 2)


def test_parts() -> None:
    """Each file of a resource is a table; the header of the first may be repeated."""
    schema = {"fields": [{"name": "a", "type": "integer"}], "primaryKey": "a"}
    package = imported({"name": "a", "path": ["1.csv", "2.csv"], "schema": schema})
    assert [(each.name, each.data) for each in package.tables] == [
        ("a", "1.csv"),
        ("a part 2", "2.csv"),
    ]
    assert "a <= col(1) and Data\n" in package.tables[1].text
    assert messages(package) == [
        "datapackage.json, /path: keys are checked in each part of the data on its own"
    ]


@pytest.mark.parametrize(
    ("data", "places"),
    [
        ("a,b\n1,x\n", []),
        ("1,x\n2,y\n", []),
        ("a,b\nx,1\n", [(2, 1)]),
        ("x,1\n", [(1, 1)]),
        ("a,c\n1,x\n", [(1, 2)]),
        ("a\n1,x\n", [(1, None)]),
        ("1,x\na,b\n", [(2, 1)]),
        ("1,b\na,x\n", [(2, 1)]),
    ],
)
def test_a_part_may_begin_with_the_header_again(
    data: str, places: list[tuple[int, int | None]], tmp_path: Path
) -> None:
    """Its first row is the header if its first cell is the first label, and is data otherwise."""
    fields = [{"name": "a", "type": "integer"}, {"name": "b"}]
    resource = {"name": "t", "path": ["1.csv", "2.csv"], "schema": {"fields": fields}}
    (_, part) = imported(resource).tables
    (tmp_path / "2.csv").write_text(data)
    schema = sculpt.Schema.parse(part.text)
    assert schema.lint == ()
    for engine in ("reference", "local"):
        found = sculpt.validate(schema, str(tmp_path / "2.csv"), engine)
        assert [(each.row, each.column) for each in found.violations] == places
        assert not found.warnings


def test_parts_whose_columns_have_the_order_of_labels(tmp_path: Path) -> None:
    """The labels of the first file decide, and they are not known; notes are there once."""
    fields = [{"name": "id", "type": "integer"}, {"name": "day", "type": "date", "format": "any"}]
    schema = {"fields": fields, "fieldsMatch": "equal"}
    package = imported({"name": "a", "path": ["1.csv", "2.csv", "3.csv"], "schema": schema})
    assert [each.rpartition(": ")[0] for each in messages(package)] == [
        "datapackage.json, /path: the cells of all files but the first are not checked",
        'datapackage.json, /schema/fields/1/format: field "day"',
    ]
    first, *others = (each.text for each in package.tables)
    assert "integer" in first
    for text in others:
        (tmp_path / "2.csv").write_text("today,1\n")
        assert sculpt.validate(sculpt.Schema.parse(text), str(tmp_path / "2.csv")).valid


def test_lengths_that_no_text_has() -> None:
    """A bound that the language cannot write changes nothing, or is a note."""
    field = {"name": "a", "constraints": {"maxLength": 10**12, "minLength": 10**12}}
    package = of_fields(field)
    sculpt.Schema.parse(package.tables[0].text)
    assert messages(package) == [
        'schema.json, /fields/0/constraints/minLength: field "a", constraint minLength: no text is'
        " compared with so large a length"
    ]


def test_an_empty_cell_is_no_binary_value(tmp_path: Path) -> None:
    """No text is Base64 of no bytes; by default it stands for no value, so no constraint holds."""
    field = {"name": "a", "format": "binary", "constraints": {"minLength": 4}}
    package = of_fields(field, {"name": "b"})
    assert verdict(package, "a,b\n,x\nYQ==,x\n", tmp_path / "a.csv") == []


V2 = "https://datapackage.org/profiles/2.0/tableschema.json"


def test_categories(tmp_path: Path) -> None:
    """They restrict a field of version 2, as `enum` does; version 1 has none."""
    fruit = [{"value": "apple", "label": "Apple"}, {"value": "pear"}]
    fields = (
        {"name": "fruit", "type": "string", "categories": fruit},
        {"name": "grade", "type": "integer", "categories": [1, 2], "categoriesOrdered": True},
    )
    package = of_fields(*fields, **{"$schema": V2})
    assert not messages(package)
    data = "fruit,grade\napple,02\n,\nplum,2\npear,3\n"
    assert verdict(package, data, tmp_path / "a.csv") == [(3, None), (4, 1), (5, 2)]
    assert 'field "grade", categories 1, 2 (schema.json' in package.tables[0].text
    assert [each.partition(": ")[2] for each in messages(of_fields(*fields))] == [
        "`categories` are not checked: version 1 of the standard has none"
    ] * 2
    wrong = {"name": "a", "type": "string", "categories": ["x", {"label": "y"}]}
    assert problems({"$schema": V2, "fields": [wrong]}) == [
        "/fields/0/categories/1: a text, a whole number, or an object with such a `value`,"
        " is expected, not an object"
    ]


# ------------------------------------------------------------- what is wrong


def test_all_errors_at_once() -> None:
    """Every error of a descriptor, each with its pointer."""
    fields = [
        {"name": "a", "type": "intger"},
        {"name": "a", "constraints": {"minLength": "3", "minimum": 3}},
        {"type": "string"},
        {"name": "b", "type": "integer", "constraints": {"minimum": "x", "enum": []}},
    ]
    key = {"fields": ["b"], "reference": {"resource": "x", "fields": ["c", "d"]}}
    schema = {"fields": fields, "primaryKey": ["z"], "foreignKeys": [key], "fieldsMatch": "some"}
    resources = [
        {"name": "r", "path": "r.csv", "schema": schema, "encoding": "utf-99"},
        {"name": "r", "path": "s.csv"},
        {"path": 3},
    ]
    assert problems({"resources": resources}) == [
        "/resources/0/schema/fields/0/type: there is no type `intger`",
        "/resources/0/schema/fields/1/constraints/minLength: `minLength` is a whole number from 0"
        " by the standard, not the text `3`",
        "/resources/0/schema/fields/1/constraints/minimum: the type `string` has no constraint"
        " `minimum`",
        "/resources/0/schema/fields/2: a field has a `name`",
        "/resources/0/schema/fields/3/constraints/enum: `enum` has at least one value",
        "/resources/0/schema/fields/1/name: another field has the name `a`; names are unique",
        "/resources/0/schema/primaryKey: there is no field `z`",
        "/resources/0/schema/fieldsMatch: `fieldsMatch` is one of exact, equal, subset, superset,"
        " partial, not the text `some`",
        "/resources/0/schema/foreignKeys/0: 1 and 2 fields cannot be compared",
        "/resources/0/encoding: there is no encoding `utf-99`",
        "/resources/1/name: another resource has the name `r`; names are unique",
        "/resources/2: a resource has a `name`",
        "/resources/2/path: `path` is a path, or an array of paths, not the number 3",
    ]


@pytest.mark.parametrize(
    ("field", "message"),
    [
        (
            {"type": "integer", "constraints": {"minimum": "x"}},
            "/fields/0/constraints/minimum: the text `x` is not a value of type `integer`",
        ),
        (
            {"type": "date", "constraints": {"enum": ["2020-02-30"]}},
            "/fields/0/constraints/enum/0: the text `2020-02-30` is not a value of type `date`",
        ),
        (
            {"type": "boolean", "trueValues": []},
            "/fields/0/trueValues: `trueValues` has at least one text",
        ),
        (
            {"type": "number", "groupChar": "."},
            "/fields/0/groupChar: `groupChar` is the decimal character as well",
        ),
        ({"required": True}, "/fields/0/required: `required` is a constraint"),
        (
            {"constraints": {"pattern": "[a-"}},
            "/fields/0/constraints/pattern: `pattern` is no regular expression: "
            "unterminated character set at position 0",
        ),
    ],
)
def test_wrong_fields(field: dict[str, Any], message: str) -> None:
    """What the standard does not allow is an error at its place."""
    assert problems({"fields": [{"name": "a", **field}]}) == [message]


def test_a_field_is_named_once_in_a_hint() -> None:
    with pytest.raises(SchemaError) as caught:
        imported({"fields": [{"name": "a"}, {"name": "a"}], "primaryKey": "b"})
    assert "the fields are a" in [each.hint for each in caught.value.diagnostics]


def test_errors_have_a_line_and_a_caret() -> None:
    """An error shows the line of the descriptor."""
    with pytest.raises(SchemaError) as caught:
        import_bytes("t.json", b'{"fields": [\n  {"name": "a", "type": "x"}\n]}', "frictionless")
    assert caught.value.diagnostics[0].render().splitlines()[:3] == [
        "t.json:2:25: error [foreign-meaning]: /fields/0/type: there is no type `x`",
        ' 2 |   {"name": "a", "type": "x"}',
        "   |                         ^^^",
    ]


def test_references_to_files(tmp_path: Path) -> None:
    """A schema outside the folder is refused, one that refers on is an error."""
    path = tmp_path / "inner" / "datapackage.json"
    path.parent.mkdir()
    resource = {"name": "a", "path": "a.csv", "schema": "../schema.json"}
    path.write_text(json.dumps({"resources": [resource]}))
    with pytest.raises(UsageError, match="outside the folder"):
        import_file(str(path))
    (path.parent / "schema.json").write_text('"schema.json"')
    path.write_text(json.dumps({"resources": [{**resource, "schema": "schema.json"}]}))
    with pytest.raises(SchemaError) as caught:
        import_file(str(path))
    assert caught.value.diagnostics[0].code == "foreign-limit"


# ------------------------------------------------------------- which files these are


@pytest.mark.parametrize(
    ("value", "is_known"),
    [
        ({"resources": []}, True),
        ({"fields": []}, True),
        ({"name": "a", "path": "a.csv"}, True),
        ({"$schema": "https://datapackage.org/profiles/2.0/datapackage.json"}, True),
        ({"@context": "http://www.w3.org/ns/csvw", "fields": []}, False),
        ({"name": "a"}, False),
        ([], False),
    ],
)
def test_recognises(value: Any, is_known: bool) -> None:
    """By content, and CSVW is something else."""
    document = JsonDocument.parse("x", json.dumps(value).encode())
    assert recognises(document) == is_known


# ------------------------------------------------------------- the file


@pytest.mark.parametrize(("size", "faults"), [(4, []), (5, ["`4` = `5` is false)"])])
def test_bytes_and_hash(tmp_path: Path, size: int, faults: list[str]) -> None:
    """The size and the check sum of the file are conditions, which look in the package's folder."""
    (tmp_path / "t.csv").write_bytes(b"a\n1\n")
    digest = hashlib.md5(b"a\n1\n").hexdigest()
    resource = {"name": "t", "path": "t.csv", "bytes": size, "hash": digest}
    path = tmp_path / "datapackage.json"
    path.write_text(json.dumps({"resources": [resource]}))
    table = import_file(str(path)).tables[0]
    assert f'require(file-size("t.csv") = {size})' in table.text
    assert table.origins["require:1"].kind == "byte-count"
    (outcome,) = sculpt.validate_all(load(str(path))).outcomes
    assert isinstance(outcome, sculpt.Verdict)
    assert [each.message.rpartition(": ")[2] for each in outcome.violations] == faults


def test_bytes_of_what_is_no_single_file() -> None:
    """A size and a check sum of several files are each a note."""
    resource = {"name": "t", "path": ["a.csv", "b.csv"], "bytes": 4, "hash": "00"}
    assert messages(imported({"resources": [resource]})) == [
        f"datapackage.json, /resources/0/{name}:"
        f" `{name}` is only checked for a resource that is one local file"
        for name in ("bytes", "hash")
    ]
