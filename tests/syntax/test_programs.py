"""Programs as text: messages with carets, files of mappings, formatting, and garbage.

Codes and places of errors are in `tests/corpus/programs.toml`.
"""

from __future__ import annotations

import pickle
import re
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import sculpt
from sculpt.diagnostics import Diagnostic, Source
from sculpt.syntax import ast
from sculpt.syntax.parser import parse

# ----------------------------------------------------------------- messages


def errors(text: str) -> str:
    with pytest.raises(sculpt.SchemaError) as caught:
        sculpt.Schema.parse(text, name="p.sculpt")
    copied = pickle.loads(pickle.dumps(caught.value))
    assert str(copied) == str(caught.value)
    return str(caught.value)


def test_a_near_miss_of_a_function() -> None:
    assert errors("For each row r in true {\n  print average(r)\n}\n") == (
        "p.sculpt:2:9: error [unknown-function]: there is no function `average`\n"
        " 2 |   print average(r)\n"
        "   |         ^^^^^^^\n"
        "   = hint: did you mean `Average`?"
    )


def test_a_function_that_is_close_to_nothing() -> None:
    assert errors('print concatenate("a")\n').endswith(
        "   = hint: the functions are `Average`, `Sum`, `Count`, `Min`, `Max`, `Median`, `Only`,"
        " `directly`, `closest`, `within`, `find`, `trim`, `replace`, `upper`, `lower`, `split`,"
        " `capture`, `map`, `iri`, `length`, `stem`, `percent-decode`, `concat`, `percent-encode`,"
        " `blank`, `lang`, `literal`, `checksum`, `count-files`, `file-size`,"
        " `contains`, `starts`, `ends`"
    )


@pytest.mark.parametrize(
    ("body", "hint"),
    [
        ("print v.contents", "did you mean `.content`?"),
        ("print v.cell[1]", "did you mean `.cells`?"),
        ("print v.quality", "the properties are `content`, `raw`, `row`, `column`, `file`"),
        ("print splitt(v)", "did you mean `split`?"),
        ("emit r(a: v as xs:dat)", "did you mean `xs:date`?"),
        ("emit r(a: v as gYear)", "did you mean `xs:gYear`?"),
        ("emit r(a: v as money)", "types include `xs:decimal`, `xs:date` and `Number`"),
        ("v.namespace = geogrphy", "did you mean `geography`?"),
        ("v.namespace = stars", "add `namespace stars = …`"),
        ("emit r(a: iri(geografy, v))", "did you mean `geography`?"),
        ("print map(v, Countrie)", "did you mean `Countries`?"),
        ("print map(v, Stars)", 'add `mapping Stars = { "a": "b" }`'),
        ("anotate v with v", "did you mean `annotate`?"),
    ],
)
def test_hints(body: str, hint: str) -> None:
    declared = 'namespace geography = http://a.org/\nmapping Countries = { "a": "b" }\n'
    found = errors(declared + f"For each cell v in true {{\n  {body}\n}}\n")
    assert found.startswith("p.sculpt:4:")
    assert found.endswith(f"   = hint: {hint}")


def test_fields_that_differ_show_both() -> None:
    text = """\
For each cell v in true { emit Obs(area: v, year: v as xs:integer) }
For each row r in true { emit Obs(area: r.cells[1], year: r.cells[2]) }
"""
    assert errors(text) == (
        "p.sculpt:2:31: error [wrong-type]: `Obs` has different fields here than before:"
        " area: xs:string, year: xs:string\n"
        " 2 | For each row r in true { emit Obs(area: r.cells[1], year: r.cells[2]) }\n"
        "   |                               ^^^\n"
        "   = hint: before: area: xs:string, year: xs:integer"
    )


def test_all_errors_come_at_once_and_in_order() -> None:
    text = """\
print w
For each cell v in row(0) {
  print v
}
For each cell v in true {
  print x
  emit Obs(
    area: nowhere(v),
    year: v)
  annotate v with "a
}
col(0) -> Any
"""
    assert [line for line in errors(text).splitlines() if line.startswith("p.sculpt")] == [
        "p.sculpt:1:7: error [unknown-variable]: there is no variable `w`",
        "p.sculpt:2:24: error [bad-coordinate]: rows and columns are counted from 1",
        "p.sculpt:6:9: error [unknown-variable]: there is no variable `x`",
        "p.sculpt:8:11: error [unknown-function]: there is no function `nowhere`",
        "p.sculpt:10:19: error [unclosed-literal]: this quoted text never closes",
        "p.sculpt:12:5: error [bad-coordinate]: rows and columns are counted from 1",
    ]


