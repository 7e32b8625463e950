"""The public functions: schema text to verdict, stage by stage.

    parse -> desugar -> (read the data) -> run -> Verdict

In: paths or texts. Out: values: `Schema`, `Verdict`, regions, lints, explanations. Nothing is
computed here; this module connects the stages. The errors of a schema are raised together, as one
`SchemaError` with all diagnostics.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from sculpt.errors import DataError, UsageError
from sculpt.extras import need
from sculpt.interchange.load import load, schema_for, schema_of
from sculpt.schema import (
    Schema,
    SchemaLike,
    format_text,
    parse_selector_text,
    path_text,
    selector_task,
    undeclared_names,
)
from sculpt.verdict import DEFAULT_MAX_VIOLATIONS, Selection, Verdict, Verdicts, all_read

if TYPE_CHECKING:  # imported where it is used, so that calls that do not need it start quickly
    import pyarrow as pa
    from pyspark.sql import SparkSession

    from sculpt.checks.joint import JointProducer
    from sculpt.checks.model import Request
    from sculpt.engines.options import Progress
    from sculpt.tabular.grid import Grid
    from sculpt.transform.results import Results
    from sculpt.views.view import View

__all__ = [
    "ENGINES",
    "Schema",
    "extract",
    "format_text",
    "load",
    "parse_selector_text",
    "read_table",
    "run",
    "select",
    "select_cells",
    "undeclared_names",
    "validate",
    "validate_all",
    "view",
]

ENGINES = ("auto", "local", "spark", "reference")
MEMORY = "256MB"
"""How much entries of keys and references may take before they go to the temporary directory."""
Tables: TypeAlias = "Mapping[str, str | os.PathLike[str]] | None"
"""By the name of a table: the data to use instead of what the schema says."""


def read_table(schema: SchemaLike, path: str | os.PathLike[str]) -> Grid:
    """Read a file as a table, in the schema's dialect."""
    from sculpt.tabular.document import decode
    from sculpt.tabular.grid import read_grid
    from sculpt.tabular.inputs import read_bytes

    name = path_text(path)
    dialect = schema_for(schema, [name]).core.dialect
    return read_grid(decode(read_bytes(name), dialect.encoding), dialect)


def validate(
    schema: SchemaLike,
    path: str | os.PathLike[str] | None = None,
    engine: str = "auto",
    spark: SparkSession | None = None,
    max_violations: int = DEFAULT_MAX_VIOLATIONS,
    threads: int | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    on_remark: Callable[[str], None] | None = None,
    *,
    tables: Tables = None,
    files: str | os.PathLike[str] | None = None,
    skip_files: bool = False,
    memory: str | int = MEMORY,
) -> Verdict:
    """Check one file (`-` is standard input) against a schema, or the path of one.

    Without a path, the schema says where its data is: it is one of another system with one table.
    On Spark it uses the given session, or else one that is already running, or else starts one for
    this call. The verdict is that on the file: `validate_all` has those on other tables as well.
    `tables` replaces their data, `files` is the directory of conditions about files (`skip_files`
    takes them as met), and `memory` bounds what keys and references gather.
    """
    if path is None:
        schema = schema_of(schema)
        path = _own_data(schema)
    name = path_text(path)
    schema = schema_for(schema, [name])
    chosen = _choose_engine(engine, name, spark)
    request = _request(schema, tables, files, memory, skip_files)
    if chosen == "spark":
        from sculpt.spark.files import validate_file

        return validate_file(schema, name, spark, max_violations, request)
    if chosen == "reference" and request is None:
        from sculpt.engines import reference

        return reference.validate(schema.core, read_table(schema, path), name, max_violations)
    from sculpt.engines.options import Options

    options = Options(max_violations, threads, on_progress=on_progress, on_remark=on_remark)
    if request is None:
        from sculpt.engines import local

        return local.validate(schema.core, name, options)
    from sculpt.checks.validation import checked_files

    with checked_files(schema, [name], chosen, request, options) as found:
        return all_read(each.outcome for each in found)[0]


def _request(
    schema: Schema,
    tables: Tables,
    files: str | os.PathLike[str] | None,
    memory: str | int,
    skips_files: bool,
) -> Request | None:
    """What checks are given; `None` if the schema has only rules."""
    if not schema.has_checks and not tables:
        return None
    from sculpt.checks.model import request_of

    return request_of(tables, files, memory, skips_files)


def _own_data(schema: Schema) -> str:
    """The data that the only table of a schema has."""
    known = [table.data for table in schema.tables if table.data is not None]
    if schema.is_package and len(known) == len(schema.tables) == 1:
        return known[0]
    name = schema.source.name
    if schema.is_package:
        message = (
            f"has {len(schema.tables)} tables: use `sculpt.validate_all`, or name the data of one"
        )
        raise UsageError(f"{name}: {message}")
    message = "does not say where its data is: name a file, or several for `sculpt.validate_all`"
    raise UsageError(f"{name}: {message}")


