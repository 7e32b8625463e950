"""Our parser gives what Lark gives: the same trees, the same places, the same errors."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any
from unittest import mock

import pytest
from generate_grammar import GRAMMAR, STARTS
from hypothesis import example, given, settings
from hypothesis import strategies as st
from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedCharacters, UnexpectedToken

from conftest import corpus
from sculpt.diagnostics import Source
from sculpt.syntax import lalr
from sculpt.syntax.expressions import type_of_name
from sculpt.syntax.parser import parse

LARK = Lark(
    GRAMMAR.read_text(encoding="utf-8"),
    start=list(STARTS),
    parser="lalr",
    lexer="basic",
    lexer_callbacks={
        "NAME": lambda token: Token.new_borrow_pos(type_of_name(token), str(token), token)
    },
)

TEXTS = {
    "NAME": "a",
    "LITERAL": '"b"',
    "NUMBER": "1",
    "AXIS": "down",
    "ROOT": "root",
    "TRUE": "true",
    "EXISTS": "exists",
    "COUNT": "{2}",
    "_AND": "and",
    "_OR": "or",
    "_NOT": "not",
    "_TO": "..",
    "LPAR": "(",
    "RPAR": ")",
    "LSQB": "[",
    "RSQB": "]",
    "VBAR": "|",
    "DOT": ".",
    "COMMA": ",",
    "HASH": "#",
    "LESSTHAN": "<",
    "MORETHAN": ">",
}
WORDS = [
    *TEXTS.values(),
    *["b c", "x-y", "ns:d", "é", "_", "android", "not-x", "or:b", "a and b", "٣", "007", "row"],
    *["ε", "∧", "∨", "¬", "*", "+", "?", "{1,}", "{ 1 , 3 }", "{1,2", "{,2}", "{}", "{", "}"],
    *['"a b"', r'"\""', r'"\x"', '"\n"', '"', "\\", "-", "#2", "#", "%", "'", "😀", "\0", "\r"],
    *[" ", "  ", "\t", "\n", "\u00a0"],
]


def _ours(node: lalr.Node) -> Any:
    if isinstance(node, lalr.Token):
        return node.type, node.text, node.start, node.end
    return node.name, [_ours(child) for child in node.children]


def _of_lark(node: Tree[Token] | Token) -> Any:
    if isinstance(node, Token):
        return node.type, str(node), node.start_pos, node.end_pos
    return str(node.data), [_of_lark(child) for child in node.children]


def our_outcome(text: str, start: str) -> Any:
    try:
        return _ours(lalr.parse(text, start, type_of_name))
    except lalr.UnexpectedCharacterError as error:
        return "character", error.start
    except lalr.UnexpectedTokenError as error:
        at = len(text) if error.token.type == "$END" else error.token.start
        assert error.token.start == at
        return "token", error.token.type, error.token.text, at, error.expected


def outcome_of_lark(text: str, start: str) -> Any:
    try:
        return _of_lark(LARK.parse(text, start=start))
    except UnexpectedCharacters as error:
        return "character", error.pos_in_stream
    except UnexpectedToken as error:
        at = len(text) if error.token.type == "$END" else error.token.start_pos
        return "token", error.token.type, str(error.token), at, frozenset(error.accepts)


def agree(text: str, start: str) -> None:
    assert our_outcome(text, start) == outcome_of_lark(text, start), text


def beginnings(start: str) -> Iterator[list[str]]:
    """Shortest texts that lead Lark into each state, from each state, in each kind of bracket."""
    seen = set()
    todo: list[list[str]] = [[]]
    for words in todo:  # it grows during the loop
        reached: Any = LARK.parse_interactive(" ".join(words), start)
        reached.exhaust_lexer()
        accepted = reached.accepts()
        place = (*reached.parser_state.state_stack[-2:], frozenset(accepted))
        if place not in seen:
            seen.add(place)
            yield words
            todo += [[*words, TEXTS[each]] for each in sorted(accepted - {"$END"})]


def completed(words: list[str], start: str) -> list[str]:
    """The words and what is missing after them, if they can begin a text; prefers brackets."""
    while (outcome := outcome_of_lark(" ".join(words), start))[:2] == ("token", "$END"):
        expected = outcome[-1]
        likely = expected & {"RPAR", "RSQB", "MORETHAN"} or expected & {"NAME"} or expected
        words = [*words, TEXTS[min(likely)]]
    return words


@pytest.mark.parametrize("start", STARTS)
def test_whatever_follows_in_every_state(start: str) -> None:
    for words in beginnings(start):
        for word in TEXTS.values():
            agree(" ".join([*words, word]), start)
            agree(" ".join(completed([*words, word], start)), start)


def _within(parts: st.SearchStrategy[list[str]]) -> st.SearchStrategy[list[str]]:
    """What the grammar builds from parts, as words."""
    return st.one_of(
        st.lists(parts, min_size=2, max_size=3).flatmap(
            lambda several: st.sampled_from(["and", "∨", "or", "|", ".", ","]).map(
                lambda operator: list(itertools.chain(*((operator, *each) for each in several)))[1:]
            )
        ),
        parts.map(lambda part: ["not", *part]),
        st.tuples(parts, st.sampled_from(["*", "?", "{1,3}"])).map(lambda two: [*two[0], two[1]]),
        st.tuples(
            st.one_of(st.just([]), st.just(["exists"]), parts),
            st.sampled_from(["()", "[]", "<>"]),
            parts,
        ).map(lambda three: [*three[0], three[1][0], *three[2], three[1][1]]),
    )


leaves = st.sampled_from(["a", "b c", '"d"', "1", "down", "ε", "root", "true", "(1,2)", "()"])
likely = st.recursive(leaves.map(lambda leaf: [leaf]), _within, max_leaves=12)
blanks = st.sampled_from(["", " ", " ", "\t", "  "])


@st.composite
def _texts(draw: st.DrawFn) -> str:
    """Texts of the grammar, with up to two words replaced, added or left out."""
    words = draw(likely)
    for _ in range(draw(st.integers(0, 2))):
        at = draw(st.integers(0, len(words)))
        words = [*words[:at], *draw(st.lists(st.sampled_from(WORDS), max_size=2)), *words[at + 1 :]]
    blank = draw(blanks)
    return blank.join(words)


@settings(max_examples=1000)
@given(
    text=st.one_of(_texts(), st.lists(st.sampled_from(WORDS), max_size=8).map("".join)),
    start=st.sampled_from(STARTS),
)
@example("", "selector")
@example(" ", "content")
@example("a b  c", "content")
@example("a | b , c | d , e | ()", "content")
@example("not not (1, 2) or down*.[<up>]{2}|right[a and b](exists(left))", "selector")
def test_any_text(text: str, start: str) -> None:
    agree(text, start)


def test_every_expression_of_the_corpus() -> None:
    with mock.patch.object(lalr, "parse", wraps=lalr.parse) as parsed:
        for case in corpus():
            parse(Source("<case>", case.schema), [])
    expressions = {call.args[:2] for call in parsed.call_args_list}
    assert len(expressions) > 300
    for text, start in expressions:
        agree(text, start)


@pytest.mark.parametrize(
    ("start", "opening", "inside", "closing", "missing"),
    [("selector", "[", "a", "]", "RSQB"), ("content", "(", "b", ")*", "RPAR")],
)
def test_a_text_may_be_nested_to_any_depth(
    start: str, opening: str, inside: str, closing: str, missing: str
) -> None:
    count = 100_000
    node: lalr.Node = lalr.parse(opening * count + inside + closing * count, start, type_of_name)
    depth = 0
    while isinstance(node, lalr.Tree):
        node, depth = node.children[0], depth + 1
    assert (node.text, depth) == (inside, count + 1)
    with pytest.raises(lalr.UnexpectedTokenError) as caught:
        lalr.parse(opening * count + inside, start, type_of_name)
    assert missing in caught.value.expected
