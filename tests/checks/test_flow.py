"""Runs over several files and tables: what is read, what is found, what is said."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

import sculpt
from sculpt.checks import validation
from sculpt.checks.model import DEFAULT_MEMORY, Request, bytes_in
from sculpt.checks.validation import checked_files
from sculpt.engines.options import Options
from sculpt.verdict import Unread, Verdict

ENGINES = ["local", "reference"]
EMPLOYEES = """
include "depts.sculpt" as Depts for "depts.csv"
row(1) -> Id, Dept
key(col(Id))
col(Dept) ~> Depts(col(Code))
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "emp.sculpt").write_text(EMPLOYEES)
    (tmp_path / "depts.sculpt").write_text("row(1) -> Code, Name\nkey(col(Code))\n")
    (tmp_path / "emp.csv").write_text("Id,Dept\n1,A\n2,B\n")
    (tmp_path / "depts.csv").write_text("Code,Name\nA,x\nB,y\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def codes(outcome: Verdict | Unread) -> list[str]:
    assert isinstance(outcome, Verdict)
    return [each.code for each in outcome.violations]


# ------------------------------------------------------------- tables


@pytest.mark.parametrize("engine", ENGINES)
def test_outcomes_are_those_of_the_files_then_those_of_tables(folder: Path, engine: str) -> None:
    run = sculpt.validate_all("emp.sculpt", ["emp.csv", "emp.csv"], engine=engine)
    assert run.valid
    assert [(each.path, each.table) for each in run.outcomes] == [
        ("emp.csv", None),
        ("emp.csv", None),
        ("depts.csv", "Depts"),
    ]


@pytest.mark.parametrize("engine", ENGINES)
def test_the_data_of_a_table_is_replaced(folder: Path, engine: str) -> None:
    more = folder / "more"
    more.mkdir()
    (more / "a.csv").write_text("Code,Name\nA,x\n")
    (more / "b.csv").write_text("Code,Name\nA,x\nC,z\n")
    for given in ("more", "more/*.csv", more):
        run = sculpt.validate_all("emp.sculpt", "emp.csv", engine=engine, tables={"Depts": given})
        assert [os.path.basename(each.path) for each in run.outcomes] == [
            "emp.csv",
            "a.csv",
            "b.csv",
        ]
        own = run.outcomes[0]
        assert codes(own) == ["reference-several", "reference-none"]
        assert isinstance(own, Verdict)
        target = own.violations[0].target
        assert target is not None
        assert (os.path.basename(target.file), target.row, target.column) == ("a.csv", 2, 1)
    one = sculpt.validate("emp.sculpt", "emp.csv", engine, tables={"Depts": "more/b.csv"})
    assert codes(one) == ["reference-none"]


def test_an_unknown_table_is_an_error_that_names_the_tables(folder: Path) -> None:
    with pytest.raises(sculpt.UsageError, match="no table `Dept`; the tables are `Depts`"):
        sculpt.validate("emp.sculpt", "emp.csv", tables={"Dept": "depts.csv"})
    with pytest.raises(sculpt.UsageError, match="the schema has no other tables"):
        sculpt.validate("depts.sculpt", "depts.csv", tables={"Depts": "depts.csv"})


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"tables": {"Depts": ["depts.csv"]}}, "the data of the table `Depts` is a text .* list"),
        ({"tables": {"Depts": None}}, "the data of the table `Depts` is a text .* not NoneType"),
        ({"tables": {"Depts": b"depts.csv"}}, "the data of the table `Depts` is a text .* bytes"),
        ({"tables": {3: "depts.csv"}}, "there is no table `3`; the tables are `Depts`"),
        ({"tables": "Depts=depts.csv"}, "tables are given by name, such as .* not as str"),
        ({"tables": ["depts.csv"]}, "tables are given by name, such as .* not as list"),
        ({"files": 3}, "the directory of files is a text or a `pathlib.Path`, not int"),
        ({"memory": None}, "`None` is not a size; write it as `64MB` or `1GB`"),
    ],
)
def test_wrong_arguments(folder: Path, given: dict[str, Any], told: str) -> None:
    with pytest.raises(sculpt.UsageError, match=told):
        sculpt.validate("emp.sculpt", "emp.csv", **given)
    with pytest.raises(sculpt.UsageError, match=told):
        sculpt.validate_all("emp.sculpt", "emp.csv", **given)


