"""Syntax tree to canonical text.

In: a `Document`, or a part of one. Out: text that parses to the same tree. Canonical means: one
statement a line with single blanks around operators, long rules broken at their commas or at
`|`, at most one blank line between statements, parentheses only where they are needed.

Invariant: `parse(print(tree)) == tree` for every tree that the parser can produce. Cost: linear.
"""

from __future__ import annotations

from typing import assert_never

from sculpt.syntax import ast
from sculpt.syntax.clauses import print_clause
from sculpt.syntax.derived import tree as derived
from sculpt.syntax.derived.parser import BARE_BOUND, begins_with_digit
from sculpt.syntax.lines import without_texts
from sculpt.syntax.names import is_plain_name, quote
from sculpt.syntax.programs.cursor import PAIRS
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
        case ast.DerivedDefinition(name, tokens):
            return _folded_tokens(f"{name} := ", tokens)
        case ast.TypeDefinition(name, selector):
            return _fold(f"{name} <= ", print_selector(selector), " or ", " and ")
        case ast.Rule(selector, arrow, list_delim, content, clause):
            own = "" if list_delim is None else f"[{list_delim.text}]"
            separator = " | " if isinstance(content, Choice) else ", "
            head = f"{print_selector(selector)} {arrow}{own} "
            return _ended(_fold(head, print_content(content), separator), clause)
        case ast.Unique(kind, target, clause):
            return _ended(f"{kind}({print_selector(target)})", clause)
        case ast.Key(parts, across, clause, runs):
            end = ") across files" if across else ") in runs" if runs else ")"
            return _ended(_fold("key(", _print_parts(parts) + end, ", "), clause)
        case ast.Reference(left, right, several, clause):
            return _ended(_print_reference(left, "~>+" if several else "~>", right), clause)
        case ast.Include(path, None):
            return f"include {quote(path)}"
        case ast.Include(path, name, data):
            end = "" if data is None else f" for {quote(data)}"
            return f"include {quote(path)} as {name}{end}"
        case ast.Program(lines, _):
            return "\n".join(_indented(lines))
        case _:
            assert_never(statement)


def _fold(head: str, body: str, *separators: str) -> str:
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
            separator = next((s for s in separators if body.startswith(s, ix)), None)
            if depth == 0 and separator is not None:
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


def print_on_one_line(statement: ast.Statement) -> str:
    """One statement, its lines joined as the parser joins them."""
    return print_statement(statement).replace("\n   ", "")


def with_clause(text: str, clause: ast.Clause | None) -> str:
    """A statement with its clause, on the same line."""
    if clause is None:
        return text
    message = None if clause.message is None else quote(clause.message)
    return f"{text} {print_clause(clause, message)}"


def print_part(part: ast.Part) -> str:
    """A part of a key or of a side."""
    own = print_selector(part.selector)
    return own if part.type_name is None else f"{own} as {part.type_name}"


def _print_parts(parts: tuple[ast.Part, ...]) -> str:
    return ", ".join(map(print_part, parts))


def _print_reference(left: ast.Side, sign: str, right: ast.Side) -> str:
    """A reference, broken after its sign if it is long, and then after commas."""
    (head, parts), (table, others) = _side(left), _side(right)
    whole = f"{head}{parts} {sign} {table}{others}"
    if len(whole) <= WIDTH:
        return whole
    above = _fold(head, f"{parts} {sign}", ", ")
    below = _fold(f"    {table}", others, ", ")
    return f"{above}\n{below}"


def _side(side: ast.Side) -> tuple[str, str]:
    """The table with its parenthesis, if there is one, and the rest."""
    parts = _print_parts(side.parts)
    return ("", parts) if side.table is None else (f"{side.table}(", f"{parts})")


def _ended(text: str, clause: ast.Clause | None) -> str:
    """A statement with its clause, on a line of its own if the last line has no room for it."""
    if clause is None:
        return text
    whole = with_clause(text, clause)
    last = whole.rpartition("\n")[2]
    return whole if len(last) <= WIDTH else f"{text}\n    {whole[len(text) + 1 :]}"


