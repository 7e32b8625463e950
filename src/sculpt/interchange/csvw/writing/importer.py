"""CSVW metadata as Sculpt schemas: one for each table, and one that ties them together.

In: a `TableGroup`. Out: a `Package`: directives of the dialect, a region for each column by its
position, the header, the rules of the columns, primary keys as keys, foreign keys as references.

What is not about valid data is not taken over. Of URI templates, virtual columns and
transformations a note says so, which only an import shows; titles, notes and directions of text
need none. A note about a table stands in its text. Cost: linear in the metadata.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from urllib.parse import unquote, urlsplit

from sculpt.interchange.builder import NamePool, SchemaBuilder, legal_name
from sculpt.interchange.csvw.language_tags import languages_match
from sculpt.interchange.csvw.model import Column, ForeignKey, Place, Table, TableGroup
from sculpt.interchange.csvw.urls import path_of, shown
from sculpt.interchange.csvw.writing.columns import ColumnRules, text_token
from sculpt.interchange.csvw.writing.directives import Frame, write_directives
from sculpt.interchange.model import Note, Origin, Package, Spot, TableText
from sculpt.values import replace

_MAX_LISTED = 50


def import_group(group: TableGroup, notes: Sequence[Note] = ()) -> Package:
    """The schemas of all tables of a group, with notes about its metadata."""
    pool = NamePool()
    writers = [
        _TableWriter(table, pool.name(_table_name(table), "Table")) for table in group.tables
    ]
    others = []
    for note in notes:
        about = next((each for each in writers if each.has(note.place)), None)
        if about is None:
            others.append(note)
        else:
            about.builder.note(note)
    by_url = {writer.table.url: writer for writer in writers}
    tie = SchemaBuilder("")
    for writer in writers:
        writer.write()
    between = 0
    for writer in writers:
        for key in writer.table.schema.foreign_keys:
            target = by_url[key.referenced_table]
            if target is writer:
                writer.own_reference(key)
            else:
                tie.reference(
                    writer.side(key.columns, target, key),
                    target.far_side(key, writer),
                    _key_origin(key),
                    has_key=target.has_key(key.referenced_columns),
                )
                between += 1
    tables = tuple(writer.text(group.place) for writer in writers)
    return Package("csvw", tables, tie.build("") if between else None, tuple(others))


def _table_name(table: Table) -> str:
    path = unquote(urlsplit(table.url).path)
    stem = os.path.splitext(os.path.basename(path))[0]
    return legal_name(stem[:1].upper() + stem[1:])


def _key_origin(key: ForeignKey) -> Origin:
    # The place is that of `reference`; the construct is the key around it.
    pointer = key.place.pointer.removesuffix("/reference")
    names = ", ".join(key.columns)
    return Origin(f"foreign key {names}", Spot(shown(key.place.document), pointer), "foreign-key")


class _TableWriter:
    """Writes the schema of one table."""

    def __init__(self, table: Table, name: str) -> None:
        self.table, self.name = table, name
        self.builder = SchemaBuilder(
            f"{shown(table.url)}, as {shown(table.place.document)} describes it."
        )
        self.rules: dict[str, ColumnRules] = {}

    def has(self, place: Spot) -> bool:
        """Is a place in the metadata of this table?"""
        own, inner = _spot(self.table.place), place.pointer or ""
        return place.file == own.file and (inner + "/").startswith((own.pointer or "") + "/")

    def write(self) -> None:
        self._conversion()
        frame = write_directives(self.builder, self.table.dialect)
        columns = [column for column in self.table.schema.columns if not column.virtual]
        self.builder.gap()
        for position, column in enumerate(columns, frame.skipped_columns + 1):
            wish = next((texts[0] for _, texts in column.titles), unquote(column.name))
            region = self.builder.region(wish, frame.column(position))
            self.rules[column.name] = ColumnRules(self.builder, column, region, False)
        self.builder.gap()
        if columns:
            self._header(frame, columns)
            for rules in self.rules.values():
                rules.write()
        else:
            self._cells(frame)
        self._equal_rows(frame, columns)
        self._primary_key()

    def _conversion(self) -> None:
        """Say what is about the conversion of rows only."""
        found: dict[Place, str] = {}
        for column in self.table.schema.columns or (self.table.inherited,):
            if column.virtual:
                found[column.place] = f"the virtual column `{column.name}`"
            else:
                found.update({place: f"`{name}`" for name, place in column.url_places})
        found.update({each.place: "a transformation" for each in self.table.transformations})
        if not found:
            return
        own = self.table.place.document
        listed = [
            f"{words} ({place.pointer if place.document == own else _spot(place)})"
            for place, words in found.items()
        ]
        more = listed[_MAX_LISTED:]
        listed[_MAX_LISTED:] = [f"{len(more)} more"] if more else []
        message = f"what only conversion needs: {', '.join(listed)}"
        hint = "keep the metadata for `sculpt convert`"
        self.builder.note(Note(message, _spot(self.table.place), hint, is_about_data=False))

    def _equal_rows(self, frame: Frame, columns: Sequence[Column]) -> None:
        """All rows have as many cells as there are columns, or as the longest of them."""
        width = len(columns)
        place = self.table.schema.place if width else self.table.place
        spot = _spot(place) if place.document else Spot(shown(self.table.url))
        if not width:
            origin = Origin("the same number of columns in each row", spot, "columns")
            self.builder.rule(frame.below_skipped("Missing"), "Any", origin)
            return
        last = f"col({width + frame.skipped_columns})"
        names = tuple(column.name for column in columns)
        about = f"{width} column{'s' * (width != 1)} in each row"
        origin = Origin(about, spot, "columns", fields=names)
        self.builder.gap()
        self.builder.rule(frame.rows(f"({last} or right+({last}))"), "Any", origin)

    def _header(self, frame: Frame, columns: Sequence[Column]) -> None:
        place = self.table.schema.place
        count = self.table.dialect.header_row_count
        if count == 0:
            return
        titles = [self._titles(column) for column in columns]
        if count == 1:
            content = ", ".join(
                "Any" if each is None else f"({' | '.join((*each, self._untitled()))})"
                for each in titles
            )
            origin = Origin("titles of the columns", _spot(place.below("columns")), "titles")
            self.builder.rule(frame.row(1), content, origin)
            return
        for position, (column, each) in enumerate(zip(columns, titles, strict=True), 1):
            origin = Origin(f'titles of column "{column.name}"', _spot(column.place), "titles")
            found = f"Any*, ({' | '.join(each)}), Any* | " if each else ""
            found = "Any*" if each is None else f"{found}{self._untitled()}*"
            self.builder.rule(frame.header_column(position), found, origin, arrow="|>")

    def _titles(self, column: Column) -> list[str] | None:
        """What the header of a column can be; `None` if it can be anything.

        A name does not count: if there are no titles, then no header fits (section 5.5.1).
        """
        if not column.titles and column.name.startswith("_col."):
            return None
        if not column.titles:
            message = f'column "{column.name}" has a name but no titles, so no header fits it'
            hint = "CSVW compares headers with titles: add them"
            self.builder.note(Note(message, _spot(column.place), hint))
        language = self.table.inherited.lang
        found = [
            text
            for tag, texts in column.titles
            if tag == self.table.language or languages_match(tag, language)
            for text in texts
        ]
        return [text_token(self.builder, text) for text in dict.fromkeys(found)]

    def _untitled(self) -> str:
        """A header cell that says nothing; unlike `Empty`, it does not read a short row."""
        return self.builder.derived("untitled", "Empty")

    def _cells(self, frame: Frame) -> None:
        """Rules for all cells, if metadata describes no columns, but says what they hold."""
        common = self.table.inherited
        if replace(common, lang="und", text_direction="inherit") == Column(0, None, ""):
            return
        region = self.builder.region("Cells", frame.cells())
        place = common.place if common.place.document else self.table.place
        ColumnRules(self.builder, replace(common, place=place), region, True).write()

    # ------------------------------------------------------------- keys and references

    def _primary_key(self) -> None:
        names = self.table.schema.primary_key
        parts = [self.rules[name].key_part() for name in names if name in self.rules]
        if parts:
            origin = Origin(
                f"primary key {', '.join(names)}",
                _spot(self.table.schema.place.below("primaryKey")),
                "primary-key",
            )
            self.builder.key(parts, origin)

    def side(self, names: Sequence[str], target: _TableWriter, key: ForeignKey) -> str:
        """The referring side of a reference to another table."""
        return f"{self.name}({self._parts(names, target, key.referenced_columns)})"

    def far_side(self, key: ForeignKey, source: _TableWriter) -> str:
        """The side that is referred to, in this table."""
        casts = self._casts(key.referenced_columns, source, key.columns)
        parts = zip(key.referenced_columns, casts, strict=True)
        return (
            f"{self.name}({', '.join(f'{self.rules[name].region}{cast}' for name, cast in parts)})"
        )

    def own_reference(self, key: ForeignKey) -> None:
        """A reference within the table."""
        left = self._parts(key.columns, self, key.referenced_columns)
        right = self.far_side(key, self).removeprefix(f"{self.name}(").removesuffix(")")
        has_key = self.has_key(key.referenced_columns)
        if left != right:
            self.builder.reference(left, right, _key_origin(key), has_key=has_key)
        elif not has_key:  # each row refers to itself, so no other may be equal
            self.builder.key(left.split(", "), _key_origin(key))

    def has_key(self, names: Sequence[str]) -> bool:
        """Does the primary key say that there is only one row with given values of columns?"""
        known = self.table.schema.primary_key
        return bool(known) and set(known) <= set(names)

    def _parts(self, names: Sequence[str], other: _TableWriter, others: Sequence[str]) -> str:
        casts = self._casts(names, other, others)
        return ", ".join(
            f"{self.rules[name].region}{cast}" for name, cast in zip(names, casts, strict=True)
        )

    def _casts(self, names: Sequence[str], other: _TableWriter, others: Sequence[str]) -> list[str]:
        """How each part is compared: by value only if both sides have values of one kind."""
        pairs = [
            (self.rules[name], other.rules[far]) for name, far in zip(names, others, strict=True)
        ]
        return [near.cast() if near.is_like(far) else "" for near, far in pairs]

    def text(self, place: Place) -> TableText:
        """The finished schema."""
        return self.builder.build(self.name, _data(self.table.url, place.document))


def _data(url: str, document: str) -> str:
    """Where the data is: relative to the document, if both are files."""
    path, own = path_of(url), path_of(document)
    if path is None:
        return url
    return path if own is None else os.path.relpath(path, os.path.dirname(own))


def _spot(place: Place) -> Spot:
    return Spot(shown(place.document), place.pointer)
