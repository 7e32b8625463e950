"""From files to a schema: read, look, learn, write, verify.

    read_sheet -> families -> drafts -> verified -> (tidied) -> Proposal

In: paths of files of one kind. Out: a `Proposal`. Invariant: the schema accepts the files it is
made from, `sculpt check` has no warning about it, and the order of the paths does not matter. What
stands in the way, such as a file that cannot be read, starts it again without that (`settling`).
Cost: a few passes over the files.
"""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeAlias, overload

from sculpt.errors import SculptError, UsageError
from sculpt.inference.chances import ENOUGH, with_other_remarks, without_chances
from sculpt.inference.columns.conventions import decimal_mark, is_open
from sculpt.inference.columns.forms import Form, listed
from sculpt.inference.columns.learn import STRICTNESS, Strictness, is_mark, marks_of
from sculpt.inference.emit.fields import column_drafts, spare_drafts
from sculpt.inference.emit.headers import header_drafts, width_draft, with_width
from sculpt.inference.emit.order import order_of
from sculpt.inference.emit.records import alike_drafts, record_drafts
from sculpt.inference.emit.series import as_one_table, series_drafts, series_of
from sculpt.inference.emit.text import comment_lines, rows_named
from sculpt.inference.emit.words import Draft
from sculpt.inference.files.piped import piped
from sculpt.inference.files.sheet import Sheet
from sculpt.inference.frame.model import Frame
from sculpt.inference.gathering import Gathered, files_named, gather
from sculpt.inference.numbering import frame_of
from sculpt.inference.proof.judges import Judge, judge_here, judge_on_spark
from sculpt.inference.proof.stress import Stress, stress
from sculpt.inference.proof.verify import Verified, verified
from sculpt.inference.settling import Shelf, settled
from sculpt.inference.tidy.settle import tidied
from sculpt.report.styled import counted
from sculpt.schema import Schema, path_text
from sculpt.values import field, frozen, replace

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from sculpt.inference.proof.counting import Counts
    from sculpt.inference.update.model import Update

_MOST_WEAK = 6
_MOST_TABLES = 8
"""More tables than this that have little in common are one table without headings."""
_MOST_LISTED = 4
"""Tables that the head lists."""
NO_TABLE = "no table found"
NO_PROGRAM = "no program found that makes records of the table"
Paths: TypeAlias = "str | os.PathLike[str] | Iterable[str | os.PathLike[str]]"


@frozen
class Statement:
    """A rule of a proposed schema, and what it is made from."""

    rule: int
    line: int
    text: str
    selector: str
    widened: int
    """How many steps it was widened until it accepted the files."""


@frozen
class Proposal:
    """A schema for some files."""

    schema: str = field(repr=False)
    """Its text; empty if no file has a table."""
    frame: Frame = field(repr=False)
    """That of the first file."""
    statements: tuple[Statement, ...] = field(default=(), repr=False)
    paths: tuple[str, ...] = ()
    """The files that it is made from."""
    others: tuple[tuple[str, ...], ...] = ()
    """Files that are of another kind, in groups."""
    refused: tuple[tuple[str, str], ...] = ()
    """Files that are left out, and why: they cannot be read, or no likely dialect reads them."""
    stress: Stress = field(default=Stress(()), repr=False)
    """What became of damaged copies of the first file."""
    has_program: bool = False
    """Does the schema make records? Only if `tidy` asked for that, and a program ran."""
    reread: tuple[tuple[str, str], ...] = ()
    """Files that are not what a sample of them looks like: how they are read, and why."""

    @property
    def found(self) -> bool:
        """Is there a table?"""
        return bool(self.schema)


@overload
def propose(
    paths: Paths,
    *,
    sisters: Iterable[str | os.PathLike[str]] = ...,
    strictness: str = ...,
    tidy: bool = ...,
    update: None = ...,
    engine: str = ...,
    spark: SparkSession | None = ...,
) -> Proposal: ...
@overload
def propose(
    paths: Paths,
    *,
    sisters: Iterable[str | os.PathLike[str]] = ...,
    strictness: str = ...,
    update: str | os.PathLike[str],
) -> Update: ...


