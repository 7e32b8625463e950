"""Whatever comes in, nothing but our own errors comes out."""

from __future__ import annotations

import encodings.aliases
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sculpt
from sculpt.api import parse_selector_text
from sculpt.core.dialect import Dialect
from sculpt.engines import reference
from sculpt.errors import UnreadFilesError
from sculpt.tabular.document import decode
from sculpt.tabular.grid import Grid, read_grid

PIECES = [
    "row", "col", "(", ")", "[", "]", "{", "}", "<", ">", "1", "0", "{2,}", "{3,1}",
    "{99999999999}", "up", "down*", "right+", "left?", ".", "|", ",", "not ", " and ", " or ",
    "root", "true", "cell", "exists(", '"', '"a b"', "\\", "->", "=>", "|>", ".>", ".>[", "<=",
    "=", "%", "\n", "\n  ", " ", "a", "Empty", "xs:date", "xs:nope", "Date", "T", "T <= ", "a = ",
    "unique(", "unique-per-row(", "include ", 'include "x"', "print ", "For each cell c in ",
    "namespace x = ", "Col Delim = ", "Col Widths = ", "Col Widths(x) = ", "Quote = ",
    "Escape = ", "Trim = ", "Row Delim = ", "Encoding = ", "utf-16", "Comment = ",
    "Blank Rows = ", "Padding = ", "List Delim = ", "/x*/", "(?i)", "(?=", "\\1", "[^", "\\p{Lu}",
    "^", "$", "*", "+", "¬", "ε", "∧", "\t", "\0", "é", "\ufeff", "b := ", "\nc := ", "list(",
    "length(", "digits(", " >= ", " != ", "5", "Integer", 'Number("#,##0.0")', 'Date("d/M/y")',
]  # fmt: skip
schema_texts = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=25).map("".join),
    st.text(max_size=60),
)
DATA_PIECES = [
    b"a", b"1", b",", b";", b"\n", b"\r", b"\r\n", b'"', b'""', b" ", b"\t", b"\\", b"#", b"\0",
    b"\xff", b"\xc3\xa9", b"\xef\xbb\xbf", b"\xff\xfe", b"\xe2\x82", b"''", b"|", b"\x80",
]  # fmt: skip
documents = st.one_of(
    st.lists(st.sampled_from(DATA_PIECES), max_size=30).map(b"".join),
    st.binary(max_size=60),
)
SETTINGS = {
    "Col Delim": [",", ";", "\\t", "||", "/\\s+/", "/;|;;/", "/a*/"],
    "Row Delim": ["\\n", "\\r\\n", ";", "ab"],
    "Quote": ["none", "'", '"'],
    "Escape": ["\\\\", "none", '"'],
    "Trim": ["both", "none", "left", "right"],
    "Comment": ["#", "none", "a"],
    "Blank Rows": ["inner", "keep", "skip"],
    "Encoding": ["utf-8", "latin-1", "utf-16", "cp1252", "utf-8-sig", "shift_jis", "utf-16-le"],
    "Padding": ["ragged", "strict"],
    "Stray Quotes": ["error", "text"],
    "Escapes": ["any", "quotes", "everywhere"],
}
dialects = st.fixed_dictionaries({}, optional={k: st.sampled_from(v) for k, v in SETTINGS.items()})
widths = st.sampled_from([None, "1, 2, *", "2, -1, 3"])


@settings(max_examples=600)
@given(schema_texts)
def test_any_text_as_a_schema(text: str) -> None:
    try:
        schema = sculpt.Schema.parse(text)
    except sculpt.SchemaError as error:
        assert error.diagnostics
        for diagnostic in error.diagnostics:
            assert diagnostic.is_error
            assert diagnostic.render()
        assert str(pickle.loads(pickle.dumps(error))) == str(error)
    else:
        assert all(not lint.is_error for lint in schema.lint)
        assert schema.explanation.passes.count >= 1
        assert sculpt.format_text(schema.format()) == schema.format()
        verdict = reference.validate(schema.core, small_grid(schema.core.dialect))
        assert verdict.violation_count == len(verdict.violations)
        pickle.loads(pickle.dumps(schema.core))


def small_grid(dialect: Dialect) -> Grid:
    return read_grid(decode(b'a,"b\nc",1\n\nxx,"', dialect.encoding), dialect)


