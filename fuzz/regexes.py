r"""Token expressions against RE2, and against Python's `re` where it knows the same language.

In: a tree of `expressions`, written for Sculpt, for RE2 and for `re`, and texts to match.
Compared, for each text: `TextMatcher` (as the reference engine does), the automaton of the local
engine (a file with a row for each text), RE2, and `re` if there is neither `(?i)` nor `\p`; then
what the groups of `capturing_pattern` and those of RE2 capture. A case without texts is one class
or escape, compared on every code point except the surrogates.

Invariant: RE2 has its own tables for case folding and categories. Where these matter, characters
that only one of the two Unicode versions assigns are not compared: Python 3.11 has Unicode 14, RE2
in pyarrow 26 has 15.1. They agree on all that both assign. An expression that is too large for RE2
is skipped. Cost: a few ms per case, 0.1 s for a class on all code points.
"""

from __future__ import annotations

import re
import tempfile
import unicodedata
from functools import cache
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from hypothesis import strategies as st

import sculpt
from fuzz.expressions import (
    CASED,
    CATEGORIES,
    FOR_PYTHON,
    FOR_RE2,
    POOL,
    Node,
    categories,
    classes,
    escapes,
    in_another,
    in_sculpt,
    sample,
    trees,
)
from fuzz.harness import Case, Target
from sculpt.core.acceptor import TextMatcher
from sculpt.engines import local
from sculpt.engines.options import Options
from sculpt.kernels import choice as backends
from sculpt.syntax.regex import capturing_pattern
from sculpt.syntax.regular import CharSet, Letter, Nothing, Regular

SCHEMA = (
    "Col Delim = \\x1f\nRow Delim = \\x1e\nQuote = none\nTrim = none\nBlank Rows = keep\n"
    "col(1) -> t\nt = "
)
ROW_END = "\x1e"
NOT_IN_TEXTS = re.compile("[\x1e\x1f\ud800-\udfff]")
LONGEST = 24
SLOW, MAX_COUNTS = 12, 4
"""Python's `re` backtracks: longer texts or larger counts may take forever."""
_OPTIONS = Options(max_violations=1000, threads=1, backend=backends.plain())
_FOLDER = tempfile.TemporaryDirectory(prefix="fuzz-regexes-")
_FILE = Path(_FOLDER.name) / "rows.txt"
_CODES = np.array([code for code in range(0x110000) if not 0xD800 <= code <= 0xDFFF])


# ----------------------------------------------------------------- cases


def _case(tree: Node, folds: bool, ends: tuple[str, str], seed: int | None) -> Case:
    """The tree written for each engine; without a seed there are no texts."""
    body = in_sculpt(tree)
    if body[:1] in (" ", "\t") or re.search(r"(?<!\\)(\\\\)*[ \t]\Z", body):
        body = f"(?:{body})"  # blanks around an expression are ignored
    case: Case = {
        "expression": f"{'(?i)' * folds}{ends[0]}{body}{ends[1]}",
        "re2": rf"(?{'i' * folds}s)\A(?:{in_another(tree, FOR_RE2, count(1))})\z",
    }
    if seed is None:
        return case
    if not folds and not re.search(r"\\[pP]", case["re2"]):
        case["python"] = in_another(tree, FOR_PYTHON, count(1))
    texts = texts_for(tree, Random(seed))
    return case | {"texts": [text for text in texts if not NOT_IN_TEXTS.search(text)]}


