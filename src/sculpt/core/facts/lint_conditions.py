"""Lints about conditions: a `require` that no data can fail, or that all data fails.

In: the statements of a schema. Out: diagnostics. Only cheap cases are found: a comparison of
constants, and one of a value with itself. Cost: linear in the conditions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sculpt.diagnostics import Diagnostic
from sculpt.syntax import ast
from sculpt.syntax.programs import conditions as q
from sculpt.syntax.programs import tree as p
from sculpt.syntax.programs.functions import ABOUT_FILES


def lint_conditions(statements: Iterable[ast.Statement]) -> Iterator[Diagnostic]:
    """A diagnostic for each comparison of a `require` whose answer is known beforehand."""
    for statement in statements:
        body = statement.body if isinstance(statement, ast.Program) else None
        actions = body.actions if isinstance(body, p.Loop) else (body,)
        for action in actions:
            if isinstance(action, p.Require):
                for comparison in _comparisons(action.condition):
                    yield from _known(comparison)


def _comparisons(condition: q.Condition) -> Iterator[q.Comparison]:
    match condition:
        case q.Comparison():
            yield condition
        case q.Not(part):
            yield from _comparisons(part)
        case q.And(parts) | q.Or(parts):
            for each in parts:
                yield from _comparisons(each)
        case q.Choice(first, then, otherwise):
            yield from _comparisons(first)
            yield from _comparisons(then)
            if otherwise is not None:
                yield from _comparisons(otherwise)


def _known(comparison: q.Comparison) -> Iterator[Diagnostic]:
    left, right = comparison.left, comparison.right
    if _is_constant(left) and _is_constant(right):
        message = "both sides of this comparison are constants, so no data can change it"
        hint = "compare with a cell: `r[A]`, `Only(A)`, the variable of a loop"
        yield Diagnostic("constant-condition", message, comparison.span, hint)
    elif left == right:
        always = "false" if comparison.relation in ("<", ">", "!=") else "true"
        message = f"a value is compared with itself, which is always {always}"
        yield Diagnostic("constant-condition", message, comparison.span)


def _is_constant(node: p.Expression) -> bool:
    match node:
        case p.Text() | p.Number():
            return True
        case p.Joined(parts):
            return all(map(_is_constant, parts))
        case p.Cast(value, _, _) | p.Policy(value, _, _):
            return _is_constant(value)
        case p.Call(function, (value, *_)) if function not in ABOUT_FILES:
            return _is_constant(value)
    return False
