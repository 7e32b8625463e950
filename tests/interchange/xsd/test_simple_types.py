"""Simple types of XML Schema: the tokens they become, and what is refused or noted."""

# ruff: noqa: E501 (XML)
from __future__ import annotations

from pathlib import Path

import pytest

import sculpt
from sculpt.errors import DataError, SchemaError, UsageError
from sculpt.interchange.access import Access
from sculpt.interchange.model import Package
from sculpt.interchange.packages import import_bytes, import_file

HEAD = '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t" xmlns="urn:t"'
HEAD += ' targetNamespace="urn:t">\n'


def imported(body: str) -> Package:
    return import_bytes("t.xsd", f"{HEAD}{body}\n</xs:schema>".encode())


def statements(body: str) -> list[str]:
    """The statements of the schema that types become, without comments."""
    (table,) = imported(body).tables
    schema = sculpt.Schema.parse(table.text)
    assert schema.lint == ()
    assert schema.format() == table.text
    return [line for line in table.text.splitlines() if line and not line.startswith("%")]


def problems(body: str) -> list[tuple[str, int, int, str]]:
    with pytest.raises(SchemaError) as caught:
        imported(body)
    return [
        (each.code, each.span.line, each.span.column, each.message)
        for each in caught.value.diagnostics
    ]


def restriction(base: str, *facets: tuple[str, str], name: str = "a") -> str:
    inner = "".join(f'<xs:{facet} value="{value}"/>' for facet, value in facets)
    return (
        f'<xs:simpleType name="{name}"><xs:restriction base="{base}">{inner}</xs:restriction>'
        "</xs:simpleType>"
    )


@pytest.mark.parametrize(
    ("base", "facets", "statement"),
    [
        ("xs:integer", [("minInclusive", "0"), ("maxExclusive", "130")],
         "a := 0 <= xs:integer < 130"),
        ("xs:date", [("minExclusive", "2010-01-01")], "a := xs:date > 2010-01-01"),
        ("xs:token", [("minLength", "1"), ("maxLength", "8")], "a := 1 <= length(xs:token) <= 8"),
        ("xs:hexBinary", [("length", "4")], "a := length(xs:hexBinary) = 4"),
        ("xs:decimal", [("totalDigits", "6"), ("fractionDigits", "2")],
         "a := digits(xs:decimal) <= 6 and decimals(xs:decimal) <= 2"),
        ("xs:string", [("pattern", r"\d{5}")], r"a = \p{Nd}{5}"),
        ("xs:int", [("pattern", r"\d{5}"), ("pattern", "0")], r"a := xs:int and (/\d{5}/ or /0/)"),
        ("xs:token", [("enumeration", "red"), ("enumeration", " dark  blue ")],
         'a := "red" or "dark blue"'),
        ("xs:decimal", [("enumeration", "1.0"), ("enumeration", "2")],
         "a := xs:decimal = 1.0 or xs:decimal = 2"),
        ("xs:float", [("enumeration", "NaN"), ("enumeration", "-INF")],
         "a := xs:float = NaN or xs:float = -INF"),
        ("xs:dateTime", [("explicitTimezone", "required")],
         r"a := xs:dateTime and /.*(Z|[+\-][0-9]{2}:[0-9]{2})/"),
        ("xs:dateTime", [("explicitTimezone", "prohibited")],
         r"a := xs:dateTime and not /.*(Z|[+\-][0-9]{2}:[0-9]{2})/"),
        ("xs:NMTOKENS", [("maxLength", "3")], "a := length(xs:NMTOKENS) <= 3"),
        ("xs:string", [], "a = .*"),
        ("xs:anySimpleType", [], "a = .*"),
        ("xs:string", [("whiteSpace", "preserve")], "a = .*"),
        ("xs:date", [], "a := xs:date"),
    ],
)  # fmt: skip
def test_facets(base: str, facets: list[tuple[str, str]], statement: str) -> None:
    assert statements(restriction(base, *facets)) == [statement]


