"""Encodings of several bytes a character as UTF-8, block by block, with the way back.

In: an `Input` and its codec. Out: a `Recoded`: the same text in UTF-8, where a byte that cannot be
decoded is 0xFF, which is no UTF-8 either. Invariant: for every place between two characters of the
UTF-8 text `origin` tells the byte of the file. Cost: the decoder's state is noted once a block;
the way back decodes the block again, byte by byte, and is asked for what is shown only.
"""

from __future__ import annotations

import codecs
from bisect import bisect_right
from collections.abc import Iterator
from typing import Any

from sculpt.tabular.document import MARK_ERRORS
from sculpt.tabular.source import Input

_STEP = 1 << 18
_TO_BYTES = "sculpt.unmark"


def _unmark(error: UnicodeError) -> tuple[bytes, int]:
    assert isinstance(error, UnicodeEncodeError)
    return b"\xff" * (error.end - error.start), error.end


codecs.register_error(_TO_BYTES, _unmark)


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", _TO_BYTES)


class Recoded:
    """An input as UTF-8."""

    def __init__(self, source: Input, codec: str, skipped: int) -> None:
        self.source = source
        self.codec = codec
        self._marks: list[tuple[int, int, Any]] = [(0, skipped, None)]
        """Places in the UTF-8 text, with the byte and the state of the decoder there."""

    def _decoder(self, state: Any) -> codecs.IncrementalDecoder:
        decoder = codecs.getincrementaldecoder(self.codec)(MARK_ERRORS)
        if state is not None:
            decoder.setstate(state)
        return decoder

    def _pieces(self, mark: int) -> Iterator[tuple[bytes, int]]:
        """The UTF-8 text from a mark on, with how far the file has been read."""
        place, at, state = self._marks[mark]
        decoder = self._decoder(state)
        while True:
            data = self.source.window(at, at + _STEP)
            text = _utf8(decoder.decode(data, final=not data))
            place, at = place + len(text), at + len(data)
            if data and place > self._marks[-1][0]:
                self._marks.append((place, at, decoder.getstate()))
            if text:
                yield text, at
            if not data:
                return

    def blocks(self, size: int) -> Iterator[tuple[bytes, int]]:
        """All of the text, in blocks of about this size."""
        held, read = b"", 0
        for text, read in self._pieces(0):
            held += text
            if len(held) >= size:
                yield held, read
                held = b""
        if held:
            yield held, read

    def window(self, start: int, end: int) -> bytes:
        """A piece of the UTF-8 text."""
        mark = bisect_right(self._marks, start, key=lambda each: each[0]) - 1
        place = self._marks[mark][0]
        held = b""
        for text, _ in self._pieces(mark):
            held += text
            if place + len(held) >= end:
                break
        return held[start - place : end - place]

    def origin(self, place: int) -> int:
        """The byte of the file at which the character at a place of the text begins."""
        mark = bisect_right(self._marks, place, key=lambda each: each[0]) - 1
        at_text, at, state = self._marks[mark]
        decoder = self._decoder(state)
        data = self.source.window(at, at + 2 * _STEP)
        begun = at - (len(state[0]) if state else 0)
        for ix in range(len(data) + 1):
            if at_text >= place:
                break
            final = ix == len(data)
            text = decoder.decode(data[ix : ix + 1], final)
            if text:
                at_text += len(_utf8(text))
                begun = at + ix + 1 - len(decoder.getstate()[0]) if not final else at + ix
        return begun
