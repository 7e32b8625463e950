"""The normal form of what a column may hold has the texts of the tokens that it is made of."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sculpt.core import ir
from sculpt.core.acceptor import TextMatcher
from sculpt.core.datatypes.reading import holds
from sculpt.interchange.export.meaning.alternatives import Vocabulary, has_text
from sculpt.interchange.export.meaning.domains import Domain, Misfit, domain_of
from sculpt.schema import Schema

ATOMS = [
    "Integer", "Number", "Integer >= 5", "Integer < 5", "Number <= 5.5", "Text", "Empty", '"n/a"',
    '"5"', "/[a-z]+/", "/[0-9]+/", "xs:byte", "xs:date", "length(Text) <= 2", "Any", "Integer = 7",
]  # fmt: skip
TEXTS = ["", "5", "4", "7", "200", "-1", "5.5", "6.5", "n/a", "abc", "ab", "2010-01-31", "x y", "é"]
FORMULAS = st.recursive(
    st.sampled_from(ATOMS),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda pair: f"({pair[0]} or {pair[1]})"),
        st.tuples(inner, inner).map(lambda pair: f"({pair[0]} and {pair[1]})"),
        inner.map(lambda part: f"(not {part})"),
    ),
    max_leaves=5,
)


def plainly(tokens: dict[str, ir.CoreToken], name: str, text: str) -> bool:
    """Does a text match a token? By its formula, its condition and its expression."""
    token = tokens[name]
    if token.formula is not None:
        return _is_true(tokens, token.formula, text)
    if token.condition is not None:
        return holds(token.condition, text)
    return TextMatcher(token.pattern).matches(text)


def _is_true(tokens: dict[str, ir.CoreToken], formula: ir.Formula, text: str) -> bool:
    match formula:
        case ir.Has(name):
            return plainly(tokens, name, text)
        case ir.Lacks(part):
            return not _is_true(tokens, part, text)
        case ir.Both(parts):
            return all(_is_true(tokens, part, text) for part in parts)
        case ir.Either(parts):
            return any(_is_true(tokens, part, text) for part in parts)


@given(formula=FORMULAS)
def test_the_normal_form_has_the_same_texts(formula: str) -> None:
    try:
        tokens = dict(Schema.parse(f"t := {formula}\ntrue -> t*\n").core.tokens)
    except Exception as error:  # bounds that contradict each other are errors
        assert "contradictory-bounds" in str(error) or "no-value" in str(error)
        return
    found = Vocabulary(tokens).alternatives(ir.Has("t"))
    assert found is not None
    for text in TEXTS:
        expected = plainly(tokens, "t", text)
        assert any(has_text(each, text) for each in found) == expected, (formula, text, found)


def domain(definitions: str, name: str = "t") -> Domain | Misfit:
    tokens = Schema.parse(f"{definitions}\ntrue -> {name}*\n").core.tokens
    vocabulary = Vocabulary(tokens)
    return domain_of(vocabulary.alternatives(ir.Has(name)) or (), vocabulary)


@pytest.mark.parametrize(
    ("definition", "expected"),
    [
        ('t := Integer or "n/a" or Empty', (("n/a", ""), "Integer")),
        (
            'gap := "n/a"\nt := (Integer or gap) and (not Integer or Integer >= 5)',
            (("n/a",), "Integer"),
        ),
        ('t := "a" or "b"', ((), None)),
        ("t := not Empty", ((), None)),
        ("t := String", (("",), None)),
    ],
)
def test_marks_and_types(definition: str, expected: tuple[tuple[str, ...], str | None]) -> None:
    found = domain(definition)
    assert isinstance(found, Domain)
    assert (found.marks, found.base and found.base.type) == expected


@pytest.mark.parametrize(
    "definition",
    ["t := Integer >= 5 or xs:date >= 2010-01-01", "t := Integer and /[0-9]*5/ and xs:decimal < 3",
     "t := not /[a-z]+/"],
)  # fmt: skip
def test_what_is_no_single_type(definition: str) -> None:
    found = domain(definition)
    assert isinstance(found, Misfit) or found.shapes
