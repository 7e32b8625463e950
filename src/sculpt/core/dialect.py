"""How a document becomes a table: the directives (`docs/language.md#3-the-document`) as one value.

In: the directives of a schema and the overrides of a call. Out: a `Dialect`, or diagnostics. The
dialect belongs to the core because it is part of what a schema says; the readers in `tabular`
only follow it.

Invariant: a `Dialect` is consistent: no delimiter is empty, the column delimiter contains no row
delimiter, the quote is one character that occurs in neither, no width is 0, and `*` comes last.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable
from typing import Literal as OneOf
from typing import TypeAlias

from sculpt.core.acceptor import accepts_something_nonempty
from sculpt.diagnostics import Diagnostic, Source, Span, closest
from sculpt.syntax import ast
from sculpt.syntax.lines import Fragment
from sculpt.syntax.parser import parse
from sculpt.syntax.regex import parse_regex
from sculpt.syntax.regular import CharSet, Regular, of_characters
from sculpt.values import frozen, replace

BlankRows: TypeAlias = OneOf["inner", "keep", "skip"]
Escapes: TypeAlias = OneOf["any", "quotes", "everywhere"]
StrayQuotes: TypeAlias = OneOf["error", "text"]
_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "s": " ", "\\": "\\"}
_ESCAPE = re.compile(r"\\(x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|.|$)", re.DOTALL)


@frozen
class Delimiter:
    """A literal text, or a pattern if `pattern` is set."""

    text: str
    pattern: Regular[CharSet] | None = None


@frozen
class Layout:
    """Fixed widths for lines that start with `prefix`; `None`: the rest, negative: a filler."""

    prefix: str
    widths: tuple[int | None, ...]


@frozen
class Dialect:
    """Everything that a reader of documents must know."""

    col_delim: Delimiter = Delimiter(",")
    row_delim: str | None = None
    """`None`: any of LF, CRLF and CR."""
    list_delim: Delimiter | None = None
    quote: str | None = '"'
    escape: str | None = None
    """`None`: a quote inside quotes is written twice."""
    escapes: Escapes = "any"
    """Which characters an escape makes literal: inside quotes all, or the quote and itself; or all
    everywhere, as it does where there are no quotes."""
    stray_quotes: StrayQuotes = "error"
    """What a quote inside quotes is that neither closes them nor is escaped."""
    trim_left: bool = True
    trim_right: bool = True
    comment: str | None = None
    blank_rows: BlankRows = "inner"
    encoding: str | None = None
    """`None`: UTF-8, unless a byte order mark says otherwise."""
    layouts: tuple[Layout, ...] = ()
    """Fixed widths, the longest prefix first; empty if a delimiter splits the rows."""
    strict_padding: bool = False

    @property
    def bare_escape(self) -> str | None:
        """The escape that acts outside quotes."""
        return self.escape if self.quote is None or self.escapes == "everywhere" else None

    @property
    def reads_quotes_simply(self) -> bool:
        """Does each byte inside quotes say by itself whether it closes or escapes?

        And is an escape outside quotes data?
        """
        return self.escapes == "any" and self.stray_quotes == "error"


class _BadValueError(Exception):
    def __init__(self, message: str, hint: str | None = None, start: int = 0) -> None:
        super().__init__(message)
        self.message, self.hint, self.start = message, hint, start


def read_dialect(
    directives: Iterable[ast.Directive],
    overrides: Iterable[ast.Directive],
    problems: list[Diagnostic],
) -> Dialect:
    """The dialect that the directives describe; an override replaces its directive."""
    given: dict[tuple[str, str | None], ast.Directive] = {}
    for directive in directives:
        key = (directive.name, directive.argument)
        if key in given:
            message = (
                f"`{directive.name}` is given twice; the first is on line {given[key].span.line}"
            )
            problems.append(Diagnostic("duplicate-directive", message, directive.span))
        else:
            given[key] = directive
    for directive in overrides:
        if directive.name == "Col Widths" and directive.value == "none":
            given = {key: old for key, old in given.items() if key[0] != "Col Widths"}
        else:
            given[directive.name, directive.argument] = directive
    dialect = Dialect()
    for directive in given.values():
        try:
            dialect = _with_directive(dialect, directive, problems)
        except _BadValueError as error:
            span = directive.value_span
            if error.start and span.start + error.start < span.end:
                span = Span(span.source, span.start + error.start, span.end)
            problems.append(Diagnostic("bad-directive-value", error.message, span, error.hint))
    _check_conflicts(dialect, given, problems)
    return dialect


def parse_overrides(
    settings: Iterable[str], problems: list[Diagnostic]
) -> tuple[ast.Directive, ...]:
    """Settings such as `Col Delim=;` from the command line."""
    found: list[ast.Directive] = []
    for setting in settings:
        source = Source("--set", setting)
        if "=" not in setting:
            message = f"`{setting}` has no value"
            hint = "write `NAME=VALUE`, for example `--set 'Col Delim=;'`"
            span = Span(source, 0, len(setting))
            problems.append(Diagnostic("bad-directive-value", message, span, hint))
            continue
        errors = len(problems)
        statements = parse(source, problems).statements
        for statement in statements:
            if isinstance(statement, ast.Directive):
                found.append(statement)
        if len(problems) == errors and not (
            len(statements) == 1 and isinstance(statements[0], ast.Directive)
        ):
            message = "this is not a directive"
            hint = "write it as in a schema, for example `--set 'Col Delim=;'`"
            problems.append(
                Diagnostic("unknown-directive", message, Span(source, 0, len(setting)), hint)
            )
    return tuple(found)


def _with_directive(
    dialect: Dialect, directive: ast.Directive, problems: list[Diagnostic]
) -> Dialect:
    value = directive.value
    match directive.name:
        case "Col Delim":
            if value == "none":
                raise _BadValueError(
                    "a table needs a column delimiter or column widths",
                    "`Col Widths = *` makes each row one cell",
                )
            return replace(dialect, col_delim=_delimiter(value, directive.value_span, problems))
        case "Row Delim":
            if _pattern_text(value) is not None:
                raise _BadValueError("the row delimiter must be a literal text, not an expression")
            if value == "none":
                raise _BadValueError("a table needs a row delimiter", "remove the directive")
            return replace(dialect, row_delim=_nonempty(unescape(value)))
        case "List Delim":
            span = directive.value_span
            delim = None if value == "none" else _delimiter(value, span, problems)
            return replace(dialect, list_delim=delim)
        case "Quote":
            return replace(dialect, quote=None if value == "none" else _one_character(value))
        case "Escape":
            return replace(dialect, escape=None if value == "none" else _one_character(value))
        case "Escapes":
            match _one_of(value, ("any", "quotes", "everywhere")):
                case "quotes":
                    return replace(dialect, escapes="quotes")
                case "everywhere":
                    return replace(dialect, escapes="everywhere")
            return replace(dialect, escapes="any")
        case "Stray Quotes":
            is_error = _one_of(value, ("error", "text")) == "error"
            return replace(dialect, stray_quotes="error" if is_error else "text")
        case "Trim":
            side = _one_of(value, ("both", "none", "left", "right"))
            return replace(
                dialect, trim_left=side in ("both", "left"), trim_right=side in ("both", "right")
            )
        case "Comment":
            return replace(dialect, comment=None if value == "none" else _nonempty(unescape(value)))
        case "Blank Rows":
            match _one_of(value, ("inner", "keep", "skip")):
                case "keep":
                    return replace(dialect, blank_rows="keep")
                case "skip":
                    return replace(dialect, blank_rows="skip")
            return replace(dialect, blank_rows="inner")
        case "Encoding":
            return replace(dialect, encoding=_text_codec(value))
        case "Col Widths":
            if value == "none":
                return dialect
            prefix = _unquoted(unescape(directive.argument or ""))
            layouts = (*dialect.layouts, Layout(prefix, _widths(value)))
            return replace(
                dialect, layouts=tuple(sorted(layouts, key=lambda lay: -len(lay.prefix)))
            )
        case "Padding":
            strict = _one_of(value, ("ragged", "strict")) == "strict"
            return replace(dialect, strict_padding=strict)
    raise AssertionError(directive.name)


def unescape(text: str, more: str = "") -> str:
    """A directive's value with its escapes resolved; characters of `more` can be escaped too."""
    if text == "\\":
        return text  # on its own it can only mean itself

    def resolve(match: re.Match[str]) -> str:
        body = match[1]
        if body in _ESCAPES:
            return _ESCAPES[body]
        if body and body in more:
            return body
        if len(body) > 1:
            return chr(int(body[1:], 16))
        known = "`\\t \\n \\r \\s \\xHH \\uHHHH \\\\`"
        raise _BadValueError(
            f"`\\{body}` is not an escape", f"the escapes are {known}", match.start()
        )

    return _ESCAPE.sub(resolve, text)


