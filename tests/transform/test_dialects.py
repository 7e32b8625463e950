"""The texts of cells in any dialect: kernels against the plain reader."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import sculpt
from agreement import BACKENDS, COMPILED
from sculpt.engines import local
from sculpt.engines.options import Options
from sculpt.engines.regions.strip_texts import StripTexts
from sculpt.kernels.backend import Backend
from sculpt.policy import Policy
from sculpt.transform.local import TableRun
from sculpt.transform.results import target_stream
from sculpt.verdict import Selection
from strategies import PIECES, directives

PROGRAM = "\nFor each cell v in true { emit R(c: v.content, r: v.raw) }\n"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("dialects") / "table.csv"


def parsed(given: list[str]) -> sculpt.Schema | None:
    try:
        return sculpt.Schema.parse("\n".join(given) + PROGRAM)
    except sculpt.SchemaError:
        return None  # the directives contradict each other


def cells(schema: sculpt.Schema, file: Path, engine: str, options: Options, strip: int) -> object:
    run = TableRun(schema, str(file), Policy.FORCE, engine, options, strip=strip)
    stream = target_stream(run.program, "R")
    batches = run.batches(run.validate(), frozenset([stream]))
    return [row for _, batch in batches for row in batch.to_pylist()]


def check(file: Path, given: list[str], text: str, broken: bytes, strip: int, name: str) -> None:
    schema = parsed(given)
    if schema is None:
        return
    data = text.encode(schema.core.dialect.encoding or "utf-8", "replace")
    middle = len(data) // 2
    file.write_bytes(data[:middle] + broken + data[middle:])
    ours = cells(schema, file, "local", Options(backend=BACKENDS[name]()), strip)
    assert ours == cells(schema, file, "reference", Options(), strip)
    assert selected(schema, file, BACKENDS[name]()) == sculpt.api.select_cells(
        schema, file, "true", "reference", with_texts=True
    )


def selected(schema: sculpt.Schema, file: Path, backend: Backend) -> Selection:
    """Every cell with its text, as `sculpt select` finds them."""
    tokens, everything = sculpt.api.parse_selector_text(schema, "true")
    options = Options(backend=backend, chunk=64)
    found: list[tuple[int, int, str | None]] = []
    steps = local.select_in_order(schema.core, tokens, str(file), everything, options)
    while True:
        try:
            found += next(steps)
        except StopIteration as end:
            places = [(row, column) for row, column, _ in found]
            return Selection(end.value[0], end.value[1], places, [text for _, _, text in found])


texts = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)

DELIMITERS = {
    ",": [",", " , ", ",\t"],
    "||": ["||", " || ", "|"],
    "§": ["§", " § "],
    ", ": [", ", ",  ", ","],
    "/\\s+/": [" ", "\t ", "   "],
    "/\\s*[,;]\\s*/": [",", " ; ", "; ", " ,"],
    "/ab?c?|[é;]+/": ["a", "ab", "abc", "é;", ";;"],
}
"""Column delimiters, and what may be between two cells."""
OTHERS = [
    st.sampled_from(["", "", "Quote = none", "Quote = '"]),
    st.sampled_from(["", "", "Escape = !", "Escape = \\\\", "Escape = !\nEscapes = quotes"]),
    st.sampled_from(["", "Stray Quotes = text"]),
    st.sampled_from(["", "", "Trim = none", "Trim = left", "Trim = right"]),
    st.sampled_from(["", "", "Row Delim = \\n", "Blank Rows = skip", "Comment = #"]),
    st.sampled_from(["", "", "Encoding = latin-1", "Encoding = utf-16"]),
]
PLAIN = ["", "x", "x y", " x", "x ", "1.5", "é", "#x", "x!y", "b", "x\\", '"']
QUOTED = ["", "x", " x ", "x, y", "x\ny", "x!{q}y", "x{q}{q}y", "\\{q}", "é;", "a b", "!!", "x\r"]
STRAY = ["x {q}y{q} z", "{q}x{q}", "x{q} , y", "x{q}, y", "x!", "!x", "{q}{q} x", "x {q} \ny"]


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[str], str]:
    """A dialect, and rows that are meant for it."""
    delimiter = draw(st.sampled_from(sorted(DELIMITERS)))
    given = [f"Col Delim = {delimiter}", *(text for each in OTHERS if (text := draw(each)))]
    mark = "'" if "Quote = '" in given else '"'
    plain = st.sampled_from(PLAIN)
    within = QUOTED + STRAY if "Stray Quotes = text" in given else QUOTED
    quoted = st.sampled_from(within).map(lambda text: f"{mark}{text.format(q=mark)}{mark}")
    blanks = st.sampled_from(["", "", " ", "\t"])
    padded = st.builds("{}{}{}".format, blanks, quoted, blanks)
    cells = st.lists(st.one_of(plain, plain, quoted, padded), min_size=1, max_size=4)
    lines = []
    for row in draw(st.lists(cells, max_size=4)):
        between = draw(st.sampled_from(DELIMITERS[delimiter]))
        end = draw(st.sampled_from(["\n", "\n", "\r\n", " \n", "\r"]))
        lines.append(draw(blanks) + between.join(row) + end)
    return given, "".join(lines)


@given(tables(), st.sampled_from([1, 1, 4, 1000]))
@settings(max_examples=800)
def test_rows_that_mean_well(file: Path, table: tuple[list[str], str], strip: int) -> None:
    check(file, *table, b"", strip, "plain")


@pytest.mark.parametrize("backend", COMPILED)
@given(tables(), st.sampled_from([1, 4, 1000]))
@settings(max_examples=60)
def test_compiled_kernels_on_rows_that_mean_well(
    file: Path, backend: str, table: tuple[list[str], str], strip: int
) -> None:
    check(file, *table, b"", strip, backend)


WIDTHS = ["Col Widths = 2,3,*", "Col Widths = 1,-1,2", "Col Widths = -1,2,*", "Col Widths = 3"]
PREFIXED = ["Col Widths(ab) = 1,1,1", "Col Widths(x) = 4,*", "Col Widths(aba) = 2,-2,1"]
lines = st.text("ab x\t", max_size=9)


@given(
    st.permutations(PREFIXED).flatmap(lambda each: st.sampled_from([each[:n] for n in range(4)])),
    st.sampled_from([[], *([each] for each in WIDTHS)]),
    OTHERS[3],
    st.lists(st.builds("{}{}".format, lines, st.sampled_from(["\n", "\r\n"])), max_size=5),
    lines,
    st.sampled_from([1, 4, 1000]),
)
@example(["Col Widths(ab) = 1,1,1"], ["Col Widths = -1,2,*"], "", ["a\n"], "", 1)
@example(["Col Widths(aba) = 2,-2,1"], ["Col Widths = 1,-1,2"], "", [], "ab", 1)
@settings(max_examples=300)
def test_fixed_widths(
    file: Path,
    prefixed: list[str],
    widths: list[str],
    trim: str,
    rows: list[str],
    last: str,
    strip: int,
) -> None:
    """A byte that waits until the layout is known may begin and end the text of a cell at once."""
    given = [*prefixed, *widths, trim]
    check(file, given, "".join([*rows, last]), b"", strip, "plain")


@given(directives, texts, st.sampled_from([b"", b"", b"\xff"]), st.sampled_from([1, 4, 1000]))
@settings(max_examples=500)
def test_any_dialect(file: Path, given: list[str], text: str, broken: bytes, strip: int) -> None:
    check(file, given, text, broken, strip, "plain")


@pytest.mark.parametrize("backend", COMPILED)
@given(directives, texts, st.sampled_from([1, 4, 1000]))
@settings(max_examples=60)
def test_compiled_kernels(
    file: Path, backend: str, given: list[str], text: str, strip: int
) -> None:
    check(file, given, text, b"", strip, backend)


@pytest.mark.parametrize(
    ("directive", "text"),
    [
        ("Col Delim = ||", "a || b\n"),
        ("Col Delim = §", "é§ü\n"),
        ("Col Delim = /\\s+/", "  a  b \n"),
        ("Escape = \\\\", '"a\\"",b\n'),
        ("Quote = none", 'a,"b\n'),
        ("Row Delim = ;", "a,b;c,d"),
        ("Col Widths = 2,-1,*", "aé ü\n"),
        ("Encoding = latin-1", "é,ü\n"),
    ],
)
def test_the_scan_tells_the_texts_of_these_dialects(
    file: Path, monkeypatch: pytest.MonkeyPatch, directive: str, text: str
) -> None:
    def never(self: StripTexts, cells: object, raw: bool) -> None:
        raise AssertionError("the plain reader is asked")

    monkeypatch.setattr(StripTexts, "_read", never)
    for name in BACKENDS:
        check(file, [directive], text, b"", 1000, name)
