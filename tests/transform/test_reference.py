"""The reference implementation of programs, on tables small enough to check by hand."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path

import pytest

import sculpt
from sculpt.api import read_table
from sculpt.transform.reference.programs import ReferenceRun, run_programs
from sculpt.transform.reference.texts import text_of

TOKENS = "Area = [A-Z][a-z]+\nYear = [0-9]{4}\nN = [0-9]+\n"


class Bench:
    """Runs schemas on texts."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def run(self, schema: str, data: str | bytes, hidden: Iterable[int] = ()) -> ReferenceRun:
        self.file.write_bytes(data.encode() if isinstance(data, str) else data)
        parsed = sculpt.Schema.parse(TOKENS + schema)
        assert parsed.program is not None
        grid = read_table(parsed, self.file)
        return run_programs(parsed.program, grid, "t.csv", frozenset(hidden))

    def rows(self, schema: str, data: str | bytes, hidden: Iterable[int] = ()) -> list[object]:
        """The rows of the only stream; nothing is wrong."""
        ran = self.run(schema, data, hidden)
        assert ran.findings == ()
        (stream,) = ran.streams
        return list(stream)

    def value(self, value: str, cell: str) -> object:
        """A value of one cell `v`; nothing is wrong."""
        (row,) = self.rows(f"For each cell v in true {{ emit r(a: {value}) }}", cell)
        assert isinstance(row, tuple)
        return row[0]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path / "t.csv")


def told(run: ReferenceRun) -> list[tuple[object, ...]]:
    return [(each.code, each.line, each.row, each.column, each.found) for each in run.findings]


# ----------------------------------------------------------------- loops and places


def test_loops_go_in_table_order_and_only_where_the_region_is(bench: Bench) -> None:
    ran = bench.run(
        """\
For each cell v in N { emit cells(row: v.row, column: v.column, text: v) }
For each row r in N { emit rows(row: r.row, cells: Count(r), first: r.cells[1]) }
For each column c in N { emit columns(column: c.column, cells: Count(c), first: c.cells[1].row) }
""",
        "x,1,2\nx,x\n3,x,4\n",
    )
    assert ran.findings == ()
    assert ran.streams == (
        ((1, 2, "1"), (1, 3, "2"), (3, 1, "3"), (3, 3, "4")),
        ((1, 2, "1"), (3, 2, "3")),
        ((1, 1, 3), (2, 1, 1), (3, 2, 1)),
    )


def test_hidden_rows_are_left_out_of_loops_and_aggregates_but_not_of_look_ups(bench: Bench) -> None:
    ran = bench.run(
        """\
For each cell v in N { emit r(v: v, area: directly(up, Area, v), all: Sum(N)) }
For each row r in N { print r.row }
For each column c in N { print Sum(c) + " " + c.cells[1] }
""",
        "Genk\n10\n20\n30\n",
        hidden=(1, 2),
    )
    assert ran.findings == ()
    assert ran.streams == (
        (("20", "Genk", Decimal(50)), ("30", "Genk", Decimal(50))),
        (("3",), ("4",)),
        (("50 20",),),
    )


def test_actions_of_several_statements_share_a_target_but_no_lines(bench: Bench) -> None:
    ran = bench.run(
        """\
print "begin"
For each cell v in N { emit r(a: v); print v }
For each cell v in Area { emit r(a: v); print v.content + "!" }
""",
        "1,Ghent\n",
    )
    assert ran.streams == ((("begin",),), (("1",), ("Ghent",)), (("1",),), (("Ghent!",),))


def test_an_empty_table_runs_lone_prints_only(bench: Bench) -> None:
    ran = bench.run('print "n=" + Count(N) + Max(N)\nFor each row r in N { print r.row }', "")
    assert ran == ReferenceRun(((("n=0",),), ()), ())


def test_padded_cells_have_a_place_and_no_text(bench: Bench) -> None:
    schema = "For each cell v in true { emit r(row: v.row, column: v.column, a: v, b: v.raw) }"
    assert bench.rows(schema, "x,\ny\n") == [
        (1, 1, "x", "x"),
        (1, 2, "", ""),
        (2, 1, "y", "y"),
        (2, 2, None, None),
    ]


def test_content_is_trimmed_and_raw_is_not(bench: Bench) -> None:
    schema = "For each cell v in true { emit r(a: v, b: v.raw, c: v.file) }"
    data = b' a\xe9 ," b "\n'
    assert bench.rows(schema, data) == [("a\ufffd", " a\ufffd ", "t.csv"), (" b ", " b ", "t.csv")]


