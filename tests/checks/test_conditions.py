"""Conditions of `require`: what they find, on both engines and for any cut."""

from __future__ import annotations

import hashlib
import pickle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sculpt
from agreement import BACKENDS, COMPILED
from identity_cases import compiled
from programs import TABLES, requirements
from sculpt.checks.conditions import (
    files_of,
    has_requires,
    required,
    required_by_reference,
    skipped_files,
    wanted_by,
)
from sculpt.checks.model import Found, Request
from sculpt.checks.shared_pass import shared_pass
from sculpt.core.programs.look_ups import Reach
from sculpt.diagnostics import Source
from sculpt.engines.chunks.compose import InOrder, compose, perform
from sculpt.engines.chunks.cuts import can_be_cut
from sculpt.engines.data import Data
from sculpt.engines.machines import build
from sculpt.engines.messages.words import quoted
from sculpt.engines.options import Options
from sculpt.engines.regions.marker import Marker
from sculpt.origins import Origin, Spot
from sculpt.report.explain import explanation_json
from sculpt.tabular.inputs import Input
from sculpt.transform.checking import Checking
from sculpt.transform.evaluation.execution import Execution
from sculpt.transform.evaluation.findings import Findings
from sculpt.transform.local import marking_task

MANY = 10**6


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("conditions") / "table.csv"


def written(path: Path, table: list[list[str]]) -> Path:
    path.write_text("".join(",".join(row) + "\n" for row in table), encoding="utf-8")
    return path


def by_reference(
    schema: sculpt.Schema, path: Path, limit: int = MANY, request: Request | None = None
) -> Found:
    grid = sculpt.read_table(schema, path)
    return required_by_reference(schema, request or Request(), grid, str(path), limit)


def by_local(
    schema: sculpt.Schema,
    path: Path,
    limit: int = MANY,
    strip: int | None = None,
    backend: str = "plain",
    request: Request | None = None,
) -> tuple[Found, list[Any]]:
    grid = sculpt.read_table(schema, path)
    options = Options(limit, backend=BACKENDS[backend](), threads=2)
    with Input(str(path)) as source:
        given = request or Request()
        size = grid.height, grid.width
        found = required(schema, given, options, str(path), source, *size, strip)
        return found, list(found.listed())


def about(text: str, column: int | None) -> sculpt.Schema:
    """A schema whose conditions were about a column in the schema that it was imported from."""
    if column is None:
        return sculpt.Schema.parse(text)
    origin = Origin("a rule", Spot("t.json", "/x"), column=column)
    origins = {f"require:{number}": origin for number in range(1, 20)}
    return sculpt.Schema.imported(Source("t.json", text, origins=origins))


COLUMNS = st.none() | st.integers(1, 4)


def check(text: str, path: Path, strip: int, backend: str, column: int | None = None) -> None:
    schema = about(text, column)
    expected = by_reference(schema, path)
    found, listed = by_local(schema, path, MANY, strip, backend)
    assert found.violations == expected.violations
    assert found == expected
    assert listed == list(expected.listed())
    few, _ = by_local(schema, path, 2, strip, backend)
    assert few == by_reference(schema, path, 2)


@given(requirements(), TABLES, st.integers(1, 12), COLUMNS)
@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_cut(
    file: Path, text: str, table: list[list[str]], strip: int, column: int | None
) -> None:
    check(text, written(file, table), strip, "plain", column)


@pytest.mark.parametrize("backend", COMPILED)
@given(requirements(), TABLES, st.integers(1, 12))
@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
def test_compiled_kernels(
    file: Path, backend: str, text: str, table: list[list[str]], strip: int
) -> None:
    check(text, written(file, table), strip, backend)


ROWWISE = """row(1) -> Any*
some := list(/[^;]*/, ";")
For each row r in down+(row(1)) {
  require(r[col(a)] as Integer <= r[col(b)] as Integer) ! "order"
  require(if r[col(c)] = "x" then r[col(a)] is Integer) ! warning
  require(length(r[col(b)] optional) < 3)
}
For each cell v in down+(row(1)) and col(c) { require(v != "y" and v.column = 3) }
For each cell v in col(a) and not row(2) { require(directly(right, col(b), v) optional != v) }
"""
"""Conditions that ask about one row at a time."""
CELLS = st.sampled_from(
    [b"1", b"2", b"10", b"", b"x", b"y", b'"1"', b' "x" ', b'"a""b"', b"\xff", b'"x\ny"', b" 2",
     b"0x", b'"1"z', b"\xc3\xa9"]
)  # fmt: skip
WIDE = st.lists(
    st.one_of(
        st.lists(CELLS, min_size=3, max_size=3),
        st.lists(CELLS, min_size=1, max_size=4),
        st.just([b""]),
    ),
    max_size=12,
)