def test_the_place_is_right_after_comments_and_line_ends() -> None:
    text = "% é\r\nFor each cell v\r\n  in true {\r\n  % more\r\n\tprint é + w\r\n}\r\n"
    assert errors(text).splitlines()[0].startswith("p.sculpt:5:8: error [unknown-variable]")


# ----------------------------------------------------------------- mappings in files

USES = 'mapping M = "m.csv"\nFor each cell v in true { print map(v, M) }\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "p.sculpt").write_text(USES, encoding="utf-8")
    return tmp_path


def test_a_mapping_is_relative_to_the_schema(folder: Path) -> None:
    (folder / "m.csv").write_text('\ufeffa,"x, y"\n\nb,\na,"x, y"\n', encoding="utf-8")
    program = sculpt.Schema.load(folder / "p.sculpt").program
    assert program is not None
    assert program.mappings == {"M": {"a": "x, y", "b": ""}}


def test_a_mapping_is_relative_to_the_file_that_names_it(folder: Path) -> None:
    (folder / "main.sculpt").write_text('include "inner/p.sculpt"\n', encoding="utf-8")
    (folder / "inner").mkdir()
    (folder / "p.sculpt").rename(folder / "inner" / "p.sculpt")
    (folder / "inner" / "m.csv").write_text("a,b\n", encoding="utf-8")
    program = sculpt.Schema.load(folder / "main.sculpt").program
    assert program is not None
    assert program.mappings == {"M": {"a": "b"}}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (None, "`m.csv` cannot be read: no such file or directory"),
        (b"a,b\nc,d,e\n", "`m.csv`, row 2: a mapping has two columns, not 3"),
        (b"a\n", "`m.csv`, row 1: a mapping has two columns, not 1"),
        (b"a,b\na,c\n", "`m.csv`, row 2: `a` is already mapped to something else"),
        (b"a,\xff\n", "`m.csv` cannot be read: "),
    ],
)
def test_bad_files_of_mappings(folder: Path, data: bytes | None, message: str) -> None:
    if data is not None:
        (folder / "m.csv").write_bytes(data)
    with pytest.raises(sculpt.SchemaError) as caught:
        sculpt.Schema.load(folder / "p.sculpt")
    (problem,) = caught.value.diagnostics
    assert (problem.code, problem.span.line, problem.span.column) == ("bad-mapping", 1, 1)
    assert problem.message.startswith(message)


def test_a_variable_in_quotes_is_no_variable() -> None:
    text = 'For each cell v in true { print (up.["(v)"])(v) optional("-") }\n'
    program = sculpt.Schema.parse(text).program
    assert program is not None
    assert [source.kind for source in program.look_ups] == ["path"]


# ----------------------------------------------------------------- formatting


@pytest.mark.parametrize(
    ("text", "formatted"),
    [
        ('print    "a"+"b"\n', 'print    "a"+"b"\n'),
        ('print "a" +\n   "b"\n', 'print "a" + "b"\n'),
        (
            "For each cell v\n   in down{2}(a)\n{\nprint v\n      emit r(\na: v,\n  b: v)}\n",
            "For each cell v in down{2}(a) {\n  print v\n  emit r(\n    a: v,\n    b: v)}\n",
        ),
        (
            'For each cell v in "{" {\n% why\n      print "}" + v\n }\n\n\n\na = b\n',
            '% why\nFor each cell v in "{" {\n  print "}" + v\n}\n\na = b\n',
        ),
        ('mapping M =\n  { "a": "b" }\n', 'mapping M = { "a": "b" }\n'),
        (
            'mapping M = {\n"a":"b",\n    "c"  :  "d" }\n',
            'mapping M = {\n  "a":"b",\n  "c"  :  "d" }\n',
        ),
        ("namespace x = http://a.org/\n", "namespace x = http://a.org/\n"),
    ],
)
def test_formatting_keeps_programs(text: str, formatted: str) -> None:
    assert sculpt.format_text(text) == formatted
    assert document(formatted) == document(text)
    assert sculpt.Schema.parse(text).format() == formatted