def propose(
    paths: Paths,
    *,
    sisters: Iterable[str | os.PathLike[str]] = (),
    strictness: str = "normal",
    tidy: bool = False,
    update: str | os.PathLike[str] | None = None,
    engine: str = "auto",
    spark: SparkSession | None = None,
) -> Proposal | Update:
    """A schema that accepts the files, and that others of their kind pass.

    Paths may be directories and globs. Of large files and of very many files only some rows are
    read to learn from; then all rows are counted, by the engine `local` or, on request, by Spark.
    With `tidy`, the schema has a program that makes records of the table.
    `strictness` is `loose`, `normal` or `tight`. A file that cannot be read raises `DataError`; of
    the files of a directory or a glob it is left out, and `refused` says so.
    `update` is the path of a schema: then it is changed as far as the files need it, and nothing
    else of it.
    """
    if update is not None:
        from sculpt.inference.update.updating import update as updated

        if strictness != "normal" or tidy:
            raise UsageError("an update changes only what it has to: no `strictness`, no `tidy`")
        given = [paths] if isinstance(paths, str | os.PathLike) else [*paths]
        return updated(update, (*given, *sisters))
    if strictness not in STRICTNESS:
        raise UsageError(f"strictness is {', '.join(STRICTNESS)}, not `{strictness}`")
    listed_paths = [paths] if isinstance(paths, str | os.PathLike) else [*paths]
    wanted = tuple(path_text(path) for path in listed_paths)
    names = (*wanted, *(path_text(path) for path in sisters))
    how = STRICTNESS[strictness]
    with tempfile.TemporaryDirectory(prefix="sculpt-") as scratch:
        local = piped(names, scratch)
        if engine != "spark":
            return proposed(judge_here(), local, wanted, how, tidy, scratch)
        from sculpt.spark.cluster.session import joined_session

        with joined_session(spark) as session:
            return proposed(judge_on_spark(session), local, wanted, how, tidy, scratch)


def proposed(
    judge: Judge,
    names: Mapping[str, str],
    wanted: Sequence[str],
    how: Strictness,
    tidy: bool,
    scratch: str,
) -> Proposal:
    """The proposal for the files that some arguments name; those of `wanted` matter most.

    `names` has the path to read for each argument (`piped`), `scratch` is a folder for copies.
    """
    paths = files_named(names.values())
    first = frozenset(files_named(names[name] for name in wanted))
    shelf = Shelf(scratch)

    def attempt(some: Sequence[str]) -> tuple[Proposal, Gathered]:
        learn_from = partial(drafts_of, how=how)
        gathered = gather(judge, some, first, shelf.sheet, shelf.readings, learn_from)
        return _proposed(judge, gathered, how, tidy), gathered

    done = settled(paths, frozenset(names.values()), judge, shelf, attempt, _refused)
    found = Proposal("", Frame((), (), 0, 0.0)) if done.found is None else done.found[0]
    found = replace(found, refused=done.left_out, reread=done.reread)
    return _renamed(found, {path: name for name, path in names.items() if path != name})


def _refused(
    attempted: tuple[Proposal, Gathered],
) -> tuple[tuple[tuple[str, str], ...], Sequence[Sheet]]:
    """The files of the kind that an attempt refuses, and the sheets that it is made from."""
    return attempted[0].refused, attempted[1].main


def _renamed(found: Proposal, names: Mapping[str, str]) -> Proposal:
    """The files by the names that the call has for them."""
    if not names:
        return found
    return replace(
        found,
        paths=tuple(names.get(path, path) for path in found.paths),
        others=tuple(tuple(names.get(path, path) for path in group) for group in found.others),
        refused=tuple((names.get(path, path), problem) for path, problem in found.refused),
        reread=tuple((names.get(path, path), how) for path, how in found.reread),
    )


def _proposed(judge: Judge, gathered: Gathered, how: Strictness, tidy: bool) -> Proposal:
    main, counts, drafts = gathered.main, gathered.counts, gathered.drafts
    if not main:
        return Proposal("", gathered.frame, paths=gathered.paths)
    directives = gathered.directives
    head = head_of(main, counts)
    done = verified(judge, gathered.paths, lambda: head, directives, drafts, how, counts)
    longest = max(main, key=lambda sheet: sum(len(table.data) for table in sheet.tables))
    is_tested = bool(done.text.rules) and not done.refused
    tested = stress(longest, done.text.schema) if is_tested else Stress(())
    rules = done.text
    if tidy and not done.refused:
        done = tidied(main, done, (head, directives), _as_written(main, how), _marks(main))
    text = _with_stress(done.text.text, head, tested)
    paths, others = _told_apart(judge, done.text.schema, gathered)
    return Proposal(
        text,
        frame_of(main[0], counts),
        _statements(done, text.count("\n") - done.text.text.count("\n")),
        paths,
        others,
        done.refused,
        tested,
        done.text is not rules,
    )


