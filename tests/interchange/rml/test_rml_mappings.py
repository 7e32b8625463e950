"""RML mappings: what they become, what they make on each engine, and what is wrong with them."""

# ruff: noqa: E501 - a case of Turtle is easier to read on one line

from __future__ import annotations

from pathlib import Path

import pytest
from suites.rml import difference, run_mapping

import sculpt
from sculpt.interchange import rml
from sculpt.interchange.access import Access
from sculpt.interchange.documents import TextDocument
from sculpt.interchange.load import load
from sculpt.interchange.model import Package
from sculpt.interchange.packages import files_of, tie_of
from sculpt.schema import format_text

OLD = """\
@prefix rr: <http://www.w3.org/ns/r2rml#> .
@prefix rml: <http://semweb.mmlab.be/ns/rml#> .
@prefix ql: <http://semweb.mmlab.be/ns/ql#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix csvw: <http://www.w3.org/ns/csvw#> .
@prefix ex: <http://ex.org/> .
@base <http://base.org/> .
"""
NEW = """\
@prefix rml: <http://w3id.org/rml/> .
@prefix ex: <http://ex.org/> .
"""
SHIPS = '<#Ship> rml:logicalSource [ rml:source "ships.csv"; rml:referenceFormulation ql:CSV ];\n'
SHIPS_CSV = "id,name,port,flag\n1,Star Line,10,se\n2,Kestrel,,no\n3,,20,no\n"
PORTS_CSV = "no,town,land\n10,Malmö,SE\n20,Oslo,NO\n20,Old Oslo,NO\n"
SUBJECT = 'rr:subjectMap [ rr:template "http://ex.org/ship/{id}" ];\n'


def imported(text: str) -> Package:
    return rml.read(TextDocument.parse("m.ttl", text.encode()), Access())


def made(folder: Path, mapping: str, engine: str = "local", ships: str = SHIPS_CSV) -> bytes:
    (folder / "m.ttl").write_text(mapping, encoding="utf-8")
    (folder / "ships.csv").write_text(ships, encoding="utf-8")
    (folder / "ports.csv").write_text(PORTS_CSV, encoding="utf-8")
    return run_mapping(folder / "m.ttl", engine)


def check(folder: Path, mapping: str, expected: str, ships: str = SHIPS_CSV) -> None:
    found = made(folder, mapping, "local", ships)
    assert found == made(folder, mapping, "reference", ships)
    assert difference(expected.encode(), found) == "", found.decode()


def test_a_column_that_is_absent_is_named() -> None:
    mapping = SHIPS + SUBJECT.replace(";\n", " .")
    (table,) = imported(f"{OLD}{mapping}").tables
    assert 'row(1) and "id" => Any ! "there must be one column `id`"' in table.text


def test_terms(tmp_path: Path) -> None:
    """Templates with escapes, references, constants, types, languages; null leaves a triple out."""
    mapping = (
        OLD
        + SHIPS
        + r"""
  rr:subjectMap [ rr:template "http://ex.org/{id}/{name}"; rr:class ex:Ship, ex:Thing ];
  rr:predicateObjectMap [ rr:predicate ex:a, ex:b; rr:objectMap [ rml:reference "name" ],
    [ rr:template "\\{{flag}\\}"; rr:termType rr:Literal; rr:language "en-GB" ] ];
  rr:predicateObjectMap [ rr:predicateMap [ rr:template "http://ex.org/p/{flag}" ];
    rr:objectMap [ rml:reference "id"; rr:datatype xsd:integer ] ];
  rr:predicateObjectMap [ rr:predicate ex:c; rr:object "x", ex:y, "1"^^xsd:int, "z"@de ];
  rr:predicateObjectMap [ rr:predicate ex:d; rr:objectMap
    [ rml:reference "flag"; rr:termType rr:IRI ], [ rr:template "n {id}"; rr:termType rr:BlankNode ] ] ."""
    )
    lines = []
    for ship, name, flag in (("1/Star%20Line", "Star Line", "se"), ("2/Kestrel", "Kestrel", "no")):
        s = f"<http://ex.org/{ship}>"
        kind = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
        lines += [f"{s} {kind} <http://ex.org/{each}> ." for each in ("Ship", "Thing")]
        for each in "ab":
            lines += [f'{s} <http://ex.org/{each}> "{name}" .',
                      f'{s} <http://ex.org/{each}> "{{{flag}}}"@en-GB .']  # fmt: skip
        xsd = "http://www.w3.org/2001/XMLSchema#"
        lines.append(f'{s} <http://ex.org/p/{flag}> "{ship[0]}"^^<{xsd}integer> .')
        for value in ('"x"', "<http://ex.org/y>", f'"1"^^<{xsd}int>', '"z"@de'):
            lines.append(f"{s} <http://ex.org/c> {value} .")
        lines += [f"{s} <http://ex.org/d> <http://base.org/{flag}> .",
                  f"{s} <http://ex.org/d> _:n{ship[0]} ."]  # fmt: skip
    check(tmp_path, mapping, "\n".join(lines) + "\n")


