"""Where things are in a mapping: the outline of Turtle against rdflib, places, malformed Turtle."""

# ruff: noqa: E501 - a case of Turtle is easier to read on one line

from __future__ import annotations

import pytest
import rdflib

import sculpt
from sculpt.interchange import rml
from sculpt.interchange.access import Access
from sculpt.interchange.documents import TextDocument
from sculpt.interchange.model import Package
from sculpt.interchange.rml.turtle import outline_of

BASE = "http://mapping.invalid/"
HEAD = """\
@prefix rr: <http://www.w3.org/ns/r2rml#> .
@prefix rml: <http://semweb.mmlab.be/ns/rml#> .
@prefix ql: <http://semweb.mmlab.be/ns/ql#> .
@prefix ex: <http://ex.org/> .
"""
SOURCE = 'rml:logicalSource [ rml:source "p.csv"; rml:referenceFormulation ql:CSV ];'


def imported(text: str) -> Package:
    return rml.read(TextDocument.parse("m.ttl", text.encode()), Access())


def problems(text: str) -> list[sculpt.Diagnostic]:
    with pytest.raises(sculpt.SchemaError) as caught:
        imported(text)
    return list(caught.value.diagnostics)


def shown(problem: sculpt.Diagnostic) -> str:
    """The characters that an error is about."""
    return problem.span.source.text[problem.span.start : problem.span.end]


# ------------------------------------------------------------- the outline

TURTLE = r'''
@prefix ex: <http://ex.org/> . # a comment with "quotes" and <#iris>
PREFIX x.y-z: <http://ex.org/x#>
@prefix : <#> .
ex:a a ex:B ; ex:p "x", 'y' , """long "quoted" ; [ # no comment
text""", \'\'\'it's\'\'\', "" , "tab\t\u00e9\"" ;; ex:q 1, -2.5, 3e4, 0.5, true ; .
<rel> ex:p "a"@en-GB, "1"^^ex:int, "2"^^<http://ex.org/t>, <http://ex.org/#>, <#>, <> .
:b x.y-z:c.d ex:e%20f , ex:g\,h, :1, <http://ex.org/\u00e9> .
@base <http://other.org/dir/> .
<rel> ex:p <../up>, <?q>, </abs>, <#f> .
BASE <deep/>
<rel> <p> _:b1 , [ ex:p [ ex:q ( 1 ex:a [ ex:r "in a list" ] ) ] ] .
_:b1 ex:p <rel> .
[ ex:alone ex:a ] .
[] ex:p () ; ex:q (()) .
( ex:a ) ex:first ex:b .
'''.replace("\\'", "'")


def test_the_outline_says_what_the_graph_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every IRI and literal that is not in a list is read as rdflib reads it."""
    monkeypatch.setattr(rdflib, "NORMALIZE_LITERALS", False)
    graph = rdflib.Graph().parse(data=TURTLE, format="turtle", publicID=BASE)
    outline = outline_of(TURTLE, BASE)
    assert outline.fault is None
    assert outline.base == "http://other.org/dir/deep/"
    in_lists = (rdflib.RDF.first, rdflib.RDF.rest)

    def name(node: object) -> str:
        return "_" if isinstance(node, rdflib.BNode) or node == rdflib.RDF.nil else str(node)

    expected = sorted((name(s), name(p), name(o)) for s, p, o in graph if p not in in_lists)
    found = sorted(
        tuple("_" if each.kind in ("blank", "list") else each.text for each in (t.subject, t.predicate, t.object))
        for t in outline.triples
    )  # fmt: skip
    assert found == expected


def test_a_place_is_that_of_a_whole_term() -> None:
    for triple in outline_of(TURTLE, BASE).triples:
        written = TURTLE[triple.object.start : triple.object.end]
        if triple.object.kind == "literal":
            assert written.strip("\"'")[:1] in triple.object.text + "\\"
        elif triple.object.kind == "blank":
            assert written.startswith("_:") or (written[0], written[-1]) == ("[", "]")


# ------------------------------------------------------------- places


def test_an_error_is_at_its_own_text_not_at_a_longer_one() -> None:
    (found,) = problems(f"""{HEAD}<#P> {SOURCE}
 # "http://x/{{n" in a comment
 rr:subjectMap [ rr:template "http://x/{{id}}" ];
 rr:predicateObjectMap [ rr:predicate ex:m; rr:objectMap [ rr:template "http://x/{{n}}/{{id}}" ] ];
 rr:predicateObjectMap [ rr:predicate ex:k; rr:objectMap [ rr:template "http://x/{{n" ] ].
""")
    assert (found.span.line, shown(found)) == (9, '"http://x/{n"')


def test_a_column_is_where_it_is_named() -> None:
    """`n` is in other words of the mapping, too; of several places the first one counts."""
    (table,) = imported(f"""{HEAD}<#P> {SOURCE}
 rr:subjectMap [ rml:reference "id" ];
 rr:predicateObjectMap [ rr:predicate ex:n; rr:objectMap [ rr:template "a {{n}}"; rr:termType rr:Literal ] ];
 rr:predicateObjectMap [ rr:predicate ex:id; rr:objectMap [ rml:reference "n" ] ].
