"""CSV Schema as Sculpt text: what a person reads, what is noted, and that engines agree."""

from __future__ import annotations

from pathlib import Path

import pytest
from suites.csv_schema import places

import sculpt
from sculpt.interchange.csv_schema import read
from sculpt.interchange.csv_schema.java import expressions as java
from sculpt.interchange.documents import TextDocument
from sculpt.interchange.model import Package
from sculpt.interchange.packages import schema_of_package


def imported(columns: str, head: str = "version 1.2\n") -> Package:
    return read(TextDocument.parse("t.csvs", (head + columns).encode()))


def text_of(columns: str, head: str = "version 1.2\n") -> str:
    return imported(columns, head).tables[0].text


def body_of(columns: str, head: str = "version 1.2\n") -> str:
    """The text after the rules about the shape of the table."""
    return text_of(columns, head).partition("=> Any+\n")[2].strip()


GOLDEN = """\
% t.csvs, CSV Schema 1.1.

Col Delim = ;
Trim = none
Blank Rows = keep

Name <= col(1) and not row(1) and Any
Born <= col(2) and not row(1) and Any
Town <= col(3) and not row(1) and Any

% names of the columns (t.csvs:4)
row(1) => "Name", "Born", "Town"
% @totalColumns 3 (t.csvs:3)
not row(1) -> Any{3}
% no @permitEmpty (t.csvs:4)
Name => Any+

% notEmpty (t.csvs:4)
Name -> Text
% unique($Born) (t.csvs:4)
key(Name, Born)

number from 1910 := Number >= 1910
% Any text that is not blank.
filled := not /[\\x00-\\x20]*/
% range(1910,*) (t.csvs:5)
Born and filled -> number from 1910

For each row r in Town {
  require(if r[Born] is Empty then r[Town] = r[Name])
    ! warning "if($Born/empty,is($Name)) (t.csvs:6)"
}
"""


def test_a_schema_as_text() -> None:
    head = "version 1.1\n@separator ';'\n@totalColumns 3\n"
    columns = (
        "Name: notEmpty unique($Born)\nBorn: range(1910,*) @optional\n"
        "Town: if($Born/empty,is($Name)) @warning\n"
    )
    assert text_of(columns, head) == GOLDEN
    assert [str(each) for each in imported(columns, head).tables[0].origins.values()] == [
        "names of the columns (t.csvs:4)",
        "@totalColumns 3 (t.csvs:3)",
        "no @permitEmpty (t.csvs:4)",
        "notEmpty (t.csvs:4)",
        "range(1910,*) (t.csvs:5)",
        "unique($Born) (t.csvs:4)",
        "if($Born/empty,is($Name)) (t.csvs:6)",
    ]


@pytest.mark.parametrize(
    ("columns", "body"),
    [
        ('a: is("x") or is("y") or empty', 'a -> "x" | "y" | Empty'),
        ("a: (empty) (notEmpty)", "a -> Empty\na -> Text"),
        ("a: length(*)", ""),
        ('a: any("x") @ignoreCase', "a text = (?i)x\na -> a text"),
        ('a: in("xyz")', 'For each row r in a {\n  require(contains("xyz", r[a])) ! …\n}'),
        (
            'a: not("x") @matchIsFalse',
            'a value := not "x"\na value-2 := not a value\na -> a value-2',
        ),
        ("a: unique @ignoreCase", "key(a as AnyCase)"),
        ("a: unique($b) @ignoreCase\nb:", "key(a as AnyCase, b as AnyCase)"),
        ("a: empty or unique @ignoreCase", "key(a and not Empty as AnyCase)"),
        ("a: empty or unique", "key(a and not Empty)"),
        ("a: if(empty,unique)", "key(a and Empty)"),
        ('a:\nb: if($a/is("x"),unique)', 'key(b and right+(a and "x"))'),
        ('a: if($b/is("x"),unique)\nb:', 'key(a and left+(b and "x"))'),
        ("a: unique @optional", "filled := not /[\\x00-\\x20]*/\nkey(a and filled)"),
        (
            "a: identical",
            "For each row r in a {\n  require(r[a] is Text and"
            " r[a] = directly(up, a and Text, r[a]) optional(r[a]))\n    ! …\n}",
        ),
    ],
)
def test_expressions(columns: str, body: str) -> None:
    import re

    found = re.sub(r"^%.*\n", "", body_of(columns + "\n"), flags=re.MULTILINE)
    found = re.sub(r'! "[^\n]*"$', "! …", found, flags=re.MULTILINE)
    assert found == body


def test_without_a_header_and_for_empty_files() -> None:
    text = text_of("1:\n2:\n", "version 1.0\n@noHeader @permitEmpty\n")
    assert "1 <= col(1) and Any\n2 <= col(2) and Any\n" in text
    assert "row(1)" not in text
    assert "=> Any+" not in text
    assert "true -> Any{2,}" in text