def by_threads(
    schema: sculpt.Schema, path: Path, limit: int, chunk: int
) -> tuple[Found, list[Any]] | None:
    """What threads find in chunks; `None` if they cannot share the file."""
    options = Options(limit, backend=compiled(), threads=2, chunk=chunk)
    with Input(str(path)) as source:
        shared = shared_pass(schema.core, source, options, wanted_by(schema, Request()))
        if shared is None:
            return None
        size = shared.verdict.rows, shared.verdict.columns
        where = (str(path), source, *size)
        found = required(schema, Request(), options, *where, shared=shared)
        return found, list(found.listed())


@given(
    WIDE,
    st.sampled_from(["", "Quote = none\n", "Blank Rows = keep\n", "Trim = none\n"]),
    st.sampled_from([b"\n", b"\r\n", b"\r"]),
    st.integers(1, 60),
    st.sampled_from([0, 2, MANY]),
    COLUMNS,
)
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
def test_rows_checked_by_threads(
    file: Path,
    rows: list[list[bytes]],
    directive: str,
    end: bytes,
    chunk: int,
    limit: int,
    column: int | None,
) -> None:
    schema = about(directive + ROWWISE, column)
    file.write_bytes(end.join([b"a,b,c", *(b",".join(row) for row in rows)]) + end)
    found = by_threads(schema, file, limit, chunk)
    expected = by_reference(schema, file, limit)
    if found is not None:
        assert found[0].violations == expected.violations
        assert found[0] == expected
        assert found[1] == list(by_reference(schema, file, MANY).listed())


def test_threads_share_the_rows_of_a_plain_file(tmp_path: Path) -> None:
    """What the comparison above relies on."""
    path = written(
        tmp_path / "rows.csv", [["a", "b", "c"], *([str(n), "50", "y"] for n in range(99))]
    )
    schema = sculpt.Schema.parse(ROWWISE)
    found = by_threads(schema, path, 3, 100)
    assert found is not None
    assert found[0] == by_reference(schema, path, 3)
    assert [tally.failed for tally in found[0].tallies] == [48, 0, 0, 99, 1]


@given(requirements(), TABLES, st.sets(st.integers(1, 60), min_size=1, max_size=3))
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_chunks_cut_anywhere(
    file: Path, text: str, table: list[list[str]], places: set[int]
) -> None:
    schema = sculpt.Schema.parse(text)
    path = written(file, table)
    assert schema.program is not None
    inside = [place for place in sorted(places) if place < path.stat().st_size]
    if not table or schema.program.required.needs_whole:
        return
    found = in_chunks(schema, path, [0, *inside])
    if found is not None:
        expected = by_reference(schema, path)
        assert sorted(found, key=repr) == sorted(expected.violations, key=repr)


def in_chunks(schema: sculpt.Schema, path: Path, bases: list[int]) -> list[Any] | None:
    """The violations of a file that is cut, each chunk by itself; none if it cannot be."""
    assert schema.program is not None
    program = schema.program.required
    with Input(str(path)) as source:
        data = Data(source, schema.core.dialect.encoding)
        task = marking_task(schema, program)
        compiled = build(task, data.codec, BACKENDS["plain"](), forgets=True, notes_texts=True)
        if not (data.can_be_cut and can_be_cut(compiled)):
            return None
        rounds = compose(compiled, len(bases), 0)
        works = next(rounds)
        while True:
            try:
                works = rounds.send([perform(work, compiled, data, bases, 0) for work in works])
            except StopIteration as stop:
                outcome = stop.value
                break
        if isinstance(outcome, InOrder):
            return None
        executions = [
            Execution(
                program,
                Marker(compiled, data, outcome.found.width, chunk, cells=3),
                str(path),
                Findings(0),
            )
            for chunk in outcome.chunks
        ]
        reaches = (Reach.ABOVE, Reach.BELOW, Reach.COLUMNS)
        parts = [pickle.loads(pickle.dumps(each.summary(reaches))) for each in executions]
        summariser = executions[0].summariser
        total = summariser.empty()
        for part in pickle.loads(pickle.dumps(parts)):
            total = summariser.merged(total, part)
        checks = [Checking(each, None, lambda _: MANY) for each in executions]
        found = checks[0].end(total).violations
        for each, (above, below) in zip(checks, summariser.around(parts), strict=True):
            made = each.rows(total, above, below)
            found += [v for part in made for v in pickle.loads(pickle.dumps(part)).violations]
        return found


