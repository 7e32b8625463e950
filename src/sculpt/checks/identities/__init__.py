"""Keys and references, found with compiled kernels, in bounded memory."""

from sculpt.checks.identities.local import LocalIdentities

__all__ = ["LocalIdentities"]
