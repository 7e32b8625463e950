"""CSVW from end to end over real HTTP: a site on loopback, the command, and the W3C's suite."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
from executed_docs import run_command

from loopback import served
from sculpt.cli.table import ReportFormat
from sculpt.interchange.access import Fetch, Response, fetch_over_http
from sculpt.values import replace
from suites import csvw

TABLE = b"Code,Depth\nA,12\nB,x\n"
COLUMNS = [{"titles": "Code"}, {"titles": "Depth", "datatype": "integer"}]
METADATA = json.dumps(
    {
        "@context": "http://www.w3.org/ns/csvw",
        "url": "t.csv",
        "tableSchema": {"columns": COLUMNS},
    }
).encode()
PLACES: Mapping[str, Mapping[str, Response]] = {
    "the Link header": {
        "/data/t.csv": Response(
            "",
            headers={
                "Link": '<about/t.json>; rel="describedby"; type="application/csvm+json"',
                "Content-Type": "text/csv",
            },
            body=TABLE,
        ),
        "/data/about/t.json": Response("", body=METADATA.replace(b"t.csv", b"../t.csv")),
    },
    "beside the file": {"/data/t.csv-metadata.json": Response("", body=METADATA)},
    "for the folder": {"/data/csv-metadata.json": Response("", body=METADATA)},
    "where the site says": {
        "/.well-known/csvm": Response("", body=b"/about?{url}\n"),
        "/about?http%3A%2F%2FHOST%2Fdata%2Ft.csv": Response(
            "", body=METADATA.replace(b"t.csv", b"/data/t.csv")
        ),
    },
    "after a redirect": {
        "/data/t.csv-metadata.json": Response("", 302, {"Location": "/data/moved.json"}),
        "/data/moved.json": Response("", body=METADATA),
    },
}


@contextmanager
def site(pages: Mapping[str, Response]) -> Iterator[str]:
    """A site with the table and these pages; `HOST` in a path is the site's own host."""
    host: list[str] = []
    all_pages = {"/data/t.csv": Response("", body=TABLE), **pages}

    def answer(path: str) -> Response:
        if path.startswith("/about?"):
            path = path.replace(host[0].replace(":", "%3A"), "HOST")
        return all_pages.get(path, Response("", 404))

    with served(answer) as address:
        host.append(address.removeprefix("http://"))
        yield address


@pytest.mark.parametrize("place", PLACES)
def test_metadata_is_found_over_http(place: str) -> None:
    with site(PLACES[place]) as address:
        call = ["validate", "--discover", f"{address}/data/t.csv", "--allow-http"]
        found = run_command(call)
    assert found.status == 1, found.output
    assert 'column "Depth", datatype integer' in found.output
    assert "found `x`" in found.output


def test_where_metadata_was_looked_for_on_a_site() -> None:
    with site({}) as address:
        found = run_command(["validate", "--discover", f"{address}/data/t.csv", "--allow-http"])
    assert found.status == 2
    told = f"at {address}/data/t.csv-metadata.json and {address}/data/csv-metadata.json;"
    assert told in found.errors


@pytest.mark.parametrize("command", ["validate --discover", "convert --to json"])
def test_metadata_of_a_site_reads_no_files(tmp_path: Path, command: str) -> None:
    """Whatever is allowed: who wrote it does not know which files are here."""
    secret = tmp_path / "secret.csv"
    secret.write_bytes(TABLE)
    group = json.loads(METADATA)
    tables = [{"url": "t.csv"}, {"url": secret.as_uri()}]
    pages = {
        "/data/t.csv-metadata.json": Response(
            "", body=json.dumps({"@context": group["@context"], "tables": tables}).encode()
        )
    }
    allowed = ["--allow-http", "--allow-outside"]
    with site(pages) as address:
        found = run_command([*command.split(), f"{address}/data/t.csv", *allowed])
    assert found.status == 2, found.output
    assert "is a file, which metadata at a URL cannot refer to" in found.errors
    assert "A,12" not in found.output


FORMATS = [each for each in ReportFormat if each != ReportFormat.GITHUB]


@pytest.mark.parametrize("output", FORMATS)
@pytest.mark.parametrize("engine", ["local", "reference"])
def test_every_report_names_what_was_fetched_by_its_url(output: str, engine: str) -> None:
    with site(PLACES["beside the file"]) as address:
        call = ["validate", "--discover", f"{address}/data/t.csv", "--allow-http", "-f", output]
        found = run_command([*call, *([] if output == "html" else ["--engine", engine])])
    assert found.status == 1, found.output
    assert f"{address}/data/t.csv" in found.output
    assert tempfile.gettempdir() not in found.output


def test_a_package_names_what_was_fetched_by_its_url(tmp_path: Path) -> None:
    fields = [{"name": "Code"}, {"name": "Depth", "type": "integer"}]
    with site({}) as address:
        url = f"{address}/data/t.csv"
        package = {"resources": [{"name": "t", "path": url, "schema": {"fields": fields}}]}
        (tmp_path / "datapackage.json").write_text(json.dumps(package))
        call = ["validate", str(tmp_path / "datapackage.json"), "--allow-http"]
        found = run_command(call)
        listed = run_command([*call, "--violations-to", str(tmp_path / "v.csv")])
    assert (found.status, listed.status) == (1, 1)
    assert found.output.startswith(f"{url} [t]: not valid (3 rows × 2 columns, 1 violation)")
    assert (tmp_path / "v.csv").read_text().splitlines()[1].startswith(f"{url},")


def test_a_table_over_http_becomes_json() -> None:
    with site(PLACES["beside the file"]) as address:
        call = ["convert", f"{address}/data/t.csv", "--to", "json", "--minimal", "--allow-http"]
        found = run_command(call)
    assert found.status == 0, found.output
    assert json.loads(found.output.removesuffix(found.errors)) == [
        {"Code": "A", "Depth": 12},
        {"Code": "B", "Depth": "x"},
    ]


def test_nothing_is_asked_of_the_site_unless_it_is_allowed() -> None:
    asked: list[str] = []

    def answer(path: str) -> Response:
        asked.append(path)
        return Response("", body=TABLE)

    with served(answer) as address:
        found = run_command(["validate", "--discover", f"{address}/data/t.csv"])
    assert found.status == 2
    assert asked == []
    assert "--allow-http" in found.output


# --------------------------------------------------------------- the suite

CASES = csvw.cases("csvw-validation")
SITE = "http://www.w3.org"


@pytest.mark.skipif(not CASES, reason="the suite is not here")
def test_the_suite_over_loopback() -> None:
    """The folder is served as the suite's site; every request goes through a socket."""
    current: list[Fetch] = []

    def answer(path: str) -> Response:
        return current[0](SITE + path)

    with served(answer) as address:
        failed = []
        for case in CASES:
            entry = csvw.manifest(case.suite)[case.name]
            current[:] = [csvw.fetch_for(entry)]
            outcome = csvw.judge(case, _through(address))
            if not outcome.passed:
                failed.append((case.name, outcome.reason))
    assert failed == []


def _through(address: str) -> Fetch:
    """Fetches the suite's URLs from another address; there is nothing elsewhere."""

    def fetch(url: str) -> Response:
        if not url.startswith(SITE):
            return Response(url, 404)
        found = fetch_over_http(address + url.removeprefix(SITE))
        return replace(found, url=SITE + found.url.removeprefix(address))

    return fetch
