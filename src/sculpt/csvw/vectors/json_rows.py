"""Rows as JSON, many at once.

In: a `Batch`. Out: an Arrow array with the text of each row; null if it has none in minimal mode.

Rows whose cells are all about one subject are joined column by column. If there are several, rows
are divided by *shape*: which subjects are there, which are equal, which value URLs name which of
them. All rows of a shape are nested alike, so the first one says how.

Invariant: the texts are those of `reference.json_row`. Cost: a copy or two of the output. If a
property depends on the row, or there are too many subjects for a shape, `can_join` is false, and
rows are converted one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sculpt.csvw.nesting import Forest, Subject, forest_of
from sculpt.csvw.plan import ColumnPlan, TablePlan
from sculpt.csvw.values.datatypes import quoted
from sculpt.csvw.vectors.batch import Batch
from sculpt.csvw.vectors.texts import json_escaped, listed, merged
from sculpt.interchange.csvw.context import compact
from sculpt.transform.writers.rendering import each, joined, over_values
from sculpt.values import frozen

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    Array = np.ndarray[Any, Any]

MAX_BITS = 60
"""Facts about a row that its shape may have."""


def can_join(plan: TablePlan) -> bool:
    """Can the rows of a table be converted many at once?"""
    if any(each.json_name is None for each in plan.columns if each.shown):
        return False
    subjects, links = len(plan.subjects), sum(each.value is not None for each in plan.columns)
    if subjects < 2:
        return True
    bits = subjects + subjects * (subjects - 1) // 2 + links * subjects + links * (links - 1) // 2
    return bits <= MAX_BITS


def json_rows(batch: Batch, minimal: bool, between: str = ",", end: str = "") -> pa.Array:
    """The texts of the rows of a batch.

    `between` stands between the objects of a row, `end` after each row that has a text.
    """
    import pyarrow as pa

    objects = _objects(batch, between)
    if minimal:
        return joined(*merged([*objects, end]))
    plan, piece = batch.plan, batch.piece
    url = quoted(plan.row_url)[:-1]
    numbers = pa.array(piece.numbers).cast(pa.string())
    sources = pa.array(piece.source_numbers).cast(pa.string())
    titles = _titles(batch)
    parts: list[pa.Array | str] = ['{"rownum":', numbers, f',"url":{url}', sources, '",']
    if titles is not None:
        parts.append(titles)
    parts += ['"describes":[', *objects, f"]}}{end}"]
    return joined(*merged(parts), missing="")


def _titles(batch: Batch) -> pa.Array | None:
    """The titles of rows, as a member of an object."""
    import pyarrow as pa

    if not batch.plan.titles:
        return None
    by_column = [batch.vectors[column.column.number].variable for column in batch.plan.titles]
    found = []
    for row in zip(*(array.to_pylist() for array in by_column if array is not None), strict=True):
        texts = [quoted(text) for value in row for text in _texts(value)]
        if not texts:
            found.append("")
        else:
            inner = ",".join(texts)
            found.append(f'"titles":{inner if len(texts) == 1 else f"[{inner}]"},')
    return pa.array(found, pa.string())


def _texts(value: str | list[str] | None) -> list[str]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _objects(batch: Batch, between: str) -> list[pa.Array | str]:
    """The parts of the objects of each row; one array that is null if some row has none."""
    plan = batch.plan
    shown = [column for column in plan.columns if column.shown]
    fields = {column.column.number: _field(batch, column) for column in shown}
    if len(plan.subjects) > 1:
        return [_Shapes(batch, shown, fields, between).objects()]
    about = batch.about(shown[0]) if shown else None
    return _object_parts(about, [fields[column.column.number] for column in shown], batch.count)


@frozen(slots=False)
class _Field:
    """The values of a column, as texts of JSON."""

    name: str
    values: pa.Array
    is_list: bool = False

    def taken(self, rows: pa.Array) -> _Field:
        """The values of some rows."""
        return _Field(self.name, self.values.take(rows), self.is_list)


def _field(batch: Batch, column: ColumnPlan) -> _Field:
    assert column.json_name is not None
    name, urls = column.json_name, batch.value_urls(column)
    if urls is None:
        values = batch.vectors[column.column.number].json
        assert values is not None
        return _Field(name, values, column.column.separator is not None)
    if name == "@type":
        urls = over_values(urls.dictionary_encode(), each(compact))
    return _Field(name, joined('"', json_escaped(urls), '"'))


# ------------------------------------------------------------- one object


def _object(about: pa.Array | None, fields: Sequence[_Field], count: int) -> pa.Array:
    """The object of each row; null if it has no values."""
    parts = _object_parts(about, fields, count)
    return joined(*parts) if len(parts) > 1 else parts[0]


def _object_parts(
    about: pa.Array | None, fields: Sequence[_Field], count: int
) -> list[pa.Array | str]:
    """The parts of the object of each row; one array that is null if some row has no values."""
    import pyarrow as pa
    import pyarrow.compute as pc

    members = [_member(*each) for each in _by_name(fields)]
    if not members:
        return [pa.nulls(count, pa.string())]
    is_sure = [not values.null_count for _, values, _ in members]
    if not any(is_sure):
        texts = [joined(before, values, after) for before, values, after in members]
        inner = listed(texts, ",")
        head = ["{"] if about is None else ['{"@id":"', json_escaped(about), '",']
        return [joined(*head, inner, "}")]
    parts: list[pa.Array | str] = ["{"]
    if about is not None:
        parts += ['"@id":"', json_escaped(about), '"']
    elif not is_sure[0]:
        return [joined("{", listed([joined(*each) for each in members], ","), "}")]
    for number, (before, values, after) in enumerate(members):
        lead = "," if number or about is not None else ""
        if is_sure[number]:
            parts += [lead + before, values, after]
        else:
            parts += [pc.fill_null(joined(lead + before, values, after), "")]
    return merged([*parts, "}"])


def _by_name(fields: Sequence[_Field]) -> list[tuple[str, list[_Field]]]:
    found: dict[str, list[_Field]] = {}
    for field in fields:
        found.setdefault(field.name, []).append(field)
    return list(found.items())


def _member(name: str, fields: list[_Field]) -> tuple[str, pa.Array, str]:
    """A member of an object: what stands before its values, these, and what stands after them."""
    import pyarrow.compute as pc

    before = f"{quoted(name)}:"
    if len(fields) == 1:
        field = fields[0]
        return (f"{before}[", field.values, "]") if field.is_list else (before, field.values, "")
    arrays = [field.values for field in fields]
    items = listed(arrays, ",")
    counts = pc.cast(pc.is_valid(arrays[0]), "int32")
    is_list = pc.and_(pc.is_valid(arrays[0]), fields[0].is_list)
    for field in fields[1:]:
        valid = pc.is_valid(field.values)
        counts = pc.add(counts, pc.cast(valid, "int32"))
        is_list = pc.or_(is_list, pc.and_(valid, field.is_list))
    in_brackets = pc.or_(pc.greater(counts, 1), is_list)
    return before, pc.if_else(in_brackets, joined("[", items, "]"), items), ""


# ------------------------------------------------------------- several objects


class _Shapes:
    """The objects of rows with several subjects."""

    def __init__(
        self,
        batch: Batch,
        shown: Sequence[ColumnPlan],
        fields: dict[int, _Field],
        between: str,
    ) -> None:
        import pyarrow.compute as pc

        self.batch, self.fields, self.between = batch, fields, between
        self.links = {
            column.column.number: urls
            for column in batch.plan.columns
            if (urls := batch.value_urls(column)) is not None
        }
        self.groups: dict[str | None, list[ColumnPlan]] = {}
        for column in shown:
            key = None if column.about is None else column.about.text
            self.groups.setdefault(key, []).append(column)
        self.abouts = [batch.about(columns[0]) for columns in self.groups.values()]
        self.present = []
        for columns in self.groups.values():
            found = pc.is_valid(fields[columns[0].column.number].values)
            for column in columns[1:]:
                found = pc.or_(found, pc.is_valid(fields[column.column.number].values))
            self.present.append(found)

    def _codes(self) -> Array:
        """By row: the number of its shape."""
        import numpy as np
        import pyarrow.compute as pc

        identified = [urls for urls in self.abouts if urls is not None]
        links = list(self.links.values())
        facts = list(self.present)
        for pairs in (_pairs(identified), _pairs(links)):
            facts += [pc.equal(left, right) for left, right in pairs]
        facts += [pc.equal(link, about) for link in links for about in identified]
        codes = np.zeros(self.batch.count, np.int64)
        for bit, fact in enumerate(facts):
            known = pc.fill_null(fact, False).to_numpy(zero_copy_only=False)
            codes |= known.astype(np.int64) << bit
        return codes

    def objects(self) -> pa.Array:
        """The objects of each row, joined; null if there are none."""
        import numpy as np
        import pyarrow as pa

        shapes, members = np.unique(self._codes(), return_inverse=True)
        texts, places = [], []
        for shape in range(len(shapes)):
            rows = np.flatnonzero(members == shape)
            texts.append(self._joined(rows))
            places.append(rows)
        if not texts:
            return pa.nulls(0, pa.string())
        order = np.argsort(np.concatenate(places), kind="stable")
        return pa.concat_arrays(texts).take(pa.array(order))

    def _joined(self, rows: Array) -> pa.Array:
        """The objects of rows of one shape."""
        import pyarrow as pa

        first, taken = int(rows[0]), pa.array(rows)
        groups: dict[str | None, tuple[pa.Array | None, list[ColumnPlan]]] = {}
        present: set[str | None] = set()
        for columns, about, is_there in zip(
            self.groups.values(), self.abouts, self.present, strict=True
        ):
            identifier = None if about is None else about[first].as_py()
            groups.setdefault(identifier, (about, []))[1].extend(columns)
            if is_there[first].as_py():
                present.add(identifier)
        chosen = [
            (identifier, about, sorted(columns, key=lambda each: each.column.number))
            for identifier, (about, columns) in groups.items()
            if identifier in present
        ]
        chosen.sort(key=lambda each: min(column.column.number for column in each[2]))
        subjects = [
            Subject(identifier, self._links_of(columns, first)) for identifier, _, columns in chosen
        ]
        urls = [link[first].as_py() for link in self.links.values()]
        forest = forest_of(subjects, [url for url in urls if url is not None])
        if not forest.roots:
            return pa.nulls(len(rows), pa.string())
        made = [self._nested(chosen, forest, root, taken) for root in forest.roots]
        return _separated(made, self.between)

    def _links_of(self, columns: Sequence[ColumnPlan], row: int) -> tuple[tuple[int, str], ...]:
        found = []
        for column in columns:
            number = column.column.number
            url = self.links[number][row].as_py() if number in self.links else None
            if url is not None:
                found.append((number, url))
        return tuple(found)

    def _nested(
        self,
        chosen: Sequence[tuple[str | None, pa.Array | None, list[ColumnPlan]]],
        forest: Forest,
        number: int,
        rows: pa.Array,
    ) -> pa.Array:
        _, about, columns = chosen[number]
        fields = []
        for column in columns:
            field = self.fields[column.column.number].taken(rows)
            inner = forest.inner.get((number, column.column.number))
            if inner is not None:
                field = _Field(field.name, self._nested(chosen, forest, inner, rows))
            fields.append(field)
        return _object(None if about is None else about.take(rows), fields, len(rows))


def _pairs(arrays: Sequence[pa.Array]) -> list[tuple[pa.Array, pa.Array]]:
    return [(left, right) for number, left in enumerate(arrays) for right in arrays[number + 1 :]]


def _separated(texts: Sequence[pa.Array], between: str) -> pa.Array:
    import pyarrow.compute as pc

    return texts[0] if len(texts) == 1 else pc.binary_join_element_wise(*texts, between)
