"""Packages that only some calls need: those of the extras.

In: the name of an extra, and what needs it. Out: nothing, or a `UsageError` that says in one line
what is missing and how to install it. Called before any work is done. Cost: nothing is imported.
"""

from __future__ import annotations

from importlib.util import find_spec
from types import MappingProxyType

from sculpt.errors import UsageError

PACKAGES = MappingProxyType({"arrow": ("pyarrow",)})
"""What we import of each extra."""


def need(extra: str, what: str) -> None:
    """Raise an error if an extra is not installed; `what` is the subject of the sentence."""
    absent = [name for name in PACKAGES[extra] if find_spec(name) is None]
    if absent:
        raise UsageError(f"{what} needs {absent[0]}: pip install 'sculpt-schema[{extra}]'")
