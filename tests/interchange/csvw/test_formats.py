"""Formats of CSVW as pictures and expressions; language tags, URLs and templates of places."""

from __future__ import annotations

from typing import Any

import pytest

from sculpt.interchange.csvw.language_tags import is_language_tag, languages_match
from sculpt.interchange.csvw.locate import describes, expanded, linked_metadata
from sculpt.interchange.csvw.model import Bound, Datatype
from sculpt.interchange.csvw.reading.context import compact, expand, is_common_name
from sculpt.interchange.csvw.urls import normalised, path_of, resolve, url_of
from sculpt.interchange.csvw.writing.formats import (
    boolean_texts,
    expression_text,
    is_expression,
    moment_pictures,
    number_pictures,
    regular_problem,
)
from sculpt.interchange.csvw.writing.values import is_value


@pytest.mark.parametrize(
    ("pattern", "accepted", "refused"),
    [
        ("0", "1 12 -1 +1", "1.0 x 1%"),
        ("000", "007 123 1234", "7 12"),
        ("#,##0", "1 999 1,234 -1,234,567", "1234 12,34 ,123"),
        ("#,##,##0", "12,34,567", "1,234,567"),
        ("#0.0#", "1.2 12.34", "1 1.234"),
        ("0.000,###", "1.234 1.234,5", "1.2345 1.234,"),
        ("+0", "+1 -1", "1"),
        ("-0", "-1", "1 +1"),
        ("%000", "%123 %-123 %+123", "123% -%123"),
        ("0.0%", "12.5% -12.5%", "12.5"),
        ("0‰", "5‰", "5%"),
    ],
)
def test_patterns_of_decimals(pattern: str, accepted: str, refused: str) -> None:
    datatype = Datatype("decimal", pattern)
    assert [text for text in accepted.split() if not is_value(datatype, text)] == []
    assert [text for text in refused.split() if is_value(datatype, text)] == []


@pytest.mark.parametrize("pattern", ["", "[", "#", "0.0.0", "0-", "x0", "0E", "%0%", "++0", "0 0"])
def test_what_is_a_pattern(pattern: str) -> None:
    assert bool(number_pictures("decimal", pattern, None, None)) is (pattern == "#")


def test_a_pattern_has_the_characters_of_its_format() -> None:
    for pattern in ("#.##0,00", "#,##0.00"):
        datatype = Datatype("decimal", pattern, ",", ".")
        assert is_value(datatype, "1.234,50")
        assert not is_value(datatype, "1,234.50")


def test_characters_without_a_pattern() -> None:
    datatype = Datatype("decimal", None, ",", " ", bounds=(Bound(">=", "10", "minimum"),))
    assert is_value(datatype, "1 234,5")
    assert not is_value(datatype, "1  234,5")
    assert not is_value(datatype, "9,5")
    assert not is_value(Datatype("integer", None, ","), "1,0")
    assert is_value(Datatype("double", None, ","), "-1,5E-3")


def test_integers_have_no_decimals_whatever_the_pattern() -> None:
    assert is_value(Datatype("integer", "#0.#"), "12")
    assert not is_value(Datatype("integer", "#0.#"), "12.5")


@pytest.mark.parametrize(
    ("base", "pattern", "accepted", "refused"),
    [
        ("date", "M/d/yyyy", "1/2/2010 10/18/2010", "18/10/2010 2010-10-18"),
        ("date", "yyyyMMdd", "20101018", "2010-10-18"),
        ("date", "yyyy-MM-ddX", "2010-10-18Z 2010-10-18-05", "2010-10-18"),
        ("time", "HH:mm:ss.SS", "12:30:15 12:30:15.2 12:30:15.25", "12:30:15.255 12:30"),
        ("time", "HHmm", "1230", "12:30 2460"),
        ("dateTime", "yyyy-MM-ddTHH:mm", "2010-10-18T12:30", "2010-10-18T12:30:00"),
        ("dateTimeStamp", "yyyy-MM-ddTHH:mm:ssXXX", "2010-10-18T12:30:00Z", "2010-10-18T12:30:00"),
        ("gYearMonth", "MM/yyyy", "02/2010", "2010-02 13/2010"),
    ],
)
def test_patterns_of_dates_and_times(base: str, pattern: str, accepted: str, refused: str) -> None:
    datatype = Datatype(base, pattern)
    assert [text for text in accepted.split() if not is_value(datatype, text)] == []
    assert [text for text in refused.split() if is_value(datatype, text)] == []


@pytest.mark.parametrize(
    ("base", "pattern"),
    [("date", "yy-MM-dd"), ("date", "dd MMM yyyy"), ("date", "HH:mm"), ("time", "yyyy-MM-dd"),
     ("dateTime", "yyyy-MM-dd'T'HH:mm"), ("gDay", "HH"), ("date", "")],
)  # fmt: skip
def test_patterns_that_the_standard_does_not_know(base: str, pattern: str) -> None:
    assert moment_pictures(base, pattern) == ()


