r"""SCULPT: validate the regions of messy tables.

>>> import sculpt
>>> schema = sculpt.Schema.parse("row(1) -> name, age\ncol(age) -> Integer")
>>> [str(rule.number) for rule in schema.core.rules]
['1', '2']
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sculpt.api import (
        Schema,
        extract,
        format_text,
        load,
        read_table,
        run,
        select,
        validate,
        validate_all,
        view,
    )
    from sculpt.diagnostics import Diagnostic
    from sculpt.errors import (
        DataError,
        RunError,
        SchemaError,
        SculptError,
        UnsupportedByEngine,
        UsageError,
    )
    from sculpt.inference.propose import Proposal, propose
    from sculpt.inference.sniff.finder import sniff
    from sculpt.inference.sniff.model import Sniffed
    from sculpt.inference.update.model import Update
    from sculpt.verdict import Place, RefusedError, Unread, Verdict, Verdicts, Violation, Warning

__version__ = "0.1.0"

__all__ = [
    "DataError",
    "Diagnostic",
    "Place",
    "Proposal",
    "RefusedError",
    "RunError",
    "Schema",
    "SchemaError",
    "SculptError",
    "Sniffed",
    "Unread",
    "UnsupportedByEngine",
    "Update",
    "UsageError",
    "Verdict",
    "Verdicts",
    "Violation",
    "Warning",
    "__version__",
    "extract",
    "format_text",
    "load",
    "propose",
    "read_table",
    "run",
    "select",
    "sniff",
    "validate",
    "validate_all",
    "view",
]

_HOMES = {
    "sculpt.api": (
        "Schema",
        "extract",
        "format_text",
        "load",
        "read_table",
        "run",
        "select",
        "validate",
        "validate_all",
        "view",
    ),
    "sculpt.diagnostics": ("Diagnostic",),
    "sculpt.inference.propose": ("Proposal", "propose"),
    "sculpt.inference.sniff.finder": ("sniff",),
    "sculpt.inference.sniff.model": ("Sniffed",),
    "sculpt.inference.update.model": ("Update",),
    "sculpt.verdict": (
        "Place",
        "RefusedError",
        "Unread",
        "Verdict",
        "Verdicts",
        "Violation",
        "Warning",
    ),
}

if not TYPE_CHECKING:  # type checkers see the imports above, and report unknown names

    def __getattr__(name: str) -> Any:
        """Import a name on first use, so that the command starts before anything can fail."""
        home = next((home for home, names in _HOMES.items() if name in names), "sculpt.errors")
        if name in __all__:
            value = globals()[name] = getattr(import_module(home), name)
            return value
        if not name.startswith("_"):
            try:
                return import_module(f"sculpt.{name}")
            except ModuleNotFoundError as error:
                if error.name != f"sculpt.{name}":
                    raise
        raise AttributeError(f"module 'sculpt' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
