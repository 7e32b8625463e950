"""What a call of CSVW is about: its metadata, found by the standard's rules, and its data as files.

In: the path or URL of a table or of metadata, metadata that the user gives, and a way to fetch
URLs. Out: an `Opened` source: a `TableGroup` and the problems of its metadata, and for each table
the path of a local file ("Model for Tabular Data", sections 5 and 6.1).

Invariants: with `fetch`, everything is read through it. Without it, files are read where they are:
those of the folders of what the user names, and others only if `access` allows it. Data that comes
from elsewhere is written to a temporary file, which is removed when the source is closed; a URL is
fetched once. Cost: metadata is read at once; data that is fetched is held once in memory.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any
from urllib.parse import unquote, urlsplit

from sculpt.errors import DataError, SculptError, UsageError
from sculpt.interchange.access import (
    Access,
    Fetch,
    Response,
    given_response,
    is_below,
    read_file,
)
from sculpt.interchange.csvw.language_tags import UNDEFINED, is_language_tag
from sculpt.interchange.csvw.locate import (
    candidate_urls,
    described,
    describes,
    linked_metadata,
)
from sculpt.interchange.csvw.model import Dialect, Place, Table, TableGroup
from sculpt.interchange.csvw.problems import Problem, Problems, reason_of
from sculpt.interchange.csvw.reading.dialects import with_content_type
from sculpt.interchange.csvw.reading.reader import read_group
from sculpt.interchange.csvw.urls import (
    is_same_file,
    normalised,
    path_of,
    url_of,
    without_fragment,
    written,
)
from sculpt.interchange.documents import JsonDocument
from sculpt.interchange.fetched import forget, keep
from sculpt.tabular.stores import has_scheme
from sculpt.values import field, frozen, replace

_HEAD = 1 << 12
_MAX_NAMED = 3
_BLANKS = b"\xef\xbb\xbf \t\r\n"


@frozen
class Opened:
    """A source whose metadata is read, and whose data can be read."""

    url: str
    """The URL of what was given: a table, or metadata."""
    group: TableGroup | None
    """`None` if there are errors in the metadata that leave nothing."""
    problems: tuple[Problem, ...]
    files: Mapping[str, str] = field(default_factory=dict)
    """By the URL of a table: the path of a local file with its data, or the URL where it was
    fetched, for `tabular.inputs` to read."""
    metadata: str | None = None
    """The URL of the metadata; `None` if it is embedded in the table."""
    looked_at: tuple[str, ...] = ()
    """The URLs at which metadata was looked for."""
    documents: Mapping[str, JsonDocument] = field(default_factory=dict, repr=False)
    """The metadata that was read, by its URLs."""

    @property
    def has_errors(self) -> bool:
        """Is one of the problems an error?"""
        return any(each.severity == "error" for each in self.problems)


class Web:
    """Fetches URLs and files, each once; files only of the folders of `named` URLs."""

    def __init__(
        self, fetch: Fetch | None = None, access: Access | None = None, named: Sequence[str] = ()
    ) -> None:
        self._fetch = fetch
        self._access = access or Access()
        self._known: dict[str, Response] = {}
        self.documents: dict[str, JsonDocument] = {}
        """The metadata that was loaded, by its URLs."""
        paths = [path for path in map(path_of, named) if path is not None]
        self._folders = [os.path.dirname(path) for path in paths]

    def get(self, url: str) -> Response:
        """The metadata at a URL; status 404 if there is nothing."""
        return self._got(url, False)

    def data(self, url: str) -> Response:
        """What is at the URL of a table; its limits are wider."""
        return self._got(url, True)

    def _got(self, url: str, is_data: bool) -> Response:
        found = self._known.get(url)
        if found is None:
            found = self._known[url] = self._read(url, is_data)
        return found

    def _read(self, url: str, is_data: bool) -> Response:
        if self._fetch is not None:
            return given_response(self._fetch, url)
        path = self.local_path(url)
        if path is None:
            return self._access.get(url, is_data)
        if not os.path.isfile(path):
            return Response(url, 404)
        return Response(url, body=read_file(path))

    def local_path(self, url: str) -> str | None:
        """The path of a local file, which need not be fetched; an error if it is not allowed."""
        path = path_of(url) if self._fetch is None else None
        if path is None:
            return None
        if not self._folders:
            raise UsageError(f"`{path}` is a file, which metadata at a URL cannot refer to")
        if self._access.allow_outside:
            return path
        if any(is_below(path, folder) for folder in self._folders):
            return path
        raise UsageError(
            f"{path}: is outside the folder of the metadata: allow it with `--allow-outside`"
        )

    def load(self, url: str) -> Any:
        """The JSON value at a URL; raises `SculptError`."""
        response = self.get(without_fragment(url))
        if not response.is_found:
            is_file = self._fetch is None and path_of(url) is not None
            why = "no such file" if is_file else f"there is nothing (status {response.status})"
            raise DataError(f"{written(url)}: {why}", written(url))
        self.documents[url] = JsonDocument.parse(written(url), response.body)
        return self.documents[url].value


@contextmanager
def opened(
    source: str | os.PathLike[str],
    metadata: str | os.PathLike[str] | Mapping[str, Any] | None = None,
    *,
    fetch: Fetch | None = None,
    access: Access | None = None,
    data: bool = True,
    any_tables: bool = False,
) -> Iterator[Opened]:
    """Find the metadata of a source and make its data local; without `data`, only the former.

    Metadata that is given describes the source, or is about `any_tables`.
    """
    url = url_of(source)
    given = [] if metadata is None or isinstance(metadata, Mapping) else [url_of(metadata)]
    web = Web(fetch, access, [url, *given])
    problems, looked_at = Problems(), list[str]()
    found = _metadata(web, url, metadata, problems, looked_at, any_tables)
    group = None
    if isinstance(found, _Document):
        group = read_group(found.value, found.url, web.load, problems)
    elif found is not None:
        group = found
    place = found.url if isinstance(found, _Document) else None
    with ExitStack() as stack:
        files: dict[str, str] = {}
        if group is not None and data and not problems.has_errors:
            folder = _Folder(stack)
            tables = [_local(web, table, folder, files, problems) for table in group.tables]
            group = replace(group, tables=tuple(tables))
        yield Opened(url, group, problems.all, files, place, tuple(looked_at), web.documents)


# ------------------------------------------------------------- metadata


@frozen
class _Document:
    """A metadata document, not yet read."""

    url: str
    value: Any


def _metadata(
    web: Web,
    url: str,
    given: str | os.PathLike[str] | Mapping[str, Any] | None,
    problems: Problems,
    looked_at: list[str],
    any_tables: bool,
) -> _Document | TableGroup | None:
    """The metadata to use for a source; `None` after an error."""
    if isinstance(given, Mapping):
        return _for_table(_Document(url, given), url, any_tables)
    if given is not None:
        found = _loaded(web, url_of(given), problems)
        return None if found is None else _for_table(found, url, any_tables)
    if _is_json(web, url):
        return _loaded(web, url, problems)
    found = _located(web, url, problems, looked_at)
    return found or TableGroup((Table(without_fragment(url)),))


def _for_table(document: _Document, url: str, any_tables: bool) -> _Document:
    """The user's metadata, which need not name its table; if it names others, it is refused."""
    value = document.value
    if isinstance(value, Mapping) and "url" not in value and "tables" not in value:
        return _Document(document.url, {**value, "url": url})
    wanted, known = normalised(without_fragment(url)), described(value, document.url)
    if any_tables or not known or any(is_same_file(each, wanted) for each in known):
        return document
    name = "the metadata" if document.url == url else written(document.url)
    tables = ", ".join(map(written, known[:_MAX_NAMED])) + (", …" if known[_MAX_NAMED:] else "")
    raise UsageError(
        f"{name} describes {tables}, not {written(url)}: name a table that it describes, or"
        " metadata of this one; metadata of one table that has no `url` fits any"
    )


