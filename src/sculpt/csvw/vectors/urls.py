"""The URLs of templates, for many rows at once.

In: templates, and the values of their variables as Arrow arrays. Out: arrays of absolute URLs.

What an expression gives is computed by Arrow where values need no encoding, and by `templates` for
the others, each distinct value once. A template that begins with a scheme, a prefix, a path or a
fragment is resolved once, and its rows follow; others are resolved row by row.

Invariant: the URLs are those of `Template.url`. Cost: a few passes of Arrow kernels.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from sculpt.csvw.tables.plan import ColumnPlan
from sculpt.csvw.tables.templates import (
    DOTTED,
    Expression,
    Template,
    Variable,
    expanded_text,
    resolved,
)
from sculpt.transform.writers.rendering import each, joined, rewritten

if TYPE_CHECKING:
    import pyarrow as pa

_ENCODED = {
    "": r"[^A-Za-z0-9._~-]",
    "+": r"[^A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=-]",
    "#": r"[^A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=-]",
}
"""By operator: what needs encoding."""


class Urls:
    """The URLs of the rows of one piece; equal templates are computed once."""

    def __init__(self, count: int, variables: Mapping[str, pa.Array]) -> None:
        """`variables` are the values of columns and rows: texts, or lists of texts."""
        self._count = count
        self._variables = variables
        self._known: dict[str, pa.Array] = {}

    def of(self, template: Template, column: ColumnPlan) -> pa.Array:
        """The URLs of a template of a column."""
        if template.text not in self._known:
            self._known[template.text] = self._urls(template, column.constants)
        return self._known[template.text]

    def _urls(self, template: Template, constants: Mapping[str, str]) -> pa.Array:
        parts = [
            part if isinstance(part, str) else self._expanded(part, constants)
            for part in template.parts
        ]
        known = template.prefix()
        if known is None:
            return self._resolved(self._joined(parts), template.base)
        prefix, has_first = known
        whole = self._joined([prefix, *parts[has_first:]])
        import pyarrow.compute as pc

        if len(parts) > 1 and _has_path(template):
            dotted = pc.match_substring_regex(self._joined(parts), DOTTED)
            if pc.any(dotted).as_py():
                return self._resolved(self._joined(parts), template.base)
        return whole

    def _joined(self, parts: list[pa.Array | str]) -> pa.Array:
        import pyarrow as pa

        if all(isinstance(part, str) for part in parts):
            return pa.repeat(pa.scalar("".join(parts)), self._count)
        return joined(*parts)

    def _resolved(self, texts: pa.Array, base: str) -> pa.Array:
        coded = texts.dictionary_encode()
        urls = each(partial(resolved, base=base))(coded.dictionary)
        return urls.take(coded.indices)

    def _expanded(self, part: Expression, constants: Mapping[str, str]) -> pa.Array | str:
        """What an expression gives in each row."""
        import pyarrow as pa
        import pyarrow.compute as pc

        arrays = {
            name: self._variables[name]
            for name in part.variables
            if name in self._variables and name not in constants
        }
        if not arrays:
            return part.expand(dict(constants))
        if part.is_plain and pa.types.is_string(arrays[part.variables[0]].type):
            values = arrays[part.variables[0]]
            encode = each(lambda text: expanded_text(part.operator, text).removeprefix(lead))
            lead = "#" if part.operator == "#" else ""
            encoded = rewritten(values, _ENCODED[part.operator], encode)
            return pc.fill_null(joined(lead, encoded) if lead else encoded, "")
        names = list(arrays)
        rows = zip(*(arrays[name].to_pylist() for name in names), strict=True)
        known: dict[tuple[Variable, ...], str] = {}
        found = []
        for row in rows:
            key = tuple(tuple(each) if isinstance(each, list) else each for each in row)
            if key not in known:
                known[key] = part.expand({**constants, **dict(zip(names, key, strict=True))})
            found.append(known[key])
        return pa.array(found, pa.string())


def _has_path(template: Template) -> bool:
    """Can what is expanded be a segment of a path that is relative?"""
    first = template.parts[0]
    return isinstance(first, str) and ":" not in first and "#" not in first and "?" not in first
