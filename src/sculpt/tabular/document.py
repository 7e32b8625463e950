"""Bytes to characters, with the way back.

In: the bytes of a file and the `Encoding` of its dialect. Out: a `Document`: its text, in which a
byte that cannot be decoded is a lone surrogate (U+DC00 plus the byte), and the byte offset of
every character.

Invariant: nothing is lost and nothing fails: every byte is part of some character of the text, or
of the byte order mark. Cost: linear; offsets are computed only when asked for, and not at all
where each character is one byte.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, field
from functools import cached_property

_MARK_ERRORS = "sculpt.mark"
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
UNDECODABLE = re.compile("[\ud800-\udfff]")


def _mark(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    bad = error.object[error.start : error.end]
    return "".join(chr(0xDC00 + byte) for byte in bad), error.end


codecs.register_error(_MARK_ERRORS, _mark)


@dataclass(frozen=True)
class Document:
    """The text of a file."""

    text: str = field(repr=False)
    data: bytes = field(repr=False)
    encoding: str
    skipped: int
    """Bytes before the first character: the byte order mark."""

    def byte_offset(self, index: int) -> int:
        """Where a character's bytes begin; the length of the text gives the end."""
        offsets = self._offsets
        return self.skipped + index if offsets is None else offsets[index]

    @cached_property
    def _offsets(self) -> list[int] | None:
        if len(self.text) == len(self.data) - self.skipped:
            return None
        decoder = codecs.getincrementaldecoder(self.encoding)(_MARK_ERRORS)
        offsets: list[int] = []
        begun = self.skipped
        for ix in range(self.skipped, len(self.data)):
            decoded = decoder.decode(self.data[ix : ix + 1])
            if decoded:
                # Bad bytes come out one character each, together with what ended them.
                bad = len(decoded) - 1
                offsets.extend(range(begun, begun + bad))
                offsets.append(begun + bad)
                begun = ix + 1
        rest = decoder.decode(b"", final=True)
        offsets.extend(range(begun, begun + len(rest)))
        offsets.append(len(self.data))
        return offsets


def decode(data: bytes, encoding: str | None) -> Document:
    """The document that the bytes spell."""
    skipped = 0
    for mark, meant in _BOMS:
        if data.startswith(mark) and (encoding is None or _is_marked_by(encoding, meant)):
            encoding, skipped = meant, len(mark)
            break
    codec = encoding or "utf-8"
    text = codecs.decode(data[skipped:], codec, _MARK_ERRORS)
    return Document(text, data, codec, skipped)


def _is_marked_by(encoding: str, meant: str) -> bool:
    """Does the mark of one encoding fit the declared one? `utf-16` takes either byte order."""
    declared = encoding.removesuffix("-sig")
    return meant == declared or meant.startswith(declared + "-")
