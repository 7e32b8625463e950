"""Data that was fetched from a URL: which file on this machine holds it, or why none does.

In: a URL, and the path of a temporary file with what is there, or the error of fetching it. Out:
the path, or the error. Whoever reads data by its URL reads that file, so runs and reports know the
data by its URL, as the user does; and data that could not be fetched is data that cannot be read.

Invariant: a URL names its newest file until that is forgotten, in this process only; tasks of Spark
are given the path. Cost: a look-up.
"""

from __future__ import annotations

from sculpt.errors import DataError

_files: dict[str, tuple[str, ...]] = {}
_failures: dict[str, DataError] = {}


def keep(url: str, path: str) -> None:
    """From now on, what is at a URL is read from a file."""
    _failures.pop(url, None)
    _files[url] = (*_files.get(url, ()), path)


def keep_failure(url: str, error: DataError) -> None:
    """From now on, whoever reads what is at a URL gets this error."""
    _failures[url] = error


def failure_of(url: str) -> DataError | None:
    """Why what is at a URL could not be fetched; `None` if it was, or was not asked for."""
    return _failures.get(url)


def forget(url: str, path: str) -> None:
    """The file is no longer there."""
    rest = tuple(each for each in _files.pop(url, ()) if each != path)
    if rest:
        _files[url] = rest


def file_of(url: str) -> str | None:
    """The file with what was fetched from a URL; `None` if nothing was."""
    found = _files.get(url)
    return None if found is None else found[-1]


def is_unfetched(url: str) -> bool:
    """Is this an http or https URL that nobody has fetched, or tried to?"""
    is_web = url.lower().startswith(("http://", "https://"))
    return is_web and url not in _files and url not in _failures
