"""Tables that a schema brings in: their schemas, their data, their words, and what is wrong."""

from __future__ import annotations

import os
import pickle
from pathlib import Path

import pytest

import sculpt
from sculpt.core import ir

EMPLOYEES = """
include "depts.sculpt" as Depts for "data/depts.csv"
key(col(Id))
col(Dept) ~> Depts(Codes)
"""
DEPARTMENTS = """
code = [A-Z]+
Codes <= col(Code) and code
key(Codes)
"""


def _written(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder / next(iter(files))


def _load(folder: Path, files: dict[str, str], *settings: str) -> sculpt.Schema:
    return sculpt.Schema.load(_written(folder, files), settings)


def _problems(folder: Path, files: dict[str, str]) -> list[tuple[str, str, int]]:
    with pytest.raises(sculpt.SchemaError) as caught:
        _load(folder, files)
    return [
        (each.code, os.path.basename(each.span.source.name), each.span.line)
        for each in caught.value.diagnostics
    ]


def test_a_table_has_a_schema_and_data(tmp_path: Path) -> None:
    schema = _load(tmp_path, {"emp.sculpt": EMPLOYEES, "depts.sculpt": DEPARTMENTS})
    (table,) = schema.tables
    assert table.name == "Depts"
    assert table.data == str(tmp_path / "data" / "depts.csv")
    assert table.line == 2
    assert table.text == 'include "depts.sculpt" as Depts for "data/depts.csv"'
    assert [key.text for key in table.schema.core.keys] == ["key(Codes)"]
    assert [os.path.basename(name) for name in schema.files] == ["emp.sculpt", "depts.sculpt"]


def test_a_schema_with_tables_can_be_pickled(tmp_path: Path) -> None:
    schema = _load(tmp_path, {"emp.sculpt": EMPLOYEES, "depts.sculpt": DEPARTMENTS})
    copy = pickle.loads(pickle.dumps(schema))
    assert [table.name for table in copy.tables] == ["Depts"]


@pytest.mark.parametrize("data", ["s3://bucket/depts.csv", "file:/srv/depts.csv", "/srv/depts.csv"])
def test_a_uri_stays_as_it_is(data: str, tmp_path: Path) -> None:
    schema = _load(tmp_path, {"a.sculpt": f'include "b.sculpt" as B for "{data}"', "b.sculpt": ""})
    assert schema.tables[0].data == data


def test_data_may_be_left_out(tmp_path: Path) -> None:
    schema = _load(tmp_path, {"a.sculpt": 'include "b.sculpt" as B', "b.sculpt": ""})
    assert schema.tables[0].data is None


def test_paths_are_relative_to_the_schema_that_names_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        "a.sculpt": 'include "b/b.sculpt"\ninclude "c/c.sculpt" as C for "c.csv"',
        "b/b.sculpt": 'include "d/d.sculpt" as D for "d.csv"',
        "b/d/d.sculpt": "",
        "c/c.sculpt": 'include "e.sculpt" as E for "e/e.csv"',
        "c/e.sculpt": "",
    }
    _written(tmp_path, files)
    monkeypatch.chdir(tmp_path)
    schema = sculpt.Schema.load("a.sculpt")
    assert {table.name: table.data for table in schema.tables} == {"D": "b/d.csv", "C": "c.csv"}
    assert schema.tables[1].schema.tables[0].data == "c/e/e.csv"
    parsed = sculpt.Schema.parse((tmp_path / "a.sculpt").read_text())
    assert [table.data for table in parsed.tables] == ["b/d.csv", "c.csv"]


def test_the_parts_of_a_table_use_the_words_of_its_schema(tmp_path: Path) -> None:
    main = """
    include "depts.sculpt" as Depts
    code = [0-9]+
    col(code) ~> Depts(col(X) and code and Text)
    """.replace("    ", "")
    schema = _load(tmp_path, {"emp.sculpt": main, "depts.sculpt": DEPARTMENTS})
    tokens = schema.tables[0].schema.core.tokens
    assert tokens["code"].text == "code = [A-Z]+"
    assert tokens["X"].literal == "X"
    assert "Text" in tokens
    assert "X" not in schema.core.tokens
    assert schema.core.tokens["code"].text == "code = [0-9]+"


