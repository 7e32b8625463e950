"""A schema and files to a schema that accepts them: validate, edit, parse, validate again.

    read -> (validate -> needs -> edits -> parse)* -> Update

In: the path of a schema of Sculpt, paths of files. Out: an `Update`. Invariants: the new schema
accepts all files, as the engine has found; a statement that no file needs to be different stays as
it is, byte for byte, and so do comments; edits only widen, so what the old schema accepts is
accepted still, and a statement that no edit helps is commented out with the reason. Cost: at most
`_ROUNDS` validations of each file.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence

from sculpt.api import validate, validate_all
from sculpt.diagnostics import Source, Span
from sculpt.errors import SchemaError, UsageError
from sculpt.inference.update.dialects import difference
from sculpt.inference.update.edits import Editor
from sculpt.inference.update.model import Cell, Change, Update, shown
from sculpt.inference.update.needs import needs_of
from sculpt.inference.update.places import Draft, Edit, commented_out
from sculpt.inference.update.uses import widenable
from sculpt.inference.update.words import Reader
from sculpt.interchange.load import is_foreign
from sculpt.schema import Schema, path_text
from sculpt.syntax import ast
from sculpt.verdict import CHECK_CODES, Verdict, Violation, all_read

_ROUNDS = 16
_WIDENED = 10
"""After these rounds, statements are dropped."""
_MARK = "\ufeff"
_CONSTRAINTS = frozenset((*CHECK_CODES, "unique", "unique-per-row"))


def update(
    schema: str | os.PathLike[str],
    paths: Iterable[str | os.PathLike[str]],
) -> Update:
    """The schema of a file, changed as far as data files need it.

    A wrong schema raises `SchemaError`, a file that cannot be read `DataError`.
    """
    name = path_text(schema)
    if is_foreign(name):
        raise UsageError(
            f"{name}: only schemas of Sculpt can be updated; `sculpt import` makes one of it"
        )
    known = Schema.load(name)
    with open(name, "rb") as file:
        text = file.read().decode("utf-8")
    names = tuple(dict.fromkeys(path_text(path) for path in paths))
    if not names:
        raise UsageError("no file given")
    mark = _MARK if text.startswith(_MARK) else ""
    found = _Updating(known, names, text.removeprefix(_MARK)).run()
    return Update(
        name, text, mark + found[0], names, tuple(found[1]), tuple(found[2]), tuple(found[3])
    )


class _Updating:
    """The rounds of one update."""

    def __init__(self, schema: Schema, paths: Sequence[str], text: str) -> None:
        self.first = self.schema = schema
        self.paths, self.text = paths, text
        self.draft = Draft.of(text)
        self.changes: list[Change] = []

    def run(self) -> tuple[str, list[Change], list[str], list[str]]:
        """The new text, its changes, problems, and notes."""
        failed: list[Verdict] = []
        for turn in range(_ROUNDS):
            verdicts = self._verdicts()
            failed = [each for each in verdicts if not each.valid]
            if not failed:
                notes = [] if turn == 0 else self._notes(verdicts)
                return self.draft.text, sorted(self.changes, key=lambda e: e.line), [], notes
            problems = [
                f"{each.path}: {problem}"
                for each in failed
                if (problem := difference(self.first, each)) is not None
            ]
            problems = problems or self._outside(failed)
            if problems or not self._round(failed, turn):
                problems = problems or [f"{each.path}: {_reason(each)}" for each in failed]
                return self.text, [], problems, []
        problems = [f"{each.path}: {_reason(each)}" for each in failed]
        return self.text, [], problems, []

    def _verdicts(self) -> list[Verdict]:
        if any(key.across for key in self.schema.core.keys):
            found = validate_all(self.schema, self.paths, engine="local").outcomes
            return list(all_read(found[: len(self.paths)]))
        return [validate(self.schema, path, engine="local") for path in self.paths]

    def _outside(self, failed: Iterable[Verdict]) -> list[str]:
        """Statements of included files, which are not for this update to change."""
        found: dict[str, None] = {}
        for verdict in failed:
            for number in _failed_rules(verdict):
                span = self.schema.core.rules[number - 1].span
                if span.source is not self.schema.source:
                    what = f"{verdict.path}: line {span.line} of {span.source.name} refuses it"
                    found[f"{what}: update that schema"] = None
        return list(found)

    # ------------------------------------------------------------- a round

    def _round(self, failed: Sequence[Verdict], turn: int) -> bool:
        """Edit what fails; is there anything that could be edited?"""
        rules = [each for each in self.schema.statements if isinstance(each, ast.Rule)]
        wrong = sorted({number for verdict in failed for number in _failed_rules(verdict)})
        dropped: dict[int, tuple[Span, Cell, str]] = {}
        edits: list[Edit] = []
        changes: list[Change] = []
        if turn < _WIDENED:
            readers = [Reader(self.schema, verdict.path) for verdict in failed]
            free = widenable(self.schema)
            editor = Editor(self.schema, self.draft, readers, free)
            for number in wrong:
                core = self.schema.core.rules[number - 1]
                own = [
                    r for r, v in zip(readers, failed, strict=True) if number in _failed_rules(v)
                ]
                needs = needs_of(own, rules[number - 1], core, free)
                if needs.is_empty:
                    dropped |= self._drop(rules[number - 1].span, failed, number)
                else:
                    editor.rule(needs)
            editor.definitions()
            edits, changes = editor.edits, editor.changes
            if wrong and not edits and not dropped:
                turn = _WIDENED
        if turn >= _WIDENED:
            for number in wrong:
                dropped |= self._drop(rules[number - 1].span, failed, number)
        dropped |= self._constraints(failed)
        return self._apply(edits, changes, dropped, rules, wrong, failed)

    def _apply(
        self,
        edits: list[Edit],
        changes: list[Change],
        dropped: Mapping[int, tuple[Span, Cell, str]],
        rules: Sequence[ast.Rule],
        wrong: Sequence[int],
        failed: Sequence[Verdict],
    ) -> bool:
        """Make the edits; if the text cannot be parsed then, drop the rules instead."""
        for attempt in range(2):
            both, said = list(edits), list(changes)
            for span, cell, reason in dropped.values():
                edit, change = self._dropping(span, cell, reason)
                both.append(edit)
                said.append(change)
            if not both:
                return False
            draft = self.draft.edited(both)
            try:
                schema = self._parsed(draft.text)
            except SchemaError:
                if attempt:
                    return False
                edits, changes = [], []
                for number in wrong:
                    dropped = {**dropped, **self._drop(rules[number - 1].span, failed, number)}
                continue
            self.draft, self.schema = draft, schema
            self.changes += said
            return True
        return False

    def _parsed(self, text: str) -> Schema:
        return Schema.imported(Source(self.first.source.name, text, self.first.source.folder))

    # ------------------------------------------------------------- what is dropped

    def _drop(
        self, span: Span, failed: Iterable[Verdict], number: int
    ) -> dict[int, tuple[Span, Cell, str]]:
        for verdict in failed:
            for each in verdict.violations:
                if each.rule == number and each.severity == "error":
                    return {span.start: (span, _cell(verdict, each), each.message)}
        return {}

    def _constraints(self, failed: Iterable[Verdict]) -> dict[int, tuple[Span, Cell, str]]:
        """Keys, references, conditions: nothing makes them wider."""
        found: dict[int, tuple[Span, Cell, str]] = {}
        for verdict in failed:
            for each in verdict.violations:
                if each.code not in _CONSTRAINTS or each.severity != "error" or each.line is None:
                    continue
                for span in self._spans(each.line):
                    found.setdefault(span.start, (span, _cell(verdict, each), each.message))
        return found

    def _spans(self, line: int) -> Iterable[Span]:
        """The statement of the text that stands on a line; in a program, the line itself."""
        source = self.schema.source
        for each in self.schema.document.statements:
            if isinstance(each, ast.Unique | ast.Key | ast.Reference) and each.span.line == line:
                yield each.span
            if isinstance(each, ast.Program):
                last = source.position(each.span.end)[0]
                if each.span.line <= line <= last:
                    start = sum(len(x) + 1 for x in source.text.split("\n")[: line - 1])
                    yield Span(source, start, start + len(source.line(line)))

    def _dropping(self, span: Span, cell: Cell, message: str) -> tuple[Edit, Change]:
        said = shown(message, 100)
        where = f"{os.path.basename(cell.path)} {str(cell).removeprefix(cell.path).strip()}".strip()
        reason = f"Dropped by an update: {where}: {said}"
        edit = commented_out(self.draft, span.start, span.end, reason)
        before = self.draft.text[span.start : span.end]
        line = self.draft.lines[self.draft.text.count("\n", 0, span.start)]
        what = f"dropped: {shown(before, 50)}"
        return edit, Change(line, what, before, edit.text, cell)

    # ------------------------------------------------------------- notes

    def _notes(self, verdicts: Iterable[Verdict]) -> list[str]:
        """What selects nothing any more: its anchor may have another text now."""
        found: dict[str, None] = {}
        for verdict in verdicts:
            for each in verdict.warnings:
                if each.code == "vacuous-rule":
                    found[f"{verdict.path}: {each.message}"] = None
        return list(found)


def _failed_rules(verdict: Verdict) -> list[int]:
    return [
        each.rule
        for each in verdict.rules
        if each.failed and each.severity == "error" and each.rule is not None
    ]


def _cell(verdict: Verdict, each: Violation) -> Cell:
    return Cell(verdict.path, each.row, each.column, each.found)


def _reason(verdict: Verdict) -> str:
    first = next((e for e in verdict.violations if e.severity == "error"), None)
    return "not accepted" if first is None else first.message