def validate_all(
    schema: SchemaLike,
    paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
    engine: str = "auto",
    spark: SparkSession | None = None,
    max_violations: int = DEFAULT_MAX_VIOLATIONS,
    threads: int | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    on_remark: Callable[[str], None] | None = None,
    *,
    tables: Tables = None,
    files: str | os.PathLike[str] | None = None,
    skip_files: bool = False,
    memory: str | int = MEMORY,
) -> Verdicts:
    """Check files, directories and globs, and the other tables of the schema, all together.

    The outcomes are those of the given files, in order, then those of the other tables. A file that
    cannot be read is an `Unread`. A schema of tables and references only needs no paths.
    """
    from sculpt.checks.model import request_of
    from sculpt.checks.validation import checked_files
    from sculpt.engines.options import Options
    from sculpt.tabular.inputs import expand

    names = _names(paths)
    schema = schema_for(schema, names)
    chosen = _choose_engine(engine, names[0] if names else "", spark)
    request = request_of(tables, files, memory, skip_files)
    if chosen == "spark":
        from sculpt.spark import validate as on_spark
        from sculpt.spark.cluster.session import joined_session

        with joined_session(spark) as session:
            return on_spark(session, schema, names, max_violations, **request.for_spark).verdict
    options = Options(max_violations, threads, on_progress=on_progress, on_remark=on_remark)
    with checked_files(schema, list(expand(names)), chosen, request, options) as found:
        return Verdicts(chosen, tuple(each.outcome for each in found))


def view(
    schema: SchemaLike | None,
    path: str | os.PathLike[str],
    *selectors: str,
    engine: str = "auto",
    spark: SparkSession | None = None,
    settings: Iterable[str] = (),
    max_violations: int = DEFAULT_MAX_VIOLATIONS,
    threads: int | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    on_remark: Callable[[str], None] | None = None,
    tables: Tables = None,
    files: str | os.PathLike[str] | None = None,
    skip_files: bool = False,
    memory: str | int = MEMORY,
    rules_only: bool = False,
    request: Request | None = None,
) -> View:
    """A table as a schema sees it: verdict, regions, windows into the table. Close it after use.

    Without a schema it is the plain table; `settings` are directives, as for `--set`. The file (`-`
    is standard input) is read once; a window then costs a few megabytes of it at most. With Spark,
    the verdict is that of Spark, and the windows are read here. `tables`, `files`, `skip_files` and
    `memory` are those of `validate`, or else all are in `request`; with `rules_only`, keys,
    references and conditions are left out of the verdict.
    """
    from sculpt.engines.options import Options
    from sculpt.views.choice import view_of_file
    from sculpt.views.model import region_specs

    name = path_text(path)
    used = Schema.parse("", settings) if schema is None else schema_for(schema, [name], settings)
    regions = region_specs(used, selectors)
    chosen = _choose_engine(engine, name, spark)
    if request is None and not rules_only:
        request = _request(used, tables, files, memory, skip_files)
    verdict = None
    if chosen == "spark":
        from sculpt.spark.files import validate_file

        verdict = validate_file(used, name, spark, max_violations, request)
    options = Options(max_violations, threads, on_progress=on_progress, on_remark=on_remark)
    return view_of_file(used, name, regions, chosen, options, request, verdict)


def select(
    schema: SchemaLike,
    path: str | os.PathLike[str],
    selector: str,
    engine: str = "auto",
    spark: SparkSession | None = None,
) -> list[tuple[int, int]]:
    """The cells that a selector selects in a file, in table order."""
    return select_cells(schema, path, selector, engine, spark=spark).cells


def select_cells(
    schema: SchemaLike,
    path: str | os.PathLike[str],
    selector: str,
    engine: str = "auto",
    with_texts: bool = False,
    spark: SparkSession | None = None,
    on_remark: Callable[[str], None] | None = None,
) -> Selection:
    """The cells of a selector, the size of the table and, on request, the texts of the cells."""
    name = path_text(path)
    schema = schema_for(schema, [name])
    chosen = _choose_engine(engine, name, spark)
    tokens, node = parse_selector_text(schema, selector)
    if chosen == "spark":
        from sculpt.spark.files import select_in_file

        return select_in_file(schema, name, selector, with_texts, spark)
    if chosen == "local":
        from sculpt.engines import local
        from sculpt.engines.options import Options

        options = Options(on_remark=on_remark)
        return local.select(schema.core, tokens, name, node, with_texts, options)
    from sculpt.engines import reference

    grid = read_table(schema, path)
    cells = reference.select(tokens, grid, node)
    texts = [cell.text if (cell := grid.cell(*place)) else None for place in cells]
    return Selection(grid.height, grid.width, cells, texts if with_texts else None)


