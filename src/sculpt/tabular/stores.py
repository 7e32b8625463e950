"""Data in stores: whatever `pyarrow.fs` opens by a URI (`s3://…`, `gs://…`, `hdfs://…`, `file://…`).

In: a URI, as a person writes it. Out: the URIs of the files that it names, and a `Store` with the
bytes of one. A query of the form `name=value` is for the store (`?region=eu-west-1`); any other `?`
is part of a glob, and `#` is part of a name. `%2A` is a literal star.

Invariant: URIs name the same files in the same order as paths do in `inputs`. Any failure is a
`DataError` of one line. Cost: pyarrow is imported with the first URI (0.2 s), one connection is
kept for each store, and small reads share pages of 256 KiB: a request to a store takes as long as
reading megabytes.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from sculpt.errors import DataError, UsageError
from sculpt.extras import need
from sculpt.interchange.fetched import failure_of, file_of
from sculpt.values import frozen

if TYPE_CHECKING:
    from pathlib import Path

PAGE = 1 << 18
KEPT_PAGES = 8
GLOB_CHARACTERS = frozenset("*?[")
MAX_REASON = 200

# A call without URIs needs only the first pattern: the others are compiled when they are used.
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_OPTION = r"[A-Za-z_][\w.-]*=(?:[^&/?]|://)*"
_URI = rf"([^:]+)://([^/?]*)(.*?)(\?{_OPTION}(?:&{_OPTION})*)?"
_ESCAPED = r"(?:%[0-9A-Fa-f]{2})+"

_connected: dict[str, tuple[Any, str]] = {}
"""The file systems in use, by root and options, each with the prefix of its paths."""


def has_scheme(path: str) -> bool:
    """Is this a URI, and not the name of a local file?"""
    return _SCHEME.match(path) is not None and not os.path.lexists(path)


def is_uri(path: str) -> bool:
    """Is this the URI of something in a store, and not one that was fetched, or was to be?"""
    return has_scheme(path) and file_of(path) is None and failure_of(path) is None


@frozen
class _Address:
    """The parts of a URI, as written."""

    root: str
    path: str
    options: str

    @classmethod
    def parse(cls, uri: str) -> _Address:
        match = re.fullmatch(_URI, uri, re.DOTALL)
        assert match is not None, uri
        scheme, host, path, options = match.groups()
        scheme = scheme.lower()
        if (scheme, host) == ("file", "localhost"):
            host = ""
        return cls(f"{scheme}://{host}", path, options or "")

    def within(self, folder: str, name: str) -> str:
        """The URI of a file in a folder: `folder` as in the URI, `name` without escapes."""
        from urllib.parse import quote

        return f"{self.root}{folder.rstrip('/')}/{quote(name)}{self.options}"


def local_path(path: str) -> str | None:
    """The path on this machine that a path or a `file://` URI names, or that has what was fetched.

    It is `None` for other stores.
    """
    if not is_uri(path):
        return file_of(path) or path
    address = _Address.parse(path)
    if address.root != "file://":
        return None
    from urllib.parse import unquote

    return unquote(address.path)


def plain_uri(uri: str) -> str:
    """A URI without options and escapes: the same for all URIs of one file in a store."""
    from urllib.parse import unquote

    address = _Address.parse(uri)
    return address.root + unquote(address.path).rstrip("/")


@frozen
class Facts:
    """What a store says about a file without opening it."""

    size: int
    modified_ns: int | None


class Store:
    """A file in a store; several threads may read pieces of it at once."""

    def __init__(self, uri: str, facts: Facts, file: Any) -> None:
        self.uri, self.size, self.modified_ns = uri, facts.size, facts.modified_ns
        self._file = file
        self._page = lru_cache(KEPT_PAGES)(self._fetch_page)

    def read(self, at: int, size: int) -> bytes:
        """`size` bytes from `at`; fewer only at the end."""
        size = max(0, min(size, self.size - at))
        if size > PAGE:
            return self._fetch(at, size)
        pieces = []
        while size > 0:
            ix, skipped = divmod(at, PAGE)
            piece = self._page(ix)[skipped : skipped + size]
            if not piece:
                break
            pieces.append(piece)
            at, size = at + len(piece), size - len(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def read_into(self, at: int, buffer: bytearray | memoryview) -> int:
        """Fill a buffer with the bytes from `at`; return how many there were."""
        piece = self.read(at, len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)

    def close(self) -> None:
        """Let go of the file; it is closed when the threads that still read it are done."""
        # Not pyarrow's `close`: that would close the connection in the middle of a read.
        self._file = None
        self._page.cache_clear()

    def _fetch_page(self, ix: int) -> bytes:
        return self._fetch(ix * PAGE, min(PAGE, self.size - ix * PAGE))

    def _fetch(self, at: int, size: int) -> bytes:
        file = self._file
        with _failing(self.uri):
            if file is None:
                raise ValueError("it is closed")
            pieces = []
            while size > 0:
                piece: bytes = file.read_at(size, at)
                if not piece:
                    break
                pieces.append(piece)
                at, size = at + len(piece), size - len(piece)
            return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def open_store(uri: str) -> Store:
    """Open a file in a store."""
    with _failing(uri):
        system, path = _connect(_Address.parse(uri))
        facts = _facts(system, path)
        return Store(uri, facts, system.open_input_file(path))


def facts_of(uri: str) -> Facts:
    """The size of a file in a store and when it was modified."""
    with _failing(uri):
        return _facts(*_connect(_Address.parse(uri)))


def expand_uri(uri: str) -> Iterator[str | DataError]:
    """The files that a URI names; a URI that names none yields an error instead."""
    try:
        yield from _expand(uri)
    except DataError as error:
        yield error


def _expand(uri: str) -> list[str]:
    address = _Address.parse(uri)
    with _failing(uri):
        fs = _pyarrow_fs()
        system, path = _connect(address)
        kind = system.get_file_info(path).type
    if kind == fs.FileType.Directory:
        names = _list(address, address.path, uri, None)
        if not names:
            raise DataError(f"{uri}: there is no file in this directory", uri)
        return [address.within(address.path, name) for name in sorted(names, key=_parts)]
    if kind == fs.FileType.NotFound and GLOB_CHARACTERS & set(address.path):
        parts = address.path.split("/")
        first = next(ix for ix, part in enumerate(parts) if GLOB_CHARACTERS & set(part))
        folder, patterns = "/".join(parts[:first]), [_pattern(part) for part in parts[first:]]
        names = _list(address, folder, uri, patterns)
        if not names:
            raise DataError(f"{uri}: no file matches this pattern", uri)
        return [address.within(folder, name) for name in sorted(names)]
    return [uri]  # reading it says what is wrong


def _list(address: _Address, folder: str, uri: str, patterns: list[str] | None) -> list[str]:
    """The names, relative to a folder, of its files that match the patterns, or of all files."""
    with _failing(uri):
        fs = _pyarrow_fs()
        system, path = _connect(_Address(address.root, folder, address.options))
        if system.type_name == "local":
            return _list_local(path, patterns)
        deep = patterns is None or len(patterns) > 1 or patterns[0] == "**"
        found = system.get_file_info(fs.FileSelector(path, allow_not_found=True, recursive=deep))
        inner = len(path.rstrip("/"))
        names = [info.path[inner:].lstrip("/") for info in found if info.type == fs.FileType.File]
    if patterns is None:
        return [name for name in names if not _is_hidden(name)]
    return [name for name in names if _matches(_parts(name), patterns)]


def _list_local(folder: str, patterns: list[str] | None) -> list[str]:
    """The same on this machine, where pyarrow would follow links to folders, even in cycles."""
    import glob
    from pathlib import Path

    if patterns is None:
        inner = (path.relative_to(folder).as_posix() for path in Path(folder).rglob("*"))
        names = [name for name in inner if not _is_hidden(name)]
    else:
        names = glob.glob("/".join(patterns), root_dir=folder, recursive=True)
    return [name for name in names if is_input(Path(folder, name))]


def is_input(path: Path) -> bool:
    """Is this a file, or a broken link? The latter is an error to report, not to skip."""
    return path.is_file() or (path.is_symlink() and not path.exists())


def _parts(name: str) -> list[str]:
    return name.split("/")


def _is_hidden(name: str) -> bool:
    return any(part.startswith(".") for part in _parts(name))


def _pattern(part: str) -> str:
    """A part of a glob without percent-escapes; escaped characters are literal."""
    import glob
    from urllib.parse import unquote

    return re.sub(_ESCAPED, lambda match: glob.escape(unquote(match[0])), part)


def _matches(parts: list[str], patterns: list[str]) -> bool:
    """Does a name match a glob? As in `glob`, `*` does not match a leading dot."""
    if not patterns:
        return not parts
    pattern, rest = patterns[0], patterns[1:]
    if pattern == "**" and _matches(parts, rest):
        return True
    if not parts or (parts[0].startswith(".") and not pattern.startswith(".")):
        return False
    if pattern == "**":
        return _matches(parts[1:], patterns)
    from fnmatch import fnmatchcase

    return fnmatchcase(parts[0], pattern) and _matches(parts[1:], rest)


def check_stores(paths: Iterable[str]) -> None:
    """Raise an error if one of the paths is a URI, and what opens it is not installed."""
    for path in paths:
        if is_uri(path):
            need("arrow", f"reading {path}")


def _pyarrow_fs() -> Any:
    need("arrow", "reading from a store")
    from importlib import import_module

    return import_module("pyarrow.fs")


def _connect(address: _Address) -> tuple[Any, str]:
    """The file system of a URI and the path there."""
    from urllib.parse import quote, unquote

    name = unquote(address.path)
    inner = name.strip("/")
    key = address.root + address.options
    if key not in _connected:
        from_uri = _pyarrow_fs().FileSystem.from_uri
        system, path = from_uri(f"{address.root}{quote(name)}{address.options}")
        path = path.rstrip("/") or path[:1]
        if not path.endswith(inner):
            return system, path  # the store has its own way to name files
        prefix = path.removesuffix(inner)
        _connected[key] = system, prefix if prefix[-1:] in ("", "/") else f"{prefix}/"
    system, prefix = _connected[key]
    return system, (prefix + inner).rstrip("/") or prefix


def _facts(system: Any, path: str) -> Facts:
    kinds = _pyarrow_fs().FileType
    info = system.get_file_info(path)
    if info.type == kinds.NotFound:
        raise FileNotFoundError(errno.ENOENT, "")
    if info.type == kinds.Directory:
        raise IsADirectoryError(errno.EISDIR, "")
    if info.type != kinds.File or info.size is None:
        raise ValueError("it is not a regular file")
    return Facts(info.size, info.mtime_ns)


@contextlib.contextmanager
def _failing(uri: str) -> Iterator[None]:
    """Turn any error of a store, and each has its own, into one that names the URI."""
    try:
        yield
    except (DataError, UsageError, AssertionError):
        raise
    except Exception as error:
        raise DataError(f"{uri}: cannot be read: {_reason(error, uri)}", uri) from error


_AWS = r"AWS Error (\w+)(?: \(HTTP status (\d+)\))? during \w+ operation: (.*)"
_GOOGLE = r"google::cloud::Status\((\w+): (.*?)(?: error_info=.*)?\)$"
_AZURE = r"Azure Error: \[(\w*)\] (.*)"
_NOISE = (
    r"curlCode: \d+, |; Details: .*|No response body\.|Detail: .*"
    r"|Retry policy exhausted, with a last message of |PerformWork\(\) - CURL error \[\d+\]="
)


def _reason(error: Exception, uri: str) -> str:
    """Why a store cannot be read, in few words."""
    if isinstance(error, OSError) and error.errno:
        return os.strerror(error.errno).lower()
    if not str(error).strip():
        return type(error).__name__
    text = str(error).strip().splitlines()[0]
    if uri.lower().startswith(("http:", "https:")):
        return (
            "it is not fetched; `--allow-http` fetches what a schema of another system refers to,"
            " and other files must be downloaded first"
        )
    if "Unrecognized filesystem type" in text:
        return f"unknown kind of store `{uri.partition(':')[0]}`"
    if text.startswith(("Unable to load libjvm", "Unable to load libhdfs")):
        return f"{_lower_first(text)}: set JAVA_HOME and HADOOP_HOME"
    for form in (_AWS, _GOOGLE, _AZURE):
        if match := re.search(form, text):
            code, *_, message = match.groups()
            words = [code.replace("_", " ").lower(), _without_noise(message)]
            if code == "UNKNOWN" and form is _AWS and match[2]:
                words[0] = f"HTTP status {match[2]}"
            text = ": ".join(filter(None, words))
    text = _without_noise(text)
    return text if len(text) <= MAX_REASON else text[: MAX_REASON - 1] + "…"


def _without_noise(text: str) -> str:
    return _lower_first(re.sub(_NOISE, "", text).strip(" ."))


def _lower_first(text: str) -> str:
    return text if text[1:2].isupper() else text[:1].lower() + text[1:]
