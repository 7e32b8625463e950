"""Hypothesis strategies: CSV Schemas as texts, and tables that they may or may not describe."""

from __future__ import annotations

import hashlib

from hypothesis import strategies as st

NAMES = ("a", "b c", "d")
FILES = {"x.txt": b"one", "d/x.txt": b"two", "d/y z.txt": b"three"}
"""The files that file checks may find."""

_TEXTS = ("", "a", "A", "ab", "b", "abc", "x.txt", "d", "1", "10", "10.0", "2020", "2", "29", "é É")
_CELLS = (
    *(_TEXTS * 2),
    *(" ", "  a", "a\nb", "a,b", 'a"b', "-3", "1e2", ".5", "5.", "0x1", "007", "+7", "1.50"),
    *("2020-02-29", "2019-02-29", "2020-01-15", "2021-06-30Z", "2020-01-15+02:00", "2020-1-5"),
    *("29/02/2020", "31/04/2020", "15/01/2020", "1/1/2020", "??/March/19??", "*/*/*", "01/02/20"),
    *("10:00:00", "24:00:00", "25:00:00", "10:00:00.123Z", "10:00:00+15:00", "10:00"),
    *(
        "2020-01-15T10:00:00",
        "2020-01-15T10:00:00Z",
        "2020-01-15T10:00:00.5",
        "2020-02-30T10:00:00",
    ),
    *("2019-12-31T23:00:00-05:00", "2020-12-31T24:00:00", "AB-1", "ab c", "ÀÉ", "àé", "$", "Ab"),
    *("http://a.b/c?d#e", "http://", "http:", "::", "a%20b", "%zz", "file:///x.txt", "d/x.txt"),
    *("d/y%20z.txt", "d/", "../x.txt", "urn:x:y", "/a[b]", "//h", "//", "a#b#c", "http://[::1]/"),
    "aaaaaaaa-1234-4abc-9132-aaaaaaaaaaaa",
    "AAAAAAAA-1234-4abc-9132-aaaaaaaaaaaa",
    hashlib.md5(b"one").hexdigest(),
)
_PATTERNS = ("[a-z]+", "^a.*$", "[^b]*", r"\d+(\.\d+)?", "a|b|", r"[\w\s]{1,3}", "(a(b)?)+", "é|x")
_DATES = (
    *("xDateTime", "xDateTimeTz", "xDate", "xTime", "ukDate"),
    "xDate(2020-01-01,2020-12-31)",
    "ukDate(01/01/2020,31/12/2020)",
    "xTime(09:00:00,18:00:00)",
    "xDateTime(2020-01-01T00:00:00,2020-12-31T00:00:00)",
    "xDateTime(2020-01-01T00:00:00Z,2020-12-31T00:00:00Z)",
    "xDateTimeTz(2020-01-01T00:00:00Z,2020-12-31T00:00:00+01:00)",
)
_SIMPLE = ("empty", "notEmpty", "uri", "partUkDate", "uuid4", "positiveInteger", "upperCase")
_RANGES = ("range(0,10)", "range(-5,2.5)", "range(*,7)", "range(1.5,*)", "range(10,10)")
_LENGTHS = ("length(1)", "length(*)", "length(1,3)", "length(*,2)", "length(2,*)", "length(0)")


def _reference(name: str) -> str:
    return f"${name}" if " " not in name else f'$"{name}"'


def _quoted(text: str) -> str:
    return f'"{text}"'


