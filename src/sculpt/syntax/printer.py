"""Syntax tree to canonical text.

In: a `Document`, or a part of one. Out: text that parses to the same tree. Canonical means: one
statement a line with single blanks around operators, long rules broken at their commas or at
`|`, at most one blank line between statements, parentheses only where they are needed.

Invariant: `parse(print(tree)) == tree` for every tree that the parser can produce. Cost: linear.
"""

from __future__ import annotations

from typing import assert_never

from sculpt.syntax import ast
from sculpt.syntax.lines import without_texts
from sculpt.syntax.parser import is_plain_name
from sculpt.syntax.regular import (
    Choice,
    Epsilon,
    Letter,
    Nothing,
    Repeat,
    Sequence,
    count_suffix,
)

WIDTH = 88


def print_document(document: ast.Document) -> str:
    """The whole file, ending in a line end."""
    return "".join(print_statement(statement) + "\n" for statement in document.statements)


def print_statement(statement: ast.Statement) -> str:
    """One statement, without the line end after it."""
    match statement:
        case ast.BlankLine():
            return ""
        case ast.Comment(text):
            return text
        case ast.Directive(name, argument, value):
            head = name if argument is None else f"{name}({argument})"
            return f"{head} = {value}".rstrip(" ")
        case ast.TokenDefinition(name, text):
            return f"{name} = {text}" if text else f"{name} ="
        case ast.TypeDefinition(name, selector):
            return _fold(f"{name} <= ", print_selector(selector), " or ")
        case ast.Rule(selector, arrow, list_delim, content):
            own = "" if list_delim is None else f"[{list_delim.text}]"
            separator = " | " if isinstance(content, Choice) else ", "
            return _fold(
                f"{print_selector(selector)} {arrow}{own} ", print_content(content), separator
            )
        case ast.Unique(kind, target):
            return f"{kind}({print_selector(target)})"
        case ast.Include(path):
            return f"include {quote(path)}"
        case ast.Program(lines, _):
            return "\n".join(_indented(lines))
        case _:
            assert_never(statement)


def _fold(head: str, body: str, separator: str) -> str:
    """Break a long statement after separators outside quotes; further lines are indented."""
    if len(head) + len(body) <= WIDTH:
        return head + body
    pieces, depth, start, quoted = [], 0, 0, False
    ix = 0
    while ix < len(body):
        char = body[ix]
        if quoted and char == "\\":
            ix += 2
            continue
        if char == '"':
            quoted = not quoted
        elif not quoted:
            depth += (char in "([") - (char in ")]")
            if depth == 0 and body.startswith(separator, ix):
                ix += len(separator)
                pieces.append(body[start:ix].rstrip())
                start = ix
                continue
        ix += 1
    pieces.append(body[start:])
    lines = [head + pieces[0]]
    for piece in pieces[1:]:
        if len(lines[-1]) + 1 + len(piece) <= WIDTH:
            lines[-1] += " " + piece
        else:
            lines.append("    " + piece)
    return "\n".join(lines)


def _indented(lines: tuple[str, ...]) -> list[str]:
    """The lines of a program, indented according to their braces."""
    depth, printed = 0, []
    for line in lines:
        depth -= line.startswith("}")
        printed.append("  " * max(0, depth) + line)
        bare = without_texts(line)
        depth += line.startswith("}") + bare.count("{") - bare.count("}")
    return printed


def quote(text: str) -> str:
    """A text as a quoted literal."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


# ------------------------------------------------------------- selectors

_OR, _AND, _NOT, _APPLY, _ATOM = range(5)
_UNION, _CONCAT, _POSTFIX = range(3)


def print_selector(selector: ast.Selector, level: int = _OR) -> str:
    """A coordinate expression; `level` is the weakest binding that needs no parentheses."""
    match selector:
        case ast.Name(name):
            return name if is_plain_name(name) else quote(name)
        case ast.Literal(text):
            return quote(text)
        case ast.Root():
            return "root"
        case ast.TrueSelector():
            return "true"
        case ast.Coordinate(row, column):
            return f"({row},{column})"
        case ast.WholeRow(row):
            return f"row({row})"
        case ast.WholeColumn(column):
            return f"col({column})"
        case ast.Apply(path, None):
            own, text = _APPLY, print_path(path)
        case ast.Apply(path, operand):
            assert operand is not None
            own, text = _APPLY, f"{print_path(path)}({print_selector(operand)})"
        case ast.Exists(path):
            return f"exists({print_path(path)})"
        case ast.Not(part):
            own, text = _NOT, f"not {print_selector(part, _NOT)}"
        case ast.And(parts):
            own, text = _AND, " and ".join(print_selector(part, _NOT) for part in parts)
        case ast.Or(parts):
            own, text = _OR, " or ".join(print_selector(part, _AND) for part in parts)
        case _:
            assert_never(selector)
    return text if own >= level else f"({text})"


def print_path(path: ast.Path, level: int = _UNION) -> str:
    """A navigational expression."""
    match path:
        case ast.Axis(name):
            return name
        case ast.Filter(condition):
            return f"[{print_selector(condition)}]"
        case ast.Filtered(inner, condition):
            own, text = _POSTFIX, f"{print_path(inner, _POSTFIX)}[{print_selector(condition)}]"
        case ast.Concat(parts):
            own, text = _CONCAT, ".".join(print_path(part, _POSTFIX) for part in parts)
        case ast.Union(parts):
            own, text = _UNION, "|".join(print_path(part, _CONCAT) for part in parts)
        case ast.Repeated(inner, low, high):
            own, text = _POSTFIX, print_path(inner, _POSTFIX) + count_suffix(low, high)
        case _:
            assert_never(path)
    return text if own >= level else f"({text})"


# ------------------------------------------------------------- content

_CHOICE, _SEQUENCE, _REPEAT = range(3)


def print_content(content: ast.Content, level: int = _CHOICE) -> str:
    """A content expression."""
    match content:
        case Letter(symbol):
            return print_selector(symbol)
        case Epsilon() | Nothing():
            return "()"
        case Choice(parts):
            own, text = _CHOICE, " | ".join(print_content(part, _SEQUENCE) for part in parts)
        case Sequence(parts):
            own, text = _SEQUENCE, ", ".join(print_content(part, _REPEAT) for part in parts)
        case Repeat(part, low, high):
            own, text = _REPEAT, print_content(part, _REPEAT) + count_suffix(low, high)
        case _:
            assert_never(content)
    return text if own >= level else f"({text})"
