"""The builder of schemas: names that are free, text that is formatted, origins in order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sculpt
from sculpt.diagnostics import Source
from sculpt.interchange.builder import Loop, NamePool, SchemaBuilder, literal
from sculpt.interchange.model import Note, Origin, Spot, TableText
from sculpt.syntax import ast

TYPE = Origin('column "GID", datatype integer', Spot("t.json", "/columns/0/datatype"))
LEAST = Origin('column "GID", datatype minimum 10', Spot("t.json", "/columns/0/datatype"))
KEY = Origin("primaryKey", Spot("t.json", "/primaryKey"), "primary-key", 1, "GID")
BOTH = Origin("if($a, $b)", Spot("t.csvs", line=4))


def trees() -> TableText:
    builder = SchemaBuilder("Trees of a town.\nImported from t.json")
    builder.directive("Col Delim", "\t")
    builder.directive("Trim", "none")
    gid = builder.region("GID", "col(1) and not row(1)")
    builder.rule(gid, "Integer", TYPE)
    least = builder.derived("gid", "Integer >= 10")
    builder.rule(f"{gid} and Integer", least, LEAST, severity="warning")
    builder.key([gid], KEY)
    builder.require(f"r[{gid}] != {literal('7')}", BOTH, loop=Loop())
    builder.note(Note("the geometry", Spot("t.json", "/columns/1"), "write a token"))
    return builder.build("Trees", "trees.csv")


def test_the_message_of_a_long_condition_has_a_line_of_its_own() -> None:
    builder = SchemaBuilder("")
    for count in (10, 60):
        builder.require(f"r[a] != {literal('7' * count)}", BOTH, loop=Loop())
    builder.rule("col(1)", "Integer", TYPE)
    text = builder.build("a").text
    message = '! "if($a, $b) (t.csvs:4)"'
    assert f'  require(r[a] != "{"7" * 10}") {message}\n' in text
    assert f'  require(r[a] != "{"7" * 60}")\n    {message}\n' in text
    assert sculpt.format_text(text) == text


def test_the_text_is_formatted_and_commented() -> None:
    text = trees().text
    assert sculpt.format_text(text) == text
    assert text == (
        "% Trees of a town.\n"
        "% Imported from t.json\n"
        "\n"
        "Col Delim = \\t\n"
        "Trim = none\n"
        "GID <= col(1) and not row(1)\n"
        '% column "GID", datatype integer (t.json, /columns/0/datatype)\n'
        "GID -> Integer\n"
        "gid := Integer >= 10\n"
        '% column "GID", datatype minimum 10 (t.json, /columns/0/datatype)\n'
        "GID and Integer -> gid ! warning\n"
        "% primaryKey (t.json, /primaryKey)\n"
        "key(GID)\n"
        "\n"
        "% Not taken over: the geometry (t.json, /columns/1). Write a token.\n"
        "\n"
        "For each row r in not row(1) {\n"
        '  require(r[GID] != "7") ! "if($a, $b) (t.csvs:4)"\n'
        "}\n"
    )


def test_violations_name_what_a_statement_was(tmp_path_factory: pytest.TempPathFactory) -> None:
    made = trees()
    schema = sculpt.Schema.imported(Source("t.json", made.text, origins=made.origins))
    data = tmp_path_factory.mktemp("trees") / "trees.csv"
    data.write_text("GID\tname\nx\t1\n5\t2\n7\t3\n7\t4\n")
    for engine in ("local", "reference"):
        verdict = sculpt.validate(schema, data, engine)
        assert [each.message for each in verdict.violations] == [
            f"{TYPE} (found `x`, expected Integer)",
            f"{LEAST} (found `5`, expected gid)",
            f"{BOTH} (`if($a, $b)` does not hold: `7` != `7` is false)",
            f"{LEAST} (found `7`, expected gid)",
            f"{KEY} (`7` is in the key already: it is first at (4,1))",
            f"{BOTH} (`if($a, $b)` does not hold: `7` != `7` is false)",
            f"{LEAST} (found `7`, expected gid)",
        ]
    assert schema.origins["key:1"] == KEY
    assert [each.ending.origin for each in schema.requires] == [BOTH]


WISHES = st.text(max_size=12) | st.sampled_from(
    [
        "and", "row", "cell", "Date", "xs:date", "Col Delim", "Column Delimiter", "print it",
        "key", "For each", "a and b", "net/gross", "-", "", "%", "x" * 200, "Größe (cm)", "1", "ε",
        "include x", "unique", "Total:", "true", "Trim", "Quotes", "a  b", "not",
    ]
)  # fmt: skip


@given(st.lists(WISHES, max_size=6), st.sampled_from(["=", ":=", "<="]))
def test_every_name_that_is_given_out_can_be_defined(wishes: list[str], sign: str) -> None:
    builder = SchemaBuilder("")
    define = {"=": builder.token, ":=": builder.derived, "<=": builder.region}[sign]
    meaning = {"=": "a{%d}", ":=": "length(Text) = %d", "<=": "col(%d)"}[sign]
    names = [define(wish, meaning % number) for number, wish in enumerate(wishes, 1)]
    assert len({*names}) == len(names)
    schema = sculpt.Schema.parse(builder.build("T").text)
    kinds = ast.TokenDefinition | ast.DerivedDefinition | ast.TypeDefinition
    assert [each.name for each in schema.statements if isinstance(each, kinds)] == names


def test_the_same_definition_has_one_name() -> None:
    builder = SchemaBuilder("")
    assert builder.token("code", "[A-Z]") == builder.token("other", "[A-Z]") == "code"
    assert builder.token("code", "[a-z]") == "code-2"


def test_names_that_are_taken_are_not_given_out() -> None:
    assert NamePool(["Trees"]).name("Trees") == "Trees-2"
    assert NamePool().name("%&", "table") == "table"


@pytest.mark.parametrize(
    ("wish", "name"),
    [
        ("decimal minimum -90", "decimal minimum minus 90"),
        ("decimal minimum -.5", "decimal minimum minus 5"),
        ("duration maximum -PT5M", "duration maximum minus PT5M"),
        ("double minimum -INF", "double minimum minus INF"),
        ("date minimum 2012-04-01", "date minimum 2012-04-01"),
        ("gMonthDay --04-01", "gMonthDay 04-01"),
        ("a - b", "a b"),
        ("well-known -old", "well-known old"),
    ],
)
def test_the_sign_of_a_number_is_a_word(wish: str, name: str) -> None:
    assert NamePool().name(wish) == name


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=3))
def test_a_directive_keeps_its_value(value: str) -> None:
    builder = SchemaBuilder("")
    builder.directive("Comment", value)
    if any(ord(char) > 0xFFFF and not char.isprintable() for char in value):
        return  # directives have no escape for these
    assert sculpt.Schema.parse(builder.build("T").text).core.dialect.comment == value
