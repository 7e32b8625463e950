"""`include "file"`: replaced by the statements of the other file.

In: a parsed file and a function that reads others. Out: the statements of all files in one
sequence. Paths are relative to the file that names them. Invariant: no file includes itself, even
indirectly. A file that two others include is included twice, and its definitions then clash like
any others.

An include that names a table, `include "file" as Name`, stays where it is: the other file describes
a table of its own, and `schema.py` reads it. What an import made in memory is on a shelf, and
includes from there are not read from the disk.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from sculpt.diagnostics import Diagnostic, Source
from sculpt.syntax import ast
from sculpt.syntax.parser import parse

MAX_DEPTH = 20


def read_schema_text(path: str) -> str:
    """The text of a schema file; raises `OSError` or `UnicodeDecodeError`."""
    with open(path, "rb") as file:
        return file.read().decode("utf-8-sig")


def expand(
    document: ast.Document,
    folder: str,
    problems: list[Diagnostic],
    read: Callable[[str], str] = read_schema_text,
    trail: tuple[str, ...] = (),
    files: list[str] | None = None,
) -> Iterator[ast.Statement]:
    """The statements, with each `include` that names no table replaced by those of its file.

    The files that were read are added to `files`.
    """
    for statement in document.statements:
        if not isinstance(statement, ast.Include) or statement.name is not None:
            yield statement
            continue
        found = read_include(statement, folder, problems, trail, read)
        if found is None:
            continue
        path, source = found
        if files is not None:
            files.append(path)
        inner = parse(source, problems)
        yield from expand(inner, source.folder, problems, read, (*trail, path), files)


def read_include(
    statement: ast.Include,
    folder: str,
    problems: list[Diagnostic],
    trail: tuple[str, ...],
    read: Callable[[str], str] = read_schema_text,
) -> tuple[str, Source] | None:
    """The path and the text of the file that a statement includes; `None` if it has none."""

    def reject(code: str, message: str) -> None:
        problems.append(Diagnostic(code, message, statement.span))

    shelf = statement.span.source.shelf
    if shelf is not None and statement.path in shelf:
        return f"imported:{statement.path}", shelf[statement.path]
    try:
        path = os.path.realpath(os.path.join(folder, statement.path))
        is_circle = path in trail or len(trail) >= MAX_DEPTH
        text = "" if is_circle else read(path)
    except UnicodeDecodeError:
        reject("not-utf8", f"`{statement.path}` is not UTF-8")
        return None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        reject("include-not-found", f"`{statement.path}` cannot be read: {reason.lower()}")
        return None
    if is_circle:
        names = " includes ".join(os.path.basename(each) for each in (*trail, path))
        reject("include-cycle", f"files cannot include each other in a circle: {names}")
        return None
    name = os.path.join(os.path.dirname(statement.span.source.name), statement.path)
    return path, Source(name, text, os.path.dirname(path))
