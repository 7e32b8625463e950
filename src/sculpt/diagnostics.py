"""Places in a schema text, and diagnostics about them.

In: a schema text and offsets into it. Out: `Diagnostic` values, and their rendering with line,
column and a caret. Every error or lint about a schema is a `Diagnostic` with a code from `CODES`;
codes are stable, messages may improve.

Invariant: a `Span` is a half-open range of characters of one `Source`; lines and columns are
1-based and counted in characters. Cost: finding a line is a binary search.
"""

from __future__ import annotations

import sys
import unicodedata
from bisect import bisect_right
from collections.abc import Container, Iterable, Mapping
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType

from sculpt.origins import Origin
from sculpt.values import field, frozen


class Severity(StrEnum):
    """An error makes the schema unusable, a warning is a likely mistake, a note is advice."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


CODES: MappingProxyType[str, tuple[Severity, str]] = MappingProxyType(
    {
        "syntax": (Severity.ERROR, "an expression cannot be read"),
        "not-a-statement": (Severity.ERROR, "a line is not a statement"),
        "orphan-continuation": (Severity.ERROR, "the file begins with an indented line"),
        "unclosed-literal": (Severity.ERROR, "a quoted literal never closes"),
        "bad-clause": (Severity.ERROR, "the text after the `!` of a statement is no clause"),
        "bad-program": (Severity.ERROR, "a program cannot be read"),
        "unknown-variable": (
            Severity.ERROR,
            "a program uses a variable that its loop does not define",
        ),
        "unknown-function": (Severity.ERROR, "a program calls a function that does not exist"),
        "unknown-type": (Severity.ERROR, "a value is cast to a type that does not exist"),
        "unknown-namespace": (Severity.ERROR, "a program uses a namespace that is not declared"),
        "unknown-mapping": (Severity.ERROR, "a program uses a mapping that is not declared"),
        "wrong-type": (Severity.ERROR, "a program uses a value of the wrong kind"),
        "bad-index": (Severity.ERROR, "a number is out of range"),
        "bad-mapping": (Severity.ERROR, "the file of a mapping cannot be used"),
        "not-utf8": (Severity.ERROR, "the schema file is not UTF-8"),
        "unknown-directive": (Severity.ERROR, "a name resembles a directive, but is not one"),
        "bad-directive-value": (Severity.ERROR, "a directive has an invalid value"),
        "duplicate-directive": (Severity.ERROR, "a directive is given twice"),
        "dialect-conflict": (Severity.ERROR, "two directives contradict each other"),
        "bad-name": (
            Severity.ERROR,
            "a definition has something other than a plain name on its left",
        ),
        "reserved-name": (Severity.ERROR, "a definition uses a keyword or an `xs:` name"),
        "redefinition": (Severity.ERROR, "a name is defined twice"),
        "bad-regex": (Severity.ERROR, "a token's expression is malformed"),
        "not-regular": (Severity.ERROR, "a token's expression is not regular"),
        "bad-count": (Severity.ERROR, "a repetition's upper bound is below its lower bound"),
        "count-too-large": (
            Severity.ERROR,
            "a repetition count, or a product of them, is too large",
        ),
        "bad-coordinate": (Severity.ERROR, "a row or column number that no table can have"),
        "wrong-sort": (Severity.ERROR, "a selector where a path is needed, or the reverse"),
        "too-deep": (Severity.ERROR, "an expression is nested too deeply"),
        "type-cycle": (Severity.ERROR, "token types are defined in terms of each other"),
        "token-cycle": (Severity.ERROR, "derived tokens are defined in terms of each other"),
        "type-in-token": (Severity.ERROR, "a token type inside a derived token"),
        "contradictory-bounds": (Severity.ERROR, "no value is within the bounds of a token"),
        "bad-bound": (Severity.ERROR, "a bound is not a value of the type it is compared with"),
        "bad-facet": (Severity.ERROR, "a type has no such order, length or digits"),
        "no-value": (Severity.ERROR, "a comparison of texts that have no value"),
        "bad-picture": (Severity.ERROR, "a picture is malformed, or its type has none"),
        "bad-separator": (Severity.ERROR, "the separator of a list is empty"),
        "include-cycle": (Severity.ERROR, "files include each other"),
        "include-not-found": (Severity.ERROR, "an included file cannot be read"),
        "unknown-table": (Severity.ERROR, "a reference to a table that is not included"),
        "unlike-sides": (Severity.ERROR, "the sides of a reference can never be equal"),
        "several-lists": (Severity.ERROR, "a side of a reference has two lists"),
        "no-list-delim": (Severity.ERROR, "a `.>` rule without a list delimiter"),
        "type-in-list": (Severity.ERROR, "a token type as a letter of a `.>` rule"),
        "foreign-syntax": (Severity.ERROR, "a schema of another system cannot be read"),
        "foreign-meaning": (Severity.ERROR, "a schema of another system says what cannot be"),
        "foreign-limit": (
            Severity.ERROR,
            "a schema of another system is too deep, too large, or refers to itself",
        ),
        "foreign-access": (
            Severity.ERROR,
            "a schema of another system refers to what may not, or cannot, be read",
        ),
        "not-taken-over": (
            Severity.WARNING,
            "a part of a schema of another system that was not taken over",
        ),
        "likely-typo": (Severity.WARNING, "an undeclared name that resembles a declared one"),
        "undeclared-content": (
            Severity.WARNING,
            "an undeclared name that each row of a rule must have, so only its own text matches",
        ),
        "unused-token": (Severity.WARNING, "a token that nothing uses"),
        "constant-condition": (
            Severity.WARNING,
            "a comparison of a `require` whose answer no data can change",
        ),
        "shadowed-name": (
            Severity.WARNING,
            "a definition hides a predefined token of the same name",
        ),
        "accepts-nothing": (Severity.WARNING, "a content expression that nothing can satisfy"),
        "never-matches": (Severity.WARNING, "a selector that is empty on every table"),
        "matches-nothing": (Severity.WARNING, "a derived token that no cell can match"),
        "matches-everything": (Severity.WARNING, "a derived token that every text matches"),
        "unwritable-bound": (Severity.WARNING, "a bound that the picture cannot write"),
        "ambiguous-anchor": (
            Severity.WARNING,
            "a token used as a coordinate also matches ordinary data",
        ),
        "unique-not-distinct": (
            Severity.WARNING,
            "`unique` counts matching cells; it does not require distinct values",
        ),
        "several-in-row": (
            Severity.WARNING,
            "a part of a key or reference that may have several cells in a row",
        ),
        "target-without-key": (Severity.WARNING, "a reference to entries that no key identifies"),
        "refers-to-itself": (Severity.WARNING, "a reference whose sides are the same"),
        "trailing-comment": (Severity.WARNING, "a `%` after a value is part of the value"),
        "quotes-in-token": (Severity.WARNING, "quotes around a token's text are part of it"),
        "word-as-delimiter": (Severity.WARNING, "a delimiter is the name of a character"),
        "blank-in-token": (Severity.WARNING, "blanks around `|` are part of a token's texts"),
        "bare-number": (Severity.WARNING, "a bare number is read as text"),
        "keyword-as-text": (Severity.WARNING, "a keyword is read as text"),
    }
)
"""Every code of a diagnostic, with its severity and meaning."""


_HINTS = {
    "syntax": "a rule is `selector -> content`; the language reference has the grammar",
    "bad-clause": 'a clause is `! warning`, `! "message"` or `! warning "message"`',
    "bad-program": "the language reference has the grammar of programs",
    "unknown-variable": "a loop names its variable: `For each cell c in …`",
    "unknown-function": "the language reference lists the functions",
    "unknown-type": "types include `xs:decimal`, `xs:date` and `Number`",
    "unknown-namespace": "declare it: `namespace name = http://…`",
    "unknown-mapping": 'declare it: `mapping name = { "a": "b" }`',
    "wrong-type": "the language reference says what is allowed where",
    "bad-index": "counting starts at 1",
    "bad-mapping": "a mapping file is CSV with two columns and no header",
    "not-utf8": "save it as UTF-8",
    "bad-directive-value": "the language reference lists the values of each directive",
    "duplicate-directive": "keep only one of them",
    "dialect-conflict": "change or remove one of them",
    "reserved-name": "choose another name",
    "redefinition": "give one of them another name",
    "bad-regex": "put a backslash before a character that you mean literally",
    "bad-count": "the smaller number comes first",
    "count-too-large": "use `*` or `+`, or a smaller count",
    "bad-coordinate": "the first row is `row(1)`, the first column `col(1)`",
    "too-deep": "name a part of it: `part <= …`",
    "type-cycle": "define one of them without the others",
    "token-cycle": "define one of them without the others",
    "type-in-token": "use tokens; a selector can combine both: `a and b`",
    "contradictory-bounds": "the lower bound comes first: `0 <= Integer <= 130`",
    "bad-bound": "bounds are in the form of XML Schema: `5`, `1.5`, `2010-01-01`",
    "bad-facet": "the language reference lists what each type can be compared by",
    "no-value": "compare a type, a picture, or a token made of them",
    "bad-picture": "the language reference has the signs of pictures",
    "bad-separator": "write the text between two items, or leave it out for white space",
    "include-cycle": "remove one of the includes",
    "include-not-found": "paths are relative to the including file",
    "unknown-table": 'bring it in: `include "depts.sculpt" as Depts for "depts.csv"`',
    "unlike-sides": "the parts of both sides are compared in their order",
    "several-lists": "let each list refer in a reference of its own",
    "type-in-list": "use a token, `name = …`",
    "foreign-syntax": "correct this in the file, and try again",
    "foreign-meaning": "correct this in the file, and try again",
    "foreign-limit": "this is a guard against files that are broken or made to do harm",
    "foreign-access": "nothing outside the folder of a schema is read unless it is allowed",
}
"""The hint of a code where the diagnostic has none of its own."""


@frozen(slots=False)
class Source:
    """A schema text and where it came from."""

    name: str
    text: str = field(repr=False)
    folder: str = field(default="", repr=False)
    """The folder to which the file names in it are relative."""
    shelf: Mapping[str, Source] | None = field(default=None, compare=False, repr=False)
    """By file name: texts that it may include and that are not on disk, if it was imported."""
    origins: Mapping[str, Origin] | None = field(default=None, compare=False, repr=False)
    """By `rule:3`, `key:1`: what a statement was in the schema that it was imported from."""
    files: str | None = field(default=None, compare=False, repr=False)
    """The folder in which its conditions look for files, if it says so itself."""

    @cached_property
    def _line_starts(self) -> list[int]:
        starts = [0]
        starts.extend(ix + 1 for ix, char in enumerate(self.text) if char == "\n")
        return starts

    def position(self, offset: int) -> tuple[int, int]:
        """The 1-based line and column of a character."""
        line_ix = bisect_right(self._line_starts, offset) - 1
        return line_ix + 1, offset - self._line_starts[line_ix] + 1

    def line(self, number: int) -> str:
        """The text of a 1-based line, without its end."""
        starts = self._line_starts
        end = starts[number] - 1 if number < len(starts) else len(self.text)
        return self.text[starts[number - 1] : end].rstrip("\r")


@frozen
class Span:
    """A range of characters of a source."""

    source: Source
    start: int
    end: int

    @property
    def line(self) -> int:
        """The 1-based line on which it starts."""
        return self.source.position(self.start)[0]

    @property
    def column(self) -> int:
        """The 1-based column at which it starts."""
        return self.source.position(self.start)[1]

    def describe(self, reader: Source) -> str:
        """`line 3`, with the name of its file if the reader is in another one."""
        where = f"line {self.line}"
        return where if self.source.name == reader.name else f"{where} of {self.source.name}"


@frozen
class Diagnostic:
    """An error, warning or note about a schema."""

    code: str
    message: str
    span: Span
    hint: str | None = None

    def __post_init__(self) -> None:
        assert self.code in CODES, self.code
        if self.hint is None:
            object.__setattr__(self, "hint", _HINTS.get(self.code))

    @property
    def severity(self) -> Severity:
        """The severity of its code."""
        return CODES[self.code][0]

    @property
    def is_error(self) -> bool:
        """Does it make the schema unusable?"""
        return self.severity is Severity.ERROR

    def render(self) -> str:
        """Several lines for people: place, message, the source line with a caret, the hint."""
        source, (line, column) = self.span.source, self.span.source.position(self.span.start)
        text, first = _window(source.line(line), column - 1)
        # A tab keeps its width in the caret line, so that the caret is under its character.
        before = text[: column - 1 - first]
        pad = "".join("\t" if char == "\t" else " " * _columns(char) for char in before)
        caret = "^" * max(1, min(self.span.end - self.span.start, len(text) - len(before)))
        text = "\t".join(map(_printable, text.split("\t")))
        number = str(line)
        gutter = " " * len(number)
        lines = [
            f"{_printable(source.name)}:{line}:{column}:"
            f" {self.severity} [{self.code}]: {_printable(self.message)}",
            f" {number} | {text}",
            f" {gutter} | {pad}{caret}",
        ]
        if self.hint:
            lines.append(f" {gutter} = hint: {_printable(self.hint)}")
        return "\n".join(lines)


_LONG_LINE = 240
_AROUND = 80


def _window(text: str, at: int) -> tuple[str, int]:
    """A line, cut around a place if it is long, and how many characters are missing before."""
    if len(text) <= _LONG_LINE:
        return text, 0
    first = max(0, at - _AROUND)
    return text[first : first + _LONG_LINE - _AROUND], first


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() else "\ufffd" for char in text)


def _columns(char: str) -> int:
    """How many columns of a terminal a character takes."""
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def in_order(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """The diagnostics sorted by place; files come in the order of first mention."""
    listed = list(diagnostics)
    files: dict[str, int] = {}
    for diagnostic in listed:
        files.setdefault(diagnostic.span.source.name, len(files))
    return tuple(sorted(listed, key=lambda d: (files[d.span.source.name], d.span.start, d.code)))


MAX_WORDS = 20
"""A longer name is not split into others."""
_EDITS_BY_LENGTH = ((3, 0), (7, 1), (24, 2), (60, 1), (sys.maxsize, 0))


class Suggestions:
    """Finds the known name that a word is a misspelling of.

    Two words within d edits of each other become equal after at most d deletions from each, so
    each name is stored under what remains of it: a search costs the same for any number of names.
    """

    def __init__(self, names: Iterable[str], cutoff: int = 2) -> None:
        self._cutoff = cutoff
        self._names: dict[str, list[str]] = {}
        for name in names:
            for rest in _with_deletions(name.casefold(), self._allowed(name)):
                self._names.setdefault(rest, []).append(name)

    def _allowed(self, word: str) -> int:
        """How many edits count as a misspelling: none in short words, which are often other words.

        Long words allow fewer edits too, because they would be stored under too many keys.
        """
        edits = next(edits for length, edits in _EDITS_BY_LENGTH if len(word) <= length)
        return min(self._cutoff, edits)

    def closest(self, word: str) -> str | None:
        """The closest known name, if any is close enough."""
        allowed = self._allowed(word)
        candidates = {
            name
            for rest in _with_deletions(word.casefold(), allowed)
            for name in self._names.get(rest, ())
        }
        ranked = [(edit_distance(word.casefold(), name.casefold()), name) for name in candidates]
        near = [(distance, name) for distance, name in ranked if distance <= allowed]
        return min(near)[1] if near else None


def _with_deletions(word: str, count: int) -> set[str]:
    """The word, and what remains of it after deleting up to `count` characters."""
    found = layer = {word}
    for _ in range(count):
        layer = {each[:ix] + each[ix + 1 :] for each in layer for ix in range(len(each))}
        found = found | layer
    return found


def closest(word: str, names: Iterable[str], cutoff: int = 2) -> str | None:
    """The name that a word is a misspelling of, if any."""
    return Suggestions(names, cutoff).closest(word)


def split_name(text: str, names: Container[str]) -> list[str] | None:
    """The known names that a text consists of, with blanks between; `None` if it does not."""
    words = text.split(" ")
    if not 1 < len(words) <= MAX_WORDS:
        return None
    # By the number of words from the left: the names that they consist of, if they do.
    parts: list[list[str] | None] = [[]]
    for end in range(1, len(words) + 1):
        found = None
        for begin in range(end):
            before, name = parts[begin], " ".join(words[begin:end])
            if before is not None and name in names and name != text:
                found = [*before, name]
                break
        parts.append(found)
    return parts[-1]


def edit_distance(left: str, right: str) -> int:
    """The fewest insertions, deletions, replacements and swaps that turn one into the other."""
    before: list[int] = []
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        before, row, previous = row, [i], before
        for j, b in enumerate(right, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == right[j - 2] and left[i - 2] == b:
                cost = min(cost, previous[j - 2] + 1)
            row.append(cost)
    return row[-1]
