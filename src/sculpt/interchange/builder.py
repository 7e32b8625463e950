"""Writes a Sculpt schema, statement by statement, as a person would.

In: directives, definitions, rules and conditions, each with what it was in the source. Out: a
`TableText`: formatted text in the order of the calls, with comments, and the origins of statements.
Conditions of equal loops share one loop, which comes last.

Invariants: the text is its own `sculpt fmt`; a name that is given out is legal, free and not
predefined, and the same definition has one name; the origin of a statement stands as a comment
above it, or, of a condition in a loop, as the message of its clause. Cost: linear in the text,
which is parsed once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from sculpt.core.desugar import PREDEFINED
from sculpt.diagnostics import Diagnostic, Source
from sculpt.errors import SchemaError
from sculpt.interchange.model import Note, Origin, TableText
from sculpt.interchange.places import unwritable
from sculpt.syntax import ast
from sculpt.syntax.lines import Fragment
from sculpt.syntax.names import is_plain_name, quote
from sculpt.syntax.parser import DIRECTIVES, near_directive, parse
from sculpt.syntax.printer import WIDTH, print_document
from sculpt.syntax.regex import parse_regex
from sculpt.values import frozen

_BEGINNINGS = frozenset(
    ("print", "namespace", "mapping", "include", "require", "key", "unique", "unique-per-row")
)
_KEYWORDS = frozenset((*ast.KEYWORDS, *ast.OPERATOR_WORDS))
_COMMENT_WIDTH = 96
_MAX_NAME = 60
_MINUS = re.compile(r"(?<![\w:.-])-(?=\.?[0-9]|PT?[0-9]|INF\b)")
"""The sign of a number or a duration; other hyphens join words."""


def literal(text: str) -> str:
    """A text between quotes, as selectors, contents and programs take it."""
    return quote(text)


@frozen
class Loop:
    """A loop of conditions: `For each row r in not row(1)`."""

    kind: str = "row"
    variable: str = "r"
    selector: str = "not row(1)"


class NamePool:
    """Gives out names that are legal, readable and free."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = {*taken}

    def name(self, wish: str, fallback: str = "part") -> str:
        """A free name that resembles a text; `fallback` if nothing of the text can be kept."""
        base = legal_name(wish) or fallback
        if is_reserved(f"{base}-2"):  # no number makes it free
            base = f"{fallback} {base}"
        found, number = base, 1
        while found in self._taken or is_reserved(found):
            number += 1
            found = f"{base}-{number}"
        self._taken.add(found)
        return found


def is_reserved(name: str) -> bool:
    """Does a name mean something in every schema, or begin another statement?"""
    first = name.partition(" ")[0]
    return (
        name in PREDEFINED
        or name in _KEYWORDS
        or name.startswith(("xs:", "For each"))
        or first in _BEGINNINGS
        or name in DIRECTIVES
        or near_directive(name) is not None
    )


def legal_name(wish: str) -> str:
    """The words of a text as a name, if it has any.

    Operators are written with a capital, and the sign of a negative number as a word.
    """
    words = re.findall(r"\w[\w:-]*", _MINUS.sub("minus ", wish))
    kept = [word.rstrip("-:") for word in words]
    kept = [word.capitalize() if word in ast.OPERATOR_WORDS else word for word in kept if word]
    while len(kept) > 1 and len(" ".join(kept)) > _MAX_NAME:
        kept.pop()
    name = " ".join(kept)[:_MAX_NAME].rstrip("-: ")
    return name if is_plain_name(name) else ""


