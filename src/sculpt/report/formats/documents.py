"""JSON texts that are safe to print and to read back.

In: plain values. Out: JSON. Invariant: reading it back gives the same values, except that a lone
surrogate, which stands for a byte that cannot be decoded, becomes U+FFFD. Characters that a
terminal would obey or that turn the direction of text are written as escapes.
"""

from __future__ import annotations

import json
import re
from typing import Any

from sculpt.report.json import printable

_UNSAFE = re.compile(r"[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")


def json_text(value: Any, indent: int | None = None) -> str:
    """A value as JSON."""
    separators = (",", ":") if indent is None else None
    text = json.dumps(value, ensure_ascii=False, indent=indent, separators=separators)
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", printable(text))
