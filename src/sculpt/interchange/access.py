"""What a foreign schema may make Sculpt read: files of its own folder, and more if allowed.

In: references in a foreign schema (paths, URLs), and what the user allows. Out: local paths, bytes,
or an error that names the reference and the option that would allow it.

Invariants: without `allow_http` nothing is fetched; with it only http and https are, in bounded
time and size, through at most 5 redirects, none of which leads to a file. Without `allow_outside`
no path leaves the folder of the schema, also not through links. `fetch` can be replaced by the
caller, and is then the only way to URLs. What may not be read is a `UsageError`: the call lacks an
option. What cannot be read is a `DataError`. Cost: that of reading.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from io import BufferedReader, RawIOBase
from time import monotonic
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import unquote, urljoin, urlsplit

from sculpt.errors import DataError, SculptError, UsageError
from sculpt.interchange.fetched import keep, keep_failure
from sculpt.values import field, frozen

if TYPE_CHECKING:
    from http.client import HTTPResponse
    from socket import socket

MAX_REDIRECTS = 5
TIME_OUT = 30.0
"""Seconds to connect, and between two pieces of a response."""
_PIECE = 1 << 16
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
            return given_response(self.fetch, url)
        if urlsplit(url).scheme == "file":
            return Response(url, 200, body=read_file(unquote(urlsplit(url).path)))
        if not self.allow_http:
            raise UsageError(f"{url}: is not fetched: allow it with `--allow-http`")
        return fetch_over_http(url, self.data if is_data else self.metadata)

    def found(self, url: str, is_data: bool = False) -> Response:
        """What is at an absolute URL; `DataError` if nothing is."""
        found = self.get(url, is_data)
        if not found.is_found:
            raise DataError(f"{url}: cannot be fetched: status {found.status}", url)
        return found

    def local_path(self, reference: str, folder: str) -> str:
        """The path of a file that a schema in `folder` refers to."""
        if is_url(folder):
            raise UsageError(f"`{reference}` is a file, which a schema at a URL cannot refer to")
        if "\0" in reference:
            raise UsageError("the path has a NUL character")
        path = os.path.join(folder, reference)
        is_inside = is_below(path, folder)
        if not (is_inside or self.allow_outside) or _WINDOWS_DRIVE.match(reference):
            raise UsageError(
                f"`{reference}` is outside the folder of the schema:"
                " allow it with `--allow-outside`"
            )
        return path

    def data_path(self, reference: str, folder: str, what: str) -> str:
        """Where data is that a schema in `folder` refers to: a path, checked, or a URL.

        What may be fetched is fetched to a temporary file, which stays until the process ends; it
        is known by its URL. Whoever opens a URL that was not fetched is told why.
        """
        reference = _joined(folder, reference)
        scheme = urlsplit(reference).scheme.lower() if is_url(reference) else ""
        match scheme:
            case "" | "file":
                with _referred(what):
                    _check_one_file(self.local_path(_path_of(reference), folder))
                return _path_of(reference)
            case "http" | "https":
                if self._may_fetch:
                    self._fetch_data(reference)
                return reference
        raise UsageError(f"{what}: `{reference}`: data is read from files, http and https only")

    @property
    def _may_fetch(self) -> bool:
        return self.allow_http or self.fetch is not None

    def _fetch_data(self, url: str) -> None:
        try:
            found = self.found(url, is_data=True)
        except DataError as error:
            keep_failure(url, error)
            return
        parts = urlsplit(url)
        name = os.path.basename(unquote(parts.path)) or "data"
        folder = os.path.join(_temporary_folder(), str(len(os.listdir(_temporary_folder()))))
        os.makedirs(folder)
        path = os.path.join(folder, re.sub(r"[^\w.-]", "_", name))
        with open(path, "wb") as file:
            file.write(found.body)
        keep(url, path)

    def read(self, reference: str, folder: str, what: str = "") -> bytes:
        """The bytes of a file or URL that a schema in `folder` refers to; `what` refers to it."""
        reference = _joined(folder, reference)
        is_remote = is_url(reference) and not reference.lower().startswith("file:")
        with _referred(what):
            if is_remote:
                return self.found(reference).body
            return read_file(self.local_path(_path_of(reference), folder))


def given_response(fetch: Callable[[str], object], url: str) -> Response:
    """What the caller's own `fetch` gives for a URL; any failure of it is a `DataError`."""
    try:
        found = fetch(url)
    except SculptError:
        raise
    except Exception as error:
        reason = str(error) or type(error).__name__
        raise DataError(f"{url}: cannot be fetched: {reason}", url) from error
    if isinstance(found, Response):
        return found
    kind = type(found).__name__
    raise UsageError(f"{url}: `fetch` gave a `{kind}`, not a `sculpt.csvw.Response`")


def one_error(errors: Sequence[UsageError | DataError]) -> UsageError | DataError:
    """One error for all references that cannot be followed.

    The call is wrong if it does not allow one of them; otherwise something cannot be read.
    """
    if len(errors) == 1:
        return errors[0]
    lines = "\n".join(f"  {error}" for error in errors)
    message = f"{len(errors)} references cannot be followed:\n{lines}"
    if any(isinstance(error, UsageError) for error in errors):
        return UsageError(message)
    return DataError(message, next(each.path for each in errors if isinstance(each, DataError)))


def folder_of(name: str) -> str:
    """What the references of a schema are relative to: its folder, or, of a URL, the URL itself."""
    return name if is_web_url(name) else os.path.dirname(os.path.realpath(name))


def is_web_url(name: str) -> bool:
    """Is a name an http or https URL?"""
    return name.lower().startswith(("http://", "https://"))


@contextlib.contextmanager
def _referred(what: str) -> Iterator[None]:
    """Say what refers to something that cannot be read, or may not be."""
    try:
        yield
    except UsageError as error:
        raise UsageError(f"{what}: {error}" if what else str(error)) from None
    except DataError as error:
        message = f"{what}: {error.message}" if what else error.message
        raise DataError(message, error.path) from None


def _joined(folder: str, reference: str) -> str:
    """A reference of a schema at a URL as an absolute URL; others as they are."""
    return urljoin(folder, reference) if is_url(folder) else reference


def _path_of(reference: str) -> str:
    """The path that a `file:` URL names; any other reference is a path itself."""
    if not reference.lower().startswith("file:"):
        return reference
    return unquote(urlsplit(reference).path)


def _check_one_file(path: str) -> None:
    """Data is a file: no directory, and no pattern, which could match what is elsewhere."""
    if os.path.isdir(path):
        raise UsageError(f"`{path}` is a directory, not a file")
    if set("*?[") & set(path) and not os.path.lexists(path):
        raise DataError(f"{path}: cannot be read: no such file or directory", path)


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
            yield response.status, headers, _pieces(response)
    except (OSError, HTTPException, ValueError) as error:
        raise DataError(
            f"{url}: cannot be fetched: {str(error) or type(error).__name__}", url
        ) from None
    finally:
        if connection is not None:
            connection.close()


def _pieces(response: HTTPResponse) -> Iterator[bytes]:
    """The body, all of it: `http.client` takes one that ends too soon for a whole one."""
    from http.client import IncompleteRead

    expected, received = response.length, 0
    try:
        while piece := response.read(_PIECE):
            received += len(piece)
            yield piece
    except IncompleteRead:  # of chunks; how much of the last one came is not known
        raise ConnectionError("the transfer ended in the middle") from None
    if expected is not None and received < expected:
        raise ConnectionError(f"the transfer ended after {received:,} of {expected:,} bytes")


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
