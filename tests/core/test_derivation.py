"""Derived tokens in core form: formulas, hidden tokens, padding, errors, lints, explanations."""

from __future__ import annotations

import pytest

import sculpt
from sculpt.core import ir
from sculpt.core.derivation.hidden import needed_by
from sculpt.syntax.regular import Repeat


def tokens_of(text: str) -> dict[str, ir.CoreToken]:
    return dict(sculpt.Schema.parse(text).core.tokens)


def errors_of(text: str) -> list[tuple[str, int, int]]:
    with pytest.raises(sculpt.SchemaError) as caught:
        sculpt.Schema.parse(text)
    return [(each.code, each.span.line, each.span.column) for each in caught.value.diagnostics]


# ------------------------------------------------------------- formulas


def test_a_formula_mentions_only_earlier_tokens() -> None:
    tokens = tokens_of(
        "last := first or few or not later\n"
        "first := /a+/ and length(Text) <= 8\n"
        'few := 2 <= length(list(first or gap, ";")) <= 3\n'
        'gap := "n/a" or Empty or word\n'
        "later := few or x\n"
        "word = [a-z]+\n"
    )
    seen: set[str] = set()
    for name, token in tokens.items():
        assert seen.issuperset(needed_by(token)), name
        seen.add(name)
    assert seen.issuperset(["last", "first", "few", "gap", "later", "word", "x", '"n/a"'])


def test_the_parts_of_a_formula() -> None:
    tokens = tokens_of('a := /x+/ and not ("n/a" or b or Integer)\nb = [a-z]')
    assert tokens["a"].formula == ir.Both(
        (
            ir.Has("/x+/"),
            ir.Lacks(ir.Either((ir.Has('"n/a"'), ir.Has("b"), ir.Has("Integer")))),
        )
    )
    assert [name for name, token in tokens.items() if token.hidden] == ["/x+/"]
    assert tokens["a"].declared
    assert tokens["a"].text == 'a := /x+/ and not ("n/a" or b or Integer)'
    assert tokens["a"].line == 1


def test_equal_parts_are_one_hidden_token() -> None:
    tokens = tokens_of(
        "a := /x+/ and length(Text) <= 8\nb := /x+/ or length(c) <= 8\nc = .*\n"
        'd := list(/x+/ or c, ";")\ne := list(/x+/ or c, ";") or a'
    )
    assert [name for name, token in tokens.items() if token.hidden] == [
        "/x+/",
        '(length(String) <= "8")',
        "{/x+/ or c}",
        '[{/x+/ or c}, ";"]{0,}',
    ]


def test_no_name_can_be_that_of_a_hidden_token() -> None:
    tokens = tokens_of('a := /x/ or length(Text) <= 8 or list(/x/ or b) and "(" or "/x/"\nb = x')
    hidden = [name for name, token in tokens.items() if token.hidden]
    assert {name[0] for name in hidden} == {"/", "(", "{", "["}
    assert {'"("', '"/x/"'} <= set(tokens)


def test_names_are_resolved_as_elsewhere() -> None:
    tokens = tokens_of(
        'a := "b" or b or undeclared or "Date" or Date\nb := x\ncol(1) -> undeclared | "a"'
    )
    formula = tokens["a"].formula
    assert isinstance(formula, ir.Either)
    assert formula.parts == (
        ir.Has('"b"'), ir.Has("b"), ir.Has("undeclared"), ir.Has('"Date"'), ir.Has("Date"),
    )  # fmt: skip
    assert tokens["undeclared"].literal == "undeclared"
    assert tokens["undeclared"].is_bare
    assert tokens['"a"'].literal == "a"


@pytest.mark.parametrize(
    ("bound", "low", "high"),
    [
        ("length(tags) <= 5", 0, 5),
        ("length(tags) < 5", 0, 4),
        ("length(tags) > 5", 6, None),
        ("2 <= length(tags) < 4", 2, 3),
        ("length(tags) = 4", 4, 4),
        ("1 <= length(few) <= 2", 2, 2),
        ("length(few) >= 3", 3, 3),
    ],
)
def test_the_length_of_a_list_counts_items(bound: str, low: int, high: int | None) -> None:
    tokens = tokens_of(f'tags := list(tag, ";")\nfew := 2 <= length(tags) <= 3\nx := {bound}')
    formula = tokens["x"].formula
    assert isinstance(formula, ir.Has)
    items = tokens[formula.name].items
    assert items is not None
    assert isinstance(items.content, Repeat)
    assert (items.content.low, items.content.high) == (low, high)
    assert items.delimiter.text == ";"


