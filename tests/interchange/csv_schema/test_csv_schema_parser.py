"""Reading CSV Schema: what is accepted, and the messages about what is not."""

from __future__ import annotations

import pytest

from sculpt.errors import SchemaError
from sculpt.interchange.csv_schema import model, recognises
from sculpt.interchange.csv_schema.parsing.parser import parse
from sculpt.interchange.documents import TextDocument


def document(text: str | bytes) -> TextDocument:
    body = text if isinstance(text, bytes) else text.encode()
    return TextDocument.parse("t.csvs", body)


def errors(text: str | bytes) -> list[tuple[str, int, int, str, str | None]]:
    """Code, line, column, message and hint of each error."""
    with pytest.raises(SchemaError) as caught:
        parse(document(text))
    found = []
    for each in caught.value.diagnostics:
        line, column = each.span.source.position(each.span.start)
        found.append((each.code, line, column, each.message, each.hint))
    return found


def rule(text: str, version: str = "1.2") -> model.Expression:
    """The only expression of a column."""
    source = f'version {version}\na: {text}\n"b c":\n'
    (found,) = parse(document(source)).columns[0].rules
    return found


# ------------------------------------------------------------- what is accepted


def test_a_schema_with_everything_in_its_prolog() -> None:
    text = (
        "\ufeff// a comment first\nversion 1.2 // and here\r\n\n"
        "@separator ';' @quoted\n@totalColumns 2\n@permitEmpty @ignoreColumnNameCase\n"
        "/* about\nthe columns */ name: notEmpty @optional @warning // done\n"
        '\n"a b": /* nothing */\n'
    )
    schema = parse(document(text))
    assert (schema.version, schema.separator, schema.total_columns) == ("1.2", ";", 2)
    assert schema.is_quoted
    assert schema.permits_empty
    assert schema.ignores_header_case
    assert [each.name for each in schema.columns] == ["name", "a b"]
    assert schema.columns[0].is_optional
    assert schema.columns[0].severity == "warning"


@pytest.mark.parametrize(
    ("written", "separator"),
    [("TAB", "\t"), (r"'\t'", "\t"), ("'\t'", "\t"), ("'|'", "|"), ("'\\'", "\\")],
)
def test_separators(written: str, separator: str) -> None:
    assert parse(document(f"version 1.0\n@separator {written}\na:\n")).separator == separator


def test_and_and_or_bind_equally_and_to_the_right() -> None:
    found = rule("empty or notEmpty and uri or uuid4")
    assert isinstance(found, model.Either)
    assert len(found.parts) == 2
    inner = found.parts[1]
    assert isinstance(inner, model.Both)
    assert isinstance(inner.parts[1], model.Either)
    assert isinstance(rule("empty or uri or uuid4"), model.Either)


def test_a_group_after_a_check_is_not_its_arguments() -> None:
    schema = parse(document('version 1.2\na: unique (empty) xDate ($a/is("x")) fileExists (uri)\n'))
    kinds = [type(each).__name__ for each in schema.columns[0].rules]
    assert kinds == ["Single", "Group", "Single", "Group", "Single", "Group"]


def test_a_regex_may_have_quotes_and_ends_at_the_first_quote_and_parenthesis() -> None:
    found = rule('regex ("["0-9]+")')
    assert isinstance(found, model.Single)
    assert isinstance(found.check, model.Regex)
    assert found.check.pattern == '["0-9]+'


def test_a_long_list_of_alternatives_is_not_deep() -> None:
    values = " or ".join(f'is("{n}")' for n in range(5000))
    found = rule(values)
    assert isinstance(found, model.Either)
    assert len(found.parts) == 5000


@pytest.mark.parametrize(
    "text",
    [
        'switch((is("x"),empty),(uri,notEmpty),uuid4)',
        'switch((is("x"),empty)(uri,notEmpty))',
        'if((empty or uri),(notEmpty),$"b c"/empty uri)',
        'any("x",$a,concat($a,"-",noExt($"b c")),uriDecode($a,"UTF-8"))',
        'checksum(file("x",$a),"SHA-256") fileCount(file($a)) fileExists($a)',
        'integrityCheck("a","","includeFolder") integrityCheck("excludeFolder")',
        'date($a,"1",$a,2014-10-04,2015-12-03) partDate($a,$a,"*")',
        "xDateTime(2014-10-04T00:00:01Z,2015-12-03T23:59:59) xTime(00:00:01+02:00,23:00:00.123)",
        'range(*,-1.5) length(0) unique($a,$"b c") ukDate(1/2/2012,01/03/2012)',
    ],
)
def test_expressions(text: str) -> None:
    schema = parse(document(f'version 1.2\na: {text}\n"b c":\n'))
    assert schema.columns[0].rules


