"""`parse(print(tree)) == tree`, for every tree that the parser can produce."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sculpt
from conftest import Case, corpus
from sculpt.diagnostics import Diagnostic, Source
from sculpt.schema import parse_selector_tree
from sculpt.syntax import ast
from sculpt.syntax.parser import parse
from sculpt.syntax.printer import print_document, print_on_one_line, print_selector, print_statement
from sculpt.syntax.regular import literal
from strategies import NOWHERE, contents, derived_tokens, literals, names, selectors

words = st.sampled_from(["Alpha", "beta 2", "gamma-ray", "ns:d", "Unit cell", "é"])
visible = (
    st.text('abc []()=<>|.*+?{}"\\,;%/é', min_size=1, max_size=12)
    .map(str.strip)
    .filter(lambda text: text and not text.endswith("\\"))
)
leaves = st.one_of(names, literals)
clauses = st.none() | st.builds(
    ast.Clause,
    st.sampled_from(["error", "warning"]),
    st.none()
    | st.text('ab !"\\()[]%;é', min_size=1).map("a{}".format)
    | st.just("long " * 20 + "."),
    span=st.just(NOWHERE),
)
parts = st.builds(
    ast.Part,
    selectors(leaves),
    st.sampled_from([None, "Date", "xs:decimal", "Unit cell"]),
    span=st.just(NOWHERE),
)
several_parts = st.lists(parts, min_size=1, max_size=4).map(tuple)
sides = st.builds(
    ast.Side,
    st.sampled_from([None, "Depts", "Unit cell", "row 2"]),
    several_parts,
    span=st.just(NOWHERE),
)
statements = st.one_of(
    st.builds(ast.Comment, visible.map(lambda text: "%" + text), span=st.just(NOWHERE)),
    st.builds(
        ast.Directive,
        st.sampled_from(["Col Delim", "Quote", "Trim"]),
        st.none(),
        visible,
        value_span=st.just(NOWHERE),
        span=st.just(NOWHERE),
    ),
    st.builds(
        ast.TokenDefinition,
        words,
        st.sampled_from(["[0-9]+", 'a"."b', "x|y z", "\\> .", ""]),
        st.just(literal("")),
        name_span=st.just(NOWHERE),
        span=st.just(NOWHERE),
    ),
    st.builds(
        ast.DerivedDefinition,
        words,
        derived_tokens(
            st.one_of(
                leaves, st.just(ast.Name("3rd", span=NOWHERE)), st.just(ast.Name("5", span=NOWHERE))
            )
        ),
        name_span=st.just(NOWHERE),
        span=st.just(NOWHERE),
    ),
    st.builds(
        ast.TypeDefinition,
        words,
        selectors(leaves),
        name_span=st.just(NOWHERE),
        span=st.just(NOWHERE),
    ),
    st.builds(
        ast.Rule,
        selectors(leaves),
        st.sampled_from(["->", "=>", "|>"]),
        st.none(),
        contents(leaves),
        clauses,
        span=st.just(NOWHERE),
    ),
    st.builds(
        ast.Rule,
        selectors(leaves),
        st.just(".>"),
        st.sampled_from([None, ";", "\\]", "\\t", "/;+/"]).map(
            lambda text: None if text is None else ast.ListDelim(text, span=NOWHERE)
        ),
        contents(leaves),
        clauses,
        span=st.just(NOWHERE),
    ),
    st.builds(
        ast.Unique,
        st.sampled_from(["unique", "unique-per-row"]),
        leaves,
        clauses,
        span=st.just(NOWHERE),
    ),
    st.builds(ast.Key, several_parts, st.booleans(), clauses, span=st.just(NOWHERE)),
    st.builds(ast.Reference, sides, sides, st.booleans(), clauses, span=st.just(NOWHERE)),
    st.builds(ast.Include, st.text('abc/."\\ ', min_size=1), span=st.just(NOWHERE)),
    st.builds(
        ast.Include,
        st.text('abc/."\\ ', min_size=1),
        st.sampled_from(["Depts", "all for one", "as is"]),
        st.none() | st.text('abc/."\\ ', min_size=1),
        span=st.just(NOWHERE),
    ),
    st.just(ast.Program(("For each cell c in a {", 'print "}" + c.content', "}"), span=NOWHERE)),
    st.just(ast.Program(('print "x"',), span=NOWHERE)),
)


def _with_gaps(parts: list[tuple[ast.Statement, bool]]) -> ast.Document:
    listed: list[ast.Statement] = []
    for statement, gap in parts:
        if gap and listed:
            listed.append(ast.BlankLine(span=NOWHERE))
        listed.append(statement)
    return ast.Document(tuple(listed))


documents = st.lists(st.tuples(statements, st.booleans()), max_size=5).map(_with_gaps)


@given(documents)
def test_printing_and_parsing_gives_the_same_tree(document: ast.Document) -> None:
    text = print_document(document)
    problems: list[Diagnostic] = []
    assert parse(Source("printed", text), problems) == document, text
    assert problems == []


@given(documents)
def test_printing_is_canonical(document: ast.Document) -> None:
    text = print_document(document)
    assert print_document(parse(Source("printed", text), [])) == text


@pytest.mark.parametrize("case", [c for c in corpus() if "error" not in c.facts], ids=str)
def test_corpus_schemas_survive_formatting(case: Case) -> None:
    formatted = sculpt.format_text(case.schema)
    assert sculpt.format_text(formatted) == formatted
    before, after = parse(Source("a", case.schema), []), parse(Source("b", formatted), [])
    assert before == after


def test_comments_stay() -> None:
    text = "% one\nrow(1) ->\n  % two\n  a,\n\n\n  b\n   %three\nx = y\n"
    formatted = sculpt.format_text(text)
    assert formatted == "% one\n% two\nrow(1) -> a, b\n%three\nx = y\n"


def test_long_rules_are_folded_at_their_commas() -> None:
    rule = "row(1) -> " + ", ".join(f"heading number {n}" for n in range(20)) + "\n"
    formatted = sculpt.format_text(rule)
    assert max(map(len, formatted.splitlines())) <= 88
    assert all(line.startswith("    ") for line in formatted.splitlines()[1:])
    assert parse(Source("a", rule), []) == parse(Source("b", formatted), [])


def test_long_definitions_of_regions_are_folded() -> None:
    cells = " and not ".join(f'(col("this and that, number {n}") or row({n}))' for n in range(1, 9))
    text = f"Kept <= {cells} and Text\n"
    formatted = sculpt.format_text(text)
    assert max(map(len, formatted.splitlines())) <= 88
    assert parse(Source("a", text), []) == parse(Source("b", formatted), [])


def test_a_quoted_comma_is_no_place_to_fold() -> None:
    rule = "row(1) -> " + ", ".join(f'"a, b (number {n})"' for n in range(12)) + "\n"
    (statement,) = parse(Source("a", rule), []).statements
    assert parse(Source("b", print_statement(statement)), []).statements == (statement,)


def test_long_keys_and_references_are_folded_at_their_commas() -> None:
    parts = ", ".join(f"col(heading number {n}) and Text as Integer" for n in range(6))
    texts = [f"key({parts}) across files\n"]
    texts += [
        f"{left} ~>+ {right}\n"
        for left in (parts, f"B({parts})")
        for right in (parts, f"C({parts})")
    ]
    for text in texts:
        formatted = sculpt.format_text(text)
        assert max(map(len, formatted.splitlines())) <= 88
        assert all(line.startswith("    ") for line in formatted.splitlines()[1:])
        assert parse(Source("a", text), []) == parse(Source("b", formatted), [])
        (statement,) = parse(Source("c", text), []).statements
        assert print_on_one_line(statement) == text.rstrip("\n")


def test_long_selectors_are_folded_at_their_ors_and_ands() -> None:
    several = " and ".join(f"not column {number}" for number in range(9))
    for text in (f"Given <= a and b or c and {several}\n", f"Given <= {several}\n"):
        formatted = sculpt.format_text(text)
        assert max(map(len, formatted.splitlines())) <= 88
        assert all(line.startswith("    ") for line in formatted.splitlines()[1:])
        assert sculpt.format_text(formatted) == formatted
        (statement,) = parse(Source("a", formatted), []).statements
        assert print_on_one_line(statement) == text.rstrip("\n")


def test_a_clause_in_a_loop_may_have_a_line_of_its_own() -> None:
    text = 'For each row r in true {\n  require(r[a] = "1")\n! "say"\n  print r[a]\n}\n'
    assert sculpt.format_text(text) == text.replace("! ", "    ! ")


PATHS = (ast.Axis, ast.Filter, ast.Filtered, ast.Concat, ast.Union, ast.Repeated)


def _nodes(node: Any) -> Iterator[Any]:
    """The selectors and paths of a tree."""
    yield node
    for field in fields(node):
        value = getattr(node, field.name)
        for each in value if isinstance(value, tuple) else [value]:
            if hasattr(each, "span"):
                yield from _nodes(each)


@given(selectors(leaves))
def test_the_span_of_an_expression_is_its_whole_text(selector: ast.Selector) -> None:
    for node in _nodes(parse_selector_tree(print_selector(selector))):
        text = node.span.source.text[node.span.start : node.span.end]
        if isinstance(node, PATHS):
            applied = ast.Apply(node, ast.Root(span=NOWHERE), span=NOWHERE)
            assert parse_selector_tree(f"({text})(root)") == applied
        else:
            assert parse_selector_tree(text) == node