def test_annotations(bench: Bench) -> None:
    schema = """\
namespace geo = http://example.org/geo
For each cell v in col(1) {
  v.namespace = geo
  annotate v with "in column " + v.column
  annotate v with 2.50
}
For each cell v in Missing { annotate v with v }
"""
    assert bench.rows(schema, "x\ny,z\n") == [
        ("t.csv", 1, 1, "x", "http://example.org/geo", None),
        ("t.csv", 1, 1, "x", None, "in column 1"),
        ("t.csv", 1, 1, "x", None, "2.5"),
        ("t.csv", 1, 2, None, None, ""),
        ("t.csv", 2, 1, "y", "http://example.org/geo", None),
        ("t.csv", 2, 1, "y", None, "in column 1"),
        ("t.csv", 2, 1, "y", None, "2.5"),
    ]


# ----------------------------------------------------------------- look-ups

CROSSTAB = """\
,2001,,2011
Bree,1,2,3
,4,5,6
Genk,7,,
"""


def test_a_crosstab_becomes_records(bench: Bench) -> None:
    schema = """\
For each cell v in N and not Year {
  emit r(
    area: closest(up, Area, v),
    year: within(up, 1, 0, Year, v) as xs:integer,
    before: directly(left, N, v) optional("none"),
    above: up.[N and not Year](v).row optional)
}
"""
    assert bench.rows(schema, CROSSTAB) == [
        ("Bree", 2001, "none", None),
        ("Bree", 2001, "1", None),
        ("Bree", 2011, "2", None),
        ("Bree", 2001, "none", 2),
        ("Bree", 2001, "4", 2),
        ("Bree", 2011, "5", 2),
        ("Genk", 2001, "none", 3),
    ]


@pytest.mark.parametrize(
    ("look_up", "expected"),
    [
        # From the cell x in the middle of the table below.
        ("directly(up, A, v)", "c2"),
        ("directly(down, A, v)", "g4"),
        ("directly(left, A, v)", "d3"),
        ("directly(right, A, v)", "f3"),
        ("closest(up, A, v)", "d3 f3"),
        ("closest(left, A, v)", "c2 g4 j5"),
        ("closest(up, B, v)", "a1"),
        ("closest(down, B, v)", "k5"),
        ("closest(left, B, v)", "a1"),
        ("closest(right, B, v)", "k5"),
        ("within(up, 0, 0, A, v)", "c2"),
        ("within(up, 0, 1, A, v)", "f3"),
        ("within(up, 2, 1, A, v)", "d3"),
        ("within(down, 0, 0, A, v)", "g4"),
        ("within(left, 0, 0, A, v)", "d3"),
        ("within(right, 1, 2, A, v)", "c2"),
        ("within(right, 0, 2, A, v)", "g4"),
        ("within(left, 0, 0, B, v)", ""),
        ("(up|down).[A](v)", "c2 g4"),
        ("([not B].left)*.[A](v)", "d3"),
        ("up*.left*(v)", "a1 o1 p1 q2 r2 c2 s3 d3 x"),
    ],
)
def test_where_look_ups_lead(bench: Bench, look_up: str, expected: str) -> None:
    table = "a1,o1,p1,t1\nq2,r2,c2,u2\ns3,d3,x,f3\ny4,z4,g4,w4\nm5,n5,j5,k5\n"
    schema = f"""\
A = c2|d3|f3|g4|j5
B = a1|k5
For each cell v in x {{ print {look_up} all(" ") }}
"""
    assert bench.rows(schema, table) == [(expected,)]


def test_all_is_a_list_without_padding(bench: Bench) -> None:
    schema = 'For each cell v in Area { emit r(a: down+(v) all, b: right(v) all("|")) }'
    assert bench.rows(schema, "Ghent,1\nx\n,2\n") == [(["x", ""], "1")]
    assert bench.rows(schema, "Ghent\n") == [([], "")]
    assert bench.rows(schema, "x,Bree\ny\n") == [([], "")]


def test_findings_of_look_ups_are_at_the_cell_they_start_from(bench: Bench) -> None:
    schema = """\
For each row r in N {
  emit r(
    a: directly(left, Area, r.cells[2]),
    b: closest(up, Area, r.cells[1]).row)
}
"""
    ran = bench.run(schema, "1,2,Genk,Bree\n")
    assert ran.streams == (((None, None),),)
    assert told(ran) == [("lookup-none", 6, 1, 2, "2"), ("lookup-several", 7, 1, 1, "1")]
    assert [each.message for each in ran.findings] == [
        "`directly(left, Area, r.cells[2])` finds no cell from (1,2)",
        "`closest(up, Area, r.cells[1])` finds several cells from (1,1): (1,3) and (1,4)",
    ]


