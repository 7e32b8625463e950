"""Data that was fetched from a URL: which file on this machine holds it.

In: a URL, and the path of a temporary file with what is there. Out: the path. Whoever reads data by
its URL reads that file, so runs and reports know the data by its URL, as the user does.

Invariant: a URL names its newest file until that is forgotten, in this process only; tasks of Spark
are given the path. Cost: a look-up.
"""

from __future__ import annotations

_files: dict[str, tuple[str, ...]] = {}


def keep(url: str, path: str) -> None:
    """From now on, what is at a URL is read from a file."""
    _files[url] = (*_files.get(url, ()), path)


def forget(url: str, path: str) -> None:
    """The file is no longer there."""
    rest = tuple(each for each in _files.pop(url, ()) if each != path)
    if rest:
        _files[url] = rest


def file_of(url: str) -> str | None:
    """The file with what was fetched from a URL; `None` if nothing was."""
    found = _files.get(url)
    return None if found is None else found[-1]
