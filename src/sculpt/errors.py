"""The exceptions of Sculpt. All survive `pickle`, because workers raise them too.

A file that does not conform is not an error: that is a `Violation`, a value (see `verdict`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from sculpt.display import html_of, shortened

if TYPE_CHECKING:
    from sculpt.diagnostics import Diagnostic


class SculptError(Exception):
    """An error that a user can cause; the command line prints it without a traceback."""


class SchemaError(SculptError):
    """The schema is wrong: all its errors at once, in the order of the text."""

    def __init__(self, diagnostics: tuple[Diagnostic, ...], files: tuple[str, ...] = ()) -> None:
        super().__init__(diagnostics, files)
        self.diagnostics = diagnostics
        self.files = files
        """Every file that was read for the schema, as far as they are known."""

    def __repr__(self) -> str:
        first = f"{self.diagnostics[0].code}: {self.diagnostics[0].message}"
        more = f", and {len(self.diagnostics) - 1:,} more" if len(self.diagnostics) > 1 else ""
        return f"<SchemaError {shortened(first, 200)}{more}>"

    def _repr_html_(self) -> str:
        return html_of(self)

    def __str__(self) -> str:
        return "\n\n".join(diagnostic.render() for diagnostic in self.diagnostics)


class UsageError(SculptError):
    """The call is wrong: a selector, an option or an argument that cannot be used."""


class DataError(SculptError):
    """A data file cannot be read: it is missing, not readable, or not what its name says."""

    def __init__(self, message: str, path: str = "") -> None:
        super().__init__(message, path)
        self.message, self.path = message, path

    def __str__(self) -> str:
        return self.message


class UnreadFilesError(DataError):
    """Several data files cannot be read: all that a run needs, each said once."""

    def __init__(self, errors: tuple[DataError, ...]) -> None:
        listed = "".join(f"\n  {each}" for each in errors)
        super().__init__(f"{len(errors)} files cannot be read:{listed}", errors[0].path)
        self.args = (errors,)
        self.errors = errors

    @classmethod
    def of(cls, errors: Iterable[DataError]) -> DataError:
        """One error for some; what several of them say is said once."""
        found = {each.message: each for error in errors for each in cls.parts(error)}
        first, *others = found.values()
        return cls((first, *others)) if others else first

    @staticmethod
    def parts(error: DataError) -> tuple[DataError, ...]:
        """What an error is made of."""
        return error.errors if isinstance(error, UnreadFilesError) else (error,)


class RunError(SculptError):
    """A run failed: workers died, a disk is full, the output cannot be written."""


class UnsupportedByEngine(SculptError):  # noqa: N818 - the name says what it is
    """An engine cannot run a schema; the message names the sub-expression and the remedy."""
