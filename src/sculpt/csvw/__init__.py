"""CSVW ("CSV on the Web"): validation and conversion of tables with metadata.

`validate` checks tables; `to_json` and `to_rdf` convert them; a `fetch` of the caller gives them a
`Response` for each URL. What each needs is imported when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sculpt.csvw.conversion import Conversion
    from sculpt.csvw.convert import to_json, to_rdf
    from sculpt.csvw.validation import Finding, Validation, validate
    from sculpt.interchange.access import Response

__all__ = ["Conversion", "Finding", "Response", "Validation", "to_json", "to_rdf", "validate"]

_MODULES = {
    "Conversion": "sculpt.csvw.conversion",
    "Finding": "sculpt.csvw.validation",
    "Response": "sculpt.interchange.access",
    "Validation": "sculpt.csvw.validation",
    "to_json": "sculpt.csvw.convert",
    "to_rdf": "sculpt.csvw.convert",
    "validate": "sculpt.csvw.validation",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module `sculpt.csvw` has no attribute `{name}`")
    from importlib import import_module

    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