def test_chains_lists_and_unions() -> None:
    body = f"""{restriction("t:b", ("minInclusive", "18"))}
{restriction("xs:integer", ("minInclusive", "0"), name="b")}
<xs:simpleType name="l"><xs:list itemType="a"/></xs:simpleType>
<xs:simpleType name="few"><xs:restriction base="l"><xs:maxLength value="2"/></xs:restriction></xs:simpleType>
<xs:simpleType name="u"><xs:union memberTypes="a xs:boolean"><xs:simpleType>
<xs:restriction base="xs:token"><xs:enumeration value="n/a"/></xs:restriction></xs:simpleType></xs:union></xs:simpleType>
<xs:simpleType name="ul"><xs:list><xs:simpleType><xs:union memberTypes="a b"/></xs:simpleType></xs:list></xs:simpleType>
<xs:simpleType name="uv"><xs:restriction base="u"><xs:enumeration value="true"/><xs:enumeration value="20"/>
<xs:enumeration value="n/a"/></xs:restriction></xs:simpleType>"""
    assert statements(body) == [
        "b := xs:integer >= 0",
        "a := b >= 18",
        "l := list(a)",
        "few := length(l) <= 2",
        'u := a or xs:boolean or "n/a"',
        "ul := list(a or b)",
        'uv := xs:boolean = true and not a or a = 20 or "n/a"',
    ]


def test_elements_and_attributes() -> None:
    body = f"""{restriction("xs:token", ("maxLength", "5"), name="code")}
<xs:element name="id" type="code"/><xs:element name="code" type="code"/>
<xs:attribute name="unit"><xs:simpleType><xs:restriction base="xs:token"><xs:enumeration value="m"/>
</xs:restriction></xs:simpleType></xs:attribute>
<xs:element name="person"><xs:complexType><xs:sequence><xs:element name="name" type="xs:string"/>
<xs:element name="born"><xs:simpleType><xs:restriction base="xs:date"><xs:minInclusive value="1900-01-01"/>
</xs:restriction></xs:simpleType></xs:element></xs:sequence></xs:complexType></xs:element>
<xs:complexType name="Group"/>"""
    assert statements(body) == [
        "code := length(xs:token) <= 5",
        "id := code",
        'unit := "m"',
        "born := xs:date >= 1900-01-01",
    ]
    notes = [(note.message, note.place.line) for note in imported(body).all_notes]
    assert notes == [
        ("the element `person`: a table has no elements in elements", 6),
        ("the complex type `Group`: a table has no elements in elements", 9),
    ]


def test_documentation_becomes_comments() -> None:
    body = """<xs:simpleType name="a"><xs:annotation><xs:documentation>Years
   of age.</xs:documentation></xs:annotation><xs:restriction base="xs:byte"/></xs:simpleType>"""
    (table,) = imported(body).tables
    assert '% Years of age.\n% simpleType "a" (t.xsd:2)\na := xs:byte\n' in table.text


