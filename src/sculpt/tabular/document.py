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
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate

MARK_ERRORS = "sculpt.mark"
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


codecs.register_error(MARK_ERRORS, _mark)


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

    def line(self, index: int) -> int:
        """The 1-based line of the file that a character is on, as a text editor counts."""
        return bisect_right(self._line_starts, index)

    @cached_property
    def _line_starts(self) -> list[int]:
        ends = re.finditer(r"\r\n|\n|\r", self.text)
        return [0, *(end.end() for end in ends)]

    @cached_property
    def _offsets(self) -> list[int] | None:
        if len(self.text) == len(self.data) - self.skipped:
            return None
        if self.encoding == "utf-8":
            return list(accumulate(map(_utf8_length, self.text), initial=self.skipped))
        return self._decoded_offsets()

    def _decoded_offsets(self) -> list[int]:
        """Decode byte by byte, and see which bytes each character took."""
        decoder = codecs.getincrementaldecoder(self.encoding)(MARK_ERRORS)
        offsets: list[int] = []
        begun = self.skipped
        for ix in range(self.skipped, len(self.data) + 1):
            final = ix == len(self.data)
            chars = decoder.decode(self.data[ix : ix + 1], final)
            taken = ix if final else ix + 1 - len(decoder.getstate()[0])
            for position, char in enumerate(chars):
                offsets.append(begun)
                later = len(chars) - position - 1
                begun = begun + 1 if UNDECODABLE.match(char) else max(begun, taken - later)
        return [*offsets, len(self.data)]


def _utf8_length(char: str) -> int:
    code = ord(char)
    if code < 0x80 or 0xDC00 <= code <= 0xDCFF:  # a byte that could not be decoded
        return 1
    return 2 if code < 0x800 else 3 if code < 0x10000 else 4


def find_encoding(head: bytes, encoding: str | None) -> tuple[str, int]:
    """The codec of a file, from its first bytes and what is declared; and the size of its mark."""
    skipped, codec = 0, (encoding or "utf-8").removesuffix("-sig")
    for mark, meant in _BOMS:
        fits = encoding is None or meant == codec or meant.startswith(codec + "-")
        if fits and head.startswith(mark):
            codec, skipped = meant, len(mark)
            break
    if codec in ("utf-16", "utf-32"):
        codec += "-le"  # no mark says otherwise, and little-endian is what programs write
    return codec, skipped


def decode(data: bytes, encoding: str | None) -> Document:
    """The document that the bytes spell."""
    codec, skipped = find_encoding(data[:4], encoding)
    return decode_piece(data, codec, skipped)


def decode_piece(data: bytes, codec: str, skipped: int = 0) -> Document:
    """The document of bytes whose codec is known."""
    return Document(codecs.decode(data[skipped:], codec, MARK_ERRORS), data, codec, skipped)
