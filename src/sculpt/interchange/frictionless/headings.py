"""The header of a table: which rows it has, which labels, and where the columns of fields are.

In: a `Dialect` and the fields of a schema. Out: a `Layout`, and the statements about labels.

A table is *open* if the descriptor does not say how many columns it has, or in which order: without
a schema, or where labels decide. It is then as wide as its first row: `Labelled` is what stands
below a label. Otherwise columns are positions, so that a cell with the text of a label is no label.

Invariant: a rule about labels selects cells in every file that has a header, so none is vacuous in
a valid file. Cost: linear in the fields; at most 24 ways to split a label over several rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise

from sculpt.interchange.builder import SchemaBuilder, literal
from sculpt.interchange.frictionless.columns.patterns import escaped
from sculpt.interchange.frictionless.model import Dialect, Field, Resource, TableSchema
from sculpt.origins import Note, Origin
from sculpt.values import frozen, replace

_MAX_SPLITS = 24


@frozen
class Layout:
    """Where the header and the data of a table are."""

    header_rows: tuple[int, ...]
    width: int
    """How many fields there are."""
    is_open: bool
    data: str
    """The selector of the data rows."""
    labelled: str = ""
    """Of an open table: the name of the region below the labels."""

    @property
    def top(self) -> int:
        """The row that has the labels, or the first row."""
        return self.header_rows[0] if self.header_rows else 1


def layout_of(dialect: Dialect, width: int, is_open: bool) -> Layout:
    """The layout that a dialect describes."""
    last = dialect.header_rows[-1] if dialect.header_rows else 0
    skipped = [each for each in dialect.comment_rows if each > last]
    selector = "true" if last == 0 else "not row(1)" if last == 1 else f"down{{{last},}}(row(1))"
    for each in skipped:
        selector += f" and not row({each})"
    return Layout(dialect.header_rows, width, is_open, selector)


def with_regions(layout: Layout, builder: SchemaBuilder) -> Layout:
    """The layout with names for its regions."""
    data = layout.data
    if data not in ("true", "not row(1)"):
        data = builder.region("Data", data, "The rows below the header, without comments.")
    if not layout.is_open:
        return replace(layout, data=data)
    path = "down+" if layout.header_rows else "down*"
    selector = f"{path}(row({layout.top}) and Any)"
    if data not in ("true", "not row(1)"):
        selector += f" and {data}"
    labelled = builder.region("Labelled", selector, "What stands in a column of the first row.")
    return replace(layout, data=data, labelled=labelled)


def with_repeated_header(
    layout: Layout, fields: Sequence[Field], resource: Resource, builder: SchemaBuilder
) -> Layout:
    """The layout of a further file of a resource, which may begin with the header again.

    It does if its first cell is the first label; its other labels are then those of the fields.
    """
    spot = resource.at.to("path").spot
    labels = [label_token(each.name, resource.dialect, builder) for each in fields]
    if labels[0] == literal(fields[0].name):  # of a literal it is remarkable if no cell has it
        labels[0] = builder.token("first label", escaped(fields[0].name))
    about = "The header of the first file, if it is repeated here."
    header = builder.region("Header", f"right*((1,1) and {labels[0]})", about)
    other = builder.derived("no header", f"not {labels[0]}")
    data = builder.region("Data", f"not {header}", "The rows without it.")
    builder.gap()
    origin = Origin("a repeated header has the labels of the fields", spot, "incorrect-label")
    builder.rule("row(1)", f"{', '.join(labels)} | {other}, Any*", origin)
    return replace(layout, data=data)


def write_header(layout: Layout, resource: Resource, builder: SchemaBuilder) -> None:
    """The statements about the header as a whole."""
    schema, top = resource.schema, f"row({layout.top})"
    end = ", Missing*" if layout.is_open else ""
    rest = "(Any | Missing)*" if layout.is_open else "Any*"
    spot = resource.at.spot
    if not layout.header_rows:
        origin = Origin("the file is not empty", spot, "source-error")
        builder.rule(top, f"Any+{end}", origin, "=>")
        return
    if layout.is_open:
        origin = Origin("the file has a header", spot, "source-error")
        builder.rule(top, f"Any+{end}", origin, "=>")
        if schema is not None and schema.fields:
            _write_open_header(schema, top, rest, resource.dialect, builder)
    elif schema is not None:
        where, n = schema.at.to("fields").spot, layout.width
        about = f"the header has {n} label{'s' * (n != 1)}"
        builder.rule(top, f"Any{{{n}}}, Any*", Origin(about, where, "missing-label"), "=>")
        builder.rule(top, f"Any{{0,{n}}}", Origin(about, where, "extra-label"))
    if len(layout.header_rows) == 1:
        if not (layout.is_open and schema is not None and schema.fields):
            blank = Origin("no label is blank", spot, "blank-label")
            builder.rule(top, f"Text*{end}", blank)
        again = Origin("no label occurs twice", spot, "duplicate-label")
        builder.key([f"{top} and Text"], again)


def _write_open_header(
    schema: TableSchema, top: str, rest: str, dialect: Dialect, builder: SchemaBuilder
) -> None:
    """Which labels there must be, and which there may be, where labels decide."""
    mode = schema.fields_match
    where = schema.at.to("fieldsMatch").spot
    labels = {each.name: label_token(each.name, dialect, builder) for each in schema.fields}
    keys = schema.primary_key.fields if schema.primary_key is not None else ()
    for each in schema.fields:
        if mode in ("superset", "partial") and not (each.is_required or each.name in keys):
            continue
        about = f'fieldsMatch {mode}: there is a label "{each.name}"'
        origin = Origin(about, each.at.spot, "missing-label", None, each.name)
        builder.rule(top, f"{rest}, {labels[each.name]}, {rest}", origin, "=>")
    known = " | ".join(dict.fromkeys(labels.values()))
    if mode in ("equal", "superset"):
        origin = Origin(f"fieldsMatch {mode}: there are no other labels", where, "extra-label")
        builder.rule(top, f"({known} | Missing)*", origin)
    if mode == "partial":
        origin = Origin("fieldsMatch partial: a field has a label", where, "unmatched-header")
        builder.rule(top, f"{rest}, ({known}), {rest}", origin, "=>")


def label_token(name: str, dialect: Dialect, builder: SchemaBuilder) -> str:
    """What a label must be, as a content expression has it."""
    if not name:
        return "Empty"
    if not dialect.is_case_sensitive and name.lower() != name.upper():
        return builder.token(f"label {name}", f"(?i){escaped(name)}")
    return literal(name) if name.isprintable() else builder.token(f"label {name}", escaped(name))


def write_label(
    field: Field, number: int, layout: Layout, dialect: Dialect, builder: SchemaBuilder
) -> None:
    """The rule for the label of a field at its position."""
    where = field.at.to("name").spot
    origin = Origin(f'field "{field.name}", label', where, "incorrect-label", number, field.name)
    if len(layout.header_rows) == 1:
        token = label_token(field.name, dialect, builder)
        cell = f"({layout.top},{number})"
        selector = cell if token == "Empty" else f"{cell} and Text"
        builder.rule(selector, token, origin)
        return
    ways = _splits(field.name, dialect.header_join, len(layout.header_rows))
    if len(ways) > _MAX_SPLITS:
        message = f'field "{field.name}": its label can be split over the header in too many ways'
        builder.note(Note(message, where))
        return
    cells = " or ".join(f"({row},{number})" for row in layout.header_rows)
    content = " | ".join(
        ", ".join(label_token(part, dialect, builder) for part in way) for way in ways
    )
    builder.rule(cells, content, origin, "=>")


def _splits(name: str, join: str, rows: int) -> list[tuple[str, ...]]:
    """The ways to write a label in some rows: its parts, and blanks or repeats between them."""
    words = name.split(join) if join else [name]
    ways: dict[tuple[str, ...], None] = {}
    for count in range(1, min(len(words), rows) + 1):
        for cuts in combinations(range(1, len(words)), count - 1):
            ends = (0, *cuts, len(words))
            parts = [join.join(words[a:b]) for a, b in pairwise(ends)]
            for first in combinations(range(1, rows), count - 1):
                starts = (0, *first)
                repeated = [parts[sum(at <= ix for at in starts) - 1] for ix in range(rows)]
                filled = [parts[starts.index(ix)] if ix in starts else "" for ix in range(rows)]
                ways[tuple(filled)] = ways[tuple(repeated)] = None
                if len(ways) > _MAX_SPLITS:
                    return list(ways)
    return list(ways)


def column_region(
    field: Field, number: int | None, layout: Layout, dialect: Dialect, builder: SchemaBuilder
) -> str:
    """The name of the region with the cells of a field."""
    about = f"Field {field.name}" + (f": {field.title}." if field.title else ".")
    if number is not None:
        rows = "" if layout.data == "true" else f" and {layout.data}"
        return builder.region(field.name, f"col({number}){rows}", about)
    label = label_token(field.name, dialect, builder)
    rows = "" if layout.data in ("true", "not row(1)") else f" and {layout.data}"
    return builder.region(field.name, f"down+(row({layout.top}) and {label}){rows}", about)
