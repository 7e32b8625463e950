"""The commands that look into a table: why."""

from __future__ import annotations

import re

from sculpt import api
from sculpt.cli.arguments import load
from sculpt.cli.table import Engine, Format
from sculpt.cli.terminal import print_json, print_lines
from sculpt.errors import UsageError
from sculpt.report.text import visible
from sculpt.tabular.inputs import STDIN

_NAMED = re.compile(r"(?:rule|type|selector):")


def why(
    schema: str,
    data: str,
    place: str,
    region: str | None,
    output: Format,
    engine: Engine,
    settings: list[str],
) -> int:
    """Say why a cell is in a region or not; return the exit status."""
    if schema == data == STDIN:
        raise UsageError("standard input can be read only once")
    row, column = _place(place)
    loaded = load(schema, settings, output)
    is_named = region is not None and _NAMED.match(region) is not None
    selectors = () if region is None or is_named else (region,)
    with api.view(loaded, data, *selectors, engine=engine) as view:
        found = view.why(row, column, region if is_named else "selector:1" if selectors else None)
    if output is Format.JSON:
        from sculpt.views.why.json import why_json

        print_json(why_json(found))
        return 0
    from sculpt.views.why.text import why_text

    print_lines(why_text(found))
    return 0


def _place(text: str) -> tuple[int, int]:
    """`5,3`, also in parentheses, as messages have it."""
    found = re.fullmatch(r"\s*\(?\s*([0-9]{1,18})\s*,\s*([0-9]{1,18})\s*\)?\s*", text)
    if found is None:
        shown = visible(text[:60])
        raise UsageError(f"`{shown}` is not a cell: write its row and column, such as 5,3")
    return int(found[1]), int(found[2])