def _told_apart(
    judge: Judge, schema: Schema, gathered: Gathered
) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """The files of the kind, and the others: what the schema accepts is of the kind, after all."""
    paths = [path for group in gathered.others for path in group]
    fits = {path for path in paths if path not in gathered.foreign and _fits(judge, schema, path)}
    others = (tuple(path for path in group if path not in fits) for group in gathered.others)
    return (*gathered.paths, *sorted(fits)), tuple(group for group in others if group)


def _fits(judge: Judge, schema: Schema, path: str) -> bool:
    """Does a schema accept a file, and are most of its rules about something in it?"""
    try:
        (verdict,) = judge(schema, [path], 1)
    except SculptError:
        return False
    rules = verdict.rules
    return verdict.valid and 2 * sum(rule.checked > 0 for rule in rules) > len(rules)


def _with_stress(text: str, head: Sequence[str], tested: Stress) -> str:
    """The text with a line at its head about damaged copies."""
    if not tested.results:
        return text
    copies, verb = counted(len(tested.results), "damaged copy", "damaged copies"), "are"
    if tested.refused == 1:
        verb = "is"
    line = f"Of {copies} of it, {tested.refused} {verb} refused."
    accepted = f" Accepted: {', '.join(tested.missed)}." if tested.missed else ""
    lines = [line + accepted]
    if tested.weak:
        names = ", ".join(tested.weak[:_MOST_WEAK])
        more = len(tested.weak) - _MOST_WEAK
        words = "column" if len(tested.weak) == 1 else "columns"
        names += f" and {more} more" if more > 0 else ""
        among = f" among the first {tested.tried}" if tested.tried is not None else ""
        lines.append(f"Weak {words}{among}, as other kinds of values are accepted there: {names}.")
    before, after = comment_lines(head), comment_lines([*head, *lines])
    start = "\n".join(before)
    assert text.startswith(start), text[:100]
    return "\n".join(after) + text[len(start) :]


def head_of(sheets: Sequence[Sheet], counts: Counts | None) -> list[str]:
    """The comment at the head: what the schema is made from."""
    first = sheets[0]
    name = os.path.basename(first.path)
    read = sum(len(sheet.rows) for sheet in sheets)
    files, rows, width = len(sheets), read, first.frame.width
    if counts is not None:
        whole = [each for each in counts.files if not each.problem] or [*counts.files]
        files, rows = len(whole), sum(each.rows for each in whole)
        width = max(each.columns for each in whole)
    some = f" It was learnt from {read:,} of them, and all were counted." if read < rows else ""
    if files > 1:
        return [f"Proposed from {files:,} files like {name}: {counted(rows, 'row')}.{some}"]
    size = f"{counted(rows, 'row')} × {counted(width, 'column')}"
    found = [f"Proposed from {name}: {size}.{some}"]
    series = series_of(first) if counts is None else None
    tables = frame_of(first, counts).tables
    if series is not None:
        found[0] += f" {len(series.starts):,} tables of one kind; the first of them:"
        tables = tables[:1]
    for table in tables[:_MOST_LISTED]:
        if not table.headers:
            found[0] += f" A table without headings: {rows_named(table.first, table.last)}."
        elif table.headers != (1,) or len(first.tables) > 1:
            headings = rows_named(min(table.headers), max(table.headers))
            found[0] += f" Headings: {headings}; data: {rows_named(table.first, table.last)}."
    if len(tables) > _MOST_LISTED:
        found[0] += f" And {counted(len(tables) - _MOST_LISTED, 'more table')}."
    if (doubt := doubts(first.frame)) is not None:
        found.append(doubt)
    return found


_DOUBTFUL = 0.3
"""Below this confidence, two files of three have a row that was taken for something else."""
_KINDS_OF_ROWS = {
    "metadata": "title",
    "header": "headings",
    "group": "a group",
    "data": "data",
    "derived": "totals",
    "notes": "notes",
    "empty": "blank",
}


