"""Hints about the text of a cell: the same on every engine, and for tokens made of others."""

from __future__ import annotations

from pathlib import Path

import pytest

import sculpt
from agreement import HERE
from sculpt.engines.messages.hints import mismatch_hint
from sculpt.engines.messages.text_tokens import TextTokens


@pytest.fixture(params=HERE)
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def hint_for(directory: Path, engine: str, definition: str, text: str) -> str | None:
    """The hint for a cell that should match a token, which is predefined or defined here."""
    name, mark, _ = definition.partition(" := ")
    declared = f"{definition}\n" if mark else ""
    schema = sculpt.Schema.parse(f"{declared}col(1) -> {name}\n")
    path = directory / "data.csv"
    path.write_text(f"{text}\n", encoding="utf-8")
    (violation,) = sculpt.validate(schema, path, engine=engine).violations
    return violation.hint


@pytest.mark.parametrize(
    ("expression", "text", "hint"),
    [
        ("xs:integer >= 2", "1", "`1` is a value of `xs:integer`, but not >= 2"),
        ("xs:integer >= 2", '" 1 "', "`1` is a value of `xs:integer`, but not >= 2"),
        (
            "xs:integer >= 2 and xs:integer < 9",
            "12",
            "`12` is a value of `xs:integer`, but not < 9",
        ),
        ("length(xs:string) <= 2", "abc", "the length of `abc` is not <= 2"),
        ("xs:integer >= 2", "1x", "t does not allow `x` at character 2"),
        ("/[a-z]{3}/", "ab1", "t does not allow `1` at character 3"),
        ("/[a-z]{3}/ or xs:integer", '" ab1"', "t does not allow `1` at character 3"),
        ("/[a-z]{3}/", "ab", None),
        ("xs:integer and not /5/", "5", None),
    ],
)
def test_trimmed(tmp_path: Path, engine: str, expression: str, text: str, hint: str | None) -> None:
    assert hint_for(tmp_path, engine, f"t := {expression}", text.strip('" ')) == hint
    assert hint_for(tmp_path, engine, f"t := trimmed({expression})", text) == hint


def test_trimmed_texts_with_blanks() -> None:
    schema = sculpt.Schema.parse("t := trimmed(xs:integer >= 2)\ncol(1) -> t\n")
    texts = TextTokens(schema.core.tokens)
    assert mismatch_hint(texts, "t", " 1 ") == "`1` is a value of `xs:integer`, but not >= 2"
    assert mismatch_hint(texts, "t", "  1x") == "t does not allow `x` at character 4"
    assert mismatch_hint(texts, "t", " 2 ") is None
