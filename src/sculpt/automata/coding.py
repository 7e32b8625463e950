"""Characters as bytes: how sets of characters look in an encoding.

In: a codec. Out: a `Coding`: for any set of characters, a tree over bytes that spells exactly its
members; the bytes of blanks and NUL; and which bytes are not characters at all. The codec is UTF-8
or an encoding with one byte per character. Data in any other encoding is converted to UTF-8 first.

Invariant: the tree of all characters accepts exactly what Python's decoder accepts, so the same
cells are undecodable here and there. Nodes are shared: equal subtrees are one object.
"""

from __future__ import annotations

import codecs
from bisect import bisect_right
from functools import cache
from typing import TypeAlias

from sculpt.syntax.regular import MAX_CODE_POINT, CharSet

Tree: TypeAlias = tuple[tuple[int, int, "Tree"], ...]
"""Sorted disjoint ranges of bytes, each with what may follow; `LEAF` if the character ends."""

LEAF: Tree = ()
_BLOCKS = (  # first code point, last, continuation bytes, bits of the first byte
    (0x0, 0x7F, 0, 0x00),
    (0x80, 0x7FF, 1, 0xC0),
    (0x800, 0xD7FF, 2, 0xE0),
    (0xE000, 0xFFFF, 2, 0xE0),
    (0x10000, MAX_CODE_POINT, 3, 0xF0),
)


def child(tree: Tree, byte: int) -> Tree | None:
    """What may follow a byte; `None` if the byte does not fit."""
    ix = bisect_right(tree, byte, key=lambda entry: entry[0]) - 1
    return tree[ix][2] if ix >= 0 and tree[ix][1] >= byte else None


class Coding:
    """An encoding; see the module docstring."""

    def __init__(self, codec: str) -> None:
        self.codec = codec
        self._trees: dict[CharSet, Tree] = {}
        self._chars = None if codec == "utf-8" else single_byte_table(codec)
        assert codec == "utf-8" or self._chars is not None, codec
        self.all = self.tree(CharSet(((0, MAX_CODE_POINT),)))
        self.blanks = frozenset(self.encode(" ") + self.encode("\t"))
        nul = self.encode("\0")
        self.nul = nul[0] if nul else -1

    def encode(self, text: str) -> bytes:
        """The bytes of a text; none if the encoding cannot spell it."""
        try:
            return text.encode(self.codec)
        except UnicodeEncodeError:
            return b""

    def tree(self, chars: CharSet) -> Tree:
        """The tree over bytes of a set of characters."""
        if chars not in self._trees:
            self._trees[chars] = _utf8_tree(chars) if self._chars is None else self._flat(chars)
        return self._trees[chars]

    def _flat(self, chars: CharSet) -> Tree:
        assert self._chars is not None
        bytes_of = [byte for byte, char in enumerate(self._chars) if char and char in chars]
        return tuple((low, high, LEAF) for low, high in CharSet.of((b, b) for b in bytes_of).ranges)


@cache
def single_byte_table(codec: str) -> tuple[str | None, ...] | None:
    """The character of each byte, if every character is one byte and ASCII is unchanged.

    `None` for any other codec, such as EBCDIC, whose line ends are not the bytes of ASCII.
    """
    try:
        if "\r\n".encode(codec) != b"\r\n":
            return None
        if len(bytes(range(256)).decode(codec, "replace")) != 256:
            return None
        if len("aé\n".encode(codec, "replace")) != 3:
            return None
        decoder = codecs.getincrementaldecoder(codec)
        chars: list[str | None] = []
        for byte in range(256):
            text = decoder("replace").decode(bytes([byte]), False)
            if len(text) != 1:
                return None
            try:
                chars.append(bytes([byte]).decode(codec))
            except UnicodeDecodeError:
                chars.append(None)
    except (UnicodeError, ValueError):
        return None
    return tuple(chars)


def _utf8_tree(chars: CharSet) -> Tree:
    entries: list[tuple[int, int, Tree]] = []
    for first, last, more, lead in _BLOCKS:
        inside = [
            (max(low, first), min(high, last))
            for low, high in chars.ranges
            if low <= last and high >= first
        ]
        entries += _level(tuple(inside), more, lead)
    return _merged(entries)


@cache
def _level(ranges: tuple[tuple[int, int], ...], more: int, lead: int) -> Tree:
    """The entries for code points that share their first bytes, with `more` bytes to follow."""
    if not ranges:
        return ()
    if more == 0:
        return tuple((lead | low, lead | high, LEAF) for low, high in ranges)
    span = 1 << (6 * more)
    blocks: dict[int, list[tuple[int, int]]] = {}
    for low, high in ranges:
        for block in range(low // span, high // span + 1):
            begin = block * span
            part = (max(low, begin) - begin, min(high, begin + span - 1) - begin)
            blocks.setdefault(block, []).append(part)
    return _merged(
        [
            (lead | block, lead | block, _level(tuple(parts), more - 1, 0x80))
            for block, parts in blocks.items()
        ]
    )


def _merged(entries: list[tuple[int, int, Tree]]) -> Tree:
    merged: list[tuple[int, int, Tree]] = []
    for low, high, tree in entries:
        if merged and merged[-1][1] + 1 == low and merged[-1][2] == tree:
            merged[-1] = (merged[-1][0], high, tree)
        else:
            merged.append((low, high, tree))
    return tuple(merged)
