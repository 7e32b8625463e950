"""Generated schemas, selectors, contents, dialects and tables."""

from __future__ import annotations

from hypothesis import strategies as st

from sculpt.diagnostics import Source, Span
from sculpt.syntax import ast
from sculpt.syntax.derived import tree as derived
from sculpt.syntax.regular import Choice, Epsilon, Letter, Repeat, Sequence

NOWHERE = Span(Source("<generated>", ""), 0, 0)

TOKENS = "a = a+\nb = [ab]\nn = [0-9]+\nw = [a-z]*\n"
TYPES = "Ta <= down+(a)\nTb <= right[b].right\nTc <= not <up> and not Missing\n"
NAMES = ["a", "b", "n", "w", "Empty", "Any", "Text", "x", "Missing", "Null"]

names = st.sampled_from(
    [*NAMES, "Unit cell", "xs:integer", "GeoID", "not-x", "and 1:b"[4:], "é"]
).map(lambda name: ast.Name(name, span=NOWHERE))
literals = st.text(max_size=6).map(lambda text: ast.Literal(text, span=NOWHERE))
simple_names = st.sampled_from(NAMES).map(lambda name: ast.Name(name, span=NOWHERE))
counts = st.one_of(
    st.sampled_from([(0, None), (1, None), (0, 1), (2, 2), (1, 3), (2, None), (0, 0)]),
)


def _block(top: int, left: int, height: int, width: int) -> ast.Block:
    return ast.Block(top, left, top + height, left + width, span=NOWHERE)


def selectors(
    leaves: st.SearchStrategy[ast.Selector] = simple_names,
    axes: tuple[ast.AxisName, ...] = ast.AXES,
    types: tuple[str, ...] = (),
    depth: int = 3,
) -> st.SearchStrategy[ast.Selector]:
    """Selectors over the given leaves and axes."""
    atoms = st.one_of(
        leaves,
        st.just(ast.Root(span=NOWHERE)),
        st.just(ast.TrueSelector(span=NOWHERE)),
        st.builds(ast.Coordinate, st.integers(1, 4), st.integers(1, 4), span=st.just(NOWHERE)),
        st.builds(_block, *[st.integers(1, 4)] * 2, *[st.integers(0, 3)] * 2),
        st.builds(ast.WholeRow, st.integers(1, 4), span=st.just(NOWHERE)),
        st.builds(ast.WholeColumn, st.integers(1, 4), span=st.just(NOWHERE)),
        *([st.sampled_from(types).map(lambda name: ast.Name(name, span=NOWHERE))] if types else []),
    )
    if depth == 0:
        return atoms
    inner = st.deferred(lambda: selectors(leaves, axes, types, depth - 1))
    walks = st.deferred(lambda: paths(inner, axes, depth - 1))
    several = st.lists(inner, min_size=2, max_size=3).map(tuple)
    return st.one_of(
        atoms,
        st.builds(ast.Apply, walks, inner, span=st.just(NOWHERE)),
        st.builds(ast.Apply, walks, inner, span=st.just(NOWHERE)),
        st.builds(ast.Apply, walks, st.none(), span=st.just(NOWHERE)),
        st.builds(ast.Exists, walks, span=st.just(NOWHERE)),
        st.builds(ast.Nth, inner, st.integers(1, 3), span=st.just(NOWHERE)),
        st.builds(ast.Not, inner, span=st.just(NOWHERE)),
        st.builds(ast.And, several, span=st.just(NOWHERE)),
        st.builds(ast.Or, several, span=st.just(NOWHERE)),
    )


def paths(
    conditions: st.SearchStrategy[ast.Selector],
    axes: tuple[ast.AxisName, ...] = ast.AXES,
    depth: int = 2,
) -> st.SearchStrategy[ast.Path]:
    """Paths that filter by the given conditions."""
    steps = st.sampled_from(axes).map(lambda name: ast.Axis(name, span=NOWHERE))
    if depth <= 0:
        return steps
    inner = st.deferred(lambda: paths(conditions, axes, depth - 1))
    several = st.lists(inner, min_size=2, max_size=3).map(tuple)
    return st.one_of(
        steps,
        st.builds(ast.Filter, conditions, span=st.just(NOWHERE)),
        st.builds(ast.Filtered, inner, conditions, span=st.just(NOWHERE)),
        st.builds(ast.Concat, several, span=st.just(NOWHERE)),
        st.builds(ast.Union, several, span=st.just(NOWHERE)),
        st.builds(
            lambda path, bounds: ast.Repeated(path, bounds[0], bounds[1], span=NOWHERE),
            inner,
            counts,
        ),
    )


def contents(
    leaves: st.SearchStrategy[ast.Name | ast.Literal] = simple_names, depth: int = 3
) -> st.SearchStrategy[ast.Content]:
    """Content expressions."""
    letters = st.one_of(leaves.map(Letter), st.just(Epsilon()))
    if depth == 0:
        return letters
    inner = st.deferred(lambda: contents(leaves, depth - 1))
    several = st.lists(inner, min_size=2, max_size=3).map(tuple)
    return st.one_of(
        leaves.map(Letter),
        several.map(Sequence),
        several.map(Choice),
        st.builds(lambda part, bounds: Repeat(part, bounds[0], bounds[1]), inner, counts),
    )


