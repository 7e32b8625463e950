"""Lints about derived tokens: nothing matches one, everything does, or a picture lacks a bound.

In: the statements of a schema and their core. Out: warnings. A formula is followed through the
automata of its parts together, one character of each kind at a time, and evaluated in each state.
What is not regular (texts that are asked about, lists) may be true or false anywhere.

Invariant: sound, not complete: a warning is right; a token that needs more than `MAX_STATES` states
is passed over. Cost: bounded by `MAX_STATES` for each derived token.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import TypeAlias, assert_never

from sculpt.core import ir
from sculpt.core.acceptor import Acceptor, is_nothing, representatives
from sculpt.core.datatypes.languages import language
from sculpt.core.datatypes.model import Condition
from sculpt.core.derivation.conditions import base_of
from sculpt.core.derivation.hidden import mentioned
from sculpt.diagnostics import Diagnostic
from sculpt.syntax import ast
from sculpt.syntax.derived import tree
from sculpt.syntax.regular import CharSet

MAX_STATES = 1_000
MAX_PARTS = 40
_States: TypeAlias = "tuple[frozenset[int], ...]"


def lint_derived(
    statements: Iterable[ast.Statement], schema: ir.CoreSchema
) -> Iterator[Diagnostic]:
    """Derived tokens that say nothing."""
    for statement in statements:
        if not isinstance(statement, ast.DerivedDefinition):
            continue
        yield from _unwritable(statement.tokens)
        token = schema.tokens[statement.name]
        if token.formula is None:  # defined twice, which is an error elsewhere
            continue
        found = answers(token.formula, schema.tokens)
        if found == {False} and not token.matches_padding:
            message = f"no text can match `{token.name}`"
            hint = "its parts exclude each other; `or` joins alternatives"
            yield Diagnostic("matches-nothing", message, statement.span, hint)
        elif found == {True}:
            message = f"every text matches `{token.name}`"
            yield Diagnostic("matches-everything", message, statement.span, "`Any` says the same")


def _unwritable(tokens: tree.Tokens) -> Iterator[Diagnostic]:
    """Bounds of pictures that no text of the picture is worth."""
    for node in tree.comparisons_in(tokens):
        if not isinstance(node.operand, tree.Picture) or node.measured != "value":
            continue
        for bound in node.bounds:
            condition = Condition(base_of(node.operand), "value", "=", bound.text)
            written = language(condition)
            if is_nothing(written.yes) and is_nothing(written.ask):
                message = f"no text of this picture is worth `{bound.text}`"
                hint = "the comparison works all the same; is the picture right?"
                yield Diagnostic("unwritable-bound", message, bound.span, hint)


def answers(formula: ir.Formula, tokens: Mapping[str, ir.CoreToken]) -> set[bool | None]:
    """What the formula is for some text: true, false, or unknown; unknown if that takes long."""
    parts = _plain_parts(formula, tokens)
    if len(parts) > MAX_PARTS:
        return {None}
    machines = {
        name: (Acceptor(token.pattern), Acceptor(token.ask)) for name, token in parts.items()
    }
    flat = [machine for pair in machines.values() for machine in pair]
    start = tuple(machine.initial for machine in flat)
    seen, todo = {start}, [start]
    found: set[bool | None] = set()
    while todo:
        states = todo.pop()
        truths: dict[str, bool | None] = {}
        for ix, name in enumerate(machines):
            is_asked = flat[2 * ix + 1].accepts(states[2 * ix + 1])
            is_list = parts[name].items is not None
            own = flat[2 * ix].accepts(states[2 * ix])
            truths[name] = None if is_asked or is_list else own
        found.add(_evaluate(formula, truths, tokens))
        if len(found) > 1 or None in found:
            return {None}
        for after in _successors(flat, states):
            if after not in seen:
                seen.add(after)
                todo.append(after)
        if len(seen) > MAX_STATES:
            return {None}
    return found


def _successors(machines: list[Acceptor[CharSet]], states: _States) -> Iterator[_States]:
    """The states after one more character, for one character of each kind."""
    sets = [
        chars
        for machine, own in zip(machines, states, strict=True)
        for chars in machine.next_symbols(own)
    ]
    for char in {"\0", *representatives(sets)}:  # one is outside all sets, unless they are all
        reads = partial(_reads, char)
        yield tuple(machine.step(own, reads) for machine, own in zip(machines, states, strict=True))


def _reads(char: str, chars: CharSet) -> bool:
    return char in chars


def _plain_parts(
    formula: ir.Formula, tokens: Mapping[str, ir.CoreToken]
) -> dict[str, ir.CoreToken]:
    """The tokens without a formula that a formula is about, itself or through others."""
    found: dict[str, ir.CoreToken] = {}
    seen: set[str] = set()
    todo = mentioned(formula)
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        token = tokens[name]
        if token.formula is None:
            found[name] = token
        else:
            todo += mentioned(token.formula)
    return found


def _evaluate(
    formula: ir.Formula,
    truths: dict[str, bool | None],
    tokens: Mapping[str, ir.CoreToken],
) -> bool | None:
    """The truth of a formula; what is known of derived tokens is added to `truths`."""
    match formula:
        case ir.Has(name):
            if name not in truths:
                inner = tokens[name].formula
                assert inner is not None
                truths[name] = _evaluate(inner, truths, tokens)
            return truths[name]
        case ir.Lacks(part):
            inside = _evaluate(part, truths, tokens)
            return None if inside is None else not inside
        case ir.Both(parts):
            known = [_evaluate(part, truths, tokens) for part in parts]
            return False if False in known else None if None in known else True
        case ir.Either(parts):
            known = [_evaluate(part, truths, tokens) for part in parts]
            return True if True in known else None if None in known else False
        case _:
            assert_never(formula)