def _indented(lines: tuple[str, ...]) -> list[str]:
    """A program, indented by its open brackets; those that one line opens count once."""
    inside, printed = [0], []
    for line in lines:
        bare = without_texts(line)
        depth = inside[-1] + bare.startswith("!")  # a clause belongs to the statement above it
        for place, char in enumerate(bare):
            if char in PAIRS:
                inside.append(depth + 1)
            elif char in PAIRS.values() and len(inside) > 1:
                own = inside.pop() - 1
                if not bare[:place].strip(")]} "):  # a closing bracket stands below its line
                    depth = own
        printed.append("  " * depth + line)
    return printed


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
        case ast.Block(top, left, bottom, right):
            return f"({top},{left})..({bottom},{right})"
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
        case ast.Nth(part, number):
            own, text = _APPLY, f"{print_selector(part, _APPLY)}#{number}"
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


# ------------------------------------------------------------- derived tokens

_COMPARED = _APPLY


def print_tokens(tokens: derived.Tokens, level: int = _OR) -> str:
    """The definition of a derived token; `level` is as for selectors."""
    match tokens:
        case ast.Name() | ast.Literal():
            return print_selector(tokens)
        case derived.Pattern(text):
            return f"/{text}/"
        case derived.Picture(name, picture, group, decimal):
            options = (("group", group), ("decimal", decimal))
            written = [f"{word} {quote(char)}" for word, char in options if char is not None]
            return f"{name}({', '.join((quote(picture), *written))})"
        case derived.ListOf(item, None):
            return f"list({print_tokens(item)})"
        case derived.ListOf(item, separator):
            assert separator is not None
            return f"list({print_tokens(item)}, {quote(separator)})"
        case derived.Trimmed(part):
            return f"trimmed({print_tokens(part)})"
        case derived.Comparison(measured, operand, bounds):
            own, text = _COMPARED, _print_comparison(measured, operand, bounds)
        case derived.Not(part):
            own, text = _NOT, f"not {print_tokens(part, _NOT)}"
        case derived.And(parts):
            own, text = _AND, " and ".join(print_tokens(part, _NOT) for part in parts)
        case derived.Or(parts):
            own, text = _OR, " or ".join(print_tokens(part, _AND) for part in parts)
        case _:
            assert_never(tokens)
    return text if own >= level else f"({text})"


def _print_comparison(
    measured: derived.Measured, operand: derived.Tokens, bounds: tuple[derived.Bound, ...]
) -> str:
    *before, last = bounds
    inside = print_tokens(operand, _OR if measured != "value" else _ATOM)
    middle = inside if measured == "value" else f"{measured}({inside})"
    left = [f"{_bound(each.text)} {derived.TURNED[each.relation]} " for each in before]
    # A name such as `3rd` would be taken for the bound.
    is_number = isinstance(operand, ast.Name) and begins_with_digit(operand.name)
    is_clear = bool(before) or not is_number or begins_with_digit(last.text)
    right = _bound(last.text) if is_clear else quote(last.text)
    return f"{''.join(left)}{middle} {last.relation} {right}"


def _bound(text: str) -> str:
    """A bound, without quotes where that is read as the same one."""
    is_bare = BARE_BOUND.fullmatch(text) and not text.startswith("/")
    return text if is_bare else quote(text)


def _folded_tokens(head: str, tokens: derived.Tokens) -> str:
    """Long alternatives go over several lines; nothing is broken inside quotes and slashes."""
    whole = print_tokens(tokens)
    if len(head) + len(whole) <= WIDTH or not isinstance(tokens, derived.Or):
        return head + whole
    *before, last = (print_tokens(part, _AND) for part in tokens.parts)
    first, *others = (*(f"{piece} or" for piece in before), last)
    lines = [head + first]
    for piece in others:
        if len(lines[-1]) + 1 + len(piece) <= WIDTH:
            lines[-1] += f" {piece}"
        else:
            lines.append(f"    {piece}")
    return "\n".join(lines)


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
