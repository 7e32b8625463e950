"""What a run found out: verdicts, violations and warnings, as values.

In: what an engine finds. Out: what reports show and callers read (`docs/language.md#8-violations`).
A violation is data about data: never an exception. Invariant: `violations` is in the order of the
table (row, column, rule; a place without row or column comes last) and holds the first of them, the
last of which may give way to a quote that never closes; all are in `violation_count`.
"""

from __future__ import annotations

from types import MappingProxyType

from sculpt.errors import SculptError
from sculpt.values import field, frozen

VIOLATION_CODES: MappingProxyType[str, str] = MappingProxyType(
    {
        "row-content": "a row of a `->` rule's region does not match its content expression",
        "region-content": "the region of a `=>` rule does not match its content expression",
        "column-content": "a column of a `|>` rule's region does not match its content expression",
        "list-content": "a cell of a `.>` rule's region does not match, item by item",
        "unique": "a further cell matches what `unique` allows once in the table",
        "unique-per-row": "a further cell matches what `unique-per-row` allows once a row",
        "undecodable": "bytes that the encoding does not know",
        "unclosed-quote": "a quoted cell runs to the end of the file",
        "text-after-quote": "text between a closing quote and the next delimiter",
        "nul-byte": "a NUL character in a cell",
    }
)
"""Every code a violation can have, and what it means."""

WARNING_CODES: MappingProxyType[str, str] = MappingProxyType(
    {
        "vacuous-rule": "a rule selects no cell, so it checks nothing",
        "unmatched-literal": "an undeclared name in a selector matches no cell",
    }
)
"""Every code that a warning about schema and data together can have."""

PROGRAM_CODES: MappingProxyType[str, str] = MappingProxyType(
    {
        "lookup-none": "a look-up finds no cell",
        "lookup-several": "a look-up finds several cells where one is expected",
        "no-cell": "a row or column has fewer cells in the region than an index says",
        "bad-cast": "a text has no value in the type that it is cast to",
        "no-part": "a text has fewer parts than `split` is asked for",
        "no-match": "a text does not match the token whose group is captured",
        "unmapped": "a text is not in the mapping that it is looked up in",
        "not-a-number": "a cell of an aggregate holds a text that is no number",
    }
)
"""Every code that a program can run into."""

FOUND_LIMIT = 200
DEFAULT_MAX_VIOLATIONS = 1_000


@frozen
class Excerpt:
    """The source text of a row, its line in the file, and where in it the cell stands."""

    text: str
    start: int
    end: int
    line: int


@frozen
class Violation:
    """One way in which a file does not conform."""

    code: str
    rule: int | None
    line: int | None
    row: int | None
    column: int | None
    offset: int | None
    found: str | None
    tokens: tuple[str, ...]
    expected: tuple[str, ...]
    message: str
    hint: str | None = None
    excerpt: Excerpt | None = field(default=None, compare=False, repr=False)


@frozen
class Warning:
    """Something suspicious that is no violation."""

    code: str
    rule: int | None
    line: int | None
    message: str
    hint: str | None = None


@frozen
class Selection:
    """The cells of a selector in a table, in table order."""

    rows: int
    columns: int
    cells: list[tuple[int, int]]
    texts: list[str | None] | None = None
    """What the cells hold, where that was asked for; `None` for a padded one."""


@frozen
class Verdict:
    """The outcome for one file."""

    path: str
    engine: str
    rows: int
    columns: int
    violation_count: int
    violations: tuple[Violation, ...]
    warnings: tuple[Warning, ...]

    @property
    def valid(self) -> bool:
        """Does the file conform?"""
        return self.violation_count == 0


@frozen
class Unread:
    """An input that could not be checked."""

    path: str
    message: str

    @property
    def valid(self) -> bool:
        """What was not read does not conform."""
        return False


@frozen
class Verdicts:
    """What one call says about all its inputs; 0 valid, 1 not valid, 3 some could not be read."""

    engine: str
    outcomes: tuple[Verdict | Unread, ...]
    strict: bool = False

    def is_valid(self, outcome: Verdict | Unread) -> bool:
        """Does an input conform? Under `strict`, warnings count."""
        if isinstance(outcome, Unread):
            return False
        return outcome.valid and not (self.strict and outcome.warnings)

    @property
    def valid(self) -> bool:
        """Do all inputs conform?"""
        return all(self.is_valid(outcome) for outcome in self.outcomes)

    @property
    def exit_status(self) -> int:
        """As the command line returns it."""
        if any(isinstance(outcome, Unread) for outcome in self.outcomes):
            return 3
        return 0 if self.valid else 1


def said_of(finding: Violation) -> str:
    """A finding of a program in one line: its place, what is wrong, the line of the schema."""
    places = (("row", finding.row), ("column", finding.column))
    place = ", ".join(f"{name} {number}" for name, number in places if number is not None)
    where = f"{place}: " if place else ""
    return f"{where}{finding.message} (line {finding.line} of the schema)"


class RefusedError(SculptError):
    """A program was not run, or not to its end: the data does not conform."""

    def __init__(
        self,
        verdicts: tuple[Verdict, ...],
        findings: tuple[Violation, ...] = (),
        paths: tuple[str, ...] = (),
    ) -> None:
        super().__init__(verdicts, findings, paths)
        self.verdicts, self.findings = verdicts, findings
        self.paths = paths
        """The file of each finding."""

    def __str__(self) -> str:
        if self.findings:
            where = f"{self.paths[0]}: " if self.paths else ""
            return where + said_of(self.findings[0])
        bad = [verdict for verdict in self.verdicts if not verdict.valid]
        return f"{bad[0].path}: violates the schema: {bad[0].violations[0].message}"
