"""Simple types of XML Schema as tokens of Sculpt.

In: simple types. Out: definitions in a `SchemaBuilder`, one for each type that has a name, before
those that use it. A type without a name is written where it is used.

| XML Schema | Sculpt |
|---|---|
| `minInclusive`, `maxExclusive`, … | `5 <= base < 10` |
| `length`, `minLength`, `maxLength` | `1 <= length(base) <= 8` |
| `totalDigits`, `fractionDigits` | `digits(base) <= 6`, `decimals(base) <= 2` |
| `enumeration` | `"red" or "green"`, or `base = 1 or base = 2` |
| `pattern` | `base and /expression/` |
| `explicitTimezone` | `base and /.*(Z|…)/`, or `and not` |
| `list`, `union` | `list(item)`, `first or second` |

What cannot be written is a note. Cost: linear in the types.
"""

from __future__ import annotations

import re
from textwrap import wrap
from typing import assert_never

from sculpt.core.datatypes.model import Base, Condition, ConditionError
from sculpt.core.datatypes.reading import check
from sculpt.diagnostics import Diagnostic
from sculpt.interchange.builder import SchemaBuilder, expression_problem, literal
from sculpt.interchange.documents import Element
from sculpt.interchange.model import Note
from sculpt.interchange.xsd.model import (
    Builtin,
    Definition,
    Facet,
    ListOf,
    Restriction,
    SimpleType,
    UnionOf,
    has_text_values,
    is_ascii,
    is_list,
    normalised,
    root_of,
    white_space,
)
from sculpt.interchange.xsd.pattern import PatternError, translated
from sculpt.interchange.xsd.values import BOUNDS, member_of, members_of

_PLAIN_BOUND = re.compile(r"[A-Za-z0-9+\-.:]+")
_ZONE = r"/.*(Z|[+\-][0-9]{2}:[0-9]{2})/"
_FLIPPED = {">=": "<=", ">": "<"}


