"""The kinds of properties of metadata, each with what the standard says of wrong values.

In: a JSON object, the name of a property, and a `Scope`: the base URL, the default language, and
where problems go. Out: the value of the property, or its default after a warning ("Metadata
Vocabulary", sections 5.1.1 to 5.1.7).

Invariant: nothing raises: what is wrong is a problem with its place. Cost: linear in the value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias, TypeVar

from sculpt.interchange.csvw.language_tags import UNDEFINED, is_language_tag
from sculpt.interchange.csvw.model import Json, Place, Titles
from sculpt.interchange.csvw.problems import Problems
from sculpt.interchange.csvw.reading.context import is_common_name
from sculpt.interchange.csvw.urls import resolve
from sculpt.values import frozen

Object: TypeAlias = "Mapping[str, Any]"
Value = TypeVar("Value")
_SHOWN = 60


@frozen(eq=False)
class Scope:
    """A part of a document that is being read, and what holds for all of it."""

    place: Place
    base: str
    """What relative URLs are relative to."""
    language: str
    """The default language."""
    problems: Problems

    def below(self, *steps: str | int) -> Scope:
        """The scope of a member or an item."""
        return Scope(self.place.below(*steps), self.base, self.language, self.problems)

    def error(self, message: str, *steps: str | int) -> None:
        """An error about this part, or a part of it."""
        self.problems.error(self.place.below(*steps), message)

    def warning(self, message: str, *steps: str | int) -> None:
        """A warning about this part, or a part of it."""
        self.problems.warning(self.place.below(*steps), message)


def shown(value: object) -> str:
    """A JSON value in a message."""
    import json

    text = json.dumps(value, ensure_ascii=False)
    return f"`{text}`" if len(text) <= _SHOWN else f"`{text[: _SHOWN - 1]}…`"


# ------------------------------------------------------------- atomic properties


def atomic(
    scope: Scope,
    given: Object,
    name: str,
    accepts: Callable[[Any], bool],
    default: Value,
    expected: str,
) -> Any | Value:
    """The value of an atomic property; the default if it is missing or not accepted."""
    if name not in given:
        return default
    value = given[name]
    if accepts(value):
        return value
    scope.warning(f"`{name}` must be {expected}, not {shown(value)}: it is ignored", name)
    return default


def is_text(value: object) -> bool:
    """A string."""
    return isinstance(value, str)


def is_flag(value: object) -> bool:
    """A boolean."""
    return isinstance(value, bool)


def is_count(value: object) -> bool:
    """A number that is an integer and not negative."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return value >= 0 and value == int(value) if value < float("inf") else False


def flag(scope: Scope, given: Object, name: str, default: bool = False) -> bool:
    """A boolean property."""
    found: bool = atomic(scope, given, name, is_flag, default, "`true` or `false`")
    return found


def count(scope: Scope, given: Object, name: str) -> int | None:
    """A property that is a whole number from 0; `None` if there is none."""
    found = atomic(scope, given, name, is_count, None, "a whole number that is not negative")
    return None if found is None else int(found)


def one_of(
    scope: Scope, given: Object, name: str, choices: Iterable[str], default: Value
) -> str | Value:
    """A property that is one of a few words."""
    words = tuple(choices)
    expected = f"one of {', '.join(f'`{word}`' for word in words)}"
    found: str | Value = atomic(
        scope, given, name, lambda value: value in words and is_text(value), default, expected
    )
    return found


# ------------------------------------------------------------- other kinds


def array(scope: Scope, given: Object, name: str) -> list[Any]:
    """An array property; empty if it is missing or no array."""
    value = given.get(name, [])
    if isinstance(value, list):
        return value
    scope.warning(f"`{name}` must be an array, not {shown(value)}: it is taken as empty", name)
    return []


def objects(scope: Scope, given: Object, name: str) -> list[tuple[int, Object]]:
    """The objects of an array property, with their positions; other items are ignored."""
    kept = []
    for ix, item in enumerate(array(scope, given, name)):
        if isinstance(item, Mapping):
            kept.append((ix, item))
        else:
            message = f"the items of `{name}` must be objects: {shown(item)} is ignored"
            scope.warning(message, name, ix)
    return kept


def link(scope: Scope, given: Object, name: str) -> str | None:
    """A link property as an absolute URL; `None` if it is missing or no string."""
    value = given.get(name)
    if name not in given:
        return None
    if not isinstance(value, str):
        scope.warning(f"`{name}` must be a string, not {shown(value)}: it is ignored", name)
        return None
    return resolve(scope.base, value)