def list_delimiter(written: ast.ListDelim, problems: list[Diagnostic]) -> Delimiter | None:
    """The list delimiter of a `.>[…]` rule."""
    try:
        is_pattern = _pattern_text(written.text) is not None
        text = written.text.replace("\\]", "]") if is_pattern else written.text
        return _delimiter(text, written.span, problems, "]")
    except _BadValueError as error:
        problems.append(Diagnostic("bad-directive-value", error.message, written.span, error.hint))
        return None


def _pattern_text(value: str) -> str | None:
    """The expression between slashes; `/` and `//` are literal."""
    return value[1:-1] if len(value) > 2 and value[0] == value[-1] == "/" else None


def _delimiter(
    value: str, span: Span, problems: list[Diagnostic], more_escapes: str = ""
) -> Delimiter:
    text = _pattern_text(value)
    if text is None:
        return Delimiter(_nonempty(unescape(value, more_escapes)))
    offsets = tuple(range(span.start + 1, span.start + 1 + len(text)))
    pattern = parse_regex(Fragment(span.source, text, offsets, span.end), problems)
    if pattern is None:
        return Delimiter(value)
    # An undecodable byte is never part of a delimiter: where a character begins must not depend on
    # what the delimiter matches.
    pattern = of_characters(pattern)
    if not accepts_something_nonempty(pattern):
        raise _BadValueError("this expression matches no text, so it can never split a row")
    return Delimiter(text, pattern)


