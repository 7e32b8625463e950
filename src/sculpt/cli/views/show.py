"""The command `show`: a table with its regions in colour, as text, HTML or JSON.

In: the parameters of a call. Out: the exit status; the picture goes to standard output or to a
file. Invariant: a file appears only when it is whole, and is never one of the inputs.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from shlex import join
from typing import TYPE_CHECKING

from sculpt import api
from sculpt.cli.arguments import load
from sculpt.cli.table import Color, Engine, Format, Picture
from sculpt.cli.terminal import (
    note,
    open_colour_console,
    open_console,
    print_lines_on,
    terminal_width,
    write_text,
)
from sculpt.cli.views.ranges import read_columns, read_place, read_rows
from sculpt.errors import SchemaError, UsageError
from sculpt.interchange.load import is_foreign
from sculpt.report.styled import counted
from sculpt.tabular.inputs import STDIN
from sculpt.tabular.stores import is_uri
from sculpt.views.terminal.frame import Frame, bands_of
from sculpt.views.terminal.key import MANY_COLOURS, NO_COLOURS, SIXTEEN_COLOURS
from sculpt.views.terminal.show import show_lines

if TYPE_CHECKING:
    from sculpt.report.styled import Styled
    from sculpt.views.model import Window
    from sculpt.views.view import View

SUFFIX = ".sculpt"
_MOST_SCHEMA = 1 << 16
"""A larger file whose name does not say so is not a schema."""


def show(
    schema: str | None,
    data: str,
    selectors: list[str],
    rows: str | None,
    columns: str | None,
    around: str | None,
    unchecked: bool,
    only: list[str],
    color: Color,
    output: Picture,
    out: str | None,
    tables: list[str],
    files: str | None,
    skip_files: bool,
    memory: str | None,
    engine: Engine,
    allow_http: bool,
    allow_outside: bool,
    settings: list[str],
) -> int:
    """Draw a table; return the exit status."""
    frame = _frame(rows, columns, around, unchecked, only)
    if schema is None:
        schema, data = _alone(data, allow_http, allow_outside)
    else:
        schema, data, selectors = _sorted(schema, data, selectors)
    if schema == data == STDIN:
        raise UsageError("standard input can be read only once")
    loaded = _loaded(schema, data, settings, output, allow_http, allow_outside)
    request, every = None, [data]
    if loaded.has_checks or tables or files or skip_files or memory:
        from sculpt.cli.reports.checks import Asked, checked_call, data_files, tell_skipped

        request = checked_call(loaded, Asked(tuple(tables), files, skip_files, memory))
        every = data_files(loaded, every, request)
        if [schema, *every].count(STDIN) > 1:
            raise UsageError("standard input can be read only once")
        if request is not None:
            tell_skipped(loaded, request)
    if out is not None:
        from sculpt.transform.guard import check_outputs

        check_outputs(loaded, every, [out])
    with api.view(loaded, data, *selectors, engine=engine, request=request) as view:
        _check(frame, view)
        _write(view, frame, output, out, color)
        for number, text in enumerate(selectors, 1):
            if not view.region(f"selector:{number}").cells:
                for remark in (f"`{text}` selects no cell", *api.undeclared_names(loaded, text)):
                    note(remark)
    return 0


# ------------------------------------------------------------- what a call asks for


def _frame(
    rows: str | None, columns: str | None, around: str | None, unchecked: bool, only: list[str]
) -> Frame:
    if around is not None and (rows or columns or unchecked):
        raise UsageError(
            "`--around` chooses rows and columns, so it does not go with `--rows`, `--columns` and"
            " `--unchecked`"
        )
    return Frame(
        None if rows is None else read_rows(rows),
        None if columns is None else read_columns(columns),
        None if around is None else read_place(around),
        unchecked,
        tuple(dict.fromkeys(only)),
    )


def _alone(name: str, allow_http: bool, allow_outside: bool) -> tuple[str | None, str]:
    """What the only argument is: the data; or a schema of another system that says where it is."""
    if name.endswith(SUFFIX) and os.path.isfile(name):
        raise UsageError(f"{name}: is a schema; name the data after it")
    try:
        if not is_foreign(name) or os.path.getsize(name) > _MOST_SCHEMA:
            return None, name
        described = api.load(name, allow_http=allow_http, allow_outside=allow_outside)
    except SchemaError as error:
        if any(each.code != "foreign-syntax" for each in error.diagnostics):
            raise
        return None, name  # it only begins like a schema
    tables = described.tables if described.is_package else ()
    if not tables:
        raise UsageError(f"{name}: is a schema; name the data after it")
    first = tables[0]
    if len(tables) == 1 and first.data is not None:
        return name, first.data
    names = ", ".join(f"`{each.name}`" for each in tables)
    raise UsageError(
        f"{name}: describes {counted(len(tables), 'table')} ({names}); name the data of one after"
        f" it: `{join(['sculpt', 'show', name, first.data or 'DATA'])}`"
    )


def _sorted(schema: str, data: str, selectors: list[str]) -> tuple[str | None, str, list[str]]:
    """Which arguments are the schema, the data and the selectors, if there are several.

    The first is the schema and the second the data; but if the second is no file and the first no
    schema, the first is the data, and selectors follow.
    """
    if _is_input(data) or not _is_input(schema) or _is_schema(schema):
        return schema, data, selectors
    try:
        api.parse_selector_text(api.Schema.parse(""), data)
    except SchemaError:
        raise UsageError(
            f"{data}: is neither a file nor a selector; call `sculpt show SCHEMA DATA` or"
            " `sculpt show DATA`"
        ) from None
    return None, schema, [data, *selectors]


def _is_input(name: str) -> bool:
    return name == STDIN or is_uri(name) or os.path.exists(name)


def _is_schema(name: str) -> bool:
    """Does a file have the name or the text of a schema?"""
    if name.endswith(SUFFIX):
        return True
    try:
        if not os.path.isfile(name) or os.path.getsize(name) > _MOST_SCHEMA:
            return False
        loaded = api.load(name)
        return bool(loaded.core.rules) or loaded.is_imported
    except (OSError, SchemaError, UsageError):
        return False


def _loaded(
    schema: str | None,
    data: str,
    settings: list[str],
    output: Picture,
    allow_http: bool,
    allow_outside: bool,
) -> api.Schema:
    if schema is None:
        return api.Schema.parse("", settings)
    written = Format.JSON if output is Picture.JSON else Format.TEXT
    return load(schema, settings, written, None, [data], allow_http, allow_outside)


def _check(frame: Frame, view: View) -> None:
    if frame.unchecked and not view.schema.core.rules:
        raise UsageError("`--unchecked` needs a schema with rules: nothing else checks cells")


# ------------------------------------------------------------- where the picture goes


def _write(view: View, frame: Frame, output: Picture, out: str | None, color: Color) -> None:
    if output is Picture.TEXT:
        if out is None:
            _print_text(view, frame, color)
        else:
            _save_text(view, frame, color, out)
        return
    text = _page(view, frame) if output is Picture.HTML else _json(view, frame)
    if out is None:
        write_text(text)
    else:
        _save(out, iter((text,)))


def _print_text(view: View, frame: Frame, color: Color) -> None:
    console = None
    if color is not Color.NEVER:
        console = open_colour_console() if color is Color.ALWAYS else open_console()
    styles = NO_COLOURS
    if console is not None:
        styles = MANY_COLOURS if console.has_many_colours else SIXTEEN_COLOURS
    print_lines_on(console, show_lines(view, frame, terminal_width(), styles))


def _save_text(view: View, frame: Frame, color: Color, out: str) -> None:
    lines = show_lines(view, frame, terminal_width(), NO_COLOURS)
    if color is not Color.ALWAYS:
        _save(out, (f"{line.plain}\n" for line in lines))
        return
    _save(out, _in_colour(show_lines(view, frame, terminal_width(), MANY_COLOURS)))


def _in_colour(lines: Iterator[Styled]) -> Iterator[str]:
    from io import StringIO

    written = StringIO()
    console = open_colour_console(written)
    for line in lines:
        console.print_line(line)
        yield written.getvalue()
        written.seek(0)
        written.truncate()


def _save(out: str, texts: Iterator[str]) -> None:
    from sculpt.transform.atomic import placed

    with placed(out) as temporary, open(temporary, "w", encoding="utf-8", newline="") as file:
        for text in texts:
            file.write(text.encode("utf-8", "replace").decode())


def _json(view: View, frame: Frame) -> str:
    import json

    # One line: a window has many small lists.
    return json.dumps(view.json(_windows(view, frame)), ensure_ascii=False) + "\n"


def _page(view: View, frame: Frame) -> str:
    from sculpt.views.html.report import show_html

    return show_html(view, _windows(view, frame), only=frame.only)


def _windows(view: View, frame: Frame) -> list[Window]:
    return [window for band in bands_of(view, frame).windows(view) for window in band]
