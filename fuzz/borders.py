"""Faults planted where chunks meet: each is found at its place, and nothing else is.

In: the shape of a valid table, the size of chunks, and a plan: what to plant near each border
between two chunks. A fault replaces as many bytes as it has, so that nothing else moves: a wrong
character, a cell too many or too few, a byte that cannot be decoded, a NUL, text after a quote.

Compared: what `local` and the chunks of Spark find, with what was planted: code, row, column, byte
and line of the file. The rule for rows selects them in one of several equivalent ways: by walking
down, up, left or right, or by looking ahead.

Invariant: the expectation comes from the plan alone, not from another engine. Cost: some 20 ms per
case; 0.5 s if the file is larger than `FIRST_CHUNK`, so that the first chunk is a short one.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from hypothesis import strategies as st

import sculpt
from agreement import BACKENDS
from fuzz.documents import by_chunks, folder, options_of
from fuzz.harness import Case, Target
from sculpt.engines import local
from sculpt.engines.options import FIRST_CHUNK
from sculpt.verdict import Verdict

Expected: TypeAlias = tuple[str, int, int | None, int, int]
"""Code, row, column, byte and line of a violation."""


@dataclass(frozen=True)
class Shape:
    """How the cells of a table are written; rows that are not data have one cell."""

    directives: str = ""
    delim: str = ","
    end: str = "\n"
    columns: int = 4
    letters: str = "0123456789"
    quoted: tuple[int, ...] = ()
    """Columns that are quoted, with line ends inside."""
    width: int = 0
    others: tuple[str, ...] = ()
    """Rows between the data rows: headings, comments, blank ones."""


_SECTIONS = ("S1", "# a, b", "", "S22", "#")
SHAPES = {
    "plain": Shape(),
    "crlf": Shape(end="\r\n"),
    "cr": Shape(end="\r", delim=";", directives="Col Delim = ;\n"),
    "quoted": Shape(quoted=(2, 4)),
    "quoted crlf": Shape(quoted=(1, 3), end="\r\n"),
    "sections": Shape(others=_SECTIONS, directives="Comment = #\n"),
    "skipped": Shape(others=_SECTIONS, directives="Comment = #\nBlank Rows = skip\n", quoted=(3,)),
    "wide": Shape(columns=70),
    "utf-8": Shape(letters="0é日𝄞ß1", others=("S1",)),
    "fixed": Shape(directives="Col Widths = 6,6,6,6\n", delim="", width=6),
    "escaped": Shape(directives=r"Escape = \\" "\n", quoted=(2,)),
}
REGIONS = (
    "not right*(mark)",
    "right*(col(1) and not mark)",
    "left*(not right*(mark))",
    "down(up(not right*(mark)))",
    "up(down(not right*(mark)))",
    "up+(right*(Total)) and not right*(mark)",
    "down+(row(1)) and not right*(mark)",
    "left*(right*(col(1) and not mark))",
    "right*(col(1) and not mark and <down+[Total]>)",
    "left*(down+(root)) and not right*(mark) or not right*(mark)",
)
"""The data cells, selected in equivalent ways."""


def schema_of(case: Case, shape: Shape) -> str:
    """The schema of a table: the number of cells in a row, and what the case adds."""
    region, size = REGIONS[case["region"]], shape.columns
    letters = shape.letters + (r"\r\n" if shape.quoted else "")
    rules = (f"Data {arrow} n*" for arrow in case["arrows"])
    tokens = f"mark = (S[0-9]+|h1|Total)?\nn = [{letters}]+\nData <= {region}"
    return "\n".join([shape.directives + tokens, f"Data -> n{{{size}}}", *rules, ""])


# ----------------------------------------------------------------- tables


@dataclass(frozen=True)
class Line:
    """A row as it is written: the byte and the line where it begins, its number, its cells."""

    start: int
    line: int
    row: int
    cells: tuple[str, ...]
    is_data: bool


def lines_of(shape: Shape, count: int, salt: int) -> Iterator[Line]:
    """The rows of a table, including those that are skipped."""
    start, line, row = 0, 1, 0
    for ix in range(count + 2):
        other = None
        if ix in (0, count + 1):
            other = "h1" if ix == 0 else "Total"
        elif shape.others and ix % 4 == 3:
            other = shape.others[ix // 4 % len(shape.others)]
        cells = _cells(shape, ix, salt) if other is None else (other,)
        is_skipped = cells[0].startswith("#") or (not cells[0] and "skip" in shape.directives)
        row += not is_skipped
        yield Line(start, line, row, cells, other is None)
        text = shape.delim.join(cells)
        start += len(text.encode()) + len(shape.end)
        line += 1 + text.count(shape.end)


def _cells(shape: Shape, ix: int, salt: int) -> tuple[str, ...]:
    cells = []
    for column in range(shape.columns):
        number = (ix * 7919 + column * 104_729 + salt * 31) % 1_000_003
        places = range(1 + number % 5)
        text = "".join(shape.letters[(number >> place) % len(shape.letters)] for place in places)
        cells.append(f'"{text}{shape.end}{text}"' if column + 1 in shape.quoted else text)
    return tuple(cell.ljust(shape.width) for cell in cells)


# ----------------------------------------------------------------- faults


@dataclass
class Planted:
    """A table with faults, and what must be found."""

    shape: Shape
    data: bytearray
    expected: list[Expected]
    bad: list[tuple[int, int, int, int]]
    """Cells with a text that is not allowed: row, column, byte, line."""
    rows: int
    lengths: dict[int, int]
    """The number of cells in each data row."""

    def plant(self, line: Line, at: int, kind: str) -> bool:
        """Put a fault at a byte of a data row, if it fits there."""
        shape, data = self.shape, self.data
        starts = [line.start]
        for cell in line.cells:
            starts.append(starts[-1] + len((cell + shape.delim).encode()))
        row_end = starts[-1] - len(shape.delim)
        if not line.is_data or at >= row_end:
            return False
        column = bisect_right(starts, at)
        start, end = starts[column - 1], starts[column] - len(shape.delim)
        char, begin = self._char_at(at)
        are_bare = [bool(shape.delim) and ix not in shape.quoted for ix in (column, column + 1)]
        match kind:
            case "missing" if at == end and all(are_bare):
                data[at] = ord("0")
                self.lengths[line.row] -= 1
                self.expected.append(("row-content", line.row, None, row_end, line.line))
            case "extra" if start < at < end - 1 and are_bare[0] and char in "0123456789":
                data[at] = ord(shape.delim)
                self.lengths[line.row] += 1
                last = at + 1 if column == shape.columns else starts[-2]
                self.expected.append(("row-content", line.row, shape.columns + 1, last, line.line))
            case "after quote" if char in shape.letters and data[at + 1] == ord('"'):
                data[at : at + 2] = data[at : at + 2][::-1]
                self.expected.append(("text-after-quote", line.row, column, at + 1, line.line))
            case "wrong" | "nul-byte" | "undecodable" if char in shape.letters:
                size = len(char.encode())
                if kind == "undecodable":
                    data[at] = 0xFF
                else:
                    data[begin : begin + size] = {"wrong": b"x", "nul-byte": b"\0"}[kind] * size
                if kind != "wrong":
                    self.expected.append((kind, line.row, column, begin, line.line))
                self.bad.append((line.row, column, start, line.line))
            case _:
                return False
        return True

    def _char_at(self, at: int) -> tuple[str, int]:
        """The character that a byte belongs to, and where it begins."""
        while self.data[at] & 0xC0 == 0x80:
            at -= 1
        return self.data[at : at + 4].decode("utf-8", "ignore")[0], at

    def found(self, arrows: Sequence[str]) -> list[Expected]:
        """All violations, with these arrows as rules for the cells too."""
        found = [*self.expected, *(("row-content", *place) for place in self.bad)]
        if "=>" in arrows and self.bad:
            found.append(("region-content", *min(self.bad)))
        if "|>" in arrows:
            firsts = {place[1]: place for place in sorted(self.bad, reverse=True)}
            found += [("column-content", *place) for place in firsts.values()]
        return sorted(found, key=str)


KINDS = ("wrong", "undecodable", "nul-byte", "missing", "extra", "after quote", "none")


def table_of(case: Case, shape: Shape) -> Planted:
    """A table with a fault near each border, at most one per row."""
    lines = list(lines_of(shape, case["rows"], case["salt"]))
    text = "".join(shape.delim.join(line.cells) + shape.end for line in lines)
    data = bytearray(text.removesuffix("" if case["ends"] else shape.end).encode())
    lengths = {line.row: shape.columns for line in lines if line.is_data}
    planted = Planted(shape, data, [], [], lines[-1].row, lengths)
    plan = bytes.fromhex(case["plan"])
    starts = [line.start for line in lines]
    used = set()
    for ix, border in enumerate(borders_of(case["chunk"], len(data))):
        number = plan[ix % len(plan)]
        for turn in range(7):  # the first byte from -3 to +3 at which the fault fits
            at = border + (number + turn) % 7 - 3
            line = bisect_right(starts, at) - 1
            if line in used or not 0 <= at < len(data):
                continue
            if planted.plant(lines[line], at, KINDS[number // 7 % len(KINDS)]):
                used.add(line)
                break
    return planted


def borders_of(chunk: int, size: int) -> list[int]:
    """The bytes at which chunks begin, after the first."""
    return list(range(min(FIRST_CHUNK, chunk), size, chunk))


# ----------------------------------------------------------------- checks


def check(case: Case) -> None:
    """Plant faults, and look for them."""
    shape = SHAPES[case["shape"]]
    planted = table_of(case, shape)
    file = folder() / "data"
    file.write_bytes(planted.data)
    schema = sculpt.Schema.parse(schema_of(case, shape))
    options, verdict = options_of(case), None
    if case["cut"]:
        bases = [0, *borders_of(case["chunk"], len(planted.data))]
        verdict = by_chunks(schema, file, bases[:: len(bases) // 8 + 1], options)
    check_verdict(planted, case, verdict or local.validate(schema.core, str(file), options))


def check_verdict(planted: Planted, case: Case, verdict: Verdict) -> None:
    """Check that what was planted is found, and nothing else."""
    facts = ((v.code, v.row, v.column, v.offset, v.excerpt) for v in verdict.violations)
    ours = sorted(((*place, shown and shown.line) for *place, shown in facts), key=str)
    expected = planted.found(case["arrows"])
    more, less = [v for v in ours if v not in expected], [v for v in expected if v not in ours]
    assert ours == expected, f"not planted: {more[:5]}, not found: {less[:5]}"
    assert (verdict.rows, verdict.columns) == (planted.rows, max(planted.lengths.values()))
    assert not verdict.warnings, verdict.warnings


_small = st.fixed_dictionaries(
    {
        "rows": st.integers(8, 120),
        "chunk": st.one_of(st.integers(16, 200), st.integers(16, 4096)),
        "kernels": st.sampled_from(list(BACKENDS)),
    }
)
_large = st.fixed_dictionaries(
    {
        "shape": st.sampled_from([name for name in SHAPES if name != "wide"]),
        "rows": st.just(25_000),
        "chunk": st.integers(FIRST_CHUNK, FIRST_CHUNK + 20_000),
        "kernels": st.sampled_from(["ahead", "jit"]),
    }
)
_others = st.fixed_dictionaries(
    {
        "shape": st.sampled_from(list(SHAPES)),
        "region": st.integers(0, len(REGIONS) - 1),
        "arrows": st.lists(st.sampled_from(["=>", "|>"]), unique=True),
        "plan": st.binary(min_size=1, max_size=8).map(bytes.hex),
        "salt": st.integers(0, 1000),
        "ends": st.booleans(),
        "limit": st.just(2000),
        "cut": st.booleans(),
        "threads": st.integers(1, 3),
        "strip": st.sampled_from([1, 40, 1 << 16]),
    }
)
CASES = st.builds(
    lambda size, other: {**other, **size},
    st.integers(0, 99).flatmap(lambda number: _large if number == 37 else _small),
    _others,
)
TARGET = Target("borders", CASES, check)