class SchemaBuilder:
    """Collects the statements of one table."""

    def __init__(self, title: str, taken: Iterable[str] = ()) -> None:
        self.names = NamePool(taken)
        self._lines: list[str] = [*_comment(title), ""] if title else []
        self._definitions: dict[str, str] = {}
        self._origins: dict[str, list[Origin]] = {}
        self._loops: dict[Loop, list[tuple[str, str, Origin]]] = {}
        self._by_line: dict[int, Origin] = {}
        self._notes: list[Note] = []

    # ------------------------------------------------------------- words

    def comment(self, text: str) -> None:
        """A paragraph of its own, with blank lines around it."""
        self._lines += ["", *_comment(text), ""]

    def gap(self) -> None:
        """A blank line."""
        self._lines.append("")

    def note(self, note: Note) -> None:
        """Say here, and in the notes, what is not taken over."""
        self._notes.append(note)
        self._lines += ["", *note_comment(note), ""]

    # ------------------------------------------------------------- definitions

    def directive(self, name: str, value: str) -> None:
        """A directive; `value` is the text that is meant, escaped here."""
        assert name in DIRECTIVES, name
        self._lines.append(f"{name} = {_directive_value(value)}")

    def raw_directive(self, name: str, value: str) -> None:
        """A directive whose value is written as in a schema, such as `/;+/` or `4, 8, *`."""
        self._lines.append(f"{name} = {value}")

    def token(self, wish: str, expression: str, about: str = "") -> str:
        """`name = expression`; the name."""
        return self._define(wish, "=", expression, about, "text")

    def derived(self, wish: str, tokens: str, about: str = "") -> str:
        """`name := tokens`; the name."""
        return self._define(wish, ":=", tokens, about, "value")

    def region(self, wish: str, selector: str, about: str = "") -> str:
        """`name <= selector`; the name."""
        return self._define(wish, "<=", selector, about, "column")

    def _define(self, wish: str, sign: str, meaning: str, about: str, fallback: str) -> str:
        key = f"{sign} {meaning}"
        if key not in self._definitions:
            name = self.names.name(wish, fallback)
            self._definitions[key] = name
            # `name = >x` would be the arrow `=>`, and `Total: = x` needs its blank.
            self._lines += [*_comment(about), f"{name} {sign} {meaning}"]
        return self._definitions[key]

    # ------------------------------------------------------------- what can be violated

    def rule(
        self,
        selector: str,
        content: str,
        origin: Origin,
        arrow: str = "->",
        severity: str = "error",
        message: str = "",
    ) -> None:
        """`selector -> content`, with a message for its violations if the rule does not show it."""
        self._stated("rule", f"{selector} {arrow} {content}", origin, severity, message)

    def unique(
        self, name: str, origin: Origin, per_row: bool = False, severity: str = "error"
    ) -> None:
        """`unique(name)`."""
        word = "unique-per-row" if per_row else "unique"
        self._stated("unique", f"{word}({name})", origin, severity)

    def key(
        self,
        parts: Sequence[str],
        origin: Origin,
        across: bool = False,
        severity: str = "error",
    ) -> None:
        """`key(part, …)`."""
        end = " across files" if across else ""
        self._stated("key", f"key({', '.join(parts)}){end}", origin, severity)

    def runs(self, parts: Sequence[str], origin: Origin, severity: str = "error") -> None:
        """`key(part, …) in runs`."""
        self._stated("key", f"key({', '.join(parts)}) in runs", origin, severity)

    def reference(
        self,
        left: str,
        right: str,
        origin: Origin,
        several: bool = False,
        severity: str = "error",
        has_key: bool = True,
    ) -> None:
        """`left ~> right`; it says that it is an error if no key says that the target is unique."""
        sign = "~>+" if several else "~>"
        end = "" if several or has_key or severity != "error" else " ! error"
        self._stated("reference", f"{left} {sign} {right}{end}", origin, severity)

    def require(
        self,
        condition: str,
        origin: Origin,
        severity: str = "error",
        loop: Loop | None = None,
    ) -> None:
        """`require(condition)`, alone or in a loop that it shares with others."""
        if loop is not None:
            self._loops.setdefault(loop, []).append((condition, severity, origin))
            return
        self._stated("require", f"require({condition})", origin, severity)

    def program(self, lines: Iterable[str]) -> None:
        """The lines of any other statement: a loop, a namespace, a mapping."""
        self._lines += lines

    def _stated(
        self, kind: str, text: str, origin: Origin, severity: str, message: str = ""
    ) -> None:
        clause = ["warning"] if severity == "warning" else []
        clause += [literal(_one_line(message))] if message else []
        end = f" ! {' '.join(clause)}" if clause else ""
        self._lines += [*_comment(str(origin)), f"{text}{end}"]
        self._by_line[len(self._lines)] = origin
        self._origins.setdefault(kind, []).append(origin)

    # ------------------------------------------------------------- the result

    def build(self, name: str, data: str | None = None, file: str = "") -> TableText:
        """The schema of a table; `data` is where the source says that its data is."""
        for loop, conditions in self._loops.items():
            self._lines += ["", f"For each {loop.kind} {loop.variable} in {loop.selector} {{"]
            for each in conditions:
                self._by_line[len(self._lines) + 1] = each[2]
                self._lines += _required(*each)
            self._lines.append("}")
            self._origins.setdefault("require", []).extend(each[2] for each in conditions)
        self._loops = {}
        origins = {
            f"{kind}:{number}": origin
            for kind, found in self._origins.items()
            for number, origin in enumerate(found, 1)
        }
        text = _formatted(self._lines, self._by_line)
        return TableText(name, text, origins, tuple(self._notes), data, file)