def test_texts_of_booleans() -> None:
    assert boolean_texts("Y|N") == ("Y", "N")
    assert [boolean_texts(text) for text in ("YN", "Y|", "|N", "a|b|c", "Y|Y")] == [None] * 5


@pytest.mark.parametrize(
    ("written", "ours"),
    [
        ("[a-z]+", "[a-z]+"),
        ("^a$", "a"),
        ("a.b", r"a[^\n\r\u2028\u2029]b"),
        ('"a"', r"\x{22}a\x{22}"),
        (r"a\/b", "a/b"),
        ("a b", r"a\x{20}b"),
        ('[" ]', r"[\x{22}\x{20}]"),
        (">a", "(?:>a)"),
    ],
)
def test_expressions(written: str, ours: str) -> None:
    assert expression_text(written) == ours
    assert regular_problem(written) is None


def test_expressions_that_match_a_part() -> None:
    assert expression_text("a|^b|c$|^d$", is_part=True) == ".*a.*|b.*|.*c|d"
    assert expression_text("(a|b)", is_part=True) == ".*(a|b).*"


def test_what_is_an_expression() -> None:
    assert [text for text in ("(", "[", "*", "a{3,1}") if is_expression(text)] == []
    assert is_expression("(?=a)b")
    assert regular_problem("(?=a)b") is not None


@pytest.mark.parametrize(
    "tag", ["en", "de-AT", "zh-Hant-TW", "x-mine", "i-klingon", "und", "sl-nedis"]
)
def test_language_tags(tag: str) -> None:
    assert is_language_tag(tag)


@pytest.mark.parametrize("tag", ["", "a", "a-bad-language", "en_GB", "en-", "é", "x", None, 1])
def test_what_is_no_language_tag(tag: object) -> None:
    assert not is_language_tag(tag)


def test_languages_match_if_one_is_the_beginning_of_the_other() -> None:
    assert languages_match("en", "EN-gb")
    assert languages_match("und", "de")
    assert not languages_match("en-US", "en-GB")
    assert not languages_match("en", "eng")


def test_urls_are_normalised() -> None:
    assert normalised("HTTP://Example.ORG:80/a/../%7eb/%c3%a9") == "http://example.org/~b/%C3%A9"
    assert normalised("https://example.org") == "https://example.org/"
    assert resolve("http://example.org/a/b.json", "c d.csv") == "http://example.org/a/c%20d.csv"
    assert resolve("http://example.org/", "http://[x") == "http://[x"
    assert path_of(url_of("/tmp/a b.csv")) == "/tmp/a b.csv"


def test_names_are_expanded_and_compacted() -> None:
    assert expand("dc:title") == "http://purl.org/dc/terms/title"
    assert expand("Table") == "http://www.w3.org/ns/csvw#Table"
    assert expand("xsd:date") == expand("date")
    assert compact("http://www.w3.org/ns/dcat#keyword") == "dcat:keyword"
    assert compact("http://www.w3.org/1999/02/22-rdf-syntax-ns#type") == "@type"
    known = ["dc:x", "http://a/b", "urn:x:y"]
    assert [name for name in (*known, "x", "foo:bar", "dc:") if is_common_name(name)] == known


def test_links_in_headers() -> None:
    header = '<a.json>; rel="describedby"; type="application/json", <b>; rel=next'
    assert linked_metadata("http://x/y.csv", {"link": header}) == "http://x/a.json"
    last = f'{header}, <c,d.json>; type="application/csvm+json"; rel="x describedby"'
    assert linked_metadata("http://x/y.csv", {"link": last}) == "http://x/c,d.json"
    assert linked_metadata("http://x/y.csv", {}) is None


def test_places_are_templates() -> None:
    assert (
        expanded("{+url}-metadata.json", "http://x/a b.csv") == "http://x/a%20b.csv-metadata.json"
    )
    assert expanded("/find{?url}", "http://x/y") == "/find?url=http%3A%2F%2Fx%2Fy"
    assert expanded("csvm.json", "http://x/y") == "csvm.json"


def test_a_document_describes_the_tables_that_it_names() -> None:
    base = "http://x/m.json"
    assert describes({"url": "t.csv"}, base, "http://x/t.csv#row=1")
    assert describes({"tables": [1, {"url": "a"}, {"url": "t.csv"}]}, base, "http://x/t.csv")
    context = ["http://www.w3.org/ns/csvw", {"@base": "d/"}]
    assert describes({"@context": context, "url": "t.csv"}, base, "http://x/d/t.csv")
    others: list[Any] = [{"url": "u.csv"}, {"tables": 1}, {}, [], {"url": 1}]
    assert [other for other in others if describes(other, base, "http://x/t.csv")] == []
