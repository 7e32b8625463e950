"""Places in a schema, and guesses at what was meant."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sculpt.diagnostics import (
    CODES,
    Diagnostic,
    Severity,
    Source,
    Span,
    Suggestions,
    edit_distance,
    in_order,
)

words = st.text("abcD ", max_size=9)


def test_positions_count_lines_and_columns_from_1() -> None:
    source = Source("s", "ab\n\ncd")
    assert [source.position(offset) for offset in range(7)] == [
        (1, 1), (1, 2), (1, 3), (2, 1), (3, 1), (3, 2), (3, 3),
    ]  # fmt: skip
    assert [source.line(number) for number in (1, 2, 3)] == ["ab", "", "cd"]


def test_the_caret_keeps_to_its_line_and_follows_tabs() -> None:
    source = Source("s", "\tab c\nd")
    rendered = Diagnostic("syntax", "no", Span(source, 1, 8), "why").render().splitlines()
    assert rendered == [
        "s:1:2: error [syntax]: no",
        " 1 | \tab c",
        "   | \t^^^^",
        "   = hint: why",
    ]


def test_the_caret_stands_under_its_character_after_wide_ones() -> None:
    source = Source("s", "日本 x")
    lines = Diagnostic("syntax", "no", Span(source, 3, 4)).render().splitlines()
    assert lines[2] == "   |      ^"


def test_every_error_has_a_hint() -> None:
    span = Span(Source("s", "x"), 0, 1)
    special = {"not-a-statement", "orphan-continuation", "unclosed-literal", "unknown-directive"}
    special |= {"bad-name", "not-regular", "wrong-sort", "no-list-delim"}
    for code, (severity, _) in CODES.items():
        if severity is Severity.ERROR and code not in special:
            assert Diagnostic(code, "m", span).hint, code


def test_order_is_by_place_and_files_stay_together() -> None:
    a, b = Source("a", "x" * 9), Source("b", "x" * 9)
    spans = [Span(a, 5, 6), Span(b, 0, 1), Span(a, 1, 2)]
    ordered = in_order(Diagnostic("syntax", "m", span) for span in spans)
    assert [(d.span.source.name, d.span.start) for d in ordered] == [("a", 1), ("a", 5), ("b", 0)]


def test_distances() -> None:
    assert edit_distance("temperature", "temprature") == 1
    assert edit_distance("reading", "raeding") == 1
    assert edit_distance("", "abc") == 3
    assert edit_distance("abc", "abc") == 0


@given(words, words)
def test_distance_is_symmetric_and_zero_only_for_equals(a: str, b: str) -> None:
    assert edit_distance(a, b) == edit_distance(b, a)
    assert (edit_distance(a, b) == 0) == (a == b)


@given(words, st.lists(words, max_size=6))
def test_suggestions_find_what_comparing_with_every_name_finds(word: str, names: list[str]) -> None:
    def allowed(text: str) -> int:
        return 0 if len(text) < 4 else 1 if len(text) < 8 else 2

    near = [
        (distance, name)
        for name in names
        if (distance := edit_distance(word.casefold(), name.casefold())) <= allowed(word)
        and distance <= allowed(name)
    ]
    found = Suggestions(names).closest(word)
    if near:
        assert found is not None
        assert edit_distance(word.casefold(), found.casefold()) == min(near)[0]
    elif found is not None:
        assert edit_distance(word.casefold(), found.casefold()) <= allowed(word)


def test_long_texts_cost_nothing() -> None:
    assert Suggestions(["x" * 100_000, "name"]).closest("y" * 100_000) is None
