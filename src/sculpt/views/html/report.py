"""The report: one page about some files and their schema, of at most 5 MB.

In: views, and inputs that could not be read. Out: an HTML document that needs nothing else. The
list of files comes first if there are several; then each file: verdict, facts, a row for each rule,
the table; then the schema.

Invariant: the document has at most `limit` bytes whatever the input. Pieces are made in order of
their importance, and within a kind one for each rule and file before the second for any; what did
not fit is counted, with the command that gives all. Cost: at most `MAX_READS` windows a file, and
one more pass over its bytes for the hash.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

from sculpt.report.formats.delimited import COLUMNS
from sculpt.report.styled import counted
from sculpt.report.tables import table_mark
from sculpt.values import mutable, replace
from sculpt.verdict import Unread, Verdict, Verdicts
from sculpt.views.html.budget import Budget, shares
from sculpt.views.html.embedded import (
    compact,
    constants,
    data_block,
    source_json,
    violations_json,
)
from sculpt.views.html.markup import EMPTY, Html, code, isolated, joined, size, tag, text
from sculpt.views.html.page import page_html
from sculpt.views.html.parts.files import files_html, files_row
from sculpt.views.html.parts.groups import Group, groups_of
from sculpt.views.html.parts.head import facts_html, file_facts, unread_html, verdict_html
from sculpt.views.html.parts.overview import overview_html, overview_windows, unchecked_html
from sculpt.views.html.parts.rules import Kept, open_places, place_html, rule_html, rules_html
from sculpt.views.html.parts.schema_text import Remark, schema_html
from sculpt.views.html.parts.table import TableOptions, table_html
from sculpt.views.html.subject import MAX_READS, Subject, part_of
from sculpt.views.model import Region, Window
from sculpt.views.view import View

LIMIT = 5_000_000
MAX_PLACES = 10
"""The most places of a rule that are drawn."""
MAX_WHYS = 40
WHY_CELLS = 4_000_000
"""The most places of which it is said in full why, and the most cells that are read for that: to
say it reads the whole table again. For the other places the page names the command."""
_ALL_READS = 400
_SLACK = 1_600
"""Bytes of a rule's row that are known only when its places are."""


@mutable
class _Rule:
    """A rule of a file, and what the page has of it."""

    name: str
    group: Group
    places: list[Html]
    csv: list[list[Any]]


class _File:
    """A file of the report while it is made."""

    def __init__(self, name: str, subject: Subject) -> None:
        self.name = name
        self.subject = subject
        self.rules = [_Rule(f"{name}-{each.key}", each, [], []) for each in groups_of(subject)]
        self.kept: list[_Rule] = []
        self.head = self.facts = self.overview = self.unchecked = EMPTY
        self.windows: list[Window] = []
        self.source: Html = EMPTY
        schema, data = subject.schema.source.name, subject.path
        self.command = shlex.join(["sculpt", "validate", schema, data])
        self.show = shlex.join(["sculpt", "show", schema, data, "--unchecked"])

    @property
    def all_violations(self) -> str:
        """The command that gives all violations."""
        return f"{self.command} --violations-to violations.csv"


def report_html(
    entries: Sequence[View | Verdict | Unread],
    *,
    strict: bool = False,
    min_coverage: float | None = None,
    no_data: bool = False,
    made: datetime | None = None,
    limit: int = LIMIT,
) -> str:
    """The report on some files; without data it has places and counts, and no text of cells.

    A file of which only the verdict is given is in the list of files, and has no part of its own.
    """
    time = (made or datetime.now(UTC)).astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    outcomes = tuple(each.verdict if isinstance(each, View) else each for each in entries)
    run = Verdicts("", outcomes, strict, min_coverage)
    return _Report(entries, run, no_data, time, limit).html()


def show_html(view: View, windows: Sequence[Window], *, only: Sequence[str] = ()) -> str:
    """Some windows of a table as a page, with a legend; `only` names the regions to show.

    Rows that would make the page larger than `LIMIT` are left out, and it says so.
    """
    subject = Subject(view)
    name = f"Table {view.path}"
    if only:
        windows = [_only(window, frozenset(only)) for window in windows]
    asked = sum(window.rows for window in windows)
    windows = _fitting(subject, windows, Budget(LIMIT - 500_000))
    left = asked - sum(window.rows for window in windows)
    note = EMPTY
    if left:
        words = f"{counted(left, 'row')} did not fit into this page: ask for fewer rows or columns."
        note = tag("p", text(words), class_="note")
    table = overview_html(subject, windows, "table", with_map=False)
    body = joined(tag("h1", isolated(view.path, 300), class_="shown"), note, table)
    block = data_block("table-data", source_json(subject, windows))
    footer = tag("p", text(f"Made by Sculpt {_version()}."))
    return page_html(name, body, block, footer)