def test_paths_of_pathlib(folder: Path) -> None:
    tables = {"Depts": Path("depts.csv")}
    assert sculpt.validate("emp.sculpt", "emp.csv", tables=tables, files=folder).valid


@pytest.mark.parametrize("engine", ENGINES)
def test_an_empty_item_is_not_called_a_cell(folder: Path, engine: str) -> None:
    schema = sculpt.Schema.parse(
        'row(1) -> Kind, Tag, Tags\ntags := list(Text or Empty, ";")\n'
        "col(Kind), col(Tags) and tags ~> col(Kind), col(Tag)\n"
    )
    Path("t.csv").write_text("Kind,Tag,Tags\n,a,a;;a\n")
    found = sculpt.validate(schema, "t.csv", engine)
    assert [each.message for each in found.violations] == [
        "an empty cell, an empty item is not in `col(Kind), col(Tag)`"
    ]


def test_a_table_without_data_is_an_error_that_names_its_statement(folder: Path) -> None:
    (folder / "emp.sculpt").write_text(EMPLOYEES.replace(' for "depts.csv"', ""))
    with pytest.raises(sculpt.UsageError, match=r"`Depts` has no data: line 2 .*--table Depts="):
        sculpt.validate("emp.sculpt", "emp.csv")
    assert sculpt.validate("emp.sculpt", "emp.csv", tables={"Depts": "depts.csv"}).valid


@pytest.mark.parametrize("engine", ENGINES)
def test_a_table_that_cannot_be_read_names_its_statement(folder: Path, engine: str) -> None:
    (folder / "depts.csv").unlink()
    (folder / "emp.csv").write_text("Id,Dept\n1,A\n1,Z\n")
    run = sculpt.validate_all("emp.sculpt", "emp.csv", engine=engine)
    assert run.exit_status == 3
    assert codes(run.outcomes[0]) == ["key"]  # references to it are not judged
    unread = run.outcomes[1]
    assert isinstance(unread, Unread)
    assert unread.table == "Depts"
    assert "the table `Depts` needs it: line 2" in unread.message
    with pytest.raises(sculpt.DataError, match="`Depts` needs it: line 2"):
        sculpt.validate("emp.sculpt", "emp.csv", engine)


def test_a_file_of_several_that_cannot_be_read(folder: Path) -> None:
    run = sculpt.validate_all("emp.sculpt", ["emp.csv", "none.csv"])
    assert [type(each) for each in run.outcomes] == [Verdict, Unread, Verdict]
    assert codes(run.outcomes[0]) == []


def test_without_data(folder: Path) -> None:
    with pytest.raises(sculpt.UsageError, match="DATA is missing: line 3 is about the table"):
        sculpt.validate_all("emp.sculpt")
    with pytest.raises(sculpt.UsageError, match="DATA is missing"):
        sculpt.validate_all("depts.sculpt")
    (folder / "all.sculpt").write_text(
        'include "depts.sculpt" as A for "depts.csv"\n'
        'include "depts.sculpt" as B for "emp.csv"\n'
        "A(col(Code)) ~> B(col(1))\n"
    )
    run = sculpt.validate_all("all.sculpt")
    assert [each.table for each in run.outcomes] == ["A", "B"]
    assert codes(run.outcomes[0]) == ["reference-none"] * 2


def test_tables_of_tables_have_names_with_dots(folder: Path) -> None:
    (folder / "top.sculpt").write_text('include "emp.sculpt" as Emp for "emp.csv"\n')
    run = sculpt.validate_all("top.sculpt")
    assert [each.table for each in run.outcomes] == ["Emp", "Emp.Depts"]
    (folder / "other.csv").write_text("Code,Name\nA,x\n")
    run = sculpt.validate_all("top.sculpt", tables={"Emp.Depts": "other.csv"})
    assert codes(run.outcomes[0]) == ["reference-none"]


# ------------------------------------------------------------- files


