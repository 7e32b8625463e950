"""Programs that decide: conditions, names, policies; by hand, on the reference and in strips."""

from __future__ import annotations

from pathlib import Path

import pytest

import sculpt
from programs import Facts, results
from sculpt.policy import Policy
from sculpt.transform.local import TableRun

TABLE = "name,1,x\nann,22,\nbo,n/a,x\n,3,y\n"


def both(tmp_path: Path, text: str, table: str = TABLE) -> Facts:
    """What a program makes of a table; the engines agree, however it is cut."""
    path = tmp_path / "table.csv"
    path.write_text(table, encoding="utf-8")
    schema = sculpt.Schema.parse(text)
    expected = results(TableRun(schema, str(path), Policy.FORCE, "reference"))
    for cells in (1, 4, 1000):
        found = results(TableRun(schema, str(path), Policy.FORCE, "local", strip=cells))
        assert found == expected
    return expected


def said(tmp_path: Path, value: str, loop: str = "For each cell v in col(2)") -> list[str]:
    """What a loop prints."""
    (lines,), _, _ = both(tmp_path, f'mapping M = {{ "x": "1" }}\n{loop} {{ print {value} }}\n')
    return [line["text"] for line in lines]


def codes(facts: Facts) -> list[tuple[str, int, int]]:
    return [(code, row, column) for code, _, row, column, *_ in facts[1]]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ('v = "3"', "nnny"),
        ('v != "3"', "yyyn"),
        ("v as xs:int optional >= 3", "nyny"),
        ("v as xs:int optional < 22.5", "yyny"),
        ("v as Number optional = 22.0", "nynn"),
        ("not v as xs:int optional < 3", "nyny"),
        ("v is Number and v as xs:int > 1", "nyny"),
        ("v is not Number or v as xs:int = 1", "ynyn"),
        ('v is "n/a"', "nnyn"),
        ("v is (row(2) or row(3))", "nyyn"),
        ("right(v) in M", "ynyn"),
        ("right(v) not in M", "nyny"),
        ('left(v) < "b"', "nyny"),
        ('(left(v)) + "" = "bo"', "nnyn"),
        ('(left(v) = "bo" or v = "1") and right(v) = "x"', "ynyn"),
        ("if v is Number then v as xs:int > 2 else v.row = 3", "nyyy"),
        ("if v is Number then v as xs:int > 2", "nyyy"),
        ('up(v) optional = "1"', "nynn"),
        ('not up(v) optional = "1"', "nnyy"),
        ("up(v) optional is Number", "nyyn"),
        ("up(v) optional is not Number", "nnny"),
        ('(if v.row < 3 then "a" else "b") = "a"', "yynn"),
        ("v.row > 2", "nnyy"),
        ("Count(col(2)) = 4", "yyyy"),
        ('"2010-01-01" < "2010-01-02"', "yyyy"),
    ],
)
def test_conditions(tmp_path: Path, condition: str, expected: str) -> None:
    assert "".join(said(tmp_path, f'if {condition} then "y" else "n"')) == expected


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ('v as Date >= "2010-01-01"', "nyn"),
        ('v as Date = "2/3/2011"', "nyn"),
        ("v as xs:date optional < up(v) as xs:date optional", "nnn"),
        ("v as Date > up(v) as Date optional", "nyn"),
    ],
)
def test_dates(tmp_path: Path, condition: str, expected: str) -> None:
    text = f'For each cell v in true {{ print if {condition} then "y" else "n" }}'
    (lines,), found, _ = both(tmp_path, text, "2009-12-31\n2/3/2011\nsoon\n")
    assert "".join(line["text"] for line in lines) == expected
    assert {code for code, *_ in found} <= {"bad-cast"}


def test_numbers_are_compared_by_value(tmp_path: Path) -> None:
    wide = "99999999999999999999999999999999999999"
    text = """For each row r in true {
      let a = r.cells[1] as xs:decimal(38,0)
      let b = r.cells[2] as xs:decimal
      print if a = b then "=" else if a < b then "<" else if a > b then ">"
    }"""
    (lines,), found, _ = both(tmp_path, text, f"5,5.000\n{wide},1.5\n-7,-6.999999999999999999\n")
    assert [line["text"] for line in lines] == ["=", ">", "<"]
    assert not found


