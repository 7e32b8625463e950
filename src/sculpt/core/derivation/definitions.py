"""Derived tokens to core tokens: each definition becomes a formula over other tokens.

In: the definitions of a schema, and a way to resolve other names. Out: the table of tokens with the
derived ones, and the hidden ones that their formulas need. Errors are reported all at once; a token
that uses a broken one is broken as well, without a further error.

Invariant: a formula refers only to tokens that come before it in the table. Cost: linear in the
definitions, plus a language for each distinct condition.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol, assert_never

from sculpt.core import ir
from sculpt.core.builtins import FRIENDLY
from sculpt.core.datatypes import reading
from sculpt.core.datatypes.model import Base, Condition, ConditionError
from sculpt.core.derivation import conditions
from sculpt.core.derivation.branches import (
    BROKEN,
    MAX_BOUNDS,
    MAX_BRANCHES,
    Branch,
    Counted,
    Meaning,
    Written,
    bases_of,
    both,
    either,
    intersection,
    union,
)
from sculpt.core.derivation.hidden import UNDIVIDED, WHITE_SPACE, HiddenTokens
from sculpt.core.derivation.padding import Padding
from sculpt.core.dialect import Delimiter
from sculpt.core.use_order import in_order_of_use
from sculpt.diagnostics import CODES, Span, closest
from sculpt.syntax import ast
from sculpt.syntax.derived import tree
from sculpt.syntax.printer import print_tokens
from sculpt.syntax.regular import Epsilon
from sculpt.values import replace

_VALUELESS = frozenset(("Empty", "Null", "Missing"))


class Names(Protocol):
    """What is known about the other names of a schema."""

    tokens: dict[str, ir.CoreToken]

    def token(self, name: ast.Name | ast.Literal) -> str:
        """The key of a token, which is added to the table if it is new."""

    def is_type(self, name: str) -> bool:
        """Is it the name of a token type?"""

    def error(self, code: str, message: str, span: Span, hint: str | None = None) -> None:
        """Report an error."""


class Definitions:
    """Defines derived tokens, each after those that it uses."""

    def __init__(self, definitions: Mapping[str, ast.DerivedDefinition], names: Names) -> None:
        self.definitions = definitions
        self.names = names
        self.meanings: dict[str, Meaning] = {}
        self.padding = Padding(names.tokens)
        self.hidden = HiddenTokens(names.tokens)

    def define(self, described: Callable[[ast.DerivedDefinition], ir.CoreToken]) -> None:
        """Add all tokens to the table; `described` gives a token all but its formula."""
        uses = {
            name: [
                used.name
                for used in tree.names_in(definition.tokens)
                if isinstance(used, ast.Name) and used.name in self.definitions
            ]
            for name, definition in self.definitions.items()
        }
        for name in in_order_of_use(uses, self._report_cycle):
            definition = self.definitions[name]
            meaning = self.meaning(definition.tokens)
            try:
                self.hidden.add(meaning.formula)
            except ConditionError as error:
                self._report(error, definition.name_span)
            token = replace(described(definition), formula=meaning.formula)
            self.names.tokens[name] = self.padding.with_padding(token, self._used(definition))
            self.meanings[name] = self._named(name, meaning)

    def branches_of(self, name: str) -> tuple[Branch, ...] | None:
        """The branches of a derived token, each a token of the table; `None` if it is broken."""
        meaning = self.meanings.get(name, BROKEN)
        if meaning.is_broken:
            return None
        try:
            for branch in meaning.branches:
                self.hidden.add(branch.formula)
        except ConditionError:
            return None  # a part of what was reported for the token as a whole
        return meaning.branches

    def _report_cycle(self, names: list[str]) -> None:
        message = "tokens cannot be defined in a circle: " + " := ".join(names)
        self.names.error("token-cycle", message, self.definitions[names[0]].name_span)

    def _used(self, definition: ast.DerivedDefinition) -> list[str]:
        """The keys of the tokens that a definition names."""
        found = []
        for used in tree.names_in(definition.tokens):
            name = used.name if isinstance(used, ast.Name) else ""
            if name in self.definitions:
                found.append(name)
            elif not self.names.is_type(name):
                found.append(self.names.token(used))
        return found

    def _named(self, name: str, meaning: Meaning) -> Meaning:
        """What the name of a token means elsewhere: each branch is a token of its own."""
        own = ir.Has(name)
        if meaning.is_broken:
            return BROKEN
        if len(meaning.branches) == 1 and meaning.branches[0].formula == meaning.formula:
            return Meaning(own, (replace(meaning.branches[0], formula=own),))
        branches = [
            replace(branch, formula=self.hidden.part(f"{name} {number}", branch.formula))
            for number, branch in enumerate(meaning.branches, 1)
        ]
        return Meaning(own, tuple(branches))

    # ------------------------------------------------------------- meanings

    def meaning(self, node: tree.Tokens) -> Meaning:
        """What a part of a definition means."""
        match node:
            case ast.Name():
                return self._name(node)
            case ast.Literal():
                return _texts(ir.Has(self.names.token(node)))
            case tree.Pattern(text, pattern):
                return _texts(self.hidden.pattern(text, pattern))
            case tree.Picture():
                return self._picture(node)
            case tree.ListOf():
                return self._list_of(node)
            case tree.Trimmed(part):
                return self._trimmed(part)
            case tree.Comparison():
                return self._comparison(node)
            case tree.Not(part):
                inner = self.meaning(part)
                return BROKEN if inner.is_broken else _texts(ir.Lacks(inner.formula))
            case tree.And(parts):
                return self._conjunction(node, tuple(self.meaning(part) for part in parts))
            case tree.Or(parts):
                meanings = [self.meaning(part) for part in parts]
                if any(each.is_broken for each in meanings):
                    return BROKEN
                return Meaning(either(each.formula for each in meanings), union(meanings))
            case _:
                assert_never(node)

    def _name(self, node: ast.Name) -> Meaning:
        name = node.name
        if self.names.is_type(name):
            message = f"`{name}` is a token type: it is about places, and tokens are about texts"
            self.names.error("type-in-token", message, node.span)
            return BROKEN
        if name in self.definitions:
            return self.meanings.get(name, BROKEN)  # absent only in a cycle
        key = self.names.token(node)
        token = self.names.tokens[key]
        if token.is_missing:
            return Meaning(ir.Has(key))
        if token.declared or token.literal is not None or name in _VALUELESS:
            return _texts(ir.Has(key))
        return Meaning(ir.Has(key), (Branch(ir.Has(key), Base(name), is_whole=True),))

    def _picture(self, node: tree.Picture) -> Meaning:
        base = conditions.base_of(node)
        try:
            known = self.names.tokens.get(node.type)
            if node.type in self.definitions or (known is not None and known.declared):
                message = f"`{node.type}` is a token of this schema; a picture needs a type"
                self.names.error("bad-picture", message, node.span)
                return BROKEN
            reading.check(Condition(base))
        except ConditionError as error:
            self._report(error, node.span if error.at is None else node.picture_span)
            return BROKEN
        formula = self.hidden.condition(Condition(base))
        return Meaning(formula, (Branch(formula, base, is_whole=True),))

    def _list_of(self, node: tree.ListOf) -> Meaning:
        item = self.meaning(node.item)
        if node.separator == "":
            message = "the separator of a list cannot be empty"
            self.names.error("bad-separator", message, node.separator_span or node.span)
            return BROKEN
        if item.is_broken:
            return BROKEN
        token = self.hidden.part(print_tokens(node.item), item.formula)
        delimiter = WHITE_SPACE if node.separator is None else Delimiter(node.separator)
        known = Counted(token.name, delimiter, bases=bases_of(item.branches))
        formula = self.hidden.list_of(known)
        return Meaning(formula, (Branch(formula, known, is_whole=True),))

    def _trimmed(self, part: tree.Tokens) -> Meaning:
        """A list of one item that nothing can split: blanks around items are ignored."""
        inner = self.meaning(part)
        if inner.is_broken:
            return BROKEN
        token = self.hidden.part(print_tokens(part), inner.formula)
        whole = self.hidden.list_of(Counted(token.name, UNDIVIDED, 1, 1))
        empty = self.hidden.pattern("", Epsilon())
        return _texts(either([whole, both([empty, inner.formula])]))

    def _conjunction(self, node: tree.And, meanings: tuple[Meaning, ...]) -> Meaning:
        if any(each.is_broken for each in meanings):
            return BROKEN
        branches = intersection(meanings)
        known = self._possible(branches)
        if not known:
            return BROKEN
        return Meaning(both(each.formula for each in meanings), branches)

    def _possible(self, branches: tuple[Branch, ...]) -> tuple[Branch, ...]:
        """The branches whose bounds do not contradict each other; if there is none, an error."""
        clashes = [conditions.contradiction(branch) for branch in branches]
        if branches and all(clash is not None for clash in clashes):
            assert clashes[0] is not None
            self._report_contradiction(*clashes[0])
        return tuple(b for b, clash in zip(branches, clashes, strict=True) if clash is None)

    def _report_contradiction(self, first: Written, second: Written) -> None:
        where = first.span.describe(second.span.source)
        is_near = first.span.source is second.span.source and first.span.line == second.span.line
        place = "" if is_near else f" on {where}"
        what = "value" if second.measured == "value" else second.measured
        message = (
            f"no {what} is both `{first.relation} {first.bound}`{place}"
            f" and `{second.relation} {second.bound}`"
        )
        self.names.error("contradictory-bounds", message, second.span)

    # ------------------------------------------------------------- comparisons

    def _comparison(self, node: tree.Comparison) -> Meaning:
        operand = self.meaning(node.operand)
        if operand.is_broken:
            return BROKEN
        bounds = tuple(
            Written(node.measured, each.relation, each.text, each.span) for each in node.bounds
        )
        if len(operand.branches) > MAX_BRANCHES:
            message = f"a comparison of more than {MAX_BRANCHES} alternatives"
            self.names.error("too-deep", message, node.span, "compare them one by one")
            return BROKEN
        restricted: list[Branch] = []
        problems: list[list[tuple[Span, ConditionError]]] = []
        for branch in operand.branches:
            wrong = self._problems(branch, bounds, node)
            problems.append(wrong)
            if not wrong:
                restricted.append(self._restricted(branch, bounds))
        if not restricted:
            self._report_all(problems, node)
            return BROKEN
        if not self._possible(tuple(restricted)):
            return BROKEN
        return Meaning(either(branch.formula for branch in restricted), tuple(restricted))

    def _problems(
        self, branch: Branch, bounds: tuple[Written, ...], node: tree.Comparison
    ) -> list[tuple[Span, ConditionError]]:
        """What is wrong with comparing the texts of a branch with some bounds, each on its own."""
        found = []
        for bound in bounds:
            try:
                if isinstance(branch.base, Counted):
                    if bound.relation != "!=" or bound.measured != "length":
                        conditions.counted(branch.base, bound)
                    conditions.count_of(bound)
                else:
                    conditions.conditions_of(branch, (bound,))
            except ConditionError as error:
                is_bound = error.code in ("bad-bound", "count-too-large")
                found.append((bound.span if is_bound else node.operand.span, error))
        return found

    def _report_all(
        self, problems: list[list[tuple[Span, ConditionError]]], node: tree.Comparison
    ) -> None:
        if not problems:
            message = "a cell that is not there has no value to compare"
            self.names.error("no-value", message, node.operand.span)
        elif len(problems) == 1:
            if isinstance(node.operand, ast.Name) and problems[0][0][1].code == "no-value":
                self._report_name(node.operand, node.bounds[0])
                return
            seen: set[str] = set()
            for span, error in problems[0]:
                if span != node.operand.span or error.message not in seen:
                    self._report(error, span)
                seen.add(error.message)
        else:  # alternatives: say what is wrong with those that have values
            first = [wrong[0] for wrong in problems]
            told = [each for each in first if each[1].code != "no-value"] or first
            span, error = told[0]
            if len(told) > 1 and all(each[1].code == "bad-bound" for each in told):
                bound = next(each for each in node.bounds if each.span == span)
                message = f"`{bound.text}` is a value of none of these types"
                error = ConditionError("bad-bound", message, hint=error.hint)
            self._report(error, span)

    def _report_name(self, name: ast.Name, bound: tree.Bound) -> None:
        """The texts of a token have no value: say what the token is, and what may be meant."""
        if name.name.startswith("xs:"):
            return  # there is no such type, which was reported
        hint = None
        if name.name in self.definitions or self.names.tokens[name.name].literal is None:
            message = f"the texts of `{name.name}` have no value to compare"
            hint = f"say of which type they are: `{name.name} and Integer`"
        else:
            message = f"`{name.name}` is not declared, so it is a text, which has no value"
            known = [*self.definitions, *FRIENDLY]
            near = closest(name.name, known)
            if bound.text in known or bound.text.startswith("xs:"):
                other = f"{bound.text} {tree.TURNED[bound.relation]} {name.name}"
                hint = f"is the bound on the wrong side? `{other}`"
            elif near:
                hint = f"did you mean `{near}`?"
        self.names.error("no-value", message, name.span, hint)

    def _restricted(self, branch: Branch, bounds: tuple[Written, ...]) -> Branch:
        """The texts of a branch that keep the bounds."""
        known = (*branch.bounds, *bounds)[-MAX_BOUNDS:]
        if isinstance(branch.base, Counted):
            return self._restricted_list(branch, branch.base, bounds, known)
        found = conditions.conditions_of(branch, bounds)
        parts = [self.hidden.condition(condition) for condition in found]
        # A condition holds only for texts of its base.
        is_implied = branch.is_whole and all(each.base == branch.base for each in found)
        return Branch(both(parts if is_implied else [branch.formula, *parts]), branch.base, known)

    def _restricted_list(
        self,
        branch: Branch,
        known: Counted,
        bounds: tuple[Written, ...],
        all_bounds: tuple[Written, ...],
    ) -> Branch:
        excluded: list[ir.Formula] = []
        narrowed: Counted | None = known
        for bound in bounds:
            if bound.relation == "!=":
                only = conditions.counted(known, replace(bound, relation="="))
                excluded += [] if only is None else [ir.Lacks(self.hidden.list_of(only))]
            elif narrowed is not None:
                narrowed = conditions.counted(narrowed, bound)
        if narrowed is None:
            return Branch(ir.Either(()), known, all_bounds)
        own = [] if branch.is_whole else [branch.formula]
        formula = both([*own, self.hidden.list_of(narrowed), *excluded])
        is_whole = branch.is_whole and not excluded
        return Branch(formula, narrowed, all_bounds, is_whole)

    # ------------------------------------------------------------- problems

    def _report(self, error: ConditionError, span: Span) -> None:
        code = error.code if error.code in CODES else "bad-bound"
        place = span if error.at is None else _inside(span, *error.at)
        self.names.error(code, error.message, place, error.hint)


def _texts(formula: ir.Formula) -> Meaning:
    """Texts without a type."""
    return Meaning(formula, (Branch(formula, None),))


def _inside(span: Span, start: int, end: int) -> Span:
    """A place in a text, which is perhaps in quotes; escapes are counted as what they stand for."""
    written = span.source.text[span.start : span.end]
    if "\n" in written:
        return span
    if not written.startswith('"'):
        places = [*range(span.start, span.end + 1)]
    else:
        places, at = [], 1
        while at < len(written) - 1:
            places.append(span.start + at)
            at += 2 if written[at] == "\\" else 1
        places.append(span.start + at)
    last = len(places) - 1
    start, end = min(max(start, 0), last), min(max(end, 0), last)
    return Span(span.source, places[start], max(places[end], places[start]))