JOIN = """
<#Port> rml:logicalSource [ rml:source "ports.csv"; rml:referenceFormulation ql:CSV ];
  rr:subjectMap [ rr:template "http://ex.org/port/{no}/{town}" ] .
"""


def test_joins(tmp_path: Path) -> None:
    """A triple for each row that matches; a graph for each that is named, and the default one."""
    mapping = (
        OLD
        + JOIN
        + SHIPS
        + SUBJECT
        + """
  rr:predicateObjectMap [ rr:predicate ex:at; rr:graph ex:g, rr:defaultGraph;
    rr:objectMap [ rr:parentTriplesMap <#Port>; rr:joinCondition [ rr:child "port"; rr:parent "no" ] ] ] ."""
    )
    lines = ""
    for ship, port in (("1", "10/Malmö"), ("3", "20/Oslo"), ("3", "20/Old%20Oslo")):
        for graph in ("", " <http://ex.org/g>"):
            lines += f"<http://ex.org/ship/{ship}> <http://ex.org/at> <http://ex.org/port/{port}>{graph} .\n"
    check(tmp_path, mapping, lines)


def test_joins_with_several_conditions_and_with_itself(tmp_path: Path) -> None:
    mapping = (
        OLD
        + SHIPS
        + SUBJECT
        + """
  rr:predicateObjectMap [ rr:predicate ex:like; rr:objectMap [ rr:parentTriplesMap <#Ship>;
    rr:joinCondition [ rr:child "flag"; rr:parent "flag" ], [ rr:child "id"; rr:parent "id" ] ] ];
  rr:predicateObjectMap [ rr:predicate ex:self; rr:objectMap [ rr:parentTriplesMap <#Ship> ] ] ."""
    )
    s = [f"<http://ex.org/ship/{n}>" for n in "123"]
    lines = [f"{each} <http://ex.org/{word}> {each} ." for each in s for word in ("like", "self")]
    check(tmp_path, mapping, "\n".join(lines) + "\n")


def test_parents_that_are_constants_or_references(tmp_path: Path) -> None:
    mapping = (
        OLD
        + """
<#A> rml:logicalSource [ rml:source "ports.csv"; rml:referenceFormulation ql:CSV ];
  rr:subjectMap [ rr:constant ex:c ] .
<#B> rml:logicalSource [ rml:source "ports.csv"; rml:referenceFormulation ql:CSV ];
  rr:subjectMap [ rml:reference "land" ] .
"""
        + SHIPS
        + SUBJECT
        + """
  rr:predicateObjectMap [ rr:predicate ex:p; rr:objectMap
    [ rr:parentTriplesMap <#A>; rr:joinCondition [ rr:child "port"; rr:parent "no" ] ],
    [ rr:parentTriplesMap <#B>; rr:joinCondition [ rr:child "port"; rr:parent "no" ] ] ] ."""
    )
    check(
        tmp_path, mapping,
        "".join(
            f"<http://ex.org/ship/{ship}> <http://ex.org/p> <{value}> .\n"
            for ship, land in (("1", "SE"), ("3", "NO"))
            for value in ("http://ex.org/c", f"http://base.org/{land}")
        ),
    )  # fmt: skip


def test_a_heading_in_the_data_is_data(tmp_path: Path) -> None:
    mapping = (
        OLD
        + SHIPS
        + SUBJECT
        + 'rr:predicateObjectMap [ rr:predicate ex:n; rr:objectMap [ rml:reference "name" ] ] .'
    )
    expected = '<http://ex.org/ship/1> <http://ex.org/n> "id" .\n<http://ex.org/ship/2> <http://ex.org/n> " x " .\n'
    check(tmp_path, mapping, expected, "name,id\nid,1\n\n x ,2\n")


