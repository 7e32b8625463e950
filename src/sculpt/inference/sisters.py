"""Which files are of one kind.

In: sheets. Out: families of them, the largest first. Two sheets are of one kind if their dialect is
the same and their columns are: most headings have the same texts, or their first column with labels
stands in the same place and holds dates or times, or, without headings, their columns hold the same
kinds of cells. Their encodings may differ as long as one of them gives both the same texts.

Invariant: every sheet is in exactly one family, whose sheets name one encoding; the order of the
sheets does not matter. Cost: a comparison of each sheet with each family.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from sculpt.inference.files.encodings import in_encoding, joint_encoding
from sculpt.inference.files.sheet import Sheet
from sculpt.inference.kinds import kind_of
from sculpt.values import frozen

_SAMPLE = 50


@frozen
class Signature:
    """What sheets of one kind share."""

    directives: tuple[tuple[str, str], ...]
    headings: frozenset[str]
    labels: tuple[int, str]
    """The column of labels, and the kind of most of its cells."""
    kinds: tuple[str, ...]
    """The kind of most cells of each column of the first table, if that has no headings."""


def signature_of(sheet: Sheet) -> Signature:
    """What a sheet is like."""
    tables = sheet.tables
    texts = (text for table in tables for column in table.columns for text in column.heading)
    if not tables and len(sheet.counts) <= _SAMPLE:  # perhaps there are headings, and nothing below
        texts = (text for text in sheet.counts if text)
    headings = frozenset(text.strip().lower() for text in texts)
    labels = (0, "")
    kinds: tuple[str, ...] = ()
    if tables and not headings:  # its rows are all there is
        kinds = tuple(_most(column.kinds) for column in tables[0].columns)
    if tables and tables[0].data:
        rows = tables[0].data[:_SAMPLE]
        columns = Counter(
            next((place for place, text in enumerate(sheet.rows[row - 1], 1) if text), 0)
            for row in rows
        )
        column = min(columns, key=lambda each: (-columns[each], each))
        labels = (column, _most(Counter(kind_of(sheet.text(row, column)) for row in rows)))
    directives = tuple(each for each in sheet.directives if each[0] != "Encoding")
    return Signature(directives, headings, labels, kinds)


def _most(counts: Mapping[str, int]) -> str:
    """What is counted most often."""
    return min(counts, key=lambda each: (-counts[each], each), default="")


def families(sheets: Sequence[Sheet]) -> list[list[Sheet]]:
    """The sheets in groups of one kind."""
    found: list[tuple[Signature, list[Sheet]]] = []
    for sheet in sorted(sheets, key=lambda each: each.path):
        signature = signature_of(sheet)
        for known, members in found:
            if not _is_alike(known, signature):
                continue
            if (joint := joint_encoding(members, sheet)) is not None:
                members[:] = [in_encoding(each, *joint) for each in (*members, sheet)]
                break
        else:
            found.append((signature, [sheet]))
    groups = [members for _, members in found]
    return sorted(groups, key=lambda group: (-len(group), group[0].path))


def _is_alike(one: Signature, other: Signature) -> bool:
    if one.directives != other.directives:
        return False
    shared = len(one.headings & other.headings)
    least = min(len(one.headings), len(other.headings))
    if least and shared / least >= 0.5:
        return True
    if one.labels == other.labels and one.labels[1] in ("date", "time"):
        return True
    return bool(one.kinds) and one.kinds == other.kinds