@given(data=st.binary(max_size=80))
def test_any_bytes_as_a_schema_file(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any.sculpt"
    path.write_bytes(data)
    try:
        sculpt.Schema.load(path)
    except sculpt.SchemaError as error:
        assert str(error)


def test_every_codec_that_is_accepted_can_be_used() -> None:
    accepted = 0
    for name in sorted(set(encodings.aliases.aliases.values()) | {"punycode", "idna", "undefined"}):
        try:
            schema = sculpt.Schema.parse(f"Encoding = {name}\ncol(1) -> Integer\n")
        except sculpt.SchemaError as error:
            assert [d.code for d in error.diagnostics] == ["bad-directive-value"]
            continue
        accepted += 1
        for data in (b"1\n2\n", bytes(range(256)), b"\xff\xfe\xfd", b""):
            grid = read_grid(decode(data, schema.core.dialect.encoding), schema.core.dialect)
            reference.validate(schema.core, grid)
    assert accepted > 80


@settings(max_examples=600)
@given(documents, dialects, widths)
def test_any_bytes_as_data(data: bytes, choices: dict[str, str], layout: str | None) -> None:
    given_settings = [f"{name}={value}" for name, value in choices.items()]
    if layout is not None and "Col Delim" not in choices:
        given_settings.append(f"Col Widths={layout}")
    try:
        schema = sculpt.Schema.parse("true -> Any*\ncol(1) .>[,] Text*\n", given_settings)
    except sculpt.SchemaError as error:
        assert {d.code for d in error.diagnostics} == {"dialect-conflict"}
        return
    document = decode(data, schema.core.dialect.encoding)
    grid = read_grid(document, schema.core.dialect)
    check_grid(grid)
    for violation in reference.validate(schema.core, grid).violations:
        assert violation.message
        assert violation.offset is None or 0 <= violation.offset <= len(data)


def check_grid(grid: Grid) -> None:
    """The invariants that the module of the grid promises."""
    end = 0
    for row in grid.rows:
        assert row.cells
        assert row.start >= end
        for cell in row.cells:
            assert end <= cell.start <= cell.end <= max(row.end, len(grid.document.text))
            end = cell.end
    assert grid.width == max((len(row.cells) for row in grid.rows), default=0)
    places = [(defect.row, defect.column, defect.code) for defect in grid.defects]
    assert len(set(places)) == len(places)
    offsets = [grid.document.byte_offset(ix) for ix in range(len(grid.document.text) + 1)]
    assert offsets == sorted(offsets)
    assert not offsets or offsets[-1] <= len(grid.document.data)


@given(
    st.binary(max_size=40), st.sampled_from(["utf-8", "latin-1", "utf-16", "cp932", "utf-32-be"])
)
def test_offsets_point_to_the_bytes_of_each_character(data: bytes, encoding: str) -> None:
    document = decode(data, encoding)
    for ix, char in enumerate(document.text):
        if 0xD800 <= ord(char) <= 0xDFFF:
            assert data[document.byte_offset(ix)] == ord(char) - 0xDC00
        else:
            piece = data[document.byte_offset(ix) : document.byte_offset(ix + 1)]
            assert piece.decode(document.encoding).lstrip("\ufeff") in (char, "")


@pytest.mark.parametrize(
    "text",
    [
        "[" * 5000 + "a" + "]" * 5000 + " -> b",
        "down(" * 5000 + "a" + ")" * 5000 + " -> b",
        "not " * 5000 + "a -> b",
        "row(1) -> " + "(" * 5000 + "a" + ")*" * 5000,
        "down" + "*" * 5000 + "(a) -> b",
        "x = " + "(" * 5000 + "a" + ")" * 5000,
        "x = a" + "*" * 5000,
        "row(1) -> a" + "?" * 5000,
    ],
    ids=lambda text: text[:12],
)
def test_deep_nesting_is_an_error_of_the_schema(text: str) -> None:
    with pytest.raises(sculpt.SchemaError) as caught:
        sculpt.Schema.parse(text)
    assert [d.code for d in caught.value.diagnostics] == ["too-deep"]


def test_long_chains_of_token_types_are_an_error_of_the_schema() -> None:
    lines = ["T0 <= a"] + [f"T{n} <= not T{n - 1}" for n in range(1, 3000)]
    for order in (lines, lines[::-1]):
        with pytest.raises(sculpt.SchemaError) as caught:
            sculpt.Schema.parse("\n".join(order))
        assert {d.code for d in caught.value.diagnostics} == {"too-deep"}


def test_token_types_that_double_stay_small() -> None:
    lines = ["T0 <= down*(a)"] + [f"T{n} <= T{n - 1} or not T{n - 1}" for n in range(1, 60)]
    schema = sculpt.Schema.parse("\n".join([*lines, "T59 -> Any*"]))
    verdict = reference.validate(schema.core, small_grid(schema.core.dialect))
    assert [violation.rule for violation in verdict.violations] == [None]
    assert schema.explanation.strata == 1
    _, node = parse_selector_text(schema, "T59")
    assert node is not None


def test_every_error_survives_pickling() -> None:
    with pytest.raises(sculpt.SchemaError) as caught:
        sculpt.Schema.parse("row(0) -> a")
    for error in (
        caught.value,
        sculpt.DataError("x: cannot be read"),
        UnreadFilesError((sculpt.DataError("x: gone", "x"), sculpt.DataError("y: gone", "y"))),
        sculpt.UsageError("no"),
        sculpt.UnsupportedByEngine("no"),
    ):
        assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_shared_token_types_cost_no_more_in_any_analysis() -> None:
    lines = ["T0 <= a"]
    lines += [
        f"T{n} <= right(T{n - 1}) or down(T{n - 1}) or (T{n - 1} and b)" for n in range(1, 40)
    ]
    schema = sculpt.Schema.parse("\n".join([*lines, "not T39 -> Any*", "col(T39) -> Any*"]))
    assert schema.explanation.strata == 20  # every other type is one level further down
    assert schema.lint == ()
    grid = small_grid(schema.core.dialect)
    assert reference.validate(schema.core, grid).rows == grid.height
