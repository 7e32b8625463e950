"""Arrays of texts: what JSON and RDF escape, and parts that are joined.

In: Arrow arrays of texts. Out: arrays of the same size.

Invariant: null stays null. Cost: one pass over the bytes if nothing has to be escaped, which is so
in most columns; if something has, a regular expression finds the texts, and each distinct one is
escaped once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from sculpt.csvw.texts.terms import SPECIAL, escaped
from sculpt.transform.writers.rendering import bytes_of, each, rewritten

if TYPE_CHECKING:
    import pyarrow as pa

_JSON_SPECIAL = r'["\\\x00-\x1f]'
_JSON_BYTES = bytes([*range(0x20), *b'"\\'])
_RDF_BYTES = _JSON_BYTES + b"\x7f"


def json_escaped(texts: pa.Array) -> pa.Array:
    """Texts as they stand between the quotes of JSON."""
    return _escaped(texts, _JSON_BYTES, _JSON_SPECIAL, _json_text)


def _json_text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def rdf_escaped(texts: pa.Array) -> pa.Array:
    """Texts as they stand between the quotes of RDF."""
    return _escaped(texts, _RDF_BYTES, SPECIAL, escaped)


def _escaped(
    texts: pa.Array, special: bytes, pattern: str, escape: Callable[[str], str]
) -> pa.Array:
    content = bytes(bytes_of(texts))
    if len(content.translate(None, special)) == len(content):
        return texts
    return rewritten(texts, pattern, lambda found: distinct(found, escape))


def distinct(texts: pa.Array, change: Callable[[str], str]) -> pa.Array:
    """Texts, each distinct one changed once."""
    coded = texts.dictionary_encode()
    return each(change)(coded.dictionary).take(coded.indices)


def merged(parts: Sequence[pa.Array | str]) -> list[pa.Array | str]:
    """The same parts; texts that follow each other are one."""
    found: list[pa.Array | str] = []
    for part in parts:
        if isinstance(part, str) and found and isinstance(found[-1], str):
            found[-1] += part
        elif not isinstance(part, str) or part:
            found.append(part)
    return found


def listed(texts: Sequence[pa.Array], between: str) -> pa.Array:
    """The texts of each row that are not null, joined; null if there are none."""
    import pyarrow as pa
    import pyarrow.compute as pc

    first, *others = texts
    if not others:
        return first
    present = pc.is_valid(first)
    for each_text in others:
        present = pc.or_(present, pc.is_valid(each_text))
    if pc.all(present).as_py() in (True, None):
        return pc.binary_join_element_wise(first, *others, between, null_handling="skip")
    # Arrow leaves out rows in which everything is skipped (pyarrow 26), so these get a text.
    some = pc.if_else(present, first, "")
    whole = pc.binary_join_element_wise(some, *others, between, null_handling="skip")
    return pc.if_else(present, whole, pa.scalar(None, pa.string()))