def doubts(frame: Frame) -> str | None:
    """The rows whose part in the file is not certain, the least certain three of them."""
    if frame.confidence >= _DOUBTFUL:
        return None
    lines = [line for line in frame.lines if line.label != "empty" and line.alternative]
    lines = sorted(lines, key=lambda line: line.confidence)[:3]
    parts: dict[str, list[int]] = {}
    for line in sorted(lines, key=lambda line: line.row):
        if line.confidence < _DOUBTFUL and line.alternative is not None:
            taken = f"{_KINDS_OF_ROWS[line.label]}, or {_KINDS_OF_ROWS[line.alternative]}"
            parts.setdefault(taken, []).append(line.row)
    if not parts:
        return None
    rows = "; ".join(
        f"row{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))} ({taken}?)"
        for taken, numbers in parts.items()
    )
    return f"Not certain, please look: {rows}."


def drafts_of(sheets: Sequence[Sheet], how: Strictness) -> list[Draft]:
    """The rules for sheets of one kind, in the order of the file."""
    tables = min(len(sheet.tables) for sheet in sheets)
    how, marks = _as_written(sheets, how), _marks(sheets)
    series = series_of(sheets[0]) if len(sheets) == 1 else None
    if series is not None:
        drafts = [*series_drafts(series, how, marks)]
    elif len(sheets) == 1 and tables > _MOST_TABLES:
        drafts = [*column_drafts(sheets, [as_one_table(sheets[0])], how, marks, None)]
    else:
        drafts = _drafts_by_table(sheets, how, marks, tables)
    if (width := width_draft(sheets)) is not None:
        drafts = with_width(drafts, width)
    return list(dict.fromkeys(drafts))


def _drafts_by_table(
    sheets: Sequence[Sheet], how: Strictness, marks: Form | None, tables: int
) -> list[Draft]:
    """The rules for each table, those of the same place in all sheets together."""
    drafts: list[Draft] = []
    order = order_of(sheets, how, marks, tables)
    if is_few := 1 < len(sheets) < ENOUGH:
        order = without_chances(order)
    column = None
    if order is not None:
        column = order.column
        drafts += [order.draft] if order.draft is not None else []
    for place in range(tables):
        chosen = [sheet.tables[place] for sheet in sheets]
        drafts += header_drafts(sheets, chosen)
        if not any(table.data for table in chosen):
            continue  # only headings: nothing is known of what stands below them
        drafts += column_drafts(sheets, chosen, how, marks, column)
        if column is not None and any(sheet.cut for sheet in sheets):
            drafts += spare_drafts(sheets, chosen, how, marks, column)
    if len(sheets) > 1 and tables and order is not None:
        alike = [*alike_drafts(sheets, order, how, marks)]
        alike += record_drafts(sheets, order.column, how, marks)
        drafts += with_other_remarks(alike) if is_few else alike
    return drafts


def _as_written(sheets: Sequence[Sheet], how: Strictness) -> Strictness:
    """With the decimal mark of the files, if that matters: a number can be read in two ways."""
    if not any(is_open(text) for sheet in sheets for text in sheet.counts):
        return how
    columns = (
        {sheet.text(row, column.number) for row in table.data} - {""}
        for sheet in sheets
        for table in sheet.tables
        for column in table.columns
    )
    return replace(how, decimal=decimal_mark(columns))


def _marks(sheets: Sequence[Sheet]) -> Form | None:
    """All marks for missing values, as one token."""
    found = {text for sheet in sheets for text in _marks_in(sheet)}
    return listed(found) if found else None


def _marks_in(sheet: Sheet) -> Iterator[str]:
    if not any(map(is_mark, sheet.counts)):
        return
    for table in sheet.tables:
        for last in {table.last, len(sheet.rows)}:  # a rule is about the cells of either
            for column in table.columns:
                rows = range(table.first, last + 1)
                yield from marks_of(Counter(sheet.text(row, column.number) for row in rows))


def _statements(done: Verified, shift: int) -> tuple[Statement, ...]:
    """The rules; `shift` lines were added above them."""
    levels = dict(done.levels)
    return tuple(
        Statement(
            number,
            rule.span.line + shift,
            rule.text,
            rule.text.partition(f" {done.drafts[place].arrow} ")[0],
            levels.get(place, 0),
        )
        for number, (rule, place) in enumerate(
            zip(done.text.schema.core.rules, done.text.rules, strict=False), 1
        )
    )
