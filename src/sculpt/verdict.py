"""The results of a run: verdicts, violations and warnings, as values.

In: what an engine finds. Out: what reports show and callers read (`docs/language.md#8-violations`).
A violation is data about data, never an exception. Its severity is that of its statement: an
error, or a warning, which leaves the data valid. Invariant: `violations` is in the order of the
table (row, column, rule; a place without row or column comes last). It holds only the first errors
and the first warnings, each up to the limit, and the last error may be replaced by a quote that
never closes; `violation_count` counts all errors, `warning_violation_count` all warnings.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType
from typing import TYPE_CHECKING

from sculpt.display import html_of, shortened
from sculpt.errors import DataError, SculptError
from sculpt.values import field, frozen

if TYPE_CHECKING:
    from sculpt.syntax.ast import SeverityName

VIOLATION_CODES: MappingProxyType[str, str] = MappingProxyType(
    {
        "row-content": "a row of a `->` rule's region does not match its content expression",
        "region-content": "the region of a `=>` rule does not match its content expression",
        "column-content": "a column of a `|>` rule's region does not match its content expression",
        "list-content": "a cell of a `.>` rule's region does not match, item by item",
        "unique": "another cell matches what `unique` allows only once in the table",
        "unique-per-row": "another cell matches what `unique-per-row` allows only once in a row",
        "key": "an entry has the same values as an earlier one, which `key` does not allow",
        "key-several": "a row has several cells of one part of a `key` or of a reference",
        "reference-none": "an entry refers to nothing: no entry of the other side is equal to it",
        "reference-several": "an entry refers to several entries where `~>` allows one",
        "require": "a condition of `require` does not hold",
        "undecodable": "bytes that are invalid in the encoding",
        "unclosed-quote": "a quoted cell runs to the end of the file",
        "text-after-quote": "text between a closing quote and the next delimiter",
        "nul-byte": "a NUL character in a cell",
    }
)
"""Every code of a violation, and what it means."""
CHECK_CODES = frozenset(("key", "key-several", "reference-none", "reference-several", "require"))
"""The codes of violations that rules cannot express."""

WARNING_CODES: MappingProxyType[str, str] = MappingProxyType(
    {
        "vacuous-rule": "a rule selects no cell, so it checks nothing",
        "vacuous-loop": "with `--strict`: a loop of a program selects no cell",
        "vacuous-check": "a key, a reference or the loop of a condition selects no cell",
        "not-judged": "a reference is not judged, because a table could not be read",
        "nothing-checked": "no rule selects any cell, so nothing was checked",
        "unmatched-literal": "an undeclared name in a selector matches no cell",
    }
)
"""Every code of a warning about a schema and its data."""

PROGRAM_CODES: MappingProxyType[str, str] = MappingProxyType(
    {
        "lookup-none": "a look-up finds no cell",
        "lookup-several": "a look-up finds several cells where one is expected",
        "no-cell": "an index is beyond the cells that the row or column has in the region",
        "bad-cast": "a text is not a valid value of the type it is cast to",
        "no-part": "a text has fewer parts than `split` asks for",
        "no-match": "a text does not match the token whose group is captured",
        "unmapped": "a text is not in the mapping",
        "bad-percent": "a text has a `%` that `percent-decode` cannot turn into a character",
        "no-file": "a path is not that of a file",
        "not-a-number": "an aggregate includes a cell whose text is not a number",
    }
)
"""Every code of a finding of a program."""

FOUND_LIMIT = 200
DEFAULT_MAX_VIOLATIONS = 1_000


@frozen
class Excerpt:
    """The source text of a row, its line in the file, and where the cell is in it."""

    text: str
    start: int
    end: int
    line: int
    cut: bool = False
    """Does the row begin before `text`? Only then is the column in the line unknown."""


@frozen
class Place:
    """A cell of some file; a row, if there is no column."""

    file: str
    row: int
    column: int | None


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
    """What the clause of the statement says, if anything, and what was found."""
    hint: str | None = None
    excerpt: Excerpt | None = field(default=None, compare=False, repr=False)
    severity: SeverityName = "error"
    first: Place | None = None
    """Of a `key`: where the first entry with the same values is."""
    target: Place | None = None
    """Of `reference-several`: where the first of the targets is."""


@frozen
class Warning:
    """Something suspicious about a schema and its data that is not a violation."""

    code: str
    rule: int | None
    line: int | None
    message: str
    hint: str | None = None


@frozen
class Tally:
    """What a rule, a constraint or a structural code has checked in a table.

    A rule checks units: rows for `->`, columns for `|>`, cells for `.>`, one region for `=>`. A
    constraint checks the cells of its region; a structural code checks all real cells.
    """

    code: str
    """The code of its violations."""
    rule: int | None
    line: int | None
    text: str
    """Its statement in the schema; empty for a structural code."""
    selected: int
    """Cells, padded ones included."""
    checked: int
    failed: int
    """Its violations, all of them counted."""
    severity: SeverityName = "error"
    """What its violations are."""


MAX_UNCHECKED = 100


@frozen
class UncheckedCell:
    """A cell that holds text, but is in the region of no rule."""

    row: int
    column: int
    text: str
    """At most `FOUND_LIMIT` characters, as tokens see them."""


@frozen
class Coverage:
    """How much of a table the rules look at: of the real cells that hold text."""

    cells: int = 0
    """Real cells that hold text: whose text, as tokens see it, is not empty."""
    checked: int = 0
    """Those of them that lie in the region of at least one rule."""
    unchecked: tuple[UncheckedCell, ...] = ()
    """The first of the others, in the order of the table."""

    def __repr__(self) -> str:
        return f"<Coverage: {self.checked:,} of {self.cells:,} cells with text>"

    @property
    def share(self) -> float:
        """The checked share, from 0 to 1; 1 for a table without text."""
        return self.checked / self.cells if self.cells else 1.0


HEAT_ROWS, HEAT_COLUMNS = 256, 64


@frozen
class Heat:
    """Where the violations of a table are, warnings too: counts in buckets of rows × columns.

    A bucket has `row_step` rows and `column_step` columns, the smallest powers of two with which at
    most `HEAT_ROWS` × `HEAT_COLUMNS` buckets hold the table. So heats of parts of a table can be
    added. A violation without a column counts as one of the whole row: its bucket has column 0. One
    without a row, found at the end of the table, counts in the last row.
    """

    row_step: int = 1
    column_step: int = 1
    counts: tuple[tuple[int, int, int], ...] = ()
    """(bucket of rows, bucket of columns, violations), sorted, none of them 0. Buckets of rows
    count from 0, those of columns from 1; 0 is for whole rows."""

    def __repr__(self) -> str:
        size = f"{self.row_step:,} × {self.column_step:,}"
        return f"<Heat: {len(self.counts):,} buckets of {size} with violations>"


@frozen
class Selection:
    """The cells of a selector in a table, in table order."""

    rows: int
    columns: int
    cells: list[tuple[int, int]]
    texts: list[str | None] | None = None
    """The texts of the cells, if requested; `None` for a padded cell."""

    def __repr__(self) -> str:
        return f"<Selection: {len(self.cells):,} cells of {self.rows:,} × {self.columns:,}>"


@frozen
class Verdict:
    """The outcome for one file."""

    path: str
    engine: str
    rows: int
    columns: int
    violation_count: int
    """How many violations are errors."""
    violations: tuple[Violation, ...]
    """The first errors and the first warnings."""
    warnings: tuple[Warning, ...]
    """What is suspicious about the schema and the data: about a rule, never about a cell."""
    rules: tuple[Tally, ...] = ()
    """What each rule has checked, in the order of the schema."""
    structure: tuple[Tally, ...] = ()
    """The same for constraints, and for structural codes that were found."""
    coverage: Coverage = Coverage()
    heat: Heat = Heat()
    unmatched: frozenset[str] = frozenset()
    """The undeclared names in contents of rules that no cell has as its text."""
    warning_violation_count: int = 0
    """How many violations are only warnings, by the clauses of their statements."""
    table: str | None = None
    """The table that it is a file of: `None` for the one that the schema describes."""

    @property
    def valid(self) -> bool:
        """Does the file conform? Warnings do not matter."""
        return self.violation_count == 0

    @property
    def checked_nothing(self) -> bool:
        """Has no rule or constraint selected any cell?"""
        return any(warning.code == "nothing-checked" for warning in self.warnings)

    @property
    def found(self) -> int:
        """How many violations there are, errors and warnings."""
        return self.violation_count + self.warning_violation_count

    @property
    def has_all(self) -> bool:
        """Does `violations` have all of them?"""
        return len(self.violations) == self.found

    def __repr__(self) -> str:
        count = self.violation_count
        word = "nothing was checked" if self.checked_nothing else "valid"
        if not self.valid:
            word = f"{count:,} violation{'s' if count > 1 else ''}"
        if self.warning_violation_count:
            word += f", {self.warning_violation_count:,} only warnings"
        size = f"{self.rows:,} × {self.columns:,}"
        return f"<Verdict {shortened(self.path)}: {word}, {size}, engine {self.engine}>"

    def _repr_html_(self) -> str:
        return html_of(self)


@frozen
class Unread:
    """An input that could not be checked."""

    path: str
    message: str
    table: str | None = None
    """The table that it is a file of: `None` for the one that the schema describes."""

    @property
    def valid(self) -> bool:
        """An input that was not read does not conform."""
        return False


@frozen
class Verdicts:
    """The outcomes for all inputs of a call."""

    engine: str
    outcomes: tuple[Verdict | Unread, ...]
    strict: bool = False
    min_coverage: float | None = None
    """How many percent of the cells with text must be checked by a rule, if that matters."""

    def __repr__(self) -> str:
        valid = sum(map(self.is_valid, self.outcomes))
        return f"<Verdicts: {valid:,} of {len(self.outcomes):,} valid, engine {self.engine}>"

    def is_valid(self, outcome: Verdict | Unread) -> bool:
        """Does an input conform?

        Under `strict`, it must have no warnings of either sort; under `min_coverage`, enough of its
        cells must be checked.
        """
        if isinstance(outcome, Unread):
            return False
        is_quiet = not (outcome.warnings or outcome.warning_violation_count)
        return outcome.valid and (is_quiet or not self.strict) and self.is_covered(outcome)

    def is_covered(self, verdict: Verdict) -> bool:
        """Are enough of the cells of a file checked?"""
        coverage = verdict.coverage
        return coverage.checked * 100 >= (self.min_coverage or 0) * coverage.cells

    @property
    def valid(self) -> bool:
        """Do all inputs conform?"""
        return all(self.is_valid(outcome) for outcome in self.outcomes)

    @property
    def exit_status(self) -> int:
        """As the command line returns it: 0 valid, 1 not valid, 3 if some could not be read."""
        if any(isinstance(outcome, Unread) for outcome in self.outcomes):
            return 3
        return 0 if self.valid else 1


def all_read(outcomes: Iterable[Verdict | Unread]) -> list[Verdict]:
    """The verdicts on inputs that must all be readable; a `DataError` on the first that is not."""
    verdicts: list[Verdict] = []
    for outcome in outcomes:
        if isinstance(outcome, Unread):
            raise DataError(outcome.message, outcome.path)
        verdicts.append(outcome)
    return verdicts


def said_of(finding: Violation) -> str:
    """A finding of a program in one line: its place, what is wrong, the line of the schema."""
    places = (("row", finding.row), ("column", finding.column))
    place = ", ".join(f"{name} {number}" for name, number in places if number is not None)
    where = f"{place}: " if place else ""
    return f"{where}{finding.message} (line {finding.line} of the schema)"


class RefusedError(SculptError):
    """A program was not run, or not to its end, because the data does not conform."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({shortened(str(self), 200)!r})"

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
        errors = (each for each in bad[0].violations if each.severity == "error")
        return f"{bad[0].path}: violates the schema: {next(errors).message}"
