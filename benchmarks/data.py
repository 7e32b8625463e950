"""The tables that the benchmarks validate: a schema, the same checks as expressions, and rows.

In: a table, a size, a share of rows to spoil. Out: a file, and how many of its rows are wrong.
The rows come from a seeded generator, so the same call writes the same bytes on every machine with
the same numpy. A spoilt row has one bad cell and breaks one rule, so the numbers of violations, of
violating rows and of spoilt rows are the same, and every contestant must find that number.

Blocks of rows are made column by column from pools of ready texts, at about 50 MB/s.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sculpt.core.builtins import FRIENDLY, XSD

SEED = 20240414
MEGABYTE = 1_000_000
POOL = 20_000
BLOCK_CELLS = 50_000

Random = np.random.Generator


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, what its cells must match, and cells that do not."""

    name: str
    pattern: str
    kind: str
    """Its type for a typed parse: number, date or text."""
    make: Callable[[Random], str]
    """A cell as written in the file, quotes included."""
    bad: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Columns of equal length below a header row."""

    name: str
    title: str
    schema: str
    columns: tuple[Column, ...]

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.columns]


@dataclass(frozen=True, slots=True)
class Sections:
    """Records of several kinds: the first cell says which kind, and so what the row holds."""

    name: str
    title: str
    schema: str
    kinds: dict[str, tuple[Column, ...]]
    order: frozenset[tuple[str | None, str | None]]
    """Which kind may follow which; `None` is the start or end of the file."""

    @property
    def width(self) -> int:
        return 1 + max(map(len, self.kinds.values()))


@dataclass(frozen=True, slots=True)
class Written:
    """A file as it was written."""

    path: Path
    bytes: int
    rows: int
    columns: int
    violating: int

    @property
    def megabytes(self) -> float:
        return self.bytes / MEGABYTE


# --- Cells -------------------------------------------------------------------------------------

_SYLLABLES = ("ka", "lo", "mi", "ren", "to", "sa", "vel", "dor", "an", "bri", "cho", "fen", "gu")
_HOSTS = ("example.com", "mail.example.org", "post.example.net", "a-b.example.co.uk")

TIMESTAMP = r"[0-9]{4}\.[0-9]{2}"
TEMPERATURE = r"-?[0-9]{1,2}\.[0-9]{2}"
NUMBER = FRIENDLY["Number"]
DATE = XSD["date"]
ID = r"[A-Z]{2}-[0-9]{6,8}"
PERSON = r"[A-Z][A-Za-z\-]+, [A-Z][A-Za-z]+( [\"][A-Z][a-z]+[\"])?"
AMOUNT = r"-?[0-9]+\.[0-9]{2}"
EMAIL = r"[A-Za-z0-9._+\-]+@[A-Za-z0-9\-]+(\.[A-Za-z0-9\-]+)+"


def _timestamp(random: Random) -> str:
    return f"{random.integers(1850, 2100)}.{random.integers(0, 100):02}"


def _temperature(random: Random) -> str:
    return f"{random.uniform(-40, 45):.2f}"


def _date(random: Random) -> str:
    days = int(random.integers(0, 40_000))
    return str(np.datetime64("1950-01-01") + np.timedelta64(days, "D"))


def _word(random: Random) -> str:
    return "".join(random.choice(_SYLLABLES, int(random.integers(2, 4))))


def _id(random: Random) -> str:
    letters = "".join(random.choice(list("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), 2))
    return f"{letters}-{random.integers(100_000, 100_000_000)}"


def _person(random: Random) -> str:
    name = f"{_word(random).title()}, {_word(random).title()}"
    nickname = f' ""{_word(random).title()}""' if random.random() < 0.1 else ""
    return f'"{name}{nickname}"'


def _amount(random: Random) -> str:
    text = f"{random.uniform(-5_000, 50_000):.2f}"
    return f'"{text}"' if random.random() < 0.5 else text


def _email(random: Random) -> str:
    return f"{_word(random)}.{_word(random)}{random.integers(0, 1000)}@{random.choice(_HOSTS)}"


def _ordinal(random: Random) -> str:
    return str(random.integers(1, 1_000_000))


def _account(random: Random) -> str:
    return f"LS-{random.integers(100, 1000)}-{random.integers(1000, 10_000)}"


def _plain_amount(random: Random) -> str:
    return f"{random.uniform(0, 50_000):.2f}"


def _remark(random: Random) -> str:
    return f"{_word(random)} {_word(random)}"


def _currency(random: Random) -> str:
    return str(random.choice(["EUR", "GBP", "SEK"]))


_BAD_NUMBERS = ("n/a", "12.3.4", "1O.50", "")


def _temperature_column(name: str, pattern: str = TEMPERATURE) -> Column:
    return Column(name, pattern, "number", _temperature, _BAD_NUMBERS)


# --- Tables ------------------------------------------------------------------------------------


def _header_rule(names: Sequence[str]) -> str:
    return f"row(1) -> {', '.join(names)}"


def numeric() -> Table:
    """A climate table: a time and 19 stations, no quotes."""
    stations = [f"S{n:02}" for n in range(1, 20)]
    columns = (
        Column("time", TIMESTAMP, "number", _timestamp, ("1935", "193x.04", "")),
        *map(_temperature_column, stations),
    )
    lines = [
        f"timestamp = {TIMESTAMP}",
        f"temperature = {TEMPERATURE}",
        _header_rule(["time", *stations]),
        "col(time) -> timestamp",
        *(f"col({station}) -> temperature" for station in stations),
    ]
    title = "unquoted climate shape: a header row, 20 numeric columns, a rule for each"
    return Table("numeric", title, "\n".join(lines), columns)


def quoted() -> Table:
    """A ledger: names in quotes, half of the amounts too, the rest without."""
    columns = (
        Column("id", ID, "text", _id, ("AB123456", "ab-123456", '"AB-12,3456"', "")),
        Column("date", DATE, "date", _date, ("2023-02-29", "2024-13-01", "24-01-01", "")),
        Column("name", PERSON, "text", _person, ("Ruiz", '"Ruiz; M"', '"Ruiz, Ma\nria"', '""')),
        Column("amount", AMOUNT, "number", _amount, ('"1,000.00"', "12.3", '"12"', "")),
        Column("email", EMAIL, "text", _email, ("nobody", "a@b", '"a b@example.com"', "")),
    )
    lines = [
        f"identifier = {ID}",
        f"person = {PERSON}",
        f"money = {AMOUNT}",
        f"address = {EMAIL}",
        _header_rule([column.name for column in columns]),
        "col(id) -> identifier",
        "col(date) -> xs:date",
        "col(name) -> person",
        "col(amount) -> money",
        "col(email) -> address",
    ]
    title = "mixed quoted: ids, dates, names with commas and doubled quotes, amounts, e-mails"
    return Table("quoted", title, "\n".join(lines), columns)


def wide(width: int = 2_000) -> Table:
    """Many numeric columns, checked by one rule on the whole row, so its length counts too."""
    names = [f"C{n:05}" for n in range(width)]
    columns = tuple(_temperature_column(name, NUMBER) for name in names)
    lines = ["heading = C[0-9]+"]
    # A content expression counts up to 10,000.
    count = f"{{{width}}}" if width <= 10_000 else "*"
    lines += [f"row(1) -> heading{count}", f"not row(1) -> Number{count}"]
    title = f"{width:,} numeric columns below a header row, one rule on each whole row"
    return Table("wide", title, "\n".join(lines), columns)


def ruled(width: int, rules: int) -> Table:
    """The first columns of a wide table, each with its own rule; eight different tokens."""
    tokens = [rf"-?[0-9]{{1,{n + 2}}}\.[0-9]{{2}}" for n in range(8)]
    names = [f"C{n:05}" for n in range(width)]
    columns = tuple(
        _temperature_column(name, tokens[n % 8] if n < rules else "")
        for n, name in enumerate(names)
    )
    lines = [f"token{n} = {token}" for n, token in enumerate(tokens)]
    lines += [f"col({names[n]}) -> token{n % 8}" for n in range(rules)]
    title = f"{rules:,} of {width:,} columns with a rule each"
    return Table("ruled", title, "\n".join(lines), columns)


def sections() -> Sections:
    """Batches of payments: a header, details, a trailer, and so on."""
    batch = Column("batch", "[A-Z]{2}-[0-9]{6,8}", "text", _id, ("17", ""))
    day = Column("day", DATE, "date", _date, ("2023-02-29", "today"))
    currency = Column("currency", "EUR|GBP|SEK", "text", _currency, ("USD", "eur"))
    ordinal = Column("ordinal", "[1-9][0-9]*", "number", _ordinal, ("0", "-1", "", "1x"))
    account = Column("account", "LS-[0-9]{3}-[0-9]{4}", "text", _account, ("LS-1-1", "LS"))
    amount = Column("amount", r"[0-9]+\.[0-9]{2}", "number", _plain_amount, ("1", ".50", "x"))
    remark = Column("remark", "[a-z]+( [a-z]+)*", "text", _remark, ("Late", "a  b"))
    lines = [
        f"batch = {batch.pattern}",
        f"currency = {currency.pattern}",
        f"ordinal = {ordinal.pattern}",
        f"account = {account.pattern}",
        f"amount = {amount.pattern}",
        f"remark = {remark.pattern}",
        "col(1) => (H, D+, T)+",
        "right+(H and col(1)) -> batch, xs:date, currency",
        "right+(D and col(1)) -> ordinal, account, amount, remark",
        "right+(T and col(1)) -> ordinal, amount",
    ]
    return Sections(
        "sections",
        "record types in the first column, rows of three widths, section order by `=>`",
        "\n".join(lines),
        {
            "H": (batch, day, currency),
            "D": (ordinal, account, amount, remark),
            "T": (ordinal, amount),
        },
        frozenset(
            {(None, "H"), ("H", "D"), ("D", "D"), ("D", "T"), ("T", "H"), ("T", None)},
        ),
    )


# --- Files -------------------------------------------------------------------------------------


def write(table: Table | Sections, path: Path, megabytes: float, spoilt: float = 0.0) -> Written:
    """Write rows up to a size, a share of them spoilt; in a spoilt multi-section file, one record
    is also out of order."""
    random = np.random.default_rng(SEED)
    goal = int(megabytes * MEGABYTE)
    rows = violating = size = 0
    with path.open("wb") as file:
        if isinstance(table, Table):
            size += file.write((",".join(table.names) + "\n").encode())
            rows += 1
            columns, block = len(table.columns), _table_blocks(table, random)
        else:
            columns, block = table.width, _section_blocks(table, random)
        while size < goal:
            lines, wrong = block(spoilt)
            size += file.write(("\n".join(lines) + "\n").encode())
            rows += len(lines)
            violating += wrong
        if isinstance(table, Sections) and spoilt:
            size += file.write(b"T,1,1.00\n")
            rows += 1
            violating += 1
        # Otherwise the kernel writes the pages out while the first contestants run.
        file.flush()
        os.fsync(file.fileno())
    return Written(path, size, rows, columns, violating)


def write_one_row(path: Path, cells: int) -> Written:
    """Write one row of a number of short numbers."""
    random = np.random.default_rng(SEED)
    size = 0
    with path.open("wb") as file:
        for begin in range(0, cells, 1_000_000):
            count = min(1_000_000, cells - begin)
            numbers = ",".join(map(str, random.integers(0, 100, count).tolist()))
            size += file.write(numbers.encode())
            size += file.write(b"\n" if begin + count == cells else b",")
        file.flush()
        os.fsync(file.fileno())
    return Written(path, size, 1, cells, 0)


Blocks = Callable[[float], tuple[list[str], int]]


def _pool(column: Column, random: Random) -> Any:
    size = POOL if column.kind != "text" else POOL // 4
    return np.array([column.make(random) for _ in range(size)], dtype=object)


def _pools(columns: Sequence[Column], random: Random) -> list[Any]:
    """A pool for each column; columns of the same kind share one."""
    made: dict[Callable[[Random], str], Any] = {}
    for column in columns:
        if column.make not in made:
            made[column.make] = _pool(column, random)
    return [made[column.make] for column in columns]


def _draw(pools: Sequence[Any], random: Random, rows: int) -> list[list[str]]:
    first = pools[0]
    if all(pool is first for pool in pools):  # much faster if there are many columns
        cells: list[list[str]] = first[random.integers(0, len(first), (len(pools), rows))].tolist()
        return cells
    return [pool[random.integers(0, len(pool), rows)].tolist() for pool in pools]


def _spoil(cells: list[list[str]], columns: Sequence[Column], random: Random, share: float) -> int:
    """Make one cell bad in a share of the rows; return how many rows."""
    height = len(cells[0])
    chosen = np.flatnonzero(random.random(height) < share).tolist()
    ruled_columns = [ix for ix, column in enumerate(columns) if column.pattern]
    for row_ix in chosen:
        col_ix = int(random.choice(ruled_columns))
        bad = columns[col_ix].bad
        cells[col_ix][row_ix] = bad[int(random.integers(len(bad)))]
    return len(chosen)


def _table_blocks(table: Table, random: Random) -> Blocks:
    pools = _pools(table.columns, random)
    height = max(1, BLOCK_CELLS // len(pools))

    def block(share: float) -> tuple[list[str], int]:
        cells = _draw(pools, random, height)
        wrong = _spoil(cells, table.columns, random, share) if share else 0
        return list(map(",".join, zip(*cells, strict=True))), wrong

    return block


def _section_blocks(table: Sections, random: Random) -> Blocks:
    pools = {kind: _pools(columns, random) for kind, columns in table.kinds.items()}
    batches = 50

    def records(kind: str, count: int, share: float) -> tuple[list[str], int]:
        cells = _draw(pools[kind], random, count)
        wrong = _spoil(cells, table.kinds[kind], random, share) if share else 0
        return list(map(",".join, zip([kind] * count, *cells, strict=True))), wrong

    def block(share: float) -> tuple[list[str], int]:
        lengths = random.integers(1, 200, batches).tolist()
        heads, wrong_heads = records("H", batches, share)
        details, wrong_details = records("D", sum(lengths), share)
        trailers, wrong_trailers = records("T", batches, share)
        lines = []
        begin = 0
        for head, length, trailer in zip(heads, lengths, trailers, strict=True):
            lines.append(head)
            lines += details[begin : begin + length]
            lines.append(trailer)
            begin += length
        return lines, wrong_heads + wrong_details + wrong_trailers

    return block
