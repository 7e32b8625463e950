"""Rows too long to read again in full: the words of the reference, in little memory."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sculpt
from agreement import BACKENDS, parse
from sculpt.core.task import Task
from sculpt.engines import local
from sculpt.engines.data import Data
from sculpt.engines.machines import build
from sculpt.engines.messages import narrator, words
from sculpt.engines.options import Options
from sculpt.engines.results.elision import Elision, row_end
from sculpt.tabular.inputs import Input
from strategies import PIECES, directives

RULES = """\
unused = [ab]*a[ab]{16}
a = a+
ab = (ab)*
three = (...)*
n = [0-9]{1,40}
true -> (a|ab|n)*
col(2) .>[;] (a|n)*
unique(three)
"""
RUNS = st.builds(
    lambda text, count: text * count,
    st.sampled_from([*PIECES, "aba"]),
    st.one_of(st.integers(1, 3), st.integers(200, 2000)),
)
TEXTS = st.lists(RUNS, max_size=12).map("".join)


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a line of text count as long."""
    monkeypatch.setattr(words, "LONG", 64)
    monkeypatch.setattr(narrator, "FOUND_LIMIT", 60)
    monkeypatch.setattr(narrator, "_LEAD", 5)
    monkeypatch.setattr(narrator, "_TAIL", 10)


@pytest.mark.parametrize("backend", BACKENDS)
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=directives, text=TEXTS, damage=st.integers(-1, 4000))
def test_dialects(backend: str, tmp_path: Path, lines: list[str], text: str, damage: int) -> None:
    schema = parse("\n".join([*lines, RULES]))
    if schema is None:
        return
    data = bytearray(text.encode(schema.core.dialect.encoding or "utf-8", "ignore"))
    if 0 <= damage < len(data):
        data[damage] = 0xFF
    file = tmp_path / "data"
    file.write_bytes(data)
    theirs = sculpt.validate(schema, file, engine="reference")
    try:
        ours = local.validate(schema.core, str(file), Options(backend=BACKENDS[backend]()))
    except sculpt.UnsupportedByEngine as error:
        assert "must look ahead" in str(error)  # a delimiter that takes many blanks
        return
    assert replace(ours, engine="reference") == theirs
    assert [v.excerpt for v in ours.violations] == [v.excerpt for v in theirs.violations]


@pytest.mark.parametrize("unit", ["ab", "😀😀", "😀,", "é", " a"])
@pytest.mark.parametrize("blanks", [0, 700, 5000])
@pytest.mark.parametrize("escape", ["none", "😀"])
@pytest.mark.parametrize("opening", ['"', ""])
def test_blanks_and_escapes(
    unit: str, blanks: int, escape: str, opening: str, tmp_path: Path
) -> None:
    file = tmp_path / "data"
    text = f"{' ' * blanks}{opening}{unit * 2000}{opening}{' ' * blanks},b\n"
    file.write_text(text, encoding="utf-8")
    schema = sculpt.Schema.parse(RULES, [f"Escape={escape}"])
    theirs = sculpt.validate(schema, file, engine="reference")
    ours = local.validate(schema.core, str(file), Options(backend=BACKENDS["plain"]()))
    assert replace(ours, engine="reference") == theirs
    assert [v.excerpt for v in ours.violations] == [v.excerpt for v in theirs.violations]


def test_text_among_blanks_that_cannot_be_decoded(tmp_path: Path) -> None:
    file = tmp_path / "data"
    file.write_bytes(b"\xff" + b"\t" * 768 + b"a" + b"\t" * 383)
    schema = sculpt.Schema.parse(RULES)
    theirs = sculpt.validate(schema, file, engine="reference")
    ours = local.validate(schema.core, str(file), Options(backend=BACKENDS["plain"]()))
    assert replace(ours, engine="reference") == theirs


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "utf-16"])
def test_the_middle_is_left_out(encoding: str, tmp_path: Path) -> None:
    file = tmp_path / "data"
    file.write_bytes(f'a,"{"é" * 9000},x\n{"," * 9}"tail,{"b" * 5000}\n'.encode(encoding))
    schema = sculpt.Schema.parse(RULES, [f"Encoding={encoding}"])
    with Input(str(file)) as source:
        data = Data(source, schema.core.dialect.encoding)
        task = Task(schema.core, schema.core.rules, ())
        machines = build(task, data.codec, BACKENDS["plain"](), False)
        end = row_end(machines, data, data.skipped)
        stretches = Elision(machines, data).kept(data.skipped, end)
        assert len(stretches) == 3
        assert sum(last - first for first, last in stretches) < 4000
        shown = sculpt.validate(schema, file).violations
    assert {"text-after-quote"} < {violation.code for violation in shown}


CHILD = """
import sys
from pathlib import Path
import sculpt

def peak():
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))

schema = sculpt.Schema.parse("n = [0-9]+\\ncol(2) -> n\\n")
sculpt.validate(schema, sys.argv[1], threads=1)
before = peak()
verdict = sculpt.validate(schema, sys.argv[2], threads=1)
print(peak() - before, *(v.code for v in verdict.violations))
print(verdict.violations[0].message)
"""


def test_a_large_cell_takes_little_memory(tmp_path: Path) -> None:
    block = b"some text, and lines\n" * 50_000
    sizes = {"head": 24, "whole": 200}
    for name, count in sizes.items():
        with (tmp_path / name).open("wb") as file:
            file.write(b'a,1\nb,"')
            for _ in range(count):
                file.write(block)
    files = [str(tmp_path / name) for name in sizes]
    child = [sys.executable, "-c", CHILD, *files]
    done = subprocess.run(child, capture_output=True, text=True, check=True, timeout=300)
    grown, *codes = done.stdout.splitlines()[0].split()
    assert codes == ["unclosed-quote", "row-content"]
    assert "its cell swallows the 9,999,999 rows after it" in done.stdout
    assert int(grown) < 120_000, "kilobytes; the larger cell has 184,000 more"
