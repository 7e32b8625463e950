"""DSPL datasets: what they become, what is found in their data, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from suites.dspl import judge_mutant
from suites.dspl_mutants import DATASET, MUTANTS, Mutant, write

import sculpt
from sculpt.errors import DataError, SchemaError, UsageError
from sculpt.interchange.access import Access
from sculpt.interchange.dspl.formats import read_format
from sculpt.interchange.packages import import_bytes, import_file, schema_of_package, tie_of

SCHEMA = DATASET / "ferries.xml"
HEAD = """<dspl xmlns="http://schemas.google.com/dspl/2010"
  xmlns:time="http://www.google.com/publicdata/dataset/google/time">
<import namespace="http://www.google.com/publicdata/dataset/google/time"/>
<info><name><value>T</value></name></info>
<provider><name><value>P</value></name></provider>
"""


def problems(text: str) -> list[tuple[int, int, str]]:
    """Line, column and message of each error of a dataset."""
    with pytest.raises(SchemaError) as caught:
        import_bytes("d.xml", text.encode(), "dspl")
    return [(each.span.line, each.span.column, each.message) for each in caught.value.diagnostics]


def test_the_dataset_is_valid() -> None:
    verdicts = sculpt.validate_all(sculpt.load(SCHEMA))
    assert verdicts.valid
    names = [Path(each.path).name for each in verdicts.outcomes]
    assert names == ["coasts.csv", "ports.csv", "years.csv", "months.csv", "days.csv"]
    for each in verdicts.outcomes:
        assert isinstance(each, sculpt.Verdict)
        assert each.warnings == ()


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_each_fault_is_found(mutant: Mutant, tmp_path: Path) -> None:
    outcome = judge_mutant(mutant, tmp_path)
    assert outcome.passed, outcome.reason
    assert outcome.places


def test_there_are_24_mutants() -> None:
    assert len({mutant.name for mutant in MUTANTS}) == 24


@pytest.mark.parametrize(
    "mutant", [each for each in MUTANTS if isinstance(each.expected, tuple)], ids=lambda m: m.name
)
def test_engines_agree(mutant: Mutant, tmp_path: Path) -> None:
    schema = sculpt.load(write(mutant, tmp_path))
    found = []
    for engine in ("reference", "local"):
        outcomes = sculpt.validate_all(schema, engine=engine).outcomes
        found.append(
            [
                (each.path, violation.code, violation.row, violation.column, violation.message)
                for each in outcomes
                if isinstance(each, sculpt.Verdict)
                for violation in each.violations
            ]
        )
    assert found[0] == found[1]


def test_schemas_stream_and_have_no_lints() -> None:
    schema = schema_of_package(import_file(str(SCHEMA)), str(SCHEMA))
    for table in schema.tables:
        assert table.schema.lint == ()
        assert str(table.schema.explanation.stream_class) == "strong stream"
        assert table.schema.format() == table.schema.source.text
    assert schema.lint == ()


def test_the_text_of_a_table() -> None:
    package = import_file(str(SCHEMA))
    coasts = next(table for table in package.tables if table.name == "coasts_table")
    assert coasts.data == "coasts.csv"
    lines = [line for line in coasts.text.splitlines() if not line.startswith("% (")]
    statements = [line for line in lines if line and not line.startswith("%")]
    assert statements == [
        "Trim = none",
        'coast heading <= row(1) and "coast"',
        'name heading <= row(1) and "name"',
        "coast <= col(coast heading)",
        "name <= col(name heading)",
        'row(1) => ("coast" | "name"){2}',
        "unique(coast heading)",
        "unique(name heading)",
        "not row(1) -> Any{2}",
        "coast and Any -> Text",
        "key(coast and Text)",
    ]
    origin = coasts.origins["key:1"]
    assert origin.construct == 'concept "coast", unique ids'
    assert (origin.place.file, origin.place.line, origin.place.column) == (str(SCHEMA), 26, 5)


def test_the_tie_refers_from_columns_to_concepts() -> None:
    package = import_file(str(SCHEMA))
    assert package.tie is not None
    text = tie_of(package, lambda table: table.data).text
    assert 'include "ports_table.sculpt" as ports_table for "ports.csv"' in text
    assert "ports_table(coast and Text) ~>+ coasts_table(coast and Text)" in text
    assert "days_table(from_port and Text) ~>+ ports_table(port_code and Text)" in text
    assert [each.construct for each in package.tie.origins.values()] == [
        'concept "port", property "coast"',
        'slice "by_year", dimension "port"',
        'slice "by_month", dimension "coast"',
        'slice "by_day", dimension "port"',
        'slice "by_day", dimension "coast"',
    ]


def test_headings_may_be_in_any_order(tmp_path: Path) -> None:
    (tmp_path / "d.xml").write_text(
        HEAD + '<tables><table id="t"><column id="a" type="integer"/><column id="b" type="string"/>'
        "<data><file>t.csv</file></data></table></tables></dspl>"
    )
    (tmp_path / "t.csv").write_text("b,a\nx,1\ny,z\n")
    verdict = sculpt.validate_all(sculpt.load(tmp_path / "d.xml")).outcomes[0]
    assert isinstance(verdict, sculpt.Verdict)
    assert [(each.row, each.column) for each in verdict.violations] == [(3, 2)]


def test_what_other_datasets_say_is_noted() -> None:
    text = (
        HEAD.replace("<info>", '<import namespace="urn:geo"/><info>', 1).replace(
            "xmlns:time", 'xmlns:geo="urn:geo" xmlns:time', 1
        )
        + '<concepts><concept id="m"><info><name><value>M</value></name></info>'
        '<type ref="integer"/></concept></concepts>'
        '<slices><slice id="s"><dimension concept="geo:country"/><dimension concept="time:year"/>'
        '<metric concept="m"/><table ref="t"/></slice></slices>'
        '<tables><table id="t"><column id="country" type="string"/>'
        '<column id="year" type="date" format="xxxx"/><column id="m" type="integer"/>'
        "<data><file>t.csv</file></data></table></tables></dspl>"
    )
    package = import_bytes("d.xml", text.encode())
    messages = [note.message for note in package.all_notes]
    assert messages[0] == (
        "the values of `geo:country` are not checked: other datasets are known by name only"
    )
    assert "the format `xxxx` of `year`: the symbol `x` has no counterpart" in messages


# ------------------------------------------------------------- contradictions


def test_all_contradictions_are_reported_at_once() -> None:
    text = (
        HEAD
        + """<concepts>
