r"""Bytes to characters, in pieces of any size: what Python's codecs do not guarantee across pieces.

In: the bytes of a file, in order. Out: their text, in which a byte that cannot be decoded is a lone
surrogate (U+DC00 plus the byte), and the byte at which each character begins.

Invariant: the text does not depend on how the bytes are split. A decoder that starts from a state
saved between two pieces produces the same text as the one that the state was saved from. Python's
own decoders guarantee this, except for the ISO-2022 family: there an unfinished escape sequence
raises an error at the end of a piece, and corrupts all that follows at the end of the file. Here
the ESC of a malformed sequence is a byte that cannot be decoded, and the codec never sees it.

Cost: linear. A UTF-7 decoder keeps a whole run of base64 until it ends, and reads it again with
each piece; so `placed` passes it as one piece.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import Any

MARK_ERRORS = "sculpt.mark"
UNDECODABLE = re.compile("[\ud800-\udfff]")

_SEQUENCE = rb"(?:[($).][\x20-\x25\x27-\x2f]?[@-Z]|&@\x1b\$B)"
_UNKNOWN = re.compile(rb"\x1b(?=[($).&])(?!" + _SEQUENCE + rb")")
_UNFINISHED = re.compile(rb"\x1b(?:[($).][\x20-\x25\x27-\x2f]?|&(?:@(?:\x1b\$?)?)?)?\Z")
_BASE64_RUN = re.compile(rb"\+[A-Za-z0-9+/]*-?|.", re.DOTALL)
_NOT_BASE64 = re.compile(rb"[^A-Za-z0-9+/]")


def _mark(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    bad = error.object[error.start : error.end]
    return "".join(chr(0xDC00 + byte) for byte in bad), error.end


codecs.register_error(MARK_ERRORS, _mark)


def exact_bytes(text: str) -> bytes:
    """A text in UTF-8; a byte that could not be decoded becomes three that no other text has."""
    return text.encode("utf-8", "surrogatepass")


class Decoder:
    """Decodes the pieces of a file, one after the other."""

    def __init__(self, codec: str, state: Any = None) -> None:
        """`state` is the `state` of another decoder of this codec."""
        self.codec = codec
        self._inner = codecs.getincrementaldecoder(codec)(MARK_ERRORS)
        self._has_escapes = codecs.lookup(codec).name.startswith("iso2022")
        self._held = b""
        """The beginning of an escape sequence."""
        if state is not None:
            inner, self._held = state
            self._inner.setstate(inner)

    @property
    def state(self) -> Any:
        """All that the next pieces depend on."""
        return self._inner.getstate(), self._held

    @property
    def pending(self) -> int:
        """How many of the bytes read belong to a character that is not complete yet."""
        return len(self._inner.getstate()[0]) + len(self._held)

    def decode(self, data: bytes, final: bool = False) -> str:
        """The text of the next piece; `final` says that it is the last."""
        if not self._has_escapes:
            return self._inner.decode(data, final)
        data, self._held = self._held + data, b""
        if not final and (tail := _UNFINISHED.search(data)):
            data, self._held = data[: tail.start()], tail[0]
        texts: list[str] = []
        at = 0
        for escape in _UNKNOWN.finditer(data):
            texts += [self._inner.decode(data[at : escape.start()], True), "\udc1b"]
            at = escape.end()
        return "".join([*texts, self._inner.decode(data[at:], final)])

    def wanted(self, data: bytes) -> int:
        """How many of the next bytes to take so that they may complete a pending character."""
        if self.codec != "utf-7":
            return 1
        end = _NOT_BASE64.search(data)
        return end.end() if end else len(data)


def placed(data: bytes, decoder: Decoder, at: int, final: bool) -> tuple[str, list[int]]:
    """The text of a piece that begins at byte `at`, and the byte at which each character begins.

    The piece begins between two characters. The list ends with the byte after the last character.
    A sequence that switches to another character set belongs to no character.
    """
    size = _SIZES.get(decoder.codec)
    if size is not None:
        text = decoder.decode(data, final)
        return text, list(accumulate(map(size, text), initial=at))
    texts: list[str] = []
    offsets: list[int] = []
    begun, taken = at, at
    for unit in _units(decoder.codec, data, final):
        text = decoder.decode(unit, final=not unit)
        taken += len(unit)
        clean = taken - decoder.pending
        texts.append(text)
        for later in range(len(text) - 1, -1, -1):
            offsets.append(begun)
            is_byte = UNDECODABLE.match(text, len(text) - 1 - later)
            begun = begun + 1 if is_byte else max(begun, clean - later)
        if clean == taken:
            begun = taken
    return "".join(texts), [*offsets, at + len(data)]


def _units(codec: str, data: bytes, final: bool) -> Iterator[bytes]:
    """Pieces so small that decoding them shows where characters begin; the last is empty."""
    if codec == "utf-7":
        yield from (run[0] for run in _BASE64_RUN.finditer(data))
    else:
        yield from (data[ix : ix + 1] for ix in range(len(data)))
    if final:
        yield b""


def _is_marked(char: str) -> bool:
    """Is this a lone surrogate? UTF-7 can encode one; in other codecs it stands for a byte."""
    return "\ud800" <= char <= "\udfff"


def utf8_size(char: str) -> int:
    """How many bytes a character has in UTF-8; one that stands for a byte has one."""
    if char < "\x80" or _is_marked(char):
        return 1
    return 2 if char < "\u0800" else 3 if char < "\U00010000" else 4


def _utf16_size(char: str) -> int:
    return 1 if _is_marked(char) else 2 if char < "\U00010000" else 4


def _utf32_size(char: str) -> int:
    return 1 if _is_marked(char) else 4


_SIZES: dict[str, Callable[[str], int]] = {
    "utf-8": utf8_size,
    "utf-16-le": _utf16_size,
    "utf-16-be": _utf16_size,
    "utf-32-le": _utf32_size,
    "utf-32-be": _utf32_size,
}
"""How many bytes a character has, for codecs where that depends on the character alone."""
