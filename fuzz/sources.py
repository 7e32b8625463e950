"""Texts that are schemas, are nearly schemas, or are nothing of the kind.

Out: a strategy of texts. Three kinds: pieces of the language in any order; schemas of `examples`
and of the documentation, some statements of them, or generated ones, after edits (cut, doubled,
swapped, spliced, with strange numbers and characters); programs built from values. Strange paths
are used for includes and mappings.

Invariant: no path names a device, and none is written to. About half of the texts are schemas that
can be run. Cost: the schemas are read once; an edit is linear in the text.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TypeAlias

from hypothesis import strategies as st

from agreement import ALL, schema_texts
from test_robustness import PIECES

Edit: TypeAlias = tuple[str, int, int, str]
"""An edit: what is done, where, how far it reaches, and a text to use."""

ROOT = Path(__file__).parent.parent
STRANGE = [
    "0", "-1", "10000", "9" * 30, "1e9", "\0", "\x1b", "\x0b", "\x0c", "\x1c", "\x85", "\xa0",
    "\u2028", "\u3000", "\u0301", "\u200d", "\ud800", "\U0010ffff", "😀", "ß", "İ", "ﬁ", "²", "٣",
    "½", "Ⅷ", "\r", "\r\n", "\t", "\ufeff", "{2,3}", "{10000}", "{300}", "{0}", "{,2}", "\\", '"',
    "%", "%\n", "\n ", "\n\n", "(", ")", "[", "]", "<", ">", "{", "}", "*", "+", "?", "|", ".",
    ",", "=", "not ", " and ", " or ", " as ", " optional", " all", "~", "'", "/", "\\x00", "\\u00",
    "none",
]  # fmt: skip
NUMBERS = ["0", "1", "7", "300", "9999", "10000", "10001", "9" * 18, "9" * 30, "1" * 5000]
NUMBERS += ["٣", "²", "-1", "1.5"]
PATHS = [
    "x", "", ".", "..", "/", "~", "\0", "a\0b", "\ud800", "n" * 5000, "a/" * 3000, "README.md",
    "fuzz", "*", "x\\\\y", "http://x", "file:///x", "é.csv", " ", "../" * 50 + "nowhere",
]  # fmt: skip
SELECTORS = [
    "true", "a", "n", "row(1)", "col(Mon)", "Number and not col(1)", "down+(right+(Item))", "T",
    "exists(up.[Any])", "(2,2) or (3,3)", "not exists(down)", "left|up(n)", "Missing", '"n/a"',
]  # fmt: skip
FREE = [
    '"x"',
    "1.50",
    "Sum(n)",
    "Count(true)",
    "Min(row(1))",
    "-007.0",
    '"\\n\\"\\\\"',
    'upper("ß")',
]
OF_CELL = [
    *FREE, "v", "v.row", "v.file", "v.raw", "v.content", "up(v)", "left.up(v)", "[n].up*(v)",
    "directly(up, Text, v)", "closest(left, a, v)", "within(up, 1, 2, Text, v)", "iri(x, v)",
    'split(v, ";", 1)', "capture(v, n, 1)", "map(v, M)", "iri(v)", "upper(trim(v))", "(v)",
    'replace(v, "a", "")', "directly(down, T, v).row", "length(v)", "stem(v)", "percent-decode(v)",
    'if contains(v, "a") or starts(v, v) then v',
]  # fmt: skip
OF_ROW = [*FREE, "v.row", "v.file", "v.cells[1]", "Median(v)", "directly(up, T, v.cells[2]).raw"]
OPERANDS = [
    "Integer", "Number", "Date", "xs:double", "xs:duration", "xs:time", "xs:hexBinary", "Json",
    'Number("#,##0.00")', 'Number("0%;(0%)", group " ")', 'Date("dd/MM/yyyy")', 'Boolean("Y|N")',
    'xs:dateTime("yyyy-MM-dd\'T\'HH:mm")', "n", "a", "Text", "T", '"n/a"', "/[a-z]{2}/", "Missing",
    'list(n, ";")', "list(a or Integer)", "(Integer or Date)", "(n and Integer)",
]  # fmt: skip
BOUNDS = [
    "5", "-1.50", "0", "1e3", "INF", "2010-01-31", "2010-02-31", "12:00:00Z", "P1DT2H", "true", "x",
    '"a b"', "9" * 30, "--05", "0xFF", "٣",
]  # fmt: skip
CASTS = ["Number", "Date", "xs:int", "xs:decimal(5,2)", "xs:date", "xs:nope", "xs:NMTOKENS", "n"]
POLICIES = [" one", " optional", ' optional("-")', " optional(0)", " all", ' all(", ")']
FIRST = """n = ([0-9])+
a = [a-z]+
T <= down*(n)
namespace x = http://x.org/
mapping M = {"a": "b"}
"""


@cache
def schemas() -> tuple[str, ...]:
    """The schemas of the examples and of the documentation, with their includes inlined."""
    files = sorted((ROOT / "examples").rglob("*.sculpt"))
    found = [_included(path.read_text(), path.parent) for path in files]
    for path in sorted((ROOT / "docs").glob("*.md")):
        blocks = re.findall(
            r"^```sculpt[^\n]*\n(.*?)^```", path.read_text(), re.DOTALL | re.MULTILINE
        )
        found += blocks
    return tuple(found)


def _included(text: str, folder: Path) -> str:
    return re.sub(
        r'^include "([^"]*)"$', lambda m: (folder / m[1]).read_text(), text, flags=re.MULTILINE
    )


@cache
def statements() -> tuple[str, ...]:
    """The statements of all these schemas, each once."""
    split = [re.split(r"\n(?=[^\s}])", text.strip("\n")) for text in schemas()]
    return tuple(dict.fromkeys(each for parts in split for each in parts))


# ----------------------------------------------------------------- texts

edits = st.tuples(
    st.sampled_from(
        ["insert", "replace", "delete", "double", "swap", "line", "splice", "number", "number"]
    ),
    st.integers(0, 3000),
    st.integers(0, 30),
    st.sampled_from(STRANGE + PIECES),
)


def edited(text: str, changes: list[Edit]) -> str:
    """The text after all edits."""
    for kind, place, reach, piece in changes:
        at = place % (len(text) + 1)
        before, taken, after = text[:at], text[at : at + reach], text[at + reach :]
        lines = text.split("\n")
        match kind:
            case "insert":
                text = before + piece + text[at:]
            case "replace":
                text = before + piece + after
            case "delete":
                text = before + after
            case "double":
                text = before + taken * 2 + after
            case "swap":
                text = before + after[:reach] + taken + after[reach:]
            case "number":
                number = NUMBERS[reach % len(NUMBERS)]
                text = before + re.sub("[0-9]+", number, text[at:], count=1)
            case "line":
                text = "\n".join(lines[: at % len(lines)] + lines[at % len(lines) + 1 :])
            case "splice":
                other = schemas()[reach % len(schemas())]
                text = before + other[place % (len(other) + 1) :]
    return text


def values(parts: list[str]) -> st.SearchStrategy[str]:
    """Values of a program; most have a type."""
    policies = st.sampled_from([""] * 12 + POLICIES)
    part = st.tuples(st.sampled_from(parts), policies).map("".join)
    joined = st.lists(part, min_size=1, max_size=3).map(" + ".join)
    casts = st.sampled_from([""] * 8 + [f" as {each}" for each in CASTS])
    return st.tuples(joined, casts, policies).map("".join)


def loops(kind: str, value: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Loops over cells, rows or columns."""
    fields = st.tuples(st.sampled_from(["f", "g", '"h i"', "row"]), value).map(": ".join)
    actions = [
        value.map(lambda text: f"print {text}"),
        st.lists(fields, min_size=1, max_size=3).map(lambda each: f"emit R({', '.join(each)})"),
    ]
    if kind == "cell":
        actions += [value.map(lambda text: f"annotate v with {text}"), st.just("v.namespace = x")]
    bodies = st.lists(st.one_of(actions), min_size=1, max_size=3).map("\n".join)
    return st.builds(
        lambda selector, body: f"For each {kind} v in {selector} {{\n{body}\n}}",
        st.sampled_from(SELECTORS),
        bodies,
    )


