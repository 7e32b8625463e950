"""What the script of a page reads: windows for the element, violations for the CSV files.

In: windows and violations, as the page shows them. Out: JSON in a data block, which no browser runs
and which cannot end early: `<`, `>` and `&` are written as escapes.

    {"rows", "columns", "regions": [{"name", "text", "colour", "cells"}],
     "kinds": [[[region, ...], is checked], ...],
     "windows": [{"row", "column", "texts", "kinds", "cut", "violations"}]}

`texts` and `kinds` are by row and column; a kind is a number into `kinds`. `web/src/embedded.ts`
reads it. Lone surrogates become U+FFFD, as they cannot be encoded; all else is as it is.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from sculpt.report.json import printable
from sculpt.verdict import Place
from sculpt.views.html.markup import Html, text
from sculpt.views.html.parts.groups import Group
from sculpt.views.html.subject import Subject
from sculpt.views.model import Window

_STATEMENT_LIMIT = 300
_ESCAPES = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028",
                          "\u2029": "\\u2029"})  # fmt: skip


def data_block(name: str, value: object) -> Html:
    """A block of JSON that a script finds by its identifier."""
    return Html(f'<script type="application/json" id="{text(name)}">{compact(value)}</script>')


def compact(value: object) -> Html:
    """JSON without blanks that can stand in a page."""
    made = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return Html(printable(made.translate(_ESCAPES)))


def source_json(subject: Subject, windows: Sequence[Window]) -> dict[str, Any]:
    """The source of windows of one table."""
    kinds: dict[tuple[tuple[str, ...], bool], int] = {}
    made = [_window(window, kinds) for window in windows]
    number = subject.region_numbers
    return {
        "rows": subject.verdict.rows,
        "columns": subject.verdict.columns,
        "regions": [
            {
                "name": each.name,
                "text": each.text[:_STATEMENT_LIMIT],
                "colour": each.colour,
                "cells": each.cells,
            }
            for each in subject.regions
        ],
        "kinds": [
            [[number[name][0] for name in names], int(is_checked)] for names, is_checked in kinds
        ],
        "windows": made,
    }


def _window(window: Window, kinds: dict[tuple[tuple[str, ...], bool], int]) -> dict[str, Any]:
    return {
        "row": window.row,
        "column": window.column,
        "texts": window.texts,
        "kinds": [
            [
                kinds.setdefault((names, checked), len(kinds))
                for names, checked in zip(regions, checks, strict=True)
            ]
            for regions, checks in zip(window.regions, window.checked, strict=True)
        ],
        "cut": sorted(window.cut),
        "violations": [
            [
                each.row,
                each.column,
                each.rule,
                each.code,
                each.message[:_STATEMENT_LIMIT],
                each.severity,
            ]
            for each in window.violations
        ],
    }


def violations_json(group: Group, limit: int) -> list[list[Any]]:
    """Violations for a CSV file, without the columns that are the same for all, up to a size."""
    rows: list[list[Any]] = []
    for each in group.violations:
        row = [
            each.row,
            each.column,
            each.offset,
            each.found,
            list(each.expected),
            each.message,
            each.hint,
            each.severity,
            *_place(each.first),
            *_place(each.target),
        ]
        limit -= len(compact(row).encode()) + 1
        if limit < 0:
            break
        rows.append(row)
    return rows


def _place(place: Place | None) -> list[Any]:
    return [None] * 3 if place is None else [place.file, place.row, place.column]


def constants(group: Group) -> list[Any]:
    """The columns that are the same for all violations of a group: code, rule, line."""
    codes = {each.code for each in group.violations}
    code = codes.pop() if len(codes) == 1 else group.tally.code
    return [code, group.tally.rule, group.tally.line]