columns = st.sampled_from(NAMES).map(_reference)
literals = st.sampled_from(_TEXTS).map(_quoted)
providers = st.recursive(
    columns | literals,
    lambda inner: (
        st.lists(inner, min_size=2, max_size=3).map(lambda each: f"concat({','.join(each)})")
        | inner.map(lambda each: f"noExt({each})")
        | inner.map(lambda each: f"uriDecode({each})")
    ),
    max_leaves=3,
)
compared = st.builds(
    lambda name, value: f"{name}({value})",
    st.sampled_from(("is", "not", "in", "starts", "ends")),
    literals | literals | providers,
) | st.lists(literals | providers, min_size=1, max_size=3).map(lambda v: f"any({', '.join(v)})")
files = st.sampled_from(
    (
        "fileExists",
        'fileExists("d")',
        'checksum(file("x.txt"),"MD5")',
        'checksum(file("d/",$a),"SHA-256")',
        'fileCount(file("d"))',
        'fileCount(file("file:///d",$d))',
    )
)
dates_of_parts = st.builds(
    lambda parts, bounds: f"date({','.join(parts)}{bounds})",
    st.lists(columns | literals, min_size=3, max_size=3),
    st.sampled_from(("", ",2020-01-01,2020-12-31")),
) | st.lists(columns | literals, min_size=3, max_size=3).map(lambda p: f"partDate({','.join(p)})")
plain = (
    compared
    | st.sampled_from((*_SIMPLE, "lowerCase", *_RANGES, *_LENGTHS, *_DATES))
    | st.sampled_from(_PATTERNS).map(lambda each: f'regex("{each}")')
)
checks = plain | plain | files | dates_of_parts
singles = st.builds(
    lambda context, check: f"{context}/{check}" if context else check,
    st.none() | st.none() | columns,
    checks,
)
_own = plain.filter(lambda each: "$" not in each and not each.startswith("in("))
expressions = st.recursive(
    singles,
    lambda inner: (
        st.builds(lambda a, j, b: f"{a} {j} {b}", inner, st.sampled_from(("and", "or")), inner)
        | inner.map(lambda each: f"({each})")
        | st.builds(lambda a, b: f"({a} {b})", inner, inner)
        | st.builds(lambda c, a: f"if(({c}),{a})", inner, inner)
        | st.builds(lambda c, a, b, d: f"if(({c}),{a} {b},{d})", inner, inner, inner, inner)
        | st.builds(lambda c, a, d, b: f"switch((({c}),{a}),(({d}),{b}))", *(inner,) * 4)
    ),
    max_leaves=5,
)
across_rows = st.one_of(
    st.just("unique"),
    st.just("identical"),
    columns.map(lambda each: f"unique({each})"),
    _own.map(lambda each: f"{each} or unique"),
    _own.map(lambda each: f"unique or {each}"),
    _own.map(lambda each: f"unique and {each}"),
    _own.map(lambda each: f"if({each},unique)"),
    columns.flatmap(lambda c: _own.map(lambda each: f"if({c}/{each},unique,notEmpty)")),
    _own.map(lambda each: f"identical or {each}"),
)


@st.composite
def schemas(draw: st.DrawFn) -> str:
    """The text of a CSV Schema of three columns."""
    head = draw(st.sampled_from(("", "@totalColumns 3", "@permitEmpty @totalColumns 3")))
    kind = draw(st.sampled_from(("", "", "@noHeader", "@ignoreColumnNameCase")))
    separator = draw(st.sampled_from(("", "", "@separator ';'", "@separator TAB @quoted")))
    lines = ["version 1.2", f"{head} {kind} {separator}".strip()]
    for name in NAMES:
        rules = draw(st.lists(expressions | expressions | across_rows, max_size=2))
        directives = draw(st.sets(st.sampled_from(("@optional", "@warning", "@ignoreCase"))))
        has_keys = any("unique" in each or "identical" in each for each in rules)
        if not has_keys and draw(st.integers(0, 5)) == 0:
            directives.add("@matchIsFalse")
        title = name if " " not in name else _quoted(name)
        lines.append(f"{title}: {' '.join(rules)} {' '.join(sorted(directives))}".rstrip())
    return "\n".join(each for each in lines if each) + "\n"


@st.composite
def tables(draw: st.DrawFn) -> list[list[str]]:
    """A table whose header may be right, and whose rows may be short or long."""
    cells = st.sampled_from(_CELLS)
    header = draw(st.sampled_from((list(NAMES),) * 6 + (["A", "b C", "d"], ["a", "d", "b c"])))
    rows = draw(
        st.lists(
            st.one_of(
                *(st.lists(cells, min_size=3, max_size=3),) * 6,
                st.lists(cells, min_size=1, max_size=4),
            ),
            max_size=4,
        )
    )
    return draw(st.sampled_from(([header, *rows],) * 8 + (rows,)))