def texts_for(tree: Node, random: Random) -> list[str]:
    """Texts that match, nearly match and do not."""
    samples = [sample(tree, random)[:LONGEST] for _ in range(10)]
    texts = samples[:3]
    texts += [_recased(text, random) for text in samples[3:6]]
    texts += [_changed(text, random, ix // 2) for ix, text in enumerate(samples[6:], 2)]
    texts += ["", "".join(random.choices(POOL, k=random.randrange(4)))]
    return list(dict.fromkeys(texts))


def _recased(text: str, random: Random) -> str:
    return "".join(random.choice(_variants(char)) for char in text)


def _variants(char: str) -> list[str]:
    """The character in upper and lower case; some have several characters."""
    known = [each for each in CASED if each.casefold() == char.casefold()]
    return [char.lower(), char.upper(), char.title(), char.casefold(), *known]


def _changed(text: str, random: Random, changes: int) -> str:
    for _ in range(changes):
        at = random.randrange(len(text) + 1)
        char = text[at : at + 1]
        new = random.choice(["", random.choice(POOL), char + char, *_variants(char)])
        text = text[:at] + new + text[at + 1 :]
    return text


all_categories = st.sampled_from(CATEGORIES)
single = st.one_of(categories(all_categories), classes(all_categories, 9), escapes)
ends = st.tuples(st.sampled_from(["", "", "^"]), st.sampled_from(["", "", "$"]))
matched = st.builds(_case, trees, st.booleans(), ends, st.integers(0, 1 << 32))
cases = st.integers(0, 59).flatmap(
    lambda n: matched if n < 59 else st.builds(_case, single, st.booleans(), ends, st.none())
)

# ----------------------------------------------------------------- checks


def check(case: Case) -> int:
    """Check that all engines agree; return the number of texts tried."""
    schema = sculpt.Schema.parse(SCHEMA + case["expression"])
    pattern = schema.core.tokens["t"].pattern
    if "texts" not in case:
        _check_all_code_points(case, pattern)
        return 1
    texts = [text for text in case["texts"] if _known(text)]
    column = pa.array(texts, pa.string())
    try:
        matching = pc.match_substring_regex(column, case["re2"]).to_pylist()
    except pa.ArrowInvalid:
        return 0
    matcher = TextMatcher(pattern)
    assert [matcher.matches(text) for text in texts] == matching, ("reference", texts, matching)
    _check_local(schema, texts, matching)
    if "python" in case:
        _check_python(case["python"], texts, matching)
    _check_groups(case, column)
    return len(texts)


def _check_local(schema: sculpt.Schema, texts: list[str], matching: list[bool]) -> None:
    # The first row is not compared: a byte order mark there would be dropped.
    rows = ["x", *texts]
    _FILE.write_bytes("".join(text + ROW_END for text in rows).encode())
    verdict = local.validate(schema.core, str(_FILE), _OPTIONS)
    assert verdict.rows == len(rows), (verdict.rows, rows)
    wrong = {each.row for each in verdict.violations if each.code == "row-content"}
    found = [ix + 2 not in wrong for ix in range(len(texts))]
    assert found == matching, ("local", texts, matching)


def _check_python(expression: str, texts: list[str], matching: list[bool]) -> None:
    if len(re.findall(r"[*+?}]", expression)) > MAX_COUNTS:
        return
    compiled = re.compile(expression, re.ASCII | re.DOTALL)
    for text, matches in zip(texts, matching, strict=True):
        if len(text) <= SLOW:
            assert (compiled.fullmatch(text) is not None) == matches, ("re", text, matches)


def _check_groups(case: Case, column: Any) -> None:
    pattern, groups = capturing_pattern(case["expression"])
    assert groups == case["re2"].count("(?P<g"), groups
    if groups:
        ours = pc.extract_regex(column, pattern=pattern).to_pylist()
        theirs = pc.extract_regex(column, pattern=case["re2"]).to_pylist()
        assert ours == theirs, (ours, theirs)


def _check_all_code_points(case: Case, pattern: Regular[CharSet]) -> None:
    assert isinstance(pattern, Letter | Nothing), pattern
    listed = pattern.symbol.ranges if isinstance(pattern, Letter) else ()
    ours = np.zeros(0x110000, dtype=bool)
    for low, high in listed:
        ours[low : high + 1] = True
    characters, known = _all_characters()
    theirs = np.asarray(pc.match_substring_regex(characters, case["re2"]))
    differs = ours[_CODES] != theirs
    if _depends_on_unicode(case):
        differs &= known[_CODES]
    assert not differs.any(), [f"U+{code:04X}" for code in _CODES[differs][:20]]


def _depends_on_unicode(case: Case) -> bool:
    return re.search(r"\(\?i|\\[pP]", case["re2"]) is not None


def _known(text: str) -> bool:
    known = _all_characters()[1]
    return all(known[ord(char)] for char in text)


@cache
def _all_characters() -> tuple[Any, npt.NDArray[np.bool_]]:
    """Every character, and which of them both Unicode versions assign, by code point."""
    characters = pa.array([chr(code) for code in _CODES.tolist()], pa.string())
    assigned = np.asarray(
        pc.match_substring_regex(characters, r"\p{L}|\p{M}|\p{N}|\p{P}|\p{S}|\p{Z}|\p{C}")
    )
    known = np.zeros(0x110000, dtype=bool)
    known[_CODES] = assigned
    for code in np.flatnonzero(known).tolist():
        known[code] = unicodedata.category(chr(code)) != "Cn"
    return characters, known


TARGET = Target("regexes", cases, check)
