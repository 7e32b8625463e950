"""Definitions and alternatives that accept further texts, as tightly as a general form can.

In: texts, and the definition that refuses them. Out: the right side of a definition, or what a
content expression reads them as. Invariant: what is made accepts the texts, as far as Python can
tell, and a new right side everything that the old one accepts; the engine has the last word
(`updating`). Cost: linear in the texts; a comparison of automata for an expression.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial

from sculpt.core.acceptor import Acceptor, representatives
from sculpt.diagnostics import Diagnostic, Source, Span
from sculpt.inference.columns.forms import (
    INTEGER,
    NUMBER,
    TEXT,
    TYPES,
    Form,
    ended,
    escaped,
    listed,
    written_as,
)
from sculpt.inference.columns.learn import is_mark
from sculpt.inference.columns.pictures import moments, numbers
from sculpt.inference.columns.shapes import guesses
from sculpt.interchange.builder import literal
from sculpt.syntax import ast
from sculpt.syntax.derived import tree as derived
from sculpt.syntax.lines import whole
from sculpt.syntax.regex import parse_regex
from sculpt.syntax.regular import CharSet, Choice, Letter, Regular
from sculpt.syntax.regular import Sequence as Parts

_FEW = 8
"""More texts than this are not listed."""
_MOST_STATES = 2_000
_MOST_SAMPLES = 200


def texts_of(definition: ast.TokenDefinition | ast.DerivedDefinition) -> tuple[str, ...] | None:
    """The texts of a closed list; `None` if the token is not one."""
    if isinstance(definition, ast.DerivedDefinition):
        tokens = definition.tokens
        parts = tokens.parts if isinstance(tokens, derived.Or) else (tokens,)
        texts = [part.text for part in parts if isinstance(part, ast.Literal)]
        return tuple(texts) if len(texts) == len(parts) else None
    pattern = definition.pattern
    choices = pattern.parts if isinstance(pattern, Choice) else (pattern,)
    words = [_word(each) for each in choices]
    return None if any(word is None for word in words) else tuple(word or "" for word in words)


def _word(pattern: Regular[CharSet]) -> str | None:
    """The text of an expression without alternatives, whatever the case of its letters."""
    parts = pattern.parts if isinstance(pattern, Parts) else (pattern,)
    found = ""
    for part in parts:
        if not isinstance(part, Letter):
            return None
        chars = {chr(c).casefold() for low, high in part.symbol.ranges[:4] for c in (low, high)}
        if len(chars) != 1:
            return None
        found += chars.pop()
    return found


def right_sides(
    definition: ast.TokenDefinition | ast.DerivedDefinition,
    written: str,
    known: Sequence[str],
    new: Sequence[str],
) -> Iterator[str]:
    """Right sides that accept what the old one accepts, and new texts; the best first.

    `written` is the old one, `known` are texts that it accepts in the files.
    """
    closed = texts_of(definition) is not None
    if isinstance(definition, ast.DerivedDefinition):
        form = None if closed or len(new) < 4 else general(new)
        if form is not None and form.level != "text":
            yield f"{written} or {written_as(form)}"
        yield " or ".join([written, *map(literal, new)])
        return
    listed_texts = "|".join(ended(escaped(text)) for text in new)
    joint = f"{written}{'' if written.endswith('|') else '|'}"
    if closed:
        yield f"{joint}{listed_texts}"
        return
    for guess in guesses([*known[:_MOST_SAMPLES], *new]):
        candidate = guess.form.written
        if (pattern := parsed(candidate)) and includes(pattern, definition.pattern):
            yield candidate
            break
    for guess in guesses(list(new)):
        if guess.form.level in ("shape", "lengths"):
            yield f"{joint}{guess.form.written}"
            break
    yield f"{joint}{listed_texts}"


def general(texts: Sequence[str]) -> Form:
    """The tightest form that says what some texts have in common."""
    if all(map(is_mark, texts)):
        return listed(texts)
    for form in (INTEGER, NUMBER, *TYPES):
        if form.accepts_all(texts):
            return form
    pictures = [*moments(texts)[:1], *numbers(texts, "")[:1]]
    if pictures:
        return pictures[0]
    is_short = len(texts) <= _FEW and all(len(text) <= 60 for text in texts)
    if len(texts) == 1 or (is_short and not any(re.search("[0-9]", text) for text in texts)):
        return listed(texts)
    for guess in guesses(list(texts)):
        if guess.form.level == "shape" and "|" not in guess.form.written:
            return guess.form
    if is_short:
        return listed(texts)
    return next((guess.form for guess in guesses(list(texts))), TEXT)


def with_other_numbers(old: str, new: Sequence[str]) -> str | None:
    """An expression for texts that differ only in their numbers; `None` if these are unlike."""
    digits = re.compile("[0-9]+")
    if not digits.search(old) or not re.search(r"[^\W\d_]{2}", old):
        return None
    if any(digits.sub("0", text) != digits.sub("0", old) for text in new):
        return None
    return "[0-9]+".join(map(escaped, digits.split(old)))


def parsed(expression: str) -> Regular[CharSet] | None:
    """The expression, if it can be read."""
    source = Source("", expression)
    problems: list[Diagnostic] = []
    found = parse_regex(whole(Span(source, 0, len(expression))), problems)
    return None if problems else found


def includes(wide: Regular[CharSet], narrow: Regular[CharSet]) -> bool:
    """Does one expression accept all that another does? If that takes long, the answer is no."""
    a, b = Acceptor(wide), Acceptor(narrow)
    start = (a.initial, b.initial)
    seen, todo = {start}, [start]
    while todo:
        ours, theirs = todo.pop()
        if b.accepts(theirs) and not a.accepts(ours):
            return False
        sets = [*a.next_symbols(ours), *b.next_symbols(theirs)]
        for char in representatives(sets):
            reads = partial(_reads, char)
            after = b.step(theirs, reads)
            if not after:
                continue
            pair = (a.step(ours, reads), after)
            if not pair[0]:
                return False
            if pair not in seen:
                seen.add(pair)
                todo.append(pair)
        if len(seen) > _MOST_STATES:
            return False
    return True


def _reads(char: str, chars: CharSet) -> bool:
    return char in chars