def _nonempty(text: str) -> str:
    if not text:
        raise _BadValueError("the value is missing", "write `\\s` for a blank, `\\t` for a tab")
    return text


def _one_character(value: str) -> str:
    text = unescape(value)
    if len(text) != 1:
        raise _BadValueError("this must be one character, or `none`")
    return text


def _one_of(value: str, choices: tuple[str, ...]) -> str:
    if value in choices:
        return value
    near = closest(value, choices)
    listed = ", ".join(f"`{choice}`" for choice in choices)
    hint = f"did you mean `{near}`?" if near else None
    raise _BadValueError(f"`{value}` is not one of {listed}", hint)


def _unquoted(text: str) -> str:
    is_quoted = len(text) > 1 and text[0] == text[-1] == '"'
    return text[1:-1] if is_quoted else text


_FOR_SOURCE_CODE = frozenset(["unicode_escape", "raw_unicode_escape", "unicode-escape",
                              "raw-unicode-escape"])  # fmt: skip
"""Python's codecs for source code: their result depends on how the bytes are cut."""


def _text_codec(value: str) -> str:
    try:
        name = codecs.lookup(value).name
        if name in _FOR_SOURCE_CODE:
            raise LookupError
        b"abcd".decode(name, "backslashreplace")  # fails for a codec that does not
        # give text, or has no way to handle invalid bytes
        codecs.getincrementaldecoder(name)
    except (LookupError, UnicodeError, ValueError, TypeError):
        hint = "for example `utf-8`, `latin-1`, `cp1252`, `utf-16` or `shift_jis`"
        raise _BadValueError(f"`{value}` is not a text encoding", hint) from None
    return name


def _widths(value: str) -> tuple[int | None, ...]:
    widths: list[int | None] = []
    items = [item.strip() for item in value.split(",")]
    for ix, item in enumerate(items):
        if item == "*":
            if ix < len(items) - 1:
                raise _BadValueError("`*` takes the rest of the line, so it must come last")
            widths.append(None)
        elif re.fullmatch(r"-?[0-9]{1,9}", item) and int(item) != 0:
            widths.append(int(item))
        else:
            hint = "widths are above 0, fillers below 0, and `*` is the rest: `6, -1, 12, *`"
            raise _BadValueError(f"`{item}` is not a width", hint)
    if all(width is not None and width < 0 for width in widths):
        raise _BadValueError("these are all fillers: at least one column is needed")
    return tuple(widths)


def _check_conflicts(
    dialect: Dialect,
    given: dict[tuple[str, str | None], ast.Directive],
    problems: list[Diagnostic],
) -> None:
    def conflict(message: str, *names: str, hint: str | None = None) -> None:
        last = [given[key] for key in given if key[0] in names][-1]
        problems.append(Diagnostic("dialect-conflict", message, last.span, hint))

    names = {name for name, _ in given}
    row_ends = ("\n", "\r") if dialect.row_delim is None else (dialect.row_delim,)
    delim = dialect.col_delim
    if "Col Widths" in names and "Col Delim" in names and dialect.layouts:
        hint = "`--set 'Col Widths=none'` removes the widths of a schema"
        conflict(
            "a table has either column widths or a column delimiter",
            "Col Widths",
            "Col Delim",
            hint=hint,
        )
    if (
        "Col Delim" in names
        and delim.pattern is None
        and any(end in delim.text for end in row_ends)
    ):
        conflict("the column delimiter contains a row delimiter", "Col Delim", "Row Delim")
    elif "Row Delim" in names and delim.pattern is None and delim.text == dialect.row_delim:
        conflict("rows and columns have the same delimiter", "Col Delim", "Row Delim")
    if dialect.quote is not None and names & {"Quote", "Col Delim", "Row Delim"}:
        if delim.pattern is None and dialect.quote in delim.text:
            hint = "do not quote the values of directives"
            conflict("the quote is part of the column delimiter", "Quote", "Col Delim", hint=hint)
        if any(dialect.quote in end for end in row_ends):
            conflict("the quote is part of the row delimiter", "Quote", "Row Delim")
    if dialect.escape is not None and delim.pattern is None and dialect.escape in delim.text:
        conflict("the escape is part of the column delimiter", "Escape", "Col Delim")
    if dialect.stray_quotes == "text" and dialect.quote is None:
        conflict("without quotes there are no stray ones", "Stray Quotes", "Quote")
    if dialect.escapes == "quotes" and dialect.quote is None:
        conflict("without quotes nothing can be escaped", "Escapes", "Quote")
    elif dialect.escapes != "any" and dialect.escape in (None, dialect.quote):
        hint = "add `Escape = \\\\`, or remove `Escapes`"
        conflict(
            "without an escape character nothing can be escaped", "Escapes", "Escape", hint=hint
        )