def test_the_new_name_space_and_csvw_dialects(tmp_path: Path) -> None:
    mapping = (
        NEW
        + """
<#Ship> rml:logicalSource [ rml:referenceFormulation rml:CSV; rml:source
    [ a rml:RelativePathSource; rml:root rml:MappingDirectory; rml:path "ships.csv"; rml:null "no" ] ];
  rml:subjectMap [ rml:template "http://ex.org/ship/{id}" ];
  rml:predicateObjectMap [ rml:predicate ex:flag;
    rml:objectMap [ rml:reference "flag"; rml:languageMap [ rml:constant "sv" ] ] ] ."""
    )
    check(tmp_path, mapping, '<http://ex.org/ship/1> <http://ex.org/flag> "se"@sv .\n')
    dialect = (
        OLD
        + """
<#Ship> rml:logicalSource [ rml:referenceFormulation ql:CSV; rml:source [ a csvw:Table; csvw:url "ships.csv";
    csvw:dialect [ csvw:delimiter ";"; csvw:quoteChar "'"; csvw:trim true ] ] ];
"""
        + SUBJECT
        + 'rr:predicateObjectMap [ rr:predicate ex:n; rr:objectMap [ rml:reference "name" ] ] .'
    )
    expected = '<http://ex.org/ship/1> <http://ex.org/n> "a;b" .\n'
    check(tmp_path, dialect, expected, "id;name\n1; 'a;b' \n")


def test_r2rml_tables(tmp_path: Path) -> None:
    mapping = (
        OLD
        + """
<#Ship> rr:logicalTable [ rr:tableName "ships" ];
  rr:subjectMap [ rr:template "http://ex.org/ship/{\\"id\\"}" ];
  rr:predicateObjectMap [ rr:predicate ex:n; rr:objectMap [ rr:column "\\"name\\"" ] ] ."""
    )
    n = "<http://ex.org/n>"
    expected = f'<http://ex.org/ship/1> {n} "Star Line" .\n<http://ex.org/ship/2> {n} "Kestrel" .\n'
    check(tmp_path, mapping, expected)


def test_a_column_that_is_not_there(tmp_path: Path) -> None:
    mapping = (
        OLD
        + SHIPS
        + SUBJECT
        + 'rr:predicateObjectMap [ rr:predicate ex:n; rr:objectMap [ rml:reference "no" ] ] .'
    )
    with pytest.raises(sculpt.RefusedError) as caught:
        made(tmp_path, mapping)
    (verdict,) = caught.value.verdicts
    assert [(each.code, each.rule) for each in verdict.violations] == [("region-content", 2)]
    (table,) = load(tmp_path / "m.ttl").tables
    assert table.schema.origins["rule:2"].construct == 'column "no"'


ERRORS = {
    "no triples map": ("ex:a ex:b ex:c .", "there is no triples map"),
    "no subject map": (SHIPS + "rr:predicateObjectMap [ rr:predicate ex:p; rr:object ex:o ] .", "has none"),
    "two subject maps": (SHIPS + SUBJECT + SUBJECT.replace("ship", "x") + ".", "has several"),
    "literal subject": (SHIPS + 'rr:subjectMap [ rml:reference "id"; rr:termType rr:Literal ] .', "not a literal"),
    "literal class": (SHIPS + 'rr:subjectMap [ rml:reference "id"; rr:class "x" ] .', "a class is an IRI"),
    "literal graph": (SHIPS + 'rr:subjectMap [ rml:reference "id"; rr:graph "x" ] .', "a graph is an IRI"),
    "no source": ("<#A> " + SUBJECT.replace(";\n", " ."), "no logical source"),
    "no object": (SHIPS + SUBJECT + "rr:predicateObjectMap [ rr:predicate ex:p ] .", "has no object"),
    "no predicate": (SHIPS + SUBJECT + "rr:predicateObjectMap [ rr:object ex:p ] .", "has no predicate"),
    "two values": (SHIPS + 'rr:subjectMap [ rml:reference "id"; rr:template "{id}" ] .', "more than one"),
    "braces": (SHIPS + 'rr:subjectMap [ rr:template "http://x/{id" ] .', "braces"),
    "language": (SHIPS + SUBJECT + 'rr:predicateObjectMap [ rr:predicate ex:p; rr:objectMap [ rml:reference "id"; rr:language "swedish" ] ] .', "language tag"),
    "both": (SHIPS + SUBJECT + 'rr:predicateObjectMap [ rr:predicate ex:p; rr:objectMap [ rml:reference "id"; rr:language "sv"; rr:datatype xsd:int ] ] .', "not both"),
    "parent": (SHIPS + SUBJECT + "rr:predicateObjectMap [ rr:predicate ex:p; rr:objectMap [ rr:parentTriplesMap <#No> ] ] .", "one parent"),
    "condition": (JOIN + SHIPS + SUBJECT + 'rr:predicateObjectMap [ rr:predicate ex:p; rr:objectMap [ rr:parentTriplesMap <#Port>; rr:joinCondition [ rr:child "id" ] ] ] .', "one `parent`"),
    "same row of another table": (JOIN + SHIPS + SUBJECT + "rr:predicateObjectMap [ rr:predicate ex:p; rr:objectMap [ rr:parentTriplesMap <#Port> ] ] .", "no join condition"),
    "term type": (SHIPS + 'rr:subjectMap [ rml:reference "id"; rr:termType rr:Nothing ] .', "no term type"),
}  # fmt: skip


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name: str) -> None:
    text, message = ERRORS[name]
    with pytest.raises(sculpt.SchemaError) as caught:
        imported(OLD + text)
    assert any(message in each.message for each in caught.value.diagnostics), str(caught.value)
    assert all(each.code == "foreign-meaning" for each in caught.value.diagnostics)