def document(text: str) -> tuple[ast.Statement, ...]:
    """The statements of a text without errors, comments and gaps left out."""
    problems: list[Diagnostic] = []
    found = parse(Source("text", text), problems).statements
    assert problems == []
    return tuple(each for each in found if not isinstance(each, ast.Comment | ast.BlankLine))


inner_gaps = st.sampled_from(["", "", " ", "  ", "\n", "\n    ", "\n  % a note\n  "])
blanks = st.sampled_from(["", " ", "  "])
quoted = st.text('ab {}%()"\\,;+é', max_size=5).map(
    lambda text: '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
)
regions = st.sampled_from(
    ["true", "A", "row(1) and not B", 'col(2) or "{"', "down{2,3}(A)", "(1,2)", "not (A or B)"]
)
paths = st.sampled_from(
    ["left", "up*.[A]", "left.([not A].left)*.[A]", "(up|left)+", "down{2}", 'up.["(v)"]', "[A]"]
)


looks = st.one_of(
    st.builds("{}({}v{})".format, paths, inner_gaps, inner_gaps),
    st.builds("directly({}up,{}{}, v)".format, inner_gaps, inner_gaps, regions),
    st.builds("closest( left ,{},{}v)".format, regions, inner_gaps),
    st.builds("within(down, 0,{}2, {}, v )".format, inner_gaps, regions),
)
leaves = st.one_of(
    quoted,
    looks,
    st.sampled_from(["v", "v.content", "v .raw", "v.row", "12", "-0.50"]),
    st.builds("Sum({}{})".format, inner_gaps, regions),
    st.builds("{}{}".format, looks, st.sampled_from([' optional("none")', ".row", ' all("+")'])),
)


def larger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.builds("{}{}+{}{}".format, inner, blanks, blanks, inner),
        st.builds("({}{}{})".format, inner_gaps, inner, inner_gaps),
        st.builds("upper({}{}{})".format, inner_gaps, inner, inner_gaps),
        st.builds('replace({},{}"a", "b")'.format, inner, inner_gaps),
        st.builds("map({}{}, M)".format, inner_gaps, inner),
        st.builds("iri(x,{}{})".format, inner_gaps, inner),
    )


values = st.recursive(leaves, larger, max_leaves=3)
actions = st.one_of(
    st.builds("print {}".format, values),
    st.builds("annotate v with {}".format, values),
    st.just("v.namespace = x"),
    st.builds('emit R({}a: {},{}"b c": ({}) as xs:token)'.format,
              inner_gaps, values, inner_gaps, values),
    st.builds("emit S(a:{} )".format, values),
)  # fmt: skip


@st.composite
def programs(draw: st.DrawFn) -> str:
    lines = ["A = a", 'mapping M = {"a": "b"}', "namespace x = http://a.org/", "col(1) -> A"]
    for _ in range(draw(st.integers(1, 2))):
        body = draw(st.lists(actions, min_size=1, max_size=3))
        between = draw(st.sampled_from(["\n", ";", "\n  % note\n", "\n\n      "]))
        opened = draw(st.sampled_from([" {", "{\n", "\n{", "\n  {\n  "]))
        closed = draw(st.sampled_from(["}", " }", "\n}", "\n  }"]))
        text = f"For each cell v in {draw(regions)}{opened}{between.join(body)}{closed}"
        lines.insert(draw(st.integers(0, len(lines))), text)
    return "\n".join(lines) + "\n"


@given(programs())
@settings(max_examples=100)
def test_printing_and_parsing_gives_the_same_program(text: str) -> None:
    formatted = sculpt.format_text(text)
    assert document(formatted) == document(text)
    assert sculpt.format_text(formatted) == formatted
    loops = [each for each in document(text) if isinstance(each, ast.Program)]
    assert len(loops) >= 3
    assert all(loop.body is not None for loop in loops)


