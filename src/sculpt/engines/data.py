"""An input in a form that the scanner reads: bytes, one or some a character, in a known codec.

In: an `Input` and the `Encoding` of a dialect. Out: `Data`: the codec, the bytes of the mark before
the text, and the bytes themselves; what is in an encoding that the scanner does not read is UTF-8
here, with the way back in `recoded`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sculpt.automata.coding import single_byte_table
from sculpt.tabular.document import Document, decode_piece, find_encoding
from sculpt.tabular.inputs import Input
from sculpt.tabular.recode import Recoded


class Data:
    """The bytes of an input, as the scanner reads them."""

    def __init__(self, source: Input, encoding: str | None) -> None:
        self.source = source
        self.codec, self.skipped = find_encoding(source.window(0, 4), encoding)
        self.recoded: Recoded | None = None
        if self.codec != "utf-8" and single_byte_table(self.codec) is None:
            self.recoded = Recoded(source, self.codec, self.skipped)
            self.codec, self.skipped = "utf-8", 0

    def window(self, start: int, end: int) -> bytes:
        """A piece of the bytes."""
        return (self.recoded or self.source).window(start, end)

    def document(self, start: int, end: int) -> tuple[Document, int]:
        """A piece between two characters as a document, and the byte of the file it begins at."""
        if self.recoded is not None:
            return self.recoded.document(start, end)
        return decode_piece(self.source.window(start, end), self.codec), start

    def pieces(self, stretches: Sequence[tuple[int, int]]) -> tuple[Document, int, list[int]]:
        """Several pieces as one document, whose characters tell where in the file they are.

        With the byte at which the first begins, and the characters at which the others do.
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
        """All bytes in order, with how many of the file have been read."""
        return (self.recoded or self.source).blocks(size)

    @property
    def can_be_cut(self) -> bool:
        """Can any piece be read at once, from any thread?"""
        return self.source.is_plain and self.recoded is None