def test_a_length_that_a_list_must_not_have() -> None:
    tokens = tokens_of("x := length(list(a)) != 3")
    whole, three = ir.Has("[a]{0,}"), ir.Has("[a]{3,3}")
    assert tokens["x"].formula == ir.Both((whole, ir.Lacks(three)))


def test_a_long_chain_of_tokens_is_no_problem() -> None:
    lines = [f"t{n} := length(t{n - 1}) <= {3000 - n}" for n in range(1, 1500)]
    tokens = tokens_of("\n".join([*reversed(lines), "t0 := /a+/ or list(b)"]))
    assert tokens["t1499"].formula is not None


def test_alternatives_are_bounded() -> None:
    lines = [f"t{n} := length(t{n - 1}) <= {n} or length(t{n - 1}) > {n}" for n in range(1, 20)]
    text = "\n".join(["t0 := list(b) or list(c)", *lines])
    assert {code for code, _, _ in errors_of(text)} == {"too-deep"}


def test_pickles() -> None:
    import pickle

    schema = sculpt.Schema.parse('a := list(/x/ or b, ";") and length(Text) <= 8')
    assert pickle.loads(pickle.dumps(schema.core)).tokens == schema.core.tokens


# ------------------------------------------------------------- padding


@pytest.mark.parametrize(
    ("tokens", "matches", "strictly"),
    [
        ("not word", False, False),
        ("Empty or word", False, False),
        ("Any", False, False),
        ("Missing", True, True),
        ("Null", True, False),
        ("Missing or word", True, True),
        ("Null or word", True, False),
        ("not Missing", False, False),
        ("not word or Missing", True, True),
        ("not word and Missing", True, True),
        ("Missing and word", False, False),
        ("Missing and not Null", False, True),
        ("not inner", True, True),
        ("outer", True, True),
        ("not plain and Missing", True, True),
        ("length(Missing or word) <= 3", False, False),
        ("list(Missing or word)", False, False),
    ],
)
def test_padding(tokens: str, matches: bool, strictly: bool) -> None:
    token = tokens_of(
        f"x := {tokens}\nword = [a-z]+\ninner := not Missing\nouter := Missing or word\n"
        "plain := not word"
    )["x"]
    assert (token.matches_padding, token.reads_padding) == (matches, matches)
    assert token.is_missing == strictly


def test_a_declared_null_is_not_padding() -> None:
    token = tokens_of("x := Null or word\nNull = -\nword = [a-z]+")["x"]
    assert not token.matches_padding


# ------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("text", "errors"),
    [
        ("a := b\nb := a", [("token-cycle", 1, 1)]),
        ("a := a or b", [("token-cycle", 1, 1)]),
        ("a := T\nT <= down(x)", [("type-in-token", 1, 6)]),
        ('a := list(b, "")', [("bad-separator", 1, 14)]),
        ("a := b\na = c", [("redefinition", 2, 1)]),
        ("a := 5 <= length(Text) <= 3", [("contradictory-bounds", 1, 27)]),
        ("a := length(Text) <= 3\nb := length(a) > 3", [("contradictory-bounds", 2, 18)]),
        ("a := length(Text) <= 3\nb := a and c\nc := length(Any) > 3", []),
        ("a := length(/x/) = 3 and length(/x/) != 3", []),
        ("a := 5 <= Integer <= 3", [("contradictory-bounds", 1, 22)]),
        ("a := 5 <= Integer < 5", [("contradictory-bounds", 1, 21)]),
        ("a := Integer = 5 and Integer != 5.0", [("bad-bound", 1, 33)]),
        ("a := Number = 5 and Number != 5.0", [("contradictory-bounds", 1, 31)]),
        ("a := Number = 5 and Number = 6", [("contradictory-bounds", 1, 30)]),
        ("a := 2010-01-02 <= Date <= 2010-01-01", [("contradictory-bounds", 1, 28)]),
        ("a := Integer >= x", [("bad-bound", 1, 17)]),
        ("a := x <= Integer <= 2010-01-01", [("bad-bound", 1, 6), ("bad-bound", 1, 22)]),
        ("a := (Integer or Date) = 2010-02-31", [("bad-bound", 1, 26)]),
        ("a := length(Date) >= 3", [("bad-facet", 1, 13)]),
        ("a := Text >= 3", [("bad-facet", 1, 6)]),
        ("a := digits(Text) >= 3", [("bad-facet", 1, 13)]),
        ("a := digits(x) >= 3", [("bad-facet", 1, 13)]),
        ("a := list(x) >= 3", [("bad-facet", 1, 6)]),
        ("a := length(Text) <= -1", [("bad-bound", 1, 22)]),
        ("a := length(Text) <= 1234567890123", [("bad-bound", 1, 22)]),
        ("a := length(list(x)) <= 100000", [("count-too-large", 1, 25)]),
        ("a := x >= 5", [("no-value", 1, 6)]),
        ("a := b >= 5\nb = [0-9]", [("no-value", 1, 6)]),
        ("a := (/x/ or y) >= 5", [("no-value", 1, 7)]),
        ("a := Missing >= 5", [("no-value", 1, 6)]),
        ("a := xs:nope", [("syntax", 1, 6)]),
        ('a := Foo("x")', [("unknown-type", 1, 6)]),
        ('a := b("x")\nb = c', [("bad-picture", 1, 6)]),
    ],
)
def test_errors(text: str, errors: list[tuple[str, int, int]]) -> None:
    if errors:
        assert errors_of(text) == errors
    else:
        sculpt.Schema.parse(text)


