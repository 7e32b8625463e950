"""The types of kernels' arguments: what an annotation means to a compiler and to `ctypes`.

A kernel is annotated with these names alone, and with `int` (64 bits), `bool` and `None`. So its
signature is a part of its source: there is one, and both compilers read it (`signatures`).
"""

from __future__ import annotations

from collections.abc import MutableSequence
from typing import TypeAlias

Bytes: TypeAlias = MutableSequence[int]
"""8 bits, unsigned."""
Halves: TypeAlias = MutableSequence[int]
"""16 bits, unsigned."""
Flags: TypeAlias = MutableSequence[bool]
"""Truth values, a byte each."""
Small: TypeAlias = MutableSequence[int]
"""32 bits with a sign."""
Numbers: TypeAlias = MutableSequence[int]
"""64 bits with a sign."""
Unsigned: TypeAlias = MutableSequence[int]
"""64 bits without a sign."""
Index: TypeAlias = int
"""A number of 64 bits without a sign."""

INDEX = int
"""Makes an `Index`: one that cannot be negative needs no check. In compiled kernels, `uint64`."""
