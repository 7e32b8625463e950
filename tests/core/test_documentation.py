"""Comments directly above a statement are its documentation, and `fmt` keeps it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sculpt
from sculpt.core.documentation import title_of

TEXT = """\
% About the file.

% What a day looks like.
% ----------------------
%% Weekdays only, e.g. Mon. Not a date.
day = Mon|Tue

% Not about the rule below:

row(1) -> Day
  % A heading of days
days <= col(Day)
% Each is a day
days -> day,
    % or several
    day*
% Once.
unique(Day)
% End of the file.
"""


def test_the_comment_right_above_a_statement_is_its_documentation() -> None:
    schema = sculpt.Schema.parse(TEXT)
    day = "What a day looks like.\n\nWeekdays only, e.g. Mon. Not a date."
    assert schema.documentation == {
        "token:day": day,
        "type:days": "A heading of days",
        "rule:2": "Each is a day\nor several",
        "unique:1": "Once.",
    }
    assert [rule.documentation for rule in schema.core.rules] == ["", "Each is a day\nor several"]
    token = schema.core.tokens["day"]
    assert (token.line, token.text, token.documentation) == (6, "day = Mon|Tue", day)
    assert (schema.core.tokens["Day"].line, schema.core.tokens["Day"].text) == (None, "")


def test_each_file_documents_its_own_statements(tmp_path: Path) -> None:
    part = "% The first column\ncol(1) -> Integer\n% At the end of the included file\n"
    (tmp_path / "part.sculpt").write_text(part, encoding="utf-8")
    main = tmp_path / "main.sculpt"
    include = '% About the include\ninclude "part.sculpt"\n'
    main.write_text(f"{include}col(2) -> Date\n{include}col(3) -> Date\n", encoding="utf-8")
    rules = sculpt.Schema.load(main).core.rules
    titles = ["The first column", "", "The first column", ""]
    assert [rule.documentation for rule in rules] == titles


def test_a_file_that_is_included_twice_does_not_document_itself(tmp_path: Path) -> None:
    part = "col(1) -> Integer\n% At the end\n"
    (tmp_path / "part.sculpt").write_text(part, encoding="utf-8")
    main = tmp_path / "main.sculpt"
    main.write_text('include "part.sculpt"\ninclude "part.sculpt"\n', encoding="utf-8")
    assert sculpt.Schema.load(main).documentation == {}


@pytest.mark.parametrize(
    ("documentation", "title"),
    [
        ("", ""),
        ("No end", "No end"),
        ("One. Two.", "One"),
        ("Over\ntwo lines. More", "Over two lines"),
        ("A paragraph\n\nAnother", "A paragraph"),
        ("See e.g. the other table. More", "See e.g. the other table"),
        ("1. First of a list. More", "1. First of a list"),
        ("Version 2.0 of it. More", "Version 2.0 of it"),
        ("Is it? Yes.", "Is it?"),
        ("日付。次の文。", "日付。"),
    ],
)
def test_the_first_sentence_is_the_title(documentation: str, title: str) -> None:
    assert title_of(documentation) == title


COMMENTS = ["% a comment.", "  % indented", "%", "% ---", "", "  "]
STATEMENTS = ["row(1) -> a,", "    b", "t <= col(a)", "unique(a)", "a = x", "Quote = none"]
PROGRAMS = ['print "x"', "For each cell c in a {", "print c", "}"]
lines = st.sampled_from([*COMMENTS, *STATEMENTS, *PROGRAMS])


@given(st.lists(lines, max_size=12))
def test_formatting_keeps_it(text: list[str]) -> None:
    try:
        schema = sculpt.Schema.parse("\n".join(text))
    except sculpt.SchemaError:
        return
    assert sculpt.Schema.parse(schema.format()).documentation == schema.documentation
