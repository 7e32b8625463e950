"""Files that conditions ask about: are they there, how many, how large, with which check sums?

In: paths and globs from a table, relative to one directory. Out: answers. A path that leaves the
directory (absolute, with `..`, or through a link) is never looked at: it counts as no file.

Invariant: nothing outside the directory is read. Cost: each distinct path is looked at once, as
long as no more than `MAX_KNOWN` are remembered.
"""

from __future__ import annotations

import glob
import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import TypeVar

from sculpt.errors import DataError, UsageError

T = TypeVar("T")
MAX_KNOWN = 100_000


class Files:
    """The files below a directory."""

    def __init__(self, directory: str) -> None:
        if not os.path.isdir(directory):
            raise UsageError(f"--files {directory}: there is no such directory")
        self.root = os.path.realpath(directory)
        self._known: dict[tuple[str, str], object] = {}

    def is_file(self, path: str) -> bool:
        """Is there a file with this path?"""
        return self._once("is-file", path, self._is_file)

    def checksum(self, path: str, algorithm: str) -> str | None:
        """The check sum of a file, in hexadecimal digits; `None` if there is no such file.

        A glob stands for the file that it matches, if it matches just one.
        """
        return self._once(algorithm, path, lambda text: self._checksum(text, algorithm))

    def count(self, path: str) -> int:
        """How many files a path names: a file, those directly in a directory, or of a glob."""
        return self._once("count-files", path, self._count)

    def size(self, path: str) -> int | None:
        """How many bytes a file has; `None` if there is no such file.

        A glob stands for the file that it matches, if it matches just one.
        """
        return self._once("file-size", path, self._size)

    def _once(self, what: str, path: str, answer: Callable[[str], T]) -> T:
        key = what, path
        if key not in self._known:
            if len(self._known) >= MAX_KNOWN:
                self._known.clear()
            self._known[key] = answer(path)
        found: T = self._known[key]  # type: ignore[assignment]
        return found

    def _is_file(self, path: str) -> bool:
        real = self._inside(path)
        return real is not None and os.path.isfile(real)

    def _checksum(self, path: str, algorithm: str) -> str | None:
        real = self._only(path)
        if real is None:
            return None
        with _readable(real), open(real, "rb") as file:
            return hashlib.file_digest(file, algorithm).hexdigest()

    def _size(self, path: str) -> int | None:
        real = self._only(path)
        if real is None:
            return None
        with _readable(real):
            return os.path.getsize(real)

    def _count(self, path: str) -> int:
        if not _is_below(path):
            return 0
        real = self._inside(path)
        if real is not None and os.path.isdir(real):
            return sum(self._is_file(f"{path}/{name}") for name in os.listdir(real))
        if real is not None and os.path.isfile(real):
            return 1
        found = glob.iglob(path, root_dir=self.root, recursive=True)
        return sum(self._is_file(each) for each in found)

    def _only(self, path: str) -> str | None:
        """Where the file is that a path names, or that alone matches a glob."""
        if not self._is_file(path) and glob.has_magic(path) and _is_below(path):
            found = glob.iglob(path, root_dir=self.root, recursive=True)
            first = list(islice((each for each in found if self._is_file(each)), 2))
            path = first[0] if len(first) == 1 else path
        return self._inside(path) if self._is_file(path) else None

    def _inside(self, path: str) -> str | None:
        """Where a path leads, if that is in the directory."""
        if not _is_below(path):
            return None
        real = os.path.realpath(os.path.join(self.root, path))
        return real if real.startswith(os.path.join(self.root, "")) else None


@contextmanager
def _readable(path: str) -> Iterator[None]:
    """A file that is there must be readable: what the system says otherwise is a `DataError`."""
    try:
        yield
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise DataError(f"{path}: cannot be read: {reason}", path) from None


def _is_below(path: str) -> bool:
    """Does a path stay below where it starts, as far as its text tells?"""
    parts = path.replace("\\", "/").split("/")
    is_absolute = os.path.isabs(path) or bool(os.path.splitdrive(path)[0])
    return bool(path) and "\0" not in path and not is_absolute and ".." not in parts
