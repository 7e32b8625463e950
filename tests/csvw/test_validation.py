"""CSVW: metadata is found by the standard's rules, and cells are checked by the engines."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import sculpt.csvw
from sculpt.csvw import validate
from sculpt.errors import DataError, UsageError
from sculpt.interchange.access import Access, Response

BASE = "http://example.org/data/"
CONTEXT = "http://www.w3.org/ns/csvw"
CSV = b"Code,Depth\nA,12\nB,x\n"


def metadata(url: str = "t.csv", kind: str = "integer", **members: Any) -> dict[str, Any]:
    columns = [{"titles": "Code"}, {"titles": "Depth", "datatype": kind}]
    return {"@context": CONTEXT, "url": url, "tableSchema": {"columns": columns}, **members}


class Site:
    """A site in memory, which remembers what was asked of it."""

    def __init__(self, files: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> None:
        self.files = {
            url if "://" in url else BASE + url: body
            if isinstance(body, bytes)
            else json.dumps(body).encode()
            for url, body in files.items()
        }
        self.headers = dict(headers or {})
        self.asked: list[str] = []

    def __call__(self, url: str) -> Response:
        self.asked.append(url)
        if url not in self.files:
            return Response(url, 404)
        headers = self.headers if url.endswith(".csv") else {}
        return Response(url, headers=headers, body=self.files[url])


def errors(site: Site, source: str = "t.csv", given: Any = None, **options: Any) -> list[str]:
    found = validate(BASE + source, given, fetch=site, **options)
    assert found.valid is (not found.errors)
    return [
        f"{each.severity}: {each.message.partition(' (')[0]}"
        for each in (*found.errors, *found.warnings)
    ]


def test_a_schema_that_is_no_file_is_no_status(tmp_path: Path) -> None:
    path = tmp_path / "t.csv-metadata.json"
    path.write_text(json.dumps({**metadata(), "tableSchema": "absent.json"}), "utf-8")
    (found,) = validate(str(path)).errors
    assert "absent.json: no such file" in found.message


WRONG = ['error: column "Depth", datatype integer']


def test_a_table_without_metadata_is_valid() -> None:
    site = Site({"t.csv": CSV})
    assert errors(site) == []
    assert site.asked == [
        f"{BASE}t.csv",
        "http://example.org/.well-known/csvm",
        f"{BASE}t.csv-metadata.json",
        f"{BASE}csv-metadata.json",
    ]


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_a_violation_has_its_row_column_and_construct(engine: Any) -> None:
    found = validate(
        f"{BASE}m.json", fetch=Site({"t.csv": CSV, "m.json": metadata()}), engine=engine
    )
    (error,) = found.errors
    assert str(error).startswith(
        f'{BASE}t.csv, row 3, column 2: error: column "Depth", datatype integer'
        f" ({BASE}m.json, /tableSchema/columns/1/datatype)"
    )
    assert error.violation is not None
    assert error.violation.found == "x"
    assert found.verdicts is not None
    assert [each.valid for each in found.verdicts.outcomes] == [False]


@pytest.mark.parametrize("name", ["t.csv-metadata.json", "csv-metadata.json"])
def test_metadata_at_a_default_place(name: str) -> None:
    assert errors(Site({"t.csv": CSV, name: metadata()})) == WRONG


def test_metadata_of_the_file_comes_before_that_of_the_folder() -> None:
    files = {"t.csv": CSV, "t.csv-metadata.json": metadata(kind="string")}
    assert errors(Site({**files, "csv-metadata.json": metadata()})) == []


def test_metadata_that_the_header_names() -> None:
    link = '<about.json>; rel="describedBy"; type="application/csvm+json"'
    files = {"t.csv": CSV, "about.json": metadata()}
    assert errors(Site(files, {"link": link})) == WRONG
    others = '<x.json>; rel="next", <y.json>; rel="describedby"; type="text/html"'
    assert errors(Site(files, {"link": f"{others}, {link}"})) == WRONG
    assert errors(Site(files, {"link": others})) == []


def test_metadata_that_the_site_names() -> None:
    well_known = {"http://example.org/.well-known/csvm": b"{+url}.about\n\nall.json\n"}
    assert errors(Site({"t.csv": CSV, "all.json": metadata(), **well_known})) == WRONG
    assert errors(Site({"t.csv": CSV, "t.csv.about": metadata(), **well_known})) == WRONG
    assert errors(Site({"t.csv": CSV, "csv-metadata.json": metadata(), **well_known})) == []


def test_metadata_about_another_table_is_ignored_with_a_warning() -> None:
    site = Site({"t.csv": CSV, "t.csv-metadata.json": metadata("other.csv")})
    assert errors(site) == [f"warning: this metadata is not about {BASE}t.csv, so it is ignored"]
    site = Site({**site.files, "csv-metadata.json": metadata()})
    assert errors(site)[0] == WRONG[0]


def test_the_url_in_metadata_is_compared_in_its_normal_form() -> None:
    given = metadata("HTTP://EXAMPLE.org:80/data/./%74.csv")
    assert errors(Site({"t.csv": CSV, "csv-metadata.json": given})) == WRONG


def test_metadata_of_the_user_comes_first_and_needs_no_url() -> None:
    site = Site({"t.csv": CSV, "csv-metadata.json": metadata(kind="string")})
    given = metadata()
    assert errors(site, given=given) == WRONG
    del given["url"]
    assert errors(site, given=given) == WRONG


@pytest.mark.parametrize("place", ["m.json", None])
def test_metadata_of_the_user_is_about_the_table(place: str | None) -> None:
    tables = [metadata("a.csv"), metadata("b.csv")]
    for table in tables:
        del table["@context"]
    given = {"@context": CONTEXT, "tables": tables}
    site = Site({"t.csv": CSV, "a.csv": CSV, "b.csv": CSV, "m.json": given})
    asked: Any = given if place is None else BASE + place
    name = "the metadata" if place is None else f"{BASE}m.json"
    with pytest.raises(UsageError) as error:
        errors(site, given=asked)
    told = f"{name} describes {BASE}a.csv, {BASE}b.csv, not {BASE}t.csv: name a table"
    assert str(error.value).startswith(told)
    assert errors(site, "a.csv", given=asked) == WRONG * 2
    assert errors(site, given=asked, any_tables=True) == WRONG * 2


def test_metadata_of_the_user_names_a_file_by_any_path(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(CSV)
    (tmp_path / "m.json").write_text(json.dumps(metadata()))
    (tmp_path / "link").symlink_to(tmp_path)
    for source in ("t.csv", "link/t.csv"):
        found = validate(tmp_path / source, tmp_path / "m.json")
        assert [each.violation.row for each in found.errors if each.violation] == [3]


def test_a_url_of_any_scheme_may_be_fetched() -> None:
    files = {"mem:t.csv": CSV, "mem:m.json": json.dumps(metadata("mem:t.csv")).encode()}
    found = validate("mem:m.json", fetch=lambda url: Response(url, body=files[url]))
    assert [each.violation.row for each in found.errors if each.violation] == [3]
    assert [each.table for each in found.errors] == ["mem:t.csv"]


def test_headers_change_the_default_dialect() -> None:
    tabs = CSV.replace(b",", b"\t")
    kind = {"content-type": "text/tab-separated-values; charset=latin-1"}
    assert errors(Site({"t.csv": tabs, "csv-metadata.json": metadata()}, kind)) == WRONG
    absent = {"content-type": "text/csv;header=absent"}
    assert len(errors(Site({"t.csv": CSV, "csv-metadata.json": metadata()}, absent))) == 2


def test_the_language_of_the_header_row_must_fit() -> None:
    columns = [{"titles": {"de": "Code"}}, {"titles": {"de-AT": "Depth"}}]
    given = metadata(tableSchema={"columns": columns})
    site = {"t.csv": CSV, "csv-metadata.json": given}
    assert errors(Site(site)) == []
    assert errors(Site(site, {"content-language": "de"})) == []
    assert errors(Site(site, {"content-language": "fr"})) == ["error: titles of the columns"]
    assert errors(Site({**site, "csv-metadata.json": {**given, "lang": "fr"}})) != []


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        (
            {"m.json": b"{"},
            "error: the metadata cannot be read: this is not JSON: expecting property name"
            " enclosed in double quotes",
        ),
        (
            {"m.json": b"[" * 100_000},
            "error: the metadata cannot be read: the JSON is nested 100,000 levels deep; 100 are"
            " allowed",
        ),
        ({"m.json": metadata()}, f"error: the table {BASE}t.csv cannot be read"),
        (
            {},
            "error: the metadata cannot be read: http://example.org/data/m.json: there is nothing",
        ),
    ],
)
def test_what_cannot_be_read_is_an_error(files: Mapping[str, Any], problem: str) -> None:
    (found,) = errors(Site(files), given=f"{BASE}m.json")
    assert found.startswith(problem.partition(" (")[0])


def test_what_is_not_checked_exactly_is_a_warning() -> None:
    listed = {"titles": "Code", "separator": ";", "datatype": {"format": ".x"}}
    given = {**metadata(), "tableSchema": {"columns": [listed, {"titles": "Depth"}]}}
    found = validate(f"{BASE}m.json", fetch=Site({"m.json": given, "t.csv": b"Code,Depth\n"}))
    (warning,) = found.warnings
    assert warning.message == (
        'column "Code": blanks around the items of the list; they count in CSVW, but not in lists'
        " of Sculpt"
    )
    assert warning.place is not None
    assert warning.place.pointer == "/tableSchema/columns/0/datatype"


def test_blanks_in_lists_of_texts_make_a_cell_wrong() -> None:
    listed = {"titles": "Code", "separator": ";", "datatype": {"format": "[a-z]"}}
    given = {**metadata(), "tableSchema": {"columns": [listed, {"titles": "Depth"}]}}
    site = Site({"m.json": given, "t.csv": b"Code,Depth\na; b,1\na;b,1\n"})
    found = validate(f"{BASE}m.json", fetch=site)
    assert [each.violation.row for each in found.errors if each.violation] == [2]
    assert found.warnings == ()


def test_a_fetch_of_the_caller_gives_responses() -> None:
    assert sculpt.csvw.Response is Response
    with pytest.raises(UsageError, match="`fetch` gave a `NoneType`, not a"):
        validate(f"{BASE}t.csv", fetch=lambda _: None)  # type: ignore[arg-type,return-value]
    with pytest.raises(DataError, match="cannot be fetched: the cache is full"):
        validate(f"{BASE}t.csv", fetch=_full)


def _full(_: str) -> Response:
    raise RuntimeError("the cache is full")


def test_data_is_not_looked_at_if_the_metadata_has_errors() -> None:
    site = Site({"m.json": metadata(**{"@id": "_:x"})})
    found = validate(f"{BASE}m.json", fetch=site)
    assert [each.message for each in found.errors] == [
        '`@id` must not start with `_:`, as `"_:x"` does'
    ]
    assert found.verdicts is None
    assert site.asked == [f"{BASE}m.json"]


def test_a_dialect_that_contradicts_itself_is_an_error() -> None:
    dialect = {"delimiter": "\n"}
    (found,) = errors(Site({"t.csv": CSV, "csv-metadata.json": metadata(dialect=dialect)}))
    assert found.startswith("error: this cannot be checked: ")


def test_files_are_read_where_they_are(tmp_path: Path) -> None:
    (tmp_path / "my table.csv").write_bytes(CSV)
    (tmp_path / "csv-metadata.json").write_text(json.dumps(metadata("my table.csv")))
    for source in ("my table.csv", "csv-metadata.json"):
        found = validate(tmp_path / source)
        assert [each.violation.row for each in found.errors if each.violation] == [3]
        assert found.verdicts is not None
        assert found.verdicts.outcomes[0].path == str(tmp_path / "my table.csv")


def test_tables_refer_to_each_other() -> None:
    reference = {"resource": "b.csv", "columnReference": "code"}
    near = {
        "columns": [{"name": "ref", "titles": "Ref"}],
        "foreignKeys": [{"columnReference": "ref", "reference": reference}],
    }
    far = {"columns": [{"name": "code", "titles": "Code"}], "primaryKey": "code"}
    group = {
        "@context": CONTEXT,
        "tables": [{"url": "a.csv", "tableSchema": near}, {"url": "b.csv", "tableSchema": far}],
    }
    site = Site({"g.json": group, "a.csv": b"Ref\nx\ny\n", "b.csv": b"Code\nx\nx\nz\n"})
    assert errors(site, "g.json") == [
        "error: foreign key ref",
        "error: foreign key ref",
        "error: primary key code",
    ]
    site = Site({**site.files, "b.csv": b"Code\nx\ny\nz\n"})
    assert errors(site, "g.json") == []


def test_white_space_around_values_does_not_count() -> None:
    body = b'Code,Depth\n" A ","\t12 "\nB,"  "\nC, 7 \n'
    assert errors(Site({"t.csv": body, "csv-metadata.json": metadata()})) == []


def test_metadata_may_name_only_files_of_its_folder(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "t.csv").write_bytes(CSV)
    for url in ("../t.csv", (tmp_path / "t.csv").as_uri()):
        (inner / "m.json").write_text(json.dumps(metadata(url)))
        (error,) = validate(inner / "m.json").errors
        assert error.message.endswith("allow it with `--allow-outside`")
        found = validate(inner / "m.json", access=Access(allow_outside=True))
        assert [each.violation.row for each in found.errors if each.violation] == [3]


def test_metadata_may_name_no_site_unless_that_is_allowed(tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text(json.dumps(metadata(f"{BASE}t.csv")))
    (error,) = validate(tmp_path / "m.json").errors
    assert error.message.endswith("allow it with `--allow-http`")


@pytest.mark.parametrize("given", [None, metadata()])
def test_rows_have_the_same_number_of_columns(given: Any) -> None:
    site = Site({"t.csv": b"Code,Depth\nA,1\nB\nC,2,x\n"})
    found = validate(f"{BASE}t.csv", given, fetch=site)
    rows = sorted(each.violation.row or 0 for each in found.errors if each.violation)
    assert rows == ([1, 2, 3] if given is None else [3, 4])
