"""Which bytes occur in texts: what a whole column does not have, none of its texts has.

In: Arrow strings. Out: answers about all of them at once. A column with no quote in it has nothing
to escape, and one look at its bytes says so; a regular expression would look at each text.

Cost: about a nanosecond for each byte.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    Array = np.ndarray[Any, Any]

_HEX = b"0123456789ABCDEFabcdef"


def bytes_in(texts: pa.StringArray) -> Array:
    """The bytes of texts, one text after the other. Those of null may be among them."""
    import numpy as np

    _, ends, data = texts.buffers()
    if not len(texts) or data is None:
        return np.empty(0, np.uint8)
    offsets = np.frombuffer(ends, np.int32)
    first, last = offsets[texts.offset], offsets[texts.offset + len(texts)]
    found: Array = np.frombuffer(data, np.uint8)[first:last]
    return found


def others(texts: pa.StringArray, known: bytes) -> set[int]:
    """The bytes that occur in some text, and are not among those known."""
    return set(bytes_in(texts).tobytes().translate(None, known))


def has_whole_escapes(texts: pa.StringArray) -> bool:
    """Is each `%` followed by two hexadecimal digits of the same text?"""
    import numpy as np

    data = bytes_in(texts)
    at = np.flatnonzero(data == ord("%"))
    if not len(at):
        return True
    offsets = np.frombuffer(texts.buffers()[1], np.int32)
    offsets = offsets[texts.offset : texts.offset + len(texts) + 1] - offsets[texts.offset]
    ends = offsets[np.searchsorted(offsets, at, "right")]
    if (at + 2 >= ends).any():
        return False
    digits = np.concatenate([data[at + 1], data[at + 2]]).tobytes()
    return not digits.translate(None, _HEX)