def test_headings_in_any_case_and_headings_that_are_words_of_the_language() -> None:
    text = text_of('"and":\n"Number":\n"a \\ b":\n', "version 1.0\n@ignoreColumnNameCase\n")
    schema = sculpt.Schema.parse(text)
    assert not schema.lint
    assert 'row(1) => "and", "Number", "a \\\\ b"' in text_of('"and":\n"Number":\n"a \\ b":\n')


def test_names_that_mean_something_in_sculpt(tmp_path: Path) -> None:
    names = (
        *("r", "row", "if", "then", "is", "in", "or", "print x", "key", "For each y", "a/b", "a b"),
        *("", "Text", "Number", "1", "-", "as", "optional", "cell", "all", "Trim", "Col Delim"),
    )
    lines = [
        f'"{name}": in($"{names[ix - 1]}") regex("x|y") {"unique" if ix % 2 else "identical"}\n'
        for ix, name in enumerate(names)
    ]
    package = imported("".join(lines))
    assert not sculpt.Schema.parse(package.tables[0].text).lint
    data = tmp_path / "data.csv"
    data.write_text(",".join(names) + "\n" + ",".join("x" for _ in names) + "\n")
    schema = schema_of_package(package, "t.csvs")
    assert sculpt.validate(schema, data).valid
    data.write_text(",".join(names) + "\n" + ",".join("x" if n else "z" for n in names) + "\n")
    found = places(package, sculpt.validate(schema, data))
    at = names.index("") + 1
    assert sorted((row, column) for _, row, column, _ in found) == [(2, at), (2, at), (2, at + 1)]


EVERYTHING = r"""a: regex("^[A-Z]+ (x|y)?$") length(1,3) uri xDate(2020-01-01,2020-12-31) unique
b: fileExists("x") checksum(file($a),"SHA-1") @optional
c: switch((is("x"),$a/uuid4),(in($b),upperCase),any("p","q")) identical @ignoreCase
d: date($a,$b,$c) partDate($a,$b,$c) partUkDate xTime ukDate xDateTimeTz @warning
e: fileCount(file("x",$a)) starts("x") ends(concat($a,noExt($b))) not("x") @matchIsFalse
f: unique integrityCheck("excludeFolder") fileExists
"""


def test_the_text_has_no_lints_and_is_formatted() -> None:
    text = text_of(EVERYTHING)
    schema = sculpt.Schema.parse(text)
    assert [each.render() for each in schema.lint] == []
    assert schema.format() == text


def test_it_streams() -> None:
    schema = sculpt.Schema.parse(text_of(EVERYTHING))
    assert str(schema.explanation.stream_class) in ("strong stream", "weak stream")
    assert schema.explanation.passes.count == 1


@pytest.mark.parametrize(
    ("columns", "message", "line"),
    [
        ('a:\nb: regex("(a)\\1")', '`regex("(a)\\1")`: a back-reference is not regular', 3),
        ('a: regex("(?=a)b")', "look-around is not regular", 2),
        ('a: checksum(file($a),"SHA-384")', "the check sum `SHA-384`", 2),
        ('a: is(uriDecode($a,"latin-1"))', "another character set than UTF-8", 2),
        ("a: unique or $b/empty\nb:", "an `or` of `unique`", 2),
        ('a: integrityCheck("excludeFolder")', "counts files and rows", 2),
        ('a: integrityCheck($b,"excludeFolder")\nb:', "a path from a column", 2),
        ('a: empty or integrityCheck("excludeFolder")', "inside another expression", 2),
        ("a: unique @matchIsFalse", "no order of evaluation", 2),
    ],
)
def test_what_is_not_taken_over_is_noted(columns: str, message: str, line: int) -> None:
    package = imported(columns + "\n")
    (note,) = package.all_notes
    assert message in note.message
    assert note.place.line == line
    assert "% Not taken over: " in package.tables[0].text


# ------------------------------------------------------------- regular expressions of Java


@pytest.mark.parametrize(
    ("pattern", "expression"),
    [
        ("[0-9]+", r"\d+"),
        ("^a$|^b$", "a|b"),
        ("a.b", r"a[^\n\r\u0085\u2028\u2029]b"),
        ("(?s)a.b", "a.b"),
        ("(?i)aB", "(?i)aB"),
        ("a(?i)bC(?-i)d", "a[Bb][Cc]d"),
        ("(?i:a)b", "[Aa]b"),
        ("[a-z&&[^aeiou]]", "[b-df-hj-np-tv-z]"),
        ("[a[b-d]]", "[a-d]"),
        ("[^[ab]c]", "[^a-c]"),
        (r"\p{Alpha}\p{Lu}\P{IsL}\pN", r"[A-Za-z]\p{Lu}\P{L}\p{N}"),
        (r"\Qa.b\E{2}", r"a\.b{2}"),
        (r"\x41\u0042\x{1F600}\0101\t\cA", "AB\U0001f600A\\t\\u0001"),
        (r"\h\v\R", None),
        (" a | b ", r"\x20a\x20|\x20b\x20"),
        ('"x"', r"\"x\""),
        (">%", r"\>\%"),
        ("(?<year>[0-9]{4})-(?:a|b)?", r"\d{4}-(a|b)?"),
        ("[]a-]", r"[\-\]a]"),
        ("x{2}y{2,}z{2,3}?", "x{2}y{2,}z{2,3}"),
        (r"\A\s*\z", r"\s*"),
        ("", ""),
    ],
)
def test_expressions_of_java(pattern: str, expression: str | None) -> None:
    found = java.parse(pattern)
    assert expression is None or found == expression
    assert not sculpt.Schema.parse(f"t = {found}\nrow(1) -> t\n").lint


