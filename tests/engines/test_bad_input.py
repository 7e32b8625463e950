"""Broken, huge and hostile inputs: a clear answer or a clear error, in bounded time."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import sculpt
from sculpt.automata import navigator
from sculpt.automata import scan_table as tables
from sculpt.engines import local
from sculpt.engines.options import Options, Progress
from sculpt.engines.walk.walk import Walk
from sculpt.tabular.inputs import Input, read_bytes

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

PEOPLE = "row(1) -> name, age\ncol(name) -> Text\ncol(age) -> Integer\n"
DATA = b"name,age\n" + b"ann,1\n" * 50 + b"bob,x\n"


def verdict(text: str, path: Path, engine: str = "local") -> sculpt.Verdict:
    return sculpt.validate(sculpt.Schema.parse(text), path, engine=engine)


# ------------------------------------------------------------- packed

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zstd": zstd.compress,
    "two members": lambda data: gzip.compress(data[:100]) + gzip.compress(data[100:]),
}


@pytest.mark.parametrize("engine", ["local", "reference"])
@pytest.mark.parametrize("name", list(PACKERS))
def test_packed_files(tmp_path: Path, name: str, engine: str) -> None:
    path = tmp_path / "data"
    path.write_bytes(PACKERS[name](DATA))
    found = verdict(PEOPLE, path, engine)
    assert [(v.row, v.column, v.offset) for v in found.violations] == [(52, 2, 9 + 300 + 4)]


@pytest.mark.parametrize("name", ["gzip", "bz2", "xz", "zstd"])
def test_packed_files_that_are_cut(tmp_path: Path, name: str) -> None:
    path = tmp_path / "data"
    packed = PACKERS[name](os.urandom(5000))
    path.write_bytes(packed[: len(packed) // 2])
    with pytest.raises(sculpt.DataError, match=f"the {name} data is broken"):
        verdict(PEOPLE, path)


def test_text_that_begins_like_a_packed_file(tmp_path: Path) -> None:
    path = tmp_path / "data"
    path.write_bytes(b"BZh9,age\nx,1\n")
    assert read_bytes(str(path)) == b"BZh9,age\nx,1\n"


def test_pieces_of_a_packed_file(tmp_path: Path) -> None:
    path = tmp_path / "data"
    data = random.Random(1).randbytes(3_000_000)
    path.write_bytes(gzip.compress(data, 1))
    with Input(str(path)) as source:
        assert source.window(2_500_000, 2_500_010) == data[2_500_000:2_500_010]
        assert b"".join(block for block, _ in source.blocks(70_000)) == data
        assert source.window(5_000_000, 5_000_010) == b""


def test_a_pipe_is_read_once_and_can_be_looked_at_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipe = io.TextIOWrapper(io.BytesIO(gzip.compress(DATA)))
    monkeypatch.setattr(sys, "stdin", pipe)
    found = sculpt.validate(sculpt.Schema.parse(PEOPLE), "-", engine="local")
    assert [(v.row, v.found) for v in found.violations] == [(52, "x")]


def test_a_pipe_whose_last_row_is_the_widest(monkeypatch: pytest.MonkeyPatch) -> None:
    data = b"1\n" * 200_000 + b"1,2,3\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    schema = sculpt.Schema.parse("col(3) -> Number\n")
    found = sculpt.validate(schema, "-", engine="local", max_violations=1)
    assert (found.rows, found.columns, found.violation_count) == (200_001, 3, 200_000)


# ------------------------------------------------------------- strange tables


@pytest.mark.parametrize("seed", range(5))
def test_random_bytes(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "data"
    path.write_bytes(random.Random(seed).randbytes(3000))
    text = "true -> Any*\ncol(2) -> Text\nright*(a) -> Any\n"
    assert verdict(text, path).violations == verdict(text, path, "reference").violations


def test_a_million_empty_rows(tmp_path: Path) -> None:
    path = tmp_path / "data"
    path.write_bytes(b"\n" * 1_000_000)
    assert (verdict("true -> Text\n", path).rows, verdict("true -> Text\n", path).columns) == (0, 0)
    kept = verdict("Blank Rows = keep\ntrue -> Text\n", path)
    assert (kept.rows, kept.violation_count) == (1_000_000, 1_000_000)
    path.write_bytes(b"\n" * 1_000_000 + b"x\n")
    assert verdict("true -> Text\n", path).violation_count == 1_000_000


def test_a_row_of_a_million_cells(tmp_path: Path) -> None:
    path = tmp_path / "data"
    path.write_bytes(b"1," * 999_999 + b"x\n2\n")
    found = verdict("row(1) -> Number*\nrow(2) -> Number\n", path)
    assert (found.rows, found.columns) == (2, 1_000_000)
    assert [(v.row, v.column, v.found) for v in found.violations] == [(1, 1_000_000, "x")]


def test_a_cell_of_many_megabytes(tmp_path: Path) -> None:
    path = tmp_path / "data"
    path.write_bytes(b"a," + b"x" * 30_000_000 + b',"' + b"\n" * 2_000_000 + b'"\nb,y,z\n')
    found = verdict("col(2) -> x+ | y\n", path)
    assert (found.rows, found.columns) == (2, 3)
    assert [(v.row, v.column, len(v.found or "")) for v in found.violations] == [(1, 2, 200)]


def test_an_unclosed_quote_over_many_chunks(tmp_path: Path) -> None:
    path = tmp_path / "data"
    path.write_bytes(b'a,b\nc,"d\n' + b"e,f\n" * 400_000)
    found = verdict("true -> Any*\n", path)
    assert (found.rows, found.columns) == (2, 2)
    assert [(v.code, v.row, v.column, v.offset) for v in found.violations] == [
        ("unclosed-quote", 2, 2, 6)
    ]


def test_line_ends_inside_quotes_at_every_chunk(tmp_path: Path) -> None:
    path = tmp_path / "data"
    rows = [f'{ix},"{"line" * (ix % 7)}\n,\n{ix}",x\n' for ix in range(120_000)]
    path.write_text("".join(rows), encoding="utf-8")
    text = "col(1) -> Integer\ncol(3) -> x\ntrue -> Any{3}\n"
    found = verdict(text, path)
    assert (found.valid, found.rows, found.columns) == (True, 120_000, 3)


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_line_ends_of_large_files(tmp_path: Path, end: bytes) -> None:
    path = tmp_path / "data"
    path.write_bytes((b"1,2" + end) * 150_000 + b"1,x")
    found = verdict("true -> Integer{2}\n", path)
    assert (found.rows, found.columns) == (150_001, 2)
    assert [(v.row, v.column) for v in found.violations] == [(150_001, 2)]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "latin-1", "shift_jis", "gb18030"])
def test_encodings_of_large_files(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "data"
    word = "été" if encoding in ("latin-1", "utf-16", "utf-8-sig") else "東京"
    text = f"{word},1\n" * 60_000 + f"{word},x\n"
    path.write_bytes(text.encode(encoding))
    schema = f"Encoding = {encoding}\ncol(1) -> {word}\ncol(2) -> Integer\n"
    found = verdict(schema, path)
    marks = {"utf-16": 2, "utf-8-sig": 3}
    start = len(text[:-2].encode(encoding.replace("-sig", ""))) if encoding != "utf-16" else 0
    offset = start + marks.get(encoding, 0) if start else 2 + 2 * len(text[:-2])
    assert [(v.row, v.column, v.offset, v.found) for v in found.violations] == [
        (60_001, 2, offset, "x")
    ]


# ------------------------------------------------------------- hostile schemas


def test_states_that_multiply_are_split_by_rules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = random.Random(1)
    cells = [[f"a{source.randrange(8)}" for _ in range(10)] for _ in range(60)]
    path = tmp_path / "data"
    path.write_text("\n".join(",".join(row) for row in cells), encoding="utf-8")
    rules = "".join(f"right*(a{ix}) -> a{ix}, Any*, a{(ix + 1) % 8}\n" for ix in range(8))
    text = f"{rules}unique(a1)\nright*(zz) -> Any\n"
    monkeypatch.setattr(navigator, "MAX_ENTRIES", 500)
    ours, theirs = verdict(text, path), verdict(text, path, "reference")
    assert ours.violations == theirs.violations
    assert ours.violation_count == theirs.violation_count
    assert ours.warnings == theirs.warnings


def test_one_rule_that_needs_new_steps_all_the_time_forgets_old_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "data"
    source = random.Random(1)
    rows = (",".join(source.choice("xy") for _ in range(200)) for _ in range(20))
    path.write_text("\n".join(rows), encoding="utf-8")
    monkeypatch.setattr(navigator, "MAX_ENTRIES", 500)
    forgotten = 0
    forget = Walk._forget

    def forget_and_count(self: Walk) -> None:
        nonlocal forgotten
        forgotten += 1
        forget(self)

    monkeypatch.setattr(Walk, "_forget", forget_and_count)
    text = "true -> Any*, x, Any{12}\nunique(q)\n"
    ours, theirs = verdict(text, path), verdict(text, path, "reference")
    assert ours.violations == theirs.violations
    assert ours.warnings == theirs.warnings
    assert forgotten > 2


def test_a_token_that_is_too_large_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "data"
    source = random.Random(1)
    path.write_text("".join(source.choice("ab") for _ in range(9000)), encoding="utf-8")
    monkeypatch.setattr(tables, "MAX_STATES", 500)
    with pytest.raises(sculpt.UnsupportedByEngine, match="token `large`"):
        verdict("small = [ab]+\nlarge = [ab]*a[ab]{14}\ntrue -> small | large\n", path)


def test_a_delimiter_that_looks_too_far_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "data"
    path.write_text("a" * 20_000, encoding="utf-8")
    with pytest.raises(sculpt.UnsupportedByEngine, match="look ahead"):
        verdict("Col Delim = /a*b/\ntrue -> Any*\n", path)


def test_a_file_that_shrinks_or_vanishes(tmp_path: Path) -> None:
    with pytest.raises(sculpt.DataError, match="no such file"):
        verdict(PEOPLE, tmp_path / "nothing")
    with pytest.raises(sculpt.DataError, match="is a directory"):
        verdict(PEOPLE, tmp_path)


# ------------------------------------------------------------- how it runs


def test_small_files_import_nothing_heavy(tmp_path: Path) -> None:
    (tmp_path / "s.sculpt").write_text(PEOPLE, encoding="utf-8")
    (tmp_path / "d.csv").write_bytes(DATA)
    code = (
        "import sys, sculpt\n"
        "verdict = sculpt.validate(sculpt.Schema.load('s.sculpt'), 'd.csv')\n"
        "assert verdict.engine == 'local' and not verdict.valid\n"
        "heavy = {'numpy', 'numba', 'lark', 'sculpt.engines.reference'}\n"
        "heavy.add('sculpt.syntax.programs.tree')\n"
        "assert not heavy & set(sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, timeout=120, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(not Path("/proc/cpuinfo").exists(), reason="no such file system")
def test_a_file_that_claims_to_be_empty_is_read() -> None:
    path = Path("/proc/cpuinfo")
    assert path.stat().st_size == 0
    schema = sculpt.Schema.parse("Blank Rows = keep\ntrue -> Any*\n")
    verdict = local.validate(schema.core, str(path), Options(chunk=100))
    assert verdict.rows == path.read_bytes().count(b"\n") > 3


def test_progress_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "data"
    path.write_bytes(b"1,x\n" * 5000)
    reports: list[Progress] = []
    schema = sculpt.Schema.parse("col(2) -> Integer\n")
    options = Options(threads=2, chunk=1000, on_progress=reports.append)
    local.validate(schema.core, str(path), options)
    # Chunks end with rows, near every thousandth byte.
    assert [p.read // 1000 for p in reports] == [*range(1, 21)]
    assert reports[-1].read == 20_000
    assert {p.total for p in reports} == {20_000}
    assert reports[-1].rows == reports[-1].violations == 5000


def test_compiling_is_announced_and_happens_once(tmp_path: Path) -> None:
    (tmp_path / "s.sculpt").write_text(PEOPLE, encoding="utf-8")
    (tmp_path / "d.csv").write_bytes(b"name,age\n" + b"ann,1\n" * 60_000)
    command = [sys.executable, "-m", "sculpt", "validate", "s.sculpt", "d.csv"]
    settings = {"SCULPT_KERNELS": "jit", "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    environment = {**os.environ, **settings}
    remarks = []
    for _ in range(2):
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, timeout=300, check=True
        )
        assert done.stdout == b"d.csv: valid (60,001 rows \xc3\x97 2 columns)\n"
        remarks.append(done.stderr)
    assert remarks[0].startswith(b"note: compiling the kernels")
    assert remarks[1] == b""


FULL_DISK = """
import resource, sys
import sculpt
from sculpt.kernels import choice as backends
from sculpt.engines import local
from sculpt.engines.options import Options
from sculpt.engines.walk import sweeps
from sculpt.tabular import inputs as source

source.MAX_HELD = sweeps.MAX_HELD = 1_000
resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
schema = sculpt.Schema.parse(sys.argv[1])
try:
    local.validate(schema.core, sys.argv[2], Options(backend=backends.ahead()))
except sculpt.DataError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no limit on the size of files")
@pytest.mark.parametrize("way", ["a pipe", "sweeps"])
def test_a_temporary_file_that_cannot_be_written(tmp_path: Path, way: str) -> None:
    path = tmp_path / "data"
    path.write_text("1,2\n" * 20_000)
    rules = "up*(x) -> Any*" if way == "sweeps" else "true -> Any*"
    name = str(path) if way == "sweeps" else "-"
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, rules, name],
        input=path.read_bytes(),
        capture_output=True,
        timeout=120,
        check=True,
    )
    assert b"the temporary file in" in done.stdout, done.stdout
    assert b"cannot be written: file too large" in done.stdout
