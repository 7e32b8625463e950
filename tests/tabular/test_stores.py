"""Data named by a URI is read like that of a plain path, and its errors are as clear."""

from __future__ import annotations

import gzip
import os
import pickle
import random
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlsplit
from xml.sax.saxutils import escape

import pytest

import sculpt
from sculpt.engines import local
from sculpt.engines.options import Options
from sculpt.errors import DataError, UsageError
from sculpt.tabular import stores
from sculpt.tabular.inputs import Input, expand, read_bytes, stamp_of
from sculpt.tabular.stores import PAGE, is_uri, open_store

pytest.importorskip("pyarrow")

PEOPLE = "row(1) -> name, age\ncol(name) -> Text\ncol(age) -> Integer\n"
DATA = b"name,age\n" + b"ann,1\n" * 50 + b"bob,x\n"
TREE = [
    "b.csv",
    "a b.csv",
    "100%.csv",
    "sub/é.csv",
    "sub/deep/c.csv",
    "sub-a/c.csv",
    "what?.csv",
    "n#1.csv",
    "s[1]*.csv",
    "_SUCCESS",
    ".hidden.csv",
    "sub/.git/c.csv",
]


def plant(folder: Path, names: list[str] = TREE) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(name.encode())
    return folder


def refusal(action: Any, *arguments: object) -> str:
    with pytest.raises(DataError) as caught:
        action(*arguments)
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith(f"{caught.value.path}: ")
    assert pickle.loads(pickle.dumps(caught.value)).message == message
    return message.removeprefix(f"{caught.value.path}: ")


# ------------------------------------------------------------- which names are URIs


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("s3://bucket/key", True),
        ("file:///x", True),
        ("abfss://c@a.dfs.core.windows.net/x", True),
        ("c://x", False),
        (r"C:\x", False),
        ("C:/x", False),
        ("dir/s3://x", False),
        ("s3:/x", False),
        ("-", False),
        ("", False),
        ("1s://x", False),
    ],
)
def test_what_is_a_uri(path: str, wanted: bool) -> None:
    assert is_uri(path) is wanted


