"""Keys, references and tables: statement text to syntax tree.

In: the `Fragment` of a statement, without its clause. Out: the parts of a `Key`, the sides of a
`Reference`, or an `Include` that names a table; or diagnostics.

A part is a selector, with `as Type` after it where values are compared. A side is parts with commas
between them, or `Table(part, …)`. In a selector no plain name is applied to anything, so a name
before a parenthesis is that of a table, whatever tables there are.

Invariant: each part is read on its own, so an error in one does not hide an error in another. Cost:
linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sculpt.diagnostics import Diagnostic
from sculpt.syntax import ast
from sculpt.syntax.expressions import parse_selector
from sculpt.syntax.lines import Fragment
from sculpt.syntax.names import PLAIN_NAME, is_plain_name

STATEMENT_WORDS = frozenset(
    ("key", "unique", "unique-per-row", "require", "include", "print", "mapping", "namespace")
)
"""Words that begin a statement, and so cannot name a table."""

_PIECE = re.compile(r'"(?:[^"\\]|\\.)*"|"|[()\[\]{},]|(?<=[ \t])as(?=[ \t]|$)', re.DOTALL)
_TABLE = re.compile(rf"({PLAIN_NAME.pattern})[ \t]*\(")
_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_AS = re.compile(r"as(?![^ \t])")
_FOR = re.compile(r'(?:^|(?<=[ \t]))for(?=[ \t]*(?:"|$))')


class Identities:
    """Reads the statements of one schema that say what identifies rows and what refers to them."""

    def __init__(self, problems: list[Diagnostic]) -> None:
        self.problems = problems

    def error(self, message: str, place: Fragment, hint: str | None = None) -> None:
        """Report that a statement cannot be read."""
        self.problems.append(Diagnostic("syntax", message, place.span(), hint))

    # ------------------------------------------------------------- keys and references

    def key(self, bare: Fragment, start: int) -> tuple[tuple[ast.Part, ...], bool, bool] | None:
        """The parts of `key(…)`, which begin at `start`; is it `across files`, or `in runs`?"""
        end = _closing(bare.text, start)
        if end is None:
            self.error("`key(…)` never closes", bare, "add `)`")
            return None
        rest = bare.slice(end + 1)
        words = rest.text.split()
        is_known = words in ([], ["across", "files"], ["in", "runs"])
        if not is_known:
            hint = "write `key(…)`, `key(…) across files` or `key(…) in runs`"
            self.error(f"found `{rest.text}` after the key", rest, hint)
        parts = self.parts(bare.slice(start, end))
        if parts is None or not is_known:
            return None
        return parts, words[:1] == ["across"], words[:1] == ["in"]

    def side(self, text: Fragment) -> ast.Side | None:
        """One side of a reference."""
        table = _TABLE.match(text.text)
        if table is None or table[1] in ast.KEYWORDS:
            parts = self.parts(text)
            return None if parts is None else ast.Side(None, parts, span=text.span())
        end = _closing(text.text, table.end())
        if end is None:
            self.error(f"`{table[1]}(…)` never closes", text, "add `)`")
            return None
        if rest := text.slice(end + 1).text:
            hint = f"write `{table[1]}(part, part)`; `as Type` goes after a part, inside"
            self.error(f"found `{rest}` after the table", text.slice(end + 1), hint)
            return None
        parts = self.parts(text.slice(table.end(), end))
        if parts is None:
            return None
        name = text.slice(table.start(1), table.end(1)).span()
        return ast.Side(table[1], parts, table_span=name, span=text.span())

    def parts(self, text: Fragment) -> tuple[ast.Part, ...] | None:
        """Parts with commas between them."""
        found = [self.part(piece) for piece in _pieces(text)]
        parts = tuple(each for each in found if each is not None)
        return parts if len(parts) == len(found) else None

    def part(self, text: Fragment) -> ast.Part | None:
        """`selector`, or `selector as Type`."""
        if not text.text:
            self.error("a part is missing", text, "a part is a selector, such as `col(Id)`")
            return None
        table = _TABLE.match(text.text)
        if table is not None and table[1] not in ast.KEYWORDS:
            hint = (
                f"all parts of a side are of one table: `{table[1]}(part, part)`; the keys of a"
                " table are in its own schema"
            )
            self.error(f"`{table[1]}(…)` is a table, and cannot be a part", text, hint)
            return None
        at = next(reversed([*_top_level(text.text, "as")]), None)
        selector = parse_selector(text.slice(0, at), self.problems)
        if at is None:
            return None if selector is None else ast.Part(selector, span=text.span())
        name = text.slice(at + 2)
        if not is_plain_name(name.text):
            wrong = f"`{name.text}` is not the name of a type" if name.text else "a type is missing"
            self.error(wrong, name, "write `as` and a type, such as `as Integer`")
            return None
        if selector is None:
            return None
        return ast.Part(selector, name.text, type_span=name.span(), span=text.span())

    # ------------------------------------------------------------- tables

    def table(self, line: Fragment, path: str, said: Fragment) -> ast.Include | None:
        """`include "file"` with what is said after the file."""
        form = 'write `include "depts.sculpt" as Depts for "depts.csv"`'
        if not _AS.match(said.text):
            self.error(f"found `{said.text}` after the file name", said, form)
            return None
        rest = said.slice(2)
        found = _FOR.search(rest.text)
        name = rest.slice(0, None if found is None else found.start())
        data = None if found is None else self.data(rest.slice(found.end()), form)
        if not self.table_name(name) or (found is not None and data is None):
            return None
        return ast.Include(path, name.text, data, name_span=name.span(), span=line.span())

    def data(self, text: Fragment, form: str) -> str | None:
        """The file name after `for`."""
        if not _TEXT.fullmatch(text.text):
            self.error("`for` takes one file name in quotes", text, form)
            return None
        target = parse_selector(text, self.problems)
        return target.text if isinstance(target, ast.Literal) else None

    def table_name(self, name: Fragment) -> bool:
        """Can it name a table?"""
        text, hint = name.text, None
        if text in ast.KEYWORDS or text in STATEMENT_WORDS:
            code, message = "reserved-name", f"`{text}` is a keyword and cannot name a table"
        elif text.startswith("xs:"):
            code, message = "reserved-name", "names that begin with `xs:` are those of types"
            hint = f"`{text[3:]}` is allowed"
        elif is_plain_name(text):
            return True
        else:
            code = "bad-name"
            message = f"`{text}` is not a plain name" if text else "the name is missing"
            hint = "a name is words of letters, digits, `_`, `-` and `:`, joined by single blanks"
        self.problems.append(Diagnostic(code, message, name.span(), hint))
        return False


def _pieces(text: Fragment) -> Iterator[Fragment]:
    """The text between commas that are in no quotes and no brackets."""
    start = 0
    for at in _top_level(text.text, ","):
        yield text.slice(start, at)
        start = at + 1
    yield text.slice(start)


def _top_level(text: str, wanted: str) -> Iterator[int]:
    """Where a comma, or the word `as`, is in no quotes and no brackets."""
    depth = 0
    for piece in _PIECE.finditer(text):
        depth += (piece[0] in "([{") - (piece[0] in ")]}")
        if piece[0] == wanted and depth == 0:
            yield piece.start()


def _closing(text: str, start: int) -> int | None:
    """Where the parenthesis closes that was opened just before `start`."""
    depth = 1
    for piece in _PIECE.finditer(text, start):
        depth += (piece[0] in "([{") - (piece[0] in ")]}")
        if depth == 0:
            return piece.start()
    return None
