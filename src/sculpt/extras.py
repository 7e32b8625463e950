"""What the extras of the installation add, and what is said if one is missing.

In: the name of an extra, and what needs it. Out: nothing if it is installed, otherwise a
`UsageError` of one line, with the command that installs it.

Invariant: whatever needs a package of an extra calls `need` before it does any work, so a user
never sees an `ImportError`. Cost: 0.1 ms per package; nothing is imported.
"""

from __future__ import annotations

import os
import sys
from types import MappingProxyType

from sculpt.errors import UsageError

DISTRIBUTION = "sculpt-schema"
PACKAGES = MappingProxyType(
    {
        "arrow": ("pyarrow", "numpy"),
        "csvw": ("uritemplate",),
        "jit": ("numba",),
        "rdf": ("rdflib",),
        "spark": ("pyspark", "pandas", "pyarrow", "numpy"),
    }
)
"""What we import of each extra. `pyproject.toml` has their versions, and a test compares both."""


def need(extra: str, what: str) -> None:
    """Raise an error if an extra is not installed; `what` is the subject of the sentence."""
    absent = missing(extra)
    if absent:
        raise UsageError(f"{what} needs {listed(absent)}: {advice(extra)}")


def missing(extra: str) -> list[str]:
    """The packages of an extra that are not installed."""
    from importlib.util import find_spec

    return [name for name in PACKAGES[extra] if find_spec(name) is None]


def advice(extra: str) -> str:
    """How to install an extra here, as a clause."""
    return f"run `{command(f'{DISTRIBUTION}[{extra}]')}`"


def command(requirement: str) -> str:
    """The command that installs something beside this installation, whatever made it."""
    # Double quotes work in every shell; without any, some would take the brackets for a pattern.
    quoted = f'"{requirement}"'
    if sys.platform == "emscripten":
        return f"await micropip.install({quoted})"
    if os.path.exists(os.path.join(sys.prefix, "pipx_metadata.json")):
        return f"pipx install --force {quoted}"
    if os.path.exists(os.path.join(sys.prefix, "uv-receipt.toml")):
        return f"uv tool install {quoted}"
    return f"pip install {quoted}"


def listed(names: list[str]) -> str:
    """Names in a sentence: `a`, `a and b`, `a, b and c`."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