# ----------------------------------------------------------------- what is found


def both(text: str, path: Path, request: Request | None = None) -> list[Any]:
    """The violations of a file on which both engines agree: place, line, severity, message."""
    schema = sculpt.Schema.parse(text)
    expected = by_reference(schema, path, request=request)
    for strip in (1, 5, 100):
        found, listed = by_local(schema, path, strip=strip, request=request)
        assert found == expected
        assert listed == list(expected.listed()) == list(expected.violations)
    return [(v.row, v.column, v.line, v.severity, v.found, v.message) for v in expected.violations]


@pytest.fixture
def dates(tmp_path: Path) -> Path:
    path = tmp_path / "dates.csv"
    rows = [
        "Start,End",
        "2010-01-02,2010-01-01",
        "2010-01-01,2010-01-01",
        "n/a,2010-01-01",
        "2011-01-01",
    ]
    path.write_text("\n".join(rows) + "\n")
    return path


LOOP = "For each row r in not row(1) {{\n  require({})\n}}\n"
ORDERED = "r[col(1)] as Date <= r[col(2)] as Date"


def test_a_comparison_and_a_text_without_a_value(dates: Path) -> None:
    said = f"`{ORDERED}` does not hold"
    assert both(LOOP.format(ORDERED), dates) == [
        (2, 1, 2, "error", "2010-01-02", f"{said}: `2010-01-02` <= `2010-01-01` is false"),
        (4, 1, 2, "error", "n/a", f"{said}: `n/a` is not a valid `Date`"),
    ]


def test_a_clause_on_the_same_line_or_the_next(dates: Path) -> None:
    for blank in (" ", "\n    "):
        text = (
            f'For each row r in row(2) {{\n  require({ORDERED}){blank}! warning "too early"\n}}\n'
        )
        ((row, column, line, severity, _, message),) = both(text, dates)
        (tally,) = by_reference(sculpt.Schema.parse(text), dates).tallies
        assert tally.text == f'require({ORDERED}) ! warning "too early"'
        assert (row, column, line, severity) == (2, 1, 2, "warning")
        assert message == (
            f"too early (`{ORDERED}` does not hold: `2010-01-02` <= `2010-01-01` is false)"
        )


def test_a_padded_cell_is_null_and_holds(dates: Path) -> None:
    assert both('For each row r in row(5) { require(r[col(2)] = "x") }\n', dates) == []


def test_unknown_is_as_good_as_true_but_only_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b,c\nx\n")
    cases = {
        'r[col(2)] = "x"': True,
        'not r[col(2)] = "x"': True,
        'r[col(2)] = "x" and r[col(1)] = "x"': True,
        'r[col(2)] = "x" and r[col(1)] = "y"': False,
        'r[col(1)] = "y" or r[col(2)] = "x"': True,
        'r[col(1)] = "y" or not r[col(1)] = "x"': False,
        'not (r[col(1)] = "x" or r[col(2)] = "x")': False,
        'not (r[col(1)] = "y" and r[col(2)] = "x")': True,
        'if r[col(2)] = "x" then r[col(1)] = "y"': True,
        'if r[col(2)] = "x" then r[col(1)] = "x" else r[col(1)] = "y"': False,
        'if r[col(1)] = "x" then r[col(1)] = "y"': False,
        'if r[col(1)] = "x" then r[col(2)] = "y"': True,
    }
    for condition, holds in cases.items():
        found = both(f"For each row r in row(2) {{ require({condition}) }}\n", path)
        assert (found == []) == holds, condition


