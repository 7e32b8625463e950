"""Rows as RDF, many at once.

In: a `Batch`. Out: an Arrow array with the statements of each row.

Invariant: the texts are those of `reference.rdf_row`. Cost: a copy or two of the output. If a
property depends on the row, `can_join` is false, and rows are converted one by one; so are the rows
of a batch in which some row has two subjects with the same URL (`is_mixed`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sculpt.csvw.reference import Nodes
from sculpt.csvw.tables.plan import ColumnPlan, TablePlan
from sculpt.csvw.texts.terms import RDF_TYPE, XSD_INTEGER, Format, csvw, escaped, literal_end, name
from sculpt.csvw.vectors.batch import Batch
from sculpt.csvw.vectors.texts import listed, merged
from sculpt.transform.writers.rendering import joined

if TYPE_CHECKING:
    import pyarrow as pa


def can_join(plan: TablePlan) -> bool:
    """Can the rows of a table be converted many at once?"""
    return all(each.predicate is not None for each in plan.columns if each.shown)


def is_mixed(batch: Batch) -> bool:
    """Have different templates given the same subject in some row?"""
    import pyarrow.compute as pc

    by_template = {
        column.about.text: batch.about(column)
        for column in batch.plan.columns
        if column.shown and column.about is not None
    }
    urls = list(by_template.values())
    return any(
        pc.any(pc.equal(left, right)).as_py()
        for number, left in enumerate(urls)
        for right in urls[number + 1 :]
    )


def rdf_rows(batch: Batch, minimal: bool, form: Format, nodes: Nodes) -> pa.Array:
    """The statements of the rows of a batch."""
    import pyarrow as pa

    labels = joined(f"_:{nodes.label}r", pa.array(batch.piece.numbers).cast(pa.string()))
    groups: dict[str | None, list[ColumnPlan]] = {}
    for column in batch.plan.columns:
        if column.shown:
            key = None if column.about is None else column.about.text
            groups.setdefault(key, []).append(column)
    subjects = []
    for columns in groups.values():
        about = batch.about(columns[0])
        subjects.append(joined(labels, "s") if about is None else joined("<", about, ">"))
    parts: list[pa.Array | str] = []
    if not minimal:
        parts += _row_parts(batch, labels, subjects, form, nodes)
    for subject, columns in zip(subjects, groups.values(), strict=True):
        parts += _subject_parts(batch, subject, columns, labels, form)
    if not parts:
        return pa.repeat(pa.scalar(""), batch.count)
    return joined(*merged(parts), missing="")


def _row_parts(
    batch: Batch, labels: pa.Array, subjects: list[pa.Array], form: Format, nodes: Nodes
) -> list[pa.Array | str]:
    """The parts of the statements about each row; what is null is left out."""
    import pyarrow as pa

    piece = batch.piece
    numbers = pa.array(piece.numbers).cast(pa.string())
    sources = pa.array(piece.source_numbers).cast(pa.string())
    pairs: list[tuple[pa.Array | str, ...]] = [
        (f"{name(RDF_TYPE, form)} {csvw('Row', form)}",),
        (
            f'{csvw("rownum", form)} "', numbers, literal_end(XSD_INTEGER, None, form),
        ),
        (f"{csvw('url', form)} <{batch.plan.row_url}", sources, ">"),
    ]  # fmt: skip
    described = [(f"{csvw('describes', form)} ", subject) for subject in subjects]
    titles = _titles(batch, form)
    if form == "ntriples":
        parts: list[pa.Array | str] = [f"{nodes.table} {csvw('row', form)} ", labels, " .\n"]
        for pair in pairs:
            parts += [labels, " ", *pair, " .\n"]
        if titles is not None:
            parts.append(_lines(labels, titles))
        for pair in described:
            parts += [labels, " ", *pair, " .\n"]
        return parts
    parts = [f"{nodes.table} {csvw('row', form)} ", labels, " .\n", labels, " "]
    for number, pair in enumerate(pairs):
        parts += [" ;\n  " if number else "", *pair]
    if titles is not None:
        parts.append(_after(titles))
    for pair in described:
        parts += [" ;\n  ", *pair]
    return [*parts, " .\n"]


def _titles(batch: Batch, form: Format) -> pa.Array | None:
    """Lists of predicates with the titles of rows."""
    import pyarrow as pa

    if not batch.plan.titles:
        return None
    found: list[list[str]] = [[] for _ in range(batch.count)]
    for column in batch.plan.titles:
        array = batch.vectors[column.column.number].variable
        assert array is not None
        end = literal_end(None, column.language)
        for row, value in enumerate(array.to_pylist()):
            texts = value if isinstance(value, list) else [] if value is None else [value]
            found[row] += [f'{csvw("title", form)} "{escaped(text)}{end}' for text in texts]
    return pa.array([each or None for each in found], pa.list_(pa.string()))


def _lines(heads: pa.Array, pairs: pa.Array) -> pa.Array:
    """Lists of predicates and objects as statements about something; null if a list is empty."""
    import pyarrow.compute as pc

    return joined(heads, " ", pc.binary_join(pairs, joined(" .\n", heads, " ")), " .\n")


def _after(pairs: pa.Array) -> pa.Array:
    """Lists of predicates and objects, after others of the same subject."""
    import pyarrow.compute as pc

    return joined(" ;\n  ", pc.binary_join(pairs, " ;\n  "))


def _subject_parts(
    batch: Batch, subject: pa.Array, columns: list[ColumnPlan], labels: pa.Array, form: Format
) -> list[pa.Array | str]:
    """The parts of the statements about a subject and its lists; what is null is left out."""
    import pyarrow.compute as pc

    lists: list[pa.Array] = []
    pairs: list[tuple[str, pa.Array]] = []
    for column in columns:
        assert column.predicate is not None
        predicate = name(column.predicate, form)
        vector, urls = batch.vectors[column.column.number], batch.value_urls(column)
        if urls is not None:
            pairs.append((predicate, joined("<", urls, ">")))
        elif vector.pieces is not None:
            node = joined(labels, f"c{column.column.number}i1")
            pairs.append((predicate, pc.if_else(pc.is_valid(vector.pieces), node, None)))
            lists.append(pc.binary_join(vector.pieces, labels))
        else:
            assert vector.terms is not None
            pairs.append((predicate, vector.terms))
    if form == "ntriples":
        parts: list[pa.Array | str] = []
        for predicate, objects in pairs:
            parts += _statement(subject, predicate, objects)
        return [*parts, *lists]
    texts = [_pair(predicate, objects) for predicate, objects in pairs]
    if not texts:
        return []
    return [joined(subject, " ", listed(texts, " ;\n  "), " .\n")]


def _statement(subject: pa.Array, predicate: str, objects: pa.Array) -> list[pa.Array | str]:
    """The parts of the lines of a predicate."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_list(objects.type):
        between = joined(" .\n", subject, f" {predicate} ")
        objects = pc.binary_join(objects, between)
    if not objects.null_count:
        return [subject, f" {predicate} ", objects, " .\n"]
    return [joined(subject, f" {predicate} ", objects, " .\n")]


def _pair(predicate: str, objects: pa.Array) -> pa.Array:
    """A predicate with its objects; null if it has none."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_list(objects.type):
        objects = pc.binary_join(objects, f" ;\n  {predicate} ")
    return joined(f"{predicate} ", objects)
