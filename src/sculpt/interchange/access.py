"""What a foreign schema may make Sculpt read: files of its own folder, and more if allowed.

In: references in a foreign schema (paths, URLs), and what the user allows. Out: local paths, bytes,
or an error that names the reference and the option that would allow it.

Invariants: without `allow_http` nothing is fetched; with it only http and https are, in bounded
time and size, through at most 5 redirects, none of which leads to a file. Without `allow_outside`
no path leaves the folder of the schema, also not through links. `fetch` can be replaced by the
caller, and is then the only way to URLs. Cost: that of reading.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from io import BufferedReader, RawIOBase
from time import monotonic
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import unquote, urlsplit

from sculpt.errors import DataError, UsageError
from sculpt.interchange.fetched import keep
from sculpt.values import field, frozen

if TYPE_CHECKING:
    from socket import socket

MAX_REDIRECTS = 5
TIME_OUT = 30.0
"""Seconds to connect, and between two pieces of a response."""
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(?!\\)")
_WINDOWS_DRIVE = re.compile(r"[A-Za-z]:[\\/]")


@frozen
class Response:
    """What is at a URL: its bytes, and the headers that came with them."""

    url: str
    """Where it was found, after redirects."""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """By name in lower case; several values of a header are joined by `, `."""
    body: bytes = field(default=b"", repr=False)

    @property
    def is_found(self) -> bool:
        """Is there something at the URL?"""
        return 200 <= self.status < 300


Fetch: TypeAlias = Callable[[str], Response]
"""From an absolute URL to what is there; a status such as 404 if nothing is."""


@frozen
class Limits:
    """How much is fetched from a URL, redirects included, and how long that may take."""

    size: int
    """Bytes of the body."""
    seconds: float
    pace: float | None = None
    """Bytes each second that are fast enough to go on after the `seconds`."""

    def seconds_left(self, started: float, received: int) -> float:
        """How long a fetch that has received some bytes may still take."""
        granted = self.seconds + (0 if self.pace is None else received / self.pace)
        return started + granted - monotonic()


METADATA = Limits(64_000_000, 60)
"""Of schemas, and of what they are made of."""
DATA = Limits(1 << 30, 60, 10_000)


@frozen
class Access:
    """What may be read, and how."""

    allow_http: bool = False
    allow_outside: bool = False
    fetch: Fetch | None = None
    """Reads URLs instead of the network, which is then not used, and needs no permission."""
    metadata: Limits = METADATA
    data: Limits = DATA

    def get(self, url: str, is_data: bool = False) -> Response:
        """What is at an absolute URL; `UsageError` if it may not be read."""
        if self.fetch is not None:
            return self.fetch(url)
        if urlsplit(url).scheme == "file":
            return Response(url, 200, body=read_file(unquote(urlsplit(url).path)))
        if not self.allow_http:
            raise UsageError(f"{url}: is not fetched: allow it with `--allow-http`")
        return fetch_over_http(url, self.data if is_data else self.metadata)

    def local_path(self, reference: str, folder: str, what: str) -> str:
        """The path of a file that a schema in `folder` refers to; `what` refers to it."""
        if "\0" in reference:
            raise UsageError(f"{what}: the path has a NUL character")
        path = os.path.join(folder, reference)
        is_inside = is_below(path, folder)
        if not (is_inside or self.allow_outside) or _WINDOWS_DRIVE.match(reference):
            raise UsageError(
                f"{what}: `{reference}` is outside the folder of the schema:"
                " allow it with `--allow-outside`"
            )
        return path

    def data_path(self, reference: str, folder: str, what: str) -> str:
        """Where data is that a schema in `folder` refers to: a path, checked.

        What may be fetched is fetched to a temporary file, which stays until the process ends; it
        is known by its URL. Whoever opens a URL that may not be fetched says so.
        """
        scheme = urlsplit(reference).scheme.lower() if is_url(reference) else ""
        match scheme:
            case "" | "file":
                path = self.local_path(_path_of(reference), folder, what)
                _check_one_file(path, what)
                return _path_of(reference)
            case "http" | "https":
                if self._may_fetch:
                    self._fetch_data(reference, what)
                return reference
        raise UsageError(f"{what}: `{reference}`: data is read from files, http and https only")

    @property
    def _may_fetch(self) -> bool:
        return self.allow_http or self.fetch is not None

    def _fetch_data(self, url: str, what: str) -> None:
        found = self.get(url, is_data=True)
        if not found.is_found:
            raise DataError(f"{what}: {url}: status {found.status}", url)
        parts = urlsplit(url)
        name = os.path.basename(unquote(parts.path)) or "data"
        folder = os.path.join(_temporary_folder(), str(len(os.listdir(_temporary_folder()))))
        os.makedirs(folder)
        path = os.path.join(folder, re.sub(r"[^\w.-]", "_", name))
        with open(path, "wb") as file:
            file.write(found.body)
        keep(url, path)

    def read(self, reference: str, folder: str, what: str) -> bytes:
        """The bytes of a file or URL that a schema in `folder` refers to."""
        if is_url(reference) and not reference.lower().startswith("file:"):
            found = self.get(reference)
            if not found.is_found:
                raise DataError(f"{what}: {reference}: status {found.status}", reference)
            return found.body
        path = self.local_path(_path_of(reference), folder, what)
        try:
            return read_file(path)
        except DataError as error:
            raise DataError(f"{error.message} ({what})", path) from None


def _path_of(reference: str) -> str:
    """The path that a `file:` URL names; any other reference is a path itself."""
    if not reference.lower().startswith("file:"):
        return reference
    return unquote(urlsplit(reference).path)


def _check_one_file(path: str, what: str) -> None:
    """Data is a file: no directory, and no pattern, which could match what is elsewhere."""
    if os.path.isdir(path):
        raise UsageError(f"{what}: `{path}` is a directory, not a file")
    if set("*?[") & set(path) and not os.path.lexists(path):
        raise DataError(f"{what}: {path}: cannot be read: no such file or directory", path)


@cache
def _temporary_folder() -> str:
    """A folder for what is fetched, which is removed when the process ends."""
    import atexit
    import shutil
    import tempfile

    folder = tempfile.mkdtemp(prefix="sculpt-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def is_url(reference: str) -> bool:
    """Is a reference a URL, and not a path?"""
    return _URL.match(reference) is not None and not _WINDOWS_DRIVE.match(reference)


def is_below(path: str, folder: str) -> bool:
    """Is a path that of a folder or of something in it, links followed?"""
    inner, outer = os.path.realpath(path), os.path.realpath(folder or ".")
    return inner == outer or inner.startswith(outer.rstrip(os.sep) + os.sep)


def read_file(path: str) -> bytes:
    """The bytes of a file; `DataError` if it cannot be read."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise DataError(f"{path}: cannot be read: {reason}", path) from None