def test_two_tables_of_one_schema_do_not_share_words(tmp_path: Path) -> None:
    main = 'include "b.sculpt" as B\ninclude "b.sculpt" as C\ncol(1) ~> B(col(X))\n'
    schema = _load(tmp_path, {"a.sculpt": main, "b.sculpt": "y = y\n"})
    assert [list(table.schema.core.tokens) for table in schema.tables] == [["y", "X"], ["y"]]


def test_settings_are_for_the_main_table(tmp_path: Path) -> None:
    files = {"a.sculpt": 'include "b.sculpt" as B\n', "b.sculpt": "Col Delim = ;\n"}
    schema = _load(tmp_path, files, "Col Delim = |")
    assert schema.core.dialect.col_delim.text == "|"
    assert schema.tables[0].schema.core.dialect.col_delim.text == ";"


# ------------------------------------------------------------- parts


def _sides(text: str) -> tuple[ir.CorePart, ir.CorePart]:
    (reference,) = sculpt.Schema.parse(text).core.references
    (left,), (right,) = reference.left.parts, reference.right.parts
    return left, right


def test_a_part_that_is_a_list_has_items() -> None:
    head = 'codes := list(Integer, ";")\nTagged <= col(Tags) and codes\n'
    for written in ("col(A) and codes", "codes", "Tagged", "col(A) and (codes and Text)"):
        left, right = _sides(f"{head}{written} ~> col(B)")
        assert left.items is not None, written
        assert (left.items.text, left.bases) == (";", ())
        assert right.items is None
    for written in ("not codes", "codes or Text", "col(codes)"):
        assert _sides(f"{head}{written} ~> col(B)")[0].items is None, written


def test_as_compares_the_items_of_a_list_by_value() -> None:
    head = 'codes := list(Integer, ";")\nwords := list("a" or "b")\n'
    left, _ = _sides(f"{head}col(A) as codes ~> col(B) as Number")
    assert left.items is not None
    assert [base.type for base in left.bases] == ["Integer"]
    left, _ = _sides(f"{head}col(A) and codes as Number ~> col(B) as Number")
    assert left.items is not None
    assert [base.type for base in left.bases] == ["Number"]
    left, _ = _sides(f"{head}col(A) as words ~> col(B)")
    assert left.items is not None
    assert left.bases == ()


def test_the_bases_of_a_derived_token_are_those_of_its_branches() -> None:
    text = 'when := Date("dd.MM.yyyy") or xs:date or "unknown"\nkey(col(A) as when)'
    ((part,),) = (key.parts for key in sculpt.Schema.parse(text).core.keys)
    assert [(base.type, base.picture) for base in part.bases] == [
        ("Date", "dd.MM.yyyy"),
        ("xs:date", None),
    ]


def test_a_key_compares_lists_as_texts() -> None:
    text = 'codes := list(Integer, ";")\nkey(codes)'
    ((part,),) = (key.parts for key in sculpt.Schema.parse(text).core.keys)
    assert part.items is None


# ------------------------------------------------------------- mistakes


def test_errors_in_a_table_are_reported_with_those_of_the_schema(tmp_path: Path) -> None:
    files = {
        "a.sculpt": 'include "b.sculpt" as B\ncol(1) ~> B(col(X) as Y)\nnonsense\ncol(1) ~> C(x)\n',
        "b.sculpt": "y = (\nx -> y)\n",
    }
    assert _problems(tmp_path, files) == [
        ("not-a-statement", "a.sculpt", 3),
        ("unknown-table", "a.sculpt", 4),
        ("bad-regex", "b.sculpt", 1),
        ("syntax", "b.sculpt", 2),
    ]


def test_an_error_in_a_part_of_a_table_is_at_the_reference(tmp_path: Path) -> None:
    files = {
        "a.sculpt": 'include "b.sculpt" as B\ncol(1) as Integer ~> B(col(1) as Intger)\n',
        "b.sculpt": "",
    }
    assert _problems(tmp_path, files) == [("unknown-type", "a.sculpt", 2)]


@pytest.mark.parametrize(
    "files",
    [
        {"a.sculpt": 'include "a.sculpt" as A for "x.csv"\n'},
        {"a.sculpt": 'include "b.sculpt" as B\n', "b.sculpt": 'include "a.sculpt" as A\n'},
        {"a.sculpt": 'include "b.sculpt" as B\n', "b.sculpt": 'include "a.sculpt"\n'},
        {"a.sculpt": 'include "b.sculpt"\n', "b.sculpt": 'include "a.sculpt" as A\n'},
    ],
)
def test_tables_cannot_include_each_other(files: dict[str, str], tmp_path: Path) -> None:
    assert {code for code, _, _ in _problems(tmp_path, files)} == {"include-cycle"}