def test_turtle_that_is_none() -> None:
    with pytest.raises(sculpt.SchemaError) as caught:
        imported(OLD + "<#A> ex:b [ .\n")
    (problem,) = caught.value.diagnostics
    assert (problem.code, problem.span.line) == ("foreign-syntax", 8)


NOTES = {
    "function": ('rr:objectMap [ <http://semweb.mmlab.be/ns/fnml#functionValue> [ ] ]', "a function"),
    "star": ("rr:objectMap [ rml:quotedTriplesMap <#Ship> ]", "RML-star"),
    "language": ('rr:objectMap [ rml:reference "id"; rml:languageMap [ rml:reference "flag" ] ]', "language that differs"),
}  # fmt: skip


@pytest.mark.parametrize("name", NOTES)
def test_notes(name: str) -> None:
    """What is left out, with its line; what is beside it stays."""
    text, message = NOTES[name]
    mapping = (
        OLD
        + SHIPS
        + SUBJECT
        + f'rr:predicateObjectMap [ rr:predicate ex:p;\n {text}, [ rml:reference "id" ] ] .'
    )
    package = imported(mapping)
    (note,) = package.all_notes
    assert message in note.message
    assert note.message.startswith("Ship: an object of `ex:p` ")
    assert note.place.line == 11
    (table,) = package.tables
    comments = table.text.replace("\n% (m.ttl:11)", " (m.ttl:11)")  # a long one is two lines
    assert f"% Not taken over: {note.message} (m.ttl:11).\n\n% Ship" in comments
    assert "r[id]" in table.text


FUNCTION = """
  rr:predicateObjectMap [ rr:predicate ex:up; rr:objectMap [
    <http://semweb.mmlab.be/ns/fnml#functionValue> [ rml:logicalSource <#S>;
      rr:predicateObjectMap [ rr:predicate ex:executes; rr:objectMap [ rr:constant ex:upper ] ];
      rr:predicateObjectMap [ rr:predicate ex:of; rr:objectMap [ rml:reference "flag" ] ] ] ] ] .
<#S> rml:source "ships.csv"; rml:referenceFormulation ql:CSV .
"""


def test_a_function_in_its_standard_form_is_a_note() -> None:
    """It is written like a triples map, and is none; the rest of its mapping is kept."""
    package = imported(
        f"{OLD}{SHIPS}{SUBJECT}"
        f'rr:predicateObjectMap [ rr:predicate ex:n; rr:object "x" ];{FUNCTION}'
    )
    (note,) = package.all_notes
    assert note.message == "Ship: an object of `ex:up` made by a function"
    assert note.place.line == 12
    (table,) = package.tables
    assert '"ex:n": "x"' in table.text
    assert "flag" not in table.text


def test_a_triples_map_of_which_nothing_is_kept_has_no_loop(tmp_path: Path) -> None:
    mapping = f"{OLD}{SHIPS}{SUBJECT}{FUNCTION}"
    (table,) = imported(mapping).tables
    assert "For each" not in table.text
    assert "% Ship (m.ttl:8): none of its triples are taken over\n" in table.text
    with pytest.raises(sculpt.UsageError, match="has no program to run"):
        made(tmp_path, mapping)