# ------------------------------------------------------------- what is refused


def test_all_errors_of_a_file_are_reported_with_their_places() -> None:
    text = (
        "version 1.1\n@totalColums 3\n@noHeader @noHeader\n"
        "Name: notEmty\nAge: range(100,1) rage(1,2)\nName:\n"
        'Town: in("x"\nCode: regex("[0-9")\nFile: checksum(file($Nme),"MD6")\n'
    )
    assert errors(text) == [
        (
            "foreign-syntax",
            2,
            1,
            "there is no directive `@totalColums` before the columns",
            "did you mean `@totalColumns`?",
        ),
        ("foreign-meaning", 3, 11, "`@noHeader` is given twice", "keep one of them"),
        (
            "foreign-syntax",
            4,
            7,
            "there is no expression `notEmty`",
            "did you mean `notEmpty`?",
        ),
        (
            "foreign-meaning",
            5,
            12,
            "the lower bound, 100, is above the upper one, 1",
            "the smaller number comes first",
        ),
        ("foreign-syntax", 5, 19, "there is no expression `rage`", "did you mean `range`?"),
        (
            "foreign-syntax",
            7,
            13,
            "expected `)` after the text of `in`, found the end of the line",
            "add `)`",
        ),
        (
            "foreign-meaning",
            8,
            14,
            "this `[` is not closed",
            "add `]`, or write `\\[`",
        ),
        (
            "foreign-meaning",
            9,
            27,
            "there is no check sum `MD6`",
            "check sums include `MD5`, `SHA-1`, `SHA-256` and `SHA-512`",
        ),
    ]


def test_columns_that_are_not_there_or_there_twice() -> None:
    text = "version 1.0\n@totalColumns 3\nName: is($Nmae)\nAge: $Other/empty\nName:\nX:\n"
    assert errors(text) == [
        (
            "foreign-meaning",
            2,
            1,
            "`@totalColumns 3`, but 4 columns are defined",
            "write `@totalColumns 4`",
        ),
        ("foreign-meaning", 3, 10, "there is no column `Nmae`", "did you mean `$Name`?"),
        (
            "foreign-meaning",
            4,
            6,
            "there is no column `Other`",
            "every column has a line `name:`",
        ),
        (
            "foreign-meaning",
            5,
            1,
            "the column `Name` is defined already, in line 3",
            "names must differ",
        ),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a:\n", "expected the version, found `a`"),
        ("", "expected the version, found the end of the file"),
        ("version 1\na:\n", "there is no version `1` of CSV Schema"),
        ("version 1.3\na:\n", "there is no version `1.3` of CSV Schema"),
        ("version 1.0 x\na:\n", "expected the end of the line after the version, found `x`"),
        ("version 1.0\n", "the schema has no columns"),
        ("version 1.0\n@noHeader\n@ignoreColumnNameCase\na:\n", "exclude each other"),
        ("version 1.0\n@separator ;\na:\n", "expected a character, found `;`"),
        ("version 1.0\n@totalColumns 0\na:\n", "expected a number of columns, found `0`"),
        ("version 1.0\na\n", "expected `:` after the name of a column"),
        ("version 1.0\na b:\n", "expected `:` after the name of a column, found `b`"),
        ("version 1.0\na: @optional notEmpty\n", "expected the end of the line"),
        ("version 1.0\na: @optionl\n", "there is no directive `@optionl` of a column"),
        ("version 1.0\na: @optional @optional\n", "`@optional` is given twice"),
        ("version 1.0\na:\n@noHeader\n", "directives come before the columns"),
        ('version 1.0\na: is("x)\n', "this quoted text never closes"),
        ("version 1.0\na: is(x)\n", "expected a text, found `x`"),
        ("version 1.0\na: (empty\n", "this `(` is not closed: found the end of the line"),
        ("version 1.0\na: empty or\n", "expected an expression after `or`"),
        ("version 1.0\na: if(if(empty,uri),uri)\n", "the condition cannot be an `if`"),
        ("version 1.0\na: if(empty,uri,uri,uri)\n", "`if` takes a condition"),
        ('version 1.0\na: any("x")\n', "version 1.0 has no `any`"),
        ("version 1.0\na: range(1,*)\n", "expected a number, found `*`"),
        ("version 1.0\na: is(noExt($a))\n", "version 1.0 has no `noExt`"),
        ("version 1.1\na: is(uriDecode($a))\n", "version 1.1 has no `uriDecode`"),
        ("version 1.1\na: range(*,*)\n", "`range(*,*)` allows every number"),
        ("version 1.0\na: length(3,2)\n", "the least length, 3, is above the greatest, 2"),
        ("version 1.0\na: length(1.1)\n", "expected a number of characters or `*`"),
        (f"version 1.0\na: length(1,{10**19})\n", f"`{10**19}` is too large"),
        ("version 1.0\na: xDate(2012-99-01,2012-12-01)\n", "`2012-99-01` is no date or time"),
        ("version 1.0\na: ukDate(30/02/1900,30/03/1902)\n", "`30/02/1900` does not exist"),
        ("version 1.0\na: xTime(12:00:00,11:00:00)\n", "`12:00:00` is after `11:00:00`"),
        ("version 1.0\na: regex\n", "expected an expression such as"),
        ('version 1.1\na: integrityCheck("x")\n', "whether folders are listed too"),
        ("version 1.1\na: switch()\n", "expected an expression, found `)`"),
        ("version 1.0\na: $b\n", "expected `/` after `$b`"),
        ('version 1.0\na: isNot("x")\n', "there is no expression `isNot`"),
        ("version 1.0\na: /* never\n", "this comment never closes"),
    ],
)
def test_messages(text: str, message: str) -> None:
    assert any(message in each[3] for each in errors(text)), errors(text)


