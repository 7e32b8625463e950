"""The types of kernels' arguments: what an annotation means to a compiler and to `ctypes`.

Kernels are annotated only with these names, `int` (64 bits), `bool` and `None`. So the signature of
a kernel is in its source, and both ways of compiling read it there (`signatures`).
"""

from __future__ import annotations

from collections.abc import MutableSequence
from typing import TypeAlias

Bytes: TypeAlias = MutableSequence[int]
"""8 bits, unsigned."""
Halves: TypeAlias = MutableSequence[int]
"""16 bits, unsigned."""
Flags: TypeAlias = MutableSequence[bool]
"""Truth values, one byte each."""
Small: TypeAlias = MutableSequence[int]
"""32 bits, signed."""
Numbers: TypeAlias = MutableSequence[int]
"""64 bits, signed."""
Unsigned: TypeAlias = MutableSequence[int]
"""64 bits, unsigned."""
Index: TypeAlias = int
"""A single unsigned 64-bit number."""

INDEX = int
"""Makes an `Index`, which needs no check for negative values. In compiled kernels, `uint64`."""
SIGNED = int
"""Makes a plain number of an `Index`: a compiler would make a floating one of both together. In
compiled kernels, `int64`."""