def test_a_failed_schema_names_the_files_of_its_tables(tmp_path: Path) -> None:
    path = _written(tmp_path, {"a.sculpt": 'include "b.sculpt" as B\n', "b.sculpt": "nonsense\n"})
    with pytest.raises(sculpt.SchemaError) as caught:
        sculpt.Schema.load(path)
    assert [os.path.basename(each) for each in caught.value.files] == ["a.sculpt", "b.sculpt"]


# ------------------------------------------------------------- lints


def _lint(folder: Path, files: dict[str, str]) -> list[str]:
    return [each.code for each in _load(folder, files).lint]


def test_a_reference_to_a_table_needs_a_key_there(tmp_path: Path) -> None:
    files = {"emp.sculpt": EMPLOYEES, "depts.sculpt": DEPARTMENTS}
    assert _lint(tmp_path, files) == []
    assert _lint(tmp_path, {**files, "depts.sculpt": "Codes <= col(1)\n"}) == ["target-without-key"]


def test_the_same_parts_of_two_tables_are_not_the_same_side(tmp_path: Path) -> None:
    main = 'include "b.sculpt" as B\nB(col(1)) ~> col(1)\nB(col(2)) ~>+ B(col(2))\nkey(col(1))\n'
    assert _lint(tmp_path, {"a.sculpt": main, "b.sculpt": ""}) == ["refers-to-itself"]


def test_words_of_a_table_are_not_looked_for_here(tmp_path: Path) -> None:
    main = 'include "b.sculpt" as B\ncode = x\ncol(code) ~>+ B(col(1) and cod)\n'
    assert _lint(tmp_path, {"a.sculpt": main, "b.sculpt": "cod = y\n"}) == []


def test_a_word_that_only_this_schema_has_is_suspicious_in_a_table(tmp_path: Path) -> None:
    main = (
        'include "b.sculpt" as B\namount = [0-9]+\nWhole <= amount\n'
        "Whole ~>+ B(amount)\n"
        "amount ~>+ B(not (col(amount) and Code))\n"
        "amount ~>+ B(down(amount) or heading or codes)\n"
    )
    files = {"a.sculpt": main, "b.sculpt": "Codes <= col(1)\ncodes = x\n"}
    lint = _load(tmp_path, files).lint
    assert [(each.code, each.span.line, each.message) for each in lint] == [
        (
            "likely-typo",
            4,
            "the schema of `B` does not declare `amount`, so it stands for its own text",
        ),
        (
            "likely-typo",
            5,
            "the schema of `B` does not declare `Code`, so it stands for its own text:"
            " did you mean `Codes`?",
        ),
    ]


# ------------------------------------------------------------- what is explained


def test_what_keys_and_references_gather_is_explained(tmp_path: Path) -> None:
    main = """
    include "depts.sculpt" as Depts
    ids := list(Integer, ";")
    key(col(Id), col(Year) as Integer) across files
    col(Ids) as ids ~>+ Depts(up*(col(1)) as Number)
    col(1) ~> col(2)
    """.replace("    ", "")
    schema = _load(tmp_path, {"emp.sculpt": main, "depts.sculpt": DEPARTMENTS})
    key, outside, inside = schema.explanation.identities
    assert (key.kind, key.line, key.spans_files) == ("key", 4, True)
    (gathered,) = key.sides
    assert gathered.gathered == "an entry for each row that has a cell of each part"
    assert gathered.compared == "`col(Id)` by text; `col(Year) as Integer` by value"
    assert (outside.kind, outside.spans_files, inside.spans_files) == ("reference", True, False)
    left, right = outside.sides
    assert left.gathered == "an entry for each item of `col(Ids) as ids` in each cell"
    assert left.compared == "`col(Ids) as ids` by value, read as `Integer`"
    assert (right.table, str(right.selectors.stream_class)) == ("Depts", "passes")
    assert schema.explanation.entries == ()


def test_a_schema_without_keys_explains_none() -> None:
    assert sculpt.Schema.parse("row(1) -> a").explanation.identities == ()