# ----------------------------------------------------------------- derived tokens

quotable = st.text('ab ,;"\\/#0.é\n\r\t', max_size=5)
bounds = st.one_of(
    st.sampled_from(["5", "-1.5", "2010-01-01", "INF", "P1D", "a b", "", "x/y", "/", "3rd", "and"]),
    quotable,
)


def derived_bounds(texts: st.SearchStrategy[str]) -> st.SearchStrategy[derived.Bound]:
    """Sides of comparisons."""
    relations: list[derived.Relation] = ["<", "<=", ">", ">=", "=", "!="]
    return st.builds(derived.Bound, st.sampled_from(relations), texts, span=st.just(NOWHERE))


def derived_tokens(
    leaves: st.SearchStrategy[ast.Name | ast.Literal] = simple_names, depth: int = 3
) -> st.SearchStrategy[derived.Tokens]:
    """What is right of `:=`."""
    atoms = st.one_of(
        leaves,
        st.sampled_from(["[0-9]+", "a/"[:1], r"\/ \"", "( )|b", "", "x y "]).map(
            lambda text: derived.Pattern(text, Epsilon(), span=NOWHERE)
        ),
        st.builds(
            derived.Picture,
            st.sampled_from(["Number", "xs:date", "Boolean", "net weight"]),
            quotable,
            st.one_of(st.none(), quotable),
            st.one_of(st.none(), quotable),
            picture_span=st.just(NOWHERE),
            span=st.just(NOWHERE),
        ),
    )
    if depth == 0:
        return atoms
    inner = st.deferred(lambda: derived_tokens(leaves, depth - 1))
    several = st.lists(inner, min_size=2, max_size=3).map(tuple)
    some_bounds = st.lists(derived_bounds(bounds), min_size=1, max_size=2).map(tuple)
    measured = st.sampled_from(derived.MEASURES)
    with_value = inner.filter(lambda each: not isinstance(each, ast.Literal))
    return st.one_of(
        atoms,
        st.builds(derived.ListOf, inner, st.one_of(st.none(), quotable), span=st.just(NOWHERE)),
        st.builds(derived.Trimmed, inner, span=st.just(NOWHERE)),
        st.builds(
            derived.Comparison, st.just("value"), with_value, some_bounds, span=st.just(NOWHERE)
        ),
        st.builds(derived.Comparison, measured, inner, some_bounds, span=st.just(NOWHERE)),
        st.builds(derived.Not, inner, span=st.just(NOWHERE)),
        st.builds(derived.And, several, span=st.just(NOWHERE)),
        st.builds(derived.Or, several, span=st.just(NOWHERE)),
    )


cells = st.sampled_from(["a", "b", "aa", "1", "23", "", "x", "q", "ab"])
tables = st.lists(st.lists(cells, min_size=1, max_size=5), max_size=6)


def as_csv(table: list[list[str]]) -> bytes:
    """A table as a document in the default dialect; a row of one empty cell is a blank line."""
    return "".join(",".join(row) + "\n" for row in table).encode()


# ----------------------------------------------------------------- dialects

PIECES = [
    *"abc  ,;|\"'\n\n\r\\!#\t",
    "\r\n",
    "||",
    "é",
    "€",
    "§",
    "«",
    "ab",
    "\0",
]
directives = st.lists(
    st.one_of(
        st.sampled_from(
            [",", ";", r"\t", "||", "ab", "§", "/\\s+/", "/[,;]/", "/\\s*,\\s*/", "/ab?/", ", "]
        ).map("Col Delim = {}".format),
        st.sampled_from(["2,3,*", "1, -1, 2", "-1,2,*", "3"]).map("Col Widths = {}".format),
        st.sampled_from(["1,1,1", "4,*", "2,-2,1"]).map("Col Widths(ab) = {}".format),
        st.sampled_from(["none", "'", "«"]).map("Quote = {}".format),
        st.sampled_from(["\\\\", "!", "«"]).map("Escape = {}".format),
        st.sampled_from(["Escape = \\\\\nEscapes = quotes", "Escape = «\nEscapes = quotes"]),
        st.sampled_from(["Escape = !\nEscapes = everywhere", "Escape = «\nEscapes = everywhere"]),
        st.just("Stray Quotes = text"),
        st.sampled_from(["none", "left", "right"]).map("Trim = {}".format),
        st.sampled_from(["#", "ab"]).map("Comment = {}".format),
        st.sampled_from(["keep", "skip"]).map("Blank Rows = {}".format),
        st.sampled_from([r"\n", "|", "||", r"\r\n", r"\r"]).map("Row Delim = {}".format),
        st.sampled_from(["utf-8", "latin-1", "cp1252", "utf-16", "shift_jis", "ascii"]).map(
            "Encoding = {}".format
        ),
    ),
    max_size=4,
)