<concept id="a" extends="b"><info><name><value>A</value></name></info><type ref="date"/></concept>
<concept id="b"><info><name/></info><topic ref="x"/><type ref="float"/></concept>
<concept id="b"><info><name><value>C</value></name></info></concept>
<concept id="c" extends="c"><info><name><value>C</value></name></info></concept>
<concept id="d" extends="geo:x"><info><name/></info><table ref="none"/></concept>
<concept id="e"><info><name><value>E</value></name></info><type ref="string"/>
<property id="p" isParent="true"/><property/></concept>
</concepts>
<slices>
<slice id="s"><dimension concept="a"/><dimension concept="aa"/><metric concept="a"/></slice>
<slice id="u"><dimension concept="aa"/><dimension concept="a"/><metric concept="b"/><table ref="t">
<mapMetric concept="z" toColumn="q"/></table></slice>
</slices>
<tables><table id="t"><column id="a" type="date"/><column id="a" type="string"/>
<data><file format="xls" encoding="klingon">t.csv</file></data></table></tables></dspl>"""
    )
    found = {(line, message) for line, _, message in problems(text)}
    assert found == {
        (7, "the type `date` of `a` cannot extend `float`"),
        (8, "there is no topic `x`"),
        (9, "the id `b` is used already, on line 8"),
        (9, "the concept `b` has no type"),
        (10, "the concept `c` extends itself"),
        (11, "the prefix `geo` is not declared"),
        (11, "there is no table `none`"),
        (13, "a property with `isParent` refers to a concept"),
        (13, "a property has an id or a concept"),
        (16, "there is no concept `aa`"),
        (16, "the slice `s` has `a` twice"),
        (16, "`a` is a dimension, but has no table of its values"),
        (16, "the slice `s` has no dimension that is a point in time"),
        (16, "the slice `s` has no table"),
        (17, "the slice `u` has the dimensions of `s`"),
        (17, "there is no concept `aa`"),
        (17, "`a` is a dimension, but has no table of its values"),
        (17, "the slice `u` has no dimension that is a point in time"),
        (17, "the table `t` has no column `aa` for the dimension `aa`"),
        (17, "the table `t` has no column `b` for the metric `b`"),
        (18, "the slice `u` has neither dimension nor metric `z`"),
        (20, "the id `a` is used already, on line 20"),
        (20, "the column `a` of dates has no format"),
        (21, "the format `xls` of the file is not known"),
        (21, "there is no encoding `klingon`"),
    }


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("<infos/>", (6, 1), "`dspl` has no element `infos`"),
        ('<tables><table><column id="a" type="date"/></table></tables>', (6, 9),
         "`table` lacks its attribute `id`"),
        ('<tables><table id="1"><column id="a" type="string"/></table></tables>', (6, 9),
         "`1` is not an id"),
        ('<tables><table id="t"><column id="a" type="text"/></table></tables>', (6, 23),
         "there is no type `text`"),
        ('<tables><table id="t" x="1"><column id="a" type="string"/></table></tables>', (6, 9),
         "`table` has no attribute `x`"),
        ('<tables><table id="t"/></tables>', (6, 9), "`table` has no element `column`"),
        ("<topics/>", (6, 1), "`topics` has no element `topic`"),
        ('<slices/><concepts/>', (6, 1), "`slices` has no element `slice`"),
        ('<info><name/></info>', (6, 1), "`dspl` has more than 1 element `info`"),
        ('<concepts><concept id="a"><info><name/></info><type ref="string"/>'
         '<property id="p" isParent="yes"/></concept></concepts>', (6, 67),
         "`isParent` is `yes`, not `true` or `false`"),
    ],
)  # fmt: skip
def test_the_shape_is_checked(text: str, place: tuple[int, int], message: str) -> None:
    assert (*place, message) in problems(f"{HEAD}{text}</dspl>")


def test_elements_have_an_order() -> None:
    text = HEAD.replace("<provider>", "<provider><url/>", 1) + "</dspl>"
    assert (5, 17, "`name` comes before `url` in `provider`") in problems(text)


# ------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('<!DOCTYPE d [<!ENTITY a "b"><!ENTITY c "&a;&a;&a;">]><dspl>&c;</dspl>', "foreign-access"),
        (
            '<!DOCTYPE d [<!ENTITY a SYSTEM "file:///etc/passwd">]><dspl>&a;</dspl>',
            "foreign-access",
        ),
        ("<dspl>" + "<a>" * 100_000, "foreign-limit"),
        ("<dspl><a></dspl>", "foreign-syntax"),
        ("<dspl>\0</dspl>", "foreign-syntax"),
        ("", "foreign-syntax"),
        ('<dspl xmlns="urn:other"/>', "foreign-syntax"),
    ],
    ids=["entities", "external entity", "depth", "unclosed", "nul", "empty", "namespace"],
)
def test_bad_xml_is_refused(text: str, code: str) -> None:
    with pytest.raises(SchemaError) as caught:
        import_bytes("d.xml", text.encode(), "dspl")
    assert [each.code for each in caught.value.diagnostics] == [code]


def test_a_file_that_is_absent(tmp_path: Path) -> None:
    path = write(MUTANTS[0], tmp_path)
    (tmp_path / "coasts.csv").unlink()
    outcome = sculpt.validate_all(sculpt.load(path)).outcomes[0]
    assert isinstance(outcome, sculpt.Unread)
    assert "coasts.csv" in str(outcome)


def test_data_outside_the_folder_must_be_allowed(tmp_path: Path) -> None:
    path = write(MUTANTS[0], tmp_path / "in")
    text = path.read_text().replace(">coasts.csv<", ">../coasts.csv<")
    path.write_text(text)
    (tmp_path / "in" / "coasts.csv").rename(tmp_path / "coasts.csv")
    with pytest.raises(UsageError, match="--allow-outside"):
        sculpt.load(path)
    assert sculpt.load(path, access=Access(allow_outside=True)).tables
    with pytest.raises((DataError, UsageError)):
        sculpt.load(tmp_path / "absent.xml", kind="dspl")


# ------------------------------------------------------------- formats of dates


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("yyyy", 'xs:gYear("yyyy")'),
        ("YYYY", 'xs:gYear("yyyy")'),
        ("y", 'xs:gYear("yyyy")'),
        ("yyyy-MM", 'xs:gYearMonth("yyyy-M")'),
        ("MMM yyyy", 'xs:gYearMonth("MMM yyyy")'),
        ("yyyyMM", 'xs:gYearMonth("yyyyMM")'),
        ("yyyyMMdd", 'Date("yyyyMMdd")'),
        ("dd/MM/yy", 'Date("d/M/yy")'),
        ("MMMM d, yyyy", 'Date("MMMM d, yyyy")'),
        ("yyyy-MM-dd'T'HH:mm:ss", "xs:dateTime(\"yyyy-M-d'T'HH:mm:ss\")"),
        ("HH:mm", 'xs:time("HH:mm")'),
        ("MM", 'xs:gMonth("M")'),
    ],
)
def test_formats_have_a_type(text: str, wanted: str) -> None:
    found = read_format(text).type
    assert found == wanted
    assert sculpt.Schema.parse(f"day := {found}\ncol(1) -> day").core.rules


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("xxxx-'W'ww", "the symbols `w`, `x` have no counterpart"),
        ("yyyy/yyyy", "a field is there twice"),
        ("yyyy dd", "no type has just these fields"),
        ("yyyy HH", "no type has just these fields"),
        ("", "no type has just these fields"),
    ],
)
def test_formats_without_a_type(text: str, reason: str) -> None:
    found = read_format(text)
    assert (found.type, found.reason) == (None, reason)