def _is_json(web: Web, url: str) -> bool:
    """Is the source metadata, and not a table?"""
    path = web.local_path(url)
    if path is not None:
        try:
            with open(path, "rb") as file:
                head = file.read(_HEAD)
        except OSError:
            return False
    else:
        response = web.data(without_fragment(url))
        if "json" in response.headers.get("content-type", ""):
            return True
        head = response.body[:_HEAD]
    if not head.lstrip(_BLANKS).startswith(b"{"):
        return False
    if urlsplit(url).path.endswith((".json", ".jsonld")):
        return True
    try:
        return isinstance(json.loads(web.data(without_fragment(url)).body), dict)
    except RecursionError:
        return True  # whoever reads it says how deep it is nested
    except ValueError:
        return False


def _loaded(web: Web, url: str, problems: Problems) -> _Document | None:
    try:
        return _Document(url, web.load(url))
    except SculptError as error:
        problems.error(Place(url), f"the metadata cannot be read: {reason_of(error)}", error)
        return None


def _located(web: Web, url: str, problems: Problems, looked_at: list[str]) -> _Document | None:
    """Metadata that is found by the rules of the standard, and is about the table."""
    headers: Mapping[str, str] = {}
    if web.local_path(url) is None:
        headers = web.data(without_fragment(url)).headers
    linked = linked_metadata(url, headers)
    for place in ([] if linked is None else [linked]) + candidate_urls(url, web.get):
        looked_at.append(place)
        if not web.get(place).is_found:
            continue
        document = _loaded(web, place, problems)
        if document is None:
            return None
        if describes(document.value, place, url):
            return document
        message = f"this metadata is not about {url}, so it is ignored"
        problems.warning(Place(place), message)
    return None