def test_a_function_that_makes_a_subject_leaves_out_the_triples_map() -> None:
    function = "[ <http://semweb.mmlab.be/ns/fnml#functionValue> [ ] ]"
    mapping = (
        f"{OLD}{JOIN}{SHIPS}"
        f"rr:subjectMap {function}; rr:predicateObjectMap [ rr:predicate ex:p; rr:object ex:o ] ."
    )
    package = imported(mapping)
    (note,) = package.all_notes
    assert note.message == "Ship: the triples map, with a subject made by a function"
    assert [each.name for each in package.tables] == ["ports"]
    assert package.tie is not None
    assert f"% Not taken over: {note.message} (m.ttl:12)." in package.tie.text


def test_graphs_are_the_same_wherever_they_are_named() -> None:
    """Statements of one graph are one record, though each has its own place."""
    graph = 'rr:graphMap [ rr:template "http://g.org/{id}" ]'
    (table,) = imported(
        f"{OLD}{SHIPS}{SUBJECT}"
        f"rr:predicateObjectMap [ rr:predicate ex:a; rr:object ex:x; {graph} ];\n"
        f"rr:predicateObjectMap [ rr:predicate ex:b; rr:object ex:y; {graph} ] ."
    ).tables
    assert table.text.count("emit ") == 1


@pytest.mark.parametrize("name", ["two\nlines", "a\r\nb", "a\tb", "a\u2028b", "a\x85b", 'a"b'])
def test_names_of_columns_with_any_characters(tmp_path: Path, name: str) -> None:
    written = "".join(f"\\u{ord(char):04X}" for char in name)
    mapping = (
        OLD
        + SHIPS
        + SUBJECT
        + f"""
  rr:predicateObjectMap [ rr:predicate ex:p; rr:objectMap [ rml:reference "{written}" ],
    [ rr:template "{{{written}}}"; rr:termType rr:Literal; rr:language "en" ] ];
  rr:predicateObjectMap [ rr:predicate ex:self; rr:objectMap [ rr:parentTriplesMap <#Ship>;
    rr:joinCondition [ rr:child "{written}"; rr:parent "{written}" ] ] ] ."""
    )
    ship, heading = "<http://ex.org/ship/1>", name.replace('"', '""')
    expected = f"""\
{ship} <http://ex.org/p> "v" .
{ship} <http://ex.org/p> "v"@en .
{ship} <http://ex.org/self> {ship} .
"""
    check(tmp_path, mapping, expected, f'id,"{heading}"\n1,v\n')


def test_other_formats_are_notes() -> None:
    other = SHIPS.replace("Ship", "Other").replace("ql:CSV", "ql:JSONPath") + SUBJECT.replace(
        ";\n", " .\n"
    )
    package = imported(
        OLD
        + other
        + SHIPS
        + SUBJECT
        + "rr:predicateObjectMap [ rr:predicate ex:p; rr:object ex:o ] ."
    )
    assert ["JSONPath" in each.message for each in package.all_notes] == [True]
    assert len(package.tables) == 1


def test_texts_are_formatted_checked_and_the_same_every_time(tmp_path: Path) -> None:
    mapping = (
        OLD
        + JOIN
        + SHIPS
        + SUBJECT
        + """
  rr:predicateObjectMap [ rr:predicate ex:at; rr:objectMap [ rr:parentTriplesMap <#Port>;
    rr:joinCondition [ rr:child "port"; rr:parent "no" ] ] ];
  rr:predicateObjectMap [ rr:predicate ex:n; rr:objectMap [ rml:reference "name"; rr:termType rr:IRI ] ] ."""
    )
    package = imported(mapping)
    assert package == imported(mapping)
    texts = [*files_of(package, lambda each: each.data), tie_of(package, lambda each: each.data)]
    for each in texts:
        name = each.file_name if each.name else "all.sculpt"
        (tmp_path / name).write_text(each.text, encoding="utf-8")
        assert format_text(each.text) == each.text
    names = {each.name for each in tmp_path.iterdir()}
    assert names == {"ports-keys.sculpt", "ports.sculpt", "ships.sculpt", "all.sculpt"}
    for name in names:
        assert sculpt.Schema.load(tmp_path / name).lint == ()


def test_recognised_by_content(tmp_path: Path) -> None:
    assert rml.recognises(TextDocument.parse("x", OLD.encode()))
    assert rml.recognises(TextDocument.parse("x", NEW.encode()))
    assert not rml.recognises(TextDocument.parse("x", b"@prefix a: <http://b.org/> ."))
    made(
        tmp_path,
        OLD + SHIPS + SUBJECT + "rr:predicateObjectMap [ rr:predicate ex:p; rr:object ex:o ] .",
    )
    results = sculpt.run(load(tmp_path / "m.ttl"))
    assert results.targets == ["Ship"]
    assert len(list(results.records())) == 3
