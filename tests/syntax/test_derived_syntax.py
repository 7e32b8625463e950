"""The text right of `:=`, its tree, and what is said about text that cannot be read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sculpt
from sculpt.diagnostics import Diagnostic, Source
from sculpt.syntax import ast
from sculpt.syntax.derived import tree
from sculpt.syntax.parser import parse
from sculpt.syntax.printer import print_document, print_statement


def statement_of(text: str) -> ast.Statement:
    problems: list[Diagnostic] = []
    (statement,) = parse(Source("test", text), problems).statements
    assert problems == []
    return statement


def tokens_of(text: str) -> tree.Tokens:
    statement = statement_of(f"x := {text}")
    assert isinstance(statement, ast.DerivedDefinition)
    return statement.tokens


def errors_of(text: str) -> list[Diagnostic]:
    problems: list[Diagnostic] = []
    parse(Source("test", text), problems)
    return problems


# ------------------------------------------------------------- which statement it is


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("age := 0 <= Integer <= 130", ast.DerivedDefinition),
        ("age:=Integer", ast.DerivedDefinition),
        ("Total: = x", ast.TokenDefinition),
        ("Total:= x", ast.DerivedDefinition),
        ("Total:=> x", ast.Rule),
        ('"a := b" -> c', ast.Rule),
        ("x = a := b", ast.TokenDefinition),
        ("x <= a", ast.TypeDefinition),
        ("code := /a->b|c=>d/", ast.DerivedDefinition),
        ("print := x", ast.DerivedDefinition),
        ("mapping := x", ast.DerivedDefinition),
        ("include := x", ast.DerivedDefinition),
        ("namespace := x", ast.DerivedDefinition),
        ("For each := x", type(None)),
    ],
)
def test_the_first_operator_decides(text: str, kind: type) -> None:
    statements = parse(Source("test", text), []).statements
    assert [type(each) for each in statements] == ([] if kind is type(None) else [kind])


def test_a_name_that_ends_in_a_colon_needs_a_blank() -> None:
    token = statement_of("Total: = x")
    derived = statement_of("Total:= x")
    assert isinstance(token, ast.TokenDefinition)
    assert isinstance(derived, ast.DerivedDefinition)
    assert (token.name, derived.name) == ("Total:", "Total")


# ------------------------------------------------------------- trees


def test_or_binds_less_than_and_than_not_than_comparisons() -> None:
    tokens = tokens_of("a or not b >= 5 and c")
    assert isinstance(tokens, tree.Or)
    first, second = tokens.parts
    assert isinstance(first, ast.Name)
    assert isinstance(second, tree.And)
    negated, last = second.parts
    assert isinstance(negated, tree.Not)
    assert isinstance(negated.part, tree.Comparison)
    assert isinstance(last, ast.Name)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("500 < x", "x > 500"),
        ("x>=500", "x >= 500"),
        ("0<=Integer<=130", "0 <= Integer <= 130"),
        ("130 >= Integer > 0", "130 >= Integer > 0"),
        ('"5" <= x', "x >= 5"),
        ('x = "a b"', 'x = "a b"'),
        ("-5 <= x", "x >= -5"),
        (".5 <= x", "x >= .5"),
        ("a <= b <= c", "a <= b <= c"),
        ("2010-01-01 <= Date", "Date >= 2010-01-01"),
        ("2nd >= 5", "2nd >= 5"),
        ('2nd >= "x"', '2nd >= "x"'),
        ("3rd item >= 5", "3rd item >= 5"),
        ("500 < net weight", "net weight > 500"),
        ("5 < length( a or b )", "length(a or b) > 5"),
        ("a < (b)", "b > a"),
        ('P1D = Date("d")', 'Date("d") = P1D'),
        ("xs:time >= 12:00:00", "xs:time >= 12:00:00"),
        ("xs:anyURI = http://x/y", "xs:anyURI = http://x/y"),
        ('Number("0", decimal ",", group ".")', 'Number("0", group ".", decimal ",")'),
        ('list( a , ";" )', 'list(a, ";")'),
        ("list(a or b)", "list(a or b)"),
        ("((a)) and (b and c)", "a and (b and c)"),
        ("not (a or b)", "not (a or b)"),
        ("(a >= 5) <= 7", "(a >= 5) <= 7"),
        (r"/a\/b|c d / or x", r"/a\/b|c d / or x"),
        ("a ∧ ¬ b ∨ c", "a and not b or c"),
        ('"or" or order or nothing', '"or" or order or nothing'),
    ],
)
def test_canonical_text(text: str, canonical: str) -> None:
    statement = statement_of(f"x := {text}")
    assert print_statement(statement) == f"x := {canonical}"
    assert statement_of(f"x := {canonical}") == statement


def test_long_alternatives_are_folded() -> None:
    text = "x := " + " or ".join(f'"number {n} or /so/"' for n in range(9)) + "\n"
    formatted = sculpt.format_text(text)
    assert max(map(len, formatted.splitlines())) <= 88
    assert all(line.startswith("    ") for line in formatted.splitlines()[1:])
    assert parse(Source("a", text), []) == parse(Source("b", formatted), [])


# ------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("text", "code", "place", "word"),
    [
        ("", "syntax", (1, 5), "missing"),
        ("Integer <=", "syntax", (1, 16), "a bound after `<=`"),
        ("5 <= Integer <= 6 <= 7", "syntax", (1, 24), "one bound on each side"),
        ('"abc" or (x', "syntax", (1, 17), "expected `)`"),
        ("length(Text)", "syntax", (1, 6), "must be compared"),
        ("lenght(Text) <= 5", "syntax", (1, 6), "there is no `lenght(…)`"),
        ('Number("a", grup ".")', "syntax", (1, 18), "`group` or `decimal`"),
        ('Number("a", group ".", group ".")', "syntax", (1, 29), "given twice"),
        ("/abc", "unclosed-literal", (1, 6), "never closes"),
        ('"abc', "unclosed-literal", (1, 6), "never closes"),
        ("a  b", "syntax", (1, 9), "expected `and` or `or`"),
        ("a | b", "syntax", (1, 8), "found `|`"),
        ("a)", "syntax", (1, 7), "no matching `(`"),
        ("[a-z]", "syntax", (1, 6), "found `[`"),
        ('("x") = 5', "no-value", (1, 6), "no value"),
        ('5 <= "x" <= 7', "no-value", (1, 11), "no value"),
        ("(" * 60 + "a" + ")" * 60, "too-deep", None, "50 levels"),
        ("not " * 60 + "a", "too-deep", None, "50 levels"),
    ],
)
def test_errors(text: str, code: str, place: tuple[int, int] | None, word: str) -> None:
    (error,) = errors_of(f"x := {text}")
    assert (error.code, word in error.message) == (code, True), error.render()
    if place is not None:
        assert (error.span.line, error.span.column) == place, error.render()


def test_all_bad_expressions_of_a_token_are_reported() -> None:
    found = errors_of("x := /[a/ or /b(/ and\n  /c**++/")
    assert [(each.code, each.span.line, each.span.column) for each in found] == [
        ("bad-regex", 1, 7),
        ("bad-regex", 1, 17),
        ("not-regular", 2, 6),
    ]


def test_a_directive_and_a_keyword_cannot_be_defined() -> None:
    found = errors_of("Col Delim := a\nrow := b\nxs:x := c\na.b := c")
    assert [each.code for each in found] == ["reserved-name"] * 3 + ["bad-name"]


pieces = st.lists(
    st.sampled_from(
        [
            *("<=", "<", "=", "!=", " ", "(", ")", "Integer", "5", "-", '"', "/", "and", "or"),
            *("not ", "list", "length", "Number", "\\", ",", '"a"', "x", "é", "\0", "[", "%"),
            *("'", "group ", "0.5", ":", "¬", "\n "),
        ]
    ),
    max_size=14,
).map("".join)


@given(st.one_of(pieces, st.text(max_size=20)))
def test_any_text_is_read_or_refused(text: str) -> None:
    problems: list[Diagnostic] = []
    document = parse(Source("test", f"x := {text}"), problems)
    assert all(each.render() for each in problems)
    if not problems:
        assert parse(Source("printed", print_document(document)), []) == document


def test_the_places_of_parts() -> None:
    text = 'x := 0 <= list(a or "b", ";") and\n   length( c ) > 10'
    found = {text[node.span.start : node.span.end] for node in tree.nodes_in(tokens_at(text))}
    assert found == {
        '0 <= list(a or "b", ";") and\n   length( c ) > 10',
        '0 <= list(a or "b", ";")',
        'list(a or "b", ";")',
        'a or "b"',
        "a",
        '"b"',
        "length( c ) > 10",
        "c",
    }


def tokens_at(text: str) -> tree.Tokens:
    statement = statement_of(text)
    assert isinstance(statement, ast.DerivedDefinition)
    return statement.tokens