def derived(depth: int = 2) -> st.SearchStrategy[str]:
    """What is right of `:=`; most has a meaning."""
    relations = st.sampled_from([" <= ", " < ", " > ", " >= ", " = ", " != "])
    operands = st.sampled_from(OPERANDS)
    measured = st.builds(
        "{}({})".format, st.sampled_from(["length", "digits", "decimals"]), operands
    )
    some = st.one_of(operands, measured)
    number = st.sampled_from(BOUNDS)
    atoms = st.one_of(
        operands,
        st.builds("{}{}{}".format, some, relations, number),
        st.builds("{}{}{}{}{}".format, number, relations, some, relations, number),
    )
    if depth == 0:
        return atoms
    inner = derived(depth - 1)
    joined = st.lists(inner, min_size=2, max_size=3)
    return st.one_of(
        atoms,
        inner.map("not ({})".format),
        joined.map(" and ".join),
        joined.map(" or ".join),
        inner.map('list({}, ";")'.format),
    )


files = st.tuples(st.sampled_from(["include ", "mapping F = "]), st.sampled_from(PATHS)).map(
    lambda each: f'{each[0]}"{each[1]}"'
)
program_statements = st.one_of(
    loops("cell", values(OF_CELL)),
    loops("cell", values(OF_CELL)),
    loops("row", values(OF_ROW)),
    loops("column", values([*FREE, "v.column", "Average(v)", "v.cells[1].row"])),
    values(FREE).map(lambda text: f"print {text}"),
)
programs = st.lists(program_statements, min_size=1, max_size=3).map(
    lambda each: FIRST + "\n".join(each)
)
sources = st.one_of(
    st.deferred(lambda: st.sampled_from(schemas())),
    st.deferred(lambda: st.lists(st.sampled_from(statements()), max_size=6).map("\n".join)),
    programs,
    schema_texts(ALL),
    st.builds("d := {}\ne := {}\ntrue -> (d | e)*".format, derived(), derived()).map(FIRST.__add__),
)
texts = st.one_of(
    st.lists(st.sampled_from(PIECES + STRANGE), max_size=25).map("".join),
    st.tuples(sources, files).map("\n".join),
    *[st.builds(edited, sources, st.lists(edits, max_size=most)) for most in (0, 1, 1, 2, 2, 4)],
)
