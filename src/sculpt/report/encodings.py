"""The encoding that bytes which cannot be decoded are probably in.

In: the texts of cells, in which such a byte is a lone surrogate (U+DC00 plus the byte). Out: an
encoding that decodes all of them to printable characters, with one of the texts as it reads then.
It is a guess, and reports show it together with the text, so that people can judge.

Cost: linear in the texts, for each encoding that is tried.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from sculpt.tabular.decoder import UNDECODABLE

_MARKED = re.compile("[\udc80-\udcff]")
_WORDS = re.compile("[\udc80-\udcff]{3,}")
_BY_ALPHABET = ("cp1252", "latin-1", "cp1250", "cp850")
"""Encodings of Latin letters: bytes above 127 are single ones among letters of ASCII."""
_BY_WORD = ("shift_jis", "cp1251", "gb18030", "cp1253", "euc_kr", "big5", "cp1252", "latin-1")
"""Encodings in which whole words consist of bytes above 127."""


def likely_encoding(found: Iterable[str], encoding: str | None) -> tuple[str, str] | None:
    """An encoding that decodes all bytes of these texts, and one of the texts in it."""
    texts = [text for text in found if UNDECODABLE.search(text)]
    raw = [_bytes_of(text, encoding or "utf-8") for text in texts]
    known = [data for data in raw if data is not None]
    if not known or len(known) < len(raw):
        return None
    # Two different alphabets are not told apart: the text that is shown lets people do that.
    candidates = _BY_WORD if all(map(_WORDS.search, texts)) else _BY_ALPHABET
    for candidate in candidates:
        read = [_read(data, candidate) for data in known]
        readable = [text for text in read if text is not None]
        if candidate != encoding and len(readable) == len(read):
            return candidate, min(readable, key=len)
    return None


def _bytes_of(text: str, encoding: str) -> bytes | None:
    """The bytes of a text; `None` if it was cut inside of a character."""
    try:
        if encoding.startswith(("utf-16", "utf-32", "iso2022")):
            return None
        return b"".join(
            bytes([ord(char) - 0xDC00]) if _MARKED.match(char) else char.encode(encoding)
            for char in text
        )
    except (UnicodeEncodeError, ValueError, LookupError):
        return None


def _read(data: bytes, encoding: str) -> str | None:
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return None
    return text if all(char.isprintable() or char in "\t\r\n" for char in text) else None