# ------------------------------------------------------------- http


def fetch_over_http(url: str, limits: Limits = DATA) -> Response:
    """What is at an http or https URL, through a few redirects, within limits."""
    seen, started = url, monotonic()
    for _ in range(MAX_REDIRECTS + 1):
        with _opened(seen, limits, started) as (status, headers, pieces):
            if status in (301, 302, 303, 307, 308) and "location" in headers:
                seen = _redirected(seen, headers["location"])
                continue
            body = bytearray()
            for piece in pieces:
                body += piece
                if len(body) > limits.size:
                    raise DataError(f"{seen}: has more than {limits.size:,} bytes", url)
            return Response(seen, status, headers, bytes(body))
    raise DataError(f"{url}: more than {MAX_REDIRECTS} redirects", url)


def _redirected(url: str, location: str) -> str:
    from urllib.parse import urljoin

    target = urljoin(url, location)
    if urlsplit(target).scheme not in ("http", "https"):
        raise DataError(f"{url}: redirects to `{target}`, which is neither http nor https", url)
    return target


@contextlib.contextmanager
def _opened(
    url: str, limits: Limits, started: float
) -> Iterator[tuple[int, dict[str, str], Iterator[bytes]]]:
    """An open response: status, headers, pieces of the body. It follows no redirects."""
    from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection

    def response_of(sock: socket, *args: Any, **options: Any) -> HTTPResponse:
        response = HTTPResponse(sock, *args, **options)
        response.fp.close()
        response.fp = BufferedReader(_Timed(sock, limits, started))
        return response

    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(f"{url}: only http and https URLs are fetched")
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    connection = None
    try:
        connection = kind(parts.hostname, parts.port, timeout=TIME_OUT)
        connection.response_class = response_of  # type: ignore[assignment]
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        connection.request("GET", target, headers={"User-Agent": "sculpt", "Accept": "*/*"})
        with connection.getresponse() as response:
            headers: dict[str, str] = {}
            for name, value in response.getheaders():
                known = headers.get(name.lower())
                headers[name.lower()] = value if known is None else f"{known}, {value}"
            yield response.status, headers, iter(lambda: response.read1(1 << 16), b"")
    except (OSError, HTTPException, ValueError) as error:
        raise DataError(
            f"{url}: cannot be fetched: {str(error) or type(error).__name__}", url
        ) from None
    finally:
        if connection is not None:
            connection.close()


class _Timed(RawIOBase):
    """What a socket receives, headers too, in limited time: however little comes at once."""

    def __init__(self, sock: socket, limits: Limits, started: float) -> None:
        self._raw = sock.makefile("rb", buffering=0)
        self._sock, self._limits, self._started = sock, limits, started
        self._received = 0

    def readable(self) -> bool:
        return True

    def readinto(self, room: Any) -> int:
        left = self._limits.seconds_left(self._started, self._received)
        try:
            if left <= 0:
                raise TimeoutError
            self._sock.settimeout(min(left, TIME_OUT))
            count = self._raw.readinto(room) or 0
        except TimeoutError:
            if self._limits.seconds_left(self._started, self._received) > 0:
                raise
            taken = monotonic() - self._started
            raise TimeoutError(
                f"it is too slow: {self._received:,} bytes came in {taken:.3g} seconds"
            ) from None
        self._received += count
        return count

    def close(self) -> None:
        self._raw.close()
        super().close()
