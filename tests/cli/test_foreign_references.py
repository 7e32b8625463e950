"""What schemas of other systems refer to: what is absent, malformed, or may not be read.

One rule for all commands: what the options of the call do not allow is a wrong call (status 2),
what cannot be read is a failure (status 3), and each says what refers to it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from executed_docs import Outcome, run_command

from loopback import sending, served
from sculpt.interchange.access import Response

CONTEXT = "http://www.w3.org/ns/csvw"
COLUMNS = {"columns": [{"titles": "a", "datatype": "integer"}]}
FIELDS = {"fields": [{"name": "a", "type": "integer"}]}
NOT_JSON = '{"@context": "http://www.w3.org/ns/csvw",\n "url": "t.csv",\n "x": }\n'


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    monkeypatch.chdir(inner)
    (tmp_path / "t.csv").write_text("a\n1\n")
    (tmp_path / "s.json").write_text("{}")
    Path("t.csv").write_text("a\n1\n")


def write(name: str, value: Mapping[str, Any]) -> None:
    Path(name).write_text(json.dumps(value))


def run(*arguments: str, status: int) -> Outcome:
    outcome = run_command(list(arguments))
    assert "Traceback" not in outcome.output + outcome.errors
    assert outcome.status == status, outcome.output + outcome.errors
    return outcome


def answer(path: str) -> Response:
    pages: dict[str, bytes | str] = {
        "/t.csv": b"a\n1\n",
        "/m.json": json.dumps({"@context": CONTEXT, "url": "t.csv", "tableSchema": "s.json"}),
        "/s.json": json.dumps(COLUMNS),
        "/dp.json": json.dumps({"resources": [{"name": "t", "path": "t.csv", "schema": "f.json"}]}),
        "/f.json": json.dumps(FIELDS),
        "/thief.json": json.dumps(
            {"resources": [{"name": "t", "path": "file:///etc/passwd", "schema": FIELDS}]}
        ),
    }
    body = pages.get(path)
    if body is None:
        return Response(path, 404)
    return Response(path, body=body if isinstance(body, bytes) else body.encode())


# ------------------------------------------------------------- what may not be read


@pytest.mark.parametrize(
    ("metadata", "place", "option"),
    [
        ({"url": "../t.csv"}, "/url", "--allow-outside"),
        ({"url": "file:///etc/passwd"}, "/url", "--allow-outside"),
        ({"url": "http://127.0.0.1:9/t.csv"}, "/url", "--allow-http"),
        ({"url": "t.csv", "tableSchema": "../s.json"}, "/tableSchema", "--allow-outside"),
        ({"url": "t.csv", "tableSchema": "http://127.0.0.1:9/s"}, "/tableSchema", "--allow-http"),
    ],
)
@pytest.mark.parametrize("command", ["validate", "convert", "discover"])
def test_what_is_not_allowed_is_a_wrong_call(
    metadata: dict[str, Any], place: str, option: str, command: str
) -> None:
    write("m.json", {"@context": CONTEXT, **metadata})
    calls = {
        "validate": ("validate", "m.json"),
        "convert": ("convert", "m.json", "--to", "json"),
        "discover": ("validate", "--discover", "m.json"),
    }
    found = run(*calls[command], status=2)
    assert f"allow it with `{option}`" in found.errors
    assert found.errors.startswith(("error: m.json, table", f"error: m.json, {place}: "))
    assert found.output == found.errors


def test_the_network_is_not_needed_for_what_is_not_asked() -> None:
    resource = {"name": "t", "path": "http://127.0.0.1:9/t.csv", "schema": FIELDS}
    write("dp.json", {"resources": [resource, {**resource, "name": "u"}]})
    run("check", "dp.json", status=0)
    run("validate", "dp.json", "--table", "t=t.csv", "--table", "u=t.csv", status=0)
    wrong = run("validate", "dp.json", status=2).errors
    assert "2 references cannot be followed:" in wrong
    assert "dp.json, table `u`: http://127.0.0.1:9/t.csv: is not fetched: allow it with" in wrong


# ------------------------------------------------------------- what cannot be read


def test_tables_that_cannot_be_fetched_stop_no_other() -> None:
    with served(answer) as address:
        listed = [
            {"name": name, "path": f"{address}/{path}", "schema": FIELDS}
            for name, path in (("a", "no.csv"), ("b", "none.csv"), ("c", "t.csv"))
        ]
        write("dp.json", {"resources": listed})
        found = run("validate", "dp.json", "--allow-http", status=3)
    for name, path in (("a", "no.csv"), ("b", "none.csv")):
        told = f"{address}/{path}: cannot be fetched: status 404; the table `{name}` needs it"
        assert told in found.output
    assert f"{address}/t.csv [c]: valid" in found.output
    assert "3 inputs: 1 valid, 2 could not be read" in found.output


def test_a_table_that_comes_in_part_is_not_valid() -> None:
    with sending(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\na\n1\n") as address:
        write("m.json", {"@context": CONTEXT, "url": f"{address}/t.csv", "tableSchema": COLUMNS})
        told = "cannot be fetched: the transfer ended after 4 of 1,000 bytes"
        for call in (["validate", "m.json"], ["convert", "m.json", "--to", "json"]):
            assert told in run(*call, "--allow-http", status=3).output


def test_all_references_that_are_absent_are_named_with_what_refers_to_them() -> None:
    listed = [
        {"name": "a", "path": "t.csv", "schema": "no.json"},
        {"name": "b", "path": "t.csv", "schema": FIELDS, "dialect": "none.json"},
    ]
    write("dp.json", {"resources": listed})
    wrong = run("validate", "dp.json", status=3).errors
    assert "  dp.json, /resources/0/schema: " in wrong
    assert "no.json: cannot be read: no such file" in wrong
    assert "  dp.json, /resources/1/dialect: " in wrong
    tables = [{"url": "t.csv", "tableSchema": "no.json"}, {"url": "t.csv", "dialect": "none.json"}]
    write("m.json", {"@context": CONTEXT, "tables": tables})
    for call in (["validate", "m.json"], ["convert", "m.json", "--to", "json"]):
        wrong = run(*call, status=3).errors
        assert "  m.json, /tables/0/tableSchema: " in wrong
        assert "  m.json, /tables/1/dialect: " in wrong
    xsd = '<xs:{0} schemaLocation="{1}.xsd"/>'
    body = xsd.format("include", "no") + xsd.format("include", "none")
    Path("s.xsd").write_text(
        f'<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">{body}</xs:schema>'
    )
    wrong = run("import", "s.xsd", status=3).errors
    assert wrong.count("  s.xsd:1, `xs:include`: ") == 2


# ------------------------------------------------------------- malformed metadata


@pytest.mark.parametrize(
    "call",
    [
        ("validate", "t.csv-metadata.json"),
        ("validate", "--discover", "t.csv"),
        ("validate", "--metadata", "t.csv-metadata.json", "t.csv"),
        ("convert", "t.csv", "--to", "json"),
        ("convert", "t.csv-metadata.json", "--to", "json"),
    ],
)
@pytest.mark.parametrize(
    ("body", "place"),
    [
        (NOT_JSON, "3:7: error [foreign-syntax]: this is not JSON: expecting value"),
        ('{"a":' + "[" * 100_000, "1:1: error [foreign-limit]: the JSON is nested 100,001 levels"),
        (
            '{"url": "t.csv",\n "tableSchema": {}}',
            "1:1: error [foreign-meaning]: /: `@context` must be",
        ),
    ],
)
def test_malformed_metadata_has_its_place_on_every_way(
    call: tuple[str, ...], body: str, place: str
) -> None:
    Path("t.csv-metadata.json").write_text(body)
    wrong = run(*call, status=2).errors
    assert wrong.startswith(f"t.csv-metadata.json:{place}")
    assert body.splitlines()[int(place[0]) - 1][:20] in wrong


@pytest.mark.parametrize("call", [("validate", "m.json"), ("convert", "m.json", "--to", "json")])
def test_a_malformed_schema_has_its_own_place(call: tuple[str, ...]) -> None:
    write("m.json", {"@context": CONTEXT, "url": "t.csv", "tableSchema": "s.json"})
    Path("s.json").write_text('{"columns": [ bad')
    wrong = run(*call, status=2).errors
    assert wrong.startswith("s.json:1:15: error [foreign-syntax]: this is not JSON")
    write("dp.json", {"resources": [{"name": "a", "path": "t.csv", "schema": "s.json"}]})
    assert run("validate", "dp.json", status=2).errors == wrong


# ------------------------------------------------------------- schemas at URLs


@pytest.mark.parametrize("name", ["m.json", "dp.json"])
def test_a_schema_at_a_url_is_fetched_if_that_is_allowed(name: str) -> None:
    with served(answer) as address:
        url = f"{address}/{name}"
        found = run("validate", url, "--allow-http", status=0).output
        assert f"{address}/t.csv [" in found
        assert "valid (2 rows × 1 column)" in found
        assert f'for "{address}/t.csv"' in run("import", url, "--allow-http", status=0).output
        assert "allow it with `--allow-http`" in run("validate", url, status=2).errors
        assert "status 404" in run("check", f"{address}/x", "--allow-http", status=3).errors
        thief = run(
            "validate", f"{address}/thief.json", "--allow-http", "--allow-outside", status=2
        )
        assert "a file, which a schema at a URL cannot refer to" in thief.errors