def test_nothing_goes_wrong_in_a_part_that_is_not_taken(tmp_path: Path) -> None:
    text = "For each cell v in col(2) { emit R(n: if v is Number then v as xs:int) }"
    (records,), found, _ = both(tmp_path, text)
    assert [each["n"] for each in records] == [1, 22, None, 3]
    assert not found


def test_what_goes_wrong_in_a_condition_is_a_finding(tmp_path: Path) -> None:
    text = 'For each cell v in col(2) { print if v as xs:int > 2 then "y" else "n" }'
    facts = both(tmp_path, text)
    assert codes(facts) == [("bad-cast", 3, 2)]
    assert [line["text"] for line in facts[0][0]] == ["n", "y", "n", "y"]


def test_the_type_of_a_literal_is_that_of_the_other_value(tmp_path: Path) -> None:
    text = """For each cell v in col(2) {
      emit R(a: if v is Number then v as xs:decimal(6,2) else -1, b: if v = "1" then 0 else v.row)
    }"""
    (records,), found, _ = both(tmp_path, text)
    assert [str(each["a"]) for each in records] == ["1.00", "22.00", "-1.00", "3.00"]
    assert [each["b"] for each in records] == [0, 2, 3, 4]
    assert not found


# ----------------------------------------------------------------- names


def test_a_name_is_computed_once_and_only_if_it_is_needed(tmp_path: Path) -> None:
    text = """For each cell v in col(2) {
      let number = v as xs:int
      let twice = number + number
      print twice + number
      emit R(a: number, b: if v is Number then number, c: twice)
    }"""
    facts = both(tmp_path, text)
    assert codes(facts) == [("bad-cast", 3, 2)]
    text = """For each cell v in col(2) {
      let number = v as xs:int
      let other = v as Date
      emit R(b: if v is Number then number)
    }"""
    assert codes(both(tmp_path, text)) == []


def test_an_optional_use_of_a_name_does_not_hide_another(tmp_path: Path) -> None:
    text = """For each cell v in col(2) {
      let number = v as xs:int
      emit R(a: number optional, b: number optional(0), c: number)
    }"""
    facts = both(tmp_path, text)
    assert codes(facts) == [("bad-cast", 3, 2)]
    assert facts[0][0][2] == {"a": None, "b": 0, "c": None}
    assert codes(both(tmp_path, text.replace(", c: number)", ")"))) == []


def test_a_name_for_a_cell_has_its_properties(tmp_path: Path) -> None:
    text = """For each cell v in col(2) {
      let label = directly(left, Text, v) one
      print label.row + label + label.column + right{2}(label)
    }"""
    facts = both(tmp_path, text)
    assert codes(facts) == [("lookup-none", 4, 2)]
    assert [line["text"] for line in facts[0][0]] == ["1name1x", "2ann1", "3bo1x", ""]


def test_names_of_names_do_not_cost_more_than_they_say(tmp_path: Path) -> None:
    lets = "\n".join(f"let a{n} = a{n - 1} + a{n - 1}" for n in range(1, 12))
    text = (
        f'For each cell v in (1,2) {{\nlet a0 = v\n{lets}\nprint if a11 = "1" then a11 else "n" }}'
    )
    assert both(tmp_path, text)[0][0] == [{"text": "n"}]
    many = "\n".join(f"let b{n} = if b{n - 1} = b{n - 1} then b{n - 1}" for n in range(1, 30))
    text = f"For each cell v in (1,2) {{\nlet b0 = v\n{many}\nprint b29 }}"
    assert both(tmp_path, text)[0][0] == [{"text": "1"}]


# ----------------------------------------------------------------- policies


