"""A quote that never closes swallows the rest of the file: reports say so, whatever the limit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from executed_docs import run_command

import sculpt
from agreement import BACKENDS
from sculpt.engines import local
from sculpt.engines.options import Options
from sculpt.engines.results import details

SCHEMA = "n = [0-9]+\ncol(1) -> n\n"


@pytest.mark.parametrize("limit", [0, 1, 3, 1000])
@pytest.mark.parametrize(
    ("text", "settings", "taken"),
    [
        ('1\n2\n"3\n4\n5\n', [], "the 2 rows after it"),
        ('1\n2\n"3\n4\n5', [], "the 2 rows after it"),
        ('x\ny\nz\n"3\n4', [], "the row after it"),
        ('1\nx,"', [], "end of the file"),
        ('1\nx,"\n', [], "end of the file"),
        ('1\n"a\r\nb\rc\nd\r', [], "the 3 rows after it"),
        ('1\n"a\r\nb\rc\nd\r', ["Row Delim=\\n"], "the 2 rows after it"),
        ('1||"a|||b||c||', ["Row Delim=||"], "the 2 rows after it"),
        ('1\n"a\nb"\n"c\n\n\n\n', [], "the 3 rows after it"),
        ('"é\n1",2,"ü\nß\n', [], "the row after it"),
        ('1\n"a\nb"",c\n', ["Encoding=utf-16"], "the row after it"),
        ('日,"本\n語\n"" ', ["Encoding=iso2022_jp"], "the 2 rows after it"),
    ],
)  # fmt: skip
def test_the_rows_that_it_swallows(
    text: str,
    settings: list[str],
    taken: str,
    limit: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    schema = sculpt.Schema.parse(SCHEMA, settings)
    file = tmp_path / "data"
    file.write_bytes(text.encode(schema.core.dialect.encoding or "utf-8"))
    theirs = sculpt.validate(schema, file, engine="reference", max_violations=limit)
    for window in (1, 2, 3, 1 << 20):
        monkeypatch.setattr(details, "_HEAD", window)
        options = Options(limit, threads=2, chunk=3, backend=BACKENDS["plain"]())
        ours = local.validate(schema.core, str(file), options)
        assert replace(ours, engine="reference") == theirs
    messages = [v.message for v in theirs.violations if v.code == "unclosed-quote"]
    assert [taken in message for message in messages] == [True] * min(limit, 1)
    assert len(theirs.violations) <= limit


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_what_is_lost_with_the_bad_rows(engine: str, tmp_path: Path) -> None:
    schema, data = tmp_path / "s.sculpt", tmp_path / "d.csv"
    machines = "For each cell v in n { emit Obs(value: v as xs:integer) }\n"
    schema.write_text("n = [0-9]+\nPadding = ragged\ntrue -> n*\n" + machines)
    data.write_text("".join(f"x{n}\n" for n in range(40)) + '1\n2\n"3\n4\n5\n')
    call = ["run", str(schema), str(data), "--only-good-rows", "--engine", engine]
    outcome = run_command(call, b"")
    assert "value\n1\n2\n" in outcome.output
    assert "the quote opened in row 43 never closes: its cell swallows the 2 rows" in outcome.errors
    assert "none of it is in the output" in outcome.errors
