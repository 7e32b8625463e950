"""Encodings with several bytes per character as UTF-8, block by block, and back to byte offsets.

In: an `Input` and its codec. Out: a `Recoded`: the same text in UTF-8, where a byte that cannot be
decoded is 0xFF, which is not valid UTF-8 either; and the `Document` of any piece of it, with the
bytes of the file. A piece cannot be decoded from its own bytes alone: the encoding may have
switched to another character set before it.

Invariant: blocks end between two characters, and the state of the decoder is kept for each of them.
Cost: 24 bytes of memory per block. To read a piece, its blocks are decoded; the latest are kept, so
that reading pieces in order decodes each block once.
"""

from __future__ import annotations

import codecs
import threading
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import lru_cache
from itertools import accumulate, count
from typing import Any, NamedTuple

from sculpt.tabular.decoder import MARK_ERRORS, Decoder, placed, utf8_size
from sculpt.tabular.document import Document
from sculpt.tabular.inputs import Input

_STEP = 1 << 14
_KEPT = 16
_TO_BYTES = "sculpt.unmark"


def _unmark(error: UnicodeError) -> tuple[bytes, int]:
    assert isinstance(error, UnicodeEncodeError)
    return b"\xff" * (error.end - error.start), error.end


codecs.register_error(_TO_BYTES, _unmark)


def _marked(recoded: bytes) -> str:
    """UTF-8 text with as many characters as it was made from."""
    return recoded.decode("utf-8", MARK_ERRORS)


class _Block(NamedTuple):
    """About `_STEP` bytes of the file."""

    data: bytes
    text: str
    recoded: bytes
    """The text in UTF-8."""
    is_last: bool


class Recoded:
    """An input as UTF-8."""

    def __init__(self, source: Input, codec: str, skipped: int) -> None:
        self.source = source
        self.codec = codec
        self._places = array("Q", [0])
        """Where blocks begin in the UTF-8 text."""
        self._begins = array("Q", [skipped])
        """Where they begin in the file."""
        self._states: list[Any] = [None]
        self._known_states: dict[Any, Any] = {}
        self._lock = threading.Lock()
        self._block = lru_cache(_KEPT)(self._read_block)
        self._placed = lru_cache(_KEPT)(self._place_block)

    def blocks(self, size: int) -> Iterator[tuple[bytes, int]]:
        """The whole text, in blocks of about this size, with how far the file has been read."""
        held: list[bytes] = []
        have = 0
        for ix in count():
            block = self._read_block(ix)
            held.append(block.recoded)
            have += len(block.recoded)
            if have >= size or (block.is_last and have):
                yield b"".join(held), self._begins[ix] + len(block.data)
                held, have = [], 0
            if block.is_last:
                return

    def window(self, start: int, end: int) -> bytes:
        """A piece of the UTF-8 text."""
        pieces: list[bytes] = []
        for ix in self._indices(start, end):
            place = self._places[ix]
            pieces.append(self._block(ix).recoded[max(0, start - place) : end - place])
        return b"".join(pieces)

    def text(self, start: int, end: int) -> str:
        """The text between two places of the UTF-8 text, without the bytes of its characters."""
        texts: list[str] = []
        for ix in self._indices(start, end):
            block, place = self._block(ix), self._places[ix]
            first = len(_marked(block.recoded[: max(0, start - place)]))
            size = len(_marked(block.recoded[max(0, start - place) : end - place]))
            texts.append(block.text[first : first + size])
        return "".join(texts)

    def document(self, start: int, end: int) -> tuple[Document, int]:
        """The text between two places of the UTF-8 text, and where it begins in the file."""
        texts: list[str] = []
        offsets: list[int] = []
        after = self._begins[0]
        for ix in self._indices(start, end):
            text, places, bytes_of = self._placed(ix)
            first = bisect_left(places, start)
            last = min(bisect_left(places, end), len(text))
            texts.append(text[first:last])
            offsets += bytes_of[first:last]
            after = bytes_of[last]
        while last == len(text) and not self._block(ix).is_last:
            # Here too, a sequence that switches to another character set belongs to no character.
            ix += 1
            text, _, bytes_of = self._placed(ix)
            last, after = 0, bytes_of[0]
        begin = offsets[0] if offsets else after
        data = self.source.window(begin, after)
        places_in = [offset - begin for offset in (*offsets, after)]
        return Document("".join(texts), data, self.codec, places=places_in), begin

    def _indices(self, start: int, end: int) -> Iterator[int]:
        """The blocks that a piece lies in."""
        for ix in count(bisect_right(self._places, start) - 1):
            yield ix
            if self._block(ix).is_last or self._places[ix + 1] >= end:
                return

    def _read_block(self, ix: int) -> _Block:
        """Read a block, up to the next place between two characters; note where the next begins."""
        begin = self._begins[ix]
        decoder = Decoder(self.codec, self._states[ix])
        data = self.source.window(begin, begin + _STEP)
        texts = [decoder.decode(data, final=not data)]
        is_last = not data
        held = [data]
        at = begin + len(data)
        while decoder.pending and not is_last:
            more = self.source.window(at, at + max(16, decoder.pending))
            more = more[: decoder.wanted(more)]
            is_last = not more
            texts.append(decoder.decode(more, final=is_last))
            held.append(more)
            at += len(more)
        text = "".join(texts)
        recoded = text.encode("utf-8", _TO_BYTES)
        if not is_last:
            self._note(ix + 1, self._places[ix] + len(recoded), at, decoder.state)
        return _Block(b"".join(held), text, recoded, is_last)

    def _note(self, ix: int, place: int, begin: int, state: Any) -> None:
        """Remember where a block begins."""
        with self._lock:
            if ix == len(self._places):
                self._states.append(self._known_states.setdefault(state, state))
                self._begins.append(begin)
                self._places.append(place)

    def _place_block(self, ix: int) -> tuple[str, list[int], list[int]]:
        """The text of a block; the place and the byte of each character and of the end."""
        block = self._block(ix)
        decoder = Decoder(self.codec, self._states[ix])
        text, offsets = placed(block.data, decoder, self._begins[ix], block.is_last)
        return text, list(accumulate(map(utf8_size, text), initial=self._places[ix])), offsets
