"""A schema as tables of columns: what each rule says of which column.

In: a `Schema`. Out: a `Sheet` for each table of it. A rule is about columns if its region is made
of whole columns below the header, and its content says what each cell of them may be. All others
are named in the notes of the sheet, with their lines.

Invariant: each rule, uniqueness, key, reference and condition is in the sheet or in a note, unless
every table of that shape keeps it. Cost: rules times cells of a small stand-in for the table.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from sculpt.core import ir
from sculpt.core.datatypes.families import ANY_CASE
from sculpt.interchange.export.documentation import column_words, file_words
from sculpt.interchange.export.meaning.alternatives import ANYTHING, Vocabulary
from sculpt.interchange.export.meaning.conditions import (
    checksum_of,
    conditions_of,
    programs_of,
    size_of_file,
)
from sculpt.interchange.export.meaning.contents import (
    each_cell,
    has_types,
    refused_marks,
    repeated,
    single_cell,
)
from sculpt.interchange.export.meaning.formulas import TRUE, disjunction, negation
from sculpt.interchange.export.meaning.gaps import texts_of_all
from sculpt.interchange.export.meaning.grid import Places, Region, texts_below
from sculpt.interchange.export.meaning.headers import counts_cells, header_of, size_of
from sculpt.interchange.export.meaning.sheets import (
    Check,
    Column,
    Key,
    Left,
    Link,
    Part,
    Said,
    Sheet,
)
from sculpt.schema import Schema
from sculpt.syntax import ast
from sculpt.syntax.regular import Letter, Nothing, Regular, Repeat, Sequence
from sculpt.values import replace


def sheets_of(schema: Schema, name: str, data: str | None = None) -> list[Sheet]:
    """The tables of a schema: its own first, unless it only ties others together."""
    others: dict[str, Sheet] = {}
    for table in schema.tables:
        for sheet in sheets_of(table.schema, table.name, table.data):
            others.setdefault(sheet.name, sheet)
    reader = TableReader(schema, name, data)
    core = schema.core
    is_tie = bool(others) and not (core.rules or core.keys or core.uniques)
    own = reader.sheet()
    tables = {None: own} | {table.name: others[table.name] for table in schema.tables}
    links = reader.links(tables)
    listed = [] if is_tie else [own]
    listed += others.values()
    # What is left out of links, or of a schema that ties tables together, is said of the first.
    left = tuple(dict.fromkeys((*listed[0].left, *reader.left)))
    listed[0] = replace(listed[0], left=left)
    return [replace(sheet, links=(*sheet.links, *links.get(sheet.name, ()))) for sheet in listed]


class TableReader:
    """Reads the table that a schema describes."""

    def __init__(self, schema: Schema, name: str, data: str | None) -> None:
        self.schema = schema
        self.name = name
        self.data = data
        self.tokens: dict[str, ir.CoreToken] = dict(schema.core.tokens)
        self.vocabulary = Vocabulary(self.tokens)
        self.left: list[Left] = []
        self.blank_rows: Said | None = None
        self.blank: dict[int, tuple[str, ...]] = {}
        self.needs_rows = False
        self.header = header_of(schema.core.rules, self.vocabulary)
        self.places = self._places()

    def _places(self) -> Places:
        core = self.schema.core
        selectors = [rule.selector for rule in core.rules]
        selectors += [part.selector for key in core.keys for part in key.parts]
        selectors += [each.selector for each in core.types.values()]
        rows, columns = size_of(selectors)
        texts = self.header.places
        headings = {
            token.name: texts[token.literal]
            for token in self.tokens.values()
            if token.literal in texts
        }
        width = max(columns, self.header.width)
        free = frozenset(
            name for name in self.tokens if self.vocabulary.alternatives(ir.Has(name)) == ANYTHING
        )
        are_filled = self.schema.core.dialect.blank_rows == "skip"
        return Places(width, rows, headings, free, are_filled=are_filled)

    # ------------------------------------------------------------- the sheet

    def sheet(self) -> Sheet:
        """The table."""
        core = self.schema.core
        regions = {rule.number: self.places.region(rule.selector) for rule in core.rules}
        header = self._header_rows(regions)
        checks: dict[int, list[Check]] = {}
        width = self.header.width
        for rule in core.rules:
            said = self._said(rule, rule.number)
            if rule.number in self.header.rules:
                is_above = self.header.rows_of[rule.number] <= header
                reason = self.header.rules[rule.number] if is_above else "it is about single rows"
                self._leave(said, reason)
                continue
            found = self._cells(rule, regions[rule.number], header)
            if isinstance(found, str):
                self._leave(said, found)
                continue
            for column, formula in found.items():
                width = max(width, column)
                if formula != TRUE:
                    checks.setdefault(column, []).append(Check(formula, said))
        keys = self._keys()
        width = max([width, *(part.column for key in keys for part in key.parts)])
        for each in core.uniques:
            self._leave(self._said(each), f"`{each.kind}` counts cells, which has no counterpart")
        comparisons, others = conditions_of(self.schema, self.places)
        self.left += [*others, *programs_of(self.schema)]
        names, sources = self._names(header), self._sources()
        width = max([width, *names])
        columns = tuple(
            Column(
                number,
                self.header.headings.get(number, ()),
                names.get(number, ("", ""))[0],
                sources.get(number, ""),
                names.get(number, ("", ""))[1],
                checks=tuple(checks.get(number, ())),
            )
            for number in range(1, width + 1)
        )
        # Headings that are compared must all be known, or the real header would be refused.
        is_known = all(column.headings for column in columns)
        heading_row = self.header.heading_row if is_known else None
        return Sheet(
            self.name,
            self.data,
            core.dialect,
            header,
            heading_row,
            columns,
            self.vocabulary,
            keys,
            comparisons=tuple(comparisons),
            left=tuple(self.left),
            blank_rows=self.blank_rows,
            blank=self.blank,
            needs_rows=self.needs_rows,
            match=self.header.match,
            ignores_case=self.header.ignores_case,
            checksum=checksum_of(self.schema),
            size=size_of_file(self.schema),
            documentation=self._documentation(),
        )

    def _header_rows(self, regions: Mapping[int, Region | None]) -> int:
        """How many rows come before the data: what the header has, and what rules leave out."""
        starts = [
            each.start - 1
            for each in regions.values()
            if each is not None and (each.tail or each.beyond)
        ]
        return max([self.header.heading_row or 0, *starts])

    def _names(self, header: int) -> dict[int, tuple[str, str]]:
        """The token types that are whole columns: their names and documentation."""
        found: dict[int, tuple[str, str]] = {}
        for each in self.schema.core.types.values():
            region = self.places.region(each.selector)
            if region is None or region.beyond or region.start > header + 1:
                continue
            if len(region.tail) == 1 and set(region.tail.values()) == {TRUE}:
                number = next(iter(region.tail))
                said = " ".join(each.documentation.split())
                known = (*self.header.headings.get(number, ()), each.name)
                found.setdefault(number, (each.name, column_words(said, known)))
        return found

    def _sources(self) -> dict[int, str]:
        """The names of columns in the system that the schema was imported from."""
        found: dict[int, str] = {}
        for rule in self.schema.core.rules:
            origin = rule.ending.origin
            if origin is None:
                continue
            if origin.fields:
                # They may begin after columns that are skipped; the last one is the last there is.
                first = self.places.known - len(origin.fields) + 1
                return dict(enumerate(origin.fields, first))
            if origin.column is not None and origin.field is not None:
                found.setdefault(origin.column, origin.field)
        return found

    def _documentation(self) -> str:
        """The comment about the file: the first one, if a blank line follows it."""
        lines: list[str] = []
        for statement in self.schema.document.statements:
            match statement:
                case ast.Comment(text):
                    lines.append(text.lstrip("%").strip())
                case ast.BlankLine() if lines:
                    return file_words(" ".join(" ".join(lines).split()))
                case ast.BlankLine():
                    continue
                case _:
                    return ""
        return ""

    # ------------------------------------------------------------- rules

    def _cells(
        self, rule: ir.CoreRule, region: Region | None, header: int
    ) -> dict[int, ir.Formula] | str:
        """What a rule says of the cells of each column; or why it does not say that."""
        if region is None:
            return "its region is not made of columns"
        if has_types(rule.content):
            if not self._wants_a_value(rule, region):
                return "its content reads cells as token types"
            self.blank_rows = self._said(rule, rule.number)
            return {}
        if not region.tail and region.beyond:
            keeps = self._keeps_width(rule)
            return {} if keeps else "it is about columns of which no rule says where they are"
        if not region.tail:
            return "it is about single rows"
        if rule.arrow == "->" and region.beyond and self._is_free(region):
            refused = refused_marks(
                rule.content, len(region.tail), self.vocabulary.words, self.vocabulary
            )
            if refused is not None:
                if refused:
                    self.blank_rows = self._said(rule, rule.number)
                    self.blank |= dict.fromkeys(region.tail, refused)
                return {}
        is_wider = _reaches_out(region)
        if is_wider or (region.start - 1 < header and self._is_about_header(region, rule)):
            return "it is about the header and the data together"
        if rule.arrow == ".>":
            return self._items(rule, region)
        if rule.arrow in ("=>", "|>"):
            return self._runs(rule, region)
        columns = list(region.tail)
        is_free = self._is_free(region)
        spread = repeated(rule.content)
        if region.beyond and not (spread is not None and spread[2] is None):
            width = self.header.width or len(columns)
            columns = list(range(1, width + 1))
        if is_free or len(columns) == 1:
            cells = each_cell(rule.content, len(columns))
            if cells is None:
                return "its content does not say what each column holds"
            filters = [region.tail.get(column, TRUE) for column in columns]
            return {
                column: disjunction([negation(chosen), cell])
                for column, chosen, cell in zip(columns, filters, cells, strict=True)
            }
        if spread is None or spread[1] > 1 or spread[2] is not None:
            return "how many cells of a row it reads depends on their texts"
        return {c: disjunction([negation(f), spread[0]]) for c, f in region.tail.items()}

    def _wants_a_value(self, rule: ir.CoreRule, region: Region) -> bool:
        """Does a rule say that each row has a cell of a region, and nothing more?

        The cells of its columns that are not in that region have no value.
        """
        match rule.content:
            case Sequence((before, Letter(symbol), after)) if symbol.is_type:
                around = (before, after)
            case _:
                return False
        if rule.arrow != "->" or not (region.beyond and self._is_free(region)):
            return False
        if any(has_types(part) or not self._is_anything(part) for part in around):
            return False
        given = self.places.region(self.schema.core.types[symbol.name].selector)
        if given is None:
            return False
        found: dict[int, tuple[str, ...]] = {}
        for column, formula in given.tail.items():
            texts = texts_of_all(self.vocabulary.alternatives(negation(formula)) or ANYTHING)
            if texts is None:
                return False
            found[column] = texts
        self.blank |= found
        return True

    def _is_anything(self, content: Regular[ir.Symbol]) -> bool:
        """Does a content match each row?"""
        spread = repeated(content)
        if spread is None or spread[1:] != (0, None):
            return False
        return self.vocabulary.alternatives(spread[0]) == ANYTHING

    @staticmethod
    def _is_free(region: Region) -> bool:
        return all(formula == TRUE for formula in region.tail.values())

    def _keeps_width(self, rule: ir.CoreRule) -> bool:
        """Does the rule say that there are no more cells than columns, or nothing at all?"""
        if self.vocabulary.alternatives(single_cell(rule.content)) == ():
            return True
        spread = repeated(rule.content)
        is_any = spread is not None and spread[1:] == (0, None)
        return is_any and counts_cells(rule.content, self.vocabulary)

    def _is_about_header(self, region: Region, rule: ir.CoreRule) -> bool:
        """Does the rule say more of the header than that it has cells?"""
        spread = repeated(rule.content)
        if spread is None:
            return True
        return region.beyond and self.vocabulary.alternatives(spread[0]) != (frozenset(),)

    def _runs(self, rule: ir.CoreRule, region: Region) -> dict[int, ir.Formula] | str:
        """A rule about a column or a region as a whole, if all its cells are alike."""
        spread = repeated(rule.content)
        if spread is None or spread[1] > 1 or spread[2] is not None:
            return f"`{rule.arrow}` is about the order or the number of cells"
        if rule.arrow == "=>" and spread[1] == 1:
            self.needs_rows = True
        return {c: disjunction([negation(f), spread[0]]) for c, f in region.tail.items()}

    def _items(self, rule: ir.CoreRule, region: Region) -> dict[int, ir.Formula] | str:
        """A rule about the items of cells, if all items are alike."""
        spread = repeated(rule.content)
        if spread is None or rule.list_delim is None:
            return "its items are not all alike"
        item = f"{{items of rule {rule.number}}}"
        self.tokens[item] = ir.CoreToken(item, Nothing(), formula=spread[0], hidden=True)
        content: Regular[ir.Symbol] = Repeat(Letter(ir.Symbol(item)), spread[1], spread[2])
        whole = f"[items of rule {rule.number}]"
        items = ir.CoreList(content, rule.list_delim)
        self.tokens[whole] = ir.CoreToken(whole, Nothing(), hidden=True, items=items)
        return {c: disjunction([negation(f), ir.Has(whole)]) for c, f in region.tail.items()}

    # ------------------------------------------------------------- keys and references

    def _keys(self) -> tuple[Key, ...]:
        found = []
        for key in self.schema.core.keys:
            said = self._said(key)
            if self._is_of_header(key):
                self._leave(said, "" if self.header.is_known else "it is about the headings")
                continue
            if key.runs:
                self._leave(said, "a key in runs has no counterpart")
                continue
            if _ignores_case(key.parts):
                self._leave(said, "a key that ignores case has no counterpart")
                continue
            parts = [self.part(part) for part in key.parts]
            known = tuple(part for part in parts if part is not None and part.column)
            if len(known) < len(parts):
                self._leave(said, "a part of it is not a column")
            else:
                found.append(Key(known, said, key.across))
        return tuple(found)

    def _is_of_header(self, key: ir.CoreKey) -> bool:
        regions = [self.places.region(part.selector) for part in key.parts]
        return all(each is not None and each.above and not each.tail for each in regions)

    def part(self, part: ir.CorePart) -> Part | None:
        """The column of a part; `None` if it is not one, or if it is a list."""
        region = self.places.region(part.selector)
        below = [self.tokens[name].literal for name in texts_below(part.selector)]
        if region is None and len(below) == 1 and below[0] and part.items is None:
            return Part(0, TRUE, bool(part.bases), below[0])
        if region is None or part.items is not None or region.beyond or len(region.tail) != 1:
            return None
        if _reaches_out(region):
            return None
        ((column, chosen),) = region.tail.items()
        return Part(column, chosen, bool(part.bases))

    def links(self, tables: Mapping[str | None, Sheet]) -> dict[str, list[Link]]:
        """The references, by the name of the table on their left."""
        readers = {table.name: TableReader(table.schema, table.name, None)
                   for table in self.schema.tables}  # fmt: skip
        found: dict[str, list[Link]] = {}
        for reference in self.schema.core.references:
            said = self._said(reference)
            if _ignores_case(reference.left.parts):
                self._leave(said, "a reference that ignores case has no counterpart")
                continue
            sides = []
            for side in (reference.left, reference.right):
                reader = self if side.table is None else readers[side.table]
                sides.append([reader.part(part) for part in side.parts])
            left, right = (tuple(part for part in side if part is not None) for side in sides)
            if len(left) + len(right) < len(sides[0]) + len(sides[1]):
                self._leave(said, "a part of it is not a column")
                continue
            owner, target = tables[reference.left.table].name, tables[reference.right.table].name
            link = Link(left, target, right, reference.several, said)
            found.setdefault(owner, []).append(link)
        return found

    # ------------------------------------------------------------- notes

    def _said(
        self,
        statement: ir.CoreRule | ir.CoreKey | ir.CoreReference | ir.CoreUnique,
        number: int | None = None,
    ) -> Said:
        origin = statement.ending.origin
        return Said(
            statement.span.source.name,
            statement.line,
            statement.text,
            number,
            statement.ending.is_warning,
            "" if origin is None else origin.kind,
            origin,
        )

    def _leave(self, said: Said, reason: str) -> None:
        if reason:
            self.left.append(Left(said, reason))


def _ignores_case(parts: Iterable[ir.CorePart]) -> bool:
    return any(base.type == ANY_CASE for part in parts for base in part.bases)


def _reaches_out(region: Region) -> bool:
    """Are cells of other columns selected in the first rows?"""
    columns = set(region.tail)
    return any(not columns.issuperset(row) for row in region.above.values())


def table_name(schema: Schema) -> str:
    """A name for the table of a schema: that of its file; `t.csv-metadata.json` is about `t`."""
    stem = os.path.splitext(os.path.basename(schema.source.name))[0]
    stem = stem.removesuffix(".csv-metadata")
    return stem if stem and not stem.startswith("<") else "table"