def test_a_look_up_from_a_padded_cell(bench: Bench) -> None:
    schema = "For each cell v in Missing { emit r(a: left(v), b: up(v)) }"
    ran = bench.run(schema, "x\nBree,2,3\n")
    assert ran.streams == ((("x", None), (None, None)),)
    assert told(ran) == [("lookup-none", 4, 1, 2, None), ("lookup-none", 4, 1, 3, None)]


def test_cells_of_a_row_are_those_of_the_region(bench: Bench) -> None:
    schema = "For each row r in N { print r.cells[2] + directly(left, N, r.cells[3]) }"
    ran = bench.run(schema, "1,x,2\n3,4,5\n")
    assert ran.streams == ((("2",), ("44",)),)
    assert told(ran) == [("no-cell", 4, 1, None, None)]
    ran = bench.run("For each column c in N { print c.cells[2] }", "1,2\nx,4\n")
    assert ran.streams == ((("",), ("4",)),)
    assert told(ran) == [("no-cell", 4, None, 1, None)]


# ----------------------------------------------------------------- texts and types


@pytest.mark.parametrize(
    ("value", "cell", "expected"),
    [
        ('"a" + 1 + 2.50 + v + v.row', "x", "a12.5x1"),
        ("3", "x", 3),
        ("-2.50", "x", Decimal("-2.5")),
        ("trim(v)", '"\t b c\n"', "b c"),
        ("upper(v)", "straße", "STRASSE"),
        ("lower(v)", "ÉCOLE", "école"),
        ('replace(v, "a", "bb")', "aXa", "bbXbb"),
        ('split(v, "; ", 2)', "a;  b ; c", "b"),
        ('split(v, "-", 1)', '""', ""),
        ("iri(v)", "a b", "a b"),
        ("v as xs:decimal", " +01.50 ", Decimal("1.5")),
        ("v as xs:decimal(5,2)", "123.45", Decimal("123.45")),
        ("v as xs:integer", "007", 7),
        ("v as xs:boolean", "1", True),
        ("v as xs:double", "1e3", 1000.0),
        ("v as xs:double", "-INF", -math.inf),
        ("v as Date", "22-JAN-98", dt.date(1998, 1, 22)),
        ("v as xs:dateTime", "2011-03-27T24:00:00", dt.datetime(2011, 3, 28)),
        ("v as xs:time", "10:20:30.5", dt.time(10, 20, 30, 500000)),
        ("v as xs:hexBinary", "00FF", b"\x00\xff"),
        ("v as xs:base64Binary", "AP8=", b"\x00\xff"),
        ("v as xs:token", '" a  b"', "a b"),
        ('(v as xs:decimal) + ""', "0100.00", "100"),
        ('(v as xs:decimal) + ""', "-0.0", "0"),
        ('(v as xs:boolean) + ""', "1", "true"),
        ('(v as Date) + ""', "1/2/2003", "2003-02-01"),
        ("(v as xs:decimal) as xs:integer", "7.0", 7),
        ("upper(v as xs:double)", "1e300", "1E+300"),
    ],
)
def test_values_of_a_cell(bench: Bench, value: str, cell: str, expected: object) -> None:
    found = bench.value(value, cell)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        (Decimal("1E+3"), "1000"),
        (Decimal("1E-18"), "0.000000000000000001"),
        (Decimal("12345678901234567890123456789012345678.0"), "1234567890" * 3 + "12345678"),
        (False, "false"),
        (0, "0"),
        (0.1, "0.1"),
        (-math.inf, "-INF"),
        (math.nan, "NaN"),
        (dt.datetime(2011, 3, 27, 10, tzinfo=dt.UTC), "2011-03-27T10:00:00Z"),
        (dt.datetime(2011, 3, 27, 10, 0, 0, 250000), "2011-03-27T10:00:00.25"),
        (dt.time(10), "10:00:00"),
        (b"\x00\xff", "AP8="),
        (["a", "", "b"], "a;;b"),
    ],
)
def test_canonical_texts(value: object, text: str) -> None:
    assert text_of(value) == text  # type: ignore[arg-type]


