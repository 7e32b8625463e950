"""What a foreign schema may read: its own folder, and the network only if that is allowed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from loopback import dripping, sending, served
from sculpt.engines.choice import choose
from sculpt.errors import DataError, SculptError, UsageError
from sculpt.interchange import access
from sculpt.interchange.access import Access, Limits, Response, fetch_over_http, is_url
from sculpt.interchange.fetched import file_of, forget
from sculpt.tabular.inputs import expand, read_bytes


def answer(path: str) -> Response:
    if path.startswith("/hop"):
        number = int(path[4:])
        return Response(path, 302, {"Location": f"/hop{number - 1}" if number else "/end?x=1"})
    if path == "/to-file":
        return Response(path, 301, {"Location": "file:///etc/passwd"})
    if path == "/end?x=1":
        headers = {"Link": '<a>; rel="describedby"', "X-Kind": "b"}
        return Response(path, headers=headers, body=b"here")
    if path == "/large":
        return Response(path, body=b"x" * 200_000)
    return Response(path, 404, body=b"nothing")


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with served(answer) as address:
        yield address


def test_redirects_are_followed_to_the_end(site: str) -> None:
    found = fetch_over_http(f"{site}/hop4")
    assert (found.url, found.status, found.body) == (f"{site}/end?x=1", 200, b"here")
    assert found.headers["link"] == '<a>; rel="describedby"'
    assert found.headers["x-kind"] == "b"


def test_more_than_five_redirects_are_an_error(site: str) -> None:
    with pytest.raises(DataError, match="more than 5 redirects"):
        fetch_over_http(f"{site}/hop5")


def test_no_redirect_leads_to_a_file(site: str) -> None:
    with pytest.raises(DataError, match=r"redirects to `file:///etc/passwd`"):
        fetch_over_http(f"{site}/to-file")


def test_a_response_that_is_too_large_is_not_read_to_its_end(site: str) -> None:
    with pytest.raises(DataError, match="has more than 100,000 bytes"):
        fetch_over_http(f"{site}/large", Limits(100_000, 60))


@pytest.mark.parametrize(
    "start",
    [b"", b"HTTP/1.1 200 OK\r\nX-Long: ", b"HTTP/1.1 200 OK\r\nContent-Length: 9999999\r\n\r\n"],
    ids=["the status", "a header", "the body"],
)
@pytest.mark.parametrize("pace", [None, 1e9])
def test_a_server_that_sends_a_little_for_ever_is_left(start: bytes, pace: float | None) -> None:
    with dripping(start) as address:
        with pytest.raises(DataError, match=r"/x: cannot be fetched: it is too slow: \d+ bytes"):
            fetch_over_http(f"{address}/x", Limits(1 << 20, 0.1, pace))
        allowed = Access(allow_http=True, metadata=Limits(1 << 20, 0.1))
        with pytest.raises(DataError, match="it is too slow"):
            allowed.read(f"{address}/x", "", "x.json")


def test_what_keeps_the_pace_may_take_longer() -> None:
    limits = Limits(1 << 20, 10, pace=100)
    assert limits.seconds_left(monotonic(), 0) <= 10
    assert 15 < limits.seconds_left(monotonic(), 1000) <= 20
    assert limits.seconds_left(monotonic() - 25, 1000) < 0


def test_what_is_not_there_has_a_status(site: str) -> None:
    assert fetch_over_http(f"{site}/absent").status == 404
    with pytest.raises(DataError, match=r"x.json: .*/absent: cannot be fetched: status 404"):
        Access(allow_http=True).read(f"{site}/absent", "", "x.json")


def test_nothing_is_fetched_unless_it_is_allowed(site: str) -> None:
    with pytest.raises(UsageError, match="is not fetched: allow it with `--allow-http`"):
        Access().get(f"{site}/end?x=1")
    assert Access(allow_http=True).get(f"{site}/end?x=1").body == b"here"


@pytest.mark.parametrize("url", ["ftp://127.0.0.1/x", "gopher://127.0.0.1/", "http:///x"])
def test_only_http_is_fetched(url: str) -> None:
    with pytest.raises(UsageError, match="only http and https"):
        Access(allow_http=True).get(url)


def test_a_server_that_is_not_there_is_an_error_of_one_line() -> None:
    with pytest.raises(DataError, match="cannot be fetched") as error:
        fetch_over_http("http://127.0.0.1:9/x")
    assert "\n" not in str(error.value)


def test_a_given_fetch_is_the_only_way() -> None:
    allowed = Access(fetch=lambda url: Response(url, body=url.encode()))
    assert allowed.get("http://example.org/a").body == b"http://example.org/a"
    assert allowed.get("file:///etc/passwd").body == b"file:///etc/passwd"


def test_a_schema_by_file_url_stays_in_the_folder(tmp_path: Path) -> None:
    (tmp_path / "inside.json").write_bytes(b"1")
    for reference in ("file:/etc/passwd", "file:///etc/passwd", "FILE:../x.json"):
        with pytest.raises(UsageError, match="outside the folder"):
            Access().read(reference, str(tmp_path), "x.json")
    inside = (tmp_path / "inside.json").as_uri()
    assert Access().read(inside, str(tmp_path), "x.json") == b"1"


def test_data_is_no_pattern_and_no_directory(tmp_path: Path) -> None:
    (tmp_path / "link.csv").symlink_to("/etc/passwd")
    with pytest.raises(DataError, match="no such file"):
        Access().data_path("l*k.csv", str(tmp_path), "x.json")
    with pytest.raises(UsageError, match="is a directory"):
        Access().data_path(".", str(tmp_path), "x.json")


@pytest.mark.parametrize("reference", ["../other.csv", "/etc/passwd", "a/../../x", "C:\\x", "out"])
def test_no_path_leaves_the_folder(tmp_path: Path, reference: str) -> None:
    folder = tmp_path / "schema"
    folder.mkdir()
    (folder / "out").symlink_to("/etc")
    with pytest.raises(UsageError, match="is outside the folder of the schema"):
        Access().local_path(reference, str(folder))


def test_paths_in_the_folder_and_allowed_ones_are_taken(tmp_path: Path) -> None:
    folder = tmp_path / "schema"
    (folder / "data").mkdir(parents=True)
    (tmp_path / "other.csv").write_bytes(b"1")
    inside = Access().local_path("data/../data/a.csv", str(folder))
    assert inside == str(folder / "data/../data/a.csv")
    assert Access(allow_outside=True).read("../other.csv", str(folder), "x.json") == b"1"
    with pytest.raises(DataError, match=r"^x.json: .*absent.csv: cannot be read: no such file"):
        Access().read("absent.csv", str(folder), "x.json")


@pytest.mark.parametrize(
    ("reference", "is_one"),
    [
        ("http://a/b", True),
        ("a.csv", False),
        ("C:\\a.csv", False),
        ("a b/c", False),
        ("s3://a", True),
    ],
)
def test_what_is_a_url(reference: str, is_one: bool) -> None:
    assert is_url(reference) is is_one


@pytest.mark.parametrize(
    "reference", ["file:///etc/passwd", "s3://bucket/x", "../x", "/etc/passwd"]
)
def test_data_is_not_read_from_elsewhere(tmp_path: Path, reference: str) -> None:
    with pytest.raises(UsageError, match=r"outside the folder|files, http and https only"):
        Access().data_path(reference, str(tmp_path), "x.json, table `T`")


def test_data_is_fetched_only_if_it_may_be(site: str, tmp_path: Path) -> None:
    url = f"{site}/end?x=1"
    assert Access().data_path(url, str(tmp_path), "x.json") == url
    assert file_of(url) is None
    assert Access(allow_http=True).data_path(url, str(tmp_path), "x.json") == url
    path = file_of(url)
    assert path is not None
    assert Path(path).read_bytes() == read_bytes(url) == b"here"
    assert list(expand([url])) == [url]
    forget(url, path)
    assert file_of(url) is None


def test_data_that_cannot_be_fetched_cannot_be_read(site: str, tmp_path: Path) -> None:
    url = f"{site}/absent.csv"
    assert Access(allow_http=True).data_path(url, str(tmp_path), "x.json") == url
    (error,) = expand([url])
    assert str(error) == f"{url}: cannot be fetched: status 404"
    assert choose([url]).engine == "local"


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (b"Content-Length: 1000\r\n\r\na,b\n", "the transfer ended after 4 of 1,000 bytes"),
        (b"Transfer-Encoding: chunked\r\n\r\n8\r\na,b\n", "the transfer ended in the middle"),
    ],
)
def test_a_transfer_that_ends_too_soon_is_not_whole(answer: bytes, problem: str) -> None:
    with sending(b"HTTP/1.1 200 OK\r\n" + answer) as address:
        with pytest.raises(DataError, match=f"/x: cannot be fetched: {problem}"):
            fetch_over_http(f"{address}/x")
        with pytest.raises(DataError, match=f"x.json: .*/x: cannot be fetched: {problem}"):
            Access(allow_http=True).read(f"{address}/x", "", "x.json")


def _fails(url: str) -> Response:
    raise KeyError("no such key")


@pytest.mark.parametrize(
    ("fetch", "kind", "message"),
    [
        (
            lambda _: None,
            UsageError,
            "http://h/x: `fetch` gave a `NoneType`, not a `sculpt.csvw.Response`",
        ),
        (_fails, DataError, "http://h/x: cannot be fetched: 'no such key'"),
    ],
)
def test_a_fetch_that_fails_is_an_error_of_one_line(
    fetch: Any, kind: type[SculptError], message: str
) -> None:
    with pytest.raises(kind) as caught:
        Access(fetch=fetch).get("http://h/x")
    assert str(caught.value) == message


def test_references_of_a_schema_at_a_url_are_relative_to_it(site: str) -> None:
    allowed = Access(allow_http=True)
    assert allowed.read("end?x=1", f"{site}/x.json", "x.json") == b"here"
    for reference in ("file:///etc/passwd", "file:x"):
        with pytest.raises(UsageError, match="which a schema at a URL cannot refer to"):
            allowed.read(reference, f"{site}/x.json", "x.json")
        with pytest.raises(UsageError, match="which a schema at a URL cannot refer to"):
            Access(allow_http=True, allow_outside=True).data_path(
                reference, f"{site}/x.json", "x.json"
            )


def test_a_file_url_in_the_folder_is_a_path(tmp_path: Path) -> None:
    inside = tmp_path / "a b.csv"
    found = Access().data_path(inside.as_uri(), str(tmp_path), "x.json")
    assert found == str(inside)


def test_limits_are_those_that_are_promised() -> None:
    assert (access.MAX_REDIRECTS, access.TIME_OUT) == (5, 30.0)
    assert Limits(64_000_000, 60) == access.METADATA
    assert Limits(1 << 30, 60, pace=10_000) == access.DATA
    assert (Access().metadata, Access().data) == (access.METADATA, access.DATA)
