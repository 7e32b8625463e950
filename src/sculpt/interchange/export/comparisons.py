"""Conditions that compare two cells of each row: what CSV Schema can say with `$column`.

In: a condition of a loop over all rows of data, as it is written. Out: a `Comparison` of a column
with another one or with a text; `None` for every other condition.

Invariant: the comparison holds for a row exactly if the condition does. Cost: one match.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from sculpt.interchange.export.sheets import Comparison, Said

_CELL = r"(?P<{0}>\w+)\[(?P<{1}>[^\[\]]+)\]"
_LEFT, _RIGHT = _CELL.format("a", "left"), _CELL.format("b", "right")
_TEXT = r'"(?P<text>[^"\\]*)"'
_FORMS = (
    (re.compile(f"{_LEFT} = {_RIGHT}"), "is"),
    (re.compile(f"{_LEFT} != {_RIGHT}"), "not"),
    (re.compile(rf"starts\({_LEFT}, {_RIGHT}\)"), "starts"),
    (re.compile(rf"ends\({_LEFT}, {_RIGHT}\)"), "ends"),
    (re.compile(rf"contains\({_RIGHT}, {_LEFT}\)"), "in"),
    (re.compile(rf"contains\({_TEXT}, {_LEFT}\)"), "in"),
)


def comparison_of(
    condition: str, variable: str, columns: Mapping[str, int], said: Said
) -> Comparison | None:
    """The comparison that a condition is; `columns` has the numbers of regions that are columns."""
    for form, word in _FORMS:
        found = form.fullmatch(condition)
        if found is None:
            continue
        parts = found.groupdict()
        left = columns.get(parts["left"])
        if left is None or any(parts.get(each, variable) != variable for each in ("a", "b")):
            return None
        if parts.get("text") is not None:
            return Comparison(left, word, None, parts["text"], said)
        right = columns.get(parts["right"])
        return None if right is None else Comparison(left, word, right, "", said)
    return None