def test_functions_with_declarations(bench: Bench) -> None:
    schema = """\
Span = ([0-9]+)-([0-9]+)?
mapping Sex = { "m": "male", "f": "female" }
namespace ex = http://example.org/
For each row r in true {
  emit r(
    low: capture(r.cells[1], Span, 1) as xs:integer,
    high: capture(r.cells[1], Span, 2),
    sex: map(r.cells[2], Sex),
    id: iri(ex, r.cells[3]))
}
"""
    assert bench.rows(schema, "1-9,m,a b\n10-,f,Ünit\n") == [
        (1, "9", "male", "http://example.org/a%20b"),
        (10, "", "female", "http://example.org/Ünit"),
    ]


def test_what_is_missing_stays_missing(bench: Bench) -> None:
    schema = """\
mapping M = { "a": "b" }
For each cell v in Missing {
  emit r(a: v as xs:decimal, b: upper(v), c: split(v, ";", 9), d: map(v, M), e: iri(v),
    f: "<" + v + ">", g: v optional("?"), h: (v as xs:date) optional("2000-01-01"))
}
"""
    millennium = dt.date(2000, 1, 1)
    row = (None, None, None, None, None, "<>", "?", millennium)
    assert bench.rows(schema, "x\ny,z\n") == [row]


# ----------------------------------------------------------------- findings


@pytest.mark.parametrize(
    ("value", "code", "message"),
    [
        ("v as xs:decimal", "bad-cast", "`abc` is not a valid `xs:decimal`"),
        ("v as Date", "bad-cast", "`abc` is not a valid `Date`"),
        ('split(v, ";", 2)', "no-part", "`abc` has no part 2 when split at `;`"),
        ("capture(v, Pair, 1)", "no-match", "`abc` does not match `Pair`"),
        ("map(v, M)", "unmapped", "`abc` is not in the mapping `M`"),
    ],
)
def test_findings_of_values(bench: Bench, value: str, code: str, message: str) -> None:
    schema = f"""\
Pair = (a)-(b)
mapping M = {{ "ab": "c" }}
For each cell v in abc {{ emit r(a: {value}, b: {value} optional) }}
For each row r in abc {{ print {value.replace("v", "r.cells[1]", 1)} }}
"""
    ran = bench.run(schema, "x\nx,abc\n")
    assert ran.streams == (((None, None),), (("",),))
    assert told(ran) == [(code, 7, 2, 2, "abc"), (code, 6, 2, 2, "abc")]
    assert {each.message for each in ran.findings} == {message}


@pytest.mark.parametrize(
    ("value", "cell", "message"),
    [
        ("v as xs:decimal(4,2)", "1.234", "`1.234` has more than 2 decimals"),
        ("v as xs:decimal(4,2)", "100", "`100` has more than 2 digits before the point"),
        ("v as xs:date", "31/04/2011", "`31/04/2011` is not a valid `xs:date`"),
        ("(v as xs:integer) as xs:byte", "0999", "`999` is not a valid `xs:byte`"),
    ],
)
def test_casts_do_not_guess(bench: Bench, value: str, cell: str, message: str) -> None:
    ran = bench.run(f"For each cell v in true {{ emit r(a: {value}) }}", cell)
    assert ran.streams == (((None,),),)
    assert [(each.code, each.message) for each in ran.findings] == [("bad-cast", message)]


def test_optional_keeps_good_values_and_hides_findings(bench: Bench) -> None:
    schema = """\
For each cell v in true {
  emit r(a: v as xs:integer optional(-1), b: directly(left, true, v).column optional)
}
For each row r in true { emit s(a: Sum(r) optional(0), b: r.cells[2] optional("none")) }
print Max(true) optional(9)
"""
    assert bench.run(schema, "5\nx\n") == ReferenceRun(
        (
            ((5, None), (-1, None)),
            ((Decimal(5), "none"), (Decimal(0), "none")),
            (("9",),),
        ),
        (),
    )


def test_findings_come_row_by_row_then_at_the_end(bench: Bench) -> None:
    schema = """\
print "x" as xs:integer
For each cell v in true {
  emit r(a: v as xs:date, b: directly(up, N, v), n: Min(Area))
  print v as xs:boolean
}
For each column c in true { print Max(N) + Max(c) }
"""
    ran = bench.run(schema, "2\nBree\n")
    assert told(ran) == [
        ("bad-cast", 6, 1, 1, "2"),
        ("lookup-none", 6, 1, 1, "2"),
        ("bad-cast", 7, 1, 1, "2"),
        ("bad-cast", 6, 2, 1, "Bree"),
        ("bad-cast", 7, 2, 1, "Bree"),
        ("not-a-number", 6, 2, 1, "Bree"),  # of the region of `Min`, once
        ("bad-cast", 4, None, None, "x"),
        ("not-a-number", 9, 2, 1, "Bree"),
    ]
    assert ran.streams[1] == ((None, None, None), (None, "2", None))
    assert ran.streams[3] == (("2",),)


