"""URI templates: the plain forms agree with the library, and many rows with one."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from uritemplate import URITemplate

from sculpt.csvw.plan import plan_of
from sculpt.csvw.templates import MAX_EXPRESSIONS, resolved, template_of
from sculpt.csvw.vectors.urls import Urls
from sculpt.interchange.csvw.model import Column, Table, TableSchema

BASE = "http://example.org/data/table.csv?v=1"
words = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=8)
values = st.one_of(st.none(), words, st.sampled_from(["..", ".", "a/b", "a:b", "%41", "%", "é"]))
FORMS = [
    "{x}", "{+x}", "{#x}", "#{x}", "a/{x}", "a{+x}", "?q={x}", "http://e.org/{x}/", "schema:{x}",
    "a:{+x}", "../{x}", "a.{x}", "{x}{y}", "{?x,y}", "a{/x*}", "x.csv{#y}", "//h/{x}", "", "é/{x}",
]  # fmt: skip


@given(st.sampled_from(["{x}", "{+x}", "{#x}"]), words)
def test_plain_expressions_agree_with_the_library(form: str, value: str) -> None:
    expression = template_of(form, BASE).parts[0]
    assert not isinstance(expression, str)
    assert expression.is_plain
    if "%" not in value or form == "{x}":  # the library encodes what is encoded already
        assert expression.expand({"x": value}) == str(URITemplate(form).expand({"x": value}))


def test_what_is_encoded_already_stays_where_reserved_characters_may_stand() -> None:
    assert template_of("{+x}", BASE).url({"x": "http://e.org/%41%"}) == "http://e.org/%41%25"


@given(st.sampled_from(FORMS), st.lists(st.tuples(values, values), min_size=1, max_size=5))
def test_many_rows_get_the_urls_of_one(form: str, rows: list[tuple[str | None, ...]]) -> None:
    template = template_of(form, BASE)
    arrays = {
        name: pa.array([row[place] for row in rows], pa.string()) for place, name in enumerate("xy")
    }
    column = plan_of(Table(BASE, TableSchema((Column(1, 1, "x"),))), 1).columns[0]
    found = Urls(len(rows), arrays).of(template, column).to_pylist()
    assert found == [template.url(dict(zip("xy", row, strict=True))) for row in rows]


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("#a", "http://example.org/data/table.csv?v=1#a"),
        ("", "http://example.org/data/table.csv?v=1"),
        ("#", "http://example.org/data/table.csv?v=1#"),
        ("?q", "http://example.org/data/table.csv?q"),
        ("x", "http://example.org/data/x"),
        ("../x?", "http://example.org/x?"),
        ("/x", "http://example.org/x"),
        ("//h/x", "http://h/x"),
        ("schema:name", "http://schema.org/name"),
        ("schema://name", "schema://name"),
        ("urn:x", "urn:x"),
    ],
)
def test_resolved(url: str, expected: str) -> None:
    assert resolved(url, BASE) == expected


def test_what_is_the_same_in_all_rows_is_no_expression() -> None:
    template = template_of("#{_name}-{x}", BASE).bound({"_name": "a b"})
    assert template.variables == ("x",)
    assert template.text == "#a%20b-{x}"


def test_limits() -> None:
    with pytest.raises(ValueError, match="expressions"):
        template_of("{a}" * (MAX_EXPRESSIONS + 1), BASE)
    with pytest.raises(ValueError, match="characters"):
        template_of("a" * 20_000, BASE)
