"""Keys, references and tables for them, which several tests try on several engines."""

from __future__ import annotations

import os

from hypothesis import strategies as st

from sculpt.kernels.backend import Backend
from sculpt.kernels.choice import VARIABLE, ahead, jit

HEAD = "row(1) -> Any*\n"
KEYS = """key(col(a) and not row(1))
key(col(b), col(a))
key(col(c) as Number)
key(col(a) and Text, col(c), col(b)) ! warning "look here"
key(down+(a or b) and Text)
key(col(b) or col(a), col(c))
key(col(d) as when)
key(col(a) as AnyCase, col(b) as AnyCase)
"""
RUNS = """key(col(a)) in runs
key(col(b), col(a)) in runs
key(down+(a or b) and Text) in runs ! warning
key(col(c) as Number) in runs
key(col(a) as AnyCase) in runs
"""
REFERENCES = """col(b) and Text ~> col(a)
col(b), col(c) ~>+ col(a), col(c)
col(c) as Number ~> col(a) as Number
col(l) and some, col(b) ~> col(b), col(a) ! warning
col(l) and some ~>+ col(a)
col(l) and some as AnyCase ~>+ col(a) as AnyCase
"""
LISTS = 'some := list(/[^;]*/, ";")\nwhen := Date or xs:time\n'


def write(folder: str, name: str, data: bytes | str) -> str:
    """A file with some data."""
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        file.write(data.encode() if isinstance(data, str) else data)
    return path


CELLS = st.sampled_from(
    [b"1", b"1.0", b" 1", b'"1"', b"", b"x", b"\xc3\xa9", b"e\xcc\x81", b"\xff", b"\xef\xbf\xbd",
     b'"x""y"', b"x;1", b"1;1;x", b'" x"', b"a" * 16, b"a" * 15 + b"b", b"longer than 15 bytes",
     b'"longer than ""15"" bytes"', b"2020-01-01", b"1.1.2020", b"10:00:00Z", b"11:00:00+01:00",
     b"\xff" * 20, b"a", b"b", b"01", b"1e0", b"-0", b"0", b'"a', b'"a"b', b"NaN", b"1 ",
     b"X", b"A" * 16, b"\xc3\x89", b"\xc3\x9f", b"\xe1\xba\x9e", b"ss", b"X;1",
     b'" 1"', b'"1\t"', b"-1", b"+1", b"100", b"1e2", b"#1", b"1\r", b"1 \r", b'"1"\r']
)  # fmt: skip
ROWS = st.lists(st.lists(CELLS, min_size=1, max_size=6), max_size=8)
HEADS = st.permutations([b"a", b"b", b"c", b"d", b"l"]).map(b",".join)


def table_of(head: bytes, rows: list[list[bytes]], end: bytes = b"\n") -> bytes:
    """The bytes of a table."""
    return end.join([head, *(b",".join(row) for row in rows)]) + end


def compiled() -> Backend:
    """Compiled kernels: those of the library, or those whose every index is checked."""
    return jit() if os.environ.get(VARIABLE) == "jit" else ahead()