def test_all_errors_at_once_and_none_twice() -> None:
    text = (
        "a := 5 <= length(Text) <= 3\n"
        "b := a or length(a) >= 5\n"
        'c := T or list(x, "")\n'
        "T <= down(a)\n"
        "d := c or Text >= 3\n"
        "col(1) -> a | d\n"
    )
    assert errors_of(text) == [
        ("contradictory-bounds", 1, 27),
        ("type-in-token", 3, 6),
        ("bad-separator", 3, 19),
        ("bad-facet", 5, 11),
    ]


def test_the_message_about_a_chain_names_the_line_of_the_other_bound() -> None:
    text = "short := length(Text) <= 3\n\nlong := length(short) >= 5"
    with pytest.raises(sculpt.SchemaError) as caught:
        sculpt.Schema.parse(text)
    assert "no length is both `<= 3` on line 1 and `>= 5`" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("a := P1D <= xs:duration", "`xs:duration >= P1D`"),
        ("a := Integr >= 5", "did you mean `Integer`?"),
        ("a := b >= 5\nb = [0-9]+", "`b and Integer`"),
    ],
)
def test_hints_about_texts_without_a_value(text: str, hint: str) -> None:
    with pytest.raises(sculpt.SchemaError) as caught:
        sculpt.Schema.parse(text)
    (error,) = caught.value.diagnostics
    assert hint in (error.hint or "")


# ------------------------------------------------------------- includes, documentation, lints


def test_included_tokens_are_known(tmp_path: pytest.TempPathFactory) -> None:
    folder = str(tmp_path)
    with open(f"{folder}/tokens.sculpt", "w") as file:
        file.write("gap := Empty or word\n")
    with open(f"{folder}/main.sculpt", "w") as file:
        file.write('include "tokens.sculpt"\n% What may be there.\nvalue := gap or x\nword = n/a\n')
    schema = sculpt.Schema.load(f"{folder}/main.sculpt")
    assert schema.core.tokens["value"].formula == ir.Either((ir.Has("gap"), ir.Has("x")))
    assert schema.documentation == {"token:value": "What may be there."}


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("a := /x/ and /y/", ["matches-nothing"]),
        ('a := /x/ and not "x"', ["matches-nothing"]),
        ("a := length(Text) < 1", ["matches-nothing"]),
        ("a := Text or Empty", ["matches-everything"]),
        ("a := not (/x/ and /y/)", ["matches-everything"]),
        ("a := b or not b\nb := /x/ or list(c)", []),
        ("a := length(Text) <= 1 and /x+/ or Missing", []),
        ("a := Missing", []),
        ("a := /x/ and /xy?/", []),
        ("a := list(/x/)", []),
        ("Date := /x/", ["shadowed-name"]),
        ("a := word or wrod\nword = [a-z]", ["likely-typo"]),
        ("a := 5 or x", ["bare-number"]),
        ("a := x\nb := a\nc := y\ncol(1) -> b", ["unused-token"]),
    ],
)
def test_lints(text: str, codes: list[str]) -> None:
    assert [each.code for each in sculpt.Schema.parse(text).lint] == codes


def test_explain_says_that_a_token_is_regular() -> None:
    schema = sculpt.Schema.parse("a := /x/ or list(b)\nb := Json\ncol(1) -> a | b")
    assert [(each.name, each.asks) for each in schema.explanation.tokens] == [
        ("b", ("Json",)),
        ("a", ("Json",)),
    ]
    plain = sculpt.Schema.parse("a := /x/ or Date")
    assert [(each.line, each.asks) for each in plain.explanation.tokens] == [(1, ())]