def select_in_order(
    schema: Schema,
    path: str | os.PathLike[str],
    selector: str,
    engine: str = "auto",
    on_remark: Callable[[str], None] | None = None,
) -> Generator[list[tuple[int, int, str | None]], None, tuple[int, int]]:
    """The cells of a selector with their texts (`None` for a padded one), batch by batch.

    A batch is made when it is asked for. Returns the number of rows and columns at the end.
    """
    name = path_text(path)
    if _choose_engine(engine, name, None) == "local":
        from sculpt.engines import local
        from sculpt.engines.options import Options

        tokens, node = parse_selector_text(schema, selector)
        options = Options(on_remark=on_remark)
        return (yield from local.select_in_order(schema.core, tokens, name, node, options))
    found = select_cells(schema, path, selector, engine, with_texts=True, on_remark=on_remark)
    yield [(*cell, text) for cell, text in zip(found.cells, found.texts or (), strict=True)]
    return found.rows, found.columns


def run(
    schema: SchemaLike,
    paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
    engine: str = "auto",
    spark: SparkSession | None = None,
    force: bool = False,
    only_good_rows: bool = False,
    threads: int | None = None,
    *,
    tables: Tables = None,
    files: str | os.PathLike[str] | None = None,
    skip_files: bool = False,
    memory: str | int = MEMORY,
) -> Results:
    """Validate files, then run the programs of a schema on them.

    Files that violate the schema raise `RefusedError`, unless `force` or `only_good_rows` is set.
    Results are computed on demand: `.table("Obs")` is an Arrow table, `.records("Obs")` iterates
    over the records, `.text` has the lines of `print`. Without paths, the programs of the schema's
    tables run on their data. `tables`, `files`, `skip_files` and `memory` are those of `validate`.
    """
    need("arrow", "`sculpt.run`")
    from sculpt.engines.options import Options
    from sculpt.policy import policy_of
    from sculpt.tabular.inputs import expand
    from sculpt.transform.guard import check_outputs
    from sculpt.transform.local import LocalProducer
    from sculpt.transform.results import Results

    policy = policy_of(force, only_good_rows)
    names = _names(paths)
    schema = schema_for(schema, names)
    if not names and not schema.tables:
        raise UsageError("no data given")
    chosen = _choose_engine(engine, names[0] if names else "", spark)
    request = _request(schema, tables, files, memory, skip_files)
    if chosen == "spark":
        from sculpt.spark.programs.records import spark_results

        return spark_results(schema, names, policy, spark, request)
    entries = []
    for entry in expand(names):
        if isinstance(entry, DataError):
            raise entry
        entries.append(entry)
    options = Options(threads=threads)
    producer: LocalProducer | JointProducer
    if names:
        validator = None
        if request is not None:
            from sculpt.checks.programs import ProgramValidator

            validator = ProgramValidator(schema, chosen, request, options)
        producer = LocalProducer(schema, entries, policy, chosen, options, validator)
    else:
        from sculpt.checks.joint import local_joint

        producer = local_joint(schema, policy, chosen, options, request)
    producer.validate()
    return Results(producer, partial(check_outputs, schema, names))


def extract(
    schema: SchemaLike,
    path: str | os.PathLike[str],
    region: str,
    engine: str = "auto",
    spark: SparkSession | None = None,
) -> pa.Table:
    """A region as an Arrow table of raw texts: only its own rows and columns (`c1`: column 1)."""
    need("arrow", "`sculpt.extract`")
    import pyarrow as pa

    from sculpt.transform.exports import region_schema

    name = path_text(path)
    parts = extracted(schema_for(schema, [name]), name, region, engine, spark)
    columns, _ = next(parts)
    return pa.Table.from_batches([batch for _, batch in parts], region_schema(columns))


def extracted(
    schema: Schema,
    path: str,
    region: str,
    engine: str = "auto",
    spark: SparkSession | None = None,
    on_remark: Callable[[str], None] | None = None,
) -> Iterator[tuple[set[int], pa.RecordBatch | None]]:
    """The columns of a region, then its rows in batches."""
    from sculpt.engines.options import Options
    from sculpt.transform.local import export_by_reference, export_region

    chosen = _choose_engine(engine, path, spark)
    task = selector_task(schema, region)
    if chosen == "spark":
        from sculpt.spark.programs.export import export_on_spark

        return export_on_spark(task, path, spark)
    if chosen == "reference":
        return export_by_reference(task, read_table(schema, path))
    return export_region(schema, task, path, Options(on_remark=on_remark))


def _names(paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> list[str]:
    """One path or several, as texts."""
    listed = [paths] if isinstance(paths, str | os.PathLike) else paths
    return [path_text(path) for path in listed]


def _choose_engine(engine: str, path: str, spark: SparkSession | None) -> str:
    """The engine to run on an input."""
    if engine not in ENGINES:
        known = ", ".join(f"`{name}`" for name in ENGINES)
        raise UsageError(f"unknown engine `{engine}`; the engines are {known}")
    if spark is not None and engine not in ("auto", "spark"):
        raise UsageError(f"the engine `{engine}` does not use a Spark session")
    from sculpt.engines.choice import check_installed, choose

    if engine == "auto":
        engine = choose([path], has_session=spark is not None).engine
    check_installed(engine, [path])
    return engine