def _fitting(subject: Subject, windows: Sequence[Window], budget: Budget) -> list[Window]:
    """The windows that fit, and the first rows of the one that does not."""
    kept: list[Window] = []
    for window in windows:
        rows = window.rows
        while rows:
            part = part_of(window, window.row, rows, window.column, window.columns)
            table = table_html([part], TableOptions("table", subject.region_numbers))
            if budget.take(table + compact(source_json(subject, [part])["windows"])):
                kept.append(part)
                break
            rows //= 2
        if rows < window.rows:
            break
    return kept


def _only(window: Window, names: frozenset[str]) -> Window:
    regions = tuple(
        tuple(tuple(name for name in cell if name in names) for cell in row)
        for row in window.regions
    )
    return replace(window, regions=regions)


class _Report:
    def __init__(
        self,
        entries: Sequence[View | Verdict | Unread],
        run: Verdicts,
        no_data: bool,
        time: str,
        limit: int,
    ) -> None:
        self.run, self.no_data, self.time = run, no_data, time
        reads = max(2, min(MAX_READS, _ALL_READS // max(1, len(entries))))
        self.entries: list[_File | Verdict | Unread] = [
            _File(f"f{number}", Subject(each, no_data, reads)) if isinstance(each, View) else each
            for number, each in enumerate(sorted(entries, key=_importance), 1)
        ]
        self.files = [each for each in self.entries if isinstance(each, _File)]
        self.title = self._title()
        empty = page_html(self.title, EMPTY, EMPTY, self._footer())
        self.budget = Budget(limit - size(empty) - 20_000)

    def html(self) -> str:
        """The document."""
        listed = self._files_list()
        sections = self._heads()
        schema = self._schema()
        self._rule_rows()
        self._places()
        self._overviews()
        self._csv()
        body = joined(
            listed, *(self._section(each) for each in sections), schema, self._left_out(sections)
        )
        return page_html(self.title, body, self._data(), self._footer())

    # ------------------------------------------------------------- pieces, most important first

    def _files_list(self) -> Html:
        if len(self.entries) < 2:
            return EMPTY
        rows = []
        for each in self.entries:
            row = self._list_row(each)
            if not self.budget.take(row, 0.75):
                break
            rows.append(row)
        return files_html(rows, [_verdict_of(each) for each in self.entries], self.run)

    def _list_row(self, entry: _File | Verdict | Unread) -> Html:
        if isinstance(entry, _File):
            return files_row(entry.subject.verdict, entry.name, self.run)
        return files_row(entry, None, self.run)

    def _heads(self) -> list[_File | Unread]:
        shown: list[_File | Unread] = []
        level = 1 if len(self.entries) == 1 else 2
        for each in self.entries:
            if isinstance(each, Verdict):
                continue
            if isinstance(each, Unread):
                if not self.budget.take(unread_html(each, level), 0.5, 100):
                    break
            else:
                facts = file_facts(each.subject.path)
                each.head = verdict_html(each.subject.verdict, self.run, level)
                each.facts = facts_html(each.subject, facts, self.time, _version())
                if not self.budget.take(each.head + each.facts, 0.5, 1_000):
                    break
            shown.append(each)
        self.files = [each for each in shown if isinstance(each, _File)]
        return shown

    def _schema(self) -> Html:
        """The schema of each table, that of the first file first."""
        tables: dict[str | None, list[_File]] = {}
        for file in self.files:
            tables.setdefault(file.subject.verdict.table, []).append(file)
        made: list[Html] = []
        for table, files in tables.items():
            subject = files[0].subject
            if not subject.schema.source.text.strip():
                continue
            # The script of the page looks for the regions of a schema in the first table.
            has_focus = files[0] is self.files[0]
            remark = partial(_remark, files)
            own = schema_html(subject.schema, subject.regions, remark, has_focus=has_focus)
            title = "The schema" if table is None else f"The schema of {table}"
            name = "schema" if not made else f"schema-{len(made) + 1}"
            section = tag("section", tag("h2", text(title)), own, class_="schema-part", id=name)
            if self.budget.take(section, 0.4):
                made.append(section)
        return joined(*made)

    def _rule_rows(self) -> None:
        for at in range(max((len(file.rules) for file in self.files), default=0)):
            for file in self.files:
                if at >= len(file.rules):
                    continue
                rule = file.rules[at]
                slack = _SLACK if rule.group.tally.failed else 0
                row = rule_html(file.subject, rule.group, rule.name, self._kept(file, rule))
                if self.budget.take(row, 0.3, slack):
                    file.kept.append(rule)

    def _kept(self, file: _File, rule: _Rule) -> Kept:
        return Kept(tuple(rule.places), len(rule.csv), file.all_violations)

    def _places(self) -> None:
        whys, cells_left = MAX_WHYS, WHY_CELLS
        for number in range(1, MAX_PLACES + 1):
            for file in self.files:
                for rule in file.kept:
                    found = rule.group.violations
                    if number > len(found) or len(rule.places) < number - 1:
                        continue
                    cells = file.subject.verdict.rows * file.subject.verdict.columns
                    with_why = whys > 0 and cells <= cells_left
                    place = place_html(
                        file.subject,
                        rule.group,
                        found[number - 1],
                        number,
                        rule.name,
                        number in open_places(found[:MAX_PLACES]),
                        with_why,
                    )
                    if self.budget.take(place, 0.2):
                        rule.places.append(place)
                    if with_why:
                        whys, cells_left = whys - 1, cells_left - cells

    def _overviews(self) -> None:
        for file in self.files:
            groups = [rule.group for rule in file.rules]
            file.windows = overview_windows(file.subject, groups)
            name = f"{file.name}-table"
            file.overview = overview_html(file.subject, file.windows, name)
            block = data_block(f"{name}-data", source_json(file.subject, file.windows))
            if self.budget.take(file.overview + block, 0.05, 200):
                file.source = block
            else:
                file.overview, file.windows = EMPTY, []
            file.unchecked = unchecked_html(file.subject, file.windows, name, file.show)
            if not self.budget.take(file.unchecked, 0.05, 200):
                file.unchecked = EMPTY

    def _csv(self) -> None:
        rules = [rule for file in self.files for rule in file.kept if rule.group.violations]
        room = self.budget.left - 200 * len(rules)
        needs = [size(compact(violations_json(rule.group, room))) for rule in rules]
        for rule, share in zip(rules, shares(room, needs), strict=True):
            rule.csv = violations_json(rule.group, share)

    # ------------------------------------------------------------- putting it together

    def _section(self, entry: _File | Unread) -> Html:
        level = 1 if len(self.entries) == 1 else 2
        if isinstance(entry, Unread):
            return tag("section", unread_html(entry, level), class_="file")
        rows = [
            rule_html(entry.subject, rule.group, rule.name, self._kept(entry, rule))
            for rule in entry.kept
        ]
        rules = EMPTY
        if entry.rules:
            rules = tag(
                "section",
                tag("h2", text("The rules")),
                rules_html(rows, len(entry.rules) - len(entry.kept)),
                class_="rules-part",
            )
        table = EMPTY
        if entry.overview or entry.unchecked:
            table = tag(
                "section",
                tag("h2", text("The table")),
                entry.unchecked,
                entry.overview,
                class_="table-part",
            )
        return tag("section", entry.head, entry.facts, rules, table, class_="file", id=entry.name)

    def _data(self) -> Html:
        violations = {
            rule.name: {
                "file": file.subject.path,
                "same": constants(rule.group),
                "rows": rule.csv,
            }
            for file in self.files
            for rule in file.kept
            if rule.csv
        }
        block = data_block("violations", {"columns": COLUMNS, "rules": violations})
        return joined(*(file.source for file in self.files), block)

    def _left_out(self, sections: list[_File | Unread]) -> Html:
        files = len(self.entries) - len(sections)
        if not files:
            return EMPTY
        words = f"{counted(files, 'more file')} of the list did not fit here. For all of them, run "
        first = self.files[0].command if self.files else "sculpt validate"
        return tag("p", text(words), code(f"{first} … -f json"), class_="note")

    def _title(self) -> str:
        if len(self.entries) == 1:
            only = self.entries[0]
            outcome = _verdict_of(only)
            return f"Report on {outcome.path}{table_mark(outcome)}"
        return f"Report on {counted(len(self.entries), 'file')}"

    def _footer(self) -> Html:
        hidden = " It has no text of cells." if self.no_data else ""
        words = (
            f"Made by Sculpt {_version()} at {self.time}. "
            f"This page is one file and asks for nothing from anywhere.{hidden}"
        )
        return tag("p", text(words))


def _remark(files: Sequence[_File], region: Region) -> Remark | None:
    """What is said beside a statement of a schema: over all files of its table."""
    found = [
        (file, rule)
        for file in files
        for rule in file.rules
        if rule.group.region is not None and rule.group.region.name == region.name
    ]
    if not found:
        return None
    failing = [(file, rule) for file, rule in found if rule.group.tally.failed]
    if len(found) == 1:
        rule = found[0][1]
        return Remark(rule.group.result, _kind(rule.group), f"#{rule.name}")
    if not failing:
        return Remark("holds in all files")
    total = sum(rule.group.tally.failed for _, rule in failing)
    kind = _kind(failing[0][1].group)
    noun = "warning" if kind == "warns" else "violation"
    words = f"{counted(total, noun)} in {counted(len(failing), 'file')}"
    return Remark(words, kind, f"#{failing[0][1].name}")


def _kind(group: Group) -> str:
    return {"fails": "bad", "warns": "warns"}.get(group.state, "")


def _importance(entry: View | Verdict | Unread) -> tuple[int, int, int]:
    """Files that could not be read first, then those with most violations."""
    if isinstance(entry, Unread):
        return (0, 0, 0)
    verdict = entry.verdict if isinstance(entry, View) else entry
    return (1, -verdict.violation_count, -verdict.warning_violation_count)


def _verdict_of(entry: _File | Verdict | Unread) -> Verdict | Unread:
    return entry.subject.verdict if isinstance(entry, _File) else entry


def _version() -> str:
    import sculpt

    return sculpt.__version__
