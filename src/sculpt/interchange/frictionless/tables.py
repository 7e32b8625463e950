"""A resource to the Sculpt text of its table.

In: a `Resource`. Out: a `TableText`, and its `Column`s for references between tables.

The statements, in this order (`export` reads them back); N is the number of fields:

    directives          `Trim = none`, `Blank Rows = keep`, and what the dialect says
    the header          `row(1) => Any{N}, Any*` (missing-label), `row(1) -> Any{0,N}`
                        (extra-label), `row(1) -> Text*` (blank-label), `key(row(1) and Text)`
                        (duplicate-label)
    the rows            `not row(1) -> Null*, Text, Any*` (blank-row), `not row(1) -> Any{N}, Any* |
                        Null*` (missing-cell), `not row(1) -> Any{0,N}` (extra-cell)
    each field          `(1,k) and Text -> "label"` (incorrect-label), `Name <= col(k) and not
                        row(1)`, `Name -> integer | Null` (type-error), then its constraints
    keys                `key(…)` (primary-key, unique-error), `… ~>+ …` (foreign-key)

A table without a schema, or whose fields are found by their labels (`fieldsMatch` other than
`exact`), is as wide as its header: `headings`. A row that is too short or too long is one
violation, at the first cell that is missing or too many.

Invariant: the text streams, except that a table as wide as its header is read again if a wider row
comes late. Cost: linear in the descriptor.
"""

from __future__ import annotations

from sculpt.interchange.builder import SchemaBuilder
from sculpt.interchange.frictionless import headings
from sculpt.interchange.frictionless.checklists import PickingBuilder, write_checks
from sculpt.interchange.frictionless.columns.constraints import Column, write_constraint
from sculpt.interchange.frictionless.columns.fields import typed
from sculpt.interchange.frictionless.columns.gaps import Gaps, gaps_of
from sculpt.interchange.frictionless.files import write_file_checks
from sculpt.interchange.frictionless.headings import Layout
from sculpt.interchange.frictionless.keys import write_keys
from sculpt.interchange.frictionless.model import At, Dialect, Field, Resource
from sculpt.interchange.frictionless.reading.shapes import Findings
from sculpt.interchange.model import TableText
from sculpt.origins import Note, Origin
from sculpt.values import field, frozen, replace


@frozen
class Written:
    """The text of a table, and its columns by the names of their fields."""

    table: TableText
    columns: dict[str, Column] = field(repr=False)
    layout: Layout


def write_table(resource: Resource, name: str, findings: Findings, part: int = 1) -> Written:
    """The text of a resource, or of one of the files that it consists of."""
    title = f"The resource {resource.name}" + (f": {resource.title}" if resource.title else "")
    title += "" if part == 1 else f", part {part} of its data"
    builder = PickingBuilder(f"{title}\nFrom {resource.at.spot}", resource.checklist)
    dialect = resource.dialect if part == 1 else replace(resource.dialect, header_rows=())
    if part > 1 and resource.is_by_label:
        resource = _without_fields(resource)
    schema = resource.schema
    fields = schema.fields if schema is not None else ()
    by_name = resource.is_by_label
    layout = headings.layout_of(dialect, len(fields), is_open=by_name or not fields)
    _write_directives(resource, dialect, layout, builder)
    layout = headings.with_regions(layout, builder)
    if part > 1 and not layout.is_open and resource.dialect.header_rows == (1,):
        layout = headings.with_repeated_header(layout, fields, resource, builder)
    missing = _missing(schema.missing if schema is not None else ("",), dialect)
    has_own = any(each.missing is not None for each in fields)
    if fields and not layout.is_open and all(each.missing is not None for each in fields):
        missing = ("",)  # not used, and not to be defined
    gaps = gaps_of(missing, layout.is_open, builder)
    at = schema.at if schema is not None else resource.at
    headings.write_header(layout, resource, builder)
    if not has_own:
        _write_blank_row(layout, gaps, at, builder)
        _write_rows(layout, gaps.blank, at, builder)
    columns = {}
    for number, each in enumerate(fields, 1):
        position = None if by_name else number
        columns[each.name] = _write_field(each, position, layout, gaps, dialect, builder, findings)
    if has_own:
        blank = _write_given_row(layout, columns, gaps, at, builder)
        _write_rows(layout, blank, at, builder)
    if schema is not None and fields:
        write_keys(schema, columns, builder, resource.name)
    write_file_checks(resource, part, layout, builder)
    write_checks(resource, columns, layout, builder, findings)
    data = resource.paths[part - 1] if resource.paths else None
    return Written(builder.build(name, data), columns, layout)


def _without_fields(resource: Resource) -> Resource:
    """A file whose columns are in the order of another file's labels."""
    assert resource.schema is not None
    has_own = any(each.missing is not None for each in resource.schema.fields)
    missing = () if has_own else resource.schema.missing
    schema = replace(resource.schema, fields=(), fields_match="exact", missing=missing)
    checklist = resource.checklist and replace(resource.checklist, checks=())
    return replace(resource, schema=schema, checklist=checklist)


def _missing(given: tuple[str, ...], dialect: Dialect) -> tuple[str, ...]:
    extra = dialect.null_sequence
    return given if extra is None or extra in given else (*given, extra)


