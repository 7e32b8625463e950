"""An input as the scanner reads it: bytes in a known codec, one or several per character.

In: an `Input` and the `Encoding` of a dialect. Out: `Data`: the codec, the size of the byte order
mark, and the bytes. An encoding that the scanner cannot read is converted to UTF-8; `recoded` knows
the way back to the bytes of the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sculpt.automata.coding import single_byte_table
from sculpt.tabular.document import Document, decode_piece, find_encoding
from sculpt.tabular.inputs import Input

if TYPE_CHECKING:
    from sculpt.tabular.recode import Recoded


class Data:
    """The bytes of an input, as the scanner reads them."""

    def __init__(self, source: Input, encoding: str | None) -> None:
        self.source = source
        self.codec, self.skipped = find_encoding(source.window(0, 4), encoding)
        self.recoded: Recoded | None = None
        if self.codec != "utf-8" and single_byte_table(self.codec) is None:
            from sculpt.tabular.recode import Recoded  # few files need it

            self.recoded = Recoded(source, self.codec, self.skipped)
            self.codec, self.skipped = "utf-8", 0
        # Every scan starts after the `skipped` bytes: those of a byte order mark.

    def window(self, start: int, end: int) -> bytes:
        """A piece of the bytes."""
        return (self.recoded or self.source).window(start, end)

    def document(self, start: int, end: int) -> tuple[Document, int]:
        """A piece between two characters, as a document; and the byte of the file at its start."""
        if self.recoded is not None:
            return self.recoded.document(start, end)
        return decode_piece(self.source.window(start, end), self.codec), start

    def marked(self, window: bytes, start: int) -> Document:
        """A window between two characters, as a document whose places are those of the window.

        A byte that cannot be decoded is the one of the file, also if it was replaced.
        """
        if self.recoded is not None and self.has_replaced(window):
            text = self.recoded.text(start, start + len(window))
            return Document(text, window, self.codec)
        return decode_piece(window, self.codec)

    def has_replaced(self, window: bytes) -> bool:
        """Are there bytes in a window that stand for others, which cannot be decoded?"""
        return self.recoded is not None and b"\xff" in window

    def pieces(self, stretches: Sequence[tuple[int, int]]) -> tuple[Document, int, list[int]]:
        """Several pieces as one document, whose characters know their bytes in the file.

        Also the byte at which the first piece begins, and the characters at which the others do.
        """
        texts: list[str] = []
        joints: list[int] = []
        places: list[int] = []
        for start, end in stretches:
            piece, begin = self.document(start, end)
            joints.append(len(places))
            texts.append(piece.text)
            places += [begin + piece.byte_offset(ix) for ix in range(len(piece.text) + 1)]
            after = places.pop()
        first = places[0] if places else after
        offsets = [place - first for place in (*places, after)]
        return Document("".join(texts), b"", self.codec, places=offsets), first, joints[1:]

    def blocks(self, size: int) -> Iterator[tuple[bytes, int]]:
        """All bytes in order, each block with the number of bytes of the file read so far."""
        return (self.recoded or self.source).blocks(size)

    @property
    def can_be_cut(self) -> bool:
        """Can any piece be read directly, from any thread?"""
        return self.source.is_plain and self.recoded is None