# ----------------------------------------------------------------- aggregates


def test_the_average_of_the_paper(bench: Bench) -> None:
    schema = """\
Temperature = (-)?[0-9]{2}"."[0-9]{2}
Useful-values <= Temperature and not "-99.00"
For each column c in Useful-values { print Average(c) }
"""
    temperatures = ["27.83", "25.72", "26.44", "25.72", "24.61", "24.33", "24.89"]
    data = ",ARUA,ENTEBBE AIR\n" + "".join(f"1935.04,-99.00,{t}\n" for t in temperatures)
    assert bench.rows(schema, data) == [("25.65",)]


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        # Count, Sum, Average, Min, Max, Median
        ("1,2,4", ("3", "7", "2", "1", "4", "2")),
        ("1,2", ("2", "3", "2", "1", "2", "2")),
        ("-1,-2", ("2", "-3", "-2", "-2", "-1", "-2")),
        ("0.1,0.2", ("2", "0.3", "0.2", "0.1", "0.2", "0.2")),
        ("0.10,0.2,,", ("4", "0.3", "0.15", "0.1", "0.2", "0.15")),
        ("1e-3,1", ("2", "1.001", "0.501", "0.001", "1", "0.501")),
        ("1E2,.5,5.", ("3", "105.5", "35.2", "0.5", "100", "5")),
        ("10,-0,0.0", ("3", "10", "3.3", "0", "10", "0")),
        ('""', ("1", "0", "", "", "", "")),
    ],
)
def test_aggregates(bench: Bench, numbers: str, expected: tuple[str, ...]) -> None:
    functions = ("Count", "Sum", "Average", "Min", "Max", "Median")
    values = ' + "|" + '.join(f"{function}(r)" for function in functions)
    schema = f"For each row r in row(1) {{ print {values} }}"
    wider = f"{numbers}\n1,1,1,1\n"  # so that a short row is padded
    assert bench.rows(schema, wider) == [("|".join(expected),)]
    of_regions = values.replace("(r)", "(row(1))")
    assert bench.rows(f"print {of_regions}", wider) == [("|".join(expected),)]


def test_texts_among_numbers(bench: Bench) -> None:
    schema = """\
For each row r in true {
  emit r(sum: Sum(r), max: Max(r), count: Count(r))
}
"""
    ran = bench.run(schema, "1,x,1e1001\n2,NaN\n3,0x1\n4,5\n")
    assert ran.streams == (
        ((None, None, 3), (None, None, 2), (None, None, 2), (Decimal(9), Decimal(5), 2)),
    )
    assert told(ran) == [
        ("not-a-number", 5, 1, 2, "x"),
        ("not-a-number", 5, 1, 3, "1e1001"),
        ("not-a-number", 5, 1, 2, "x"),
        ("not-a-number", 5, 1, 3, "1e1001"),
        ("not-a-number", 5, 2, 2, "NaN"),
        ("not-a-number", 5, 2, 2, "NaN"),
        ("not-a-number", 5, 3, 2, "0x1"),
        ("not-a-number", 5, 3, 2, "0x1"),
    ]
    assert ran.findings[0].message == "`x` is not a number"


def test_aggregates_of_regions_report_once_even_if_no_loop_runs(bench: Bench) -> None:
    schema = """\
For each cell v in N { print Sum(true) + Count(true) }
For each cell v in Year { print Max(Area) }
"""
    ran = bench.run(schema, "1,2,Bree\n")
    assert ran.streams == ((("3",), ("3",)), ())
    assert told(ran) == [("not-a-number", 4, 1, 3, "Bree"), ("not-a-number", 5, 1, 3, "Bree")]


def test_aggregates_that_fit_no_column(bench: Bench) -> None:
    schema = """\
For each row r in true { emit r(a: Sum(r), b: Max(r) optional(1)) }
print Sum(true)
"""
    big = "9" * 20
    ran = bench.run(schema, f"{big},1\n1e-19,0\n{big},-1\n")
    assert ran.streams == (
        ((None, Decimal(big)), (None, Decimal(1)), (Decimal(big) - 1, Decimal(big))),
        (("",),),
    )
    assert told(ran) == [
        ("bad-cast", 4, 1, None, "1" + "0" * 20),
        ("bad-cast", 4, 2, None, "0.0000000000000000001"),
        ("bad-cast", 5, None, None, "1" + "9" * 19 + "8.0000000000000000001"),
    ]
    assert ran.findings[1].message == "`0.0000000000000000001` has more than 18 decimals"