def _write_directives(
    resource: Resource, dialect: Dialect, layout: Layout, builder: SchemaBuilder
) -> None:
    """What the dialect says about the file."""
    if dialect.delimiter not in (None, ","):
        builder.directive("Col Delim", dialect.delimiter)
    if dialect.line_terminator not in (None, "\r\n", "\n", "\r"):
        builder.directive("Row Delim", dialect.line_terminator)
    if dialect.quote != '"':
        builder.directive("Quote", dialect.quote or "none")
    if dialect.escape is not None:
        builder.directive("Escape", dialect.escape)
        if dialect.quote:
            builder.directive("Escapes", "everywhere")
        if dialect.double_quote and dialect.quote:
            message = "with an escape character, a doubled quote is not one quote"
            builder.note(Note(message, dialect.at.to("escapeChar").spot))
    builder.directive("Trim", "left" if dialect.skip_initial_space else "none")
    if dialect.comment is not None:
        builder.directive("Comment", dialect.comment)
        if dialect.comment_rows or dialect.header_rows not in ((), (1,)):
            message = "rows are counted without comment lines"
            builder.note(Note(message, dialect.at.to("commentChar").spot))
    builder.directive("Blank Rows", "skip" if dialect.skip_blank_rows else "keep")
    if dialect.skip_blank_rows:
        message = "rows that have only delimiters or quotes are not skipped"
        builder.note(Note(message, dialect.at.to("skipBlankRows").spot))
    if resource.encoding is not None:
        builder.directive("Encoding", resource.encoding)
    if layout.is_open:
        builder.directive("Padding", "strict")
    builder.gap()


def _write_blank_row(layout: Layout, gaps: Gaps, at: At, builder: SchemaBuilder) -> None:
    """A row is not blank."""
    rest = "(Any | Missing)*" if layout.is_open else "Any*"
    origin = Origin("a row has a value", at.spot, "blank-row")
    builder.rule(layout.data, f"{gaps.blank}*, {gaps.given(builder)}, {rest}", origin)


def _write_given_row(
    layout: Layout, columns: dict[str, Column], common: Gaps, at: At, builder: SchemaBuilder
) -> str:
    """A row is not blank, where it depends on the column which texts are values.

    What reads a cell without a value, as an alternative, is given back.
    """
    given = " or ".join(f"{each.region} and {each.gaps.selector}" for each in columns.values())
    if layout.is_open:
        others = " and ".join(f"not {each.region}" for each in columns.values())
        given += f" or {layout.labelled} and {common.selector} and {others}"
    region = builder.region("Given", given, "The cells that have a value.")
    rest = "(Any | Missing)*" if layout.is_open else "Any*"
    origin = Origin("a row has a value", at.spot, "blank-row")
    builder.gap()
    builder.rule(layout.data, f"{rest}, {region}, {rest}", origin)
    blank = builder.region("Blank", f"not {region}", "The cells that have none.")
    builder.gap()
    return f"({blank} | Missing)"


def _write_rows(layout: Layout, blank: str, at: At, builder: SchemaBuilder) -> None:
    """How many cells a row has; `blank` reads a cell without a value."""
    spot = at.spot

    def origin(construct: str, kind: str) -> Origin:
        return Origin(construct, spot, kind)

    rows = layout.data
    if layout.is_open:
        builder.rule(
            layout.labelled,
            f"Any* | {blank}*",
            origin("a row has a cell for each label", "missing-cell"),
        )
        content = f"({layout.labelled} | Missing)*"
        builder.rule(rows, content, origin("a row has no other cells", "extra-cell"))
        return
    n = layout.width
    about = f"a row has {n} cell{'s' * (n != 1)}"
    builder.rule(rows, f"Any{{{n}}}, Any* | {blank}*", origin(about, "missing-cell"))
    builder.rule(rows, f"Any{{0,{n}}}", origin(about, "extra-cell"))
    builder.gap()


def _write_field(
    each: Field,
    number: int | None,
    layout: Layout,
    common: Gaps,
    dialect: Dialect,
    builder: SchemaBuilder,
    findings: Findings,
) -> Column:
    """The label, the type and the constraints of a field."""
    builder.gap()
    if number is not None and layout.header_rows:
        headings.write_label(each, number, layout, dialect, builder)
    gaps = common
    if each.missing is not None:
        gaps = gaps_of(_missing(each.missing, dialect), layout.is_open, builder)
    region = headings.column_region(each, number, layout, dialect, builder)
    kind = typed(each, builder)
    column = Column(each, number, region, kind, gaps)
    if kind.name:
        shown = each.type if each.format == "default" else f"{each.type}, format {each.format}"
        where = each.at.to("type") if "type" in _given(each) else each.at
        origin = Origin(
            f'field "{each.name}", type {shown}', where.spot, "type-error", number, each.name
        )
        rest = "Missing" if kind.name in ("String", "Any") else gaps.content
        builder.rule(region, f"{kind.name} | {rest}", origin)
    for constraint in each.constraints:
        write_constraint(column, constraint, builder, findings)
    return column


def _given(each: Field) -> dict[str, object]:
    """The JSON of a field."""
    value = each.at.document.value
    for part in each.at.path:
        value = value[part]
    return dict(value)