def test_a_local_file_of_such_a_name_stays_local(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(plant(tmp_path, ["s3:/bucket/key"]))
    assert not is_uri("s3://bucket/key")
    assert list(expand(["s3://bucket/key"])) == ["s3://bucket/key"]
    assert read_bytes("s3://bucket/key") == b"s3:/bucket/key"


# ------------------------------------------------------------- which files they name

GLOBS = [
    "*.csv",
    "sub*/c.csv",
    "**/c.csv",
    "**",
    "sub/**",
    "sub/**/*.csv",
    ".*.csv",
    "sub/.git/*",
    "[ab]*",
    "[!ab]*.csv",
    "?.csv",
    "su?/deep/c.csv",
    "what[?].csv",
]


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A store in memory, named by `mock:///…`."""
    system, _ = import_module("pyarrow.fs").FileSystem.from_uri("mock:///")
    monkeypatch.setitem(stores._connected, "mock://", (system, ""))
    return system


def keep(memory: Any, name: str, data: bytes) -> None:
    memory.create_dir(os.path.dirname(name))
    with memory.open_output_stream(name) as stream:
        stream.write(data)


@pytest.mark.parametrize("name", ["", "sub", "sub/", "sub/deep", *GLOBS])
def test_uris_name_the_same_files_in_the_same_order_as_paths(
    tmp_path: Path, memory: Any, name: str
) -> None:
    folder = plant(tmp_path)
    for each in TREE:
        keep(memory, f"in/{each}", each.encode())
    wanted = [read_bytes(str(entry)) for entry in expand([f"{folder}/{name}"])]
    assert wanted
    for uri in (f"file://{folder}/{name}", f"mock:///in/{name}"):
        assert [read_bytes(str(entry)) for entry in expand([uri])] == wanted


def test_links_are_followed_as_those_of_paths_are(tmp_path: Path) -> None:
    folder = plant(tmp_path, ["sub/a.csv"])
    (folder / "sub/round").symlink_to("..")
    (folder / "sub/round too").symlink_to("..")
    (folder / "lost").symlink_to("nowhere")
    for name in ("", "*/*.csv", "*/round/sub/*", "l*"):
        by_path = [str(entry) for entry in expand([f"{folder}/{name}"])]
        assert list(expand([f"file://{folder}/{name}"])) == [f"file://{each}" for each in by_path]
    assert refusal(read_bytes, f"file://{folder}/lost") == (
        "cannot be read: no such file or directory"
    )


@pytest.mark.parametrize("name", TREE)
def test_names_are_escaped_or_as_they_are(tmp_path: Path, name: str) -> None:
    folder = plant(tmp_path)
    for uri in (f"file://{folder}/{quote(name)}", f"file://localhost{folder}/{name}"):
        assert list(expand([uri])) == [uri]
        assert read_bytes(uri) == name.encode()


def test_what_is_escaped_in_a_glob_stands_for_itself(tmp_path: Path) -> None:
    folder = plant(tmp_path, ["a*1.csv", "ab1.csv", "é 1.csv"])
    assert list(expand([f"file://{folder}/a%2A[12].csv"])) == [f"file://{folder}/a%2A1.csv"]
    assert list(expand([f"FILE://{folder}/é%20*"])) == [f"file://{folder}/%C3%A9%201.csv"]


def test_uris_that_name_no_file_are_errors_in_their_place(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "d.csv").write_bytes(b"x")
    base = f"file://{tmp_path}"
    names = ["empty", "d.csv", "*.tsv", "nothing/*", "nothing"]
    found = list(expand(f"{base}/{name}" for name in names))
    assert [str(entry) for entry in found] == [
        f"{base}/empty: there is no file in this directory",
        f"{base}/d.csv",
        f"{base}/*.tsv: no file matches this pattern",
        f"{base}/nothing/*: no file matches this pattern",
        f"{base}/nothing",
    ]
    assert [isinstance(entry, DataError) for entry in found] == [True, False, True, True, False]


# ------------------------------------------------------------- what is in them


@pytest.mark.parametrize("engine", ["local", "reference"])
@pytest.mark.parametrize("packed", [False, True])
def test_verdicts_are_those_of_the_plain_path(tmp_path: Path, packed: bool, engine: str) -> None:
    path = tmp_path / "d é.csv"
    path.write_bytes(gzip.compress(DATA) if packed else DATA)
    schema = sculpt.Schema.parse(PEOPLE)
    wanted = sculpt.validate(schema, path, engine=engine)
    found = sculpt.validate(schema, path.as_uri(), engine=engine)
    assert found == replace(wanted, path=path.as_uri())
    assert [(v.row, v.found) for v in found.violations] == [(52, "x")]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("threads", [1, 3])
def test_verdicts_of_files_of_many_chunks(tmp_path: Path, encoding: str, threads: int) -> None:
    path = tmp_path / "d.csv"
    source = random.Random(1)
    rows = [f'"a\n{ix}",{source.choice(["1", "é"])}\n' for ix in range(40_000)]
    path.write_text("".join(rows), encoding=encoding)
    schema = sculpt.Schema.parse(f"Encoding = {encoding}\ncol(2) -> Integer\n")
    options = Options(threads=threads, chunk=5000, max_violations=20)
    wanted = local.validate(schema.core, str(path), options)
    found = local.validate(schema.core, path.as_uri(), options)
    assert found == replace(wanted, path=path.as_uri())
    assert len(found.violations) == 20


def test_an_input_from_a_store_is_like_a_plain_one(tmp_path: Path) -> None:
    path = tmp_path / "d"
    data = random.Random(1).randbytes(3 * PAGE + 100)
    path.write_bytes(data)
    with Input(str(path)) as plain, Input(path.as_uri()) as stored:
        assert stored.is_plain
        assert stored.size == plain.size == len(data)
        assert stored.stamp == plain.stamp == stamp_of(str(path)) == stamp_of(path.as_uri())
        assert list(stored.blocks(PAGE + 7)) == list(plain.blocks(PAGE + 7))
        edges = [0, 1, PAGE - 1, PAGE, 2 * PAGE + 1, len(data) - 1, len(data), len(data) + 5]
        for start in edges:
            for size in (0, 1, 100, PAGE - 1, PAGE, PAGE + 1, 2 * PAGE + 3, len(data)):
                assert stored.window(start, start + size) == plain.window(start, start + size)
                assert stored.read_into(start, bytearray(size)) == plain.read_into(
                    start, bytearray(size)
                )
        room = bytearray(PAGE + 1)
        assert stored.read_into(5, room) is room
        stored.check_unchanged()


@pytest.mark.parametrize("data", [b"", b"x"])
def test_tiny_files(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "d").write_bytes(data)
    uri = (tmp_path / "d").as_uri()
    assert read_bytes(uri) == data
    with Input(uri) as source:
        assert source.size == len(data)


def test_threads_read_one_store_at_once(tmp_path: Path) -> None:
    data = random.Random(1).randbytes(20 * PAGE)
    (tmp_path / "d").write_bytes(data)
    store = open_store((tmp_path / "d").as_uri())
    places = random.Random(2)

    def read(_: int) -> bool:
        at, size = places.randrange(len(data)), places.choice([10, 1000, PAGE, 3 * PAGE])
        room = bytearray(size)
        count = store.read_into(at, room)
        return bytes(room[:count]) == store.read(at, size) == data[at : at + size]

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(read, range(300)))
    store.close()
    assert refusal(store.read, 0, 10) == "cannot be read: it is closed"


def test_data_in_memory(memory: Any) -> None:
    for name, data in {"in/b": b"1", "in/x y/a": gzip.compress(DATA), "in/.c": b"3"}.items():
        keep(memory, name, data)
    wanted = ["mock:///in/b", "mock:///in/x%20y/a"]
    assert list(expand(["mock:///"])) == list(expand(["mock:///in"])) == wanted
    assert list(expand(["mock:///in/*/a"])) == wanted[1:]
    assert read_bytes(wanted[1]) == DATA
    with Input(wanted[0]) as source:
        memory.delete_file("in/b")
        assert refusal(source.check_unchanged) == "vanished while it was read"


# ------------------------------------------------------------- what goes wrong


@pytest.mark.parametrize(
    ("uri", "wanted"),
    [
        ("file:///nothing/there.csv", "no such file or directory"),
        ("file:///", "is a directory"),
        ("file:///dev/null", "it is not a regular file"),
        ("foo://x/y", "unknown kind of store `foo`"),
        ("s3:///key", "missing bucket name in S3 URI"),
        ("s3://b/k?colour=red", "unexpected query parameter in S3 URI: 'colour'"),
    ],
)
def test_what_cannot_be_read(uri: str, wanted: str) -> None:
    for action in (Input, stamp_of, open_store, read_bytes):
        assert refusal(action, uri) == f"cannot be read: {wanted}"
    with pytest.raises(DataError, match=wanted):
        sculpt.validate(sculpt.Schema.parse(PEOPLE), uri)


def test_a_file_that_is_not_permitted(tmp_path: Path) -> None:
    path = tmp_path / "d"
    path.write_bytes(b"x")
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read everything")
    assert refusal(Input, path.as_uri()) == "cannot be read: permission denied"


def test_packed_data_that_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "d"
    path.write_bytes(gzip.compress(os.urandom(5000))[:1000])
    assert refusal(read_bytes, path.as_uri()).startswith("the gzip data is broken: ")


@pytest.mark.parametrize(
    ("raised", "wanted"),
    [
        (
            OSError(
                "When getting information for key 'x' in bucket 'b': AWS Error NETWORK_CONNECTION "
                "during HeadObject operation: curlCode: 7, Could not connect to server; "
                "Details: Failed to connect to 127.0.0.1:1 after 0 ms: Could not connect to server"
            ),
            "network connection: could not connect to server",
        ),
        (
            OSError(
                "google::cloud::Status(UNAVAILABLE: Retry policy exhausted, with a last message of "
                "PerformWork() - CURL error [7]=Could not connect to server "
                "error_info={reason=, domain=, metadata={gcloud-cpp.retry.on-entry=false}})"
            ),
            "unavailable: could not connect to server",
        ),
        (
            OSError("Unable to load libjvm\ndlopen(/usr/lib/jvm/libjvm.so) failed: no such file"),
            "unable to load libjvm: set JAVA_HOME and HADOOP_HOME",
        ),
        (PermissionError(13, "[errno 13] Failed. Detail: /x"), "permission denied"),
        (NotImplementedError(), "NotImplementedError"),
        (RuntimeError("Y" * 900), "Y" * 199 + "…"),
    ],
)
def test_what_stores_say_is_said_shortly(
    monkeypatch: pytest.MonkeyPatch, raised: Exception, wanted: str
) -> None:
    class Broken:
        def get_file_info(self, _: object) -> None:
            raise raised

    monkeypatch.setitem(stores._connected, "mock://", (Broken(), ""))
    assert refusal(Input, "mock:///x") == f"cannot be read: {wanted}"
    (entry,) = expand(["mock:///x/*"])
    assert str(entry) == f"mock:///x/*: cannot be read: {wanted}"


def test_without_pyarrow_the_cure_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    cure = 'needs pyarrow: run `pip install "sculpt-schema[arrow]"`'
    for read in (Input, lambda uri: [*expand([uri])]):
        with pytest.raises(UsageError) as raised:
            read("s3://bucket/key")
        assert str(raised.value) == f"reading from a store {cure}"
    with pytest.raises(UsageError) as raised:
        stores.check_stores(["d.csv", "-", "s3://bucket/key"])
    assert str(raised.value) == f"reading s3://bucket/key {cure}"


def test_plain_paths_do_not_import_pyarrow(tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_bytes(DATA)
    code = (
        "import sys\nfrom sculpt.tabular.inputs import expand, read_bytes, stamp_of\n"
        "for name in [*expand(['.', '*.csv'])]: read_bytes(name), stamp_of(name)\n"
        "assert 'pyarrow' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, timeout=120, check=True)


# ------------------------------------------------------------- what changes meanwhile


def named(path: Path, way: str) -> str:
    return path.as_uri() if way == "uri" else str(path)


def put_time(path: Path, stamp: tuple[int, int] | None) -> None:
    assert stamp is not None
    os.utime(path, ns=(stamp[1], stamp[1]))


@pytest.mark.parametrize("way", ["path", "uri"])
def test_files_that_change(tmp_path: Path, way: str) -> None:
    path = tmp_path / "d"
    path.write_bytes(DATA)
    with Input(named(path, way)) as source:
        source.check_unchanged()
        os.utime(path, ns=(1, 1))
        assert refusal(source.check_unchanged) == "changed while it was read"
        put_time(path, source.stamp)
        source.check_unchanged()
        path.write_bytes(DATA + b"x")
        put_time(path, source.stamp)
        assert refusal(source.check_unchanged) == "changed while it was read"
        path.unlink()
        assert refusal(source.check_unchanged) == "vanished while it was read"


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("way", ["path", "uri"])
@pytest.mark.parametrize("reads", ["blocks", "chunk", "window"])
def test_a_file_that_was_short_for_a_while(
    tmp_path: Path, way: str, reads: str, packed: bool
) -> None:
    path = tmp_path / "d"
    data = random.Random(1).randbytes(3 * PAGE)
    content = gzip.compress(data) if packed else data
    path.write_bytes(content)
    with Input(named(path, way)) as source:
        os.truncate(path, 2 * PAGE)
        if packed:
            assert refusal(source.window, 0, 3 * PAGE).startswith("the gzip data is broken")
        elif reads == "blocks":
            assert sum(len(block) for block, _ in source.blocks(PAGE)) == 2 * PAGE
        elif reads == "chunk":
            assert len(source.read_into(PAGE, bytearray(2 * PAGE))) == PAGE
        else:
            assert len(source.window(2 * PAGE - 5, 2 * PAGE + 5)) == 5
        path.write_bytes(content)
        put_time(path, source.stamp)
        assert refusal(source.check_unchanged) == "changed while it was read"


@pytest.mark.skipif(sys.platform == "win32", reason="no named pipes")
def test_pipes_have_no_stamp(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    threading.Thread(target=path.write_bytes, args=(DATA,)).start()
    with Input(str(path)) as source:
        assert (source.stamp, source.size) == (None, None)
        source.check_unchanged()
        assert source.window(0, 1000) == DATA
    for name in (str(path), "-", str(tmp_path)):
        assert refusal(stamp_of, name) == "is not a regular file: it has no size"
    assert refusal(stamp_of, str(tmp_path / "no")) == "cannot be read: no such file or directory"


# ------------------------------------------------------------- a store behind HTTP


@dataclass
class Bucket:
    """A bucket on loopback that supports as much of S3 as reading needs."""

    objects: dict[str, bytes] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    status: int = 0
    modified: str = "Tue, 01 Jul 2025 10:00:00 GMT"
    port: int = 0

    def uri(self, name: str) -> str:
        where = f"endpoint_override=127.0.0.1:{self.port}&scheme=http&region=us-east-1"
        return f"s3://key:secret@bucket/{name}?{where}"

    def answer(self, target: str, ranged: str | None) -> tuple[int, bytes, str]:
        parts = urlsplit(target)
        query, name = parse_qs(parts.query), unquote(parts.path).removeprefix("/bucket").strip("/")
        if self.status:
            return self.status, b"", ""
        if "list-type" in query:
            return 200, self.listing(query), ""
        if name not in self.objects:
            return 404, b"", ""
        data = self.objects[name]
        if ranged is None:
            return 200, data, ""
        first, last = (int(part) for part in ranged.removeprefix("bytes=").split("-"))
        return 206, data[first : last + 1], f"bytes {first}-{last}/{len(data)}"

    def listing(self, query: dict[str, list[str]]) -> bytes:
        prefix = query.get("prefix", [""])[0]
        names = [name for name in sorted(self.objects, reverse=True) if name.startswith(prefix)]
        if "delimiter" in query:
            names = [name for name in names if "/" not in name[len(prefix) :]]
        found = "".join(
            f"<Contents><Key>{escape(name)}</Key><Size>{len(self.objects[name])}</Size>"
            "<LastModified>2025-07-01T10:00:00.000Z</LastModified></Contents>"
            for name in names
        )
        return (
            '<?xml version="1.0"?><ListBucketResult><IsTruncated>false</IsTruncated>'
            f"<KeyCount>{len(names)}</KeyCount>{found}</ListBucketResult>"
        ).encode()


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[Bucket]:
    served = Bucket()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            served.requests.append(f"{self.command} {self.path}")
            status, body, ranged = served.answer(self.path, self.headers["Range"])
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Last-Modified", served.modified)
            if ranged:
                self.send_header("Content-Range", ranged)
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(body)

        do_HEAD = do_GET  # noqa: N815

        def log_message(self, *_: object) -> None:
            pass

    monkeypatch.setattr(stores, "_connected", {})
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        served.port = server.server_port
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield served
        server.shutdown()
        thread.join()


def test_data_behind_http(bucket: Bucket, tmp_path: Path) -> None:
    names = ["in/b 1.csv", "in/é/a.csv", "in/.c.csv", "other.csv"]
    bucket.objects = dict.fromkeys(names, DATA) | {"in/z.gz": gzip.compress(DATA)}
    wanted = [bucket.uri(quote(name)) for name in ["in/b 1.csv", "in/z.gz", "in/é/a.csv"]]
    assert list(expand([bucket.uri("in")])) == wanted
    assert list(expand([bucket.uri("in/*.csv")])) == wanted[:1]
    assert list(expand([bucket.uri("**/?.csv")])) == wanted[2:]
    (tmp_path / "d").write_bytes(DATA)
    schema = sculpt.Schema.parse(PEOPLE)
    verdict = sculpt.validate(schema, tmp_path / "d")
    for uri in wanted:
        assert sculpt.validate(schema, uri, engine="local") == replace(verdict, path=uri)
    with Input(wanted[0]) as source:
        assert source.stamp == stamp_of(wanted[0]) == (len(DATA), 1_751_364_000 * 10**9)
        source.check_unchanged()
        bucket.modified = "Tue, 01 Jul 2025 10:00:01 GMT"
        assert refusal(source.check_unchanged) == "changed while it was read"
        bucket.objects.clear()
        assert refusal(source.check_unchanged) == "vanished while it was read"


def test_small_reads_share_a_request(bucket: Bucket) -> None:
    bucket.objects = {"x": bytes(3 * PAGE)}
    with Input(bucket.uri("x")) as source:
        del bucket.requests[:]
        for at in range(0, PAGE, 1000):
            source.window(at, at + 10)
        assert bucket.requests == []
        assert source.read_into(0, bytearray(3 * PAGE)) == bytes(3 * PAGE)
        assert len(bucket.requests) == 1


def test_a_store_that_refuses(bucket: Bucket) -> None:
    bucket.status = 403
    assert refusal(Input, bucket.uri("x")) == "cannot be read: access denied"
    assert refusal(stamp_of, bucket.uri("x")) == "cannot be read: access denied"
    (entry,) = expand([bucket.uri("x/*")])
    assert isinstance(entry, DataError)


def test_an_object_that_vanishes_while_it_is_read(bucket: Bucket) -> None:
    bucket.objects = {"x": bytes(3 * PAGE)}
    with Input(bucket.uri("x")) as source:
        bucket.objects.clear()
        assert refusal(source.window, PAGE, 2 * PAGE).startswith("cannot be read: ")
        assert refusal(source.check_unchanged) == "vanished while it was read"
