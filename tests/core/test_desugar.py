"""Desugaring keeps the meaning: sugar by its definition against the core on `reference`."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

import sculpt
from naive import Naive
from sculpt.api import parse_selector_text
from sculpt.core.facts.unparse import selector_text
from sculpt.engines import reference
from sculpt.syntax import ast
from sculpt.syntax.printer import print_content, print_selector
from sculpt.syntax.regular import Choice, Epsilon, Letter, Nothing, Repeat, Sequence
from sculpt.tabular.document import decode
from sculpt.tabular.grid import Grid, read_grid
from strategies import NOWHERE, TOKENS, as_csv, contents, paths, selectors, simple_names, tables

SCHEMA = sculpt.Schema.parse(f"Blank Rows = keep\n{TOKENS}")


def grid_of(rows: list[list[str]], schema: sculpt.Schema = SCHEMA) -> Grid:
    return read_grid(decode(as_csv(rows), None), schema.core.dialect)


def region(
    selector: ast.Selector, rows: list[list[str]], schema: sculpt.Schema = SCHEMA
) -> set[tuple[int, int]]:
    tokens, core = parse_selector_text(schema, print_selector(selector))
    return set(reference.select(tokens, grid_of(rows, schema), core))


@settings(max_examples=400)
@given(selectors(), tables)
def test_sugar_means_what_section_2_says(selector: ast.Selector, rows: list[list[str]]) -> None:
    assert region(selector, rows) == Naive(rows).region(selector)


@settings(max_examples=200)
@given(paths(selectors(depth=1)), tables)
def test_exists_is_the_reversal_applied_to_true(path: ast.Path, rows: list[list[str]]) -> None:
    exists = ast.Exists(path, span=NOWHERE)
    assert region(exists, rows) == Naive(rows).region(exists)


@settings(max_examples=200)
@given(selectors(), selectors(), selectors(simple_names, types=("T", "U")), tables)
def test_token_types_are_macros(
    first: ast.Selector, second: ast.Selector, user: ast.Selector, rows: list[list[str]]
) -> None:
    schema = sculpt.Schema.parse(
        f"Blank Rows = keep\n{TOKENS}T <= {print_selector(first)}\nU <= {print_selector(second)}\n"
    )
    types = {"T": first, "U": second}
    assert region(user, rows, schema) == Naive(rows, types).region(user)


@settings(max_examples=200)
@given(selectors(), tables)
def test_the_core_form_that_explain_shows_means_the_same(
    selector: ast.Selector, rows: list[list[str]]
) -> None:
    tokens, core = parse_selector_text(SCHEMA, print_selector(selector))
    again, lifted = parse_selector_text(SCHEMA, selector_text(core))
    grid = grid_of(rows)
    assert reference.select(tokens, grid, core) == reference.select(again, grid, lifted)


@settings(max_examples=200)
@given(contents(), st.lists(st.sampled_from(["a", "b", "1", "", "x"]), min_size=1, max_size=5))
def test_a_row_is_valid_where_some_reading_of_it_is_a_word(
    content: ast.Content, row: list[str]
) -> None:
    schema = sculpt.Schema.parse(f"Blank Rows = keep\n{TOKENS}row(1) -> {print_content(content)}\n")
    verdict = reference.validate(schema.core, grid_of([row], schema))
    assert verdict.valid == _matches(content, row)


def _matches(content: ast.Content, row: list[str]) -> bool:
    """By definition: the positions that each sub-expression can lead to, without an automaton."""
    return len(row) in _ends(content, {0}, Naive([row]))


def _ends(node: ast.Content, starts: set[int], table: Naive) -> set[int]:
    match node:
        case Nothing():
            return set()
        case Epsilon():
            return starts
        case Letter(symbol):
            assert isinstance(symbol, ast.Name)
            width = table.width
            return {s + 1 for s in starts if s < width and table.carries((1, s + 1), symbol.name)}
        case Sequence(parts):
            for part in parts:
                starts = _ends(part, starts, table)
            return starts
        case Choice(parts):
            return set().union(*(_ends(part, starts, table) for part in parts))
        case Repeat(part, low, high):
            for _ in range(low):
                starts = _ends(part, starts, table)
            reached = set(starts)
            for _ in range(table.width + 1 if high is None else high - low):
                starts = _ends(part, starts, table)
                reached |= starts
            return reached