class Writer:
    """Writes types into a builder; `names` says which definition a name belongs to."""

    def __init__(self, builder: SchemaBuilder) -> None:
        self.builder = builder
        self.problems: list[Diagnostic] = []
        self.names: dict[str, Definition] = {}
        self._written: dict[int, str] = {}
        self._expressions: dict[int, str | None] = {}

    def write(self, of: SimpleType) -> str:
        """What a type is called, or how it is written: something that can be compared."""
        if isinstance(of, Builtin):
            return of.name
        key = id(of)
        if key not in self._written:
            self._written[key] = self._new(of)
        return self._written[key]

    def _new(self, of: Restriction | ListOf | UnionOf) -> str:
        definition = of.definition
        expression = self._pattern_alone(of) if definition.name else None
        text = self._text(of) if expression is None else ""
        if not definition.name:
            return text if _is_operand(text) else f"({text})"
        if text == definition.name and text in self.names:
            return text  # an element or attribute with the name of its type
        if text == "xs:string":
            expression = ".*"  # a derived token that every text matches is a lint
        statement = f":= {text}" if expression is None else f"= {expression}"
        return self._defined(definition, statement)

    def _defined(self, definition: Definition, statement: str) -> str:
        """Define a token, even if another one is defined in the same way: both names are needed."""
        name = self.builder.names.name(definition.name, "type")
        place = definition.document.spot(definition.element)
        origin = f'{definition.kind} "{definition.name}" ({place})'
        lines = [line for text in (definition.about, origin) for line in _comment(text)]
        self.builder.program([*lines, f"{name} {statement}"])
        self.names[name] = definition
        return name

    def _pattern_alone(self, of: SimpleType) -> str | None:
        """The expression of a type that is nothing but texts of a pattern."""
        if not isinstance(of, Restriction) or root_of(of) is not of.base:
            return None
        if of.base != Builtin("xs:string") or [each.name for each in of.facets] != ["pattern"]:
            return None
        return self._expression(of, of.facets[0])

    def _text(self, of: Restriction | ListOf | UnionOf) -> str:
        match of:
            case ListOf():
                inner = self.write(of.item)
                return f"list({_unwrapped(inner)})"
            case UnionOf():
                return " or ".join(dict.fromkeys(self.write(member) for member in of.members))
            case Restriction():
                return self._restricted(of)
            case _:
                assert_never(of)

    # --------------------------------------------------------------- facets

    def _restricted(self, of: Restriction) -> str:
        base = self.write(of.base)
        parts = [*self._bounds(of, base)]
        is_typed = bool(parts)
        if values := self._enumerated(of, base):
            parts.append(values)
            # Values of a type with facets of its own may be texts, of which `base` says more.
            is_compared = f"{base} = " in values and not isinstance(root_of(of), UnionOf)
            is_typed = is_typed or is_compared or not isinstance(of.base, Restriction)
        if patterns := self._patterns(of):
            parts.append(patterns)
        for facet in of.facets:
            if facet.name == "explicitTimezone" and facet.value in ("required", "prohibited"):
                parts.append(_ZONE if facet.value == "required" else f"not {_ZONE}")
            elif facet.name == "whiteSpace" and facet.value != white_space(of.base):
                message = f"white space in cells stays as it is: {facet.value} is not applied"
                self._note(of.definition, facet.element, message)
        if not is_typed and (base != "xs:string" or not parts):
            parts.insert(0, base)
        if len(parts) == 1:
            return parts[0]
        return " and ".join(f"({part})" if _is_choice(part) else part for part in parts)

    def _bounds(self, of: Restriction, base: str) -> list[str]:
        """Comparisons with bounds: a lower and an upper one of the same thing in one."""
        found: dict[str, list[tuple[str, str]]] = {}
        for facet in of.facets:
            if facet.name not in BOUNDS or not self._is_sound(of, facet):
                continue
            measured, relation = BOUNDS[facet.name]
            operand = base if measured == "value" else f"{measured}({_unwrapped(base)})"
            value = normalised(facet.value, "collapse")
            found.setdefault(operand, []).append((relation, _bound(value)))
        texts = []
        for operand, bounds in found.items():
            lower = [each for each in bounds if each[0] in _FLIPPED]
            others = [each for each in bounds if each[0] not in _FLIPPED]
            if len(lower) == 1 and len(others) == 1 and others[0][0] != "=":
                low = f"{lower[0][1]} {_FLIPPED[lower[0][0]]} {operand}"
                texts.append(f"{low} {others[0][0]} {others[0][1]}")
            else:
                texts += [f"{operand} {relation} {bound}" for relation, bound in bounds]
        return texts

    def _is_sound(self, of: Restriction, facet: Facet) -> bool:
        """Does the type have such a facet, and is the bound one of its values?"""
        root = root_of(of.base)
        measured, relation = BOUNDS[facet.name]
        problem = None
        if isinstance(root, UnionOf) or (is_list(root) and measured != "length"):
            kind = "union" if isinstance(root, UnionOf) else "list"
            problem = f"a {kind} has no facet `{facet.name}`"
        elif isinstance(root, Builtin) and not is_list(root):
            value = normalised(facet.value, "collapse")
            try:
                check(Condition(Base(root.name), measured, relation, value))
            except ConditionError as error:
                problem = f"`{facet.name}`: {error.message}"
        if problem is not None:
            self._problem(of.definition, facet.element, problem)
        return problem is None

    def _patterns(self, of: Restriction) -> str:
        """The patterns of one step of derivation: one of them must match."""
        facets = [facet for facet in of.facets if facet.name == "pattern"]
        expressions = [self._expression(of, facet) for facet in facets]
        if None in expressions:
            return ""
        return " or ".join(f"/{each}/" for each in expressions)

    def _expression(self, of: Restriction, facet: Facet) -> str | None:
        key = id(facet)
        if key not in self._expressions:
            self._expressions[key] = self._translated(of, facet)
        return self._expressions[key]

    def _translated(self, of: Restriction, facet: Facet) -> str | None:
        try:
            written = translated(facet.value, is_ascii(of.base))
        except PatternError as error:
            message = f"pattern, character {error.at + 1}: {error.message}"
            if "more than" in error.message or "above" in error.message:
                self._note(of.definition, facet.element, message)
            else:
                self._problem(of.definition, facet.element, message)
            return None
        problem = expression_problem(written)  # counts that multiply to too many characters
        if problem is not None:
            self._note(of.definition, facet.element, f"pattern: {problem}")
        return None if problem is not None else written

    def _enumerated(self, of: Restriction, base: str) -> str:
        values = [
            (normalised(facet.value, white_space(of.base)), facet)
            for facet in of.facets
            if facet.name == "enumeration"
        ]
        root = root_of(of.base)
        if values and is_list(root) and not has_text_values(root):
            message = "the lists of an enumeration are compared as texts"
            self._note(of.definition, values[0][1].element, message)
        texts = []
        for value, facet in values:
            if isinstance(root, UnionOf):
                texts.append(self._of_union(of, root, value, facet))
            elif has_text_values(root) or is_list(root):
                texts.append(literal(value))
            elif self._is_value(of, root, value, facet):
                texts.append(f"{base} = {_bound(value)}")
        return " or ".join(dict.fromkeys(text for text in texts if text))

    def _is_value(self, of: Restriction, root: SimpleType, value: str, facet: Facet) -> bool:
        assert isinstance(root, Builtin)
        try:
            check(Condition(Base(root.name), "value", "=", value))
        except ConditionError as error:
            self._problem(of.definition, facet.element, f"`enumeration`: {error.message}")
            return False
        return True

    def _of_union(self, of: Restriction, union: UnionOf, value: str, facet: Facet) -> str:
        """A value of a union: equal to it are texts whose first member is the same."""
        member = member_of(union, value)
        if member is None:
            message = f"`{value}` is a value of no type of the union"
            self._problem(of.definition, facet.element, message)
            return ""
        if has_text_values(member) or is_list(member):
            return literal(value)
        before = [self.write(each) for each in members_of(union)]
        before = before[: members_of(union).index(member)]
        own = f"{self.write(member)} = {_bound(value)}"
        return " and ".join([own, *(f"not {each}" for each in before)])

    # --------------------------------------------------------------- what is wrong

    def _note(self, definition: Definition, element: Element, message: str) -> None:
        named = f"{definition.kind} `{definition.name}`, {message}" if definition.name else message
        self.builder.note(Note(named, definition.document.spot(element)))

    def _problem(self, definition: Definition, element: Element, message: str) -> None:
        self.problems.append(definition.document.problem("foreign-meaning", element, message))


def _comment(text: str) -> list[str]:
    """The lines of a comment; nothing in it can end a line."""
    shown = "".join(char if char.isprintable() else " " for char in text)
    lines = wrap(shown, 96, break_long_words=False, break_on_hyphens=False)
    return [f"% {line}" for line in lines]


def _bound(value: str) -> str:
    return value if _PLAIN_BOUND.fullmatch(value) else literal(value)


def _is_choice(text: str) -> bool:
    """May an `or` be at the top of a text? Quotes and slashes may hide one that is not."""
    return " or " in text


def _is_operand(text: str) -> bool:
    """Is a text a name, a literal or a call, so that it can be compared as it is?"""
    return re.fullmatch(r"[\w:.-]+", text) is not None


def _unwrapped(text: str) -> str:
    """What is between the parentheses of an expression that is nothing else."""
    return text[1:-1] if text.startswith("(") and text.endswith(")") else text