@pytest.mark.parametrize(
    ("condition", "reason", "column"),
    [
        ('r[col(1)] = "x" and r[col(2)] = "y"', "`b` = `y` is false", 2),
        ('r[col(1)] = "y" or r[col(2)] = "y"', "`x` = `y` is false", 1),
        ('not (r[col(1)] = "x" and r[col(2)] = "b")', "`x` = `x` is true", 1),
        ('not (r[col(1)] = "y" or r[col(2)] = "b")', "`b` = `b` is true", 2),
        ('if r[col(1)] = "x" then r[col(2)] is n', "`b` is not `n`", 2),
        ("r[col(2)] is not Text", "`b` is `Text`", 2),
        ("r[col(2)] in M", "`b` is not in the mapping `M`", 2),
        ('not (if r[col(1)] = "y" then r[col(2)] is n)', "`x` = `y` is false", 1),
        ("Count(r) > 2", "`2` > `2` is false", None),
        ("r[n] = r[col(1)]", "`r[n]` finds no cell in row 2", None),
        ("r[Text] = r[col(1)]", "`r[Text]` finds several cells in row 2: (2,1) and (2,2)", None),
        ("Only(Text) = r[col(1)]", "`Only(Text)` finds several cells: (1,1) and (1,2)", None),
        ("Only(n) = r[col(1)]", "`Only(n)` finds no cell", None),
        ("Sum(col(1)) = 1", "`a` is not a number", None),
        ("Sum(row(2)) = 1", "`x` is not a number", 1),
        ("r.row = Only((1,1)) as Integer", "`a` is not a valid `Integer`", None),
        ('up(r[col(2)]) = "b"', "`a2` = `b` is false", None),
        ('r[Text] all(",") = "x"', "`x,b` = `x` is false", None),
    ],
)
def test_reasons(tmp_path: Path, condition: str, reason: str, column: int | None) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,a2\nx,b\n")
    head = 'n = [0-9]+\nmapping M = { "x": "y" }\n'
    found = both(f"{head}For each row r in row(2) {{ require({condition}) }}\n", path)
    ((row, at, line, _, _, message),) = found
    assert message == f"`{condition}` does not hold: {reason}"
    assert (row, at, line) == (2, column, 3)