""").tables
    places = {each.field: each.place.line for each in table.origins.values()}
    assert places == {"id": 6, "n": 7}


def test_both_sides_of_a_join_have_their_places() -> None:
    package = imported(f"""{HEAD}<#P> {SOURCE}
 rr:subjectMap [ rr:template "http://x/{{id}}" ];
 rr:predicateObjectMap [ rr:predicate ex:n; rr:objectMap [ rr:parentTriplesMap <#P>;
   rr:joinCondition [
     rr:child "a";
     rr:parent "b" ] ] ].
""")
    (table,) = package.tables
    (keys,) = table.parts
    lines = {
        each.field: each.place.line for part in (table, keys) for each in part.origins.values()
    }
    assert lines == {"id": 6, "a": 9, "b": 10}


@pytest.mark.parametrize("subject", ["<#P>", "[]", "_:p", "ex:p"])
def test_any_subject_has_places(subject: str) -> None:
    (found,) = problems(f"""{HEAD}
[] {SOURCE} rr:subjectMap [ rml:reference "id" ] .
{subject} {SOURCE}
 rr:subjectMap [ rml:reference "id" ];
 rr:predicateObjectMap [ rr:predicate ex:n; rr:objectMap [ rml:reference "n"; rr:language "none such" ] ].
""")
    assert (found.span.line, shown(found)) == (9, '"none such"')


def test_what_is_said_elsewhere_about_a_node_has_its_place_there() -> None:
    (note,) = imported(f"""{HEAD}
<#P> rml:logicalSource <#S>; rr:subjectMap [ rml:reference "id" ]; rr:predicateObjectMap <#M> .
<#M> rr:predicate ex:n; rr:objectMap <#O> .
<#S> rml:source "JSONPath.csv";
  rml:referenceFormulation ql:JSONPath .
<#O> rml:reference "n" .
""").all_notes
    assert (note.place.line, note.place.column) == (9, 28)


def test_the_base_of_a_comment_is_none() -> None:
    (table,) = imported(f"""{HEAD}# @base <http://comment.org/> .
<#P> {SOURCE} rr:subjectMap [ rr:template "x/{{id}}"; rr:class ex:A ] .
""").tables
    assert "comment.org" not in table.text.partition("For each")[2]


# ------------------------------------------------------------- malformed Turtle

MALFORMED = {
    "quote": ('<#P> rr:subjectMap [ rr:template "x/{a}" ;\n <b> ex:x "y .', 'no closing quote', '"'),
    "prefix": ("<#P> rrr:x 1 .", "the prefix `rrr:` is not declared", "rrr:x"),
    "bracket": ("<#P> rr:subjectMap [ ex:a ex:b .", "(the `[` of line 5 is open), and found `.`", "."),
    "parenthesis": ("<#P> ex:a ( 1 2 .", "expected a value or `)`", "."),
    "object": ("<#P> ex:a ; ex:b 1 .", "expected a value after `ex:a`, and found `;`", ";"),
    "predicate": ('<#P> "a" ex:b .', "expected a predicate", '"a"'),
    "literal as predicate": ("<#P> true ex:b .", "a predicate is an IRI", "true"),
    "subject": ('"a" ex:b ex:c .', "expected a subject", '"a"'),
    "literal as subject": ("true ex:b ex:c .", "this is a literal", "true"),
    "end": ("<#P> ex:a ex:b", "expected `;`, `,` or the `.` that ends a statement, and found the end of the file", ""),
    "no stop": ("<#P> ex:a ex:b\n<#Q> ex:a ex:b .", "and found `<#Q>`", "<#Q>"),
    "IRI": ('<#P> ex:a <http://x"y> .', "this IRI has no closing `>`", "<"),
    "escape": (r'<#P> ex:a "\q" .', r"`\q` is no escape", r'"\q"'),
    "word": ("<#P> ex:a nothing .", "`nothing` is no name", "nothing"),
    "datatype": ('<#P> ex:a "x"^^"y" .', "expected a datatype after `^^`", '"y"'),
    "directive": ("@prefix ex <http://ex.org/> .", "expected a prefix that ends in `:`", "ex"),
    "directive without IRI": ("@base ex:a .", "expected an IRI between `<` and `>`", "ex:a"),
    "character": ("<#P> ex:a { ex:b ex:c } .", "`{` has no meaning here", "{"),
}  # fmt: skip


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_turtle(name: str) -> None:
    """The reason in our words, at the characters that are wrong."""
    text, message, where = MALFORMED[name]
    (found,) = problems(HEAD + text)
    assert found.code == "foreign-syntax"
    assert message in found.message
    assert shown(found) == where


@pytest.mark.parametrize("opening", ["[ ex:a ", "["])
def test_turtle_that_is_nested_too_deeply(opening: str) -> None:
    (found,) = problems(f"{HEAD}<#P> ex:a {opening * 100_000}")
    assert (found.code, found.span.line) == ("foreign-limit", 5)
    assert found.message == "brackets are nested more than 100 levels deep"
    imported(
        f"{HEAD}<#P> {SOURCE} ex:a {'[ ex:a ' * 98} 1 {']' * 98}; rr:subjectMap [ rml:reference 'id' ] ."
    )
