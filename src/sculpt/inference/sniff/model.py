"""What is found out about a file, as immutable values.

Invariant: `Sniffed.directives` parse as a schema, and the dialect of that schema is
`Sniffed.dialect`. Confidences are between 0 and 1, and candidates are in the order of their shares.
"""

from __future__ import annotations

import codecs

from sculpt.core.dialect import Delimiter, Dialect
from sculpt.values import field, frozen

ONE_COLUMN = "one column"
LINE_ENDS = {"\n": "LF", "\r\n": "CRLF", "\r": "CR"}


@frozen
class Encoding:
    """How bytes become characters."""

    name: str
    """A text codec of Python."""
    confidence: float
    runner_up: str | None = None
    runner_up_confidence: float = 0.0
    has_mark: bool = False
    """Does the file begin with a byte order mark?"""

    @property
    def directive(self) -> str | None:
        """The value of `Encoding`, if the default would not do."""
        return None if self.has_mark or self.name == "utf-8" else self.name

    @property
    def codec(self) -> str | None:
        """The same as a dialect has it: the name that Python gives the codec."""
        return None if self.directive is None else codecs.lookup(self.name).name


@frozen
class Finding:
    """A directive, how sure it is, and the next best value."""

    name: str
    value: str
    confidence: float
    runner_up: str | None = None
    runner_up_confidence: float = 0.0

    @property
    def text(self) -> str:
        """The directive as in a schema."""
        return f"{self.name} = {self.value}"


@frozen
class Candidate:
    """A dialect that was tried."""

    dialect: Dialect
    columns: int
    score: float
    share: float
    """Its part of the whole confidence."""
    features: tuple[tuple[str, float], ...] = ()

    @property
    def values(self) -> tuple[tuple[str, str], ...]:
        """Its directives about rows and cells: name and value."""
        return values_of(self.dialect)


@frozen
class Sniffed:
    """How a file is written, as far as a sample shows it."""

    path: str
    dialect: Dialect
    encoding: Encoding
    findings: tuple[Finding, ...]
    """The directives that differ from the defaults, and always the one that splits rows."""
    candidates: tuple[Candidate, ...] = field(default=(), repr=False)
    columns: int = 0
    line_ends: tuple[tuple[str, int], ...] = ()
    """The ends of the rows in the sample, `LF`, `CRLF` or `CR`, most frequent first."""
    sampled: int = 0
    """Bytes that were read."""
    is_whole: bool = True
    """Was the whole file read?"""
    is_text: bool = True
    """Are its characters those of a text? If not, nothing is sure."""

    @property
    def is_empty(self) -> bool:
        """Is there nothing in the file?"""
        return self.columns == 0

    @property
    def directives(self) -> tuple[str, ...]:
        """The directives as lines of a schema."""
        return tuple(finding.text for finding in self.findings)

    @property
    def confidences(self) -> dict[str, float]:
        """How sure each directive is, and always the encoding and the quote."""
        return {
            "Encoding": self.encoding.confidence,
            "Quote": self.share_of("Quote", shown_quote(self.dialect)),
            **{finding.name: finding.confidence for finding in self.findings},
        }

    @property
    def confidence(self) -> float:
        """The least confidence of all."""
        return 0.0 if self.is_empty else min(self.confidences.values())

    def share_of(self, name: str, value: str) -> float:
        """The shares of all candidates with this value of a directive."""
        found = (each.share for each in self.candidates if dict(each.values).get(name) == value)
        return min(1.0, sum(found))


def shown_quote(dialect: Dialect) -> str:
    """The value of `Quote`."""
    return "none" if dialect.quote is None else written(dialect.quote)


def values_of(dialect: Dialect) -> tuple[tuple[str, str], ...]:
    """The directives of a dialect about rows and cells: all that candidates differ in."""
    found: list[tuple[str, str]] = []
    if dialect.layouts:
        widths = ("*" if width is None else str(width) for width in dialect.layouts[0].widths)
        found.append(("Col Widths", ", ".join(widths)))
    else:
        found.append(("Col Delim", delimiter_value(dialect.col_delim)))
    found.append(("Row Delim", "" if dialect.row_delim is None else written(dialect.row_delim)))
    found.append(("Quote", shown_quote(dialect)))
    found.append(("Escape", "none" if dialect.escape is None else written(dialect.escape)))
    found.append(("Escapes", dialect.escapes))
    found.append(("Stray Quotes", dialect.stray_quotes))
    found.append(("Comment", "none" if dialect.comment is None else written(dialect.comment)))
    return tuple(found)


def delimiter_value(delimiter: Delimiter) -> str:
    """A delimiter as the value of a directive."""
    return written(delimiter.text) if delimiter.pattern is None else f"/{delimiter.text}/"


_NAMES = {"\t": "\\t", "\n": "\\n", "\r": "\\r", " ": "\\s", "\\": "\\\\"}


def written(text: str) -> str:
    """A text as the value of a directive."""
    return "".join(_NAMES.get(char) or _visible(char) for char in text)


def _visible(char: str) -> str:
    return char if char.isprintable() and ord(char) < 0xFFFF else f"\\u{ord(char):04x}"


DEFAULTS = dict(values_of(Dialect()))
"""The values of a schema without directives."""