def test_an_error_is_shown_with_its_line_and_a_caret() -> None:
    with pytest.raises(SchemaError) as caught:
        parse(document("version 1.0\nAge: range(100,1)\n"))
    assert str(caught.value) == (
        "t.csvs:2:12: error [foreign-meaning]: the lower bound, 100, is above the upper one, 1\n"
        " 2 | Age: range(100,1)\n"
        "   |            ^^^^^\n"
        "   = hint: the smaller number comes first"
    )


# ------------------------------------------------------------- hostile input


@pytest.mark.parametrize(
    "body",
    [
        "(" * 100_000,
        "if(" * 100_000,
        "switch((" * 100_000,
        "is(" + "noExt(" * 100_000,
        'regex("' + "(" * 100_000 + '")',
        'regex("' + "[" * 100_000 + '")',
        " or ".join(("empty and empty",) * 1000),
    ],
)
def test_deep_nesting_is_an_error_in_bounded_time(body: str) -> None:
    found = errors(f"version 1.2\na: {body}\n")
    assert found
    assert all(code.startswith("foreign-") for code, *_ in found)


def test_nul_latin_1_and_size() -> None:
    assert errors(b"version 1.0\na\0b:\n")[0][3] == "a NUL character"
    with pytest.raises(SchemaError) as caught:
        document("version 1.0\n\u00e9:\n".encode("latin-1"))
    assert caught.value.diagnostics[0].code == "not-utf8"
    with pytest.raises(SchemaError) as caught:
        document(b"version 1.0\n" + b"//" * (33 << 20))
    assert caught.value.diagnostics[0].code == "foreign-limit"


def test_a_file_full_of_errors_reports_the_first_hundred() -> None:
    assert len(errors("version 1.0\n" + "?\n" * 5000)) == 100


@pytest.mark.parametrize(
    ("text", "is_csv_schema"),
    [
        ("version 1.0\na:\n", True),
        ("// x\n/* y */ version 1.2\n", True),
        ("\ufeffversion 9\n", True),
        ("version = 1.0\n", False),
        ("row(1) -> version\n", False),
        ("", False),
    ],
)
def test_recognises(text: str, is_csv_schema: bool) -> None:
    assert recognises(document(text)) == is_csv_schema
