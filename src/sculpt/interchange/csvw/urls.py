"""URLs of metadata: resolved, and normalised so that equal ones are equal texts.

In: a base URL and a reference; paths of files. Out: absolute URLs. Files are `file:` URLs, so that
one rule resolves both. Normalisation is that of RFC 3986, section 6.2.2 (case, percent-encoding,
dot segments), and of section 6.2.3 for http and https ("Model for Tabular Data", section 6.3).

Cost: linear in the text.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import SplitResult, unquote, urljoin, urlsplit, urlunsplit

_PERCENT = re.compile(r"%([0-9A-Fa-f]{2})")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_PORTS = {"http": "80", "https": "443"}
_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")


def is_absolute(url: str) -> bool:
    """Has it a scheme?"""
    return _ABSOLUTE.match(url) is not None and not _DRIVE.match(url)


def url_of(source: str | os.PathLike[str]) -> str:
    """The URL of a path, or a URL as it is."""
    text = os.fspath(source)
    return text if is_absolute(text) else Path(os.path.abspath(text)).as_uri()


def path_of(url: str) -> str | None:
    """The path of a `file:` URL; `None` for other URLs."""
    parts = urlsplit(url)
    return unquote(parts.path) if parts.scheme == "file" else None


def resolve(base: str, reference: str) -> str:
    """The absolute URL of a reference, normalised."""
    try:
        return normalised(urljoin(base, reference))
    except ValueError:  # such as a bracket that opens an IPv6 address and never closes
        return reference


def normalised(url: str) -> str:
    """The URL in its normal form."""
    parts = urlsplit(url)
    host = parts.netloc.lower() if "@" not in parts.netloc else parts.netloc
    port = _PORTS.get(parts.scheme)
    if port is not None and host.endswith(f":{port}"):
        host = host[: -len(port) - 1]
    path = _without_dots(_spelt(parts.path))
    if port is not None and not path:
        path = "/"
    query, fragment = _spelt(parts.query), _spelt(parts.fragment)
    found = urlunsplit(SplitResult(parts.scheme, host, path, query, fragment))
    return found if not url.endswith("#") or "#" in found else f"{found}#"


def _without_dots(path: str) -> str:
    """The path without its segments `.` and `..`, which `urljoin` keeps in absolute URLs."""
    is_needed = path.startswith("/") and "/." in path
    return urlsplit(urljoin("http://host/", path)).path if is_needed else path


def _spelt(text: str) -> str:
    def one(match: re.Match[str]) -> str:
        char = chr(int(match[1], 16))
        return char if char in _UNRESERVED else f"%{match[1].upper()}"

    return _PERCENT.sub(one, text).replace(" ", "%20")


def without_fragment(url: str) -> str:
    """The URL of the file, whatever part of it is meant."""
    return url.partition("#")[0]


def shown(url: str) -> str:
    """A URL in a message: of a file its name."""
    path = path_of(url)
    return url if path is None else os.path.basename(path)


def written(place: str) -> str:
    """A path or URL as a user writes it: a file by its path, relative in the working directory."""
    path = path_of(place) if is_absolute(place) else place
    if path is None:
        return place
    relative = os.path.relpath(path)
    return path if relative.startswith("..") else relative


def is_same_file(one: str, other: str) -> bool:
    """Are two normalised URLs equal, or those of one local file, links followed?"""
    paths = path_of(one), path_of(other)
    if one == other or None in paths:
        return one == other
    return len({os.path.realpath(path) for path in paths if path is not None}) == 1
