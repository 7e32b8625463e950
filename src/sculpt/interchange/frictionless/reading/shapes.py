"""Reads parts of JSON and reports those of the wrong shape, all of them, each at its place.

In: JSON values with their places. Out: values of the wanted type, or a default and a `Diagnostic`.

Invariant: a reader never raises; whoever reads a whole document raises what was collected. Cost:
linear in the JSON.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeGuard, TypeVar

from sculpt.diagnostics import Diagnostic
from sculpt.errors import DataError, SchemaError, UsageError
from sculpt.interchange.access import one_error
from sculpt.interchange.frictionless.model import At
from sculpt.origins import Note

T = TypeVar("T")


class Findings:
    """What is wrong with a descriptor, and what is not taken over."""

    def __init__(self) -> None:
        self.problems: list[Diagnostic] = []
        self.notes: list[Note] = []
        self.unread: list[UsageError | DataError] = []
        """Why references cannot be followed."""

    def check(self, name: str) -> None:
        """Raise everything that is wrong with a descriptor of a name."""
        if self.problems:
            raise SchemaError(tuple(self.problems), (name,))
        if self.unread:
            raise one_error(self.unread)

    def wrong(self, at: At, message: str, hint: str | None = None) -> None:
        """Something that the standard does not allow."""
        self.problems.append(at.problem("foreign-meaning", message, hint))

    def limit(self, at: At, message: str, hint: str | None = None) -> None:
        """Something too deep, too large or circular."""
        self.problems.append(at.problem("foreign-limit", message, hint))

    def note(self, at: At, message: str, hint: str = "") -> None:
        """Something that is allowed, but is not taken over."""
        self.notes.append(Note(message, at.spot, hint))

    # ------------------------------------------------------------- members of objects

    def text(self, at: At, value: dict[str, Any], key: str, default: T) -> str | T:
        """A member that is a text."""
        found: Any = self._member(at, value, key, default, lambda v: isinstance(v, str), "a text")
        return found  # type: ignore[no-any-return]

    def flag(self, at: At, value: dict[str, Any], key: str, default: T) -> bool | T:
        """A member that is true or false."""
        found: Any = self._member(
            at, value, key, default, lambda v: isinstance(v, bool), "`true` or `false`"
        )
        return found  # type: ignore[no-any-return]

    def count(self, at: At, value: dict[str, Any], key: str, default: T) -> int | T:
        """A member that is a whole number, not negative."""
        found: Any = self._member(at, value, key, default, is_count, "a whole number from 0")
        return found  # type: ignore[no-any-return]

    def object(self, at: At, value: dict[str, Any], key: str) -> dict[str, Any]:
        """A member that is an object; an empty one if there is none."""
        found: Any = self._member(at, value, key, {}, lambda v: isinstance(v, dict), "an object")
        return found  # type: ignore[no-any-return]

    def array(self, at: At, value: dict[str, Any], key: str) -> list[Any]:
        """A member that is an array; an empty one if there is none."""
        found: Any = self._member(at, value, key, [], lambda v: isinstance(v, list), "an array")
        return found  # type: ignore[no-any-return]

    def texts(self, at: At, value: dict[str, Any], key: str) -> tuple[str, ...] | None:
        """A member that is an array of texts; `None` if there is none."""
        if key not in value:
            return None
        kept = []
        for ix, each in enumerate(self.array(at, value, key)):
            if isinstance(each, str):
                kept.append(each)
            else:
                self.wrong(at.to(key, ix), f"a text is expected, not {described(each)}")
        return tuple(kept)

    def rows(self, at: At, value: dict[str, Any], key: str) -> tuple[int, ...] | None:
        """A member that is an array of row numbers, from 1; `None` if there is none."""
        if key not in value:
            return None
        kept = []
        for ix, each in enumerate(self.array(at, value, key)):
            if is_count(each) and each >= 1:
                kept.append(each)
            else:
                message = f"the number of a row is expected, from 1, not {described(each)}"
                self.wrong(at.to(key, ix), message)
        return tuple(sorted(set(kept)))

    def _member(
        self,
        at: At,
        value: dict[str, Any],
        key: str,
        default: T,
        is_right: Callable[[Any], bool],
        wanted: str,
    ) -> Any | T:
        if key not in value:
            return default
        if is_right(value[key]):
            return value[key]
        message = f"`{key}` is {wanted} by the standard, not {described(value[key])}"
        self.wrong(at.to(key), message)
        return default


def is_count(value: object) -> TypeGuard[int]:
    """A whole number that is not negative?"""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def described(value: object) -> str:
    """A JSON value in a message."""
    match value:
        case None:
            return "null"
        case bool():
            return "`true`" if value else "`false`"
        case str():
            return f"the text `{value if len(value) <= 40 else value[:40] + '…'}`"
        case dict():
            return "an object"
        case list():
            return "an array"
    return f"the number {value}"
