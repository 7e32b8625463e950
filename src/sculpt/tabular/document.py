"""Bytes to characters, and back to byte offsets.

In: the bytes of a file and the `Encoding` of its dialect. Out: a `Document`: its text, in which a
byte that cannot be decoded is a lone surrogate (U+DC00 plus the byte), and the byte offset of
every character.

Invariant: nothing is lost and nothing fails: every byte belongs to a character of the text, to the
byte order mark, or to a sequence that switches between character sets (`decoder`). Cost: linear;
offsets are computed only on demand, and not at all if each character is one byte.
"""

from __future__ import annotations

import codecs
import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property

from sculpt.tabular.decoder import Decoder, placed
from sculpt.values import field, frozen

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@frozen(slots=False)
class Document:
    """The text of a file, or of a piece of it."""

    text: str = field(repr=False)
    data: bytes = field(repr=False)
    encoding: str
    skipped: int = 0
    """Bytes before the first character: the byte order mark."""
    places: Sequence[int] | None = field(default=None, repr=False)
    """Where each character begins and the last one ends, if already known."""

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
    def _offsets(self) -> Sequence[int] | None:
        if self.places is not None or len(self.text) == len(self.data) - self.skipped:
            return self.places
        decoder = Decoder(self.encoding)
        return placed(self.data[self.skipped :], decoder, self.skipped, final=True)[1]


def find_encoding(head: bytes, encoding: str | None) -> tuple[str, int]:
    """The codec of a file, from its first bytes and its declared encoding; the size of its BOM."""
    skipped, codec = 0, (encoding or "utf-8").removesuffix("-sig")
    for mark, meant in _BOMS:
        fits = encoding is None or meant == codec or meant.startswith(codec + "-")
        if fits and head.startswith(mark):
            codec, skipped = meant, len(mark)
            break
    if codec in ("utf-16", "utf-32"):
        codec += "-le"  # no BOM says otherwise, and little-endian is what programs write
    return codec, skipped


def decode(data: bytes, encoding: str | None) -> Document:
    """The document that the bytes encode."""
    codec, skipped = find_encoding(data[:4], encoding)
    return decode_piece(data, codec, skipped)


def decode_piece(data: bytes, codec: str, skipped: int = 0) -> Document:
    """The document of bytes whose codec is known."""
    return Document(Decoder(codec).decode(data[skipped:], final=True), data, codec, skipped)
