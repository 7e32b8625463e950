"""Verdicts as text for people: the offending row, a caret under the cell, a sentence, a hint.

In: a `Verdicts`. Out: `Styled` lines. Invariant: every character of a row takes as many columns as
`width` measures for it, so the caret is under its cell; each control character is shown as one
visible character.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

from sculpt.diagnostics import Diagnostic, Severity, Source
from sculpt.report.styled import Styled, styled, width
from sculpt.verdict import Excerpt, Unread, Verdict, Verdicts, Violation

if TYPE_CHECKING:
    from sculpt.core import ir

Statements: TypeAlias = dict[tuple[int | None, int | None], str]

_WINDOW = 100
_LEAD = 30
_STYLES = {Severity.ERROR: "bold red", Severity.WARNING: "bold yellow", Severity.NOTE: "bold cyan"}
_VISIBLE = {"\t": "→", "\n": "↵", "\r": "␍", "\0": "␀"}


def run_text(run: Verdicts, statements: Statements) -> Iterator[Styled]:
    """The lines of the report; `statements` has the rule behind each violation."""
    for number, outcome in enumerate(run.outcomes):
        if number and not (isinstance(outcome, Verdict) and not outcome.violations):
            yield styled()
        if isinstance(outcome, Unread):
            yield styled(("error", "bold red"), ": ", outcome.message)
        else:
            yield from _file(run, outcome, statements)
    if len(run.outcomes) > 1:
        yield _summary(run)


def _file(run: Verdicts, verdict: Verdict, statements: Statements) -> Iterator[Styled]:
    for violation in verdict.violations:
        yield from violation_text(verdict.path, violation, statements)
        yield styled()
    hidden = verdict.violation_count - len(verdict.violations)
    if hidden:
        yield styled((f"… and {counted(hidden, 'further violation')}; see --max-violations", "dim"))
        yield styled()
    for warning in verdict.warnings:
        place = f"{verdict.path}: "
        yield styled(place, ("warning", "bold yellow"), f" [{warning.code}]: {warning.message}")
        if warning.hint:
            yield styled((f"  = hint: {warning.hint}", "cyan"))
    if verdict.warnings:
        yield styled()
    yield _conclusion(run, verdict)


def _conclusion(run: Verdicts, verdict: Verdict) -> Styled:
    size = f"{counted(verdict.rows, 'row')} × {counted(verdict.columns, 'column')}"
    parts = []
    if verdict.violation_count:
        parts.append(counted(verdict.violation_count, "violation"))
    if verdict.warnings:
        parts.append(counted(len(verdict.warnings), "warning"))
    found = f", {' and '.join(parts)}" if parts else ""
    word = ("valid", "bold green") if run.is_valid(verdict) else ("not valid", "bold red")
    return styled((verdict.path, "bold"), ": ", word, f" ({size}{found})")


def _summary(run: Verdicts) -> Styled:
    valid = sum(run.is_valid(outcome) for outcome in run.outcomes)
    unread = sum(isinstance(outcome, Unread) for outcome in run.outcomes)
    rest = len(run.outcomes) - valid - unread
    parts = [f"{valid} valid"]
    if rest:
        parts.append(f"{rest} not valid")
    if unread:
        parts.append(f"{unread} could not be read")
    return styled((f"{counted(len(run.outcomes), 'input')}: {', '.join(parts)}", "bold"))


def violation_text(path: str, violation: Violation, statements: Statements) -> Iterator[Styled]:
    """One violation: place and sentence, the row with a caret, the rule, the hint."""
    yield styled(
        (f"{path}{_place(violation)}", "bold"),
        ": ",
        ("violation", "bold red"),
        f" [{violation.code}]: {violation.message}",
    )
    number = str(violation.row) if violation.row is not None else ""
    gutter = " " * len(number)
    if violation.excerpt is not None:
        row, caret = show_row(violation.excerpt)
        yield styled((f" {number} | ", "dim"), row)
        yield styled((f" {gutter} | ", "dim"), (caret, "bold red"))
    origin = statements.get((violation.rule, violation.line))
    if origin is not None:
        yield styled((f" {gutter} = {origin}", "dim"))
    if violation.hint:
        yield styled((f" {gutter} = hint: {violation.hint}", "cyan"))


def _place(violation: Violation) -> str:
    """Row and column of the table, and the line of the file if it differs from the row."""
    parts = []
    if violation.row is not None:
        parts.append(f"row {violation.row}")
    if violation.column is not None:
        parts.append(f"column {violation.column}")
    place = ": " + ", ".join(parts) if parts else ""
    if violation.excerpt is not None and violation.excerpt.line != violation.row:
        place += f" (line {violation.excerpt.line})"
    return place


def statements_text(schema: ir.CoreSchema, main: Source) -> Statements:
    """The statement behind a violation, as shown in reports, by its rule number and line."""
    found: Statements = {}
    for rule in schema.rules:
        where = rule.span.describe(main)
        found[rule.number, rule.line] = f"rule {rule.number}, {where}: {rule.text}"
    for unique in schema.uniques:
        found.setdefault((None, unique.line), f"{unique.span.describe(main)}: {unique.text}")
    return found


def show_row(excerpt: Excerpt) -> tuple[str, str]:
    """The part of a row around its cell that fits the window, and the line with the carets."""
    begin = 0
    if excerpt.end > _WINDOW:
        begin = max(0, excerpt.start - _LEAD)
    end = min(len(excerpt.text), begin + _WINDOW)
    before = visible(excerpt.text[begin : excerpt.start])
    cell = visible(excerpt.text[excerpt.start : min(excerpt.end, end)])
    after = visible(excerpt.text[excerpt.end : end]) if excerpt.end < end else ""
    head, tail = "…" if begin else "", "…" if end < len(excerpt.text) else ""
    caret = " " * width(head + before) + "^" * max(1, width(cell))
    return head + before + cell + after + tail, caret


def visible(text: str) -> str:
    """The text with a visible character in place of each control character."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else _VISIBLE.get(char, "\ufffd") for char in text)


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """`1 row`, `2 rows`."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def diagnostic_text(diagnostic: Diagnostic) -> Styled:
    """A diagnostic about a schema, with colours for its severity, the caret and the hint."""
    style = _STYLES[diagnostic.severity]
    word = f" {diagnostic.severity} "
    pieces: list[tuple[str, str]] = []
    for line in diagnostic.render().split("\n"):
        pieces.append(("\n" if pieces else "", ""))
        match line.lstrip()[:1]:
            case "|":
                plain = marked = style
            case "=":
                plain, marked = "cyan", "bold cyan"
            case _:
                plain, marked = "", style
        first, *others = line.split(word)
        pieces.append((first, plain))
        for other in others:
            pieces += [(word, marked), (other, plain)]
    return Styled(tuple(pieces))
