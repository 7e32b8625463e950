"""The head of a file in a report: its verdict in words, and the facts about the file.

In: a `Subject`, or an input that could not be read. Out: HTML. The size and the SHA-256 of a file
on this machine are those of its bytes as they are, packed or not; an input from elsewhere has none.
Cost: the file is read once more, for its hash.
"""

from __future__ import annotations

import hashlib
import os
import stat

from sculpt.core.dialect import Delimiter, Dialect
from sculpt.interchange.fetched import file_of
from sculpt.report.styled import counted
from sculpt.report.tables import table_mark
from sculpt.values import frozen
from sculpt.verdict import Unread, Verdict, Verdicts
from sculpt.views.html.markup import EMPTY, Html, code, isolated, joined, message_html, tag, text
from sculpt.views.html.parts.groups import headline, verdict_word, violation_words
from sculpt.views.html.subject import Subject

NAME_LIMIT = 300
_WIDE = {"Coverage": "wide", "SHA-256": "wide", "Read as": "wide"}
_BLOCK = 1 << 20
_UNITS = ("bytes", "kB", "MB", "GB", "TB")
_NAMED = {"\t": "tab", " ": "blank", "\n": "line feed", "\r\n": "CRLF", "\r": "CR"}


@frozen
class FileFacts:
    """What is known about the bytes of an input."""

    size: int | None = None
    sha256: str | None = None


def file_facts(path: str) -> FileFacts:
    """The size and the hash of a file; nothing for an input that is no file on this machine."""
    try:
        path = file_of(path) or path
        if not stat.S_ISREG(os.stat(path).st_mode):  # to open a pipe would be to wait for it
            return FileFacts()
        with open(path, "rb") as file:
            digest, length = hashlib.sha256(), 0
            while block := file.read(_BLOCK):
                digest.update(block)
                length += len(block)
            return FileFacts(length, digest.hexdigest())
    except (OSError, ValueError):
        return FileFacts()


def size_words(size: int) -> str:
    """`1,234 bytes`, `1.2 MB`."""
    amount, unit = float(size), 0
    while amount >= 1000 and unit < len(_UNITS) - 1:
        amount, unit = amount / 1000, unit + 1
    return counted(size, "byte") if not unit else f"{amount:.3g} {_UNITS[unit]} ({size:,} bytes)"


def dialect_words(dialect: Dialect) -> str:
    """How the file was cut into cells."""
    parts = [(dialect.encoding or "UTF-8").upper()]
    if dialect.layouts:
        parts.append("columns of fixed width")
    else:
        parts.append(f"columns end at {_delimiter(dialect.col_delim)}")
    if dialect.row_delim is not None:
        parts.append(f"rows end at {_character(dialect.row_delim)}")
    if not dialect.layouts:
        quote = f"quotes are {dialect.quote}" if dialect.quote else "no quotes"
        parts.append(quote)
        if dialect.stray_quotes == "text":
            parts.append("stray quotes are text")
    if dialect.escape:
        what = {"any": "", "quotes": " of quotes", "everywhere": " everywhere"}[dialect.escapes]
        parts.append(f"escape{what} is {dialect.escape}")
    if dialect.comment:
        parts.append(f"comments begin with {dialect.comment}")
    if dialect.strict_padding:
        parts.append("strict padding")
    return ", ".join(parts)


def _delimiter(delimiter: Delimiter) -> str:
    if delimiter.pattern is not None:
        return f"the pattern {delimiter.text}"
    return _character(delimiter.text)


def _character(written: str) -> str:
    return _NAMED.get(written, f"“{written}”")


def file_name(name: str, outcome: Verdict | Unread, limit: int = NAME_LIMIT) -> Html:
    """The name of a file, and of its table if that is not the one that the schema describes."""
    mark = table_mark(outcome)
    return joined(isolated(name, limit), isolated(mark, limit) if mark else EMPTY)


def verdict_html(verdict: Verdict, run: Verdicts, level: int = 1) -> Html:
    """The verdict, what a reader must know first, and warnings."""
    word, kind = verdict_word(verdict, run)
    name = os.path.basename(verdict.path.rstrip("/")) or verdict.path
    name = "standard input" if name == "-" else name
    said = headline(verdict)
    lines = [tag("p", text(f"{said[:1].upper()}{said[1:]}."), class_="headline")]
    lines += [
        tag("p", _warning(each.message, each.hint), class_="warning")
        for each in verdict.warnings[:MAX_WARNINGS]
    ]
    if len(verdict.warnings) > MAX_WARNINGS:
        more = counted(len(verdict.warnings) - MAX_WARNINGS, "more warning")
        lines.append(tag("p", text(more), class_="warning"))
    icon = {"bad": "✗", "good": "✓", "idle": "○"}[kind]
    return tag(
        "header",
        tag(
            f"h{level}",
            tag("span", text(icon), class_="icon", aria_hidden="true"),
            tag("span", text(word), class_="word"),
            text(" "),
            tag("span", file_name(name, verdict), class_="name"),
        ),
        *lines,
        class_=f"verdict {kind}",
    )


MAX_WARNINGS = 5


def _warning(message: str, hint: str | None) -> Html:
    more = joined(text(" "), message_html(hint)) if hint else EMPTY
    return joined(tag("b", text("Warning: ")), message_html(message), more)


def facts_html(subject: Subject, facts: FileFacts, made: str, version: str) -> Html:
    """The facts about a file and its run, as a list of terms."""
    verdict = subject.verdict
    coverage = verdict.coverage
    size = size_words(facts.size) if facts.size is not None else "not known"
    checked = (
        f"{coverage.checked:,} of {counted(coverage.cells, 'cell')} with text"
        f" ({100 * coverage.share:.0f}%) are checked by a rule"
        if coverage.cells
        else "no cell has text"
    )
    table = f"{counted(verdict.rows, 'row')} × {counted(verdict.columns, 'column')}"
    terms: list[tuple[str, Html]] = [
        ("File", file_name(verdict.path, verdict)),
        ("Table", text(table)),
        ("Coverage", text(checked)),
        ("Schema", isolated(subject.schema.source.name, NAME_LIMIT)),
        ("Violations", text(violation_words(verdict))),
        ("Read as", isolated(dialect_words(subject.schema.core.dialect), NAME_LIMIT)),
        ("Checked by", text(f"Sculpt {version}, engine {verdict.engine}")),
        ("Time", tag("time", text(made), datetime=made.replace(" UTC", "Z").replace(" ", "T"))),
        ("Size", text(size)),
        ("SHA-256", code(facts.sha256) if facts.sha256 else text("not known")),
    ]
    return tag(
        "dl",
        *(
            tag("div", tag("dt", text(term)), tag("dd", said), class_=_WIDE.get(term))
            for term, said in terms
        ),
        class_="facts",
    )


def unread_html(unread: Unread, level: int = 1) -> Html:
    """An input that could not be read."""
    return tag(
        "header",
        tag(
            f"h{level}",
            tag("span", text("✗"), class_="icon", aria_hidden="true"),
            tag("span", text("Could not be read"), class_="word"),
            text(" "),
            tag(
                "span",
                file_name(os.path.basename(unread.path) or unread.path, unread),
                class_="name",
            ),
        ),
        tag("p", isolated(unread.message, 1_000), class_="headline"),
        class_="verdict bad",
    )