def test_what_must_be_there_is_reported_inside_optional(tmp_path: Path) -> None:
    text = "For each cell v in col(2) {{ emit R(a: {}) }}"
    for value in (
        'upper(directly(left, Nmae, v) one) optional("-")',
        '(directly(left, Nmae, v) one + "!") as Date optional',
        'right(directly(left, Nmae, v) one) optional("-")',
        "((left(v) as xs:int) one) as xs:decimal optional",
    ):
        assert both(tmp_path, text.format(value))[2] == 4
    assert both(tmp_path, text.format('upper(directly(left, Nmae, v)) optional("-")'))[2] == 0
    value = '(upper(directly(left, Nmae, v) optional) one) optional("-")'
    assert both(tmp_path, text.format(value))[2] == 0


def test_a_default_may_be_computed(tmp_path: Path) -> None:
    text = "For each cell v in col(2) { emit R(a: v as xs:int optional(right(v) as xs:int)) }"
    facts = both(tmp_path, text)
    assert [each["a"] for each in facts[0][0]] == [1, 22, None, 3]
    assert codes(facts) == [("bad-cast", 3, 3)]  # only where it is needed
    value = 'directly(left, Text, v) optional(up.left(v) + "?")'
    assert said(tmp_path, value) == ["name", "ann", "bo", "bo?"]


# ----------------------------------------------------------------- distinct records


def test_distinct_records_are_the_first_of_their_kind(tmp_path: Path) -> None:
    table = "b,1.0,x\na,2,\nb,1,x\nb,1,y\na,2,\n"
    text = """For each row r in true {
      emit distinct R(a: r.cells[1], n: r.cells[2] as xs:decimal, c: r.cells[3])
      emit distinct C(c: r.cells[3] optional)
    }
For each cell v in row(2) { emit distinct C(c: v.content) }"""
    (records, marks), found, _ = both(tmp_path, text, table)
    assert [(each["a"], int(each["n"]), each["c"]) for each in records] == [
        ("b", 1, "x"),
        ("a", 2, ""),
        ("b", 1, "y"),
    ]
    assert [each["c"] for each in marks] == ["x", "", "a", "2", "y"]
    assert not found


def test_distinct_lists_and_nulls(tmp_path: Path) -> None:
    table = "a;b,c\na,b\na;b,c\n1,2\n"
    text = """For each row r in true {
      emit distinct R(l: right*(r.cells[1]) all, n: r.cells[1] as xs:int optional)
    }"""
    (records,), _, _ = both(tmp_path, text, table)
    assert [each["l"] for each in records] == [["a;b", "c"], ["a", "b"], ["1", "2"]]
    assert [each["n"] for each in records] == [None, None, 1]


def test_a_file_with_distinct_records_is_one_task() -> None:
    text = "For each cell v in true { emit distinct R(a: v)\nprint v }"
    program = sculpt.Schema.parse(text).program
    assert program is not None
    assert program.needs_whole
    assert not program.needs_table
    assert not program.only(frozenset([1])).needs_whole


# ----------------------------------------------------------------- look-ups from look-ups


def test_a_look_up_from_a_cell_that_another_found(tmp_path: Path) -> None:
    table = "year,2023,,2024\n,q1,q2,q1\nnote,5,6,7\n,d,e,f\n"
    value = 'directly(up, year, left{2}(v)) optional("-")'
    text = f"For each cell v in row(3) and Number {{ print {value} }}"
    (lines,), _, _ = both(tmp_path, text, table)
    assert [line["text"] for line in lines] == ["-", "year", "-"]
    text = """For each cell v in row(4) and Text {
      print right(up{2}(left(up(v)))) + down(closest(up, year, v)) + "," + left(down(up(v)))
    }"""
    (lines,), found, _ = both(tmp_path, text, table)
    assert [line["text"] for line in lines] == ["2023,", ",d", "2024,e"]
    assert not found


def test_only_a_look_up_from_another_row_needs_the_table() -> None:
    def needs(value: str) -> bool:
        schema = sculpt.Schema.parse(f"For each cell v in true {{ print {value} }}")
        assert schema.program is not None
        return schema.program.needs_table

    assert not needs("directly(up, A, right(v))")
    assert not needs("directly(up, A, directly(left, B, v))")
    assert needs("right(directly(up, A, v))")
    assert needs("right(v) + right(right(closest(up, A, v)) one)")