def note_comment(note: Note) -> list[str]:
    """The lines of a comment that says what is not taken over."""
    hint = f" {note.hint[0].upper()}{note.hint[1:]}." if note.hint else ""
    return _comment(f"Not taken over: {note.message} ({note.place}).{hint}")


def _required(condition: str, severity: str, origin: Origin) -> list[str]:
    """A condition of a loop. Comments in loops are about the loop, so the origin is a message."""
    word = "warning " if severity == "warning" else ""
    statement, clause = f"  require({condition})", f"! {word}{quote(_one_line(str(origin)))}"
    whole = f"{statement} {clause}"
    return [whole] if len(whole) <= WIDTH else [statement, f"    {clause}"]


def _formatted(lines: Sequence[str], by_line: Mapping[int, Origin]) -> str:
    """The text of some lines, of which those in `by_line` are statements with an origin."""
    problems: list[Diagnostic] = []
    text = "\n".join(lines) + "\n"
    document = parse(Source("<imported>", text), problems)
    if problems:  # a text that no statement can hold, such as a name with a line end
        raise SchemaError((unwritable(problems[0], by_line, "<imported>"),))
    return print_document(document)


def expression_problem(expression: str) -> str | None:
    """Why no token can have an expression; `None` if one can."""
    problems: list[Diagnostic] = []
    offsets = tuple(range(len(expression)))
    source = Source("<pattern>", expression)
    parse_regex(Fragment(source, expression, offsets, len(expression)), problems)
    return problems[0].message if problems else None


def _comment(text: str) -> list[str]:
    """The lines of a comment, filled up to a width."""
    lines: list[str] = []
    for paragraph in text.split("\n"):
        line = "%"
        for word in _one_line(paragraph).split(" "):
            if len(line) + 1 + len(word) > _COMMENT_WIDTH and line != "%":
                lines.append(line)
                line = "%"
            line += f" {word}" if word else ""
        lines.append(line)
    return lines if text else []


def _one_line(text: str) -> str:
    """The text without line ends and control characters, which no statement can have."""
    return "".join(char if char.isprintable() else " " for char in text)


_ESCAPED = {"\t": r"\t", "\n": r"\n", "\r": r"\r", "\\": r"\\"}


def _directive_value(value: str) -> str:
    """A value of a directive, in which only visible characters stand for themselves."""
    written = "".join(_ESCAPED.get(char, char) for char in value)
    if written != written.strip(" "):
        written = written.replace(" ", r"\s")
    if len(value) > 2 and value.startswith("/") and value.endswith("/"):
        written = r"\x2f" + written[1:]
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in written)
