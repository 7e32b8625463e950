r"""SCULPT: validate the regions of messy tables.

>>> import sculpt
>>> schema = sculpt.Schema.parse("row(1) -> name, age\ncol(age) -> Integer")
>>> [str(rule.number) for rule in schema.core.rules]
['1', '2']
"""

from sculpt.api import Schema, extract, format_text, read_table, run, select, validate
from sculpt.diagnostics import Diagnostic
from sculpt.errors import (
    DataError,
    RunError,
    SchemaError,
    SculptError,
    UnsupportedByEngine,
    UsageError,
)
from sculpt.verdict import RefusedError, Verdict, Violation, Warning

__version__ = "0.1.0"

__all__ = [
    "DataError",
    "Diagnostic",
    "RefusedError",
    "RunError",
    "Schema",
    "SchemaError",
    "SculptError",
    "UnsupportedByEngine",
    "UsageError",
    "Verdict",
    "Violation",
    "Warning",
    "__version__",
    "extract",
    "format_text",
    "read_table",
    "run",
    "select",
    "validate",
]