# ------------------------------------------------------------- data


class _Folder:
    """A temporary folder for data that is fetched, made when it is needed."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._path: str | None = None
        self._count = 0

    def write(self, url: str, body: bytes) -> str:
        """Write what was fetched; return its URL, or its path if only paths have that form."""
        if self._path is None:
            self._path = self._stack.enter_context(tempfile.TemporaryDirectory(prefix="sculpt-"))
        self._count += 1
        name = os.path.basename(unquote(urlsplit(url).path)) or "table.csv"
        safe = "".join(char if char.isalnum() or char in "._-" else "_" for char in name)[-100:]
        path = os.path.join(self._path, f"{self._count}-{safe}")
        with open(path, "wb") as file:
            file.write(body)
        if not has_scheme(url):
            return path
        keep(url, path)
        self._stack.callback(forget, url, path)
        return url


def _local(
    web: Web, table: Table, folder: _Folder, files: dict[str, str], problems: Problems
) -> Table:
    """Make the data of a table a local file; the table, changed by what came with the data."""
    url = without_fragment(table.url)
    try:
        path = web.local_path(url)
        response = Response(url) if path is not None else web.data(url)
    except (DataError, UsageError) as error:
        problems.error(table.place.below("url"), str(error), error)
        return table
    if path is not None:
        files[table.url] = path
        if not os.path.isfile(path):
            absent = DataError(f"there is no file {written(path)}", written(path))
            problems.error(table.place.below("url"), str(absent), absent)
        return table
    if not response.is_found:
        absent = DataError(f"the table {url} cannot be read (status {response.status})", url)
        problems.error(table.place.below("url"), str(absent), absent)
        return table
    files[table.url] = folder.write(url, response.body)
    return _with_headers(table, response.headers)


def _with_headers(table: Table, headers: Mapping[str, str]) -> Table:
    """What headers say counts where metadata says nothing."""
    if table.dialect == Dialect():
        dialect = with_content_type(table.dialect, headers.get("content-type", ""))
        table = replace(table, dialect=dialect)
    language = headers.get("content-language", "").strip()
    if table.inherited.lang != UNDEFINED or not is_language_tag(language):
        return table
    columns = tuple(
        replace(column, lang=language) if column.lang == UNDEFINED else column
        for column in table.schema.columns
    )
    return replace(
        table,
        inherited=replace(table.inherited, lang=language),
        schema=replace(table.schema, columns=columns),
    )
