"""The cells of a column, many at once: texts in, texts of JSON or RDF out.

In: the plan of a column and the texts of its cells as an Arrow array. Out: a `ColumnVector`: for
each cell its items in JSON, its terms in RDF, its value for templates, and what is wrong with it.

Texts that are written alike everywhere (`Lexicon.kept`: nearly all) are told by one regular
expression and never leave Arrow. Of the others each distinct text is read once (`CellReader`) and
remembered, as long as there are not too many.

Invariant: a cell gets what `reference` gives it. Cost: some passes of Arrow kernels; microseconds
for each distinct text that must be read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sculpt.csvw.plan import ColumnPlan
from sculpt.csvw.reference import list_pieces, value_term
from sculpt.csvw.terms import Format, literal_end
from sculpt.csvw.values.cells import Cell
from sculpt.csvw.values.datatypes import NUMERIC
from sculpt.csvw.vectors.texts import json_escaped, rdf_escaped
from sculpt.transform.writers.rendering import joined
from sculpt.values import frozen

if TYPE_CHECKING:
    import pyarrow as pa

MAX_REMEMBERED = 1 << 16
"""Distinct texts of a column whose cells are remembered."""
MAX_ERRORS = 100
"""Errors of a column that are listed for one piece; the others are counted."""


@frozen(slots=False)
class ColumnVector:
    """The cells of a column in some rows."""

    json: pa.Array | None
    """The items of each cell, without brackets; null if there is no value."""
    terms: pa.Array | None
    """A term, or a list of them; null if there is no value."""
    pieces: pa.Array | None
    """For ordered lists in N-Triples: see `reference.list_pieces`, without the first node."""
    variable: pa.Array | None
    """The value for templates: a text, or a list of texts."""
    errors: tuple[tuple[int, str], ...]
    """Rows of the piece and what is wrong there."""
    error_count: int


@frozen
class _Read:
    """A cell that has been read, as texts."""

    json: str | None
    terms: tuple[str, ...] | None
    variable: tuple[str, ...] | None
    errors: tuple[str, ...]


class ColumnConverter:
    """Converts the cells of a column."""

    def __init__(self, plan: ColumnPlan, form: Format | None, is_variable: bool) -> None:
        """`form` is the syntax of RDF, or `None` for JSON."""
        self.plan = plan
        self.form = form
        self.is_variable = is_variable
        column = plan.column
        self.is_list = column.separator is not None
        self._is_bare = column.datatype.base in NUMERIC or column.datatype.base == "boolean"
        self._end = "" if form is None else self._literal_end(form)
        self._special = sorted({"", *column.null})
        self._known: dict[str, _Read] = {}

    def _literal_end(self, form: Format) -> str:
        datatype = self.plan.column.datatype
        if datatype.base == "string" and datatype.id is None:
            return literal_end(None, self.plan.language)
        return literal_end(self.plan.datatype_url, None, form)

    def convert(self, texts: pa.Array) -> ColumnVector:
        """The cells of some texts; null is the text of a cell that is not there."""
        import pyarrow as pa
        import pyarrow.compute as pc

        texts = pc.fill_null(texts, "")
        kept = self.plan.reader.kept
        if kept is None:
            return self._read_all(texts)
        is_special = pc.is_in(texts, pa.array(self._special, pa.string()))
        is_kept = pc.invert(is_special)
        if kept != r"(?s)^.*$":
            is_kept = pc.and_(is_kept, pc.match_substring_regex(texts, kept))
        if pc.all(is_kept).as_py() in (True, None):
            return self._kept(texts)
        is_read = pc.invert(is_kept)
        rest = self._read_all(texts.filter(is_read))
        whole = self._kept(texts)
        places = pc.indices_nonzero(is_read)

        def mixed(plain: pa.Array | None, read: pa.Array | None) -> pa.Array | None:
            if plain is None or read is None:
                return None
            return pc.replace_with_mask(plain, is_read, read)

        errors = tuple((places[row].as_py(), message) for row, message in rest.errors)
        return ColumnVector(
            mixed(whole.json, rest.json),
            mixed(whole.terms, rest.terms),
            None,
            mixed(whole.variable, rest.variable),
            errors,
            rest.error_count,
        )

    # ------------------------------------------------------------- as they are

    def _kept(self, texts: pa.Array) -> ColumnVector:
        as_json = terms = None
        if self.form is not None:
            safe = texts if self._is_bare else rdf_escaped(texts)
            terms = joined('"', safe, self._end)
        elif self._is_bare:
            as_json = texts
        else:
            as_json = joined('"', json_escaped(texts), '"')
        return ColumnVector(as_json, terms, None, texts if self.is_variable else None, (), 0)

    # ------------------------------------------------------------- read one by one

    def _read_all(self, texts: pa.Array) -> ColumnVector:
        import pyarrow as pa

        coded = texts.dictionary_encode()
        found = [self._read(text) for text in coded.dictionary.to_pylist()]
        indices = coded.indices
        texts_type, list_type = pa.string(), pa.list_(pa.string())
        as_json = terms = pieces = variable = None
        if self.form is None:
            as_json = pa.array([each.json for each in found], texts_type).take(indices)
        elif not self.is_list:
            values = [each.terms[0] if each.terms else None for each in found]
            terms = pa.array(values, texts_type).take(indices)
        elif self.plan.column.ordered and self.form == "ntriples":
            number = self.plan.column.number
            lists = [_cut(each.terms, number) for each in found]
            pieces = pa.array(lists, list_type).take(indices)
        elif self.plan.column.ordered:
            values = [f"( {' '.join(each.terms)} )" if each.terms else None for each in found]
            terms = pa.array(values, texts_type).take(indices)
        else:
            terms = pa.array([each.terms or None for each in found], list_type).take(indices)
        if self.is_variable and self.is_list:
            variable = pa.array([each.variable for each in found], list_type).take(indices)
        elif self.is_variable:
            values = [each.variable[0] if each.variable else None for each in found]
            variable = pa.array(values, texts_type).take(indices)
        errors, count = _located(found, indices)
        return ColumnVector(as_json, terms, pieces, variable, errors, count)

    def _read(self, text: str) -> _Read:
        known = self._known.get(text)
        if known is None:
            if len(self._known) >= MAX_REMEMBERED:
                self._known = {}
            known = self._known[text] = self._rendered(self.plan.reader.read(text))
        return known

    def _rendered(self, cell: Cell) -> _Read:
        if not cell.values:
            return _Read(None, None, None, cell.errors)
        as_json = terms = variable = None
        if self.form is None:
            as_json = ",".join(value.json for value in cell.values)
        else:
            terms = tuple(value_term(self.plan, value, self.form) for value in cell.values)
        if self.is_variable:
            variable = tuple(value.text for value in cell.values)
        return _Read(as_json, terms, variable, cell.errors)


def _cut(terms: Sequence[str] | None, column: int) -> list[str] | None:
    """The pieces of an ordered list, after its first node."""
    if not terms:
        return None
    pieces = list_pieces(terms, column)[1:]  # the first piece is empty, the second is the node
    return ["", *pieces[1:]]


def _located(found: Sequence[_Read], indices: pa.Array) -> tuple[tuple[tuple[int, str], ...], int]:
    """The rows with errors: the first of them with their errors, and how many errors there are."""
    import numpy as np

    counts = np.array([len(each.errors) for each in found] or [0])
    if not counts.any():
        return (), 0
    codes = indices.to_numpy(zero_copy_only=False)
    by_row = counts[codes]
    rows = np.flatnonzero(by_row)[:MAX_ERRORS].tolist()
    listed = [(row, message) for row in rows for message in found[codes[row]].errors]
    return tuple(listed), int(by_row.sum())
