"""Which encoding the bytes of a sample are in.

In: a `Sample`. Out: an `Encoding`. A ladder, from what is certain to what is likely: a byte order
mark; NULs at regular places; valid UTF-8; the plausibility of letters in the common code pages.

Invariant: the codec decodes any bytes (`tabular.decoder` marks those that are invalid), and a
character that is cut by the edge of a piece is no fault. Cost: linear for UTF-8; for other
encodings a bounded number of words is looked at.
"""

from __future__ import annotations

import codecs
import re

from sculpt.inference.sniff.model import Encoding
from sculpt.inference.sniff.sample import Piece, Sample
from sculpt.tabular.document import find_encoding

_CONTINUED = re.compile(rb"[\x80-\xbf]{1,3}")
_HIGH = re.compile(rb"[\x80-\xff]")
_SHIFTS = (
    (b"\x1b$B", "iso2022_jp"), (b"\x1b$@", "iso2022_jp"), (b"\x1b$)C", "iso2022_kr"),
)  # fmt: skip
_NUL_LIMIT = 1 << 14
_DAMAGED = 20
"""UTF-8 with invalid bytes has at least this many valid characters for each of them."""


def encoding_of(sample: Sample) -> Encoding:
    """The encoding of a sample."""
    codec, marked = find_encoding(sample.head[:4], None)
    if marked:
        return Encoding(codec, 0.99 if marked == 2 else 1.0, has_mark=True)
    wide = _by_nuls(sample.head[:_NUL_LIMIT])
    if wide is not None:
        return wide
    if b"\x1b" in sample.head:
        for shift, name in _SHIFTS:
            if shift in sample.head:
                return Encoding(name, 0.95, "utf-8", 0.05)
    valid, invalid = 0, 0
    for ix, piece in enumerate(sample.pieces):
        is_end = sample.is_whole and ix == len(sample.pieces) - 1
        good, bad = _utf8_counts(piece, is_end)
        valid, invalid = valid + good, invalid + bad
    if not invalid:
        if valid:
            doubt = 0.12 * 0.3 ** (valid - 1)
            return Encoding("utf-8", 1 - doubt, "cp1252", doubt)
        doubt = 0.0 if sample.is_whole else 0.02
        return Encoding("utf-8", 1 - doubt, "cp1252" if doubt else None, doubt)
    if valid > _DAMAGED * invalid:
        return Encoding("utf-8", 0.8, "cp1252", 0.2)
    from sculpt.inference.sniff.code_pages import by_letters

    return by_letters(sample)


def _by_nuls(head: bytes) -> Encoding | None:
    """UTF-16 or UTF-32, if NULs are where these have them."""
    nuls = head.count(0)
    if nuls * 10 < len(head) or len(head) < 4:
        return None
    shares = [head[ix::4].count(0) / max(1, len(head[ix::4])) for ix in range(4)]
    forms = (
        ("utf-32-le", shares[2] > 0.9 and shares[3] > 0.9 and shares[0] < 0.1),
        ("utf-32-be", shares[0] > 0.9 and shares[1] > 0.9 and shares[3] < 0.1),
        ("utf-16-le", (shares[1] + shares[3]) / 2 > 0.2 and max(shares[0], shares[2]) < 0.05),
        ("utf-16-be", (shares[0] + shares[2]) / 2 > 0.2 and max(shares[1], shares[3]) < 0.05),
    )
    for name, fits in forms:
        if fits:
            size = 4 if "32" in name else 2
            try:
                codecs.decode(head[: len(head) // size * size - size], name)
            except UnicodeDecodeError:
                continue
            return Encoding(name, 0.97, "utf-8", 0.03)
    return None


def _utf8_counts(piece: Piece, is_end: bool) -> tuple[int, int]:
    """How many characters of several bytes are valid, and how many bytes are not."""
    data = piece.data
    if data.isascii():
        return 0, 0
    if piece.start and (cut := _CONTINUED.match(data)):
        data = data[cut.end() :]
    try:
        text = codecs.getincrementaldecoder("utf-8")().decode(data, is_end)
        return len(text) - len(text.encode("ascii", "ignore")), 0
    except UnicodeDecodeError:
        marked = data.decode("utf-8", "surrogateescape")
        bad = len(re.findall("[\udc80-\udcff]", marked))
        high = len(marked) - len(marked.encode("ascii", "ignore"))
        return high - bad, bad