def identifier(scope: Scope, given: Object) -> str | None:
    """The property `@id`: a link that is no blank node."""
    value = given.get("@id")
    if isinstance(value, str) and value.startswith("_:"):
        scope.error(f"`@id` must not start with `_:`, as {shown(value)} does", "@id")
        return None
    found = link(scope, given, "@id")
    # A value that is no string counts as an empty one (section 5.1.2), which is the base itself.
    return resolve(scope.base, "") if found is None and "@id" in given else found


def check_type(scope: Scope, given: Object, expected: str) -> None:
    """The property `@type`, which can only say what is known anyway."""
    if "@type" in given and given["@type"] != expected:
        found = shown(given["@type"])
        scope.error(f'`@type` must be "{expected}" here, not {found}', "@type")


def template(scope: Scope, given: Object, name: str) -> str | None:
    """A URI template property as it is written; `None` if it is missing."""
    if name not in given:
        return None
    value = given[name]
    if isinstance(value, str):
        if not _is_template(value):
            scope.warning(f"`{name}` is not a URI template: {shown(value)} is ignored", name)
            return None
        return value
    message = f"`{name}` must be a string, not {shown(value)}: it is taken as an empty one"
    scope.warning(message, name)
    return ""


def _is_template(text: str) -> bool:
    """Are its braces in pairs, and not nested?"""
    depth = 0
    for char in text:
        if char == "{":
            depth += 1
        elif char == "}":
            depth -= 1
        if depth not in (0, 1):
            return False
    return depth == 0


def titles(scope: Scope, given: Object, name: str = "titles") -> Titles:
    """A natural language property: texts by language."""
    if name not in given:
        return ()
    value = given[name]
    match value:
        case str():
            return ((scope.language, (value,)),)
        case list():
            texts = _texts(scope.below(name), value)
            return ((scope.language, texts),) if texts else ()
        case Mapping():
            return _titles_by_language(scope.below(name), value)
        case _:
            message = f"`{name}` must be a string, an array or an object, not {shown(value)}"
            scope.warning(f"{message}: it is ignored", name)
            return ()


def _texts(scope: Scope, values: list[Any]) -> tuple[str, ...]:
    for ix, value in enumerate(values):
        if not isinstance(value, str):
            scope.warning(f"titles must be strings: {shown(value)} is ignored", ix)
    return tuple(value for value in values if isinstance(value, str))


def _titles_by_language(scope: Scope, value: Object) -> Titles:
    found: dict[str, tuple[str, ...]] = {}
    for tag, given in value.items():
        if not is_language_tag(tag):
            message = f"`{tag}` is no language tag (BCP 47): its titles are ignored"
            scope.warning(message, tag)
            continue
        texts: tuple[str, ...] = ()
        if isinstance(given, str):
            texts = (given,)
        elif isinstance(given, list):
            texts = _texts(scope.below(tag), given)
        else:
            message = f"titles must be a string or an array, not {shown(given)}: they are ignored"
            scope.warning(message, tag)
        if texts:
            found[tag] = texts
    return tuple(found.items())


def names(scope: Scope, given: Object, name: str, known: Iterable[str]) -> tuple[str, ...]:
    """A column reference property; empty, after a warning, if one of its names is unknown."""
    if name not in given:
        return ()
    value = given[name]
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list) or not listed or not all(map(is_text, listed)):
        message = f"`{name}` must be the name of a column or an array of names, not {shown(value)}"
        scope.warning(f"{message}: it is ignored", name)
        return ()
    columns = set(known)
    missing = [each for each in listed if each not in columns]
    if missing:
        message = f"`{name}` refers to {shown(missing[0])}, which is the name of no column"
        scope.warning(f"{message}: it is ignored", name)
        return ()
    return tuple(listed)


# ------------------------------------------------------------- all properties of an object


def check_names(scope: Scope, given: Object, known: frozenset[str], what: str) -> None:
    """Warn of properties that an object of this kind does not have."""
    for name in given:
        if name in known or is_common_name(name):
            continue
        if name == "@context":
            scope.error("a context is allowed only at the top of a document", name)
        elif name.startswith("@"):
            scope.error(f"there is no property `{name}` here", name)
        else:
            scope.warning(f"{what} has no property `{name}`: it is ignored", name)


def language_of(scope: Scope, given: Object, name: str) -> str | None:
    """A property that is a language tag."""
    found: str | None = atomic(scope, given, name, is_language_tag, None, "a language tag (BCP 47)")
    return found


def is_undefined(language: str) -> bool:
    """Is a language not known?"""
    return language == UNDEFINED


def plain(value: Any) -> Json:
    """A JSON value whose containers nobody changes."""
    found: Json = value
    return found