def test_names_that_mean_something_are_changed() -> None:
    body = restriction("xs:byte", name="row") + restriction("xs:short", name="Date")
    assert statements(body) == ["row-2 := xs:byte", "Date-2 := xs:short"]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (restriction("xs:decimal", ("whiteSpace", "collapse")), None),
        (restriction("xs:string", ("whiteSpace", "collapse")),
         "simpleType `a`, white space in cells stays as it is: collapse is not applied"),
        (restriction("xs:string", ("pattern", "a{20000}")),
         "simpleType `a`, pattern, character 2: a count is above 10,000"),
        ('<xs:simpleType name="a"><xs:restriction base="xs:int"><xs:assertion test="$value > 1"/>'
         "</xs:restriction></xs:simpleType>", "an assertion is an expression of XPath"),
        ('<xs:redefine schemaLocation="x.xsd"/>', "`xs:redefine` changes types of another document"),
        ('<xs:import namespace="urn:o"/><xs:element xmlns:o="urn:o" name="e" type="o:x"/>',
         "the type `x` of urn:o"),
        ('<xs:simpleType name="a"><xs:restriction><xs:simpleType><xs:list itemType="xs:int"/>'
         '</xs:simpleType><xs:enumeration value="1 2"/></xs:restriction></xs:simpleType>',
         "simpleType `a`, the lists of an enumeration are compared as texts"),
    ],
)  # fmt: skip
def test_what_is_not_taken_over_is_noted(body: str, message: str | None) -> None:
    package = imported(body)
    assert [note.message for note in package.all_notes] == ([] if message is None else [message])
    if message is not None:
        assert message in " ".join(package.tables[0].text.replace("\n%", "").split())


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (restriction("t:b"), "there is no type `b`"),
        (restriction("xs:integr"), "there is no type `xs:integr`"),
        (restriction("q:b"), "the prefix `q` is not declared"),
        (restriction("xs:int", ("minInclusive", "x")), "`minInclusive`: `x` is not a value of `xs:int`"),
        (restriction("xs:int", ("length", "-1")), "`-1` is not a number of characters or items"),
        (restriction("xs:int", ("length", "1")), "`length`: `xs:int` has no length"),
        (restriction("xs:string", ("minInclusive", "a")),
         "`minInclusive`: `xs:string` has no order, so `>=` cannot be used"),
        (restriction("xs:int", ("minInclusive", "5"), ("maxInclusive", "3")),
         "simpleType `a`: no value is both `>= 5` and `<= 3`"),
        (restriction("xs:string", ("pattern", "(")), "pattern, character 1: this group never closes"),
        (restriction("xs:date", ("enumeration", "today")),
         "`enumeration`: `today` is not a value of `xs:date`"),
        (restriction("xs:int", ("minimum", "1")), "there is no facet `minimum`"),
        ('<xs:simpleType name="a"/>', "the type says nothing about its values"),
        ('<xs:simpleType name="a"><xs:union/></xs:simpleType>',
         "a `union` has `memberTypes` or a type in it"),
        ("<xs:simpleType><xs:list itemType='xs:int'/></xs:simpleType>", "a `simpleType` at the top has a name"),
        (restriction("xs:int") + restriction("xs:int"), "the type `a` is defined already, on line 2"),
        ('<xs:complexType name="c"/>' + restriction("c"), "the type `c` is not simple"),
        ('<xs:simpleType name="a"><xs:restriction><xs:simpleType><xs:union memberTypes="xs:int xs:date"/>'
         '</xs:simpleType><xs:enumeration value="x"/></xs:restriction></xs:simpleType>',
         "`x` is a value of no type of the union"),
    ],
)  # fmt: skip
def test_what_is_wrong(body: str, message: str) -> None:
    found = problems(body)
    assert [(code, line, text) for code, line, _, text in found] == [
        ("foreign-meaning", 2, message)
    ]


def test_all_errors_come_at_once() -> None:
    body = "\n".join(restriction(f"t:x{n}", name=f"a{n}") for n in range(3))
    assert [(line, text) for _, line, _, text in problems(body)] == [
        (2, "there is no type `x0`"), (3, "there is no type `x1`"), (4, "there is no type `x2`"),
    ]  # fmt: skip


# ------------------------------------------------------------- bad input


def test_types_made_of_themselves() -> None:
    body = restriction("b", name="a") + restriction("a", name="b")
    assert problems(body) == [("foreign-limit", 2, 1, "the type `a` is made of itself")]


