"""SARIF: read back by a library made for it; places, fingerprints, limits, notifications."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pysarif import Result, Run, load_from_dict, save_to_dict

import sculpt
from reported import HOSTILE, SCHEMA, quoted_csv, reported
from sculpt.report.formats import sarif
from sculpt.report.formats.checks import Report, taken_in_turn
from sculpt.report.formats.places import uri_of
from sculpt.report.formats.sarif import HASH, diagnostics_sarif, sarif_lines
from sculpt.verdict import Verdict


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def read(report: Report) -> Run:
    return read_text("\n".join(sarif_lines(report)))


def read_text(text: str) -> Run:
    document = json.loads(text)
    assert document.pop("$schema").endswith("/sarif-2.1.0.json")
    log = load_from_dict(copy.deepcopy(document))
    check_kept(document, save_to_dict(log))
    assert (log.version, len(log.runs)) == ("2.1.0", 1)
    run = log.runs[0]
    rules = run.tool.driver.rules
    assert len({rule.id for rule in rules}) == len(rules)
    for result in results(run):
        assert rules[result.rule_index].id == result.rule_id
        for location in (*result.locations, *(result.related_locations or ())):
            where = location.physical_location.artifact_location
            assert run.artifacts[where.index].location.uri == where.uri
    return run


def check_kept(ours: Any, theirs: Any) -> None:
    """Every key that we write is one that the library knows."""
    match ours:
        case dict():
            for key, value in ours.items():
                if value is not None and key != "properties":
                    assert key in theirs
                    check_kept(value, theirs[key])
        case list():
            for one, other in zip(ours, theirs, strict=True):
                check_kept(one, other)
        case _:
            assert ours == theirs


def results(run: Run) -> list[Result]:
    return list(run.results)


def texts_at(run: Run, path: str) -> list[str]:
    """What each result of a file points at, by its line and columns."""
    lines = Path(path).read_bytes().decode("utf-8-sig").split("\n")
    found = []
    for result in results(run):
        (location,) = result.locations
        place = location.physical_location
        if place.artifact_location.uri != path or place.region.start_column is None:
            continue
        assert place.region.end_line == place.region.start_line
        line = lines[place.region.start_line - 1]
        found.append(line[place.region.start_column - 1 : place.region.end_column - 1])
    return found


def test_rules_have_their_documentation() -> None:
    run = read(reported({"a.csv": b"name,age\nAda,36\n"}))
    rules = run.tool.driver.rules
    assert [rule.id.partition("/")[0] for rule in rules] == [
        *["row-content"] * 4,
        "unique",
        "undecodable",
        "unclosed-quote",
        "text-after-quote",
        "nul-byte",
        "vacuous-rule",
    ]
    first, second = rules[:2]
    assert first.short_description.text == "The first row names the columns"
    assert "Ages are numbers" in second.help.text
    assert "col(age) -> Integer\n(rule 2, line 4 of s.sculpt)" in second.help.text


def test_places_are_those_of_the_file() -> None:
    data = b"\xef\xbb\xbfname,age\n# comment\nAda, x7 \n\n\xc3\xa9t\xc3\xa9,\xe6\x97\xa5\n"
    schema = f"Comment = #\nBlank Rows = skip\n{SCHEMA}"
    run = read(reported({"a.csv": data}, schema))
    assert texts_at(run, "a.csv") == ["x7", "日"]
    region = results(run)[-1].locations[0].physical_location.region
    assert (region.start_line, region.start_column, region.byte_offset) == (
        5,
        5,
        data.rindex(b"\xe6"),
    )


def test_a_cell_after_a_line_break_in_quotes() -> None:
    data = b'name,age\n"two\nlines",x7\n'
    assert texts_at(read(reported({"a.csv": data})), "a.csv") == ["x7"]


def test_a_column_that_is_not_exact_is_left_out() -> None:
    long = b"name,age\n" + b"x" * 20_000 + b",wrong\n"
    rows = b"name,age|Ada,x|"
    for data, schema in ((long, SCHEMA), (rows, f"Row Delim = |\n{SCHEMA}")):
        run = read(reported({"a.csv": data}, schema))
        region = results(run)[-1].locations[0].physical_location.region
        assert region.start_column is None
        assert region.byte_offset == data.index(b"wrong" if data is long else b"x")


def fingerprints(run: Run) -> list[str]:
    found = [result.partial_fingerprints for result in results(run)]
    assert all(each[HASH] == each["sculpt/v1"] for each in found)
    return [each[HASH] for each in found]


def test_fingerprints_survive_rows_and_statements_that_come_and_go() -> None:
    rows = [b"Ada,x\n", b"Bob,y\n", b"Eve,x\n", b"Joe,\n"]
    before = read(reported({"a.csv": b"name,age\n" + b"".join(rows)}))
    names = [
        (result.rule_id, name)
        for result, name in zip(results(before), fingerprints(before), strict=True)
    ]
    assert len(set(names)) == len(names) == 5
    more = [b"Ann,1\n", rows[0], b"Zoe,2\n", *rows[1:], b"Sue,3\n"]
    schema = f"row(2) -> Any*\n{SCHEMA}"
    after = read(reported({"a.csv": b"name,age\n" + b"".join(more)}, schema))
    again = [
        (result.rule_id, name)
        for result, name in zip(results(after), fingerprints(after), strict=True)
    ]
    assert again == names


def test_a_further_violation_has_a_further_fingerprint() -> None:
    before = read(reported({"a.csv": b"name,age\nAda,x\nEve,x\n"}))
    after = read(reported({"a.csv": b"name,age\nAda,x\nZoe,x\nEve,x\n"}))
    assert set(fingerprints(before)) < set(fingerprints(after))
    assert len(set(fingerprints(after))) == len(set(fingerprints(before))) + 1


def test_results_are_limited_and_from_all_files_and_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sarif, "MAX_RESULTS", 200)  # 5,000 take a library half a minute to read
    many = b"name,age\n" + b"Ada,x\n" * 400 + b"\xff,1\n"
    report = reported(
        {"a.csv": many, "b.csv": many[:-4], "c.csv": b"name,age\nAda,x\n"}, limit=1000
    )
    run = read(report)
    found = results(run)
    assert len(found) == 200
    by_file: dict[str, int] = {}
    for result in found:
        uri = result.locations[0].physical_location.artifact_location.uri
        by_file[uri] = by_file.get(uri, 0) + 1
    assert by_file["c.csv"] == 1
    assert abs(by_file["a.csv"] - by_file["b.csv"]) <= 2
    assert "undecodable" in {result.rule_id for result in found}
    (notice,) = run.invocations[0].tool_execution_notifications
    counted = sum(v.violation_count for v in report.run.outcomes if isinstance(v, Verdict))
    assert f"{counted + 1:,} results were counted and 200 are listed" in notice.message.text


def test_what_max_violations_leaves_out_is_told() -> None:
    run = read(reported({"a.csv": b"name,age\n" + b"Ada,x\n" * 50}, limit=10))
    (notice,) = run.invocations[0].tool_execution_notifications
    assert notice.message.text.startswith("51 results were counted and 11 are listed here")


def test_files_that_cannot_be_read_are_notifications() -> None:
    run = read(reported({"no.csv": None, "a.csv": b"name,age\n"}))
    (invocation,) = run.invocations
    (notice,) = invocation.tool_execution_notifications
    assert (invocation.exit_code, invocation.execution_successful) == (3, False)
    assert notice.level == "error"
    assert notice.message.text == "no.csv: cannot be read: no such file or directory"


def test_the_exit_status_is_that_of_the_run() -> None:
    good = b"name,age\nAda,36\n"
    for data, strict, status in ((good, False, 0), (good, True, 1), (b"x\n", False, 1)):
        (invocation,) = read(reported({"a.csv": data}, strict=strict)).invocations
        assert (invocation.exit_code, invocation.execution_successful) == (status, True)


def test_a_warning_is_one_result_for_all_files() -> None:
    run = read(reported({"a.csv": b"name,age\nAda,36\n", "b.csv": b"name,age\n"}, strict=True))
    vacuous = [
        each
        for each in results(run)
        if each.rule_id == "vacuous-rule" and "col(99)" in each.message.text
    ]
    (result,) = vacuous
    place = result.locations[0].physical_location
    assert (place.artifact_location.uri, place.region.start_line) == ("s.sculpt", 7)
    assert len(result.related_locations) == 2
    assert result.level == "error"


def test_hostile_texts_are_read_back() -> None:
    report = reported({"a.csv": quoted_csv(HOSTILE)})
    assert len(results(read(report))) > len(HOSTILE)
    document = json.loads("\n".join(sarif_lines(report)))
    found = {each.get("properties", {}).get("found") for each in document["runs"][0]["results"]}
    assert set(HOSTILE) <= found


def test_diagnostics_are_results_in_the_schema() -> None:
    Path("bad.sculpt").write_text(
        "% é\nrow(1) -> a\n  xx\nrow(1 -> é\nnonsense\n", encoding="utf-8"
    )
    with pytest.raises(sculpt.SchemaError) as error:
        sculpt.Schema.load("bad.sculpt")
    run = read_text("\n".join(diagnostics_sarif(error.value.diagnostics, 2)))
    assert [result.rule_id for result in results(run)] == [d.code for d in error.value.diagnostics]
    assert run.invocations[0].exit_code == 2
    text = Path("bad.sculpt").read_text(encoding="utf-8")
    for result, diagnostic in zip(results(run), error.value.diagnostics, strict=True):
        region = result.locations[0].physical_location.region
        span = diagnostic.span
        assert region.char_offset == span.start
        assert text.split("\n")[region.start_line - 1][region.start_column - 1 :].startswith(
            text[span.start : span.end].split("\n")[0]
        )


# ------------------------------------------------------------- parts


names = st.text(
    st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1
).filter(lambda name: name not in (".", "..", "-", "<schema>"))


@given(st.lists(names, min_size=1, max_size=3).map("/".join))
def test_a_uri_leads_back_to_its_file(path: str) -> None:
    uri = uri_of(path)
    parts = urlsplit(uri)
    assert uri.isascii()
    if "://" in path and not parts.path.startswith("file"):
        return  # the URI of a store
    assert not parts.scheme
    assert not parts.query
    assert not parts.fragment
    assert Path(unquote(uri)) == Path(path)


def test_uris_of_other_places() -> None:
    inside = Path("a b.csv").absolute()
    assert uri_of(str(inside)) == "a%20b.csv"
    assert uri_of("/somewhere/a#b.csv") == "file:///somewhere/a%23b.csv"
    assert uri_of("-") == "stdin"
    assert uri_of("s3://bucket/a b.csv") == "s3://bucket/a%20b.csv"


@given(st.lists(st.lists(st.integers(), max_size=5), max_size=5), st.integers(0, 12))
def test_items_are_taken_in_turn(groups: list[list[int]], limit: int) -> None:
    taken = taken_in_turn(
        [[(ix, n, x) for n, x in enumerate(g)] for ix, g in enumerate(groups)], limit
    )
    assert len(taken) == min(limit, sum(map(len, groups)))
    assert len(set(taken)) == len(taken)
    assert [n for _, n, _ in taken] == sorted(n for _, n, _ in taken)
