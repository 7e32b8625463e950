"""Generated derived tokens: two engines, and a third opinion that knows no formulas.

The third evaluates the syntax tree on one text at a time, with Python's own expressions, splits and
integers. A padded cell is the text `None`.
"""

from __future__ import annotations

import operator
import re
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

import sculpt
from sculpt.syntax import ast
from sculpt.syntax.derived import tree
from sculpt.syntax.printer import print_tokens
from sculpt.syntax.regular import Epsilon
from strategies import NOWHERE, TOKENS, as_csv

PLAIN = {"a": "a+", "b": "[ab]", "n": "[0-9]+", "w": "[a-z]*", "Text": ".+", "Any": ".*"}
PLAIN |= {"Empty": "", "Integer": r"[+-]?[0-9]+", "x": "x"}
RELATIONS = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "=": operator.eq, "!=": operator.ne,
}  # fmt: skip
CELLS = [
    "a", "aa", "ab", "b", "1", "12", "-3", "007", "", "x", "a;b", "1;2;x", "a b", "é", ";",
    '" 1 "', '"\ta"', '"  "',
]  # fmt: skip

names = st.sampled_from([*PLAIN, "Missing", "Null"])
leaves = st.one_of(
    names.map(lambda name: ast.Name(name, span=NOWHERE)),
    st.sampled_from(CELLS).map(lambda text: ast.Literal(text, span=NOWHERE)),
    st.sampled_from(["[a-z]{2}", "a|1", ".*;.*", "[^a]+"]).map(
        lambda text: tree.Pattern(text, Epsilon(), span=NOWHERE)
    ),
)


def bounds(low: int, high: int) -> st.SearchStrategy[tuple[tree.Bound, ...]]:
    numbers = st.integers(low, high).map(str)
    one = st.builds(tree.Bound, st.sampled_from(list(RELATIONS)), numbers, span=st.just(NOWHERE))
    return st.lists(one, min_size=1, max_size=2).map(tuple)


def expressions(earlier: tuple[str, ...], depth: int = 2) -> st.SearchStrategy[tree.Tokens]:
    known = [st.sampled_from(earlier).map(lambda name: ast.Name(name, span=NOWHERE))]
    atoms = st.one_of(leaves, *(known if earlier else []))
    integers = st.just(ast.Name("Integer", span=NOWHERE))
    valued = [ast.Name(name, span=NOWHERE) for name in ("Missing", "Integer")]
    measured = leaves.filter(lambda each: each not in valued)
    inner = atoms if depth == 0 else st.deferred(lambda: expressions(earlier, depth - 1))
    several = st.lists(inner, min_size=2, max_size=3).map(tuple)
    lists = st.builds(tree.ListOf, inner, st.sampled_from([";", None, ";;"]), span=st.just(NOWHERE))
    span = st.just(NOWHERE)
    return st.one_of(
        atoms,
        lists,
        st.builds(tree.Trimmed, inner, span=span),
        st.builds(tree.Comparison, st.just("length"), measured, bounds(0, 3), span=span),
        st.builds(tree.Comparison, st.just("length"), lists, bounds(0, 3), span=span),
        st.builds(tree.Comparison, st.just("value"), integers, bounds(-5, 15), span=span),
        st.builds(tree.Not, inner, span=span),
        st.builds(tree.And, several, span=span),
        st.builds(tree.Or, several, span=span),
    )


definitions = st.tuples(expressions(()), expressions(("d1",)), expressions(("d1", "d2")))


class Naive:
    """What matches, from the syntax trees alone."""

    def __init__(self, derived: dict[str, tree.Tokens]) -> None:
        self.derived = derived

    def matches(self, name: str, text: str | None) -> bool:
        tokens = self.derived[name]
        return (text is not None or self.names_padding(tokens)) and self.holds(tokens, text)

    def names_padding(self, tokens: tree.Tokens) -> bool:
        named = [each.name for each in tree.names_in(tokens) if isinstance(each, ast.Name)]
        return any(
            name in ("Missing", "Null")
            or (name in self.derived and self.names_padding(self.derived[name]))
            for name in named
        )

    def holds(self, node: tree.Tokens, text: str | None) -> bool:
        match node:
            case ast.Name("Missing"):
                return text is None
            case ast.Name("Null"):
                return not text
            case ast.Name(name) if name in self.derived:
                return self.matches(name, text)
            case tree.Not(part):
                return not self.holds(part, text)
            case tree.And(parts):
                return all(self.holds(part, text) for part in parts)
            case tree.Or(parts):
                return any(self.holds(part, text) for part in parts)
        return text is not None and self.holds_text(node, text)

    def holds_text(self, node: tree.Tokens, text: str) -> bool:
        match node:
            case ast.Name(name):
                return re.fullmatch(PLAIN[name], text) is not None
            case ast.Literal(wanted):
                return text == wanted
            case tree.Pattern(expression):
                return re.fullmatch(expression, text) is not None
            case tree.ListOf(item, separator):
                return all(self.holds(item, each) for each in items(text, separator))
            case tree.Trimmed(part):
                return self.holds(part, text.strip(" \t"))
            case tree.Comparison(measured, operand, some):
                if not self.holds(operand, text):
                    return False
                value = len(text) if measured == "length" else int(text)
                if isinstance(operand, tree.ListOf):
                    value = len(items(text, operand.separator))
                return all(RELATIONS[each.relation](value, int(each.text)) for each in some)
        raise AssertionError(node)


def items(text: str, separator: str | None) -> list[str]:
    if not text:
        return []
    parts = re.split(r"[ \t\n\r]+", text) if separator is None else text.split(separator)
    return [each.strip(" \t") for each in parts]


@settings(max_examples=150)
@given(definitions, st.lists(st.lists(st.sampled_from(CELLS), min_size=1, max_size=4), min_size=1))
def test_engines_and_a_third_opinion_agree(
    trees: tuple[tree.Tokens, ...], table: list[list[str]]
) -> None:
    derived = {f"d{ix}": each for ix, each in enumerate(trees, 1)}
    text = TOKENS + "Blank Rows = keep\n"
    text += "\n".join(f"{name} := {print_tokens(each)}" for name, each in derived.items())
    try:
        schema = sculpt.Schema.parse(text)
    except sculpt.SchemaError as error:
        assert {each.code for each in error.diagnostics} <= {"contradictory-bounds"}, str(error)
        return
    naive = Naive(derived)
    width = max(map(len, table))
    texts = [[cell.strip('"') for cell in row] for row in table]
    padded = [[*row, *[None] * (width - len(row))] for row in texts]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "table.csv"
        file.write_bytes(as_csv(table))
        for name in derived:
            expected = [
                (row, column)
                for row, cells in enumerate(padded, 1)
                for column, cell in enumerate(cells, 1)
                if naive.matches(name, cell)
            ]
            for engine in ("reference", "local"):
                found = sculpt.select(schema, file, name, engine=engine)
                assert [tuple(cell) for cell in found] == expected, (engine, text)
