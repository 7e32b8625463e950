r"""The parts of a regular expression of Java, and how they are written for Sculpt.

In: a tree of parts. Out: the text of a Sculpt expression. Anchors at the ends of the whole say
nothing and are dropped; anchors elsewhere are not regular: `JavaError`.

Invariant: blanks at the ends, and beside a `|`, are written as `\\x20`. Cost: linear in the tree.
"""

from __future__ import annotations

from typing import TypeAlias, assert_never

from sculpt.interchange.csv_schema.java.classes import CharSet, JavaError
from sculpt.values import frozen


@frozen
class Anchor:
    """`^`, `$` and their like: `is_start` says which end they mean."""

    is_start: bool
    at: int


@frozen
class Sequence:
    """One part after the other."""

    parts: tuple[Node, ...]


@frozen
class Alternatives:
    """One part or another."""

    branches: tuple[Node, ...]


@frozen
class Repeat:
    """A part several times; `most` is `None` if there is no limit."""

    inner: Node
    suffix: str
    least: int
    most: int | None


Node: TypeAlias = CharSet | Anchor | Sequence | Alternatives | Repeat


def size(node: Node) -> int:
    """How many characters it has, repetitions counted as often as they may occur."""
    match node:
        case CharSet():
            return 1
        case Anchor():
            return 0
        case Sequence(parts) | Alternatives(parts):
            return sum(size(part) for part in parts)
        case Repeat(inner, _, least, most):
            return size(inner) * max(least, most or 1, 1)
    assert_never(node)


def render(node: Node, at_start: bool, at_end: bool) -> str:
    """The expression of a part; `at_start` and `at_end`: is it at an end of the whole?"""
    match node:
        case CharSet():
            return without_outer_blanks(node.text) if at_start or at_end else node.text
        case Anchor(is_start, at):
            if at_start if is_start else at_end:
                return ""
            message = "an anchor inside the expression is not regular"
            raise JavaError(message, at, at + 1, is_valid_in_java=True)
        case Sequence(parts):
            return _rendered_sequence(parts, at_start, at_end)
        case Alternatives(branches):
            texts = [render(each, at_start, at_end) for each in branches]
            return "|".join(without_outer_blanks(each) for each in texts)
        case Repeat(inner, suffix, _, most):
            edge = most == 1
            text = render(inner, at_start and edge, at_end and edge)
            text = text if isinstance(inner, CharSet) else f"({text})"
            return text + suffix
    assert_never(node)


def _rendered_sequence(parts: tuple[Node, ...], at_start: bool, at_end: bool) -> str:
    solid = [ix for ix, part in enumerate(parts) if not isinstance(part, Anchor)]
    first, last = (solid[0], solid[-1]) if solid else (len(parts), -1)
    found = []
    for ix, part in enumerate(parts):
        text = render(part, at_start and ix <= first, at_end and ix >= last)
        found.append(f"({text})" if isinstance(part, Alternatives) else text)
    return "".join(found)


def without_outer_blanks(text: str) -> str:
    """Blanks at the ends would be dropped, and those beside a `|` look like a mistake."""
    if text.startswith(" "):
        text = "\\x20" + text[1:]
    if text.endswith(" "):
        text = text[:-1] + "\\x20"
    return text
