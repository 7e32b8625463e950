"""The content of a cell, from the bytes between two delimiters: without blanks, quotes and escapes.

In: the bytes of one cell, as the scanner notes where they are. Out: the bytes of its text as tokens
see it. Most cells need a few operations on bytes. The plain reader of `tabular` reads the others: a
cell with an escape inside quotes, a dialect with escapes outside quotes, an encoding in which
blanks and quotes have other bytes than in ASCII.

Invariant: the contents are those of `tabular.grid`. Cost: linear in the cell.
"""

from __future__ import annotations

from sculpt.core.dialect import Dialect
from sculpt.tabular.decoder import UNDECODABLE
from sculpt.tabular.document import decode_piece
from sculpt.tabular.grid import BLANKS, read_grid
from sculpt.values import replace

_BLANKS = b" \t"


class Contents:
    """Takes the contents out of the cells of a dialect."""

    def __init__(self, dialect: Dialect, codec: str) -> None:
        signs = [sign for sign in (dialect.quote, dialect.escape) if sign is not None]
        has_quotes = dialect.quote is not None and not dialect.layouts
        self.is_plain_only = not (
            all(sign.isascii() for sign in signs)
            and (has_quotes or dialect.escape is None or bool(dialect.layouts))
            and dialect.reads_quotes_simply
            and _is_like_ascii(codec)
        )
        """Must the plain reader read every cell?"""
        quote = dialect.quote if has_quotes else None
        escape = dialect.escape if has_quotes and dialect.escape != quote else None
        self._quote = None if quote is None else quote.encode()
        self._escape = None if escape is None else escape.encode()
        self._left, self._right = dialect.trim_left, dialect.trim_right
        self._dialect = replace(dialect, blank_rows="keep", comment=None)
        self._codec = codec

    def of(self, raw: bytes) -> bytes | None:
        """What is in a cell without defects; `None` if the plain reader must say."""
        if self._quote is not None and self._quote in raw:
            opened = raw.lstrip(_BLANKS) if self._left else raw
            if opened.startswith(self._quote):
                inner = opened[1 : opened.rindex(self._quote)]
                if self._escape is not None:
                    return None if self._escape in inner else inner
                return inner.replace(self._quote * 2, self._quote)
        if self._left:
            raw = raw.lstrip(_BLANKS)
        return raw.rstrip(_BLANKS) if self._right else raw

    def read(self, raw: bytes) -> bytes:
        """What is in a cell, by the plain reader; a byte that is no character stays as it is."""
        document = decode_piece(raw, self._codec)
        if self._dialect.layouts:
            text = document.text
            text = text.lstrip(BLANKS) if self._left else text
            text = text.rstrip(BLANKS) if self._right else text
        else:
            rows = read_grid(document, self._dialect).rows
            text = rows[0].cells[0].text if rows else ""
        return b"".join(
            bytes([ord(char) - 0xDC00]) if UNDECODABLE.match(char) else char.encode(self._codec)
            for char in text
        )


def _is_like_ascii(codec: str) -> bool:
    """Are the characters of ASCII, blanks and quotes among them, the same bytes in a codec?"""
    low = bytes(range(128))
    return low.decode(codec, "replace") == low.decode("ascii")
