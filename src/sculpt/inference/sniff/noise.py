"""What no text has: control characters, and signs for bytes that were none.

In: a text. Out: whether it has so many of them that it is no text at all. Delimiters may be control
characters. Cost: linear.
"""

from __future__ import annotations

import re

_MOST = 0.002
"""The greatest share of characters that no text has."""
_STRANGE = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f\ufffd]")


def is_noise(text: str, marks: str = "") -> bool:
    """Is this no text? `marks` are characters that it may have, as delimiters."""
    found = _STRANGE.findall(text)
    return sum(char not in marks for char in found) > max(1, _MOST * len(text))
