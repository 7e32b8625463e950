"""The command `why`: why a cell is in a region or not, as text or JSON.

In: the parameters of a call. Out: the exit status; the answer goes to standard output.
"""

from __future__ import annotations

import re

from sculpt import api
from sculpt.cli.arguments import load
from sculpt.cli.table import Engine, Format
from sculpt.cli.terminal import note, print_json, print_lines
from sculpt.cli.views.ranges import read_place
from sculpt.errors import UsageError
from sculpt.tabular.inputs import STDIN

_NAMED = re.compile(r"(?:rule|type|selector):")


def why(
    schema: str,
    data: str,
    place: str,
    region: str | None,
    output: Format,
    engine: Engine,
    allow_http: bool,
    allow_outside: bool,
    settings: list[str],
) -> int:
    """Say why a cell is in a region or not; return the exit status."""
    if schema == data == STDIN:
        raise UsageError("standard input can be read only once")
    row, column = read_place(place, "ROW,COLUMN")
    loaded = load(schema, settings, output, None, [data], allow_http, allow_outside)
    is_named = region is not None and _NAMED.match(region) is not None
    selectors = () if region is None or is_named else (region,)
    with api.view(loaded, data, *selectors, engine=engine, rules_only=True) as view:
        found = view.why(row, column, region if is_named else "selector:1" if selectors else None)
    if output is Format.JSON:
        from sculpt.views.why.json import why_json

        print_json(why_json(found))
        return 0
    from sculpt.views.why.text import why_text

    print_lines(why_text(found))
    if region is None and loaded.has_checks:
        note("keys, references and conditions are not explained here: see `sculpt validate`")
    return 0