def test_long_chains_are_refused() -> None:
    body = restriction("xs:int", name="t0")
    body += "".join(restriction(f"t{n}", name=f"t{n + 1}") for n in reversed(range(1000)))
    found = problems(body)
    assert found[0][0] == "foreign-limit"
    assert found[0][3].endswith("is made of more than 40")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('<!DOCTYPE s [<!ENTITY a "b">]><s>&a;</s>', "foreign-access"),
        ('<!DOCTYPE s SYSTEM "http://example.org/x.dtd"><s/>', "foreign-access"),
        (HEAD + "<xs:simpleType>" * 100_000, "foreign-limit"),
        (HEAD, "foreign-syntax"),
        ("<xs:schema/>", "foreign-syntax"),
        ("<schema/>", "foreign-syntax"),
    ],
)
def test_bad_xml_is_refused(text: str, code: str) -> None:
    with pytest.raises(SchemaError) as caught:
        import_bytes("t.xsd", text.encode(), "xsd")
    assert [each.code for each in caught.value.diagnostics] == [code]


# ------------------------------------------------------------- several documents


def write(folder: Path, name: str, body: str, namespace: str = ' targetNamespace="urn:t"') -> Path:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    head = '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns="urn:t"'
    path.write_text(f"{head}{namespace}>\n{body}</xs:schema>")
    return path


def test_includes_may_be_circular(tmp_path: Path) -> None:
    include = '<xs:include schemaLocation="{}"/>'
    path = write(tmp_path, "a.xsd", include.format("in/b.xsd") + restriction("b"))
    write(tmp_path, "in/b.xsd", include.format("c.xsd") + restriction("c", name="b"))
    write(tmp_path, "in/c.xsd", include.format("b.xsd") + restriction("xs:byte", name="c"), "")
    (table,) = import_file(str(path)).tables
    lines = [line for line in table.text.splitlines() if ":=" in line]
    assert lines == ["c := xs:byte", "b := c", "a := b"]


def test_imports_have_another_namespace(tmp_path: Path) -> None:
    body = '<xs:import namespace="urn:o" schemaLocation="o.xsd"/>'
    body += '<xs:element xmlns:o="urn:o" name="e" type="o:a"/>'
    path = write(tmp_path, "a.xsd", body)
    write(tmp_path, "o.xsd", restriction("xs:byte"), ' targetNamespace="urn:o"')
    assert "e := a" in import_file(str(path)).tables[0].text
    write(tmp_path, "o.xsd", restriction("xs:byte"), ' targetNamespace="urn:p"')
    with pytest.raises(SchemaError, match="has the target namespace `urn:p`, not `urn:o`"):
        import_file(str(path))


def test_what_may_be_read(tmp_path: Path) -> None:
    path = write(tmp_path, "in/a.xsd", '<xs:include schemaLocation="../b.xsd"/>')
    write(tmp_path, "b.xsd", restriction("xs:byte"))
    with pytest.raises(UsageError, match="--allow-outside"):
        import_file(str(path))
    assert (
        "a := xs:byte" in import_file(str(path), access=Access(allow_outside=True)).tables[0].text
    )
    write(tmp_path, "in/a.xsd", '<xs:include schemaLocation="none.xsd"/>')
    with pytest.raises(DataError, match=r"a.xsd:2, `xs:include`: .*none.xsd: cannot be read"):
        import_file(str(path))
    write(tmp_path, "in/a.xsd", '<xs:include schemaLocation="http://example.org/x.xsd"/>')
    with pytest.raises(UsageError, match="--allow-http"):
        import_file(str(path))


def test_the_number_of_documents_is_bounded(tmp_path: Path) -> None:
    for n in range(205):
        write(tmp_path, f"d{n}.xsd", f'<xs:include schemaLocation="d{n + 1}.xsd"/>')
    with pytest.raises(SchemaError, match="more than 200 documents are included"):
        import_file(str(tmp_path / "d0.xsd"))


def test_counts_that_multiply_to_too_many_are_a_note() -> None:
    """The type stays, without its pattern."""
    package = imported(restriction("xs:string", ("pattern", "(a{1000}){1000}")))
    (note,) = package.all_notes
    assert (note.message, note.place.line) == (
        "simpleType `a`, pattern: the repetitions multiply to 1,000,000 characters; the limit is"
        " 100,000",
        2,
    )
    sculpt.Schema.parse(package.tables[0].text)
