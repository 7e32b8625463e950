"""The contestants: ours and others, each doing the same checks on the same file.

In: a table or a multi-section file. Out: `Contestant`s: functions from a path to a number that is
known beforehand, mostly that of violating rows. What can be prepared once (schemas, queries,
compiled expressions) is made before the clock starts. Peers are imported when first used.

What a peer's reader refuses (a row with too many cells) counts as checked. The header row, and in
a multi-section file the last record, are compared separately, which costs next to nothing.
"""

from __future__ import annotations

import csv
import importlib
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from data import Column, Sections, Table, Written

import sculpt

THREADS = 2
# Polars reads this variable once, when it is imported.
os.environ.setdefault("POLARS_MAX_THREADS", str(THREADS))


def spelt(threads: int) -> str:
    return "1 thread" if threads == 1 else f"{threads} threads"


OURS = f"sculpt, {spelt(THREADS)}"
DUCKDB = f"DuckDB, {THREADS} threads"
POLARS = f"Polars, {THREADS} threads"
PEERS = ("duckdb", "polars", "pandera", "frictionless")


class PeerMissingError(Exception):
    """A library to compare with is not installed."""


@dataclass(frozen=True, slots=True)
class Contestant:
    """One way to check a file, or (a limit) to read it without checking anything."""

    name: str
    run: Callable[[Path], int]
    expected: Callable[[Written], int]
    slow: bool = False
    """Runs on a sample of the file."""
    limit: bool = False
    note: str = ""