def is_inside(text: str, place: re.Match[str]) -> bool:
    """Is a place of a text inside parentheses?"""
    before = text[: place.end()]
    return before.count("(") > before.count(")")


@pytest.mark.parametrize(
    "body",
    [
        "print (left(v))",
        "print ((left)(v))",
        "print (left.up)(v)",
        "print left.(up|down)*(v)",
        "let x = (left.([not A].left)*.[A])(v)",
        'annotate v with (up(v) optional("-"))',
        'print if (left(v)) = "a" then (left(v)) else (up|left)(v)',
        'require((left(v)) = "a" or not ((up)(v) = (left(v))))',
        "emit R(a: (left(v)), b: (left|up)(v) one)",
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n    ", "\n% a note\n"])
def test_parentheses_join_lines(body: str, end: str) -> None:
    (wanted,) = document(f"For each cell v in true {{{body}}}\n")
    places = [each.end() for each in re.finditer(r"\(|(?=[.|)])", body) if is_inside(body, each)]
    assert len(places) > 1
    for at in places:
        text = f"For each cell v in true {{{body[:at]}{end}{body[at:]}}}\n"
        (found,) = document(text)
        (formatted,) = document(sculpt.format_text(text))
        assert isinstance(wanted, ast.Program)
        assert isinstance(found, ast.Program)
        assert isinstance(formatted, ast.Program)
        assert found.body == formatted.body == wanted.body, text


# ----------------------------------------------------------------- garbage

PIECES = [
    "print ", "annotate ", " with ", "emit R(", "emit ", "v", "w", ".content", ".cells[", "1", "0",
    "-1", "]", "[", "(", ")", "{", "}", ",", ":", "+", ".", '"', '"a"', "\\", " as ", "xs:decimal",
    "xs:nope", "(3,2)", " optional", " one", " all", "optional(", "Sum(", "Average(v)", "directly(",
    "closest(up, ", "within(left, 1, ", "up", "left*", "[A]", "(v)", "|", "not ", "row(1)",
    "split(",
    "capture(", "map(v, M)", "iri(", "v.namespace", " = ", "x", "\n", ";", "%", "\n% c\n", " ", "é",
    "For each row r in ", "mapping M = ", "namespace x = ", "true", "\t", "\0", "\r", "a: ",
]  # fmt: skip
garbage = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=14).map("".join),
    st.text(max_size=30),
)
frames = st.sampled_from(
    ["For each cell v in true {{ {} }}\n", "For each row v in A {{\n{}\n}}\n", "print {}\n",
     "For each column v in {} {{ print v }}\n", "mapping M = {{ {} }}\n", "namespace x = {}\n",
     "For each cell v in true {{ emit R(a: {}) }}\n", "{}\n"]
)  # fmt: skip


@given(frames, garbage)
@settings(max_examples=200)
@example("For each cell v in true {{ {} }}\n", 'print "')
@example("For each cell v in true {{ print {} }}\n", "(" * 300)
@example("For each cell v in true {{ print {} }}\n", "upper(" * 2000)
@example("For each cell v in true {{ print {} }}\n", "v + " * 3000 + "v")
@example("print {}\n", "(" * 5000 + '"a"' + ")" * 5000)
@example("For each cell v in true {{ emit R(a: {}) }}\n", "v as xs:decimal(" + "9" * 5000 + ")")
@example("For each row v in true {{ print {} }}\n", f"v.cells[{'9' * 5000}]")
def test_garbage_gives_no_other_error(frame: str, text: str) -> None:
    whole = "A = a\n" + frame.format(text)
    try:
        sculpt.Schema.parse(whole)
    except sculpt.SchemaError as error:
        assert error.diagnostics
        assert "^" in str(error)
        return
    formatted = sculpt.format_text(whole)
    assert document(formatted) == document(whole)


def test_texts_have_the_escapes_of_literals() -> None:
    (loop,) = document('For each cell c in "a\\nb" {\n  print "a\\r\\n\\tb"\n}\n')
    assert isinstance(loop, ast.Program)
    assert '"a\\r\\n\\tb"' in loop.lines[1]
    assert repr("a\r\n\tb") in repr(loop.body)
