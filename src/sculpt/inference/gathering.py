"""The files of one kind: which are read, which only counted, which left out.

In: the files of a call. Out: `Gathered`: sheets of some files, all files of their kind, and what
was counted in those of which not all rows were read. Of many files some are read; the others are
judged by the drafts that these give. Of the ones that refuse the drafts, some are read as well.
A file that refuses most drafts, whatever the step, is of another kind.

Invariant: each file is of the kind, or named as one of another; the order of the files does not
matter. Cost: at most `_MOST_SHEETS + _MORE_SHEETS` files are read, and those whose reading is
known; the others are validated once or twice.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from sculpt.errors import DataError, UsageError
from sculpt.inference.emit.words import Draft
from sculpt.inference.files.encodings import encoding_of, reads_alike
from sculpt.inference.files.one_row import with_headings
from sculpt.inference.files.sheet import Sheet
from sculpt.inference.frame.model import Frame
from sculpt.inference.proof.counting import Counts, FileCounts, count, steps_of
from sculpt.inference.proof.judges import Judge
from sculpt.inference.sisters import families
from sculpt.tabular.inputs import expand
from sculpt.values import field, frozen

_MOST_SHEETS = 48
_MORE_SHEETS = 8


@frozen
class Gathered:
    """Files of one kind."""

    main: tuple[Sheet, ...]
    """Those that were read and have a table; none if no file has one."""
    paths: tuple[str, ...]
    """All files of the kind."""
    frame: Frame = field(repr=False)
    """That of the first file."""
    drafts: tuple[Draft, ...] = field(default=(), repr=False)
    counts: Counts | None = field(default=None, repr=False)
    """`None` if all rows of all files were read."""
    others: tuple[tuple[str, ...], ...] = ()
    """Files of other kinds, in groups."""
    foreign: frozenset[str] = frozenset()
    """Those of them that have other texts in the encoding of the kind."""

    @property
    def directives(self) -> list[str]:
        """How the files are written."""
        return directives_of(self.main)


def directives_of(sheets: Sequence[Sheet]) -> list[str]:
    """How files of one kind are written, as lines of a schema."""
    return [f"{name} = {value}" for name, value in sheets[0].directives]


def files_named(names: Iterable[str]) -> list[str]:
    """The files that paths, directories and globs name; a `DataError` if one names none."""
    found: dict[str, None] = {}
    for entry in expand(names):
        if isinstance(entry, DataError):
            raise entry
        found[entry] = None
    if not found:
        raise UsageError("no file given")
    return sorted(found)


def gather(
    judge: Judge,
    paths: Sequence[str],
    wanted: Collection[str],
    read: Callable[[str], Sheet],
    known: Collection[str],
    drafts_of: Callable[[Sequence[Sheet]], list[Draft]],
) -> Gathered:
    """Read files, or some of them, and find those of the kind of most that are `wanted`.

    Those of `known` are read, however many files there are.
    """
    special = {*known} & {*paths}
    sheets = [read(path) for path in sorted({*spread(paths, _MOST_SHEETS)} | special)]
    if not any(sheet.tables for sheet in sheets):
        sheets = [*map(with_headings, sheets)]
    if not any(sheet.tables for sheet in sheets):
        return Gathered((), tuple(paths), sheets[0].frame)
    unread = sorted({*paths} - {sheet.path for sheet in sheets})
    while True:
        kind, others = _kinds(sheets, wanted)
        main = tuple(sheet for sheet in kind if sheet.tables) or kind
        drafts = drafts_of(main)
        own = [sheet.path for sheet in kind]
        foreign = frozenset(
            sheet.path for sheet in sheets if not reads_alike(sheet, encoding_of(main[0]))
        )
        if not unread and not any(sheet.cut for sheet in main):
            return Gathered(main, tuple(own), main[0].frame, tuple(drafts), None, others, foreign)
        counts = count(judge, [*own, *unread], directives_of(main), drafts)
        refusing = [each.path for each in counts.files if _refuses(each, drafts)]
        more = spread(sorted({*refusing} & {*unread}), _MORE_SHEETS)
        if not more or len(sheets) > _MOST_SHEETS + len(special):
            break
        sheets += map(read, more)
        unread = sorted({*unread} - {*more})
    strange = [
        each.path for each in counts.files if each.path in unread and _is_strange(each, drafts)
    ]
    counts = counts.without(strange)
    others = (*others, tuple(strange)) if strange else others
    kept = tuple(each.path for each in counts.files)
    return Gathered(main, kept, main[0].frame, tuple(drafts), counts, others, foreign)


def spread(items: Sequence[str], most: int) -> list[str]:
    """Some of the items, evenly; the first and the last are among them."""
    if len(items) <= most:
        return [*items]
    return [items[round(ix * (len(items) - 1) / (most - 1))] for ix in range(most)]


def _kinds(
    sheets: Sequence[Sheet], wanted: Collection[str]
) -> tuple[tuple[Sheet, ...], tuple[tuple[str, ...], ...]]:
    """The kind of most files that are wanted, among those with a table; and the others."""
    groups = families([sheet for sheet in sheets if any(any(row) for row in sheet.rows)])

    def rank(group: Sequence[Sheet]) -> tuple[bool, int, int]:
        rows = sum(len(table.data) for each in group for table in each.tables)
        has_table = any(each.tables for each in group)
        return has_table, sum(each.path in wanted for each in group), rows

    main = max(groups, key=rank)
    others = [tuple(each.path for each in group) for group in groups if group is not main]
    if blank := tuple(each.path for each in sheets if not any(any(row) for row in each.rows)):
        others.append(blank)
    return tuple(main), tuple(others)


def _refuses(counts: FileCounts, drafts: Sequence[Draft]) -> bool:
    """Does a file break its dialect, or refuse a draft that is not about the cells of columns?"""
    return bool(counts.problem) or any(
        counts.failed.get((place, 0)) for place, draft in enumerate(drafts) if not draft.cells
    )


def _is_strange(counts: FileCounts, drafts: Sequence[Draft]) -> bool:
    """Does a file refuse most drafts, or are they about nothing in it?"""
    bad = sum(
        not counts.checked.get(place)
        or all(counts.failed.get((place, level)) for level in steps_of(draft))
        for place, draft in enumerate(drafts)
    )
    return 2 * bad > len(drafts)
