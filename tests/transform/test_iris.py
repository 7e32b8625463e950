"""IRIs: of entities, names, and texts that stand for one."""

from __future__ import annotations

import pickle
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sculpt.transform.iris import Names, blank_node, entity, escaped

# The production IRIREF of N-Triples, with a scheme, and RFC 3987's rule for percent signs.
IRIREF = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(?:[^\x00-\x20\s<>\"{}|^`\\%]|%[0-9A-Fa-f]{2})*")
LABEL = re.compile(r"_:[A-Za-z0-9_][A-Za-z0-9_-]*")

NAMES = Names(
    {
        "default": "http://example.org/",
        "geo": "http://geo.org/#",
        "http": "http://trap.org/",
        "rel": "relative/",
    }
)


@pytest.mark.parametrize(
    ("namespace", "content", "expected"),
    [
        ("http://x.org/", "Wien", "http://x.org/Wien"),
        ("http://x.org#", "Wien", "http://x.org#Wien"),
        ("urn:x:", "Wien", "urn:x:Wien"),
        ("http://x.org", "Wien", "http://x.org:Wien"),
        ("http://x.org/", "Graz West", "http://x.org/Graz%20West"),
        ("http://x.org/", "Köln 😀", "http://x.org/Köln%20😀"),
        ("http://x.org/", "a%20b 50%", "http://x.org/a%20b%2050%25"),
        ("http://x.org/", "C#[1]", "http://x.org/C%23%5B1%5D"),
        ("http://x.org/a b/", '<>"{}|\\^`', "http://x.org/a%20b/%3C%3E%22%7B%7D%7C%5C%5E%60"),
        ("http://x.org/", "\x00\n\x85\ue000\uffff", "http://x.org/%00%0A%C2%85%EE%80%80%EF%BF%BF"),
        ("http://x.org/", "1\xa0000\u3000\u202e", "http://x.org/1%C2%A0000%E3%80%80%E2%80%AE"),
        ("http://x.org/", "", "http://x.org/"),
    ],
)
def test_entity(namespace: str, content: str, expected: str) -> None:
    assert entity(namespace, content) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("geo:Wien", "http://geo.org/#Wien"),
        ("geo:Graz West", "http://geo.org/#Graz%20West"),
        ("geo:", "http://geo.org/#"),
        (":Wien", "http://example.org/Wien"),
        ("default:Wien", "http://example.org/Wien"),
        ("http://a.org/b", "http://a.org/b"),
        ("http:b", "http://trap.org/b"),
        ("<http://a.org/b>", "http://a.org/b"),
        ("<geo:b>", "geo:b"),
        ("<Wien>", "http://example.org/%3CWien%3E"),
        ("mailto:a@b.org", "mailto:a@b.org"),
        ("Wien", "http://example.org/Wien"),
        ("two words", "http://example.org/two%20words"),
        ("rel:a", "http://example.org/relative/a"),
        ("", "http://example.org/"),
        ("1:2", "http://example.org/1:2"),
    ],
)
def test_text_that_stands_for_an_iri(text: str, expected: str) -> None:
    assert NAMES.of_text(text) == expected


@pytest.mark.parametrize("text", ["Wien", "http://a.org/b", "other:x", "<Wien>", "", "<>"])
def test_text_that_is_no_reference(text: str) -> None:
    assert NAMES.of_reference(text) is None


@pytest.mark.parametrize(
    ("namespace", "field", "record"),
    [
        (None, "urn:sculpt:a", "urn:sculpt:Obs:"),
        ("http://x.org/", "http://x.org/a", "http://x.org/Obs/"),
        ("http://x.org#", "http://x.org#a", "http://x.org#Obs/"),
        ("urn:x:", "urn:x:a", "urn:x:Obs/"),
        ("http://x.org", "http://x.org#a", "http://x.org#Obs/"),
        ("no scheme", "urn:sculpt:a", "urn:sculpt:Obs:"),
    ],
)
def test_names_of_records_and_fields(namespace: str | None, field: str, record: str) -> None:
    names = Names({} if namespace is None else {"default": namespace})
    assert names.of_name("a") == field
    assert names.of_records("Obs") == record


@pytest.mark.parametrize("namespace", [{}, {"default": "http://x.org/"}], ids=str)
@given(st.text(), st.text(), st.integers(1))
def test_no_field_has_the_iri_of_another_or_of_a_record(
    namespace: dict[str, str], one: str, other: str, number: int
) -> None:
    names = Names(namespace)
    assert (names.of_name(one) == names.of_name(other)) == (one == other)
    assert names.of_name(one) != f"{names.of_records(other)}{number}"


@given(st.text(), st.text(), st.sampled_from(["", "no scheme", "http://x.org/", "a<b:"]))
def test_everything_is_an_iri(text: str, name: str, default: str) -> None:
    names = Names({"default": default, "p": default})
    for iri in (
        names.base,
        names.of_name(name),
        names.of_text(text),
        names.of_text(f"p:{text}"),
        names.absolute(entity(default, text)),
        *names.prefixes().values(),
    ):
        assert IRIREF.fullmatch(iri)


@given(st.text())
def test_what_is_escaped_stays(text: str) -> None:
    assert escaped(escaped(text)) == escaped(text)


@given(st.text(), st.text())
@example(" ", "_x0020_")
@example("", "_x_")
def test_labels_are_labels_and_stay_different(one: str, other: str) -> None:
    assert LABEL.fullmatch(blank_node(one))
    assert (blank_node(one) == blank_node(other)) == (one == other)


def test_only_what_turtle_can_declare_is_a_prefix() -> None:
    names = Names({"default": "http://x.org", "a-1": "urn:a:", "1a": "urn:b:", "_": "urn:c:"})
    assert names.prefixes() == {"": "http://x.org#", "a-1": "urn:a:"}


def test_names_survive_pickle() -> None:
    assert pickle.loads(pickle.dumps(NAMES)) == NAMES