@pytest.mark.parametrize(
    ("pattern", "start", "message"),
    [
        ("[0-9", 0, "this `[` is not closed"),
        ("(a", 0, "this `(` is not closed"),
        ("a)", 1, "there is no `(` for this `)`"),
        ("*a", 0, "nothing to repeat before `*`"),
        ("a**", 2, "two quantifiers"),
        ("a{,3}", 1, "expected a count"),
        ("a{3,1}", 1, "wrong order"),
        ("[z-a]", 0, "the ends of a range are in the wrong order"),
        (r"\q", 0, r"`\q` stands for nothing"),
        (r"\p{Foo}", 0, "there is no class `Foo`"),
        ("a\\", 1, "nothing follows the backslash"),
        (r"\u12", 0, "expected the number of a character"),
        ("(?y)a", 0, "there is no flag `y`"),
    ],
)
def test_malformed_expressions(pattern: str, start: int, message: str) -> None:
    with pytest.raises(java.JavaError) as caught:
        java.parse(pattern)
    assert message in str(caught.value)
    assert caught.value.start == start
    assert not caught.value.is_valid_in_java


@pytest.mark.parametrize(
    "pattern",
    [
        *("(?=a)", "(?<!a)b", "(?>a)", "a++", r"(a)\1", r"\bword", "a^b", "a$b", "(?m)^a"),
        *("(?x)a", "a{10001}", r"\p{InGreek}", r"[\p{L}&&[^a]]", "(a{999}){999}"),
    ],
)
def test_expressions_that_are_not_regular(pattern: str) -> None:
    with pytest.raises(java.JavaError) as caught:
        java.parse(pattern)
    assert caught.value.is_valid_in_java


# ------------------------------------------------------------- verdicts


def test_files_are_looked_for_below_the_directory(tmp_path: Path) -> None:
    (tmp_path / "in" / "a b").mkdir(parents=True)
    (tmp_path / "in" / "a b" / "x.txt").write_bytes(b"Hello")
    (tmp_path / "out.txt").write_bytes(b"")
    names = (
        *("/a b/x.txt", "file:///a%20b/x.txt", "a b\\x.txt", "a b/", "a b"),
        *("../out.txt", "a%20b/y.txt", "%zz", "a b/*.txt"),
    )
    data = tmp_path / "data.csv"
    data.write_text("\n".join(("File", *names)) + "\n")
    package = imported("File: fileExists\n")
    schema = schema_of_package(package, "t.csvs")
    verdict = sculpt.validate(schema, data, files=tmp_path / "in")
    assert [each.row for each in verdict.violations] == [7, 8, 9, 10]
    assert sculpt.validate(schema, data, skip_files=True).valid


def test_an_integrity_check_finds_a_file_that_no_row_names(tmp_path: Path) -> None:
    folder = tmp_path / "batch" / "content"
    folder.mkdir(parents=True)
    for name in ("1", "2", "3"):
        (folder / name).write_bytes(b"")
    data = tmp_path / "data.csv"
    schema = schema_of_package(imported('F: integrityCheck("includeFolder")\n'), "t.csvs")
    rows = ["F", *(f"file:///batch/content/{name}" for name in ("", "1", "2", "3"))]
    data.write_text("\n".join(rows) + "\n")
    assert sculpt.validate(schema, data, files=tmp_path).valid
    data.write_text("\n".join(rows[:-1]) + "\n")
    (found,) = sculpt.validate(schema, data, files=tmp_path).violations
    assert "integrityCheck" in found.message or found.code == "require"
    data.write_text("F\nfile:///other/content/1\n")
    assert not sculpt.validate(schema, data, files=tmp_path).valid


def test_a_short_row_is_one_violation(tmp_path: Path) -> None:
    package = imported("a: is($c)\nb: notEmpty\nc: length(1)\n")
    data = tmp_path / "data.csv"
    data.write_text("a,b,c\nx\nx,y,x\n")
    for engine in ("reference", "local"):
        verdict = sculpt.validate(schema_of_package(package, "t.csvs"), data, engine)
        assert [(row, column) for _, row, column, _ in places(package, verdict)] == [(2, None)]


def test_a_violation_names_the_expression_and_its_line(tmp_path: Path) -> None:
    source = tmp_path / "people.csvs"
    source.write_text("version 1.1\nName:\nBorn: range(1910,*)\n")
    data = tmp_path / "people.csv"
    data.write_text("Name,Born\nAda,1905\n")
    schema = sculpt.load(source)
    (found,) = sculpt.validate(schema, data).violations
    assert str(schema.origins[f"rule:{found.rule}"]).startswith("range(1910,*) (")
    assert (found.row, found.column) == (2, 2)
