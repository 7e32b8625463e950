"""What the texts of cells are worth, by datatype and format."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from sculpt.csvw.values.cells import CellReader
from sculpt.csvw.values.datatypes import Value, lexicon_of
from sculpt.interchange.csvw.model import Bound, Column, Datatype


def value(text: str, base: str, format: str | None = None, **more: Any) -> Value:  # noqa: A002
    """What a text is worth."""
    return lexicon_of(Datatype(base, format, **more)).read(text)


@pytest.mark.parametrize(
    ("text", "base", "form", "lexical", "as_json"),
    [
        ("007", "integer", None, "007", "7"),
        ("+1", "integer", None, "+1", "1"),
        ("1.50", "decimal", None, "1.50", "1.50"),
        (".5", "decimal", None, ".5", "0.5"),
        ("1E3", "double", None, "1E3", "1E3"),
        ("1E400", "double", None, "1E400", '"INF"'),
        ("INF", "double", None, "INF", '"INF"'),
        ("NaN", "float", None, "NaN", '"NaN"'),
        ("1,234.5", "decimal", "#,##0.0", "1234.5", "1234.5"),
        ("12.5%", "decimal", "0.#%", "0.125", "0.125"),
        ("-5", "integer", "0", "-5", "-5"),
        ("Y", "boolean", "Y|N", "true", "true"),
        ("0", "boolean", None, "false", "false"),
        ("1/2/2021", "date", "d/M/yyyy", "2021-02-01", '"2021-02-01"'),
        ("2021-02-01T10:00", "dateTime", "yyyy-MM-ddTHH:mm", "2021-02-01T10:00:00", None),
        ("10:00:00.5", "time", "HH:mm:ss.SSS", "10:00:00.5", None),
        ("P1D", "duration", None, "P1D", '"P1D"'),
        ("0aFF", "hexBinary", None, "0aFF", '"0aFF"'),
        ("a b", "anyURI", None, "a b", '"a b"'),
        ('{"a":1}', "json", None, '{"a":1}', '"{\\"a\\":1}"'),
    ],
)
def test_values(text: str, base: str, form: str | None, lexical: str, as_json: str | None) -> None:
    found = value(text, base, form)
    assert (found.text, found.error) == (lexical, None)
    assert found.json == (as_json or f'"{lexical}"')


@pytest.mark.parametrize(
    ("text", "base", "form"),
    [
        ("1.5", "integer", None), ("1e3", "decimal", None), ("300", "byte", None),
        ("1234", "integer", "#,##0"), ("y", "boolean", "Y|N"), ("2021-02-30", "date", None),
        ("1/13/2021", "date", "d/M/yyyy"), ("P1S", "duration", None), ("0", "hexBinary", None),
        ("1,2", "decimal", None), ("10:00:00.1234", "time", "HH:mm:ss.SSS"),
        ("abc", "string", "^[0-9]+$"),
    ],
)  # fmt: skip
def test_what_is_no_value_is_a_string(text: str, base: str, form: str | None) -> None:
    found = value(text, base, form)
    assert (found.text, found.is_typed) == (text, False)
    assert found.error is not None
    assert f"`{text}` is not a value of the datatype `{base}`" in found.error


def test_other_characters_without_a_pattern() -> None:
    assert value("1.234.567,5", "decimal", decimal_char=",", group_char=".").text == "1234567.5"
    assert value("12..3", "integer", group_char=".").error is not None
    assert value("1,5", "integer", decimal_char=",").error is not None
    assert value("5‰", "decimal", decimal_char=",").text == "0.005"


def test_lengths_and_bounds() -> None:
    assert (
        value("abc", "string", max_length=2).error
        == "`abc` has 3 characters; it must have at most 2"
    )
    assert value("AAAA", "base64Binary", length=3).error is None
    assert value("AAAA", "hexBinary", min_length=3).error is not None
    bound = (Bound(">=", "5", "minimum"),)
    assert value("4", "integer", bounds=bound).error == "`4` is out of bounds: minimum 5"
    assert value("5", "integer", bounds=bound).error is None
    day = (Bound("<", "2021-01-01", "maxExclusive"),)
    assert value("31/12/2020", "date", "d/M/yyyy", bounds=day).error is None
    assert value("1/1/2021", "date", "d/M/yyyy", bounds=day).text == "1/1/2021"


KEPT = ["integer", "byte", "decimal", "double", "boolean", "date", "dateTime", "time", "gYear",
        "string", "unsignedShort", "positiveInteger"]  # fmt: skip


@pytest.mark.parametrize("base", KEPT)
def test_texts_that_need_not_be_read_are_what_they_are_worth(base: str) -> None:
    texts = ["0", "-1", "7", "99", "100", "-128", "300", "07", "-0", "1.5", "1.", "1e5", "1e400",
             "true", "1", "2021-02-28", "2021-02-29", "2020-02-29", "0001-01-01", "10:00:00",
             "24:00:00", "2021-02-28T10:00:00Z", "2021-02-28T24:00:00", "2021", "é\n\"",
             "9999"]  # fmt: skip
    lexicon = lexicon_of(Datatype(base))
    assert lexicon.kept is not None
    kept = pc.match_substring_regex(pa.array(texts), lexicon.kept).to_pylist()
    assert any(kept)
    for text, is_kept in zip(texts, kept, strict=True):
        if is_kept:
            found = lexicon.read(text)
            assert (found.text, found.error) == (text, None)
            assert found.json in (text, lexicon_of(Datatype()).read(text).json)


def cell(text: str, **column: Any) -> Any:
    """The texts of the values of a cell; `None` if it is null."""
    found = CellReader.of(Column(1, 1, "a", **column)).read(text)
    return None if found.values is None else [each.text for each in found.values]


def test_steps_of_a_cell() -> None:
    integer = Datatype("integer")
    assert cell("") is None
    assert cell("", default="x") == ["x"]
    assert cell("NA", null=("NA",)) is None
    assert cell("", null=("NA",)) == [""]
    assert cell(" 7 ", datatype=integer) == ["7"]
    assert cell(" 7 ") == [" 7 "]
    assert cell("a\tb", datatype=Datatype("normalizedString")) == ["a b"]
    assert cell("a  b ", datatype=Datatype("token")) == ["a b"]
    assert cell("", separator=";") == []
    assert cell("a;;b", separator=";") == ["a", "b"]
    assert cell("a; b", separator=";") == ["a", " b"]
    assert cell("1; 2", separator=";", datatype=integer) == ["1", "2"]
    assert cell("NA", separator=";", null=("NA",)) is None
    assert cell("1;;2", separator=";", default="0", datatype=integer) == ["1", "0", "2"]


def test_a_required_cell() -> None:
    reader = CellReader.of(Column(1, 1, "a", required=True))
    assert reader.read("").errors == ("the cell is empty, and the column requires a value",)
    assert reader.read("x").errors == ()
