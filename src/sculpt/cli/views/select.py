"""The command `select`: the cells of a selector, printed as they are found.

In: the parameters of a call. Out: the exit status. Invariant: as text, memory does not grow with
the number of cells, and if the reader of a pipe goes away, the run ends.
"""

from __future__ import annotations

import sys
from collections.abc import Generator

from sculpt import api
from sculpt.cli.arguments import load
from sculpt.cli.table import Engine, Format
from sculpt.cli.terminal import announce, note, open_console, print_lines, writing
from sculpt.errors import UsageError
from sculpt.report.styled import Styled, counted, styled, visible
from sculpt.tabular.inputs import STDIN

EMPTY, PADDED = "(empty)", "(padded)"


def select(
    schema: str,
    data: str,
    selector: str,
    output: Format,
    engine: Engine,
    allow_http: bool,
    allow_outside: bool,
    settings: list[str],
) -> int:
    """List the cells that a selector selects; return the exit status."""
    if schema == data == STDIN:
        raise UsageError("standard input can be read only once")
    loaded = load(schema, settings, output, None, [data], allow_http, allow_outside)
    if output is Format.JSON:
        _print_json(api.select_cells(loaded, data, selector, engine, on_remark=announce).cells)
        return 0
    with writing():
        count, rows, columns = _print(api.select_in_order(loaded, data, selector, engine, announce))
        print_lines([styled((counted(count, "cell"), "dim"))])
        if not count:
            size = f"{counted(rows, 'row')} × {counted(columns, 'column')}"
            for text in (f"the table has {size}", *api.undeclared_names(loaded, selector)):
                note(text)
    return 0


def _print_json(cells: list[tuple[int, int]]) -> None:
    """Print cells as `print_json` would, which takes four times as long for a long list."""
    listed = (f"    [\n      {row},\n      {column}\n    ]" for row, column in cells)
    with writing():
        sys.stdout.write(f'{{\n  "count": {len(cells)},\n  "cells": [')
        for number, text in enumerate(listed):
            sys.stdout.write(f",\n{text}" if number else f"\n{text}")
        sys.stdout.write("\n  ]\n}\n" if cells else "]\n}\n")
        sys.stdout.flush()


def _print(
    batches: Generator[list[tuple[int, int, str | None]], None, tuple[int, int]],
) -> tuple[int, int, int]:
    """Print cells; return their number and the size of the table."""
    console = open_console()
    count = 0
    while True:
        try:
            batch = next(batches)
        except StopIteration as end:
            return (count, *end.value)
        count += len(batch)
        if console is not None:
            for cell in batch:
                console.print_line(_line(*cell))
        else:
            # A line at a time would take twice as long.
            lines = [
                f"({row},{column}) {visible(text) if text else EMPTY if text == '' else PADDED}\n"
                for row, column, text in batch
            ]
            sys.stdout.write("".join(lines))
        sys.stdout.flush()


def _line(row: int, column: int, text: str | None) -> Styled:
    filled = (visible(text), "") if text else (EMPTY if text == "" else PADDED, "dim")
    return styled((f"({row},{column})", "bold"), " ", filled)
