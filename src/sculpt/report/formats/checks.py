"""What violations are about: the rules and constraints of a schema, and the form of a document.

In: a schema and the verdicts on some files. Out: `Check`s, and the violations of a file grouped by
them. Every format that groups violations uses these groups, so all of them name, count and order
the same things.

Invariant: each violation is in exactly one group. `failed` counts all violations of a check, also
those that the verdict does not hold; if an engine gave no tallies, it counts those that it holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import count
from typing import TypeVar

from sculpt.core import ir
from sculpt.core.documentation import title_of
from sculpt.report.groups import all_groups, key_of
from sculpt.report.tables import schemas_of
from sculpt.schema import Schema
from sculpt.syntax.ast import SeverityName
from sculpt.values import frozen
from sculpt.verdict import VIOLATION_CODES, Unread, Verdict, Verdicts, Violation

STRUCTURAL = ("undecodable", "unclosed-quote", "text-after-quote", "nul-byte")
"""The codes of violations that no statement of a schema is about."""
_CODES = {"->": "row-content", "=>": "region-content", "|>": "column-content", ".>": "list-content"}
COVERAGE = "min-coverage"
"""What a report calls the check that `--min-coverage` asks for."""

Item = TypeVar("Item")


@frozen
class Check:
    """A rule, a constraint, or a code of `STRUCTURAL`."""

    code: str
    """The code of its violations."""
    rule: int | None
    line: int | None
    text: str
    """Its statement; for a structural code, what the code means."""
    documentation: str = ""
    file: str = ""
    """The file of the schema in which it is written."""
    severity: SeverityName = "error"

    @property
    def is_warning(self) -> bool:
        """Do its violations leave the data valid?"""
        return self.severity == "warning"

    @property
    def title(self) -> str:
        """The first sentence of its documentation, or else its text."""
        return title_of(self.documentation) or self.text

    @property
    def name(self) -> str:
        """`rule 3, line 8`; for a structural code, the code."""
        where = None if self.line is None else f"line {self.line}"
        number = None if self.rule is None else f"rule {self.rule}"
        return ", ".join(filter(None, (number, where))) or self.code


def meaning_of(code: str) -> str:
    """What the violations of a check are about."""
    return VIOLATION_CODES.get(code, "an entry does not refer to exactly what it must refer to")


@frozen
class Group:
    """The violations of one check in one file."""

    check: Check
    failed: int
    checked: int | None
    """How many units were checked, if the engine counted them."""
    violations: tuple[Violation, ...]
    """The first of them, in the order of the table."""


@frozen(slots=False)
class Report:
    """A run and its schema: what every format is made of."""

    schema: Schema
    run: Verdicts

    @cached_property
    def _schemas(self) -> Mapping[str | None, Schema]:
        return schemas_of(self.schema)

    @cached_property
    def _checks(self) -> dict[str | None, tuple[Check, ...]]:
        return {name: tuple(_checks(schema)) for name, schema in self._schemas.items()}

    @cached_property
    def checks(self) -> tuple[Check, ...]:
        """All that was checked, in the order of the schemas; structural codes come last."""
        every = dict.fromkeys(check for some in self._checks.values() for check in some)
        return tuple(sorted(every, key=lambda check: check.code in STRUCTURAL))

    def schema_of(self, outcome: Verdict | Unread) -> Schema:
        """The schema of the table that a file is of."""
        return self._schemas[outcome.table]

    def groups(self, verdict: Verdict) -> tuple[Group, ...]:
        """The violations of a file by check; a group for each check of its table, in order."""
        found = {key_of(each): each for each in all_groups(verdict)}
        groups = []
        for check in self._checks[verdict.table]:
            each = found.pop((check.code, check.rule, check.line, check.severity), None)
            known = (each.failed, each.checked, each.violations) if each else (0, None, ())
            groups.append(Group(check, *known))
        assert not any(each.failed for each in found.values()), found
        return tuple(groups)


def _checks(schema: Schema) -> Iterator[Check]:
    seen: set[tuple[object, ...]] = set()
    core = schema.core
    for rule in core.rules:
        name = rule.span.source.name
        code = _CODES[rule.arrow]
        said = (rule.text, rule.documentation, name, rule.ending.severity)
        yield Check(code, rule.number, rule.line, *said)
    found: list[Check] = []
    for each in schema.constraints:
        name = each.span.source.name
        said = (each.text, each.documentation, name, each.ending.severity)
        found.append(Check(_constraint_code(each), None, each.line, *said))
    for require in schema.requires:
        said = (require.text, "", schema.source.name, require.ending.severity)
        found.append(Check("require", None, require.line, *said))
    for check in found:
        key = check.code, check.line, check.severity
        if key not in seen:  # on the same lines of two files: violations say only the line
            seen.add(key)
            yield check
    for code in STRUCTURAL:
        yield Check(code, None, None, VIOLATION_CODES[code])


def _constraint_code(statement: ir.CoreUnique | ir.CoreKey | ir.CoreReference) -> str:
    if isinstance(statement, ir.CoreUnique):
        return statement.kind
    return "key" if isinstance(statement, ir.CoreKey) else "reference"


def lack_of_coverage(run: Verdicts, verdict: Verdict) -> str | None:
    """That fewer cells of a file are checked than the call asks for; `None` if there are enough."""
    if run.is_covered(verdict):
        return None
    coverage = verdict.coverage
    return (
        f"{coverage.checked:,} of {coverage.cells:,} cells with text are checked by a rule;"
        f" at least {run.min_coverage:g}% must be"
    )


def taken_in_turn(groups: Sequence[Sequence[Item]], limit: int) -> list[Item]:
    """At most `limit` items: the first of each group, then the second of each, and so on."""
    taken: list[Item] = []
    for ix in count():
        row = [group[ix] for group in groups if ix < len(group)]
        taken += row[: limit - len(taken)]
        if not row or len(taken) == limit:
            return taken
    raise AssertionError(groups)