@pytest.mark.parametrize(
    "condition",
    ["r[n] optional = r[col(1)]", "Only(n) optional = r[col(1)]", "r[n] optional is Text"],
)
def test_an_optional_cell_that_is_missing_holds(tmp_path: Path, condition: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,a2\nx,b\n")
    assert both(f"n = [0-9]+\nFor each row r in row(2) {{ require({condition}) }}\n", path) == []


def test_columns_cells_and_no_loop(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n3,4\n7,6\n")
    text = """\
For each column c in not row(1) { require(c[row(2)] as Integer > 1) }
For each cell v in row(3) { require(v as Integer < 4) }
require(Sum(col(1) and not row(1)) = Only((4,1)) ) ! "wrong total"
require(Only((1,1)) = "b")
"""
    assert [each[:3] for each in both(text, path)] == [
        (1, 1, 4),
        (2, 1, 1),
        (3, 2, 2),
        (4, 1, 3),
    ]
    message = both(text, path)[-1][-1]
    assert message.startswith("wrong total (`Sum(col(1) and not row(1)) = Only((4,1))` does")


@pytest.mark.parametrize(
    ("column", "places"),
    [
        (None, [(1, 1), (2, 1), (2, 1), (None, 2)]),
        (3, [(1, 1), (2, 1), (2, 3), (None, 2)]),
        (4, [(1, 1), (2, 1), (2, 1), (None, 2)]),
    ],
)
def test_an_imported_condition_about_a_column(
    tmp_path: Path, column: int | None, places: list[tuple[int | None, int | None]]
) -> None:
    """In a loop over rows it is found in that column, if the table has it; elsewhere as always."""
    path = tmp_path / "t.csv"
    path.write_text("1,1,1\n2,1,1\n")
    text = """For each row r in true { require(r.cells[1] as Integer <= r.cells[2] as Integer) }
For each cell c in col(1) { require(c = "1") }
For each column c in col(2) { require(Sum(col(1)) = 7) }
require(Only((1,1)) = "x")
"""
    schema = about(text, column)
    found = by_reference(schema, path)
    assert [(each.row, each.column) for each in found.violations] == places
    assert by_local(schema, path)[0] == found


def test_counts(dates: Path) -> None:
    text = LOOP.format(ORDERED) + "require(Count(col(1)) = 5)\nrequire(1 = 1) ! warning\n"
    found = by_reference(sculpt.Schema.parse(text), dates)
    counts = [(t.code, t.line, t.selected, t.checked, t.failed, t.severity) for t in found.tallies]
    assert counts == [
        ("require", 2, 8, 4, 2, "error"),
        ("require", 4, 5, 1, 0, "error"),
        ("require", 5, 0, 1, 0, "warning"),
    ]
    assert (found.count, found.warned) == (2, 0)
    assert found.tallies[2].text == "require(1 = 1) ! warning"


def test_run_passes_over_requires_and_validate_over_the_rest(dates: Path, tmp_path: Path) -> None:
    text = f"For each row r in row(2) {{\n  require({ORDERED})\n  print r[col(1)]\n}}\nprint 1\n"
    schema = sculpt.Schema.parse(text)
    assert has_requires(schema)
    assert schema.program is not None
    assert len(schema.program.requires) == 1
    assert schema.program.streams
    assert not schema.program.required.streams
    assert not has_requires(sculpt.Schema.parse("print 1\n"))
    assert not has_requires(sculpt.Schema.parse("col(1) -> Text\n"))


# ----------------------------------------------------------------- files


@pytest.fixture
def scans(tmp_path: Path) -> Path:
    folder = tmp_path / "scans"
    (folder / "deep").mkdir(parents=True)
    (folder / "a.txt").write_text("a")
    (folder / "deep" / "b.txt").write_text("b")
    (tmp_path / "secret.txt").write_text("s")
    (folder / "out.txt").symlink_to(tmp_path / "secret.txt")
    return folder


def asked(tmp_path: Path, *texts: str) -> Path:
    path = tmp_path / "files.csv"
    path.write_text("".join(f"{text}\n" for text in texts))
    return path


def test_files(tmp_path: Path, scans: Path) -> None:
    outside = ["../secret.txt", str(tmp_path / "secret.txt"), "out.txt", "deep/../a.txt", "deep"]
    path = asked(tmp_path, "a.txt", "deep/b.txt", *outside, "none.txt", '""')
    request = Request(files=str(scans))
    found = both("For each cell v in col(1) { require(is-file(v)) }\n", path, request)
    assert [each[0] for each in found] == [3, 4, 5, 6, 7, 8, 9]
    assert found[-2][-1] == "`is-file(v)` does not hold: `none.txt` is not a file"
    assert [each[0] for each in both(
        "For each cell v in col(1) { require(not is-file(v)) }\n", path, request
    )] == [1, 2]  # fmt: skip


@pytest.mark.parametrize("algorithm", ["md5", "sha1", "sha256", "sha512"])
def test_checksums(tmp_path: Path, scans: Path, algorithm: str) -> None:
    digest = hashlib.new(algorithm, b"a").hexdigest()
    path = asked(tmp_path, f"a.txt,{digest}", "deep/b.txt,00", f"../secret.txt,{digest}")
    said = f'checksum(r[col(1)], "{algorithm}") = r[col(2)]'
    text = f"For each row r in true {{ require({said}) }}\n"
    found = both(text, path, Request(files=str(scans)))
    shown = quoted(hashlib.new(algorithm, b"b").hexdigest())
    assert [each[-1] for each in found] == [
        f"`{said}` does not hold: {shown} = `00` is false",
        f"`{said}` does not hold: `../secret.txt` is not a file",
    ]
    optional = said.replace(") =", ") optional =")
    text = f"For each row r in row(3) {{ require({optional}) }}\n"
    assert both(text, path, Request(files=str(scans))) == []


def test_the_checksum_of_the_only_file_that_a_glob_matches(tmp_path: Path, scans: Path) -> None:
    digest = hashlib.new("md5", b"b").hexdigest()
    names = ("deep/*.txt", "**/b.*", "**/*.txt", "*.none", "../**/b.txt", "deep")
    path = asked(tmp_path, *(f"{name},{digest}" for name in names))
    text = 'For each row r in true { require(checksum(r[col(1)], "md5") = r[col(2)]) }\n'
    found = both(text, path, Request(files=str(scans)))
    assert [each[-1].rpartition(": ")[2] for each in found] == [
        f"`{name}` is not a file" for name in names[2:]
    ]


def test_counts_of_files(tmp_path: Path, scans: Path) -> None:
    path = asked(tmp_path, "*.txt,1", "**/*.txt,2", "deep,1", "a.txt,1", "../*,0", "none,0")
    text = "For each row r in true { require(count-files(r[col(1)]) = r[col(2)] as Integer) }\n"
    assert both(text, path, Request(files=str(scans))) == []


def test_sizes_of_files(tmp_path: Path, scans: Path) -> None:
    (scans / "empty.bin").write_bytes(b"")
    (scans / "deep" / "c.bin").write_bytes("aé\n".encode())
    sizes = ("a.txt,1", "empty.bin,0", "deep/c.bin,4", "deep/*.bin,4", "a.txt,2")
    absent = ("../secret.txt", "out.txt", "deep", "**/*.bin", "none.txt")
    path = asked(tmp_path, *sizes, *(f"{name},1" for name in absent))
    said = "file-size(r[col(1)]) = r[col(2)] as Integer"
    request = Request(files=str(scans))
    found = both(f"For each row r in true {{ require({said}) }}\n", path, request)
    assert [(each[0], each[-1].removeprefix(f"`{said}` does not hold: ")) for each in found] == [
        (5, "`1` = `2` is false"),
        *((row, f"`{name}` is not a file") for row, name in enumerate(absent, 6)),
    ]
    optional = said.replace(") =", ") optional =")
    text = f"For each row r in down{{5,}}(row(1)) {{ require({optional}) }}\n"
    assert both(text, path, request) == []


def test_files_that_nobody_gives(tmp_path: Path) -> None:
    schema = sculpt.Schema.parse('print 1\nrequire(count-files("*") = 1)\nrequire(1 = 2)\n')
    with pytest.raises(sculpt.UsageError, match=r"line 2 asks about files: .* --files DIR"):
        files_of(schema, Request())
    with pytest.raises(sculpt.UsageError, match=r"--files .*: there is no such directory"):
        files_of(schema, Request(files=str(tmp_path / "none")))
    skips = Request(skips_files=True)
    assert skipped_files(schema, skips) == 1
    assert skipped_files(schema, Request()) == 0
    path = asked(tmp_path, "x")
    found = by_reference(schema, path, request=skips)
    assert found == by_local(schema, path, request=skips)[0]
    assert [(each.checked, each.failed) for each in found.tallies] == [(0, 0), (1, 1)]


# ----------------------------------------------------------------- about conditions


def test_what_conditions_need() -> None:
    text = """\
n = [0-9]+
For each row r in n { require(r[col(1)] <= r.cells[1]) }
For each cell v in n { require(up[n](v) optional <= v) }
require(Sum(n) = Only(row(1) and n))
For each column c in n { require(c[row(1)] != "x") }
For each cell v in n { require(v != "x") }
"""
    schema = sculpt.Schema.parse(text)
    assert schema.explanation.program is None
    found = [
        (each.line, [(need.text, need.needs) for need in each.needs])
        for each in schema.explanation.requires
    ]
    region, column = (
        "an earlier pass, for all cells of a region",
        "an earlier pass, for each column",
    )
    assert found == [
        (2, [("r[col(1)]", "its own row")]),
        (3, [("up[n](v)", "what the rows above hand down")]),
        (4, [("Only(row(1) and n)", region), ("Sum(…)", region)]),
        (5, [("c[row(1)]", column), ("the loop over columns", column)]),
        (6, []),
    ]
    shown = explanation_json(schema.explanation)["requires"]
    assert shown[0] == {
        "line": 2,
        "text": "require(r[col(1)] <= r.cells[1])",
        "needs": ({"text": "r[col(1)]", "needs": "its own row"},),
    }


def test_formatting_keeps_conditions() -> None:
    text = 'require( Count(A) = 5 and\n  Count(B) = 6 ) ! warning "x"\n'
    schema = sculpt.Schema.parse(text)
    again = sculpt.Schema.parse(schema.format())
    assert again.program is not None
    assert schema.program is not None
    (one,), (other,) = schema.program.requires, again.program.requires
    assert (one.text, one.said, one.ending) == (other.text, other.said, other.ending)
    assert again.format() == schema.format()
