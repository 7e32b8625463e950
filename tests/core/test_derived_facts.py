"""Formulas, and what is known of tokens whose texts are not those of a pattern."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import derived
import sculpt
from derived import with_tokens
from sculpt.core import ir
from sculpt.core.facts.bounds import is_empty
from sculpt.core.facts.lint import lint_schema
from sculpt.core.formulas import is_regular, is_true, needed, negates

SCHEMA = with_tokens(
    sculpt.Schema.parse("x = x\ny = y\nx and y -> x*\ny -> y*\ndown+(x) -> x*\n"),
    [
        derived.hidden("1 a", "a+"),
        derived.parity("2 odd", ".*"),
        derived.a_list("3 list", "y", ";"),
        derived.derived("y", ir.Either((ir.Has("1 a"), ir.Has("2 odd")))),
        derived.derived("x", ir.Both((ir.Has("y"), ir.Lacks(ir.Has("3 list"))))),
    ],
)


def test_dependencies_come_first_and_items_do_not_count() -> None:
    tokens = SCHEMA.core.tokens
    assert {token.name for token in needed(tokens, ["y"])} == {"1 a", "2 odd", "y"}
    names = [token.name for token in needed(tokens, ["x"])]
    assert sorted(names) == ["1 a", "2 odd", "3 list", "x", "y"]
    assert names.index("y") < names.index("x")
    assert [token.name for token in needed(tokens, ["3 list"])] == ["3 list"]


@given(st.sets(st.sampled_from("abc")))
def test_a_formula_is_a_function_of_the_names(names: set[str]) -> None:
    a, b, c = (ir.Has(name) for name in "abc")
    formula = ir.Either((ir.Both((a, ir.Lacks(b))), c))
    assert is_true(formula, names) is (("a" in names and "b" not in names) or "c" in names)
    assert is_true(ir.Both(()), names)
    assert not is_true(ir.Either(()), names)
    assert negates(formula)
    assert not negates(ir.Both((a, c)))


def test_tokens_without_a_pattern_are_not_taken_for_empty() -> None:
    core = SCHEMA.core
    assert [is_regular(core.tokens[name]) for name in ("1 a", "2 odd", "3 list", "x")] == [
        True,
        False,
        False,
        False,
    ]
    assert not any(is_empty(rule.selector, core) for rule in core.rules)


def test_a_derived_token_that_is_both_heading_and_data_is_told() -> None:
    codes = [each.code for each in lint_schema(SCHEMA.statements, SCHEMA.core)]
    assert "never-matches" not in codes
    assert "ambiguous-anchor" in codes
