"""Where data comes from: files, directories, globs, standard input.

In: the DATA arguments of a call. Out: the list of inputs they name, and the bytes of each. All
file access to data is here; whatever goes wrong becomes a `DataError` that names the path.

Invariant: an argument stands for the same inputs in the same order wherever it runs: directories
and globs are walked in the order of their names, hidden files left out.
"""

from __future__ import annotations

import glob
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from sculpt.errors import DataError

STDIN = "-"
_GLOB_CHARACTERS = frozenset("*?[")


def expand(arguments: Iterable[str]) -> Iterator[str | DataError]:
    """The inputs that the arguments name; one that names none is an error in its place."""
    for argument in arguments:
        if argument == STDIN or os.path.isfile(argument):
            yield argument
        elif os.path.isdir(argument):
            yield from _directory(argument)
        elif _GLOB_CHARACTERS & set(argument) and not os.path.lexists(argument):
            yield from _glob(argument)
        else:
            yield argument  # reading it says what is wrong


def _directory(argument: str) -> Iterator[str | DataError]:
    paths = [
        path
        for path in sorted(Path(argument).rglob("*"))
        if _is_input(path) and not _is_hidden(path.relative_to(argument))
    ]
    if not paths:
        yield DataError(f"{argument}: there is no file in this directory", argument)
    yield from map(str, paths)


def _glob(argument: str) -> Iterator[str | DataError]:
    found = sorted(glob.glob(argument, recursive=True))
    paths = [path for path in found if _is_input(Path(path))]
    if not paths:
        yield DataError(f"{argument}: no file has a name of this form", argument)
    yield from paths


def _is_input(path: Path) -> bool:
    """A file, or a link to nothing: that one is an error to report, not to pass over."""
    return path.is_file() or (path.is_symlink() and not path.exists())


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def read_bytes(path: str) -> bytes:
    """The contents of an input."""
    try:
        if path == STDIN:
            if sys.stdin is None:
                raise ValueError("there is no standard input")
            return sys.stdin.buffer.read()
        return Path(path).read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise DataError(f"{path}: cannot be read: {reason.lower()}", path) from error