def load(module: str) -> Any:
    """A peer's module, or an error that says what to install."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise PeerMissingError(
            f"{package} is not installed: {error}\n"
            f"install the peers: .venv/bin/pip install {' '.join(PEERS)}"
        ) from error


def contestants(table: Table | Sections) -> list[Contestant]:
    """All contestants for this file: ours first, then the peers and the limits."""
    ours = [sculpt_on(table.schema, threads) for threads in (1, THREADS)]
    if isinstance(table, Sections):
        return [
            *ours,
            duckdb_sections(table),
            polars_sections(table),
            python_sections(table),
            *limits(_generic_columns(table), header=False),
        ]
    return [
        *ours,
        duckdb_table(table.columns),
        polars_table(table.columns),
        pandera_table(table.columns),
        frictionless_table(table.columns),
        python_table(table.columns),
        *limits([(column.name, column.kind) for column in table.columns], header=True),
    ]


def limits(columns: Sequence[tuple[str, str]], header: bool) -> list[Contestant]:
    """A typed parse by DuckDB and by Polars, without checks, and a plain read."""
    return [
        duckdb_parse(columns, header),
        polars_parse(columns, header),
        Contestant("plain read", _plain_read, lambda written: written.bytes, limit=True),
    ]


# --- Ours --------------------------------------------------------------------------------------


def sculpt_on(schema_text: str, threads: int) -> Contestant:
    schema = sculpt.Schema.parse(schema_text)

    def run(path: Path) -> int:
        return sculpt.validate(schema, path, engine="local", threads=threads).violation_count

    return Contestant(f"sculpt, {spelt(threads)}", run, _violating)


# --- DuckDB ------------------------------------------------------------------------------------

_DUCKDB_TYPES = {"number": "DOUBLE", "date": "DATE", "text": "VARCHAR"}


def _read_csv(columns: Sequence[tuple[str, str]], header: bool) -> str:
    """A call of `read_csv` on `$path`."""
    types = ", ".join(f"'{name}': '{kind}'" for name, kind in columns)
    padding = "" if header else ", null_padding=true"
    return (
        f"read_csv($path, auto_detect=false, header={header}, delim=',', quote='\"', "
        f"escape='\"'{padding}, columns={{{types}}})"
    )


def _duckdb(query: str) -> Callable[[Path], int]:
    connection = load("duckdb").connect(config={"threads": THREADS})

    def run(path: Path) -> int:
        found: int = connection.execute(query, {"path": str(path)}).fetchone()[0]
        return found

    return run


def _sql_matches(name: str, pattern: str) -> str:
    return f"regexp_full_match({name}, '{pattern}')"


def duckdb_table(columns: Sequence[Column]) -> Contestant:
    source = _read_csv([(column.name, "VARCHAR") for column in columns], header=True)
    checks = " AND ".join(_sql_matches(c.name, c.pattern) for c in columns if c.pattern)
    # A NULL cell makes the condition NULL, so count good rows, not bad ones.
    query = _duckdb(f"SELECT count(*) - count(*) FILTER (WHERE {checks}) FROM {source}")
    return Contestant(
        DUCKDB,
        lambda path: query(path) + _header_differs(path, columns),
        _violating,
        note="read_csv as text, regexp_full_match",
    )


def duckdb_sections(table: Sections) -> Contestant:
    columns = _generic_columns(table)
    source = _read_csv([(name, "VARCHAR") for name, _ in columns], header=False)
    content = " ".join(
        f"WHEN '{kind}' THEN "
        + " AND ".join(
            _sql_matches(name, fields[ix].pattern) if ix < len(fields) else f"{name} IS NULL"
            for ix, (name, _) in enumerate(columns[1:])
        )
        for kind, fields in table.kinds.items()
    )
    pairs = ", ".join(
        f"'{before or ''}{after}'" for before, after in sorted(table.order, key=str) if after
    )
    query = _duckdb(
        f"SELECT count(*) - count(*) FILTER (WHERE fits AND pair IN ({pairs})) FROM ("
        f"SELECT CASE c1 {content} END AS fits, coalesce(lag(c1) OVER (), '') || c1 AS pair "
        f"FROM {source})"
    )
    return Contestant(
        DUCKDB,
        lambda path: query(path) + _last_is_wrong(path, table),
        _violating,
        note="CASE on the record type; order as pairs of neighbours by lag(), not in general",
    )


def duckdb_parse(columns: Sequence[tuple[str, str]], header: bool) -> Contestant:
    source = _read_csv([(name, _DUCKDB_TYPES[kind]) for name, kind in columns], header)
    return Contestant(
        "DuckDB typed parse",
        _duckdb(f"SELECT count(COLUMNS(*)) FROM {source}"),
        lambda written: written.rows - header,
        limit=True,
        note=_parse_note(columns),
    )


# --- Polars ------------------------------------------------------------------------------------


def _anchored(pattern: str) -> str:
    return f"^(?:{pattern})$"


def _scan(path: Path, names: Sequence[str], header: bool, types: Sequence[Any]) -> Any:
    schema = dict(zip(names, types, strict=True))
    missing = {} if header else {"missing_columns": "insert"}
    return load("polars").scan_csv(path, schema=schema, has_header=header, **missing)


def polars_table(columns: Sequence[Column]) -> Contestant:
    pl = load("polars")
    names = [column.name for column in columns]
    fits = [pl.col(c.name).str.contains(_anchored(c.pattern)) for c in columns if c.pattern]
    bad = pl.all_horizontal(fits).fill_null(False).not_().sum()

    def run(path: Path) -> int:
        frame = _scan(path, names, True, [pl.String] * len(names))
        found: int = frame.select(bad).collect(engine="streaming").item()
        return found + _header_differs(path, columns)

    note = "scan_csv as text, streaming engine, str.contains anchored"
    return Contestant(POLARS, run, _violating, note=note)


def polars_sections(table: Sections) -> Contestant:
    pl = load("polars")
    names = [name for name, _ in _generic_columns(table)]
    kind_of = pl.col("c1")
    fits = pl.lit(False)
    for kind, fields in table.kinds.items():
        cells = [
            pl.col(name).str.contains(_anchored(fields[ix].pattern))
            if ix < len(fields)
            else pl.col(name).is_null()
            for ix, name in enumerate(names[1:])
        ]
        fits = pl.when(kind_of == kind).then(pl.all_horizontal(cells)).otherwise(fits)
    pairs = [(before or "") + after for before, after in table.order if after]
    in_order = (kind_of.shift().fill_null("") + kind_of).is_in(pairs)
    bad = (fits & in_order).fill_null(False).not_().sum()

    def run(path: Path) -> int:
        frame = _scan(path, names, False, [pl.String] * len(names))
        found: int = frame.select(bad).collect(engine="streaming").item()
        return found + _last_is_wrong(path, table)

    note = "when/then on the record type; order as pairs of neighbours by shift(), not in general"
    return Contestant(POLARS, run, _violating, note=note)


def polars_parse(columns: Sequence[tuple[str, str]], header: bool) -> Contestant:
    pl = load("polars")
    types = {"number": pl.Float64, "date": pl.Date, "text": pl.String}

    def run(path: Path) -> int:
        names = [name for name, _ in columns]
        frame = _scan(path, names, header, [types[kind] for _, kind in columns])
        found: int = frame.select(pl.all().count()).collect(engine="streaming").row(0)[0]
        return found

    note = _parse_note(columns)
    return Contestant(
        "Polars typed parse", run, lambda written: written.rows - header, limit=True, note=note
    )


def pandera_table(columns: Sequence[Column]) -> Contestant:
    pl, pa = load("polars"), load("pandera.polars")
    rules = {
        c.name: pa.Column(str, pa.Check.str_matches(_anchored(c.pattern)), nullable=False)
        for c in columns
    }
    schema = pa.DataFrameSchema(rules, strict=True, ordered=True)

    def run(path: Path) -> int:
        frame = pl.read_csv(path, infer_schema=False)
        try:
            schema.validate(frame, lazy=True)
        except pa.errors.SchemaErrors as error:
            found: int = error.failure_cases["index"].n_unique()
            return found
        return 0

    return Contestant("pandera on Polars", run, _violating, note="a whole frame, in memory")


# --- Plain Python ------------------------------------------------------------------------------


def frictionless_table(columns: Sequence[Column]) -> Contestant:
    frictionless = load("frictionless")
    fields = [
        {
            "name": column.name,
            "type": "string",
            "constraints": {"pattern": f"(?:{column.pattern})", "required": True},
        }
        for column in columns
    ]

    def run(path: Path) -> int:
        # It refuses absolute paths unless `trusted` is set.
        with frictionless.system.use_context(trusted=True):
            schema = frictionless.Schema.from_descriptor({"fields": fields})
            resource = frictionless.Resource(path=str(path), schema=schema)
            report = resource.validate(limit_errors=10_000_000)
        return len({row for (row,) in report.flatten(["rowNumber"])})

    return Contestant("frictionless", run, _violating, slow=True)


def python_table(columns: Sequence[Column]) -> Contestant:
    matches = [re.compile(column.pattern).fullmatch for column in columns]

    def run(path: Path) -> int:
        bad = 0
        with path.open(newline="", encoding="utf-8") as file:
            rows = csv.reader(file)
            next(rows)
            for row in rows:
                if len(row) != len(matches) or not all(
                    match(cell) for match, cell in zip(matches, row, strict=True)
                ):
                    bad += 1
        return bad + _header_differs(path, columns)

    return Contestant("csv + re", run, _violating, slow=True)


def python_sections(table: Sections) -> Contestant:
    kinds = {
        kind: [re.compile(column.pattern).fullmatch for column in columns]
        for kind, columns in table.kinds.items()
    }

    def run(path: Path) -> int:
        bad = 0
        before = None
        with path.open(newline="", encoding="utf-8") as file:
            for kind, *cells in csv.reader(file):
                matches = kinds.get(kind, [])
                if (
                    (before, kind) not in table.order
                    or len(cells) != len(matches)
                    or not all(match(cell) for match, cell in zip(matches, cells, strict=True))
                ):
                    bad += 1
                before = kind
        return bad + ((before, None) not in table.order)

    return Contestant("csv + re", run, _violating, slow=True)


def _plain_read(path: Path) -> int:
    buffer = bytearray(1 << 22)
    read = 0
    with path.open("rb", buffering=0) as file:
        while count := file.readinto(buffer):
            read += count
    return read


# --- Shared ------------------------------------------------------------------------------------


def _violating(written: Written) -> int:
    return written.violating


def _generic_columns(table: Sections) -> list[tuple[str, str]]:
    """Names for columns whose meaning depends on the kind of record."""
    return [(f"c{n}", "text") for n in range(1, table.width + 1)]


def _parse_note(columns: Sequence[tuple[str, str]]) -> str:
    text_only = all(kind == "text" for _, kind in columns)
    types = "; all columns are text" if text_only else ""
    return f"checks nothing; counts each column, so that each is parsed{types}"


def _header_differs(path: Path, columns: Sequence[Column]) -> bool:
    with path.open(newline="", encoding="utf-8") as file:
        return next(csv.reader(file)) != [column.name for column in columns]


def _last_is_wrong(path: Path, table: Sections) -> bool:
    with path.open("rb") as file:
        file.seek(-min(path.stat().st_size, 4096), os.SEEK_END)
        last = file.read().splitlines()[-1].decode()
    return (last.partition(",")[0], None) not in table.order