@pytest.mark.parametrize("engine", ENGINES)
def test_more_files_than_may_be_open(
    folder: Path, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(validation, "MAX_OPEN", 3)
    (folder / "k.sculpt").write_text("key(col(1)) across files\n")
    paths = []
    for number in range(12):
        path = folder / f"{number:02}.csv"
        path.write_text(f"{number}\nx\n")
        paths.append(str(path))
    with checked_files(
        sculpt.Schema.load("k.sculpt"), paths, engine, Request(), Options()
    ) as files:
        descriptors = len(os.listdir("/dev/fd")) if os.path.isdir("/dev/fd") else 0
        assert [codes(each.outcome) for each in files] == [[], *[["key"]] * 11]
        for file in files[1:]:
            assert isinstance(file.outcome, Verdict)
            assert file.outcome.violations[0].first == sculpt.Place(paths[0], 2, 1)
            assert [each.code for found in file.founds for each in found.listed()] == ["key"]
        if descriptors:
            assert len(os.listdir("/dev/fd")) <= descriptors


@pytest.mark.parametrize("engine", ENGINES)
def test_a_file_that_changes_between_passes_is_unread(
    folder: Path, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "two.csv").write_text("Id,Dept\n1,A\n")
    real = validation._Run.judge

    def judge(run: validation._Run) -> None:
        (folder / "two.csv").write_text("Id,Dept\n1,A\n7,B\n")
        real(run)

    monkeypatch.setattr(validation._Run, "judge", judge)
    run = sculpt.validate_all("emp.sculpt", ["emp.csv", "two.csv"], engine=engine)
    assert isinstance(run.outcomes[1], Unread)
    assert "changed" in run.outcomes[1].message
    assert codes(run.outcomes[0]) == []


def test_a_schema_of_rules_only_needs_none_of_this(folder: Path) -> None:
    import subprocess

    (folder / "plain.sculpt").write_text("row(1) -> Id, Dept\n")
    script = (
        "import sys; from sculpt.cli.main import run_call;"
        "assert run_call(['validate', 'plain.sculpt', 'emp.csv']) == 0;"
        "found = [name for name in sys.modules if name.startswith('sculpt.checks')];"
        "assert not found, found"
    )
    subprocess.run([sys.executable, "-c", script], check=True, capture_output=True)


# ------------------------------------------------------------- views, memory


@pytest.mark.parametrize("engine", ENGINES)
def test_views_show_what_checks_have_found(folder: Path, engine: str) -> None:
    (folder / "emp.csv").write_text("Id,Dept\n1,A\n1,C\n")
    with sculpt.view("emp.sculpt", "emp.csv", engine=engine) as view:
        assert codes(view.verdict) == ["key", "reference-none"]
        assert [each.code for each in view.window().violations] == ["key", "reference-none"]
        assert view.find("violation") == (3, 1)
        assert view.find("violation", (3, 1)) == (3, 2)
        assert view.find("violation", (3, 2)) is None
        assert view.window(columns=1).violations == view.verdict.violations[:1]
    with sculpt.view("emp.sculpt", "emp.csv", engine=engine, rules_only=True) as view:
        assert view.verdict.valid


def test_sizes() -> None:
    assert bytes_in("256MB") == DEFAULT_MEMORY
    assert bytes_in("1GiB") == 1 << 30
    assert bytes_in("1.5 GB") == 1_500_000_000
    assert bytes_in(64_000_000) == bytes_in("64m") == bytes_in("64000000")
    for wrong in ("", "many", "-1MB", "12 parsecs", "1e9"):
        with pytest.raises(sculpt.UsageError, match="is not a size"):
            bytes_in(wrong)
    with pytest.raises(sculpt.UsageError, match="too little"):
        bytes_in("12KB")


@pytest.mark.parametrize("engine", ENGINES)
def test_only_the_first_violations_are_in_words(folder: Path, engine: str) -> None:
    (folder / "emp.csv").write_text("Id,Dept\n" + "1,C\n" * 50)
    verdict = sculpt.validate("emp.sculpt", "emp.csv", engine, max_violations=3)
    assert verdict.violation_count == 99
    assert codes(verdict) == ["reference-none", "key", "reference-none"]
