"""A view as JSON: the verdict, the regions, and windows of the table.

In: a `View` and windows of it. Out: plain lists and dictionaries. Their shape is a contract, as
that of `report/json.py`: keys may be added, never removed.

    {"version", "file": as in the JSON of `validate`, "heat": {"row_step", "column_step", "counts"},
     "regions": [{"name", "kind", "text", "line", "documentation", "colour", "cells"}],
     "windows": [{"row", "column", "texts", "regions", "checked", "cut", "violations"}]}

`texts`, `regions` and `checked` are by row and column; the text of a padded cell is null. `cut` has
the places of cells whose text is longer. A byte that cannot be decoded is U+FFFD.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from sculpt.report.json import VERSION, printable, run_json, violation_json
from sculpt.verdict import Verdicts
from sculpt.views.model import Window

if TYPE_CHECKING:  # a view has this as a method
    from sculpt.views.view import View


def view_json(view: View, windows: Iterable[Window] = ()) -> dict[str, Any]:
    """A view with some of its windows."""
    run = Verdicts(view.verdict.engine, (view.verdict,))
    return {
        "version": VERSION,
        "file": run_json(run)["files"][0],
        "heat": asdict(view.heat),
        "regions": [asdict(region) for region in view.regions],
        "windows": [window_json(window) for window in windows],
    }


def window_json(window: Window) -> dict[str, Any]:
    """One window."""
    return {
        "row": window.row,
        "column": window.column,
        "texts": [
            [None if text is None else printable(text) for text in row] for row in window.texts
        ],
        "regions": [[list(names) for names in row] for row in window.regions],
        "checked": [list(row) for row in window.checked],
        "cut": sorted(list(place) for place in window.cut),
        "violations": [violation_json(violation) for violation in window.violations],
    }
