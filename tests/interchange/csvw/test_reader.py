"""Metadata is read by the letter: each mistake is an error or a warning, with its place."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sculpt.errors import DataError
from sculpt.interchange.csvw.model import Bound, TableGroup
from sculpt.interchange.csvw.problems import Problems
from sculpt.interchange.csvw.reading.reader import read_group

URL = "http://example.org/data/m.json"
CONTEXT = "http://www.w3.org/ns/csvw"
LINKED = {
    "http://example.org/data/schema.json": {
        "@context": [CONTEXT, {"@language": "de"}],
        "columns": [{"name": "a", "titles": "Ä"}],
    },
    "http://example.org/data/list.json": [1],
}


def load(url: str) -> Any:
    if url not in LINKED:
        raise DataError(f"{url}: there is nothing (status 404)", url)
    return LINKED[url]


def read(value: Any, **members: Any) -> tuple[TableGroup | None, list[str]]:
    """The group of a document, and its problems as `error /pointer: message`."""
    problems = Problems()
    if isinstance(value, dict):
        value = {"@context": CONTEXT, **value, **members}
    group = read_group(value, URL, load, problems)
    return group, [
        f"{each.severity} {each.place.pointer or '/'}: {each.message}" for each in problems.all
    ]


def table(**members: Any) -> tuple[TableGroup, list[str]]:
    group, problems = read({"url": "t.csv", **members})
    assert group is not None
    return group, problems


def column(**members: Any) -> tuple[Any, list[str]]:
    group, problems = table(tableSchema={"columns": [members]})
    return group.tables[0].schema.columns[0], problems


def test_defaults() -> None:
    found, problems = column()
    assert problems == []
    assert (found.name, found.null, found.lang, found.datatype.base) == (
        "_col.1",
        ("",),
        "und",
        "string",
    )
    assert not any((found.required, found.virtual, found.ordered, found.suppress_output))


@pytest.mark.parametrize(
    ("members", "problem"),
    [
        ({"null": 1}, "warning /null: `null` must be a string or an array, not `1`: it is ignored"),
        ({"null": ["x", 1]}, "warning /null/1: `null` must have strings: `1` is ignored"),
        ({"lang": "a-bad"}, '`lang` must be a language tag (BCP 47), not `"a-bad"`: it is ignored'),
        ({"textDirection": "up"}, "one of `ltr`, `rtl`, `auto`, `inherit`"),
        ({"required": "yes"}, '`required` must be `true` or `false`, not `"yes"`: it is ignored'),
        ({"ordered": 1}, "`ordered` must be `true` or `false`, not `1`: it is ignored"),
        ({"separator": 1}, "`separator` must be a string or `null`, not `1`: it is ignored"),
        ({"default": 1}, "`default` must be a string, not `1`: it is ignored"),
        ({"aboutUrl": 1}, "`aboutUrl` must be a string, not `1`: it is taken as an empty one"),
        ({"valueUrl": "{a"}, '`valueUrl` is not a URI template: `"{a"` is ignored'),
        ({"datatype": "foo"}, '`"foo"` is not a built-in datatype: it is ignored'),
        ({"datatype": 1}, "`datatype` must be the name of a datatype or an object, not `1`"),
        ({"name": "_x"}, '`"_x"` cannot be the name of a column: it is ignored'),
        ({"name": "a b"}, '`"a b"` cannot be the name of a column: it is ignored'),
        ({"titles": 1}, "`titles` must be a string, an array or an object, not `1`: it is ignored"),
        ({"titles": ["a", 1]}, "warning /titles/1: titles must be strings: `1` is ignored"),
        ({"titles": {"x y": "a"}}, "`x y` is no language tag (BCP 47): its titles are ignored"),
        ({"colour": "red"}, "a column has no property `colour`: it is ignored"),
        ({"url": "x"}, "a column has no property `url`: it is ignored"),
    ],
)
def test_what_is_a_warning_in_a_column(members: dict[str, Any], problem: str) -> None:
    found, problems = column(**members)
    assert len(problems) == 1
    assert problems[0].startswith("warning /tableSchema/columns/0/")
    assert problem.removeprefix("warning ").rpartition("/")[2] in problems[0]
    assert found.datatype.base == "string"


@pytest.mark.parametrize(
    ("members", "problem"),
    [
        ({"@id": "_:a"}, '/@id: `@id` must not start with `_:`, as `"_:a"` does'),
        ({"@type": "Row"}, '/@type: `@type` must be "Column" here, not `"Row"`'),
        ({"@context": CONTEXT}, "a context is allowed only at the top of a document"),
        ({"dc:x": {"@value": 1, "dc:y": 2}}, "an object with `@value` cannot have `dc:y`"),
        (
            {"dc:x": {"@value": "a", "@type": "string", "@language": "en"}},
            "both `@type` and `@language`",
        ),
        ({"dc:x": {"@value": []}}, "`@value` must be a string, a number or a boolean, not `[]`"),
        ({"dc:x": {"@value": "a", "@language": "a-b"}}, "`@language` must be a language tag"),
        ({"dc:x": {"@value": "a", "@type": "foo"}}, "must be a built-in datatype, a prefixed name"),
        ({"dc:x": {"@language": "en"}}, "`@language` needs an `@value` beside it"),
        ({"dc:x": [{"@set": []}]}, "/dc:x/0/@set: `@set` is not allowed in a common property"),
        ({"dc:x": {"@type": 1}}, "`@type` must be a term of CSVW, a prefixed name"),
        ({"dc:x": {"@type": "_:a"}}, "`@type` must be a term of CSVW"),
        ({"dc:x": {"@id": "_:a"}}, "`@id` must be a URL that does not start with `_:`"),
        ({"dc:x": {"_:a": 1}}, "a property cannot be the blank node `_:a`"),
        ({"datatype": {"@id": "_:a"}}, "/datatype/@id: `@id` must not start with `_:`"),
        (
            {"datatype": {"base": "string", "minimum": 1}},
            "`string` has no order, so it cannot have `minimum`",
        ),
        (
            {"datatype": {"base": "date", "length": 1}},
            "`date` has no length, so it cannot have `length`",
        ),
        ({"datatype": {"length": 1, "minLength": 2}}, "`minLength` 2 is greater than `length` 1"),
        (
            {"datatype": {"minLength": 3, "maxLength": 2}},
            "`minLength` 3 is greater than `maxLength` 2",
        ),
        (
            {"datatype": {"base": "integer", "minimum": 1, "minInclusive": 2}},
            "`minimum` and `minInclusive` are different",
        ),
        (
            {"datatype": {"base": "integer", "minimum": 1, "minExclusive": 0}},
            "`minimum` and `minExclusive` cannot both be given",
        ),
        (
            {"datatype": {"base": "integer", "minInclusive": 2, "maxInclusive": 1}},
            "`maxInclusive` 1 leaves nothing above `minInclusive` 2",
        ),
        (
            {"datatype": {"base": "date", "minimum": "2020-01-02", "maxExclusive": "2020-01-02"}},
            "`maxExclusive` 2020-01-02 leaves nothing above `minimum` 2020-01-02",
        ),
    ],
)
def test_what_is_an_error_in_a_column(members: dict[str, Any], problem: str) -> None:
    _, problems = column(**members)
    assert len(problems) == 1
    assert problems[0].startswith("error /tableSchema/columns/0")
    assert problem in problems[0]


@pytest.mark.parametrize(
    ("datatype", "problem"),
    [
        ({"base": "foo"}, '`base` must be a built-in datatype, not `"foo"`: `string` is used'),
        (
            {"base": "integer", "format": "["},
            '`"["` is not a pattern of numbers: the format is ignored',
        ),
        ({"base": "integer", "format": {"pattern": 1}}, "`1` is not a pattern of numbers"),
        ({"base": "decimal", "format": {"groupChar": 1}}, "`groupChar` must be a string, not `1`"),
        ({"base": "decimal", "format": 1}, "`format` must be a string or an object, not `1`"),
        ({"base": "boolean", "format": "YN"}, "is not two texts with `|` between them"),
        (
            {"base": "date", "format": "yy-MM-dd"},
            "is not a pattern of `date` that the standard knows",
        ),
        ({"base": "date", "format": "HH:mm"}, "is not a pattern of `date` that the standard knows"),
        ({"format": "("}, '`"("` is not a regular expression: the format is ignored'),
        ({"minLength": "3"}, "`minLength` must be a whole number that is not negative"),
        ({"base": "integer", "minimum": "x"}, '`minimum` must be a value of `integer`, not `"x"`'),
        (
            {"base": "integer", "minimum": True},
            "`minimum` must be a value of `integer`, not `true`",
        ),
        ({"unit": "kg"}, "a datatype has no property `unit`: it is ignored"),
    ],
)
def test_what_is_a_warning_in_a_datatype(datatype: dict[str, Any], problem: str) -> None:
    found, problems = column(datatype=datatype)
    assert len(problems) == 1
    assert problems[0].startswith("warning /tableSchema/columns/0/datatype")
    assert problem in problems[0]
    assert (found.datatype.format, found.datatype.bounds) == (None, ())


def test_names_of_datatypes_are_canonical() -> None:
    names = {
        "number": "double",
        "binary": "base64Binary",
        "datetime": "dateTime",
        "any": "anyAtomicType",
    }
    for name, canonical in names.items():
        assert column(datatype=name)[0].datatype.base == canonical


def test_bounds_are_texts() -> None:
    found, problems = column(datatype={"base": "decimal", "minimum": 1.50, "maxExclusive": "12"})
    assert problems == []
    assert found.datatype.bounds == (
        Bound(">=", "1.5", "minimum"),
        Bound("<", "12", "maxExclusive"),
    )


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        ([], "error /: metadata must be a JSON object, not `[]`"),
        ({}, "error /: metadata needs `tables`, for a group of tables, or `url`, for one table"),
        ({"tables": []}, "error /tables: `tables` must have at least one table"),
        ({"tables": [{}]}, "error /tables/0: a table needs a `url`, which is a string"),
        ({"url": "t.csv", "@context": "x"}, "error /@context: `@context` must be"),
        ({"url": "t.csv", "@context": None}, "error /@context: `@context` must be"),
        (
            {"url": "t.csv", "@context": [CONTEXT, {"dc": "x"}]},
            "error /@context/1/dc: a context cannot define `dc`",
        ),
        (
            {"url": "t.csv", "transformations": [{"url": "a", "scriptFormat": "b"}]},
            "error /transformations/0: a transformation needs `targetFormat`",
        ),
        (
            {"url": "t.csv", "tableSchema": "absent.json"},
            "error /tableSchema: `tableSchema` cannot be loaded:"
            " http://example.org/data/absent.json: there is nothing (status 404)",
        ),
        (
            {"url": "t.csv", "tableSchema": "list.json"},
            'error /tableSchema: `"list.json"` has no JSON object',
        ),
    ],
)
def test_what_is_an_error_at_the_top(document: Any, problem: str) -> None:
    _, problems = read(document)
    assert any(each.startswith(problem) for each in problems), problems


def test_tables_that_are_wrong_are_tables() -> None:
    _, problems = read({"tables": [{"url": 5}, {"url": 6}]})
    assert [each for each in problems if each.startswith("error")] == [
        "error /tables/0: a table needs a `url`, which is a string",
        "error /tables/1: a table needs a `url`, which is a string",
    ]


@pytest.mark.parametrize(
    ("members", "problem"),
    [
        ({"dialect": 1}, "warning /dialect: `dialect` must be an object or a URL, not `1`"),
        ({"dialect": {"header": 1}}, "warning /dialect/header: `header` must be `true` or `false`"),
        (
            {"dialect": {"encoding": "klingon"}},
            "warning /dialect/encoding: `encoding` must be the name",
        ),
        (
            {"dialect": {"skipRows": -1}},
            "warning /dialect/skipRows: `skipRows` must be a whole number",
        ),
        (
            {"dialect": {"trim": "both"}},
            "warning /dialect/trim: `trim` must be a boolean, or one of",
        ),
        (
            {"dialect": {"lineTerminators": 1}},
            "warning /dialect/lineTerminators: `lineTerminators` must",
        ),
        ({"notes": 1}, "warning /notes: `notes` must be an array, not `1`: it is taken as empty"),
        ({"tableDirection": "up"}, "warning /tableDirection: `tableDirection` must be one of"),
        (
            {"tableSchema": {"columns": 1}},
            "warning /tableSchema/columns: `columns` must be an array",
        ),
        (
            {"tableSchema": {"columns": [1]}},
            "warning /tableSchema/columns/0: the items of `columns` must",
        ),
        (
            {"tableSchema": {"primaryKey": "x"}},
            "warning /tableSchema/primaryKey: `primaryKey` refers to",
        ),
        (
            {"tableSchema": {"rowTitles": []}},
            "warning /tableSchema/rowTitles: `rowTitles` must be the name",
        ),
        (
            {"@context": [CONTEXT, {"@language": "a-b"}]},
            "warning /@context/1/@language: `@language` must",
        ),
        (
            {"dialect": {"delimiter": "'", "quoteChar": "'"}},
            "error /dialect/quoteChar: `quoteChar` is part of the delimiter",
        ),
        ({"@id": 1}, "warning /@id: `@id` must be a string, not `1`: it is ignored"),
        (
            {"unknown:x": 1},
            "warning /unknown:x: a table has no property `unknown:x`: it is ignored",
        ),
    ],
)
def test_what_is_wrong_in_a_table(members: dict[str, Any], problem: str) -> None:
    _, problems = table(**members)
    assert len(problems) == 1
    assert problems[0].startswith(problem)


def test_columns_have_distinct_names_and_virtual_ones_come_last() -> None:
    columns = [{"name": "a"}, {"name": "b", "virtual": True}, {"name": "a"}]
    assert table(tableSchema={"columns": columns})[1] == [
        "error /tableSchema/columns/2/name: the name `a` is that of an earlier column",
        "error /tableSchema/columns/2: virtual columns come last, but `b` comes before this one",
    ]


def test_properties_are_inherited_from_the_nearest_object() -> None:
    schema = {"null": "schema", "columns": [{"name": "a"}, {"name": "b", "null": "column"}]}
    tables = [{"url": "t.csv", "null": "table", "lang": "de", "tableSchema": schema}]
    group, problems = read({"tables": tables, "null": "group", "lang": "en", "required": True})
    assert group is not None
    assert problems == []
    first, second = group.tables[0].schema.columns
    assert (first.null, first.lang, first.required) == (("schema",), "de", True)
    assert second.null == ("column",)


def test_an_invalid_property_does_not_hide_that_of_an_outer_object() -> None:
    group, _ = table(null="x", tableSchema={"columns": [{"null": 1}]})
    assert group.tables[0].schema.columns[0].null == ("x",)


def test_links_are_resolved_and_loaded() -> None:
    context = [CONTEXT, {"@base": "../other/", "@language": "en"}]
    group, problems = table(**{"@context": context, "@id": "#x", "dc:source": {"@id": "dc:y"}})
    assert problems == []
    assert group.tables[0].url == "http://example.org/other/t.csv"
    assert group.tables[0].id == "http://example.org/other/#x"
    assert group.tables[0].common == (("dc:source", {"@id": "http://purl.org/dc/terms/y"}),)


def test_a_schema_in_a_document_of_its_own_has_its_own_language() -> None:
    group, problems = table(tableSchema="schema.json")
    assert problems == []
    schema = group.tables[0].schema
    assert schema.id == "http://example.org/data/schema.json"
    assert schema.columns[0].titles == (("de", ("Ä",)),)
    assert schema.columns[0].place.document == schema.id


def test_common_properties_are_normalised() -> None:
    value = ["a", {"@value": "b"}, 1, {"schema:name": "c"}]
    group, problems = table(**{"@context": [CONTEXT, {"@language": "en"}], "dc:title": value})
    assert problems == []
    assert group.tables[0].common == (
        (
            "dc:title",
            [
                {"@value": "a", "@language": "en"},
                {"@value": "b"},
                1,
                {"schema:name": {"@value": "c", "@language": "en"}},
            ],
        ),
    )


REFERRING = {"url": "a.csv", "tableSchema": {"columns": [{"name": "x"}]}}
REFERRED = {"url": "b.csv", "tableSchema": {"columns": [{"name": "y"}, {"titles": "z"}]}}


def references(key: Any) -> tuple[TableGroup, list[str]]:
    schema = {"columns": [{"name": "x"}], "foreignKeys": [key]}
    group, problems = read({"tables": [{"url": "a.csv", "tableSchema": schema}, REFERRED]})
    assert group is not None
    return group, problems


def test_a_foreign_key_is_resolved() -> None:
    group, problems = references(
        {"columnReference": "x", "reference": {"resource": "b.csv", "columnReference": ["y"]}}
    )
    assert problems == []
    (key,) = group.tables[0].schema.foreign_keys
    assert key.columns == ("x",)
    assert key.referenced_table == "http://example.org/data/b.csv"
    assert key.referenced_columns == ("y",)


@pytest.mark.parametrize(
    ("key", "problem"),
    [
        ({"columnReference": "x"}, "a foreign key needs a `reference`, which is an object"),
        (
            {"columnReference": "q", "reference": {}},
            '`columnReference` has `"q"`, which is the name',
        ),
        (
            {"columnReference": [], "reference": {}},
            "`columnReference` must be the name of a column",
        ),
        ({"columnReference": "x", "reference": {}}, "either `resource` or `schemaReference`"),
        (
            {"columnReference": "x", "reference": {"resource": "c.csv", "columnReference": "y"}},
            '`resource` `"c.csv"` is no table of this group',
        ),
        (
            {"columnReference": "x", "reference": {"resource": "b.csv", "columnReference": "z"}},
            '`columnReference` has `"z"`, which is the name of no column',
        ),
        (
            {
                "columnReference": "x",
                "reference": {"resource": "b.csv", "columnReference": ["y", "y"]},
            },
            "1 columns cannot refer to 2",
        ),
        (
            {
                "columnReference": "x",
                "reference": {"resource": "b.csv", "columnReference": "y"},
                "dc:a": 1,
            },
            "a foreign key cannot have `dc:a`",
        ),
    ],
)
def test_a_foreign_key_that_cannot_be_resolved_is_an_error(key: Any, problem: str) -> None:
    _, problems = references(key)
    assert len(problems) == 1
    assert problems[0].startswith("error /tables/0/tableSchema/foreignKeys/0")
    assert problem in problems[0]


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 3)
    | st.sampled_from(("", "x", "_:a", "integer", CONTEXT)),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(
            (
                "@context", "@id", "@type", "tables", "url", "tableSchema", "columns", "name",
                "titles", "datatype", "base", "format", "minimum", "length", "null", "separator",
                "dialect", "header", "foreignKeys", "reference", "columnReference", "primaryKey",
                "notes", "dc:x", "transformations", "virtual", "lang", "@value",
            )
        ),
        inner,
        max_size=4,
    ),
    max_leaves=20,
)  # fmt: skip


@given(JSON)
def test_any_json_is_read_without_an_exception(value: Any) -> None:
    group, problems = read(value)
    assert group is not None or any(each.startswith("error") for each in problems)
    assert json.dumps(value)
