"""Texts of cells and lists of names as messages show them: on one line, and not too long."""

from __future__ import annotations

LONG = 1 << 14
"""A longer cell gets no hint, and a longer row is shown in part, so that time is bounded."""
MAX_QUOTED = 60
"""The most characters of a text that a message quotes."""


def is_long(text: str) -> bool:
    """Is a text too long for hints and details?"""
    return len(text) > LONG


def quoted(text: str) -> str:
    """A text for a message: in backticks, on one line, not too long."""
    some = text[: MAX_QUOTED + 1]
    flat = "".join(char if char.isprintable() else _visible(char) for char in some)
    if not flat:
        return "an empty cell"
    return f"`{flat}`" if len(flat) <= MAX_QUOTED else f"`{flat[: MAX_QUOTED - 1]}…`"


def with_own(own: str | None, message: str) -> str:
    """What the schema says, then what was found."""
    return message if own is None else f"{own} ({message})"


def _visible(char: str) -> str:
    known = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0"}
    code = ord(char)
    if 0xDC00 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    return known.get(char) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")


def one_of(names: tuple[str, ...]) -> str:
    """Names for a message: the first few of them."""
    if not names:
        return "nothing more"
    shown = list(names[:8])
    if len(names) > 8:
        return ", ".join(shown) + f" or {len(names) - 8} others"
    return shown[0] if len(shown) == 1 else ", ".join(shown[:-1]) + f" or {shown[-1]}"
